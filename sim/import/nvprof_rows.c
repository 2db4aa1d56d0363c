/* Rows of nvprof: metrics, launches, copies and benchmarks, and which metrics are of which launches. */
#include "nvprof.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* A group is what tables of metrics say of a kernel: in one process, numbered as in each file, as the files of a
 * program come from different runs. The first group of a kernel is also known without process, and without device. */
static struct sms__name *group_of(struct sms__nvprof *nvprof, size_t process, const char *device, const char *kernel)
{
    struct sms__intake *reader = &nvprof->reader;
    const char *key = sms__print(reader->arena, "group %zu\x1f%s\x1f%s", process, device, kernel);
    return sms__names_get(&reader->names, key, strlen(key));
}

static void set_group(struct sms__nvprof *nvprof, size_t process, const char *device, const char *kernel)
{
    struct sms__name *name = group_of(nvprof, process, device, kernel);
    if (!name->value)
        name->value = nvprof->reader.drafts;
}

static struct sms__draft *launch_new(struct sms__nvprof *nvprof)
{
    struct sms__draft *draft = sms__launch_new(&nvprof->reader);
    if (draft) {
        draft->process = nvprof->current;
        draft->launch.process = nvprof->process;
    }
    return draft;
}

static struct sms__draft *group_of_row(struct sms__nvprof *nvprof)
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
        set_group(nvprof, SMS__ANY_PROCESS, device, kernel);
        set_group(nvprof, SMS__ANY_PROCESS, "", kernel);
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
static bool first_time(struct sms__nvprof *nvprof, const struct sms__draft *draft, const char *metric)
{
    char key[300];
    snprintf(key, sizeof key, "metric %zu %.250s", draft->order, metric);
    struct sms__name *name = sms__names_get(&nvprof->reader.names, key, strlen(key));
    return name->value++ == 0;
}

/* A value in Min, Max or Avg; what is nothing of what nvprof writes there is complained of. */
static bool read_value(struct sms__nvprof *nvprof, enum sms__column column, const char *name,
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

static void read_metric(struct sms__nvprof *nvprof)
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

static void read_copy(struct sms__nvprof *nvprof, const char *name)
{
    struct sms__intake *reader = &nvprof->reader;
    bool to_device = strstr(name, "HtoD") || strstr(name, "HtoA");
    if (!to_device && !strstr(name, "DtoH") && !strstr(name, "AtoH"))
        return; /* a memset, within a device, between devices, page faults */
    struct sms__profile_copy copy = {.to_device = to_device, .line = reader->rows->row_number};
    copy.bytes = sms__intake_bytes(reader, SMS__COLUMN_SIZE); /* complaints come in this order */
    copy.start_s = sms__intake_seconds(reader, SMS__COLUMN_START);
    copy.duration_s = sms__intake_seconds(reader, SMS__COLUMN_DURATION);
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

static void read_launch(struct sms__nvprof *nvprof)
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
static void read_benchmark(struct sms__nvprof *nvprof)
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

void sms__nvprof_row(struct sms__nvprof *nvprof)
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

/* The metrics of a launch's kernel: in its process and on its device, else on its device, else on any. */
static struct sms__draft *metrics_of(struct sms__nvprof *nvprof, const struct sms__draft *draft)
{
    const char *device = draft->launch.device, *kernel = draft->launch.kernel;
    size_t value = group_of(nvprof, draft->process, device, kernel)->value;
    if (!value)
        value = group_of(nvprof, SMS__ANY_PROCESS, device, kernel)->value;
    if (!value)
        value = group_of(nvprof, SMS__ANY_PROCESS, "", kernel)->value;
    return value ? &nvprof->reader.draft[value - 1] : NULL;
}

/* Gives launches of traces the metrics of their kernels, which they share. Metrics of kernels that no trace has stay
 * as launches of unknown geometry. */
void sms__nvprof_join(struct sms__nvprof *nvprof, const char *path)
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
