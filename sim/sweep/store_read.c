/* Reads stores that anyone may have written. SQLite opens a file only if it and the journal beside it are what a store
 * has: nothing here waits for a FIFO, follows the name of another file in a journal, or runs what a schema contains.
 * The steps and bytes of a scan are limited by the size of the file, so pages that are used twice end it. */
#include "store.h"

#include "../base/read.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A scan takes about 20 steps a record, which has more than 60 bytes. RECOVER_S: longer than a dead writer of another
 * machine seems to be alive. */
enum {
    HEADER_BYTES = 100,
    STEPS_AT_ONCE = 100000,
    SLACK = 100000000,
    VALUE_BYTES = 1 << 30,
    BUSY_MS = 60000,
    RECOVER_S = 90
};

static const char move_away[] = "move it away to run its points again";

int sms__store_fail(sqlite3 *file, const char *path, const char *verb, struct sms_errors *errors)
{
    int code = file ? sqlite3_errcode(file) : SQLITE_NOMEM;
    if (code == SQLITE_NOMEM)
        return sms__fail(errors, SMS_ENOMEM, path, "out of memory");
    if (code == SQLITE_IOERR || code == SQLITE_CANTOPEN || code == SQLITE_FULL || code == SQLITE_BUSY ||
        code == SQLITE_READONLY)
        return sms__fail(errors, SMS_EIO, path, "cannot be %s: %s", verb, sqlite3_errmsg(file));
    return sms__fail(errors, SMS_EINPUT, path, "is damaged (%.100s); %s", sqlite3_errmsg(file), move_away);
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
        return sms__fail(errors, SMS_EINPUT, path, "is not the database of a shard; %s", move_away);
    return check_journal(path, errors);
}

static void restrict_connection(sqlite3 *file)
{
    sqlite3_limit(file, SQLITE_LIMIT_LENGTH, VALUE_BYTES);
    sqlite3_limit(file, SQLITE_LIMIT_COLUMN, 16);
    sqlite3_limit(file, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(file, SQLITE_LIMIT_TRIGGER_DEPTH, 0);
    sqlite3_db_config(file, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(file, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(file, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(file, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
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
        code = sms__fail(errors, SMS_EINPUT, path, "has tables other than a shard's; %s", move_away);
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
    restrict_connection(*file);
    sqlite3_busy_timeout(*file, BUSY_MS);
    return check_schema(*file, path, errors);
}

/* Only a store whose writer has died is opened for writing, and only to be restored from its journal. */
static int access_flags(const char *folder, const char *name, const char *path)
{
    char journal[SMS__PATH_BYTES + 16];
    struct stat st;
    snprintf(journal, sizeof journal, "%s-journal", path);
    bool is_left = access(journal, F_OK) == 0 && lstat(path, &st) == 0 && S_ISREG(st.st_mode) &&
                   !sms__store_is_running(folder, name);
    return is_left ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
}

int sms__store_reader_open(const char *folder, const char *name, struct sms__store_reader *reader,
                           struct sms_errors *errors)
{
    char path[SMS__PATH_BYTES];
    const struct sms_errors before = *errors;
    *reader = (struct sms__store_reader){0};
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path)
        return sms__fail(errors, SMS_EIO, folder, "the name is too long");
    for (int second = 0;; second++) {
        int code = sms__store_connect(path, access_flags(folder, name, path), &reader->file, errors);
        if (code == SMS_OK)
            return SMS_OK;
        bool is_left = reader->file && sqlite3_extended_errcode(reader->file) == SQLITE_READONLY_ROLLBACK;
        sms__store_reader_close(reader);
        if (!is_left || second == RECOVER_S)
            return code;
        *errors = before;
        nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    }
}

static int count_steps(void *user)
{
    uint64_t *left = user;
    *left -= *left < STEPS_AT_ONCE ? *left : STEPS_AT_ONCE;
    return *left == 0;
}

/* Reads columns id, point, key, failed, models, content, sum. False: the record is damaged. */
static bool read_row(sqlite3_stmt *row, struct sms__point_record *record)
{
    unsigned char sum[8];
    const void *key = sqlite3_column_blob(row, 2), *stored = sqlite3_column_blob(row, 6);
    *record = (struct sms__point_record){.point = (uint64_t)sqlite3_column_int64(row, 1),
                                         .failed = sqlite3_column_int(row, 3) != 0,
                                         .models = (const char *)sqlite3_column_text(row, 4),
                                         .content = sqlite3_column_blob(row, 5),
                                         .size = (size_t)sqlite3_column_bytes(row, 5)};
    if (!key || sqlite3_column_bytes(row, 2) != sizeof record->key || !stored || !record->models || !record->content ||
        sqlite3_column_bytes(row, 6) != sizeof sum)
        return false;
    memcpy(record->key, key, sizeof record->key);
    sms__record_sum(record, sum);
    return !memcmp(sum, stored, sizeof sum);
}

#define COLUMNS "SELECT id, point, key, failed, models, content, sum FROM record "

static int scan_rows(sqlite3_stmt *rows, uint64_t bytes, int (*row)(void *, const struct sms__point_record *, int64_t),
                     void *user)
{
    struct sms__point_record record;
    int64_t last = INT64_MIN;
    int code = SMS_OK;
    while (code == SMS_OK && sqlite3_step(rows) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(rows, 0);
        uint64_t size = (uint64_t)sqlite3_column_bytes(rows, 4) + (uint64_t)sqlite3_column_bytes(rows, 5);
        if (id <= last || size > bytes)
            return SMS_EINPUT;
        last = id;
        bytes -= size;
        if (read_row(rows, &record))
            code = row(user, &record, id);
    }
    return code;
}

int sms__store_scan(const struct sms__store_reader *reader, const char *path,
                    int (*row)(void *user, const struct sms__point_record *record, int64_t id), void *user,
                    struct sms_errors *errors)
{
    struct stat st;
    sqlite3_stmt *rows = NULL;
    const uint64_t size = SLACK + (stat(path, &st) ? 0 : (uint64_t)st.st_size);
    uint64_t steps = size;
    sqlite3_progress_handler(reader->file, STEPS_AT_ONCE, count_steps, &steps);
    int code = SMS_OK;
    if (sqlite3_prepare_v2(reader->file, COLUMNS "ORDER BY id", -1, &rows, NULL) == SQLITE_OK)
        code = scan_rows(rows, size, row, user);
    sqlite3_progress_handler(reader->file, 0, NULL, NULL);
    if (code == SMS_EINPUT)
        sms__fail(errors, code, path, "is damaged: it uses a page twice; %s", move_away);
    else if (code)
        sms__fail(errors, code, path, "out of memory");
    if (sqlite3_finalize(rows) != SQLITE_OK && code == SMS_OK)
        code = sms__store_fail(reader->file, path, "read", errors);
    return code;
}

bool sms__store_get(struct sms__store_reader *reader, int64_t id, struct sms__point_record *record)
{
    if (!reader->get && sqlite3_prepare_v2(reader->file, COLUMNS "WHERE id = ?", -1, &reader->get, NULL) != SQLITE_OK)
        return false;
    sqlite3_reset(reader->get);
    sqlite3_bind_int64(reader->get, 1, id);
    return sqlite3_step(reader->get) == SQLITE_ROW && read_row(reader->get, record);
}

void sms__store_reader_close(struct sms__store_reader *reader)
{
    sqlite3_finalize(reader->get);
    sqlite3_close(reader->file);
    *reader = (struct sms__store_reader){0};
}
