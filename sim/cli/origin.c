#define _XOPEN_SOURCE 700
#include "cli.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 4400 };

static const char *const keys[] = {"plan", "models"};

int origin_write(const char *folder, const char *plan, const char *models, struct sms_errors *errors)
{
    char path[PATH_BYTES], temporary[PATH_BYTES];
    const char *named[] = {plan, models};
    json_t *object = json_object();
    snprintf(path, sizeof path, "%s/origin.json", folder);
    snprintf(temporary, sizeof temporary, "%s/origin.json.partial", folder);
    for (size_t i = 0; i < 2; i++) {
        char *whole = named[i] ? realpath(named[i], NULL) : NULL;
        json_t *text = whole ? json_string(whole) : NULL; /* a name that is no UTF-8 is not kept */
        if (text)
            json_object_set_new(object, keys[i], text);
        free(whole);
    }
    bool wrote = json_dump_file(object, temporary, JSON_INDENT(2)) == 0 && rename(temporary, path) == 0;
    json_decref(object);
    return wrote ? SMS_OK : sms__fail(errors, SMS_EIO, path, "cannot be written: %s", strerror(errno));
}

void origin_read(const char *folder, struct origin *origin)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/origin.json", folder);
    json_t *object = json_load_file(path, 0, NULL);
    char **const text[] = {&origin->plan, &origin->models};
    for (size_t i = 0; i < 2; i++) {
        const char *value = json_string_value(json_object_get(object, keys[i]));
        *text[i] = value ? strdup(value) : NULL;
    }
    json_decref(object);
}
