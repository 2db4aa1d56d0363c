/* Properties that compare runs: of one scenario again, or of two that must agree. */
#include "property.h"

#include <math.h>
#include <string.h>

/* Nothing random: random streams go by names and devices. */
static void calm(struct scenario *s)
{
    for (size_t k = 0; k < WORKLOADS * KERNELS; k++)
        s->workload[k / KERNELS].kernel[k % KERNELS].jitter = s->workload[k / KERNELS].kernel[k % KERNELS].exponential =
            0;
    for (size_t v = 0; v < s->vms; v++)
        if (s->vm[v].arrivals)
            s->vm[v].arrivals = ARRIVE_EVERY;
}

/* Two scenarios run; each property compares them in its own way. */
struct pair {
    struct run a, b;
};

static bool run_pair(struct pair *pair, const struct scenario *a, const struct scenario *b)
{
    if (!run_scenario(&pair->a, a, false))
        return false;
    if (run_scenario(&pair->b, b, false))
        return true;
    run_release(&pair->a);
    return false;
}

static void pair_release(struct pair *pair)
{
    run_release(&pair->a);
    run_release(&pair->b);
}

bool is_valid(const struct scenario *scenario, char *why, size_t size)
{
    struct sms_file *file = load_scenario(scenario, why, size);
    sms_file_free(file);
    return file != NULL;
}

/* With its stand-alone runs; a run may have too many events, and nothing else. */
bool it_runs(const struct sms_scenario *scenario, char *why, size_t size)
{
    struct sms_run_options options = plain_options();
    struct outcome outcome;
    options.alone = true;
    outcome_run(&outcome, scenario, options, false);
    bool runs = outcome.code == SMS_OK || outcome.code == SMS_ELIMIT;
    if (!runs)
        fails(why, size, "code %d: %.400s", outcome.code, outcome.why);
    outcome_release(&outcome);
    return runs;
}

/* Two more runs, the last with stand-alone runs on two threads. */
bool is_repeatable(const struct sms_scenario *scenario, char *why, size_t size)
{
    struct sms_run_options options = plain_options();
    struct outcome once, again, threads;
    options.alone = true;
    outcome_run(&once, scenario, options, false);
    outcome_run(&again, scenario, options, true); /* watching changes nothing, either */
    options.jobs = 2;
    outcome_run(&threads, scenario, options, false);
    bool same = once.code == again.code && once.code == threads.code;
    if (!same)
        fails(why, size, "codes %d, %d and, of two threads, %d", once.code, again.code, threads.code);
    if (same && once.code == SMS_OK)
        same = same_stays(&once, &again, why, size) && same_metrics(&once, &again, why, size) &&
               same_stays(&once, &threads, why, size) && same_metrics(&once, &threads, why, size);
    outcome_release(&once);
    outcome_release(&again);
    outcome_release(&threads);
    return same;
}

bool renaming_changes_nothing(const struct scenario *scenario, char *why, size_t size)
{
    struct pair pair;
    struct scenario named = *scenario, renamed;
    calm(&named);
    renamed = named;
    renamed.renamed = 1;
    if (!run_pair(&pair, &named, &renamed))
        return true;
    bool same = same_stays(&pair.a.outcome, &pair.b.outcome, why, size) &&
                same_metrics(&pair.a.outcome, &pair.b.outcome, why, size);
    pair_release(&pair);
    return same;
}

static bool are_alike(const struct vm *a, struct vm b)
{
    b.name = a->name;
    return !memcmp(a, &b, sizeof b);
}

/* Every VM trades names, that is places, with the next of its kind. */
static bool permute_ties(struct scenario *s)
{
    bool any = false;
    for (size_t v = 0; v < s->vms; v++)
        for (size_t other = v + 1; other < s->vms; other++) {
            uint64_t name = s->vm[v].name;
            if (!are_alike(&s->vm[v], s->vm[other]))
                continue;
            s->vm[v].name = s->vm[other].name;
            s->vm[other].name = name;
            any = true;
        }
    return any;
}

/* The place in the list of the VM of that name. */
static uint64_t place_of(const struct scenario *s, uint64_t name)
{
    uint64_t v = 0;
    while (s->vm[v].name != name)
        v++;
    return v;
}

static void number_by_place(struct outcome *outcome, const struct scenario *s)
{
    for (size_t p = 0; p < outcome->policies; p++)
        for (size_t i = 0; i < outcome->trace[p].stays; i++)
            outcome->trace[p].stay[i].vm = place_of(s, outcome->trace[p].stay[i].vm);
}

