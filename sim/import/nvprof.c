/* Reads what nvprof prints, as CSV or as text: metrics and events by kernel, traces of launches and copies. Tables that
 * people made with a row of metrics for each benchmark are read too. If several files are given, the metrics are
 * assigned to the launches of the traces. */
#include "nvprof.h"

#include <ctype.h>
#include <string.h>

static void add_hint(struct sms__nvprof *nvprof, enum sms__nvprof_hint kind, const char *at)
{
    const struct sms__rows *rows = nvprof->reader.rows;
    struct sms__nvprof_hints *hints = &nvprof->hints;
    if (hints->mark[kind].line)
        return;
    size_t length = (size_t)(rows->line + rows->length - at);
    hints->mark[kind] = sms__rows_mark(rows, at);
    snprintf(hints->text[kind], sizeof hints->text[kind], "%.*s", length < 199 ? (int)length : 199, at);
}

/* "==12== NVPROF is profiling process 12, command: ./a.out 7" names process "a.out (12)". */
static void take_process(struct sms__nvprof *nvprof, const char *at)
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
    struct sms__nvprof_process *process =
        &nvprof->process_seen[nvprof->processes < SMS__PROCESSES_MAX ? nvprof->processes++ : SMS__PROCESSES_MAX - 1];
    snprintf(process->id, sizeof process->id, "==%.*s==", digits, at);
    process->name = nvprof->process;
}

/* Switches to the process of a line such as "==12== Profiling result:". */
static void choose_process(struct sms__nvprof *nvprof)
{
    for (size_t i = 0; i < nvprof->processes; i++)
        if (sms__rows_starts_with(nvprof->reader.rows, nvprof->process_seen[i].id)) {
            nvprof->process = nvprof->process_seen[i].name;
            nvprof->current = i;
        }
}

/* Takes lines that nvprof printed outside of tables. Returns whether this is one. */
static bool is_message(struct sms__nvprof *nvprof)
{
    static const char profiling[] = "NVPROF is profiling process ";
    const struct sms__rows *rows = nvprof->reader.rows;
    const char *from = sms__rows_find(rows, rows->line, "== ");
    const char *error = from ? sms__rows_find(rows, from, "== Error: ") : NULL;
    const char *process = sms__rows_find(rows, rows->line, profiling);
    if (sms__rows_starts_with(rows, "==PROF==") || sms__rows_find(rows, rows->line, "\"ID\",\"Process ID\""))
        add_hint(nvprof, SMS__HINT_NCU, rows->line);
    if (error)
        add_hint(nvprof, SMS__HINT_ERROR, error + strlen("== Error: "));
    if (from && (sms__rows_find(rows, from, "No kernels were profiled") ||
                 sms__rows_find(rows, from, "No CUDA application was profiled")))
        add_hint(nvprof, SMS__HINT_NOTHING, rows->line);
    if (process) {
        add_hint(nvprof, SMS__HINT_PROCESS, rows->line);
        take_process(nvprof, process + strlen(profiling));
    }
    choose_process(nvprof);
    return sms__rows_starts_with(rows, "==");
}

static const char *csv_header(const struct sms__nvprof *nvprof)
{
    static const char *const starts[] = {"\"Device\",\"Kernel\"", "\"Device\",\"Context\"", "\"Start\",\"Duration\"",
                                         "\"Start\",\"Grid X\"", "\"Invocations\",\""};
    const struct sms__rows *rows = nvprof->reader.rows;
    const char *at = sms__rows_find_first(rows, starts, sizeof starts / sizeof *starts);
    if (at)
        return at;
    bool is_unquoted = sms__rows_starts_with(rows, "benchmark name,") ||
                       sms__rows_starts_with(rows, "Device,Kernel,") || sms__rows_starts_with(rows, "Start,Duration,");
    return is_unquoted ? rows->line : NULL;
}

static bool take_header(struct sms__nvprof *nvprof)
{
    struct sms__rows *rows = nvprof->reader.rows;
    struct sms__header *table = &nvprof->reader.table;
    const char *at = csv_header(nvprof);
    if (sms__rows_find(rows, rows->line, "Time(%)"))
        add_hint(nvprof, SMS__HINT_SUMMARY, rows->line);
    if (at && (sms__rows_parse(rows, at) != SMS__ROW_OK || !sms__header_open(&nvprof->reader)))
        return false;
    if (!at && !sms__text_header(&nvprof->reader, &nvprof->text))
        return false;
    if (sms__header_has(table, SMS__COLUMN_START) && !sms__header_has(table, SMS__COLUMN_GRID_X) &&
        !sms__header_has(table, SMS__COLUMN_GRID)) {
        add_hint(nvprof, SMS__HINT_SUMMARY, rows->line);
        table->columns = 0;
        return true;
    }
    nvprof->is_text_report = !at;
    add_hint(nvprof, SMS__HINT_HEADER, rows->line);
    return true;
}

/* Whether this line is a row of the table. Rows of a trace begin with a time or with units; other rows begin with a
 * quote if the header does. */
static bool is_row(const struct sms__nvprof *nvprof)
{
    const struct sms__rows *rows = nvprof->reader.rows;
    const struct sms__header *table = &nvprof->reader.table;
    if (!rows->length || !sms__rows_find(rows, rows->line, ","))
        return false;
    if (sms__header_has(table, SMS__COLUMN_START))
        return isdigit((unsigned char)*rows->line) || !table->units_read;
    return !table->quoted || *rows->line == '"' || (!table->units_read && *rows->line == ',');
}

