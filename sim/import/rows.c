/* Splits a text into lines and takes CSV rows from them with libcsv. Lines and columns are counted as editors do. */
#define _GNU_SOURCE /* memmem */
#include "rows.h"

#include "../base/read.h"
#include "gzip.h"

#include <iconv.h>
#include <string.h>

enum { PARSER_BLOCK = 16 * 1024 };

struct file {
    struct sms__rows rows;
    int (*body)(struct sms__rows *rows, void *user);
    void *user;
    uint64_t most;
    char *bytes;
    size_t size;
    struct sms_errors *errors;
};

/* Converts UTF-16, in which PowerShell on Windows redirects output, and UTF-32. */
static int convert_wide(struct file *file, const char *encoding)
{
    size_t capacity = 2 * file->size + 1, left = capacity - 1;
    char *converted = SMS__NEW(file->rows.arena, char, capacity), *to = converted, *from = file->bytes;
    iconv_t state = iconv_open("UTF-8", encoding);
    if (state == (iconv_t)-1)
        return sms__fail(file->errors, SMS_EINPUT, file->rows.path, "is %s, which this system cannot convert",
                         encoding);
    size_t result = iconv(state, &from, &file->size, &to, &left);
    iconv_close(state);
    if (result == (size_t)-1)
        return sms__fail(file->errors, SMS_EINPUT, file->rows.path,
                         "is not text: it begins like %s, but is not valid %s", encoding, encoding);
    file->bytes = converted;
    file->size = (size_t)(to - converted);
    return SMS_OK;
}

static const char *known_binary(const struct file *file)
{
    if (file->size > 4 && !memcmp(file->bytes, "NVR", 4))
        return "is a report file of ncu; print it: ncu --import FILE --csv --page raw";
    if (file->size > 15 && !memcmp(file->bytes, "SQLite format 3", 15))
        return "is a database; read one of nsys with 'smsched import nsys', and print one of nvprof: nvprof "
               "--import-profile FILE --csv --print-gpu-trace";
    return "is not text: it holds NUL bytes";
}

/* Lines of old Macs end with CR alone. */
static void end_lines_with_lf(char *bytes, size_t size)
{
    if (!memchr(bytes, '\n', size))
        for (char *c = bytes; (c = strchr(c, '\r')); c++)
            *c = '\n';
}

/* Replaces what terminals and base/errors.c treat as line breaks and editors do not by blanks, so that all count the
 * same lines. */
static void blank_odd_breaks(char *c)
{
    for (; *c; c++) {
        size_t odd = *c == '\r' && c[1] != '\n' ? 1 : !strncmp(c, "\xc2\x85", 2) ? 2 : 0;
        if (!strncmp(c, "\xe2\x80\xa8", 3) || !strncmp(c, "\xe2\x80\xa9", 3))
            odd = 3;
        for (size_t i = 0; i < odd; i++)
            c[i] = ' ';
    }
}

static int read_file(void *user)
{
    struct file *file = user;
    int read = sms__plain_bytes(file->rows.arena, file->rows.path, file->most, &file->bytes, &file->size, file->errors);
    if (read)
        return read;
    const char *wide = sms__wide_encoding(file->bytes, file->size);
    int code = wide ? convert_wide(file, wide) : SMS_OK;
    if (code)
        return code;
    if (memchr(file->bytes, '\0', file->size))
        return sms__fail(file->errors, SMS_EINPUT, file->rows.path, "%s", known_binary(file));
    end_lines_with_lf(file->bytes, file->size);
    blank_odd_breaks(file->bytes);
    file->rows.text = strncmp(file->bytes, "\xef\xbb\xbf", 3) ? file->bytes : file->bytes + 3;
    sms__rows_rewind(&file->rows);
    return file->body(&file->rows, file->user);
}

