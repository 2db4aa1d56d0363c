/* What Nsight Compute prints with --csv: the details page (a row a metric), the
 * raw page (a row a launch, units in the second), metrics of the command line,
 * summaries by kernel. Versions differ in columns, so that all are known by
 * name. Tables of columns that people have chosen from it are read too. */
#include "reader.h"

#include <ctype.h>
#include <string.h>

/* What stands between the tables, for when there are none. */
struct notes {
    unsigned connected;
    char text[6][200]; /* of the first line of each kind */
    struct sms__mark mark[6];
};

enum note { NOTE_ERROR, NOTE_NO_KERNELS, NOTE_PROCESS, NOTE_REPORT, NOTE_NVPROF, NOTE_HEADER };

struct ncu {
    struct sms__intake reader;
    struct notes notes;
    struct sms__ncu_report report;
    bool strict; /* the file has a header of ncu's own: others are the program's */
    const char *last_id, *last_process, *last_kernel;
    unsigned last_table;
    size_t last; /* the draft that the row before was of */
};

static void note(struct ncu *ncu, enum note kind, const char *at)
{
    const struct sms__rows *rows = ncu->reader.rows;
    struct notes *notes = &ncu->notes;
    if (notes->mark[kind].line)
        return;
    size_t length = (size_t)(rows->line + rows->length - at);
    notes->mark[kind] = sms__rows_mark(rows, at);
    snprintf(notes->text[kind], sizeof notes->text[kind], "%.*s", length < 199 ? (int)length : 199, at);
}

/* What an error says, its mark aside. */
static const char *without_mark(const char *text)
{
    text += strlen("==ERROR==");
    return text + strspn(text, " ");
}

/* Lines that are ncu's and no table. */
static bool is_message(struct ncu *ncu)
{
    const struct sms__rows *rows = ncu->reader.rows;
    const char *error = sms__rows_find(rows, rows->line, "==ERROR==");
    const char *warning = sms__rows_find(rows, rows->line, "==WARNING==");
    if (error)
        note(ncu, NOTE_ERROR, error);
    if (warning && sms__rows_find(rows, warning, "No kernels"))
        note(ncu, NOTE_NO_KERNELS, warning);
    if (sms__rows_begins(rows, "==PROF== Connected")) {
        note(ncu, NOTE_PROCESS, rows->line);
        ncu->notes.connected++;
    }
    if (sms__rows_begins(rows, "  Section: ") || sms__rows_begins(rows, "    Section: "))
        note(ncu, NOTE_REPORT, rows->line);
    if (sms__rows_find(rows, rows->line, "NVPROF is profiling") || sms__rows_begins(rows, "\"Device\",\"Kernel\"") ||
        sms__rows_begins(rows, "\"Start\",\"Duration\""))
        note(ncu, NOTE_NVPROF, rows->line);
    return error || warning || sms__rows_begins(rows, "==");
}

/* Where a header may begin in this line: behind output that ended without a line break, too. */
static const char *header_start(const struct ncu *ncu)
{
    static const char *const starts[] = {"\"ID\",\"Process ID\"", "\"Process ID\",\"Process Name\"",
                                         "\"Kernel Name\",\"", "\"ID\",\"Kernel Name\""};
    const struct sms__rows *rows = ncu->reader.rows;
    const char *at = sms__rows_first(rows, starts, sizeof starts / sizeof *starts);
    if (at)
        return at;
    bool first = !ncu->reader.table.columns && sms__rows_find(rows, rows->line, "ernel") != NULL;
    return first || sms__rows_begins(rows, "ID,") ? rows->line : NULL;
}

/* ncu's own headers have processes; a selection must tell something that launches have. */
static bool is_ours(const struct ncu *ncu)
{
    const struct sms__rows *rows = ncu->reader.rows;
    bool own = false, selection = false;
    for (size_t i = 0; i < rows->fields && i < SMS__ROWS_COLUMNS; i++) {
        const char *name = sms__rows_field(rows, i);
        own |= !strcmp(name, "Process ID") || !strcmp(name, "Metric Value");
        selection |= sms__is_fact(name);
    }
    return own || (selection && !ncu->strict);
}

static bool take_header(struct ncu *ncu)
{
    const char *at = header_start(ncu);
    struct sms__rows *rows = ncu->reader.rows;
    if (!at || sms__rows_take(rows, at) != SMS__ROW_FINE)
        return false;
    if (!is_ours(ncu) || !sms__header_open(&ncu->reader))
        return false;
    note(ncu, NOTE_HEADER, rows->line);
    return true;
}

