/* The scenario of a seed. Small on purpose: few block slots, limits that bind in
 * turn, times that are often equal, so that rare cases are common. */
#include "scenario.h"

#include "../../sim/model/policy/registry.h"

#include <string.h>

/* splitmix64 (Steele, Lea and Flood 2014). */
static uint64_t next(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* A whole number in [from, to]. */
static uint64_t within(uint64_t *state, uint64_t from, uint64_t to) { return from + next(state) % (to - from + 1); }

static bool chance(uint64_t *state, uint64_t percent) { return next(state) % 100 < percent; }

/* In [1, most], small ones more often. */
static uint64_t small(uint64_t *state, uint64_t most) { return within(state, 1, within(state, 1, most)); }

static uint64_t count_sms(uint64_t *rng)
{
    static const uint64_t crossing[] = {63, 64, 65, 127, 128, 129, 200};
    return chance(rng, 12) ? crossing[next(rng) % 7] : small(rng, 24);
}

static void generate_limits(uint64_t *limit, uint64_t *rng)
{
    const struct {
        enum limit limit;
        uint64_t percent, from, to, unit;
    } table[] = {{LIMIT_BLOCKS, 90, 1, 8, 1},
                 {LIMIT_THREADS, 50, 1, 32, 64},
                 {LIMIT_WARPS, 50, 1, 40, 1},
                 {LIMIT_REGISTERS, 50, 1, 64, 1000},
                 {LIMIT_SHARED, 50, 1, 96, 1000},
                 {LIMIT_BLOCK_THREADS, 30, 1, 1000, 1},
                 {LIMIT_THREAD_REGISTERS, 30, 1, 255, 1},
                 {LIMIT_REGISTER_UNIT, 30, 1, 512, 1},
                 {LIMIT_PARTITIONS, 30, 1, 8, 1},
                 {LIMIT_SHARED_UNIT, 30, 1, 1024, 1},
                 {LIMIT_SHARED_RESERVED, 30, 1, 1024, 1},
                 {LIMIT_BLOCK_SHARED, 30, 1, 96, 500}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (chance(rng, table[i].percent))
            limit[table[i].limit] = within(rng, table[i].from, table[i].to) * table[i].unit;
}

/* Under max-min, two or three resources of scope device that blocks fill at once are hard, and otherwise rare. So every
 * eighth seed has them. */
static bool has_scarce(uint64_t seed) { return seed % 8 == 0; }

/* Until the contention model is drawn, only scenarios with scarce resources have one. */
static bool makes_scarce(const struct scenario *s, size_t r) { return s->contention == MAXMIN && s->resource[r].wide; }

static void generate_scarce(struct scenario *s, uint64_t *rng)
{
    size_t scarce = within(rng, 2, 3);
    s->resources = s->resources > scarce ? s->resources : scarce + 1; /* the last is an SM's */
    for (size_t r = 0; r < scarce; r++)
        s->resource[r].wide = 1;
}

static void generate_resources(struct scenario *s, uint64_t *rng)
{
    s->resources = small(rng, RESOURCES - 1);
    for (size_t r = 0; r < s->resources; r++) {
        struct resource *resource = &s->resource[r];
        resource->memory = chance(rng, 50);
        resource->wide = chance(rng, 25);
        resource->knee = chance(rng, 30) ? within(rng, 1000, 9000) : 0;
        resource->points = chance(rng, 70) ? within(rng, 1, POINTS) : 0;
        uint64_t usage = 0, overhead = 0;
        for (size_t p = 0; p < resource->points; p++) {
            resource->usage[p] = usage += within(rng, 1, 1500);
            resource->overhead[p] = overhead += chance(rng, 80) ? within(rng, 0, 2000) : 0;
        }
    }
    if (s->contention == MAXMIN)
        generate_scarce(s, rng);
}

/* Mostly of few resources, of round numbers that add up to 100 % as often as not. */
static void generate_demand(const struct scenario *s, uint64_t *demand, uint64_t *rng)
{
    for (size_t r = 0; r < s->resources; r++) {
        if (chance(rng, 45))
            continue;
        demand[r] = chance(rng, 60) ? within(rng, 0, 10) * 100 : within(rng, 0, 1000);
        if (makes_scarce(s, r))
            demand[r] = within(rng, 2, 10) * 100;
        if (chance(rng, 6))
            demand[r] = within(rng, 1000, 16000);
    }
}

static uint64_t least_sms(const struct scenario *s)
{
    uint64_t least = s->device[0].sms;
    for (size_t d = 1; d < s->devices; d++)
        least = s->device[d].sms < least ? s->device[d].sms : least;
    return least;
}

static void generate_devices(struct scenario *s, uint64_t *rng)
{
    static const uint64_t clocks[] = {1, 1000, 1024, 1530, 1410, 700};
    s->clock_mhz = clocks[1 + next(rng) % 5];
    if (chance(rng, 40)) {
        s->idle_w = within(rng, 0, 50);
        s->busy_w = s->idle_w + within(rng, 1, 250);
    }
    s->devices = chance(rng, 25) ? 2 : 1;
    s->device[0].sms = count_sms(rng);
    generate_limits(s->device[0].limit, rng);
    if (s->devices == 2)
        s->device[1] = s->device[0];
    if (s->devices == 2 && chance(rng, 50)) {
        s->device[1].sms = count_sms(rng);
        generate_limits(s->device[1].limit, rng);
    }
    generate_resources(s, rng);
    s->backgrounds = chance(rng, 20) ? within(rng, 1, BACKGROUNDS) : 0;
    for (size_t b = 0; b < s->backgrounds; b++) {
        s->background[b].sm = within(rng, 0, least_sms(s) - 1);
        generate_demand(s, s->background[b].demand, rng);
    }
}

static bool fits_everywhere(const struct scenario *s, const struct kernel *kernel)
{
    struct needs needs;
    bool fits = true;
    for (size_t d = 0; d < s->devices; d++)
        fits &= block_needs(&s->device[d], kernel, &needs);
    return fits;
}

/* Smaller until it fits; where not even the smallest does, the reserve of shared memory is at fault. */
static void make_fit(struct scenario *s, struct kernel *kernel)
{
    while (!fits_everywhere(s, kernel)) {
        bool smallest = kernel->threads == 1 && kernel->registers == 0 && kernel->shared == 0;
        for (size_t d = 0; smallest && d < s->devices; d++) {
            s->device[d].limit[LIMIT_SHARED] = 0;
            s->device[d].limit[LIMIT_THREADS] = 0;
            s->device[d].limit[LIMIT_SHARED_RESERVED] = 0;
        }
        kernel->threads = (kernel->threads + 1) / 2;
        kernel->registers /= 2;
        kernel->shared /= 2;
    }
}

/* `base` is the scenario's unit of time in ps. */
static void generate_kernel(struct scenario *s, struct kernel *kernel, uint64_t base, uint64_t *rng)
{
    static const uint64_t often[] = {1, 2, 2, 3, 10};
    kernel->blocks = small(rng, 200);
    kernel->threads = chance(rng, 50) ? 32 * within(rng, 1, 16) : within(rng, 1, 512);
    kernel->registers = chance(rng, 60) ? within(rng, 0, 128) : 0;
    kernel->shared = chance(rng, 50) ? within(rng, 0, 20000) : 0;
    kernel->time = chance(rng, 60) ? base * often[next(rng) % 5] : within(rng, base, 20 * base);
    if (base >= 1000000 && chance(rng, 20)) {
        kernel->cycles = 1;
        kernel->time = within(rng, 500, 20000);
    }
    kernel->exponential = chance(rng, 12);
    kernel->jitter = !kernel->exponential && chance(rng, 30) ? within(rng, 0, 500) : 0;
    generate_demand(s, kernel->demand, rng);
    make_fit(s, kernel);
}

static struct step generate_step(const struct workload *workload, uint64_t base, uint64_t *rng)
{
    struct step step = {.kind = chance(rng, 55) ? STEP_LAUNCH : next(rng) % STEP_KINDS, .times = 1};
    if (step.kind == STEP_LAUNCH) {
        step.kernel = next(rng) % workload->kernels;
        step.times = chance(rng, 70) ? 1 : within(rng, 1, 4);
    } else if (step.kind == STEP_HOST)
        step.amount = chance(rng, 80) ? base * within(rng, 1, 10) : within(rng, 0, 1);
    else
        step.amount = chance(rng, 80) ? within(rng, 1, 1000000) : within(rng, 0, 1);
    return step;
}

static void generate_workload(struct scenario *s, struct workload *workload, uint64_t base, uint64_t *rng)
{
    workload->kernels = small(rng, KERNELS);
    for (size_t k = 0; k < workload->kernels; k++)
        generate_kernel(s, &workload->kernel[k], base, rng);
    workload->steps = chance(rng, 60) ? within(rng, 1, STEPS) : 0;
    for (size_t i = 0; i < workload->steps; i++)
        workload->step[i] = generate_step(workload, base, rng);
    if (workload->steps) { /* a job without any would take no time */
        struct step *step = &workload->step[next(rng) % workload->steps];
        *step = (struct step){STEP_LAUNCH, 0, next(rng) % workload->kernels, 1, 0};
    }
}

static void generate_vm(struct scenario *s, size_t v, uint64_t base, uint64_t *rng)
{
    struct vm *vm = &s->vm[v];
    vm->name = v;
    vm->workload = next(rng) % s->workloads;
    vm->streams = chance(rng, 60) ? 1 : within(rng, 1, 4);
    vm->repeat = small(rng, 5);
    vm->priority = chance(rng, 20) ? within(rng, 1, 3) : 0;
    if (chance(rng, 40))
        vm->start = base * within(rng, 0, 20);
    if (s->duration && vm->start >= s->duration)
        vm->start = s->duration - 1;
    if (s->duration && chance(rng, 40))
        vm->repeat = 0;
    if (chance(rng, 25)) {
        vm->arrivals = chance(rng, 50) ? ARRIVE_EVERY : ARRIVE_POISSON;
        vm->interval = chance(rng, 50) ? base * within(rng, 1, 20) : within(rng, base, 20 * base);
    }
    if (chance(rng, 30))
        vm->deadline = base * within(rng, 1, 200);
    if (v > 0 && chance(rng, 25)) { /* two alike */
        *vm = s->vm[next(rng) % v];
        vm->name = v;
    }
}

/* The least limit with which every kernel can be placed on an empty device. */
static uint64_t least_limit(const struct scenario *s)
{
    uint64_t least = 10;
    for (size_t w = 0; w < s->workloads; w++)
        for (size_t k = 0; k < s->workload[w].kernels; k++)
            for (size_t r = 0; r < s->resources; r++) {
                uint64_t demand = s->workload[w].kernel[k].demand[r], sms = least_sms(s);
                uint64_t adds = s->resource[r].wide ? (demand + sms - 1) / sms : demand;
                least = adds > least ? adds : least;
            }
    return least;
}

static struct policy generate_policy(const struct scenario *s, uint64_t *rng)
{
    struct policy policy = {.kind = next(rng) % POLICY_KINDS};
    if (policy.kind < FINE_GRAINED || policy.kind > FINE_GRAINED_CAPPED)
        return policy;
    uint64_t least = least_limit(s);
    policy.limit = chance(rng, 40) ? 1000 : within(rng, 100, 3000);
    if (policy.limit < least || chance(rng, 15))
        policy.limit = least;
    if (chance(rng, 30))
        policy.patience = chance(rng, 30) ? 1 : within(rng, 1000, 100000000);
    return policy;
}

static void generate_policies(struct scenario *s, uint64_t *rng)
{
    size_t wanted = within(rng, 1, POLICIES);
    while (s->policies < wanted) {
        struct policy policy = generate_policy(s, rng);
        bool again = false;
        for (size_t p = 0; p < s->policies; p++)
            again |= !memcmp(&policy, &s->policy[p], sizeof policy);
        if (!again)
            s->policy[s->policies++] = policy;
    }
    if (chance(rng, 30))
        s->alone = generate_policy(s, rng);
}

static size_t queues(void)
{
    size_t count = 0;
    while (sms__queue_names[count])
        count++;
    return count;
}

/* Often as long as blocks, so that they often coincide with other events. */
static uint64_t some_time(uint64_t base, uint64_t *rng)
{
    return chance(rng, 50) ? base * within(rng, 1, 4) / within(rng, 1, 4) : within(rng, 1, base);
}

static void generate_workload_costs(struct workload *workload, uint64_t base, uint64_t *rng)
{
    for (size_t k = 0; k < workload->kernels; k++)
        if (chance(rng, 30))
            workload->kernel[k].launch = 1 + (chance(rng, 20) ? 0 : some_time(base, rng));
    for (size_t i = 0; i < workload->steps; i++)
        workload->step[i].graph = workload->step[i].kind == STEP_LAUNCH && chance(rng, 50);
}

/* Drawn late, so that the rest of a seed's scenario is as it was without. */
static void generate_dispatch(struct scenario *s, uint64_t base, uint64_t *rng)
{
    if (chance(rng, 60))
        return;
    if (chance(rng, 60))
        s->launch = some_time(base, rng);
    if (chance(rng, 70))
        s->interval = chance(rng, 50) ? some_time(base, rng) : some_time(base, rng) / 16;
    for (size_t w = 0; w < s->workloads && chance(rng, 60); w++)
        generate_workload_costs(&s->workload[w], base, rng);
}

/* Drawn late, too. */
static void generate_pairs(struct scenario *s, uint64_t *rng)
{
    s->contention = PAIRWISE;
    for (size_t w = 0; w < s->workloads; w++)
        s->workload[w].cls = within(rng, 0, CLASSES);
    for (size_t a = 0; a < CLASSES; a++)
        for (size_t b = 0; b < CLASSES; b++)
            s->pair[a][b] = chance(rng, 30) ? 0 : within(rng, 1, 2000);
}

void generate(struct scenario *s, uint64_t seed)
{
    uint64_t state = seed, *rng = &state;
    static const uint64_t bases[] = {10, 1000, 1000000, 1000000, 1048576};
    uint64_t base = bases[next(rng) % 5];
    *s = (struct scenario){.contention = has_scarce(seed) ? MAXMIN : NONE};
    generate_devices(s, rng);
    if (chance(rng, 60)) /* a megabyte takes some units of time */
        s->link = 1000000000000000000u / (base * within(rng, 1, 10));
    s->workloads = s->contention == MAXMIN ? within(rng, 3, WORKLOADS) : small(rng, WORKLOADS);
    for (size_t w = 0; w < s->workloads; w++)
        generate_workload(s, &s->workload[w], base, rng);
    s->duration = chance(rng, 55) ? base * within(rng, 5, 100) : 0;
    if (s->duration)
        s->duration += within(rng, 0, 9);
    s->warmup = s->duration && chance(rng, 40) ? within(rng, 0, s->duration - 1) : 0;
    s->vms = s->contention == MAXMIN ? within(rng, 3, VMS - 1) : small(rng, VMS - 1);
    for (size_t v = 0; v < s->vms; v++)
        generate_vm(s, v, base, rng);
    generate_policies(s, rng);
    s->queue = next(rng) % (1 + queues());
    if (!has_scarce(seed))
        s->contention = next(rng) % PAIRWISE;
    s->slope = chance(rng, 50) ? 1000 : within(rng, 0, 5000);
    s->seed = 1 + next(rng) % 1000;
    s->replications = chance(rng, 80) ? 1 : 2;
    s->wordy = chance(rng, 10);
    generate_dispatch(s, base, rng);
    for (size_t v = 0; v < s->vms; v++)
        s->vm[v].phased = chance(rng, 50);
    if (seed % 8 == 1)
        generate_pairs(s, rng);
    if (s->devices == 2)
        s->device[1].own = chance(rng, 30);
}