int sms__rows_read(struct sms__arena *arena, const char *path, uint64_t most,
                   int (*body)(struct sms__rows *rows, void *user), void *user, struct sms_errors *errors)
{
    struct file file = {
        .rows = {.arena = arena, .path = path}, .body = body, .user = user, .most = most, .errors = errors};
    csv_init(&file.rows.parser, 0);
    csv_set_blk_size(&file.rows.parser, PARSER_BLOCK);
    int code = sms__guard(arena, read_file, &file);
    csv_free(&file.rows.parser);
    return code;
}

void sms__rows_rewind(struct sms__rows *rows)
{
    rows->next = rows->text;
    rows->number = 0;
    rows->line = rows->text;
    rows->length = 0;
}

bool sms__rows_next_line(struct sms__rows *rows)
{
    if (*rows->next == '\0')
        return false;
    const char *newline = strchr(rows->next, '\n');
    size_t length = newline ? (size_t)(newline - rows->next) : strlen(rows->next);
    rows->line = rows->next;
    rows->next += length + (newline != NULL);
    rows->number++;
    rows->length = length && rows->line[length - 1] == '\r' ? length - 1 : length;
    return true;
}

const char *sms__rows_find(const struct sms__rows *rows, const char *from, const char *what)
{
    return memmem(from, (size_t)(rows->line + rows->length - from), what, strlen(what));
}

const char *sms__rows_find_first(const struct sms__rows *rows, const char *const *texts, size_t count)
{
    const char *first = NULL;
    for (size_t i = 0; i < count; i++) {
        const char *at = sms__rows_find(rows, rows->line, texts[i]);
        first = at && (!first || at < first) ? at : first;
    }
    return first;
}

bool sms__rows_starts_with(const struct sms__rows *rows, const char *what)
{
    size_t length = strlen(what);
    return rows->length >= length && !memcmp(rows->line, what, length);
}

static void start(struct sms__rows *rows, const char *from)
{
    rows->from = from;
    rows->row_line = rows->line;
    rows->row_number = rows->number;
    rows->fields = 0;
    rows->used = 0;
    rows->ended = false;
}

static void reserve(struct sms__rows *rows, size_t bytes)
{
    if (rows->fields == rows->offset_capacity) {
        rows->offset_capacity = rows->offset_capacity ? 2 * rows->offset_capacity : 64;
        rows->offset =
            sms__enlarge(rows->arena, rows->offset, rows->fields, rows->offset_capacity, sizeof *rows->offset);
    }
    if (rows->used + bytes > rows->bytes_capacity) {
        rows->bytes_capacity = 2 * (rows->used + bytes) + 4096;
        rows->bytes = sms__enlarge(rows->arena, rows->bytes, rows->used, rows->bytes_capacity, 1);
    }
}

static void take_field(void *text, size_t length, void *user)
{
    struct sms__rows *rows = user;
    if (rows->fields < SMS__ROWS_COLUMNS) {
        reserve(rows, length + 1);
        rows->offset[rows->fields] = rows->used;
        if (length)
            memcpy(rows->bytes + rows->used, text, length);
        rows->bytes[rows->used + length] = '\0';
        rows->used += length + 1;
    }
    rows->fields++;
}

static void end_row(int end, void *user)
{
    struct sms__rows *rows = user;
    (void)end;
    rows->ended = true;
}

enum { ROW_OK, ROW_UNCLOSED, ROW_TOO_LONG };

static void complain(struct sms__rows *rows, int status, struct sms_errors *errors)
{
    if (status == ROW_UNCLOSED)
        sms__error(errors, SMS_EINPUT, sms__rows_field_mark(rows, rows->fields - (rows->fields > 0)),
                   "this quoted field is never closed");
    else
        sms__error(errors, SMS_EINPUT, sms__rows_field_mark(rows, 0), "the row is larger than %d MiB",
                   SMS__ROWS_ROW_BYTES >> 20);
}

