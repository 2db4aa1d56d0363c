/* The two filters of a scheduling cycle under gpushare: kube-scheduler's own, and a round trip later the extender's.
 * What they say of the nodes is remembered for each shape of pods, and brought up to date from the log of nodes that
 * changed; the plain engine asks every node every time. */
#include "gpushare.h"

#include <stdio.h>

/* What is said of nodes that are left out, for `explain`. */
enum { NOTES = 8 };

struct notes {
    char text[1500];
    size_t count, used;
};

/* Of each verdict: as what it is counted, or NOT_COUNTED, and what is said. */
enum { NOT_COUNTED = SMS__LEFT_OUTS };

static const struct {
    int left_out;
    const char *text;
} reasons[SMS__VERDICTS] = {
    [SMS__NODE_PASSES] = {NOT_COUNTED, NULL},
    [SMS__NODE_ABSENT] = {NOT_COUNTED, NULL},
    [SMS__NODE_DOWN] = {NOT_COUNTED, "the node has failed"},
    [SMS__NODE_LACKS_HOST] = {SMS__LEFT_OUT_HOST, "Insufficient cpu or memory"},
    [SMS__NODE_LACKS_MEMORY] = {SMS__LEFT_OUT_MEMORY, "Insufficient aliyun.com/gpu-mem"},
    [SMS__NODE_OF_OTHER_MODEL] = {SMS__LEFT_OUT_GPUS, "no GPUs that the pod may use"},
    [SMS__NODE_LACKS_CARDS] = {SMS__LEFT_OUT_GPUS, "Insufficient nvidia.com/gpu"},
    [SMS__NODE_GONE] = {NOT_COUNTED, "the node has failed"},
    [SMS__NODE_NOT_SHARED] = {SMS__LEFT_OUT_NOT_SHARED, "The node %s is not for GPU share, need skip"},
    [SMS__NODE_LACKS_DEVICE] = {SMS__LEFT_OUT_DEVICE, "Insufficient GPU Memory in one device"},
};

static bool is_of_extender(uint8_t verdict) { return verdict >= SMS__NODE_GONE || verdict == SMS__NODE_PASSES; }

static void count_left_out(struct sms__placing *placing, uint8_t verdict, uint64_t nodes)
{
    if (reasons[verdict].left_out != NOT_COUNTED)
        placing->record->gpushare.left_out[reasons[verdict].left_out] += nodes;
}

static void note(const struct sms__placing *placing, struct notes *notes, size_t node, uint8_t verdict)
{
    char name[256], text[400];
    if (!reasons[verdict].text || notes->count++ >= NOTES)
        return;
    sms__node_name(placing->cluster, node, name, sizeof name);
    snprintf(text, sizeof text, reasons[verdict].text, name);
    int more = snprintf(notes->text + notes->used, sizeof notes->text - notes->used, "; %s: %s", name, text);
    notes->used += (size_t)more < sizeof notes->text - notes->used ? (size_t)more : 0;
}

