/* The results that sms_run fills and the accessors of smsched.h read. */
#ifndef SMS_RESULTS_RESULTS_H
#define SMS_RESULTS_RESULTS_H

#include "memo.h"
#include "metrics.h"
#include "unknown_effects.h"

/* The occupancy of SMs over time. */
struct sms__bins {
    float *value; /* [SMs of all devices][count] */
    size_t count;
    uint64_t width_ps;
};

/* Of so much of its load a tenant does less only where jobs arrive faster than it does them, and not by chance. */
#define SMS__KEEPS_UP 0.95
/* shortfall_notes.c: whether `done` jobs/s of `come` that arrive are fewer by more than chance explains. `under_way`:
 * jobs that may be in progress at the end of each run. */
bool sms__falls_behind(const struct sms_results *results, double come, double done, double under_way);

enum { SMS__NOTES = 40 }; /* more than there are kinds of notes */

/* The values of each run. Replications may be added as long as there is room. */
struct sms__notes {
    const char *text[SMS__NOTES];
    size_t count;
    const char *assumed; /* of modes, "slice and switch of time_slice"; "" for none */
};

struct sms_results {
    struct sms__arena arena;
    const struct sms_scenario *scenario;   /* the caller's, or `measured` */
    struct sms_scenario measured;          /* under warmup: auto, with the warm-up that was found */
    const struct sms_run_options *options; /* while runs are made; then NULL */
    uint64_t seed;
    size_t replications, room, policies;
    size_t wanted;              /* replications to which rows are made */
    size_t runs;                /* runs that have ended, pilots included */
    size_t *policy;             /* [policies]: index in the scenario */
    struct sms__values *values; /* [policies][room] */
    struct sms__alone *alone;   /* [room][vms] */
    bool with_alone;
    struct sms__alone **each; /* [policies * vms] -> [replications]; NULL: equal under all policies (gain_alone.h) */
    struct sms__memo *memo;   /* NULL: every run is simulated */
    struct sms__run_text text;
    size_t subjects[SMS_SUBJECTS];
    const char **name[SMS_SUBJECTS]; /* [subjects] */
    size_t sms;
    struct sms__bins *bins;                                  /* [policies] */
    struct sms__histogram *latency;                          /* [policies][vms] of all replications; NULL: not kept */
    struct sms__allocation (**allocation)[SMS__ALLOCATIONS]; /* [policies][room], of a cluster; else NULL */
    double *series; /* [policies][rows][SMS__SERIES]: the series of the records, summed over replications */
    bool until;     /* replications are added until the scenario's precision is reached */
    struct sms__unknowns *unknowns; /* NULL, or draws of what is not known of the scenario */
    struct sms_errors warnings;
    struct sms__notes notes;
    bool exact; /* once runs have ended: nothing is drawn */
};

/* One metric of one subject under one policy. Functions that have a policy beside it ask about that one. */
struct sms__result {
    const struct sms_results *results;
    size_t policy;
    enum sms_subject subject;
    size_t idx, metric; /* SIZE_MAX: the subject has no such metric, and so no values */
};

/* A policy of the results: of those of the scenario, the ones that ran. */
static inline const struct sms__policy_use *sms__ran(const struct sms_results *results, size_t policy)
{
    return &results->scenario->policy[results->policy[policy]];
}

/* The index of the policy with this label; the number of policies: none has it. */
size_t sms__find_policy(const struct sms_results *results, const char *label);
/* The same of a subject of the kind. */
size_t sms__find_subject(const struct sms_results *results, enum sms_subject kind, const char *name);
/* The number of values of a subject in each run. */
size_t sms__values_count(const struct sms_results *results, enum sms_subject subject);
/* The same of all subjects, and of `end_ps`, where they begin, and `counted`. */
size_t sms__values_size(const struct sms_results *results);

/* estimates.c: the estimate over the first n replications. */
struct sms_estimate sms__results_first(const struct sms_results *results, size_t policy, enum sms_subject subject,
                                       size_t idx, size_t metric, size_t n);
/* Each is for sms__guard of the results' arena, and returns SMS_OK. The first chooses the policies that the
 * options name, or all, and allocates what does not grow with replications. The second allocates the rows of
 * replications up to `wanted`. */
int sms__results_set_up(void *results);
int sms__results_make_rows(void *results);

