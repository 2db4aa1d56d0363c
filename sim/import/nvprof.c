/* What nvprof prints: metrics and events by kernel, traces of launches and
 * copies, as CSV or as text; and tables of benchmarks by metrics that people
 * made of it. Of several files, the metrics go to the launches of traces. */
#include "reader.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum note { NOTE_ERROR, NOTE_NOTHING, NOTE_PROCESS, NOTE_SUMMARY, NOTE_NCU, NOTE_HEADER, NOTES };

enum {
    PROCESSES_MAX = 64,
    ANY_PROCESS = PROCESSES_MAX
}; /* whose names are known by their numbers; of more, the last */

struct notes {
    char text[NOTES][200]; /* of the first line of each kind */
    struct sms__mark mark[NOTES];
};

struct nvprof {
    struct sms__intake reader;
    struct sms__text_report text;
    struct notes notes;
    const char *process; /* whose results follow; "" */
    struct process {
        char id[24];
        const char *name;
    } seen[PROCESSES_MAX];     /* of this file */
    size_t processes, current; /* how many were seen, and whose results follow */
    size_t rows;               /* of this file */
    struct {
        const char *kernel, *device;
        size_t process, draft;
    } last;     /* the group of the row before */
    bool plain; /* the table is a text report's */
};

static void note(struct nvprof *nvprof, enum note kind, const char *at)
{
    const struct sms__rows *rows = nvprof->reader.rows;
    struct notes *notes = &nvprof->notes;
    if (notes->mark[kind].line)
        return;
    size_t length = (size_t)(rows->line + rows->length - at);
    notes->mark[kind] = sms__rows_mark(rows, at);
    snprintf(notes->text[kind], sizeof notes->text[kind], "%.*s", length < 199 ? (int)length : 199, at);
}

/* "==12== NVPROF is profiling process 12, command: ./a.out 7" makes "a.out (12)". */
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
    nvprof->process = sms__names_text(&nvprof->reader.names, text);
    struct process *process =
        &nvprof->seen[nvprof->processes < PROCESSES_MAX ? nvprof->processes++ : PROCESSES_MAX - 1];
    snprintf(process->id, sizeof process->id, "==%.*s==", digits, at);
    process->name = nvprof->process;
}

/* "==12== Profiling result:" */
static void choose_process(struct nvprof *nvprof)
{
    for (size_t i = 0; i < nvprof->processes; i++)
        if (sms__rows_begins(nvprof->reader.rows, nvprof->seen[i].id)) {
            nvprof->process = nvprof->seen[i].name;
            nvprof->current = i;
        }
}

/* Lines that are nvprof's and no table. */
static bool is_message(struct nvprof *nvprof)
{
    static const char profiling[] = "NVPROF is profiling process ";
    const struct sms__rows *rows = nvprof->reader.rows;
    const char *from = sms__rows_find(rows, rows->line, "== ");
    const char *error = from ? sms__rows_find(rows, from, "== Error: ") : NULL;
    const char *process = sms__rows_find(rows, rows->line, profiling);
    if (sms__rows_begins(rows, "==PROF==") || sms__rows_find(rows, rows->line, "\"ID\",\"Process ID\""))
        note(nvprof, NOTE_NCU, rows->line);
    if (error)
        note(nvprof, NOTE_ERROR, error + strlen("== Error: "));
    if (from && (sms__rows_find(rows, from, "No kernels were profiled") ||
                 sms__rows_find(rows, from, "No CUDA application was profiled")))
        note(nvprof, NOTE_NOTHING, rows->line);
    if (process) {
        note(nvprof, NOTE_PROCESS, rows->line);
        take_process(nvprof, process + strlen(profiling));
    }
    choose_process(nvprof);
    return sms__rows_begins(rows, "==");
}

static const char *csv_header(const struct nvprof *nvprof)
{
    static const char *const starts[] = {"\"Device\",\"Kernel\"", "\"Device\",\"Context\"", "\"Start\",\"Duration\"",
                                         "\"Start\",\"Grid X\"", "\"Invocations\",\""};
    const struct sms__rows *rows = nvprof->reader.rows;
    const char *at = sms__rows_first(rows, starts, sizeof starts / sizeof *starts);
    if (at)
        return at;
    bool plain = sms__rows_begins(rows, "benchmark name,") || sms__rows_begins(rows, "Device,Kernel,") ||
                 sms__rows_begins(rows, "Start,Duration,");
    return plain ? rows->line : NULL;
}

