/* Writes JSON, and reports memory that ran out while it was built. */
#include "json_write.h"

#include "../base/buffer.h"
#include "../base/escape.h"
#include "memory.h"
#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int sms__json_write(json_t *object, FILE *to, size_t flags)
{
    bool whole = object && !sms__memory_failed() && json_dumpf(object, to, flags) == 0 && fputc('\n', to) != EOF;
    json_decref(object);
    if (whole && !sms__memory_failed() && !ferror(to))
        return 0;
    if (sms__memory_failed())
        errno = ENOMEM;
    return -1;
}

/* jansson accepts UTF-8 only, so each other byte is replaced. */
static json_t *replaced(const char *text)
{
    struct sms__buffer clean = {0};
    while (*text) {
        size_t length = sms__utf8_length(text);
        sms__buffer_add(&clean, length ? text : "\xef\xbf\xbd", length ? length : 3);
        text += length ? length : 1;
    }
    sms__note_memory(clean.failed ? NULL : &clean);
    json_t *string = clean.failed ? NULL : json_stringn_nocheck(clean.bytes, clean.length);
    free(clean.bytes);
    return string;
}

json_t *sms__json_keep(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) ? NULL : value;
}

json_t *sms__json_text(const char *text)
{
    size_t length = strlen(text ? text : ""), n = 1;
    for (size_t i = 0; i < length && n; i += n)
        n = sms__utf8_length(text + i);
    return !n ? replaced(text) : json_stringn_nocheck(text ? text : "", length);
}

json_t *sms__json_number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *sms__json_path(const char *path)
{
    char *text = sms__note_memory(sms__path_text(path));
    json_t *string = text ? json_string(text) : NULL;
    free(text);
    return string;
}
