#include "plot.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* Every file begins with the columns scenario and policy. */
static size_t scenario_of(struct sms__plot *plot, const struct sms__csv *csv)
{
    return sms__name_index(&plot->arena, &plot->scenario, csv->field[0]);
}

static size_t policy_of(struct sms__plot *plot, const struct sms__csv *csv)
{
    return sms__name_index(&plot->arena, &plot->policy, csv->field[1]);
}

/* `value` is the column of the mean; that of its interval is next. */
static struct sms__bar *add_bar(struct sms__plot *plot, struct sms__bars *bars, struct sms__csv *csv, size_t value)
{
    struct sms__bar bar = {.scenario = scenario_of(plot, csv),
                           .policy = policy_of(plot, csv),
                           .group = sms__copy(&plot->arena, csv->field[2], strlen(csv->field[2])),
                           .mean = sms__csv_number(csv, value),
                           .ci95 = sms__csv_number(csv, value + 1)};
    struct sms__bar *last = SMS__APPEND(&plot->arena, bars->bar, bars->count);
    *last = bar;
    return last;
}

static void take_vm(struct sms__plot *plot, struct sms__csv *csv) { add_bar(plot, &plot->throughput, csv, 3); }

static void take_host(struct sms__plot *plot, struct sms__csv *csv)
{
    add_bar(plot, &plot->throughput, csv, 3)->host = true;
    add_bar(plot, &plot->stp, csv, 5);
}

static void take_resource(struct sms__plot *plot, struct sms__csv *csv) { add_bar(plot, &plot->usage, csv, 3); }

/* Heat maps and timelines show the first device. */
static bool is_first_device(const struct sms__csv *csv) { return !strcmp(csv->field[2], "0"); }

static void take_heat(struct sms__plot *plot, struct sms__csv *csv)
{
    struct sms__heat heat = {scenario_of(plot, csv),  policy_of(plot, csv),    sms__csv_amount(csv, 3),
                             sms__csv_amount(csv, 4), sms__csv_amount(csv, 5), sms__csv_amount(csv, 6)};
    if (!is_first_device(csv))
        return;
    *SMS__APPEND(&plot->arena, plot->heat, plot->heats) = heat;
}

enum { SM_MAX = 100000, BLOCKS_MAX = 4096 };

static void take_box(struct sms__plot *plot, struct sms__csv *csv)
{
    double sm = sms__csv_amount(csv, 3), blocks = sms__csv_amount(csv, 7);
    if (!is_first_device(csv))
        return;
    if (sm > SM_MAX || blocks < 1 || blocks > BLOCKS_MAX)
        sms__fail(&plot->errors, SMS_EINPUT, csv->file, "line %zu: sm or blocks is out of range", csv->line);
    if (plot->errors.count)
        return;
    *SMS__APPEND(&plot->arena, plot->box, plot->boxes) =
        (struct sms__box){.scenario = scenario_of(plot, csv),
                          .policy = policy_of(plot, csv),
                          .vm = sms__name_index(&plot->arena, &plot->vm, csv->field[4]),
                          .sm = (size_t)sm,
                          .blocks = (size_t)blocks,
                          .start_ns = sms__csv_amount(csv, 5),
                          .end_ns = sms__csv_amount(csv, 6)};
}

/* Gives the processes their order, too. */
static void take_process(struct sms__plot *plot, struct sms__csv *csv)
{
    struct sms__bar *bar = add_bar(plot, &plot->turnaround, csv, 3);
    bar->host = !strcmp(bar->group, "all");
    if (!bar->host)
        sms__name_index(&plot->arena, &plot->process, bar->group);
}

static void take_span(struct sms__plot *plot, struct sms__csv *csv)
{
    struct sms__stretch stretch = {.scenario = scenario_of(plot, csv),
                                   .policy = policy_of(plot, csv),
                                   .process = sms__name_index(&plot->arena, &plot->process, csv->field[2]),
                                   .state = sms__state_index(plot, csv->field[3]),
                                   .start_ns = sms__csv_amount(csv, 4),
                                   .end_ns = sms__csv_amount(csv, 5)};
    if (plot->errors.count)
        return;
    *SMS__APPEND(&plot->arena, plot->stretch, plot->stretches) = stretch;
}

/* Files that are there only if a scenario has processes. */
static int read_processes(struct sms__plot *plot)
{
    struct sms__csv files[] = {{.file = "processes.csv",
                                .column = {"scenario", "policy", "process", "turnaround_ns", "ci95_turnaround_ns"},
                                .row = take_process},
                               {.file = "spans.csv",
                                .column = {"scenario", "policy", "process", "state", "start_ns", "end_ns"},
                                .row = take_span}};
    int code = SMS_OK;
    if (access(sms__print(&plot->arena, "%s/%s", plot->folder, files[1].file), F_OK))
        return SMS_OK;
    sms__name_states(plot);
    for (size_t i = 0; i < sizeof files / sizeof *files && code == SMS_OK; i++)
        code = sms__csv_read(plot, &files[i]);
    return code;
}

