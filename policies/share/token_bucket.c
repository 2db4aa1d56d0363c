/* Caps in software, as HAMi sets them (Project-HAMi/HAMi-core @ 8f3a89c, multiprocess_utilization_watcher.c): a process
 * of weight 0.3 should have its kernels on the device for 30 % of the time. Each launch takes a token for each block of
 * its grid, however large, and waits while there are fewer than none. A watcher adds tokens: a share that grows while
 * the process is below its cap, and falls while it is above. Loses where kernels have few blocks for their length: the
 * least step of the share is then more than they take, so caps do not hold (HAMi-core#274, #314). */
#include <smsched/share.h>

enum { TICK, POLL };

static const struct sms_param params[] = {
    {"tick", SMS_UNIT_TIME, 1e9, 3.6e15, 120e9, "sets the time between two checks of the utilization"},
    {"poll", SMS_UNIT_TIME, 1e6, 3.6e15, 10e9, "sets the time after which a waiting launch checks again"},
    {0},
};

enum {
    UNCAPPED = 100,
    LEAST_DIFFERENCE = 5,
    WAVES = 32
}; /* the last: grids of one thread a block that fill the pool */

struct bucket {
    int64_t tokens, share, pool;
    uint64_t service_ps; /* of its process at the latest tick */
    uint64_t tick_ps;    /* when its watcher looks next */
    uint64_t asks_ps;    /* when a launch that waits looks again */
};

struct state {
    struct bucket *bucket; /* [processes] */
};

static struct bucket *bucket_of(const struct sms_share *share, size_t p)
{
    return &((struct state *)sms_share_state(share))->bucket[p];
}

static void start(struct sms_share *share)
{
    struct state *state = sms_share_state(share);
    state->bucket = sms_share_alloc(share, sms_share_processes(share), sizeof *state->bucket);
}

/* Per cent. */
static int64_t cap_of(const struct sms_process_view *view)
{
    return view->weight < 1 ? (int64_t)(view->weight * 100 + 0.5) : UNCAPPED;
}

/* The change of the share at this utilization, per cent, tokens. Whole numbers, as there. */
static int64_t step_of(const struct sms_share_device_view *device, int64_t used, int64_t cap)
{
    const int64_t sms = (int64_t)device->sms, apart = used > cap ? used - cap : cap - used;
    const int64_t difference = apart > LEAST_DIFFERENCE ? apart : LEAST_DIFFERENCE;
    const int64_t step = sms * sms * (int64_t)device->threads * difference / 2560;
    return difference > cap / 2 ? step * difference * 2 / (cap + 1) : step;
}

static int64_t limit(int64_t value, int64_t most) { return value < 0 ? 0 : value > most ? most : value; }

static void fill(const struct sms_share *share, const struct sms_process_view *view, struct bucket *bucket)
{
    const struct sms_share_device_view device = sms_share_device(share, (size_t)view->device);
    const uint64_t served_ps = view->service_ps - bucket->service_ps, tick = (uint64_t)sms_share_param(share, TICK);
    const int64_t used = (int64_t)(served_ps * 100 / tick), step = step_of(&device, used, cap_of(view));
    bucket->service_ps = view->service_ps;
    if (bucket->share == bucket->pool && bucket->tokens < 0) {
        bucket->pool *= 2;
        bucket->share = bucket->pool;
    }
    bucket->share = limit(bucket->share + (used <= cap_of(view) ? step : -step), bucket->pool);
    bucket->tokens += bucket->share;
    bucket->tokens = bucket->tokens > bucket->pool ? bucket->pool : bucket->tokens;
}

/* The timer of a process. Its watcher looks every tick from its first launch on, and before a launch of that instant.
 * After each event the engine asks again for launches that wait. */
static void watch(struct sms_share *share, size_t p)
{
    const struct sms_process_view view = sms_share_process(share, p);
    struct bucket *bucket = bucket_of(share, p);
    if (view.device < 0 || bucket->pool == 0 || sms_share_now(share) != bucket->tick_ps)
        return;
    fill(share, &view, bucket);
    bucket->tick_ps += (uint64_t)sms_share_param(share, TICK);
    sms_share_wake(share, (uint64_t)sms_share_param(share, TICK), p);
}

static void make_pool(struct sms_share *share, size_t p, const struct sms_process_view *view)
{
    const struct sms_share_device_view device = sms_share_device(share, (size_t)view->device);
    const uint64_t tick = (uint64_t)sms_share_param(share, TICK);
    *bucket_of(share, p) = (struct bucket){.pool = (int64_t)(device.sms * device.threads * WAVES),
                                           .service_ps = view->service_ps,
                                           .tick_ps = sms_share_now(share) + tick};
    sms_share_wake(share, tick, p);
}

static enum sms_answer launch(struct sms_share *share, size_t p)
{
    const struct sms_process_view view = sms_share_process(share, p);
    struct bucket *bucket = bucket_of(share, p);
    const uint64_t now = sms_share_now(share), poll = (uint64_t)sms_share_param(share, POLL);
    if (cap_of(&view) >= UNCAPPED)
        return SMS_GRANT;
    if (now < bucket->asks_ps)
        return SMS_DEFER;
    watch(share, p);
    if (bucket->tokens < 0) {
        bucket->asks_ps = now + poll;
        sms_share_wake(share, poll, p);
        return SMS_DEFER;
    }
    if (bucket->pool == 0)
        make_pool(share, p, &view);
    bucket->tokens -= (int64_t)view.blocks;
    return SMS_GRANT;
}

static void event(struct sms_share *share, const struct sms_share_event *event)
{
    if (event->kind == SMS_EVENT_ARRIVED)
        *bucket_of(share, event->process) = (struct bucket){0};
}

const struct sms_share_policy sms_share_policy_token_bucket = {
    .name = "token_bucket",
    .help = "lets a process of a weight below 1 have kernels for that part of the time, by tokens for blocks (HAMi)",
    .params = params,
    .state = sizeof(struct state),
    .intercepts = true,
    .start = start,
    .launch = launch,
    .event = event,
    .timer = watch,
};