static bool take_header(struct nvprof *nvprof)
{
    struct sms__rows *rows = nvprof->reader.rows;
    struct sms__header *table = &nvprof->reader.table;
    const char *at = csv_header(nvprof);
    if (sms__rows_find(rows, rows->line, "Time(%)"))
        note(nvprof, NOTE_SUMMARY, rows->line);
    if (at && (sms__rows_take(rows, at) != SMS__ROW_FINE || !sms__header_open(&nvprof->reader)))
        return false;
    if (!at && !sms__text_header(&nvprof->reader, &nvprof->text))
        return false;
    if (sms__header_has(table, SMS__COLUMN_START) && !sms__header_has(table, SMS__COLUMN_GRID_X) &&
        !sms__header_has(table, SMS__COLUMN_GRID)) {
        note(nvprof, NOTE_SUMMARY, rows->line);
        table->columns = 0;
        return true;
    }
    nvprof->plain = !at;
    note(nvprof, NOTE_HEADER, rows->line);
    return true;
}

/* A group is what tables of metrics say of a kernel: in one process, numbered as in each file, as the files of a
 * program come from different runs. The first group of a kernel is also known without process, and without device. */
static struct sms__name *group_of(struct nvprof *nvprof, size_t process, const char *device, const char *kernel)
{
    struct sms__intake *reader = &nvprof->reader;
    const char *key = sms__print(reader->arena, "group %zu\x1f%s\x1f%s", process, device, kernel);
    return sms__names_get(&reader->names, key, strlen(key));
}

static void set_group(struct nvprof *nvprof, size_t process, const char *device, const char *kernel)
{
    struct sms__name *name = group_of(nvprof, process, device, kernel);
    if (!name->value)
        name->value = nvprof->reader.drafts;
}

static struct sms__draft *launch_new(struct nvprof *nvprof)
{
    struct sms__draft *draft = sms__launch_new(&nvprof->reader);
    if (draft) {
        draft->process = nvprof->current;
        draft->launch.process = nvprof->process;
    }
    return draft;
}

static struct sms__draft *group_of_row(struct nvprof *nvprof)
{
    struct sms__intake *reader = &nvprof->reader;
    const char *kernel = sms__names_text(&reader->names, sms__header_field(reader, SMS__COLUMN_KERNEL));
    const char *device = sms__names_text(&reader->names, sms__header_field(reader, SMS__COLUMN_DEVICE));
    if (kernel == nvprof->last.kernel && device == nvprof->last.device && nvprof->current == nvprof->last.process)
        return &reader->draft[nvprof->last.draft];
    size_t value = group_of(nvprof, nvprof->current, device, kernel)->value;
    struct sms__draft *draft = value ? &reader->draft[value - 1] : launch_new(nvprof);
    if (draft && !value) {
        draft->grouped = true;
        set_group(nvprof, nvprof->current, device, kernel);
        set_group(nvprof, ANY_PROCESS, device, kernel);
        set_group(nvprof, ANY_PROCESS, "", kernel);
    }
    if (draft) {
        nvprof->last.kernel = kernel;
        nvprof->last.device = device;
        nvprof->last.process = nvprof->current;
        nvprof->last.draft = draft->order;
    }
    return draft;
}

/* Whether this is the first time that the group gets this metric; nvprof says it once a process. */
static bool first_time(struct nvprof *nvprof, const struct sms__draft *draft, const char *metric)
{
    char key[300];
    snprintf(key, sizeof key, "metric %zu %.250s", draft->order, metric);
    struct sms__name *name = sms__names_get(&nvprof->reader.names, key, strlen(key));
    return name->value++ == 0;
}

/* A value in Min, Max or Avg; what is nothing of what nvprof writes there is complained of. */
static bool read_value(struct nvprof *nvprof, enum sms__column column, const char *name,
                       struct sms__profile_metric *out)
{
    struct sms__intake *reader = &nvprof->reader;
    struct sms__number number;
    size_t i = reader->table.at[column];
    const char *text = sms__rows_field(reader->rows, i);
    if (sms__number_read(text, SMS__DECIMAL_POINT, &number) == SMS__NUMBER_TEXT) {
        SMS__COMPLAIN(reader, i, "'%.40s' is neither a number nor a level as 'High (7)'", text);
        return false;
    }
    return sms__intake_value(reader, i, name, "", out);
}

