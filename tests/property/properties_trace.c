/* Properties of one run, rebuilt from what observers saw and from the documents:
 * decisions in their order bring blocks, stays take them away. */
#include "property.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SQRT_3 = 1.7320508075688772;

static const struct kernel *kernel_of(const struct scenario *s, uint64_t vm, uint64_t kernel)
{
    return &s->workload[s->vm[vm].workload].kernel[kernel];
}

/* When the run ended, in ps: with its duration, or when the last VM did. */
static double end_of(const struct scenario *s, const struct outcome *outcome, size_t policy)
{
    return is_finite(s) ? nearbyint(metric_value(outcome, policy, SMS_HOST, 0, "makespan_ns") * 1e3)
                        : (double)s->duration;
}

/* When measuring began: a run that ends before its warm-up does is measured whole. */
static double beginning_of(const struct scenario *s, double end)
{
    return (double)s->warmup < end ? (double)s->warmup : 0;
}

/* A background may keep an admitting policy from ever placing a block. */
static bool may_stall(const struct scenario *s, size_t policy)
{
    return s->backgrounds > 0 && s->policy[policy].kind >= FINE_GRAINED;
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
    uint64_t ended, measured, placed, first, last;
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

static bool kernel_is_conserved(const struct scenario *s, const struct outcome *outcome, size_t policy, size_t vm,
                                size_t k, size_t idx, char *why, size_t size)
{
    const struct workload *workload = &s->workload[s->vm[vm].workload];
    double end = end_of(s, outcome, policy), from = beginning_of(s, end);
    struct tally tally = tally_up(s, &outcome->trace[policy], vm, k, from);
    uint64_t grid = workload->kernel[k].blocks;
    uint64_t launches = s->vm[vm].repeat * s->devices * launches_of(workload, k);
    double rate = metric_value(outcome, policy, SMS_KERNEL, idx, "blocks_per_s");
    if (end > from && !is_count(rate, (end - from) / 1e12, tally.measured))
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

static enum walked walk_step(struct walk *walk, const struct step *step, char *why, size_t size)
{
    enum walked walked = GOES_ON;
    if (step->kind == STEP_HOST)
        walk->earliest += (double)step->amount;
    else if (step->kind != STEP_LAUNCH && walk->s->link && step->amount) /* a copy may be half a ps short of its end */
        walk->earliest += floor((double)step->amount / (double)walk->s->link * 1e12 * (1 - 1e-9) - 0.5);
    for (uint64_t i = 0; step->kind == STEP_LAUNCH && walked == GOES_ON && i < step->times; i++)
        walked = walk_launch(walk, step->kernel, why, size);
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
            struct step step = step_at(workload, i);
            enum walked walked = walk_step(walk, &step, why, size);
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
        double least = work * (1 - range),
               most = s->contention == NONE && !kernel->exponential ? work * (1 + range) : INFINITY;
        bool whole = range == 0 && !kernel->cycles; /* then to the picosecond */
        if (stay->end <= stay->start || time < least - (whole ? 0 : 1) || time > most + (whole ? 0 : 1))
            return fails(why, size, "a block of v%llu/k%llu takes %.0f ps, not %.1f to %.1f",
                         (unsigned long long)stay->vm, (unsigned long long)stay->kernel, time, least, most);
    }
    return true;
}

/* What the replay knows of an SM. Usage and demand are thousandths. */
struct sm {
    uint64_t used[5], usage[RESOURCES];
    double since; /* integrals are up to then */
};

struct integrals {
    double threads, active[DEVICES], usage[RESOURCES], excess[RESOURCES], over[RESOURCES];
};

struct replay {
    const struct scenario *s;
    const struct policy *policy;
    struct sm *sm[DEVICES];
    uint64_t total[DEVICES][RESOURCES]; /* of resources of the whole device, backgrounds included */
    double since[DEVICES];
    struct needs needs[DEVICES][WORKLOADS][KERNELS], capacity[DEVICES];
    uint64_t ring[DEVICES];
    struct integrals sum;
    double from; /* integrals begin */
};

static void replay_init(struct replay *replay, const struct scenario *s, const struct policy *policy)
{
    *replay = (struct replay){.s = s, .policy = policy};
    for (size_t d = 0; d < s->devices; d++) {
        replay->sm[d] = calloc(s->device[d].sms, sizeof *replay->sm[d]);
        if (!replay->sm[d])
            abort();
        replay->capacity[d] = sm_capacity(&s->device[d]);
        for (size_t w = 0; w < s->workloads; w++)
            for (size_t k = 0; k < s->workload[w].kernels; k++)
                block_needs(&s->device[d], &s->workload[w].kernel[k], &replay->needs[d][w][k]);
        for (size_t b = 0; b < s->backgrounds; b++)
            for (size_t r = 0; r < s->resources; r++) {
                replay->sm[d][s->background[b].sm].usage[r] += s->background[b].demand[r];
                replay->total[d][r] += s->background[b].demand[r];
            }
    }
}

static void replay_release(struct replay *replay)
{
    for (size_t d = 0; d < DEVICES; d++)
        free(replay->sm[d]);
}

static double time_since(const struct replay *replay, double *since, double now)
{
    double from = *since > replay->from ? *since : replay->from;
    *since = now;
    return now > from ? now - from : 0;
}

/* Adds to the integrals what an SM was and did until now. */
static void settle_sm(struct replay *replay, size_t d, size_t idx, double now)
{
    struct sm *sm = &replay->sm[d][idx];
    double elapsed = time_since(replay, &sm->since, now);
    replay->sum.threads += elapsed * (double)sm->used[1] / (double)replay->capacity[d].of[1];
    replay->sum.active[d] += sm->used[0] ? elapsed : 0;
    for (size_t r = 0; r < replay->s->resources; r++) {
        bool over = sm->usage[r] > 1000 && !replay->s->resource[r].wide;
        replay->sum.usage[r] += elapsed * (double)sm->usage[r];
        replay->sum.excess[r] += over ? elapsed * (double)(sm->usage[r] - 1000) : 0;
        replay->sum.over[r] += over ? elapsed : 0;
    }
}

static void settle_device(struct replay *replay, size_t d, double now)
{
    double elapsed = time_since(replay, &replay->since[d], now);
    uint64_t sms = replay->s->device[d].sms;
    for (size_t r = 0; r < replay->s->resources; r++) {
        bool over = replay->s->resource[r].wide && replay->total[d][r] > 1000 * sms;
        replay->sum.excess[r] += over ? elapsed * (double)(replay->total[d][r] - 1000 * sms) : 0;
        replay->sum.over[r] += over ? elapsed * (double)sms : 0;
    }
}

/* `blocks` blocks come, or go if `sign` is -1 (unsigned numbers wrap around and back). */
static void account(struct replay *replay, uint64_t d, uint64_t sm, uint64_t vm, uint64_t k, uint64_t times, double now)
{
    const struct kernel *kernel = kernel_of(replay->s, vm, k);
    settle_sm(replay, d, sm, now);
    settle_device(replay, d, now);
    for (int l = 0; l < 5; l++)
        replay->sm[d][sm].used[l] += times * replay->needs[d][replay->s->vm[vm].workload][k].of[l];
    for (size_t r = 0; r < replay->s->resources; r++) {
        replay->sm[d][sm].usage[r] += times * kernel->demand[r];
        replay->total[d][r] += times * kernel->demand[r];
    }
}

/* EITHER: a tie that rounding decides, of a device's usage divided by its SMs. */
enum verdict { ADMITS, EITHER, REFUSES };

/* Usage and demand of a resource as a policy sees them, times `sms`. */
static uint64_t seen(const struct replay *replay, size_t d, size_t sm, size_t r)
{
    return replay->s->resource[r].wide ? replay->total[d][r] : replay->sm[d][sm].usage[r] * replay->s->device[d].sms;
}

static uint64_t adds(const struct replay *replay, size_t d, const struct kernel *kernel, size_t r)
{
    return replay->s->resource[r].wide ? kernel->demand[r] : kernel->demand[r] * replay->s->device[d].sms;
}

static enum verdict compare(const struct replay *replay, size_t d, uint64_t after, bool wide)
{
    uint64_t limit = (replay->policy->limit ? replay->policy->limit : 1000) * replay->s->device[d].sms;
    if (after == limit && wide && replay->s->device[d].sms > 1)
        return EITHER;
    return after > limit ? REFUSES : ADMITS;
}

static enum verdict fine_grained(const struct replay *replay, size_t d, size_t sm, const struct kernel *kernel)
{
    enum verdict worst = ADMITS;
    for (size_t r = 0; r < replay->s->resources; r++) {
        enum verdict own =
            compare(replay, d, seen(replay, d, sm, r) + adds(replay, d, kernel, r), replay->s->resource[r].wide);
        worst = own > worst ? own : worst;
    }
    return worst;
}

static enum verdict utilization_aware(const struct replay *replay, size_t d, size_t sm, const struct kernel *kernel)
{
    uint64_t usage[2] = {0}, more[2] = {0};
    bool wide[2] = {false, false};
    for (size_t r = 0; r < replay->s->resources; r++) {
        size_t class = replay->s->resource[r].memory;
        uint64_t own_usage = seen(replay, d, sm, r), own_adds = adds(replay, d, kernel, r);
        usage[class] = own_usage > usage[class] ? own_usage : usage[class];
        more[class] = own_adds > more[class] ? own_adds : more[class];
        wide[class] |= replay->s->resource[r].wide;
    }
    enum verdict compute = compare(replay, d, usage[0] + more[0], wide[0]);
    enum verdict memory = compare(replay, d, usage[1] + more[1], wide[1]);
    return compute > memory ? compute : memory;
}

/* Whether the policy may put one more block there. */
static enum verdict verdict_on(const struct replay *replay, const struct decision *decision, size_t sm)
{
    size_t d = decision->device;
    const struct kernel *kernel = kernel_of(replay->s, decision->vm, decision->kernel);
    const struct needs *needs = &replay->needs[d][replay->s->vm[decision->vm].workload][decision->kernel];
    for (int l = 0; l < 5; l++)
        if (replay->sm[d][sm].used[l] + needs->of[l] > replay->capacity[d].of[l])
            return REFUSES;
    if (replay->policy->kind == FINE_GRAINED)
        return fine_grained(replay, d, sm, kernel);
    return replay->policy->kind == UTILIZATION_AWARE ? utilization_aware(replay, d, sm, kernel) : ADMITS;
}

/* How much a policy that searches everywhere likes an SM. */
static double score(const struct replay *replay, const struct decision *decision, size_t sm)
{
    size_t d = decision->device;
    const struct needs *needs = &replay->needs[d][replay->s->vm[decision->vm].workload][decision->kernel];
    double fullest = 0, room = INFINITY;
    for (int l = 0; l < 5; l++) {
        uint64_t used = replay->sm[d][sm].used[l], capacity = replay->capacity[d].of[l];
        double share = (double)(used + needs->of[l]) / (double)capacity;
        double more = needs->of[l] ? (double)((capacity - used) / needs->of[l]) : INFINITY;
        fullest = share > fullest ? share : fullest;
        room = more < room ? more : room;
    }
    if (replay->policy->kind == BREADTH_FIRST)
        return -fullest;
    return replay->policy->kind == DEPTH_FIRST ? fullest : room;
}

static bool searches_ring(const struct policy *policy)
{
    return policy->kind <= ROUND_ROBIN_FULL || policy->kind >= FINE_GRAINED;
}

/* Whether SM `other` should have been taken before the one that was. */
static bool is_preferred(const struct replay *replay, const struct decision *decision, size_t other)
{
    uint64_t sms = replay->s->device[decision->device].sms, ring = replay->ring[decision->device];
    uint64_t taken = (uint64_t)decision->sm;
    if (decision->sm < 0)
        return true;
    if (searches_ring(replay->policy))
        return (other + sms - ring) % sms < (taken + sms - ring) % sms;
    double mine = score(replay, decision, taken), its = score(replay, decision, other);
    return its > mine || (its == mine && other < taken);
}

static bool decision_is_right(const struct replay *replay, const struct decision *decision, char *why, size_t size)
{
    for (size_t sm = 0; sm < replay->s->device[decision->device].sms; sm++)
        if ((int64_t)sm != decision->sm && is_preferred(replay, decision, sm) &&
            verdict_on(replay, decision, sm) == ADMITS)
            return fails(why, size, "%s at %llu ps: block %llu of v%llu/k%llu goes to SM %lld; SM %zu comes first",
                         policy_names[replay->policy->kind], (unsigned long long)decision->time,
                         (unsigned long long)decision->block, (unsigned long long)decision->vm,
                         (unsigned long long)decision->kernel, (long long)decision->sm, sm);
    return true;
}

static bool decision_is_allowed(const struct replay *replay, const struct decision *decision, char *why, size_t size)
{
    if (decision->sm < 0 || verdict_on(replay, decision, (size_t)decision->sm) != REFUSES)
        return true;
    return fails(why, size, "%s at %llu ps: block %llu of v%llu/k%llu is over a limit on SM %lld",
                 policy_names[replay->policy->kind], (unsigned long long)decision->time,
                 (unsigned long long)decision->block, (unsigned long long)decision->vm,
                 (unsigned long long)decision->kernel, (long long)decision->sm);
}

typedef bool decision_property(const struct replay *replay, const struct decision *decision, char *why, size_t size);

static void place(struct replay *replay, const struct decision *decision)
{
    uint64_t d = decision->device, sms = replay->s->device[d].sms;
    if (decision->sm < 0)
        return;
    replay->ring[d] = ((uint64_t)decision->sm + (replay->policy->kind != ROUND_ROBIN_FULL)) % sms;
    account(replay, d, (uint64_t)decision->sm, decision->vm, decision->kernel, 1, (double)decision->time);
}

/* All that a trace holds, in time; what leaves at an instant leaves first. */
static bool replay_trace(struct replay *replay, const struct trace *trace, decision_property *holds, char *why,
                         size_t size)
{
    size_t gone = 0;
    for (size_t i = 0; i <= trace->decisions; i++) {
        uint64_t now = i < trace->decisions ? trace->decision[i].time : UINT64_MAX;
        for (; gone < trace->stays && trace->stay[gone].end <= now; gone++) {
            const struct stay *stay = &trace->stay[gone];
            account(replay, stay->device, stay->sm, stay->vm, stay->kernel, -stay->blocks, (double)stay->end);
        }
        if (i == trace->decisions)
            break;
        if (holds && !holds(replay, &trace->decision[i], why, size))
            return false;
        place(replay, &trace->decision[i]);
    }
    return true;
}

static bool replay_holds(const struct scenario *s, const struct outcome *outcome, size_t policy,
                         decision_property *holds, char *why, size_t size)
{
    struct replay replay;
    replay_init(&replay, s, &s->policy[policy]);
    bool held = replay_trace(&replay, &outcome->trace[policy], holds, why, size);
    replay_release(&replay);
    return held;
}

bool within_limits(const struct scenario *s, const struct outcome *outcome, size_t policy, char *why, size_t size)
{
    return replay_holds(s, outcome, policy, decision_is_allowed, why, size);
}

bool refusals_are_right(const struct scenario *s, const struct outcome *outcome, size_t policy, char *why, size_t size)
{
    return replay_holds(s, outcome, policy, decision_is_right, why, size);
}

static bool is_near(double measured, double expected, const char *name, char *why, size_t size)
{
    if (fabs(measured - expected) <= 1e-9 * fabs(expected) + 1e-12)
        return true;
    return fails(why, size, "%s is %.12g; from the stays it is %.12g", name, measured, expected);
}

/* Known: the engine looks at an SM for the first time when a block comes. */
static bool is_over_from_the_start(const struct scenario *s, size_t r)
{
    bool over = false;
    for (size_t b = 0; b < s->backgrounds; b++) {
        uint64_t usage = 0;
        for (size_t c = 0; c < s->backgrounds; c++)
            usage += s->background[c].sm == s->background[b].sm ? s->background[c].demand[r] : 0;
        over |= usage > 1000 && !s->resource[r].wide;
    }
    return over;
}

static bool resource_adds_up(const struct replay *replay, const struct outcome *outcome, size_t policy, size_t r,
                             double time, char *why, size_t size)
{
    const struct integrals *sum = &replay->sum;
    const struct {
        const char *name;
        double expected;
    } metrics[] = {{"usage_ratio", sum->usage[r] / 1000 / time},
                   {"utilization_ratio", (sum->usage[r] - sum->excess[r]) / 1000 / time},
                   {"oversubscribed_time_ratio", sum->over[r] / time}};
    for (size_t m = 0; m < 3; m++)
        if (!is_near(metric_value(outcome, policy, SMS_RESOURCE, r, metrics[m].name), metrics[m].expected,
                     metrics[m].name, why, size))
            return m > 0 && is_over_from_the_start(replay->s, r)
                       ? fails_as_known(why, size, "excess of a background is not counted before an SM's first block")
                       : false;
    return true;
}

/* Known: threads resident are divided by the first device's limit, whichever device they are on. */
static bool occupancy_adds_up(const struct replay *replay, const struct outcome *outcome, size_t policy, double time,
                              char *why, size_t size)
{
    double occupancy = metric_value(outcome, policy, SMS_HOST, 0, "occupancy_ratio");
    if (is_near(occupancy, replay->sum.threads / time, "occupancy_ratio", why, size))
        return true;
    if (replay->capacity[0].of[1] == replay->capacity[replay->s->devices - 1].of[1])
        return false;
    return fails_as_known(why, size, "occupancy_ratio of devices with different limits of threads");
}

/* The integrals against the metrics; `span` is the time measured. Those with known defects come last. */
static bool sums_are_right(const struct replay *replay, const struct outcome *outcome, size_t policy, double span,
                           char *why, size_t size)
{
    const struct scenario *s = replay->s;
    double time = 0, active = 0, energy = 0;
    for (size_t d = 0; d < s->devices; d++) {
        double own = span * (double)s->device[d].sms;
        time += own;
        active += replay->sum.active[d];
        energy += span / 1e12 * ((double)s->idle_w + (double)(s->busy_w - s->idle_w) * replay->sum.active[d] / own);
    }
    bool right = is_near(metric_value(outcome, policy, SMS_HOST, 0, "sm_activity_ratio"), active / time,
                         "sm_activity_ratio", why, size) &&
                 is_near(metric_value(outcome, policy, SMS_HOST, 0, "energy_j"), energy, "energy_j", why, size);
    for (size_t r = 0; right && r < s->resources; r++)
        right = resource_adds_up(replay, outcome, policy, r, time, why, size);
    return right && occupancy_adds_up(replay, outcome, policy, time, why, size);
}

bool metrics_add_up(const struct scenario *s, const struct outcome *outcome, size_t policy, char *why, size_t size)
{
    struct replay replay;
    double end = end_of(s, outcome, policy);
    replay_init(&replay, s, &s->policy[policy]);
    replay.from = beginning_of(s, end);
    replay_trace(&replay, &outcome->trace[policy], NULL, why, size);
    for (size_t d = 0; d < s->devices; d++) {
        for (size_t sm = 0; sm < s->device[d].sms; sm++)
            settle_sm(&replay, d, sm, end);
        settle_device(&replay, d, end);
    }
    bool right = end <= replay.from || sums_are_right(&replay, outcome, policy, end - replay.from, why, size);
    replay_release(&replay);
    return right;
}
