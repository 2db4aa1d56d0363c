/* A stream that compresses what is written to it, by zlib. Invariant: what has reached the file is always the beginning
 * of one gzip member, without a name or a time in its head. */
#define _GNU_SOURCE /* fopencookie */
#define ZLIB_CONST
#include "gzip_stream.h"

#include <stdlib.h>
#include <zlib.h>

struct stream {
    z_stream deflate;
    FILE *to;
    unsigned char piece[32768];
};

/* Compresses the input. Returns whether all output so far was written. */
static bool press(struct stream *stream, int flush)
{
    do {
        stream->deflate.next_out = stream->piece;
        stream->deflate.avail_out = sizeof stream->piece;
        if (deflate(&stream->deflate, flush) == Z_STREAM_ERROR)
            return false;
        size_t bytes = sizeof stream->piece - stream->deflate.avail_out;
        if (fwrite(stream->piece, 1, bytes, stream->to) < bytes)
            return false;
    } while (stream->deflate.avail_out == 0);
    return true;
}

static ssize_t write_stream(void *cookie, const char *bytes, size_t size)
{
    struct stream *stream = cookie;
    stream->deflate.next_in = (const Bytef *)bytes;
    stream->deflate.avail_in = (uInt)size; /* at most stdio's buffer */
    return press(stream, Z_NO_FLUSH) ? (ssize_t)size : 0;
}

static int close_stream(void *cookie)
{
    struct stream *stream = cookie;
    bool whole = press(stream, Z_FINISH);
    deflateEnd(&stream->deflate);
    free(stream);
    return whole ? 0 : EOF;
}

FILE *sms__gzip_stream(FILE *to)
{
    static const cookie_io_functions_t functions = {.write = write_stream, .close = close_stream};
    enum { GZIP = 16, WINDOW = 15, MEMORY = 8 };
    struct stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return NULL;
    stream->to = to;
    if (deflateInit2(&stream->deflate, Z_BEST_SPEED, Z_DEFLATED, WINDOW + GZIP, MEMORY, Z_DEFAULT_STRATEGY) == Z_OK) {
        FILE *file = fopencookie(stream, "w", functions);
        if (file)
            return file;
        deflateEnd(&stream->deflate);
    }
    free(stream);
    return NULL;
}
