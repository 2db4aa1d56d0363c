/* Makes the steps of a job from launches and copies. Steps are in order of time if the start times are known, with host
 * time for the gaps. Consecutive launches of one kernel are one step; the host time between them follows it. */
#include "derive_internal.h"

#include "../base/sort.h"

#include <math.h>
#include <string.h>

enum { PERIOD_MAX = 64, STEPS = 400, STEPS_MIN = 8 };

/* A shorter gap is below the profiler's resolution; a gap of more than a month is an error of the profile. */
static const double GAP_MIN = 0.5e-6, GAP_MAX = 2.6e6;

/* A device that has the next launch starts it within microseconds. After a longer gap than this it has waited for what
 * the trace does not show, which is no cost of each launch. */
static const double DEVICE_GAP_MAX = 0.1;

/* Kernels below this share of a program's kernel time are ignored when its iterations are counted. */
static const double SHARE_MIN = 0.01;

struct event {
    double start, end; /* NAN: unknown */
    double called;     /* of a launch in a trace, from which its call is known */
    enum sms__derived_step_kind kind;
    size_t kernel;
    uint64_t times;
    double bytes;
    bool waited;  /* the host, for the device before the launch */
    size_t waits; /* in how many rounds it has */
    double gap_s; /* before it the device does nothing for so long */
    double early; /* part of the gap for which the host called early enough */
};

struct timeline {
    struct event *event;
    size_t events;
    bool timed;
};

