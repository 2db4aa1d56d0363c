/* A scheduling cycle under gpushare: the filters, the choice of a node, and the bind request. Specification 001, 1.3,
 * steps 1 to 6. */
#include "../../levels/cluster/cluster_run.h"
#include "gpushare_run.h"

/* Chooses among the nodes that passed; SMS__NO_NODE: the policy wants none of them. */
static uint32_t pick_node(struct sms__cluster_run *run, uint32_t p)
{
    const struct sms__gpushare_state *gpushare = sms__gpushare(run);
    return sms__find_among(run, run->pod[p].shape, gpushare->cycle.kept, gpushare->cycle.passed);
}

/* kube-scheduler assumes that the pod is on the node. */
static void claim(struct sms__cluster_run *run, uint32_t p, uint32_t node)
{
    const struct sms_pod_view *pod = sms__pod_shape(run, p);
    struct sms__claim *claim = &sms__gpushare(run)->claim[node];
    claim->cpu_milli += pod->cpu_milli;
    claim->memory += pod->memory;
    claim->bytes += pod->gpus * pod->gpu_memory;
    sms__gpushare(run)->candidate[p].node = node;
}

void sms__claim_release(struct sms__cluster_run *run, uint32_t p)
{
    const struct sms_pod_view *pod = sms__pod_shape(run, p);
    struct sms__claim *claim = &sms__gpushare(run)->claim[sms__gpushare(run)->candidate[p].node];
    claim->cpu_milli -= pod->cpu_milli;
    claim->memory -= pod->memory;
    claim->bytes -= pod->gpus * pod->gpu_memory;
}

static void reject(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    run->record->cards.rejections++;
    sms__candidate_back_off(run, p, gpushare->cycle.version, now);
    sms__explain_pod(run, p, now, "Pending: no node; tried again after %.6g s",
                     (double)gpushare->candidate[p].delay_ps / 1e12);
}

/* Chooses GPUs on the node, which the pod fits, and puts it there. */
static void put(struct sms__cluster_run *run, uint32_t p, uint32_t node, const struct sms_node_view *view, uint64_t now)
{
    struct sms__seat seat;
    const char *wrong = sms__choose_seat(run, view, sms__pod_shape(run, p), &seat);
    if (wrong) {
        sms__cluster_stop(run, wrong);
        return;
    }
    sms__pod_put(run, p, node, seat, now);
    sms__plugin_assumed(run, p, now);
}

static void put_unshared(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    struct sms_gpu_view gpu[SMS_NODE_GPUS_MAX];
    uint32_t node = pick_node(run, p);
    if (run->engine.stopped)
        return;
    if (node == SMS__NO_NODE) {
        reject(run, p, now);
        return;
    }
    struct sms_node_view view = sms__extender_view(run, node, gpu);
    put(run, p, node, &view, now);
}

/* Returns whether the cycle waits for the extender. */
static bool begin_cycle(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    sms__candidate_begin(run, p);
    gpushare->cycle.version = gpushare->version;
    if (sms__filter_nodes(run, p, false, now) == 0) {
        reject(run, p, now);
        return false;
    }
    if (!sms__is_shared(sms__pod_shape(run, p))) {
        put_unshared(run, p, now);
        return false;
    }
    gpushare->cycle.pod = p;
    sms__engine_at(&run->engine, gpushare->cycle.filter_source, sms__after_if_any(now, gpushare->rules->round_trip_ps));
    return true;
}

void sms__cycles_begin(struct sms__cluster_run *run, uint64_t now)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    struct sms__match next;
    while (gpushare->cycle.pod == SMS__NO_POD && !sms__engine_ends(&run->engine) &&
           (next = sms__queue_first(&gpushare->active)).time != SMS__NEVER)
        if (begin_cycle(run, (uint32_t)next.source, now))
            return;
}

void sms__extender_filtered(void *subject, uint64_t now)
{
    struct sms__cluster_run *run = subject;
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    uint32_t p = gpushare->cycle.pod;
    gpushare->cycle.pod = SMS__NO_POD;
    sms__engine_defer(&run->engine, &gpushare->act);
    bool passed = sms__filter_nodes(run, p, true, now) > 0;
    uint32_t node = passed ? pick_node(run, p) : SMS__NO_NODE;
    if (node == SMS__NO_NODE) {
        reject(run, p, now);
        return;
    }
    claim(run, p, node);
    gpushare->candidate[p].state = SMS__CANDIDATE_BINDING;
    gpushare->cycle.binding = p;
    sms__engine_at(&run->engine, gpushare->cycle.bind_source, sms__after_if_any(now, gpushare->rules->round_trip_ps));
}

static void fail_to_bind(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    char node[256];
    run->record->cards.bind_failures++;
    sms__node_name(run->cluster, gpushare->candidate[p].node, node, sizeof node);
    sms__explain_pod(run, p, now, "bind failed: no GPU of %s has the memory any more", node);
    if (gpushare->rules->bind_failure == SMS__BIND_SILENT) {
        gpushare->candidate[p].state = SMS__CANDIDATE_CLAIMED;
        sms__candidate_timer(run, p, sms__after(now, gpushare->rules->assume_timeout_ps));
        return;
    }
    sms__claim_release(run, p);
    sms__candidate_back_off(run, p, 0, now);
    sms__gpushare_changed(run);
}

void sms__extender_bound(void *subject, uint64_t now)
{
    struct sms__cluster_run *run = subject;
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    struct sms_gpu_view gpu[SMS_NODE_GPUS_MAX];
    uint32_t p = gpushare->cycle.binding, node = gpushare->candidate[p].node;
    struct sms_node_view view = sms__extender_view(run, node, gpu);
    gpushare->cycle.binding = SMS__NO_POD;
    gpushare->changed = true;
    sms__engine_defer(&run->engine, &gpushare->act);
    if (!sms_node_fits(&view, sms__pod_shape(run, p))) {
        fail_to_bind(run, p, now);
        return;
    }
    sms__claim_release(run, p);
    put(run, p, node, &view, now);
}
