/* The tables of a report that `nsys export --type sqlite` has written. Which tables and columns there are depends on
 * the version of Nsight Systems and on what was traced, so each table is asked for its columns. */
#ifndef SMS_IMPORT_REPORT_TABLES_H
#define SMS_IMPORT_REPORT_TABLES_H

#include "untrusted.h"

#include "../base/arena.h"

enum { SMS__REPORT_COLUMNS = 24, SMS__REPORT_SCHEMA = 3 /* the newest that was tried */ };

struct sms__report {
    struct sms__arena *arena;
    struct sms_errors *errors;
    const char *path;
    const char *schema; /* its version; "": unknown */
    struct sms__untrusted database;
};

/* A table and its columns, in the order in which a query returns them. A column that the report lacks is NULL in each
 * row; the first `required` ones must be there. */
struct sms__report_table {
    const char *name;
    int required;
    const char *column[SMS__REPORT_COLUMNS];
};

/* Handles a row of a query. Returns SMS_OK, or a code that ends the query. */
typedef int sms__report_row(void *user, sqlite3_stmt *row);

/* These return SMS_OK; or a code with `errors` filled, except for SMS_ENOMEM. */
/* Opens the report at `path`. The caller closes database.file in any case. */
int sms__report_open(struct sms__report *report);
/* Whether the report has an ordinary table of this name, and in it the column (NULL: any). */
int sms__report_has(struct sms__report *report, const char *table, const char *column, bool *found);
/* Calls `row` for each row of a table, if the report has that. */
int sms__report_read(struct sms__report *report, const struct sms__report_table *table, sms__report_row *row,
                     void *user);
/* Runs SQL, which is freed, and calls `row` for each row, in a guard of the arena. */
int sms__report_query(struct sms__report *report, sqlite3_str *text, sms__report_row *row, void *user);

/* A whole number from 0 to 2^53 of the row; `missing` if the column holds none. */
int64_t sms__report_whole(sqlite3_stmt *row, int column, int64_t missing);
/* The column as text, "" if it has none; valid until the next row. Must run in a guard of the arena. */
const char *sms__report_text(struct sms__report *report, sqlite3_stmt *row, int column);

#endif
