/* A scheduling cycle under gpushare: the filters, the choice of a node, and the bind request. Specification 001, 1.3,
 * steps 1 to 6. */
#include "gpushare.h"

#include <math.h>

static double score(struct sms__placing *placing, size_t n, const struct sms_pod_view *pod)
{
    uint8_t chosen[SMS_NODE_GPUS_MAX];
    struct sms_gpu_view gpu[SMS_NODE_GPUS_MAX];
    struct sms_node_view view = sms__extender_view(placing, n, gpu);
    double score = sms__score_node(placing, &view, pod, chosen);
    if (!isfinite(score) && score != -INFINITY)
        sms__placing_stop(placing, "gave a score that is not finite");
    return score;
}

/* Of the nodes that were kept; there are some. SMS__NO_NODE: the policy wants none of them. */
static uint32_t find_best(struct sms__placing *placing, const struct sms_pod_view *pod)
{
    const struct sms__gpushare_run *run = placing->gpushare;
    uint32_t best = run->kept[0];
    double most = score(placing, best, pod);
    for (size_t i = 1; i < run->passed; i++) {
        double own = score(placing, run->kept[i], pod);
        best = own > most ? run->kept[i] : best;
        most = own > most ? own : most;
    }
    return most > -INFINITY ? best : SMS__NO_NODE;
}

static uint32_t pick_plainly(struct sms__placing *placing, const struct sms_pod_view *pod)
{
    const struct sms__gpushare_run *run = placing->gpushare;
    uint32_t node = run->kept[0];
    if (placing->order == SMS_PLACE_BEST)
        node = find_best(placing, pod);
    else if (placing->order == SMS_PLACE_RANDOM)
        node = run->kept[gsl_rng_uniform_int(placing->random, run->passed)];
    else if (placing->order == SMS_PLACE_NEXT)
        for (size_t i = run->passed; i-- > 0 && run->kept[i] > placing->last;)
            node = run->kept[i];
    placing->last = node;
    return node;
}

static uint32_t pick_node(struct sms__placing *placing, uint32_t p)
{
    if (!placing->gpushare->remembered)
        return pick_plainly(placing, sms__shape(placing, p));
    uint32_t node = sms__find_node(placing, placing->pod[p].shape);
    if (placing->wrong)
        sms__placing_stop(placing, placing->wrong);
    return node;
}

/* kube-scheduler assumes that the pod is on the node. */
static void claim(struct sms__placing *placing, uint32_t p, uint32_t node)
{
    const struct sms_pod_view *pod = sms__shape(placing, p);
    struct sms__claim *claim = &placing->gpushare->claim[node];
    claim->cpu_milli += pod->cpu_milli;
    claim->memory += pod->memory;
    claim->bytes += pod->gpus * pod->gpu_memory;
    placing->gpushare->client[p].node = node;
    sms__log_change(placing, node);
}

void sms__claim_release(struct sms__placing *placing, uint32_t p)
{
    const struct sms_pod_view *pod = sms__shape(placing, p);
    struct sms__claim *claim = &placing->gpushare->claim[placing->gpushare->client[p].node];
    claim->cpu_milli -= pod->cpu_milli;
    claim->memory -= pod->memory;
    claim->bytes -= pod->gpus * pod->gpu_memory;
    sms__log_change(placing, placing->gpushare->client[p].node);
}

static void reject(struct sms__placing *placing, uint32_t p, uint64_t now)
{
    struct sms__gpushare_run *run = placing->gpushare;
    placing->record->gpushare.rejections++;
    sms__candidate_back_off(placing, p, run->cycle_version, now);
    sms__tell(placing, p, now, "Pending: no node; tried again after %.6g s", (double)run->client[p].delay_ps / 1e12);
}

/* Chooses GPUs on the node, which the pod fits, and puts it there. */
static void put(struct sms__placing *placing, uint32_t p, uint32_t node, const struct sms_node_view *view, uint64_t now)
{
    uint16_t gpus;
    const char *wrong = sms__choose_gpus(placing, view, sms__shape(placing, p), &gpus);
    if (wrong) {
        sms__placing_stop(placing, wrong);
        return;
    }
    sms__pod_put(placing, p, node, gpus, now);
    sms__plugin_assumed(placing, p, now);
}

