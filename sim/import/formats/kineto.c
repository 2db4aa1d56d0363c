/* Reads traces of PyTorch's profiler (Kineto): Chrome trace events in JSON, plain or compressed by gzip. The file is
 * streamed, so that memory grows with its kernels, copies and launches and not with its size. */
#include "../import.h"
#include "../intern.h"
#include "../events.h"
#include "../text.h"
#include "../trace_read.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 500, TEXT_MAX = 128, NUMBER_MAX = 63, GPUS_MAX = 1024 };

static const long double NS_LEAST = 1e17L; /* a time stamp this large cannot be in us: it is in ns */

enum category { OTHER, KERNEL, COPY, MEMSET, CALL, MARK, SYNC };

static const struct {
    const char *name;
    enum category category;
} categories[] = {{"kernel", KERNEL},        {"gpu_memcpy", COPY},   {"memcpy", COPY},          {"gpu_memset", MEMSET},
                  {"memset", MEMSET},        {"cuda_runtime", CALL}, {"runtime", CALL},         {"cuda_driver", CALL},
                  {"hip_runtime", CALL},     {"driver", CALL},       {"user_annotation", MARK}, {"cpu_op", MARK},
                  {"python_function", MARK}, {"operator", MARK},     {"cuda_sync", SYNC}};

/* A `B` event of a kernel or another operation that waits for its `E`. */
struct open {
    struct sms__event event;
    struct open *below;
    unsigned line;
};

struct gpu {
    int64_t id;
    const char *name;
    double major, minor;
};

struct kineto {
    struct sms__trace_reading reading;

    struct sms__events events;
    size_t counted; /* events */

    struct sms__string_pool processes, threads; /* of processes and threads, values are indices + 1 */
    const char **process_name;
    size_t process_names;
    struct open **open; /* by thread */
    size_t threads_open, never_ended;
    struct open *spare;
    struct gpu gpu[GPUS_MAX];
    size_t gpus;
    int64_t origin; /* ns; of the first operation */
    bool has_origin, in_ns;
    size_t instant;    /* kernels of length 0 */
    size_t wait_calls; /* of a stream for an event */
    double *step_s;
    size_t steps;
    struct sms__profile_metric *occupancy; /* the last one */
};

/* The start in seconds from the first operation, and the length; false if it has none. Old traces count whole us: what
 * took 0 of them took half of one. */
static bool times_of(struct kineto *kineto, const struct sms__event *event, double *start_s, double *length_s)
{
    long double unit = event->start >= NS_LEAST ? 1 : 1000;
    if (!(fabsl(event->start * unit) < 4e18L && event->length >= 0 && event->length * unit < 4e18L))
        return false;
    int64_t start = (int64_t)nearbyintl(event->start * unit);
    if (!kineto->has_origin)
        kineto->origin = start;
    kineto->has_origin = true;
    kineto->in_ns |= unit == 1;
    *start_s = (double)(start - kineto->origin) * 1e-9;
    *length_s = (double)(event->length > 0 ? nearbyintl(event->length * unit) : unit / 2) * 1e-9;
    return true;
}

static const char *intern_number(struct kineto *kineto, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.0f", value);
    return sms__intern_text(&kineto->events.texts, text);
}

/* ---- events ---- */

static enum category category_of(const struct sms__event *event)
{
    const char *name = sms__event_text(event, SMS__EVENT_CAT);
    char lower[24] = "";
    for (size_t i = 0; name[i] && i < sizeof lower - 1; i++)
        lower[i] = (char)tolower((unsigned char)name[i]);
    for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
        if (!strcmp(categories[i].name, lower))
            return categories[i].category;
    return OTHER;
}

/* The device's number as text; Kineto shows devices as processes. Names replace numbers at the end. */
static const char *device_of(struct kineto *kineto, const struct sms__event *event)
{
    return intern_number(kineto,
                         sms__event_whole(event, SMS__EVENT_DEVICE, sms__event_whole(event, SMS__EVENT_PID, 0)));
}

static struct sms__profile_metric *occupancy_of(struct kineto *kineto, const struct sms__event *event)
{
    double value = event->number[SMS__EVENT_OCCUPANCY];
    if (!(value >= 0 && value <= 100))
        return NULL;
    if (!kineto->occupancy || kineto->occupancy->mean != value) {
        kineto->occupancy = SMS__NEW(kineto->reading.arena, struct sms__profile_metric, 1);
        *kineto->occupancy = (struct sms__profile_metric){
            .name = "est. achieved occupancy", .unit = "%", .mean = value, .min = value, .max = value};
    }
    return kineto->occupancy;
}