static const char *skip_digits(const char *c)
{
    while (isdigit((unsigned char)*c))
        c++;
    return c;
}

/* "12"," at c. */
static bool is_quoted_number(const char *c)
{
    const char *end = skip_digits(c + 1);
    return *c == '"' && end > c + 1 && !strncmp(end, "\",\"", 3);
}

/* Where a row may begin in this line, or NULL. */
static const char *row_start(const struct ncu *ncu)
{
    const struct sms__rows *rows = ncu->reader.rows;
    const struct sms__header *table = &ncu->reader.table;
    if (!table->quoted)
        return rows->length &&
                       (table->at[SMS__COLUMN_ID] != 0 || isdigit((unsigned char)*rows->line) || *rows->line == ',')
                   ? rows->line
                   : NULL;
    bool units = !table->units_read && sms__rows_begins(rows, "\"\",");
    if (units || (*rows->line == '"' && (table->at[SMS__COLUMN_ID] != 0 || is_quoted_number(rows->line))))
        return rows->line;
    const char *at = sms__rows_find(rows, rows->line, "\",\"");
    if (table->at[SMS__COLUMN_ID] != 0 || !at)
        return NULL;
    while (at > rows->line && isdigit((unsigned char)at[-1]))
        at--;
    /* Behind output that ended without a line break. */
    bool behind = at > rows->line && is_quoted_number(at - 1) && is_quoted_number(skip_digits(at) + 2);
    return behind ? at - 1 : NULL;
}

static bool is_cut(struct ncu *ncu, enum sms__column needed)
{
    struct sms__intake *reader = &ncu->reader;
    if (reader->rows->fields > reader->table.at[needed])
        return false;
    SMS__COMPLAIN(reader, reader->rows->fields - 1, "the row ends after %zu of %zu columns: the file is cut off",
                  reader->rows->fields, reader->table.columns);
    return true;
}

static struct sms__draft *new_launch(struct ncu *ncu)
{
    struct sms__intake *reader = &ncu->reader;
    struct sms__draft *draft = sms__launch_new(reader);
    if (!draft)
        return NULL;
    if (!*draft->launch.kernel)
        SMS__COMPLAIN(reader, reader->table.at[SMS__COLUMN_KERNEL], "the kernel has no name");
    sms__intake_dimensions(reader, SMS__COLUMN_GRID, draft->launch.grid);
    sms__intake_dimensions(reader, SMS__COLUMN_BLOCK, draft->launch.block);
    sms__intake_whole(reader, SMS__COLUMN_COUNT, &draft->launch.count);
    if (draft->launch.count == 0)
        SMS__COMPLAIN(reader, reader->table.at[SMS__COLUMN_COUNT], "a kernel that ran 0 times");
    return draft;
}

static bool same_as_last(const struct ncu *ncu)
{
    const struct sms__intake *reader = &ncu->reader;
    return ncu->last_table == reader->table.number && sms__header_has(&reader->table, SMS__COLUMN_ID) &&
           !strcmp(ncu->last_id, sms__header_field(reader, SMS__COLUMN_ID)) &&
           !strcmp(ncu->last_process, sms__header_field(reader, SMS__COLUMN_PROCESS_ID)) &&
           !strcmp(ncu->last_kernel, sms__header_field(reader, SMS__COLUMN_KERNEL));
}

/* What a launch is known by: its number in its process, or in summaries all that they tell apart. */
static struct sms__name *launch_key(struct ncu *ncu)
{
    static const enum sms__column parts[] = {SMS__COLUMN_ID,      SMS__COLUMN_PROCESS_ID, SMS__COLUMN_KERNEL,
                                             SMS__COLUMN_CONTEXT, SMS__COLUMN_STREAM,     SMS__COLUMN_DEVICE,
                                             SMS__COLUMN_GRID,    SMS__COLUMN_BLOCK};
    struct sms__intake *reader = &ncu->reader;
    size_t n = sms__header_has(&reader->table, SMS__COLUMN_ID) ? 3 : 8;
    const char *key = sms__print(reader->arena, "launch %u", reader->table.number);
    for (size_t i = 0; i < n; i++)
        key = sms__names_text(&reader->names,
                              sms__print(reader->arena, "%s\x1f%s", key, sms__header_field(reader, parts[i])));
    return sms__names_get(&reader->names, key, strlen(key));
}

