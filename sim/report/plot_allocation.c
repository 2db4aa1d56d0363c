/* How full a cluster gets as pods come: a figure a scenario, a line a policy. */
#include "plot.h"

#include <math.h>
#include <string.h>

enum { POLICIES_MOST = 16 }; /* as many as there are colours */

/* As long as all lines are so near to what was asked for, the first panel does not show them: they lie on each other.
 */
#define NEAR_ALL 0.005

static bool belongs(const struct sms__point *point, size_t scenario, size_t policy)
{
    return point->scenario == scenario && point->policy == policy && policy < POLICIES_MOST;
}

static size_t write_line(const struct sms__plot *plot, size_t scenario, size_t policy, FILE *to)
{
    size_t points = 0;
    for (size_t i = 0; i < plot->points; i++) {
        const struct sms__point *point = &plot->point[i];
        if (!belongs(point, scenario, policy))
            continue;
        if (points++ == 0)
            fprintf(to, "# policy %s\n# arrived allocated fragments, in %%\n", plot->policy.name[policy]);
        fprintf(to, "%.4f %.4f %.4f\n", 100 * point->arrived, 100 * point->allocated, 100 * point->fragments);
    }
    if (points)
        fputs("\n\n", to);
    return points;
}

/* The greatest load up to which every policy gives nearly all that is asked for. */
static double load_of_no_interest(const struct sms__plot *plot, size_t scenario, double most)
{
    double least = most;
    for (size_t i = 0; i < plot->points; i++) {
        const struct sms__point *point = &plot->point[i];
        if (point->scenario == scenario && point->policy < POLICIES_MOST &&
            point->arrived - point->allocated > NEAR_ALL && point->arrived < least)
            least = point->arrived;
    }
    return least < most ? least : 0;
}

static void write_axes(const struct sms__plot *plot, size_t scenario, FILE *to)
{
    double most = 0, top = 0;
    for (size_t i = 0; i < plot->points; i++)
        if (plot->point[i].scenario == scenario && plot->point[i].policy < POLICIES_MOST) {
            most = fmax(most, plot->point[i].arrived);
            top = fmax(top, plot->point[i].allocated);
        }
    double from = floor(10 * load_of_no_interest(plot, scenario, most)) / 10;
    fprintf(to, "from = %g\nmost = %.4f\nbase = %g\ntop = %.4f\n", 100 * from, 100 * most, from < top ? 100 * from : 0,
            100 * top);
}

static int write_chart(struct sms__plot *plot, size_t scenario)
{
    struct sms__figure_files files;
    bool used[POLICIES_MOST + 1] = {false}, any = false;
    for (size_t i = 0; i < plot->points; i++)
        if (plot->point[i].scenario == scenario && plot->point[i].policy < POLICIES_MOST)
            any = used[plot->point[i].policy] = true;
    if (!any)
        return SMS_OK;
    const char *name = sms__figure_name(plot, "allocation", plot->scenario.name[scenario]);
    int code = sms__figure_open(plot, "allocation.gp", name, &files);
    if (code)
        return code;
    struct sms__names shown = plot->policy;
    shown.count = shown.count < POLICIES_MOST ? shown.count : POLICIES_MOST;
    size_t lines = 0;
    fprintf(files.variables, "array line_colour[%zu]\n", shown.count);
    for (size_t p = 0; p < shown.count; p++)
        if (write_line(plot, scenario, p, files.data))
            fprintf(files.variables, "line_colour[%zu] = %zu\n", ++lines, p);
    fprintf(files.variables, "lines = %zu\n", lines);
    write_axes(plot, scenario, files.variables);
    sms__print_legend(files.variables, &shown, used, 34);
    return sms__figure_close(plot, &files);
}

int sms__write_allocation(struct sms__plot *plot)
{
    int code = SMS_OK;
    for (size_t s = 0; s < plot->scenario.count && plot->points && code == SMS_OK; s++)
        code = write_chart(plot, s);
    return code;
}