bool sms__rows_parse(struct sms__rows *rows, const char *from, struct sms_errors *errors)
{
    const struct sms__rows first = *rows;
    int result = ROW_OK;
    start(rows, from);
    for (unsigned lines = 0; !rows->ended; lines++) {
        if (lines == SMS__ROWS_ROW_LINES)
            result = ROW_UNCLOSED;
        else if ((size_t)(rows->next - from) > SMS__ROWS_ROW_BYTES)
            result = ROW_TOO_LONG;
        else { /* with its line break; libcsv continues in the next line if a quote is open */
            const char *text = lines ? rows->line : from;
            size_t length = (size_t)(rows->next - text);
            if (csv_parse(&rows->parser, text, length, take_field, end_row, rows) != length)
                sms__arena_give_up(rows->arena); /* it fails only for lack of memory, because it is not strict */
        }
        if (result != ROW_OK || (!rows->ended && !sms__rows_next_line(rows)))
            break;
    }
    csv_set_opts(&rows->parser, CSV_STRICT | CSV_STRICT_FINI); /* then csv_fini fails if a quote is open */
    if (csv_fini(&rows->parser, take_field, end_row, rows) != 0 && result == ROW_OK)
        result = ROW_UNCLOSED;
    csv_set_opts(&rows->parser, 0);
    csv_fini(&rows->parser, take_field, end_row, rows);
    if (result != ROW_OK) {
        rows->line = first.line;
        rows->length = first.length;
        rows->number = first.number;
        rows->next = first.next;
    }
    if (result != ROW_OK && errors)
        complain(rows, result, errors);
    return result == ROW_OK;
}

bool sms__rows_next_row(struct sms__rows *rows, struct sms_errors *errors)
{
    do
        if (!sms__rows_next_line(rows))
            return false;
    while (rows->length == 0);
    return sms__rows_parse(rows, rows->line, errors);
}

int sms__rows_each(struct sms__rows *rows, struct sms_errors *errors, size_t fields, size_t most, const char *what,
                   void (*take)(void *user), void *user)
{
    const char *head = fields ? "header" : "first row";
    size_t count = 0;
    for (; errors->count <= SMS_ERRORS_MAX && sms__rows_next_row(rows, errors); count++) {
        fields = fields ? fields : rows->fields;
        if (count == most)
            return sms__fail(errors, SMS_EINPUT, rows->path, "has more than %zu %s", most, what);
        if (rows->fields == fields)
            take(user);
        else
            sms__error(errors, SMS_EINPUT, sms__rows_field_mark(rows, 0), "this row has %zu fields, but the %s has %zu",
                       rows->fields, head, fields);
    }
    return SMS_OK;
}

const char *sms__rows_field(const struct sms__rows *rows, size_t i)
{
    return i < rows->fields && i < SMS__ROWS_COLUMNS ? rows->bytes + rows->offset[i] : "";
}

/* `at` is behind the start of a line of this number. */
static struct sms__mark mark_behind(const struct sms__rows *rows, const char *line, unsigned number, const char *at)
{
    struct sms__mark mark = sms__text_mark(rows->path, line, (size_t)(at - line));
    mark.text = rows->text;
    mark.line += number - 1;
    return mark;
}

struct sms__mark sms__rows_mark(const struct sms__rows *rows, const char *at)
{
    return mark_behind(rows, rows->line, rows->number, at);
}

/* The end of the field that begins at `c`, as libcsv finds it: a field is quoted if it begins with a quote, until one
 * that is not doubled and ends it. */
static const char *field_end(const char *c)
{
    c += strspn(c, " \t");
    if (*c != '"')
        return c + strcspn(c, ",\n");
    for (c++; *c; c++) {
        const char *after = c + 1 + strspn(c + 1, " \t\r");
        if (*c == '"' && c[1] != '"' && (*after == ',' || *after == '\n'))
            return after;
        c += *c == '"' && c[1] == '"';
    }
    return c;
}

struct sms__mark sms__rows_field_mark(const struct sms__rows *rows, size_t i)
{
    const char *c = rows->from;
    for (const char *end; i > 0 && *(end = field_end(c)) == ','; i--)
        c = end + 1;
    return mark_behind(rows, rows->row_line, rows->row_number, c);
}
