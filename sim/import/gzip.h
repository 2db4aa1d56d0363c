/* Files that may be compressed by gzip. */
#ifndef SMS_IMPORT_GZIP_H
#define SMS_IMPORT_GZIP_H

#include "../base/read.h"

#include <zlib.h>

#define SMS__TEXT_MOST ((uint64_t)256 << 20) /* bytes of text of a file, unless the user asks for more */

struct sms__gzip {
    const char *path;
    uint64_t most;
    gzFile file;               /* NULL: not open */
    uint64_t file_size, total; /* bytes: of the file, compressed or not; of text that was read */
};

/* Opens a file as sms__input_open does, whatever its size. A file of a few bytes can hold any amount of text, so a
 * compressed one holds at most `most` bytes of it (0: SMS__TEXT_MOST). The caller closes it, also after a failure. */
int sms__gzip_open(struct sms__gzip *gzip, const char *path, uint64_t most, struct sms_errors *errors);
/* Reads up to `room` bytes of text, which is less than 2 GiB; fewer come only at the end. Returns SMS_OK; or SMS_EINPUT
 * for a file that is damaged, cut off or too large, or SMS_EIO, with an error. */
int sms__gzip_read(struct sms__gzip *gzip, void *bytes, size_t room, size_t *got, struct sms_errors *errors);
void sms__gzip_close(struct sms__gzip *gzip);

/* As sms__file_bytes, of a file that holds at most `most` bytes of text (0: SMS__TEXT_MOST), compressed or not. Must
 * run in a guard of the arena. */
int sms__plain_bytes(struct sms__arena *arena, const char *path, uint64_t most, char **bytes, size_t *size,
                     struct sms_errors *errors);

#endif