/* What a VM gets depends on its place in the list, never on which of its equals stands there. */
bool ties_permuted(const struct scenario *scenario, char *why, size_t size)
{
    struct pair pair;
    struct scenario listed = *scenario, permuted;
    calm(&listed);
    if (listed.vms > 1)
        listed.vm[1] = listed.vm[0];
    for (size_t v = 0; v < listed.vms; v++)
        listed.vm[v].name = v;
    permuted = listed;
    if (!permute_ties(&permuted) || !run_pair(&pair, &listed, &permuted))
        return true;
    number_by_place(&pair.a.outcome, &listed);
    number_by_place(&pair.b.outcome, &permuted);
    bool same = same_stays(&pair.a.outcome, &pair.b.outcome, why, size) &&
                same_metrics(&pair.a.outcome, &pair.b.outcome, why, size);
    pair_release(&pair);
    return same;
}

/* All metrics of a's subject `i` and b's `i + shift`. */
static bool same_shifted(const struct outcome *a, const struct outcome *b, enum sms_subject subject, size_t shift,
                         char *why, size_t size)
{
    size_t count, subjects = sms_results_subjects(a->results, subject);
    const struct sms_metric *metric = sms_metrics(subject, &count);
    for (size_t i = 0; i < a->policies * subjects * count; i++) {
        size_t p = i / count / subjects, idx = i / count % subjects, m = i % count;
        double one = sms_results_value(a->results, p, 0, subject, idx, m);
        double two = sms_results_value(b->results, p, 0, subject, idx + shift, m);
        if (!same_value(one, two))
            return fails(why, size, "policy %zu: %s of %s is %.17g, and %.17g with one more", p, metric[m].name,
                         sms_results_subject(a->results, subject, idx), one, two);
    }
    return true;
}

static uint64_t longest_block(const struct scenario *s)
{
    uint64_t longest = 1;
    for (size_t k = 0; k < WORKLOADS * KERNELS; k++) {
        const struct kernel *kernel = &s->workload[k / KERNELS].kernel[k % KERNELS];
        uint64_t work = (uint64_t)work_ps(s, kernel);
        longest = work > longest ? work : longest;
    }
    return longest;
}

/* A run that ends by its duration only: one VM goes on forever. */
static void make_endless(struct scenario *s)
{
    uint64_t latest = 0;
    for (size_t v = 0; v < s->vms; v++)
        latest = s->vm[v].start > latest ? s->vm[v].start : latest;
    if (!s->duration)
        s->duration = latest + 10 * longest_block(s);
    s->vm[0].repeat = 0;
}

/* A VM, first in the list, whose first job would arrive when the run is over. Its workload is one that
 * others run: kernels that make resources of the device count where nobody else's do round sums otherwise. */
/* An even split of the SMs is among all VMs, whether or not they do anything. */
static bool splits_sms(const struct scenario *scenario)
{
    bool splits = scenario->alone.kind == SM_QUOTA;
    for (size_t p = 0; p < scenario->policies; p++)
        splits |= scenario->policy[p].kind == SM_QUOTA;
    return splits;
}

bool idle_vm_changes_nothing(const struct scenario *scenario, char *why, size_t size)
{
    struct pair pair;
    if (splits_sms(scenario))
        return true;
    struct scenario without = *scenario, with;
    make_endless(&without);
    with = without;
    memmove(&with.vm[1], &with.vm[0], with.vms++ * sizeof with.vm[0]);
    with.vm[0] = (struct vm){.name = 99,
                             .workload = without.vm[0].workload,
                             .streams = 2,
                             .arrivals = ARRIVE_EVERY,
                             .interval = with.duration + 1};
    if (!run_pair(&pair, &without, &with))
        return true;
    const struct outcome *a = &pair.a.outcome, *b = &pair.b.outcome;
    bool same = same_stays(a, b, why, size) && same_shifted(a, b, SMS_HOST, 0, why, size) &&
                same_shifted(a, b, SMS_VM, 1, why, size) && same_shifted(a, b, SMS_RESOURCE, 0, why, size) &&
                same_shifted(a, b, SMS_KERNEL, with.workload[with.vm[0].workload].kernels, why, size);
    pair_release(&pair);
    return same;
}

static void insert_demand(uint64_t *demand)
{
    memmove(demand + 1, demand, (RESOURCES - 1) * sizeof *demand);
    demand[0] = 0;
}

