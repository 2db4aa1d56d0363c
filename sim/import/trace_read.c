/* Joins launches with the calls that made them, sorts a trace, and says what it has. */
#include "trace_read.h"

#include "derive.h"

#include "../base/sort.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

void sms__reading_begin(struct sms__trace_reading *reading, struct sms__arena *arena, struct sms__profile *out)
{
    reading->arena = arena;
    reading->out = out;
    reading->places.arena = reading->shapes.arena = arena;
    reading->fact = SMS__NEW(arena, const char *, SMS__TRACE_FACTS_MAX);
    out->fact = reading->fact;
    out->trace = true;
}

/* The item of the pool that is like this one, which ends with a number, by which it is not told apart. */
static const void *numbered(struct sms__string_pool *pool, const void *item, size_t bytes, size_t *count)
{
    struct sms__pooled_string *entry = sms__intern(pool, item, bytes);
    if (!entry->fixed) {
        entry->fixed = sms__enlarge(pool->arena, item, 1, 1, bytes + sizeof *count);
        memcpy((char *)entry->data + bytes, count, sizeof *count);
        ++*count;
    }
    return entry->fixed;
}

const struct sms__trace_place *sms__trace_place(struct sms__trace_reading *reading, struct sms__trace_place place)
{
    return numbered(&reading->places, &place, offsetof(struct sms__trace_place, number), &reading->out->places);
}

const struct sms__profile_shape *sms__trace_shape(struct sms__trace_reading *reading, struct sms__profile_shape shape)
{
    return numbered(&reading->shapes, &shape, offsetof(struct sms__profile_shape, number), &reading->out->shapes);
}

void sms__reading_fact(struct sms__trace_reading *reading, const char *format, ...)
{
    va_list args;
    if (reading->out->facts == SMS__TRACE_FACTS_MAX)
        return;
    va_start(args, format);
    reading->fact[reading->out->facts++] = sms__vprint(reading->arena, format, args);
    va_end(args);
}

void sms__trace_other(struct sms__trace_other *other, double seconds)
{
    other->count++;
    other->seconds += seconds;
}

static int by_correlation(const void *left, const void *right)
{
    const struct sms__trace_call *a = left, *b = right;
    if (a->correlation != b->correlation)
        return a->correlation < b->correlation ? -1 : 1;
    return (a->start_s > b->start_s) - (a->start_s < b->start_s);
}

/* Calls with one correlation are of different processes. Among so many the launch's own is looked for, because a
 * damaged file may have one correlation in all rows. */
enum { CALLS_TRIED = 1000 };

/* The call that made a launch; NULL: unknown. */
static const struct sms__trace_call *call_of(const struct sms__trace_reading *reading,
                                             const struct sms__profile_launch *launch)
{
    size_t low = 0, high = reading->calls;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct sms__trace_call *call = &reading->call[middle];
        bool after = call->correlation > launch->correlation ||
                     (call->correlation == launch->correlation && call->start_s > launch->start_s);
        low = after ? low : middle + 1;
        high = after ? middle : high;
    }
    for (size_t i = 0; i < CALLS_TRIED && i < low; i++) {
        const struct sms__trace_call *call = &reading->call[low - 1 - i];
        if (call->correlation != launch->correlation)
            break;
        const char *process = launch->place->process;
        if (!process || process == call->process || !strcmp(process, call->process))
            return call;
    }
    return NULL;
}

/* Gives a launch what its call tells of it. */
static void take_call(struct sms__trace_reading *reading, struct sms__profile_launch *launch,
                      const struct sms__trace_call *call)
{
    launch->called_s = call->start_s;
    if (!launch->place->process) {
        struct sms__trace_place place = *launch->place;
        place.process = call->process;
        launch->place = sms__trace_place(reading, place);
    }
}

bool sms__trace_waits(const char *function) { return strstr(function, "Synchronize") != NULL; }

/* A call by its time. */
struct moment {
    double at_s;
    const char *process;
    struct sms__profile_launch *launch; /* NULL: it waits */
};

