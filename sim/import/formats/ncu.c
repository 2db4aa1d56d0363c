/* Reads what Nsight Compute prints with --csv: the details page (a row for each metric), the raw page (a row for each
 * launch, units in the second row), metrics of the command line and summaries by kernel. Columns differ by version, so
 * they are found by name. Tables that people made of chosen columns are read too. */
#include "../import.h"
#include "../reader.h"

#include <ctype.h>
#include <string.h>

/* The first of these explains a file without launches. */
enum hint {
    HINT_ERROR,
    HINT_NVPROF,
    HINT_SUMMARY,
    HINT_COLUMNS,
    HINT_REPORT,
    HINT_HEADER,
    HINT_NO_KERNELS,
    HINT_PROCESS
};

static const char *const advice[SMS__HINTS] = {
    [HINT_NVPROF] = "this is output of nvprof; read it with 'smsched import nvprof'",
    [HINT_SUMMARY] = "this is a summary (--print-summary) printed as text, which is not read; print it with --csv, or "
                     "leave --print-summary out",
    [HINT_REPORT] = "this is a text report of ncu; run ncu with --csv, or print a report file with "
                    "'ncu --import FILE --csv'",
    [HINT_HEADER] = "a header without rows: nothing was profiled; check ncu's filters (--kernel-name, --launch-skip, "
                    "--launch-count)",
    [HINT_NO_KERNELS] = "nothing was profiled: no kernel was launched, or ncu's filters (--kernel-name, "
                        "--launch-skip, --target-processes) left none"};

static const struct sms__hint hints[] = {{HINT_NO_KERNELS, false, {"==WARNING==", "No kernels"}},
                                         {HINT_REPORT, true, {"  Section: "}},
                                         {HINT_REPORT, true, {"    Section: "}},
                                         {HINT_SUMMARY, false, {"Metric Name ", "Minimum ", "Maximum "}},
                                         {HINT_NVPROF, false, {"NVPROF is profiling"}},
                                         {HINT_NVPROF, true, {"\"Device\",\"Kernel\""}},
                                         {HINT_NVPROF, true, {"\"Start\",\"Duration\""}}};

struct ncu {
    struct sms__profile_reader reader;
    unsigned connected; /* processes */
    bool strict;        /* the file has a header of ncu's own; other headers belong to the program's output */
    struct sms__string_pool launches; /* keys of launches; values are numbers of drafts, from 1 */
};

