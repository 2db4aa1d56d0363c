/* Writes and reads origin.json. Paths are stored as texts that any bytes of a path can be restored from. */
#define _XOPEN_SOURCE 700
#include "origin.h"

#include "../base/escape.h"
#include "../base/write.h"
#include "../report/json_write.h"
#include "../report/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 4400 };

static const char *const keys[] = {"plan", "models"};

int origin_write(const char *folder, const char *plan, const char *models, struct sms_errors *errors)
{
    char path[PATH_BYTES];
    struct sms__write write = {0};
    const char *path_of[] = {plan, models};
    json_t *object = json_object();
    snprintf(path, sizeof path, "%s/origin.json", folder);
    for (size_t i = 0; i < 2; i++) {
        char *absolute = path_of[i] ? realpath(path_of[i], NULL) : NULL;
        if (absolute)
            json_object_set_new(object, keys[i], sms__json_path(absolute));
        free(absolute);
    }
    int code = sms__write_begin(&write, path, errors);
    if (code == SMS_OK)
        code = sms__json_write(json_incref(object), write.to, JSON_INDENT(2))
                   ? sms__fail(errors, SMS_EIO, path, "cannot be written: %s", strerror(errno))
                   : sms__write_end(&write, errors);
    sms__write_abandon(&write);
    json_decref(object);
    return code;
}

void origin_read(const char *folder, struct origin *origin)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/origin.json", folder);
    struct sms_errors ignored = {0}; /* an unknown origin is asked for */
    json_t *list = json_array();
    sms__read_json(path, list, &ignored);
    const json_t *object = json_array_get(list, 0);
    char **const text[] = {&origin->plan, &origin->models};
    for (size_t i = 0; i < 2; i++) {
        const char *value = json_string_value(json_object_get(object, keys[i]));
        *text[i] = value ? strdup(value) : NULL;
        if (*text[i])
            sms__text_path(*text[i]);
    }
    json_decref(list);
}
