/* Reads traces of PyTorch's profiler (Kineto): Chrome trace events in JSON, plain or compressed by gzip. The file is
 * streamed, so that memory grows with its kernels, copies and launches and not with its size. What Kineto writes is not
 * always JSON: bare `inf` and `nan`, and control characters and backslashes in names, are mended on the way. */
#include "../import.h"
#include "../intern.h"
#include "../text.h"
#include "../trace_read.h"

#include "../../base/errors.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>
#include <zlib.h>

enum { CHUNK = 1 << 18, DEPTH_MAX = 500, TEXT_MAX = 128, NUMBER_MAX = 63, GPUS_MAX = 1024 };

static const double COUNT_MOST = 9007199254740992.0;
static const int64_t NS_LEAST = 100000000000000000; /* a time stamp this large cannot be in us: it is in ns */

/* What a number or text of an event is. Those from `device` on are in its `args`; those from `name` of a GPU on are of
 * deviceProperties. */
enum field {
    NONE,
    PH,
    CAT,
    NAME,
    PID,
    TID,
    TS,
    DUR,
    ARGS,
    DEVICE,
    CONTEXT,
    STREAM,
    CORRELATION,
    REGISTERS,
    SHARED,
    BYTES,
    OCCUPANCY,
    GRID,
    BLOCK = GRID + 3,
    ARG_NAME = BLOCK + 3,
    FIELDS
};

static const struct {
    const char *key;
    enum field field;
} event_keys[] = {{"ph", PH},   {"cat", CAT}, {"name", NAME}, {"pid", PID},
                  {"tid", TID}, {"ts", TS},   {"dur", DUR},   {"args", ARGS}},
  arg_keys[] = {{"device", DEVICE},
                {"context", CONTEXT},
                {"stream", STREAM},
                {"correlation", CORRELATION},
                {"registers per thread", REGISTERS},
                {"shared memory", SHARED},
                {"bytes", BYTES},
                {"est. achieved occupancy %", OCCUPANCY},
                {"grid", GRID},
                {"block", BLOCK},
                {"name", ARG_NAME}};

enum category { OTHER, KERNEL, COPY, MEMSET, CALL, MARK };

static const struct {
    const char *name;
    enum category category;
} categories[] = {{"kernel", KERNEL},        {"gpu_memcpy", COPY},   {"memcpy", COPY},          {"gpu_memset", MEMSET},
                  {"memset", MEMSET},        {"cuda_runtime", CALL}, {"runtime", CALL},         {"cuda_driver", CALL},
                  {"hip_runtime", CALL},     {"driver", CALL},       {"user_annotation", MARK}, {"cpu_op", MARK},
                  {"python_function", MARK}, {"operator", MARK}};

/* A time stamp or a length: a whole number and a fraction of it, so that no digit of an epoch in us is lost. */
struct stamp {
    bool known;
    int64_t whole;
    double fraction;
};

struct event {
    struct stamp start, length;
    double number[FIELDS]; /* NAN: unknown */
    const char *text[FIELDS];
    size_t capacity[FIELDS];
};

/* A `B` event of a kernel or another operation that waits for its `E`. */
struct open {
    struct event event;
    struct open *below;
    unsigned line;
};

struct gpu {
    int64_t id;
    const char *name;
    double major, minor;
};

enum section { NOWHERE, EVENTS, GPUS };

struct kineto {
    struct sms__trace_reading reading;
    struct sms_errors *errors;
    const char *path;
    gzFile file;
    yajl_handle parser;
    unsigned char *chunk;
    size_t counted; /* bytes of the chunk whose line breaks are counted */
    unsigned line;
    size_t column; /* bytes of the line before the counted ones */
    bool in_text, escaped, in_word;

    enum section section;
    int depth, item_depth; /* item_depth: of the maps of `section` */
    enum field field;
    int axis; /* of a grid or a block */
    struct event event;
    size_t events;
    bool has_events;

    struct sms__string_pool texts, processes, threads; /* of processes and threads, values are indices + 1 */
    const char **process_name;
    size_t process_names;
    struct open **open; /* by thread */
    size_t threads_open, never_ended;
    struct open *spare;
    struct gpu gpu[GPUS_MAX];
    size_t gpus;
    int64_t origin; /* ns; of the first operation */
    bool has_origin, in_ns;
    double *step_s;
    size_t steps;
    struct sms__profile_metric *occupancy; /* the last one */
};

