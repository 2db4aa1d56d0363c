/* Places several equal rounds at once. While the work of blocks is not random, dispatch to empty SMs is periodic: a
 * round ends when the search and all queues are back where they were at its beginning and no kernel was refused. The
 * next rounds will then be the same, as long as every SM can take what it took in this one. The result is the same as
 * that of single placements. */
#include "internal.h"

#include <string.h>

enum { PLACEMENTS_MAX = 1 << 14 };

struct placement {
    struct sms__launch *launch;
    uint32_t sm;
};

/* What one round adds to an SM. */
struct addition {
    double usage[SMS_RESOURCES_MAX];
    uint64_t used[SMS_LIMITS];
};

/* The position of a queue in its cycle. */
struct queue_position {
    const struct sms__launch *launch;
    struct sms__turn turn;
};

struct sms__wave {
    struct placement *placed; /* [capacity]: the placements of this round */
    struct addition *sum;     /* [sms] */
    size_t count, capacity;
    size_t ring_start; /* the device's when the round began; the round ends when the search is there again */
    const struct sms__dispatch_queue *queue; /* the queue whose turn it was when the round began */
    struct sms__turn turn;                   /* among the queues, when the round began */
    struct queue_position *position;         /* [queues], when the round began */
    bool started;
};

void sms__wave_init(struct sms__blocks *device)
{
    bool searches_ring = device->setup.policy->policy->search != SMS_SEARCH_BEST;
    if (device->reference || !device->policy.cacheable || !searches_ring || device->setup.device_scope ||
        device->observed || device->setup.model->dispatch.block_ps)
        return;
    struct sms__wave *wave = SMS__NEW(device->arena, struct sms__wave, 1);
    size_t most = device->sms * device->setup.model->sm.blocks;
    wave->capacity = most < PLACEMENTS_MAX ? most : PLACEMENTS_MAX;
    wave->placed = SMS__NEW(device->arena, struct placement, wave->capacity);
    wave->sum = SMS__NEW(device->arena, struct addition, device->sms);
    wave->position = SMS__NEW(device->arena, struct queue_position, device->queues.count);
    device->wave = wave;
}

static void begin_round(struct sms__blocks *device, const struct sms__dispatch_queue *queue)
{
    struct sms__wave *wave = device->wave;
    wave->started = wave->count > 0;
    wave->count = 0;
    wave->ring_start = device->search.ring_start;
    wave->queue = queue;
    wave->turn = device->queues.turn;
    for (size_t i = 0; i < device->queues.count; i++)
        wave->position[i] = (struct queue_position){
            sms__dispatch_queue_current(&device->queues, &device->queues.queue[i]), device->queues.queue[i].turn};
}

static bool is_same(const struct sms__turn *a, const struct sms__turn *b)
{
    return a->first == b->first && a->turns == b->turns;
}

/* True if the search and all queues are where they were when the round began. */
static bool is_round(const struct sms__blocks *device, const struct sms__dispatch_queue *queue)
{
    const struct sms__wave *wave = device->wave;
    bool same = wave->count > 0 && device->search.ring_start == wave->ring_start && queue == wave->queue &&
                is_same(&device->queues.turn, &wave->turn);
    for (size_t i = 0; same && i < device->queues.count; i++)
        same = sms__dispatch_queue_current(&device->queues, &device->queues.queue[i]) == wave->position[i].launch &&
               is_same(&device->queues.queue[i].turn, &wave->position[i].turn);
    return same;
}

void sms__wave_forget(struct sms__blocks *device)
{
    device->wave->count = 0;
    device->wave->started = false;
}

void sms__wave_add(struct sms__blocks *device, size_t sm, struct sms__launch *launch)
{
    struct sms__wave *wave = device->wave;
    device->in_rounds = wave->count < wave->capacity;
    if (device->in_rounds)
        wave->placed[wave->count++] = (struct placement){launch, (uint32_t)sm};
}

static void add_up(struct sms__wave *wave)
{
    for (size_t i = 0; i < wave->count; i++) {
        memset(&wave->sum[wave->placed[i].sm], 0, sizeof *wave->sum);
        wave->placed[i].launch->notes.in_round = 0;
    }
    for (size_t i = 0; i < wave->count; i++) {
        const struct sms__footprint *fit = wave->placed[i].launch->fit;
        struct addition *sum = &wave->sum[wave->placed[i].sm];
        wave->placed[i].launch->notes.in_round++;
        for (int r = 0; r < SMS_RESOURCES_MAX; r++)
            sum->usage[r] += fit->demand[r];
        for (int l = 0; l < SMS_LIMITS; l++)
            sum->used[l] += fit->needs[l];
    }
}

/* Returns how many rounds fit by the hardware limits while every kernel still has a waiting block afterwards. */
static uint64_t count_rounds(const struct sms__blocks *device, const struct sms__wave *wave)
{
    uint64_t rounds = device->setup.model->sm.blocks;
    for (size_t i = 0; i < wave->count; i++) {
        const struct sms__launch *launch = wave->placed[i].launch;
        const struct sms__sm_state *sm = &device->sm[wave->placed[i].sm];
        const uint64_t *used = wave->sum[sm->idx].used;
        uint64_t lasts = (launch->waiting - 1) / launch->notes.in_round;
        rounds = lasts < rounds ? lasts : rounds;
        for (int l = 0; l < SMS_LIMITS; l++) {
            uint64_t room = device->setup.model->view.capacity[l] - sm->composition->used[l];
            rounds = rounds * used[l] > room ? room / used[l] : rounds;
        }
    }
    return rounds;
}

/* True if the policy admits the block on the SM as it would be after `rounds` rounds without this block. The SM is no
 * fuller when the block comes in any of these rounds. */
static bool admits(const struct sms__blocks *device, const struct placement *placement, uint64_t rounds)
{
    const struct sms__footprint *fit = placement->launch->fit;
    const struct addition *sum = &device->wave->sum[placement->sm];
    struct sms__composition has = *device->sm[placement->sm].composition;
    struct sms__sm_state after = device->sm[placement->sm];
    after.composition = &has;
    for (size_t r = 0; r < device->setup.model->resources; r++)
        has.usage[r] += (double)rounds * sum->usage[r] - fit->demand[r];
    for (int l = 0; l < SMS_LIMITS; l++)
        has.used[l] += rounds * sum->used[l] - fit->needs[l];
    return sms__verdict(device, &after, placement->launch) == SMS__ALLOWED;
}

static uint64_t count_admitted(const struct sms__blocks *device, uint64_t rounds)
{
    const struct sms__wave *wave = device->wave;
    for (size_t i = 0; rounds && i < wave->count; i++) {
        bool asked = device->setup.policy->policy->admits || wave->placed[i].launch->fit->hard;
        while (asked && rounds && !admits(device, &wave->placed[i], rounds))
            rounds--;
    }
    return rounds;
}

void sms__wave_repeat(struct sms__blocks *device, const struct sms__dispatch_queue *queue, uint64_t now)
{
    struct sms__wave *wave = device->wave;
    if (!wave->started)
        begin_round(device, queue);
    if (!is_round(device, queue))
        return;
    add_up(wave);
    uint64_t rounds = count_admitted(device, count_rounds(device, wave));
    for (size_t i = 0; rounds && i < wave->count; i++) {
        const struct placement *placement = &wave->placed[i];
        sms__sm_place(&device->sm[placement->sm], placement->launch, (uint32_t)rounds, now);
    }
    device->in_rounds = rounds > 0;
    begin_round(device, queue);
}
