/* Runs an importer in an arena of its own, and checks its result. */
#include "import.h"

#include <string.h>

struct import {
    struct sms__arena arena;
    const struct sms__importer *importer;
    const char *const *paths;
    size_t n_paths;
    const struct sms__import_options *options;
    FILE *to;
    struct sms_errors *errors;
    struct sms_file *device_file[2]; /* of a profile */
};

static int body(void *user)
{
    struct import *import = user;
    if (import->importer->read)
        return sms__import_profile(&import->arena, import->importer, import->paths, import->n_paths, import->options,
                                   import->device_file, import->to, import->errors);
    return import->importer->import(&import->arena, import->paths, import->n_paths, import->options, import->to,
                                    import->errors);
}

int sms__import(const struct sms__importer *importer, const char *const *paths, size_t n_paths,
                const struct sms__import_options *options, FILE *to, struct sms_errors *errors)
{
    struct import import = {{0}, importer, paths, n_paths, options, to, errors, {NULL, NULL}};
    *errors = (struct sms_errors){0};
    int code = sms__guard(&import.arena, body, &import);
    if (code == SMS_ENOMEM && !errors->count)
        sms__fail(errors, SMS_ENOMEM, paths[0], "no memory");
    sms__arena_release(&import.arena);
    for (size_t i = 0; i < 2; i++)
        sms_file_free(import.device_file[i]);
    return code;
}

int sms__import_check(const char *path, const char *text, size_t size, const struct sms__import_options *options,
                      struct sms_errors *errors)
{
    struct sms_errors load_errors = {0};
    struct sms_file *file = NULL;
    int code = sms_file_load_text(text, size, "", options->load, &file, &load_errors);
    sms_file_free(file);
    if (code == SMS_ENOMEM)
        return sms__fail(errors, code, path, "no memory");
    for (size_t i = 0; i < load_errors.count && i < SMS_ERRORS_MAX; i++) {
        const char *line = load_errors.item[i].source + strspn(load_errors.item[i].source, " ");
        sms__fail(errors, code, path, "the result would be invalid%s%.120s%s: %s", *line ? ", '" : "", line,
                  *line ? "'" : "", load_errors.item[i].message);
    }
    return code;
}