/* ---- time stamps and numbers ---- */

static struct stamp stamp_of(const char *text)
{
    struct stamp stamp = {0};
    char *end;
    errno = 0;
    stamp.whole = strtoll(text, &end, 10);
    if (end == text || errno)
        return stamp;
    if (*end == '.') {
        stamp.fraction = strtod(end, &end);
        stamp.fraction = *text == '-' ? -stamp.fraction : stamp.fraction;
    }
    if (*end == 'e' || *end == 'E') {
        double value = strtod(text, &end);
        if (!(fabs(value) < 9e15))
            return stamp;
        stamp = (struct stamp){false, (int64_t)value, value - floor(value)};
    }
    stamp.known = *end == '\0';
    return stamp;
}

/* In ns. Returns false if the number is too large. */
static bool to_ns(const struct stamp *stamp, bool in_ns, int64_t *ns)
{
    if (in_ns) {
        *ns = stamp->whole;
        return true;
    }
    return !__builtin_mul_overflow(stamp->whole, 1000, ns) &&
           !__builtin_add_overflow(*ns, (int64_t)nearbyint(stamp->fraction * 1000), ns);
}

/* The start in seconds from the first operation, and the length, from 0; false if it has no such start or length. */
static bool times_of(struct kineto *kineto, const struct event *event, double *start_s, double *length_s)
{
    int64_t start, length, from;
    bool in_ns = event->start.whole >= NS_LEAST;
    if (!event->start.known || !event->length.known || !to_ns(&event->start, in_ns, &start) ||
        !to_ns(&event->length, in_ns, &length) || length < 0)
        return false;
    if (!kineto->has_origin)
        kineto->origin = start;
    kineto->has_origin = true;
    kineto->in_ns |= in_ns;
    if (__builtin_sub_overflow(start, kineto->origin, &from))
        return false;
    *start_s = (double)from * 1e-9;
    *length_s = (double)length * 1e-9;
    return true;
}

static double whole_of(const struct event *event, enum field field, double missing)
{
    double value = event->number[field];
    return value >= 0 && value <= COUNT_MOST && value == floor(value) ? value : missing;
}

static const char *intern_number(struct kineto *kineto, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.0f", value);
    return sms__intern_text(&kineto->texts, text);
}

/* ---- events ---- */

static const char *text_of(const struct event *event, enum field field)
{
    return event->text[field] ? event->text[field] : "";
}

static enum category category_of(const struct event *event)
{
    const char *name = text_of(event, CAT);
    char lower[24] = "";
    for (size_t i = 0; name[i] && i < sizeof lower - 1; i++)
        lower[i] = (char)tolower((unsigned char)name[i]);
    for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
        if (!strcmp(categories[i].name, lower))
            return categories[i].category;
    return OTHER;
}

/* The device's number as text; Kineto shows devices as processes. Names replace numbers at the end. */
static const char *device_of(struct kineto *kineto, const struct event *event)
{
    return intern_number(kineto, whole_of(event, DEVICE, whole_of(event, PID, 0)));
}

static unsigned line_of(struct kineto *kineto)
{
    size_t end = yajl_get_bytes_consumed(kineto->parser);
    const unsigned char *at = kineto->chunk + kineto->counted, *to = kineto->chunk + end, *next;
    for (; at < to && (next = memchr(at, '\n', (size_t)(to - at))); at = next + 1) {
        kineto->line++;
        kineto->column = 0;
    }
    kineto->column += at < to ? (size_t)(to - at) : 0;
    kineto->counted = end > kineto->counted ? end : kineto->counted;
    return kineto->line;
}

static struct sms__profile_metric *occupancy_of(struct kineto *kineto, const struct event *event)
{
    double value = event->number[OCCUPANCY];
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
    sms__error(kineto->errors, SMS_EINPUT, (struct sms__mark){kineto->path, NULL, line_of(kineto), 1},
               "more than %d %s: trace a shorter time (the schedule of torch.profiler)", SMS__TRACE_ROWS_MAX, what);
    return 0;
}

