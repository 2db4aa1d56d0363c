/* Writes the store of a shard. A transaction is on the disk when it ends. A process or machine that dies in the middle
 * of one leaves a rollback journal, from which the next process that opens the store restores it. */
#define _GNU_SOURCE /* flock */
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* A process touches its lock every TOUCH_S seconds. */
enum { TOUCH_S = 10 };

/* Creates a regular file unless there is one. Returns a descriptor, or -1 after an error. */
static int open_regular(const char *path, struct sms_errors *errors)
{
    struct stat st;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0666);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        return fd;
    sms__fail(errors, SMS_EIO, path, "%s",
              fd >= 0          ? "is not a regular file"
              : errno == ELOOP ? "is a symbolic link, not a regular file"
                               : strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

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

static int take_lock(struct sms__store *store, struct sms_errors *errors)
{
    char path[SMS__PATH_BYTES];
    sms__store_lock_path(path, store->path);
    store->lock = open_regular(path, errors);
    if (store->lock < 0)
        return SMS_EIO;
    if (!lock_briefly(store->lock))
        return sms__fail(errors, SMS_EIO, store->path, "another process is running this shard");
    futimens(store->lock, NULL);
    int fd = open_regular(store->path, errors);
    if (fd < 0)
        return SMS_EIO;
    close(fd);
    return SMS_OK;
}

static bool is_empty(sqlite3 *file)
{
    sqlite3_stmt *count = NULL;
    bool empty = sqlite3_prepare_v2(file, "SELECT 1 FROM sqlite_master", -1, &count, NULL) == SQLITE_OK &&
                 sqlite3_step(count) == SQLITE_DONE;
    return sqlite3_finalize(count) == SQLITE_OK && empty;
}

/* Restores the store if its last writer died, and creates its table if it is new. */
static int prepare(struct sms__store *store, struct sms_errors *errors)
{
    static const char insert[] = "INSERT INTO record VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)";
    int code = sms__store_connect(store->path, SQLITE_OPEN_READWRITE, &store->file, errors);
    if (code)
        return code;
    if (sqlite3_exec(store->file, "PRAGMA synchronous = FULL", NULL, NULL, NULL) != SQLITE_OK ||
        (is_empty(store->file) && sqlite3_exec(store->file, sms__store_schema, NULL, NULL, NULL) != SQLITE_OK) ||
        sqlite3_prepare_v2(store->file, insert, -1, &store->insert, NULL) != SQLITE_OK)
        return sms__store_fail(store->file, store->path, "written", errors);
    return SMS_OK;
}

int sms__store_open(const char *folder, struct sms__shard shard, struct sms__store *store, struct sms_errors *errors)
{
    char machine[SMS__MACHINE_BYTES];
    *store = (struct sms__store){.lock = -1, .touched_s = sms__monotonic_s()};
    sms__machine_name(machine);
    if (mkdir(folder, 0777) && errno != EEXIST)
        return sms__fail(errors, SMS_EIO, folder, "cannot be created: %s", strerror(errno));
    if (snprintf(store->path, sizeof store->path, "%s/%u-of-%u.%s.db", folder, shard.idx, shard.count, machine) >=
        SMS__TARGET_BYTES)
        return sms__fail(errors, SMS_EIO, folder, "the name is too long");
    int code = take_lock(store, errors);
    if (code == SMS_OK)
        code = prepare(store, errors);
    if (code)
        sms__store_close(store);
    return code;
}

static bool insert(struct sms__store *store, const struct sms__point_record *record)
{
    unsigned char sum[8];
    sms__record_sum(record, sum);
    sqlite3_bind_int64(store->insert, 1, (sqlite3_int64)record->point);
    sqlite3_bind_int64(store->insert, 2, (sqlite3_int64)record->name);
    sqlite3_bind_blob(store->insert, 3, record->key, sizeof record->key, SQLITE_STATIC);
    sqlite3_bind_int(store->insert, 4, record->failed);
    sqlite3_bind_text(store->insert, 5, record->models, -1, SQLITE_STATIC);
    sqlite3_bind_int64(store->insert, 6, (sqlite3_int64)record->whole);
    sqlite3_bind_blob64(store->insert, 7, record->content, record->size, SQLITE_STATIC);
    sqlite3_bind_blob(store->insert, 8, sum, sizeof sum, SQLITE_STATIC);
    bool inserted = sqlite3_step(store->insert) == SQLITE_DONE;
    return sqlite3_reset(store->insert) == SQLITE_OK && inserted;
}

int sms__store_add(struct sms__store *store, const struct sms__point_record *record, size_t records,
                   struct sms_errors *errors)
{
    bool added = sqlite3_exec(store->file, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK;
    for (size_t i = 0; i < records && added; i++)
        added = insert(store, &record[i]);
    added = added && sqlite3_exec(store->file, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
    if (added)
        return SMS_OK;
    int code = sms__store_fail(store->file, store->path, "written", errors);
    sqlite3_exec(store->file, "ROLLBACK", NULL, NULL, NULL);
    return code;
}

void sms__store_touch(struct sms__store *store)
{
    double now_s = sms__monotonic_s();
    if (now_s - store->touched_s < TOUCH_S)
        return;
    futimens(store->lock, NULL);
    store->touched_s = now_s;
}

void sms__store_close(struct sms__store *store)
{
    sqlite3_finalize(store->insert);
    sqlite3_close(store->file);
    if (store->lock >= 0)
        close(store->lock);
    *store = (struct sms__store){.lock = -1};
}