static void tell(struct sms__placing *placing, uint32_t p, const char *filter, struct notes *notes, uint64_t now)
{
    size_t passed = placing->gpushare->passed;
    if (notes->count > NOTES)
        snprintf(notes->text + notes->used, sizeof notes->text - notes->used, "; and %zu more", notes->count - NOTES);
    sms__tell(placing, p, now, "%s filter: %zu node%s pass%s%s", filter, passed, passed == 1 ? "" : "s",
              passed == 1 ? "es" : "", notes->text);
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

bool sms__extender_sees_books(const struct sms__placing *placing, size_t n)
{
    const struct sms__gpushare_run *run = placing->gpushare;
    return run->rules->quirks.others_blind && !run->sick_now[n] && !placing->book[n].lost;
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

static uint8_t judge_by_default(const struct sms__placing *placing, size_t n, const struct sms_pod_view *pod)
{
    const struct sms__gpushare_run *run = placing->gpushare;
    const struct sms_node_view *node = &placing->node[n];
    const struct sms__claim *claim = &run->claim[n];
    bool memory = run->kind[n]->shared->memory;
    if (run->absent[n])
        return SMS__NODE_ABSENT;
    if (node->down)
        return SMS__NODE_DOWN;
    if (node->cpu_left < claim->cpu_milli + pod->cpu_milli || node->memory_left < claim->memory + pod->memory)
        return SMS__NODE_LACKS_HOST;
    if (sms__is_shared(pod) && run->rules->default_filter && !has_memory(placing, n, pod))
        return SMS__NODE_LACKS_MEMORY;
    if ((memory || !sms__is_shared(pod)) && !has_model(node, pod))
        return SMS__NODE_OF_OTHER_MODEL;
    return sms__is_shared(pod) || has_cards(placing, n, pod) ? SMS__NODE_PASSES : SMS__NODE_LACKS_CARDS;
}

static uint8_t judge_by_extender(const struct sms__placing *placing, size_t n, const struct sms_pod_view *pod)
{
    struct sms_gpu_view gpu[SMS_NODE_GPUS_MAX];
    if (!placing->gpushare->kind[n]->shared->memory)
        return SMS__NODE_NOT_SHARED;
    struct sms_node_view view = sms__extender_view(placing, n, gpu);
    if (view.down)
        return SMS__NODE_GONE;
    return sms_node_fits(&view, pod) ? SMS__NODE_PASSES : SMS__NODE_LACKS_DEVICE;
}

/* The plain way. */
static void ask_all_by_default(struct sms__placing *placing, const struct sms_pod_view *pod, struct notes *notes)
{
    struct sms__gpushare_run *run = placing->gpushare;
    for (size_t n = 0; n < placing->cluster->nodes; n++) {
        uint8_t verdict = judge_by_default(placing, n, pod);
        count_left_out(placing, verdict, 1);
        if (sms__is_told(placing))
            note(placing, notes, n, verdict);
        if (verdict == SMS__NODE_PASSES)
            run->kept[run->passed++] = (uint32_t)n;
    }
}

static void ask_kept_by_extender(struct sms__placing *placing, const struct sms_pod_view *pod, struct notes *notes)
{
    struct sms__gpushare_run *run = placing->gpushare;
    size_t kept = run->passed;
    run->passed = 0;
    for (size_t i = 0; i < kept; i++) {
        uint8_t verdict = judge_by_extender(placing, run->kept[i], pod);
        count_left_out(placing, verdict, 1);
        if (sms__is_told(placing))
            note(placing, notes, run->kept[i], verdict);
        if (verdict == SMS__NODE_PASSES)
            run->kept[run->passed++] = run->kept[i];
    }
}

/* The remembered way. Of nodes that pass the default filter, the verdict is the extender's. */
static uint8_t judge(const struct sms__placing *placing, size_t n, const struct sms_pod_view *pod)
{
    uint8_t verdict = judge_by_default(placing, n, pod);
    return verdict == SMS__NODE_PASSES && sms__is_shared(pod) ? judge_by_extender(placing, n, pod) : verdict;
}

static void set_verdict(struct sms__filter *filter, size_t n, uint8_t verdict)
{
    filter->count[filter->verdict[n]]--;
    filter->count[verdict]++;
    filter->verdict[n] = verdict;
}

static void judge_all(const struct sms__placing *placing, struct sms__filter *filter, const struct sms_pod_view *pod)
{
    for (size_t v = 0; v < SMS__VERDICTS; v++)
        filter->count[v] = 0;
    for (size_t n = 0; n < placing->cluster->nodes; n++) {
        filter->verdict[n] = judge(placing, n, pod);
        filter->count[filter->verdict[n]]++;
    }
}

struct sms__filter *sms__filter_of(struct sms__placing *placing, uint32_t shape)
{
    struct sms__filter *filter = &placing->gpushare->filter[shape];
    const struct sms_pod_view *pod = &placing->cluster->shape[shape];
    bool fresh = !filter->verdict;
    if (placing->plain || (fresh && !sms__search_room(placing, (double)placing->cluster->nodes)))
        return NULL;
    if (fresh)
        filter->verdict = SMS__NEW(placing->arena, uint8_t, placing->cluster->nodes);
    if (fresh || !sms__log_reaches(placing, filter->seen))
        judge_all(placing, filter, pod);
    else
        for (uint32_t n; sms__log_next(placing, &filter->seen, &n);)
            set_verdict(filter, n, judge(placing, n, pod));
    filter->seen = placing->logged;
    return filter;
}

/* What the extender says now of nodes that have changed since they passed the default filter; that is asked again at
 * the next cycle. */
static void update_by_extender(struct sms__placing *placing, struct sms__filter *filter, const struct sms_pod_view *pod)
{
    if (!sms__log_reaches(placing, filter->seen)) {
        for (size_t n = 0; n < placing->cluster->nodes; n++)
            if (is_of_extender(filter->verdict[n]))
                set_verdict(filter, n, judge_by_extender(placing, n, pod));
        return;
    }
    uint64_t seen = filter->seen;
    for (uint32_t n; sms__log_next(placing, &seen, &n);)
        if (is_of_extender(filter->verdict[n]))
            set_verdict(filter, n, judge_by_extender(placing, n, pod));
}

/* Of a filter, or of the other. */
static void note_all(struct sms__placing *placing, const struct sms__filter *filter, bool extender, struct notes *notes)
{
    for (size_t n = 0; n < placing->cluster->nodes && sms__is_told(placing); n++)
        if (is_of_extender(filter->verdict[n]) == extender)
            note(placing, notes, n, filter->verdict[n]);
}

size_t sms__filter_passed(const struct sms__filter *filter)
{
    return filter->count[SMS__NODE_PASSES] + filter->count[SMS__NODE_GONE] + filter->count[SMS__NODE_NOT_SHARED] +
           filter->count[SMS__NODE_LACKS_DEVICE];
}

void sms__filter_count(struct sms__placing *placing, const struct sms__filter *filter, bool extender, uint64_t times)
{
    for (int v = 0; v < SMS__VERDICTS; v++)
        if (is_of_extender((uint8_t)v) == extender)
            count_left_out(placing, (uint8_t)v, times * filter->count[v]);
}

size_t sms__filter_by_default(struct sms__placing *placing, uint32_t p, uint64_t now)
{
    struct sms__gpushare_run *run = placing->gpushare;
    struct notes notes = {.count = 0};
    run->passed = 0;
    run->remembered = sms__filter_of(placing, placing->pod[p].shape);
    if (run->remembered) {
        sms__filter_count(placing, run->remembered, false, 1);
        note_all(placing, run->remembered, false, &notes);
        run->passed = sms__filter_passed(run->remembered);
    } else
        ask_all_by_default(placing, sms__shape(placing, p), &notes);
    tell(placing, p, "default", &notes, now);
    return run->passed;
}

size_t sms__filter_by_extender(struct sms__placing *placing, uint32_t p, uint64_t now)
{
    struct sms__gpushare_run *run = placing->gpushare;
    struct notes notes = {.count = 0};
    if (run->remembered) {
        update_by_extender(placing, run->remembered, sms__shape(placing, p));
        sms__filter_count(placing, run->remembered, true, 1);
        note_all(placing, run->remembered, true, &notes);
        run->passed = run->remembered->count[SMS__NODE_PASSES];
    } else
        ask_kept_by_extender(placing, sms__shape(placing, p), &notes);
    tell(placing, p, "extender", &notes, now);
    return run->passed;
}
