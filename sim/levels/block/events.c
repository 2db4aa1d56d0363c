/* What happens on a device, in order of time: blocks end, by the speeds of their SMs or by a device clock, and blocks
 * start that had to wait for the dispatcher. The device is one source of events. While nothing else is to happen, it
 * goes from one to the next by itself. At one instant SMs go in order of their numbers, and then the dispatcher.
 *
 * Invariant: whenever the run loop goes on, the source has the time of the first of all these; a part of the device
 * that fires has none until it is rated at the end of the instant. The reference engine has a source for each SM
 * instead. */
#include "internal.h"

void sms__sm_times_init(struct sms__sm_times *times, struct sms__arena *arena, size_t sms)
{
    *times = (struct sms__sm_times){.sms = sms, .time = SMS__NEW(arena, uint64_t, sms)};
    for (size_t s = 0; s < sms; s++)
        times->time[s] = SMS__NEVER;
    times->slot = SMS__NEW(arena, uint32_t, SMS__TIME_SLOTS);
    times->slot[SMS__NEVER % SMS__TIME_SLOTS] = (uint32_t)sms;
    sms__tournament_init(&times->keys, arena, sms);
    times->bits = (unsigned)__builtin_popcountll(times->keys.mask);
    times->far = (SMS__NO_KEY - SMS__LEAST_KEY) >> times->bits;
}

size_t sms__sm_times_look(const struct sms__sm_times *times)
{
    size_t first = 0;
    for (size_t s = 1; s < times->sms; s++)
        first = times->time[s] < times->time[first] ? s : first;
    return first;
}

enum { FEW = 256 }; /* SMs that stay in the cache */

enum what { OWN, CLOCK, DISPATCHER, SEVERAL };

/* The next event of a device. */
struct next {
    uint64_t time; /* SMS__NEVER: nothing */
    enum what what;
    struct sms__device_clock *clock;
};

static inline void add(struct next *next, uint64_t time, enum what what)
{
    next->what = time < next->time ? what : time == next->time ? SEVERAL : next->what;
    next->time = time < next->time ? time : next->time;
}

static inline struct next find_next(struct sms__blocks *device)
{
    struct next next = {.time = sms__sm_times_first(&device->times), .what = OWN};
    for (size_t c = 0, clocks = device->clocks; c < clocks; c++) {
        struct sms__device_clock *clock = &device->clock[c];
        next.clock = clock->due < next.time ? clock : next.clock;
        add(&next, clock->due, CLOCK);
    }
    add(&next, device->dispatcher.next_ps, DISPATCHER);
    return next;
}

void sms__events_schedule(struct sms__blocks *device)
{
    if (!device->firing && !device->reference)
        sms__engine_at(device->setup.engine, device->source, find_next(device).time);
}

/* Always inlined: gcc drops calls of functions that do nothing but fetch. */
static inline __attribute__((always_inline)) void fetch_lines(const void *start, int lines)
{
    enum { LINE = 64 };
    for (int i = 0; i < lines; i++)
        __builtin_prefetch((const char *)start + i * LINE);
}

/* With many SMs, none stays in the cache. So the one that will probably be next is fetched while another fires, with
 * the matches of its path that few others share. */
static inline __attribute__((always_inline)) void fetch(const struct sms__blocks *device, size_t sm)
{
    enum { MATCHES = 4, OWN_LINES = 2, RESIDENT_LINES = 12 };
    for (size_t i = 0, at = device->times.keys.leaves + sm; i < MATCHES; i++, at /= 2)
        __builtin_prefetch(&device->times.keys.node[at]);
    fetch_lines(&device->sm[sm], OWN_LINES);
    fetch_lines(device->residents + sm * device->residents_bytes, RESIDENT_LINES);
}

/* Returns the only SM of which blocks end now, by their own speeds; NULL if there are several. */
static inline struct sms__sm_state *only_sm(struct sms__blocks *device, uint64_t now)
{
    const struct sms__tournament *keys = &device->times.keys;
    uint64_t first = sms__tournament_first(keys);
    size_t sm = first & keys->mask;
    if (device->sms <= FEW && sms__sm_times_alone(&device->times, now))
        return &device->sm[sm];
    uint64_t second = sms__tournament_other(keys, sm);
    if (device->sms > FEW && second != SMS__NO_KEY)
        fetch(device, second & keys->mask);
    return second <= (first | keys->mask) ? NULL : &device->sm[sm];
}

/* Fires the device if that is simple: one SM or the dispatcher, in one step, at an instant of its own. */
static inline bool fire_one(struct sms__blocks *device, struct next next)
{
    struct sms__sm_state *only;
    if (next.what == SEVERAL)
        return false;
    if (next.what == DISPATCHER)
        return sms__start_waiting(device, next.time);
    only = next.what == OWN ? only_sm(device, next.time) : sms__device_clock_only(next.clock, next.time);
    return only && sms__refill(only, next.time);
}

/* Blocks of the SM end now. */
static void fire_sm(struct sms__sm_state *sm, uint64_t now)
{
    struct sms__sm_times *times = &sm->device->times;
    sms__sm_fire(sm, now);
    if (times->time[sm->idx] <= now)
        sms__sm_times_set(times, sm->idx, SMS__NEVER);
}

static void fire_all(struct sms__blocks *device, uint64_t now)
{
    struct sms__sm_times *times = &device->times;
    for (size_t c = 0; c < device->clocks; c++)
        if (device->clock[c].due == now)
            sms__device_clock_end(&device->clock[c], now);
    while (sms__sm_times_first(times) == now && !sms__engine_ends(device->setup.engine))
        fire_sm(&device->sm[sms__sm_times_sm(times)], now);
    if (device->dispatcher.next_ps == now)
        sms__dispatcher_fire(device, now);
}

static void fire(void *subject, uint64_t now)
{
    struct sms__blocks *device = subject;
    struct sms__engine *engine = device->setup.engine;
    (void)now;
    struct next next = find_next(device);
    sms__engine_own(engine, device->source);
    device->firing = true;
    bool quiet = sms__engine_is_quiet(engine);
    do {
        if (!quiet || !fire_one(device, next)) {
            fire_all(device, next.time);
            sms__engine_settle(engine);
        }
        next = find_next(device);
        quiet = true;
    } while (sms__engine_goes_on(engine, next.time));
    device->firing = false;
    sms__events_schedule(device);
}

void sms__events_init(struct sms__blocks *device)
{
    if (device->reference)
        return;
    sms__sm_times_init(&device->times, device->arena, device->sms);
    device->source = sms__engine_source(device->setup.engine, SMS__LEVEL_BLOCK, fire, device);
}
