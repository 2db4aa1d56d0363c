/* Reads reports of Nsight Systems that `nsys export --type sqlite` has written. Which tables and columns there are
 * depends on the version and on what was traced, so each table is asked for its columns. */
#include "../import.h"
#include "../../base/intern.h"
#include "../report_tables.h"
#include "../text.h"

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
    NAMES, /* with its arguments if the report has that, otherwise short, otherwise mangled */
    GRAPH = NAMES + 3,
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

enum { CALL_START, CALL_END, CALL_CORRELATION, CALL_THREAD, CALL_NAME };
static const struct sms__report_table call_table = {
    "CUPTI_ACTIVITY_KIND_RUNTIME", 4, {"start", "end", "correlationId", "globalTid", "nameId"}};

struct nsys {
    struct sms__report report;
    struct sms__trace_reading reading;
    struct sms__profile *out;
    struct sms__string_pool texts;
    struct sms__string_pool processes, places, names; /* by global number; by row_place; by number in StringIds */
    struct sms__report_gpus gpus;
    size_t in_graphs, in_green; /* launches that are nodes of CUDA graphs, that ran in green contexts */
    size_t launches_most, copies_most, calls_most; /* rows of the tables */
    int64_t origin;                                /* start of the first launch, ns */
    const char *product;                           /* version of Nsight Systems; "" */
};

static const char *text_of(struct nsys *nsys, sqlite3_stmt *row, int column)
{
    return sms__intern_text(&nsys->texts, sms__report_text(&nsys->report, row, column));
}

/* The time of a row in seconds from `origin`. Returns false if the row has no start and end in order. */
static bool read_times(const struct nsys *nsys, sqlite3_stmt *row, double *start_s, double *duration_s)
{
    int64_t start = sqlite3_column_int64(row, START), end = sqlite3_column_int64(row, END), from, length;
    if (sqlite3_column_type(row, START) != SQLITE_INTEGER || sqlite3_column_type(row, END) != SQLITE_INTEGER ||
        end <= start || __builtin_sub_overflow(start, nsys->origin, &from) ||
        __builtin_sub_overflow(end, start, &length) || length > SMS__TRACE_LONGEST_NS)
        return false;
    *start_s = (double)from * 1e-9;
    *duration_s = (double)length * 1e-9;
    return true;
}

/* "NAME (PID)"; the process's number is in bits 24 to 47 of its global one. */
static char *name_process(struct nsys *nsys, int64_t global)
{
    struct sms__report_found path = {&nsys->report, ""};
    long long pid = (long long)((uint64_t)global >> 24 & 0xffffff);
    if (sms__report_has(&nsys->report, "PROCESSES", NULL))
        sms__report_query(&nsys->report, sms__report_find, &path,
                          "SELECT name FROM main.PROCESSES WHERE globalPid = %lld LIMIT 1", (long long)global);
    const char *slash = strrchr(path.text, '/'),
               *name = sms__derive_text(nsys->report.arena, slash ? slash + 1 : path.text, 60);
    return sms__print(nsys->report.arena, *name ? "%s (%lld)" : "%s%lld", name, pid);
}

/* The name of the process of a global number of it or of its threads, made once. */
static const char *find_process(struct nsys *nsys, int64_t global)
{
    global = (int64_t)((uint64_t)global & ~(uint64_t)0xffffff);
    struct sms__pooled_string *entry = sms__intern(&nsys->processes, (const char *)&global, sizeof global);
    if (!entry->data)
        entry->data = name_process(nsys, global);
    return entry->data;
}

/* Where an operation ran as its row tells it, each part a number or a text of `texts`. */
struct row_place {
    int64_t global, device, context, stream;
    const char *green; /* the part of the SMs, which has streams of its own; NULL: none */
    int64_t types;
};

static int64_t number_or_text(struct nsys *nsys, sqlite3_stmt *row, int column)
{
    const bool number = sqlite3_column_type(row, column) == SQLITE_INTEGER;
    return number ? sqlite3_column_int64(row, column) : (int64_t)(intptr_t)text_of(nsys, row, column);
}

