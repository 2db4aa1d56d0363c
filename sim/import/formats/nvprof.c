/* Reads what nvprof prints with --csv: metrics and events by kernel, traces of launches and copies. The metrics of one
 * file are assigned to the launches of another. */
#include "../import.h"
#include "../reader.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* The first of these explains a file without launches. */
enum hint { HINT_ERROR, HINT_NOTHING, HINT_NCU, HINT_SUMMARY, HINT_HEADER, HINT_TEXT, HINT_PROCESS };

static const char *const advice[SMS__HINTS] = {
    [HINT_NOTHING] = "nothing was profiled: the program launched no kernel, or nvprof's filters (--kernels, --devices) "
                     "left none",
    [HINT_NCU] = "this is output of ncu; read it with 'smsched import ncu'",
    [HINT_SUMMARY] = "this is nvprof's summary or trace of API calls, which has no launches; run nvprof with "
                     "--print-gpu-trace --csv, and again with --metrics all --csv",
    [HINT_HEADER] = "a header without rows: nothing was profiled; check nvprof's filters (--kernels, --devices)",
    [HINT_TEXT] = "this is a text report of nvprof; run nvprof with --csv",
    [HINT_PROCESS] = "nothing was profiled: nvprof watched a process but printed no table; the run was stopped early, "
                     "or nvprof ran without --print-gpu-trace and --metrics"};

#define PROFILING "NVPROF is profiling process "

static const struct sms__hint hints[] = {{HINT_NCU, true, {"==PROF=="}},
                                         {HINT_NCU, false, {"\"ID\",\"Process ID\""}},
                                         {HINT_NOTHING, false, {"== ", "No kernels were profiled"}},
                                         {HINT_NOTHING, false, {"== ", "No CUDA application was profiled"}},
                                         {HINT_SUMMARY, false, {"Time(%)"}},
                                         {HINT_TEXT, false, {"Invocations ", " Name"}},
                                         {HINT_TEXT, false, {"Duration ", "Grid Size"}},
                                         {HINT_PROCESS, false, {PROFILING}}};

#define ANY_PROCESS SIZE_MAX

struct nvprof {
    struct sms__profile_reader reader;
    const char *process; /* the process whose results follow; "" */
    struct process {
        char id[24];
        const char *name;
    } * process_seen;                       /* [processes] of this file */
    size_t processes, current;              /* current: index of the one whose results follow */
    size_t rows;                            /* of this file */
    struct sms__string_pool groups, values; /* groups: values are numbers of drafts, from 1 */
};

/* The group of a kernel: the metrics that tables give for it. Processes are numbered within each file, because the
 * files of a program come from separate runs. A kernel's first group is also registered without process, and without
 * device. */
static struct sms__pooled_string *group_of(struct nvprof *nvprof, size_t process, const char *device,
                                           const char *kernel)
{
    const struct {
        size_t process;
        const char *device, *kernel;
    } key = {process, device, kernel}; /* interned */
    return sms__intern(&nvprof->groups, (const char *)&key, sizeof key);
}

static void set_group(struct nvprof *nvprof, size_t process, const char *device, const char *kernel)
{
    struct sms__pooled_string *name = group_of(nvprof, process, device, kernel);
    if (!name->value)
        name->value = nvprof->reader.drafts;
}

static struct sms__launch_draft *new_launch(struct nvprof *nvprof)
{
    struct sms__launch_draft *draft = sms__launch_new(&nvprof->reader);
    if (draft) {
        draft->process = nvprof->current;
        draft->place.process = nvprof->process;
    }
    return draft;
}

