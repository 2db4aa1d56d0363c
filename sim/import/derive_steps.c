/* Makes the steps of a job from launches and copies. Steps are in order of time if the start times are known, with host
 * time for the gaps. Consecutive launches of one kernel are one step; the host time between them follows it. */
#include "derive_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PERIOD_MAX = 64, STEPS = 400, STEPS_MIN = 8 };

/* A shorter gap is below the profiler's resolution; a gap of more than a month is an error of the profile. */
static const double GAP_MIN = 0.5e-6, GAP_MAX = 2.6e6;

/* Kernels below this share of a program's kernel time are ignored when its iterations are counted. */
static const double SHARE_MIN = 0.01;

struct event {
    double start, end; /* NAN: unknown */
    enum sms__derived_step_kind kind;
    size_t kernel, order;
    uint64_t times;
    double bytes;
};

struct timeline {
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

static void add_event(struct timeline *timeline, struct event event)
{
    event.order = timeline->events;
    timeline->timed &= isfinite(event.start) && fabs(event.start) < 1e15;
    timeline->event[timeline->events++] = event;
}

static void add_copies(struct sms__derivation *derivation, struct timeline *timeline, bool to_device)
{
    const struct sms__profile *profile = derivation->profile;
    for (size_t c = 0; c < profile->copies; c++) {
        const struct sms__profile_copy *copy = &profile->copy[c];
        if (copy->to_device != to_device)
            continue;
        if (!(copy->bytes >= 0.5 && copy->bytes <= 1e18)) {
            sms__derive_omit(derivation, copy->line, "a copy without a size");
            continue;
        }
        double length = copy->duration_s > 0 ? copy->duration_s : 0;
        derivation->copied += length > 0 ? copy->bytes : 0;
        derivation->copying_s += length;
        add_event(timeline, (struct event){.start = copy->start_s,
                                           .end = copy->start_s + length,
                                           .bytes = copy->bytes,
                                           .kind = to_device ? SMS__DERIVED_COPY_IN : SMS__DERIVED_COPY_OUT});
    }
}

static void add_launches(struct sms__derivation *derivation, struct timeline *timeline)
{
    const struct sms__profile *profile = derivation->profile;
    for (size_t l = 0; l < profile->launches; l++) {
        const struct sms__profile_launch *launch = &profile->launch[l];
        if (derivation->kernel_of_launch[l] == SIZE_MAX)
            continue;
        uint64_t times = launch->count ? launch->count : 1;
        double length = launch->duration_s > 0 ? launch->duration_s : 0;
        add_event(timeline, (struct event){.start = launch->start_s,
                                           .end = launch->start_s + length * (double)times,
                                           .kind = SMS__DERIVED_LAUNCH,
                                           .kernel = derivation->kernel_of_launch[l],
                                           .times = times});
    }
}

/* Puts copies to the device first and copies to the host last, unless start times are known. */
static void collect_events(struct sms__derivation *derivation, struct timeline *timeline)
{
    const struct sms__profile *profile = derivation->profile;
    timeline->timed = true;
    timeline->event = SMS__NEW(derivation->arena, struct event, profile->launches + profile->copies + 1);
    add_copies(derivation, timeline, true);
    add_launches(derivation, timeline);
    add_copies(derivation, timeline, false);
    if (timeline->timed && timeline->events)
        qsort(timeline->event, timeline->events, sizeof *timeline->event, by_time);
    else if (timeline->events > 1)
        derivation->order =
            "no start times: in the order of the file, copies to the device first, copies to the host last";
}

static struct sms__derived_step *last_step(struct sms__derivation *derivation)
{
    size_t steps = derivation->steps;
    if (steps && derivation->step[steps - 1].kind == SMS__DERIVED_HOST)
        steps--;
    return steps ? &derivation->step[steps - 1] : NULL;
}

static void add_host(struct sms__derivation *derivation, double seconds)
{
    struct sms__derived_step *last = derivation->steps ? &derivation->step[derivation->steps - 1] : NULL;
    if (seconds < GAP_MIN || seconds > GAP_MAX)
        return;
    if (last && last->kind == SMS__DERIVED_HOST)
        last->amount += seconds;
    else if (derivation->step)
        derivation->step[derivation->steps++] =
            (struct sms__derived_step){.kind = SMS__DERIVED_HOST, .amount = seconds};
}

static void add_step(struct sms__derivation *derivation, const struct event *event)
{
    struct sms__derived_step *last = last_step(derivation);
    bool launch = event->kind == SMS__DERIVED_LAUNCH;
    bool repeats = last && last->kind == event->kind && last->kernel == event->kernel;
    if (repeats && launch && last->times <= 1000000000000 - event->times)
        last->times += event->times;
    else if (repeats && !launch && last->amount + event->bytes <= 1e18)
        last->amount += event->bytes;
    else
        derivation->step[derivation->steps++] =
            (struct sms__derived_step){event->kind, event->kernel, launch ? event->times : 1, event->bytes};
}

static void make_steps(struct sms__derivation *derivation, const struct timeline *timeline)
{
    double busy_until = NAN;
    derivation->step = SMS__NEW(derivation->arena, struct sms__derived_step, 2 * timeline->events + 1);
    for (size_t e = 0; e < timeline->events; e++) {
        const struct event *event = &timeline->event[e];
        if (timeline->timed && isfinite(busy_until)) {
            derivation->overlaps += event->start < busy_until - GAP_MIN && event->kind == SMS__DERIVED_LAUNCH;
            add_host(derivation, event->start - busy_until);
        }
        add_step(derivation, event);
        busy_until = isnan(busy_until) || event->end > busy_until ? event->end : busy_until;
    }
}

/* The steps without host time, in which repeated rounds are searched. */
struct sequence {
    struct sms__derived_step *step;
    double *host; /* host time after each step, s */
    size_t count;
};

static struct sequence split_host_time(struct sms__derivation *derivation)
{
    struct sequence sequence = {SMS__NEW(derivation->arena, struct sms__derived_step, derivation->steps),
                                SMS__NEW(derivation->arena, double, derivation->steps), 0};
    for (size_t d = 0; d < derivation->steps; d++) {
        if (derivation->step[d].kind != SMS__DERIVED_HOST)
            sequence.step[sequence.count++] = derivation->step[d];
        else if (sequence.count)
            sequence.host[sequence.count - 1] += derivation->step[d].amount;
    }
    return sequence;
}

static bool is_equal(const struct sms__derived_step *a, const struct sms__derived_step *b)
{
    return a->kind == b->kind && a->kernel == b->kernel && a->times == b->times && a->amount == b->amount;
}

struct span {
    size_t from, period, rounds;
};

/* The longest run of steps in which each equals the one `period` later. */
static struct span longest_span(const struct sequence *sequence, size_t period)
{
    struct span best = {0, period, 0};
    size_t run = 0;
    for (size_t i = 0; i + period < sequence->count; i++) {
        run = is_equal(&sequence->step[i], &sequence->step[i + period]) ? run + 1 : 0;
        size_t rounds = run ? run / period + 1 : 0;
        if (rounds > best.rounds)
            best = (struct span){i + 1 - run, period, rounds};
    }
    return best;
}

static void keep_one_round(struct sms__derivation *derivation, const struct sequence *sequence, struct span span)
{
    derivation->steps = 0;
    for (size_t p = 0; p < span.period; p++) {
        double host = 0;
        for (size_t r = 0; r < span.rounds; r++)
            host += sequence->host[span.from + r * span.period + p];
        derivation->step[derivation->steps++] = sequence->step[span.from + p];
        add_host(derivation, host / (double)span.rounds);
    }
    derivation->order =
        sms__print(derivation->arena,
                   "the steps are one of %zu equal rounds; of %zu steps without host time, %zu before "
                   "and %zu after the rounds are left out",
                   span.rounds, sequence->count, span.from, sequence->count - span.from - span.rounds * span.period);
}

/* Keeps one round if equal rounds cover four fifths of a long sequence. Returns whether they do. */
static bool find_rounds(struct sms__derivation *derivation, const struct sequence *sequence, size_t limit)
{
    struct span best = {0, 0, 0};
    for (size_t period = 1; period <= PERIOD_MAX && 2 * period <= limit && 3 * period <= sequence->count; period++) {
        struct span span = longest_span(sequence, period);
        if (span.rounds >= 3 && span.rounds * span.period > best.rounds * best.period)
            best = span;
    }
    if (best.rounds * best.period * 5 < sequence->count * 4 || best.rounds == 0)
        return false;
    keep_one_round(derivation, sequence, best);
    return true;
}

static double sum_of(const struct sms__derivation *derivation, enum sms__derived_step_kind kind)
{
    double sum = 0;
    for (size_t d = 0; d < derivation->steps; d++)
        sum += derivation->step[d].kind == kind ? derivation->step[d].amount : 0;
    return sum;
}

/* Iterations of the program: the launches of its rarest kernel that takes a relevant share of the time. */
static uint64_t count_iterations(const struct sms__derivation *derivation)
{
    double total = 0;
    uint64_t count = 0;
    for (size_t k = 0; k < derivation->kernels; k++)
        total += derivation->kernel[k].time.sum_s;
    for (size_t k = 0; k < derivation->kernels; k++) {
        const struct sms__derived *kernel = &derivation->kernel[k];
        if (kernel->time.sum_s >= SHARE_MIN * total && (count == 0 || kernel->launches < count))
            count = kernel->launches;
    }
    return count ? count : 1;
}

/* Keeps one iteration: kernels in the order of their first launches, each with its mean number of launches per
 * iteration, at least 1. */
static void keep_iteration(struct sms__derivation *derivation, bool timed)
{
    uint64_t count = count_iterations(derivation);
    double in = sum_of(derivation, SMS__DERIVED_COPY_IN), out = sum_of(derivation, SMS__DERIVED_COPY_OUT);
    double host = sum_of(derivation, SMS__DERIVED_HOST);
    derivation->step = SMS__NEW(derivation->arena, struct sms__derived_step, derivation->kernels);
    derivation->steps = derivation->kernels;
    for (size_t k = 0; k < derivation->kernels; k++) {
        uint64_t times = (derivation->kernel[k].launches + count / 2) / count;
        derivation->step[k] = (struct sms__derived_step){SMS__DERIVED_LAUNCH, k, times ? times : 1, 0};
    }
    derivation->copying_s = 0;
    derivation->overlaps = 0;
    derivation->order =
        sms__print(derivation->arena,
                   "launches of one of %llu iterations%s; left out of the whole run: %.0f B copied in, "
                   "%.0f B copied out, host time of %.3f ms",
                   (unsigned long long)count, timed ? "" : ", in the order of the file", in, out, host * 1e3);
}

/* Keeps the totals only: all copies to the device, each kernel with all its launches, all copies to the host, all host
 * time. */
static void keep_totals(struct sms__derivation *derivation, size_t limit)
{
    size_t steps = derivation->steps;
    double in = 0, out = 0, host = 0;
    struct sms__derived_step *old = derivation->step;
    derivation->step = SMS__NEW(derivation->arena, struct sms__derived_step, derivation->kernels + 3);
    derivation->steps = 0;
    for (size_t d = 0; d < steps; d++) {
        in += old[d].kind == SMS__DERIVED_COPY_IN ? old[d].amount : 0;
        out += old[d].kind == SMS__DERIVED_COPY_OUT ? old[d].amount : 0;
        host += old[d].kind == SMS__DERIVED_HOST ? old[d].amount : 0;
    }
    if (in > 0)
        derivation->step[derivation->steps++] = (struct sms__derived_step){SMS__DERIVED_COPY_IN, 0, 1, fmin(in, 1e18)};
    for (size_t k = 0; k < derivation->kernels; k++)
        derivation->step[derivation->steps++] =
            (struct sms__derived_step){SMS__DERIVED_LAUNCH, k, derivation->kernel[k].launches, 0};
    if (out > 0)
        derivation->step[derivation->steps++] =
            (struct sms__derived_step){SMS__DERIVED_COPY_OUT, 0, 1, fmin(out, 1e18)};
    add_host(derivation, fmin(host, GAP_MAX));
    derivation->order =
        sms__print(derivation->arena, "%zu steps exceed the limit of %zu: their order is lost, their totals are kept",
                   steps, limit);
}

void sms__derive_steps(struct sms__derivation *derivation)
{
    struct timeline timeline = {0};
    size_t limit = derivation->options->steps ? derivation->options->steps : STEPS;
    limit = limit < STEPS_MIN ? STEPS_MIN : limit < 100000 ? limit : 100000;
    collect_events(derivation, &timeline);
    make_steps(derivation, &timeline);
    if (derivation->options->iteration) {
        keep_iteration(derivation, timeline.timed);
        return;
    }
    if (derivation->steps <= limit)
        return;
    struct sequence sequence = split_host_time(derivation);
    if (!find_rounds(derivation, &sequence, limit))
        keep_totals(derivation, limit);
}
