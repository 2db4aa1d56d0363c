/* Reads a CSV file of a results folder into rows. A table names the columns, by their headers, and the fields of a row
 * that they go to. */
#include "plot_table.h"

#include "../base/escape.h"
#include "../base/read.h"

#include <csv.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CSV_MIB = 4096, BLOCK_BYTES = 65536, COLUMNS = SMS__CSV_COLUMNS, ROW_BYTES = 256 };

/* State of the reader of one file. */
struct reader {
    struct sms__plot *plot;
    const struct sms__csv_table *table;
    const char *path;
    size_t columns;
    char field[COLUMNS][SMS__FIELD_BYTES]; /* of the current line */
    size_t place[COLUMNS];                 /* of each column in the file, from 1; 0: not seen */
    size_t width, cell, line;
    struct csv_parser parser;
    struct sms__input input;
    bool broken;
    int read_error; /* errno */
};

static void complain(struct reader *reader, const char *what)
{
    if (reader->plot->errors.count == 0)
        sms__fail(&reader->plot->errors, SMS_EINPUT, reader->path, "line %zu: %s", reader->line, what);
}

/* ---- fields ---- */

static double read_number(struct reader *reader, const char *text)
{
    char *end;
    double value = strtod(text, &end);
    if (*text == '\0')
        return NAN;
    if (*end || !isfinite(value))
        complain(reader, "a number is malformed");
    return value;
}

static double read_amount(struct reader *reader, const char *text, double min, double max)
{
    double value = read_number(reader, text);
    if (value >= min && value <= max)
        return value;
    complain(reader, "a number is missing or out of range");
    return min;
}

/* Reads numbers of GPUs with spaces between them. */
static uint64_t read_gpus(struct reader *reader, const char *text)
{
    uint64_t gpus = 0;
    while (*text && reader->plot->errors.count == 0) {
        char *end;
        unsigned long gpu = strtoul(text, &end, 10);
        if (!isdigit((unsigned char)*text) || gpu >= SMS__PLOT_GPUS || (*end && *end != ' '))
            complain(reader, "a list of GPUs is malformed");
        else
            gpus |= (uint64_t)1 << gpu;
        text = *end ? end + 1 : end;
    }
    return gpus;
}

/* Returns false if the row is to be left out. */
static bool read_field(struct reader *reader, const struct sms__csv_column *column, const char *text, void *row)
{
    struct sms__plot *plot = reader->plot;
    void *to = (char *)row + column->offset;
    switch (column->type) {
    case SMS__CSV_TEXT:
        *(const char **)to = sms__copy(&plot->arena, text, strlen(text));
        return true;
    case SMS__CSV_NAME:
        *(size_t *)to = sms__name_index(&plot->arena, (void *)((char *)plot + column->names), text);
        return true;
    case SMS__CSV_NUMBER:
        *(double *)to = read_number(reader, text);
        return true;
    case SMS__CSV_AMOUNT:
        *(double *)to = read_amount(reader, text, 0, 1e18);
        return true;
    case SMS__CSV_COUNT:
        *(size_t *)to = (size_t)read_amount(reader, text, column->min, column->max);
        return true;
    case SMS__CSV_GPUS:
        *(uint64_t *)to = read_gpus(reader, text);
        return true;
    case SMS__CSV_ONLY:
        return !strcmp(text, column->only);
    case SMS__CSV_PRESENT:
        return !isnan(read_number(reader, text));
    }
    return false;
}

/* ---- lines ---- */

static void add_row(struct reader *reader)
{
    const struct sms__csv_table *table = reader->table;
    struct sms__plot *plot = reader->plot;
    struct sms__rows *rows = (void *)((char *)plot + table->rows);
    _Alignas(max_align_t) char row[ROW_BYTES] = {0};
    bool keep = true;
    for (size_t i = 0; i < reader->columns; i++)
        keep &= read_field(reader, &table->column[i], reader->field[i], row);
    const char *problem = keep && table->check ? table->check(plot, table, row) : NULL;
    if (problem && *problem)
        complain(reader, problem);
    if (!keep || problem || plot->errors.count)
        return;
    ((struct sms__row *)row)->number = rows->count;
    rows->row = sms__grow(&plot->arena, rows->row, rows->count, table->size);
    memcpy((char *)rows->row + rows->count++ * table->size, row, table->size);
}

