/* What sms_run fills and the accessors of smsched.h read. */
#ifndef SMS_REPORT_RESULTS_H
#define SMS_REPORT_RESULTS_H

#include "metrics.h"

struct sms__bins {
    float *value;
    size_t count;
    uint64_t width_ps;
};

enum { SMS__NOTES = 8 };

/* A row of values for each run. Replications may be added as long as there is room. */
struct sms_results {
    struct sms__arena arena;
    const struct sms_scenario *scenario; /* the caller's, or `measured` */
    struct sms_scenario measured;        /* under warmup: auto, with the warm-up that was found */
    uint64_t seed;
    size_t replications, room, policies;
    size_t runs;                /* that have ended, pilots included */
    size_t *policy;             /* [policies]: index in the scenario */
    struct sms__values *values; /* [policies][room] */
    struct sms__alone *alone;   /* [room][vms] */
    bool with_alone;
    size_t subjects[SMS_SUBJECTS];
    size_t sms;
    struct sms__bins *bins;                                  /* [policies] */
    const char **name[SMS_SUBJECTS];                         /* [subjects] */
    struct sms__simtbs_record *simtbs;                       /* [policies], under compat simtbs; else NULL */
    struct sms__allocation (**allocation)[SMS__ALLOCATIONS]; /* [policies][room], of a cluster; else NULL */
    double *series; /* [policies][rows][SMS__SERIES]: as of the record, over the replications */
    bool until;     /* replications go on until the scenario's precision is reached */
    struct sms_errors warnings;
    const char *note[SMS__NOTES]; /* [notes]: what is uncertain beside the seed */
    size_t notes;
};

/* results.c: chooses the policies, all or those that `options->policy` names by label or name, and makes what does not
 * grow with replications; rows of those to come. In a guard of the arena. */
void sms__results_set_up(struct sms_results *results, const struct sms_run_options *options);
void sms__results_make_rows(struct sms_results *results, size_t upto);

/* The number of values of a subject in each run. */
size_t sms__values_count(const struct sms_results *results, enum sms_subject subject);

/* results_jobs.c: adds replications until there are so many, each with every policy and the stand-alone runs, in
 * threads. There is room for them. Problems go to `errors`. */
int sms__run_replications(struct sms_results *results, const struct sms_run_options *options, size_t upto,
                          struct sms_errors *errors);
/* The same of pilots, which leave nothing but what they add to the series. */
int sms__run_pilots(struct sms_results *results, const struct sms_run_options *options, size_t pilots,
                    struct sms_errors *errors);
/* How a code of a run is told. */
int sms__report_run(int code, const struct sms_scenario *scenario, const char *why, const struct sms__node *at,
                    struct sms_errors *errors);

/* results_question.c: what of the results a scenario names; false: there is no such subject. */
bool sms__results_find(const struct sms_results *results, const struct sms__expect *of, enum sms_subject *subject,
                       size_t *idx);

/* results_until.c: how many replications there should be for the precision that the scenario asks for, as far as those
 * there are tell; no more than these if it is reached, or there is no room. */
size_t sms__until_next(const struct sms_results *results);
/* Warns if it is not reached. */
void sms__until_warn(struct sms_results *results);

/* results_notes.c: writes the notes. In a guard of the arena. */
void sms__results_note(struct sms_results *results);

/* results_warmup.c: under warmup: auto, finds the warm-up by pilots, or says that there is none. */
int sms__find_warmup(struct sms_results *results, const struct sms_run_options *options, struct sms_errors *errors);
/* Warns of a warm-up that was given and is too short. */
void sms__warmup_warn(struct sms_results *results);

#endif