static void put_unshared(struct sms__placing *placing, uint32_t p, uint64_t now)
{
    struct sms_gpu_view gpu[SMS_NODE_GPUS_MAX];
    uint32_t node = pick_node(placing, p);
    if (placing->engine.stopped)
        return;
    if (node == SMS__NO_NODE) {
        reject(placing, p, now);
        return;
    }
    struct sms_node_view view = sms__extender_view(placing, node, gpu);
    put(placing, p, node, &view, now);
}

/* Whether the extender has to be waited for. */
static bool begin_cycle(struct sms__placing *placing, uint32_t p, uint64_t now)
{
    struct sms__gpushare_run *run = placing->gpushare;
    sms__candidate_begin(placing, p);
    run->cycle_version = run->version;
    if (sms__filter_by_default(placing, p, now) == 0) {
        reject(placing, p, now);
        return false;
    }
    if (!sms__is_shared(sms__shape(placing, p))) {
        put_unshared(placing, p, now);
        return false;
    }
    run->cycle = p;
    sms__engine_at(&placing->engine, run->filter_source, sms__after_if_any(now, run->rules->round_trip_ps));
    return true;
}

void sms__extender_cycles(struct sms__placing *placing, uint64_t now)
{
    struct sms__gpushare_run *run = placing->gpushare;
    struct sms__match next;
    while (run->cycle == SMS__NO_POD && !placing->engine.stopped &&
           (next = sms__queue_first(&run->active)).time != SMS__NEVER)
        if (begin_cycle(placing, (uint32_t)next.source, now))
            return;
}

void sms__extender_filtered(void *subject, uint64_t now)
{
    struct sms__placing *placing = subject;
    struct sms__gpushare_run *run = placing->gpushare;
    uint32_t p = run->cycle;
    run->cycle = SMS__NO_POD;
    sms__engine_defer(&placing->engine, &run->act);
    bool passed = sms__filter_by_extender(placing, p, now) > 0;
    uint32_t node = passed ? pick_node(placing, p) : SMS__NO_NODE;
    if (node == SMS__NO_NODE) {
        reject(placing, p, now);
        return;
    }
    claim(placing, p, node);
    run->client[p].state = SMS__CANDIDATE_BINDING;
    run->bind = p;
    sms__engine_at(&placing->engine, run->bind_source, sms__after_if_any(now, run->rules->round_trip_ps));
}

static void fail_to_bind(struct sms__placing *placing, uint32_t p, uint64_t now)
{
    struct sms__gpushare_run *run = placing->gpushare;
    char node[256];
    placing->record->gpushare.bind_failures++;
    sms__node_name(placing->cluster, run->client[p].node, node, sizeof node);
    bool down = placing->node[run->client[p].node].down;
    sms__tell(placing, p, now,
              down ? "bind failed: %s has failed" : "bind failed: no GPU of %s has the memory any more", node);
    if (run->rules->bind_failure == SMS__BIND_SILENT) {
        run->client[p].state = SMS__CANDIDATE_CLAIMED;
        sms__candidate_timer(placing, p, sms__after(now, run->rules->assume_timeout_ps));
        return;
    }
    sms__claim_release(placing, p);
    sms__candidate_back_off(placing, p, 0, now);
    sms__gpushare_changed(placing);
}

void sms__extender_bound(void *subject, uint64_t now)
{
    struct sms__placing *placing = subject;
    struct sms__gpushare_run *run = placing->gpushare;
    struct sms_gpu_view gpu[SMS_NODE_GPUS_MAX];
    uint32_t p = run->bind, node = run->client[p].node;
    struct sms_node_view view = sms__extender_view(placing, node, gpu);
    run->bind = SMS__NO_POD;
    run->changed = true;
    sms__engine_defer(&placing->engine, &run->act);
    if (!sms_node_fits(&view, sms__shape(placing, p))) {
        fail_to_bind(placing, p, now);
        return;
    }
    sms__claim_release(placing, p);
    put(placing, p, node, &view, now);
}
