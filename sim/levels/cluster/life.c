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

static struct sms__end pop_end(struct sms__cluster_run *run)
{
    struct sms__end *heap = run->end, first = heap[0], last = heap[--run->ends];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < run->ends; at = child) {
        child += child + 1 < run->ends && is_before(heap[child + 1], heap[child]);
        if (!is_before(heap[child], last))
            break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return first;
}

/* Of a run that has been cut short meanwhile. */
static bool is_stale(const struct sms__cluster_run *run, struct sms__end end)
{
    const struct sms__pod *pod = &run->pod[end.pod];
    return pod->node == SMS__NO_NODE || pod->attempt != end.attempt;
}

/* Forgets the ends of runs that were cut short; if most are still to come, the heap grows. */
static void make_room(struct sms__cluster_run *run)
{
    size_t ends = run->ends;
    run->ends = 0;
    for (size_t i = 0; i < ends; i++)
        if (!is_stale(run, run->end[i])) {
            sift_up(run->end, run->ends, run->end[i]);
            run->ends++;
        }
    if (2 * run->ends < run->ends_most)
        return;
    run->ends_most = 2 * run->ends_most + 64;
    struct sms__end *grown = SMS__NEW(run->arena, struct sms__end, run->ends_most);
    if (run->ends)
        memcpy(grown, run->end, run->ends * sizeof *grown);
    run->end = grown;
}

static void push_end(struct sms__cluster_run *run, struct sms__end end)
{
    if (run->ends == run->ends_most)
        make_room(run);
    sift_up(run->end, run->ends++, end);
}

static void wait_for_end(struct sms__cluster_run *run)
{
    while (run->ends && is_stale(run, run->end[0]))
        pop_end(run);
    sms__engine_at(&run->engine, run->end_source, run->ends ? run->end[0].time : SMS__NEVER);
}

double sms__share_of_gpus(const struct sms__cluster_run *run, uint64_t milli)
{
    return run->cluster->gpu_milli ? (double)milli / (double)run->cluster->gpu_milli : 0;
}

/* Of what is left. */
static double fragments(const struct sms__cluster_run *run)
{
    uint64_t left = run->cluster->gpu_milli - run->down_milli - run->gpu_milli;
    return left ? (double)run->fragments / (double)run->cluster->typical_pods / (double)left : 0;
}

static void tell(const struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    const struct sms_run_options *options = run->spec->options;
    const struct sms__pod *pod = &run->pod[p];
    char name[256], node[256];
    if (!run->spec->observe || !options->on_placement)
        return;
    sms__pod_name(run, p, name, sizeof name);
    sms__node_name(run->cluster, pod->node, node, sizeof node);
    const struct sms_placement placement = {.number = p,
                                            .time_ps = now,
                                            .wait_ps = now - pod->since_ps,
                                            .pod = name,
                                            .node = node,
                                            .gpus = pod->gpus,
                                            .arrived = sms__share_of_gpus(run, run->arrived_milli),
                                            .allocated = sms__share_of_gpus(run, run->gpu_milli),
                                            .fragments = fragments(run)};
    options->on_placement(options->user, run->spec->observe, &placement);
}

void sms__pod_departs(const struct sms__cluster_run *run, uint32_t p, const char *ended, uint64_t now)
{
    const struct sms_run_options *options = run->spec->options;
    const struct sms__pod *pod = &run->pod[p];
    char name[256], node[256];
    if (!run->spec->observe || !options->on_departure)
        return;
    sms__pod_name(run, p, name, sizeof name);
    sms__node_name(run->cluster, pod->node, node, sizeof node);
    const struct sms_departure departure = {.number = p,
                                            .start_ps = pod->since_ps,
                                            .end_ps = now,
                                            .pod = name,
                                            .node = node,
                                            .node_idx = pod->node,
                                            .gpus = pod->gpus,
                                            .ended = ended};
    options->on_departure(options->user, run->spec->observe, &departure);
}

/* Whole picoseconds from now, or SMS__NEVER where that is beyond the clock. */
static uint64_t end_after(const struct sms__cluster_run *run, const struct sms__pod *pod, uint64_t now)
{
    uint64_t delay = (uint64_t)run->cluster->start_delay_ps;
    double lasts = run->cluster->start_delay_ps + (double)pod->duration_ps;
    bool beyond =
        lasts > 1.8e19 || pod->duration_ps > SMS__NEVER - 1 - now || delay > SMS__NEVER - 1 - now - pod->duration_ps;
    return beyond ? SMS__NEVER : now + delay + pod->duration_ps;
}