static void add_event(struct timeline *timeline, struct event event)
{
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
        const char *why = sms__derive_elsewhere(profile, copy->place)    ? "on another device"
                          : !(copy->bytes >= 0.5 && copy->bytes <= 1e18) ? "no size"
                                                                         : NULL;
        if (why) {
            sms__derive_omit(derivation, copy->line, "a copy", why);
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
                                           .called = launch->called_s,
                                           .waited = launch->host_waited,
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
        sms__sort(derivation->arena, timeline->event, timeline->events, sizeof *timeline->event, sms__by_double);
    else if (timeline->events > 1)
        derivation->order =
            "no start times: in the order of the file, copies to the device first, copies to the host last";
}

static bool is_gap(double seconds) { return seconds >= GAP_MIN && seconds <= GAP_MAX; }

/* Adds host time after the last step. */
static void add_host(struct sms__derivation *derivation, double seconds)
{
    if (derivation->steps && is_gap(seconds))
        derivation->step[derivation->steps - 1].host_s += seconds;
}

/* Whether launches of the event may be of the step. In a round, host time between two steps keeps its place. */
static bool is_alike(const struct sms__derivation *derivation, const struct sms__derived_step *step,
                     const struct sms__derived_step *next)
{
    return step->kind == next->kind && step->kernel == next->kernel && step->ahead == next->ahead &&
           (step->call_s > 0) == (next->call_s > 0) && !(derivation->profile->rounds && step->host_s > 0);
}

/* Adds a step, or repeats the last one. */
static void add_step(struct sms__derivation *derivation, const struct sms__derived_step *next)
{
    struct sms__derived_step *last = &derivation->step[derivation->steps ? derivation->steps - 1 : 0];
    const bool repeats = derivation->steps && is_alike(derivation, last, next);
    if (repeats && next->kind == SMS__DERIVED_LAUNCH && last->times <= 1000000000000 - next->times) {
        const double calls_s = last->call_s * (double)last->times + next->call_s * (double)next->times;
        last->times += next->times;
        last->call_s = calls_s / (double)last->times;
    } else if (repeats && next->kind != SMS__DERIVED_LAUNCH && last->bytes + next->bytes <= 1e18)
        last->bytes += next->bytes;
    else
        derivation->step[derivation->steps++] = *next;
}

/* Whether the host has not waited for the operation before the event's launch, which is one too. */
static bool follows(const struct sms__derivation *derivation, const struct event *event)
{
    return derivation->profile->ahead && !event->waited && event->kind == SMS__DERIVED_LAUNCH &&
           event[-1].kind == SMS__DERIVED_LAUNCH;
}

/* Whether the launch could have started before the device had done what was before it. */
static bool is_early(const struct sms__derivation *derivation, const struct event *event, double busy_until)
{
    return event->called + derivation->profile->delay_s <= busy_until;
}

/* Takes the gaps that are no wait for the host from the events, as time of their kernels, each with the mean of its
 * launches. */
static void take_device_gaps(struct sms__derivation *derivation, struct event *event, size_t count)
{
    double *launches = SMS__NEW(derivation->arena, double, derivation->kernels + 1);
    for (size_t e = 0; e < count; e++) {
        event[e].gap_s = is_gap(event[e].gap_s) ? event[e].gap_s : 0;
        if (event[e].kind == SMS__DERIVED_LAUNCH)
            launches[event[e].kernel] += (double)event[e].times;
        if (e == 0 || !follows(derivation, &event[e]) || event[e].gap_s > DEVICE_GAP_MAX)
            continue;
        derivation->kernel[event[e].kernel].gap_s += event[e].early * event[e].gap_s;
        event[e].gap_s *= 1 - event[e].early;
    }
    for (size_t k = 0; k < derivation->kernels; k++)
        derivation->kernel[k].gap_s /= fmax(launches[k], 1);
}

/* Adds the steps of events. Where the host does not wait for the kernels, the device waits for it because of its own
 * time, in which they run: that since the last such gap, or since it waited. */
static void add_events(struct sms__derivation *derivation, struct event *event, size_t count)
{
    double ran_s = 0;
    take_device_gaps(derivation, event, count);
    for (size_t e = 0; e < count; e++) {
        const struct sms__derived *kernel = &derivation->kernel[event[e].kernel];
        const bool ahead = e + 1 < count && follows(derivation, &event[e + 1]);
        const double gap_s = e + 1 < count ? event[e + 1].gap_s : 0;
        ran_s += ahead ? kernel->gap_s + kernel->time.mean_s : 0;
        add_step(derivation,
                 &(struct sms__derived_step){.kind = event[e].kind,
                                             .kernel = event[e].kernel,
                                             .times = event[e].kind == SMS__DERIVED_LAUNCH ? event[e].times : 1,
                                             .bytes = event[e].bytes,
                                             .ahead = ahead,
                                             .call_s = ahead && gap_s > 0 ? ran_s + gap_s : 0});
        ran_s = ahead && gap_s <= 0 ? ran_s : 0;
        if (!ahead)
            add_host(derivation, gap_s);
    }
}

/* Seconds that the event takes in a simulation, where the link sets the speed of copies. */
static double simulated_length(const struct sms__derivation *derivation, const struct event *event)
{
    const double bandwidth = derivation->device->link_bandwidth;
    if (event->kind == SMS__DERIVED_LAUNCH || derivation->target != derivation->device)
        return event->end - event->start;
    return bandwidth > 0 ? event->bytes / bandwidth : 0;
}

/* Time of a copy beyond what the link needs passes on the host, after it. */
static void make_steps(struct sms__derivation *derivation, const struct timeline *timeline)
{
    double busy_until = NAN, beyond_s = 0;
    derivation->step = SMS__NEW(derivation->arena, struct sms__derived_step, timeline->events + 1);
    for (size_t e = 0; e < timeline->events; e++) {
        struct event *event = &timeline->event[e];
        if (timeline->timed && isfinite(busy_until)) {
            derivation->overlaps += event->start < busy_until - GAP_MIN && event->kind == SMS__DERIVED_LAUNCH;
            event->gap_s = fmax(event->start - busy_until, 0) + beyond_s;
            event->early = is_early(derivation, event, busy_until);
        }
        if (!derivation->options->iteration) /* which names host time that is left out, without copies */
            beyond_s = event->end > event->start ? event->end - event->start - simulated_length(derivation, event) : 0;
        busy_until = isnan(busy_until) || event->end > busy_until ? event->end : busy_until;
    }
    add_events(derivation, timeline->event, timeline->events);
    add_host(derivation, beyond_s);
}

/* Adds to the gaps of `mean`, for each of `count` events of a round, the time that passes before it on the host. It is
 * negative where events overlap or a copy was faster than the link. Returns the time from the first start to the last
 * end. */
static double add_round(const struct sms__derivation *derivation, const struct event *event, size_t count,
                        struct event *mean)
{
    const double rounds = (double)derivation->profile->rounds;
    double busy_until = event[0].start;
    for (size_t e = 0; e < count; e++) {
        double end = fmax(busy_until, event[e].end);
        mean[e].early += is_early(derivation, &event[e], busy_until);
        mean[e].gap_s += end - busy_until - simulated_length(derivation, &event[e]);
        mean[e].bytes += event[e].bytes / rounds;
        mean[e].waits += event[e].waited;
        busy_until = end;
    }
    return busy_until - event[0].start;
}

/* Sets by how much host time is longer in the trace than without the profiler, which slows each launch but no kernel.
 */
static int find_host_scale(const struct sms__derivation *derivation, const struct timeline *timeline, double *scale)
{
    const double alone_s = derivation->options->alone_s, round_s = derivation->profile->round_s;
    double device_s = 0;
    *scale = 1;
    if (!(alone_s > 0))
        return SMS_OK;
    for (size_t e = 0; e < timeline->events; e++)
        device_s += simulated_length(derivation, &timeline->event[e]) / (double)derivation->profile->rounds;
    *scale = (alone_s - device_s) / (round_s - device_s);
    if (alone_s < device_s)
        return sms__fail(derivation->errors, SMS_EINPUT, derivation->options->path,
                         "kernels and copies of one job take %.6g ms in the trace, so it cannot take %.6g ms alone",
                         device_s * 1e3, alone_s * 1e3);
    return round_s > device_s ? SMS_OK
                              : sms__fail(derivation->errors, SMS_EINPUT, derivation->options->path,
                                          "one job takes %.6g ms in the trace, and its kernels and copies take %.6g "
                                          "ms: --alone finds no host time to scale",
                                          round_s * 1e3, device_s * 1e3);
}

/* Takes the time for which operations reach into the next round, beyond its host time before the first step, from its
 * first gaps, because they are under way in these. */
static void take_reach(struct event *event, size_t count, double reach_s)
{
    for (size_t e = 0; e < count && reach_s > 0; e++) {
        const double taken_s = fmin(event[e].gap_s, reach_s);
        event[e].gap_s -= taken_s;
        reach_s -= taken_s;
    }
}

/* Makes the steps of one of the profile's equal rounds, with mean host times. A host time that is negative or too short
 * for a step is added to the next one, so that the round takes its mean time. */
static int make_round(struct sms__derivation *derivation, const struct timeline *timeline)
{
    const size_t rounds = derivation->profile->rounds, count = timeline->events / rounds;
    struct event *mean = SMS__NEW(derivation->arena, struct event, count + 1);
    double pending = 0, busy = 0, lead = 0, scale;
    const int code = find_host_scale(derivation, timeline, &scale);
    derivation->step = SMS__NEW(derivation->arena, struct sms__derived_step, count + 1);
    for (size_t e = 0; e < count; e++) {
        mean[e] = timeline->event[e];
        mean[e].bytes = 0;
    }
    for (size_t r = 0; r < rounds; r++) {
        const struct event *event = &timeline->event[r * count];
        busy += add_round(derivation, event, count, mean);
        lead += (event->start - (double)r * derivation->profile->pitch_s) / (double)rounds;
    }
    for (size_t e = 0; e < count; e++) {
        derivation->overlaps +=
            e > 0 && mean[e].kind == SMS__DERIVED_LAUNCH && mean[e].gap_s < -GAP_MIN * (double)rounds;
        pending += scale * mean[e].gap_s / (double)rounds;
        mean[e].gap_s = e > 0 && pending >= GAP_MIN ? pending : 0;
        mean[e].waited = 2 * mean[e].waits > rounds;
        mean[e].early /= (double)rounds;
        pending -= mean[e].gap_s;
    }
    double rest = pending + scale * (derivation->profile->round_s - busy / (double)rounds - lead);
    lead = scale * lead + fmin(rest, 0); /* what reaches into the next round delays its first step */
    derivation->lead_s = lead >= GAP_MIN && lead <= GAP_MAX ? lead : 0;
    take_reach(mean, count, -lead);
    add_events(derivation, mean, count);
    add_host(derivation, rest);
    return code;
}

static bool is_equal(const struct sms__derived_step *a, const struct sms__derived_step *b)
{
    return a->kind == b->kind && a->kernel == b->kernel && a->times == b->times && a->bytes == b->bytes &&
           a->ahead == b->ahead && (a->call_s > 0) == (b->call_s > 0);
}

struct span {
    size_t from, period, rounds;
};

/* The longest run of steps in which each equals the one `period` later, apart from host time. */
static struct span longest_span(const struct sms__derivation *derivation, size_t period)
{
    struct span best = {0, period, 0};
    size_t run = 0;
    for (size_t i = 0; i + period < derivation->steps; i++) {
        run = is_equal(&derivation->step[i], &derivation->step[i + period]) ? run + 1 : 0;
        size_t rounds = run ? run / period + 1 : 0;
        if (rounds > best.rounds)
            best = (struct span){i + 1 - run, period, rounds};
    }
    return best;
}

/* Keeps one round, with its mean host times. */
static void keep_one_round(struct sms__derivation *derivation, struct span span)
{
    const size_t count = derivation->steps;
    struct sms__derived_step *all = derivation->step;
    derivation->step = SMS__NEW(derivation->arena, struct sms__derived_step, span.period);
    derivation->steps = 0;
    for (size_t p = 0; p < span.period; p++) {
        double host = 0, call = 0;
        for (size_t r = 0; r < span.rounds; r++) {
            host += all[span.from + r * span.period + p].host_s;
            call += all[span.from + r * span.period + p].call_s;
        }
        struct sms__derived_step *step = &derivation->step[derivation->steps++];
        *step = all[span.from + p];
        step->host_s = 0;
        step->call_s = call / (double)span.rounds;
        add_host(derivation, host / (double)span.rounds);
    }
    derivation->order = sms__print(derivation->arena,
                                   "the steps are one of %zu equal rounds; of %zu steps without host time, %zu before "
                                   "and %zu after the rounds are left out",
                                   span.rounds, count, span.from, count - span.from - span.rounds * span.period);
}

/* Keeps one round if equal rounds cover four fifths of a long sequence. Returns whether they do. */
static bool find_rounds(struct sms__derivation *derivation, size_t limit)
{
    struct span best = {0, 0, 0};
    for (size_t period = 1; period <= PERIOD_MAX && 2 * period <= limit && 3 * period <= derivation->steps; period++) {
        struct span span = longest_span(derivation, period);
        if (span.rounds >= 3 && span.rounds * span.period > best.rounds * best.period)
            best = span;
    }
    if (best.rounds * best.period * 5 < derivation->steps * 4 || best.rounds == 0)
        return false;
    keep_one_round(derivation, best);
    return true;
}

struct totals {
    double in, out, host; /* bytes copied to the device and to the host; seconds */
    size_t steps;         /* of the document, which has a step for host time */
};

static struct totals total_of(const struct sms__derivation *derivation)
{
    struct totals totals = {.steps = derivation->steps};
    double ran_s = 0; /* of kernels for which the host has not waited, since the last gap */
    for (size_t d = 0; d < derivation->steps; d++) {
        const struct sms__derived_step *step = &derivation->step[d];
        totals.in += step->kind == SMS__DERIVED_COPY_IN ? step->bytes : 0;
        totals.out += step->kind == SMS__DERIVED_COPY_OUT ? step->bytes : 0;
        totals.host += step->host_s;
        const struct sms__derived *kernel = &derivation->kernel[step->kernel];
        ran_s = step->ahead ? ran_s + (kernel->gap_s + kernel->time.mean_s) * (double)step->times : 0;
        if (step->call_s > 0) {
            totals.host += step->call_s * (double)step->times - ran_s;
            ran_s = 0;
        }
        totals.steps += step->host_s > 0;
    }
    return totals;
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
    const struct totals totals = total_of(derivation);
    derivation->step = SMS__NEW(derivation->arena, struct sms__derived_step, derivation->kernels);
    derivation->steps = derivation->kernels;
    for (size_t k = 0; k < derivation->kernels; k++) {
        uint64_t times = (derivation->kernel[k].launches + count / 2) / count;
        derivation->step[k] =
            (struct sms__derived_step){.kind = SMS__DERIVED_LAUNCH, .kernel = k, .times = times ? times : 1};
    }
    derivation->copying_s = 0;
    derivation->overlaps = 0;
    derivation->order = sms__print(derivation->arena,
                                   "launches of one of %llu iterations%s; left out of %s: %.0f B copied in, "
                                   "%.0f B copied out, host time of %.3f ms",
                                   (unsigned long long)count, timed ? "" : ", in the order of the file",
                                   derivation->profile->rounds > 1 ? "each job" : "the whole run", totals.in,
                                   totals.out, totals.host * 1e3);
}

/* Keeps the totals only: all copies to the device, each kernel with all its launches, all copies to the host, all host
 * time. */
static void keep_totals(struct sms__derivation *derivation, const struct totals *totals, size_t limit)
{
    struct sms__derived_step *step = SMS__NEW(derivation->arena, struct sms__derived_step, derivation->kernels + 2);
    const size_t rounds = derivation->profile->rounds ? derivation->profile->rounds : 1;
    size_t steps = 0;
    if (totals->in > 0)
        step[steps++] =
            (struct sms__derived_step){.kind = SMS__DERIVED_COPY_IN, .times = 1, .bytes = fmin(totals->in, 1e18)};
    for (size_t k = 0; k < derivation->kernels; k++)
        step[steps++] = (struct sms__derived_step){
            .kind = SMS__DERIVED_LAUNCH, .kernel = k, .times = derivation->kernel[k].launches / rounds};
    if (totals->out > 0)
        step[steps++] =
            (struct sms__derived_step){.kind = SMS__DERIVED_COPY_OUT, .times = 1, .bytes = fmin(totals->out, 1e18)};
    derivation->step = step;
    derivation->steps = steps;
    add_host(derivation, fmin(totals->host, GAP_MAX));
    derivation->order =
        sms__print(derivation->arena, "%zu steps exceed the limit of %zu: their order is lost, their totals are kept",
                   totals->steps, limit);
}

int sms__derive_steps(struct sms__derivation *derivation)
{
    struct timeline timeline = {0};
    int code = SMS_OK;
    size_t limit = derivation->options->steps ? derivation->options->steps : STEPS;
    limit = limit < STEPS_MIN ? STEPS_MIN : limit < 100000 ? limit : 100000;
    collect_events(derivation, &timeline);
    if (derivation->profile->rounds)
        code = make_round(derivation, &timeline);
    else
        make_steps(derivation, &timeline);
    if (derivation->options->iteration) {
        keep_iteration(derivation, timeline.timed);
        return code;
    }
    const struct totals totals = total_of(derivation);
    if (totals.steps > limit && !find_rounds(derivation, limit))
        keep_totals(derivation, &totals, limit);
    return code;
}