static int fail_rows(struct kineto *kineto, const char *what)
{
    return sms__json_complain(&kineto->events.stream,
                              sms__print(kineto->reading.arena,
                                         "more than %d %s: trace a shorter time (the schedule of "
                                         "torch.profiler)",
                                         SMS__TRACE_ROWS_MAX, what));
}

static int add_kernel(struct kineto *kineto, const struct sms__event *event, unsigned line)
{
    struct sms__profile *out = kineto->reading.out;
    struct sms__profile_launch launch = {.count = 1, .line = line, .context = "", .stream = ""};
    if (!times_of(kineto, event, &launch.start_s, &launch.duration_s)) {
        kineto->reading.unfinished++;
        return 1;
    }
    for (int i = 0; i < 3; i++) {
        launch.grid[i] = (uint64_t)sms__event_whole(event, SMS__EVENT_GRID + i, i > 0);
        launch.block[i] = (uint64_t)sms__event_whole(event, SMS__EVENT_BLOCK + i, i > 0);
        launch.grid[i] += i > 0 && launch.grid[i] == 0;
        launch.block[i] += i > 0 && launch.block[i] == 0;
    }
    if (launch.grid[0] == 0 || launch.block[0] == 0) {
        kineto->reading.unsized++;
        return 1;
    }
    if (out->launches == SMS__TRACE_ROWS_MAX)
        return fail_rows(kineto, "kernels");
    kineto->instant += event->length == 0;
    launch.kernel = sms__intern_text(&kineto->events.texts, sms__event_text(event, SMS__EVENT_NAME));
    launch.device = device_of(kineto, event);
    launch.context = intern_number(kineto, sms__event_whole(event, SMS__EVENT_CONTEXT, 0));
    launch.stream =
        intern_number(kineto, sms__event_whole(event, SMS__EVENT_STREAM, sms__event_whole(event, SMS__EVENT_TID, 0)));
    launch.registers = (uint64_t)sms__event_whole(event, SMS__EVENT_REGISTERS, 0);
    launch.dynamic_shared = sms__event_whole(event, SMS__EVENT_SHARED, 0);
    launch.correlation = (int64_t)sms__event_whole(event, SMS__EVENT_CORRELATION, -1);
    launch.metric = occupancy_of(kineto, event);
    launch.metrics = launch.metric != NULL;
    *SMS__APPEND(kineto->reading.arena, out->launch, out->launches) = launch;
    return 1;
}

static int add_copy(struct kineto *kineto, const struct sms__event *event, unsigned line)
{
    struct sms__profile *out = kineto->reading.out;
    struct sms__profile_copy copy = {.line = line, .bytes = sms__event_whole(event, SMS__EVENT_BYTES, 0)};
    const char *name = sms__event_text(event, SMS__EVENT_NAME);
    bool to_host = strstr(name, "DtoH") || strstr(name, "DeviceToHost");
    copy.to_device = strstr(name, "HtoD") || strstr(name, "HostToDevice");
    if (!times_of(kineto, event, &copy.start_s, &copy.duration_s)) {
        kineto->reading.unfinished++;
        return 1;
    }
    if (!copy.to_device && !to_host) {
        sms__trace_other(&kineto->reading.inner_copies, copy.duration_s);
        return 1;
    }
    if (out->copies == SMS__TRACE_ROWS_MAX)
        return fail_rows(kineto, "copies");
    copy.device = device_of(kineto, event);
    copy.context = intern_number(kineto, sms__event_whole(event, SMS__EVENT_CONTEXT, 0));
    copy.stream =
        intern_number(kineto, sms__event_whole(event, SMS__EVENT_STREAM, sms__event_whole(event, SMS__EVENT_TID, 0)));
    copy.correlation = (int64_t)sms__event_whole(event, SMS__EVENT_CORRELATION, -1);
    *SMS__APPEND(kineto->reading.arena, out->copy, out->copies) = copy;
    return 1;
}

/* A wait for an event; other synchronizations are of the host. */
static int add_wait(struct kineto *kineto, const struct sms__event *event)
{
    struct sms__profile *out = kineto->reading.out;
    double recorder = sms__event_whole(event, SMS__EVENT_WAIT_STREAM, -1);
    struct sms__profile_wait wait = {.correlation = (int64_t)sms__event_whole(event, SMS__EVENT_CORRELATION, -1),
                                     .record_correlation =
                                         (int64_t)sms__event_whole(event, SMS__EVENT_WAIT_RECORD, -1)};
    if (recorder < 0 || wait.correlation < 0 || wait.record_correlation < 0 || out->waits == SMS__TRACE_ROWS_MAX)
        return 1;
    wait.device = device_of(kineto, event);
    wait.context = wait.record_context = intern_number(kineto, sms__event_whole(event, SMS__EVENT_CONTEXT, 0));
    wait.stream =
        intern_number(kineto, sms__event_whole(event, SMS__EVENT_STREAM, sms__event_whole(event, SMS__EVENT_TID, 0)));
    wait.record_stream = intern_number(kineto, recorder);
    *SMS__APPEND(kineto->reading.arena, out->wait, out->waits) = wait;
    return 1;
}

