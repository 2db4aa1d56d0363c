/* Results in the formats that people and scripts read. Writers print to a stream, and leave it to the caller to check
 * the stream for errors at the end. Functions that return JSON return NULL when out of memory. */
#ifndef SMS_REPORT_OUTPUT_H
#define SMS_REPORT_OUTPUT_H

#include "../results/metrics.h"
#include "../model/scenario.h"

struct json_t;
struct sqlite3;
struct sms__folder;
struct sms__trust;

/* A file of a results folder that lacks the last rows of a policy. */
enum sms__cut_kind { SMS__CUT_SPANS, SMS__CUT_PLACEMENTS, SMS__CUT_TIMELINE, SMS__CUT_WAITS, SMS__CUT_KINDS };
struct sms__cut {
    const char *scenario, *policy; /* the scenario's own texts */
    uint64_t rows, left_out;
    enum sms__cut_kind kind;
};

/* The results of one command, in the order of its scenarios. */
struct sms__set {
    struct sms_results **results;
    size_t count;
    const struct sms__cut *cut; /* [cuts]: timelines that are not complete */
    size_t cuts;
    struct sms__trust *trust; /* NULL, or the data sets of which answers say whether they bear on them */
};

/* Where text for people goes. */
struct sms__screen {
    FILE *to;
    size_t width; /* columns; SIZE_MAX: no limit, as in a pipe */
    bool colour;
    bool terminal;
    bool brief; /* notes are counted, not printed */
};