static const struct sms__trace_place *make_place(struct nsys *nsys, sqlite3_stmt *row, const struct row_place *read)
{
    const struct sms__report_gpu *gpu = sms__report_gpu_of(&nsys->gpus, read->device);
    char text[120];
    snprintf(text, sizeof text, "%s (%lld)", gpu && *gpu->name ? gpu->name : "unnamed GPU", (long long)read->device);
    struct sms__trace_place place = {.process = find_process(nsys, read->global),
                                     .device = sms__intern_text(&nsys->texts, text),
                                     .context = text_of(nsys, row, CONTEXT),
                                     .stream = text_of(nsys, row, STREAM)};
    if (read->green)
        place.context =
            sms__intern_text(&nsys->texts, sms__print(nsys->report.arena, "%s/%s", place.context, read->green));
    return sms__trace_place(&nsys->reading, place);
}

/* On which process, device, context and stream an operation ran. Texts are made once, because a million rows say the
 * same. */
static const struct sms__trace_place *read_place(struct nsys *nsys, sqlite3_stmt *row, const char *green)
{
    const struct row_place read = {.global = sqlite3_column_int64(row, PROCESS),
                                   .device = sms__report_whole(row, DEVICE, 0),
                                   .context = number_or_text(nsys, row, CONTEXT),
                                   .stream = number_or_text(nsys, row, STREAM),
                                   .green = green,
                                   .types = sqlite3_column_type(row, CONTEXT) |
                                            (int64_t)sqlite3_column_type(row, STREAM) << 8};
    struct sms__pooled_string *entry = sms__intern(&nsys->places, (const char *)&read, sizeof read);
    if (!entry->fixed)
        entry->fixed = make_place(nsys, row, &read);
    return entry->fixed;
}

/* A column that holds a text, or the number of one in StringIds. */
static const char *name_of(struct nsys *nsys, sqlite3_stmt *row, int column)
{
    if (!nsys->report.has_texts || sqlite3_column_type(row, column) != SQLITE_INTEGER)
        return text_of(nsys, row, column);
    const int64_t number = sqlite3_column_int64(row, column);
    struct sms__pooled_string *entry = sms__intern(&nsys->names, (const char *)&number, sizeof number);
    if (!entry->fixed)
        entry->fixed = sms__intern_text(&nsys->texts, sms__report_named(&nsys->report, number));
    return entry->fixed;
}

static uint64_t at_least_1(int64_t value) { return value > 0 ? (uint64_t)value : 1; }

static struct sms__profile_shape read_shape(struct nsys *nsys, sqlite3_stmt *row)
{
    struct sms__profile_shape shape = {.kernel = "",
                                       .registers = (uint64_t)sms__report_whole(row, REGISTERS, 0),
                                       .static_shared = (double)sms__report_whole(row, STATIC, 0),
                                       .dynamic_shared = (double)sms__report_whole(row, DYNAMIC, 0)};
    for (int c = NAMES; c < GRAPH && !*shape.kernel; c++)
        shape.kernel = name_of(nsys, row, c);
    for (int i = 0; i < 3; i++) {
        shape.grid[i] = at_least_1(sms__report_whole(row, GRID + i, 1));
        shape.block[i] = at_least_1(sms__report_whole(row, BLOCK + i, 1));
    }
    return shape;
}

static void read_kernel(void *user, sqlite3_stmt *row)
{
    struct nsys *nsys = user;
    struct sms__profile_launch *launch = &nsys->out->launch[nsys->out->launches];
    if (nsys->out->launches == nsys->launches_most)
        return;
    if (!read_times(nsys, row, &launch->start_s, &launch->duration_s)) {
        nsys->reading.unfinished++;
        return;
    }
    if (sms__report_whole(row, GRID, 0) == 0 || sms__report_whole(row, BLOCK, 0) == 0) {
        nsys->reading.unsized++;
        return;
    }
    const bool green = sms__report_whole(row, GREEN, 0) > 0;
    nsys->in_graphs += sms__report_whole(row, GRAPH, 0) > 0;
    nsys->in_green += green;
    launch->place = read_place(nsys, row, green ? text_of(nsys, row, GREEN) : NULL);
    launch->shape = sms__trace_shape(&nsys->reading, read_shape(nsys, row));
    launch->count = 1;
    launch->correlation = sms__report_whole(row, CORRELATION, -1);
    nsys->out->launches++;
}