static struct sms__launch_draft *group_of_row(struct nvprof *nvprof)
{
    struct sms__profile_reader *reader = &nvprof->reader;
    const char *kernel = sms__intern_text(&reader->strings, sms__header_field(reader, SMS__COLUMN_KERNEL));
    const char *device = sms__intern_text(&reader->strings, sms__header_field(reader, SMS__COLUMN_DEVICE));
    size_t value = group_of(nvprof, nvprof->current, device, kernel)->value;
    struct sms__launch_draft *draft = value ? &reader->draft[value - 1] : new_launch(nvprof);
    if (draft && !value) {
        draft->grouped = true;
        set_group(nvprof, nvprof->current, device, kernel);
        set_group(nvprof, ANY_PROCESS, device, kernel);
        set_group(nvprof, ANY_PROCESS, NULL, kernel);
    }
    return draft;
}

/* Whether this is the group's first value of the metric. nvprof prints one for each process. */
static bool is_first_value(struct nvprof *nvprof, const struct sms__launch_draft *draft, const char *metric)
{
    const struct {
        size_t draft;
        const char *metric;
    } key = {draft->index, metric}; /* interned */
    return sms__intern(&nvprof->values, (const char *)&key, sizeof key)->value++ == 0;
}

/* Reads the mean of a metric. Reports a text that nvprof would not write there. */
static bool read_mean(struct sms__profile_reader *reader, const char *name, struct sms__profile_metric *out)
{
    struct sms__number number;
    size_t i = reader->table.first_column[SMS__COLUMN_AVG];
    const char *text = sms__rows_field(reader->rows, i);
    if (sms__number_read(text, SMS__DECIMAL_POINT, &number) == SMS__NUMBER_TEXT) {
        SMS__COMPLAIN(reader, i, "'%.40s' is neither a number nor a level such as 'High (7)'", text);
        return false;
    }
    return sms__row_value(reader, i, name, "", out);
}

static void read_metric(struct nvprof *nvprof)
{
    struct sms__profile_reader *reader = &nvprof->reader;
    struct sms__profile_metric metric;
    uint64_t count = 1;
    if (!*sms__header_field(reader, SMS__COLUMN_KERNEL)) {
        SMS__COMPLAIN(reader, reader->table.first_column[SMS__COLUMN_KERNEL], "the metric has no kernel");
        return;
    }
    struct sms__launch_draft *draft = group_of_row(nvprof);
    if (!draft)
        return;
    nvprof->rows++;
    sms__row_whole(reader, SMS__COLUMN_COUNT, &count);
    draft->launch.count = count > draft->launch.count ? count : draft->launch.count;
    const char *name = sms__intern_text(&reader->strings, sms__header_field(reader, SMS__COLUMN_METRIC_NAME));
    if (read_mean(reader, name, &metric) && is_first_value(nvprof, draft, name))
        sms__launch_add(reader, draft, metric);
}

static void read_copy(struct nvprof *nvprof, const char *name)
{
    struct sms__profile_reader *reader = &nvprof->reader;
    bool to_device = strstr(name, "HtoD") || strstr(name, "HtoA");
    if (!to_device && !strstr(name, "DtoH") && !strstr(name, "AtoH"))
        return; /* a memset, a copy within a device or between devices, page faults */
    struct sms__trace_place *place = SMS__NEW(reader->arena, struct sms__trace_place, 1);
    struct sms__profile_copy copy = {.to_device = to_device, .line = reader->rows->row_number, .place = place};
    place->process = nvprof->process;
    place->device = sms__intern_text(&reader->strings, sms__header_field(reader, SMS__COLUMN_DEVICE));
    copy.bytes = sms__row_bytes(reader, SMS__COLUMN_SIZE); /* the order of columns, and so of error messages */
    copy.start_s = sms__row_seconds(reader, SMS__COLUMN_START);
    copy.duration_s = sms__row_seconds(reader, SMS__COLUMN_DURATION);
    if (reader->copies < SMS__LAUNCHES_MAX) {
        *SMS__APPEND(reader->arena, reader->copy, reader->copies) = copy;
        return;
    }
    SMS__COMPLAIN(reader, 0, "more than %d copies; profile fewer", SMS__LAUNCHES_MAX);
    reader->limit_hit = true;
}

