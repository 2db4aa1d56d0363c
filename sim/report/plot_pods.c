/* Pods on GPUs over time: a row a GPU, in which pods that share it lie one above the other, and a row of those that
 * wait. Nodes are in the order of their names, of which numbers count as numbers. */
#include "plot.h"

#include <stdlib.h>
#include <string.h>

enum { LANES_MOST = 300 };

/* Letters by their bytes, numbers by what they are. */
static int compare_names(const char *a, const char *b)
{
    while (*a && *b) {
        size_t x = strspn(a, "0123456789"), y = strspn(b, "0123456789");
        if (x && y) {
            int order = x != y ? (x > y) - (x < y) : strncmp(a, b, x);
            if (order)
                return order;
        } else if (*a != *b)
            return (unsigned char)*a - (unsigned char)*b;
        a += x && y ? x : 1;
        b += x && y ? y : 1;
    }
    return (unsigned char)*a - (unsigned char)*b;
}

/* Who waits, of no node, is first. */
static int compare_rows(const struct sms__pod_stay *x, const struct sms__pod_stay *y)
{
    int order;
    if (!x->gpu || !y->gpu)
        return (x->gpu > 0) - (y->gpu > 0);
    order = compare_names(x->tenure->node, y->tenure->node);
    return order ? order : (x->gpu > y->gpu) - (x->gpu < y->gpu);
}

static int by_row(const void *a, const void *b)
{
    const struct sms__pod_stay *x = a, *y = b;
    int order = compare_rows(x, y);
    if (order)
        return order;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return (x->tenure > y->tenure) - (x->tenure < y->tenure);
}

static void add_tenure(struct sms__plot *plot, struct sms__pods_drawn *drawn, const struct sms__tenure *tenure)
{
    if (tenure->wait_ns > 0 && tenure->wait_ns <= tenure->start_ns)
        *SMS__APPEND(&plot->arena, drawn->stay, drawn->stays) = (struct sms__pod_stay){
            tenure, 0, 0, tenure->start_ns - tenure->wait_ns, tenure->start_ns, SMS__ENDED_WAITING};
    for (unsigned i = 0; i < SMS__PLOT_GPUS; i++)
        if (tenure->gpus >> i & 1)
            *SMS__APPEND(&plot->arena, drawn->stay, drawn->stays) =
                (struct sms__pod_stay){tenure, i + 1, 0, tenure->start_ns, tenure->end_ns, tenure->ended};
}

static const char *name_row(struct sms__plot *plot, const struct sms__pod_stay *stay)
{
    return stay->gpu ? sms__print(&plot->arena, "%s/%u", stay->tenure->node, stay->gpu - 1) : "waiting";
}

struct sms__pods_drawn sms__draw_pods(struct sms__plot *plot, const struct sms__group_of *group)
{
    struct sms__pods_drawn drawn = {.stay = NULL};
    for (size_t i = group->from; i < group->from + group->count; i++)
        add_tenure(plot, &drawn, (const struct sms__tenure *)plot->tenure.row + i);
    if (drawn.stays)
        qsort(drawn.stay, drawn.stays, sizeof *drawn.stay, by_row);
    for (size_t i = 0; i < drawn.stays; i++) {
        if (i == 0 || compare_rows(&drawn.stay[i - 1], &drawn.stay[i]) != 0)
            *SMS__APPEND(&plot->arena, drawn.row.name, drawn.row.count) = name_row(plot, &drawn.stay[i]);
        drawn.stay[i].row = drawn.row.count - 1;
    }
    return drawn;
}

/* Gives each of a row its lane; of more than LANES_MOST, which are drawn put together, all have the same. */
static void set_lanes(struct sms__stretch *stretch, size_t count)
{
    double busy[LANES_MOST] = {0};
    size_t lanes = 1;
    for (size_t i = 0; i < count && count <= LANES_MOST; i++) {
        size_t lane = 0;
        while (lane < lanes && busy[lane] > stretch[i].start_ns)
            lane++;
        lanes = lane < lanes ? lanes : lane + 1;
        busy[lane] = stretch[i].end_ns;
        stretch[i].lane = lane;
    }
    for (size_t i = 0; i < count; i++)
        stretch[i].lanes = lanes;
}

static int write_pods(struct sms__plot *plot, const struct sms__group_of *group)
{
    struct sms__pods_drawn drawn = sms__draw_pods(plot, group);
    struct sms__stretch *stretch = SMS__NEW(&plot->arena, struct sms__stretch, drawn.stays + 1);
    for (size_t i = 0; i < drawn.stays; i++)
        stretch[i] = (struct sms__stretch){.process = drawn.stay[i].row,
                                           .state = drawn.stay[i].state,
                                           .start_ns = drawn.stay[i].start_ns,
                                           .end_ns = drawn.stay[i].end_ns};
    for (size_t i = 0, end; i < drawn.stays; i = end) {
        for (end = i + 1; end < drawn.stays && drawn.stay[end].row == drawn.stay[i].row;)
            end++;
        set_lanes(&stretch[i], end - i);
    }
    const struct sms__chart_of of = {"pods",      group->scenario, group->policy, stretch,
                                     drawn.stays, &drawn.row,      &plot->ending};
    return sms__write_chart(plot, &of);
}

int sms__write_pods(struct sms__plot *plot)
{
    int code = sms__figures_check(plot, plot->tenure.groups.count);
    for (size_t g = 0; g < plot->tenure.groups.count && code == SMS_OK; g++)
        code = write_pods(plot, &plot->tenure.groups.item[g]);
    return code;
}