/* The pid of the event, as a number or a text. */
static const char *pid_of(struct kineto *kineto, const struct sms__event *event)
{
    return isnan(event->number[SMS__EVENT_PID])
               ? sms__intern_text(&kineto->events.texts, sms__event_text(event, SMS__EVENT_PID))
               : intern_number(kineto, event->number[SMS__EVENT_PID]);
}

static int add_call(struct kineto *kineto, const struct sms__event *event)
{
    struct sms__trace_call call = {.correlation = (int64_t)sms__event_whole(event, SMS__EVENT_CORRELATION, -1)};
    const char *name = sms__event_text(event, SMS__EVENT_NAME);
    kineto->wait_calls += !strcmp(name, "cudaStreamWaitEvent");
    if (call.correlation < 0 || !(strstr(name, "Launch") || strstr(name, "launch")) ||
        !times_of(kineto, event, &call.start_s, &call.length_s))
        return 1;
    if (kineto->reading.calls == SMS__TRACE_ROWS_MAX)
        return fail_rows(kineto, "launches");
    call.process = pid_of(kineto, event);
    *SMS__APPEND(kineto->reading.arena, kineto->reading.call, kineto->reading.calls) = call;
    return 1;
}

static int add_mark(struct kineto *kineto, const struct sms__event *event)
{
    double start, length;
    if (!strncmp(sms__event_text(event, SMS__EVENT_NAME), "ProfilerStep", 12) && kineto->steps < SMS__TRACE_ROWS_MAX &&
        times_of(kineto, event, &start, &length))
        *SMS__APPEND(kineto->reading.arena, kineto->step_s, kineto->steps) = start;
    return 1;
}

static int add_event(struct kineto *kineto, const struct sms__event *event, unsigned line)
{
    double start, length;
    switch (category_of(event)) {
    case KERNEL:
        return add_kernel(kineto, event, line);
    case COPY:
        return add_copy(kineto, event, line);
    case MEMSET:
        if (times_of(kineto, event, &start, &length))
            sms__trace_other(&kineto->reading.memsets, length);
        return 1;
    case CALL:
        return add_call(kineto, event);
    case MARK:
        return add_mark(kineto, event);
    case SYNC:
        return add_wait(kineto, event);
    case OTHER:
        break;
    }
    return 1;
}

/* The stack of open events of this one's process and thread. */
static struct open **stack_of(struct kineto *kineto, const struct sms__event *event)
{
    char key[2 * TEXT_MAX];
    int length =
        snprintf(key, sizeof key, "%.100s/%.9g/%.100s/%.9g", sms__event_text(event, SMS__EVENT_PID),
                 event->number[SMS__EVENT_PID], sms__event_text(event, SMS__EVENT_TID), event->number[SMS__EVENT_TID]);
    struct sms__pooled_string *entry = sms__intern(&kineto->threads, key, (size_t)length);
    if (!entry->value) {
        entry->value = kineto->threads_open + 1;
        *SMS__APPEND(kineto->reading.arena, kineto->open, kineto->threads_open) = NULL;
    }
    return &kineto->open[entry->value - 1];
}

static void open_event(struct kineto *kineto, unsigned line)
{
    if (category_of(&kineto->events.event) == OTHER)
        return;
    struct open **top = stack_of(kineto, &kineto->events.event);
    struct open *open = kineto->spare ? kineto->spare : SMS__NEW(kineto->reading.arena, struct open, 1);
    kineto->spare = kineto->spare ? kineto->spare->below : NULL;
    *open = (struct open){.event = kineto->events.event, .below = *top, .line = line};
    for (int f = 0; f < SMS__EVENT_FIELDS; f++)
        open->event.text[f] =
            kineto->events.event.text[f] ? sms__intern_text(&kineto->events.texts, kineto->events.event.text[f]) : NULL;
    *top = open;
    kineto->never_ended++;
}

