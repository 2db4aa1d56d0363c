/* How much work the runs of a cluster are: pods that come, jobs of those with workloads, failures, and tries of those
 * that wait. */
#include "../estimate.h"

#include <math.h>

/* CPU time, s, measured on the machine of docs/performance.md. */
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

struct outlook {
    const struct sms_scenario *scenario;
    const struct sms__cluster *cluster;
    double last_ps;                /* when the last pod that can find a node comes, and has ended */
    double work_ps;                /* GPU time of all pods */
    double forever_milli;          /* of GPUs, by those that never leave */
    double waiting;                /* pods that wait, on average */
    double hopeless;               /* of which no node can hold so many */
    double mtbf_ps;                /* of what stops every pod sooner or later; INFINITY: nothing does */
    const struct sms__node *waits; /* most of them */
    double most;
    double runs; /* policies and replications */
    struct sms__effort *effort;
    const struct sms__workload *seen[2]; /* of which the job is known, as wholes and in blocks: */
    struct sms__job job[2];
    double steps;
};

/* `count` of these pods come, in this group. */
struct pods {
    const struct sms__pods *group, *like;
    double count;
};

/* What comes, group by group; a sample as a part of its rows, each so often. */
static void for_pods(struct outlook *outlook, void (*see)(struct outlook *outlook, const struct pods *pods))
{
    for (size_t g = 0; g < outlook->cluster->groups; g++) {
        const struct sms__pods *group = &outlook->cluster->pod[g];
        size_t rows = group->rows < ROWS_LOOKED_AT ? group->rows : ROWS_LOOKED_AT;
        struct pods pods = {group, group, (double)group->count};
        if (!group->pool && !rows)
            see(outlook, &pods);
        pods.count /= (double)(rows ? rows : 1);
        for (size_t r = 0; r < rows; r++) {
            pods.like = &outlook->cluster->pod[group->first_row + r];
            see(outlook, &pods);
        }
    }
}

static const struct sms__vm *vm_of(const struct outlook *outlook, const struct pods *pods)
{
    uint16_t tenant = pods->group->lasts ? 0 : pods->like->tenant;
    return tenant ? &outlook->scenario->vm[tenant - 1] : NULL;
}

static struct sms__job job_of(struct outlook *outlook, const struct sms__vm *vm, bool in_blocks)
{
    if (outlook->seen[in_blocks] == vm->workload)
        return outlook->job[in_blocks];
    outlook->steps += (double)vm->workload->steps;
    if (outlook->steps > SMS__STEPS_SEEN)
        return (struct sms__job){0};
    outlook->seen[in_blocks] = vm->workload;
    outlook->job[in_blocks] = sms__measure_job(vm->workload, vm->fit[0], outlook->scenario->device[0], in_blocks);
    return outlook->job[in_blocks];
}

/* From its start to its end; 0: it never leaves. */
static double length_of(struct outlook *outlook, const struct pods *pods)
{
    const struct sms__vm *vm = vm_of(outlook, pods);
    if (vm)
        return (double)vm->repeat * fmax(job_of(outlook, vm, true).ps, vm->period_ps);
    return pods->group->rows && !pods->group->lasts ? pods->like->duration_ps : pods->group->duration_ps;
}

static bool is_held(const struct outlook *outlook, const struct pods *pods)
{
    return !outlook->cluster->held || outlook->cluster->held[pods->like->shape];
}

static double milli_of(const struct outlook *outlook, const struct pods *pods)
{
    return (double)sms_pod_gpu_milli(&outlook->cluster->shape[pods->like->shape]);
}

/* One that begins anew after each failure takes mtbf x (e^(length / mtbf) - 1) on average. */
static double stretched(const struct outlook *outlook, const struct pods *pods, double length)
{
    bool again = pods->group->on_failure == SMS__RESTART && pods->group->restarts > 1000;
    double ratio = length / outlook->mtbf_ps;
    return again && ratio > 1e-6 ? outlook->mtbf_ps * (exp(fmin(ratio, 100)) - 1) : length;
}

static void see_end(struct outlook *outlook, const struct pods *pods)
{
    double length = stretched(outlook, pods, length_of(outlook, pods)), milli = milli_of(outlook, pods);
    double last = pods->group->start_ps + sms__mean_interval(&pods->group->arriving) * (double)pods->group->count;
    if (!is_held(outlook, pods))
        return;
    outlook->last_ps = fmax(outlook->last_ps, last + length);
    outlook->work_ps += pods->count * length * milli / 1000;
    outlook->forever_milli += length > 0 ? 0 : pods->count * milli;
}

static void wait_for(struct outlook *outlook, const struct pods *pods, double count)
{
    outlook->waiting += count;
    if (count <= outlook->most)
        return;
    outlook->most = count;
    outlook->waits = pods->group->node;
}

/* What no node can hold, what comes when all is taken for ever, and half of what comes beyond the work that can be
 * done. */
static void see_waiting(struct outlook *outlook, const struct pods *pods)
{
    double gpus = (double)sms__gpus_of(outlook->cluster), length = length_of(outlook, pods), over = 0;
    if (milli_of(outlook, pods) <= 0)
        over = 0;
    else if (length <= 0)
        over = 1 - gpus * 1000 / outlook->forever_milli;
    else if (outlook->last_ps > 0)
        over = (1 - gpus * outlook->last_ps / outlook->work_ps) / 2;
    bool held = is_held(outlook, pods);
    wait_for(outlook, pods, pods->count * (held ? fmax(over, 0) : 1));
    outlook->hopeless += held ? 0 : pods->count;
}

/* Of failures that come to every node. */
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