static int add_kernel(struct kineto *kineto, const struct event *event, unsigned line)
{
    struct sms__profile *out = kineto->reading.out;
    struct sms__profile_launch launch = {.count = 1, .line = line, .context = "", .stream = ""};
    if (!times_of(kineto, event, &launch.start_s, &launch.duration_s) || launch.duration_s <= 0) {
        kineto->reading.unfinished++;
        return 1;
    }
    for (int i = 0; i < 3; i++) {
        launch.grid[i] = (uint64_t)whole_of(event, (enum field)(GRID + i), i > 0);
        launch.block[i] = (uint64_t)whole_of(event, (enum field)(BLOCK + i), i > 0);
        launch.grid[i] += i > 0 && launch.grid[i] == 0;
        launch.block[i] += i > 0 && launch.block[i] == 0;
    }
    if (launch.grid[0] == 0 || launch.block[0] == 0) {
        kineto->reading.unsized++;
        return 1;
    }
    if (out->launches == SMS__TRACE_ROWS_MAX)
        return fail_rows(kineto, "kernels");
    launch.kernel = sms__intern_text(&kineto->texts, text_of(event, NAME));
    launch.device = device_of(kineto, event);
    launch.context = intern_number(kineto, whole_of(event, CONTEXT, 0));
    launch.stream = intern_number(kineto, whole_of(event, STREAM, whole_of(event, TID, 0)));
    launch.registers = (uint64_t)whole_of(event, REGISTERS, 0);
    launch.dynamic_shared = whole_of(event, SHARED, 0);
    launch.correlation = (int64_t)whole_of(event, CORRELATION, -1);
    launch.metric = occupancy_of(kineto, event);
    launch.metrics = launch.metric != NULL;
    *SMS__APPEND(kineto->reading.arena, out->launch, out->launches) = launch;
    return 1;
}

static int add_copy(struct kineto *kineto, const struct event *event, unsigned line)
{
    struct sms__profile *out = kineto->reading.out;
    struct sms__profile_copy copy = {.line = line, .bytes = whole_of(event, BYTES, 0)};
    const char *name = text_of(event, NAME);
    bool to_host = strstr(name, "DtoH") || strstr(name, "DeviceToHost");
    copy.to_device = strstr(name, "HtoD") || strstr(name, "HostToDevice");
    if (!times_of(kineto, event, &copy.start_s, &copy.duration_s) || copy.duration_s <= 0) {
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
    copy.context = intern_number(kineto, whole_of(event, CONTEXT, 0));
    copy.stream = intern_number(kineto, whole_of(event, STREAM, whole_of(event, TID, 0)));
    *SMS__APPEND(kineto->reading.arena, out->copy, out->copies) = copy;
    return 1;
}

/* The pid of the event, as a number or a text. */
static const char *pid_of(struct kineto *kineto, const struct event *event)
{
    return isnan(event->number[PID]) ? sms__intern_text(&kineto->texts, text_of(event, PID))
                                     : intern_number(kineto, event->number[PID]);
}

static int add_call(struct kineto *kineto, const struct event *event)
{
    struct sms__trace_call call = {.correlation = (int64_t)whole_of(event, CORRELATION, -1)};
    const char *name = text_of(event, NAME);
    if (call.correlation < 0 || !(strstr(name, "Launch") || strstr(name, "launch")) ||
        !times_of(kineto, event, &call.start_s, &call.length_s))
        return 1;
    if (kineto->reading.calls == SMS__TRACE_ROWS_MAX)
        return fail_rows(kineto, "launches");
    call.process = pid_of(kineto, event);
    *SMS__APPEND(kineto->reading.arena, kineto->reading.call, kineto->reading.calls) = call;
    return 1;
}

static int add_mark(struct kineto *kineto, const struct event *event)
{
    double start, length;
    if (!strncmp(text_of(event, NAME), "ProfilerStep", 12) && kineto->steps < SMS__TRACE_ROWS_MAX &&
        times_of(kineto, event, &start, &length))
        *SMS__APPEND(kineto->reading.arena, kineto->step_s, kineto->steps) = start;
    return 1;
}

static int add_event(struct kineto *kineto, const struct event *event, unsigned line)
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
    case OTHER:
        break;
    }
    return 1;
}

