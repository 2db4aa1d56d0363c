/* Pods that wait, in a line for each shape: of one shape none fits where the first does not. The line whose first
 * pod came first is served first; one whose pod finds no node is passed over until something is freed that it fits,
 * and until its back-off is over. */
#include "cluster.h"

/* In thousandths. */
enum { PRIORITY_MOST = 1000000000 };

void sms__lines_init(struct sms__cluster_run *run)
{
    size_t shapes = run->cluster->shapes;
    run->line = SMS__NEW(run->arena, struct sms__line, shapes);
    run->blocked = SMS__NEW(run->arena, uint32_t, shapes);
    for (size_t s = 0; s < shapes; s++)
        run->line[s] = (struct sms__line){.first = SMS__NO_POD, .last = SMS__NO_POD};
    sms__queue_init(&run->ready, run->arena, shapes);
    sms__queue_init(&run->waking, run->arena, shapes);
}

/* Lines are served in the order of this: the highest priority, of equal ones who waits longest. */
static uint64_t key_of(const struct sms__cluster_run *run, uint32_t shape)
{
    uint32_t first = run->line[shape].first;
    uint64_t behind = (uint64_t)(PRIORITY_MOST - run->cluster->shape[shape].priority);
    return first == SMS__NO_POD ? SMS__NEVER : behind << 32 | run->pod[first].ticket;
}

/* The line may be tried now, or it waits for the end of its back-off. */
static void offer(struct sms__cluster_run *run, uint32_t shape, uint64_t now)
{
    const struct sms__line *line = &run->line[shape];
    bool early = line->not_before > now;
    sms__queue_set(&run->ready, shape, early ? SMS__NEVER : key_of(run, shape));
    sms__queue_set(&run->waking, shape, early ? line->not_before : SMS__NEVER);
    sms__engine_at(&run->engine, run->wake_source, sms__queue_first(&run->waking).time);
}

void sms__lines_add(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    if (run->gpushare) {
        sms__gpushare_add(run, p, now);
        return;
    }
    struct sms__pod *pod = &run->pod[p];
    struct sms__line *line = &run->line[pod->shape];
    pod->since_ps = now;
    if (run->master) {
        sms__master_add(run, p, now);
        return;
    }
    pod->ticket = run->tickets++;
    pod->next = SMS__NO_POD;
    run->waiting++;
    if (line->first != SMS__NO_POD) {
        run->pod[line->last].next = p;
        line->last = p;
        return;
    }
    line->first = line->last = p;
    sms__queue_set(&run->ready, pod->shape, key_of(run, pod->shape));
}

void sms__note_freed(struct sms__cluster_run *run, uint32_t node)
{
    if (!run->book[node].freed)
        run->freed[run->frees++] = node;
    run->book[node].freed = true;
}

/* Its first pod fits nowhere. */
static void block(struct sms__cluster_run *run, uint32_t shape, uint64_t now)
{
    struct sms__line *line = &run->line[shape];
    const struct sms__cluster *cluster = run->cluster;
    line->blocked = true;
    line->in_blocked = (uint32_t)run->blocks;
    run->blocked[run->blocks++] = shape;
    sms__queue_set(&run->ready, shape, SMS__NEVER);
    if (cluster->retry_ps <= 0)
        return;
    uint64_t most = (uint64_t)cluster->retry_most_ps;
    line->delay_ps = line->delay_ps ? 2 * line->delay_ps : (uint64_t)cluster->retry_ps;
    line->delay_ps = line->delay_ps < most ? line->delay_ps : most;
    line->not_before = sms__after(now, (double)line->delay_ps);
}

static void unblock(struct sms__cluster_run *run, uint32_t shape, uint64_t now)
{
    struct sms__line *line = &run->line[shape];
    uint32_t last = run->blocked[--run->blocks];
    run->blocked[line->in_blocked] = last;
    run->line[last].in_blocked = line->in_blocked;
    line->blocked = false;
    offer(run, shape, now);
}

static bool fits_freed(const struct sms__cluster_run *run, uint32_t shape)
{
    const struct sms_pod_view *pod = &run->cluster->shape[shape];
    size_t nodes = run->plain ? run->cluster->nodes : run->frees;
    bool fits = false;
    for (size_t i = 0; i < nodes && !fits; i++)
        fits = sms_node_fits(&run->node[run->plain ? i : run->freed[i]], pod);
    return fits;
}

void sms__lines_unblock(struct sms__cluster_run *run, uint64_t now)
{
    if (run->gpushare) {
        sms__gpushare_freed(run);
        return;
    }
    for (size_t i = run->blocks; i-- > 0;)
        if (fits_freed(run, run->blocked[i]))
            unblock(run, run->blocked[i], now);
    while (run->frees)
        run->book[run->freed[--run->frees]].freed = false;
}

static void serve(struct sms__cluster_run *run, uint32_t shape, uint64_t now)
{
    struct sms__line *line = &run->line[shape];
    uint32_t p = line->first, node = sms__find_node(run, shape);
    if (run->wrong) {
        sms__cluster_stop(run, run->wrong);
        return;
    }
    if (node == SMS__NO_NODE) {
        block(run, shape, now);
        return;
    }
    line->first = run->pod[p].next;
    line->delay_ps = line->not_before = 0;
    run->waiting--;
    sms__queue_set(&run->ready, shape, key_of(run, shape));
    if (sms__pod_take(run, p, node, now))
        sms__pod_begin(run, p, now);
}

void sms__lines_serve(struct sms__cluster_run *run, uint64_t now)
{
    while (!run->engine.stopped && !run->gpushare) { /* which serves at the end of the instant */
        struct sms__match next = sms__queue_first(&run->ready);
        if (next.time == SMS__NEVER)
            return;
        serve(run, (uint32_t)next.source, now);
    }
}

void sms__lines_wake(void *subject, uint64_t now)
{
    struct sms__cluster_run *run = subject;
    struct sms__match next;
    while ((next = sms__queue_first(&run->waking)).time <= now)
        offer(run, (uint32_t)next.source, now);
    sms__lines_serve(run, now);
}
