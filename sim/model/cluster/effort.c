/* Estimates the work of a cluster's runs: pods that come, jobs of those with workloads, failures, and tries of pods
 * that wait. The order of magnitude counts. */
#include "../estimate.h"

#include <math.h>

/* CPU time, s, measured on the machine of docs/evidence/performance.md. */
#define POD_S 3e-7          /* a pod that comes and goes */
#define FAILURE_S 1e-6      /* a node or a GPU fails or returns, with pods on it */
#define BURST_S 1e-7        /* a burst of arrivals begins and ends */
#define LOOK_S 1.5e-8       /* a look at a node for a shape of pods */
#define TRY_S 5e-7          /* a try of a pod that waits, */
#define TRY_NODE_S 3e-8     /* and its share for each node */
#define SHARED_TRY_S 1.5e-7 /* the same under gpushare, which remembers nodes */
#define SKIPPED_TRY_S 2e-9  /* the same where no node could ever hold the pod */

/* Rows of a table that stand for all of it. */
enum { ROWS_LOOKED_AT = 1000 };

/* `count` equal pods that come. */
struct pods {
    const struct sms__pods *group;
    const struct sms__tenant *vm; /* what each of them runs; NULL: it lasts its duration */
    struct sms__job job;          /* of vm, on the scenario's first device */
    double count, milli, gpus;    /* thousandths of GPUs, and GPUs, of one */
    double length_ps;             /* from start to end; 0: it never leaves */
    bool held;                    /* some node could hold it */
};

struct outlook {
    const struct sms_scenario *scenario;
    const struct sms__cluster *cluster;
    double last_ps;       /* when the last pod that can find a node has come and ended, or when the run is over */
    double work_ps;       /* GPU time of all pods */
    double forever_milli; /* taken by pods that never leave */
    double waiting;       /* pods that wait, on average */
    double hopeless;      /* those of them that no node can hold */
    double mtbf_ps;       /* of failures that stop every pod sooner or later; INFINITY: there are none */
    double most, runs;    /* pods of the entry `waits`; policies times replications */
    double steps;         /* looked at so far */
    const struct sms__node *waits; /* the entry with most pods that wait */
    struct sms__effort *effort;
};

typedef void visit(struct outlook *outlook, const struct pods *pods);

static void visit_pods(struct outlook *outlook, const struct sms__pods *group, const struct sms__pods *like,
                       double count, visit *see)
{
    const struct sms__cluster *cluster = outlook->cluster;
    const struct sms_scenario *scenario = outlook->scenario;
    const struct sms_pod_view *shape = &cluster->shape[like->shape];
    struct pods pods = {.group = group, .count = count, .gpus = (double)shape->gpus};
    pods.milli = (double)sms_pod_gpu_milli(shape);
    pods.held = !cluster->held || cluster->held[like->shape];
    pods.length_ps = group->rows && !group->lasts ? like->duration_ps : group->duration_ps;
    if (like->tenant && !group->lasts) {
        pods.vm = &scenario->vm[like->tenant - 1];
        outlook->steps += (double)pods.vm->workload->steps;
        if (outlook->steps <= SMS__STEPS_SEEN)
            pods.job = sms__measure_job(pods.vm->workload, pods.vm->fit[0], scenario->device[0]);
        pods.length_ps = (double)pods.vm->repeat * fmax(pods.job.ps, pods.vm->period_ps);
    }
    see(outlook, &pods);
}

/* Visits what comes, group by group. Each row of a sample's table stands for an equal part of its pods. */
static void for_pods(struct outlook *outlook, visit *see)
{
    outlook->steps = 0;
    for (size_t g = 0; g < outlook->cluster->groups; g++) {
        const struct sms__pods *group = &outlook->cluster->pod[g];
        size_t rows = group->rows < ROWS_LOOKED_AT ? group->rows : ROWS_LOOKED_AT;
        if (!group->pool && !rows)
            visit_pods(outlook, group, group, (double)group->count, see);
        for (size_t r = 0; r < rows; r++)
            visit_pods(outlook, group, &outlook->cluster->pod[group->first_row + r],
                       (double)group->count / (double)rows, see);
    }
}

static void add_end(struct outlook *outlook, const struct pods *pods)
{
    const struct sms__pods *group = pods->group;
    double length = pods->length_ps, ratio = length / outlook->mtbf_ps;
    if (!pods->held)
        return;
    if (group->on_failure == SMS__RESTART && group->restarts > 1000 && ratio > 1e-6) /* it begins anew each time */
        length = outlook->mtbf_ps * (exp(fmin(ratio, 100)) - 1);
    double last = group->start_ps + sms__mean_interval(&group->arriving) * (double)group->count;
    outlook->last_ps = fmax(outlook->last_ps, last + length);
    outlook->work_ps += pods->count * length * pods->milli / 1000;
    outlook->forever_milli += length > 0 ? 0 : pods->count * pods->milli;
}

