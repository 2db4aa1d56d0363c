/* Nodes and GPUs fail and return. Who has a place on what fails loses it, and waits again or is lost. Of what is down
 * nothing is left, so that no pod fits it. */
#include "cluster.h"
#include "hosts.h"

#include "../../base/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* One node or GPU under one entry of `failures:`. */
struct sms__cause {
    const struct sms__failure *failure;
    uint32_t node;
    int gpu; /* -1: the node */
    bool down;
    uint64_t turns_ps; /* next */
    gsl_rng *stream;   /* NULL: at a given time */
};

static void add_cause(struct sms__cluster_run *run, const struct sms__failure *failure, size_t n, int gpu)
{
    char node[200], name[256];
    size_t idx = run->causes++;
    struct sms__cause *cause = &run->cause[idx];
    *cause = (struct sms__cause){.failure = failure, .node = (uint32_t)n, .gpu = gpu};
    uint64_t at = (uint64_t)(failure->at_ps + 0.5);
    if (failure->mtbf_ps > 0) {
        sms__node_name(run->cluster, n, node, sizeof node);
        snprintf(name, sizeof name, gpu < 0 ? "failures/%s" : "failures/%s/gpu%d", node, gpu);
        cause->stream = sms__stream(run->arena, run->spec->seed, name, 0);
        at = sms__after(0, failure->mtbf_ps * sms__exponential(cause->stream));
    }
    run->given += !cause->stream;
    sms__queue_set(&run->failing, idx, at);
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

void sms__failures_init(struct sms__cluster_run *run)
{
    const struct sms__cluster *cluster = run->cluster;
    if (cluster->failures == 0)
        return;
    size_t most = (size_t)(cluster->failing + 0.5);
    run->cause = SMS__NEW(run->arena, struct sms__cause, most);
    run->downs = SMS__NEW(run->arena, struct sms__downs, cluster->nodes);
    run->aside = SMS__NEW(run->arena, struct sms_gpu_view, sms__gpus_of(cluster));
    run->cut = SMS__NEW(run->arena, uint32_t, run->pods);
    sms__queue_init(&run->failing, run->arena, most);
    for (size_t i = 0; i < cluster->failures; i++)
        add_causes(run, &cluster->failure[i]);
}

/* What is drawn goes on for ever: in a run without a duration it is left alone when nothing else will happen. */
static bool matters(const struct sms__cluster_run *run)
{
    if (run->scenario->duration_ps > 0)
        return true;
    bool tried = run->returning || sms__queue_first(&run->waking).time != SMS__NEVER;
    bool waits = (run->waiting && tried) || (run->returning && sms__master_waits(run));
    return run->given || run->come < run->pods || run->ends || waits;
}

/* When it turns again, after it did. */
static uint64_t next_turn(const struct sms__cause *cause, uint64_t now)
{
    const struct sms__failure *failure = cause->failure;
    double delay = cause->down && failure->for_ps > 0 ? failure->for_ps : INFINITY;
    if (cause->stream)
        delay = sms__exponential(cause->stream) * (cause->down ? failure->mttr_ps : failure->mtbf_ps);
    return sms__after(now, delay);
}

/* While nothing went on but a master's tries, failures were left alone, and the time of some is over. All is up then,
 * and what is drawn has no memory: it is drawn again from now. */
static void draw_again(struct sms__cluster_run *run)
{
    uint64_t now = run->engine.now;
    for (struct sms__match next; (next = sms__queue_first(&run->failing)).time < now;) {
        struct sms__cause *cause = &run->cause[next.source];
        cause->turns_ps = next_turn(cause, now);
        sms__queue_set(&run->failing, next.source, cause->turns_ps);
    }
}

void sms__failures_await(struct sms__cluster_run *run)
{
    if (!run->causes)
        return;
    sms__engine_at(&run->engine, run->fail_source, SMS__NEVER);
    if (run->gpushare ? sms__gpushare_is_over(run) : !matters(run) && !sms__hosts_go_on(run))
        return;
    draw_again(run);
    sms__engine_at(&run->engine, run->fail_source, sms__queue_first(&run->failing).time);
}

/* Whether the pod has ended instead of being cut. */
static bool stop(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    if (run->gpushare && !sms__gpushare_runs(run, p))
        return sms__gpushare_stop(run, p, now);
    return sms__hosts_cut(run, p, now);
}

static bool is_on(const struct sms__cluster_run *run, uint32_t p, uint16_t gpus)
{
    if (run->gpushare)
        return sms__gpushare_runs(run, p) && (sms__gpushare_gpus(run, p) & gpus);
    return run->pod[p].gpus & gpus;
}

/* Whether a pod that has been cut off so often, since it was let run, does not wait again. */
static bool is_lost(const struct sms__cluster_run *run, uint32_t p, uint32_t cuts)
{
    const struct sms__pods *group = &run->cluster->pod[run->pod[p].group];
    return group->on_failure == SMS__LOST || cuts - sms__gpushare_timeouts(run, p) > group->restarts;
}

/* Takes the pods on those GPUs, or all of the node, off it. */
static void cut_pods(struct sms__cluster_run *run, size_t n, uint16_t gpus, bool all, uint64_t now)
{
    for (uint32_t p = run->book[n].first_pod, next; p != SMS__NO_POD; p = next) {
        const struct sms__pod *pod = &run->pod[p];
        const struct sms_pod_view *view = &run->cluster->shape[pod->shape];
        next = pod->next;
        if (!(all || is_on(run, p, gpus)) || stop(run, p, now))
            continue;
        uint64_t from = pod->since_ps > run->spec->record->from_ps ? pod->since_ps : run->spec->record->from_ps;
        run->record->wasted_ps += (sms__integral)(now - from) * sms_pod_gpu_milli(view);
        sms__gpushare_tell(run, p, now, all ? "cut off: its node fails" : "cut off: its GPU fails");
        sms__pod_cut(run, p, is_lost(run, p, pod->attempt + 1) ? "lost" : "restarted", now);
        run->cut[run->cuts++] = p;
    }
}

/* After the counts of what is down on a node have changed. */
static void apply(struct sms__cluster_run *run, size_t n, uint64_t now)
{
    const struct sms__downs *downs = &run->downs[n];
    uint16_t lost = 0, before = run->book[n].lost;
    bool was_down = run->node[n].down;
    for (uint32_t i = 0; i < run->node[n].gpus; i++)
        lost |= (uint16_t)((downs->node || downs->gpu[i]) << i);
    cut_pods(run, n, lost & (uint16_t)~before, downs->node > 0, now);
    sms__books_settle(run, now);
    sms__books_lose(run, n, downs->node > 0, lost);
    sms__note_freed(run, (uint32_t)n);
    if (run->node[n].down != was_down)
        sms__watch_node(run, n, now);
    sms__master_stir(run);
}

static void turn(struct sms__cluster_run *run, size_t idx, uint64_t now)
{
    struct sms__cause *cause = &run->cause[idx];
    const struct sms__failure *failure = cause->failure;
    struct sms__downs *downs = &run->downs[cause->node];
    uint32_t *count = cause->gpu < 0 ? &downs->node : &downs->gpu[cause->gpu];
    bool returns = failure->mtbf_ps > 0 || failure->for_ps > 0;
    cause->down = !cause->down;
    cause->turns_ps = next_turn(cause, now);
    run->given -= !cause->stream && !(cause->down && returns);
    run->returning += !returns ? 0 : cause->down ? 1 : (size_t)-1;
    if (cause->down && *count == 0)
        sms__tally_failure(run, cause->node);
    *count += cause->down ? 1 : (uint32_t)-1;
    if (run->gpushare && cause->gpu >= 0 && *count == cause->down)
        sms__gpushare_sicken(run, cause->node, (uint32_t)cause->gpu, cause->down);
    apply(run, cause->node, now);
    sms__queue_set(&run->failing, idx, cause->turns_ps);
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

/* Who was cut off waits again, behind those that wait already, or is lost. */
static void put_back(struct sms__cluster_run *run, uint64_t now)
{
    if (run->cuts > 1)
        qsort(run->cut, run->cuts, sizeof *run->cut, compare_pods);
    for (size_t i = 0; i < run->cuts; i++) {
        struct sms__pod *pod = &run->pod[run->cut[i]];
        if (is_lost(run, run->cut[i], pod->attempt)) {
            lose(run, pod);
            continue;
        }
        run->record->restarts++;
        sms__lines_add(run, run->cut[i], now);
    }
    run->cuts = 0;
}

void sms__failures_come(struct sms__cluster_run *run, uint64_t now)
{
    sms__hosts_end(run, now);
    for (struct sms__match next; (next = sms__queue_first(&run->failing)).time <= now;)
        turn(run, next.source, now);
    put_back(run, now);
    sms__lines_unblock(run, now);
    sms__lines_serve(run, now);
}
