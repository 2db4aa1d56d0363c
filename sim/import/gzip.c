/* Decompresses files by zlib. */
#include "gzip.h"

#include <string.h>
#include <zlib.h>

enum { ROOM_LEAST = 1 << 16, GZIP_WINDOW = 16 + MAX_WBITS };

/* Decompresses all that `stream` holds, of one member or several, into growing memory. Returns zlib's code. */
static int decompress(struct sms__arena *arena, z_stream *stream, size_t most, char **out, size_t *used)
{
    size_t room = ROOM_LEAST;
    int code = Z_OK;
    *out = SMS__NEW(arena, char, room);
    while (*used <= most &&
           (code == Z_OK || (code == Z_STREAM_END && stream->avail_in && inflateReset(stream) == Z_OK))) {
        if (*used + 1 == room) {
            *out = sms__enlarge(arena, *out, *used, 2 * room, 1);
            room *= 2;
        }
        stream->next_out = (Bytef *)*out + *used;
        stream->avail_out = (uInt)(room - 1 - *used);
        code = inflate(stream, Z_NO_FLUSH);
        *used = room - 1 - stream->avail_out;
    }
    (*out)[*used] = '\0';
    return code;
}

int sms__plain_bytes(struct sms__arena *arena, const char *path, uint64_t most, char **bytes, size_t *size,
                     struct sms_errors *errors)
{
    int code = sms__file_bytes(arena, path, most, bytes, size, errors);
    if (code || *size < 2 || memcmp(*bytes, "\x1f\x8b", 2) != 0)
        return code;
    z_stream stream = {.next_in = (Bytef *)*bytes, .avail_in = (uInt)*size};
    size_t used = 0;
    char *out = NULL;
    if (inflateInit2(&stream, GZIP_WINDOW) != Z_OK)
        return SMS_ENOMEM;
    int result = decompress(arena, &stream, (size_t)most, &out, &used);
    inflateEnd(&stream);
    if (used > most)
        return sms__fail(errors, SMS_EINPUT, path, "has more than %llu MiB when it is decompressed",
                         (unsigned long long)most >> 20);
    if (result != Z_STREAM_END)
        return sms__fail(errors, SMS_EINPUT, path, "is compressed by gzip, but damaged or cut short");
    *bytes = out;
    *size = used;
    return SMS_OK;
}
