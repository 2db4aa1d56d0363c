/* Nodes and GPUs fail and return. Pods on what fails lose their places, and wait again or are lost. Nothing is left of
 * what is down, so that no pod fits it. Entries of `failures:` may overlap: what is down is down until the last of them
 * lets it return. */
#include "observer.h"
#include "cluster_run.h"
#include "scheduler.h"

#include "../../base/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A node or GPU under one entry of `failures:`. */
struct cause {
    const struct sms__failure *failure;
    uint32_t node;
    int gpu; /* -1: the node */
    bool down;
    uint64_t next_ps; /* it fails or returns then */
    gsl_rng *stream;  /* NULL: at given times */
};

/* How many entries have the node and its GPUs down. */
struct downs {
    uint32_t node, gpu[SMS_NODE_GPUS_MAX];
};

struct sms__failures {
    struct cause *cause; /* [causes] */
    size_t causes;
    struct sms__queue queue; /* causes by their next time */
    struct downs *downs;     /* [nodes] */
    size_t given;            /* causes at given times with a failure or a return to come */
    size_t returning;        /* causes that are down and will return */
    uint32_t *cut;           /* [cuts]: pods that lost their places at this instant */
    size_t cuts;
    size_t source;
};

static void add_cause(struct sms__cluster_run *run, const struct sms__failure *failure, size_t n, int gpu)
{
    struct sms__failures *failures = run->failures;
    char node[200], name[256];
    size_t idx = failures->causes++;
    struct cause *cause = &failures->cause[idx];
    *cause = (struct cause){.failure = failure, .node = (uint32_t)n, .gpu = gpu};
    uint64_t at = (uint64_t)(failure->at_ps + 0.5);
    if (failure->mtbf_ps > 0) {
        sms__node_name(run->cluster, n, node, sizeof node);
        snprintf(name, sizeof name, gpu < 0 ? "failures/%s" : "failures/%s/gpu%d", node, gpu);
        cause->stream = sms__stream(run->arena, run->spec->seed, name, 0);
        at = sms__after(0, failure->mtbf_ps * sms__exponential(cause->stream));
    }
    failures->given += !cause->stream;
    sms__queue_set(&failures->queue, idx, at);
}

static void add_causes(struct sms__cluster_run *run, const struct sms__failure *failure)
{
    const struct sms__nodes *kind = sms__node_kind(run->cluster, failure->first);
    for (size_t n = failure->first; n < failure->first + failure->nodes; n++) {
        kind += n == kind->first + kind->count;
        uint32_t units = sms__units_of(kind, failure);
        for (int i = 0; i <= SMS_NODE_GPUS_MAX; i++)
            if (units >> i & 1)
                add_cause(run, failure, n, i < SMS_NODE_GPUS_MAX ? i : -1);
    }
}

void sms__failures_init(struct sms__cluster_run *run, void (*fire)(void *subject, uint64_t now))
{
    const struct sms__cluster *cluster = run->cluster;
    if (cluster->failures == 0)
        return;
    struct sms__failures *failures = SMS__NEW(run->arena, struct sms__failures, 1);
    size_t most = (size_t)(cluster->failing + 0.5);
    failures->cause = SMS__NEW(run->arena, struct cause, most);
    failures->downs = SMS__NEW(run->arena, struct downs, cluster->nodes);
    failures->cut = SMS__NEW(run->arena, uint32_t, run->pods);
    failures->source = sms__engine_source(&run->engine, SMS__LEVEL_TENANT, fire, run);
    sms__queue_init(&failures->queue, run->arena, most);
    run->failures = failures;
    for (size_t i = 0; i < cluster->failures; i++)
        add_causes(run, &cluster->failure[i]);
}

/* When the cause returns or fails again. */
static uint64_t next_toggle(const struct cause *cause, uint64_t now)
{
    const struct sms__failure *failure = cause->failure;
    double delay = cause->down && failure->for_ps > 0 ? failure->for_ps : INFINITY;
    if (cause->stream)
        delay = sms__exponential(cause->stream) * (cause->down ? failure->mttr_ps : failure->mtbf_ps);
    return sms__after(now, delay);
}

/* While nothing but retries went on, failures were held, and the times of some are over. All is up then, and what is
 * drawn at random has no memory: it is drawn again from now. */
static void draw_again(struct sms__cluster_run *run)
{
    struct sms__failures *failures = run->failures;
    uint64_t now = run->engine.now;
    for (struct sms__match next; (next = sms__queue_first(&failures->queue)).time < now;) {
        struct cause *cause = &failures->cause[next.source];
        cause->next_ps = next_toggle(cause, now);
        sms__queue_set(&failures->queue, next.source, cause->next_ps);
    }
}

void sms__failures_hold(struct sms__cluster_run *run)
{
    if (run->failures)
        sms__engine_at(&run->engine, run->failures->source, SMS__NEVER);
}

/* Failures drawn at random go on for ever: they are left alone when nothing else will happen. */
void sms__failures_await(struct sms__cluster_run *run)
{
    struct sms__failures *failures = run->failures;
    if (!failures || !failures->causes)
        return;
    sms__failures_hold(run);
    if (run->scheduler->is_over(run))
        return;
    draw_again(run);
    sms__engine_at(&run->engine, failures->source, sms__queue_least(&failures->queue));
}

bool sms__failures_given(const struct sms__cluster_run *run) { return run->failures && run->failures->given; }

bool sms__failures_returning(const struct sms__cluster_run *run) { return run->failures && run->failures->returning; }

/* Whether the pod has ended instead of being cut off. */
static bool stop_pod(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    bool (*abort)(struct sms__cluster_run * run, uint32_t pod, uint64_t now) = run->scheduler->abort;
    return abort ? abort(run, p, now) : sms__hosts_abort(run, p, now);
}