static struct outlook look(const struct sms_scenario *scenario)
{
    struct outlook outlook = {.scenario = scenario, .cluster = scenario->cluster};
    outlook.mtbf_ps = find_mtbf(outlook.cluster);
    for_pods(&outlook, see_end);
    if (outlook.cluster->gpu_milli)
        outlook.last_ps = fmax(outlook.last_ps, outlook.work_ps * 1000 / (double)outlook.cluster->gpu_milli);
    outlook.last_ps = fmin(outlook.last_ps, SMS__CLOCK_PS);
    if (scenario->duration_ps > 0)
        outlook.last_ps = fmin(outlook.last_ps, scenario->duration_ps);
    for_pods(&outlook, see_waiting);
    return outlook;
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

/* Jobs of pods that are alike, by themselves and in the run: no more than there is time for. */
static void add_jobs(struct outlook *outlook, const struct pods *pods)
{
    const struct sms_scenario *scenario = outlook->scenario;
    const struct sms__vm *vm = vm_of(outlook, pods);
    if (!vm)
        return;
    struct sms__job alone = job_of(outlook, vm, true);
    struct sms__job job = job_of(outlook, vm, scenario->fidelity == SMS__AS_BLOCKS);
    double jobs = vm->repeat ? (double)vm->repeat : INFINITY, length = fmax(alone.ps, vm->period_ps);
    double possible = length > 0 ? end_of(outlook) / length + 1 : jobs, processes = pods->count;
    bool cut = possible < jobs;
    processes *= (double)outlook->cluster->shape[pods->like->shape].gpus;
    if (cut) /* and no more at once than there are places */
        processes = fmin(processes, (double)outlook->cluster->slots * (double)sms__gpus_of(outlook->cluster));
    if (scenario->fidelity != SMS__AS_DURATION)
        sms__effort_add(outlook->effort, processes * fmin(jobs, possible) * job.events * outlook->runs, SMS__EVENT_S,
                        cut ? sms__at_duration(scenario) : sms__at_key(vm->node, "repeat"),
                        cut ? "jobs until the run is over" : "jobs");
    if (vm->repeat)
        sms__effort_add(outlook->effort,
                        fmin(jobs, SMS__ALONE_JOBS) * alone.events * outlook->runs * (double)scenario->devices,
                        SMS__EVENT_S, sms__at_key(vm->node, "workload"), "jobs by themselves");
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

/* Looks at nodes: at all for the first pod of a shape, and for each pod where the policy asks what it would cost. */
static void add_looks(const struct outlook *outlook, const struct sms__policy_use *use)
{
    const struct sms__cluster *cluster = outlook->cluster;
    double nodes = (double)cluster->nodes, looks = (double)cluster->shapes;
    if (use->place->asks)
        looks += cluster->pods;
    sms__effort_spend(outlook->effort, looks * nodes * (double)outlook->scenario->replications * LOOK_S,
                      sms__at_key(outlook->scenario->node, "pods"), "looks at nodes");
}

static double plain_try_s(const struct sms__cluster *cluster) { return TRY_S + TRY_NODE_S * (double)cluster->nodes; }

/* On average, of those that are tried again and those that are passed over as no node can hold them. */
static double shared_try_s(const struct outlook *outlook)
{
    double hopeless = outlook->waiting > 0 ? outlook->hopeless / outlook->waiting : 0;
    return SHARED_TRY_S * (1 - hopeless) + SKIPPED_TRY_S * hopeless;
}

/* Tries of one policy: each pod once, and each that waits again and again, one try after another. */
static void add_tries(const struct outlook *outlook, const struct sms__policy_use *use)
{
    const struct sms__cluster *cluster = outlook->cluster;
    const struct sms__gpushare *rules = cluster->gpushare;
    const struct sms_place_view view = {.params = use->place_param};
    double retry_ps = cluster->retry_most_ps, each_ps = 0, waiting = fmin(outlook->waiting, (double)cluster->shapes);
    double until = end_of(outlook);
    if (use->place->pace) {
        struct sms_place_pace pace = use->place->pace(&view, cluster->nodes);
        retry_ps = pace.retry_ps;
        each_ps = pace.query_ps + pace.decide_ps;
    } else if (rules) {
        retry_ps = rules->when == SMS__RETRY_TIMER ? rules->retry_most_ps : 0;
        each_ps = rules->round_trip_ps;
        until = outlook->last_ps; /* then nothing changes any more, and they are left alone */
    }
    bool singly = use->place->pace || rules;
    waiting = singly ? outlook->waiting : waiting; /* else a line of pods of one shape is tried by its first */
    double again = retry_ps > 0 ? waiting * until / retry_ps : 0;
    if (each_ps > 0)
        again = fmin(again, until / each_ps);
    double tries = again + (singly ? cluster->pods : 0), runs = (double)outlook->scenario->replications;
    sms__effort_add(outlook->effort, tries * runs, rules ? shared_try_s(outlook) : plain_try_s(cluster),
                    again > cluster->pods && outlook->waits ? outlook->waits : outlook->scenario->node,
                    "tries of pods that wait");
}

void sms__effort_of_cluster(const struct sms_scenario *scenario, struct sms__effort *effort)
{
    struct outlook outlook = look(scenario);
    outlook.runs = (double)scenario->policies * (double)scenario->replications;
    outlook.effort = effort;
    sms__effort_add(effort, 2 * outlook.cluster->pods * outlook.runs, POD_S / 2, sms__at_key(scenario->node, "pods"),
                    "pods");
    add_failures(&outlook);
    for_pods(&outlook, add_jobs);
    for_pods(&outlook, add_bursts);
    for (size_t p = 0; p < scenario->policies; p++) {
        add_looks(&outlook, &scenario->policy[p]);
        add_tries(&outlook, &scenario->policy[p]);
    }
}