static int close_event(struct kineto *kineto)
{
    struct open **top = stack_of(kineto, &kineto->events.event), *open = *top;
    if (!open || (*sms__event_text(&kineto->events.event, SMS__EVENT_NAME) &&
                  strcmp(sms__event_text(&kineto->events.event, SMS__EVENT_NAME),
                         sms__event_text(&open->event, SMS__EVENT_NAME))))
        return 1;
    *top = open->below;
    open->below = kineto->spare;
    kineto->spare = open;
    kineto->never_ended--;
    open->event.length = kineto->events.event.start - open->event.start;
    return add_event(kineto, &open->event, open->line);
}

static void name_process(struct kineto *kineto, const struct sms__event *event)
{
    const char *pid = pid_of(kineto, event);
    struct sms__pooled_string *entry = sms__intern(&kineto->processes, pid, strlen(pid));
    if (!entry->value) {
        entry->value = kineto->process_names + 1;
        *SMS__APPEND(kineto->reading.arena, kineto->process_name, kineto->process_names) = "";
    }
    kineto->process_name[entry->value - 1] =
        sms__derive_text(kineto->reading.arena, sms__event_text(event, SMS__EVENT_ARG_NAME), 60);
}

static int take_event(void *user)
{
    struct kineto *kineto = user;
    const struct sms__event *event = &kineto->events.event;
    const char *phase = sms__event_text(event, SMS__EVENT_PH);
    unsigned line = sms__json_line(&kineto->events.stream);
    kineto->counted++;
    if (!strcmp(phase, "X"))
        return add_event(kineto, event, line);
    if (!strcmp(phase, "B"))
        open_event(kineto, line);
    if (!strcmp(phase, "E"))
        return close_event(kineto);
    if (!strcmp(phase, "M") && !strcmp(sms__event_text(event, SMS__EVENT_NAME), "process_name"))
        name_process(kineto, event);
    return 1;
}

/* Takes a map of deviceProperties, whose keys share fields with those of events. */
static int take_gpu(void *user)
{
    struct kineto *kineto = user;
    const struct sms__event *event = &kineto->events.event;
    if (kineto->gpus == GPUS_MAX || !*sms__event_text(event, SMS__EVENT_NAME))
        return 1;
    kineto->gpu[kineto->gpus] =
        (struct gpu){(int64_t)sms__event_whole(event, SMS__EVENT_DEVICE, (double)kineto->gpus),
                     sms__derive_text(kineto->reading.arena, sms__event_text(event, SMS__EVENT_NAME), 80),
                     event->number[SMS__EVENT_GRID], event->number[SMS__EVENT_BLOCK]};
    kineto->gpus++;
    return 1;
}

/* ---- after the last event ---- */

static const struct gpu *gpu_of(const struct kineto *kineto, int64_t id)
{
    for (size_t g = 0; g < kineto->gpus; g++)
        if (kineto->gpu[g].id == id)
            return &kineto->gpu[g];
    return NULL;
}

/* "NVIDIA A100 (3)" of "3"; equal ids are equal pointers. */
static const char *device_name(struct kineto *kineto, const char *id)
{
    const struct gpu *gpu = gpu_of(kineto, atoll(id));
    char text[TEXT_MAX];
    snprintf(text, sizeof text, "%s (%s)", gpu ? gpu->name : "GPU", id);
    return sms__intern_text(&kineto->events.texts, text);
}

static const char *process_name(struct kineto *kineto, const char *pid)
{
    struct sms__pooled_string *entry = sms__intern(&kineto->processes, pid, strlen(pid));
    const char *name = entry->value ? kineto->process_name[entry->value - 1] : "";
    return *name ? sms__intern_text(&kineto->events.texts, sms__print(kineto->reading.arena, "%s (%s)", name, pid))
                 : pid;
}

static void name_places(struct kineto *kineto)
{
    struct sms__profile *out = kineto->reading.out;
    const char *id = NULL, *name = NULL, *pid = NULL, *process = NULL, *last = "";
    for (size_t l = 0; l < out->launches; l++) {
        struct sms__profile_launch *launch = &out->launch[l];
        const char *from = launch->process ? launch->process : last;
        if (from != pid)
            process = process_name(kineto, pid = from);
        if (launch->device != id)
            name = device_name(kineto, id = launch->device);
        last = pid;
        launch->process = process;
        launch->device = name;
    }
    for (size_t c = 0; c < out->copies; c++) {
        if (out->copy[c].device != id)
            name = device_name(kineto, id = out->copy[c].device);
        out->copy[c].device = name;
    }
    for (size_t w = 0; w < out->waits; w++)
        out->wait[w].device = device_name(kineto, out->wait[w].device);
}