/* Of clusters whose pods run workloads. The group is what the metric says after its first word: "mean", "p95". */
static void take_cluster(struct sms__plot *plot, struct sms__csv *csv)
{
    const char *metric = csv->column[3], *group = strchr(metric, '_') + 1;
    bool slowdown = !strncmp(metric, "slowdown", 8);
    if (isnan(sms__csv_number(csv, 5)))
        return;
    struct sms__bar *bar = add_bar(plot, slowdown ? &plot->slowdown : &plot->turnaround, csv, 3);
    bar->group = sms__copy(&plot->arena, group, strcspn(group, "_"));
}

static int read_cluster(struct sms__plot *plot)
{
    static const char *const metrics[] = {"turnaround_mean_ns",  "turnaround_p50_ns",  "turnaround_p95_ns",
                                          "slowdown_mean_ratio", "slowdown_p95_ratio", "slowdown_p99_ratio"};
    int code = SMS_OK;
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics && code == SMS_OK; i++) {
        struct sms__csv csv = {.file = "cluster.csv",
                               .column = {"scenario", "policy", "cluster", metrics[i],
                                          sms__print(&plot->arena, "ci95_%s", metrics[i]), "slowdown_mean_ratio"},
                               .row = take_cluster};
        code = sms__csv_read(plot, &csv);
    }
    return code;
}

static void take_point(struct sms__plot *plot, struct sms__csv *csv)
{
    struct sms__point point = {.scenario = scenario_of(plot, csv),
                               .policy = policy_of(plot, csv),
                               .arrived = sms__csv_amount(csv, 2),
                               .allocated = sms__csv_amount(csv, 3),
                               .fragments = sms__csv_amount(csv, 4)};
    *SMS__APPEND(&plot->arena, plot->point, plot->points) = point;
}

static bool is_there(struct sms__plot *plot, const char *file)
{
    return access(sms__print(&plot->arena, "%s/%s", plot->folder, file), F_OK) == 0;
}

/* Files that are there only if a scenario has nodes. */
static int read_allocation(struct sms__plot *plot)
{
    struct sms__csv csv = {.file = "allocation.csv",
                           .column = {"scenario", "policy", "arrived_ratio", "allocated_ratio", "fragment_ratio"},
                           .row = take_point};
    if (!is_there(plot, csv.file))
        return SMS_OK;
    int code = sms__csv_read(plot, &csv);
    return code == SMS_OK ? read_cluster(plot) : code;
}

static void group_all(struct sms__plot *plot)
{
    struct sms__arena *a = &plot->arena;
    struct sms__bars *bars[] = {&plot->answer, &plot->throughput, &plot->usage, &plot->turnaround, &plot->slowdown};
    for (size_t i = 0; i < sizeof bars / sizeof *bars; i++)
        bars[i]->bar =
            sms__group_rows(a, bars[i]->bar, bars[i]->count, sizeof *bars[i]->bar, false, &bars[i]->scenarios);
    plot->grouped.heat =
        sms__group_rows(a, plot->heat, plot->heats, sizeof *plot->heat, true, &plot->grouped.heat_groups);
    plot->grouped.box = sms__group_rows(a, plot->box, plot->boxes, sizeof *plot->box, true, &plot->grouped.box_groups);
    plot->grouped.stretch =
        sms__group_rows(a, plot->stretch, plot->stretches, sizeof *plot->stretch, true, &plot->grouped.stretch_groups);
    plot->grouped.tenure =
        sms__group_rows(a, plot->tenure, plot->tenures, sizeof *plot->tenure, true, &plot->grouped.tenure_groups);
    plot->grouped.point =
        sms__group_rows(a, plot->point, plot->points, sizeof *plot->point, true, &plot->grouped.point_groups);
}

int sms__plot_read(struct sms__plot *plot)
{
    struct sms__csv files[] = {
        {.file = "vms.csv",
         .column = {"scenario", "policy", "vm", "kernels_per_s", "ci95_kernels_per_s"},
         .row = take_vm},
        {.file = "hosts.csv",
         .column = {"scenario", "policy", "host", "kernels_per_s", "ci95_kernels_per_s", "stp_ratio", "ci95_stp_ratio"},
         .row = take_host},
        {.file = "resources.csv",
         .column = {"scenario", "policy", "resource", "usage_ratio", "ci95_usage_ratio"},
         .row = take_resource},
        {.file = "heatmap.csv",
         .column = {"scenario", "policy", "device", "sm", "time_ns", "width_ns", "occupancy_ratio"},
         .row = take_heat},
        {.file = "timeline.csv",
         .column = {"scenario", "policy", "device", "sm", "vm", "start_ns", "end_ns", "blocks"},
         .row = take_box}};
    int code = SMS_OK;
    const bool of_cluster = is_there(plot, "cluster.csv"); /* of which alone there are no others */
    for (size_t i = 0; i < sizeof files / sizeof *files && code == SMS_OK; i++)
        if (!of_cluster || is_there(plot, files[i].file))
            code = sms__csv_read(plot, &files[i]);
    if (code == SMS_OK)
        code = read_processes(plot);
    if (code == SMS_OK)
        code = read_allocation(plot);
    if (code == SMS_OK)
        code = sms__read_tenures(plot);
    if (code == SMS_OK)
        code = sms__read_answers(plot);
    if (code == SMS_OK && plot->throughput.count == 0 && plot->points == 0)
        code = sms__fail(&plot->errors, SMS_EINPUT, plot->folder, "holds no results");
    if (code == SMS_OK)
        group_all(plot);
    return code;
}
