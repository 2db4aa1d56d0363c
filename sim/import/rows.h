/* A text file in which only some lines are rows of CSV, because profilers write into the output of the profiled
 * program. The caller decides whether a line begins a row; libcsv parses the row, across line breaks in quotes too. */
#ifndef SMS_IMPORT_ROWS_H
#define SMS_IMPORT_ROWS_H

#include "../base/arena.h"
#include "../base/errors.h"

#include <csv.h>
#include <stdbool.h>
#include <stdint.h>

/* Limits that keep the memory for a file bounded, beside its size. */
enum {
    SMS__ROWS_COLUMNS = 10000,              /* further fields are counted, but not kept */
    SMS__ROWS_ROW_BYTES = 16 * 1024 * 1024, /* a longer row is an error */
    SMS__ROWS_ROW_LINES = 200               /* a quoted field with more lines is an error */
};

struct sms__rows {
    struct sms__arena *arena;
    const char *path, *text; /* text: terminated by NUL, UTF-8 unless the file is damaged */
    const char *next;        /* start of the next line */
    const char *line;        /* the current line, without its line break; not terminated */
    size_t length;
    unsigned number; /* of the current line, from 1 */
    /* The row that was parsed last. */
    const char *from; /* its first byte, in line `row_number`: */
    unsigned row_number;
    const char *row_line;
    size_t fields;
    size_t *offset; /* of each field in `bytes`; each field is terminated by NUL */
    size_t offset_capacity;
    char *bytes;
    size_t used, bytes_capacity;
    bool ended;
    struct csv_parser parser;
};

/* Loads the file as sms__plain_bytes does, skips a byte-order mark, converts UTF-16 and UTF-32, and calls body(rows,
 * user). Must run in a guard of `arena`. Returns what body returned; or SMS_EIO or SMS_EINPUT with `errors` filled, or
 * SMS_ENOMEM.
 */
int sms__rows_read(struct sms__arena *arena, const char *path, uint64_t most,
                   int (*body)(struct sms__rows *rows, void *user), void *user, struct sms_errors *errors);

void sms__rows_rewind(struct sms__rows *rows);

/* Goes to the next line; false at the end. */
bool sms__rows_next_line(struct sms__rows *rows);

/* The first occurrence of `what` in the line, at or after `from`; or NULL. */
const char *sms__rows_find(const struct sms__rows *rows, const char *from, const char *what);

/* The first occurrence in the line of any of `count` texts, or NULL. */
const char *sms__rows_find_first(const struct sms__rows *rows, const char *const *texts, size_t count);

/* Whether the line begins with `what`. */
bool sms__rows_starts_with(const struct sms__rows *rows, const char *what);

/* Parses the row that begins at `from` in this line, with the lines in which it continues. Returns false and reports
 * (`errors` NULL: does not) if the row is not valid; then only its first line is consumed. */
bool sms__rows_parse(struct sms__rows *rows, const char *from, struct sms_errors *errors);

/* Goes to the next row that is not blank, and parses it. Returns false at the end, and for a row that is not valid,
 * which it reports. */
bool sms__rows_next_row(struct sms__rows *rows, struct sms_errors *errors);

/* Calls take(user) for each row that has `fields` fields, or as many as the first one if that is 0, and reports the
 * others. Returns SMS_OK, or SMS_EINPUT if there are more than `most`; `what`: what a row is, in plural. */
int sms__rows_each(struct sms__rows *rows, struct sms_errors *errors, size_t fields, size_t most, const char *what,
                   void (*take)(void *user), void *user);

/* A field of the row; "" if the row is shorter. */
const char *sms__rows_field(const struct sms__rows *rows, size_t i);

struct sms__mark sms__rows_mark(const struct sms__rows *rows, const char *at); /* of a place in the current line */
struct sms__mark sms__rows_field_mark(const struct sms__rows *rows, size_t i); /* of the start of field i */

#endif
