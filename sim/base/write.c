/* Files that appear complete or not at all. Invariants: only a temporary name ever refers to an incomplete file, and
 * only a regular file is ever replaced. */
#define _GNU_SOURCE /* flock, getentropy */
#include "write.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char infix[] = ".partial-";
/* Only some letters of the machine's name, so that long file names stay within the file system's limit. */
enum { MACHINE_LETTERS = 16, RANDOM_DIGITS = 8, TRIES = 100 };

void sms__machine_name(char out[SMS__MACHINE_BYTES])
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
    const char *node = getenv("SLURMD_NODENAME");
    out[0] = '\0';
    if (node && node[0])
        snprintf(out, SMS__MACHINE_BYTES, "%s", node);
    else if (gethostname(out, SMS__MACHINE_BYTES - 1))
        snprintf(out, SMS__MACHINE_BYTES, "unknown");
    out[SMS__MACHINE_BYTES - 1] = '\0';
    for (char *at = out; *(at += strspn(at, allowed));)
        *at = '_';
}

/* Length of the "DIR/" part of a path; 0 if it has none. */
static int folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash + 1 - path) : 0;
}

bool sms__target_of(const char *path, char target[SMS__TARGET_BYTES])
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (length == 0 || length >= SMS__TARGET_BYTES)
        return false;
    memcpy(target, path, length);
    target[length] = '\0';
    return true;
}

static int name_target(struct sms__partial *partial, const char *path, struct sms_errors *errors)
{
    partial->name[0] = '\0';
    if (sms__target_of(path, partial->target))
        return SMS_OK;
    return sms__fail(errors, SMS_EIO, path, "the name of the file to write is %s", *path ? "too long" : "empty");
}

/* Writes the temporary name without its random digits, and returns its length. */
static size_t put_prefix(const struct sms__partial *partial, char prefix[SMS__PATH_BYTES])
{
    char machine[SMS__MACHINE_BYTES];
    sms__machine_name(machine);
    return (size_t)snprintf(prefix, SMS__PATH_BYTES, "%s%s%.*s-", partial->target, infix, MACHINE_LETTERS, machine);
}

static bool is_left_over(const char *entry, const char *prefix)
{
    size_t length = strlen(prefix);
    return !strncmp(entry, prefix, length) && strlen(entry + length) == RANDOM_DIGITS &&
           strspn(entry + length, "0123456789abcdef") == RANDOM_DIGITS;
}

/* True if the writer of the left-over is gone; then the caller closes the lock. */
static bool take_over(const char *path, bool folder, int *lock)
{
    struct stat st;
    *lock = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (*lock < 0)
        return false;
    if (fstat(*lock, &st) == 0 && (folder ? S_ISDIR(st.st_mode) : S_ISREG(st.st_mode)) &&
        flock(*lock, LOCK_EX | LOCK_NB) == 0)
        return true;
    close(*lock);
    return false;
}

static void remove_file(const char *left_over, const char *target)
{
    (void)target;
    unlink(left_over);
}

static void recover_all(const struct sms__partial *partial, bool folder,
                        void (*recover)(const char *left_over, const char *target))
{
    char prefix[SMS__PATH_BYTES], path[SMS__PATH_BYTES + 256];
    put_prefix(partial, prefix);
    const int dir = folder_length(prefix);
    snprintf(path, sizeof path, "%.*s.", dir, prefix);
    DIR *entries = opendir(path);
    if (!entries)
        return;
    for (const struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
        int lock;
        if (!is_left_over(entry->d_name, prefix + dir))
            continue;
        snprintf(path, sizeof path, "%.*s%s", dir, prefix, entry->d_name);
        if (!take_over(path, folder, &lock))
            continue;
        recover(path, partial->target);
        close(lock);
    }
    closedir(entries);
}

static bool choose_name(struct sms__partial *partial)
{
    unsigned digits;
    size_t length = put_prefix(partial, partial->name);
    if (getentropy(&digits, sizeof digits) || length + RANDOM_DIGITS >= sizeof partial->name)
        return false;
    snprintf(partial->name + length, sizeof partial->name - length, "%08x", digits);
    return true;
}

/* Locks a new file or folder. False if another process took it for a left-over and removed it first. On a file system
 * without locks no process removes left-overs. */
static bool lock_new(int fd)
{
    struct stat st;
    flock(fd, LOCK_EX);
    return fstat(fd, &st) == 0 && st.st_nlink > 0;
}