/* Names go into gnuplot's language between single quotes, so characters that could end those are refused. */
static bool is_plain(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (strchr("'\"`\\", text[i]))
            return false;
    return sms__is_printable(text, length);
}

static void take_field(void *bytes, size_t length, void *user)
{
    struct reader *reader = user;
    const char *text = bytes;
    reader->cell++;
    if (reader->plot->errors.count)
        return;
    if (length >= SMS__FIELD_BYTES || !is_plain(text, length)) {
        complain(reader, "a field is too long, is not UTF-8, or holds quotes or control characters");
        return;
    }
    for (size_t i = 0; i < reader->columns; i++)
        if (reader->line == 1 && !strcmp(reader->table->column[i].name, text))
            reader->place[i] = reader->cell;
        else if (reader->line > 1 && reader->place[i] == reader->cell)
            memcpy(reader->field[i], text, length + 1);
}

static void check_header(struct reader *reader)
{
    reader->width = reader->cell;
    for (size_t i = 0; i < reader->columns && reader->plot->errors.count == 0; i++)
        if (!reader->place[i])
            sms__fail(&reader->plot->errors, SMS_EINPUT, reader->path, "line 1: there is no column '%s'",
                      reader->table->column[i].name);
}

static void take_line(int end, void *user)
{
    struct reader *reader = user;
    (void)end;
    if (reader->plot->errors.count == 0 && reader->line == 1)
        check_header(reader);
    else if (reader->plot->errors.count == 0 && reader->cell != reader->width)
        complain(reader, "has not as many fields as the first line");
    else if (reader->plot->errors.count == 0)
        add_row(reader);
    reader->line++;
    reader->cell = 0;
}

/* ---- files ---- */

static int parse_all(void *user)
{
    struct reader *reader = user;
    char bytes[BLOCK_BYTES];
    ssize_t n;
    while (!reader->broken && (n = sms__input_read(&reader->input, bytes, sizeof bytes)) != 0) {
        reader->read_error = n < 0 ? errno : 0;
        reader->broken =
            n < 0 || csv_parse(&reader->parser, bytes, (size_t)n, take_field, take_line, reader) != (size_t)n;
    }
    if (!reader->broken)
        reader->broken = csv_fini(&reader->parser, take_field, take_line, reader) != 0;
    return SMS_OK;
}

static int judge(struct reader *reader)
{
    struct sms_errors *errors = &reader->plot->errors;
    if (reader->read_error)
        return sms__fail(errors, SMS_EIO, reader->path, "cannot be read: %s", strerror(reader->read_error));
    if (reader->broken && csv_error(&reader->parser) == CSV_ENOMEM)
        return sms__fail(errors, SMS_ENOMEM, reader->path, "out of memory");
    if (reader->broken)
        complain(reader, "is not CSV");
    if (reader->line < 2)
        complain(reader, "is empty");
    return errors->count ? SMS_EINPUT : SMS_OK;
}

bool sms__plot_has(struct sms__plot *plot, const char *file)
{
    return access(sms__print(&plot->arena, "%s/%s", plot->folder, file), F_OK) == 0;
}

int sms__csv_read(struct sms__plot *plot, const struct sms__csv_table *table)
{
    struct reader *reader = SMS__NEW(&plot->arena, struct reader, 1);
    const char *path = sms__print(&plot->arena, "%s/%s", plot->folder, table->file);
    *reader = (struct reader){.plot = plot, .table = table, .path = path, .line = 1};
    while (reader->columns < COLUMNS && table->column[reader->columns].name)
        reader->columns++;
    if (access(path, F_OK) && errno == ENOENT)
        return sms__fail(&plot->errors, SMS_EIO, path, "cannot be read: %s; is this a folder of 'smsched run --out'?",
                         strerror(errno));
    int code = sms__input_open(path, (uint64_t)CSV_MIB << 20, &reader->input, &plot->errors);
    if (code)
        return code;
    if (csv_init(&reader->parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL))
        code = sms__fail(&plot->errors, SMS_ENOMEM, path, "out of memory");
    csv_set_blk_size(&reader->parser, BLOCK_BYTES); /* bounds the memory of a field without end */
    if (code == SMS_OK)
        code = sms__guard(&plot->arena, parse_all, reader);
    if (code == SMS_OK)
        code = judge(reader);
    csv_free(&reader->parser);
    sms__input_close(&reader->input);
    return code;
}
