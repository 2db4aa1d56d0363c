#define _XOPEN_SOURCE 700
#include "cli.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 4400 };

static const char *const keys[] = {"plan", "models"};

int origin_write(const char *folder, const char *plan, const char *models, struct sms_errors *errors)
{
    char path[PATH_BYTES];
    struct sms__write write = {0};
    const char *named[] = {plan, models};
    json_t *object = json_object();
    snprintf(path, sizeof path, "%s/origin.json", folder);
    for (size_t i = 0; i < 2; i++) {
        char *whole = named[i] ? realpath(named[i], NULL) : NULL;
        json_t *text = whole ? json_string(whole) : NULL; /* a name that is no UTF-8 is not kept */
        if (text)
            json_object_set_new(object, keys[i], text);
        free(whole);
    }
    int code = sms__write_begin(&write, path, errors);
    if (code == SMS_OK)
        code = json_dumpf(object, write.to, JSON_INDENT(2)) ? sms__fail(errors, SMS_ENOMEM, path, "out of memory")
                                                            : sms__write_end(&write, errors);
    sms__write_abandon(&write);
    json_decref(object);
    return code;
}

void origin_read(const char *folder, struct origin *origin)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/origin.json", folder);
    struct sms_errors unsaid = {0}; /* what is not known is asked for */
    json_t *list = json_array();
    sms__read_json(path, list, &unsaid);
    const json_t *object = json_array_get(list, 0);
    char **const text[] = {&origin->plan, &origin->models};
    for (size_t i = 0; i < 2; i++) {
        const char *value = json_string_value(json_object_get(object, keys[i]));
        *text[i] = value ? strdup(value) : NULL;
    }
    json_decref(list);
}
