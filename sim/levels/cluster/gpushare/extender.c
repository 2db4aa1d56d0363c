/* A scheduling cycle under gpushare: kube-scheduler's own filter, the extender's, the choice of a node, and the bind
 * request. Specification 001, 1.3, steps 1 to 6. */
#include "gpushare.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What is said of nodes that are left out, for `explain`. */
enum { NOTES = 8 };

struct notes {
    bool wanted;
    size_t count, used;
    char text[1500];
};

static void note(const struct sms__placing *placing, struct notes *notes, size_t node, const char *format)
{
    char name[256], text[400];
    if (!notes->wanted || notes->count++ >= NOTES)
        return;
    sms__node_name(placing->cluster, node, name, sizeof name);
    snprintf(text, sizeof text, format, name);
    int more = snprintf(notes->text + notes->used, sizeof notes->text - notes->used, "; %s: %s", name, text);
    notes->used += (size_t)more < sizeof notes->text - notes->used ? (size_t)more : 0;
}

static const char *close_notes(struct notes *notes)
{
    if (notes->count > NOTES)
        snprintf(notes->text + notes->used, sizeof notes->text - notes->used, "; and %zu more", notes->count - NOTES);
    return notes->text;
}

struct sms_node_view sms__extender_view(const struct sms__placing *placing, size_t n, struct sms_gpu_view *gpu)
{
    const struct sms__gpushare_run *run = placing->gpushare;
    struct sms_node_view view = placing->node[n];
    const uint64_t *others = run->rules->quirks.others_blind ? NULL : run->kind[n]->shared->others;
    for (uint32_t i = 0; i < view.gpus; i++) {
        gpu[i] = *sms__gpu_book(placing, n, i);
        if (others) { /* what is counted of the card, and not used by others */
            uint64_t raw = run->kind[n]->shared->raw, free = raw > others[i] ? raw - others[i] : 0;
            uint64_t lost = view.gpu_memory > free ? view.gpu_memory - free : 0;
            gpu[i].memory_left -= gpu[i].memory_left < lost ? gpu[i].memory_left : lost;
        }
        if (run->rules->quirks.unhealthy && (run->sick_now[n] >> i & 1))
            gpu[i] = (struct sms_gpu_view){.pods = gpu[i].pods};
    }
    view.gpu = gpu;
    return view;
}

/* GPU memory of the node that pods asked for, as kube-scheduler counts it, or cards. */
static bool has_memory(const struct sms__placing *placing, size_t n, const struct sms_pod_view *pod)
{
    const struct sms_node_view *node = &placing->node[n];
    const struct sms__claim *claim = &placing->gpushare->claim[n];
    uint64_t left = 0;
    for (uint32_t i = 0; i < node->gpus; i++)
        left += sms__gpu_book(placing, n, i)->memory_left;
    return placing->gpushare->kind[n]->shared->memory && left >= claim->bytes + pod->gpus * pod->gpu_memory;
}

static bool has_cards(const struct sms__placing *placing, size_t n, const struct sms_pod_view *pod)
{
    struct sms_gpu_view gpu[SMS_NODE_GPUS_MAX];
    struct sms_node_view node = sms__extender_view(placing, n, gpu);
    return sms_node_fits(&node, pod);
}

static bool has_model(const struct sms_node_view *node, const struct sms_pod_view *pod)
{
    return pod->gpus == 0 || (node->model >= 0 && (pod->models >> node->model & 1));
}

static bool filter_by_default(struct sms__placing *placing, size_t n, const struct sms_pod_view *pod,
                              struct notes *notes)
{
    struct sms__gpushare_record *record = &placing->record->gpushare;
    const struct sms__gpushare_run *run = placing->gpushare;
    const struct sms_node_view *node = &placing->node[n];
    const struct sms__claim *claim = &run->claim[n];
    bool memory = run->kind[n]->shared->memory;
    if (run->absent[n])
        return false;
    if (node->down) {
        note(placing, notes, n, "the node has failed");
        return false;
    }
    if (node->cpu_left < claim->cpu_milli + pod->cpu_milli || node->memory_left < claim->memory + pod->memory) {
        record->left_out[SMS__LEFT_OUT_HOST]++;
        note(placing, notes, n, "Insufficient cpu or memory");
        return false;
    }
    if (sms__is_shared(pod) && run->rules->default_filter && !has_memory(placing, n, pod)) {
        record->left_out[SMS__LEFT_OUT_MEMORY]++;
        note(placing, notes, n, "Insufficient aliyun.com/gpu-mem");
        return false;
    }
    bool other_model = sms__is_shared(pod) ? memory && !has_model(node, pod) : !has_model(node, pod);
    if (other_model || (!sms__is_shared(pod) && !has_cards(placing, n, pod))) {
        record->left_out[SMS__LEFT_OUT_GPUS]++;
        note(placing, notes, n, other_model ? "no GPUs that the pod may use" : "Insufficient nvidia.com/gpu");
        return false;
    }
    return true;
}