/* The stack of open events of this one's process and thread. */
static struct open **stack_of(struct kineto *kineto, const struct event *event)
{
    char key[2 * TEXT_MAX];
    int length = snprintf(key, sizeof key, "%.100s/%.9g/%.100s/%.9g", text_of(event, PID), event->number[PID],
                          text_of(event, TID), event->number[TID]);
    struct sms__pooled_string *entry = sms__intern(&kineto->threads, key, (size_t)length);
    if (!entry->value) {
        entry->value = kineto->threads_open + 1;
        *SMS__APPEND(kineto->reading.arena, kineto->open, kineto->threads_open) = NULL;
    }
    return &kineto->open[entry->value - 1];
}

static void open_event(struct kineto *kineto, unsigned line)
{
    if (category_of(&kineto->event) == OTHER)
        return;
    struct open **top = stack_of(kineto, &kineto->event);
    struct open *open = kineto->spare ? kineto->spare : SMS__NEW(kineto->reading.arena, struct open, 1);
    kineto->spare = kineto->spare ? kineto->spare->below : NULL;
    *open = (struct open){.event = kineto->event, .below = *top, .line = line};
    for (int f = 0; f < FIELDS; f++)
        open->event.text[f] = kineto->event.text[f] ? sms__intern_text(&kineto->texts, kineto->event.text[f]) : NULL;
    *top = open;
    kineto->never_ended++;
}

static int close_event(struct kineto *kineto)
{
    struct open **top = stack_of(kineto, &kineto->event), *open = *top;
    const struct stamp *end = &kineto->event.start;
    if (!open || (*text_of(&kineto->event, NAME) && strcmp(text_of(&kineto->event, NAME), text_of(&open->event, NAME))))
        return 1;
    *top = open->below;
    open->below = kineto->spare;
    kineto->spare = open;
    kineto->never_ended--;
    open->event.length = (struct stamp){end->known && open->event.start.known, end->whole - open->event.start.whole,
                                        end->fraction - open->event.start.fraction};
    return add_event(kineto, &open->event, open->line);
}

static void name_process(struct kineto *kineto, const struct event *event)
{
    const char *pid = pid_of(kineto, event);
    struct sms__pooled_string *entry = sms__intern(&kineto->processes, pid, strlen(pid));
    if (!entry->value) {
        entry->value = kineto->process_names + 1;
        *SMS__APPEND(kineto->reading.arena, kineto->process_name, kineto->process_names) = "";
    }
    kineto->process_name[entry->value - 1] = sms__derive_text(kineto->reading.arena, text_of(event, ARG_NAME), 60);
}

static int take_event(struct kineto *kineto)
{
    const struct event *event = &kineto->event;
    const char *phase = text_of(event, PH);
    unsigned line = line_of(kineto);
    kineto->events++;
    if (!strcmp(phase, "X"))
        return add_event(kineto, event, line);
    if (!strcmp(phase, "B"))
        open_event(kineto, line);
    if (!strcmp(phase, "E"))
        return close_event(kineto);
    if (!strcmp(phase, "M") && !strcmp(text_of(event, NAME), "process_name"))
        name_process(kineto, event);
    return 1;
}

/* Takes a map of deviceProperties, whose keys share fields with those of events. */
static void take_gpu(struct kineto *kineto)
{
    const struct event *event = &kineto->event;
    if (kineto->gpus == GPUS_MAX || !*text_of(event, NAME))
        return;
    kineto->gpu[kineto->gpus] = (struct gpu){(int64_t)whole_of(event, DEVICE, (double)kineto->gpus),
                                             sms__derive_text(kineto->reading.arena, text_of(event, NAME), 80),
                                             event->number[GRID], event->number[BLOCK]};
    kineto->gpus++;
}

/* ---- JSON ---- */

static void clear_event(struct event *event)
{
    event->start.known = event->length.known = false;
    for (int f = 0; f < FIELDS; f++) {
        event->number[f] = NAN;
        event->text[f] = NULL;
    }
}

