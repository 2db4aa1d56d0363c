/* What the experiments of docs/validation-old.md share. It is a tool, not a library:
 * what goes wrong ends the program by die(). */
#ifndef TOOLS_VALIDATE_H
#define TOOLS_VALIDATE_H

#include <smsched/smsched.h>

#include <stdio.h>

/* Where the measured data is, and where tables and figures' numbers go. */
struct site {
    const char *data, *out;
    FILE *summary; /* rows of the page's first table */
    int broken;    /* errors beyond their bounds */
};

/* Errors in percent, one a measured value. */
struct sample {
    size_t n, room;
    double *value;
};

/* One row of the summary. A median or maximum above its bound fails the program. */
struct outcome {
    const char *what, *whose, *error, *verdict;
    double median_bound, max_bound; /* percent */
};

/* A CSV file: row 0 has the names of the columns. */
struct table {
    size_t rows, columns, field, room;
    char **cell; /* [rows * columns] */
};

_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));
void *grow(void *memory, size_t bytes);

/* Opens DATA/NAME for reading, or OUT/NAME for writing. */
FILE *open_data(const struct site *site, const char *name);
FILE *open_out(const struct site *site, const char *name);

struct table table_read(const struct site *site, const char *name);
const char *table_text(const struct table *table, size_t row, const char *column);
double table_number(const struct table *table, size_t row, const char *column);
void table_release(struct table *table);

void sample_add(struct sample *sample, double value);
double sample_median(struct sample *sample); /* sorts it */
double sample_max(const struct sample *sample);
void sample_release(struct sample *sample);
double off_percent(double ours, double measured); /* of the measured */

void report(struct site *site, const struct outcome *outcome, struct sample *sample);

/* A scenario that ran: `file` keeps what `results` refer to. */
struct ran {
    struct sms_file *file;
    struct sms_results *results;
};

/* Loads a YAML text, runs its scenario `idx`; NULL: default options without stand-alone runs. */
struct ran run_text(const char *text, size_t idx, const struct sms_run_options *options);
void ran_release(struct ran *ran);
struct sms_run_options quick(void);
double metric_of(const struct ran *ran, size_t policy, enum sms_subject subject, const char *name, const char *metric);

void occupancy(struct site *site);
void timelines(struct site *site);
void bandwidth(struct site *site);

#endif
