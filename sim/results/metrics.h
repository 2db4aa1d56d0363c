/* From the record of one run to the values of its metrics: a row of doubles for each subject. */
#ifndef SMS_RESULTS_METRICS_H
#define SMS_RESULTS_METRICS_H

#include "../record/record.h"

#include <math.h>

/* The metrics of metrics.def, numbered through: SMS__VM_jobs_per_s - SMS__FIRST_VM is its index among those of VMs. */
enum sms__metric {
#define SUBJECT(subject, word, plural, kind, level)                                                                    \
    SMS__FIRST_##subject, SMS__BEFORE_##subject = SMS__FIRST_##subject - 1,
#define METRIC(subject, name, better, words, formula) SMS__##subject##_##name,
#include "metrics.def"
    SMS__ALL_METRICS
};

/* metrics_names.c: words and names, which depend on nothing else. */
/* How a subject is printed: as one object, as a list, or in results folders only, because there may be thousands. */
enum sms__subject_kind { SMS__AS_OBJECT, SMS__AS_LIST, SMS__AS_FILE };
/* Which scenarios have it: those with devices, with `processes:`, with `nodes:`, with tenants of classes. */
enum sms__subject_level { SMS__OF_DEVICES, SMS__OF_PROCESSES, SMS__OF_NODES, SMS__OF_CLASSES };
enum sms__subject_level sms__subject_level(enum sms_subject subject);
enum sms__subject_kind sms__subject_kind(enum sms_subject subject);
const char *sms__subject_word(enum sms_subject subject);   /* "vm" */
const char *sms__subject_plural(enum sms_subject subject); /* "vms": a key in JSON */
const char *sms__subject_file(enum sms_subject subject);   /* "vms.csv" of a results folder */
size_t sms__metric_count(enum sms_subject subject);
const char *sms__metric_name(enum sms_subject subject, size_t metric);
/* The words of a metric, which those of one name share; the name itself if there is none of that name. */
const char *sms__metric_words(const char *name);
/* What goes before the words of a metric for the greatest or the least value: "fewest" of "missed deadlines". */
const char *sms__metric_superlative(const char *words, bool greatest);

/* subjects.c: whether scenarios such as this have metrics of the subject; how many subjects there are; their
 * names, as pointers into the scenario or the arena. Processes and devices are followed by one more, "all". Kernels are
 * left out if processes draw their workloads, because there may be thousands, most of which do not run. */
bool sms__subject_applies(const struct sms_scenario *scenario, enum sms_subject subject);
size_t sms__subject_count(const struct sms_scenario *scenario, enum sms_subject subject);
const char **sms__subject_names(struct sms__arena *arena, const struct sms_scenario *scenario,
                                enum sms_subject subject);

/* The values of one run. */
/* Pods of a cluster that were placed, ended, have a slowdown, have a deadline. */
enum sms__counts { SMS__COUNT_WAITS, SMS__COUNT_TURNAROUNDS, SMS__COUNT_SLOWDOWNS, SMS__COUNT_TIMED, SMS__COUNTS };

struct sms__values {
    double *of[SMS_SUBJECTS]; /* [subjects][metrics of the subject] */
    double *end_ps;           /* [vms]: the time a VM took until its last job; NAN if it has not ended */
    double *counted;          /* [vms + SMS__COUNTS]: how many jobs of a VM ended, then of pods */
    uint64_t stall[SMS__STALLS];
};

/* Evaluates the metrics. Those that need the stand-alone runs are NAN until sms__measure_progress. */
void sms__measure(const struct sms__record *record, struct sms__values *values);

/* The stand-alone run of a VM. */
struct sms__alone {
    double end_ps, blocks_per_s; /* as in its values */
};
struct sms__alone sms__measure_alone(const struct sms__record *record, size_t v);
/* The speed of one run over that of another: by their ends, or by their blocks where one has no end. */
double sms__speed_over(const struct sms__alone *run, const struct sms__alone *other);

/* Evaluates the metrics that compare with the stand-alone runs; `alone[v]` is of VM v. */
void sms__measure_progress(const struct sms_scenario *scenario, struct sms__values *values,
                           const struct sms__alone *alone);

/* results.c: processes that wait for ever, by what they wait for, in the replication with most of them; `sum`: all. */
const uint64_t *sms__results_stall(const struct sms_results *results, size_t policy, uint64_t *sum);

/* The rest is for the metrics_*.c files: a function for each subject, which fills its rows. */
#define SUBJECT(subject, word, plural, kind, level)                                                                    \
    void sms__measure_##word(const struct sms__record *record, double *rows);
#include "metrics.def"

/* NAN if there is nothing to divide by. */
static inline double sms__over(double a, double b) { return b > 0 ? a / b : NAN; }
static inline double sms__measured_ps(const struct sms__record *record)
{
    return (double)(record->to_ps - record->from_ps);
}
/* When what has not ended counts as ended: at the end of the run; NAN if that has no duration, so that it never ends.
 */
static inline double sms__unended_ps(const struct sms__record *record)
{
    return record->scenario->duration_ps > 0 ? (double)record->to_ps : NAN;
}
static inline double sms__mean_ns(const struct sms__histogram *h)
{
    return h->count ? h->sum / (double)h->count / 1e3 : NAN;
}
static inline double sms__rank_ns(const struct sms__histogram *h, double p) { return sms__histogram_rank(h, p) / 1e3; }

#endif
