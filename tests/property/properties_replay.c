/* Properties of one run, replayed: decisions in their order bring blocks, stays take them away. What a policy
 * admits is written again here, from docs/reference/policies.md. */
#include "property.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    uint64_t free[DEVICES]; /* time from which the dispatcher may start a block */
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
    replay->sum.threads += elapsed * (double)sm->used[1];
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
    if (replay->policy->kind >= FINE_GRAINED_CAPPED)
        return EITHER;
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

/* No SM has refused a block that waits for the dispatcher. */
static bool waits_for_dispatcher(const struct replay *replay, const struct decision *decision)
{
    return decision->sm < 0 && decision->passed == 0 && decision->time < replay->free[decision->device];
}

static bool decision_is_right(const struct replay *replay, const struct decision *decision, char *why, size_t size)
{
    if (waits_for_dispatcher(replay, decision))
        return true;
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
    if (decision->sm >= 0 && decision->time < replay->free[decision->device])
        return fails(why, size, "%s at %llu ps: a block of v%llu/k%llu starts, the dispatcher is busy until %llu ps",
                     policy_names[replay->policy->kind], (unsigned long long)decision->time,
                     (unsigned long long)decision->vm, (unsigned long long)decision->kernel,
                     (unsigned long long)replay->free[decision->device]);
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
    replay->free[d] = decision->time + replay->s->interval;
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
            return false;
    return true;
}

/* The integrals against the metrics; `span` is the time measured. */
static bool sums_are_right(const struct replay *replay, const struct outcome *outcome, size_t policy, double span,
                           char *why, size_t size)
{
    const struct scenario *s = replay->s;
    double time = 0, places = 0, active = 0, energy = 0;
    for (size_t d = 0; d < s->devices; d++) {
        double own = span * (double)s->device[d].sms;
        time += own;
        places += own * (double)replay->capacity[d].of[1];
        active += replay->sum.active[d];
        energy += span / 1e12 * ((double)s->idle_w + (double)(s->busy_w - s->idle_w) * replay->sum.active[d] / own);
    }
    bool right = is_near(metric_value(outcome, policy, SMS_HOST, 0, "occupancy_ratio"), replay->sum.threads / places,
                         "occupancy_ratio", why, size) &&
                 is_near(metric_value(outcome, policy, SMS_HOST, 0, "sm_activity_ratio"), active / time,
                         "sm_activity_ratio", why, size) &&
                 is_near(metric_value(outcome, policy, SMS_HOST, 0, "energy_j"), energy, "energy_j", why, size);
    for (size_t r = 0; right && r < s->resources; r++)
        right = resource_adds_up(replay, outcome, policy, r, time, why, size);
    return right;
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
    /* Of a run that gets stuck the end is not known. */
    bool right = !(end > replay.from) || sums_are_right(&replay, outcome, policy, end - replay.from, why, size);
    replay_release(&replay);
    return right;
}
