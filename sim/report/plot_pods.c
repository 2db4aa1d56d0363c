/* Pods on GPUs over time: a row a GPU, in which pods that share it lie one above the other, and a row of those that
 * wait. Nodes are in the order of their names, of which numbers count as numbers. */
#include "plot.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GPUS_MOST = 64, LANES_MOST = 300 };

/* In the order of sms__tenure.ended; script and page have a colour for each. */
static const char *const states[] = {"done", "failed", "running", "restarted", "lost", "timed_out", "waiting"};

enum { WAITING = sizeof states / sizeof *states - 1 };

/* Numbers with spaces between them. */
static uint64_t parse_gpus(struct sms__plot *plot, const struct sms__csv *csv, const char *text)
{
    uint64_t gpus = 0;
    while (*text && plot->errors.count == 0) {
        char *end;
        unsigned long gpu = strtoul(text, &end, 10);
        if (!isdigit((unsigned char)*text) || gpu >= GPUS_MOST || (*end && *end != ' '))
            sms__fail(&plot->errors, SMS_EINPUT, csv->file, "line %zu: a list of GPUs is malformed", csv->line);
        else
            gpus |= (uint64_t)1 << gpu;
        text = *end ? end + 1 : end;
    }
    return gpus;
}

static size_t ending_of(struct sms__plot *plot, const struct sms__csv *csv, const char *ended)
{
    for (size_t i = 0; i < WAITING; i++)
        if (!strcmp(plot->ending.name[i], ended))
            return i;
    if (plot->errors.count == 0)
        sms__fail(&plot->errors, SMS_EINPUT, csv->file, "line %zu: no pod ends so", csv->line);
    return 0;
}

static void take_tenure(struct sms__plot *plot, struct sms__csv *csv)
{
    struct sms__tenure tenure = {.scenario = sms__name_index(&plot->arena, &plot->scenario, csv->field[0]),
                                 .policy = sms__name_index(&plot->arena, &plot->policy, csv->field[1]),
                                 .start_ns = sms__csv_amount(csv, 2),
                                 .wait_ns = sms__csv_amount(csv, 3),
                                 .pod = sms__copy(&plot->arena, csv->field[4], strlen(csv->field[4])),
                                 .node = sms__copy(&plot->arena, csv->field[5], strlen(csv->field[5])),
                                 .gpus = parse_gpus(plot, csv, csv->field[6]),
                                 .allocated = sms__csv_amount(csv, 7),
                                 .end_ns = sms__csv_amount(csv, 8),
                                 .ended = ending_of(plot, csv, csv->field[9])};
    if (plot->errors.count == 0)
        *SMS__APPEND(&plot->arena, plot->tenure, plot->tenures) = tenure;
}

int sms__read_tenures(struct sms__plot *plot)
{
    struct sms__csv csv = {.file = "placements.csv",
                           .column = {"scenario", "policy", "time_ns", "wait_ns", "pod", "node", "gpus",
                                      "allocated_ratio", "end_ns", "ended"},
                           .row = take_tenure};
    if (access(sms__print(&plot->arena, "%s/%s", plot->folder, csv.file), F_OK))
        return SMS_OK;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        sms__name_index(&plot->arena, &plot->ending, states[i]);
    return sms__csv_read(plot, &csv);
}

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
        *SMS__APPEND(&plot->arena, drawn->stay, drawn->stays) =
            (struct sms__pod_stay){tenure, 0, 0, tenure->start_ns - tenure->wait_ns, tenure->start_ns, WAITING};
    for (unsigned i = 0; i < GPUS_MOST; i++)
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
        add_tenure(plot, &drawn, &plot->grouped.tenure[i]);
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
        stretch[i] = (struct sms__stretch){.scenario = group->scenario,
                                           .policy = group->policy,
                                           .process = drawn.stay[i].row,
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
    int code = sms__figures_check(plot, plot->grouped.tenure_groups.count);
    for (size_t g = 0; g < plot->grouped.tenure_groups.count && code == SMS_OK; g++)
        code = write_pods(plot, &plot->grouped.tenure_groups.item[g]);
    return code;
}
