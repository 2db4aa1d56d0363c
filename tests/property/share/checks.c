/* Properties that must hold of every run of processes. */
#include "share.h"

#include "sim/model/scenario.h"

#include <math.h>
#include <string.h>

/* A process that draws its phase arrives some time after its start. */
static uint64_t arrival_of(const struct seen *seen, const struct sms_scenario *scenario, size_t process)
{
    uint64_t first = UINT64_MAX;
    if (!scenario->vm[process].draws_phase)
        return (uint64_t)(scenario->vm[process].start_ps + 0.5);
    for (size_t i = 0; i < seen->spans; i++)
        if (seen->span[i].process == process && seen->span[i].start_ps < first)
            first = seen->span[i].start_ps;
    return first;
}

/* The spans of a stream must follow one another from the arrival of its process on, and none may be empty. `end` gets
 * the end of the last one. */
static const char *check_continuity(const struct seen *seen, const struct sms_scenario *scenario, size_t process,
                                    size_t stream, uint64_t *end)
{
    uint64_t at = arrival_of(seen, scenario, process);
    for (size_t i = 0; i < seen->spans; i++) {
        const struct sms_span *span = &seen->span[i];
        if (span->process != process || span->stream != stream)
            continue;
        if (span->start_ps != at || span->end_ps <= at)
            return describe("%s: %s from %llu to %llu, and it was at %llu", span->name, span->state,
                            (unsigned long long)span->start_ps, (unsigned long long)span->end_ps,
                            (unsigned long long)at);
        at = span->end_ps;
    }
    *end = at;
    return NULL;
}

static size_t rank_of_state(const char *state)
{
    static const char *const states[] = {"allocate", "launch",     "host",      "copy_out",  "copy_in",
                                         "paused",   "suspending", "suspended", "restoring", "kernel"};
    size_t i = 0;
    state = strcmp(state, "waiting") != 0 ? state : "kernel";
    while (i < sizeof states / sizeof *states && strcmp(states[i], state) != 0)
        i++;
    return i < sizeof states / sizeof *states ? i + 1 : 0;
}

/* Whether another stream of the process makes its state at this time count as a different one. */
static bool is_outranked(const struct seen *seen, size_t by, const struct sms_span *span, uint64_t at)
{
    const struct sms_span *other = &seen->span[by];
    bool present = other->process == span->process && other->start_ps <= at && other->end_ps > at;
    size_t own_rank = rank_of_state(span->state), other_rank = rank_of_state(other->state);
    return present && (other_rank > own_rank || (other_rank == own_rank && other->stream < span->stream));
}

/* The next time at which that may change. */
static uint64_t next_change(const struct seen *seen, const struct sms_span *span, uint64_t at)
{
    uint64_t next = span->end_ps;
    for (size_t i = 0; i < seen->spans; i++) {
        const struct sms_span *other = &seen->span[i];
        if (other->process != span->process || other->stream == span->stream)
            continue;
        next = other->start_ps > at && other->start_ps < next ? other->start_ps : next;
        next = other->end_ps > at && other->end_ps < next ? other->end_ps : next;
    }
    return next;
}

static double time_not_outranked(const struct seen *seen, const struct sms_span *span)
{
    double sum = 0;
    for (uint64_t at = span->start_ps, next; at < span->end_ps; at = next) {
        bool outranked = false;
        next = next_change(seen, span, at);
        for (size_t i = 0; i < seen->spans && !outranked; i++)
            outranked = is_outranked(seen, i, span, at);
        sum += outranked ? 0 : (double)(next - at);
    }
    return sum;
}

/* Time for which a process was in a state, computed from the spans of its streams. */
static double time_in(const struct seen *seen, const struct sms_scenario *scenario, size_t process, const char *state)
{
    double sum = 0;
    for (size_t i = 0; i < seen->spans; i++) {
        const struct sms_span *span = &seen->span[i];
        if (span->process != process || strcmp(span->state, state) != 0)
            continue;
        sum += scenario->vm[process].streams > 1 ? time_not_outranked(seen, span)
                                                 : (double)(span->end_ps - span->start_ps);
    }
    return sum;
}

