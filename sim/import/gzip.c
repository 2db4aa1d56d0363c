/* Reads files by zlib, which takes what is not compressed as it is. */
#include "gzip.h"

#include <string.h>
#include <unistd.h>

enum { ROOM_MOST = 1 << 30 };

int sms__gzip_open(struct sms__gzip *gzip, const char *path, uint64_t most, struct sms_errors *errors)
{
    struct sms__input input;
    *gzip = (struct sms__gzip){.path = path, .most = most ? most : SMS__TEXT_MOST};
    int code = sms__input_open(path, INT64_MAX, &input, errors);
    if (code)
        return code;
    int own = dup(input.fd);
    gzip->file_size = input.size;
    gzip->file = own < 0 ? NULL : gzdopen(own, "rb");
    if (!gzip->file && own >= 0)
        close(own);
    sms__input_close(&input);
    return gzip->file ? SMS_OK : SMS_ENOMEM;
}

static int fail_too_large(const struct sms__gzip *gzip, struct sms_errors *errors)
{
    return sms__fail(errors, SMS_EINPUT, gzip->path, "has more than %.6g MiB of text%s; --most takes more",
                     (double)gzip->most / (1 << 20), gzdirect(gzip->file) ? "" : " when it is decompressed");
}

int sms__gzip_read(struct sms__gzip *gzip, void *bytes, size_t room, size_t *got, struct sms_errors *errors)
{
    int problem, length = gzread(gzip->file, bytes, (unsigned)room);
    const char *text = gzerror(gzip->file, &problem), *reason = strstr(text, ": ");
    *got = length > 0 ? (size_t)length : 0;
    gzip->total += *got;
    if (problem == Z_MEM_ERROR)
        return SMS_ENOMEM;
    if (problem == Z_ERRNO)
        return sms__fail(errors, SMS_EIO, gzip->path, "cannot be read");
    if (length >= 0 && gzip->total > gzip->most && !gzdirect(gzip->file))
        return fail_too_large(gzip, errors);
    if (length >= 0 && problem != Z_BUF_ERROR)
        return SMS_OK;
    return sms__fail(errors, SMS_EINPUT, gzip->path,
                     "the compressed file is %s (%s) after %llu bytes of text: copy it again",
                     problem == Z_BUF_ERROR ? "cut off" : "damaged", reason ? reason + 2 : "unknown",
                     (unsigned long long)gzip->total);
}

void sms__gzip_close(struct sms__gzip *gzip)
{
    if (gzip->file)
        gzclose_r(gzip->file);
    gzip->file = NULL;
}

struct reading {
    struct sms__arena *arena;
    struct sms_errors *errors;
    struct sms__gzip gzip;
    char *bytes;
    size_t size;
};

/* A file that is not compressed fits at once, with a byte more by which its end is found. */
static int read_all(void *user)
{
    struct reading *reading = user;
    size_t room = (size_t)reading->gzip.file_size + 2, got;
    if (reading->gzip.file_size > reading->gzip.most)
        return fail_too_large(&reading->gzip, reading->errors);
    reading->bytes = SMS__NEW(reading->arena, char, room);
    for (;;) {
        size_t wanted = room - 1 - reading->size < ROOM_MOST ? room - 1 - reading->size : ROOM_MOST;
        int code = sms__gzip_read(&reading->gzip, reading->bytes + reading->size, wanted, &got, reading->errors);
        reading->size += got;
        if (code != SMS_OK || got < wanted)
            return code;
        if (reading->size + 1 == room) {
            reading->bytes = sms__enlarge(reading->arena, reading->bytes, reading->size, 2 * room, 1);
            room *= 2;
        }
    }
}

int sms__plain_bytes(struct sms__arena *arena, const char *path, uint64_t most, char **bytes, size_t *size,
                     struct sms_errors *errors)
{
    struct reading reading = {.arena = arena, .errors = errors};
    int code = sms__gzip_open(&reading.gzip, path, most, errors);
    if (code == SMS_OK)
        code = sms__guard(arena, read_all, &reading);
    sms__gzip_close(&reading.gzip);
    if (reading.bytes)
        reading.bytes[reading.size] = '\0';
    *bytes = reading.bytes;
    *size = reading.size;
    return code;
}