/* Least and greatest in the unit of the mean: nvprof chooses one for each. */
static void set_range(struct sms__profile_metric *metric, const struct sms__profile_metric *least,
                      const struct sms__profile_metric *most)
{
    double low = least->min * sms__nvprof_scale(least->unit, metric->unit);
    double high = most->max * sms__nvprof_scale(most->unit, metric->unit);
    if (!isnan(low) && !isnan(high)) {
        metric->min = low;
        metric->max = high;
    }
}

static void read_metric(struct nvprof *nvprof)
{
    struct sms__intake *reader = &nvprof->reader;
    struct sms__profile_metric metric, least, most;
    uint64_t count = 1;
    if (!*sms__header_field(reader, SMS__COLUMN_KERNEL)) {
        SMS__COMPLAIN(reader, reader->table.at[SMS__COLUMN_KERNEL], "a metric of no kernel");
        return;
    }
    struct sms__draft *draft = group_of_row(nvprof);
    if (!draft)
        return;
    nvprof->rows++;
    sms__intake_whole(reader, SMS__COLUMN_COUNT, &count);
    draft->launch.count = count > draft->launch.count ? count : draft->launch.count;
    const char *name = sms__names_text(&reader->names, sms__header_field(reader, SMS__COLUMN_METRIC_NAME));
    bool right = read_value(nvprof, SMS__COLUMN_AVG, name, &metric);
    bool range = read_value(nvprof, SMS__COLUMN_MIN, name, &least);
    range = read_value(nvprof, SMS__COLUMN_MAX, name, &most) && range;
    if (!right || !first_time(nvprof, draft, name))
        return;
    if (range)
        set_range(&metric, &least, &most);
    sms__launch_add(reader, draft, metric);
}

static void read_copy(struct nvprof *nvprof, const char *name)
{
    struct sms__intake *reader = &nvprof->reader;
    bool to_device = strstr(name, "HtoD") || strstr(name, "HtoA");
    if (!to_device && !strstr(name, "DtoH") && !strstr(name, "AtoH"))
        return; /* a memset, within a device, between devices, page faults */
    struct sms__profile_copy copy = {to_device, sms__intake_bytes(reader, SMS__COLUMN_SIZE),
                                     sms__intake_seconds(reader, SMS__COLUMN_START),
                                     sms__intake_seconds(reader, SMS__COLUMN_DURATION), reader->rows->row_number};
    sms__copy_add(reader, copy);
}

/* A kernel of a trace has its number of correlation behind it: "name(int) [1176]". */
static const char *without_number(struct sms__intake *reader, const char *kernel)
{
    size_t length = strlen(kernel), end;
    if (length == 0 || kernel[length - 1] != ']')
        return kernel;
    for (end = length - 1; end > 0 && isdigit((unsigned char)kernel[end - 1]);)
        end--;
    if (end < 3 || end == length - 1 || kernel[end - 1] != '[' || kernel[end - 2] != ' ')
        return kernel;
    return sms__names_get(&reader->names, kernel, end - 2)->text;
}

static void read_dimensions(struct sms__intake *reader, struct sms__profile_launch *launch)
{
    for (int i = 0; i < 3; i++) {
        sms__intake_whole(reader, SMS__COLUMN_GRID_X + (enum sms__column)i, &launch->grid[i]);
        sms__intake_whole(reader, SMS__COLUMN_BLOCK_X + (enum sms__column)i, &launch->block[i]);
    }
    sms__intake_dimensions(reader, SMS__COLUMN_GRID, launch->grid);
    sms__intake_dimensions(reader, SMS__COLUMN_BLOCK, launch->block);
}

static void read_launch(struct nvprof *nvprof)
{
    struct sms__intake *reader = &nvprof->reader;
    const char *name = sms__header_field(reader, SMS__COLUMN_KERNEL);
    nvprof->rows++;
    if (*name == '[') {
        read_copy(nvprof, name);
        return;
    }
    if (!*name)
        SMS__COMPLAIN(reader, reader->table.at[SMS__COLUMN_KERNEL], "the kernel has no name");
    struct sms__draft *draft = launch_new(nvprof);
    if (!draft)
        return;
    struct sms__profile_launch *launch = &draft->launch;
    launch->kernel = without_number(reader, launch->kernel);
    read_dimensions(reader, launch);
    sms__intake_whole(reader, SMS__COLUMN_REGISTERS, &launch->registers);
    launch->static_shared = sms__intake_bytes(reader, SMS__COLUMN_STATIC);
    launch->dynamic_shared = sms__intake_bytes(reader, SMS__COLUMN_DYNAMIC);
    launch->start_s = sms__intake_seconds(reader, SMS__COLUMN_START);
    launch->duration_s = sms__intake_seconds(reader, SMS__COLUMN_DURATION);
    sms__launch_add_columns(reader, draft);
}