/* For kernel_ns, kernels run or wait for their slice. */
static const struct {
    const char *metric, *state, *also;
} pairs[] = {{"kernel_ns", "kernel", "waiting"},
             {"copy_in_ns", "copy_in", NULL},
             {"copy_out_ns", "copy_out", NULL},
             {"paused_ns", "paused", NULL},
             {"host_ns", "host", NULL}};

/* A stream that waits for an event shows the host's state, and does not count for its process. */
static bool waits_for_events(const struct sms__tenant *vm)
{
    bool waits = false;
    for (size_t i = 0; i < vm->choices; i++)
        waits |= vm->choice[i].workload->waits;
    return waits;
}

static const char *check_metrics_against_spans(const struct outcome *outcome, const struct sms_scenario *scenario,
                                               size_t policy, size_t process)
{
    const struct seen *seen = &outcome->seen[policy];
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        double ns = value(outcome, policy, SMS_PROCESS, process, pairs[i].metric);
        double spans = time_in(seen, scenario, process, pairs[i].state) / 1000;
        spans += pairs[i].also ? time_in(seen, scenario, process, pairs[i].also) / 1000 : 0;
        bool awaited = !strcmp(pairs[i].metric, "host_ns") && waits_for_events(&scenario->vm[process]);
        if (!awaited && fabs(ns - spans) > 1e-9 * spans + 1e-6)
            return describe("process %zu: %s is %.12g, its spans are %.12g", process, pairs[i].metric, ns, spans);
    }
    if (value(outcome, policy, SMS_PROCESS, process, "service_ns") >
        value(outcome, policy, SMS_PROCESS, process, "kernel_ns") +
            value(outcome, policy, SMS_PROCESS, process, "paused_ns") + 1e-3)
        return describe("process %zu: more service than kernels", process);
    return NULL;
}

/* The time that a process's kernels take alone, where only the process itself slows them. NAN where that is unknown. */
static double kernels_alone_ps(const struct sms_scenario *scenario, const struct sms__policy_use *use, size_t process)
{
    const struct sms__tenant *vm = &scenario->vm[process];
    double sum = 0;
    if (vm->streams > 1 || vm->arrivals != SMS__CLOSED)
        return NAN; /* streams overlap; a list of times may be shorter than `repeat` */
    if (!scenario->contention.model->free_below_full && !scenario->contention.model->measured_alone)
        return NAN; /* what is slowed alone as well */
    for (size_t s = 0; s < vm->workload->steps; s++) {
        const struct sms__step *step = &vm->workload->step[s];
        const struct sms__kernel *kernel = &vm->workload->kernel[step->kernel];
        if (step->kind != SMS__LAUNCH)
            continue;
        if (!kernel->whole || kernel->jitter > 0 || use->share->repartitions)
            return NAN;
        const struct sms__footprint *fit = &vm->fit[sms__first_device(vm)][step->kernel];
        sum += (double)step->times * (fit->scaled ? fit->work_ps * fit->alone : kernel->block_time.value) *
               (1 + (use->share->intercepts ? vm->workload->overhead : 0));
    }
    return sum * (double)vm->repeat;
}

/* True if one context at a time has a whole device. */
static bool has_device_alone(const struct sms__mode *mode)
{
    return !mode->parts && (mode->form->slices || mode->form->exclusive);
}

/* With kernels of given times and one context at a time, service must equal the time of the kernels. */
static const char *check_service(const struct outcome *outcome, const struct sms_scenario *scenario, size_t policy,
                                 size_t process)
{
    const struct sms__policy_use *use = &scenario->policy[policy];
    bool alone = has_device_alone(&use->mode);
    double expected = kernels_alone_ps(scenario, use, process) / 1000;
    double service = value(outcome, policy, SMS_PROCESS, process, "service_ns");
    bool ended = !isnan(value(outcome, policy, SMS_PROCESS, process, "turnaround_ns"));
    if (alone && ended && !isnan(expected) && fabs(service - expected) > 1e-9 * expected + 0.01)
        return describe("process %zu: %.12g ns of service, its kernels take %.12g", process, service, expected);
    return NULL;
}

static bool is_on_device(const struct seen *seen, size_t process, const struct sms_span *one)
{
    bool present = false;
    for (size_t j = 0; j < seen->spans && !present; j++) {
        const struct sms_span *other = &seen->span[j];
        present = other->process == process && other->device == one->device && other->start_ps <= one->start_ps &&
                  other->end_ps > one->start_ps;
    }
    return present;
}

