/* Files of SQLite that may hold anything, and why a query failed. */
#ifndef SMS_BASE_SQLITE_H
#define SMS_BASE_SQLITE_H

#include "errors.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Reports SQLite's latest error: of the machine, SMS_EIO; of the memory, SMS_ENOMEM without an error; otherwise
 * SMS_EINPUT, followed by `blame`. A query that only reads meets a full disk in the folder for temporary files. */
static inline int sms__sqlite_fail(sqlite3 *file, const char *path, const char *what, const char *blame,
                                   struct sms_errors *errors)
{
    const int code = file ? sqlite3_errcode(file) : SQLITE_NOMEM;
    if (code == SQLITE_NOMEM)
        return SMS_ENOMEM;
    if (code == SQLITE_FULL)
        return sms__fail(errors, SMS_EIO, path, "%sthe folder for temporary files is full; SQLITE_TMPDIR names another",
                         what);
    if (code == SQLITE_IOERR || code == SQLITE_CANTOPEN)
        return sms__fail(errors, SMS_EIO, path, "%s%s", what, sqlite3_errmsg(file));
    return sms__fail(errors, SMS_EINPUT, path, "%s%s%s", what, sqlite3_errmsg(file), blame);
}

/* For sqlite3_progress_handler: `cancel` is an atomic_bool, or NULL. */
static inline int sms__sqlite_is_cancelled(void *cancel) { return cancel && atomic_load((const atomic_bool *)cancel); }

/* Lets a database have values of so many bytes and so many columns, and run nothing that its schema holds. */
static inline void sms__sqlite_restrict(sqlite3 *file, int value_bytes, int columns)
{
    sqlite3_limit(file, SQLITE_LIMIT_LENGTH, value_bytes);
    sqlite3_limit(file, SQLITE_LIMIT_COLUMN, columns);
    sqlite3_limit(file, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(file, SQLITE_LIMIT_TRIGGER_DEPTH, 0);
    sqlite3_db_config(file, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(file, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(file, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(file, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL); /* temporary views still work */
}

#endif
