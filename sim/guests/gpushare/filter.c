/* The two filters of a scheduling cycle under gpushare: kube-scheduler's own, and a round trip later the extender's.
 * Verdicts on nodes are cached for each shape of pods, and brought up to date from the ledger's log; the reference
 * engine asks every node every time. */
#include "../../levels/cluster/cluster_run.h"
#include "gpushare_run.h"

#include <stdio.h>

/* How many of the nodes that are left out an explanation names. */
enum { NOTES = 8 };

struct notes {
    char text[1500];
    size_t count, used;
};

/* The counter of each verdict, or NOT_COUNTED, and its message. */
enum { NOT_COUNTED = SMS__LEFT_OUTS };

static const struct {
    int left_out;
    const char *text;
} reasons[SMS__VERDICTS] = {
    [SMS__NODE_PASSES] = {NOT_COUNTED, NULL},
    [SMS__NODE_ABSENT] = {NOT_COUNTED, NULL},
    [SMS__NODE_LACKS_HOST] = {SMS__LEFT_OUT_HOST, "Insufficient cpu or memory"},
    [SMS__NODE_LACKS_MEMORY] = {SMS__LEFT_OUT_MEMORY, "Insufficient aliyun.com/gpu-mem"},
    [SMS__NODE_OF_OTHER_MODEL] = {SMS__LEFT_OUT_GPUS, "no GPUs that the pod may use"},
    [SMS__NODE_LACKS_CARDS] = {SMS__LEFT_OUT_GPUS, "Insufficient nvidia.com/gpu"},
    [SMS__NODE_NOT_SHARED] = {SMS__LEFT_OUT_NOT_SHARED, "The node %s is not for GPU share, need skip"},
    [SMS__NODE_LACKS_DEVICE] = {SMS__LEFT_OUT_DEVICE, "Insufficient GPU Memory in one device"},
};

static bool is_of_extender(uint8_t verdict) { return verdict >= SMS__NODE_NOT_SHARED || verdict == SMS__NODE_PASSES; }

static void count_left_out(struct sms__cluster_run *run, uint8_t verdict, uint64_t nodes)
{
    if (reasons[verdict].left_out != NOT_COUNTED)
        run->record->cards.left_out[reasons[verdict].left_out] += nodes;
}

static void note(const struct sms__cluster_run *run, struct notes *notes, size_t node, uint8_t verdict)
{
    char name[256], text[400];
    if (!reasons[verdict].text || notes->count++ >= NOTES)
        return;
    sms__node_name(run->cluster, node, name, sizeof name);
    snprintf(text, sizeof text, reasons[verdict].text, name);
    int more = snprintf(notes->text + notes->used, sizeof notes->text - notes->used, "; %s: %s", name, text);
    notes->used += (size_t)more < sizeof notes->text - notes->used ? (size_t)more : 0;
}

static void explain(struct sms__cluster_run *run, uint32_t p, const char *filter, struct notes *notes, uint64_t now)
{
    size_t passed = sms__gpushare(run)->cycle.passed;
    if (notes->count > NOTES)
        snprintf(notes->text + notes->used, sizeof notes->text - notes->used, "; and %zu more", notes->count - NOTES);
    sms__explain_pod(run, p, now, "%s filter: %zu node%s pass%s%s", filter, passed, passed == 1 ? "" : "s",
                     passed == 1 ? "es" : "", notes->text);
}

struct sms_node_view sms__extender_view(const struct sms__cluster_run *run, size_t n, struct sms_gpu_view *gpu)
{
    const struct sms__gpushare_state *gpushare = sms__gpushare(run);
    struct sms_node_view view = run->ledger.node[n];
    const uint64_t *others = gpushare->rules->quirks.others_blind ? NULL : gpushare->kind[n]->others;
    uint16_t unusable = gpushare->rules->quirks.unhealthy ? sms__unhealthy_gpus(run, n) : 0;
    for (uint32_t i = 0; i < view.gpus; i++) {
        gpu[i] = view.gpu[i];
        if (others) { /* only what others do not use of the card is left */
            uint64_t raw = gpushare->kind[n]->shared->raw, free = raw > others[i] ? raw - others[i] : 0;
            uint64_t lost = view.gpu_memory > free ? view.gpu_memory - free : 0;
            gpu[i].memory_left -= gpu[i].memory_left < lost ? gpu[i].memory_left : lost;
        }
        if (unusable >> i & 1)
            gpu[i] = (struct sms_gpu_view){.pods = gpu[i].pods};
    }
    view.gpu = gpu;
    return view;
}

