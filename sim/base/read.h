/* The one way to read files that somebody else may have written: results, profiles, scenarios. It opens only
 * regular files up to a given size, so no FIFO, device or socket can block the program or feed it without end. It
 * ignores bytes that are appended while it reads. */
#ifndef SMS_BASE_READ_H
#define SMS_BASE_READ_H

#include "arena.h"
#include "errors.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { SMS__TEXT_BYTES_MAX = 16 * 1024 * 1024 };

struct sms__input {
    int fd;
    uint64_t size, left; /* bytes: of the file when it was opened, and still to be read */
};

/* Opens a regular file of at most `most` bytes, a whole number of MiB. Returns SMS_OK; SMS_EINPUT if it is missing, too
 * large or not a regular file; or SMS_EIO. On failure it adds to `errors`, and there is nothing to close. */
int sms__input_open(const char *path, uint64_t most, struct sms__input *input, struct sms_errors *errors);

/* Whether something has this name, as far as can be told: a link that leads nowhere and what may not be looked at
 * count, so that opening them says what is wrong. */
bool sms__may_exist(const char *path);

/* Reads up to `room` bytes and returns their number, which is less than `room` only at the end of the file. Returns -1
 * and sets errno on failure. */
ssize_t sms__input_read(struct sms__input *input, void *bytes, size_t room);
void sms__input_close(struct sms__input *input);

/* Reads a whole file into the arena and adds a NUL. Needs no guard of the arena. Returns SMS_OK, a code of
 * sms__input_open with `errors` filled, or SMS_ENOMEM without. */
int sms__file_bytes(struct sms__arena *arena, const char *path, uint64_t most, char **bytes, size_t *size,
                    struct sms_errors *errors);

/* Returns the position of byte `size` of a terminated text, with lines and columns counted as libyaml does. */
struct sms__mark sms__text_mark(const char *path, const char *text, size_t size);

/* "UTF-16" or "UTF-32" if the bytes begin as such a text does, else NULL. */
const char *sms__wide_encoding(const char *bytes, size_t size);

/* Checks that terminated bytes can be text: no UTF-16 or UTF-32, no NUL bytes, and no byte order mark but at the start.
 * Returns SMS_OK, or SMS_EINPUT with an error that says where. */
int sms__check_text(const char *path, const char *bytes, size_t size, struct sms_errors *errors);

/* Reads a text file of at most SMS__TEXT_BYTES_MAX bytes into the arena. Returns as sms__file_bytes and
 * sms__check_text do. */
int sms__file_text(struct sms__arena *arena, const char *path, const char **text, struct sms_errors *errors);

#endif
