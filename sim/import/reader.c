/* Finds the columns of a table by name and collects launches, copies and their values from its rows. */
#include "reader.h"

#include "../base/suffix.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { NCU = 1, NVPROF = 2, BOTH = NCU | NVPROF, VALUE = 4 };

/* Limits on the lines of a program's output that are kept, in bytes. */
enum { PRINTED_LINE = 200, PRINTED_MAX = 1000 };

/* Names of columns, and of metrics (VALUE) that give what a column gives elsewhere: on the details page and the raw
 * page of ncu, of all versions. A column that is not listed here is a metric. "kernel", "benchmark", "input" and "n"
 * come from tables that people made of ncu's reports. */
static const struct column_name {
    const char *name;
    enum sms__counter_column kind;
    int tools;
} column_names[] = {
    {"ID", SMS__COLUMN_ID, NCU},
    {"Process ID", SMS__COLUMN_PROCESS_ID, NCU},
    {"Process Name", SMS__COLUMN_PROCESS, NCU},
    {"benchmark", SMS__COLUMN_PROCESS, NCU},
    {"input", SMS__COLUMN_INPUT, NCU},
    {"n", SMS__COLUMN_COUNT, NCU},
    {"Invocations", SMS__COLUMN_COUNT, BOTH},
    {"Kernel Name", SMS__COLUMN_KERNEL, BOTH},
    {"Kernel", SMS__COLUMN_KERNEL, BOTH},
    {"Name", SMS__COLUMN_KERNEL, NVPROF},
    {"Device", SMS__COLUMN_DEVICE, BOTH},
    {"Context", SMS__COLUMN_CONTEXT, BOTH},
    {"Stream", SMS__COLUMN_STREAM, BOTH},
    {"Grid Size", SMS__COLUMN_GRID, BOTH},
    {"Block Size", SMS__COLUMN_BLOCK, BOTH},
    {"Grid X", SMS__COLUMN_GRID_X, NVPROF},
    {"Grid Y", SMS__COLUMN_GRID_Y, NVPROF},
    {"Grid Z", SMS__COLUMN_GRID_Z, NVPROF},
    {"Block X", SMS__COLUMN_BLOCK_X, NVPROF},
    {"Block Y", SMS__COLUMN_BLOCK_Y, NVPROF},
    {"Block Z", SMS__COLUMN_BLOCK_Z, NVPROF},
    {"Registers Per Thread", SMS__COLUMN_REGISTERS, NVPROF},
    {"Static SMem", SMS__COLUMN_STATIC, NVPROF},
    {"Dynamic SMem", SMS__COLUMN_DYNAMIC, NVPROF},
    {"Start", SMS__COLUMN_START, NVPROF},
    {"Duration", SMS__COLUMN_DURATION, NVPROF},
    {"Size", SMS__COLUMN_SIZE, NVPROF},
    {"Metric Name", SMS__COLUMN_METRIC_NAME, BOTH},
    {"Event Name", SMS__COLUMN_METRIC_NAME, NVPROF},
    {"Metric Unit", SMS__COLUMN_METRIC_UNIT, NCU},
    {"Metric Value", SMS__COLUMN_METRIC_VALUE, NCU},
    {"Avg", SMS__COLUMN_AVG, BOTH},
    {"Average", SMS__COLUMN_AVG, NCU},
    {"CC", SMS__COLUMN_CAPABILITY, NCU},
    {"device__attribute_display_name", SMS__COLUMN_GPU, NCU},
    {"Duration", SMS__COLUMN_DURATION, VALUE},
    {"gpu__time_duration.sum", SMS__COLUMN_DURATION, VALUE},
    {"gpu__time_duration.avg", SMS__COLUMN_DURATION, VALUE},
    {"gpu__time_duration.max", SMS__COLUMN_DURATION, VALUE},
    {"gpu__time_duration_measured_user.sum", SMS__COLUMN_DURATION, VALUE},
    {"gpu__time_duration", SMS__COLUMN_DURATION, VALUE},
    {"Registers Per Thread", SMS__COLUMN_REGISTERS, VALUE},
    {"launch__registers_per_thread", SMS__COLUMN_REGISTERS, VALUE},
    {"Static Shared Memory Per Block", SMS__COLUMN_STATIC, VALUE},
    {"launch__shared_mem_per_block_static", SMS__COLUMN_STATIC, VALUE},
    {"Dynamic Shared Memory Per Block", SMS__COLUMN_DYNAMIC, VALUE},
    {"launch__shared_mem_per_block_dynamic", SMS__COLUMN_DYNAMIC, VALUE},
    {"Grid Size", SMS__COLUMN_GRID, VALUE},
    {"launch__grid_size", SMS__COLUMN_GRID, VALUE},
    {"launch__grid_dim_x", SMS__COLUMN_GRID_X, VALUE},
    {"launch__grid_dim_y", SMS__COLUMN_GRID_Y, VALUE},
    {"launch__grid_dim_z", SMS__COLUMN_GRID_Z, VALUE},
    {"Block Size", SMS__COLUMN_BLOCK, VALUE},
    {"launch__block_size", SMS__COLUMN_BLOCK, VALUE},
    {"launch__block_dim_x", SMS__COLUMN_BLOCK_X, VALUE},
    {"launch__block_dim_y", SMS__COLUMN_BLOCK_Y, VALUE},
    {"launch__block_dim_z", SMS__COLUMN_BLOCK_Z, VALUE},
};

