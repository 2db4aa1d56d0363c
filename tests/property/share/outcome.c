/* What observers saw of a run, and the comparison of two runs that should be equal. */
#include "share.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS_MAX = 200000 };

const char *describe(const char *format, ...)
{
    static char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return text;
}

static void add_to_hash(struct seen *seen, uint64_t value) { seen->hash = (seen->hash ^ value) * 1099511628211u; }

static struct seen *seen_by(struct outcome *outcome, const struct sms_scenario *scenario, const char *policy)
{
    for (size_t p = 0; p < outcome->policies; p++)
        if (sms_scenario_policy(scenario, p) == policy || !strcmp(sms_scenario_policy(scenario, p), policy))
            return &outcome->seen[p];
    abort();
}

struct observer {
    struct outcome *outcome;
    const struct sms_scenario *scenario;
};

static void add_text_to_hash(struct seen *seen, const char *text)
{
    for (; *text; text++)
        add_to_hash(seen, (uint64_t)*text);
}

static void on_span(struct seen *seen, const struct sms_span *span)
{
    seen->cut |= seen->spans == SPANS;
    if (!seen->cut)
        seen->span[seen->spans++] = *span;
    add_to_hash(seen, span->process);
    add_to_hash(seen, span->stream);
    add_to_hash(seen, span->start_ps);
    add_to_hash(seen, span->end_ps);
    add_to_hash(seen, (uint64_t)span->device);
    add_text_to_hash(seen, span->state);
}

static void on_kernel(struct seen *seen, const struct sms_kernel_run *run)
{
    seen->told++;
    add_to_hash(seen, run->device);
    add_to_hash(seen, run->launch_ps);
    add_to_hash(seen, run->end_ps);
}

static void on_placement(struct seen *seen, const struct sms_placement *placement)
{
    seen->told++;
    add_to_hash(seen, placement->number);
    add_to_hash(seen, placement->time_ps);
    add_to_hash(seen, placement->gpus);
    add_to_hash(seen, placement->slice);
    add_text_to_hash(seen, placement->node);
}

static void on_departure(struct seen *seen, const struct sms_departure *departure)
{
    add_to_hash(seen, departure->number);
    add_to_hash(seen, departure->start_ps);
    add_to_hash(seen, departure->end_ps);
    add_text_to_hash(seen, departure->ended);
}

static int observe(void *user, const struct sms_run_event *event)
{
    struct observer *observer = user;
    struct seen *seen = seen_by(observer->outcome, observer->scenario, event->policy);
    if (event->kind == SMS_RUN_SPAN)
        on_span(seen, event->span);
    else if (event->kind == SMS_RUN_KERNEL)
        on_kernel(seen, event->kernel);
    else if (event->kind == SMS_RUN_PLACEMENT)
        on_placement(seen, event->placement);
    else
        on_departure(seen, event->departure);
    return 0;
}

void outcome_run(struct outcome *outcome, const struct sms_scenario *scenario, enum sms_engine engine, bool check)
{
    struct sms_run_options options = sms_run_defaults();
    struct observer observer = {outcome, scenario};
    struct sms_errors errors = {0};
    *outcome = (struct outcome){.policies = sms_scenario_policies(scenario)};
    outcome->seen = calloc(outcome->policies, sizeof *outcome->seen);
    for (size_t p = 0; p < outcome->policies; p++)
        outcome->seen[p].span = calloc(SPANS, sizeof(struct sms_span));
    options.alone = false;
    options.engine = engine;
    options.check = check;
    options.max_events = EVENTS_MAX;
    options.observe = observe;
    options.events = SMS_RUN_SPAN | SMS_RUN_KERNEL | SMS_RUN_PLACEMENT | SMS_RUN_DEPARTURE;
    options.user = &observer;
    outcome->code = sms_run(scenario, &options, &outcome->results, &errors);
    if (outcome->code)
        snprintf(outcome->why, sizeof outcome->why, "%s", errors.item[0].message);
}

void outcome_release(struct outcome *outcome)
{
    for (size_t p = 0; p < outcome->policies; p++)
        free(outcome->seen[p].span);
    free(outcome->seen);
    sms_results_free(outcome->results);
}

/* Compares to the last bit, except that all NANs are equal. */
static bool is_same(double a, double b)
{
    uint64_t x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    return x == y || (isnan(a) && isnan(b));
}

static const char *differ_in(const struct outcome *a, const struct outcome *b, size_t p, enum sms_subject subject,
                             size_t idx)
{
    size_t metrics;
    const struct sms_metric *metric = sms_metrics(subject, &metrics);
    for (size_t m = 0; m < metrics; m++) {
        double x = sms_results_value(a->results, p, 0, subject, idx, m);
        double y = sms_results_value(b->results, p, 0, subject, idx, m);
        if (!is_same(x, y))
            return describe("policy %zu: %s of %s: %.17g and %.17g", p, metric[m].name,
                            sms_results_subject(a->results, subject, idx), x, y);
    }
    return NULL;
}

static const char *differ_in_metrics(const struct outcome *a, const struct outcome *b, size_t p)
{
    const char *why = NULL;
    for (int s = 0; s < SMS_SUBJECTS && !why; s++)
        for (size_t i = 0; i < sms_results_subjects(a->results, (enum sms_subject)s) && !why; i++)
            why = differ_in(a, b, p, (enum sms_subject)s, i);
    return why;
}

static const char *differ_in_spans(const struct seen *a, const struct seen *b, size_t p)
{
    for (size_t i = 0; i < a->spans && i < b->spans; i++)
        if (a->span[i].start_ps != b->span[i].start_ps || a->span[i].end_ps != b->span[i].end_ps ||
            a->span[i].process != b->span[i].process || a->span[i].state != b->span[i].state)
            return describe("policy %zu: span %zu: %s %s %llu-%llu and %s %s %llu-%llu", p, i, a->span[i].name,
                            a->span[i].state, (unsigned long long)a->span[i].start_ps,
                            (unsigned long long)a->span[i].end_ps, b->span[i].name, b->span[i].state,
                            (unsigned long long)b->span[i].start_ps, (unsigned long long)b->span[i].end_ps);
    if (a->spans != b->spans || a->hash != b->hash)
        return describe("policy %zu: %zu spans and %zu, or other kernels or pods", p, a->spans, b->spans);
    return NULL;
}

const char *differ(const struct outcome *a, const struct outcome *b)
{
    const char *why = NULL;
    if (a->code != b->code)
        return describe("codes %d (%s) and %d (%s)", a->code, a->why, b->code, b->why);
    for (size_t p = 0; a->code == SMS_OK && p < a->policies && !why; p++) {
        why = differ_in_spans(&a->seen[p], &b->seen[p], p);
        why = why ? why : differ_in_metrics(a, b, p);
    }
    return why;
}

double value(const struct outcome *outcome, size_t policy, enum sms_subject subject, size_t idx, const char *name)
{
    size_t count;
    const struct sms_metric *metric = sms_metrics(subject, &count);
    for (size_t m = 0; m < count; m++)
        if (!strcmp(metric[m].name, name))
            return sms_results_value(outcome->results, policy, 0, subject, idx, m);
    abort();
}
