/* The table of importers, and what they share: an arena for each import, a check of the result, a name from a path. */
#include "import.h"

#include "openb.h"
#include "simtbs.h"

#include <ctype.h>
#include <string.h>

const struct sms__importer sms__importers[] = {
    {"simtbs", "a configuration of simtbs (oslab-ewha)", 1, sms__import_simtbs},
    {"ncu", "output of Nsight Compute, with --csv or as text", 0, sms__import_ncu},
    {"nvprof", "output of nvprof: metrics, traces", 0, sms__import_nvprof},
    {"openb", "nodes and pods of a cluster: the trace of 2023 (alibaba/clusterdata)", 2, sms__import_openb},
    {0},
};

struct import {
    struct sms__arena arena;
    const struct sms__importer *importer;
    const char *const *paths;
    size_t n_paths;
    const struct sms__import_options *options;
    FILE *to;
    struct sms_errors *errors;
};

static int body(void *user)
{
    struct import *import = user;
    return import->importer->import(&import->arena, import->paths, import->n_paths, import->options, import->to,
                                    import->errors);
}

int sms__import(const struct sms__importer *importer, const char *const *paths, size_t n_paths,
                const struct sms__import_options *options, FILE *to, struct sms_errors *errors)
{
    struct import import = {{0}, importer, paths, n_paths, options, to, errors};
    *errors = (struct sms_errors){0};
    int code = sms__guard(&import.arena, body, &import);
    if (code == SMS_ENOMEM && !errors->count)
        sms__fail(errors, SMS_ENOMEM, paths[0], "no memory");
    sms__arena_release(&import.arena);
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

enum { NAME_MAX_CHARS = 60 };

const char *sms__import_name(struct sms__arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path, *dot = strrchr(last, '.');
    size_t length = dot && dot > last ? (size_t)(dot - last) : strlen(last);
    char *name = sms__copy(arena, last, length < NAME_MAX_CHARS ? length : NAME_MAX_CHARS);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '-')
            *c = '_';
    return *name ? name : "imported";
}
