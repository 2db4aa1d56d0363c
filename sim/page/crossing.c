#include "points.h"

/* Whether axes are crossed: whether all pairs of their values are there. Those of points that are drawn at random, or
 * listed as mixes, are not: along one of them the others change too. */

enum { VALUES = SMS__AXIS_VALUES + 1 };

/* Pairs of values of two axes that there are. */
struct pairs {
    bool at[VALUES][VALUES];
};

static int take_cell(struct sms__points *points, sqlite3_stmt *row, void *user)
{
    struct pairs *pairs = user;
    size_t value[SMS__AXES];
    for (size_t i = 0; i < points->axes; i++) {
        value[i] = (size_t)sqlite3_column_int64(row, (int)i);
        for (size_t k = 0; k < i; k++)
            pairs[i * points->axes + k].at[value[i]][value[k]] = true;
    }
    return SMS_OK;
}

/* How many pairs of values that are in use are not there. */
static size_t count_holes(const struct pairs *pairs)
{
    bool row[VALUES] = {false}, column[VALUES] = {false};
    size_t rows = 0, columns = 0, there = 0;
    for (size_t i = 0; i < VALUES; i++)
        for (size_t k = 0; k < VALUES; k++) {
            row[i] |= pairs->at[i][k];
            column[k] |= pairs->at[i][k];
            there += pairs->at[i][k];
        }
    for (size_t i = 0; i < VALUES; i++) {
        rows += row[i];
        columns += column[i];
    }
    return rows * columns - there;
}

int sms__points_crossing(struct sms__points *points)
{
    size_t missing = 0, axes = points->axes;
    if (axes < 2)
        return SMS_OK;
    struct pairs *pairs = SMS__NEW(&points->page->arena, struct pairs, axes * axes);
    sqlite3_str *text = sqlite3_str_new(points->file);
    sqlite3_str_appendall(text, "SELECT count(*) FROM main.point WHERE state <> 'done'");
    int code = sms__points_ask(points, text, sms__points_count, &missing);
    if (code)
        return code;
    text = sqlite3_str_new(points->file);
    for (size_t i = 0; i < axes; i++)
        sqlite3_str_appendf(text, "%s a%d", i ? "," : "SELECT", (int)i);
    sqlite3_str_appendall(text, " FROM temp.cell");
    code = sms__points_ask(points, text, take_cell, pairs);
    for (size_t i = 0; i < axes && code == SMS_OK; i++)
        for (size_t k = 0; k < i; k++)
            if (count_holes(&pairs[i * axes + k]) > missing) {
                points->axis[i].with |= 1U << k;
                points->axis[k].with |= 1U << i;
            }
    return code;
}
