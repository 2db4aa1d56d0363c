/* Estimates the work of a cluster's runs: pods that come, jobs of those with workloads, failures, and tries of pods
 * that wait. The order of magnitude counts. */
#include "../estimate.h"

#include <math.h>

/* CPU time, s, measured on the machine of docs/evidence/performance.md. */
#define POD_S 3e-7          /* a pod that comes and goes */
#define DRAW_S 4e-8         /* a pod that is drawn, and would come after the run is over */
#define FAILURE_S 1e-6      /* a node or a GPU fails or returns, with pods on it */
#define BURST_S 1e-7        /* a burst of arrivals begins and ends */
#define LOOK_S 1.5e-8       /* a look at a node for a shape of pods */
#define TRY_S 5e-7          /* a try of a pod that waits, */
#define TRY_NODE_S 3e-8     /* and its share for each node */
#define SHARED_TRY_S 1.5e-7 /* the same under gpushare, which remembers nodes */
#define SKIPPED_TRY_S 2e-9  /* the same where no node could ever hold the pod */

/* Rows of a table that stand for all of it. */
enum { ROWS_LOOKED_AT = 1000 };

/* Totals over all pods that come. */
struct outlook {
    const struct sms_scenario *scenario;
    const struct sms__cluster *cluster;
    double last_ps;         /* when the last pod that can find a node has come and ended, or the run is over */
    double come;            /* pods that come before the run is over */
    double work_ps;         /* GPU time of all pods that end */
    double forever_milli;   /* thousandths of GPUs, taken by pods that never leave */
    double ending, lasting; /* pods with GPUs that end, and that never leave */
    double hopeless;        /* pods that no node can hold */
    double waiting;         /* pods that wait, on average */
    double mtbf_ps;         /* of failures that stop every pod sooner or later; INFINITY: there are none */
    double runs;            /* policies times replications */
    double steps;           /* looked at so far */
    double most;            /* pods of the entry `waits`, which has most of them */
    const struct sms__node *waits;
    struct sms__effort *effort;
};

/* The mean time between failures that come to every node. */
static double find_mtbf(const struct sms__cluster *cluster)
{
    double mtbf = INFINITY;
    for (size_t i = 0; i < cluster->failures; i++) {
        const struct sms__failure *failure = &cluster->failure[i];
        if (failure->mtbf_ps > 0 && failure->nodes == cluster->nodes && failure->gpu < 0)
            mtbf = fmin(mtbf, failure->mtbf_ps);
    }
    return mtbf;
}

/* When the run is over. */
static double end_of(const struct outlook *outlook)
{
    return outlook->scenario->duration_ps > 0 ? outlook->scenario->duration_ps : outlook->last_ps;
}

static void add_failures(const struct outlook *outlook)
{
    for (size_t i = 0; i < outlook->cluster->failures; i++) {
        const struct sms__failure *failure = &outlook->cluster->failure[i];
        double turns = failure->mtbf_ps > 0 ? 2 * end_of(outlook) / (failure->mtbf_ps + failure->mttr_ps) : 2;
        sms__effort_add(outlook->effort, turns * failure->units * outlook->runs, FAILURE_S,
                        sms__at_key(failure->node, "mtbf"), "failures");
    }
}

/* Bursts, of which many may pass before one brings a pod. */
static void add_bursts(const struct outlook *outlook, const struct sms__pods *group, double count)
{
    const struct sms__arriving *arriving = &group->arriving;
    double cycle = arriving->burst_after_ps + arriving->burst_lasts_ps;
    if (arriving->burst_ps > 0)
        sms__effort_spend(outlook->effort, count * sms__mean_interval(arriving) / cycle * outlook->runs * BURST_S,
                          sms__at_key(group->node, "arrivals"), "bursts");
}