/* Kinds of copies are those of CUpti_ActivityMemcpyKind; 11 and 12 are of unified memory in nsys. */
static void read_copy(void *user, sqlite3_stmt *row)
{
    struct nsys *nsys = user;
    struct sms__profile_copy *copy = &nsys->out->copy[nsys->out->copies];
    int64_t kind = sms__report_whole(row, KIND, 0);
    bool in = kind == 1 || kind == 3 || kind == 11, out = kind == 2 || kind == 4 || kind == 12;
    if (nsys->out->copies == nsys->copies_most)
        return;
    if (!read_times(nsys, row, &copy->start_s, &copy->duration_s)) {
        nsys->reading.unfinished++;
    } else if (!in && !out) {
        sms__trace_other(&nsys->reading.inner_copies, copy->duration_s);
    } else {
        copy->place = read_place(nsys, row, NULL);
        copy->to_device = in;
        copy->bytes = (double)sms__report_whole(row, BYTES, 0);
        nsys->out->copies++;
    }
}

static void read_memset(void *user, sqlite3_stmt *row)
{
    struct nsys *nsys = user;
    double start, duration;
    if (read_times(nsys, row, &start, &duration))
        sms__trace_other(&nsys->reading.memsets, duration);
    else
        nsys->reading.unfinished++;
}

static void read_call(void *user, sqlite3_stmt *row)
{
    struct nsys *nsys = user;
    struct sms__trace_reading *reading = &nsys->reading;
    struct sms__trace_call call = {.correlation = sms__report_whole(row, CALL_CORRELATION, -1)};
    if (call.correlation < 0 || reading->calls == nsys->calls_most ||
        !read_times(nsys, row, &call.start_s, &call.length_s))
        return;
    call.process = find_process(nsys, sqlite3_column_int64(row, CALL_THREAD));
    call.waits = sms__trace_waits(name_of(nsys, row, CALL_NAME));
    reading->call[reading->calls++] = call;
}

static void take_whole(void *user, sqlite3_stmt *row) { *(int64_t *)user = sqlite3_column_int64(row, 0); }

/* How many rows a table has; 0 if it is absent. */
static size_t count_rows(struct nsys *nsys, const struct sms__report_table *table)
{
    int64_t rows = 0;
    if (sms__report_has(&nsys->report, table->name, NULL))
        sms__report_query(&nsys->report, take_whole, &rows, "SELECT count(*) FROM main.\"%w\"", table->name);
    if (rows > SMS__TRACE_ROWS_MAX)
        sms__report_fail(&nsys->report,
                         "the table %s has more than %d rows; trace a shorter time (nsys profile --duration)",
                         table->name, SMS__TRACE_ROWS_MAX);
    return (size_t)rows;
}