/* notes.c: writes the notes. For sms__guard. */
int sms__results_note(void *results);
/* The same file: whether a number of the contention model is assumed: the scenario gives it, or no device has the knee
 * that the model wants. Slowdowns of pairs are measured, and a model without numbers leaves nothing to measure. */
bool sms__contention_is_assumed(const struct sms_scenario *scenario);

/* run.c: returns as an error what sms_run would refuse before it simulates anything. */
int sms__run_check(const struct sms_scenario *scenario, const struct sms_run_options *options,
                   struct sms_errors *errors);

/* run.c: sms_run with a memo, whose runs it takes over. `beside`: what determines the runs beside the scenario's
 * document and the options, such as other documents that were changed. The options have no observers, no bins and no
 * latencies. */
int sms__run_with_memo(const struct sms_scenario *scenario, const struct sms_run_options *options,
                       struct sms__memo *memo, const char *beside, struct sms_results **out, struct sms_errors *errors);

/* run_jobs.c: runs replications up to `wanted`, each with every policy and the stand-alone runs, in threads. Errors
 * go to `errors`. */
int sms__run_replications(struct sms_results *results, struct sms_errors *errors);
/* The same for pilots, of which only the series is kept. */
int sms__run_pilots(struct sms_results *results, size_t pilots, struct sms_errors *errors);
/* run_jobs.c: a run of one tenant alone under a policy of the results, and where it is measured. */
struct sms__tenant_run {
    size_t policy, vm, replication;
    struct sms__alone *out;
};
int sms__run_tenants(struct sms_results *results, const struct sms__tenant_run *list, size_t count,
                     struct sms_errors *errors);
/* Reports the code of a run as an error at `at`, or of the file; returns it. */
int sms__report_run(int code, const struct sms_scenario *scenario, const char *why, const struct sms__node *at,
                    struct sms_errors *errors);

/* question.c: finds the subject that a scenario names. Returns false if the results have none. */
bool sms__results_find(const struct sms_results *results, const struct sms__expect *of, enum sms_subject *subject,
                       size_t *idx);
/* question.c: the policy whose mean answers the question best, except `without`; SIZE_MAX leaves out none. `start` wins
 * against equals, then the first. */
size_t sms__results_leader(const struct sms_results *results, const struct sms_question *asked, size_t start,
                           size_t without);

/* latencies.c: allocates the histograms that are kept, in a guard of the results' arena; and adds those of a run.
 * Callers of the second hold a lock. */
void sms__latencies_set_up(struct sms_results *results);
void sms__latencies_keep(struct sms_results *results, size_t policy, const struct sms__record *record);

/* exact.c: whether nothing is drawn under the policy: all replications have the same values, of every metric. */
bool sms__results_repeat(const struct sms_results *results, size_t policy);

/* until.c: returns how many replications there should be for the precision that the scenario asks for, as far
 * as those so far tell: the same number if it is reached, or there is no room. */
size_t sms__until_next(const struct sms_results *results);
/* Warns if the precision is not reached. */
void sms__until_warn(struct sms_results *results);

/* limit.c: whether the means under a policy meet all limits that `run: {until: {where: ...}}` names, or miss one. Never
 * wrong with more than 1 less the confidence, over all looks at the replications, where their means are about normal.
 */
enum sms__told { SMS__MISSED = -1, SMS__NOT_TOLD, SMS__MET };
/* Of one limit, of its scenario; of all, which are met together or missed if one is. */
enum sms__told sms__tell_limit(const struct sms_results *results, size_t policy, const struct sms__limit *limit);
enum sms__told sms__told_of_limits(const struct sms_results *results, size_t policy);
/* The metric and the subject of a limit. */
struct sms__result sms__limit_asks(const struct sms_results *results, const struct sms__limit *limit);
/* sms__until_next and sms__until_warn of limits. */
size_t sms__limit_next(const struct sms_results *results);
void sms__limit_warn(struct sms_results *results);
/* Adds the warnings on one policy. */
void sms__limit_remark(const struct sms_results *results, size_t policy, struct sms_errors *out);

/* warmup.c: under warmup: auto, finds the warm-up by pilots, or warns that there is none. */
int sms__find_warmup(struct sms_results *results, struct sms_errors *errors);
/* Warns of a warm-up that was given and is too short. */
void sms__warmup_warn(struct sms_results *results);

#endif
