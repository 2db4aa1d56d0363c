/* Reads traces of PyTorch's profiler (Kineto): Chrome trace events in JSON, plain or compressed by gzip. The file is
 * streamed, so that memory grows with its kernels, copies and launches and not with its size. */
#include "../import.h"
#include "../../base/intern.h"
#include "../trace_events.h"
#include "../text.h"
#include "../trace_read.h"

#include <ctype.h>
#include <errno.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 128, GPUS_MAX = 1024 };

static const long double NS_LEAST = 1e17L; /* a time stamp this large cannot be in us: it is in ns */

enum category { OTHER, KERNEL, COPY, MEMSET, CALL, MARK };

static const struct {
    const char *name;
    enum category category;
} categories[] = {{"kernel", KERNEL},        {"gpu_memcpy", COPY},   {"memcpy", COPY},          {"gpu_memset", MEMSET},
                  {"memset", MEMSET},        {"cuda_runtime", CALL}, {"runtime", CALL},         {"cuda_driver", CALL},
                  {"hip_runtime", CALL},     {"driver", CALL},       {"user_annotation", MARK}, {"cpu_op", MARK},
                  {"python_function", MARK}, {"operator", MARK}};

struct gpu {
    int64_t id;
    const char *name;
    double major, minor, memory;
};

struct kineto {
    struct sms__trace_reading reading;

    struct sms__events events;
    size_t counted; /* events */