/* The name of a kernel without the correlation ID that traces append: "name(int) [1176]". */
static const char *without_correlation(struct sms__profile_reader *reader, const char *kernel)
{
    size_t length = strlen(kernel), end;
    if (length == 0 || kernel[length - 1] != ']')
        return kernel;
    for (end = length - 1; end > 0 && isdigit((unsigned char)kernel[end - 1]);)
        end--;
    if (end < 3 || end == length - 1 || kernel[end - 1] != '[' || kernel[end - 2] != ' ')
        return kernel;
    return sms__intern(&reader->strings, kernel, end - 2)->text;
}

static void read_dimensions(struct sms__profile_reader *reader, struct sms__profile_shape *shape)
{
    for (int i = 0; i < 3; i++) {
        sms__row_whole(reader, SMS__COLUMN_GRID_X + (enum sms__counter_column)i, &shape->grid[i]);
        sms__row_whole(reader, SMS__COLUMN_BLOCK_X + (enum sms__counter_column)i, &shape->block[i]);
    }
    sms__row_dimensions(reader, SMS__COLUMN_GRID, shape->grid);
    sms__row_dimensions(reader, SMS__COLUMN_BLOCK, shape->block);
}

static void read_launch(struct nvprof *nvprof)
{
    struct sms__profile_reader *reader = &nvprof->reader;
    const char *name = sms__header_field(reader, SMS__COLUMN_KERNEL);
    nvprof->rows++;
    if (*name == '[') {
        read_copy(nvprof, name);
        return;
    }
    if (!*name)
        SMS__COMPLAIN(reader, reader->table.first_column[SMS__COLUMN_KERNEL], "the kernel has no name");
    struct sms__launch_draft *draft = new_launch(nvprof);
    if (!draft)
        return;
    struct sms__profile_shape *shape = &draft->shape;
    shape->kernel = without_correlation(reader, shape->kernel);
    read_dimensions(reader, shape);
    sms__row_whole(reader, SMS__COLUMN_REGISTERS, &shape->registers);
    shape->static_shared = sms__row_bytes(reader, SMS__COLUMN_STATIC);
    shape->dynamic_shared = sms__row_bytes(reader, SMS__COLUMN_DYNAMIC);
    draft->launch.start_s = sms__row_seconds(reader, SMS__COLUMN_START);
    draft->launch.duration_s = sms__row_seconds(reader, SMS__COLUMN_DURATION);
    sms__launch_add_columns(reader, draft);
}

static bool is_units(struct sms__profile_reader *reader)
{
    if (reader->table.units_read)
        return false;
    const char *first = sms__rows_field(reader->rows, 0), *kernel = sms__header_field(reader, SMS__COLUMN_KERNEL);
    return !*kernel && (!*first || !isnan(sms__to_seconds(1, first)));
}

static void read_row(struct nvprof *nvprof)
{
    struct sms__profile_reader *reader = &nvprof->reader;
    struct sms__header *table = &reader->table;
    if (is_units(reader)) {
        sms__header_units(reader);
        return;
    }
    if (sms__row_is_cut(reader, table->columns))
        ;
    else if (sms__header_has(table, SMS__COLUMN_METRIC_NAME))
        read_metric(nvprof);
    else
        read_launch(nvprof);
    table->units_read = true;
}

/* The metrics of a launch's kernel: those of its process and device, otherwise of its device, otherwise of any device.
 */
static struct sms__launch_draft *metrics_of(struct nvprof *nvprof, const struct sms__launch_draft *draft)
{
    const char *device = draft->place.device, *kernel = draft->shape.kernel;
    size_t value = group_of(nvprof, draft->process, device, kernel)->value;
    if (!value)
        value = group_of(nvprof, ANY_PROCESS, device, kernel)->value;
    if (!value)
        value = group_of(nvprof, ANY_PROCESS, NULL, kernel)->value;
    return value ? &nvprof->reader.draft[value - 1] : NULL;
}

