/* A heap of ends: by time, of equal ones the pod that arrived first. Its first end is never that of a run that was cut
 * off. */
#include "cluster_run.h"

#include "../../base/heap.h"

struct end {
    uint64_t time;
    uint32_t pod, attempt; /* of the pod, when this was added */
};

struct sms__ends {
    struct end *heap; /* [count] of [room] */
    size_t count, room, source;
};

static bool is_before(const void *a, const void *b)
{
    const struct end *x = a, *y = b;
    return x->time != y->time ? x->time < y->time : x->pod < y->pod;
}

static void add(struct sms__ends *ends, struct end end)
{
    sms__heap_add(ends->heap, ends->count++, &end, sizeof end, is_before);
}

static struct end pop(struct sms__ends *ends)
{
    const struct end first = ends->heap[0];
    sms__heap_pop(ends->heap, --ends->count, sizeof first, is_before);
    return first;
}

/* Whether that run of the pod was cut off. */
static bool is_stale(const struct sms__cluster_run *run, struct end end)
{
    const struct sms__pod *pod = &run->pod[end.pod];
    return pod->node == SMS__NO_NODE || pod->attempt != end.attempt;
}

/* Drops the ends of runs that were cut off; if most are still to come, the heap grows. */
static void make_room(struct sms__cluster_run *run)
{
    struct sms__ends *ends = run->ends;
    size_t count = ends->count;
    ends->count = 0;
    for (size_t i = 0; i < count; i++)
        if (!is_stale(run, ends->heap[i]))
            add(ends, ends->heap[i]);
    if (2 * ends->count < ends->room)
        return;
    ends->room = 2 * ends->room + 64;
    ends->heap = sms__enlarge(run->arena, ends->heap, ends->count, ends->room, sizeof *ends->heap);
}

void sms__ends_add(struct sms__cluster_run *run, uint32_t pod, uint64_t time)
{
    struct sms__ends *ends = run->ends;
    if (ends->count == ends->room)
        make_room(run);
    add(ends, (struct end){time, pod, run->pod[pod].attempt});
}

void sms__ends_await(struct sms__cluster_run *run)
{
    struct sms__ends *ends = run->ends;
    while (ends->count && is_stale(run, ends->heap[0]))
        pop(ends);
    sms__engine_at(&run->engine, ends->source, ends->count ? ends->heap[0].time : SMS__NEVER);
}

bool sms__ends_pending(const struct sms__cluster_run *run) { return run->ends->count > 0; }

uint32_t sms__ends_pop(struct sms__cluster_run *run, uint64_t now)
{
    struct sms__ends *ends = run->ends;
    return ends->count && ends->heap[0].time == now ? pop(ends).pod : SMS__NO_POD;
}

void sms__ends_init(struct sms__cluster_run *run, void (*fire)(void *subject, uint64_t now))
{
    run->ends = SMS__NEW(run->arena, struct sms__ends, 1);
    run->ends->source = sms__engine_source(&run->engine, SMS__LEVEL_TENANT, fire, run);
}
