/* Reads a CSV file of any size, field by field. The first problem is kept, and everything after it is passed over. */
#include "output.h"

#include "../base/escape.h"
#include "../base/read.h"

#include <csv.h>
#include <errno.h>
#include <string.h>

enum { CSV_MIB = 4096, BLOCK_BYTES = 65536 };

void sms__csv_complain(struct sms__csv *csv, const char *what)
{
    if (csv->code != SMS_OK)
        return;
    csv->code = SMS_EINPUT;
    sms__error(csv->errors, SMS_EINPUT, (struct sms__mark){csv->path, NULL, (unsigned)csv->line, 1}, "%s", what);
}

static void take_field(void *bytes, size_t length, void *user)
{
    struct sms__csv *csv = user;
    csv->column++;
    if (length >= csv->most || !sms__is_printable(bytes, length))
        sms__csv_complain(csv, "a field is too long, is not UTF-8, or holds control characters");
    else if (csv->line > 1 && csv->column > csv->columns)
        sms__csv_complain(csv, "has not as many fields as the first line");
    else if (csv->code == SMS_OK)
        csv->field(csv, bytes, length);
}

static void take_line(int end, void *user)
{
    struct sms__csv *csv = user;
    (void)end;
    csv->columns = csv->line == 1 ? csv->column : csv->columns;
    if (csv->column != csv->columns)
        sms__csv_complain(csv, "has not as many fields as the first line");
    else if (csv->code == SMS_OK)
        csv->row(csv);
    csv->line++;
    csv->column = 0;
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
        sms__csv_complain(csv, "is not CSV");
}

int sms__csv_read(struct sms__csv *csv)
{
    struct csv_parser parser;
    struct sms__input input;
    int code = sms__input_open(csv->path, (uint64_t)CSV_MIB << 20, &input, csv->errors);
    if (code)
        return code;
    csv->line = 1;
    csv->code = csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL) ? SMS_ENOMEM : SMS_OK;
    csv_set_blk_size(&parser, BLOCK_BYTES); /* bounds the memory of a field without end */
    if (csv->code == SMS_OK)
        parse(csv, &parser, &input);
    csv_free(&parser);
    sms__input_close(&input);
    return csv->code;
}
