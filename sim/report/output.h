/* Results in the formats that people and scripts read. Writers print to a stream
 * and leave it to the caller to check it for errors at the end. */
#ifndef SMS_REPORT_OUTPUT_H
#define SMS_REPORT_OUTPUT_H

#include "metrics.h"
#include "../model/scenario.h"

/* Spans of processes, or placements of pods, that a timeline has no place for. */
struct sms__cut {
    const char *scenario, *policy; /* the scenario's own texts */
    uint64_t rows, left_out;
    bool placements;
};

/* The results of one command, in the order of its scenarios. */
struct sms__set {
    struct sms_results **results;
    size_t count;
    const struct sms__cut *cut; /* [cuts]: timelines that are not whole */
    size_t cuts;
};

/* table.c: a grid of texts, printed with aligned columns: the first left, the others right. */
struct sms__table_out;
struct sms__table_out *sms__table_new(size_t columns);
void sms__table_add(struct sms__table_out *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sms__table_print(struct sms__table_out *table, FILE *to); /* and frees it */
/* "9.56 ± 0.04 %", with as many decimals as the half-width needs to be seen, but three at most; without one that is
 * NAN. Returns `out`. */
const char *sms__percent(char *out, size_t size, bool sign, double mean, double half);

/* results_run.c: whether sms_run would refuse the options for the scenario, before it simulates anything. */
int sms__run_check(const struct sms_scenario *scenario, const struct sms_run_options *options,
                   struct sms_errors *errors);

/* human.c: tables per scenario for people. */
void sms__print_results(const struct sms_results *results, FILE *to);
void sms__print_heading(const struct sms_results *results, FILE *to);
void sms__print_notes(const struct sms_results *results, FILE *to);
const char *sms__cluster_column(const struct sms_results *results, size_t i); /* NULL beyond */

/* compare.c: what `compare` shows: metrics as ratios over a baseline, with p-values adjusted for their number. The JSON
 * is for one scenario, NULL without memory. */
void sms__print_comparison(const struct sms_results *results, size_t baseline, FILE *to);
struct json_t *sms__json_comparisons(const struct sms_results *results, size_t baseline);

/* answer.c: the answer to the scenario's question, in words: which policy is best by the metric asked for, by how much,
 * and how sure that is. With one policy there is nothing to decide, and nothing is printed. */
void sms__print_answer(const struct sms_results *results, size_t baseline, FILE *to);
/* The same over the first policy, in a line that begins with the scenario's name. */
void sms__print_answer_line(const struct sms_results *results, FILE *to);
/* The same for scripts; NULL without memory, null where there is no answer. */
struct json_t *sms__json_answer(const struct sms_results *results, size_t baseline);

/* gaps.c: how far each policy is from what any could reach; in `compare`. The
 * JSON is for one scenario, NULL without memory. */
void sms__print_gaps(const struct sms_results *results, FILE *to);
void sms__print_gap_rows(const struct sms_results *results, FILE *to);
struct json_t *sms__json_gaps(const struct sms_results *results);

/* csv.c: one row a value: scenario,policy,subject,name,metric,mean,sd,ci95,replications,interval. The last is `student`
 * where there is one, `exact` where nothing is drawn, `same` where all replications gave the same value, which does not
 * say how far it is off; else empty. */
void sms__print_tidy_header(FILE *to);
void sms__print_tidy(const struct sms_results *results, FILE *to);
/* Ratios over a baseline in the same layout, metric by metric. */
void sms__print_tidy_ratios(const struct sms_results *results, size_t baseline, FILE *to);
void sms__print_tidy_value(const struct sms_results *results, const char *policy, const char *metric,
                           struct sms_estimate e, bool exact, FILE *to);
/* Wide: one row a subject, one column a metric and one its ci95. */
void sms__print_wide(const struct sms__set *set, enum sms_subject subject, FILE *to);

/* json_read.c: appends all values of the file at `path`, one or several, to `list`. SMS_OK or a code, having said why.
 */
enum { SMS__JSON_MIB = 512 };
int sms__read_json(const char *path, struct json_t *list, struct sms_errors *errors);

/* A finite number, or null. */
struct json_t *sms__json_number(double value);

/* json.c: an object of one scenario, an array of those of several. Returns 0, or -1 without memory or on a write error.
 */
int sms__print_json(const struct sms__set *set, FILE *to);
int sms__print_json_ratios(const struct sms__set *set, const size_t *baseline, FILE *to);

/* What ended the warm-up and the replications, if that was found, and the warnings, if there are any: into an object.
 */
void sms__json_stopping(const struct sms_results *results, struct json_t *object);

/* simtbs.c: as simtbs prints it, one report a policy; nothing for a scenario without compat: simtbs. */
void sms__print_simtbs(const struct sms_results *results, FILE *to);

/* expect.c: what a scenario expects of its own results, and what a baseline does. */
struct sms__check {
    const char *scenario;
    char name[4 * SMS__FIELD_BYTES + 32]; /* "gain of fine_grained over round_robin" */
    char message[240];                    /* "34.12 %, expected 34.1 % +- 3 %" */
    bool passed;
};

struct sms__checks {
    struct sms__check *item;
    size_t count, failed;
};

/* Append one check for each expectation, or each row of a baseline. Both return
 * 0, or -1 without memory; `sms__check_baseline` complains of a file it cannot use in `errors`. */
int sms__check_expectations(const struct sms_results *results, struct sms__checks *checks);
int sms__check_baseline(const struct sms__set *set, const char *path, double tolerance, struct sms__checks *checks,
                        struct sms_errors *errors);
void sms__checks_free(struct sms__checks *checks);

/* junit.c: JUnit's XML of the checks. 0, or -1 without memory. */
int sms__print_junit(const struct sms__checks *checks, FILE *to);

/* folder_run.c: writes what `run --out` keeps of its results into a folder begun before, and ends that. SMS_OK or a
 * code, having said why. */
struct sms__folder;
int sms__run_folder_end(struct sms__folder *folder, const struct sms__set *set, const char *command,
                        struct sms_errors *errors);

#endif