static bool sees_ledger(const struct sms__cluster_run *run, size_t n)
{
    const struct sms__gpushare_state *gpushare = sms__gpushare(run);
    return gpushare->rules->quirks.others_blind && !sms__unhealthy_gpus(run, n);
}

/* Whether the node has the GPU memory, as kube-scheduler counts it; whether it has the cards. */
static bool has_memory(const struct sms__cluster_run *run, size_t n, const struct sms_pod_view *pod)
{
    const struct sms_node_view *node = &run->ledger.node[n];
    const struct sms__claim *claim = &sms__gpushare(run)->claim[n];
    uint64_t left = 0;
    for (uint32_t i = 0; i < node->gpus; i++)
        left += node->gpu[i].memory_left;
    return sms__gpushare(run)->kind[n]->shared->memory && left >= claim->bytes + pod->gpus * pod->gpu_memory;
}

static bool has_cards(const struct sms__cluster_run *run, size_t n, const struct sms_pod_view *pod)
{
    struct sms_gpu_view gpu[SMS_NODE_GPUS_MAX];
    struct sms_node_view node = sms__extender_view(run, n, gpu);
    return sms_node_fits(&node, pod);
}

static bool has_model(const struct sms_node_view *node, const struct sms_pod_view *pod)
{
    return pod->gpus == 0 || (node->model >= 0 && (pod->models >> node->model & 1));
}

static uint8_t verdict_by_default(const struct sms__cluster_run *run, size_t n, const struct sms_pod_view *pod)
{
    const struct sms__gpushare_state *gpushare = sms__gpushare(run);
    const struct sms_node_view *node = &run->ledger.node[n];
    const struct sms__claim *claim = &gpushare->claim[n];
    bool memory = gpushare->kind[n]->shared->memory;
    if (sms__is_absent(run, n))
        return SMS__NODE_ABSENT;
    if (node->cpu_left < claim->cpu_milli + pod->cpu_milli || node->memory_left < claim->memory + pod->memory)
        return SMS__NODE_LACKS_HOST;
    if (sms__is_shared(pod) && gpushare->rules->default_filter && !has_memory(run, n, pod))
        return SMS__NODE_LACKS_MEMORY;
    if ((memory || !sms__is_shared(pod)) && !has_model(node, pod))
        return SMS__NODE_OF_OTHER_MODEL;
    return sms__is_shared(pod) || has_cards(run, n, pod) ? SMS__NODE_PASSES : SMS__NODE_LACKS_CARDS;
}

static uint8_t verdict_by_extender(const struct sms__cluster_run *run, size_t n, const struct sms_pod_view *pod)
{
    struct sms_gpu_view gpu[SMS_NODE_GPUS_MAX];
    if (!sms__gpushare(run)->kind[n]->shared->memory)
        return SMS__NODE_NOT_SHARED;
    struct sms_node_view view = sms__extender_view(run, n, gpu);
    return sms_node_fits(&view, pod) ? SMS__NODE_PASSES : SMS__NODE_LACKS_DEVICE;
}

/* Without a cache: asks the default filter about all nodes, or the extender about those that it let pass. */
static void ask(struct sms__cluster_run *run, const struct sms_pod_view *pod, bool extender, struct notes *notes)
{
    struct sms__cycle *cycle = &sms__gpushare(run)->cycle;
    size_t asked = extender ? cycle->passed : run->cluster->nodes;
    cycle->passed = 0;
    for (size_t i = 0; i < asked; i++) {
        size_t n = extender ? cycle->kept[i] : i;
        uint8_t verdict = extender ? verdict_by_extender(run, n, pod) : verdict_by_default(run, n, pod);
        count_left_out(run, verdict, 1);
        if (sms__is_pod_explained(run))
            note(run, notes, n, verdict);
        if (verdict == SMS__NODE_PASSES)
            cycle->kept[cycle->passed++] = (uint32_t)n;
    }
}

/* With a cache. A node that passes the default filter gets the extender's verdict. */
static uint8_t judge(const struct sms__cluster_run *run, size_t n, const struct sms_pod_view *pod)
{
    uint8_t verdict = verdict_by_default(run, n, pod);
    return verdict == SMS__NODE_PASSES && sms__is_shared(pod) ? verdict_by_extender(run, n, pod) : verdict;
}

static void set_verdict(struct sms__filter *filter, size_t n, uint8_t verdict)
{
    filter->count[filter->verdict[n]]--;
    filter->count[verdict]++;
    filter->verdict[n] = verdict;
}