/* table.c: cells with aligned columns, the first to the left and the others to the right. The first row has headers. */
struct sms__table_out;
enum sms__mark_kind { SMS__PLAIN, SMS__BETTER, SMS__WORSE, SMS__DIFFERENT };
struct sms__table_out *sms__table_new(size_t columns);
void sms__table_add(struct sms__table_out *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A value of a metric with its half-width, or NAN for none. All values of a metric get the same unit. `metric` outlives
 * the table. */
void sms__table_value(struct sms__table_out *table, const char *metric, double mean, double half);
void sms__table_mark(struct sms__table_out *table, enum sms__mark_kind mark); /* the cell that was added last */
void sms__table_transpose(struct sms__table_out *table);
/* Prints the table, unless it has no rows below its head, and frees it. */
void sms__table_print(struct sms__table_out *table, const struct sms__screen *screen);
/* Tables with more policies have a row for each, and fewer have a column. */
enum { SMS__POLICY_COLUMNS = 4 };

/* The unit in which a metric's values are shown, by the largest: ms of a metric in ns. */
struct sms__scale {
    const char *name; /* with the blank before it */
    double divisor;
};
struct sms__scale sms__scale_of(const char *metric, double largest);
/* A text that is printed in the statement that makes it. */
struct sms__value_text {
    char text[64];
};
/* "279 ± 7 s", or "278.8 s" without a half-width; of a value alone in its own unit. */
struct sms__value_text sms__value_in(double mean, double half, struct sms__scale scale);
struct sms__value_text sms__value(const char *metric, double mean, double half);
/* The decimals of a change in percent and of its half-width: one, and up to three where the half-width would be 0. */
int sms__percent_decimals(double half);
/* "9.56 ± 0.04 %", with as many decimals as show the half-width, but three at most; without ± if it is NAN. */
struct sms__value_text sms__percent(bool sign, double mean, double half);

/* human.c: tables for people. */
void sms__print_results(const struct sms_results *results, const struct sms__screen *screen);
/* The heading of a scenario; `named`: begins with its name. */
void sms__print_heading(const struct sms_results *results, bool named, FILE *to);
void sms__print_notes(const struct sms_results *results, const struct sms__screen *screen);
/* columns.c: metric i of the tables of a cluster; NULL beyond the last. */
const char *sms__cluster_column(const struct sms_results *results, size_t i);
/* Metrics of the tables of classes, then NULL. */
enum { SMS__CLASS_COLUMNS = 5 };
extern const char *const sms__class_columns[SMS__CLASS_COLUMNS + 1];

/* few.c: lines below a table that say which of its values are of few jobs: percentiles that are the maximum, misses of
 * which none was seen, percentiles that are mostly the same. Returns whether there are any. */
bool sms__print_few(const struct sms_results *results, FILE *to);
/* Whether tables show the jobs of tenants: of processes that do one job each, without a deadline, turnarounds say all.
 */
bool sms__shows_jobs(const struct sms_scenario *scenario);

/* compare.c: changes over a baseline, with p-values corrected for their number; as CSV, ratios and the gaps to the
 * bound. The JSON is of one scenario. */
void sms__print_comparison(const struct sms_results *results, size_t baseline, struct sms__trust *trust,
                           const struct sms__screen *screen);
void sms__print_tidy_ratios(const struct sms_results *results, size_t baseline, FILE *to);
struct json_t *sms__json_comparisons(const struct sms_results *results, size_t baseline);

/* answer.c: the answer to the scenario's question in words: which policy is best by the metric that it asks for, by how
 * much, and whether that may be chance. Prints nothing for a single policy. The JSON is null if there is no answer. */
struct json_t *sms__json_answer(const struct sms_results *results, size_t baseline, struct sms__trust *trust);
/* The answer, in a line that begins with `before` and the scenario's name, and ends with what the gain costs. Where
 * `trust` is not NULL, another line says which measurements bear on it. Returns false if there is none. */
bool sms__print_answer(const struct sms_results *results, size_t baseline, struct sms__trust *trust, const char *before,
                       FILE *to);
/* Says in a line why there is no answer. */
void sms__print_no_answer(const struct sms_results *results, FILE *to);

/* print_unknowns.c: in how many draws of what is not known the best policy is the best; without draws what is assumed,
 * and how to draw it. The JSON is null without draws. */
void sms__print_unknowns(const struct sms_results *results, size_t baseline, FILE *to);
struct json_t *sms__json_unknowns(const struct sms_results *results, size_t baseline);

/* print_gain_alone.c: what policies gain for tenants that have the GPU to themselves, as far as that was measured:
 * rows of the table of changes, the line below it that explains them, and JSON. */
void sms__add_alone_rows(struct sms__table_out *table, const struct sms_results *results, size_t baseline);
void sms__print_alone_legend(const struct sms_results *results, FILE *to);
struct json_t *sms__json_alone(const struct sms_results *results, size_t baseline);

/* gaps.c: how far each policy is below the bound. */
void sms__print_gaps(const struct sms_results *results, const struct sms__screen *screen);
void sms__print_gap_rows(const struct sms_results *results, FILE *to);
struct json_t *sms__json_gaps(const struct sms_results *results);

/* csv.c: a row for each value: scenario,policy,subject,name,metric,mean,sd,ci95,replications,interval. `interval` is
 * `student` if there is one; `exact` if nothing is drawn; `same` if all replications gave the same value, which does
 * not tell how far off it is; else empty. */
void sms__print_tidy_header(FILE *to);
/* The values, or ratios over a baseline that is not negative. */
void sms__print_tidy_rows(const struct sms_results *results, long baseline, FILE *to);
void sms__print_tidy_value(const struct sms_results *results, const char *policy, const char *metric,
                           struct sms_estimate e, bool exact, FILE *to);
/* A row for each subject, with two columns for each metric: its mean and ci95. */
void sms__print_wide(const struct sms__set *set, enum sms_subject subject, FILE *to);

/* json_write.c: a finite number, or null. */
struct json_t *sms__json_number(double value);

/* json_read.c: reads a file, which holds one list or object. The caller releases it. Returns SMS_OK, or a code with an
 * error and *out NULL. */
enum { SMS__JSON_MIB = 512 };
int sms__read_json(const char *path, struct json_t **out, struct sms_errors *errors);

/* csv_read.c: reads a CSV file, calls `field` for each field and `row` at the end of each line with fields, the first
 * included. */
struct sms__csv {
    const char *path;
    struct sms_errors *errors;
    void *user;
    void (*field)(struct sms__csv *csv, const char *text, size_t length);
    void (*row)(struct sms__csv *csv);
    size_t most;         /* bytes of a field; fewer are allowed */
    size_t line, rows;   /* from 1, empty ones included; lines that held fields and have ended */
    int column, columns; /* of the field, from 1; of the first line */
    int end;             /* the character that ended the last line; 0: none has ended */
    int code;            /* SMS_OK, or of the first problem, after which nothing is called any more */
};
int sms__csv_read(struct sms__csv *csv);
/* Adds an error about a field of the line, from 1. */
void sms__csv_complain(struct sms__csv *csv, int field, const char *what);
/* csv_table.c: fills a table of a database from a CSV file. A table that is there takes the columns that it knows;
 * else one is made of all columns: texts and REAL. Returns SMS_OK, or a code with an error but for SMS_ENOMEM and
 * SMS_ECANCELED. */
int sms__csv_table(struct sqlite3 *file, const char *path, const char *table, struct sms_errors *errors);

/* json.c: an object for one scenario, an array for several. Both return 0; or -1 when out of memory or after a write
 * error. `baseline` is [scenarios]. */
int sms__print_json(const struct sms__set *set, FILE *to);
int sms__print_json_ratios(const struct sms__set *set, const size_t *baseline, FILE *to);
/* Adds to an object: the precision that ended the replications, the warm-up if it was found, notes and warnings. */
void sms__json_stopping(const struct sms_results *results, struct json_t *object);

/* expect.c: a check of one expectation or of one row of a baseline. */
struct sms__check {
    const char *scenario;
    char name[4 * SMS__FIELD_BYTES + 32]; /* "gain of fine_grained over round_robin" */
    char message[240];                    /* "34.12 %, expected 34.1 % +- 3 %" */
    double seconds;                       /* its part of the time that the scenario took */
    bool passed, reserved;                /* reserved: the message says why a value that passed is in doubt */
};

struct sms__checks {
    struct sms__check *item;
    size_t count, failed;
    size_t unlisted; /* values of the results of which the baseline has no row */
};

/* Both append checks, and return 0, or -1 when out of memory. A baseline that cannot be used is an error. */
int sms__check_expectations(const struct sms_results *results, struct sms__checks *checks);
int sms__check_baseline(const struct sms__set *set, const char *path, double tolerance, struct sms__checks *checks,
                        struct sms_errors *errors);
void sms__checks_free(struct sms__checks *checks);

/* junit.c: prints the checks as JUnit XML. Returns SMS_OK, or SMS_ENOMEM before it prints any. */
int sms__print_junit(const struct sms__checks *checks, FILE *to);

/* folder_run.c: writes the files of `run --out` into a folder that was begun, and ends it. Returns SMS_OK, or a code
 * with an error. */
int sms__run_folder_end(struct sms__folder *folder, const struct sms__set *set, const char *command,
                        struct sms_errors *errors);

#endif