/* The launch that the row is of, made if it is the first of its rows. */
static struct sms__draft *launch_of_row(struct ncu *ncu)
{
    struct sms__intake *reader = &ncu->reader;
    if (same_as_last(ncu))
        return &reader->draft[ncu->last];
    struct sms__name *name = launch_key(ncu);
    if (!name->value) {
        const char *key = name->text;
        if (!new_launch(ncu))
            return NULL;
        sms__names_get(&reader->names, key, strlen(key))->value = reader->drafts;
        ncu->last = reader->drafts - 1;
    } else
        ncu->last = name->value - 1;
    ncu->last_table = reader->table.number;
    ncu->last_id = sms__names_text(&reader->names, sms__header_field(reader, SMS__COLUMN_ID));
    ncu->last_process = sms__names_text(&reader->names, sms__header_field(reader, SMS__COLUMN_PROCESS_ID));
    ncu->last_kernel = reader->draft[ncu->last].launch.kernel;
    return &reader->draft[ncu->last];
}

/* A row of the details page or of a summary. */
static void read_metric(struct ncu *ncu)
{
    struct sms__intake *reader = &ncu->reader;
    const struct sms__header *table = &reader->table;
    bool summary = !sms__header_has(table, SMS__COLUMN_METRIC_VALUE);
    enum sms__column value = summary ? SMS__COLUMN_AVG : SMS__COLUMN_METRIC_VALUE;
    if (is_cut(ncu, SMS__COLUMN_METRIC_NAME))
        return;
    const char *text = sms__header_field(reader, SMS__COLUMN_METRIC_NAME);
    if (!*text || is_cut(ncu, value)) /* without a metric: a row of guidance */
        return;
    const char *name = sms__names_text(&reader->names, text);
    const char *unit = sms__names_text(&reader->names, sms__header_field(reader, SMS__COLUMN_METRIC_UNIT));
    struct sms__profile_metric metric, least, most;
    struct sms__draft *draft = reader->sniffing ? NULL : launch_of_row(ncu);
    if (!sms__intake_value(reader, table->at[value], name, unit, &metric) || !draft)
        return;
    if (summary && sms__header_has(table, SMS__COLUMN_MIN) && sms__header_has(table, SMS__COLUMN_MAX) &&
        sms__intake_value(reader, table->at[SMS__COLUMN_MIN], name, unit, &least) &&
        sms__intake_value(reader, table->at[SMS__COLUMN_MAX], name, unit, &most)) {
        metric.min = least.min;
        metric.max = most.max;
    }
    sms__launch_add(reader, draft, metric);
}

/* A row of the raw page. */
static void read_launch(struct ncu *ncu)
{
    struct sms__intake *reader = &ncu->reader;
    bool first = !reader->table.units_read;
    reader->table.units_read = true;
    if (first && !*sms__rows_field(reader->rows, 0) && !*sms__header_field(reader, SMS__COLUMN_KERNEL)) {
        sms__header_units(reader);
        return;
    }
    bool last = !*reader->rows->next && reader->rows->next[-1] != '\n';
    if (last && reader->rows->fields < reader->table.columns) {
        SMS__COMPLAIN(reader, reader->rows->fields - 1, "the row ends after %zu of %zu columns: the file is cut off",
                      reader->rows->fields, reader->table.columns);
        return;
    }
    struct sms__draft *draft = reader->sniffing ? &(struct sms__draft){0} : new_launch(ncu);
    if (draft)
        sms__launch_add_columns(reader, draft);
}

static void read_row(struct ncu *ncu, const char *at)
{
    struct sms__intake *reader = &ncu->reader;
    enum sms__row row = sms__rows_take(reader->rows, at);
    size_t last = reader->rows->fields ? reader->rows->fields - 1 : 0;
    if (row == SMS__ROW_FINE && reader->rows->fields < 3)
        return; /* the program's */
    if (row == SMS__ROW_UNCLOSED)
        SMS__COMPLAIN(reader, last, "a field in quotes that does not end");
    else if (row == SMS__ROW_TOO_LONG)
        SMS__COMPLAIN(reader, 0, "a row of more than %d MiB", SMS__ROWS_ROW_BYTES >> 20);
    else if (is_cut(ncu, SMS__COLUMN_KERNEL))
        return;
    else if (sms__header_has(&reader->table, SMS__COLUMN_METRIC_NAME))
        read_metric(ncu);
    else
        read_launch(ncu);
}

