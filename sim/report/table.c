/* Tables with aligned columns that fit a screen. Headers and names fold, and columns for which there is no room follow
 * below the others. Memory that runs out is noted, and then nothing is printed. */
#include "../base/buffer.h"
#include "../base/escape.h"
#include "../base/room.h"
#include "../base/suffix.h"
#include "memory.h"
#include "output.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct cell {
    char *text; /* NULL: a number */
    const char *metric;
    double mean, half;
    enum sms__mark_kind mark;
};

/* Cells are in one list, row after row. */
struct sms__table_out {
    size_t columns, cells;
    struct cell *cell;
    bool failed;
};

struct sms__table_out *sms__table_new(size_t columns)
{
    struct sms__table_out *table = sms__note_memory(calloc(1, sizeof *table));
    if (table)
        table->columns = columns;
    return table;
}

static void push(struct sms__table_out *table, struct cell added)
{
    const size_t n = table->cells;
    struct cell *cell = sms__room(table->cell, n, sizeof *cell);
    table->cell = cell ? cell : table->cell;
    table->failed |= !sms__note_memory(cell) || (!added.text && !added.metric);
    if (table->failed || !cell)
        free(added.text);
    else
        cell[table->cells++] = added;
}

void sms__table_add(struct sms__table_out *table, const char *format, ...)
{
    char text[256];
    va_list args;
    if (!table)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    sms__clean(text);
    push(table, (struct cell){.text = sms__note_memory(strdup(text))});
}

void sms__table_value(struct sms__table_out *table, const char *metric, double mean, double half)
{
    if (table && isnan(mean))
        sms__table_add(table, "-");
    else if (table)
        push(table, (struct cell){.metric = metric, .mean = mean, .half = half});
}

void sms__table_mark(struct sms__table_out *table, enum sms__mark_kind mark)
{
    if (table && table->cells)
        table->cell[table->cells - 1].mark = mark;
}

void sms__table_transpose(struct sms__table_out *table)
{
    const size_t rows = table ? table->cells / table->columns : 0;
    struct cell *turned = rows > 1 ? sms__note_memory(calloc(table->cells, sizeof *turned)) : NULL;
    if (!turned)
        return;
    for (size_t i = 0; i < rows * table->columns; i++)
        turned[i % table->columns * rows + i / table->columns] = table->cell[i];
    free(table->cell);
    table->cell = turned;
    table->columns = rows;
}

/* ---- numbers ---- */

struct sms__scale sms__scale_of(const char *metric, double largest)
{
    static const struct {
        const char *metric;
        struct sms__scale unit[4]; /* the largest first */
    } units[] = {{"_ns", {{" s", 1e9}, {" ms", 1e6}, {" us", 1e3}, {" ns", 1}}},
                 {"_bytes", {{" GiB", 1073741824.0}, {" MiB", 1048576}, {" KiB", 1024}, {" B", 1}}},
                 {"_per_s", {{" G", 1e9}, {" M", 1e6}, {"", 1}, {"", 1}}}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t u = 0;
        if (!sms__ends_with(metric, units[i].metric))
            continue;
        while (u < 3 && !(fabs(largest) >= units[i].unit[u].divisor))
            u++;
        return units[i].unit[u];
    }
    return (struct sms__scale){"", 1};
}

enum { DIGITS = 4, DECIMALS_MAX = 7 };

/* Four digits, or as many as show the half-width with one, or two if the first is 1. */
static int decimals_of(double mean, double half)
{
    int least = DIGITS - 1 - (mean == 0 ? 0 : (int)floor(log10(fabs(mean))));
    if (half > 0) {
        int first = -(int)floor(log10(half)), wanted = first + (half * pow(10, first) < 1.95);
        least = wanted < least + 2 ? wanted : least + 2;
    }
    return least < 0 ? 0 : least > DECIMALS_MAX ? DECIMALS_MAX : least;
}

struct sms__value_text sms__value_in(double mean, double half, struct sms__scale unit)
{
    struct sms__value_text out;
    const size_t size = sizeof out.text;
    double value = mean / unit.divisor + 0, error = half / unit.divisor; /* never -0 */
    int decimals = decimals_of(value, error);
    bool plain = value == 0 || (fabs(value) >= 1e-4 && fabs(value) < 1e9);
    if (!plain)
        snprintf(out.text, size, "%.4g", value);
    else
        snprintf(out.text, size, "%.*f", isnan(error) && value == floor(value) ? 0 : decimals, value);
    if (isnan(error))
        sms__append(out.text, size, "%s", value == 0 ? "" : unit.name);
    else if (plain && error < 0.5 * pow(10, -decimals))
        sms__append(out.text, size, " ± <%.*f%s", decimals, pow(10, -decimals), unit.name);
    else if (plain)
        sms__append(out.text, size, " ± %.*f%s", decimals, error, unit.name);
    else
        sms__append(out.text, size, " ± %.2g%s", error, unit.name);
    return out;
}

