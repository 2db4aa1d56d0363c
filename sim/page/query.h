/* SQL templates. In a template, "[...]" stands once for each metric and "{...}" once for each axis. Within them, "#" is
 * the index of the metric or axis, "@" its name or column, and "~" the metric's better direction: 1, -1 or 0. "$" is a
 * table. */
#ifndef SMS_PAGE_QUERY_H
#define SMS_PAGE_QUERY_H

#include "points.h"

enum { SMS__METRICS = 24 };

/* What a template is filled with. */
struct sms__query {
    const char *table; /* a subject's */
    struct sms_metric metric[SMS__METRICS];
    size_t metrics;
    size_t axis[SMS__AXES], axes;
};

/* Runs the query that the template makes; a NULL `query` has all axes. `row` and the result are those of
 * sms__points_query. */
int sms__query_run(struct sms__points *points, const struct sms__query *query, const char *template,
                   int (*row)(struct sms__points *points, sqlite3_stmt *row, void *user), void *user);

/* A `row` that appends the row to a JSON list, the columns in an array. */
int sms__query_list(struct sms__points *points, sqlite3_stmt *row, void *list);

/* Like sms__query_list, but the last columns are in arrays of `metrics` each. */
struct sms__query_rows {
    json_t *list;
    size_t scalars, metrics; /* number of columns before the arrays; of each array */
};
int sms__query_nest(struct sms__points *points, sqlite3_stmt *row, void *rows);

#endif
