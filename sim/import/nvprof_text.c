/* Reads the text reports of nvprof: metrics, listed under their kernel and device, and traces in columns. Each row is
 * passed on in the form of the CSV. */
#include "reader.h"

#include <ctype.h>
#include <string.h>

enum { TOKENS_MAX = 64, VALUES_MAX = 4 };

struct token {
    const char *at;
    size_t length;
};

static size_t blanks(const char *c, const char *end)
{
    size_t n = 0;
    while (c + n < end && (c[n] == ' ' || c[n] == '\t'))
        n++;
    return n;
}

/* Splits the line into words. Returns their number, 0 if there are too many. */
static size_t split(const struct sms__rows *rows, struct token *token)
{
    const char *c = rows->line, *end = rows->line + rows->length;
    size_t n = 0;
    for (c += blanks(c, end); c < end; c += blanks(c, end)) {
        const char *from = c;
        while (c < end && *c != ' ' && *c != '\t')
            c++;
        if (n == TOKENS_MAX)
            return 0;
        token[n++] = (struct token){from, (size_t)(c - from)};
    }
    return n;
}

/* Splits the line at two or more blanks; the last of `most` fields takes the rest. */
static size_t split_columns(struct sms__rows *rows, size_t most)
{
    const char *c = rows->line, *end = rows->line + rows->length;
    sms__rows_start(rows, rows->line);
    for (c += blanks(c, end); c < end; c += blanks(c, end)) {
        const char *from = c;
        while (c < end && (blanks(c, end) < 2 || rows->fields + 1 == most))
            c++;
        size_t length = (size_t)(c - from);
        while (length && from[length - 1] == ' ')
            length--;
        sms__rows_add(rows, from, length);
    }
    return rows->fields;
}

static void add(struct sms__rows *rows, const char *text) { sms__rows_add(rows, text, strlen(text)); }

static bool open_metrics(struct sms__profile_reader *reader)
{
    static const char *const columns[] = {"Device", "Kernel", "Invocations", "Metric Name", "Min", "Max", "Avg"};
    sms__rows_start(reader->rows, reader->rows->line);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        add(reader->rows, columns[i]);
    return sms__header_open(reader);
}

bool sms__text_header(struct sms__profile_reader *reader, struct sms__text_report *report)
{
    struct sms__rows *rows = reader->rows;
    const char *line = rows->line;
    bool metrics = sms__rows_find(rows, line, "Metric Name"), events = sms__rows_find(rows, line, "Event Name");
    bool quoted = sms__rows_find(rows, line, "\"") != NULL;
    if (!quoted && (metrics || events) && sms__rows_find(rows, line, "Invocations") && open_metrics(reader)) {
        *report = (struct sms__text_report){SMS__TEXT_METRICS, events, "", "", false};
        return true;
    }
    if (quoted || !sms__rows_find(rows, line, "Duration") || !sms__rows_find(rows, line, "Grid Size"))
        return false;
    split_columns(rows, SMS__ROWS_COLUMNS);
    if (!sms__header_open(reader) || !sms__header_has(&reader->table, SMS__COLUMN_START))
        return false;
    report->table = SMS__TEXT_TRACE;
    return true;
}

/* Finds the value that ends at token i, with the word of a level before it ("High (7)"). Returns the index of its first
 * token, or more than i if it is no value. */
static size_t value_start(const struct token *token, size_t i, struct token *out)
{
    struct sms__number number;
    char text[64];
    *out = token[i];
    if (i > 0 && *token[i].at == '(') {
        *out = (struct token){token[i - 1].at, (size_t)(token[i].at + token[i].length - token[i - 1].at)};
        i--;
    }
    if (out->length >= sizeof text)
        return i + 1 + (out->at != token[i].at);
    memcpy(text, out->at, out->length);
    text[out->length] = '\0';
    bool is_value = sms__number_read(text, SMS__DECIMAL_POINT, &number) != SMS__NUMBER_TEXT;
    return is_value ? i : SIZE_MAX;
}

/* Finds up to `most` values at the end of the line, in order. Returns their number. */
static size_t values(const struct token *token, size_t tokens, size_t most, struct token *out)
{
    size_t n = 0, end = tokens;
    while (n < most && end > 2) {
        size_t from = value_start(token, end - 1, &out[most - 1 - n]);
        if (from >= end || from < 2)
            break;
        end = from;
        n++;
    }
    memmove(out, out + most - n, n * sizeof *out);
    return n;
}

/* The text after `label` at the start of the line, or NULL. */
static const char *value_after(struct sms__profile_reader *reader, const char *label)
{
    const struct sms__rows *rows = reader->rows;
    const char *c = rows->line + blanks(rows->line, rows->line + rows->length), *end = rows->line + rows->length;
    if ((size_t)(end - c) < strlen(label) || strncmp(c, label, strlen(label)) != 0)
        return NULL;
    c += strlen(label);
    c += blanks(c, end);
    while (end > c && (end[-1] == ' ' || end[-1] == '"'))
        end--;
    return sms__intern(&reader->strings, c, (size_t)(end - c))->text;
}

static bool read_metrics_row(struct sms__profile_reader *reader, struct sms__text_report *report)
{
    struct sms__rows *rows = reader->rows;
    struct token token[TOKENS_MAX], value[VALUES_MAX];
    const char *device = value_after(reader, "Device \""), *kernel = value_after(reader, "Kernel:");
    report->device = device ? device : report->device;
    report->kernel = kernel ? kernel : report->kernel;
    report->named = device || kernel;
    size_t tokens =
        report->named || *rows->line != ' ' ? 0 : split(rows, token); /* otherwise it is the program's output */
    if (tokens < 3 || strspn(token[0].at, "0123456789") < token[0].length)
        return false;
    size_t n = values(token, tokens, report->events ? 4 : 3, value);
    sms__rows_start(rows, token[0].at);
    add(rows, report->device);
    add(rows, report->kernel);
    sms__rows_add(rows, token[0].at, token[0].length);
    sms__rows_add(rows, token[1].at, token[1].length);
    for (size_t i = 0; i < 3 && n; i++)
        sms__rows_add(rows, value[i < n ? i : n - 1].at, value[i < n ? i : n - 1].length);
    return true;
}

bool sms__text_row(struct sms__profile_reader *reader, struct sms__text_report *report)
{
    struct sms__rows *rows = reader->rows;
    if (report->table == SMS__TEXT_METRICS)
        return read_metrics_row(reader, report);
    size_t indent = blanks(rows->line, rows->line + rows->length);
    if (!isdigit((unsigned char)rows->line[indent]))
        return false;
    return split_columns(rows, reader->table.columns) > 2;
}
