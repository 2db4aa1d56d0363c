/* Opens the database of a shard, after it has checked that this is what it seems to be. SQLite gets to see a file only
 * if that and the journal beside it are what a store has: nothing here waits for a FIFO, follows the name of another
 * file in a journal, or runs what a schema contains. */
#define _GNU_SOURCE /* flock */
#include "store.h"

#include "../base/read.h"
#include "../base/sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* A process of another machine counts as dead after SILENCE_S without a touch of its lock. */
enum { SILENCE_S = 60, BUSY_MS = 60000, SUFFIX_BYTES = 3, HEADER_BYTES = 100 };

const char sms__store_schema[] =
    "CREATE TABLE record (id INTEGER PRIMARY KEY, point INTEGER, name INTEGER, key BLOB, failed INTEGER, models TEXT, "
    "whole INTEGER, content BLOB, sum BLOB)";

bool sms__store_parse(const char *name, struct sms__shard *shard)
{
    char *end = NULL;
    unsigned long idx = strtoul(name, &end, 10), count = 0;
    size_t length = strlen(name);
    if (!strncmp(end, "-of-", 4))
        count = strtoul(end + 4, &end, 10);
    if (idx < 1 || idx > count || count > UINT16_MAX || *end != '.' || length < SUFFIX_BYTES ||
        strcmp(name + length - SUFFIX_BYTES, ".db") != 0)
        return false;
    *shard = (struct sms__shard){(unsigned)idx, (unsigned)count};
    return true;
}

bool sms__lock(int fd, int operation) { return flock(fd, operation) == 0 || (errno != EWOULDBLOCK && errno != EINTR); }

/* Replaces the suffix .db of a store by .lock. */
void sms__store_lock_path(char path[SMS__PATH_BYTES], const char *store)
{
    snprintf(path, SMS__PATH_BYTES, "%.*s.lock", (int)strlen(store) - SUFFIX_BYTES, store);
}

bool sms__store_is_running(const char *folder, const char *name)
{
    char store[SMS__PATH_BYTES - 8], path[SMS__PATH_BYTES], this_machine[SMS__MACHINE_BYTES];
    struct stat st;
    snprintf(store, sizeof store, "%s/%s", folder, name);
    sms__store_lock_path(path, store);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0 || fstat(fd, &st)) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    bool running = !sms__lock(fd, LOCK_SH | LOCK_NB);
    close(fd);
    sms__machine_name(this_machine);
    const char *machine = strchr(name, '.') + 1; /* followed by ".db" */
    bool is_local =
        strlen(machine) == strlen(this_machine) + SUFFIX_BYTES && !strncmp(machine, this_machine, strlen(this_machine));
    return running || (!is_local && time(NULL) - st.st_mtime < SILENCE_S);
}

const char sms__move_away[] = "move it away to run its points again";

int sms__store_fail(sqlite3 *file, const char *path, const char *verb, struct sms_errors *errors)
{
    int code = file ? sqlite3_errcode(file) : SQLITE_NOMEM;
    if (code == SQLITE_NOMEM)
        return sms__fail(errors, SMS_ENOMEM, path, "out of memory");
    if (code == SQLITE_IOERR || code == SQLITE_CANTOPEN || code == SQLITE_FULL || code == SQLITE_BUSY ||
        code == SQLITE_READONLY)
        return sms__fail(errors, SMS_EIO, path, "cannot be %s: %s", verb, sqlite3_errmsg(file));
    return sms__fail(errors, SMS_EINPUT, path, "is damaged (%.100s); %s", sqlite3_errmsg(file), sms__move_away);
}

/* Reads the last bytes of the journal. SQLite would follow the name of another file at its end, which no store has. */
static int check_journal(const char *path, struct sms_errors *errors)
{
    static const unsigned char magic[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
    char name[SMS__PATH_BYTES + 16];
    unsigned char end[8] = {0};
    struct stat st;
    struct sms__input input;
    snprintf(name, sizeof name, "%s-wal", path);
    if (lstat(name, &st) == 0)
        return sms__fail(errors, SMS_EINPUT, name, "does not belong to a store; move it away");
    snprintf(name, sizeof name, "%s-journal", path);
    if (lstat(name, &st))
        return SMS_OK;
    int code = sms__input_open(name, INT64_MAX, &input, errors);
    if (code)
        return access(name, F_OK) ? SMS_OK : code;
    bool whole = input.size < sizeof end || pread(input.fd, end, sizeof end, (off_t)(input.size - sizeof end)) == 8;
    sms__input_close(&input);
    if (!whole || !memcmp(end, magic, sizeof magic))
        return sms__fail(errors, SMS_EINPUT, name, "is not the journal of a store; move it away");
    return SMS_OK;
}

/* Checks the header of the file, and finds a VFS: where the file system has no locks, SQLite is not to use them. */
static int check_file(const char *path, const char **vfs, struct sms_errors *errors)
{
    unsigned char header[HEADER_BYTES];
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    struct sms__input input;
    int code = sms__input_open(path, INT64_MAX, &input, errors);
    if (code)
        return code;
    ssize_t size = sms__input_read(&input, header, sizeof header);
    *vfs = fcntl(input.fd, F_GETLK, &lock) ? "unix-none" : NULL;
    sms__input_close(&input);
    if (size < 0)
        return sms__fail(errors, SMS_EIO, path, "%s", strerror(errno));
    /* Bytes 18 and 19 are 1 unless the database has a write-ahead log. */
    if (size > 0 &&
        (size < HEADER_BYTES || memcmp(header, "SQLite format 3", 16) != 0 || header[18] != 1 || header[19] != 1))
        return sms__fail(errors, SMS_EINPUT, path, "is not the database of a shard; %s", sms__move_away);
    return check_journal(path, errors);
}

/* Runs the first query. It reads the schema, and restores the store if it must and can. */
static int check_schema(sqlite3 *file, const char *path, struct sms_errors *errors)
{
    sqlite3_stmt *schema = NULL;
    bool known = true;
    int step = sqlite3_prepare_v2(file, "SELECT sql FROM sqlite_master", -1, &schema, NULL);
    for (int rows = 0; known && (step == SQLITE_OK || step == SQLITE_ROW); rows++) {
        step = sqlite3_step(schema);
        const char *sql = step == SQLITE_ROW ? (const char *)sqlite3_column_text(schema, 0) : sms__store_schema;
        known = rows < 2 && sql && !strcmp(sql, sms__store_schema);
    }
    int code = SMS_OK;
    if (!known)
        code = sms__fail(errors, SMS_EINPUT, path, "has tables other than a shard's; %s", sms__move_away);
    else if (step != SQLITE_DONE)
        code = sms__store_fail(file, path, "read", errors);
    sqlite3_finalize(schema);
    return code;
}

int sms__store_connect(const char *path, int flags, sqlite3 **file, struct sms_errors *errors)
{
    const char *vfs;
    *file = NULL;
    int code = check_file(path, &vfs, errors);
    if (code)
        return code;
    if (sqlite3_open_v2(path, file, flags, vfs) != SQLITE_OK)
        return sms__store_fail(*file, path, "opened", errors);
    sms__sqlite_restrict(*file, SMS__CONTENT_BYTES, 16);
    sqlite3_busy_timeout(*file, BUSY_MS);
    return check_schema(*file, path, errors);
}
