/* Reads stores that anyone may have written. The steps and bytes of a scan are limited by the size of the file, so
 * pages that are used twice end it. */
#include "store.h"

#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A lock is taken for GETS records at once: long enough to cost little, short enough not to keep the writer waiting.
 * A scan takes about 20 steps a record, which has more than 60 bytes. RECOVER_S: longer than a dead writer of another
 * machine seems to be alive. */
enum { GETS = 500, STEPS_AT_ONCE = 100000, SLACK = 100000000, RECOVER_S = 90 };

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

/* Reads columns id, point, name, key, failed, models, whole, content, sum. False: the record is damaged. */
static bool read_row(sqlite3_stmt *row, struct sms__point_record *record)
{
    unsigned char sum[8];
    const void *key = sqlite3_column_blob(row, 3), *stored = sqlite3_column_blob(row, 8);
    *record = (struct sms__point_record){.point = (uint64_t)sqlite3_column_int64(row, 1),
                                         .name = (uint64_t)sqlite3_column_int64(row, 2),
                                         .failed = sqlite3_column_int(row, 4) != 0,
                                         .models = (const char *)sqlite3_column_text(row, 5),
                                         .whole = (size_t)sqlite3_column_int64(row, 6),
                                         .content = sqlite3_column_blob(row, 7),
                                         .size = (size_t)sqlite3_column_bytes(row, 7)};
    if (!key || sqlite3_column_bytes(row, 3) != sizeof record->key || !stored || !record->models || !record->content ||
        sqlite3_column_bytes(row, 8) != sizeof sum)
        return false;
    memcpy(record->key, key, sizeof record->key);
    sms__record_sum(record, sum);
    return !memcmp(sum, stored, sizeof sum);
}

#define COLUMNS "SELECT id, point, name, key, failed, models, whole, content, sum FROM record "

static int scan_rows(sqlite3_stmt *rows, uint64_t bytes, int (*row)(void *, const struct sms__point_record *, int64_t),
                     void *user)
{
    struct sms__point_record record;
    int64_t last = INT64_MIN;
    int code = SMS_OK;
    while (code == SMS_OK && sqlite3_step(rows) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(rows, 0);
        uint64_t size = (uint64_t)sqlite3_column_bytes(rows, 5) + (uint64_t)sqlite3_column_bytes(rows, 7);
        if (id <= last || size > bytes)
            return SMS_EINPUT;
        last = id;
        bytes -= size;
        if (read_row(rows, &record))
            code = row(user, &record, id);
        else if (sqlite3_errcode(sqlite3_db_handle(rows)) == SQLITE_NOMEM)
            code = SMS_ENOMEM;
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
    /* A store that is just made has no table: SQLITE_ERROR. */
    const int prepared = sqlite3_prepare_v2(reader->file, COLUMNS "ORDER BY id", -1, &rows, NULL);
    int code = prepared == SQLITE_OK ? scan_rows(rows, size, row, user) : SMS_OK;
    sqlite3_progress_handler(reader->file, 0, NULL, NULL);
    if (code == SMS_EINPUT)
        sms__fail(errors, code, path, "is damaged: it uses a page twice; %s", sms__move_away);
    else if (code)
        sms__fail(errors, code, path, "out of memory");
    const bool is_read = sqlite3_finalize(rows) == SQLITE_OK && (prepared == SQLITE_OK || prepared == SQLITE_ERROR);
    if (!is_read && code == SMS_OK)
        code = sms__store_fail(reader->file, path, "read", errors);
    return code;
}

bool sms__store_get(struct sms__store_reader *reader, int64_t id, struct sms__point_record *record)
{
    if (!reader->get && sqlite3_prepare_v2(reader->file, COLUMNS "WHERE id = ?", -1, &reader->get, NULL) != SQLITE_OK)
        return false;
    sqlite3_reset(reader->get);
    if (reader->gets++ % GETS == 0)
        sqlite3_exec(reader->file, sqlite3_get_autocommit(reader->file) ? "BEGIN" : "COMMIT; BEGIN", NULL, NULL, NULL);
    sqlite3_bind_int64(reader->get, 1, id);
    return sqlite3_step(reader->get) == SQLITE_ROW && read_row(reader->get, record);
}

void sms__store_reader_close(struct sms__store_reader *reader)
{
    sqlite3_finalize(reader->get);
    sqlite3_close(reader->file);
    *reader = (struct sms__store_reader){0};
}
