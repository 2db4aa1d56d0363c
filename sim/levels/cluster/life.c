/* The life of a pod: it takes its place, its run begins, and ends, or is cut short. */
#include "cluster.h"
#include "hosts.h"

#include <stdio.h>
#include <string.h>

/* A heap of ends: by time, of equal ones the pod that came first. */
static bool is_before(struct sms__end a, struct sms__end b)
{
    return a.time != b.time ? a.time < b.time : a.pod < b.pod;
}

static void sift_up(struct sms__end *heap, size_t at, struct sms__end end)
{
    for (; at > 0 && is_before(end, heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = end;
}

static struct sms__end pop_end(struct sms__placing *placing)
{
    struct sms__end *heap = placing->end, first = heap[0], last = heap[--placing->ends];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < placing->ends; at = child) {
        child += child + 1 < placing->ends && is_before(heap[child + 1], heap[child]);
        if (!is_before(heap[child], last))
            break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return first;
}

/* Of a run that has been cut short meanwhile. */
static bool is_stale(const struct sms__placing *placing, struct sms__end end)
{
    const struct sms__pod *pod = &placing->pod[end.pod];
    return pod->node == SMS__NO_NODE || pod->run != end.run;
}

/* Forgets the ends of runs that were cut short; if most are still to come, the heap grows. */
static void make_room(struct sms__placing *placing)
{
    size_t ends = placing->ends;
    placing->ends = 0;
    for (size_t i = 0; i < ends; i++)
        if (!is_stale(placing, placing->end[i])) {
            sift_up(placing->end, placing->ends, placing->end[i]);
            placing->ends++;
        }
    if (2 * placing->ends < placing->ends_most)
        return;
    placing->ends_most = 2 * placing->ends_most + 64;
    struct sms__end *grown = SMS__NEW(placing->arena, struct sms__end, placing->ends_most);
    if (placing->ends)
        memcpy(grown, placing->end, placing->ends * sizeof *grown);
    placing->end = grown;
}

static void push_end(struct sms__placing *placing, struct sms__end end)
{
    if (placing->ends == placing->ends_most)
        make_room(placing);
    sift_up(placing->end, placing->ends++, end);
}

static void wait_for_end(struct sms__placing *placing)
{
    while (placing->ends && is_stale(placing, placing->end[0]))
        pop_end(placing);
    sms__engine_at(&placing->engine, placing->end_source, placing->ends ? placing->end[0].time : SMS__NEVER);
}

double sms__share_of_gpus(const struct sms__placing *placing, uint64_t milli)
{
    return placing->cluster->gpu_milli ? (double)milli / (double)placing->cluster->gpu_milli : 0;
}

/* Of what is left. */
static double fragments(const struct sms__placing *placing)
{
    uint64_t left = placing->cluster->gpu_milli - placing->down_milli - placing->gpu_milli;
    return left ? (double)placing->fragments / (double)placing->cluster->typical_pods / (double)left : 0;
}

static void tell(const struct sms__placing *placing, uint32_t p, uint64_t now)
{
    const struct sms_run_options *options = placing->spec->options;
    const struct sms__pod *pod = &placing->pod[p];
    char name[256], node[256];
    if (!placing->spec->observe || !options->on_placement)
        return;
    sms__pod_name(placing, p, name, sizeof name);
    sms__node_name(placing->cluster, pod->node, node, sizeof node);
    const struct sms_placement placement = {.number = p,
                                            .time_ps = now,
                                            .wait_ps = now - pod->since_ps,
                                            .pod = name,
                                            .node = node,
                                            .gpus = pod->gpus,
                                            .arrived = sms__share_of_gpus(placing, placing->arrived_milli),
                                            .allocated = sms__share_of_gpus(placing, placing->gpu_milli),
                                            .fragments = fragments(placing)};
    options->on_placement(options->user, placing->spec->observe, &placement);
}

void sms__pod_departs(const struct sms__placing *placing, uint32_t p, const char *ended, uint64_t now)
{
    const struct sms_run_options *options = placing->spec->options;
    const struct sms__pod *pod = &placing->pod[p];
    char name[256], node[256];
    if (!placing->spec->observe || !options->on_departure)
        return;
    sms__pod_name(placing, p, name, sizeof name);
    sms__node_name(placing->cluster, pod->node, node, sizeof node);
    const struct sms_departure departure = {.number = p,
                                            .start_ps = pod->since_ps,
                                            .end_ps = now,
                                            .pod = name,
                                            .node = node,
                                            .node_idx = pod->node,
                                            .gpus = pod->gpus,
                                            .ended = ended};
    options->on_departure(options->user, placing->spec->observe, &departure);
}

/* Whole picoseconds from now, or SMS__NEVER where that is beyond the clock. */
static uint64_t end_after(const struct sms__placing *placing, const struct sms__pod *pod, uint64_t now)
{
    uint64_t delay = (uint64_t)placing->cluster->start_delay_ps;
    double lasts = placing->cluster->start_delay_ps + (double)pod->duration_ps;
    bool beyond =
        lasts > 1.8e19 || pod->duration_ps > SMS__NEVER - 1 - now || delay > SMS__NEVER - 1 - now - pod->duration_ps;
    return beyond ? SMS__NEVER : now + delay + pod->duration_ps;
}

/* Of the pods on a node, kept where something may fail. */
static void enter_list(struct sms__placing *placing, uint32_t p)
{
    struct sms__pod *pod = &placing->pod[p];
    struct sms__book *book = &placing->book[pod->node];
    pod->prev = SMS__NO_POD;
    pod->next = book->first_pod;
    if (pod->next != SMS__NO_POD)
        placing->pod[pod->next].prev = p;
    book->first_pod = p;
}

static void leave_list(struct sms__placing *placing, const struct sms__pod *pod)
{
    if (pod->prev == SMS__NO_POD)
        placing->book[pod->node].first_pod = pod->next;
    else
        placing->pod[pod->prev].next = pod->next;
    if (pod->next != SMS__NO_POD)
        placing->pod[pod->next].prev = pod->prev;
}

void sms__pod_put(struct sms__placing *placing, uint32_t p, uint32_t node, uint16_t gpus, uint64_t now)
{
    struct sms__pod *pod = &placing->pod[p];
    sms__books_settle(placing, now);
    pod->node = node;
    pod->gpus = gpus;
    sms__books_take(placing, node, &placing->cluster->shape[pod->shape], gpus);
    if (pod->run == 0) { /* else it was counted before */
        placing->record->placed++;
        sms__histogram_add(&placing->record->wait, now - pod->arrival_ps);
    }
    tell(placing, p, now);
    pod->since_ps = now;
    if (placing->downs)
        enter_list(placing, p);
}

bool sms__pod_take(struct sms__placing *placing, uint32_t p, uint32_t node, uint64_t now)
{
    uint16_t gpus;
    const struct sms_pod_view *view = &placing->cluster->shape[placing->pod[p].shape];
    const char *wrong = sms__choose_gpus(placing, &placing->node[node], view, &gpus);
    if (wrong)
        sms__placing_stop(placing, wrong);
    else
        sms__pod_put(placing, p, node, gpus, now);
    return !wrong;
}

void sms__pod_begin(struct sms__placing *placing, uint32_t p, uint64_t now)
{
    const struct sms__pod *pod = &placing->pod[p];
    sms__watch_begin(placing, p, now);
    if (pod->tenant)
        sms__hosts_begin(placing, p, now);
    else
        sms__pod_last(placing, p, now);
}

void sms__pod_last(struct sms__placing *placing, uint32_t p, uint64_t now)
{
    const struct sms__pod *pod = &placing->pod[p];
    if (pod->duration_ps == 0)
        return;
    push_end(placing, (struct sms__end){end_after(placing, pod, now), p, pod->run});
    wait_for_end(placing);
}

static void give_back(struct sms__placing *placing, struct sms__pod *pod, uint64_t now)
{
    sms__books_settle(placing, now);
    sms__books_give(placing, pod->node, &placing->cluster->shape[pod->shape], pod->gpus);
    sms__note_freed(placing, pod->node);
    if (placing->downs)
        leave_list(placing, pod);
    if (placing->gpushare)
        sms__gpushare_left(placing, (uint32_t)(pod - placing->pod), now);
}

void sms__pod_cut(struct sms__placing *placing, uint32_t p, const char *ended, uint64_t now)
{
    struct sms__pod *pod = &placing->pod[p];
    sms__watch_cut(placing, p, now);
    sms__pod_departs(placing, p, ended, now);
    give_back(placing, pod, now);
    pod->node = SMS__NO_NODE;
    pod->run++;
    wait_for_end(placing);
}

double sms__pod_deadline(const struct sms__placing *placing, const struct sms__pod *pod)
{
    return placing->cluster->pod[pod->group].deadline_ps;
}

uint64_t sms__job_deadline_ps(const struct sms__placing *placing, const struct sms__pod *pod)
{
    return (uint64_t)(placing->cluster->pod[pod->group].job_deadline_ps + 0.5);
}

void sms__pod_end(struct sms__placing *placing, uint32_t p, uint64_t now)
{
    struct sms__pod *pod = &placing->pod[p];
    double deadline = sms__pod_deadline(placing, pod);
    sms__watch_end(placing, p, now);
    if (pod->failed)
        sms__gpushare_tell(placing, p, now, "its workload fails: out of memory");
    sms__pod_departs(placing, p, pod->failed ? "failed" : "done", now);
    give_back(placing, pod, now);
    pod->ended = true;
    placing->record->last_end_ps = now;
    placing->record->timed += deadline > 0;
    placing->record->missed += deadline > 0 && (pod->failed || (double)(now - pod->arrival_ps) > deadline);
    placing->record->failed += pod->failed;
    placing->record->done += !pod->failed;
    if (!pod->failed)
        sms__histogram_add(&placing->record->turnaround, now - pod->arrival_ps);
}

void sms__pods_end(struct sms__placing *placing, uint64_t now)
{
    while (placing->ends && placing->end[0].time == now) {
        uint32_t p = pop_end(placing).pod;
        sms__hosts_lasted(placing, p);
        sms__pod_end(placing, p, now);
        wait_for_end(placing);
    }
}
