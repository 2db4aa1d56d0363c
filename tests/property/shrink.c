/* Greedy: makes one part smaller, keeps that if the property still fails, and
 * ends when no single step makes it fail any more. */
#include "property.h"

#include <string.h>

#define REMOVE(list, count, at) memmove(&(list)[at], &(list)[(at) + 1], ((count) - (at)-1) * sizeof *(list))

/* Each step changes the scenario at one of its places; false: there are no more places. */
typedef bool reduction(struct scenario *scenario, size_t at);

static bool drop_vm(struct scenario *s, size_t at)
{
    if (at >= s->vms)
        return false;
    if (s->vms > 1) {
        REMOVE(s->vm, s->vms, at);
        s->vm[--s->vms] = (struct vm){0};
        for (size_t v = 0; v < s->vms; v++)
            s->vm[v].name = v; /* properties take it for its place */
    }
    return true;
}

/* Its VMs do what the first workload says. */
static bool drop_workload(struct scenario *s, size_t at)
{
    if (at >= s->workloads)
        return false;
    if (s->workloads == 1)
        return true;
    REMOVE(s->workload, s->workloads, at);
    s->workload[--s->workloads] = (struct workload){0};
    for (size_t v = 0; v < s->vms; v++) {
        uint64_t *workload = &s->vm[v].workload;
        *workload = *workload == at ? 0 : *workload - (*workload > at);
    }
    return true;
}

static void drop_step_at(struct workload *workload, size_t at)
{
    REMOVE(workload->step, workload->steps, at);
    workload->step[--workload->steps] = (struct step){0};
}

static bool drop_kernel(struct scenario *s, size_t at)
{
    struct workload *workload = &s->workload[at / KERNELS];
    size_t k = at % KERNELS;
    if (at / KERNELS >= s->workloads)
        return false;
    if (workload->kernels < 2 || k >= workload->kernels)
        return true;
    REMOVE(workload->kernel, workload->kernels, k);
    workload->kernel[--workload->kernels] = (struct kernel){0};
    for (size_t i = workload->steps; i-- > 0;) {
        struct step *step = &workload->step[i];
        if (step->kind == STEP_LAUNCH && step->kernel == k)
            drop_step_at(workload, i);
        else
            step->kernel -= step->kernel > k;
    }
    return true;
}

static bool drop_step(struct scenario *s, size_t at)
{
    if (at / STEPS >= s->workloads)
        return false;
    if (at % STEPS < s->workload[at / STEPS].steps)
        drop_step_at(&s->workload[at / STEPS], at % STEPS);
    return true;
}

static bool drop_resource(struct scenario *s, size_t at)
{
    if (at >= s->resources)
        return false;
    if (s->resources == 1)
        return true;
    REMOVE(s->resource, s->resources, at);
    s->resource[--s->resources] = (struct resource){0};
    for (size_t b = 0; b < BACKGROUNDS; b++) {
        REMOVE(s->background[b].demand, RESOURCES, at);
        s->background[b].demand[RESOURCES - 1] = 0;
    }
    for (size_t k = 0; k < WORKLOADS * KERNELS; k++) {
        uint64_t *demand = s->workload[k / KERNELS].kernel[k % KERNELS].demand;
        REMOVE(demand, RESOURCES, at);
        demand[RESOURCES - 1] = 0;
    }
    return true;
}

static bool drop_background(struct scenario *s, size_t at)
{
    if (at >= s->backgrounds)
        return false;
    REMOVE(s->background, s->backgrounds, at);
    s->background[--s->backgrounds] = (struct background){0};
    return true;
}

static bool drop_policy(struct scenario *s, size_t at)
{
    if (at >= s->policies)
        return false;
    if (s->policies > 1) {
        REMOVE(s->policy, s->policies, at);
        s->policy[--s->policies] = (struct policy){0};
    }
    return true;
}

static bool drop_device(struct scenario *s, size_t at)
{
    if (at >= s->devices)
        return false;
    if (s->devices > 1) {
        REMOVE(s->device, s->devices, at);
        s->device[--s->devices] = (struct device){0};
    }
    return true;
}

static bool equal_devices(struct scenario *s, size_t at)
{
    if (s->devices > 1)
        s->device[1] = s->device[0];
    return at == 0;
}

/* The last point first, so that curves stay curves; then the knee. */
static bool drop_point(struct scenario *s, size_t at)
{
    if (at >= s->resources)
        return false;
    struct resource *resource = &s->resource[at];
    if (!resource->points)
        resource->knee = 0;
    if (resource->points) {
        resource->points--;
        resource->usage[resource->points] = resource->overhead[resource->points] = 0;
    }
    return true;
}

