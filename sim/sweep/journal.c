#define _GNU_SOURCE /* flock */
#include "sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Whoever looks at the status holds the lock for a moment. */
static bool lock(int fd)
{
    for (int i = 0; i < 20; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return true;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
    return false;
}

int sms__log_open(const char *folder, struct sms__shard shard, struct sms__log *log, struct sms_errors *errors)
{
    *log = (struct sms__log){.fd = -1};
    if (mkdir(folder, 0777) && errno != EEXIST)
        return sms__fail(errors, SMS_EIO, folder, "cannot be made: %s", strerror(errno));
    snprintf(log->name, sizeof log->name, "%u-of-%u.journal", shard.idx, shard.count);
    if ((size_t)snprintf(log->path, sizeof log->path, "%s/%s", folder, log->name) >= sizeof log->path)
        return sms__fail(errors, SMS_EIO, folder, "the name is too long");
    struct stat st;
    log->fd = open(log->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    if (log->fd < 0 || fstat(log->fd, &st))
        return sms__fail(errors, SMS_EIO, log->path, "%s", strerror(errno));
    if (!S_ISREG(st.st_mode))
        return sms__fail(errors, SMS_EIO, log->path, "is not a regular file");
    if (lock(log->fd))
        return SMS_OK;
    int code = sms__fail(errors, SMS_EIO, log->path, "another process is at this shard");
    sms__log_close(log);
    return code;
}

int sms__log_cut(struct sms__log *log, uint64_t end, struct sms_errors *errors)
{
    struct stat st;
    log->end = end;
    if (fstat(log->fd, &st) || ((uint64_t)st.st_size > end && ftruncate(log->fd, (off_t)end)))
        return sms__fail(errors, SMS_EIO, log->path, "%s", strerror(errno));
    return SMS_OK;
}

static bool write_all(int fd, const unsigned char *at, size_t size, uint64_t offset)
{
    while (size > 0) {
        ssize_t wrote = pwrite(fd, at, size, (off_t)offset);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return false;
        at += wrote;
        size -= (size_t)wrote;
        offset += (uint64_t)wrote;
    }
    return true;
}

int sms__log_append(struct sms__log *log, const struct sms__bytes *bytes, struct sms_errors *errors)
{
    if (!write_all(log->fd, bytes->at, bytes->size, log->end)) {
        int why = errno;
        bool clean = ftruncate(log->fd, (off_t)log->end) == 0;
        (void)clean; /* if it is not, the next start cuts it */
        return sms__fail(errors, SMS_EIO, log->path, "cannot be written: %s", strerror(why));
    }
    log->end += bytes->size;
    log->dirty = true;
    return SMS_OK;
}

int sms__log_sync(struct sms__log *log, struct sms_errors *errors)
{
    if (fdatasync(log->fd))
        return sms__fail(errors, SMS_EIO, log->path, "cannot be written: %s", strerror(errno));
    return SMS_OK;
}

void sms__log_close(struct sms__log *log)
{
    if (log->fd >= 0)
        close(log->fd);
    log->fd = -1;
}
