/* What the readers of profiles share: the columns of a table by their names,
 * and the launches and copies collected from one or several files. */
#ifndef SMS_IMPORT_READER_H
#define SMS_IMPORT_READER_H

#include "names.h"
#include "numbers.h"
#include "profile.h"
#include "rows.h"

/* What a column holds. */
enum sms__column {
    SMS__COLUMN_METRIC, /* none of the others: a metric by that name */
    SMS__COLUMN_IGNORED,
    SMS__COLUMN_ID,
    SMS__COLUMN_PROCESS_ID,
    SMS__COLUMN_PROCESS,
    SMS__COLUMN_INPUT, /* of the process */
    SMS__COLUMN_KERNEL,
    SMS__COLUMN_DEVICE,
    SMS__COLUMN_GPU, /* its name */
    SMS__COLUMN_CAPABILITY,
    SMS__COLUMN_CONTEXT,
    SMS__COLUMN_STREAM,
    SMS__COLUMN_COUNT,
    SMS__COLUMN_GRID,
    SMS__COLUMN_BLOCK,
    SMS__COLUMN_GRID_X, /* y and z follow */
    SMS__COLUMN_GRID_Y,
    SMS__COLUMN_GRID_Z,
    SMS__COLUMN_BLOCK_X, /* y and z follow */
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
    SMS__COLUMN_MIN,
    SMS__COLUMN_MAX,
    SMS__COLUMN_AVG,
    SMS__COLUMNS
};

/* A header and what is known of its rows. */
struct sms__header {
    size_t columns; /* 0: there was no header yet */
    enum sms__column *kind;
    const char **name, **unit;
    size_t at[SMS__COLUMNS]; /* the first column of that kind, SIZE_MAX: none */
    bool quoted;             /* the header's first field was */
    bool units_read;
    unsigned number; /* of the table, from 1, over all files */
};

struct sms__draft {
    struct sms__profile_launch launch;
    size_t room, order;
    size_t process; /* nvprof: the how manieth of its file */
    bool grouped;   /* made of a table of metrics by kernel, without launches (nvprof) */
};

enum { SMS__VALUES_MAX = 16000000, SMS__LAUNCHES_MAX = 2000000 };

struct sms__intake {
    struct sms__arena *arena;
    struct sms_errors *errors;
    struct sms__names names;
    struct sms__rows *rows; /* of the file that is being read */
    struct sms__header table;
    struct sms__draft *draft;
    size_t drafts, values;
    struct sms__profile_copy *copy;
    size_t copies;
    enum sms__decimal decimal;
    size_t points, commas;
    const char *gpu, *capability, *printed; /* as of the profile */
    bool sniffing;                          /* only `points` and `commas` are wanted */
    bool full;                              /* a limit was hit: said, and nothing more is read */
    bool nvprof;                            /* whose names of columns these are */
};

#define SMS__COMPLAIN(reader, i, ...)                                                                                  \
    sms__error((reader)->errors, SMS_EINPUT, sms__rows_field_mark((reader)->rows, (i)), __VA_ARGS__)

/* Takes the row for a header. False, and the table as it was, if it has no column of kernels and no other that this
 * tool knows by name. */
bool sms__header_open(struct sms__intake *reader);

bool sms__header_has(const struct sms__header *table, enum sms__column column);
/* A field of the row by its column; "" where there is none. */
const char *sms__header_field(const struct sms__intake *reader, enum sms__column column);
/* The unit of a column, "" if unknown. */
const char *sms__header_unit(const struct sms__header *table, enum sms__column column);
/* Takes the row for the units of the columns. */
void sms__header_units(struct sms__intake *reader);

/* A launch, or NULL when there are too many: said. Its texts are taken from the row by the columns there are. */
struct sms__draft *sms__launch_new(struct sms__intake *reader);

/* A metric of it, of the launches' tool, with names kept as they are. */
void sms__launch_add(struct sms__intake *reader, struct sms__draft *draft, struct sms__profile_metric metric);

/* Metrics from all columns that are of no other kind. */
void sms__launch_add_columns(struct sms__intake *reader, struct sms__draft *draft);

/* A number from field i of the row as a metric; what is no number is left out, what is damaged complained of.
 * Whether there is one. */
bool sms__intake_value(struct sms__intake *reader, size_t i, const char *name, const char *unit,
                       struct sms__profile_metric *out);

/* Fields of the row as sizes, whole numbers, seconds and bytes. What is absent leaves `out` as it was, or is NAN; what
 * is wrong does so too, and is complained of. */
void sms__intake_dimensions(struct sms__intake *reader, enum sms__column column, uint64_t out[3]);
void sms__intake_whole(struct sms__intake *reader, enum sms__column column, uint64_t *out);
double sms__intake_seconds(struct sms__intake *reader, enum sms__column column);
double sms__intake_bytes(struct sms__intake *reader, enum sms__column column);

/* A line that is of no table: kept if it names a GPU. */
void sms__intake_printed(struct sms__intake *reader);

/* Adds a copy to those of the profile; false when there are too many: said. */
bool sms__copy_add(struct sms__intake *reader, struct sms__profile_copy copy);

/* facts.c: geometry and duration from metrics that tell them, where no column did. */
void sms__launch_facts(struct sms__intake *reader, struct sms__draft *draft);
/* Whether a metric tells one. */
bool sms__is_fact(const char *metric);

/* Launches in order, and copies, into `out`. */
void sms__intake_finish(struct sms__intake *reader, struct sms__profile *out);

/* The readers. Several files make one profile. In a guard of `arena`, which owns what `out` points to. SMS_OK, or a
 * code with `errors` filled (but for SMS_ENOMEM), all problems of all files at once. */
int sms__read_ncu(struct sms__arena *arena, const char *const *paths, size_t n, struct sms__profile *out,
                  struct sms_errors *errors);
int sms__read_nvprof(struct sms__arena *arena, const char *const *paths, size_t n, struct sms__profile *out,
                     struct sms_errors *errors);

/* nvprof_text.c: the line as a row, if it is one of a table of the report in text; whether it was taken. Sets
 * reader's table on a header, *device and *kernel on lines that name them. */
struct sms__text_report {
    enum { SMS__TEXT_NONE, SMS__TEXT_METRICS, SMS__TEXT_TRACE } table;
    bool events; /* rows have no description */
    const char *device, *kernel;
    bool named; /* a kernel was, on this line */
};
bool sms__text_header(struct sms__intake *reader, struct sms__text_report *report);
bool sms__text_row(struct sms__intake *reader, struct sms__text_report *report);

/* ncu_text.c: the line, if it is of ncu's report in text; a row has been taken as of a table of metrics. */
struct sms__ncu_report {
    const char *field[9]; /* of the launch that follows */
    bool launch;          /* there was one */
    enum { SMS__NCU_NO_TABLE, SMS__NCU_TABLE, SMS__NCU_TABLE_HEAD } table;
    size_t start[3]; /* of the columns */
};
enum sms__ncu_line { SMS__NCU_NOTHING, SMS__NCU_TAKEN, SMS__NCU_ROW };
enum sms__ncu_line sms__ncu_text_line(struct sms__intake *reader, struct sms__ncu_report *report);

/* dump.c: the profile in plain words. */
void sms__profile_dump(const struct sms__profile *profile, FILE *to);

#endif
