/* Pods that wait, in a line for each shape: of one shape none fits where the first does not. The line whose first
 * pod came first is served first; one whose pod finds no node is passed over until something is freed that it fits,
 * and until its back-off is over. */
#include "cluster.h"

/* In thousandths. */
enum { PRIORITY_MOST = 1000000000 };

void sms__lines_init(struct sms__placing *placing)
{
    size_t shapes = placing->cluster->shapes;
    placing->line = SMS__NEW(placing->arena, struct sms__line, shapes);
    placing->blocked = SMS__NEW(placing->arena, uint32_t, shapes);
    for (size_t s = 0; s < shapes; s++)
        placing->line[s] = (struct sms__line){.first = SMS__NO_POD, .last = SMS__NO_POD};
    sms__queue_init(&placing->ready, placing->arena, shapes);
    sms__queue_init(&placing->waking, placing->arena, shapes);
}

/* Lines are served in the order of this: the highest priority, of equal ones who waits longest. */
static uint64_t key_of(const struct sms__placing *placing, uint32_t shape)
{
    uint32_t first = placing->line[shape].first;
    uint64_t behind = (uint64_t)(PRIORITY_MOST - placing->cluster->shape[shape].priority);
    return first == SMS__NO_POD ? SMS__NEVER : behind << 32 | placing->pod[first].ticket;
}

/* The line may be tried now, or it waits for the end of its back-off. */
static void offer(struct sms__placing *placing, uint32_t shape, uint64_t now)
{
    const struct sms__line *line = &placing->line[shape];
    bool early = line->not_before > now;
    sms__queue_set(&placing->ready, shape, early ? SMS__NEVER : key_of(placing, shape));
    sms__queue_set(&placing->waking, shape, early ? line->not_before : SMS__NEVER);
    sms__engine_at(&placing->engine, placing->wake_source, sms__queue_first(&placing->waking).time);
}

void sms__lines_add(struct sms__placing *placing, uint32_t p, uint64_t now)
{
    if (placing->gpushare) {
        sms__gpushare_add(placing, p, now);
        return;
    }
    struct sms__pod *pod = &placing->pod[p];
    struct sms__line *line = &placing->line[pod->shape];
    pod->since_ps = now;
    if (placing->master) {
        sms__master_add(placing, p, now);
        return;
    }
    pod->ticket = placing->tickets++;
    pod->next = SMS__NO_POD;
    placing->waiting++;
    if (line->first != SMS__NO_POD) {
        placing->pod[line->last].next = p;
        line->last = p;
        return;
    }
    line->first = line->last = p;
    sms__queue_set(&placing->ready, pod->shape, key_of(placing, pod->shape));
}

void sms__note_freed(struct sms__placing *placing, uint32_t node)
{
    if (!placing->book[node].freed)
        placing->freed[placing->frees++] = node;
    placing->book[node].freed = true;
}

/* Its first pod fits nowhere. */
static void block(struct sms__placing *placing, uint32_t shape, uint64_t now)
{
    struct sms__line *line = &placing->line[shape];
    const struct sms__cluster *cluster = placing->cluster;
    line->blocked = true;
    line->in_blocked = (uint32_t)placing->blocks;
    placing->blocked[placing->blocks++] = shape;
    sms__queue_set(&placing->ready, shape, SMS__NEVER);
    if (cluster->retry_ps <= 0)
        return;
    uint64_t most = (uint64_t)cluster->retry_most_ps;
    line->delay_ps = line->delay_ps ? 2 * line->delay_ps : (uint64_t)cluster->retry_ps;
    line->delay_ps = line->delay_ps < most ? line->delay_ps : most;
    line->not_before = sms__after(now, (double)line->delay_ps);
}

static void unblock(struct sms__placing *placing, uint32_t shape, uint64_t now)
{
    struct sms__line *line = &placing->line[shape];
    uint32_t last = placing->blocked[--placing->blocks];
    placing->blocked[line->in_blocked] = last;
    placing->line[last].in_blocked = line->in_blocked;
    line->blocked = false;
    offer(placing, shape, now);
}

static bool fits_freed(const struct sms__placing *placing, uint32_t shape)
{
    const struct sms_pod_view *pod = &placing->cluster->shape[shape];
    size_t nodes = placing->plain ? placing->cluster->nodes : placing->frees;
    bool fits = false;
    for (size_t i = 0; i < nodes && !fits; i++)
        fits = sms_node_fits(&placing->node[placing->plain ? i : placing->freed[i]], pod);
    return fits;
}

void sms__lines_unblock(struct sms__placing *placing, uint64_t now)
{
    if (placing->gpushare) {
        sms__gpushare_freed(placing);
        return;
    }
    for (size_t i = placing->blocks; i-- > 0;)
        if (fits_freed(placing, placing->blocked[i]))
            unblock(placing, placing->blocked[i], now);
    while (placing->frees)
        placing->book[placing->freed[--placing->frees]].freed = false;
}

static void serve(struct sms__placing *placing, uint32_t shape, uint64_t now)
{
    struct sms__line *line = &placing->line[shape];
    uint32_t p = line->first, node = sms__find_node(placing, shape);
    if (placing->wrong) {
        sms__placing_stop(placing, placing->wrong);
        return;
    }
    if (node == SMS__NO_NODE) {
        block(placing, shape, now);
        return;
    }
    line->first = placing->pod[p].next;
    line->delay_ps = line->not_before = 0;
    placing->waiting--;
    sms__queue_set(&placing->ready, shape, key_of(placing, shape));
    if (sms__pod_take(placing, p, node, now))
        sms__pod_begin(placing, p, now);
}

void sms__lines_serve(struct sms__placing *placing, uint64_t now)
{
    while (!placing->engine.stopped && !placing->gpushare) { /* which serves at the end of the instant */
        struct sms__match next = sms__queue_first(&placing->ready);
        if (next.time == SMS__NEVER)
            return;
        serve(placing, (uint32_t)next.source, now);
    }
}

void sms__lines_wake(void *subject, uint64_t now)
{
    struct sms__placing *placing = subject;
    struct sms__match next;
    while ((next = sms__queue_first(&placing->waking)).time <= now)
        offer(placing, (uint32_t)next.source, now);
    sms__lines_serve(placing, now);
}