/* Whether a pod that has been cut off does not wait again. */
static bool is_lost(const struct sms__cluster_run *run, const struct sms__pod *pod)
{
    const struct sms__pods *group = &run->cluster->pod[pod->group];
    return group->on_failure == SMS__LOST || pod->cuts > group->restarts;
}

/* Takes the pod off its node, unless it ends instead. */
static void cut_pod(struct sms__cluster_run *run, uint32_t p, const char *why, uint64_t now)
{
    struct sms__failures *failures = run->failures;
    struct sms__pod *pod = &run->pod[p];
    if (stop_pod(run, p, now))
        return;
    uint64_t from = pod->since_ps > run->spec->record->from_ps ? pod->since_ps : run->spec->record->from_ps;
    const struct sms_pod_view *shape = sms__pod_shape(run, p);
    run->record->wasted_ps +=
        (sms__integral)(now - from) * shape->gpus * sms_node_milli(&run->ledger.node[pod->node], shape);
    sms__pod_explain(run, p, now, why);
    pod->cuts++;
    sms__pod_cut(run, p, is_lost(run, pod) ? "lost" : "restarted", now);
    failures->cut[failures->cuts++] = p;
}

/* Cuts off the other pods of a gang of which one was cut off. */
static void cut_gang(struct sms__cluster_run *run, uint32_t cut, uint64_t now)
{
    uint32_t p = cut;
    while (p > 0 && sms__same_gang(run, p - 1, cut))
        p--;
    for (; p < run->pods && sms__same_gang(run, p, cut); p++)
        if (run->pod[p].node != SMS__NO_NODE && !run->pod[p].ended)
            cut_pod(run, p, "cut off: another pod of its gang is", now);
}

/* Takes the pods on those GPUs, or all of the node, off it. */
static void cut_pods(struct sms__cluster_run *run, size_t n, uint16_t gpus, bool all, uint64_t now)
{
    const struct sms__failures *failures = run->failures;
    size_t first = failures->cuts;
    for (uint32_t p = run->ledger.entry[n].first_pod, next; p != SMS__NO_POD; p = next) {
        next = run->pod[p].next;
        if (all || sms__pod_gpus(run, p) & gpus)
            cut_pod(run, p, all ? "cut off: its node fails" : "cut off: its GPU fails", now);
    }
    for (size_t i = first, end = failures->cuts; i < end; i++)
        cut_gang(run, failures->cut[i], now);
}

/* Brings the node up to date after its count of causes has changed. */
static void update_node(struct sms__cluster_run *run, size_t n, uint64_t now)
{
    const struct downs *downs = &run->failures->downs[n];
    const struct sms_node_view *node = &run->ledger.node[n];
    uint16_t lost = 0, before = run->ledger.entry[n].lost;
    bool was_down = node->down;
    for (uint32_t i = 0; i < node->gpus; i++)
        lost |= (uint16_t)((downs->node || downs->gpu[i]) << i);
    cut_pods(run, n, lost & (uint16_t)~before, downs->node > 0, now);
    sms__ledger_integrate(run, now);
    sms__ledger_lose(run, n, downs->node > 0, lost);
    sms__ledger_note_freed(&run->ledger, (uint32_t)n);
    if (run->observer && node->down != was_down)
        run->observer->node(run, n, now);
}

static void toggle(struct sms__cluster_run *run, size_t index, uint64_t now)
{
    struct sms__failures *failures = run->failures;
    struct cause *cause = &failures->cause[index];
    const struct sms__failure *failure = cause->failure;
    struct downs *downs = &failures->downs[cause->node];
    uint32_t *count = cause->gpu < 0 ? &downs->node : &downs->gpu[cause->gpu];
    bool returns = failure->mtbf_ps > 0 || failure->for_ps > 0;
    cause->down = !cause->down;
    cause->next_ps = next_toggle(cause, now);
    failures->given -= !cause->stream && !(cause->down && returns);
    failures->returning += !returns ? 0 : cause->down ? 1 : (size_t)-1;
    if (cause->down && *count == 0)
        sms__count_failure(run, cause->node);
    *count += cause->down ? 1 : (uint32_t)-1;
    if (run->scheduler->health)
        run->scheduler->health(run, cause->node, *count == cause->down ? cause->gpu : -1, cause->down);
    update_node(run, cause->node, now);
    sms__queue_set(&failures->queue, index, cause->next_ps);
}

static int compare_pods(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void lose(struct sms__cluster_run *run, struct sms__pod *pod)
{
    bool timed = sms__pod_deadline(run, pod) > 0;
    pod->lost = true;
    run->record->lost++;
    run->record->timed += timed;
    run->record->missed += timed;
}

/* Pods that were cut off wait again, in order of arrival and behind those that wait already, or are lost. */
static void put_back(struct sms__cluster_run *run, uint64_t now)
{
    struct sms__failures *failures = run->failures;
    if (failures->cuts > 1)
        qsort(failures->cut, failures->cuts, sizeof *failures->cut, compare_pods);
    for (size_t i = 0; i < failures->cuts; i++) {
        struct sms__pod *pod = &run->pod[failures->cut[i]];
        if (is_lost(run, pod)) {
            lose(run, pod);
            continue;
        }
        run->record->restarts++;
        run->scheduler->add(run, failures->cut[i], now);
    }
    failures->cuts = 0;
}

void sms__failures_come(struct sms__cluster_run *run, uint64_t now)
{
    for (struct sms__match next; (next = sms__queue_first(&run->failures->queue)).time <= now;)
        toggle(run, next.source, now);
    put_back(run, now);
}
