/* Reads a CSV file of any size, field by field. The first problem is kept, and everything after it is passed over. */
#include "output.h"

#include "../base/escape.h"
#include "../base/read.h"

#include <csv.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { CSV_MIB = 4096, BLOCK_BYTES = 65536, LINE_BYTES = 8192 };

/* Reads the line anew, because the parser keeps none. Returns the column of the field, or 0 if it cannot be quoted. */
static unsigned quote(const struct sms__csv *csv, int field, char *line, int size)
{
    FILE *file = fopen(csv->path, "re");
    size_t left = csv->line - 1;
    unsigned column = 0;
    for (int c; file && left && (c = getc(file)) != EOF;)
        left -= c == '\n';
    if (file && fgets(line, size, file))
        for (bool quoted = false; field > 1 && line[column]; column++) {
            quoted ^= line[column] == '"';
            field -= line[column] == ',' && !quoted;
        }
    if (file)
        fclose(file);
    return file && field == 1 ? column + 1 : 0;
}

void sms__csv_complain(struct sms__csv *csv, int field, const char *what)
{
    char line[LINE_BYTES] = "";
    const unsigned column = csv->code == SMS_OK ? quote(csv, field, line, sizeof line) : 0;
    if (csv->code != SMS_OK)
        return;
    csv->code = SMS_EINPUT;
    sms__error(csv->errors, SMS_EINPUT, (struct sms__mark){csv->path, column ? line : NULL, 1, column ? column : 1},
               "%s", what);
    if (csv->errors->count <= SMS_ERRORS_MAX)
        csv->errors->item[csv->errors->count - 1].line = (unsigned)csv->line;
}

static void take_field(void *bytes, size_t length, void *user)
{
    struct sms__csv *csv = user;
    csv->column++;
    if (length >= csv->most || !sms__is_printable(bytes, length))
        sms__csv_complain(csv, csv->column, "a field is too long, is not UTF-8, or holds control characters");
    else if (csv->rows > 0 && csv->column > csv->columns)
        sms__csv_complain(csv, 1, "has more or fewer fields than the first line");
    else if (csv->code == SMS_OK)
        csv->field(csv, bytes, length);
}

static void end_row(struct sms__csv *csv)
{
    csv->columns = csv->rows ? csv->columns : csv->column;
    if (csv->column != csv->columns)
        sms__csv_complain(csv, 1, "has more or fewer fields than the first line");
    else if (csv->code == SMS_OK)
        csv->row(csv);
    csv->rows++;
}

/* The parser tells both ends of "\r\n", the second as that of an empty line. */
static void take_line(int end, void *user)
{
    struct sms__csv *csv = user;
    const bool is_second = !csv->column && end == '\n' && csv->end == '\r';
    if (csv->column)
        end_row(csv);
    csv->line += !is_second;
    csv->column = 0;
    csv->end = end;
}

static void parse(struct sms__csv *csv, struct csv_parser *parser, struct sms__input *input)
{
    char bytes[BLOCK_BYTES];
    ssize_t n = 0;
    bool whole = true, first = true;
    for (size_t skip; whole && csv->code == SMS_OK && (n = sms__input_read(input, bytes, sizeof bytes)) > 0;) {
        skip = first && n >= 3 && !memcmp(bytes, "\xef\xbb\xbf", 3) ? 3 : 0; /* a byte order mark */
        whole = csv_parse(parser, bytes + skip, (size_t)n - skip, take_field, take_line, csv) == (size_t)n - skip;
        first = false;
    }
    if (n < 0)
        csv->code = sms__fail(csv->errors, SMS_EIO, csv->path, "cannot be read: %s", strerror(errno));
    whole = whole && (csv->code || csv_fini(parser, take_field, take_line, csv) == 0);
    if (!whole && csv_error(parser) == CSV_ENOMEM)
        csv->code = SMS_ENOMEM;
    else if (!whole)
        sms__csv_complain(csv, 1, "is not CSV");
}

int sms__csv_read(struct sms__csv *csv)
{
    struct csv_parser parser;
    struct sms__input input;
    int code = sms__input_open(csv->path, (uint64_t)CSV_MIB << 20, &input, csv->errors);
    if (code)
        return code;
    csv->line = 1;
    csv->code = csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL | CSV_REPALL_NL) ? SMS_ENOMEM : SMS_OK;
    csv_set_blk_size(&parser, BLOCK_BYTES); /* bounds the memory of a field without end */
    if (csv->code == SMS_OK)
        parse(csv, &parser, &input);
    csv_free(&parser);
    sms__input_close(&input);
    return csv->code;
}
