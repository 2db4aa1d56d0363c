/* The two filters of a scheduling cycle under gpushare: kube-scheduler's own, and a round trip later the extender's.
 * Each asks every node every time, as the software does. */
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

size_t sms__filter_nodes(struct sms__cluster_run *run, uint32_t p, bool extender, uint64_t now)
{
    struct sms__cycle *cycle = &sms__gpushare(run)->cycle;
    const struct sms_pod_view *pod = sms__pod_shape(run, p);
    struct notes notes = {.count = 0};
    size_t asked = extender ? cycle->passed : run->cluster->nodes;
    cycle->passed = 0;
    for (size_t i = 0; i < asked; i++) {
        size_t n = extender ? cycle->kept[i] : i;
        uint8_t verdict = extender ? verdict_by_extender(run, n, pod) : verdict_by_default(run, n, pod);
        if (reasons[verdict].left_out != NOT_COUNTED)
            run->record->cards.left_out[reasons[verdict].left_out]++;
        if (sms__observes(run->spec->observer, SMS_RUN_MESSAGE))
            note(run, &notes, n, verdict);
        if (verdict == SMS__NODE_PASSES)
            cycle->kept[cycle->passed++] = (uint32_t)n;
    }
    explain(run, p, extender ? "extender" : "default", &notes, now);
    return cycle->passed;
}
