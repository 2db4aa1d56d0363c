/* Reading of regular files. Invariant: no call here blocks, and none reads more bytes than the file had when it was
 * opened. */
#include "read.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Says why a file of this type cannot be read; NULL for a regular file. */
static const char *why_unreadable(mode_t mode)
{
    return S_ISREG(mode)                    ? NULL
           : S_ISDIR(mode)                  ? "is a folder; name a file"
           : S_ISFIFO(mode)                 ? "is a FIFO: it is not a regular file"
           : S_ISSOCK(mode)                 ? "is a socket: it is not a regular file"
           : S_ISCHR(mode) || S_ISBLK(mode) ? "is a device: it is not a regular file"
                                            : "is not a regular file";
}

static int fail_to_open(const char *path, struct sms_errors *errors)
{
    const int why = errno;
    struct stat st;
    if (why == ENOENT && lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
        return sms__fail(errors, SMS_EINPUT, path, "is a symbolic link to a file that does not exist");
    if (why == ENXIO && stat(path, &st) == 0 && why_unreadable(st.st_mode))
        return sms__fail(errors, SMS_EINPUT, path, "%s", why_unreadable(st.st_mode));
    return sms__fail(errors, why == ENOENT ? SMS_EINPUT : SMS_EIO, path, "%s", strerror(why));
}

static int check(const char *path, uint64_t most, struct sms__input *input, struct sms_errors *errors)
{
    struct stat st;
    if (fstat(input->fd, &st))
        return sms__fail(errors, SMS_EIO, path, "%s", strerror(errno));
    if (why_unreadable(st.st_mode))
        return sms__fail(errors, SMS_EINPUT, path, "%s", why_unreadable(st.st_mode));
    if ((uint64_t)st.st_size > most)
        return sms__fail(errors, SMS_EINPUT, path, "is larger than %llu MiB", (unsigned long long)(most >> 20));
    input->size = input->left = (uint64_t)st.st_size;
    return SMS_OK;
}

/* O_NONBLOCK, because opening a FIFO would otherwise wait for a writer. */
int sms__input_open(const char *path, uint64_t most, struct sms__input *input, struct sms_errors *errors)
{
    *input = (struct sms__input){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
    if (input->fd < 0)
        return fail_to_open(path, errors);
    int code = check(path, most, input, errors);
    if (code)
        sms__input_close(input);
    return code;
}

bool sms__may_exist(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 || (errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG);
}

ssize_t sms__input_read(struct sms__input *input, void *bytes, size_t room)
{
    size_t got = 0;
    if (room > input->left)
        room = (size_t)input->left;
    while (got < room) {
        ssize_t n = read(input->fd, (char *)bytes + got, room - got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0) { /* the file has become shorter */
            input->left = got;
            break;
        }
        got += (size_t)n;
    }
    input->left -= got;
    return (ssize_t)got;
}

void sms__input_close(struct sms__input *input)
{
    if (input->fd >= 0)
        close(input->fd);
    input->fd = -1;
}

struct allocation {
    struct sms__arena *arena;
    uint64_t size;
    char *bytes;
};

/* The body of a guard. */
static int allocate(void *user)
{
    struct allocation *allocation = user;
    allocation->bytes = sms__alloc(allocation->arena, allocation->size + 1, 1);
    return SMS_OK;
}

int sms__file_bytes(struct sms__arena *arena, const char *path, uint64_t most, char **bytes, size_t *size,
                    struct sms_errors *errors)
{
    struct sms__input input;
    *bytes = NULL;
    *size = 0;
    int code = sms__input_open(path, most, &input, errors);
    if (code)
        return code;
    struct allocation allocation = {arena, input.size, NULL};
    code = sms__guard(arena, allocate, &allocation);
    ssize_t got = code == SMS_OK ? sms__input_read(&input, allocation.bytes, (size_t)allocation.size) : 0;
    if (got < 0)
        code = sms__fail(errors, SMS_EIO, path, "%s", strerror(errno));
    sms__input_close(&input);
    *bytes = allocation.bytes;
    *size = got > 0 ? (size_t)got : 0;
    return code;
}

struct sms__mark sms__text_mark(const char *path, const char *text, size_t size)
{
    struct sms__mark mark = {path, text, 1, 1};
    for (size_t i = 0, length; i < size; i += length ? length : 1) {
        length = sms__break_length(text + i);
        mark.line += length > 0;
        mark.column = length ? 1 : mark.column + (((unsigned char)text[i] & 0xc0) != 0x80);
    }
    return mark;
}

const char *sms__wide_encoding(const char *bytes, size_t size)
{
    if (size > 3 && (!memcmp(bytes, "\xff\xfe\0\0", 4) || !memcmp(bytes, "\0\0\xfe\xff", 4)))
        return "UTF-32";
    return size > 1 && (!memcmp(bytes, "\xff\xfe", 2) || !memcmp(bytes, "\xfe\xff", 2)) ? "UTF-16" : NULL;
}

/* A byte order mark at the start of another line, which no editor shows; NULL: there is none. */
static const char *find_stray_mark(const char *text)
{
    static const char two[] = "\xef\xbb\xbf\xef\xbb\xbf";
    const char *line = strstr(text, "\n\xef\xbb\xbf");
    return !strncmp(text, two, sizeof two - 1) ? text + 3 : line ? line + 1 : NULL;
}

/* libyaml could decode UTF-16, but no code behind it could. */
int sms__check_text(const char *path, const char *bytes, size_t size, struct sms_errors *errors)
{
    const char *wide = sms__wide_encoding(bytes, size);
    if (wide) {
        sms__error(errors, SMS_EINPUT, (struct sms__mark){path, NULL, 1, 1}, "this is %s; save it as UTF-8", wide);
        return SMS_EINPUT;
    }
    const char *nul = size ? memchr(bytes, '\0', size) : NULL, *stray = nul ? NULL : find_stray_mark(bytes);
    if (stray)
        sms__error(errors, SMS_EINPUT, sms__text_mark(path, bytes, (size_t)(stray - bytes)),
                   "a byte order mark (EF BB BF) in the middle, where files were joined: remove it");
    if (nul)
        sms__error(errors, SMS_EINPUT, sms__text_mark(path, bytes, (size_t)(nul - bytes)),
                   "not text: a NUL byte, at offset %zu", (size_t)(nul - bytes));
    return nul || stray ? SMS_EINPUT : SMS_OK;
}

int sms__file_text(struct sms__arena *arena, const char *path, const char **text, struct sms_errors *errors)
{
    char *bytes = NULL;
    size_t size = 0;
    int code = sms__file_bytes(arena, path, SMS__TEXT_BYTES_MAX, &bytes, &size, errors);
    if (code == SMS_OK)
        code = sms__check_text(path, bytes, size, errors);
    *text = bytes;
    return code;
}