static void judge_all(const struct sms__cluster_run *run, struct sms__filter *filter, const struct sms_pod_view *pod)
{
    for (size_t v = 0; v < SMS__VERDICTS; v++)
        filter->count[v] = 0;
    for (size_t n = 0; n < run->cluster->nodes; n++) {
        filter->verdict[n] = judge(run, n, pod);
        filter->count[filter->verdict[n]]++;
    }
}

/* The present verdicts for pods of the shape; NULL: they are not cached. */
static struct sms__filter *filter_of(struct sms__cluster_run *run, uint32_t shape)
{
    struct sms__filter *filter = &sms__gpushare(run)->filter[shape];
    const struct sms_pod_view *pod = &run->cluster->shape[shape];
    bool fresh = !filter->verdict;
    if (run->reference || (fresh && !sms__search_reserve(run, (double)run->cluster->nodes)))
        return NULL;
    if (fresh)
        filter->verdict = SMS__NEW(run->arena, uint8_t, run->cluster->nodes);
    if (fresh || !sms__log_reaches(&run->ledger, filter->seen))
        judge_all(run, filter, pod);
    else
        for (uint32_t n; sms__log_next(&run->ledger, &filter->seen, &n);)
            set_verdict(filter, n, judge(run, n, pod));
    filter->seen = run->ledger.logged;
    return filter;
}

/* Asks the extender again about nodes that changed since they passed the default filter. The default filter is asked
 * again at the next cycle. */
static void update_by_extender(struct sms__cluster_run *run, struct sms__filter *filter, const struct sms_pod_view *pod)
{
    bool all = !sms__log_reaches(&run->ledger, filter->seen);
    uint64_t seen = filter->seen;
    for (uint32_t n = 0; all ? n < run->cluster->nodes : sms__log_next(&run->ledger, &seen, &n); n += all)
        if (is_of_extender(filter->verdict[n]))
            set_verdict(filter, n, verdict_by_extender(run, n, pod));
}

/* Notes the nodes that the default filter, or the extender's, leaves out. */
static void note_all(struct sms__cluster_run *run, const struct sms__filter *filter, bool extender, struct notes *notes)
{
    for (size_t n = 0; n < run->cluster->nodes && sms__is_pod_explained(run); n++)
        if (is_of_extender(filter->verdict[n]) == extender)
            note(run, notes, n, filter->verdict[n]);
}

/* The number of nodes that pass the default filter. */
static size_t count_passed(const struct sms__filter *filter)
{
    return filter->count[SMS__NODE_PASSES] + filter->count[SMS__NODE_NOT_SHARED] +
           filter->count[SMS__NODE_LACKS_DEVICE];
}

/* Counts the nodes that the default filter, or the extender's, leaves out. */
static void count_all(struct sms__cluster_run *run, const struct sms__filter *filter, bool extender)
{
    for (int v = 0; v < SMS__VERDICTS; v++)
        if (is_of_extender((uint8_t)v) == extender)
            count_left_out(run, (uint8_t)v, filter->count[v]);
}

/* Applies the filter, whose verdicts are up to date where they are cached. Returns how many nodes pass. */
static size_t filter_nodes(struct sms__cluster_run *run, uint32_t p, bool extender, uint64_t now)
{
    struct sms__cycle *cycle = &sms__gpushare(run)->cycle;
    struct notes notes = {.count = 0};
    if (cycle->cached) {
        count_all(run, cycle->cached, extender);
        note_all(run, cycle->cached, extender, &notes);
        cycle->passed = extender ? cycle->cached->count[SMS__NODE_PASSES] : count_passed(cycle->cached);
    } else
        ask(run, sms__pod_shape(run, p), extender, &notes);
    explain(run, p, extender ? "extender" : "default", &notes, now);
    return cycle->passed;
}

size_t sms__filter_by_default(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    sms__gpushare(run)->cycle.cached = filter_of(run, run->pod[p].shape);
    return filter_nodes(run, p, false, now);
}

size_t sms__filter_by_extender(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    struct sms__filter *cached = sms__gpushare(run)->cycle.cached;
    if (cached)
        update_by_extender(run, cached, sms__pod_shape(run, p));
    return filter_nodes(run, p, true, now);
}

/* Asked for shapes whose verdicts are cached only. */
static bool is_feasible(const struct sms__cluster_run *run, size_t n, uint32_t shape)
{
    return sms__gpushare(run)->filter[shape].verdict[n] == SMS__NODE_PASSES;
}

static uint64_t seen(const struct sms__cluster_run *run, uint32_t shape)
{
    return sms__gpushare(run)->filter[shape].seen;
}

const struct sms__node_filter sms__gpushare_filter = {
    .is_feasible = is_feasible, .view = sms__extender_view, .sees_ledger = sees_ledger, .seen = seen};
