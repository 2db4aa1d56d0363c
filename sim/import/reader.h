/* What the readers of profiles share: finding the columns of a table by name, and collecting launches and copies from
 * one or more files. */
#ifndef SMS_IMPORT_READER_H
#define SMS_IMPORT_READER_H

#include "../base/intern.h"
#include "numbers.h"
#include "profile.h"
#include "rows.h"

/* What a column contains. */
enum sms__counter_column {
    SMS__COLUMN_METRIC, /* any other column: a metric of that name */
    SMS__COLUMN_IGNORED,
    SMS__COLUMN_ID,
    SMS__COLUMN_PROCESS_ID,
    SMS__COLUMN_PROCESS,
    SMS__COLUMN_INPUT, /* of the process */
    SMS__COLUMN_KERNEL,
    SMS__COLUMN_DEVICE,
    SMS__COLUMN_GPU, /* name of the GPU */
    SMS__COLUMN_CAPABILITY,
    SMS__COLUMN_CONTEXT,
    SMS__COLUMN_STREAM,
    SMS__COLUMN_COUNT,
    SMS__COLUMN_GRID,
    SMS__COLUMN_BLOCK,
    SMS__COLUMN_GRID_X, /* followed by y and z */
    SMS__COLUMN_GRID_Y,
    SMS__COLUMN_GRID_Z,
    SMS__COLUMN_BLOCK_X, /* followed by y and z */
    SMS__COLUMN_BLOCK_Y,
    SMS__COLUMN_BLOCK_Z,
    SMS__COLUMN_REGISTERS,
    SMS__COLUMN_STATIC,
    SMS__COLUMN_DYNAMIC,
    SMS__COLUMN_START,
    SMS__COLUMN_DURATION,
    SMS__COLUMN_SIZE,
    SMS__COLUMN_METRIC_NAME,
    SMS__COLUMN_METRIC_UNIT,
    SMS__COLUMN_METRIC_VALUE,
    SMS__COLUMN_AVG,
    SMS__COLUMNS
};

/* Lines outside of tables that explain why a file has no launches, by kind; the first kind that a file has explains it.
 */
enum { SMS__HINTS = 8 };
struct sms__hints {
    const char *const *advice; /* [SMS__HINTS] messages, which say what helps too; NULL: there is no such kind */
    struct sms__mark mark[SMS__HINTS]; /* of the first such line; line 0: there is none */
    const char *message[SMS__HINTS];   /* in place of the advice; or NULL */
};
/* What tells such a line: it begins with the first text, or holds all of them. */
struct sms__hint {
    unsigned kind;
    bool begins;
    const char *text[3];
};

/* The header of a table. */
struct sms__header {
    size_t columns; /* 0: no header was read yet */
    enum sms__counter_column *kind;
    const char **name, **unit;
    size_t first_column[SMS__COLUMNS]; /* index of the first column of each kind; SIZE_MAX: none */
    bool quoted;                       /* the first field of the header was quoted */
    bool units_read;
};

struct sms__launch_draft {
    struct sms__profile_launch launch; /* without a place and a shape until all are read */
    struct sms__trace_place place;
    struct sms__profile_shape shape;
    size_t capacity, index;
    size_t process; /* nvprof: index of the process in its file */
    bool grouped;   /* nvprof: made from a table of metrics by kernel, which has no launches */
};

enum { SMS__VALUES_MAX = 16000000, SMS__LAUNCHES_MAX = 2000000 };

struct sms__profile_reader {
    struct sms__arena *arena;
    struct sms_errors *errors;
    struct sms__string_pool strings;
    struct sms__rows *rows;         /* of the file that is being read */
    struct sms__profile_file *file; /* of the last launch; or NULL */
    struct sms__header table;
    struct sms__hints hints; /* of the file */
    struct sms__launch_draft *draft;
    size_t drafts, values;
    size_t missing;                /* values that were not measured: "n/a" */
    struct sms__mark missing_mark; /* of the first of them */
    struct sms__profile_copy *copy;
    size_t copies;
    enum sms__decimal decimal;
    size_t points, commas;
    const char *gpu, *capability, *gpu_lines; /* as in struct sms__profile */
    bool detecting_decimals;                  /* the first pass over a file, which sets only `points` and `commas` */
    bool limit_hit;                           /* a limit was exceeded and reported; nothing more is read */
    bool is_nvprof;                           /* the column names are nvprof's, not ncu's */
};

