/* Finds axes that are not crossed. Two axes are crossed if every pair of their values occurs. Axes that are drawn at
 * random or listed as mixes are not, so along one of them the others change, too. */
#include "query.h"

enum { VALUES = SMS__AXIS_VALUES + 1 };

/* The pairs of values of two axes that occur. */
struct pairs {
    bool present[VALUES][VALUES];
};

static int take_cell(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    struct pairs *pairs = user;
    size_t value[SMS__AXES];
    for (size_t i = 0; i < points->axes; i++) {
        value[i] = (size_t)sqlite3_column_int64(row, (int)i);
        for (size_t k = 0; k < i; k++)
            pairs[i * points->axes + k].present[value[i]][value[k]] = true;
    }
    return SMS_OK;
}

/* Number of pairs that do not occur, of values that do. */
static size_t count_holes(const struct pairs *pairs)
{
    bool row[VALUES] = {false}, column[VALUES] = {false};
    size_t rows = 0, columns = 0, pairs_present = 0;
    for (size_t i = 0; i < VALUES; i++)
        for (size_t k = 0; k < VALUES; k++) {
            row[i] |= pairs->present[i][k];
            column[k] |= pairs->present[i][k];
            pairs_present += pairs->present[i][k];
        }
    for (size_t i = 0; i < VALUES; i++) {
        rows += row[i];
        columns += column[i];
    }
    return rows * columns - pairs_present;
}

int sms__points_crossing(struct sms__points *points)
{
    size_t missing = 0, axes = points->axes;
    if (axes < 2)
        return SMS_OK;
    struct pairs *pairs = SMS__NEW(&points->page->arena, struct pairs, axes * axes);
    int code = sms__query_run(points, NULL, "SELECT count(*) FROM main.point WHERE state <> 'done'", sms__points_count,
                              &missing);
    if (code == SMS_OK)
        code = sms__query_run(points, NULL, "SELECT {a#, }0 FROM temp.cell", take_cell, pairs);
    for (size_t i = 0; i < axes && code == SMS_OK; i++)
        for (size_t k = 0; k < i; k++)
            if (count_holes(&pairs[i * axes + k]) > missing) {
                points->axis[i].with |= 1U << k;
                points->axis[k].with |= 1U << i;
            }
    return code;
}
