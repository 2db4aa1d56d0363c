/* What it costs to rank the nodes of a cluster for one container, as `realtime` does: every node is asked, its monitor
 * takes in what has happened, and of those that qualify the best is found. Beside it the time that Kang 2022 measured,
 * or the line through its two points. Prints a Markdown table; docs/evidence/realtime.md keeps it.
 *
 *     build/bin/bench_ranking */
#include "sim/guests/realtime/master.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

extern const struct sms_place_policy sms_place_policy_realtime;

#define S UINT64_C(1000000000000)

/* Containers of a node; CPU seconds that a number is of, at least; nodes ranked from one look at the clock to the next.
 */
enum { PER_NODE = 4, SECONDS = 1, BATCH = 10000 };

struct bench {
    struct sms__arena arena;
    size_t nodes;
    struct sms__cluster_run run;
    struct sms__cluster cluster;
    struct sms__cluster_record record;
    struct sms__monitor_record monitor;
    struct sms__master master;
    struct sms__monitor_rules rules;
    double params[SMS__PARAMS_MAX];
    double per_request_s;
};

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Each node has four containers whose latest jobs left 1 to 7 s. */
static void fill(struct bench *bench)
{
    struct sms__cluster_run *run = &bench->run;
    size_t n = bench->nodes;
    run->ledger.node = SMS__NEW(&bench->arena, struct sms_node_view, n);
    run->ledger.gpu = SMS__NEW(&bench->arena, struct sms_gpu_view, n);
    run->ledger.entry = SMS__NEW(&bench->arena, struct sms__ledger_entry, n);
    bench->master.monitored = SMS__NEW(&bench->arena, struct sms_monitored, n);
    run->observing = sms__monitor_new(&bench->arena, &bench->rules, n, PER_NODE * n, 1, &bench->monitor);
    for (size_t i = 0; i < n; i++) {
        run->ledger.gpu[i] = (struct sms_gpu_view){600, PER_NODE, (uint64_t)(1 + i * 7919 % 24) << 30};
        run->ledger.node[i] = (struct sms_node_view){.node = i,
                                                     .gpus = 1,
                                                     .gpu = &run->ledger.gpu[i],
                                                     .gpu_memory = UINT64_C(24) << 30,
                                                     .monitored = &bench->master.monitored[i]};
        for (size_t c = i * PER_NODE; c < (i + 1) * PER_NODE; c++) {
            sms__monitor_created(run->observing, i, c, 10 * S, 0);
            sms__monitor_began(run->observing, c, 0, S);
            sms__monitor_ended(run->observing, c, 0, (4 + c * 6007 % 7) * S);
        }
    }
}

static int measure(void *user)
{
    struct bench *bench = user;
    struct sms__cluster_run *run = &bench->run;
    const struct sms_pod_view pod = {.gpus = 1, .gpu_milli = 1, .models = UINT64_MAX, .deadline_ps = 15 * S};
    sms__histogram_init(&bench->monitor.actual.early, &bench->arena);
    sms__histogram_init(&bench->monitor.observed.early, &bench->arena);
    fill(bench);
    uint64_t now = 100 * S, requests = 0;
    sms__rank_nodes(run, 0, &pod, now); /* what has happened so far is taken in */
    double before = cpu_s(), taken = 0;
    for (; taken < SECONDS; taken = cpu_s() - before) {
        for (size_t i = 0; i <= BATCH / bench->nodes; i++, requests++)
            sms__rank_nodes(run, 0, &pod, now += S);
    }
    bench->per_request_s = taken / (double)requests;
    return SMS_OK;
}

static void bench_nodes(size_t nodes, int model)
{
    struct bench *bench = calloc(1, sizeof *bench);
    if (!bench)
        exit(1);
    bench->nodes = nodes;
    bench->cluster.nodes = nodes;
    bench->record.monitor = &bench->monitor;
    bench->rules = (struct sms__monitor_rules){.model = model,
                                               .query_ps = 0.06 * (double)S,
                                               .list_ps = 0.02 * (double)S,
                                               .top_ps = 0.012 * (double)S,
                                               .full = 1};
    for (size_t i = 0; sms_place_policy_realtime.params[i].name; i++)
        bench->params[i] = sms_place_policy_realtime.params[i].fallback;
    bench->run = (struct sms__cluster_run){.cluster = &bench->cluster,
                                           .policy = &sms_place_policy_realtime,
                                           .arena = &bench->arena,
                                           .record = &bench->record,
                                           .view = {.params = bench->params},
                                           .scheduling = &bench->master};
    if (sms__guard(&bench->arena, measure, bench) != SMS_OK)
        exit(1);
    double modelled_s = sms_place_policy_realtime.pace(&bench->run.view, nodes).decide_ps / 1e12;
    printf("| %zu | %s | %.3g ms | %.4g ms |\n", nodes, model == SMS__MONITOR_CYCLE ? "cycle" : "calibrated",
           bench->per_request_s * 1e3, modelled_s * 1e3);
    fflush(stdout);
    sms__arena_release(&bench->arena);
    free(bench);
}

int main(void)
{
    printf("| nodes | monitor | CPU time of a request | as modelled |\n|---|---|---|---|\n");
    const size_t nodes[] = {2, 200, 10000, 1000000};
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
        for (int model = SMS__MONITOR_CALIBRATED; model <= SMS__MONITOR_CYCLE; model++)
            bench_nodes(nodes[i], model);
    return 0;
}
