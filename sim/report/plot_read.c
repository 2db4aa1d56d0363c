/* The tables of a results folder that figures and pages need. */
#include "plot_table.h"

#include <string.h>

#define SCENARIO SMS__CSV_SCENARIO
#define POLICY SMS__CSV_POLICY
#define ROWS SMS__CSV_ROWS
#define TEXT(name, type, field)                                                                                        \
    {                                                                                                                  \
        name, SMS__CSV_TEXT, offsetof(type, field)                                                                     \
    }
#define NAME(name, type, field, names)                                                                                 \
    {                                                                                                                  \
        name, SMS__CSV_NAME, offsetof(type, field), offsetof(struct sms__plot, names)                                  \
    }
#define AMOUNT(name, type, field)                                                                                      \
    {                                                                                                                  \
        name, SMS__CSV_AMOUNT, offsetof(type, field)                                                                   \
    }

/* Heat maps and timelines show the first device. */
#define FIRST_DEVICE                                                                                                   \
    {                                                                                                                  \
        "device", SMS__CSV_ONLY, .only = "0"                                                                           \
    }

enum { SM_MAX = 100000, BLOCKS_MAX = 4096 };

/* Gives the processes their order. */
static const char *check_process(struct sms__plot *plot, const struct sms__csv_table *table, void *row)
{
    const struct sms__named *process = row;
    (void)table;
    if (strcmp(process->name, "all") != 0)
        sms__name_index(&plot->arena, &plot->process, process->name);
    return NULL;
}

static const char *check_span(struct sms__plot *plot, const struct sms__csv_table *table, void *row)
{
    struct sms__state_span *span = row;
    (void)plot, (void)table;
    span->state = span->state < SMS__STATES_MAX ? span->state : SMS__STATES_MAX - 1;
    return NULL;
}

static const char *check_pod(struct sms__plot *plot, const struct sms__csv_table *table, void *row)
{
    (void)plot, (void)table;
    return ((struct sms__pod_span *)row)->ended < SMS__ENDED_WAITING ? NULL : "no pod ends so";
}

static const struct sms__csv_table tables[] = {
    {.file = "vms.csv",
     ROWS(host, struct sms__named),
     .column = {SCENARIO, POLICY, {"kernels_per_s", SMS__CSV_NUMBER, offsetof(struct sms__named, value)}}},
    {.file = "hosts.csv", ROWS(host, struct sms__named), .column = {SCENARIO, POLICY}},
    {.file = "heatmap.csv",
     ROWS(heat, struct sms__heat),
     .column = {SCENARIO, POLICY, FIRST_DEVICE, AMOUNT("sm", struct sms__heat, sm),
                AMOUNT("time_ns", struct sms__heat, time_ns), AMOUNT("width_ns", struct sms__heat, width_ns),
                AMOUNT("occupancy_ratio", struct sms__heat, occupancy)}},
    {.file = "timeline.csv",
     ROWS(block_span, struct sms__block_span),
     .column = {SCENARIO,
                POLICY,
                FIRST_DEVICE,
                {"sm", SMS__CSV_COUNT, offsetof(struct sms__block_span, sm), .max = SM_MAX},
                NAME("vm", struct sms__block_span, vm, vm),
                AMOUNT("start_ns", struct sms__block_span, start_ns),
                AMOUNT("end_ns", struct sms__block_span, end_ns),
                {"blocks", SMS__CSV_COUNT, offsetof(struct sms__block_span, blocks), .min = 1, .max = BLOCKS_MAX}}},
    {.file = "processes.csv",
     .gate = "spans.csv",
     ROWS(named, struct sms__named),
     .column = {SCENARIO, POLICY, TEXT("process", struct sms__named, name)},
     .check = check_process},
    {.file = "spans.csv",
     .gate = "spans.csv",
     ROWS(state_span, struct sms__state_span),
     .column = {SCENARIO, POLICY, NAME("process", struct sms__state_span, process, process),
                NAME("state", struct sms__state_span, state, state),
                AMOUNT("start_ns", struct sms__state_span, start_ns), AMOUNT("end_ns", struct sms__state_span, end_ns)},
     .check = check_span},
    {.file = "allocation.csv",
     .gate = "allocation.csv",
     ROWS(point, struct sms__point),
     .column = {SCENARIO, POLICY, AMOUNT("arrived_ratio", struct sms__point, arrived),
                AMOUNT("allocated_ratio", struct sms__point, allocated),
                AMOUNT("fragment_ratio", struct sms__point, fragments)}},
    {.file = "placements.csv",
     .gate = "placements.csv",
     ROWS(pod_span, struct sms__pod_span),
     .column = {SCENARIO,
                POLICY,
                AMOUNT("time_ns", struct sms__pod_span, start_ns),
                AMOUNT("wait_ns", struct sms__pod_span, wait_ns),
                TEXT("pod", struct sms__pod_span, pod),
                TEXT("node", struct sms__pod_span, node),
                {"gpus", SMS__CSV_GPUS, offsetof(struct sms__pod_span, gpus)},
                AMOUNT("allocated_ratio", struct sms__pod_span, allocated),
                AMOUNT("end_ns", struct sms__pod_span, end_ns),
                NAME("ended", struct sms__pod_span, ended, ending)},
     .check = check_pod}};

/* Adds names in a fixed order before any row does, because the scripts and the page have a colour for each index. */
static void name_states(struct sms__plot *plot)
{
    /* in the order of a process's life */
    static const char *const states[] = {"unplaced", "allocate", "launch", "waiting",    "host",      "copy_in",
                                         "kernel",   "copy_out", "paused", "suspending", "suspended", "restoring"};
    static const char *const endings[] = {"done", "failed", "running", "restarted", "lost", "timed_out", "waiting"};
    for (size_t i = 0; sms__plot_has(plot, "spans.csv") && i < sizeof states / sizeof *states; i++)
        sms__name_index(&plot->arena, &plot->state, states[i]);
    for (size_t i = 0; sms__plot_has(plot, "placements.csv") && i < sizeof endings / sizeof *endings; i++)
        sms__name_index(&plot->arena, &plot->ending, endings[i]);
}

static void group_all(struct sms__plot *plot)
{
    struct sms__arena *arena = &plot->arena;
    sms__group_rows(arena, &plot->heat, sizeof(struct sms__heat), true);
    sms__group_rows(arena, &plot->block_span, sizeof(struct sms__block_span), true);
    sms__group_rows(arena, &plot->state_span, sizeof(struct sms__state_span), true);
    sms__group_rows(arena, &plot->pod_span, sizeof(struct sms__pod_span), true);
    sms__group_rows(arena, &plot->point, sizeof(struct sms__point), true);
}

int sms__plot_read(struct sms__plot *plot)
{
    int code = SMS_OK;
    const bool of_cluster = sms__plot_has(plot, "cluster.csv"); /* it may lack the files without a gate */
    name_states(plot);
    for (size_t i = 0; i < sizeof tables / sizeof *tables && code == SMS_OK; i++)
        if (tables[i].gate ? sms__plot_has(plot, tables[i].gate) : !of_cluster || sms__plot_has(plot, tables[i].file))
            code = sms__csv_read(plot, &tables[i]);
    if (code == SMS_OK && plot->host.count == 0 && plot->point.count == 0)
        code = sms__fail(&plot->errors, SMS_EINPUT, plot->folder, "holds no results");
    if (code == SMS_OK)
        group_all(plot);
    return code;
}