/* A device must never hold more processes than the mode allows, in any of their states there. */
static const char *check_process_limit(const struct seen *seen, size_t processes, uint64_t most)
{
    for (size_t i = 0; i < seen->spans; i++) {
        const struct sms_span *one = &seen->span[i];
        size_t present = 0;
        for (size_t p = 0; one->device >= 0 && p < processes; p++)
            present += is_on_device(seen, p, one);
        if (present > most)
            return describe("%zu processes on device %ld at %llu", present, one->device,
                            (unsigned long long)one->start_ps);
    }
    return NULL;
}

/* Memory of a device must not exceed its size, and its busy time not the run. */
static const char *check_memory(const struct outcome *outcome, const struct sms_scenario *scenario, size_t policy,
                                size_t d)
{
    double memory = (double)scenario->device[d]->memory;
    double held = value(outcome, policy, SMS_DEVICE, d, "memory_ratio");
    double busy = value(outcome, policy, SMS_DEVICE, d, "busy_ratio");
    double most = value(outcome, policy, SMS_DEVICE, d, "memory_high_water_bytes");
    if (most > memory || held > most / memory + 1e-9)
        return describe("device %zu: %.0f bytes held at most, ratio %.12g", d, most, held);
    return busy < 0 || busy > 1 + 1e-9 ? describe("device %zu: busy %.12g", d, busy) : NULL;
}

/* With one context at a time, service and switches must not exceed the time with kernels. The time of the whole run
 * comes from a device's switches: a process may fail before it arrives, and in the middle of a kernel. */
static const char *check_time_slices(const struct outcome *outcome, const struct sms_scenario *scenario, size_t policy)
{
    double service = 0, busy_ratio = 0, switches = 0, time = 0;
    for (size_t d = 0; d < scenario->devices; d++) {
        double ns = value(outcome, policy, SMS_DEVICE, d, "switch_ns");
        switches += ns;
        time = ns > 0 ? ns / value(outcome, policy, SMS_DEVICE, d, "switch_ratio") : time;
        busy_ratio += value(outcome, policy, SMS_DEVICE, d, "busy_ratio");
    }
    for (size_t v = 0; v < scenario->vms; v++)
        service += value(outcome, policy, SMS_PROCESS, v, "service_ns");
    if (time <= 0 || service + switches <= busy_ratio * time * (1 + 1e-9) + 1)
        return NULL;
    return describe("%.12g ns of service, %.12g of switches, %.12g of kernels", service, switches, busy_ratio * time);
}

static const char *is_wrong_under(const struct outcome *outcome, const struct sms_scenario *scenario, size_t policy)
{
    const struct sms__mode *mode = &scenario->policy[policy].mode;
    const struct seen *seen = &outcome->seen[policy];
    bool whole = scenario->warmup_ps <= 0 && scenario->duration_ps <= 0;
    const char *why = has_device_alone(mode) && whole ? check_time_slices(outcome, scenario, policy) : NULL;
    for (size_t d = 0; d < scenario->devices && !why; d++)
        why = check_memory(outcome, scenario, policy, d);
    uint64_t end, ends = 0;
    for (size_t v = 0; v < scenario->vms && !why; v++) {
        for (size_t s = 0; s < scenario->vm[v].streams && !why; s++) {
            why = check_continuity(seen, scenario, v, s, &end);
            ends = end > ends ? end : ends;
        }
        if (!why && scenario->warmup_ps <= 0 && !seen->cut)
            why = check_metrics_against_spans(outcome, scenario, policy, v);
        if (!why && scenario->warmup_ps <= 0)
            why = check_service(outcome, scenario, policy, v);
    }
    if (!why && !mode->parts)
        why = check_process_limit(seen, scenario->vms, sms__mode_most_processes(mode, scenario->device[0]));
    return why;
}

const char *is_wrong(const struct outcome *outcome, const struct sms_scenario *scenario)
{
    const char *why =
        outcome->code && outcome->code != SMS_ELIMIT ? describe("code %d: %s", outcome->code, outcome->why) : NULL;
    for (size_t p = 0; outcome->code == SMS_OK && p < outcome->policies && !why; p++)
        why = is_wrong_under(outcome, scenario, p);
    return why;
}
