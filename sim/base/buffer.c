/* A growing text buffer. Invariant: unless it is empty, its bytes end with a terminator. */
#define _GNU_SOURCE /* fopencookie */
#include "buffer.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 4096 };

bool sms__buffer_room(struct sms__buffer *buffer, size_t extra)
{
    size_t capacity = buffer->capacity ? buffer->capacity : FIRST_CAPACITY;
    while (capacity - buffer->length <= extra) {
        if (capacity > SIZE_MAX / 2)
            return false;
        capacity *= 2;
    }
    if (capacity == buffer->capacity)
        return true;
    char *grown = realloc(buffer->bytes, capacity);
    if (!grown)
        return false;
    buffer->bytes = grown;
    buffer->capacity = capacity;
    return true;
}

void sms__buffer_add(struct sms__buffer *buffer, const char *bytes, size_t length)
{
    if (buffer->failed || !sms__buffer_room(buffer, length)) {
        buffer->failed = true;
        return;
    }
    memcpy(buffer->bytes + buffer->length, bytes, length);
    buffer->length += length;
    buffer->bytes[buffer->length] = '\0';
}

static ssize_t write_bytes(void *cookie, const char *bytes, size_t length)
{
    struct sms__buffer *buffer = cookie;
    sms__buffer_add(buffer, bytes, length);
    return buffer->failed ? 0 : (ssize_t)length; /* a cookie reports an error by writing 0 bytes */
}

FILE *sms__buffer_open(struct sms__buffer *buffer)
{
    return fopencookie(buffer, "w", (cookie_io_functions_t){.write = write_bytes});
}

bool sms__buffer_close(struct sms__buffer *buffer, FILE *stream)
{
    bool complete = fflush(stream) == 0;
    complete &= !ferror(stream);
    complete &= fclose(stream) == 0;
    sms__buffer_add(buffer, "", 0);
    return complete && !buffer->failed;
}

void sms__append(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, size - used, format, args);
    va_end(args);
}
