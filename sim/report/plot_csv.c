#include "plot.h"

#include "../base/escape.h"
#include "../base/read.h"

#include <csv.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CSV_MIB = 4096, BLOCK_BYTES = 65536 };

static void complain(struct sms__csv *csv, const char *what)
{
    sms__fail(&csv->plot->errors, SMS_EINPUT, csv->file, "line %zu: %s", csv->line, what);
}

/* Names go into gnuplot's language between single quotes: what could end those is refused. */
static bool is_plain(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (strchr("'\"`\\", text[i]))
            return false;
    return sms__is_printable(text, length);
}

static void find_column(struct sms__csv *csv, const char *name)
{
    for (size_t i = 0; csv->column[i]; i++)
        if (!strcmp(csv->column[i], name))
            csv->place[i] = csv->cell;
}

static void keep_field(struct sms__csv *csv, const char *text, size_t length)
{
    for (size_t i = 0; csv->column[i]; i++)
        if (csv->place[i] == csv->cell) {
            memcpy(csv->field[i], text, length);
            csv->field[i][length] = '\0';
        }
}

static void take_field(void *bytes, size_t length, void *user)
{
    struct sms__csv *csv = user;
    const char *text = bytes;
    csv->cell++;
    if (csv->plot->errors.count)
        return;
    if (length >= SMS__CSV_FIELD || !is_plain(text, length))
        complain(csv, "a field is too long, is not UTF-8, or holds quotes or control characters");
    else if (csv->line == 1)
        find_column(csv, text);
    else
        keep_field(csv, text, length);
}

static void check_header(struct sms__csv *csv)
{
    csv->width = csv->cell;
    for (size_t i = 0; csv->column[i]; i++)
        if (!csv->place[i]) {
            sms__fail(&csv->plot->errors, SMS_EINPUT, csv->file, "line 1: there is no column '%s'", csv->column[i]);
            return;
        }
}

static void take_row(int end, void *user)
{
    struct sms__csv *csv = user;
    (void)end;
    if (csv->plot->errors.count == 0) {
        if (csv->line == 1)
            check_header(csv);
        else if (csv->cell != csv->width)
            complain(csv, "has not as many fields as the first line");
        else
            csv->row(csv->plot, csv);
    }
    csv->line++;
    csv->cell = 0;
}

double sms__csv_number(struct sms__csv *csv, size_t i)
{
    char *end;
    double value = strtod(csv->field[i], &end);
    if (csv->field[i][0] == '\0')
        return NAN;
    if (*end || !isfinite(value)) {
        complain(csv, "a number is malformed");
        return NAN;
    }
    return value;
}

double sms__csv_amount(struct sms__csv *csv, size_t i)
{
    double value = sms__csv_number(csv, i);
    if (value >= 0 && value <= 1e18)
        return value;
    if (csv->plot->errors.count == 0)
        complain(csv, "a number is missing or out of range");
    return 0;
}

/* What a guarded parse leaves to be closed if memory runs out in the midst of it. */
struct parse {
    struct sms__csv *csv;
    struct csv_parser parser;
    struct sms__input input;
    bool broken;
    int why; /* errno, if it cannot be read */
};

static int parse_all(void *user)
{
    struct parse *parse = user;
    char bytes[BLOCK_BYTES];
    ssize_t n;
    while (!parse->broken && (n = sms__input_read(&parse->input, bytes, sizeof bytes)) != 0) {
        parse->why = n < 0 ? errno : 0;
        parse->broken =
            n < 0 || csv_parse(&parse->parser, bytes, (size_t)n, take_field, take_row, parse->csv) != (size_t)n;
    }
    if (!parse->broken)
        parse->broken = csv_fini(&parse->parser, take_field, take_row, parse->csv) != 0;
    return SMS_OK;
}

static int judge(struct parse *parse)
{
    struct sms__csv *csv = parse->csv;
    struct sms_errors *errors = &csv->plot->errors;
    if (parse->why)
        return sms__fail(errors, SMS_EIO, csv->file, "cannot be read: %s", strerror(parse->why));
    if (parse->broken && csv_error(&parse->parser) == CSV_ENOMEM)
        return sms__fail(errors, SMS_ENOMEM, csv->file, "out of memory");
    if (parse->broken && !errors->count)
        complain(csv, "is not CSV");
    if (csv->line < 2 && !errors->count)
        complain(csv, "is empty");
    return errors->count ? SMS_EINPUT : SMS_OK;
}

int sms__csv_read(struct sms__plot *plot, struct sms__csv *csv)
{
    struct parse parse = {.csv = csv};
    csv->plot = plot;
    csv->line = 1;
    const char *path = sms__print(&plot->arena, "%s/%s", plot->folder, csv->file);
    csv->file = path;
    if (access(path, F_OK) && errno == ENOENT)
        return sms__fail(&plot->errors, SMS_EIO, path, "cannot be read: %s; is this a folder of 'smsched run --out'?",
                         strerror(errno));
    int code = sms__input_open(path, (uint64_t)CSV_MIB << 20, &parse.input, &plot->errors);
    if (code)
        return code;
    if (csv_init(&parse.parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL)) {
        sms__input_close(&parse.input);
        return sms__fail(&plot->errors, SMS_ENOMEM, path, "out of memory");
    }
    csv_set_blk_size(&parse.parser, BLOCK_BYTES); /* for fields without end */
    code = sms__guard(&plot->arena, parse_all, &parse);
    if (code == SMS_OK)
        code = judge(&parse);
    csv_free(&parse.parser);
    sms__input_close(&parse.input);
    return code;
}
