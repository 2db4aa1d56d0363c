/* A file of lines of which some are rows of CSV: profilers write into the
 * output of the program they watch. Whether a line begins a row is for the
 * caller to say; libcsv takes the row apart, over line breaks in quotes too. */
#ifndef SMS_IMPORT_ROWS_H
#define SMS_IMPORT_ROWS_H

#include "../base/arena.h"
#include "../base/errors.h"

#include <csv.h>
#include <stdbool.h>

/* Limits, so that no file takes memory without end. */
enum {
    SMS__ROWS_FILE_MIB = 256,
    SMS__ROWS_COLUMNS = 10000,              /* fields beyond are counted, not kept */
    SMS__ROWS_ROW_BYTES = 16 * 1024 * 1024, /* what is longer is no row */
    SMS__ROWS_ROW_LINES = 200               /* so many lines may be in quotes */
};

struct sms__rows {
    struct sms__arena *arena;
    const char *path, *text; /* UTF-8 or what there was; terminated */
    const char *next;        /* the line to come */
    const char *line;        /* this one, its end excluded; not terminated */
    size_t length;
    unsigned number; /* of this line, from 1 */
    /* The row taken last. */
    const char *from; /* its first byte, in a line of this number: */
    unsigned row_number;
    const char *row_line;
    size_t fields;
    size_t *offset; /* of each field in `bytes`, terminated there */
    size_t offsets_room;
    char *bytes;
    size_t used, bytes_room;
    bool ended;
    bool plain; /* the row was not taken from CSV: its fields have no places */
    struct csv_parser parser;
};

enum sms__row { SMS__ROW_FINE, SMS__ROW_UNCLOSED, SMS__ROW_TOO_LONG };

/* Loads the file (a byte-order mark is skipped, UTF-16 converted) and calls body(rows, user). In a guard of `arena`.
 * What it returned, or SMS_EIO, SMS_EINPUT or SMS_ENOMEM with `errors` filled, but for SMS_ENOMEM. */
int sms__rows_read(struct sms__arena *arena, const char *path, int (*body)(struct sms__rows *rows, void *user),
                   void *user, struct sms_errors *errors);

void sms__rows_rewind(struct sms__rows *rows);

/* Goes to the next line; false at the end. */
bool sms__rows_line(struct sms__rows *rows);

/* Where `what` stands in the line from `from` on, or NULL. */
const char *sms__rows_find(const struct sms__rows *rows, const char *from, const char *what);

/* The first place in the line where one of `count` texts stands, or NULL. */
const char *sms__rows_first(const struct sms__rows *rows, const char *const *texts, size_t count);

/* Whether the line begins with `what`. */
bool sms__rows_begins(const struct sms__rows *rows, const char *what);

/* Takes the row that begins at `from` in this line, and the lines that it goes on in. Of a row that is not fine, the
 * first line alone is passed. */
enum sms__row sms__rows_take(struct sms__rows *rows, const char *from);

/* Takes the given fields as a row; for tables that are no CSV. */
void sms__rows_begin(struct sms__rows *rows, const char *from);
void sms__rows_add(struct sms__rows *rows, const char *text, size_t length);

/* A field of the row; "" where it has none. */
const char *sms__rows_field(const struct sms__rows *rows, size_t i);

struct sms__mark sms__rows_mark(const struct sms__rows *rows, const char *at); /* in this line */
struct sms__mark sms__rows_field_mark(const struct sms__rows *rows, size_t i); /* where field i begins */

#endif
