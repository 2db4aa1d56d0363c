/* Reads JSON that another program may have written, so its size in memory is bounded. */
#include "memory.h"
#include "output.h"

#include "../base/read.h"

#include <jansson.h>
#include <string.h>

/* Memory that jansson needs at most for a value, and for a list or an object; and the limit for a file. */
enum { VALUE_BYTES = 100, CONTAINER_BYTES = 300 };
#define MEMORY_MAX ((uint64_t)2 << 30)

/* Estimates the memory of a text as a tree. "[[],[],[]]" takes a hundred times its size. */
static uint64_t memory_of(const char *text, size_t size)
{
    uint64_t memory = size;
    bool quoted = false;
    for (size_t i = 0; i < size; i++) {
        char c = text[i];
        if (c == '"')
            quoted = !quoted;
        else if (quoted)
            i += c == '\\';
        else if (c == '[' || c == '{')
            memory += CONTAINER_BYTES;
        else if (c == ',')
            memory += VALUE_BYTES;
    }
    return memory;
}

static unsigned lines_of(const char *text, size_t size)
{
    unsigned lines = 0;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    return lines;
}

/* jansson reads one value and returns where it ends. */
static int load_values(const char *path, const char *text, size_t size, json_t *list, struct sms_errors *errors)
{
    unsigned line = 0;
    for (size_t at = strspn(text, " \n\r\t"), was = 0; at < size; at += strspn(text + at, " \n\r\t")) {
        json_error_t error;
        line += lines_of(text + was, at - was);
        json_t *value = json_loadb(text + at, size - at, JSON_DISABLE_EOF_CHECK, &error);
        if (!value && (json_error_code(&error) == json_error_out_of_memory || sms__memory_failed()))
            return sms__fail(errors, SMS_ENOMEM, path, "out of memory");
        if (!value)
            return sms__fail(errors, SMS_EINPUT, path, "line %u: %s", line + (unsigned)error.line, error.text);
        if (json_array_append_new(list, value))
            return sms__fail(errors, SMS_ENOMEM, path, "out of memory");
        was = at;
        at += (size_t)error.position;
    }
    return SMS_OK;
}

int sms__read_json(const char *path, json_t *list, struct sms_errors *errors)
{
    struct sms__arena arena = {0};
    char *text;
    size_t size;
    int code = sms__file_bytes(&arena, path, (uint64_t)SMS__JSON_MIB << 20, &text, &size, errors);
    if (code == SMS_ENOMEM)
        sms__fail(errors, code, path, "out of memory");
    if (code == SMS_OK && memory_of(text, size) > MEMORY_MAX)
        code = sms__fail(errors, SMS_EINPUT, path, "has so many values that they take more than 2 GiB of memory");
    if (code == SMS_OK)
        code = load_values(path, text, size, list, errors);
    if (code == SMS_OK && json_array_size(list) == 0)
        code = sms__fail(errors, SMS_EINPUT, path, "is empty");
    sms__arena_release(&arena);
    return code;
}
