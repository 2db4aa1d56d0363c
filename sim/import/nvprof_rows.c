/* Reads the rows of nvprof's tables (metrics, launches, copies, benchmarks) and assigns metrics to launches. */
#include "nvprof.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* The group of a kernel: the metrics that tables give for it. Processes are numbered within each file, because the
 * files of a program come from separate runs. A kernel's first group is also registered without process, and without
 * device. */
static struct sms__pooled_string *group_of(struct sms__nvprof *nvprof, size_t process, const char *device,
                                           const char *kernel)
{
    struct sms__profile_reader *reader = &nvprof->reader;
    const char *key = sms__print(reader->arena, "group %zu\x1f%s\x1f%s", process, device, kernel);
    return sms__intern(&reader->strings, key, strlen(key));
}

static void set_group(struct sms__nvprof *nvprof, size_t process, const char *device, const char *kernel)
{
    struct sms__pooled_string *name = group_of(nvprof, process, device, kernel);
    if (!name->value)
        name->value = nvprof->reader.drafts;
}

static struct sms__launch_draft *new_launch(struct sms__nvprof *nvprof)
{
    struct sms__launch_draft *draft = sms__launch_new(&nvprof->reader);
    if (draft) {
        draft->process = nvprof->current;
        draft->launch.process = nvprof->process;
    }
    return draft;
}

static struct sms__launch_draft *group_of_row(struct sms__nvprof *nvprof)
{
    struct sms__profile_reader *reader = &nvprof->reader;
    const char *kernel = sms__intern_text(&reader->strings, sms__header_field(reader, SMS__COLUMN_KERNEL));
    const char *device = sms__intern_text(&reader->strings, sms__header_field(reader, SMS__COLUMN_DEVICE));
    if (kernel == nvprof->last.kernel && device == nvprof->last.device && nvprof->current == nvprof->last.process)
        return &reader->draft[nvprof->last.draft];
    size_t value = group_of(nvprof, nvprof->current, device, kernel)->value;
    struct sms__launch_draft *draft = value ? &reader->draft[value - 1] : new_launch(nvprof);
    if (draft && !value) {
        draft->grouped = true;
        set_group(nvprof, nvprof->current, device, kernel);
        set_group(nvprof, SMS__ANY_PROCESS, device, kernel);
        set_group(nvprof, SMS__ANY_PROCESS, "", kernel);
    }
    if (draft) {
        nvprof->last.kernel = kernel;
        nvprof->last.device = device;
        nvprof->last.process = nvprof->current;
        nvprof->last.draft = draft->index;
    }
    return draft;
}

/* Whether this is the group's first value of the metric. nvprof prints one for each process. */
static bool is_first_value(struct sms__nvprof *nvprof, const struct sms__launch_draft *draft, const char *metric)
{
    char key[300];
    snprintf(key, sizeof key, "metric %zu %.250s", draft->index, metric);
    struct sms__pooled_string *name = sms__intern(&nvprof->reader.strings, key, strlen(key));
    return name->value++ == 0;
}

/* Reads a value of the columns Min, Max or Avg. Reports a text that nvprof would not write there. */
static bool read_value(struct sms__nvprof *nvprof, enum sms__column column, const char *name,
                       struct sms__profile_metric *out)
{
    struct sms__profile_reader *reader = &nvprof->reader;
    struct sms__number number;
    size_t i = reader->table.first_column[column];
    const char *text = sms__rows_field(reader->rows, i);
    if (sms__number_read(text, SMS__DECIMAL_POINT, &number) == SMS__NUMBER_TEXT) {
        SMS__COMPLAIN(reader, i, "'%.40s' is neither a number nor a level such as 'High (7)'", text);
        return false;
    }
    return sms__row_value(reader, i, name, "", out);
}

/* Sets minimum and maximum in the mean's unit: nvprof chooses a unit for each column. */
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

static void read_metric(struct sms__nvprof *nvprof)
{
    struct sms__profile_reader *reader = &nvprof->reader;
    struct sms__profile_metric metric, least, most;
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
    bool has_mean = read_value(nvprof, SMS__COLUMN_AVG, name, &metric);
    bool has_range = read_value(nvprof, SMS__COLUMN_MIN, name, &least);
    has_range = read_value(nvprof, SMS__COLUMN_MAX, name, &most) && has_range;
    if (!has_mean || !is_first_value(nvprof, draft, name))
        return;
    if (has_range)
        set_range(&metric, &least, &most);
    sms__launch_add(reader, draft, metric);
}