/* Sets before which launches the host of their process waited. */
static void find_waits(struct sms__trace_reading *reading)
{
    struct sms__profile *out = reading->out;
    struct moment *moment = SMS__NEW(reading->scratch, struct moment, out->launches + reading->calls + 1);
    struct sms__string_pool processes = {.arena = reading->scratch};
    size_t count = 0;
    for (size_t l = 0; l < out->launches; l++)
        moment[count++] = (struct moment){out->launch[l].called_s, out->launch[l].place->process, &out->launch[l]};
    for (size_t c = 0; c < reading->calls; c++)
        if (reading->call[c].waits)
            moment[count++] = (struct moment){reading->call[c].start_s, reading->call[c].process, NULL};
    sms__sort(reading->scratch, moment, count, sizeof *moment, sms__by_double);
    for (size_t m = 0; m < count; m++) {
        const char *process = moment[m].process ? moment[m].process : "";
        struct sms__pooled_string *waits = sms__intern(&processes, process, strlen(process));
        if (moment[m].launch)
            moment[m].launch->host_waited = waits->data != NULL;
        waits->data = moment[m].launch ? NULL : &moment[m];
    }
}

/* What launches cost. The shortest of a hundred delays is taken for one without a queue. */
static void join_calls(struct sms__trace_reading *reading)
{
    struct sms__profile *out = reading->out;
    double *length = SMS__NEW(reading->scratch, double, out->launches + 1);
    double *delay = SMS__NEW(reading->scratch, double, out->launches + 1);
    size_t count = 0;
    sms__sort(reading->scratch, reading->call, reading->calls, sizeof *reading->call, by_correlation);
    for (size_t l = 0; l < out->launches; l++) {
        const struct sms__trace_call *call = call_of(reading, &out->launch[l]);
        out->launch[l].called_s = NAN;
        if (!call)
            continue;
        take_call(reading, &out->launch[l], call);
        length[count] = call->length_s;
        delay[count++] = out->launch[l].start_s - call->start_s;
    }
    out->ahead = count == out->launches && reading->names_calls;
    if (out->ahead)
        find_waits(reading);
    if (count == 0)
        return;
    gsl_sort(length, 1, count);
    gsl_sort(delay, 1, count);
    out->delay_s = fmax(delay[0], 0);
    sms__reading_fact(reading,
                      "launch cost: the calls of %zu launches take the host %.1f us each (median); a kernel starts "
                      "%.1f us (1st percentile) to %.1f us (median) after its call; host times include this",
                      count, length[count / 2] * 1e6, delay[count / 100] * 1e6, delay[count / 2] * 1e6);
}

/* Whether a kernel is a collective of NCCL or RCCL. */
static bool is_collective(const char *kernel)
{
    return !strncmp(kernel, "nccl", 4) || !strncmp(kernel, "rccl", 4) || strstr(kernel, "ncclKernel") ||
           strstr(kernel, "ncclDevKernel");
}

static void state_collectives(struct sms__trace_reading *reading)
{
    struct sms__trace_other found = {0};
    double all = 0;
    enum { UNKNOWN, YES, NO };
    char *collective = SMS__NEW(reading->scratch, char, reading->out->shapes);
    for (size_t l = 0; l < reading->out->launches; l++) {
        const struct sms__profile_launch *launch = &reading->out->launch[l];
        char *known = &collective[launch->shape->number];
        if (*known == UNKNOWN)
            *known = is_collective(launch->shape->kernel) ? YES : NO;
        all += launch->duration_s;
        if (*known == YES)
            sms__trace_other(&found, launch->duration_s);
    }
    if (found.count)
        sms__reading_fact(reading,
                          "%zu launches are collectives, %.1f %% of kernel time: they hold their SMs while they wait "
                          "for other GPUs, and last here as long as in the trace",
                          found.count, 100 * found.seconds / all);
}

void sms__reading_end(struct sms__trace_reading *reading)
{
    struct sms__profile *out = reading->out;
    join_calls(reading);
    state_collectives(reading);
    sms__sort(reading->scratch, out->launch, out->launches, sizeof *out->launch, sms__by_double);
    sms__sort(reading->scratch, out->copy, out->copies, sizeof *out->copy, sms__by_double);
    if (reading->memsets.count + reading->inner_copies.count)
        sms__reading_fact(reading,
                          "%zu memsets (%.3f ms) and %zu copies within or between devices (%.3f ms) are host time",
                          reading->memsets.count, reading->memsets.seconds * 1e3, reading->inner_copies.count,
                          reading->inner_copies.seconds * 1e3);
    if (reading->unfinished)
        sms__reading_fact(reading, "operations without a start or an end, left out: %zu", reading->unfinished);
    if (reading->unsized)
        sms__reading_fact(reading, "launches without a grid or a block, counted as host time: %zu", reading->unsized);
}
