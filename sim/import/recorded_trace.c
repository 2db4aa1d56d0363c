/* Divides a trace by processes, devices and, where they overlap, streams; finds the iteration of each part, and writes
 * a workload of each and a scenario of all. */
#include "derive.h"

#include "../base/escape.h"
#include "iterations.h"
#include "text.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { PARTS_MAX = 256, REPEAT_MAX = 100, STEPS_MAX = 20000 };

/* Launches and copies that become one workload. */
struct part {
    struct sms__trace_place place; /* context and stream: NULL if the part has all */
    const char *name;
    struct sms__profile profile;
    struct sms__iterations found;
    size_t varying;  /* launches of an iteration that have another geometry in some iteration */
    uint64_t repeat; /* jobs */
};

struct trace {
    struct sms__arena *arena;
    const struct sms__profile *profile;
    const struct sms__trace_options *options;
    FILE *to;
    struct sms_errors *errors;
    struct part part[PARTS_MAX];
    size_t parts;
    const char *device[PARTS_MAX]; /* of the profile */
    size_t devices, processes, streams;
};

/* Writes a line for the reader of the document, which the user is also told. */
static void state(const struct trace *trace, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void state(const struct trace *trace, const char *format, ...)
{
    char line[400];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    sms__clean(line); /* a stream may have any name */
    fprintf(trace->to, "# %s\n", line);
    if (trace->options->notes)
        fprintf(trace->options->notes, "%s\n", line);
}

static bool is_same(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

static bool has(const struct part *part, const struct sms__trace_place *place)
{
    const struct sms__trace_place *own = &part->place;
    return is_same(place->process, own->process) && is_same(place->device, own->device) &&
           (!own->stream || (is_same(place->stream, own->stream) && is_same(place->context, own->context)));
}

/* Whether the trace has one process, device and stream, so that nobody needs its launches but the only part. */
static bool is_whole(const struct trace *trace) { return trace->processes * trace->devices * trace->streams == 1; }

/* Sets `out` to the part's launches and copies of a profile. */
static void take_part(const struct trace *trace, const struct part *part, const struct sms__profile *from,
                      struct sms__profile *out)
{
    size_t launches = 0, copies = 0;
    for (size_t l = 0; l < from->launches; l++)
        launches += has(part, from->launch[l].place);
    for (size_t c = 0; c < from->copies; c++)
        copies += has(part, from->copy[c].place);
    *out = *from;
    out->launch = SMS__NEW(trace->arena, struct sms__profile_launch, launches + 1);
    out->copy = SMS__NEW(trace->arena, struct sms__profile_copy, copies + 1);
    out->launches = out->copies = 0;
    out->ahead &= !part->place.stream && trace->devices == 1; /* else gaps may be waits for other streams or devices */
    for (size_t l = 0; l < from->launches; l++)
        if (has(part, from->launch[l].place))
            out->launch[out->launches++] = from->launch[l];
    for (size_t c = 0; c < from->copies; c++)
        if (has(part, from->copy[c].place))
            out->copy[out->copies++] = from->copy[c];
}

/* Sets the part's iteration. Named steps are not used where several processes have some. */
static void find_iteration(const struct trace *trace, struct part *part, bool divide)
{
    struct sms__profile own;
    if (is_whole(trace))
        own = *trace->profile;
    else
        take_part(trace, part, trace->profile, &own);
    own.steps = trace->processes == 1 ? own.steps : 0;
    part->found = sms__iterations_find(trace->arena, &own, divide, &part->profile);
}

static int fail_parts(const struct trace *trace)
{
    return sms__fail(trace->errors, SMS_EINPUT, trace->options->derive.path,
                     "more than %d processes, devices and streams launch kernels; trace fewer", PARTS_MAX);
}

/* Counts a name if it is new. Returns false if there are too many. */
static bool count_name(const char **names, size_t *count, const char *name)
{
    for (size_t i = *count; i-- > 0;)
        if (is_same(names[i], name))
            return true;
    if (*count == PARTS_MAX)
        return false;
    names[(*count)++] = name;
    return true;
}

/* Adds the parts that launches are of, in order of the first launch: of each process and device, or of each stream of
 * `whole`. */
static int add_parts(struct trace *trace, const struct part *whole)
{
    const size_t from = trace->parts;
    for (size_t l = 0; l < trace->profile->launches; l++) {
        const struct sms__trace_place *place = trace->profile->launch[l].place;
        if (whole && !has(whole, place))
            continue;
        size_t p = from;
        while (p < trace->parts && !has(&trace->part[p], place))
            p++;
        if (p < trace->parts)
            continue;
        if (trace->parts == PARTS_MAX)
            return fail_parts(trace);
        struct part *part = &trace->part[trace->parts++];
        *part = (struct part){.place = *place};
        if (!whole)
            part->place.context = part->place.stream = NULL;
    }
    return SMS_OK;
}

/* Sets how often jobs run: those of streams of one process as long as that with the longest rounds. */
static void set_repeats(const struct trace *trace, struct part *part, size_t count)
{
    const double most = trace->options->jobs_most > 0 ? trace->options->jobs_most : REPEAT_MAX;
    double span = 0;
    for (size_t p = 0; p < count; p++) {
        double rounds = fmin((double)part[p].found.rounds, most);
        span = fmax(span, rounds * part[p].found.mean_s);
    }
    for (size_t p = 0; p < count; p++)
        part[p].repeat = (uint64_t)fmax(floor(fmin(span / part[p].found.mean_s, 1e6) + 0.5), 1);
}

/* Gives a stream its part of the iteration of all, at the time that it has there. */
static void take_stream(const struct trace *trace, const struct part *whole, struct part *stream)
{
    stream->found = whole->found;
    take_part(trace, stream, &whole->profile, &stream->profile);
    stream->found.launches = stream->profile.launches / stream->profile.rounds;
    stream->found.copies = stream->profile.copies / stream->profile.rounds;
}

/* Divides a part into its streams if it must be, or if that says more than all of them in one order: only a stream by
 * itself repeats something, or they overlap. */
static int divide(struct trace *trace, struct part whole)
{
    size_t from = trace->parts, to = from;
    int code = add_parts(trace, &whole);
    const bool several = trace->parts > from + 1;
    if (code != SMS_OK)
        return code;
    find_iteration(trace, &whole, several);
    const bool shared = several && whole.found.by_stream, once = several && !whole.found.repeats;
    bool repeats = false; /* a stream by itself */
    for (size_t p = from; once && p < trace->parts; p++) {
        find_iteration(trace, &trace->part[p], false);
        repeats |= trace->part[p].found.repeats;
    }
    const bool aside = once && !repeats && whole.found.overlap > SMS__OVERLAP_MOST;
    for (size_t p = from; several && p < trace->parts; p++) {
        struct part *stream = &trace->part[p];
        if (shared || aside)
            take_stream(trace, &whole, stream);
        if (!shared || stream->profile.launches > 0) /* copies stay if their stream launches kernels */
            trace->part[to++] = *stream;
    }
    if (!shared && !aside && !repeats) {
        trace->part[from] = whole;
        to = from + 1;
    }
    trace->parts = to;
    set_repeats(trace, &trace->part[from], to - from);
    return SMS_OK;
}

static int find_parts(struct trace *trace)
{
    int code = add_parts(trace, NULL);
    size_t count = trace->parts;
    struct part *whole = SMS__NEW(trace->arena, struct part, count + 1);
    memcpy(whole, trace->part, count * sizeof *whole);
    trace->parts = 0;
    for (size_t p = 0; code == SMS_OK && p < count; p++)
        code = divide(trace, whole[p]);
    for (size_t p = 0; p < trace->parts; p++) {
        trace->part[p].varying = sms__iterations_level(&trace->part[p].profile);
        trace->part[p].name = trace->parts == 1
                                  ? trace->options->derive.name
                                  : sms__print(trace->arena, "%s-%zu", trace->options->derive.name, p + 1);
    }
    return code;
}

/* Counts the profile's processes, devices and streams, each of which is a place. */
static int count_all(struct trace *trace)
{
    const char **process = SMS__NEW(trace->arena, const char *, PARTS_MAX);
    bool *met = SMS__NEW(trace->arena, bool, trace->profile->places);
    bool fits = true;
    for (size_t l = 0; fits && l < trace->profile->launches; l++) {
        const struct sms__trace_place *place = trace->profile->launch[l].place;
        if (met[place->number])
            continue;
        met[place->number] = true;
        fits = ++trace->streams <= PARTS_MAX && count_name(process, &trace->processes, place->process) &&
               count_name(trace->device, &trace->devices, place->device);
    }
    return fits ? SMS_OK : fail_parts(trace);
}

static const char *plural(size_t count, const char *one, const char *many) { return count == 1 ? one : many; }

/* What follows on the part that was taken, if there were others. */
static const char *left_out(struct sms__arena *arena, size_t others)
{
    return others ? sms__print(arena, "; %zu other%s left out", others, plural(others, "", "s")) : "";
}

static void state_part(const struct trace *trace, const struct part *part)
{
    struct sms__arena *arena = trace->arena;
    const struct sms__iterations *found = &part->found;
    const char *process = sms__derive_text(arena, part->place.process, 60); /* "": no call of it is known */
    const char *who = sms__print(arena, "%s: %s%s%sdevice %s%s%s", part->name, *process ? "process " : "", process,
                                 *process ? ", " : "", sms__derive_text(arena, part->place.device, 60),
                                 part->place.stream ? ", stream " : "", part->place.stream ? part->place.stream : "");
    const char *what =
        sms__print(arena, "%zu launch%s and %zu cop%s in %.6g ms", found->launches, plural(found->launches, "", "es"),
                   found->copies, plural(found->copies, "y", "ies"), found->mean_s * 1e3);
    if (!found->repeats)
        state(trace, "%s: nothing repeats; one job is the whole trace, %s", who, what);
    else if (found->rounds == 1)
        state(trace, "%s: %s, %s%s", who,
              found->others
                  ? "the steps that the program names differ; one job is that with the median number of operations"
                  : "one job is the only step that begins and ends in the trace",
              what, left_out(arena, found->others));
    else
        state(trace,
              "%s: one job is one of %zu equal %s, %s on average (coefficient of variation %.1f %%); they cover %.1f "
              "%% of its operations' time%s",
              who, found->rounds, found->named ? "steps that the program names" : "iterations", what,
              100 * found->spread, 100 * found->covered, left_out(arena, found->others));
    if (part->varying)
        state(trace,
              "%s: %zu of its launches differ in geometry between iterations; those of the middle one stand for all",
              part->name, part->varying);
    if (!part->place.stream && found->overlap > SMS__OVERLAP_MOST)
        state(trace, "%s: operations overlap for %.1f %% of the time, on copies' streams; here they follow one another",
              part->name, 100 * found->overlap);
}

static void state_host(const struct trace *trace, const struct part *part)
{
    const struct sms__profile *profile = &part->profile;
    size_t waits = 0;
    for (size_t l = 0; l < profile->launches; l++)
        waits += profile->launch[l].host_waited;
    if (profile->ahead)
        state(trace, "%s: the host launches ahead; per job it waits for its kernels %.0f times, and at copies",
              part->name, (double)waits / fmax((double)profile->rounds, 1));
    else
        state(trace, "%s: it is unknown where the host waits for its kernels: it is assumed to wait for each",
              part->name);
}

static void state_all(const struct trace *trace)
{
    const struct sms__profile *profile = trace->profile;
    size_t in_parts = 0, of_streams = 0;
    double bytes = 0;
    state(trace, "found: %zu kernel launch%s, %zu cop%s, %zu stream%s, %zu process%s, %zu device%s", profile->launches,
          plural(profile->launches, "", "es"), profile->copies, plural(profile->copies, "y", "ies"), trace->streams,
          plural(trace->streams, "", "s"), trace->processes, plural(trace->processes, "", "es"), trace->devices,
          plural(trace->devices, "", "s"));
    for (size_t f = 0; f < profile->facts; f++)
        state(trace, "%s", profile->fact[f]);
    if (!profile->demands)
        state(trace, "no counters: kernels contend only for SM limits (threads, registers ...); add demands with "
                     "--with REPORT from Nsight Compute");
    if (trace->options->derive.alone_s > 0)
        state(trace, "host time is scaled so that a job takes %.6g ms alone", trace->options->derive.alone_s * 1e3);
    for (size_t p = 0; p < trace->parts; p++) {
        state_part(trace, &trace->part[p]);
        state_host(trace, &trace->part[p]);
        of_streams += trace->part[p].place.stream != NULL;
    }
    if (of_streams)
        state(trace, "each stream of a process has its own workload; waits for other streams are host time");
    for (size_t c = 0; c < profile->copies; c++) {
        size_t p = 0;
        while (p < trace->parts && !has(&trace->part[p], profile->copy[c].place))
            p++;
        in_parts += p < trace->parts;
        bytes += p < trace->parts ? 0 : profile->copy[c].bytes;
    }
    if (in_parts < profile->copies)
        state(trace, "%zu copies (%.0f B) are left out, because their streams launch no kernels",
              profile->copies - in_parts, bytes);
}

static void write_processes(const struct trace *trace)
{
    fputs("policies: [{mode: mps}] # assumed: that processes run at the same time\nprocesses:\n", trace->to);
    for (size_t p = 0, n = 1, next; p < trace->parts; p = next, n++) {
        const struct part *part = &trace->part[p];
        size_t device = 0;
        while (device < trace->devices && !is_same(trace->device[device], part->place.device))
            device++;
        next = p + 1;
        fprintf(trace->to, "  - name: %s", trace->options->derive.name);
        if (trace->processes * trace->devices > 1 || !strcmp(trace->options->derive.name, "all")) /* no process */
            fprintf(trace->to, "-p%zu", n);
        fprintf(trace->to, "\n    device: %zu\n", device);
        if (!part->place.stream) {
            fprintf(trace->to, "    workload: %s\n    repeat: %llu\n", part->name, (unsigned long long)part->repeat);
            continue;
        }
        fputs("    streams:\n", trace->to);
        const struct part all = {.place = {.process = part->place.process, .device = part->place.device}};
        for (next = p; next < trace->parts && trace->part[next].place.stream && has(&all, &trace->part[next].place);
             next++)
            fprintf(trace->to, "      - {workload: %s, repeat: %llu}\n", trace->part[next].name,
                    (unsigned long long)trace->part[next].repeat);
    }
}

static void write_scenario(const struct trace *trace, bool drawn)
{
    fprintf(trace->to, "---\nscenario: %s\nquestion: How does the traced program run alone?\n",
            trace->options->derive.name);
    fprintf(trace->to, "devices: [{model: %s, count: %zu}]\n", trace->options->model,
            trace->parts == 1 ? 1 : trace->devices);
    if (drawn)
        fputs("run: {replications: 5} # block times are drawn: the least number that tells their spread\n", trace->to);
    if (trace->parts > 1)
        write_processes(trace);
    else
        fprintf(trace->to, "policies: [leftover]\nvms:\n  - {name: %s, workload: %s, repeat: %llu}\n",
                trace->options->derive.name, trace->part[0].name, (unsigned long long)trace->part[0].repeat);
}

/* The name of a device without its number: "NVIDIA A40" of "NVIDIA A40 (1)". */
static size_t gpu_length(const char *device)
{
    const char *number = strrchr(device, '(');
    return number ? (size_t)(number - device) : strlen(device);
}

/* One device file describes all devices of the scenario. */
static int check_devices(const struct trace *trace)
{
    const char *first = trace->device[0];
    for (size_t d = 1; d < trace->devices; d++)
        if (gpu_length(first) != gpu_length(trace->device[d]) ||
            strncmp(first, trace->device[d], gpu_length(first)) != 0)
            return sms__fail(trace->errors, SMS_EINPUT, trace->options->derive.path,
                             "kernels ran on different GPUs, '%.60s' and '%.60s': trace one kind at a time "
                             "(CUDA_VISIBLE_DEVICES)",
                             first, trace->device[d]);
    return SMS_OK;
}

int sms__trace_convert(struct sms__arena *arena, const struct sms__profile *profile,
                       const struct sms__trace_options *options, FILE *to, struct sms_errors *errors)
{
    struct trace *trace = SMS__NEW(arena, struct trace, 1);
    struct sms__derive_facts facts = {0};
    *trace = (struct trace){.arena = arena, .profile = profile, .options = options, .to = to, .errors = errors};
    int code = count_all(trace);
    if (code == SMS_OK)
        code = check_devices(trace);
    if (code == SMS_OK && options->derive.alone_s > 0 && trace->processes * trace->devices > 1)
        code = sms__fail(errors, SMS_EINPUT, options->derive.path,
                         "has %zu processes on %zu devices, and --alone says what a job of one takes", trace->processes,
                         trace->devices);
    if (code == SMS_OK)
        code = find_parts(trace);
    if (code != SMS_OK)
        return code;
    state_all(trace);
    for (size_t p = 0; code == SMS_OK && p < trace->parts; p++) {
        struct sms__derive_options derive = options->derive;
        derive.name = trace->part[p].name;
        derive.steps = STEPS_MAX;
        derive.facts = &facts;
        fputs(p ? "---\n" : "", to);
        code = sms__derive(arena, &trace->part[p].profile, &derive, to, errors);
    }
    if (code == SMS_OK && !options->derive.iteration)
        write_scenario(trace, facts.jitter);
    return code;
}