static void identify_gpu(struct kineto *kineto)
{
    const char *number = strrchr(kineto->reading.out->launch[0].device, '(');
    const struct gpu *gpu = gpu_of(kineto, atoll(number + 1));
    if (!gpu)
        return;
    kineto->reading.out->gpu = gpu->name;
    if (gpu->major > 0 && gpu->major < 100 && gpu->minor >= 0 && gpu->minor < 100)
        kineto->reading.out->capability = sms__print(kineto->reading.arena, "%.0f.%.0f", gpu->major, gpu->minor);
}

/* Copies have no process of their own: they have that of the launches on their stream, or else of the device. */
static void place_copies(struct kineto *kineto)
{
    struct sms__profile *out = kineto->reading.out;
    for (size_t c = 0; c < out->copies; c++) {
        struct sms__profile_copy *copy = &out->copy[c];
        for (size_t l = 0; l < out->launches && !copy->process; l++)
            if (out->launch[l].device == copy->device)
                copy->process = out->launch[l].process;
    }
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static int fail_empty(struct kineto *kineto)
{
    const struct sms__trace_reading *reading = &kineto->reading;
    if (!kineto->events.found)
        return sms__fail(kineto->events.stream.errors, SMS_EINPUT, kineto->events.stream.path,
                         "has no list traceEvents: it is no trace of PyTorch's profiler (export_chrome_trace)");
    if (reading->unfinished + reading->unsized)
        return sms__fail(kineto->events.stream.errors, SMS_EINPUT, kineto->events.stream.path,
                         "no kernel has a start, a length, a grid and a block: %zu have no time, %zu no geometry",
                         reading->unfinished, reading->unsized);
    if (kineto->never_ended)
        return sms__fail(kineto->events.stream.errors, SMS_EINPUT, kineto->events.stream.path,
                         "all of its %zu operations begin and never end", kineto->never_ended);
    return sms__fail(kineto->events.stream.errors, SMS_EINPUT, kineto->events.stream.path,
                     "none of its %zu events is a kernel: profile with activities=[ProfilerActivity.CPU, "
                     "ProfilerActivity.CUDA] while the GPU works",
                     kineto->counted);
}

static int read_trace(void *user)
{
    struct kineto *kineto = user;
    struct sms__trace_reading *reading = &kineto->reading;
    sms__reading_begin(reading, reading->arena, reading->out);
    int code = sms__events_parse(&kineto->events);
    if (code != SMS_OK)
        return code;
    if (reading->out->launches == 0)
        return fail_empty(kineto);
    reading->unfinished += kineto->never_ended;
    if (kineto->in_ns)
        sms__reading_fact(reading, "time stamps are in ns, as they are too large for us");
    if (kineto->instant)
        sms__reading_fact(reading, sms__print(reading->arena,
                                              "%zu kernels took less than a unit of the trace's clock, and "
                                              "count as half of one",
                                              kineto->instant));
    if (kineto->wait_calls && !reading->out->waits)
        sms__reading_fact(
            reading, sms__print(reading->arena,
                                "%zu waits of a stream for an event are host time, as the trace does not tell which "
                                "streams: profile with _ExperimentalConfig(enable_cuda_sync_events=True)",
                                kineto->wait_calls));
    sms__reading_end(reading);
    name_places(kineto);
    place_copies(kineto);
    identify_gpu(kineto);
    if (kineto->steps)
        qsort(kineto->step_s, kineto->steps, sizeof *kineto->step_s, by_value);
    reading->out->step_s = kineto->step_s;
    reading->out->steps = kineto->steps;
    return SMS_OK;
}

static int read_file(struct sms__arena *arena, const char *const *paths, size_t n_paths, struct sms__profile *out,
                     struct sms_errors *errors)
{
    struct kineto *kineto = SMS__NEW(arena, struct kineto, 1);
    *kineto = (struct kineto){.reading = {.arena = arena, .out = out},
                              .events = {.stream = {.arena = arena, .errors = errors, .path = paths[0]},
                                         .texts = {.arena = arena},
                                         .take_event = take_event,
                                         .take_gpu = take_gpu,
                                         .user = kineto},
                              .processes = {.arena = arena},
                              .threads = {.arena = arena}};
    (void)n_paths;
    int code = sms__json_open(&kineto->events.stream);
    if (code == SMS_OK)
        code = sms__guard(arena, read_trace, kineto);
    sms__gzip_close(&kineto->events.stream.file);
    return code;
}

const struct sms__importer sms__import_kineto = {
    .name = "kineto",
    .help = "a trace of PyTorch's profiler (export_chrome_trace), .json or .json.gz",
    .files = "one trace",
    .n_files = 1,
    .read = read_file};
