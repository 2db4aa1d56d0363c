/* Reads reports of Nsight Systems that `nsys export --type sqlite` has written. Which tables and columns there are
 * depends on the version and on what was traced, so each table is asked for its columns. */
#include "../import.h"
#include "../intern.h"
#include "../report_gpu.h"
#include "../report_ranges.h"
#include "../report_tables.h"
#include "../text.h"
#include "../trace_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { START, END, DEVICE, CONTEXT, STREAM, PROCESS, CORRELATION, SHARED_COLUMNS };
#define COMMON_COLUMNS "start", "end", "deviceId", "contextId", "streamId", "globalPid", "correlationId"

enum {
    GRID = SHARED_COLUMNS,
    BLOCK = GRID + 3,
    REGISTERS = BLOCK + 3,
    STATIC,
    DYNAMIC,
    DEMANGLED,
    SHORT,
    MANGLED,
    GRAPH,
    GREEN
};
static const struct sms__report_table kernel_table = {"CUPTI_ACTIVITY_KIND_KERNEL",
                                                      2,
                                                      {COMMON_COLUMNS, "gridX", "gridY", "gridZ", "blockX", "blockY",
                                                       "blockZ", "registersPerThread", "staticSharedMemory",
                                                       "dynamicSharedMemory", "demangledName", "shortName",
                                                       "mangledName", "graphNodeId", "greenContextId"}};

enum { BYTES = SHARED_COLUMNS, KIND };
static const struct sms__report_table copy_table = {
    "CUPTI_ACTIVITY_KIND_MEMCPY", 2, {COMMON_COLUMNS, "bytes", "copyKind"}};
static const struct sms__report_table memset_table = {"CUPTI_ACTIVITY_KIND_MEMSET", 2, {COMMON_COLUMNS, "bytes"}};