/* A benchmark and its metrics. */
static void read_benchmark(struct nvprof *nvprof)
{
    struct sms__draft *draft = group_of_row(nvprof);
    nvprof->rows++;
    if (draft)
        sms__launch_add_columns(&nvprof->reader, draft);
}

static bool is_units(struct sms__intake *reader)
{
    if (reader->table.units_read)
        return false;
    const char *first = sms__rows_field(reader->rows, 0), *kernel = sms__header_field(reader, SMS__COLUMN_KERNEL);
    return !*kernel && (!*first || !isnan(sms__to_seconds(1, first)));
}

static void read_row(struct nvprof *nvprof)
{
    struct sms__intake *reader = &nvprof->reader;
    struct sms__rows *rows = reader->rows;
    struct sms__header *table = &reader->table;
    if (!nvprof->plain && is_units(reader)) {
        sms__header_units(reader);
        return;
    }
    if (rows->fields < table->columns)
        SMS__COMPLAIN(reader, rows->fields - 1, "the row ends after %zu of %zu columns: the file is cut off",
                      rows->fields, table->columns);
    else if (sms__header_has(table, SMS__COLUMN_METRIC_NAME))
        read_metric(nvprof);
    else if (sms__header_has(table, SMS__COLUMN_DEVICE) || sms__header_has(table, SMS__COLUMN_START))
        read_launch(nvprof);
    else
        read_benchmark(nvprof);
    table->units_read = true;
}

/* Whether this line is of the table: of a trace it begins with a time or units, else with a quote as the header does.
 */
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
    struct sms__intake *reader = &nvprof->reader;
    if (nvprof->plain) {
        if (sms__text_row(reader, &nvprof->text))
            read_row(nvprof);
        return;
    }
    if (!is_row(nvprof))
        return;
    enum sms__row row = sms__rows_take(reader->rows, reader->rows->line);
    if (row == SMS__ROW_UNCLOSED)
        SMS__COMPLAIN(reader, reader->rows->fields - (reader->rows->fields > 0), "a field in quotes that does not end");
    else if (row == SMS__ROW_TOO_LONG)
        SMS__COMPLAIN(reader, 0, "a row of more than %d MiB", SMS__ROWS_ROW_BYTES >> 20);
    else if (reader->rows->fields > 2) /* else the program's */
        read_row(nvprof);
}

#define SAY(nvprof, kind, ...) sms__error((nvprof)->reader.errors, SMS_EINPUT, (nvprof)->notes.mark[kind], __VA_ARGS__)

/* Why a file holds nothing, and what to do. */
static void explain_nothing(const struct nvprof *nvprof)
{
    const struct notes *notes = &nvprof->notes;
    if (notes->mark[NOTE_ERROR].line)
        SAY(nvprof, NOTE_ERROR, "the run failed, and nothing was profiled: '%s'; run it again",
            notes->text[NOTE_ERROR]);
    else if (notes->mark[NOTE_NOTHING].line)
        SAY(nvprof, NOTE_NOTHING,
            "nothing was profiled: the program launched no kernel, or nvprof's filters (--kernels, "
            "--devices) left none");
    else if (notes->mark[NOTE_NCU].line)
        SAY(nvprof, NOTE_NCU, "this is of ncu; read it with 'smsched import ncu'");
    else if (notes->mark[NOTE_SUMMARY].line)
        SAY(nvprof, NOTE_SUMMARY,
            "this is nvprof's summary or trace of API calls, which tells nothing of launches; run nvprof with "
            "--print-gpu-trace --csv, and again with --metrics all --csv");
    else if (notes->mark[NOTE_HEADER].line)
        SAY(nvprof, NOTE_HEADER,
            "a header without rows: nothing was profiled; look at nvprof's filters (--kernels, "
            "--devices)");
    else if (notes->mark[NOTE_PROCESS].line)
        SAY(nvprof, NOTE_PROCESS,
            "nothing was profiled: nvprof watched a process and printed no table; the run was "
            "stopped early, or it was not asked for --print-gpu-trace or --metrics");
    else
        sms__fail(nvprof->reader.errors, SMS_EINPUT, nvprof->reader.rows->path,
                  "holds no table of nvprof's; run nvprof with --print-gpu-trace --csv or --metrics all --csv");
}