static void double_blocks(struct scenario *s)
{
    for (size_t k = 0; k < WORKLOADS * KERNELS; k++)
        s->workload[k / KERNELS].kernel[k % KERNELS].blocks *= 2;
}

/* One VM less may do if the others do more. Terminates: the blocks are halved only where that does, too. */
static bool drop_vm_for_blocks(struct scenario *s, size_t at)
{
    if (at >= s->vms)
        return false;
    if (s->vms > 1)
        double_blocks(s);
    return drop_vm(s, at);
}

/* Half the jobs of twice the size; one job instead of no end. */
static bool halve_jobs_for_blocks(struct scenario *s, size_t at)
{
    if (at >= s->vms)
        return false;
    if (s->vm[at].repeat > 1) {
        s->vm[at].repeat /= 2;
        double_blocks(s);
    }
    return true;
}

static bool end_by_itself(struct scenario *s, size_t at)
{
    if (at >= s->vms)
        return false;
    if (!s->vm[at].repeat) {
        s->vm[at].repeat = 1;
        s->duration = is_finite(s) ? 0 : s->duration;
        s->warmup = s->duration ? s->warmup : 0;
    }
    return true;
}

static bool name_by_place(struct scenario *s, size_t at)
{
    for (size_t v = 0; v < s->vms; v++)
        s->vm[v].name = v;
    return at == 0;
}

static reduction *const reductions[] = {
    drop_vm,     drop_workload, drop_kernel, drop_step,          drop_resource,         drop_background, drop_policy,
    drop_device, equal_devices, drop_point,  drop_vm_for_blocks, halve_jobs_for_blocks, end_by_itself,   name_by_place};

/* A number inside a scenario, and its simplest value. */
struct number {
    size_t offset;
    uint64_t least;
};

#define IN(type, member, least)                                                                                        \
    {                                                                                                                  \
        offsetof(struct type, member), least                                                                           \
    }

static const struct number of_scenario[] = {
    IN(scenario, alone.kind, 0),   IN(scenario, alone.limit, 0), IN(scenario, alone.patience, 0),
    IN(scenario, queue, 0),        IN(scenario, contention, 0),  IN(scenario, slope, 0),
    IN(scenario, warmup, 0),       IN(scenario, duration, 0),    IN(scenario, seed, 1),
    IN(scenario, replications, 1), IN(scenario, wordy, 0),       IN(scenario, link, 0),
    IN(scenario, launch, 0),       IN(scenario, interval, 0),    IN(scenario, idle_w, 0),
    IN(scenario, busy_w, 0),       IN(scenario, clock_mhz, 1),   IN(scenario, pair[0][0], 0),
    IN(scenario, pair[0][1], 0),   IN(scenario, pair[1][0], 0),  IN(scenario, pair[1][1], 0)};
static const struct number of_workload[] = {IN(workload, cls, 0)};
static const struct number of_device[] = {IN(device, sms, 1),       IN(device, limit[0], 0), IN(device, limit[1], 0),
                                          IN(device, limit[2], 0),  IN(device, limit[3], 0), IN(device, limit[4], 0),
                                          IN(device, limit[5], 0),  IN(device, limit[6], 0), IN(device, limit[7], 0),
                                          IN(device, limit[8], 0),  IN(device, limit[9], 0), IN(device, limit[10], 0),
                                          IN(device, limit[11], 0), IN(device, own, 0)};
static const struct number of_resource[] = {
    IN(resource, memory, 0),   IN(resource, wide, 0),        IN(resource, usage[0], 1), IN(resource, overhead[0], 0),
    IN(resource, usage[1], 1), IN(resource, overhead[1], 0), IN(resource, usage[2], 1), IN(resource, overhead[2], 0)};
static const struct number of_demand[] = {{0, 0}};
static const struct number of_background[] = {IN(background, sm, 0)};
static const struct number of_kernel[] = {IN(kernel, blocks, 1),      IN(kernel, threads, 1), IN(kernel, registers, 0),
                                          IN(kernel, shared, 0),      IN(kernel, cycles, 0),  IN(kernel, jitter, 0),
                                          IN(kernel, exponential, 0), IN(kernel, time, 1),    IN(kernel, launch, 0)};
static const struct number of_step[] = {IN(step, amount, 1), IN(step, kernel, 0), IN(step, times, 1),
                                        IN(step, graph, 0)};
