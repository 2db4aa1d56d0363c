/* Why a query of SQLite's failed. */
#ifndef SMS_BASE_SQLITE_H
#define SMS_BASE_SQLITE_H

#include "errors.h"

#include <sqlite3.h>

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

#endif
