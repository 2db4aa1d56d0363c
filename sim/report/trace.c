/* Collecting what a trace will hold; trace.h has the rule of what is kept. */
#include "trace.h"

#include "../base/escape.h"

#include <stdlib.h>
#include <string.h>

/* About how many windows a run is seen through, and how many mean stays one is worth: to
 * be whole, a window needs all that was there when it began, however short it is. */
enum { WINDOWS = 8, STAYS_LONG = 8 };

static bool is_kept(const struct sms__trace_part *part, uint64_t start, uint64_t end)
{
    if (!part->period)
        return true;
    if (!part->window)
        return false;
    uint64_t offset = start & (part->period - 1);
    return offset < part->window || end - start > part->period - offset;
}

bool sms__trace_clip(const struct sms__trace *trace, uint64_t *start, uint64_t *end)
{
    uint64_t from = trace->options.from_ps, to = trace->options.to_ps;
    if (*start >= to || *end <= from)
        return false;
    *start = *start > from ? *start - from : 0;
    *end = (*end < to ? *end : to) - from;
    *end += *end == *start;
    return true;
}

static bool is_short(const struct sms__trace_part *part, uint64_t window)
{
    return part->stays && window / STAYS_LONG < part->time / part->stays;
}

/* Half the windows while there are many or they are short, else windows of half the length. */
static void narrow(struct sms__trace_part *part)
{
    if (!part->period) {
        part->period = 1;
        while (part->last / part->period >= (is_short(part, part->period) ? 1 : 2 * WINDOWS))
            part->period *= 2;
        part->window = part->period;
    }
    uint64_t windows = part->last / part->period;
    if (windows >= WINDOWS || (windows > 0 && (is_short(part, part->window) || part->window == 1)))
        part->period *= 2;
    else
        part->window /= 2;
}

/* The budget is used up: keeps less until half of it is free. */
static void thin(const struct sms__trace *trace, struct sms__trace_part *part)
{
    while (part->records > part->budget / 2) {
        size_t kept = 0;
        narrow(part);
        for (size_t i = 0; i < part->records; i++) {
            uint64_t start = part->record[i].start_ps, end = part->record[i].end_ps;
            if (sms__trace_clip(trace, &start, &end) && is_kept(part, start, end))
                part->record[kept++] = part->record[i];
        }
        part->records = kept;
    }
}

bool sms__trace_room(struct sms__trace_part *part)
{
    if (part->records < part->capacity)
        return true;
    size_t capacity = part->capacity ? 2 * part->capacity : 1024;
    if (capacity > part->budget)
        capacity = part->budget;
    struct sms__trace_record *grown = realloc(part->record, capacity * sizeof *grown);
    part->out_of_memory |= !grown;
    if (!grown)
        return false;
    part->record = grown;
    part->capacity = capacity;
    return true;
}

static bool has_room(const struct sms__trace *trace, struct sms__trace_part *part)
{
    if (part->records == part->budget)
        thin(trace, part);
    return sms__trace_room(part);
}

/* A thinning may drop the very record that made it necessary: asked again. */
static void keep(const struct sms__trace *trace, struct sms__trace_part *part, uint64_t start, uint64_t end,
                 struct sms__trace_record record)
{
    part->last = end > part->last ? end : part->last;
    if (is_kept(part, start, end) && has_room(trace, part) && is_kept(part, start, end))
        part->record[part->records++] = record;
}

struct sms__trace_part *sms__trace_part_of(const struct sms__trace *trace, const char *policy)
{
    for (size_t p = 0; p < trace->parts; p++)
        if (trace->part[p].label == policy || !strcmp(trace->part[p].label, policy))
            return &trace->part[p];
    return NULL;
}

static size_t find_kind(const struct sms__trace *trace, const char *vm, const char *kernel)
{
    for (size_t i = 0; i < trace->kinds; i++) {
        const struct sms__vm *candidate = &trace->scenario->vm[trace->kind[i].vm];
        if (!strcmp(candidate->name, vm) && !strcmp(candidate->workload->kernel[trace->kind[i].kernel].name, kernel))
            return i;
    }
    return trace->kinds;
}

/* Names come from the scenario, so that the same name is nearly always the same pointer. */
static size_t kind_of(const struct sms__trace *trace, struct sms__trace_part *part, const char *vm, const char *kernel)
{
    size_t slot = (((uintptr_t)vm >> 3) + ((uintptr_t)kernel >> 3) * 31) % SMS__TRACE_CACHE;
    if (part->cache[slot].vm != vm || part->cache[slot].kernel != kernel) {
        part->cache[slot].vm = vm;
        part->cache[slot].kernel = kernel;
        part->cache[slot].kind = (uint32_t)find_kind(trace, vm, kernel);
    }
    return part->cache[slot].kind;
}

