/* From launches and copies to the steps of a job: in order of time where times are known, with host time where
 * nothing ran. Launches of one kernel after another are one step, the host time between them is added up behind. */
#include "derive_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PERIOD_MAX = 64, STEPS = 400, STEPS_MIN = 8 };

/* Less is the profiler's own resolution; more than a month is no time. */
static const double GAP_MIN = 0.5e-6, GAP_MAX = 2.6e6;

/* Of a program's kernel time: kernels that take less do not say how many iterations it has. */
static const double SHARE_MIN = 0.01;

struct event {
    double start, end; /* NAN */
    enum sms__happening does;
    size_t kernel, order;
    uint64_t times;
    double bytes;
};

struct steps {
    struct event *event;
    size_t events;
    bool timed;
};

static int by_time(const void *left, const void *right)
{
    const struct event *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static void add_event(struct steps *steps, struct event event)
{
    event.order = steps->events;
    steps->timed &= isfinite(event.start) && fabs(event.start) < 1e15;
    steps->event[steps->events++] = event;
}

static void add_copies(struct sms__derivation *derivation, struct steps *steps, bool to_device)
{
    const struct sms__profile *profile = derivation->profile;
    for (size_t c = 0; c < profile->copies; c++) {
        const struct sms__profile_copy *copy = &profile->copy[c];
        if (copy->to_device != to_device)
            continue;
        if (!(copy->bytes >= 0.5 && copy->bytes <= 1e18)) {
            sms__derive_note(derivation, copy->line, "a copy without a size");
            continue;
        }
        double length = copy->duration_s > 0 ? copy->duration_s : 0;
        derivation->copied += length > 0 ? copy->bytes : 0;
        derivation->copying_s += length;
        add_event(steps, (struct event){.start = copy->start_s,
                                        .end = copy->start_s + length,
                                        .bytes = copy->bytes,
                                        .does = to_device ? SMS__DOES_COPY_IN : SMS__DOES_COPY_OUT});
    }
}

static void add_launches(struct sms__derivation *derivation, struct steps *steps)
{
    const struct sms__profile *profile = derivation->profile;
    for (size_t l = 0; l < profile->launches; l++) {
        const struct sms__profile_launch *launch = &profile->launch[l];
        if (derivation->of[l] == SIZE_MAX)
            continue;
        uint64_t times = launch->count ? launch->count : 1;
        double length = launch->duration_s > 0 ? launch->duration_s : 0;
        add_event(steps, (struct event){.start = launch->start_s,
                                        .end = launch->start_s + length * (double)times,
                                        .does = SMS__DOES_LAUNCH,
                                        .kernel = derivation->of[l],
                                        .times = times});
    }
}

/* Without times, copies to the device come first, and those to the host last. */
static void collect(struct sms__derivation *derivation, struct steps *steps)
{
    const struct sms__profile *profile = derivation->profile;
    steps->timed = true;
    steps->event = SMS__NEW(derivation->arena, struct event, profile->launches + profile->copies + 1);
    add_copies(derivation, steps, true);
    add_launches(derivation, steps);
    add_copies(derivation, steps, false);
    if (steps->timed && steps->events)
        qsort(steps->event, steps->events, sizeof *steps->event, by_time);
    else if (steps->events > 1)
        derivation->order = "no times: in the file's order, copies to the device first, those to the host last";
}

static struct sms__deed *last_deed(struct sms__derivation *derivation)
{
    size_t deeds = derivation->deeds;
    if (deeds && derivation->deed[deeds - 1].does == SMS__DOES_HOST)
        deeds--;
    return deeds ? &derivation->deed[deeds - 1] : NULL;
}

static void add_host(struct sms__derivation *derivation, double seconds)
{
    struct sms__deed *last = derivation->deeds ? &derivation->deed[derivation->deeds - 1] : NULL;
    if (seconds < GAP_MIN || seconds > GAP_MAX)
        return;
    if (last && last->does == SMS__DOES_HOST)
        last->amount += seconds;
    else if (derivation->deed)
        derivation->deed[derivation->deeds++] = (struct sms__deed){.does = SMS__DOES_HOST, .amount = seconds};
}

static void add_deed(struct sms__derivation *derivation, const struct event *event)
{
    struct sms__deed *last = last_deed(derivation);
    bool launch = event->does == SMS__DOES_LAUNCH;
    bool again = last && last->does == event->does && last->kernel == event->kernel;
    if (again && launch && last->times <= 1000000000000 - event->times)
        last->times += event->times;
    else if (again && !launch && last->amount + event->bytes <= 1e18)
        last->amount += event->bytes;
    else
        derivation->deed[derivation->deeds++] =
            (struct sms__deed){event->does, event->kernel, launch ? event->times : 1, event->bytes};
}

static void make_deeds(struct sms__derivation *derivation, const struct steps *steps)
{
    double busy_until = NAN;
    derivation->deed = SMS__NEW(derivation->arena, struct sms__deed, 2 * steps->events + 1);
    for (size_t e = 0; e < steps->events; e++) {
        const struct event *event = &steps->event[e];
        if (steps->timed && isfinite(busy_until)) {
            derivation->overlaps += event->start < busy_until - GAP_MIN && event->does == SMS__DOES_LAUNCH;
            add_host(derivation, event->start - busy_until);
        }
        add_deed(derivation, event);
        busy_until = isnan(busy_until) || event->end > busy_until ? event->end : busy_until;
    }
}

/* Deeds without those of the host, whose time is kept beside: what rounds are looked for in. */
struct line {
    struct sms__deed *deed;
    double *host; /* behind it */
    size_t count;
};

static struct line without_host(struct sms__derivation *derivation)
{
    struct line line = {SMS__NEW(derivation->arena, struct sms__deed, derivation->deeds),
                        SMS__NEW(derivation->arena, double, derivation->deeds), 0};
    for (size_t d = 0; d < derivation->deeds; d++) {
        if (derivation->deed[d].does != SMS__DOES_HOST)
            line.deed[line.count++] = derivation->deed[d];
        else if (line.count)
            line.host[line.count - 1] += derivation->deed[d].amount;
    }
    return line;
}

static bool is_alike(const struct sms__deed *a, const struct sms__deed *b)
{
    return a->does == b->does && a->kernel == b->kernel && a->times == b->times && a->amount == b->amount;
}

struct span {
    size_t from, period, rounds;
};

/* The longest stretch in which every deed is like the one `period` later. */
static struct span longest_span(const struct line *line, size_t period)
{
    struct span best = {0, period, 0};
    size_t run = 0;
    for (size_t i = 0; i + period < line->count; i++) {
        run = is_alike(&line->deed[i], &line->deed[i + period]) ? run + 1 : 0;
        size_t rounds = run ? run / period + 1 : 0;
        if (rounds > best.rounds)
            best = (struct span){i + 1 - run, period, rounds};
    }
    return best;
}

static void keep_round(struct sms__derivation *derivation, const struct line *line, struct span span)
{
    derivation->deeds = 0;
    for (size_t p = 0; p < span.period; p++) {
        double host = 0;
        for (size_t r = 0; r < span.rounds; r++)
            host += line->host[span.from + r * span.period + p];
        derivation->deed[derivation->deeds++] = line->deed[span.from + p];
        add_host(derivation, host / (double)span.rounds);
    }
    derivation->order =
        sms__print(derivation->arena,
                   "these are one of %zu equal rounds; of %zu steps besides host time, %zu before and "
                   "%zu after the rounds are left out",
                   span.rounds, line->count, span.from, line->count - span.from - span.rounds * span.period);
}

/* Whether a period of rounds covers four fifths of a long sequence; then one round is the job. */
static bool find_rounds(struct sms__derivation *derivation, const struct line *line, size_t most)
{
    struct span best = {0, 0, 0};
    for (size_t period = 1; period <= PERIOD_MAX && 2 * period <= most && 3 * period <= line->count; period++) {
        struct span span = longest_span(line, period);
        if (span.rounds >= 3 && span.rounds * span.period > best.rounds * best.period)
            best = span;
    }
    if (best.rounds * best.period * 5 < line->count * 4 || best.rounds == 0)
        return false;
    keep_round(derivation, line, best);
    return true;
}

static double sum_of(const struct sms__derivation *derivation, enum sms__happening does)
{
    double sum = 0;
    for (size_t d = 0; d < derivation->deeds; d++)
        sum += derivation->deed[d].does == does ? derivation->deed[d].amount : 0;
    return sum;
}

/* The launches of the rarest kernel that matters, as this one is in each iteration. */
static uint64_t count_iterations(const struct sms__derivation *derivation)
{
    double total = 0;
    uint64_t count = 0;
    for (size_t k = 0; k < derivation->kernels; k++)
        total += derivation->kernel[k].sum_s;
    for (size_t k = 0; k < derivation->kernels; k++) {
        const struct sms__derived *kernel = &derivation->kernel[k];
        if (kernel->sum_s >= SHARE_MIN * total && (count == 0 || kernel->launches < count))
            count = kernel->launches;
    }
    return count ? count : 1;
}

/* Kernels in the order of their first launches, each as often as it ran in an iteration on average, and once at least.
 */
static void keep_iteration(struct sms__derivation *derivation, bool timed)
{
    uint64_t count = count_iterations(derivation);
    double in = sum_of(derivation, SMS__DOES_COPY_IN), out = sum_of(derivation, SMS__DOES_COPY_OUT);
    double host = sum_of(derivation, SMS__DOES_HOST);
    derivation->deed = SMS__NEW(derivation->arena, struct sms__deed, derivation->kernels);
    derivation->deeds = derivation->kernels;
    for (size_t k = 0; k < derivation->kernels; k++) {
        uint64_t times = (derivation->kernel[k].launches + count / 2) / count;
        derivation->deed[k] = (struct sms__deed){SMS__DOES_LAUNCH, k, times ? times : 1, 0};
    }
    derivation->copying_s = 0;
    derivation->overlaps = 0;
    derivation->order =
        sms__print(derivation->arena,
                   "launches of one of %llu iterations%s; left out of the whole run: %.0f B copied in, "
                   "%.0f B copied out, host time of %.3f ms",
                   (unsigned long long)count, timed ? "" : ", in the file's order", in, out, host * 1e3);
}

/* The totals remain: all copies in, each kernel as often as it ran, all copies out, all host time. */
static void flatten(struct sms__derivation *derivation, size_t most)
{
    size_t deeds = derivation->deeds;
    double in = 0, out = 0, host = 0;
    struct sms__deed *old = derivation->deed;
    derivation->deed = SMS__NEW(derivation->arena, struct sms__deed, derivation->kernels + 3);
    derivation->deeds = 0;
    for (size_t d = 0; d < deeds; d++) {
        in += old[d].does == SMS__DOES_COPY_IN ? old[d].amount : 0;
        out += old[d].does == SMS__DOES_COPY_OUT ? old[d].amount : 0;
        host += old[d].does == SMS__DOES_HOST ? old[d].amount : 0;
    }
    if (in > 0)
        derivation->deed[derivation->deeds++] = (struct sms__deed){SMS__DOES_COPY_IN, 0, 1, fmin(in, 1e18)};
    for (size_t k = 0; k < derivation->kernels; k++)
        derivation->deed[derivation->deeds++] =
            (struct sms__deed){SMS__DOES_LAUNCH, k, derivation->kernel[k].launches, 0};
    if (out > 0)
        derivation->deed[derivation->deeds++] = (struct sms__deed){SMS__DOES_COPY_OUT, 0, 1, fmin(out, 1e18)};
    add_host(derivation, fmin(host, GAP_MAX));
    derivation->order =
        sms__print(derivation->arena,
                   "more than the limit of %zu steps (%zu): their order is given up, their sums remain", most, deeds);
}

void sms__derive_steps(struct sms__derivation *derivation)
{
    struct steps steps = {0};
    size_t most = derivation->options->steps ? derivation->options->steps : STEPS;
    most = most < STEPS_MIN ? STEPS_MIN : most < 100000 ? most : 100000;
    collect(derivation, &steps);
    make_deeds(derivation, &steps);
    if (derivation->options->iteration) {
        keep_iteration(derivation, steps.timed);
        return;
    }
    if (derivation->deeds <= most)
        return;
    struct line line = without_host(derivation);
    if (!find_rounds(derivation, &line, most))
        flatten(derivation, most);
}
