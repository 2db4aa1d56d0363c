/* Writes the merged results as an SQLite database. docs/how-to/sweeps.md describes its tables and views. */
#ifndef SMS_SWEEP_DATABASE_H
#define SMS_SWEEP_DATABASE_H

#include "store.h"

enum { SMS__DATABASE_MESSAGE_BYTES = 200 };

/* The statements insert a row into each table; NULL for a table that the plan does not keep. */
struct sms__database {
    const struct sms__plan *plan;
    struct sqlite3 *file;
    struct sqlite3_stmt *point, *answer, *gain_alone, *bound, *found, *row[SMS_SUBJECTS];
    uint32_t replications; /* maximum over the points */
    bool failed;
    char message[SMS__DATABASE_MESSAGE_BYTES]; /* of the first failure; everything after it does nothing */
};

void sms__database_begin(struct sms__database *database, const char *path, const struct sms__plan *plan);
/* Bind parameters of a statement, counted from 1. The text must stay until the row is inserted. NAN becomes NULL. */
void sms__bind_text(struct sqlite3_stmt *statement, int parameter, const char *text);
void sms__bind_number(struct sqlite3_stmt *statement, int parameter, double value);
bool sms__database_insert(struct sms__database *database, struct sqlite3_stmt *statement);
/* Adds the views and the numbers of points, and closes the database in any case. False after any failure. */
bool sms__database_end(struct sms__database *database, const struct sms__index *index);

/* database_views.c: appends the SQL that creates a subject's views, and the view of the gaps to the bounds.
 * `temporary`: creates it for this connection only, for readers that do not trust the views in a file. */
struct sqlite3_str;
void sms__database_views(struct sqlite3_str *text, enum sms_subject subject);
void sms__database_gaps(struct sqlite3_str *text, bool temporary);

/* alone.c: appends the SQL that creates and fills two tables: `divides`, of the metrics that divide by the speed of
 * tenants alone, and `alone`, of the axes along which that speed moves by half a percent or more, if VMs are kept. */
void sms__database_alone(struct sqlite3_str *text, const struct sms__plan *plan);

/* caveats.c: appends the SQL that creates and fills the table `caveat`: which measurements bear on the metrics that
 * points ask for, and the warnings of the plan's scenarios. Needs the table `answer`. False when out of memory. */
bool sms__database_caveats(const struct sms__database *database, struct sqlite3_str *text);

#endif