/* Launches of one kernel share its metrics. Metrics of kernels that no trace contains are kept as launches of unknown
 * geometry. */
static void join_metrics(void *user, const char *path)
{
    struct nvprof *nvprof = user;
    struct sms__profile_reader *reader = &nvprof->reader;
    bool *used = SMS__NEW(reader->arena, bool, reader->drafts + 1);
    size_t groups = 0, joined = 0, kept = 0;
    for (size_t i = 0; reader->draft && i < reader->drafts; i++) {
        struct sms__profile_launch *launch = &reader->draft[i].launch;
        groups += reader->draft[i].grouped;
        struct sms__launch_draft *group = reader->draft[i].grouped ? NULL : metrics_of(nvprof, &reader->draft[i]);
        if (!group || launch->metrics)
            continue;
        launch->metric = group->launch.metric;
        launch->metrics = group->launch.metrics;
        used[group->index] = true;
        joined++;
    }
    if (groups && groups < reader->drafts && !joined)
        sms__fail(reader->errors, SMS_EINPUT, path,
                  "the traces and the metrics have no kernel in common: the files come from different programs");
    for (size_t i = 0; reader->draft && i < reader->drafts; i++)
        if (!used[i])
            reader->draft[kept++] = reader->draft[i];
    reader->drafts = kept;
}

/* "==12== NVPROF is profiling process 12, command: ./a.out 7" names process "a.out (12)". */
static void take_process(struct nvprof *nvprof, const char *at)
{
    const struct sms__rows *rows = nvprof->reader.rows;
    const char *end = rows->line + rows->length, *command = sms__rows_find(rows, at, "command: ");
    int digits = (int)strspn(at, "0123456789");
    if (!command || digits == 0 || digits > 20)
        return;
    const char *name = command += strlen("command: ");
    for (; command < end && *command != ' '; command++)
        name = *command == '/' ? command + 1 : name;
    int length = command - name < 200 ? (int)(command - name) : 200;
    char text[256];
    snprintf(text, sizeof text, "%.*s (%.*s)", length, name, digits, at);
    nvprof->process = sms__intern_text(&nvprof->reader.strings, text);
    struct process *process = SMS__APPEND(nvprof->reader.arena, nvprof->process_seen, nvprof->processes);
    snprintf(process->id, sizeof process->id, "==%.*s==", digits, at);
    process->name = nvprof->process;
}

/* Switches to the process of a line such as "==12== Profiling result:". */
static void choose_process(struct nvprof *nvprof)
{
    for (size_t i = 0; i < nvprof->processes && sms__rows_starts_with(nvprof->reader.rows, "=="); i++)
        if (sms__rows_starts_with(nvprof->reader.rows, nvprof->process_seen[i].id)) {
            nvprof->process = nvprof->process_seen[i].name;
            nvprof->current = i;
        }
}

/* Takes lines that nvprof printed outside of tables. Returns whether this is one. */
static bool is_message(struct nvprof *nvprof)
{
    struct sms__profile_reader *reader = &nvprof->reader;
    const struct sms__rows *rows = reader->rows;
    const char *error = sms__rows_find(rows, rows->line, "== Error: ");
    const char *process = sms__rows_find(rows, rows->line, PROFILING);
    if (error && !reader->hints.mark[HINT_ERROR].line) {
        error += strlen("== Error: ");
        sms__hint_add(reader, HINT_ERROR, error,
                      sms__print(reader->arena, "the run failed, and nothing was profiled: '%.*s'; run it again",
                                 (int)(rows->line + rows->length - error), error));
    }
    sms__hints_find(reader, hints, sizeof hints / sizeof *hints);
    if (process)
        take_process(nvprof, process + strlen(PROFILING));
    choose_process(nvprof);
    return sms__rows_starts_with(rows, "==");
}