/* Columns that are not used: of ncu, of nvprof. */
static const char *const unused[2][13] = {{"Min", "Minimum", "Max", "Maximum", "Host Name", "Kernel Time",
                                           "Section Name", "Rule Name", "Rule Type", "Rule Description",
                                           "Estimated Speedup Type", "Estimated Speedup"},
                                          {"Min", "Max", "Total", "Metric Description", "Throughput", "SrcMemType",
                                           "DstMemType", "Correlation_ID", "Unified Memory", "Virtual Address"}};

static enum sms__counter_column kind_of(const struct sms__profile_reader *reader, const char *name)
{
    const char *const *words = unused[reader->is_nvprof];
    for (size_t i = 0; i < sizeof column_names / sizeof *column_names; i++)
        if ((column_names[i].tools & (reader->is_nvprof ? NVPROF : NCU)) && !strcasecmp(column_names[i].name, name))
            return column_names[i].kind;
    while (*words && strcasecmp(*words, name) != 0)
        words++;
    return *words ? SMS__COLUMN_IGNORED : SMS__COLUMN_METRIC;
}

enum sms__counter_column sms__launch_metric(const char *metric)
{
    for (size_t i = 0; i < sizeof column_names / sizeof *column_names; i++)
        if (column_names[i].tools == VALUE && !strcmp(column_names[i].name, metric))
            return column_names[i].kind;
    return SMS__COLUMN_METRIC;
}

size_t sms__header_known(const struct sms__profile_reader *reader, bool *kernels)
{
    size_t known = 0;
    *kernels = false;
    for (size_t i = 0; i < reader->rows->fields && i < SMS__ROWS_COLUMNS; i++) {
        enum sms__counter_column kind = kind_of(reader, sms__rows_field(reader->rows, i));
        *kernels |= kind == SMS__COLUMN_KERNEL;
        known += kind != SMS__COLUMN_METRIC;
    }
    return known;
}