/* Jobs in the run, no more than there are places and time for, and those that are simulated alone. */
static void add_jobs(const struct outlook *outlook, const struct sms__tenant *vm, const struct sms__job *job,
                     double processes)
{
    const struct sms_scenario *scenario = outlook->scenario;
    double jobs = vm->repeat ? (double)vm->repeat : INFINITY, length = fmax(job->ps, vm->period_ps);
    double places = (double)outlook->cluster->slots * (double)sms__gpus_of(outlook->cluster);
    double most = length > 0 && scenario->duration_ps > 0 ? scenario->duration_ps / length + 1 : INFINITY;
    double wanted = processes * jobs, possible = fmin(processes, places) * most;
    double events = scenario->fidelity == SMS__AS_BLOCKS ? job->events : job->steps;
    bool cut = possible < wanted;
    if (scenario->fidelity != SMS__AS_DURATION)
        sms__effort_add(outlook->effort, fmin(wanted, possible) * events * outlook->runs, SMS__EVENT_S,
                        cut ? sms__at_duration(scenario) : sms__at_key(vm->node, "repeat"),
                        cut ? "jobs until the run is over" : "jobs");
    if (vm->repeat)
        sms__effort_add(outlook->effort,
                        fmin(jobs, SMS__ALONE_JOBS) * job->events * outlook->runs * (double)scenario->devices,
                        SMS__EVENT_S, sms__at_key(vm->node, "workload"), "jobs by themselves");
}

/* Adds pods that some node can hold, each from start to end; length 0: it never leaves. */
static void add_held(struct outlook *outlook, const struct sms__pods *group, double count, double milli, double length)
{
    double ratio = length / outlook->mtbf_ps, run_ps = outlook->scenario->duration_ps;
    if (group->on_failure == SMS__RESTART && group->restarts > 1000 && ratio > 1e-6) /* it begins anew each time */
        length = outlook->mtbf_ps * (exp(fmin(ratio, 100)) - 1);
    double last = group->start_ps + sms__mean_interval(&group->arriving) * (double)group->count;
    outlook->last_ps = fmax(outlook->last_ps, last + length);
    outlook->work_ps += count * (run_ps > 0 ? fmin(length, run_ps) : length) * milli / 1000;
    outlook->forever_milli += length > 0 ? 0 : count * milli;
    if (milli > 0)
        *(length > 0 ? &outlook->ending : &outlook->lasting) += count;
}

/* The share of a group's pods that come before the run is over. */
static double share_arrived(const struct outlook *outlook, const struct sms__pods *group)
{
    double interval = sms__mean_interval(&group->arriving), run_ps = outlook->scenario->duration_ps;
    if (run_ps == 0)
        return 1;
    if (group->start_ps > run_ps)
        return 0;
    return interval > 0 ? fmin(((run_ps - group->start_ps) / interval + 1) / (double)group->count, 1) : 1;
}

/* Adds `count` pods of a group that are like `like`. */
static void add_pods(struct outlook *outlook, const struct sms__pods *group, const struct sms__pods *like, double count)
{
    const struct sms_scenario *scenario = outlook->scenario;
    const struct sms__cluster *cluster = outlook->cluster;
    const struct sms_pod_view *shape = &cluster->shape[like->shape];
    double length = group->rows && !group->lasts ? like->duration_ps : group->duration_ps;
    add_bursts(outlook, group, count); /* those after the run are drawn too */
    count *= share_arrived(outlook, group);
    if (count == 0)
        return;
    outlook->come += count * shape->replicas;
    if (like->tenant && !group->lasts) {
        const struct sms__tenant *vm = &scenario->vm[like->tenant - 1];
        struct sms__job job = {0};
        outlook->steps += (double)vm->workload->steps;
        if (outlook->steps <= SMS__STEPS_SEEN)
            job = sms__measure_job(vm->workload, vm->fit[0], scenario->device[0]);
        add_jobs(outlook, vm, &job, count * (double)shape->gpus);
        length = (double)vm->repeat * fmax(job.ps, vm->period_ps);
    }
    if (!cluster->held || cluster->held[like->shape])
        add_held(outlook, group, count, (double)sms_pod_gpu_milli(shape), length);
    else
        outlook->hopeless += count;
    if (count > outlook->most) {
        outlook->most = count;
        outlook->waits = group->node;
    }
}

/* Each row of a sample's table stands for an equal part of its pods. */
static void add_groups(struct outlook *outlook)
{
    for (size_t g = 0; g < outlook->cluster->groups; g++) {
        const struct sms__pods *group = &outlook->cluster->pod[g];
        size_t rows = group->rows < ROWS_LOOKED_AT ? group->rows : ROWS_LOOKED_AT;
        if (!group->pool && !rows)
            add_pods(outlook, group, group, (double)group->count);
        for (size_t r = 0; r < rows; r++)
            add_pods(outlook, group, &outlook->cluster->pod[group->first_row + r], (double)group->count / (double)rows);
    }
}

/* Pods wait that no node can hold, those that come when GPUs are taken for ever, and half of those beyond the work that
 * the GPUs can do. */
