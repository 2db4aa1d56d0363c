/* The loop over ticks. It skips ticks in which nothing changes, and gives the same result as if it did not. */
#include "simtbs.h"

#include <stdio.h>
#include <string.h>

/* After so many ticks without an event, the loop checks whether blocks still progress. */
enum { QUIET_TICKS = 4096 };

static enum sms__simtbs_policy policy_of(const char *name)
{
    static const char *const names[] = {"rr", "smk", "fua", "rrf", "bfa", "dfa"};
    int i = 0;
    while (strcmp(names[i], name) != 0)
        i++;
    return (enum sms__simtbs_policy)i;
}

static void init(struct sms__simtbs *run, struct sms__arena *arena, const struct sms__run_spec *spec)
{
    const struct sms_scenario *scenario = spec->scenario;
    run->spec = spec;
    run->arena = arena;
    run->device = scenario->device[0];
    run->policy = policy_of(spec->policy->policy->name);
    run->limit = (float)spec->policy->param[0];
    run->resources = run->device->resources;
    run->sms = run->device->sms;
    run->end = (uint64_t)(scenario->duration_ps / SMS__TICK_PS);
    sms__simtbs_shape(run->device, &run->shape);
    for (size_t r = 0; r < run->resources; r++)
        run->max[r] = run->device->resource[r].capacity;
    sms__simtbs_init_curves(run);
    run->sm = SMS__NEW(arena, struct sms__simtbs_sm, run->sms);
    run->busy = SMS__NEW(arena, size_t, run->sms);
    run->launches = scenario->vms;
    run->launch = SMS__NEW(arena, struct sms__simtbs_launch, run->launches);
    for (size_t v = 0; v < run->launches; v++) {
        const struct sms__tenant *vm = &scenario->vm[v];
        uint64_t blocks = vm->workload->kernel[0].blocks;
        run->launch[v] = (struct sms__simtbs_launch){&vm->fit[0][0],
                                                     (uint64_t)(vm->start_ps / SMS__TICK_PS),
                                                     (uint64_t)(vm->fit[0][0].work_ps / SMS__TICK_PS),
                                                     blocks,
                                                     blocks,
                                                     0,
                                                     0};
    }
    run->record = SMS__NEW(arena, struct sms__simtbs_record, 1);
    run->record->kernel = SMS__NEW(arena, struct sms__simtbs_kernel, run->launches);
}

/* Use is summed after each tick, as simtbs does, so a block of k ticks counts k - 1 times. */
static void pass(struct sms__simtbs *run, uint64_t ticks)
{
    for (size_t r = 0; r < run->resources; r++)
        run->record->used[r] += ticks * run->used[r];
    run->t += ticks;
}

static void observe(struct sms__simtbs *run, uint64_t ticks)
{
    run->overload.active_sum += ticks * run->busies;
    for (size_t r = 0; r < run->shape.sm; r++) {
        run->overload.excess_sum[r] += ticks * run->overload.excess[r];
        run->overload.over_sum[r] += ticks * run->overload.over[r];
    }
}

/* Computes the speed of an SM again if its own use or the overhead of the device has changed. */
static void rate(struct sms__simtbs *run, struct sms__simtbs_sm *sm, bool everywhere)
{
    if (!sm->changed && !everywhere)
        return;
    if (sm->changed)
        sm->overhead = sms__simtbs_overhead_sm(run, sm->used);
    sm->changed = false;
    float overhead = sm->overhead + run->device_overhead;
    sm->step = 1 / (1 + overhead);
}

static void work(struct sms__simtbs *run, struct sms__simtbs_sm *sm)
{
    float step = sm->step, *left = sm->left;
    bool done = false;
    for (size_t i = 0; i < sm->entries; i++) {
        left[i] -= step;
        done |= left[i] <= 0;
    }
    if (done)
        sms__simtbs_leave(run, sm);
}

/* Goes backwards, because the last SM of the list takes the place of one that becomes idle. */
static void tick(struct sms__simtbs *run)
{
    float overhead = sms__simtbs_overhead_device(run, run->used);
    bool everywhere = !(overhead == run->device_overhead);
    run->device_overhead = overhead;
    observe(run, 1);
    for (size_t b = run->busies; b-- > 0;) {
        struct sms__simtbs_sm *sm = &run->sm[run->busy[b]];
        rate(run, sm, everywhere);
        work(run, sm);
    }
    run->events++;
    pass(run, 1);
}

/* True if no block progresses: in single precision, the work left is too much for a tick to change it. */
static bool is_frozen(const struct sms__simtbs *run)
{
    for (size_t b = 0; b < run->busies; b++) {
        const struct sms__simtbs_sm *sm = &run->sm[run->busy[b]];
        for (size_t i = 0; i < sm->entries; i++) {
            float after = sm->left[i] - sm->step;
            if (after < sm->left[i])
                return false;
        }
    }
    return true;
}

/* Returns the next tick at which anything changes although no block progresses; 0 if there is none. */
static uint64_t next_change(const struct sms__simtbs *run)
{
    bool head = run->head < run->arrived; /* it waits for a block to leave, so later arrivals change nothing */
    uint64_t next = !head && run->arrived < run->launches ? run->launch[run->arrived].enter : 0;
    return run->end && (next == 0 || run->end < next) ? run->end : next;
}

/* Skips the ticks in which nothing changes. Returns false, with an error, if nothing will ever change. */
static bool skip(struct sms__simtbs *run)
{
    uint64_t next = next_change(run);
    if (next == 0) {
        const char *vm = run->head < run->arrived ? run->spec->scenario->vm[run->head].name : NULL;
        snprintf(run->spec->record->why, sizeof run->spec->record->why,
                 vm ? "under policy %s simtbs would never end: from tick %llu on, no block of VM '%.60s' fits any more"
                    : "under policy %s simtbs would never end: from tick %llu on, blocks are too slow to get on",
                 run->spec->policy->label, (unsigned long long)run->t, vm);
        run->code = SMS_EINPUT;
        return false;
    }
    observe(run, next - run->t);
    pass(run, next - run->t);
    run->last_event = run->t;
    return true;
}

/* simtbs counts ticks in 32 bits. */
static void check_clock(struct sms__simtbs *run)
{
    if (run->t <= UINT32_MAX)
        return;
    snprintf(run->spec->record->why, sizeof run->spec->record->why,
             "under policy %s the clock of simtbs would go back to 0 after tick 4294967295", run->spec->policy->label);
    run->code = SMS_EINPUT;
}

static void step(struct sms__simtbs *run)
{
    while (run->arrived < run->launches && run->launch[run->arrived].enter <= run->t)
        run->arrived++;
    sms__simtbs_place_all(run);
    if (run->code)
        return;
    bool quiet = run->busies == 0 || (run->t - run->last_event >= QUIET_TICKS && is_frozen(run));
    if (!quiet)
        tick(run);
    else
        skip(run);
    if (!sms__simtbs_is_stopped(run))
        check_clock(run);
}

int sms__simtbs_run(struct sms__arena *arena, const struct sms__run_spec *spec)
{
    struct sms__simtbs *run = SMS__NEW(arena, struct sms__simtbs, 1);
    sms__record_init(spec->record, arena, spec->scenario);
    init(run, arena, spec);
    while (run->code == SMS_OK && run->ended < run->launches && !(run->end && run->end <= run->t))
        step(run);
    sms__simtbs_finish(run);
    return run->code;
}