struct sms__value_text sms__value(const char *metric, double mean, double half)
{
    return sms__value_in(mean, half, sms__scale_of(metric, mean));
}

int sms__percent_decimals(double half)
{
    enum { MOST = 3 };
    int decimals = 1;
    while (decimals < MOST && half < 0.5 * pow(10, -decimals))
        decimals++;
    return decimals;
}

struct sms__value_text sms__percent(bool sign, double mean, double half)
{
    enum { MANY = 1000000 };
    struct sms__value_text out;
    const size_t size = sizeof out.text;
    const int decimals = sms__percent_decimals(half);
    if (fabs(mean) < 0.5 * pow(10, -decimals))
        mean = 0; /* never -0.0 */
    if (fabs(mean) < MANY)
        snprintf(out.text, size, sign ? "%+.*f" : "%.*f", decimals, mean);
    else
        snprintf(out.text, size, sign ? "%+.3g" : "%.3g", mean);
    if (isnan(half))
        sms__append(out.text, size, " %%");
    else if (half < 0.5 * pow(10, -decimals))
        sms__append(out.text, size, " ± <%.*f %%", decimals, pow(10, -decimals));
    else
        sms__append(out.text, size, " ± %.*f %%", decimals, half);
    return out;
}

/* The largest value of a metric, whose unit all values of the metric have. */
struct largest {
    const char *metric;
    double value;
};

static struct largest *find_largest(struct largest *list, const char *metric)
{
    while (list->metric && strcmp(list->metric, metric) != 0)
        list++;
    return list;
}

/* One for each metric, with NULL at the end; the caller frees them. NULL: no memory. */
static struct largest *list_largest(const struct sms__table_out *table)
{
    struct largest *list = sms__note_memory(calloc(table->cells + 1, sizeof *list));
    for (size_t i = 0; list && i < table->cells; i++) {
        const struct cell *cell = &table->cell[i];
        struct largest *largest = cell->metric ? find_largest(list, cell->metric) : NULL;
        if (largest)
            *largest = (struct largest){cell->metric, fmax(largest->value, fabs(cell->mean))};
    }
    return list;
}

/* Makes texts of all numbers, and puts marks before them. */
static void make_texts(struct sms__table_out *table)
{
    static const char *const marks[] = {"", "✓ ", "✗ ", "* "};
    struct largest *list = list_largest(table);
    table->failed |= !list;
    for (size_t i = 0; i < table->cells && !table->failed; i++) {
        struct cell *cell = &table->cell[i];
        struct sms__value_text number;
        char text[400];
        if (cell->text && !cell->mark)
            continue;
        if (!cell->text)
            number = sms__value_in(cell->mean, cell->half,
                                   sms__scale_of(cell->metric, find_largest(list, cell->metric)->value));
        snprintf(text, sizeof text, "%s%s", marks[cell->mark], cell->text ? cell->text : number.text);
        free(cell->text);
        cell->text = sms__note_memory(strdup(text));
        table->failed |= !cell->text;
    }
    free(list);
}

/* ---- layout ---- */

enum { GAP = 2, NARROWEST = 4 };

/* Characters, not bytes: continuation bytes of UTF-8 take no place. */
static size_t width_of(const char *text, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += (text[i] & 0xc0) != 0x80;
    return count;
}

static size_t width(const char *text) { return width_of(text, strlen(text)); }

/* Bytes of the next line of a text that is folded to `most` characters, after a blank or a sign where there is one. */
static size_t line_of(const char *text, size_t most)
{
    size_t i = 0, last = 0, count = 0;
    for (; text[i]; i++) {
        count += (text[i] & 0xc0) != 0x80;
        if (count > most)
            return last ? last : i;
        if (strchr(" _+,/(", text[i]))
            last = i + 1;
    }
    return i;
}

static size_t lines_of(const char *text, size_t most)
{
    size_t lines = 1;
    for (size_t used = line_of(text, most); text[used]; used += line_of(text + used, most))
        lines++;
    return lines;
}

/* Width of the widest piece that is not folded, of a header; `most` at most. */
static size_t piece_width(const char *text, size_t most)
{
    size_t widest = 0, count = 0;
    for (; *text; text++) {
        count += (*text & 0xc0) != 0x80;
        widest = count > widest ? count : widest;
        if (strchr(" _+,/(", *text))
            count = 0;
    }
    return widest < most ? widest : most;
}

static size_t body_width(const struct sms__table_out *table, size_t column)
{
    size_t widest = NARROWEST;
    for (size_t i = table->columns + column; i < table->cells; i += table->columns)
        if (width(table->cell[i].text) > widest)
            widest = width(table->cell[i].text);
    return widest;
}