/* What helps against an error of ncu. */
static const char *advice_on(const struct sms__rows *rows, const char *error)
{
    static const struct {
        const char *error, *advice;
    } known[] = {
        {"ERR_NVGPUCTRPERM", "counters are for administrators: run ncu as root, or load the driver with "
                             "NVreg_RestrictProfilingToAdminUsers=0"},
        {"LaunchFailed", "a kernel failed while it was profiled: try the program under compute-sanitizer"},
        {"LaunchTimeout", "a kernel ran too long while it was profiled: profile fewer metrics or a smaller input"},
        {"memory", "there was no memory left to save and replay a kernel: profile a smaller input"},
        {"returned an error code", "the program failed: run it without ncu first"},
        {"Failed to find metric", "this GPU does not have the metric: 'ncu --query-metrics' lists those it has"},
        {"not supported", "this version of ncu does not know the GPU or the driver: install a newer one"},
        {"Profiling is not", "this version of ncu does not know the GPU or the driver: install a newer one"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (sms__rows_find(rows, error, known[i].error))
            return known[i].advice;
    return "run it again";
}

/* Takes lines that ncu printed outside of tables. Returns whether this is one. */
static bool is_message(struct ncu *ncu)
{
    struct sms__profile_reader *reader = &ncu->reader;
    const struct sms__rows *rows = reader->rows;
    const char *error = sms__rows_find(rows, rows->line, "==ERROR==");
    if (error && !reader->hints.mark[HINT_ERROR].line) {
        const char *text = error + strlen("==ERROR=="), *end = rows->line + rows->length;
        while (text < end && *text == ' ')
            text++;
        sms__hint_add(reader, HINT_ERROR, error,
                      sms__print(reader->arena, "the run failed, and nothing was profiled: '%.*s'; %s",
                                 (int)(end - text), text, advice_on(rows, text)));
    }
    sms__hints_find(reader, hints, sizeof hints / sizeof *hints);
    if (sms__rows_starts_with(rows, "==PROF== Connected")) {
        ncu->connected++;
        sms__hint_add(reader, HINT_PROCESS, rows->line, NULL);
    }
    return error || sms__rows_find(rows, rows->line, "==WARNING==") || sms__rows_starts_with(rows, "==");
}

/* Where a header begins in this line, or NULL. It can follow output that ended without a line break. */
static const char *header_start(const struct ncu *ncu)
{
    static const char *const starts[] = {"\"ID\",\"Process ID\"", "\"Process ID\",\"Process Name\"",
                                         "\"Kernel Name\",\"", "\"ID\",\"Kernel Name\""};
    const struct sms__rows *rows = ncu->reader.rows;
    const char *at = sms__rows_find_first(rows, starts, sizeof starts / sizeof *starts);
    if (at)
        return sms__header_start(rows, at);
    bool first = !ncu->reader.table.columns && sms__rows_find(rows, rows->line, "ernel") != NULL;
    return first || sms__rows_starts_with(rows, "ID,") ? rows->line : NULL;
}

/* Whether the row is the header of a table of launches: ncu's own headers have processes, and a table of chosen columns
 * must have a property of launches. */
static bool is_launch_table(const struct ncu *ncu)
{
    const struct sms__rows *rows = ncu->reader.rows;
    bool is_ncu_table = false, has_property = false;
    for (size_t i = 0; i < rows->fields && i < SMS__ROWS_COLUMNS; i++) {
        const char *name = sms__rows_field(rows, i);
        is_ncu_table |= !strcmp(name, "Process ID") || !strcmp(name, "Metric Value");
        has_property |= sms__launch_metric(name) != SMS__COLUMN_METRIC;
    }
    return is_ncu_table || (has_property && !ncu->strict);
}

/* The name of the column without which a row that is clearly a header of ncu makes no table; or NULL. */
static const char *missing_column(const struct ncu *ncu)
{
    const struct sms__rows *rows = ncu->reader.rows;
    bool kernels, name = false, value = false;
    size_t known = sms__header_known(&ncu->reader, &kernels);
    for (size_t i = 0; i < rows->fields && i < SMS__ROWS_COLUMNS; i++) {
        const char *text = sms__rows_field(rows, i);
        name |= !strcmp(text, "Metric Name");
        value |= !strcmp(text, "Metric Value") || !strcmp(text, "Average") || !strcmp(text, "Avg");
    }
    if (known < 4 || (kernels && name == value))
        return NULL;
    return !kernels ? "Kernel Name" : name ? "Metric Value" : "Metric Name";
}

static bool take_header(struct ncu *ncu)
{
    const char *at = header_start(ncu);
    struct sms__rows *rows = ncu->reader.rows;
    if (!at || !sms__rows_parse(rows, at, NULL))
        return false;
    const char *missing = missing_column(ncu);
    if (missing) {
        sms__hint_add(&ncu->reader, HINT_COLUMNS, rows->line,
                      sms__print(ncu->reader.arena, "this table of ncu has no column '%s'", missing));
        return false;
    }
    if (!is_launch_table(ncu) || !sms__header_open(&ncu->reader))
        return false;
    sms__hint_add(&ncu->reader, HINT_HEADER, rows->line, NULL);
    return true;
}

#define DIGITS "0123456789"

/* Whether a quoted number and another field begin at c: "12"," */
static bool is_quoted_number(const char *c)
{
    const char *end = c + 1 + strspn(c + 1, DIGITS);
    return *c == '"' && end > c + 1 && !strncmp(end, "\",\"", 3);
}

/* Where a row begins in this line, or NULL. */
static const char *row_start(const struct ncu *ncu)
{
    const struct sms__rows *rows = ncu->reader.rows;
    const struct sms__header *table = &ncu->reader.table;
    if (!table->quoted)
        return rows->length && (table->first_column[SMS__COLUMN_ID] != 0 || isdigit((unsigned char)*rows->line) ||
                                *rows->line == ',')
                   ? rows->line
                   : NULL;
    bool units = !table->units_read && sms__rows_starts_with(rows, "\"\",");
    if (units || (*rows->line == '"' && (table->first_column[SMS__COLUMN_ID] != 0 || is_quoted_number(rows->line))))
        return rows->line;
    const char *at = sms__rows_find(rows, rows->line, "\",\"");
    if (table->first_column[SMS__COLUMN_ID] != 0 || !at)
        return NULL;
    while (at > rows->line && isdigit((unsigned char)at[-1]))
        at--;
    /* The row can follow output that ended without a line break. */
    bool behind = at > rows->line && is_quoted_number(at - 1) && is_quoted_number(at + strspn(at, DIGITS) + 2);
    return behind ? at - 1 : NULL;
}

static bool is_truncated(struct ncu *ncu, enum sms__counter_column needed)
{
    return sms__row_is_cut(&ncu->reader, ncu->reader.table.first_column[needed] + 1);
}

static struct sms__launch_draft *new_launch(struct ncu *ncu)
{
    struct sms__profile_reader *reader = &ncu->reader;
    struct sms__launch_draft *draft = sms__launch_new(reader);
    if (!draft)
        return NULL;
    if (!*draft->shape.kernel)
        SMS__COMPLAIN(reader, reader->table.first_column[SMS__COLUMN_KERNEL], "the kernel has no name");
    sms__row_dimensions(reader, SMS__COLUMN_GRID, draft->shape.grid);
    sms__row_dimensions(reader, SMS__COLUMN_BLOCK, draft->shape.block);
    sms__row_whole(reader, SMS__COLUMN_COUNT, &draft->launch.count);
    if (draft->launch.count == 0)
        SMS__COMPLAIN(reader, reader->table.first_column[SMS__COLUMN_COUNT], "the kernel ran 0 times");
    return draft;
}

/* The entry of the row's launch: of its ID and process, or in summaries of all columns that tell kernels apart. */
static struct sms__pooled_string *entry_of_row(struct ncu *ncu)
{
    static const enum sms__counter_column parts[] = {SMS__COLUMN_ID,      SMS__COLUMN_PROCESS_ID, SMS__COLUMN_KERNEL,
                                                     SMS__COLUMN_CONTEXT, SMS__COLUMN_STREAM,     SMS__COLUMN_DEVICE,
                                                     SMS__COLUMN_GRID,    SMS__COLUMN_BLOCK};
    struct sms__profile_reader *reader = &ncu->reader;
    const char *key[9] = {0}; /* interned texts */
    const size_t n = sms__header_has(&reader->table, SMS__COLUMN_ID) ? 3 : 8;
    for (size_t i = 0; i < n; i++)
        key[i] = sms__intern_text(&reader->strings, sms__header_field(reader, parts[i]));
    key[8] = (const char *)reader->table.name; /* of this table */
    return sms__intern(&ncu->launches, (const char *)key, sizeof key);
}

/* The launch of the row, which is added if the row is its first. NULL if there are too many launches. */
static struct sms__launch_draft *launch_of_row(struct ncu *ncu)
{
    struct sms__pooled_string *entry = entry_of_row(ncu);
    if (!entry->value && !new_launch(ncu))
        return NULL;
    if (!entry->value)
        entry->value = ncu->reader.drafts;
    return &ncu->reader.draft[entry->value - 1];
}

/* Reads a row of the details page or of a summary. */
static void read_metric(struct ncu *ncu)
{
    struct sms__profile_reader *reader = &ncu->reader;
    const struct sms__header *table = &reader->table;
    enum sms__counter_column value =
        sms__header_has(table, SMS__COLUMN_METRIC_VALUE) ? SMS__COLUMN_METRIC_VALUE : SMS__COLUMN_AVG;
    if (is_truncated(ncu, SMS__COLUMN_METRIC_NAME))
        return;
    const char *text = sms__header_field(reader, SMS__COLUMN_METRIC_NAME);
    if (!*text || is_truncated(ncu, value)) /* a row without a metric is a rule's advice */
        return;
    const char *name = sms__intern_text(&reader->strings, text);
    const char *unit = sms__intern_text(&reader->strings, sms__header_field(reader, SMS__COLUMN_METRIC_UNIT));
    struct sms__profile_metric metric;
    struct sms__launch_draft *draft = reader->detecting_decimals ? NULL : launch_of_row(ncu);
    if (sms__row_value(reader, table->first_column[value], name, unit, &metric) && draft)
        sms__launch_add(reader, draft, metric);
}

/* Reads a row of the raw page. */
static void read_launch(struct ncu *ncu)
{
    struct sms__profile_reader *reader = &ncu->reader;
    bool first = !reader->table.units_read;
    reader->table.units_read = true;
    const size_t id = sms__header_has(&reader->table, SMS__COLUMN_ID) ? reader->table.first_column[SMS__COLUMN_ID] : 0;
    if (first && !*sms__rows_field(reader->rows, id) && !*sms__header_field(reader, SMS__COLUMN_KERNEL)) {
        sms__header_units(reader);
        return;
    }
    bool last = !*reader->rows->next && reader->rows->next[-1] != '\n';
    if (last && sms__row_is_cut(reader, reader->table.columns))
        return;
    struct sms__launch_draft *draft = reader->detecting_decimals ? &(struct sms__launch_draft){0} : new_launch(ncu);
    if (draft)
        sms__launch_add_columns(reader, draft);
}

static void read_row(struct ncu *ncu, const char *at)
{
    struct sms__profile_reader *reader = &ncu->reader;
    if (!sms__rows_parse(reader->rows, at, reader->errors) ||
        reader->rows->fields < 3 || /* otherwise it is the program's output */
        is_truncated(ncu, SMS__COLUMN_KERNEL))
        return;
    if (sms__header_has(&reader->table, SMS__COLUMN_METRIC_NAME))
        read_metric(ncu);
    else
        read_launch(ncu);
}

static void read_lines(struct ncu *ncu)
{
    struct sms__rows *rows = ncu->reader.rows;
    sms__rows_rewind(rows);
    ncu->reader.hints = (struct sms__hints){.advice = advice};
    ncu->connected = 0;
    ncu->reader.table.columns = 0;
    while (sms__reads_on(&ncu->reader) && sms__rows_next_line(rows)) {
        if (is_message(ncu) || take_header(ncu))
            continue;
        const char *at = ncu->reader.table.columns ? row_start(ncu) : NULL;
        if (at)
            read_row(ncu, at);
        else
            sms__keep_gpu_line(&ncu->reader);
    }
}

static int read_one(struct sms__rows *rows, void *user)
{
    struct ncu *ncu = user;
    struct sms__profile_reader *reader = &ncu->reader;
    size_t errors = reader->errors->count, drafts = reader->drafts;
    reader->rows = rows;
    ncu->strict = strstr(rows->text, "\"ID\",\"Process ID\"") != NULL;
    reader->points = reader->commas = 0;
    /* Reads the file twice, because its decimal separator is known only at the end. */
    struct sms_errors ignored = {0}, *kept = reader->errors;
    reader->detecting_decimals = true;
    reader->errors = &ignored;
    read_lines(ncu);
    reader->detecting_decimals = reader->limit_hit = false;
    reader->errors = kept;
    reader->decimal = sms__number_decimal(reader->points, reader->commas);
    read_lines(ncu);
    for (size_t i = drafts; i < reader->drafts; i++)
        sms__launch_fill(reader, &reader->draft[i]);
    if (ncu->connected)
        reader->hints.message[HINT_PROCESS] =
            sms__print(reader->arena,
                       "nothing was profiled: ncu connected to %u process%s but printed no table; the run was stopped "
                       "early, launched no kernel, or was not printed with --csv",
                       ncu->connected, ncu->connected == 1 ? "" : "es");
    if (reader->drafts == drafts && reader->errors->count == errors)
        sms__hints_explain(reader, "contains no table of ncu; run ncu with --csv (also --page raw), or print a report "
                                   "file with 'ncu --import FILE --csv'");
    return SMS_OK;
}

static int read_files(struct sms__arena *arena, const char *const *paths, size_t n, struct sms__profile *out,
                      struct sms_errors *errors)
{
    struct ncu ncu = {.reader = {.arena = arena, .errors = errors, .strings = {.arena = arena}},
                      .launches = {.arena = arena}};
    return sms__profile_read(&ncu.reader, paths, n, read_one, NULL, &ncu, out);
}

const struct sms__importer sms__importer_ncu = {
    .name = "ncu", .help = "output of Nsight Compute with --csv", .files = "the files", .read = read_files};