static int make_file(struct sms__partial *partial)
{
    return open(partial->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
}

static int make_folder(struct sms__partial *partial)
{
    if (mkdir(partial->name, 0777))
        return -1;
    int fd = open(partial->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 && errno == ENOENT)
        errno = EEXIST; /* another process took it for a left-over and removed it: the next name may stay */
    else if (fd < 0)
        rmdir(partial->name);
    return fd;
}

/* Creates the file or folder under a temporary name. Returns its locked descriptor, or -1 with errno set. */
static int create(struct sms__partial *partial, int (*make_one)(struct sms__partial *))
{
    for (int i = 0; i < TRIES && choose_name(partial); i++) {
        int fd = make_one(partial);
        if (fd >= 0 && lock_new(fd))
            return fd;
        if (fd >= 0)
            close(fd);
        else if (errno != EEXIST)
            break;
    }
    partial->name[0] = '\0';
    return -1;
}

void sms__partial_unlock(struct sms__partial *partial)
{
    if (partial->name[0])
        close(partial->lock);
    partial->name[0] = '\0';
}

int sms__partial_folder(struct sms__partial *partial, const char *target,
                        void (*recover)(const char *left_over, const char *target), struct sms_errors *errors)
{
    int code = name_target(partial, target, errors);
    if (code)
        return code;
    recover_all(partial, true, recover);
    partial->lock = create(partial, make_folder);
    if (partial->lock < 0)
        return sms__fail(errors, SMS_EIO, partial->target, "cannot be made: %s", strerror(errno));
    return SMS_OK;
}

/* Opens a device or a pipe to write to it directly. O_NONBLOCK, because opening a pipe without a reader would wait. */
static int open_direct(struct sms__write *write, struct sms_errors *errors)
{
    const char *path = write->partial.target;
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return sms__fail(errors, SMS_EIO, path, "%s", errno == ENXIO ? "is a pipe without a reader" : strerror(errno));
    write->direct = true;
    write->to = fcntl(fd, F_SETFL, 0) ? NULL : fdopen(fd, "w");
    if (write->to)
        return SMS_OK;
    close(fd);
    return sms__fail(errors, SMS_EIO, path, "cannot be written: %s", strerror(errno));
}

static int open_partial(struct sms__write *write, struct sms_errors *errors)
{
    struct sms__partial *partial = &write->partial;
    recover_all(partial, false, remove_file);
    partial->lock = create(partial, make_file);
    int fd = partial->lock < 0 ? -1 : fcntl(partial->lock, F_DUPFD_CLOEXEC, 0);
    write->to = fd < 0 ? NULL : fdopen(fd, "w");
    if (write->to)
        return SMS_OK;
    int why = errno;
    if (fd >= 0)
        close(fd);
    sms__write_abandon(write);
    return sms__fail(errors, SMS_EIO, partial->target, "cannot be made: %s", strerror(why));
}

int sms__write_begin(struct sms__write *write, const char *path, struct sms_errors *errors)
{
    struct stat st, target_st;
    *write = (struct sms__write){.to = NULL};
    int code = name_target(&write->partial, path, errors);
    if (code)
        return code;
    const char *target = write->partial.target;
    if (lstat(target, &st))
        return errno == ENOENT ? open_partial(write, errors)
                               : sms__fail(errors, SMS_EIO, path, "cannot be made: %s", strerror(errno));
    if (stat(target, &target_st) == 0 && (S_ISCHR(target_st.st_mode) || S_ISFIFO(target_st.st_mode)))
        return open_direct(write, errors);
    if (S_ISLNK(st.st_mode))
        return sms__fail(errors, SMS_EIO, path, "is a link; name the file itself");
    if (S_ISDIR(st.st_mode))
        return sms__fail(errors, SMS_EIO, path, "is a folder; name a file");
    if (!S_ISREG(st.st_mode))
        return sms__fail(errors, SMS_EIO, path, "is not a regular file");
    if (!(st.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) || access(target, W_OK))
        return sms__fail(errors, SMS_EIO, path, "is write-protected: it is not replaced");
    return open_partial(write, errors);
}

/* Finds the errno of a failed stream. The stream does not remember it, but the next write fails for the same reason. */
static int why_failed(FILE *file)
{
    errno = 0;
    clearerr(file);
    fputc('\n', file);
    fflush(file);
    return errno ? errno : EIO;
}

/* Returns 0 or an errno. */
static int flush_and_close(FILE *file, bool synchronize)
{
    int failed = ferror(file) ? why_failed(file) : 0;
    errno = 0;
    bool flushed = !failed && fflush(file) == 0 && (!synchronize || fsync(fileno(file)) == 0);
    int why = failed ? failed : flushed ? 0 : errno ? errno : EIO;
    if (fclose(file) && !why)
        why = errno ? errno : EIO;
    return why;
}

static int fail_to_write(const char *path, int why, struct sms_errors *errors)
{
    return sms__fail(errors, SMS_EIO, path, "cannot be written: %s", strerror(why));
}

int sms__close_whole(FILE *file, const char *path, struct sms_errors *errors)
{
    int why = flush_and_close(file, true);
    return why ? fail_to_write(path, why, errors) : SMS_OK;
}

void sms__sync_folder_of(const char *path)
{
    char folder[SMS__PATH_BYTES];
    snprintf(folder, sizeof folder, "%.*s.", folder_length(path), path);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

int sms__write_end(struct sms__write *write, struct sms_errors *errors)
{
    struct sms__partial *partial = &write->partial;
    int why = flush_and_close(write->to, !write->direct);
    write->to = NULL;
    if (!why && !write->direct && rename(partial->name, partial->target))
        why = errno;
    if (why) {
        sms__write_abandon(write);
        return fail_to_write(partial->target, why, errors);
    }
    sms__partial_unlock(partial);
    if (!write->direct)
        sms__sync_folder_of(partial->target);
    return SMS_OK;
}

void sms__write_abandon(struct sms__write *write)
{
    struct sms__partial *partial = &write->partial;
    if (write->to)
        fclose(write->to);
    write->to = NULL;
    if (!partial->name[0])
        return;
    unlink(partial->name);
    sms__partial_unlock(partial);
}