static void read_line(struct sms__nvprof *nvprof)
{
    struct sms__profile_reader *reader = &nvprof->reader;
    if (nvprof->is_text_report) {
        if (sms__text_row(reader, &nvprof->text))
            sms__nvprof_row(nvprof);
        return;
    }
    if (!is_row(nvprof))
        return;
    enum sms__row_status row = sms__rows_parse(reader->rows, reader->rows->line);
    if (row == SMS__ROW_UNCLOSED)
        SMS__COMPLAIN(reader, reader->rows->fields - (reader->rows->fields > 0), "this quoted field is never closed");
    else if (row == SMS__ROW_TOO_LONG)
        SMS__COMPLAIN(reader, 0, "the row is larger than %d MiB", SMS__ROWS_ROW_BYTES >> 20);
    else if (reader->rows->fields > 2) /* otherwise it is the program's output */
        sms__nvprof_row(nvprof);
}

#define EXPLAIN(nvprof, kind, ...)                                                                                     \
    sms__error((nvprof)->reader.errors, SMS_EINPUT, (nvprof)->hints.mark[kind], __VA_ARGS__)

/* Reports why a file has no launches, and what the user can do. */
static void explain_nothing(const struct sms__nvprof *nvprof)
{
    const struct sms__nvprof_hints *hints = &nvprof->hints;
    if (hints->mark[SMS__HINT_ERROR].line)
        EXPLAIN(nvprof, SMS__HINT_ERROR, "the run failed, and nothing was profiled: '%s'; run it again",
                hints->text[SMS__HINT_ERROR]);
    else if (hints->mark[SMS__HINT_NOTHING].line)
        EXPLAIN(nvprof, SMS__HINT_NOTHING,
                "nothing was profiled: the program launched no kernel, or nvprof's filters (--kernels, "
                "--devices) left none");
    else if (hints->mark[SMS__HINT_NCU].line)
        EXPLAIN(nvprof, SMS__HINT_NCU, "this is output of ncu; read it with 'smsched import ncu'");
    else if (hints->mark[SMS__HINT_SUMMARY].line)
        EXPLAIN(nvprof, SMS__HINT_SUMMARY,
                "this is nvprof's summary or trace of API calls, which has no launches; run nvprof with "
                "--print-gpu-trace --csv, and again with --metrics all --csv");
    else if (hints->mark[SMS__HINT_HEADER].line)
        EXPLAIN(nvprof, SMS__HINT_HEADER,
                "a header without rows: nothing was profiled; check nvprof's filters (--kernels, "
                "--devices)");
    else if (hints->mark[SMS__HINT_PROCESS].line)
        EXPLAIN(nvprof, SMS__HINT_PROCESS,
                "nothing was profiled: nvprof watched a process but printed no table; the run was "
                "stopped early, or nvprof ran without --print-gpu-trace and --metrics");
    else
        sms__fail(nvprof->reader.errors, SMS_EINPUT, nvprof->reader.rows->path,
                  "contains no table of nvprof; run nvprof with --print-gpu-trace --csv or --metrics all --csv");
}

static int read_one(struct sms__rows *rows, void *user)
{
    struct sms__nvprof *nvprof = user;
    struct sms__profile_reader *reader = &nvprof->reader;
    size_t errors = reader->errors->count;
    reader->rows = rows;
    reader->table.columns = 0;
    nvprof->hints = (struct sms__nvprof_hints){0};
    nvprof->text = (struct sms__text_report){SMS__TEXT_NONE, false, "", "", false};
    nvprof->is_text_report = false;
    nvprof->process = "";
    nvprof->processes = nvprof->current = 0;
    nvprof->rows = 0;
    while (!reader->limit_hit && sms__rows_next_line(rows))
        if (!is_message(nvprof) && !take_header(nvprof)) {
            if (reader->table.columns)
                read_line(nvprof);
            else
                sms__keep_gpu_line(reader);
        }
    if (nvprof->rows == 0 && reader->errors->count == errors)
        explain_nothing(nvprof);
    return SMS_OK;
}

int sms__read_nvprof(struct sms__arena *arena, const char *const *paths, size_t n, struct sms__profile *out,
                     struct sms_errors *errors)
{
    struct sms__nvprof nvprof = {
        .reader = {.arena = arena, .errors = errors, .strings = {.arena = arena}, .is_nvprof = true}, .process = ""};
    *out = (struct sms__profile){.tool = "nvprof"};
    for (size_t i = 0; i < n && !nvprof.reader.limit_hit; i++) {
        int code = sms__rows_read(arena, paths[i], read_one, &nvprof, errors);
        if (code == SMS_ENOMEM)
            return code;
    }
    if (!errors->count)
        sms__nvprof_join_metrics(&nvprof, paths[n - 1]);
    if (errors->count)
        return errors->item[0].code;
    if (nvprof.reader.drafts == 0)
        return sms__fail(errors, SMS_EINPUT, paths[0], "no kernel was launched: the trace has only copies");
    sms__profile_finish(&nvprof.reader, out);
    return SMS_OK;
}