static void read_lines(struct ncu *ncu)
{
    struct sms__rows *rows = ncu->reader.rows;
    sms__rows_rewind(rows);
    ncu->reader.table.columns = 0;
    ncu->report = (struct sms__ncu_report){0};
    while (!ncu->reader.full && sms__rows_line(rows)) {
        enum sms__ncu_line line = is_message(ncu) ? SMS__NCU_TAKEN : sms__ncu_text_line(&ncu->reader, &ncu->report);
        if (line == SMS__NCU_ROW)
            read_metric(ncu);
        if (line != SMS__NCU_NOTHING || take_header(ncu))
            continue;
        const char *at = ncu->reader.table.columns ? row_start(ncu) : NULL;
        if (at)
            read_row(ncu, at);
        else
            sms__intake_printed(&ncu->reader);
    }
}

#define SAY(ncu, kind, ...) sms__error((ncu)->reader.errors, SMS_EINPUT, (ncu)->notes.mark[kind], __VA_ARGS__)

/* Why a file holds no launch, and what to do. */
static void explain_nothing(const struct ncu *ncu)
{
    const struct notes *notes = &ncu->notes;
    if (notes->mark[NOTE_ERROR].line)
        SAY(ncu, NOTE_ERROR, "the run failed, and nothing was profiled: '%s'; run it again",
            without_mark(notes->text[NOTE_ERROR]));
    else if (notes->mark[NOTE_NVPROF].line)
        SAY(ncu, NOTE_NVPROF, "this is of nvprof; read it with 'smsched import nvprof'");
    else if (notes->mark[NOTE_REPORT].line)
        SAY(ncu, NOTE_REPORT,
            "this is ncu's report in text, without a table of metric, unit and value below a line that names the "
            "kernel; run ncu with --csv, or print a report file with 'ncu --import FILE --csv'");
    else if (notes->mark[NOTE_HEADER].line)
        SAY(ncu, NOTE_HEADER,
            "a header without rows: nothing was profiled; look at ncu's filters (--kernel-name, "
            "--launch-skip, --launch-count)");
    else if (notes->mark[NOTE_NO_KERNELS].line)
        SAY(ncu, NOTE_NO_KERNELS,
            "nothing was profiled: no kernel was launched, or ncu's filters (--kernel-name, "
            "--launch-skip, --target-processes) left none");
    else if (notes->mark[NOTE_PROCESS].line)
        SAY(ncu, NOTE_PROCESS,
            "nothing was profiled: ncu was connected to %u process%s and printed no table; "
            "the run was stopped early, launched no kernel, or was not printed with --csv",
            notes->connected, notes->connected == 1 ? "" : "es");
    else
        sms__fail(ncu->reader.errors, SMS_EINPUT, ncu->reader.rows->path,
                  "holds no table of ncu's; run ncu with --csv (also --page raw), or print a report file with "
                  "'ncu --import FILE --csv'");
}

static int read_one(struct sms__rows *rows, void *user)
{
    struct ncu *ncu = user;
    struct sms__intake *reader = &ncu->reader;
    size_t errors = reader->errors->count, drafts = reader->drafts;
    reader->rows = rows;
    ncu->notes = (struct notes){0};
    ncu->strict = strstr(rows->text, "\"ID\",\"Process ID\"") != NULL;
    reader->points = reader->commas = 0;
    /* Twice, as what separates decimals is only known in the end. */
    struct sms_errors ignored = {0}, *kept = reader->errors;
    reader->sniffing = true;
    reader->errors = &ignored;
    read_lines(ncu);
    reader->sniffing = reader->full = false;
    reader->errors = kept;
    reader->decimal = sms__number_decimal(reader->points, reader->commas);
    ncu->notes = (struct notes){0};
    read_lines(ncu);
    for (size_t i = drafts; i < reader->drafts; i++)
        sms__launch_facts(reader, &reader->draft[i]);
    if (ncu->report.table != SMS__NCU_NO_TABLE)
        sms__error(reader->errors, SMS_EINPUT, sms__rows_mark(rows, rows->line),
                   "the report ends within a table: the file is cut off");
    if (reader->drafts == drafts && reader->errors->count == errors)
        explain_nothing(ncu);
    return SMS_OK;
}

int sms__read_ncu(struct sms__arena *arena, const char *const *paths, size_t n, struct sms__profile *out,
                  struct sms_errors *errors)
{
    struct ncu ncu = {.reader = {.arena = arena, .errors = errors, .names = {.arena = arena}}};
    *out = (struct sms__profile){.tool = "ncu"};
    for (size_t i = 0; i < n && !ncu.reader.full; i++) {
        int code = sms__rows_read(arena, paths[i], read_one, &ncu, errors);
        if (code == SMS_ENOMEM)
            return code;
    }
    if (errors->count)
        return errors->item[0].code;
    sms__intake_finish(&ncu.reader, out);
    return SMS_OK;
}