    struct sms__string_pool processes; /* with their names */
    struct sms__string_pool places;    /* by their numbers */
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
    if (!(fabsl(event->start * unit) < 4e18L && event->length >= 0 && event->length * unit <= SMS__TRACE_LONGEST_NS))
        return false;
    int64_t start = (int64_t)nearbyintl(event->start * unit);
    if (!kineto->has_origin)
        kineto->origin = start;
    kineto->has_origin = true;
    kineto->in_ns |= unit == 1;
    *start_s = (double)(start - kineto->origin) * 1e-9;
    *length_s = (double)(event->length > 0 ? fmaxl(nearbyintl(event->length * unit), 1) : unit / 2) * 1e-9;
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

/* Numbers as texts; Kineto shows devices as processes. Names replace the numbers of devices at the end. */
static const struct sms__trace_place *place_of(struct kineto *kineto, const struct sms__event *event)
{
    const double number[] = {
        sms__event_whole(event, SMS__EVENT_DEVICE, sms__event_whole(event, SMS__EVENT_PID, 0)),
        sms__event_whole(event, SMS__EVENT_CONTEXT, 0),
        sms__event_whole(event, SMS__EVENT_STREAM, sms__event_whole(event, SMS__EVENT_TID, 0)),
    };
    struct sms__pooled_string *entry = sms__intern(&kineto->places, (const char *)number, sizeof number);
    if (!entry->fixed)
        entry->fixed =
            sms__trace_place(&kineto->reading, (struct sms__trace_place){.device = intern_number(kineto, number[0]),
                                                                         .context = intern_number(kineto, number[1]),
                                                                         .stream = intern_number(kineto, number[2])});
    return entry->fixed;
}

static struct sms__profile_metric *occupancy_of(struct kineto *kineto, const struct sms__event *event)
{
    double value = event->number[SMS__EVENT_OCCUPANCY];
    if (!(value >= 0 && value <= 100))
        return NULL;
    if (!kineto->occupancy || kineto->occupancy->mean != value) {
        kineto->occupancy = SMS__NEW(kineto->reading.arena, struct sms__profile_metric, 1);
        *kineto->occupancy =
            (struct sms__profile_metric){.name = "est. achieved occupancy", .unit = "%", .mean = value};
    }
    return kineto->occupancy;
}

/* Whether a list is full, which is reported. */
static bool is_full(struct kineto *kineto, size_t count, const char *what)
{
    if (count < SMS__TRACE_ROWS_MAX)
        return false;
    sms__error(kineto->events.errors, SMS_EINPUT,
               (struct sms__mark){kineto->events.file.path, NULL, kineto->events.line, 1},
               "more than %d %s: trace a shorter time (the schedule of torch.profiler)", SMS__TRACE_ROWS_MAX, what);
    return true;
}

static void add_kernel(struct kineto *kineto, const struct sms__event *event, unsigned line)
{
    struct sms__profile *out = kineto->reading.out;
    struct sms__profile_launch launch = {.count = 1, .line = line};
    struct sms__profile_shape shape = {.kernel = sms__event_text(event, SMS__EVENT_NAME),
                                       .registers = (uint64_t)sms__event_whole(event, SMS__EVENT_REGISTERS, 0),
                                       .dynamic_shared = sms__event_whole(event, SMS__EVENT_SHARED, 0)};
    if (!times_of(kineto, event, &launch.start_s, &launch.duration_s)) {
        kineto->reading.unfinished++;
        return;
    }
    for (int i = 0; i < 3; i++) {
        shape.grid[i] = (uint64_t)sms__event_whole(event, SMS__EVENT_GRID + i, i > 0);
        shape.block[i] = (uint64_t)sms__event_whole(event, SMS__EVENT_BLOCK + i, i > 0);
        shape.grid[i] += i > 0 && shape.grid[i] == 0;
        shape.block[i] += i > 0 && shape.block[i] == 0;
    }
    if (shape.grid[0] == 0 || shape.block[0] == 0) {
        kineto->reading.unsized++;
        return;
    }
    if (is_full(kineto, out->launches, "kernels"))
        return;
    kineto->instant += event->length == 0;
    launch.place = place_of(kineto, event);
    launch.shape = sms__trace_shape(&kineto->reading, shape);
    launch.correlation = (int64_t)sms__event_whole(event, SMS__EVENT_CORRELATION, -1);
    launch.metric = occupancy_of(kineto, event);
    launch.metrics = launch.metric != NULL;
    *SMS__APPEND(kineto->reading.arena, out->launch, out->launches) = launch;
}

static void add_copy(struct kineto *kineto, const struct sms__event *event, unsigned line)
{
    struct sms__profile *out = kineto->reading.out;
    struct sms__profile_copy copy = {.line = line, .bytes = sms__event_whole(event, SMS__EVENT_BYTES, 0)};
    const char *name = sms__event_text(event, SMS__EVENT_NAME);
    bool to_host = strstr(name, "DtoH") || strstr(name, "DeviceToHost");
    copy.to_device = strstr(name, "HtoD") || strstr(name, "HostToDevice");
    if (!times_of(kineto, event, &copy.start_s, &copy.duration_s)) {
        kineto->reading.unfinished++;
    } else if (!copy.to_device && !to_host) {
        sms__trace_other(&kineto->reading.inner_copies, copy.duration_s);
    } else if (!is_full(kineto, out->copies, "copies")) {
        copy.place = place_of(kineto, event);
        *SMS__APPEND(kineto->reading.arena, out->copy, out->copies) = copy;
    }
}

/* The pid of the event, as a number or a text. */
static const char *pid_of(struct kineto *kineto, const struct sms__event *event)
{
    return isnan(event->number[SMS__EVENT_PID]) ? sms__event_text(event, SMS__EVENT_PID)
                                                : intern_number(kineto, event->number[SMS__EVENT_PID]);
}

static void add_call(struct kineto *kineto, const struct sms__event *event)
{
    struct sms__trace_call call = {.correlation = (int64_t)sms__event_whole(event, SMS__EVENT_CORRELATION, -1)};
    const char *name = sms__event_text(event, SMS__EVENT_NAME);
    kineto->wait_calls += !strcmp(name, "cudaStreamWaitEvent");
    call.waits = sms__trace_waits(name);
    if (call.correlation < 0 || !(call.waits || strstr(name, "Launch") || strstr(name, "launch")) ||
        !times_of(kineto, event, &call.start_s, &call.length_s) || is_full(kineto, kineto->reading.calls, "launches"))
        return;
    call.process = pid_of(kineto, event);
    *SMS__APPEND(kineto->reading.scratch, kineto->reading.call, kineto->reading.calls) = call;
}

static void add_event(struct kineto *kineto, const struct sms__event *event, unsigned line)
{
    double start, length;
    switch (category_of(event)) {
    case KERNEL:
        add_kernel(kineto, event, line);
        break;
    case COPY:
        add_copy(kineto, event, line);
        break;
    case MEMSET:
        if (times_of(kineto, event, &start, &length))
            sms__trace_other(&kineto->reading.memsets, length);
        break;
    case CALL:
        add_call(kineto, event);
        break;
    case MARK:
        if (!strncmp(sms__event_text(event, SMS__EVENT_NAME), "ProfilerStep", 12) &&
            kineto->steps < SMS__TRACE_ROWS_MAX && times_of(kineto, event, &start, &length))
            *SMS__APPEND(kineto->reading.arena, kineto->step_s, kineto->steps) = start;
        break;
    case OTHER:
        break;
    }
}

static void name_process(struct kineto *kineto, const struct sms__event *event)
{
    const char *pid = pid_of(kineto, event);
    const char *name = sms__derive_text(kineto->reading.arena, sms__event_text(event, SMS__EVENT_ARG_NAME), 60);
    sms__intern(&kineto->processes, pid, strlen(pid))->data =
        *name ? sms__print(kineto->reading.arena, "%s (%s)", name, pid) : NULL;
}

static int take_event(void *user)
{
    struct kineto *kineto = user;
    const struct sms__event *event = &kineto->events.event;
    const char *phase = sms__event_text(event, SMS__EVENT_PH);
    kineto->counted++;
    if (!strcmp(phase, "X"))
        add_event(kineto, event, kineto->events.line);
    else if (!strcmp(phase, "M") && !strcmp(sms__event_text(event, SMS__EVENT_NAME), "process_name"))
        name_process(kineto, event);
    return kineto->events.errors->count == 0;
}

/* Takes a map of deviceProperties, whose keys share fields with those of events. */
static int take_gpu(void *user)
{
    struct kineto *kineto = user;
    const struct sms__event *event = &kineto->events.event;
    if (kineto->gpus == GPUS_MAX || !*sms__event_text(event, SMS__EVENT_NAME))
        return 1;
    kineto->gpu[kineto->gpus] = (struct gpu){
        (int64_t)sms__event_whole(event, SMS__EVENT_DEVICE, (double)kineto->gpus),
        sms__derive_text(kineto->reading.arena, sms__event_text(event, SMS__EVENT_NAME), 80),
        event->number[SMS__EVENT_GRID], event->number[SMS__EVENT_BLOCK], sms__event_whole(event, SMS__EVENT_BYTES, 0)};
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

/* The place with the names of its device and of a process, which may be NULL. */
static const struct sms__trace_place *name_place(struct kineto *kineto, struct sms__string_pool *named,
                                                 const struct sms__trace_place *place, const char *pid)
{
    const void *const key[] = {place, pid};
    struct sms__pooled_string *entry = sms__intern(named, (const char *)key, sizeof key);
    if (!entry->fixed) {
        const char *name = pid ? sms__intern(&kineto->processes, pid, strlen(pid))->data : NULL;
        struct sms__trace_place with = *place;
        with.process = name ? name : pid;
        with.device = device_name(kineto, place->device);
        entry->fixed = sms__trace_place(&kineto->reading, with);
    }
    return entry->fixed;
}

/* The entry of a place's device, whose name is interned. */
static struct sms__pooled_string *of_device(struct sms__string_pool *devices, const struct sms__trace_place *place)
{
    return sms__intern(devices, (const char *)&place->device, sizeof place->device);
}

/* Puts names where numbers are. A launch without a call is of the process of the one before. Copies have no process:
 * they have that of the first launch on their device. */
static void name_places(struct kineto *kineto)
{
    struct sms__profile *out = kineto->reading.out;
    struct sms__string_pool named = {.arena = kineto->reading.arena};   /* places, by the place and its process */
    struct sms__string_pool devices = {.arena = kineto->reading.arena}; /* with the process of their first launch */
    const char *pid = "";
    for (size_t l = 0; l < out->launches; l++) {
        struct sms__profile_launch *launch = &out->launch[l];
        pid = launch->place->process ? launch->place->process : pid;
        launch->place = name_place(kineto, &named, launch->place, pid);
        struct sms__pooled_string *device = of_device(&devices, launch->place);
        device->fixed = device->fixed ? device->fixed : launch->place->process;
    }
    for (size_t c = 0; c < out->copies; c++) {
        struct sms__profile_copy *copy = &out->copy[c];
        copy->place = name_place(kineto, &named, copy->place, NULL);
        struct sms__trace_place place = *copy->place;
        place.process = of_device(&devices, copy->place)->fixed;
        copy->place = sms__trace_place(&kineto->reading, place);
    }
}

static void identify_gpu(struct kineto *kineto)
{
    const char *number = strrchr(kineto->reading.out->launch[0].place->device, '(');
    const struct gpu *gpu = gpu_of(kineto, atoll(number + 1));
    if (!gpu)
        return;
    kineto->reading.out->gpu = gpu->name;
    kineto->reading.out->memory = gpu->memory;
    if (gpu->major > 0 && gpu->major < 100 && gpu->minor >= 0 && gpu->minor < 100)
        kineto->reading.out->capability = sms__print(kineto->reading.arena, "%.0f.%.0f", gpu->major, gpu->minor);
}

static int fail_empty(struct kineto *kineto)
{
    const struct sms__trace_reading *reading = &kineto->reading;
    struct sms_errors *errors = kineto->events.errors;
    const char *path = kineto->events.file.path;
    if (!kineto->events.found)
        return sms__fail(errors, SMS_EINPUT, path,
                         "has no list traceEvents: it is no trace of PyTorch's profiler (export_chrome_trace)");
    if (reading->unfinished + reading->unsized)
        return sms__fail(errors, SMS_EINPUT, path,
                         "no kernel has a start, a length, a grid and a block: %zu have no time, %zu no geometry",
                         reading->unfinished, reading->unsized);
    return sms__fail(errors, SMS_EINPUT, path,
                     "none of its %zu events is a kernel: profile with activities=[ProfilerActivity.CPU, "
                     "ProfilerActivity.CUDA] while the GPU works",
                     kineto->counted);
}

static int read_trace(void *user, struct sms__arena *scratch)
{
    struct kineto *kineto = user;
    struct sms__trace_reading *reading = &kineto->reading;
    sms__reading_begin(reading, reading->arena, reading->out);
    reading->scratch = scratch;
    reading->names_calls = true;
    int code = sms__events_parse(&kineto->events);
    if (code != SMS_OK)
        return code;
    if (reading->out->launches == 0)
        return fail_empty(kineto);
    if (kineto->in_ns)
        sms__reading_fact(reading, "time stamps are read as ns, because they are too large for microseconds");
    if (kineto->instant)
        sms__reading_fact(reading, "%zu kernels took less than a unit of the trace's clock, and count as half of one",
                          kineto->instant);
    if (kineto->wait_calls)
        sms__reading_fact(reading, "%zu waits of a stream for an event are host time", kineto->wait_calls);
    sms__reading_end(reading);
    name_places(kineto);
    identify_gpu(kineto);
    gsl_sort(kineto->step_s, 1, kineto->steps);
    reading->out->step_s = kineto->step_s;
    reading->out->steps = kineto->steps;
    return SMS_OK;
}

static int read_file(struct sms__arena *arena, const char *const *paths, size_t n_paths, struct sms__profile *out,
                     struct sms_errors *errors)
{
    struct kineto *kineto = SMS__NEW(arena, struct kineto, 1);
    *kineto = (struct kineto){.reading = {.arena = arena, .out = out},
                              .events = {.arena = arena,
                                         .errors = errors,
                                         .watch = out->watch,
                                         .texts = {.arena = arena},
                                         .take_event = take_event,
                                         .take_gpu = take_gpu,
                                         .user = kineto},
                              .processes = {.arena = arena},
                              .places = {.arena = arena}};
    (void)n_paths;
    int code = sms__gzip_open(&kineto->events.file, paths[0], out->most, errors);
    if (code == SMS_OK)
        code = sms__scratch(arena, read_trace, kineto);
    sms__gzip_close(&kineto->events.file);
    return code;
}

const struct sms__importer sms__importer_kineto = {
    .name = "kineto",
    .help = "a trace of PyTorch's profiler (export_chrome_trace), .json or .json.gz",
    .files = "one trace",
    .n_files = 1,
    .read = read_file};
