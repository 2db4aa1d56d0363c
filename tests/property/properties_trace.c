/* Properties of one run, rebuilt from what observers saw and from the documents:
 * here by counting and by walking through jobs; properties_replay.c replays the placements. */
#include "property.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SQRT_3 = 1.7320508075688772;

/* A background may keep an admitting policy from ever placing a block; so may a policy that the loader does not ask. */
static bool may_stall(const struct scenario *s, size_t policy)
{
    uint64_t kind = s->policy[policy].kind;
    return kind >= FINE_GRAINED_CAPPED || (s->backgrounds > 0 && kind >= FINE_GRAINED);
}

static bool is_count(double rate, double seconds, uint64_t count)
{
    return fabs(rate * seconds - (double)count) < 0.01;
}

/* Launches of a kernel in one job. */
static uint64_t launches_of(const struct workload *workload, size_t kernel)
{
    uint64_t launches = 0;
    for (size_t i = 0; i < count_steps(workload); i++) {
        struct step step = step_at(workload, i);
        launches += step.kind == STEP_LAUNCH && step.kernel == kernel ? step.times : 0;
    }
    return launches;
}

/* What the observers counted of one kernel of a VM. */
struct tally {
    uint64_t ended, measured, crossed, placed, first, last; /* crossed: under way when the time measured began */
};

static struct tally tally_up(const struct scenario *s, const struct trace *trace, uint64_t vm, uint64_t k, double from)
{
    struct tally tally = {0};
    for (size_t i = 0; i < trace->stays; i++) {
        const struct stay *stay = &trace->stay[i];
        if (stay->vm != vm || stay->kernel != k)
            continue;
        tally.ended += stay->blocks;
        tally.measured += from == 0 || (double)stay->end > from ? stay->blocks : 0;
        tally.crossed += (double)stay->start < from && (double)stay->end > from ? stay->blocks : 0;
    }
    for (size_t i = 0; i < trace->decisions; i++) {
        const struct decision *decision = &trace->decision[i];
        bool placed = decision->sm >= 0 && decision->vm == vm && decision->kernel == k;
        tally.placed += placed;
        tally.first += placed && decision->block == 1;
        tally.last += placed && decision->block == kernel_of(s, vm, k)->blocks;
    }
    return tally;
}

/* Blocks under way at either end count by the share of their work that is done. */
static bool is_counted(const struct tally *tally, double counted)
{
    double least = (double)tally->measured - (double)tally->crossed;
    double most = (double)tally->measured + (double)tally->placed - (double)tally->ended;
    return counted > least - 0.01 && counted < most + 0.01;
}

static bool kernel_is_conserved(const struct scenario *s, const struct outcome *outcome, size_t policy, size_t vm,
                                size_t k, size_t idx, char *why, size_t size)
{
    const struct workload *workload = &s->workload[s->vm[vm].workload];
    double end = end_of(s, outcome, policy), from = beginning_of(s, end);
    struct tally tally = tally_up(s, &outcome->trace[policy], vm, k, from);
    uint64_t grid = workload->kernel[k].blocks;
    uint64_t launches = s->vm[vm].repeat * s->devices * launches_of(workload, k);
    double rate = metric_value(outcome, policy, SMS_KERNEL, idx, "blocks_per_s");
    if (end > from && !is_counted(&tally, rate * (end - from) / 1e12))
        return fails(why, size, "v%zu/k%zu: %llu blocks left, the metric counts %.3f", vm, k,
                     (unsigned long long)tally.measured, rate * (end - from) / 1e12);
    if (tally.ended > tally.placed || tally.placed > tally.first * grid || tally.placed < tally.last * grid)
        return fails(why, size, "v%zu/k%zu: of %llu launches %llu blocks were placed, %llu left", vm, k,
                     (unsigned long long)tally.first, (unsigned long long)tally.placed,
                     (unsigned long long)tally.ended);
    if (is_finite(s) && !s->duration && !may_stall(s, policy) && tally.ended != launches * grid)
        return fails(why, size, "v%zu/k%zu: %llu blocks left, %llu launches of %llu", vm, k,
                     (unsigned long long)tally.ended, (unsigned long long)launches, (unsigned long long)grid);
    return true;
}

static bool jobs_are_done(const struct scenario *s, const struct outcome *outcome, size_t policy, size_t vm, char *why,
                          size_t size)
{
    double end = end_of(s, outcome, policy), rate = metric_value(outcome, policy, SMS_VM, vm, "jobs_per_s");
    bool known = is_finite(s) && !s->duration && !s->warmup && !may_stall(s, policy) && end > 0;
    if (known && !is_count(rate, end / 1e12, s->vm[vm].repeat * s->devices))
        return fails(why, size, "v%zu did %.3f jobs of %llu", vm, rate * end / 1e12,
                     (unsigned long long)(s->vm[vm].repeat * s->devices));
    return true;
}

bool is_conserved(const struct scenario *s, const struct outcome *outcome, size_t policy, char *why, size_t size)
{
    size_t idx = 0;
    for (size_t v = 0; v < s->vms; v++) {
        for (size_t k = 0; k < s->workload[s->vm[v].workload].kernels; k++)
            if (!kernel_is_conserved(s, outcome, policy, v, k, idx++, why, size))
                return false;
        if (!jobs_are_done(s, outcome, policy, v, why, size))
            return false;
    }
    return true;
}

