/* The default scheduler: a queue of waiting pods for each shape, as no pod of a shape fits where the first does not.
 * The queue with the highest priority, then the longest waiting first pod, is served first. A queue whose first pod
 * finds no node is blocked until something that this pod fits is freed. A gang's pods, which follow each other in their
 * queue, are placed one after another; if one finds no node, all wait. */
#include "cluster_run.h"
#include "scheduler.h"

/* Above any priority. */
enum { PRIORITY_MOST = 1000000000 };

/* Waiting pods of one shape. */
struct wait_queue {
    uint32_t first, last;   /* SMS__NO_POD */
    uint32_t blocked_index; /* its place in the list of blocked shapes */
};

struct wait_queues {
    struct wait_queue *queue; /* [shapes] */
    struct sms__queue ready;  /* shapes that may be tried, by priority and their first pod's ticket */
    uint32_t *blocked;        /* [blocks]: shapes */
    size_t blocks;
    uint32_t *ticket; /* [pods]: the order in which they began to wait */
    uint32_t tickets;
};

static void init(struct sms__cluster_run *run)
{
    struct wait_queues *queues = SMS__NEW(run->arena, struct wait_queues, 1);
    size_t shapes = run->cluster->shapes;
    queues->queue = SMS__NEW(run->arena, struct wait_queue, shapes);
    queues->blocked = SMS__NEW(run->arena, uint32_t, shapes);
    queues->ticket = SMS__NEW(run->arena, uint32_t, run->pods);
    for (size_t s = 0; s < shapes; s++)
        queues->queue[s] = (struct wait_queue){.first = SMS__NO_POD, .last = SMS__NO_POD};
    sms__queue_init(&queues->ready, run->arena, shapes);
    run->scheduling = queues;
}

/* The least is served first. */
static uint64_t rank_of(const struct sms__cluster_run *run, uint32_t shape)
{
    const struct wait_queues *queues = run->scheduling;
    uint32_t first = queues->queue[shape].first;
    uint64_t behind = (uint64_t)(PRIORITY_MOST - run->cluster->shape[shape].priority);
    return first == SMS__NO_POD ? SMS__NEVER : behind << 32 | queues->ticket[first];
}

static void add(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    struct wait_queues *queues = run->scheduling;
    struct sms__pod *pod = &run->pod[p];
    struct wait_queue *queue = &queues->queue[pod->shape];
    pod->since_ps = now;
    queues->ticket[p] = queues->tickets++;
    pod->next = SMS__NO_POD;
    if (queue->first != SMS__NO_POD) {
        run->pod[queue->last].next = p;
        queue->last = p;
        return;
    }
    queue->first = queue->last = p;
    sms__queue_set(&queues->ready, pod->shape, rank_of(run, pod->shape));
}

/* The queue's first pod fits nowhere. */
static void block(struct sms__cluster_run *run, uint32_t shape, uint64_t now)
{
    struct wait_queues *queues = run->scheduling;
    struct wait_queue *queue = &queues->queue[shape];
    queue->blocked_index = (uint32_t)queues->blocks;
    queues->blocked[queues->blocks++] = shape;
    sms__queue_set(&queues->ready, shape, SMS__NEVER);
    sms__explain_pod_waits(run, queue->first, now);
    if (run->cluster->shape[shape].profile)
        sms__no_instance(run, shape);
}

static void unblock(struct sms__cluster_run *run, uint32_t shape)
{
    struct wait_queues *queues = run->scheduling;
    const struct wait_queue *queue = &queues->queue[shape];
    uint32_t last = queues->blocked[--queues->blocks];
    queues->blocked[queue->blocked_index] = last;
    queues->queue[last].blocked_index = queue->blocked_index;
    sms__queue_set(&queues->ready, shape, rank_of(run, shape));
}

/* Whether something was freed on a node that takes a pod of the shape. The reference engine looks at all nodes: a
 * single pod that is blocked fitted none of them before. */
static bool fits_freed(const struct sms__cluster_run *run, uint32_t shape)
{
    const struct sms_pod_view *pod = &run->cluster->shape[shape];
    const struct sms__ledger *ledger = &run->ledger;
    bool all = run->reference && pod->replicas == 1,
         fits = (pod->times && ledger->frees) /* any may make room by moves */ || sms__drain_is_over(run, shape);
    size_t nodes = all ? run->cluster->nodes : ledger->frees;
    for (size_t i = 0; i < nodes && !fits; i++)
        fits = sms_node_fits(&ledger->node[all ? i : ledger->freed[i]], pod);
    return fits;
}

static void unblock_freed(struct sms__cluster_run *run, uint64_t now)
{
    (void)now;
    const struct wait_queues *queues = run->scheduling;
    for (size_t i = queues->blocks; i-- > 0;)
        if (fits_freed(run, queues->blocked[i]))
            unblock(run, queues->blocked[i]);
    sms__ledger_clear_freed(&run->ledger);
}

/* Finds places for the queue's first pod and all of its gang. True: they hold them, and `end` is the pod behind them.
 * Otherwise none of them holds any. */
static bool hold_gang(struct sms__cluster_run *run, uint32_t first, uint32_t *end, uint64_t now)
{
    uint32_t p = first;
    if (run->cluster->shape[run->pod[p].shape].times) {
        *end = run->pod[p].next;
        return sms__hold_open(run, p, now);
    }
    for (; p != SMS__NO_POD && sms__same_gang(run, first, p); p = run->pod[p].next) {
        uint32_t node = sms__find_node(run, run->pod[p].shape);
        if (sms__engine_ends(&run->engine))
            return false;
        if (node == SMS__NO_NODE)
            break;
        if (!sms__pod_hold(run, p, node, now))
            return false;
    }
    *end = p;
    if (p == SMS__NO_POD || !sms__same_gang(run, first, p))
        return true;
    for (uint32_t held = first; held != p; held = run->pod[held].next)
        sms__pod_release(run, held);
    return false;
}

static void serve_queue(struct sms__cluster_run *run, uint32_t shape, uint64_t now)
{
    struct wait_queues *queues = run->scheduling;
    struct wait_queue *queue = &queues->queue[shape];
    uint32_t first = queue->first, end, next;
    if (!hold_gang(run, first, &end, now)) {
        if (!run->engine.stopped)
            block(run, shape, now);
        return;
    }
    sms__instance_found(run, shape);
    queue->first = end;
    sms__queue_set(&queues->ready, shape, rank_of(run, shape));
    for (uint32_t p = first; p != end; p = next) {
        next = run->pod[p].next;
        sms__pod_seat(run, p, now);
        sms__pod_begin(run, p, now);
    }
}

static void serve(struct sms__cluster_run *run, uint64_t now)
{
    const struct wait_queues *queues = run->scheduling;
    while (!sms__engine_ends(&run->engine)) {
        if (run->ledger.frees) /* a GPU that drained for pods served now takes others again */
            unblock_freed(run, now);
        struct sms__match next = sms__queue_first(&queues->ready);
        if (next.time == SMS__NEVER)
            return;
        serve_queue(run, (uint32_t)next.source, now);
    }
}

const struct sms__scheduler sms__wait_queue_scheduler = {
    .init = init, .add = add, .freed = unblock_freed, .serve = serve};
