/* Tables with aligned columns. Memory that runs out is noted, and then nothing is printed. */
#include "../base/escape.h"
#include "memory.h"
#include "output.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Cells are in one list, row after row. */
struct sms__table_out {
    size_t columns, cells;
    char **cell;
    bool failed;
};

struct sms__table_out *sms__table_new(size_t columns)
{
    struct sms__table_out *table = sms__note_memory(calloc(1, sizeof *table));
    if (table)
        table->columns = columns;
    return table;
}

/* Capacities are powers of two. */
static void push(struct sms__table_out *table, char *text)
{
    const size_t n = table->cells;
    char **cell = n & (n - 1) ? table->cell : realloc(table->cell, (n ? 2 * n : 1) * sizeof *cell);
    table->cell = cell ? cell : table->cell;
    table->failed |= !sms__note_memory(cell) || !text;
    if (table->failed || !cell)
        free(text);
    else
        cell[table->cells++] = text;
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
    push(table, sms__note_memory(strdup(text)));
}

const char *sms__percent(char *out, size_t size, bool sign, double mean, double half)
{
    enum { MOST = 3 };
    int decimals = 1;
    while (decimals < MOST && half < 0.5 * pow(10, -decimals))
        decimals++;
    int used = snprintf(out, size, sign ? "%+.*f" : "%.*f", isnan(half) ? 1 : decimals, mean);
    char *rest = out + used;
    size -= (size_t)used;
    if (isnan(half))
        snprintf(rest, size, " %%");
    else if (half < 0.5 * pow(10, -decimals))
        snprintf(rest, size, " ± <%.*f %%", decimals, pow(10, -decimals));
    else
        snprintf(rest, size, " ± %.*f %%", decimals, half);
    return out;
}

/* Characters, not bytes: continuation bytes of UTF-8 take no place. */
static size_t width(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += (*text & 0xc0) != 0x80;
    return count;
}

static size_t column_width(const struct sms__table_out *table, size_t column)
{
    size_t widest = 0;
    for (size_t i = column; i < table->cells; i += table->columns)
        if (width(table->cell[i]) > widest)
            widest = width(table->cell[i]);
    return widest;
}

static void print_cell(const char *text, size_t column, size_t widest, FILE *to)
{
    int pad = (int)(widest - width(text));
    if (column == 0)
        fprintf(to, "  %s%*s", text, pad, "");
    else
        fprintf(to, "  %*s%s", pad, "", text);
}

void sms__table_print(struct sms__table_out *table, FILE *to)
{
    if (!table)
        return;
    size_t *widest = sms__note_memory(calloc(table->columns, sizeof *widest));
    for (size_t c = 0; widest && c < table->columns; c++)
        widest[c] = column_width(table, c);
    for (size_t i = 0; i < table->cells && widest && !table->failed; i++) {
        print_cell(table->cell[i], i % table->columns, widest[i % table->columns], to);
        if ((i + 1) % table->columns == 0)
            fputc('\n', to);
    }
    for (size_t i = 0; i < table->cells; i++)
        free(table->cell[i]);
    free(table->cell);
    free(table);
    free(widest);
}