static const struct number of_vm[] = {IN(vm, start, 0),    IN(vm, streams, 1),  IN(vm, priority, 0),
                                      IN(vm, repeat, 1),   IN(vm, arrivals, 0), IN(vm, interval, 1),
                                      IN(vm, deadline, 0), IN(vm, workload, 0)};
static const struct number of_policy[] = {IN(policy, kind, 0), IN(policy, limit, 0), IN(policy, patience, 0)};

/* Numbers of `count` equal parts that stand one behind the other. */
struct numbers {
    size_t at, stride, count, per_part;
    const struct number *table;
};

#define PARTS(first, n, table)                                                                                         \
    {                                                                                                                  \
        (size_t)((char *)(first) - (char *)s), sizeof *(first), n, sizeof table / sizeof *table, table                 \
    }

/* The `at`-th number, or NULL. Every kernel and step has its place, used or not, so that there are few tables. */
static uint64_t *number_at(struct scenario *s, size_t at, uint64_t *least)
{
    struct numbers tables[12 + 3 * WORKLOADS + WORKLOADS * KERNELS + BACKGROUNDS] = {
        PARTS(s, 1, of_scenario),
        PARTS(s->device, s->devices, of_device),
        PARTS(s->resource, s->resources, of_resource),
        PARTS(s->background, s->backgrounds, of_background),
        PARTS(s->vm, s->vms, of_vm),
        PARTS(s->policy, s->policies, of_policy),
        PARTS(s->workload, s->workloads, of_workload)};
    size_t n = 7;
    for (size_t b = 0; b < s->backgrounds; b++)
        tables[n++] = (struct numbers)PARTS(s->background[b].demand, s->resources, of_demand);
    for (size_t w = 0; w < s->workloads; w++) {
        struct workload *workload = &s->workload[w];
        tables[n++] = (struct numbers)PARTS(workload->kernel, workload->kernels, of_kernel);
        tables[n++] = (struct numbers)PARTS(workload->step, workload->steps, of_step);
        for (size_t k = 0; k < workload->kernels; k++)
            tables[n++] = (struct numbers)PARTS(workload->kernel[k].demand, s->resources, of_demand);
    }
    for (size_t t = 0; t < n; t++) {
        size_t numbers = tables[t].count * tables[t].per_part;
        if (at < numbers) {
            const struct number *number = &tables[t].table[at % tables[t].per_part];
            *least = number->least;
            return (uint64_t *)(void *)((char *)s + tables[t].at + at / tables[t].per_part * tables[t].stride +
                                        number->offset);
        }
        at -= numbers;
    }
    return NULL;
}

struct search {
    struct scenario best;
    bool (*holds)(void *user, const struct scenario *);
    void *user;
    bool progress;
};

/* Keeps the candidate if it fails, too. */
static bool keep(struct search *search, const struct scenario *candidate)
{
    if (!memcmp(candidate, &search->best, sizeof *candidate) || search->holds(search->user, candidate))
        return false;
    search->best = *candidate;
    search->progress = true;
    return true;
}

static void reduce_all(struct search *search, reduction *reduce)
{
    struct scenario candidate = search->best;
    for (size_t at = 0; reduce(&candidate, at);) {
        at += !keep(search, &candidate);
        candidate = search->best;
    }
}

/* The simplest value, or one nearer to it: half way, else the next. */
static bool lower(struct search *search, size_t at)
{
    uint64_t least, now, *number = number_at(&search->best, at, &least);
    now = *number;
    if (now <= least)
        return false;
    uint64_t tries[] = {least, least + (now - least) / 2, now - 1, now / 1000000 * 1000000, now / 1000 * 1000};
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        struct scenario candidate = search->best;
        if (tries[i] < least || tries[i] >= now)
            continue;
        *number_at(&candidate, at, &least) = tries[i];
        if (keep(search, &candidate))
            return true;
    }
    return false;
}

static void lower_all(struct search *search)
{
    uint64_t least;
    for (size_t at = 0; number_at(&search->best, at, &least); at++)
        for (int steps = 0; steps < 200 && lower(search, at);)
            steps++;
}

void shrink(struct scenario *scenario, bool (*holds)(void *user, const struct scenario *), void *user)
{
    struct search search = {.best = *scenario, .holds = holds, .user = user, .progress = true};
    for (int rounds = 0; search.progress && rounds < 50; rounds++) {
        search.progress = false;
        for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++)
            reduce_all(&search, reductions[i]);
        lower_all(&search);
    }
    *scenario = search.best;
}