#define SMS__COMPLAIN(reader, i, ...)                                                                                  \
    sms__error((reader)->errors, SMS_EINPUT, sms__rows_field_mark((reader)->rows, (i)), __VA_ARGS__)

/* launch_metrics.c: reads the files by read_one(rows, user), and puts launches and copies in order into `out` if
 * finish(user, the last path) did not report. Reports a profile in which nothing was measured. Returns SMS_OK, or a
 * code with errors filled, except for SMS_ENOMEM. */
int sms__profile_read(struct sms__profile_reader *reader, const char *const *paths, size_t n_paths,
                      int (*read_one)(struct sms__rows *rows, void *user), void (*finish)(void *user, const char *path),
                      void *user, struct sms__profile *out);

/* Keeps where the current line has a hint of a kind, unless there is one. `message` may be NULL. */
void sms__hint_add(struct sms__profile_reader *reader, unsigned kind, const char *at, const char *message);
/* Keeps those of `count` hints that the current line has. */
void sms__hints_find(struct sms__profile_reader *reader, const struct sms__hint *hint, size_t count);
/* Reports why a file has no launches. `otherwise`: without a hint. */
void sms__hints_explain(const struct sms__profile_reader *reader, const char *otherwise);

/* Whether reading goes on: readers stop after more problems than are told. */
static inline bool sms__reads_on(const struct sms__profile_reader *reader)
{
    return !reader->limit_hit && reader->errors->count <= SMS_ERRORS_MAX;
}
/* Whether the row has fewer fields than needed, which is reported. */
bool sms__row_is_cut(struct sms__profile_reader *reader, size_t needed);

/* Where a header begins that was found at `at`: a column in front of it, such as the index that pandas writes, belongs
 * to it, and the output of a program does not. */
const char *sms__header_start(const struct sms__rows *rows, const char *at);

/* Reads the row as a header. Returns false, and leaves the table as it was, if the row has no column of kernels or no
 * other column that is known by name. */
bool sms__header_open(struct sms__profile_reader *reader);

/* The number of columns of the row that are known by name. */
size_t sms__header_known(const struct sms__profile_reader *reader, bool *kernels);

bool sms__header_has(const struct sms__header *table, enum sms__counter_column column);
/* The row's field in a column; "" if there is none. */
const char *sms__header_field(const struct sms__profile_reader *reader, enum sms__counter_column column);
/* Reads the row as the units of the columns. */
void sms__header_units(struct sms__profile_reader *reader);

/* Adds a launch, with the texts that the row has for it. Reports if there are too many and returns NULL. */
struct sms__launch_draft *sms__launch_new(struct sms__profile_reader *reader);

/* Adds a metric to a launch. The metric's texts must outlive the profile. */
void sms__launch_add(struct sms__profile_reader *reader, struct sms__launch_draft *draft,
                     struct sms__profile_metric metric);

/* Adds the row's fields in all columns of metrics to a launch. */
void sms__launch_add_columns(struct sms__profile_reader *reader, struct sms__launch_draft *draft);

/* Reads field i of the row as a metric. Returns false if it is no number, and reports a damaged one. */
bool sms__row_value(struct sms__profile_reader *reader, size_t i, const char *name, const char *unit,
                    struct sms__profile_metric *out);

/* Read a field of the row as dimensions, a whole number, seconds or bytes. If the field is absent, `out` does not
 * change, or NAN is returned. An invalid field has the same effect and is reported. */
void sms__row_dimensions(struct sms__profile_reader *reader, enum sms__counter_column column, uint64_t out[3]);
void sms__row_whole(struct sms__profile_reader *reader, enum sms__counter_column column, uint64_t *out);
double sms__row_seconds(struct sms__profile_reader *reader, enum sms__counter_column column);
double sms__row_bytes(struct sms__profile_reader *reader, enum sms__counter_column column);

/* Keeps the current line, which is outside of tables, if it names a GPU. */
void sms__keep_gpu_line(struct sms__profile_reader *reader);

/* launch_metrics.c: sets geometry, registers, shared memory and duration from metrics, if no column gave them. */
void sms__launch_fill(struct sms__profile_reader *reader, struct sms__launch_draft *draft);
/* Which of these a metric gives; SMS__COLUMN_METRIC: none. */
enum sms__counter_column sms__launch_metric(const char *metric);

/* dump.c: prints the profile as text. */
void sms__profile_dump(const struct sms__profile *profile, FILE *to);

#endif