/* Of the pods on a node, kept where something may fail. */
static void enter_list(struct sms__cluster_run *run, uint32_t p)
{
    struct sms__pod *pod = &run->pod[p];
    struct sms__book *book = &run->book[pod->node];
    pod->prev = SMS__NO_POD;
    pod->next = book->first_pod;
    if (pod->next != SMS__NO_POD)
        run->pod[pod->next].prev = p;
    book->first_pod = p;
}

static void leave_list(struct sms__cluster_run *run, const struct sms__pod *pod)
{
    if (pod->prev == SMS__NO_POD)
        run->book[pod->node].first_pod = pod->next;
    else
        run->pod[pod->prev].next = pod->next;
    if (pod->next != SMS__NO_POD)
        run->pod[pod->next].prev = pod->prev;
}

void sms__pod_put(struct sms__cluster_run *run, uint32_t p, uint32_t node, uint16_t gpus, uint64_t now)
{
    struct sms__pod *pod = &run->pod[p];
    sms__books_settle(run, now);
    pod->node = node;
    pod->gpus = gpus;
    sms__books_take(run, node, &run->cluster->shape[pod->shape], gpus);
    if (pod->attempt == 0) { /* else it was counted before */
        run->record->placed++;
        sms__histogram_add(&run->record->wait, now - pod->arrival_ps);
    }
    tell(run, p, now);
    pod->since_ps = now;
    if (run->downs)
        enter_list(run, p);
}

bool sms__pod_take(struct sms__cluster_run *run, uint32_t p, uint32_t node, uint64_t now)
{
    uint16_t gpus;
    const struct sms_pod_view *view = &run->cluster->shape[run->pod[p].shape];
    const char *wrong = sms__choose_gpus(run, &run->node[node], view, &gpus);
    if (wrong)
        sms__cluster_stop(run, wrong);
    else
        sms__pod_put(run, p, node, gpus, now);
    return !wrong;
}

void sms__pod_begin(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    const struct sms__pod *pod = &run->pod[p];
    sms__watch_begin(run, p, now);
    if (pod->tenant)
        sms__hosts_begin(run, p, now);
    else
        sms__pod_last(run, p, now);
}

void sms__pod_last(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    const struct sms__pod *pod = &run->pod[p];
    if (pod->duration_ps == 0)
        return;
    push_end(run, (struct sms__end){end_after(run, pod, now), p, pod->attempt});
    wait_for_end(run);
}

static void give_back(struct sms__cluster_run *run, struct sms__pod *pod, uint64_t now)
{
    sms__books_settle(run, now);
    sms__books_give(run, pod->node, &run->cluster->shape[pod->shape], pod->gpus);
    sms__note_freed(run, pod->node);
    if (run->downs)
        leave_list(run, pod);
    if (run->gpushare)
        sms__gpushare_left(run, (uint32_t)(pod - run->pod), now);
}

void sms__pod_cut(struct sms__cluster_run *run, uint32_t p, const char *ended, uint64_t now)
{
    struct sms__pod *pod = &run->pod[p];
    sms__watch_cut(run, p, now);
    sms__pod_departs(run, p, ended, now);
    give_back(run, pod, now);
    pod->node = SMS__NO_NODE;
    pod->attempt++;
    wait_for_end(run);
}

double sms__pod_deadline(const struct sms__cluster_run *run, const struct sms__pod *pod)
{
    return run->cluster->pod[pod->group].deadline_ps;
}

uint64_t sms__job_deadline_ps(const struct sms__cluster_run *run, const struct sms__pod *pod)
{
    return (uint64_t)(run->cluster->pod[pod->group].job_deadline_ps + 0.5);
}

void sms__pod_end(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    struct sms__pod *pod = &run->pod[p];
    double deadline = sms__pod_deadline(run, pod);
    sms__watch_end(run, p, now);
    if (pod->failed)
        sms__gpushare_tell(run, p, now, "its workload fails: out of memory");
    sms__pod_departs(run, p, pod->failed ? "failed" : "done", now);
    give_back(run, pod, now);
    pod->ended = true;
    run->record->last_end_ps = now;
    run->record->timed += deadline > 0;
    run->record->missed += deadline > 0 && (pod->failed || (double)(now - pod->arrival_ps) > deadline);
    run->record->failed += pod->failed;
    run->record->done += !pod->failed;
    if (!pod->failed)
        sms__histogram_add(&run->record->turnaround, now - pod->arrival_ps);
}

void sms__pods_end(struct sms__cluster_run *run, uint64_t now)
{
    while (run->ends && run->end[0].time == now) {
        uint32_t p = pop_end(run).pod;
        sms__hosts_lasted(run, p);
        sms__pod_end(run, p, now);
        wait_for_end(run);
    }
}
