#define _GNU_SOURCE /* fopencookie */
#include "buffer.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 4096 };

static bool enlarge(struct sms__buffer *buffer, size_t more)
{
    size_t room = buffer->room ? buffer->room : ROOM;
    while (room - buffer->length <= more) {
        if (room > SIZE_MAX / 2)
            return false;
        room *= 2;
    }
    if (room == buffer->room)
        return true;
    char *grown = realloc(buffer->bytes, room);
    if (!grown)
        return false;
    buffer->bytes = grown;
    buffer->room = room;
    return true;
}

void sms__buffer_add(struct sms__buffer *buffer, const char *bytes, size_t length)
{
    if (buffer->failed || !enlarge(buffer, length)) {
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
    return buffer->failed ? 0 : (ssize_t)length; /* 0 is how a cookie's stream learns of an error */
}

FILE *sms__buffer_open(struct sms__buffer *buffer)
{
    return fopencookie(buffer, "w", (cookie_io_functions_t){.write = write_bytes});
}

bool sms__buffer_close(struct sms__buffer *buffer, FILE *stream)
{
    bool whole = fflush(stream) == 0;
    whole &= !ferror(stream);
    whole &= fclose(stream) == 0;
    sms__buffer_add(buffer, "", 0);
    return whole && !buffer->failed;
}
