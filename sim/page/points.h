/* A sweep's database as the page asks it, and the values of its axes as a few numbers each. */
#ifndef SMS_PAGE_POINTS_H
#define SMS_PAGE_POINTS_H

#include "page.h"

#include <sqlite3.h>

enum { SMS__AXES = 24, SMS__AXIS_VALUES = 64 };

/* A varied field, or the scenario, with more than one value. Points have the index of their value; of more than
 * SMS__AXIS_VALUES numbers, that of an interval. */
struct sms__axis_view {
    const char *name, *column; /* the column in quotes, as SQL */
    const char **value;        /* [values], in order */
    double *number;            /* [values], in the unit; NULL where they are no numbers */
    size_t values;
    const char *unit;
    bool binned, log, rest; /* rest: the last stands for all that are not listed */
    double from, to;
    unsigned with; /* bits: axes with which it is not crossed, so that they differ along it */
};

struct sms__points {
    struct sms__page *page;
    sqlite3 *file;
    uint64_t steps, steps_most; /* of SQLite's machine */
    struct sms__axis_view axis[SMS__AXES];
    size_t axes;
    size_t numbers; /* that the page holds */
};

/* database.c: a row at a time; the statement is finalized in any case. Text is built by the caller with sqlite3_str and
 * freed here. SMS_OK or a code, having said why. */
int sms__points_ask(struct sms__points *points, sqlite3_str *text,
                    int (*row)(struct sms__points *points, sqlite3_stmt *row, void *user), void *user);
int sms__points_open(struct sms__points *points, const char *path);
/* The column's text, in the arena; empty for NULL. */
const char *sms__points_text(struct sms__points *points, sqlite3_stmt *row, int column);
json_t *sms__points_number(sqlite3_stmt *row, int column);

/* SQL's count(*) into a size_t. */
int sms__points_count(struct sms__points *points, sqlite3_stmt *row, void *count);

/* crossing.c: says of each axis which others are not crossed with it. */
int sms__points_crossing(struct sms__points *points);

/* points.c: finds the axes; fields that always change together are one; and makes the temporary table cell(point, a0,
 * a1, ...). */
int sms__points_axes(struct sms__points *points);

/* gaps.c: how far each policy is below the bound, over all points and along each axis. */
int sms__points_gaps(struct sms__points *points);

/* again.c: the point that was asked for, if one was: simulates it again, and shows what happened when. `path`: of the
 * database. */
int sms__points_again(struct sms__points *points, const char *path);

/* subjects.c: what came of it, for each subject that was kept. */
int sms__points_subjects(struct sms__points *points);

#endif