static void find_waiting(struct outlook *outlook)
{
    double gpus = (double)sms__gpus_of(outlook->cluster);
    if (outlook->cluster->gpu_milli)
        outlook->last_ps = fmax(outlook->last_ps, outlook->work_ps * 1000 / (double)outlook->cluster->gpu_milli);
    outlook->last_ps = fmin(outlook->last_ps, SMS__CLOCK_PS);
    outlook->last_ps = fmin(outlook->last_ps, end_of(outlook));
    outlook->waiting = outlook->hopeless;
    if (outlook->lasting > 0)
        outlook->waiting += outlook->lasting * fmax(1 - gpus * 1000 / outlook->forever_milli, 0);
    if (outlook->ending > 0 && outlook->last_ps > 0)
        outlook->waiting += outlook->ending * fmax((1 - gpus * outlook->last_ps / outlook->work_ps) / 2, 0);
}

/* A policy looks at all nodes for the first pod of a shape, and for each pod if it asks what that would cost. */
static void add_looks(const struct outlook *outlook, const struct sms__policy_use *use)
{
    const struct sms__cluster *cluster = outlook->cluster;
    double looks = (double)cluster->shapes + (use->place->asks ? outlook->come : 0);
    sms__effort_spend(outlook->effort,
                      looks * (double)cluster->nodes * (double)outlook->scenario->replications * LOOK_S,
                      sms__at_key(outlook->scenario->node, "pods"), "looks at nodes");
}

/* The average of a try, under gpushare of pods that are tried again and of those that are passed over. */
static double try_s(const struct outlook *outlook)
{
    double hopeless = outlook->waiting > 0 ? outlook->hopeless / outlook->waiting : 0;
    if (!outlook->cluster->gpushare)
        return TRY_S + TRY_NODE_S * (double)outlook->cluster->nodes;
    return SHARED_TRY_S * (1 - hopeless) + SKIPPED_TRY_S * hopeless;
}

/* Adds one policy's tries: each pod once, and each that waits again and again, one try after another. */
static void add_tries(const struct outlook *outlook, const struct sms__policy_use *use)
{
    const struct sms__cluster *cluster = outlook->cluster;
    const struct sms__gpushare *rules = cluster->gpushare;
    const struct sms_place_view view = {.params = use->place_param};
    bool singly = use->place->pace || rules; /* otherwise the first pod of a shape is tried for all that wait */
    double retry_ps = cluster->retry_most_ps, each_ps = 0, until = end_of(outlook);
    double waiting = singly ? outlook->waiting : fmin(outlook->waiting, (double)cluster->shapes);
    if (use->place->pace) {
        struct sms_place_pace pace = use->place->pace(&view, cluster->nodes);
        retry_ps = pace.retry_ps;
        each_ps = pace.query_ps + pace.decide_ps;
    } else if (rules) {
        retry_ps = rules->when == SMS__RETRY_TIMER ? rules->retry_most_ps : 0;
        each_ps = rules->round_trip_ps;
        until = outlook->last_ps; /* then nothing changes any more, and they are left alone */
    }
    double again = retry_ps > 0 ? waiting * until / retry_ps : 0;
    if (each_ps > 0)
        again = fmin(again, until / each_ps);
    double tries = again + (singly ? outlook->come : 0);
    sms__effort_add(outlook->effort, tries * (double)outlook->scenario->replications, try_s(outlook),
                    again > outlook->come && outlook->waiting > 0 ? outlook->waits : outlook->scenario->node,
                    "tries of pods that wait");
}

void sms__effort_of_cluster(const struct sms_scenario *scenario, struct sms__effort *effort)
{
    struct outlook outlook = {.scenario = scenario, .cluster = scenario->cluster, .effort = effort};
    outlook.runs = (double)scenario->policies * (double)scenario->replications;
    outlook.mtbf_ps = find_mtbf(outlook.cluster);
    const struct sms__node *at = sms__at_key(scenario->node, "pods");
    add_groups(&outlook);
    find_waiting(&outlook);
    sms__effort_add(effort, 2 * outlook.come * outlook.runs, POD_S / 2, at, "pods");
    sms__effort_spend(effort, fmax(outlook.cluster->pods - outlook.come, 0) * outlook.runs * DRAW_S, at,
                      "pods that come after the run");
    add_failures(&outlook);
    for (size_t p = 0; p < scenario->policies; p++) {
        add_looks(&outlook, &scenario->policy[p]);
        add_tries(&outlook, &scenario->policy[p]);
    }
}
