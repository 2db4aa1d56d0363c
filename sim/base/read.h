/* The one way to read files that somebody else may have written: results, journals, profiles, scenarios. Only regular
 * files are opened, so that no FIFO, device or socket can block the program or feed it without end, and no file beyond
 * the size that the caller allows. What is appended to a file while it is being read is not seen. */
#ifndef SMS_BASE_READ_H
#define SMS_BASE_READ_H

#include "arena.h"
#include "errors.h"

#include <stdint.h>
#include <sys/types.h>

enum { SMS__TEXT_BYTES_MAX = 16 * 1024 * 1024 };

struct sms__input {
    int fd;
    uint64_t size, left; /* bytes: when it was opened, and not yet read */
};

/* Opens a regular file of at most `most` bytes, a number of MiB. SMS_OK; SMS_EINPUT (it is missing, too large or not a
 * regular file) or SMS_EIO, with `errors` filled and nothing to close. */
int sms__input_open(const char *path, uint64_t most, struct sms__input *input, struct sms_errors *errors);

/* Up to `room` of the bytes that are left; fewer only at the end of the file. -1 and errno if they cannot be read. */
ssize_t sms__input_read(struct sms__input *input, void *bytes, size_t room);
void sms__input_close(struct sms__input *input);

/* The bytes of the file at `path` in the arena, followed by a NUL. In a guard of `arena`, or outside of any. SMS_OK; a
 * code of sms__input_open, with `errors` filled; or SMS_ENOMEM, without. */
int sms__file_bytes(struct sms__arena *arena, const char *path, uint64_t most, char **bytes, size_t *size,
                    struct sms_errors *errors);

/* The place of the byte behind the first `size` of a text: lines and columns are counted as libyaml does. */
struct sms__mark sms__text_mark(const char *path, const char *text, size_t size);

/* Whether bytes are text: UTF-8, which has no NUL bytes. SMS_OK, or SMS_EINPUT, having said where they are none. */
int sms__check_text(const char *path, const char *bytes, size_t size, struct sms_errors *errors);

/* The same for text of at most SMS__TEXT_BYTES_MAX that passes sms__check_text. */
int sms__file_text(struct sms__arena *arena, const char *path, const char **text, struct sms_errors *errors);

#endif
