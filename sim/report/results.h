/* The results of a scenario, between results_run.c, which fills them, and results.c, which has room for them and says
 * what they are. */
#ifndef SMS_REPORT_RESULTS_H
#define SMS_REPORT_RESULTS_H

#include "metrics.h"

struct sms__bins {
    float *value;
    size_t count;
    uint64_t width_ps;
};

struct sms_results {
    struct sms__arena arena;
    const struct sms_scenario *scenario;
    uint64_t seed;
    size_t replications, policies;
    size_t *policy;             /* [policies]: index in the scenario */
    struct sms__values *values; /* [policies][replications] */
    struct sms__alone *alone;   /* [replications][vms] */
    bool with_alone;
    size_t sms;
    struct sms__bins *bins;                                 /* [policies] */
    const char **kernel_name;                               /* "VM/KERNEL" */
    const char **device_name;                               /* "DEVICE/0", by number */
    const char **node_name;                                 /* [rows], of a cluster */
    struct sms__simtbs_record *simtbs;                      /* [policies], under compat simtbs; else NULL */
    struct sms__allocation (*allocation)[SMS__ALLOCATIONS]; /* [policies][replications], of a cluster; else NULL */
};

/* Chooses the policies, all or those that `options->policy` names by label or name, and makes room; in a guard of the
 * arena. */
void sms__results_set_up(struct sms_results *results, const struct sms_run_options *options);

#endif
