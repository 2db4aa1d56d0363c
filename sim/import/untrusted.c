/* Opens SQLite databases that may hold anything. Each page of the file is used once, so its size bounds its content,
 * and the steps of all queries together are limited. */
#include "untrusted.h"

#include "../base/read.h"
#include "../base/sqlite.h"

#include <string.h>

enum { STEPS_AT_ONCE = 100000, STEPS_LEAST = 100000000, STEPS_A_BYTE = 200, VALUE_BYTES = 64 * 1024 * 1024 };

static int count_steps(void *user)
{
    struct sms__untrusted *database = user;
    database->steps += STEPS_AT_ONCE;
    return sms__untrusted_is_exhausted(database) || (database->cancel && atomic_load(database->cancel));
}

/* Makes a URI. Bytes that mean something in it are escaped, and those beyond ASCII, which SQLite would take for
 * characters. */
static char *make_uri(const char *path)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendall(text, path[0] == '/' ? "file://" : "file:");
    for (; *path; path++) {
        const unsigned char byte = (unsigned char)*path;
        sqlite3_str_appendf(text, byte > 127 || strchr("%?#", byte) ? "%%%02x" : "%c", byte);
    }
    sqlite3_str_appendall(text, "?immutable=1");
    return sqlite3_str_finish(text);
}

static void restrict_connection(struct sms__untrusted *database)
{
    sms__sqlite_restrict(database->file, VALUE_BYTES, 512);
    sqlite3_limit(database->file, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 64);
    sqlite3_limit(database->file, SQLITE_LIMIT_WORKER_THREADS, 0);
    sqlite3_progress_handler(database->file, STEPS_AT_ONCE, count_steps, database);
}

int sms__untrusted_open_bytes(struct sms__untrusted *database, const char *path, char *bytes, size_t size,
                              struct sms_errors *errors)
{
    database->steps_max = STEPS_LEAST + STEPS_A_BYTE * (uint64_t)size;
    if (sqlite3_open_v2(":memory:", &database->file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK ||
        sqlite3_deserialize(database->file, "main", (unsigned char *)bytes, (sqlite3_int64)size, (sqlite3_int64)size,
                            SQLITE_DESERIALIZE_READONLY) != SQLITE_OK)
        return sms__sqlite_fail(database->file, path, "", "", errors);
    restrict_connection(database);
    return SMS_OK;
}

int sms__untrusted_open(struct sms__untrusted *database, const char *path, struct sms_errors *errors)
{
    struct sms__input input;
    int code = sms__input_open(path, INT64_MAX, &input, errors);
    if (code)
        return code;
    database->steps_max = STEPS_LEAST + STEPS_A_BYTE * input.size;
    sms__input_close(&input);
    char *uri = make_uri(path);
    if (!uri)
        return SMS_ENOMEM;
    int opened =
        sqlite3_open_v2(uri, &database->file, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
    sqlite3_free(uri);
    if (opened == SQLITE_NOMEM)
        return SMS_ENOMEM;
    if (opened != SQLITE_OK)
        return sms__fail(errors, SMS_EIO, path, "%s", sqlite3_errstr(opened));
    restrict_connection(database);
    return SMS_OK;
}