static void read_copy(struct sms__nvprof *nvprof, const char *name)
{
    struct sms__profile_reader *reader = &nvprof->reader;
    bool to_device = strstr(name, "HtoD") || strstr(name, "HtoA");
    if (!to_device && !strstr(name, "DtoH") && !strstr(name, "AtoH"))
        return; /* a memset, a copy within a device or between devices, page faults */
    struct sms__profile_copy copy = {.to_device = to_device, .line = reader->rows->row_number};
    copy.bytes = sms__row_bytes(reader, SMS__COLUMN_SIZE); /* the order of columns, and so of error messages */
    copy.start_s = sms__row_seconds(reader, SMS__COLUMN_START);
    copy.duration_s = sms__row_seconds(reader, SMS__COLUMN_DURATION);
    sms__copy_add(reader, copy);
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

static void read_dimensions(struct sms__profile_reader *reader, struct sms__profile_launch *launch)
{
    for (int i = 0; i < 3; i++) {
        sms__row_whole(reader, SMS__COLUMN_GRID_X + (enum sms__column)i, &launch->grid[i]);
        sms__row_whole(reader, SMS__COLUMN_BLOCK_X + (enum sms__column)i, &launch->block[i]);
    }
    sms__row_dimensions(reader, SMS__COLUMN_GRID, launch->grid);
    sms__row_dimensions(reader, SMS__COLUMN_BLOCK, launch->block);
}

static void read_launch(struct sms__nvprof *nvprof)
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
    struct sms__profile_launch *launch = &draft->launch;
    launch->kernel = without_correlation(reader, launch->kernel);
    read_dimensions(reader, launch);
    sms__row_whole(reader, SMS__COLUMN_REGISTERS, &launch->registers);
    launch->static_shared = sms__row_bytes(reader, SMS__COLUMN_STATIC);
    launch->dynamic_shared = sms__row_bytes(reader, SMS__COLUMN_DYNAMIC);
    launch->start_s = sms__row_seconds(reader, SMS__COLUMN_START);
    launch->duration_s = sms__row_seconds(reader, SMS__COLUMN_DURATION);
    sms__launch_add_columns(reader, draft);
}

/* Reads a row of a benchmark and its metrics. */
static void read_benchmark(struct sms__nvprof *nvprof)
{
    struct sms__launch_draft *draft = group_of_row(nvprof);
    nvprof->rows++;
    if (draft)
        sms__launch_add_columns(&nvprof->reader, draft);
}

static bool is_units(struct sms__profile_reader *reader)
{
    if (reader->table.units_read)
        return false;
    const char *first = sms__rows_field(reader->rows, 0), *kernel = sms__header_field(reader, SMS__COLUMN_KERNEL);
    return !*kernel && (!*first || !isnan(sms__to_seconds(1, first)));
}

void sms__nvprof_row(struct sms__nvprof *nvprof)
{
    struct sms__profile_reader *reader = &nvprof->reader;
    struct sms__rows *rows = reader->rows;
    struct sms__header *table = &reader->table;
    if (!nvprof->is_text_report && is_units(reader)) {
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

/* The metrics of a launch's kernel: those of its process and device, otherwise of its device, otherwise of any device.
 */
static struct sms__launch_draft *metrics_of(struct sms__nvprof *nvprof, const struct sms__launch_draft *draft)
{
    const char *device = draft->launch.device, *kernel = draft->launch.kernel;
    size_t value = group_of(nvprof, draft->process, device, kernel)->value;
    if (!value)
        value = group_of(nvprof, SMS__ANY_PROCESS, device, kernel)->value;
    if (!value)
        value = group_of(nvprof, SMS__ANY_PROCESS, "", kernel)->value;
    return value ? &nvprof->reader.draft[value - 1] : NULL;
}

/* Launches of one kernel share its metrics. Metrics of kernels that no trace contains are kept as launches of unknown
 * geometry. */
void sms__nvprof_join_metrics(struct sms__nvprof *nvprof, const char *path)
{
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
