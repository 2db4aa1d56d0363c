/* Opens SQLite databases that may come from anywhere and hold anything: read-only, with limits and without the features
 * that a hostile schema could use. */
#ifndef SMS_IMPORT_UNTRUSTED_H
#define SMS_IMPORT_UNTRUSTED_H

#include "../base/errors.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct sms__untrusted {
    sqlite3 *file;             /* the caller closes it, also after a failure */
    uint64_t steps, steps_max; /* of SQLite's virtual machine, of all queries together; the limit grows with the file */
    const atomic_bool *cancel; /* set by the caller; may be NULL. Queries fail with SQLITE_INTERRUPT once it is true */
};

/* Opens the database as immutable, so that SQLite looks for no journal beside it. Triggers, attached databases and
 * functions in the schema do not work, and views of the file must not be queried. One thread at a time may use it: it
 * has no lock, which each column of each row would take. Must not move while it is open.
 * Returns SMS_OK, SMS_ENOMEM without an error, or a code with `errors` filled. */
int sms__untrusted_open(struct sms__untrusted *database, const char *path, struct sms_errors *errors);
/* The same, of a database in memory, which must outlive it. `path` is for errors. */
int sms__untrusted_open_bytes(struct sms__untrusted *database, const char *path, char *bytes, size_t size,
                              struct sms_errors *errors);

/* Whether queries were stopped because they took more than `steps_max` steps. */
static inline bool sms__untrusted_is_exhausted(const struct sms__untrusted *database)
{
    return database->steps > database->steps_max;
}

#endif
