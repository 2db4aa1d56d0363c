/* Files that may be compressed by gzip. */
#ifndef SMS_IMPORT_GZIP_H
#define SMS_IMPORT_GZIP_H

#include "../base/read.h"

/* As sms__file_bytes. A file that begins as gzip does is decompressed, also to at most `most` bytes; one that is
 * damaged or cut short is SMS_EINPUT with an error. Must run in a guard of the arena. */
int sms__plain_bytes(struct sms__arena *arena, const char *path, uint64_t most, char **bytes, size_t *size,
                     struct sms_errors *errors);

#endif