/* Events that streams recorded, and what waited for them. */
enum { RECORD_EVENT = SHARED_COLUMNS, SYNC_EVENT = SHARED_COLUMNS, SYNC_TYPE, SYNC_STREAM_WAITS = 2 };
static const struct sms__report_table record_table = {"CUPTI_ACTIVITY_KIND_CUDA_EVENT", 0, {COMMON_COLUMNS, "eventId"}};
static const struct sms__report_table sync_table = {
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", 0, {COMMON_COLUMNS, "eventId", "syncType"}};

enum { CALL_START, CALL_END, CALL_CORRELATION, CALL_THREAD };
static const struct sms__report_table call_table = {
    "CUPTI_ACTIVITY_KIND_RUNTIME", 4, {"start", "end", "correlationId", "globalTid"}};

enum { PROCESS_ID, PROCESS_NAME, PROCESS_GLOBAL };
static const struct sms__report_table process_table = {"PROCESSES", 3, {"pid", "name", "globalPid"}};

struct nsys {
    struct sms__report report;
    struct sms__trace_reading reading;
    struct sms__profile *out;
    struct sms__string_pool texts, names; /* an entry of `names` is an id; its value is 1 + the index in `name` */
    const char **name;
    size_t named;
    struct sms__report_gpus gpus;
    struct sms__report_ranges ranges; /* if kernels are named by them */
    size_t in_graphs, in_green;       /* launches that are nodes of CUDA graphs, that ran in green contexts */
    size_t launches_most, copies_most, calls_most; /* rows of the tables */
    int64_t origin;                                /* start of the first launch, ns */
    const char *product;                           /* version of Nsight Systems; "" */
};

static const char *text_of(struct nsys *nsys, sqlite3_stmt *row, int column)
{
    return sms__intern_text(&nsys->texts, sms__report_text(&nsys->report, row, column));
}

/* The time of a row in seconds from `origin`. Returns false if the row has no start and end in order. */
static bool read_times(struct nsys *nsys, sqlite3_stmt *row, double *start_s, double *duration_s)
{
    int64_t start = 0, end = 0, from = 0, length = 0;
    bool known = sqlite3_column_type(row, START) == SQLITE_INTEGER && sqlite3_column_type(row, END) == SQLITE_INTEGER;
    if (known) {
        start = sqlite3_column_int64(row, START);
        end = sqlite3_column_int64(row, END);
    }
    if (!known || end <= start || __builtin_sub_overflow(start, nsys->origin, &from) ||
        __builtin_sub_overflow(end, start, &length)) {
        nsys->reading.unfinished++;
        return false;
    }
    *start_s = (double)from * 1e-9;
    *duration_s = (double)length * 1e-9;
    return true;
}

struct answer {
    struct nsys *nsys;
    const char *text;
};

static int take_text(void *user, sqlite3_stmt *row)
{
    struct answer *answer = user;
    answer->text = text_of(answer->nsys, row, 0);
    return SMS_OK;
}

/* What an id stands for, looked up once: `kind` and id are the key, `sql` finds the text of id. */
static int find_name(struct nsys *nsys, const char *kind, int64_t id, const char *sql, const char **out)
{
    char key[40];
    int length = snprintf(key, sizeof key, "%s%lld", kind, (long long)id);
    struct sms__pooled_string *entry = sms__intern(&nsys->names, key, (size_t)length);
    struct answer answer = {nsys, ""};
    int code = SMS_OK;
    if (entry->value) {
        *out = nsys->name[entry->value - 1];
        return SMS_OK;
    }
    if (sql) {
        sqlite3_str *text = sqlite3_str_new(nsys->report.database.file);
        sqlite3_str_appendf(text, sql, (long long)id);
        code = sms__report_query(&nsys->report, text, take_text, &answer);
    }
    *out = answer.text;
    *SMS__APPEND(nsys->report.arena, nsys->name, nsys->named) = answer.text;
    sms__intern(&nsys->names, key, (size_t)length)->value = nsys->named;
    return code;
}

/* The name of a kernel: with its arguments if the report has that, otherwise short, otherwise mangled. Columns hold ids
 * of strings, or texts in some versions. */
static int kernel_name(struct nsys *nsys, sqlite3_stmt *row, const char **name)
{
    int code = SMS_OK;
    *name = "";
    for (int c = DEMANGLED; code == SMS_OK && c <= MANGLED && !**name; c++) {
        if (sqlite3_column_type(row, c) == SQLITE_TEXT)
            *name = text_of(nsys, row, c);
        else if (sqlite3_column_type(row, c) == SQLITE_INTEGER)
            code = find_name(nsys, "name ", sqlite3_column_int64(row, c),
                             "SELECT value FROM main.StringIds WHERE id = %lld LIMIT 1", name);
    }
    return code;
}

/* "NAME (PID)"; the process's number is in bits 24 to 47 of its global one. */
static int process_name(struct nsys *nsys, int64_t global, const char **name)
{
    bool found;
    const char *own = "";
    int code = sms__report_has(&nsys->report, process_table.name, NULL, &found);
    if (code == SMS_OK && found)
        code =
            find_name(nsys, "process ", global, "SELECT name FROM main.PROCESSES WHERE globalPid = %lld LIMIT 1", &own);
    const char *slash = strrchr(own, '/'),
               *short_name = sms__derive_text(nsys->report.arena, slash ? slash + 1 : own, 60);
    long long pid = (long long)((uint64_t)global >> 24 & 0xffffff);
    *name = sms__intern_text(&nsys->texts, *short_name ? sms__print(nsys->report.arena, "%s (%lld)", short_name, pid)
                                                       : sms__print(nsys->report.arena, "%lld", pid));
    return code;
}

/* The name of the process of a global number of it or of its threads, made once. */
static int find_process(struct nsys *nsys, int64_t global, const char **name)
{
    char key[40];
    global = (int64_t)((uint64_t)global & ~(uint64_t)0xffffff);
    int length = snprintf(key, sizeof key, "in %lld", (long long)global), code = SMS_OK;
    struct sms__pooled_string *entry = sms__intern(&nsys->names, key, (size_t)length);
    if (!entry->value) {
        code = process_name(nsys, global, name);
        *SMS__APPEND(nsys->report.arena, nsys->name, nsys->named) = *name;
        entry = sms__intern(&nsys->names, key, (size_t)length);
        entry->value = nsys->named;
    }
    *name = nsys->name[entry->value - 1];
    return code;
}

struct place {
    const char *process, *device, *context, *stream;
};

/* On which process, device, context and stream an operation ran. */
static int read_place(struct nsys *nsys, sqlite3_stmt *row, struct place *place)
{
    int64_t device = sms__report_whole(row, DEVICE, 0);
    const struct sms__report_gpu *gpu = sms__report_gpu_of(&nsys->gpus, device);
    char text[120];
    snprintf(text, sizeof text, "%s (%lld)", gpu ? gpu->name : "", (long long)device);
    place->device = sms__intern_text(&nsys->texts, text);
    place->context = text_of(nsys, row, CONTEXT);
    place->stream = text_of(nsys, row, STREAM);
    return find_process(nsys, sqlite3_column_int64(row, PROCESS), &place->process);
}

static uint64_t at_least_1(int64_t value) { return value > 0 ? (uint64_t)value : 1; }

static int read_kernel(void *user, sqlite3_stmt *row)
{
    struct nsys *nsys = user;
    double start, duration;
    struct place place;
    if (nsys->out->launches == nsys->launches_most || !read_times(nsys, row, &start, &duration))
        return SMS_OK;
    if (sms__report_whole(row, GRID, 0) == 0 || sms__report_whole(row, BLOCK, 0) == 0) {
        nsys->reading.unsized++;
        return SMS_OK;
    }
    struct sms__profile_launch *launch = &nsys->out->launch[nsys->out->launches];
    int code = read_place(nsys, row, &place);
    if (code == SMS_OK)
        code = kernel_name(nsys, row, &launch->kernel);
    if (code != SMS_OK)
        return code;
    nsys->in_graphs += sms__report_whole(row, GRAPH, 0) > 0;
    if (sms__report_whole(row, GREEN, 0) > 0) { /* a part of the SMs: with streams of its own */
        nsys->in_green++;
        place.context = sms__intern_text(
            &nsys->texts, sms__print(nsys->report.arena, "%s/%s", place.context, text_of(nsys, row, GREEN)));
    }
    launch->process = place.process;
    launch->device = place.device;
    launch->context = place.context;
    launch->stream = place.stream;
    launch->grid[0] = (uint64_t)sms__report_whole(row, GRID, 0);
    launch->block[0] = (uint64_t)sms__report_whole(row, BLOCK, 0);
    for (int i = 1; i < 3; i++) {
        launch->grid[i] = at_least_1(sms__report_whole(row, GRID + i, 1));
        launch->block[i] = at_least_1(sms__report_whole(row, BLOCK + i, 1));
    }
    launch->registers = (uint64_t)sms__report_whole(row, REGISTERS, 0);
    launch->static_shared = (double)sms__report_whole(row, STATIC, 0);
    launch->dynamic_shared = (double)sms__report_whole(row, DYNAMIC, 0);
    launch->start_s = start;
    launch->duration_s = duration;
    launch->count = 1;
    launch->correlation = sms__report_whole(row, CORRELATION, -1);
    nsys->out->launches++;
    return SMS_OK;
}

/* Kinds of copies are those of CUpti_ActivityMemcpyKind; 11 and 12 are of unified memory in nsys. */
static int read_copy(void *user, sqlite3_stmt *row)
{
    struct nsys *nsys = user;
    double start, duration;
    struct place place;
    int64_t kind = sms__report_whole(row, KIND, 0);
    bool in = kind == 1 || kind == 3 || kind == 11, out = kind == 2 || kind == 4 || kind == 12;
    if (nsys->out->copies == nsys->copies_most || !read_times(nsys, row, &start, &duration))
        return SMS_OK;
    if (!in && !out) {
        sms__trace_other(&nsys->reading.inner_copies, duration);
        return SMS_OK;
    }
    int code = read_place(nsys, row, &place);
    nsys->out->copy[nsys->out->copies++] =
        (struct sms__profile_copy){.process = place.process,
                                   .device = place.device,
                                   .context = place.context,
                                   .stream = place.stream,
                                   .to_device = in,
                                   .bytes = (double)sms__report_whole(row, BYTES, 0),
                                   .start_s = start,
                                   .duration_s = duration,
                                   .correlation = sms__report_whole(row, CORRELATION, -1)};
    return code;
}

static int read_memset(void *user, sqlite3_stmt *row)
{
    struct nsys *nsys = user;
    double start, duration;
    if (read_times(nsys, row, &start, &duration))
        sms__trace_other(&nsys->reading.memsets, duration);
    return SMS_OK;
}

/* Adds an event, unless it says too little of itself. */
static int add_event(struct nsys *nsys, sqlite3_stmt *row, bool waits)
{
    struct sms__trace_reading *reading = &nsys->reading;
    struct sms__trace_event event = {.waits = waits,
                                     .event = sms__report_whole(row, RECORD_EVENT, -1),
                                     .correlation = sms__report_whole(row, CORRELATION, -1)};
    struct place place;
    if (event.event < 0 || event.correlation < 0 || reading->events == SMS__TRACE_ROWS_MAX)
        return SMS_OK;
    int code = read_place(nsys, row, &place);
    event.process = place.process;
    event.device = place.device;
    event.context = place.context;
    event.stream = place.stream;
    if (code == SMS_OK)
        *SMS__APPEND(reading->arena, reading->event, reading->events) = event;
    return code;
}

static int read_record(void *user, sqlite3_stmt *row) { return add_event(user, row, false); }

static int read_sync(void *user, sqlite3_stmt *row)
{
    return sms__report_whole(row, SYNC_TYPE, 0) == SYNC_STREAM_WAITS ? add_event(user, row, true) : SMS_OK;
}

struct extent {
    int64_t rows, start; /* start: the first, ns */
};

static int take_extent(void *user, sqlite3_stmt *row)
{
    struct extent *extent = user;
    extent->rows = sqlite3_column_int64(row, 0);
    extent->start = sqlite3_column_int64(row, 1);
    return SMS_OK;
}

/* How many rows a table has, and the first start; 0 rows if it is absent. */
static int measure(struct nsys *nsys, const struct sms__report_table *table, struct extent *extent)
{
    bool found, started = false;
    int code = sms__report_has(&nsys->report, table->name, NULL, &found);
    *extent = (struct extent){0};
    if (code == SMS_OK && found)
        code = sms__report_has(&nsys->report, table->name, "start", &started);
    if (code != SMS_OK || !found)
        return code;
    sqlite3_str *text = sqlite3_str_new(nsys->report.database.file);
    sqlite3_str_appendf(text, "SELECT count(*), %s FROM main.\"%w\"", started ? "min(\"start\")" : "0", table->name);
    code = sms__report_query(&nsys->report, text, take_extent, extent);
    if (code == SMS_OK && extent->rows > SMS__TRACE_ROWS_MAX)
        return sms__fail(nsys->report.errors, SMS_EINPUT, nsys->report.path,
                         "the table %s has more than %d rows; trace a shorter time (nsys profile --duration)",
                         table->name, SMS__TRACE_ROWS_MAX);
    return code;
}

/* Explains a report from which no kernel can be read. */
static int fail_empty(struct nsys *nsys, bool has_table)
{
    bool strings, gpus, graphs;
    int code = sms__report_has(&nsys->report, "StringIds", NULL, &strings);
    if (code == SMS_OK)
        code = sms__report_has(&nsys->report, "TARGET_INFO_GPU", NULL, &gpus);
    if (code == SMS_OK)
        code = sms__report_has(&nsys->report, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", NULL, &graphs);
    if (code != SMS_OK)
        return code;
    if (!strings && !gpus && !has_table)
        return sms__fail(nsys->report.errors, SMS_EINPUT, nsys->report.path,
                         "is an SQLite database, but no report of Nsight Systems: it has no table StringIds");
    if (graphs)
        return sms__fail(nsys->report.errors, SMS_EINPUT, nsys->report.path,
                         "has whole CUDA graphs and not their kernels: profile with --cuda-graph-trace=node");
    if (has_table)
        return sms__fail(nsys->report.errors, SMS_EINPUT, nsys->report.path, "no kernel ran while it was traced");
    return sms__fail(nsys->report.errors, SMS_EINPUT, nsys->report.path,
                     "was traced without CUDA, or no kernel ran (no table %s): profile with 'nsys profile "
                     "--trace=cuda', and export it again",
                     kernel_table.name);
}

/* Reads launches and copies. */
static int read_operations(struct nsys *nsys)
{
    struct extent kernels, copies;
    bool found = false;
    int code = measure(nsys, &kernel_table, &kernels);
    if (code == SMS_OK)
        code = measure(nsys, &copy_table, &copies);
    if (code == SMS_OK)
        code = sms__report_has(&nsys->report, kernel_table.name, NULL, &found);
    if (code == SMS_OK && kernels.rows == 0)
        code = fail_empty(nsys, found);
    if (code != SMS_OK)
        return code;
    nsys->launches_most = (size_t)kernels.rows;
    nsys->copies_most = (size_t)copies.rows;
    nsys->origin = kernels.start;
    nsys->out->launch = SMS__NEW(nsys->report.arena, struct sms__profile_launch, nsys->launches_most + 1);
    nsys->out->copy = SMS__NEW(nsys->report.arena, struct sms__profile_copy, nsys->copies_most + 1);
    code = sms__report_read(&nsys->report, &kernel_table, read_kernel, nsys);
    if (code == SMS_OK)
        code = sms__report_read(&nsys->report, &copy_table, read_copy, nsys);
    if (code == SMS_OK)
        code = sms__report_read(&nsys->report, &memset_table, read_memset, nsys);
    if (code == SMS_OK)
        code = sms__report_read(&nsys->report, &record_table, read_record, nsys);
    if (code == SMS_OK)
        code = sms__report_read(&nsys->report, &sync_table, read_sync, nsys);
    if (code == SMS_OK && nsys->out->launches == 0)
        return sms__fail(nsys->report.errors, SMS_EINPUT, nsys->report.path,
                         "no kernel has a start, an end, a grid and a block: export it again");
    return code;
}

static int read_call(void *user, sqlite3_stmt *row)
{
    struct nsys *nsys = user;
    struct sms__trace_reading *reading = &nsys->reading;
    struct sms__trace_call call = {.correlation = sms__report_whole(row, CALL_CORRELATION, -1)};
    size_t unfinished = reading->unfinished;
    bool known = call.correlation >= 0 && reading->calls < nsys->calls_most &&
                 read_times(nsys, row, &call.start_s, &call.length_s);
    reading->unfinished = unfinished;
    if (!known)
        return SMS_OK;
    const int64_t thread = sqlite3_column_int64(row, CALL_THREAD);
    call.range = sms__report_range_at(&nsys->ranges, thread, sqlite3_column_int64(row, CALL_START));
    int code = find_process(nsys, thread, &call.process);
    reading->call[reading->calls++] = call;
    return code;
}

/* Reads the calls that launched kernels, if the report has calls. */
static int read_calls(struct nsys *nsys)
{
    struct extent calls;
    int code = measure(nsys, &call_table, &calls);
    if (code != SMS_OK || calls.rows == 0)
        return code;
    nsys->calls_most = (size_t)calls.rows;
    nsys->reading.call = SMS__NEW(nsys->report.arena, struct sms__trace_call, nsys->calls_most);
    return sms__report_read(&nsys->report, &call_table, read_call, nsys);
}

/* The rate of the fastest copy of a MiB or more, bytes per second; 0: there is none. */
static double fastest_copy(const struct sms__profile *profile)
{
    double best = 0;
    for (size_t c = 0; c < profile->copies; c++) {
        double rate = profile->copy[c].bytes / profile->copy[c].duration_s;
        best = profile->copy[c].bytes >= 1 << 20 && rate > best ? rate : best;
    }
    return best;
}

static void identify_gpu(struct nsys *nsys)
{
    const char *device = nsys->out->launch[0].device, *number = strrchr(device, '(');
    const struct sms__report_gpu *gpu = sms__report_gpu_of(&nsys->gpus, number ? atoll(number + 1) : 0);
    if (!gpu)
        return;
    nsys->out->gpu = *gpu->name ? gpu->name : NULL;
    nsys->out->capability = gpu->capability;
    nsys->out->device_name = sms__import_name(nsys->report.arena, gpu->name);
    nsys->out->device_text =
        sms__report_gpu_describe(nsys->report.arena, gpu, nsys->out->device_name, fastest_copy(nsys->out));
}

static void state_facts(struct nsys *nsys)
{
    struct sms__arena *arena = nsys->report.arena;
    if (*nsys->product || *nsys->report.schema)
        sms__reading_fact(&nsys->reading,
                          sms__print(arena, "Nsight Systems %.40s, schema %.20s%s",
                                     *nsys->product ? sms__derive_text(arena, nsys->product, 40) : "of unknown version",
                                     sms__derive_text(arena, nsys->report.schema, 20),
                                     atoi(nsys->report.schema) > SMS__REPORT_SCHEMA
                                         ? ", which is newer than this program; what it could read is below"
                                         : ""));
    if (nsys->in_graphs + nsys->in_green)
        sms__reading_fact(&nsys->reading,
                          sms__print(arena,
                                     "%zu launches are nodes of CUDA graphs; %zu ran in green contexts, whose parts of "
                                     "the SMs are not told",
                                     nsys->in_graphs, nsys->in_green));
}

static int take_version(void *user, sqlite3_stmt *row)
{
    struct nsys *nsys = user;
    const char *name = text_of(nsys, row, 0);
    if (!strcmp(name, "EXPORT_PRODUCT_VERSION"))
        nsys->product = text_of(nsys, row, 1);
    else if (!strcmp(name, "EXPORT_SCHEMA_VERSION"))
        nsys->report.schema = text_of(nsys, row, 1);
    return SMS_OK;
}

static int read_report(void *user)
{
    static const struct sms__report_table older = {"EXPORT_META_DATA", 2, {"name", "value"}},
                                          newer = {"META_DATA_EXPORT", 2, {"name", "value"}};
    struct nsys *nsys = user;
    sms__reading_begin(&nsys->reading, nsys->report.arena, nsys->out);
    int code = sms__report_read(&nsys->report, &older, take_version, nsys);
    if (code == SMS_OK)
        code = sms__report_read(&nsys->report, &newer, take_version, nsys);
    if (code == SMS_OK)
        code = sms__report_gpus_read(&nsys->report, &nsys->gpus);
    if (code == SMS_OK)
        code = read_operations(nsys);
    if (code != SMS_OK)
        return code;
    if (nsys->out->by_range)
        code = sms__report_ranges_read(&nsys->report, &nsys->ranges);
    if (code == SMS_OK)
        code = read_calls(nsys);
    if (code == SMS_OK)
        code = sms__report_steps_read(&nsys->report, nsys->origin, nsys->out);
    sms__reading_end(&nsys->reading);
    if (code == SMS_OK)
        code = sms__report_samples_read(&nsys->report, nsys->origin, &nsys->reading);
    identify_gpu(nsys);
    state_facts(nsys);
    return code;
}

static int read(struct sms__arena *arena, const char *const *paths, size_t n_paths, struct sms__profile *out,
                struct sms_errors *errors)
{
    struct nsys nsys = {.report = {.arena = arena, .errors = errors, .path = paths[0], .schema = ""},
                        .out = out,
                        .texts = {.arena = arena},
                        .names = {.arena = arena},
                        .product = ""};
    (void)n_paths;
    int code = sms__report_open(&nsys.report);
    if (code == SMS_OK)
        code = sms__guard(arena, read_report, &nsys);
    sqlite3_close(nsys.report.database.file);
    return code;
}

const struct sms__importer sms__import_nsys = {
    .name = "nsys",
    .help = "a report of Nsight Systems, exported with nsys export --type sqlite",
    .files = "one report",
    .n_files = 1,
    .read = read};