/* A resource, first in the list, that no block and no background takes. */
bool unused_resource_changes_nothing(const struct scenario *scenario, char *why, size_t size)
{
    struct pair pair;
    struct scenario with = *scenario;
    memmove(&with.resource[1], &with.resource[0], with.resources++ * sizeof with.resource[0]);
    with.resource[0] = (struct resource){
        .memory = with.vms % 2, .wide = with.workloads % 2, .points = 1, .usage[0] = 1000, .overhead[0] = 500};
    for (size_t b = 0; b < BACKGROUNDS; b++)
        insert_demand(with.background[b].demand);
    for (size_t k = 0; k < WORKLOADS * KERNELS; k++)
        insert_demand(with.workload[k / KERNELS].kernel[k % KERNELS].demand);
    if (!run_pair(&pair, scenario, &with))
        return true;
    const struct outcome *a = &pair.a.outcome, *b = &pair.b.outcome;
    bool same = same_stays(a, b, why, size) && same_shifted(a, b, SMS_HOST, 0, why, size) &&
                same_shifted(a, b, SMS_VM, 0, why, size) && same_shifted(a, b, SMS_RESOURCE, 1, why, size) &&
                same_shifted(a, b, SMS_KERNEL, 0, why, size);
    pair_release(&pair);
    return same;
}

static void forget_device_1(struct outcome *outcome)
{
    for (size_t p = 0; p < outcome->policies; p++) {
        struct trace *trace = &outcome->trace[p];
        size_t kept = 0;
        for (size_t i = 0; i < trace->stays; i++)
            if (trace->stay[i].device == 0)
                trace->stay[kept++] = trace->stay[i];
        trace->stays = kept;
    }
}

/* Devices share nothing: beside a second one the first does what it does alone. */
bool twin_device_is_alone(const struct scenario *scenario, char *why, size_t size)
{
    struct pair pair;
    struct scenario one = *scenario, two;
    one.devices = 1;
    two = one;
    two.devices = 2;
    two.device[1] = two.device[0];
    if (!run_pair(&pair, &one, &two))
        return true;
    forget_device_1(&pair.b.outcome);
    bool same = same_stays(&pair.a.outcome, &pair.b.outcome, why, size);
    pair_release(&pair);
    return same;
}

/* Whether all devices add up to it. */
static bool is_sum(const char *metric)
{
    const size_t length = strlen(metric);
    return (length > 6 && !strcmp(metric + length - 6, "_per_s")) || !strcmp(metric, "energy_j") ||
           !strcmp(metric, "rejected_jobs");
}

/* The load of backgrounds is added up device by device. */
static const double ROUNDING = 1e-12;

static bool same_but_sums(const struct outcome *one, const struct outcome *two, enum sms_subject subject, char *why,
                          size_t size)
{
    size_t count, subjects = sms_results_subjects(one->results, subject);
    const struct sms_metric *metric = sms_metrics(subject, &count);
    for (size_t i = 0; i < one->policies * subjects * count; i++) {
        size_t p = i / count / subjects, idx = i / count % subjects, m = i % count;
        double alone = sms_results_value(one->results, p, 0, subject, idx, m);
        double both = sms_results_value(two->results, p, 0, subject, idx, m);
        double expected = is_sum(metric[m].name) ? 2 * alone : alone;
        if (!same_value(expected, both) && !(fabs(both - expected) <= ROUNDING * fabs(expected)))
            return fails(why, size, "policy %zu: %s of %s is %.17g, and of two devices %.17g", p, metric[m].name,
                         sms_results_subject(one->results, subject, idx), alone, both);
    }
    return true;
}

bool one_device_counts_for_all(const struct scenario *scenario, char *why, size_t size)
{
    struct pair pair;
    struct scenario one = *scenario, two;
    one.devices = 1;
    make_endless(&one);
    for (size_t v = 0; v < one.vms; v++)
        one.vm[v].repeat = 0;
    two = one;
    two.devices = 2;
    two.device[1] = two.device[0];
    two.one = 1;
    if (!run_pair(&pair, &one, &two))
        return true;
    const struct outcome *a = &pair.a.outcome, *b = &pair.b.outcome;
    bool same = same_stays(a, b, why, size) && same_but_sums(a, b, SMS_HOST, why, size) &&
                same_but_sums(a, b, SMS_VM, why, size) && same_but_sums(a, b, SMS_RESOURCE, why, size) &&
                same_but_sums(a, b, SMS_KERNEL, why, size);
    pair_release(&pair);
    return same;
}

enum { TIMES = 4 };

static void multiply_times(struct scenario *s)
{
    s->warmup *= TIMES;
    s->duration *= TIMES;
    s->alone.patience *= TIMES;
    s->launch *= TIMES;
    s->interval *= TIMES;
    for (size_t p = 0; p < s->policies; p++)
        s->policy[p].patience *= TIMES;
    for (size_t v = 0; v < s->vms; v++) {
        s->vm[v].start *= TIMES;
        s->vm[v].interval *= TIMES;
        s->vm[v].deadline *= TIMES;
    }
    for (size_t w = 0; w < s->workloads; w++) {
        for (size_t k = 0; k < s->workload[w].kernels; k++) {
            struct kernel *kernel = &s->workload[w].kernel[k];
            kernel->time *= TIMES;
            kernel->launch = kernel->launch ? (kernel->launch - 1) * TIMES + 1 : 0;
        }
        for (size_t i = 0; i < s->workload[w].steps; i++)
            if (s->workload[w].step[i].kind == STEP_HOST)
                s->workload[w].step[i].amount *= TIMES;
    }
}

