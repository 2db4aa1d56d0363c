/* How full a cluster gets as pods arrive: a figure for each scenario, a line for each policy. */
#include "plot.h"

#include <math.h>
#include <string.h>

enum { POLICIES_MOST = 16 }; /* as many as there are colours */

/* The first panel leaves out loads at which all lines are this near to what was asked for, because they overlap. */
#define NEAR_ALL 0.005

static void write_line(const struct sms__plot *plot, const struct sms__group_of *group, FILE *to)
{
    fprintf(to, "# policy %s\n# arrived allocated fragments, in %%\n", plot->policy.name[group->policy]);
    for (size_t i = group->from; i < group->from + group->count; i++) {
        const struct sms__point *point = (const struct sms__point *)plot->point.row + i;
        fprintf(to, "%.4f %.4f %.4f\n", 100 * point->arrived, 100 * point->allocated, 100 * point->fragments);
    }
    fputs("\n\n", to);
}

/* The greatest load at which every policy allocates nearly all that is asked for. The points are of one scenario. */
static double load_of_no_interest(const struct sms__point *point, size_t points, double most)
{
    double least = most;
    for (size_t i = 0; i < points; i++)
        if (point[i].arrived - point[i].allocated > NEAR_ALL && point[i].arrived < least)
            least = point[i].arrived;
    return least < most ? least : 0;
}

static void write_axes(const struct sms__point *point, size_t points, FILE *to)
{
    double most = 0, top = 0;
    for (size_t i = 0; i < points; i++) {
        most = fmax(most, point[i].arrived);
        top = fmax(top, point[i].allocated);
    }
    double from = floor(10 * load_of_no_interest(point, points, most)) / 10;
    fprintf(to, "from = %g\nmost = %.4f\nbase = %g\ntop = %.4f\n", 100 * from, 100 * most, from < top ? 100 * from : 0,
            100 * top);
}

/* Writes the figure of one scenario. The groups' policies must all have a colour. */
static int write_chart(struct sms__plot *plot, const struct sms__groups *groups)
{
    struct sms__figure_files files;
    bool used[POLICIES_MOST + 1] = {false};
    const char *name = sms__figure_name(plot, "allocation", plot->scenario.name[groups->item[0].scenario]);
    int code = sms__figure_open(plot, "allocation.gp", name, &files);
    if (code)
        return code;
    struct sms__names shown = plot->policy;
    size_t points = 0;
    shown.count = shown.count < POLICIES_MOST ? shown.count : POLICIES_MOST;
    fprintf(files.variables, "array line_colour[%zu]\n", shown.count);
    for (size_t g = 0; g < groups->count; g++) {
        const struct sms__group_of *group = &groups->item[g];
        write_line(plot, group, files.data);
        fprintf(files.variables, "line_colour[%zu] = %zu\n", g + 1, group->policy);
        used[group->policy] = true;
        points += group->count;
    }
    fprintf(files.variables, "lines = %zu\n", groups->count);
    write_axes((const struct sms__point *)plot->point.row + groups->item[0].from, points, files.variables);
    sms__print_legend(files.variables, &shown, used, 34);
    return sms__figure_close(plot, &files);
}

int sms__write_allocation(struct sms__plot *plot)
{
    int code = SMS_OK;
    for (size_t s = 0; s < plot->scenario.count && code == SMS_OK; s++) {
        struct sms__groups groups = sms__groups_of(&plot->point.groups, s);
        while (groups.count && groups.item[groups.count - 1].policy >= POLICIES_MOST)
            groups.count--;
        if (groups.count)
            code = write_chart(plot, &groups);
    }
    return code;
}