/* Explains a report from which no kernel can be read. */
static void fail_empty(struct sms__report *report)
{
    bool kernels = sms__report_has(report, kernel_table.name, NULL);
    if (!kernels && !sms__report_has(report, "StringIds", NULL) && !sms__report_has(report, "TARGET_INFO_GPU", NULL))
        sms__report_fail(report, "is an SQLite database, but no report of Nsight Systems: it has no table StringIds");
    else if (sms__report_has(report, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", NULL))
        sms__report_fail(report, "has whole CUDA graphs and not their kernels: profile with --cuda-graph-trace=node");
    else if (kernels)
        sms__report_fail(report, "no kernel ran while it was traced");
    else
        sms__report_fail(report,
                         "was traced without CUDA, or no kernel ran (no table %s): profile with 'nsys profile "
                         "--trace=cuda', and export it again",
                         kernel_table.name);
}

/* Reads launches and copies. */
static void read_operations(struct nsys *nsys)
{
    struct sms__report *report = &nsys->report;
    nsys->launches_most = count_rows(nsys, &kernel_table);
    nsys->copies_most = count_rows(nsys, &copy_table);
    nsys->calls_most = count_rows(nsys, &call_table);
    report->all_rows = nsys->launches_most + nsys->copies_most + nsys->calls_most;
    if (report->code == SMS_OK && nsys->launches_most == 0)
        fail_empty(report);
    if (sms__report_has(report, kernel_table.name, "start"))
        sms__report_query(report, take_whole, &nsys->origin, "SELECT min(\"start\") FROM main.\"%w\"",
                          kernel_table.name);
    nsys->out->launch = SMS__NEW(report->arena, struct sms__profile_launch, nsys->launches_most + 1);
    nsys->out->copy = SMS__NEW(report->arena, struct sms__profile_copy, nsys->copies_most + 1);
    sms__report_rows(report, &kernel_table, read_kernel, nsys);
    sms__report_rows(report, &copy_table, read_copy, nsys);
    sms__report_rows(report, &memset_table, read_memset, nsys);
    if (report->code == SMS_OK && nsys->out->launches == 0)
        sms__report_fail(report, "no kernel has a start, an end, a grid and a block: export it again");
}

static void identify_gpu(struct nsys *nsys)
{
    const char *device = nsys->out->launch[0].place->device, *number = strrchr(device, '(');
    const struct sms__report_gpu *gpu = sms__report_gpu_of(&nsys->gpus, atoll(number + 1));
    if (!gpu)
        return;
    nsys->out->gpu = *gpu->name ? gpu->name : NULL;
    nsys->out->capability = gpu->capability;
    nsys->out->memory = (double)sms__report_gpu_number(gpu, "totalMemory");
}

static void state_facts(struct nsys *nsys)
{
    struct sms__arena *arena = nsys->report.arena;
    if (*nsys->product || *nsys->report.schema)
        sms__reading_fact(&nsys->reading, "Nsight Systems %.40s, schema %.20s%s",
                          *nsys->product ? sms__derive_text(arena, nsys->product, 40) : "of unknown version",
                          sms__derive_text(arena, nsys->report.schema, 20),
                          atoi(nsys->report.schema) > SMS__REPORT_SCHEMA
                              ? ", which is newer than this program; what it could read is below"
                              : "");
    if (nsys->in_graphs + nsys->in_green)
        sms__reading_fact(&nsys->reading,
                          "%zu launches are nodes of CUDA graphs; %zu ran in green contexts, whose SMs the report "
                          "does not name",
                          nsys->in_graphs, nsys->in_green);
}

static void take_version(void *user, sqlite3_stmt *row)
{
    struct nsys *nsys = user;
    const char *name = text_of(nsys, row, 0);
    if (!strcmp(name, "EXPORT_PRODUCT_VERSION"))
        nsys->product = text_of(nsys, row, 1);
    else if (!strcmp(name, "EXPORT_SCHEMA_VERSION"))
        nsys->report.schema = text_of(nsys, row, 1);
}

/* Reads what joins operations, and joins them. */
static int read_calls(void *user, struct sms__arena *scratch)
{
    struct nsys *nsys = user;
    struct sms__report *report = &nsys->report;
    nsys->reading.scratch = scratch;
    nsys->reading.names_calls = sms__report_has(report, call_table.name, "nameId");
    nsys->reading.call = SMS__NEW(scratch, struct sms__trace_call, nsys->calls_most + 1);
    sms__report_rows(report, &call_table, read_call, nsys);
    if (report->code == SMS_OK)
        sms__reading_end(&nsys->reading);
    return report->code;
}

static void read_report(void *user)
{
    static const struct sms__report_table older = {"EXPORT_META_DATA", 2, {"name", "value"}},
                                          newer = {"META_DATA_EXPORT", 2, {"name", "value"}};
    struct nsys *nsys = user;
    struct sms__report *report = &nsys->report;
    sms__reading_begin(&nsys->reading, report->arena, nsys->out);
    sms__report_rows(report, &older, take_version, nsys);
    sms__report_rows(report, &newer, take_version, nsys);
    sms__report_gpus_read(report, &nsys->gpus);
    read_operations(nsys);
    if (report->code == SMS_OK)
        report->code = sms__scratch(report->arena, read_calls, nsys);
    sms__report_steps_read(report, nsys->origin, nsys->out);
    if (report->code != SMS_OK)
        return;
    sms__report_samples_read(report, nsys->origin, &nsys->reading);
    identify_gpu(nsys);
    state_facts(nsys);
}

static int read(struct sms__arena *arena, const char *const *paths, size_t n_paths, struct sms__profile *out,
                struct sms_errors *errors)
{
    struct nsys nsys = {
        .report =
            {.arena = arena, .errors = errors, .path = paths[0], .most = out->most, .schema = "", .watch = out->watch},
        .out = out,
        .texts = {.arena = arena},
        .processes = {.arena = arena},
        .places = {.arena = arena},
        .names = {.arena = arena},
        .product = ""};
    (void)n_paths;
    return sms__report_read(&nsys.report, read_report, &nsys);
}

const struct sms__importer sms__importer_nsys = {
    .name = "nsys",
    .help = "a report of Nsight Systems, exported with nsys export --type sqlite, .sqlite or .sqlite.gz",
    .files = "one report",
    .n_files = 1,
    .read = read};