/* By the unit that ends its name; 0: one that does not scale (percentiles are of buckets). */
static double factor_of(const char *metric)
{
    size_t length = strlen(metric);
    if (strstr(metric, "_p50_") || strstr(metric, "_p95_") || strstr(metric, "_p99_"))
        return 0;
    if (!strcmp(metric + length - 3, "_ns") || !strncmp(metric, "energy", 6))
        return TIMES;
    return length > 6 && !strcmp(metric + length - 6, "_per_s") ? 1.0 / TIMES : 1;
}

static bool scaled_metrics(const struct outcome *a, const struct outcome *b, enum sms_subject subject, char *why,
                           size_t size)
{
    size_t count, subjects = sms_results_subjects(a->results, subject);
    const struct sms_metric *metric = sms_metrics(subject, &count);
    for (size_t i = 0; i < a->policies * subjects * count; i++) {
        size_t p = i / count / subjects, idx = i / count % subjects, m = i % count;
        double factor = factor_of(metric[m].name);
        double one = sms_results_value(a->results, p, 0, subject, idx, m) * factor;
        double two = sms_results_value(b->results, p, 0, subject, idx, m);
        if (factor > 0 && !same_value(one, two))
            return fails(why, size, "policy %zu: scaled, %s of %s is %.17g, not %.17g", p, metric[m].name,
                         sms_results_subject(a->results, subject, idx), two, one);
    }
    return true;
}

static void multiply_stays(struct outcome *outcome)
{
    for (size_t p = 0; p < outcome->policies; p++)
        for (size_t i = 0; i < outcome->trace[p].stays; i++) {
            outcome->trace[p].stay[i].start *= TIMES;
            outcome->trace[p].stay[i].end *= TIMES;
        }
}

/* Without randomness, contention and copies all times are whole picoseconds, and four times as
 * long a scenario takes four times as long. */
bool time_scales(const struct scenario *scenario, char *why, size_t size)
{
    struct pair pair;
    struct scenario once = *scenario, longer;
    calm(&once);
    once.contention = NONE;
    once.link = 0;
    for (size_t k = 0; k < WORKLOADS * KERNELS; k++)
        once.workload[k / KERNELS].kernel[k % KERNELS].cycles = 0;
    longer = once;
    multiply_times(&longer);
    if (!run_pair(&pair, &once, &longer))
        return true;
    multiply_stays(&pair.a.outcome);
    const struct outcome *a = &pair.a.outcome, *b = &pair.b.outcome;
    bool same = same_stays(a, b, why, size);
    for (int s = 0; same && s < SMS_SUBJECTS; s++)
        same = scaled_metrics(a, b, (enum sms_subject)s, why, size);
    pair_release(&pair);
    return same;
}

#if PROPERTY_HAS_REFERENCE
bool passes_check(const struct sms_scenario *scenario, char *why, size_t size)
{
    struct sms_run_options options = plain_options();
    struct outcome checked;
    options.check = true;
    outcome_run(&checked, scenario, options, false);
    bool passed = checked.code == SMS_OK || checked.code == SMS_ELIMIT;
    if (!passed)
        fails(why, size, "code %d: %.400s", checked.code, checked.why);
    outcome_release(&checked);
    return passed;
}

bool equals_reference(const struct sms_scenario *scenario, char *why, size_t size)
{
    struct sms_run_options options = plain_options();
    struct outcome fast, reference;
    options.engine = SMS_ENGINE_FAST;
    outcome_run(&fast, scenario, options, false);
    options.engine = SMS_ENGINE_REFERENCE;
    options.max_events = 0; /* its events need not be the fast engine's */
    if (fast.code == SMS_ELIMIT) {
        outcome_release(&fast);
        return true;
    }
    outcome_run(&reference, scenario, options, false);
    bool same = fast.code == reference.code;
    if (!same)
        fails(why, size, "codes %d and, of the reference, %d: %.300s", fast.code, reference.code, reference.why);
    if (same && fast.code == SMS_OK)
        same = same_stays(&fast, &reference, why, size) && same_metrics(&fast, &reference, why, size);
    outcome_release(&fast);
    outcome_release(&reference);
    return same;
}
#endif
