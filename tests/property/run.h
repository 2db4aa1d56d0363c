/* Loads and runs scenarios through the public API, and keeps what observers saw. */
#ifndef TESTS_PROPERTY_RUN_H
#define TESTS_PROPERTY_RUN_H

#include "scenario.h"

#include <smsched/smsched.h>

/* VMs and kernels by the numbers in their names. */
struct stay {
    uint64_t device, sm, vm, kernel, start, end, blocks;
};

struct decision {
    uint64_t time, device, vm, kernel, block, passed;
    int64_t sm; /* -1: it waits */
};

/* What one policy did, in the first replication. */
struct trace {
    struct stay *stay;
    struct decision *decision;
    size_t stays, decisions, stay_room, decision_room;
};

struct outcome {
    int code; /* of sms_run */
    char why[512];
    struct sms_results *results;
    struct trace *trace; /* [policies] */
    size_t policies;
};

/* More than this and a run is given up: SMS_ELIMIT, and nothing is said about it. */
enum { EVENTS_MAX = 8000 };

/* A file of its own, loaded. NULL: `why` says what is wrong with it. */
struct sms_file *load_scenario(const struct scenario *scenario, char *why, size_t size);

/* The options of properties: no stand-alone runs, one thread, few events. */
struct sms_run_options plain_options(void);

/* `decisions` watches them, too. */
void outcome_run(struct outcome *outcome, const struct sms_scenario *scenario, struct sms_run_options options,
                 bool decisions);
void outcome_release(struct outcome *outcome);

/* Loads and runs with plain options. */
struct run {
    struct sms_file *file;
    struct outcome outcome;
};
/* False, and nothing to release: it does not load, or it has too many events. */
bool run_scenario(struct run *run, const struct scenario *scenario, bool decisions);
void run_release(struct run *run);

/* The value of a metric by name, of the first replication. */
double metric_value(const struct outcome *outcome, size_t policy, enum sms_subject subject, size_t idx,
                    const char *name);

/* When the run ended, in ps: with its duration, or when the last VM did; NAN if it got stuck. And when measuring began:
 * a run that ends before its warm-up does is measured whole. */
double end_of(const struct scenario *scenario, const struct outcome *outcome, size_t policy);
double beginning_of(const struct scenario *scenario, double end);

/* Whether two doubles have the same bits; one NAN is as good as another. */
bool same_value(double a, double b);

/* Whether both saw the same stays in the same order; `why` names the first that differs. */
bool same_stays(const struct outcome *a, const struct outcome *b, char *why, size_t size);

/* Whether all metrics of all replications have the same bits. */
bool same_metrics(const struct outcome *a, const struct outcome *b, char *why, size_t size);

/* Says why a property does not hold; returns false. */
bool fails(char *why, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same of a defect that is known and not yet mended: counted and shown at the end of every run, and no
 * failure unless --strict. `defect` has no numbers of the scenario in it. */
bool fails_as_known(char *why, size_t size, const char *defect);
bool is_known(const char *why);

#endif
