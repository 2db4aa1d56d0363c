/* The tables of a report that `nsys export --type sqlite` has written. Which tables and columns there are depends on
 * the version of Nsight Systems and on what was traced, so each table is asked for its columns. */
#ifndef SMS_IMPORT_REPORT_TABLES_H
#define SMS_IMPORT_REPORT_TABLES_H

#include "trace_read.h"
#include "untrusted.h"

#include "../base/arena.h"

enum { SMS__REPORT_COLUMNS = 24, SMS__REPORT_SCHEMA = 3 /* the newest that was tried */ };

/* An error ends the reading: then functions do nothing and find nothing, so that only the last of them needs a check.
 */
struct sms__report {
    struct sms__arena *arena;
    struct sms_errors *errors;
    const char *path;
    uint64_t most;      /* bytes of a compressed report, as of sms__gzip_open */
    bool has_texts;     /* in StringIds */
    const char *schema; /* its version; "": unknown */
    struct sms__untrusted database;
    const struct sms__import_watch *watch; /* or NULL; is told of rows: */
    uint64_t rows, all_rows, bytes;        /* read so far, of so many; of the file */
    int code;                              /* SMS_OK; or a code with `errors` filled, except for SMS_ENOMEM */
};

/* The longest text that is kept whole, in bytes. A longer one keeps its start and its number in StringIds. */
enum { SMS__REPORT_TEXT = 4096 };

/* A table and its columns, in the order in which a query returns them. A column that the report lacks is NULL in each
 * row; the first `required` ones must be there. A column after '#' holds a text, or the number of one in StringIds; of
 * several such, the first counts that has one. */
struct sms__report_table {
    const char *name;
    int required;
    const char *column[SMS__REPORT_COLUMNS];
};

typedef void sms__report_row(void *user, sqlite3_stmt *row);

/* Opens the report at `path`, which may be compressed by gzip, and calls body(user), in a guard of the arena. Returns
 * `code`. */
int sms__report_read(struct sms__report *report, void (*body)(void *user), void *user);
/* The functions below must run in it. */
/* Whether the report has an ordinary table of this name, and in it the column (NULL: any). */
bool sms__report_has(struct sms__report *report, const char *table, const char *column);
/* Calls `row` for each row of a table, if the report has that. */
void sms__report_rows(struct sms__report *report, const struct sms__report_table *table, sms__report_row *row,
                      void *user);
/* Calls `row` for each row of a query, which is formatted as by sqlite3_mprintf. */
void sms__report_query(struct sms__report *report, sms__report_row *row, void *user, const char *format, ...);
/* A `row` that keeps the first column's text, or "", in the arena. `user` is a struct sms__report_found. */
struct sms__report_found {
    struct sms__report *report;
    const char *text;
};
void sms__report_find(void *user, sqlite3_stmt *row);
/* The text of a number in StringIds, cut as the longest is; "": there is none. Valid until the arena is released. */
const char *sms__report_named(struct sms__report *report, int64_t number);
/* The SQL of a column, as of sms__report_table, in the arena; NULL: the table lacks it. */
const char *sms__report_column(struct sms__report *report, const char *table, const char *column);
/* Fails with SMS_EINPUT. */
void sms__report_fail(struct sms__report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A whole number from 0 to 2^53 of the row; `missing` if the column holds none. */
int64_t sms__report_whole(sqlite3_stmt *row, int column, int64_t missing);
/* The column as text, "" if it has none; valid until the next row. */
const char *sms__report_text(struct sms__report *report, sqlite3_stmt *row, int column);

/* The GPUs that a report describes. */
enum { SMS__REPORT_GPUS = 64, SMS__REPORT_GPU_COLUMNS = 16 };

struct sms__report_gpu {
    int64_t id, cuda;                        /* number in the system, and for the CUDA runtime; -1: unknown */
    const char *name;                        /* of printable characters; "": unknown */
    const char *capability;                  /* "8.6"; NULL: unknown */
    int64_t number[SMS__REPORT_GPU_COLUMNS]; /* by column; 0: unknown */
};

struct sms__report_gpus {
    struct sms__report_gpu gpu[SMS__REPORT_GPUS];
    size_t count;
};

/* report_gpu.c: reads the GPUs, of which there may be none. */
void sms__report_gpus_read(struct sms__report *report, struct sms__report_gpus *gpus);
/* The GPU of a number of the CUDA runtime; NULL: the report does not describe it. */
const struct sms__report_gpu *sms__report_gpu_of(const struct sms__report_gpus *gpus, int64_t device);
/* The number in a column; 0: unknown. */
int64_t sms__report_gpu_number(const struct sms__report_gpu *gpu, const char *column);

/* report_ranges.c, of NVTX ranges and sampled metrics: without their tables, there are no steps and samples.
 * Sets the profile's named steps. They are the starts of ranges of one name but for its number: at least three that do
 * not overlap. They are numbered, or called a step, an iteration, a batch, a frame or a request. Of several kinds, that
 * which takes the most time is taken. `origin` is the profile's 0, in ns. */
void sms__report_steps_read(struct sms__report *report, int64_t origin, struct sms__profile *profile);

/* Gives each launch, which are sorted by start, the means of the GPU metrics sampled while it ran. Adds a fact. */
void sms__report_samples_read(struct sms__report *report, int64_t origin, struct sms__trace_reading *reading);

#endif
