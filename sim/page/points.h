/* Queries of a sweep's database, and the axes of its points. Each axis has few values. */
#ifndef SMS_PAGE_POINTS_H
#define SMS_PAGE_POINTS_H

#include "page.h"

#include "../import/untrusted.h"

#include <sqlite3.h>

enum { SMS__AXES = 24, SMS__AXIS_VALUES = 64, SMS__POSITIONS = 32 };

/* A varied field, or the scenario, that has more than one value. Each point has the index of its value, or of an
 * interval if there are more than SMS__AXIS_VALUES numbers. */
struct sms__axis_view {
    const char *name, *column; /* column: as SQL, in quotes */
    const char **value;        /* [values], in order */
    double *number;            /* [values], in the unit; NULL if they are not numbers */
    size_t values;
    const char *unit;
    bool binned, log;
    double from, to;
    unsigned with; /* bit i: not crossed with axis i, which then differs along this one */
};

/* The question that all points ask. `metric` is NULL if they ask different ones, or if it is unknown. */
struct sms__points_asked {
    const char *metric, *name;
    enum sms_subject subject;
    int better;
};

/* An error ends the reading: then queries do nothing and find nothing, so that only the last of them needs a check. */
struct sms__points {
    struct sms__page *page;
    int code; /* SMS_OK, or the code of an error that was reported; SMS_ECANCELED and SMS_ENOMEM add no error */
    struct sms__untrusted database;
    sqlite3 *file; /* of `database` */
    struct sms__axis_view axis[SMS__AXES];
    size_t axes;
    struct sms__points_asked asked;
    size_t numbers; /* count in the page so far */
};

typedef void sms__points_row(struct sms__points *points, sqlite3_stmt *row, void *user);

/* query.c: opens the database at `path`. */
void sms__points_open(struct sms__points *points, const char *path);

/* query.c: runs a query and calls `row`, which may be NULL, for each row, until that fails. Frees `text` in any case.
 */
void sms__points_query(struct sms__points *points, sqlite3_str *text, sms__points_row *row, void *user);
/* Fails with SMS_EINPUT. */
void sms__points_fail(struct sms__points *points, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A copy of the column's text in the page's arena; "" for NULL. */
const char *sms__points_text(struct sms__points *points, sqlite3_stmt *row, int column);
/* A `row` that reads count(*) into a size_t. */
void sms__points_count(struct sms__points *points, sqlite3_stmt *row, void *count);

/* points.c: finds the axes, and creates the temporary table cell(point, a0, a1, ...). Fields that always change
 * together are one axis. */
void sms__points_axes(struct sms__points *points);

/* page_gaps.c: adds how far each policy is below the bound, over all points and along each axis. */
void sms__points_gaps(struct sms__points *points);

/* page_subjects.c: counts the steps of reading all, for progress: one for the axes, one for the bounds, and some for
 * each subject. */
void sms__points_count_steps(struct sms__points *points);
/* page_subjects.c: adds the results of each subject that was kept. */
void sms__points_subjects(struct sms__points *points);
/* Lists the labels of a table's policies, and creates the temporary table positions(i, position), where i is the index
 * of the label. */
void sms__points_policies(struct sms__points *points, const char *table, json_t *policies);

/* aggregates.c: adds the SQL aggregates avg(x), in place of SQLite's own; ci95(x), the half-width of the 95 % interval
 * of the mean, NULL for fewer than two values; best_group(policy, replication, value, better), the bits of the policies
 * that are not told apart from the best, and bit 40 if all are equal; and changes(policy, replication, value, better),
 * the bits of the policies that are better than policy 0, and from bit 32 on of those that are worse. Returns false
 * when out of memory. */
bool sms__add_aggregates(sqlite3 *file);

/* SQL templates. In a template, "[...]" stands once for each metric and "{...}" once for each axis. Within them, "#" is
 * the index of the metric or axis, "@" its name or column, and "~" the metric's better direction: 1, -1 or 0. "$" is a
 * table. */
enum { SMS__METRICS = 24 };

/* What a template is filled with. */
struct sms__query {
    const char *table; /* a subject's */
    struct sms_metric metric[SMS__METRICS];
    size_t metrics;
    size_t axis[SMS__AXES], axes;
};

/* Runs the query that the template makes; a NULL `query` has all axes. `row` is that of sms__points_query. */
void sms__query_run(struct sms__points *points, const struct sms__query *query, const char *template,
                    sms__points_row *row, void *user);

/* A `row` that appends the row to a JSON list, the columns in an array. */
void sms__query_list(struct sms__points *points, sqlite3_stmt *row, void *list);

/* Keeps the rows of a query as a list under this key. */
void sms__query_keep(struct sms__points *points, const struct sms__query *query, const char *template, json_t *object,
                     const char *key);

/* Like sms__query_list, but the last columns are in arrays of `metrics` each. */
struct sms__query_rows {
    json_t *list;
    size_t scalars, metrics; /* number of columns before the arrays; of each array */
};
void sms__query_nest(struct sms__points *points, sqlite3_stmt *row, void *rows);

#endif