/* What a value is for: a field of an item, or of its args. */
static enum field field_here(const struct kineto *kineto)
{
    if (kineto->section == NOWHERE || kineto->field == NONE || kineto->field == ARGS)
        return NONE;
    if (kineto->section == GPUS || kineto->field < ARGS)
        return kineto->depth == kineto->item_depth ? kineto->field : NONE;
    bool list = kineto->field >= GRID && kineto->field < ARG_NAME;
    if (kineto->depth != kineto->item_depth + 1 + list || (list && kineto->axis > 2))
        return NONE;
    return (enum field)((int)kineto->field + (list ? kineto->axis : 0));
}

static int take_number(void *user, const char *text, size_t length)
{
    struct kineto *kineto = user;
    enum field field = field_here(kineto);
    char number[NUMBER_MAX + 1] = "";
    if (field != NONE && length <= NUMBER_MAX) {
        memcpy(number, text, length);
        number[length] = '\0';
        char *end;
        double value = strtod(number, &end);
        if (field == TS)
            kineto->event.start = stamp_of(number);
        else if (field == DUR)
            kineto->event.length = stamp_of(number);
        else if (length && !*end)
            kineto->event.number[field] = value;
    }
    kineto->axis++;
    return 1;
}

/* A text, which may hold a number. */
static int take_text(void *user, const unsigned char *text, size_t length)
{
    struct kineto *kineto = user;
    enum field field = field_here(kineto);
    if (field == NONE)
        return ++kineto->axis, 1;
    struct event *event = &kineto->event;
    event->text[field] = sms__intern(&kineto->texts, (const char *)text, length)->text;
    return take_number(user, (const char *)text, length);
}

static int take_other(void *user)
{
    ((struct kineto *)user)->axis++;
    return 1;
}

static int take_truth(void *user, int value)
{
    (void)value;
    return take_other(user);
}

static bool is_key(const char *key, const unsigned char *text, size_t length)
{
    return strlen(key) == length && !memcmp(key, text, length);
}

static enum field gpu_field(const unsigned char *key, size_t length)
{
    return is_key("id", key, length)             ? DEVICE
           : is_key("name", key, length)         ? NAME
           : is_key("computeMajor", key, length) ? GRID
           : is_key("computeMinor", key, length) ? BLOCK
                                                 : NONE;
}

static int take_key(void *user, const unsigned char *key, size_t length)
{
    struct kineto *kineto = user;
    int level = kineto->depth - kineto->item_depth;
    if (kineto->depth == 1 && kineto->item_depth != 2) {
        kineto->section = is_key("traceEvents", key, length)        ? EVENTS
                          : is_key("deviceProperties", key, length) ? GPUS
                                                                    : NOWHERE;
        kineto->item_depth = 3;
        kineto->has_events |= kineto->section == EVENTS;
        return 1;
    }
    if (level == 0) {
        kineto->field = kineto->section == GPUS ? gpu_field(key, length) : NONE;
        for (size_t i = 0; kineto->section == EVENTS && i < sizeof event_keys / sizeof *event_keys; i++)
            if (is_key(event_keys[i].key, key, length))
                kineto->field = event_keys[i].field;
    } else if (level == 1 && kineto->section == EVENTS && kineto->field >= ARGS) {
        kineto->field = ARGS;
        for (size_t i = 0; i < sizeof arg_keys / sizeof *arg_keys; i++)
            if (is_key(arg_keys[i].key, key, length))
                kineto->field = arg_keys[i].field;
    }
    return 1;
}

static int fail_depth(struct kineto *kineto)
{
    sms__error(kineto->errors, SMS_EINPUT, (struct sms__mark){kineto->path, NULL, line_of(kineto), 1},
               "more than %d levels of brackets", DEPTH_MAX);
    return 0;
}

static int begin_map(void *user)
{
    struct kineto *kineto = user;
    if (++kineto->depth > DEPTH_MAX)
        return fail_depth(kineto);
    if (kineto->depth == kineto->item_depth) {
        clear_event(&kineto->event);
        kineto->field = NONE;
    }
    return 1;
}