void sms__trace_stay(struct sms__trace *trace, const char *policy, const struct sms_stay *stay)
{
    struct sms__trace_part *part = sms__trace_part_of(trace, policy);
    uint64_t start = stay->start_ps, end = stay->end_ps;
    if (!part || part->out_of_memory || !sms__trace_clip(trace, &start, &end))
        return;
    size_t kind = kind_of(trace, part, stay->vm, stay->kernel);
    if (kind == trace->kinds)
        return;
    part->stays++;
    part->time += end - start;
    part->blocks += stay->blocks;
    sms__usage_add(&part->usage, stay->device * trace->kinds + kind, start, end, stay->blocks);
    size_t track = trace->first_track[stay->device] + stay->sm;
    keep(trace, part, start, end,
         (struct sms__trace_record){stay->start_ps, stay->end_ps, stay->blocks, (uint32_t)track, (uint32_t)kind});
}

void sms__trace_kernel(struct sms__trace *trace, const char *policy, const struct sms_kernel_run *run)
{
    struct sms__trace_part *part = sms__trace_part_of(trace, policy);
    uint64_t start = run->launch_ps, end = run->end_ps;
    if (!part || part->out_of_memory || !sms__trace_clip(trace, &start, &end))
        return;
    size_t kind = kind_of(trace, part, run->vm, run->kernel);
    if (kind == trace->kinds)
        return;
    part->kernels++;
    size_t stream = trace->first_stream[trace->kind[kind].vm] + run->stream;
    size_t track = trace->first_track[run->device] + trace->scenario->device[run->device]->sms + stream;
    keep(trace, part, start, end,
         (struct sms__trace_record){run->launch_ps, run->end_ps, run->blocks, (uint32_t)track, (uint32_t)kind});
}

/* The last stands for those that there is no room for. */
uint32_t sms__trace_state(struct sms__trace_part *part, const char *state)
{
    for (size_t i = 0; i < part->states; i++)
        if (!strncmp(part->state[i], state, SMS__TRACE_STATE - 1))
            return (uint32_t)i;
    if (part->states == SMS__TRACE_STATES)
        return SMS__TRACE_STATES - 1;
    snprintf(part->state[part->states], SMS__TRACE_STATE, "%s", state);
    return (uint32_t)part->states++;
}

void sms__trace_span(struct sms__trace *trace, const char *policy, const struct sms_span *span)
{
    struct sms__trace_part *part = sms__trace_part_of(trace, policy);
    uint64_t start = span->start_ps, end = span->end_ps;
    if (!part || part->out_of_memory || span->process >= trace->scenario->vms || !sms__trace_clip(trace, &start, &end))
        return;
    part->spans++;
    size_t stream = trace->first_stream[span->process] + span->stream;
    size_t track = trace->first_track[trace->scenario->devices] + stream;
    uint64_t device = span->device < 0 ? 0 : (uint64_t)span->device + 1;
    keep(trace, part, start, end,
         (struct sms__trace_record){span->start_ps, span->end_ps, device, (uint32_t)track,
                                    sms__trace_state(part, span->state)});
}

static int init_parts(struct sms__trace *trace)
{
    const struct sms_scenario *scenario = trace->scenario;
    trace->part = calloc(scenario->policies, sizeof *trace->part);
    if (!trace->part)
        return -1;
    for (size_t p = 0; p < scenario->policies; p++)
        if (sms__is_chosen(&scenario->policy[p], trace->options.policies))
            trace->part[trace->parts++].label = scenario->policy[p].label;
    for (size_t p = 0; p < trace->parts; p++) {
        size_t events = (size_t)trace->options.events / trace->parts, counters = scenario->cluster ? 0 : events / 4;
        trace->part[p].budget = events - counters;
        if (sms__usage_init(&trace->part[p].usage, trace, counters))
            return -1;
    }
    return 0;
}