/* Pods wait that no node can hold, those that come when GPUs are taken for ever, and half of those beyond the work that
 * the GPUs can do. */
static void add_waiting(struct outlook *outlook, const struct pods *pods)
{
    double gpus = (double)sms__gpus_of(outlook->cluster), over = 0;
    if (pods->milli > 0 && pods->length_ps <= 0)
        over = 1 - gpus * 1000 / outlook->forever_milli;
    else if (pods->milli > 0 && outlook->last_ps > 0)
        over = (1 - gpus * outlook->last_ps / outlook->work_ps) / 2;
    double waiting = pods->count * (pods->held ? fmax(over, 0) : 1);
    outlook->waiting += waiting;
    outlook->hopeless += pods->held ? 0 : pods->count;
    if (waiting <= outlook->most)
        return;
    outlook->most = waiting;
    outlook->waits = pods->group->node;
}

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

static void look_ahead(struct outlook *outlook)
{
    outlook->mtbf_ps = find_mtbf(outlook->cluster);
    for_pods(outlook, add_end);
    if (outlook->cluster->gpu_milli)
        outlook->last_ps = fmax(outlook->last_ps, outlook->work_ps * 1000 / (double)outlook->cluster->gpu_milli);
    outlook->last_ps = fmin(outlook->last_ps, SMS__CLOCK_PS);
    outlook->last_ps = fmin(outlook->last_ps, end_of(outlook));
    for_pods(outlook, add_waiting);
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
static void add_bursts(struct outlook *outlook, const struct pods *pods)
{
    const struct sms__arriving *arriving = &pods->group->arriving;
    double cycle = arriving->burst_after_ps + arriving->burst_lasts_ps;
    if (arriving->burst_ps > 0)
        sms__effort_spend(outlook->effort, pods->count * sms__mean_interval(arriving) / cycle * outlook->runs * BURST_S,
                          sms__at_key(pods->group->node, "arrivals"), "bursts");
}

/* Jobs in the run, no more than there is time for, and those that are simulated alone. */
static void add_pods(struct outlook *outlook, const struct pods *pods)
{
    const struct sms_scenario *scenario = outlook->scenario;
    const struct sms__tenant *vm = pods->vm;
    add_bursts(outlook, pods);
    if (!vm)
        return;
    double jobs = vm->repeat ? (double)vm->repeat : INFINITY, length = fmax(pods->job.ps, vm->period_ps);
    double possible = length > 0 ? end_of(outlook) / length + 1 : jobs, processes = pods->count * pods->gpus;
    double events = scenario->fidelity == SMS__AS_BLOCKS ? pods->job.events : pods->job.steps;
    bool cut = possible < jobs;
    if (cut) /* and no more at once than there are places */
        processes = fmin(processes, (double)outlook->cluster->slots * (double)sms__gpus_of(outlook->cluster));
    if (scenario->fidelity != SMS__AS_DURATION)
        sms__effort_add(outlook->effort, processes * fmin(jobs, possible) * events * outlook->runs, SMS__EVENT_S,
                        cut ? sms__at_duration(scenario) : sms__at_key(vm->node, "repeat"),
                        cut ? "jobs until the run is over" : "jobs");
    if (vm->repeat)
        sms__effort_add(outlook->effort,
                        fmin(jobs, SMS__ALONE_JOBS) * pods->job.events * outlook->runs * (double)scenario->devices,
                        SMS__EVENT_S, sms__at_key(vm->node, "workload"), "jobs by themselves");
}

/* A policy looks at all nodes for the first pod of a shape, and for each pod if it asks what that would cost. */
static void add_looks(const struct outlook *outlook, const struct sms__policy_use *use)
{
    const struct sms__cluster *cluster = outlook->cluster;
    double looks = (double)cluster->shapes + (use->place->asks ? cluster->pods : 0);
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
    double tries = again + (singly ? cluster->pods : 0);
    sms__effort_add(outlook->effort, tries * (double)outlook->scenario->replications, try_s(outlook),
                    again > cluster->pods && outlook->waits ? outlook->waits : outlook->scenario->node,
                    "tries of pods that wait");
}

void sms__effort_of_cluster(const struct sms_scenario *scenario, struct sms__effort *effort)
{
    struct outlook outlook = {.scenario = scenario, .cluster = scenario->cluster, .effort = effort};
    outlook.runs = (double)scenario->policies * (double)scenario->replications;
    look_ahead(&outlook);
    sms__effort_add(effort, 2 * outlook.cluster->pods * outlook.runs, POD_S / 2, sms__at_key(scenario->node, "pods"),
                    "pods");
    add_failures(&outlook);
    for_pods(&outlook, add_pods);
    for (size_t p = 0; p < scenario->policies; p++) {
        add_looks(&outlook, &scenario->policy[p]);
        add_tries(&outlook, &scenario->policy[p]);
    }
}