static int end_map(void *user)
{
    struct kineto *kineto = user;
    kineto->depth--;
    if (kineto->section == NOWHERE || kineto->depth != kineto->item_depth - 1)
        return 1;
    if (kineto->section == EVENTS)
        return take_event(kineto);
    take_gpu(kineto);
    return 1;
}

/* A file that begins with a list is a list of events, as Chrome takes it too. */
static int begin_list(void *user)
{
    struct kineto *kineto = user;
    if (++kineto->depth > DEPTH_MAX)
        return fail_depth(kineto);
    kineto->axis = 0;
    if (kineto->depth == 1) {
        kineto->section = EVENTS;
        kineto->item_depth = 2;
        kineto->has_events = true;
    }
    return 1;
}

static int end_list(void *user)
{
    struct kineto *kineto = user;
    kineto->depth--;
    return 1;
}

static const yajl_callbacks callbacks = {.yajl_null = take_other,
                                         .yajl_boolean = take_truth,
                                         .yajl_number = take_number,
                                         .yajl_string = take_text,
                                         .yajl_start_map = begin_map,
                                         .yajl_map_key = take_key,
                                         .yajl_end_map = end_map,
                                         .yajl_start_array = begin_list,
                                         .yajl_end_array = end_list};

/* Replaces in place what is not JSON but occurs: in texts, control characters, and backslashes before other characters
 * than JSON has; outside of them, inf, nan and their longer spellings. */
static void mend(struct kineto *kineto, unsigned char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char c = text[i];
        if (kineto->in_text) {
            bool odd = c < ' ' || (kineto->escaped && !strchr("\"\\/bfnrtu", c));
            text[i] = odd ? (unsigned char)(kineto->escaped ? '/' : ' ') : c;
            kineto->in_text = kineto->escaped || c != '"';
            kineto->escaped = !kineto->escaped && c == '\\';
        } else if (kineto->in_word && isalpha(c)) {
            text[i] = ' ';
        } else {
            bool nan = c == 'n' && i + 1 < length && text[i + 1] == 'a';
            kineto->in_word = nan || c == 'i' || c == 'I' || c == 'N';
            kineto->in_text = c == '"';
            text[i] = kineto->in_word ? '0' : c;
        }
    }
}

/* The parser's memory is the arena's. */
static void *parser_alloc(void *arena, size_t size)
{
    size_t *block = (size_t *)(void *)SMS__NEW(arena, max_align_t, size / sizeof(max_align_t) + 2);
    *block = size;
    return (char *)block + sizeof(max_align_t);
}

static void parser_free(void *arena, void *block) { (void)arena, (void)block; }

static void *parser_realloc(void *arena, void *block, size_t size)
{
    void *moved = parser_alloc(arena, size);
    if (!block)
        return moved;
    size_t before = *(size_t *)(void *)((char *)block - sizeof(max_align_t));
    memcpy(moved, block, before < size ? before : size);
    return moved;
}

static int fail_at(struct kineto *kineto, const char *problem)
{
    line_of(kineto);
    sms__error(kineto->errors, SMS_EINPUT,
               (struct sms__mark){kineto->path, NULL, kineto->line, (unsigned)kineto->column + 1}, "%s", problem);
    return SMS_EINPUT;
}

/* What the parser says, in its first line: "lexical error: invalid char in json text." */
static int fail_json(struct kineto *kineto)
{
    unsigned char *text = yajl_get_error(kineto->parser, 0, NULL, 0);
    if (!text)
        return SMS_ENOMEM;
    const char *reason = strstr((const char *)text, ": ");
    reason = reason ? reason + 2 : (const char *)text;
    const char *line = sms__print(kineto->reading.arena, "is not JSON: %.*s",
                                  (int)strcspn(reason, "\n") - (strcspn(reason, "\n") > 0), reason);
    yajl_free_error(kineto->parser, text);
    return fail_at(kineto, line);
}