/* The stays of one VM on one device, one after another. */
struct walk {
    const struct scenario *s;
    const struct trace *trace;
    size_t at;
    uint64_t device, vm;
    double earliest; /* no block may start before */
};

static const struct stay *next_stay(struct walk *walk)
{
    const struct trace *trace = walk->trace;
    while (walk->at < trace->stays &&
           (trace->stay[walk->at].vm != walk->vm || trace->stay[walk->at].device != walk->device))
        walk->at++;
    return walk->at < trace->stays ? &trace->stay[walk->at++] : NULL;
}

enum walked { GOES_ON, IS_OVER, IS_WRONG };

/* One launch: so many blocks of the kernel and no others, none before its time. */
static enum walked walk_launch(struct walk *walk, uint64_t k, char *why, size_t size)
{
    uint64_t left = kernel_of(walk->s, walk->vm, k)->blocks;
    double last = walk->earliest;
    while (left > 0) {
        const struct stay *stay = next_stay(walk);
        if (!stay)
            return IS_OVER;
        bool right = stay->kernel == k && stay->blocks <= left && (double)stay->start >= walk->earliest;
        if (!right) {
            fails(why, size,
                  "v%llu: a block of k%llu starts at %llu ps; expected: %llu blocks of k%llu from %.0f ps on",
                  (unsigned long long)walk->vm, (unsigned long long)stay->kernel, (unsigned long long)stay->start,
                  (unsigned long long)left, (unsigned long long)k, walk->earliest);
            return IS_WRONG;
        }
        left -= stay->blocks;
        last = (double)stay->end > last ? (double)stay->end : last;
    }
    walk->earliest = last;
    return GOES_ON;
}

static enum walked walk_step(struct walk *walk, const struct workload *workload, size_t idx, char *why, size_t size)
{
    const struct step of_idx = step_at(workload, idx), *step = &of_idx;
    enum walked walked = GOES_ON;
    if (step->kind == STEP_HOST)
        walk->earliest += (double)step->amount;
    else if (step->kind != STEP_LAUNCH && walk->s->link && step->amount) /* a copy may be half a ps short of its end */
        walk->earliest += floor((double)step->amount / (double)walk->s->link * 1e12 * (1 - 1e-9) - 0.5);
    for (uint64_t i = 0; step->kind == STEP_LAUNCH && walked == GOES_ON && i < step->times; i++) {
        walk->earliest += (double)launch_cost(walk->s, workload, idx, i);
        walked = walk_launch(walk, step->kernel, why, size);
    }
    return walked;
}

/* Jobs of a VM with one stream follow each other: each does its steps in order. */
static bool walk_jobs(struct walk *walk, char *why, size_t size)
{
    const struct vm *vm = &walk->s->vm[walk->vm];
    const struct workload *workload = &walk->s->workload[vm->workload];
    bool launches = false;
    for (size_t i = 0; i < count_steps(workload); i++)
        launches |= step_at(workload, i).kind == STEP_LAUNCH;
    walk->earliest = (double)vm->start;
    for (uint64_t job = 0; launches && (job < vm->repeat || !vm->repeat); job++) {
        double arrives = vm->arrivals == ARRIVE_EVERY ? (double)(vm->start + (job + 1) * vm->interval) : 0;
        walk->earliest = walk->earliest > arrives ? walk->earliest : arrives;
        for (size_t i = 0; i < count_steps(workload); i++) {
            enum walked walked = walk_step(walk, workload, i, why, size);
            if (walked != GOES_ON)
                return walked == IS_OVER;
        }
    }
    return !next_stay(walk) || !launches ||
           fails(why, size, "v%llu has more jobs than asked for", (unsigned long long)walk->vm);
}

bool steps_in_order(const struct scenario *s, const struct outcome *outcome, size_t policy, char *why, size_t size)
{
    for (size_t v = 0; v < s->vms; v++)
        for (size_t d = 0; d < s->devices; d++) {
            struct walk walk = {.s = s, .trace = &outcome->trace[policy], .device = d, .vm = v};
            if (s->vm[v].streams == 1 && !walk_jobs(&walk, why, size))
                return false;
        }
    return true;
}

bool speed_at_most_one(const struct scenario *s, const struct outcome *outcome, size_t policy, char *why, size_t size)
{
    for (size_t i = 0; i < outcome->trace[policy].stays; i++) {
        const struct stay *stay = &outcome->trace[policy].stay[i];
        const struct kernel *kernel = kernel_of(s, stay->vm, stay->kernel);
        double work = work_ps(s, kernel), time = (double)(stay->end - stay->start);
        double range = kernel->exponential ? 1 : SQRT_3 * (double)kernel->jitter / 1000;
        /* Under a knee, a block that others of its launch leave alone may be much faster than beside them. */
        double least = s->contention == KNEE ? 0 : work * (1 - range),
               most = s->contention == NONE && !kernel->exponential ? work * (1 + range) : INFINITY;
        bool whole = range == 0 && !kernel->cycles; /* then to the picosecond */
        double slack = whole ? 0 : 1;
        if (stay->end <= stay->start || time < least - slack || time > most + slack)
            return fails(why, size, "a block of v%llu/k%llu takes %.0f ps, not %.1f to %.1f",
                         (unsigned long long)stay->vm, (unsigned long long)stay->kernel, time, least, most);
    }
    return true;
}
