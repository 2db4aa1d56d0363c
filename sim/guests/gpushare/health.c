/* Health of GPUs as the device plugin sees it, and nodes that join during the run. A GPU is unhealthy while there is
 * a reason for it: an entry `unhealthy:` of its node. */
#include "gpushare_run.h"

#include <stdlib.h>

/* A reason that begins or ends, or a node that joins. */
struct change {
    uint64_t time;
    uint32_t node, gpu; /* SMS_NODE_GPUS_MAX: the node joins */
    bool well;
};

struct sms__health {
    uint16_t *unhealthy;   /* [nodes]: bit i: GPU i is */
    uint8_t *reasons;      /* [GPUs] */
    bool *absent;          /* [nodes]: the node has not joined */
    struct change *change; /* [changes], by time */
    size_t changes, applied;
    size_t source;
};

static bool set_health(struct sms__cluster_run *run, size_t node, uint32_t gpu, bool well)
{
    struct sms__health *health = sms__gpushare(run)->health;
    uint8_t *reasons = &health->reasons[sms__first_gpu(&run->ledger, node) + gpu];
    *reasons = (uint8_t)(well ? *reasons - 1 : *reasons + 1);
    uint16_t bit = (uint16_t)(1u << gpu);
    health->unhealthy[node] = (uint16_t)((health->unhealthy[node] & ~bit) | (*reasons ? bit : 0));
    sms__gpushare(run)->changed = true;
    return !*reasons;
}

uint16_t sms__unhealthy_gpus(const struct sms__cluster_run *run, size_t node)
{
    return sms__gpushare(run)->health->unhealthy[node];
}

bool sms__is_absent(const struct sms__cluster_run *run, size_t node)
{
    return sms__gpushare(run)->health->absent[node];
}

bool sms__health_will_change(const struct sms__cluster_run *run)
{
    const struct sms__health *health = sms__gpushare(run)->health;
    return health->applied < health->changes;
}

static bool apply(struct sms__cluster_run *run, const struct change *change)
{
    if (change->gpu < SMS_NODE_GPUS_MAX)
        return set_health(run, change->node, change->gpu, change->well);
    sms__gpushare(run)->health->absent[change->node] = false;
    return true;
}

static void await_change(struct sms__cluster_run *run)
{
    const struct sms__health *health = sms__gpushare(run)->health;
    bool more = health->applied < health->changes;
    sms__engine_at(&run->engine, health->source, more ? health->change[health->applied].time : SMS__NEVER);
}

bool sms__health_apply(struct sms__cluster_run *run, uint64_t now)
{
    struct sms__health *health = sms__gpushare(run)->health;
    bool more = false;
    for (; health->applied < health->changes && health->change[health->applied].time <= now; health->applied++)
        more |= apply(run, &health->change[health->applied]);
    await_change(run);
    return more;
}

static int compare(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    const uint64_t key[][2] = {{x->time, y->time}, {x->node, y->node}, {x->gpu, y->gpu}, {x->well, y->well}};
    for (size_t i = 0; i < sizeof key / sizeof *key; i++)
        if (key[i][0] != key[i][1])
            return key[i][0] < key[i][1] ? -1 : 1;
    return 0;
}

static void add_change(struct sms__health *health, double time_ps, size_t node, uint64_t gpu, bool well)
{
    health->change[health->changes++] = (struct change){(uint64_t)(time_ps + 0.5), (uint32_t)node, (uint32_t)gpu, well};
}

static void add_changes(struct sms__health *health, const struct sms__share_node *shared, size_t node)
{
    if (shared->added_ps > 0) {
        health->absent[node] = true;
        add_change(health, shared->added_ps, node, SMS_NODE_GPUS_MAX, true);
    }
    for (size_t i = 0; i < shared->sicks; i++) {
        add_change(health, shared->sick[i].from_ps, node, shared->sick[i].gpu, false);
        if (shared->sick[i].to_ps > 0)
            add_change(health, shared->sick[i].to_ps, node, shared->sick[i].gpu, true);
    }
}

void sms__health_init(struct sms__cluster_run *run, void (*fire)(void *subject, uint64_t now))
{
    const struct sms__cluster *cluster = run->cluster;
    struct sms__health *health = SMS__NEW(run->arena, struct sms__health, 1);
    size_t most = 0;
    health->unhealthy = SMS__NEW(run->arena, uint16_t, cluster->nodes);
    health->absent = SMS__NEW(run->arena, bool, cluster->nodes);
    health->reasons = SMS__NEW(run->arena, uint8_t, sms__gpus_of(cluster));
    for (size_t k = 0; k < cluster->kinds; k++)
        most += cluster->node[k].count * (2 * cluster->node[k].shared->sicks + 1);
    health->change = SMS__NEW(run->arena, struct change, most);
    for (size_t k = 0; k < cluster->kinds; k++)
        for (size_t n = cluster->node[k].first; n < cluster->node[k].first + cluster->node[k].count; n++)
            add_changes(health, cluster->node[k].shared, n);
    if (health->changes)
        qsort(health->change, health->changes, sizeof *health->change, compare);
    health->source = sms__engine_source(&run->engine, SMS__LEVEL_TENANT, fire, run);
    sms__gpushare(run)->health = health;
    await_change(run);
}
