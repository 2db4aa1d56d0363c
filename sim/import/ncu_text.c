/* Reads the text report that Nsight Compute prints without --csv: a line for each launch, followed by tables. A line of
 * dashes shows the columns of a table. Each row is passed on in the form of the CSV's details page. */
#include "reader.h"

#include <ctype.h>
#include <string.h>

static const char *const columns[] = {"Process ID", "Process Name", "Kernel Name", "Context",
                                      "Stream",     "Device",       "CC",          "Grid Size",
                                      "Block Size", "Metric Name",  "Metric Unit", "Metric Value"};

/* Columns before the metric's, in order. */
enum { PROCESS_ID, PROCESS, KERNEL, CONTEXT, STREAM, DEVICE, CAPABILITY, GRID, BLOCK };

static const char *intern_trimmed(struct sms__profile_reader *reader, const char *from, const char *to)
{
    while (from < to && *from == ' ')
        from++;
    while (to > from && to[-1] == ' ')
        to--;
    return sms__intern(&reader->strings, from, (size_t)(to - from))->text;
}

/* The last occurrence of `what` in [from, to), or NULL. */
static const char *find_last(const char *from, const char *to, const char *what)
{
    size_t length = strlen(what);
    for (const char *c = to; c >= from + length; c--)
        if (!memcmp(c - length, what, length))
            return c - length;
    return NULL;
}

/* Takes a line such as "[5] app@host". Returns whether it is one. */
static bool parse_process(struct sms__profile_reader *reader, struct sms__ncu_report *report)
{
    const struct sms__rows *rows = reader->rows;
    const char *end = rows->line + rows->length, *digits = rows->line + 1;
    size_t length = *rows->line == '[' ? strspn(digits, "0123456789") : 0;
    const char *at = find_last(rows->line, end, "@");
    if (length == 0 || digits[length] != ']' || !at || at < digits + length + 1)
        return false;
    report->field[PROCESS_ID] = intern_trimmed(reader, digits, digits + length);
    report->field[PROCESS] = intern_trimmed(reader, digits + length + 1, at);
    return true;
}

/* The text between `label` and the next comma; "" if the label is missing. */
static const char *labelled_value(struct sms__profile_reader *reader, const char *from, const char *label)
{
    const struct sms__rows *rows = reader->rows;
    const char *end = rows->line + rows->length, *value = sms__rows_find(rows, from, label);
    if (!value)
        return "";
    value += strlen(label);
    const char *comma = memchr(value, ',', (size_t)(end - value));
    return intern_trimmed(reader, value, comma ? comma : end);
}

/* Takes "name(int) (9, 32, 1)x(384, 1, 1)", or "name(int), 2020-Apr-16 17:54:38" from versions before 2022. */
static void parse_kernel(struct sms__profile_reader *reader, struct sms__ncu_report *report, const char *from,
                         const char *to)
{
    const char *between = find_last(from, to, ")x("), *grid = between ? find_last(from, between, "(") : NULL;
    const char *date = find_last(from, to, ", 20");
    report->field[GRID] = report->field[BLOCK] = "";
    if (grid && to[-1] == ')') {
        report->field[GRID] = intern_trimmed(reader, grid, between + 1);
        report->field[BLOCK] = intern_trimmed(reader, between + 2, to);
        to = grid;
    } else if (date && to - date > 8 && date[6] == '-')
        to = date;
    report->field[KERNEL] = intern_trimmed(reader, from, to);
}

static bool parse_launch(struct sms__profile_reader *reader, struct sms__ncu_report *report)
{
    struct sms__rows *rows = reader->rows;
    const char *end = rows->line + rows->length, *context = find_last(rows->line, end, ", Context ");
    if (!sms__rows_starts_with(rows, "  ") || rows->length < 3 || rows->line[2] == ' ' || !context ||
        !sms__rows_find(rows, context, ", Stream "))
        return false;
    sms__rows_start(rows, rows->line);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        sms__rows_add(rows, columns[i], strlen(columns[i]));
    if (!sms__header_open(reader))
        return false;
    parse_kernel(reader, report, rows->line + 2, context);
    report->field[CONTEXT] = labelled_value(reader, context, ", Context ");
    report->field[STREAM] = labelled_value(reader, context, ", Stream ");
    report->field[DEVICE] = labelled_value(reader, context, ", Device ");
    report->field[CAPABILITY] = labelled_value(reader, context, ", CC ");
    report->launch = true;
    report->table = SMS__NCU_NO_TABLE;
    return true;
}

/* Takes a line of three runs of dashes, which shows where the columns are. Returns whether it is one. */
static bool parse_dashes(const struct sms__rows *rows, struct sms__ncu_report *report)
{
    const char *c = rows->line, *end = c + rows->length;
    size_t runs = 0, start[3];
    while (c < end) {
        if (*c != ' ' && *c != '-')
            return false;
        if (*c == ' ') {
            c++;
            continue;
        }
        if (runs == 3)
            return false;
        start[runs++] = (size_t)(c - rows->line);
        while (c < end && *c == '-')
            c++;
    }
    if (runs == 3)
        memcpy(report->start, start, sizeof start);
    return runs == 3;
}

static const char *table_cell(struct sms__profile_reader *reader, const struct sms__ncu_report *report, size_t i)
{
    const struct sms__rows *rows = reader->rows;
    size_t from = report->start[i], to = i < 2 ? report->start[i + 1] : rows->length;
    from = from < rows->length ? from : rows->length;
    to = to < rows->length ? to : rows->length;
    return intern_trimmed(reader, rows->line + from, rows->line + to);
}

static enum sms__ncu_line parse_row(struct sms__profile_reader *reader, struct sms__ncu_report *report)
{
    struct sms__rows *rows = reader->rows;
    const char *cells[3];
    for (size_t i = 0; i < 3; i++)
        cells[i] = table_cell(reader, report, i);
    if (!strcmp(cells[0], "Metric Name")) {
        report->table = SMS__NCU_TABLE_HEAD;
        return SMS__NCU_TAKEN;
    }
    sms__rows_start(rows, rows->line);
    for (size_t i = 0; i < sizeof report->field / sizeof *report->field; i++)
        sms__rows_add(rows, report->field[i] ? report->field[i] : "", report->field[i] ? strlen(report->field[i]) : 0);
    for (size_t i = 0; i < 3; i++)
        sms__rows_add(rows, cells[i], strlen(cells[i]));
    return SMS__NCU_ROW;
}

enum sms__ncu_line sms__ncu_text_line(struct sms__profile_reader *reader, struct sms__ncu_report *report)
{
    const struct sms__rows *rows = reader->rows;
    if (parse_process(reader, report) || parse_launch(reader, report))
        return SMS__NCU_TAKEN;
    if (!report->launch || !sms__rows_starts_with(rows, "    "))
        return SMS__NCU_NOTHING;
    if (parse_dashes(rows, report)) {
        bool open = report->table == SMS__NCU_NO_TABLE || report->table == SMS__NCU_TABLE_HEAD;
        report->table = open ? SMS__NCU_TABLE : SMS__NCU_NO_TABLE;
        return SMS__NCU_TAKEN;
    }
    return report->table == SMS__NCU_TABLE ? parse_row(reader, report) : SMS__NCU_TAKEN;
}