static int parse(struct kineto *kineto)
{
    yajl_alloc_funcs memory = {parser_alloc, parser_realloc, parser_free, kineto->reading.arena};
    kineto->parser = yajl_alloc(&callbacks, &memory, kineto);
    yajl_config(kineto->parser, yajl_dont_validate_strings, 1);
    kineto->chunk = SMS__NEW(kineto->reading.arena, unsigned char, CHUNK);
    int length = 1, problem;
    size_t total = 0;
    yajl_status status = yajl_status_ok;
    while (status == yajl_status_ok && (length = gzread(kineto->file, kineto->chunk, CHUNK)) > 0) {
        mend(kineto, kineto->chunk, (size_t)length);
        kineto->counted = 0;
        status = yajl_parse(kineto->parser, kineto->chunk, (size_t)length);
        total += (size_t)length;
        if (status == yajl_status_ok)
            line_of(kineto);
    }
    const char *broken = gzerror(kineto->file, &problem);
    if (kineto->errors->count)
        return SMS_EINPUT;
    if (status != yajl_status_ok)
        return fail_json(kineto);
    if (length < 0 || problem == Z_BUF_ERROR)
        return sms__fail(kineto->errors, problem == Z_ERRNO ? SMS_EIO : SMS_EINPUT, kineto->path,
                         "the compressed file is %s after %zu bytes of text: copy or trace it again",
                         problem == Z_BUF_ERROR ? "cut off"
                         : problem == Z_ERRNO   ? "unreadable"
                                                : broken,
                         total);
    if (total == 0)
        return sms__fail(kineto->errors, SMS_EINPUT, kineto->path, "is empty");
    if (kineto->depth > 0)
        return fail_at(kineto, "the file ends in the middle of the trace: the program was stopped before it had "
                               "written all of it");
    return yajl_complete_parse(kineto->parser) == yajl_status_ok ? SMS_OK : fail_json(kineto);
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
    return sms__intern_text(&kineto->texts, text);
}

static const char *process_name(struct kineto *kineto, const char *pid)
{
    struct sms__pooled_string *entry = sms__intern(&kineto->processes, pid, strlen(pid));
    const char *name = entry->value ? kineto->process_name[entry->value - 1] : "";
    return *name ? sms__intern_text(&kineto->texts, sms__print(kineto->reading.arena, "%s (%s)", name, pid)) : pid;
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
    if (!kineto->has_events)
        return sms__fail(kineto->errors, SMS_EINPUT, kineto->path,
                         "has no list traceEvents: it is no trace of PyTorch's profiler (export_chrome_trace)");
    if (reading->unfinished + reading->unsized)
        return sms__fail(kineto->errors, SMS_EINPUT, kineto->path,
                         "no kernel has a start, a length, a grid and a block: %zu have no time, %zu no geometry",
                         reading->unfinished, reading->unsized);
    if (kineto->never_ended)
        return sms__fail(kineto->errors, SMS_EINPUT, kineto->path, "all of its %zu operations begin and never end",
                         kineto->never_ended);
    return sms__fail(kineto->errors, SMS_EINPUT, kineto->path,
                     "none of its %zu events is a kernel: profile with activities=[ProfilerActivity.CPU, "
                     "ProfilerActivity.CUDA] while the GPU works",
                     kineto->events);
}

static int read_trace(void *user)
{
    struct kineto *kineto = user;
    struct sms__trace_reading *reading = &kineto->reading;
    sms__reading_begin(reading, reading->arena, reading->out);
    kineto->line = 1;
    int code = parse(kineto);
    if (code != SMS_OK)
        return code;
    if (reading->out->launches == 0)
        return fail_empty(kineto);
    reading->unfinished += kineto->never_ended;
    if (kineto->in_ns)
        sms__reading_fact(reading, "time stamps are in ns, as they are too large for us");
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
                              .errors = errors,
                              .path = paths[0],
                              .texts = {.arena = arena},
                              .processes = {.arena = arena},
                              .threads = {.arena = arena}};
    (void)n_paths;
    errno = 0;
    kineto->file = gzopen(paths[0], "rb");
    if (!kineto->file)
        return errno ? sms__fail(errors, SMS_EIO, paths[0], "%s", strerror(errno)) : SMS_ENOMEM;
    int code = sms__guard(arena, read_trace, kineto);
    gzclose_r(kineto->file);
    return code;
}

const struct sms__importer sms__import_kineto = {
    .name = "kineto",
    .help = "a trace of PyTorch's profiler (export_chrome_trace), .json or .json.gz",
    .files = "one trace",
    .n_files = 1,
    .read = read_file};