static bool filter_by_extender(struct sms__placing *placing, size_t n, const struct sms_pod_view *pod,
                               struct notes *notes)
{
    struct sms__gpushare_record *record = &placing->record->gpushare;
    struct sms_gpu_view gpu[SMS_NODE_GPUS_MAX];
    if (!placing->gpushare->kind[n]->shared->memory) {
        record->left_out[SMS__LEFT_OUT_NOT_SHARED]++;
        note(placing, notes, n, "The node %s is not for GPU share, need skip");
        return false;
    }
    struct sms_node_view view = sms__extender_view(placing, n, gpu);
    if (view.down)
        note(placing, notes, n, "the node has failed");
    if (view.down || sms_node_fits(&view, pod))
        return !view.down;
    record->left_out[SMS__LEFT_OUT_DEVICE]++;
    note(placing, notes, n, "Insufficient GPU Memory in one device");
    return false;
}

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
    for (size_t i = 1; i < run->kepts; i++) {
        double own = score(placing, run->kept[i], pod);
        best = own > most ? run->kept[i] : best;
        most = own > most ? own : most;
    }
    return most > -INFINITY ? best : SMS__NO_NODE;
}

static uint32_t pick_node(struct sms__placing *placing, const struct sms_pod_view *pod)
{
    const struct sms__gpushare_run *run = placing->gpushare;
    uint32_t node = run->kept[0];
    if (placing->order == SMS_PLACE_BEST)
        node = find_best(placing, pod);
    else if (placing->order == SMS_PLACE_RANDOM)
        node = run->kept[gsl_rng_uniform_int(placing->random, run->kepts)];
    else if (placing->order == SMS_PLACE_NEXT)
        for (size_t i = run->kepts; i-- > 0 && run->kept[i] > placing->last;)
            node = run->kept[i];
    placing->last = node;
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
}

void sms__claim_release(struct sms__placing *placing, uint32_t p)
{
    const struct sms_pod_view *pod = sms__shape(placing, p);
    struct sms__claim *claim = &placing->gpushare->claim[placing->gpushare->client[p].node];
    claim->cpu_milli -= pod->cpu_milli;
    claim->memory -= pod->memory;
    claim->bytes -= pod->gpus * pod->gpu_memory;
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
    uint32_t node = pick_node(placing, sms__shape(placing, p));
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
    const struct sms_pod_view *pod = sms__shape(placing, p);
    struct notes notes = {.wanted = sms__is_told(placing)};
    sms__candidate_begin(placing, p);
    run->cycle_version = run->version;
    run->kepts = 0;
    for (size_t n = 0; n < placing->cluster->nodes; n++)
        if (filter_by_default(placing, n, pod, &notes))
            run->kept[run->kepts++] = (uint32_t)n;
    sms__tell(placing, p, now, "default filter: %zu node%s pass%s%s", run->kepts, run->kepts == 1 ? "" : "s",
              run->kepts == 1 ? "es" : "", close_notes(&notes));
    if (run->kepts == 0) {
        reject(placing, p, now);
        return false;
    }
    if (!sms__is_shared(pod)) {
        put_unshared(placing, p, now);
        return false;
    }
    run->cycle = p;
    sms__engine_at(&placing->engine, run->filter_source, sms__in(now, run->rules->round_trip_ps));
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
    struct notes notes = {.wanted = sms__is_told(placing)};
    uint32_t p = run->cycle;
    size_t passed = 0;
    run->cycle = SMS__NO_POD;
    for (size_t i = 0; i < run->kepts; i++)
        if (filter_by_extender(placing, run->kept[i], sms__shape(placing, p), &notes))
            run->kept[passed++] = run->kept[i];
    run->kepts = passed;
    sms__tell(placing, p, now, "extender filter: %zu node%s pass%s%s", passed, passed == 1 ? "" : "s",
              passed == 1 ? "es" : "", close_notes(&notes));
    sms__engine_defer(&placing->engine, &run->act);
    uint32_t node = passed ? pick_node(placing, sms__shape(placing, p)) : SMS__NO_NODE;
    if (node == SMS__NO_NODE) {
        reject(placing, p, now);
        return;
    }
    claim(placing, p, node);
    run->client[p].state = SMS__CANDIDATE_BINDING;
    run->bind = p;
    sms__engine_at(&placing->engine, run->bind_source, sms__in(now, run->rules->round_trip_ps));
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