/* Finds the widths of columns: as they are if all fit, else with folded headers and names. Room that is left then goes
 * to the first headers. */
static void find_widths(const struct sms__table_out *table, size_t screen, size_t *widths)
{
    size_t sum = 0, most = screen / 2 - GAP, folded = 0;
    for (size_t c = 0; c < table->columns; c++) {
        const char *head = table->cell[c].text;
        size_t body = body_width(table, c), piece = piece_width(head, most);
        body = body < most ? body : most;
        widths[c] = piece > body ? piece : body;
        sum += GAP + (width(head) > body_width(table, c) ? width(head) : body_width(table, c));
        folded += GAP + widths[c];
    }
    for (size_t c = 0; c < table->columns; c++) {
        size_t body = body_width(table, c), head = width(table->cell[c].text), full = head > body ? head : body;
        bool grows = sum <= screen || folded + full - widths[c] <= screen;
        folded += grows ? full - widths[c] : 0;
        widths[c] = grows ? full : widths[c];
    }
}

/* Prints a piece of a cell after the blanks before it. Blanks behind the last piece of a line are never printed. */
static void print_piece(const struct sms__screen *screen, const struct cell *cell, const char *text, size_t length,
                        size_t blanks)
{
    static const char *const colours[] = {"", "\033[32m", "\033[31m", "\033[1m"};
    bool coloured = screen->colour && cell->mark;
    fprintf(screen->to, "%*s%s%.*s%s", (int)blanks, "", coloured ? colours[cell->mark] : "", (int)length, text,
            coloured ? "\033[0m" : "");
}

/* Line `l` of a cell that is folded, and its length in bytes; empty if it has no such line. */
static const char *find_line(const char *text, size_t most, long l, size_t *length)
{
    *length = line_of(text, most);
    for (; l > 0 && text[*length]; l--) {
        text += *length;
        *length = line_of(text, most);
    }
    if (l != 0)
        *length = 0;
    while (*length && text[*length - 1] == ' ')
        --*length;
    return text;
}

/* One line of a row: its first cell, and those of the columns from `from` on. A header's lines end together. */
static void print_line(const struct sms__table_out *table, const struct sms__screen *screen, const size_t *widths,
                       const struct cell *cell, const size_t columns[2], long l, size_t lines)
{
    size_t blanks = 0;
    for (size_t c = 0; c < columns[1]; c = c ? c + 1 : columns[0]) {
        long skip = cell == table->cell ? (long)(lines - lines_of(cell[c].text, widths[c])) : 0;
        size_t length;
        const char *text = find_line(cell[c].text, widths[c], l - skip, &length);
        size_t pad = widths[c] - width_of(text, length);
        blanks += GAP + (c ? pad : 0);
        if (length)
            print_piece(screen, &cell[c], text, length, blanks);
        blanks = (length ? 0 : blanks + widths[c] - (c ? pad : 0)) + (c ? 0 : length ? pad : 0);
    }
    fputc('\n', screen->to);
}

static void print_row(const struct sms__table_out *table, const struct sms__screen *screen, const size_t *widths,
                      size_t row, const size_t columns[2])
{
    const struct cell *cell = &table->cell[row * table->columns];
    size_t lines = lines_of(cell[0].text, widths[0]);
    for (size_t c = columns[0]; c < columns[1]; c++) {
        size_t more = lines_of(cell[c].text, widths[c]);
        lines = more > lines ? more : lines;
    }
    for (size_t l = 0; l < lines; l++)
        print_line(table, screen, widths, cell, columns, (long)l, lines);
}

/* Prints as many columns beside the first as there is room for, then the next ones below. */
static void print_parts(const struct sms__table_out *table, const struct sms__screen *screen, const size_t *widths)
{
    for (size_t from = 1, to; from < table->columns || (from == 1 && table->columns == 1); from = to) {
        size_t sum = 2 * GAP + widths[0] + (table->columns > 1 ? widths[from] : 0);
        for (to = from + 1; to < table->columns && sum + GAP + widths[to] <= screen->width; to++)
            sum += GAP + widths[to];
        if (from > 1)
            fputc('\n', screen->to);
        for (size_t r = 0; r * table->columns < table->cells; r++)
            print_row(table, screen, widths, r, (const size_t[2]){from, to < table->columns ? to : table->columns});
    }
}

void sms__table_print(struct sms__table_out *table, const struct sms__screen *screen)
{
    if (!table)
        return;
    size_t *widths = sms__note_memory(calloc(table->columns + 1, sizeof *widths));
    make_texts(table);
    if (widths && !table->failed && table->cells > table->columns) {
        find_widths(table, screen->width, widths);
        print_parts(table, screen, widths);
    }
    free(widths);
    for (size_t i = 0; i < table->cells; i++)
        free(table->cell[i].text);
    free(table->cell);
    free(table);
}