static const char *csv_header(const struct nvprof *nvprof)
{
    static const char *const starts[] = {"\"Device\",\"Kernel\"", "\"Device\",\"Context\"", "\"Start\",\"Duration\"",
                                         "\"Start\",\"Grid X\"", "\"Invocations\",\""};
    const struct sms__rows *rows = nvprof->reader.rows;
    const char *at = sms__rows_find_first(rows, starts, sizeof starts / sizeof *starts);
    if (at)
        return sms__header_start(rows, at);
    bool is_unquoted = sms__rows_starts_with(rows, "Device,Kernel,") || sms__rows_starts_with(rows, "Start,Duration,");
    return is_unquoted ? rows->line : NULL;
}

static bool take_header(struct nvprof *nvprof)
{
    struct sms__rows *rows = nvprof->reader.rows;
    struct sms__header *table = &nvprof->reader.table;
    const char *at = csv_header(nvprof);
    if (!at || !sms__rows_parse(rows, at, NULL) || !sms__header_open(&nvprof->reader))
        return false;
    if (sms__header_has(table, SMS__COLUMN_START) && !sms__header_has(table, SMS__COLUMN_GRID_X) &&
        !sms__header_has(table, SMS__COLUMN_GRID)) {
        sms__hint_add(&nvprof->reader, HINT_SUMMARY, rows->line, NULL);
        table->columns = 0;
        return true;
    }
    sms__hint_add(&nvprof->reader, HINT_HEADER, rows->line, NULL);
    return true;
}

/* Whether this line is a row of the table. Rows of a trace begin with a time or with units; other rows begin with a
 * quote if the header does. */
static bool is_row(const struct nvprof *nvprof)
{
    const struct sms__rows *rows = nvprof->reader.rows;
    const struct sms__header *table = &nvprof->reader.table;
    if (!rows->length || !sms__rows_find(rows, rows->line, ","))
        return false;
    if (sms__header_has(table, SMS__COLUMN_START))
        return isdigit((unsigned char)*rows->line) || !table->units_read;
    return !table->quoted || *rows->line == '"' || (!table->units_read && *rows->line == ',');
}

static void read_line(struct nvprof *nvprof)
{
    struct sms__profile_reader *reader = &nvprof->reader;
    if (!is_row(nvprof))
        return;
    if (sms__rows_parse(reader->rows, reader->rows->line, reader->errors) &&
        reader->rows->fields > 2) /* otherwise it is the program's output */
        read_row(nvprof);
}

static int read_one(struct sms__rows *rows, void *user)
{
    struct nvprof *nvprof = user;
    struct sms__profile_reader *reader = &nvprof->reader;
    size_t errors = reader->errors->count;
    reader->rows = rows;
    reader->table.columns = 0;
    reader->hints = (struct sms__hints){.advice = advice};
    nvprof->process = "";
    nvprof->processes = nvprof->current = 0;
    nvprof->rows = 0;
    while (sms__reads_on(reader) && sms__rows_next_line(rows))
        if (!is_message(nvprof) && !take_header(nvprof)) {
            if (reader->table.columns)
                read_line(nvprof);
            else
                sms__keep_gpu_line(reader);
        }
    if (nvprof->rows == 0 && reader->errors->count == errors)
        sms__hints_explain(reader, "contains no table of nvprof; run nvprof with --print-gpu-trace --csv or --metrics "
                                   "all --csv");
    return SMS_OK;
}

static int read_files(struct sms__arena *arena, const char *const *paths, size_t n, struct sms__profile *out,
                      struct sms_errors *errors)
{
    struct nvprof nvprof = {
        .reader = {.arena = arena, .errors = errors, .strings = {.arena = arena}, .is_nvprof = true},
        .groups = {.arena = arena},
        .values = {.arena = arena},
        .process = ""};
    return sms__profile_read(&nvprof.reader, paths, n, read_one, join_metrics, &nvprof, out);
}

const struct sms__importer sms__importer_nvprof = {
    .name = "nvprof", .help = "output of nvprof: metrics and traces", .files = "the files", .read = read_files};
