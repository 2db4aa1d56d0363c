/* Appends to a shard's journal under a lock, and takes the lock of a merge. A journal is only ever appended to or
 * overwritten behind its last intact record, so a killed process damages no record but the one that it was writing. */
#define _GNU_SOURCE /* flock */
#include "sweep.h"

#include "../base/escape.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* An idle writer touches its journal this often, in seconds. */
enum { TOUCH_S = 10 };

bool sms__journal_parse(const char *name, struct sms__shard *shard, const char **machine)
{
    char *end = NULL;
    unsigned long idx = strtoul(name, &end, 10), count = 0;
    if (!strncmp(end, "-of-", 4))
        count = strtoul(end + 4, &end, 10);
    if (idx < 1 || idx > count || count > UINT16_MAX || *end != '.')
        return false;
    *shard = (struct sms__shard){(unsigned)idx, (unsigned)count};
    *machine = end + 1;
    return true;
}

bool sms__lock(int fd, int operation) { return flock(fd, operation) == 0 || (errno != EWOULDBLOCK && errno != EINTR); }

/* Tries for one second, for `sweep status` holds the lock for a moment. */
static bool lock_briefly(int fd)
{
    for (int i = 0; i < 20; i++) {
        if (sms__lock(fd, LOCK_EX | LOCK_NB))
            return true;
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
    return false;
}

static time_t monotonic_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec;
}

int sms__journal_open(const char *folder, struct sms__shard shard, struct sms__journal_writer *writer,
                      struct sms_errors *errors)
{
    char machine[SMS__MACHINE_BYTES];
    *writer = (struct sms__journal_writer){.fd = -1, .touched_s = monotonic_s()};
    sms__machine_name(machine);
    if (mkdir(folder, 0777) && errno != EEXIST)
        return sms__fail(errors, SMS_EIO, folder, "cannot be created: %s", strerror(errno));
    snprintf(writer->name, sizeof writer->name, "%u-of-%u.%s.journal", shard.idx, shard.count, machine);
    if ((size_t)snprintf(writer->path, sizeof writer->path, "%s/%s", folder, writer->name) >= sizeof writer->path)
        return sms__fail(errors, SMS_EIO, folder, "the name is too long");
    struct stat st;
    writer->fd = open(writer->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0666);
    if (writer->fd < 0 && errno == ELOOP)
        return sms__fail(errors, SMS_EIO, writer->path, "is a symbolic link, not a regular file");
    if (writer->fd < 0 || fstat(writer->fd, &st))
        return sms__fail(errors, SMS_EIO, writer->path, "%s", strerror(errno));
    if (!S_ISREG(st.st_mode))
        return sms__fail(errors, SMS_EIO, writer->path, "is not a regular file");
    if (lock_briefly(writer->fd))
        return SMS_OK;
    int code = sms__fail(errors, SMS_EIO, writer->path, "another process is running this shard");
    sms__journal_close(writer);
    return code;
}

static bool write_all(int fd, const unsigned char *bytes, size_t size, uint64_t offset)
{
    while (size > 0) {
        ssize_t wrote = pwrite(fd, bytes, size, (off_t)offset);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return false;
        bytes += wrote;
        size -= (size_t)wrote;
        offset += (uint64_t)wrote;
    }
    return true;
}

int sms__journal_append(struct sms__journal_writer *writer, const struct sms__bytes *bytes, struct sms_errors *errors)
{
    if (!write_all(writer->fd, bytes->data, bytes->size, writer->end))
        return sms__fail(errors, SMS_EIO, writer->path, "cannot be written: %s", strerror(errno));
    writer->end += bytes->size;
    writer->dirty = true;
    return SMS_OK;
}

int sms__journal_sync(struct sms__journal_writer *writer, bool dirty, struct sms_errors *errors)
{
    time_t now_s = monotonic_s();
    bool silent = !dirty && now_s - writer->touched_s >= TOUCH_S;
    if (silent)
        futimens(writer->fd, NULL);
    if (dirty || silent)
        writer->touched_s = now_s;
    if (dirty && fdatasync(writer->fd))
        return sms__fail(errors, SMS_EIO, writer->path, "cannot be written: %s", strerror(errno));
    return SMS_OK;
}

void sms__journal_close(struct sms__journal_writer *writer)
{
    if (writer->fd >= 0)
        close(writer->fd);
    writer->fd = -1;
}

static void report_waiting(const char *folder)
{
    sms__print_visible(stderr, folder);
    fputs(": another process is merging; waiting for it\n", stderr);
}

int sms__merge_lock(const char *folder, const atomic_bool *cancel, struct sms_errors *errors)
{
    char path[4400];
    int size = snprintf(path, sizeof path, "%s/merge.lock", folder);
    int fd = (size_t)size < sizeof path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0666) : -1;
    if (fd < 0) {
        sms__fail(errors, SMS_EIO, folder, "%s",
                  errno == ENOENT ? "no such folder: nothing has been run yet" : strerror(errno));
        return -1;
    }
    for (bool first = true; !sms__lock(fd, LOCK_EX | LOCK_NB); first = false) {
        if (first)
            report_waiting(folder);
        if (atomic_load(cancel)) {
            sms__fail(errors, SMS_ECANCELED, folder, "interrupted");
            close(fd);
            return -1;
        }
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    return fd;
}
