/* Reads JSON that another program may have written, so its size in memory is bounded. */
#include "memory.h"
#include "output.h"

#include "../base/read.h"

#include <jansson.h>

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

int sms__read_json(const char *path, json_t **out, struct sms_errors *errors)
{
    struct sms__arena arena = {0};
    json_error_t error;
    char *text;
    size_t size;
    *out = NULL;
    int code = sms__file_bytes(&arena, path, (uint64_t)SMS__JSON_MIB << 20, &text, &size, errors);
    if (code == SMS_OK && memory_of(text, size) > MEMORY_MAX)
        code = sms__fail(errors, SMS_EINPUT, path, "has so many values that they take more than 2 GiB of memory");
    if (code == SMS_OK)
        *out = json_loadb(text, size, 0, &error);
    if (code == SMS_OK && !*out && (json_error_code(&error) == json_error_out_of_memory || sms__memory_failed()))
        code = SMS_ENOMEM;
    else if (code == SMS_OK && !*out)
        code = sms__fail(errors, SMS_EINPUT, path, "line %d: %s", error.line, error.text);
    if (code == SMS_ENOMEM)
        sms__fail(errors, code, path, "out of memory");
    sms__arena_release(&arena);
    return code;
}