const char *sms__header_start(const struct sms__rows *rows, const char *at)
{
    const char *c = rows->line, *end = at - 1;
    if (at == rows->line || *end != ',')
        return at;
    bool quoted = end - c >= 2 && *c == '"' && end[-1] == '"';
    for (c += quoted; c < end - quoted; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return at;
    return rows->line;
}

bool sms__header_open(struct sms__profile_reader *reader)
{
    const struct sms__rows *rows = reader->rows;
    bool kernels;
    size_t columns = rows->fields < SMS__ROWS_COLUMNS ? rows->fields : SMS__ROWS_COLUMNS;
    size_t known = sms__header_known(reader, &kernels);
    if (!kernels || columns < 3 || known < 2)
        return false;
    if (rows->fields > SMS__ROWS_COLUMNS) {
        SMS__COMPLAIN(reader, 0, "%zu columns; at most %d are allowed", rows->fields, SMS__ROWS_COLUMNS);
        reader->limit_hit = true;
    }
    struct sms__header *table = &reader->table;
    *table = (struct sms__header){.columns = columns, .quoted = *rows->from == '"'};
    table->kind = SMS__NEW(reader->arena, enum sms__counter_column, columns);
    table->name = SMS__NEW(reader->arena, const char *, columns);
    table->unit = SMS__NEW(reader->arena, const char *, columns);
    for (size_t i = 0; i < SMS__COLUMNS; i++)
        table->first_column[i] = SIZE_MAX;
    for (size_t i = columns; i-- > 0;) {
        table->name[i] = sms__intern_text(&reader->strings, sms__rows_field(rows, i));
        table->unit[i] = "";
        table->kind[i] = kind_of(reader, table->name[i]);
        table->first_column[table->kind[i]] = i;
    }
    return true;
}

bool sms__header_has(const struct sms__header *table, enum sms__counter_column column)
{
    return table->columns && table->first_column[column] != SIZE_MAX;
}

const char *sms__header_field(const struct sms__profile_reader *reader, enum sms__counter_column column)
{
    return sms__header_has(&reader->table, column) ? sms__rows_field(reader->rows, reader->table.first_column[column])
                                                   : "";
}

void sms__header_units(struct sms__profile_reader *reader)
{
    for (size_t i = 0; i < reader->table.columns; i++)
        reader->table.unit[i] = sms__intern_text(&reader->strings, sms__rows_field(reader->rows, i));
    reader->table.units_read = true;
}

void sms__hint_add(struct sms__profile_reader *reader, unsigned kind, const char *at, const char *message)
{
    struct sms__hints *hints = &reader->hints;
    if (hints->mark[kind].line)
        return;
    hints->mark[kind] = sms__rows_mark(reader->rows, at);
    hints->message[kind] = message;
}

void sms__hints_find(struct sms__profile_reader *reader, const struct sms__hint *hint, size_t count)
{
    const struct sms__rows *rows = reader->rows;
    for (; count-- > 0; hint++) {
        size_t i = 0;
        while (!hint->begins && i < 3 && hint->text[i] && sms__rows_find(rows, rows->line, hint->text[i]))
            i++;
        if (hint->begins ? sms__rows_starts_with(rows, hint->text[0]) : i == 3 || !hint->text[i])
            sms__hint_add(reader, hint->kind, rows->line, NULL);
    }
}

void sms__hints_explain(const struct sms__profile_reader *reader, const char *otherwise)
{
    const struct sms__hints *hints = &reader->hints;
    size_t k = 0;
    while (k < SMS__HINTS && !hints->mark[k].line)
        k++;
    if (k == SMS__HINTS)
        sms__fail(reader->errors, SMS_EINPUT, reader->rows->path, "%s", otherwise);
    else
        sms__error(reader->errors, SMS_EINPUT, hints->mark[k], "%s",
                   hints->message[k] ? hints->message[k] : hints->advice[k]);
}

bool sms__row_is_cut(struct sms__profile_reader *reader, size_t needed)
{
    const struct sms__rows *rows = reader->rows;
    if (rows->fields >= needed)
        return false;
    SMS__COMPLAIN(reader, rows->fields - 1, "the row ends after %zu of %zu columns: the file is cut off", rows->fields,
                  reader->table.columns);
    return true;
}

static const char *interned_field(struct sms__profile_reader *reader, enum sms__counter_column column)
{
    return sms__intern_text(&reader->strings, sms__header_field(reader, column));
}

/* "cfd_000 (10914)", or in a table of chosen columns "cfd 097K". */
static const char *process_of(struct sms__profile_reader *reader)
{
    const char *name = sms__header_field(reader, SMS__COLUMN_PROCESS);
    const char *id = sms__header_field(reader, SMS__COLUMN_PROCESS_ID);
    const char *input = sms__header_field(reader, SMS__COLUMN_INPUT);
    char text[512];
    if (*id)
        snprintf(text, sizeof text, *name ? "%.400s (%.40s)" : "%.0s%.40s", name, id);
    else
        snprintf(text, sizeof text, *input ? "%.400s %.100s" : "%.400s", name, input);
    return sms__intern_text(&reader->strings, text);
}

/* Keeps the first value of a column. */
static void keep_first(struct sms__profile_reader *reader, enum sms__counter_column column, const char **out)
{
    if (!*out && *sms__header_field(reader, column))
        *out = interned_field(reader, column);
}

void sms__keep_gpu_line(struct sms__profile_reader *reader)
{
    static const char *const brands[] = {"NVIDIA", "Tesla", "GeForce", "Quadro"};
    const struct sms__rows *rows = reader->rows;
    const char *before = reader->gpu_lines ? reader->gpu_lines : "";
    if (reader->detecting_decimals || rows->length > PRINTED_LINE || strlen(before) > PRINTED_MAX ||
        !sms__rows_find_first(rows, brands, sizeof brands / sizeof *brands))
        return;
    reader->gpu_lines = sms__print(reader->arena, "%s%.*s\n", before, (int)rows->length, rows->line);
}

/* The file that is being read. */
static const struct sms__profile_file *file_of(struct sms__profile_reader *reader)
{
    if (reader->file && reader->file->text == reader->rows->text)
        return reader->file;
    reader->file = SMS__NEW(reader->arena, struct sms__profile_file, 1);
    *reader->file = (struct sms__profile_file){reader->rows->path, reader->rows->text};
    return reader->file;
}

struct sms__launch_draft *sms__launch_new(struct sms__profile_reader *reader)
{
    if (reader->drafts == SMS__LAUNCHES_MAX) {
        SMS__COMPLAIN(reader, 0, "more than %d launches; profile fewer", SMS__LAUNCHES_MAX);
        reader->limit_hit = true;
        return NULL;
    }
    keep_first(reader, SMS__COLUMN_GPU, &reader->gpu);
    keep_first(reader, SMS__COLUMN_CAPABILITY, &reader->capability);
    struct sms__launch_draft *draft = SMS__APPEND(reader->arena, reader->draft, reader->drafts);
    draft->index = reader->drafts - 1;
    draft->place = (struct sms__trace_place){.process = process_of(reader),
                                             .device = interned_field(reader, SMS__COLUMN_DEVICE),
                                             .context = interned_field(reader, SMS__COLUMN_CONTEXT),
                                             .stream = interned_field(reader, SMS__COLUMN_STREAM)};
    draft->shape = (struct sms__profile_shape){
        .kernel = interned_field(reader, SMS__COLUMN_KERNEL), .static_shared = NAN, .dynamic_shared = NAN};
    draft->launch = (struct sms__profile_launch){
        .start_s = NAN, .duration_s = NAN, .count = 1, .line = reader->rows->row_number, .file = file_of(reader)};
    return draft;
}

void sms__launch_add(struct sms__profile_reader *reader, struct sms__launch_draft *draft,
                     struct sms__profile_metric metric)
{
    struct sms__profile_launch *launch = &draft->launch;
    if (reader->values == SMS__VALUES_MAX) {
        if (!reader->limit_hit)
            SMS__COMPLAIN(reader, 0, "more than %d values; profile fewer launches or fewer metrics", SMS__VALUES_MAX);
        reader->limit_hit = true;
        return;
    }
    if (launch->metrics == draft->capacity) {
        /* Launches of a file mostly have as many metrics as the launch before. */
        size_t before = draft->index ? draft[-1].launch.metrics : 0;
        draft->capacity = draft->capacity ? 2 * draft->capacity : before > 8 ? before : 8;
        launch->metric =
            sms__enlarge(reader->arena, launch->metric, launch->metrics, draft->capacity, sizeof *launch->metric);
    }
    launch->metric[launch->metrics++] = metric;
    reader->values++;
}

/* Whether the text is a list such as "0,1", not a number with decimals. */
static bool is_list(const char *name, const char *text)
{
    return strchr(text, ',') && (strstr(name, "IDs") || strstr(name, "_enabled"));
}

/* Whether the value is one of nvprof's levels, 0 to 10. Tables that people made have lost the words. */
static bool is_level(const struct sms__profile_reader *reader, const char *name, const struct sms__number *number)
{
    return reader->is_nvprof && sms__ends_with(name, "_utilization") && strcmp(name, "issue_slot_utilization") != 0 &&
           number->unit_length == 0 && number->value >= 0 && number->value <= 10 &&
           number->value == floor(number->value);
}

bool sms__row_value(struct sms__profile_reader *reader, size_t i, const char *name, const char *unit,
                    struct sms__profile_metric *out)
{
    const char *text = sms__rows_field(reader->rows, i);
    struct sms__number number;
    if (is_list(name, text))
        return false;
    if (reader->detecting_decimals) {
        sms__number_detect(text, &reader->points, &reader->commas);
        return false;
    }
    enum sms__number_kind kind = sms__number_read(text, reader->decimal, &number);
    if (kind == SMS__NUMBER_AMBIGUOUS)
        SMS__COMPLAIN(
            reader, i,
            "'%.40s' is ambiguous: the separator may be for thousands or for decimals, and the file uses it for "
            "both; profile again with LC_ALL=C",
            text);
    else if (kind == SMS__NUMBER_TEXT &&
             (sms__launch_metric(name) != SMS__COLUMN_METRIC || (*unit && isdigit((unsigned char)*text))))
        SMS__COMPLAIN(reader, i, "'%.40s' is not a number, but %.80s must be one", text, *name ? name : "a metric");
    if (kind == SMS__NUMBER_NONE && *text && reader->missing++ == 0)
        reader->missing_mark = sms__rows_field_mark(reader->rows, i);
    if (kind != SMS__NUMBER_VALUE && kind != SMS__NUMBER_LEVEL)
        return false;
    bool level = kind == SMS__NUMBER_LEVEL || is_level(reader, name, &number);
    *out = (struct sms__profile_metric){.name = name,
                                        .unit = unit,
                                        .kind = level ? SMS__VALUE_LEVEL : SMS__VALUE_NUMBER,
                                        .step = (float)number.step,
                                        .mean = number.value};
    if (number.unit_length)
        out->unit = sms__intern(&reader->strings, number.unit, number.unit_length)->text;
    return true;
}

void sms__launch_add_columns(struct sms__profile_reader *reader, struct sms__launch_draft *draft)
{
    const struct sms__header *table = &reader->table;
    struct sms__profile_metric metric;
    for (size_t i = 0; i < table->columns && i < reader->rows->fields && !reader->limit_hit; i++)
        if (table->kind[i] == SMS__COLUMN_METRIC && *table->name[i] &&
            sms__row_value(reader, i, table->name[i], table->unit[i], &metric))
            sms__launch_add(reader, draft, metric);
}

/* Reports what is wrong with the row's field in a column. */
static void complain_of(struct sms__profile_reader *reader, enum sms__counter_column column, const char *wrong)
{
    SMS__COMPLAIN(reader, reader->table.first_column[column], "'%.40s' %s", sms__header_field(reader, column), wrong);
}

void sms__row_dimensions(struct sms__profile_reader *reader, enum sms__counter_column column, uint64_t out[3])
{
    const char *text = sms__header_field(reader, column);
    uint64_t read[3];
    if (!*text || !strcmp(text, "-"))
        return;
    if (!sms__dimensions_read(text, reader->decimal, read))
        complain_of(reader, column, "is not a size of one to three whole numbers");
    else
        memcpy(out, read, sizeof read);
}

/* Reads a number of the row, with its own unit or that of its column. Returns whether there is one. */
static bool read_field(struct sms__profile_reader *reader, enum sms__counter_column column, struct sms__number *number,
                       const char **unit)
{
    enum sms__number_kind kind = sms__number_read(sms__header_field(reader, column), reader->decimal, number);
    if (kind != SMS__NUMBER_VALUE && kind != SMS__NUMBER_NONE)
        complain_of(reader, column, "is not a number");
    if (kind != SMS__NUMBER_VALUE)
        return false;
    *unit = number->unit_length ? sms__intern(&reader->strings, number->unit, number->unit_length)->text
                                : reader->table.unit[reader->table.first_column[column]];
    return true;
}

void sms__row_whole(struct sms__profile_reader *reader, enum sms__counter_column column, uint64_t *out)
{
    struct sms__number number;
    const char *unit;
    if (!read_field(reader, column, &number, &unit))
        return;
    if (number.value >= 0 && number.value <= 9007199254740992.0 && number.value == floor(number.value))
        *out = (uint64_t)number.value;
    else
        complain_of(reader, column, "is not a whole number of 0 or more");
}

static double read_in_unit(struct sms__profile_reader *reader, enum sms__counter_column column,
                           double (*to)(double, const char *), const char *what)
{
    struct sms__number number;
    const char *unit;
    if (!read_field(reader, column, &number, &unit))
        return NAN;
    double converted = to(number.value, unit);
    if (isnan(converted) && !*unit)
        complain_of(reader, column, "has no unit: the row of units after the header is missing");
    else if (isnan(converted))
        complain_of(reader, column, sms__print(reader->arena, "is in '%.20s', which is not a unit of %s", unit, what));
    else if (converted < 0) {
        complain_of(reader, column, "is less than 0");
        converted = NAN;
    }
    return to == sms__to_bytes ? sms__round_bytes(converted, to(number.step, unit)) : converted;
}

double sms__row_seconds(struct sms__profile_reader *reader, enum sms__counter_column column)
{
    return read_in_unit(reader, column, sms__to_seconds, "time");
}

double sms__row_bytes(struct sms__profile_reader *reader, enum sms__counter_column column)
{
    return read_in_unit(reader, column, sms__to_bytes, "bytes");
}