static int read_one(struct sms__rows *rows, void *user)
{
    struct nvprof *nvprof = user;
    struct sms__intake *reader = &nvprof->reader;
    size_t errors = reader->errors->count;
    reader->rows = rows;
    reader->table.columns = 0;
    nvprof->notes = (struct notes){0};
    nvprof->text = (struct sms__text_report){SMS__TEXT_NONE, false, "", "", false};
    nvprof->plain = false;
    nvprof->process = "";
    nvprof->processes = nvprof->current = 0;
    nvprof->rows = 0;
    while (!reader->full && sms__rows_line(rows))
        if (!is_message(nvprof) && !take_header(nvprof)) {
            if (reader->table.columns)
                read_line(nvprof);
            else
                sms__intake_printed(reader);
        }
    if (nvprof->rows == 0 && reader->errors->count == errors)
        explain_nothing(nvprof);
    return SMS_OK;
}

/* The metrics of a launch's kernel: in its process and on its device, else on its device, else on any. */
static struct sms__draft *metrics_of(struct nvprof *nvprof, const struct sms__draft *draft)
{
    const char *device = draft->launch.device, *kernel = draft->launch.kernel;
    size_t value = group_of(nvprof, draft->process, device, kernel)->value;
    if (!value)
        value = group_of(nvprof, ANY_PROCESS, device, kernel)->value;
    if (!value)
        value = group_of(nvprof, ANY_PROCESS, "", kernel)->value;
    return value ? &nvprof->reader.draft[value - 1] : NULL;
}

/* Gives launches of traces the metrics of their kernels, which they share. Metrics of kernels that no trace has stay
 * as launches of unknown geometry. */
static void join(struct nvprof *nvprof, const char *path)
{
    struct sms__intake *reader = &nvprof->reader;
    bool *used = SMS__NEW(reader->arena, bool, reader->drafts + 1);
    size_t groups = 0, joined = 0, kept = 0;
    for (size_t i = 0; reader->draft && i < reader->drafts; i++) {
        struct sms__profile_launch *launch = &reader->draft[i].launch;
        groups += reader->draft[i].grouped;
        struct sms__draft *group = reader->draft[i].grouped ? NULL : metrics_of(nvprof, &reader->draft[i]);
        if (!group || launch->metrics)
            continue;
        launch->metric = group->launch.metric;
        launch->metrics = group->launch.metrics;
        used[group->order] = true;
        joined++;
    }
    if (groups && groups < reader->drafts && !joined)
        sms__fail(reader->errors, SMS_EINPUT, path,
                  "no kernel of the traces has metrics, and no kernel of the metrics is in a trace: the files are of "
                  "different programs");
    for (size_t i = 0; reader->draft && i < reader->drafts; i++)
        if (!used[i])
            reader->draft[kept++] = reader->draft[i];
    reader->drafts = kept;
}

int sms__read_nvprof(struct sms__arena *arena, const char *const *paths, size_t n, struct sms__profile *out,
                     struct sms_errors *errors)
{
    struct nvprof nvprof = {.reader = {.arena = arena, .errors = errors, .names = {.arena = arena}, .nvprof = true},
                            .process = ""};
    *out = (struct sms__profile){.tool = "nvprof"};
    for (size_t i = 0; i < n && !nvprof.reader.full; i++) {
        int code = sms__rows_read(arena, paths[i], read_one, &nvprof, errors);
        if (code == SMS_ENOMEM)
            return code;
    }
    if (!errors->count)
        join(&nvprof, paths[n - 1]);
    if (errors->count)
        return errors->item[0].code;
    if (nvprof.reader.drafts == 0)
        return sms__fail(errors, SMS_EINPUT, paths[0], "no kernel was launched: the trace is of copies alone");
    sms__intake_finish(&nvprof.reader, out);
    return SMS_OK;
}
