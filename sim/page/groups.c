/* Chooses by which axes the points are grouped, so that the numbers fit a page. All axes together are tried first, then
 * single axes and pairs of axes. */
#include "subjects.h"

#include "../report/output.h"

#include <math.h>

enum { DENSE_MAX = 4000000 }; /* maximum number of sums in memory */

static size_t numbers_per_cell(const struct sms__subject_view *view)
{
    return view->names * view->positions * view->metrics;
}

/* Number of combinations of the axes' values; 0: too many. */
static size_t count_combinations(const struct sms__points *points, const struct sms__group *group)
{
    size_t cells = 1;
    for (size_t i = 0; i < group->axes; i++) {
        cells *= points->axis[group->axis[i]].values;
        if (cells > DENSE_MAX)
            return 0;
    }
    return cells;
}

/* Counts the combinations that occur. */
static int count_cells(struct sms__points *points, const struct sms__group *group, size_t *cells)
{
    sqlite3_str *text = sqlite3_str_new(points->file);
    sqlite3_str_appendall(text, "SELECT count(*) FROM (SELECT DISTINCT ");
    for (size_t i = 0; i < group->axes; i++)
        sqlite3_str_appendf(text, "%sa%d", i ? ", " : "", (int)group->axis[i]);
    sqlite3_str_appendall(text, " FROM temp.cell)");
    return sms__points_query(points, text, sms__points_count, cells);
}

/* Adds a group if it is within the budget. */
static int try_group(struct sms__subject_view *view, struct sms__group group, size_t *budget, bool *added)
{
    struct sms__points *points = view->points;
    size_t cells, numbers = numbers_per_cell(view);
    *added = false;
    group.cells = count_combinations(points, &group);
    if (view->groups == SMS__GROUPS || group.cells == 0 || group.cells * numbers > DENSE_MAX)
        return SMS_OK;
    int code = count_cells(points, &group, &cells);
    if (code || 2 * cells * numbers > *budget)
        return code;
    *added = true;
    *budget -= 2 * cells * numbers;
    group.mean = SMS__NEW(&points->page->arena, struct sms__sum, group.cells * numbers);
    group.change = SMS__NEW(&points->page->arena, struct sms__sum, group.cells * numbers);
    group.points = SMS__NEW(&points->page->arena, size_t, group.cells * view->names * view->positions);
    view->group[view->groups++] = group;
    return SMS_OK;
}

static int try_singles(struct sms__subject_view *view, size_t *budget)
{
    int code = SMS_OK;
    bool added, all = true;
    for (size_t i = 0; i < view->points->axes && code == SMS_OK; i++) {
        code = try_group(view, (struct sms__group){.axis = {i}, .axes = 1}, budget, &added);
        all &= added;
    }
    if (code == SMS_OK && !all)
        sms__page_note(view->points->page,
                       "Subject '%s' is not shown along every axis, because there are too many values.", view->word);
    return code;
}

static int try_pairs(struct sms__subject_view *view, size_t *budget)
{
    int code = SMS_OK;
    bool added, all = true;
    for (size_t i = 0; i < view->points->axes && code == SMS_OK; i++)
        for (size_t k = i + 1; k < view->points->axes && code == SMS_OK; k++) {
            code = try_group(view, (struct sms__group){.axis = {i, k}, .axes = 2}, budget, &added);
            all &= added;
        }
    if (code == SMS_OK)
        sms__page_note(view->points->page,
                       "There are too many points for a page. It has the means of subject '%s' along each axis%s.",
                       view->word, all ? " and each pair of axes" : " and some pairs of axes");
    return code;
}

int sms__subject_groups(struct sms__subject_view *view)
{
    struct sms__points *points = view->points;
    struct sms__group all = {.axes = points->axes};
    size_t budget = (SMS__PAGE_NUMBERS - points->numbers) / 2;
    const size_t allowed = budget;
    bool added;
    for (size_t i = 0; i < points->axes; i++)
        all.axis[i] = i;
    int code = points->axes ? try_group(view, all, &budget, &added) : SMS_OK;
    if (code == SMS_OK && points->axes && !added)
        code = try_singles(view, &budget);
    if (code == SMS_OK && points->axes > 2 && !added && view->groups)
        code = try_pairs(view, &budget);
    points->numbers += allowed - budget;
    return code;
}

static json_t *numbers_json(const struct sms__sum *sum, size_t count)
{
    json_t *list = json_array();
    for (size_t m = 0; m < count; m++)
        json_array_append_new(list, sms__json_number(sms__sum_mean(sum[m])));
    return list;
}

/* [indices of the axes' values, name, policy, points, means, changes] */
static json_t *row_json(const struct sms__subject_view *view, const struct sms__group *group, size_t entry)
{
    size_t entries_per_cell = view->names * view->positions, cell = entry / entries_per_cell, stride = 1,
           m = view->metrics;
    json_t *row = json_array();
    for (size_t i = 0; i < group->axes; i++)
        stride *= view->points->axis[group->axis[i]].values;
    for (size_t i = 0; i < group->axes; i++) {
        size_t values = view->points->axis[group->axis[i]].values;
        stride /= values;
        json_array_append_new(row, json_integer((json_int_t)(cell / stride % values)));
    }
    json_array_append_new(row, json_integer((json_int_t)(entry % entries_per_cell / view->positions)));
    json_array_append_new(row, json_integer((json_int_t)(entry % view->positions)));
    json_array_append_new(row, json_integer((json_int_t)group->points[entry]));
    json_array_append_new(row, numbers_json(&group->mean[entry * m], m));
    json_array_append_new(row, numbers_json(&group->change[entry * m], m));
    return row;
}

json_t *sms__subject_groups_json(const struct sms__subject_view *view)
{
    json_t *list = json_array();
    for (size_t g = 0; g < view->groups; g++) {
        const struct sms__group *group = &view->group[g];
        json_t *axes = json_array(), *rows = json_array();
        for (size_t i = 0; i < group->axes; i++)
            json_array_append_new(axes, json_integer((json_int_t)group->axis[i]));
        for (size_t e = 0; e < group->cells * view->names * view->positions; e++)
            if (group->points[e])
                json_array_append_new(rows, row_json(view, group, e));
        json_array_append_new(list, json_pack("{s:o, s:o}", "axes", axes, "rows", rows));
    }
    return list;
}