static int init(struct sms__trace *trace)
{
    const struct sms_scenario *scenario = trace->scenario;
    trace->first_kind = calloc(scenario->vms + 1, sizeof *trace->first_kind);
    trace->first_stream = calloc(scenario->vms + 1, sizeof *trace->first_stream);
    trace->first_track = calloc(scenario->devices + 1, sizeof *trace->first_track);
    if (!trace->first_kind || !trace->first_stream || !trace->first_track)
        return -1;
    for (size_t v = 0; v < scenario->vms; v++) {
        trace->first_kind[v + 1] = trace->first_kind[v] + scenario->vm[v].workload->kernels;
        trace->first_stream[v + 1] = trace->first_stream[v] + scenario->vm[v].streams;
    }
    for (size_t d = 0; d < scenario->devices; d++)
        trace->first_track[d + 1] =
            trace->first_track[d] + scenario->device[d]->sms + trace->first_stream[scenario->vms];
    trace->kinds = trace->first_kind[scenario->vms];
    trace->kind = calloc(trace->kinds + 1, sizeof *trace->kind);
    if (!trace->kind)
        return -1;
    for (size_t v = 0; v < scenario->vms; v++)
        for (size_t i = trace->first_kind[v]; i < trace->first_kind[v + 1]; i++)
            trace->kind[i] = (struct sms__trace_kind){v, i - trace->first_kind[v]};
    return init_parts(trace);
}

int sms__trace_begin(const struct sms_scenario *scenario, const struct sms__trace_options *options,
                     struct sms__trace **out, struct sms_errors *errors)
{
    *out = NULL;
    *errors = (struct sms_errors){0};
    struct sms__trace *trace = calloc(1, sizeof *trace);
    if (!trace)
        return sms__fail(errors, SMS_ENOMEM, options->path, "no memory");
    trace->scenario = scenario;
    trace->options = *options;
    int code = sms__write_begin(&trace->write, options->path, errors);
    trace->file = trace->write.to;
    if (code == SMS_OK && init(trace))
        code = sms__fail(errors, SMS_ENOMEM, options->path, "no memory");
    if (code)
        sms__trace_free(trace);
    else
        *out = trace;
    return code;
}

static void say_pods(const struct sms__trace_part *part, FILE *say)
{
    if (part->records < part->spans)
        fprintf(say, "the first %zu of %llu stays and waits of pods\n", part->records, (unsigned long long)part->spans);
    else
        fprintf(say, "all %zu stays and waits of pods\n", part->records);
}

static void say_all(const struct sms__trace *trace, const struct sms__trace_part *part, FILE *say)
{
    fprintf(say, "all %llu blocks and %llu kernels", (unsigned long long)part->blocks,
            (unsigned long long)part->kernels);
    if (trace->scenario->shares)
        fprintf(say, ", and %llu spans of processes", (unsigned long long)part->spans);
    fputc('\n', say);
}

static void say_kept(const struct sms__trace *trace, const struct sms__trace_part *part, FILE *say)
{
    unsigned long long told = part->stays + part->kernels + part->spans;
    sms__print_visible(say, trace->options.path);
    fprintf(say, ": %s: ", part->label);
    if (trace->scenario->cluster)
        say_pods(part, say);
    else if (!part->period)
        say_all(trace, part, say);
    else if (!part->window)
        fprintf(say, "counters only: there is more at an instant than the budget of events\n");
    else
        fprintf(say, "%zu of %llu events: all that was there in the first %.6g us of each %.6g us\n", part->records,
                told, (double)part->window / 1e6, (double)part->period / 1e6);
}

int sms__trace_end(struct sms__trace *trace, FILE *say, struct sms_errors *errors)
{
    const char *path = trace->options.path;
    *errors = (struct sms_errors){0};
    for (size_t p = 0; p < trace->parts; p++)
        if (trace->part[p].out_of_memory)
            return sms__fail(errors, SMS_ENOMEM, path, "no memory");
    int code = sms__trace_write(trace);
    if (code == SMS_ECANCELED)
        return sms__fail(errors, code, path, "interrupted");
    if (code == SMS_ENOMEM)
        return sms__fail(errors, code, path, "no memory");
    code = sms__write_end(&trace->write, errors);
    if (code)
        return code;
    for (size_t p = 0; say && p < trace->parts; p++)
        say_kept(trace, &trace->part[p], say);
    return SMS_OK;
}

void sms__trace_free(struct sms__trace *trace)
{
    if (!trace)
        return;
    sms__write_abandon(&trace->write);
    for (size_t p = 0; p < trace->parts; p++) {
        free(trace->part[p].record);
        free(trace->part[p].names);
        free(trace->part[p].usage.sum);
    }
    free(trace->part);
    free(trace->kind);
    free(trace->first_kind);
    free(trace->first_stream);
    free(trace->first_track);
    free(trace);
}
