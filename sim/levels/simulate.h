/* One run: one scenario, one policy, one seed, from time 0 to its end. */
#ifndef SMS_LEVELS_SIMULATE_H
#define SMS_LEVELS_SIMULATE_H

#include "../record/record.h"
#include "run_observer.h"

struct sms__run_spec {
    const struct sms_scenario *scenario;
    const struct sms__policy_use *policy;
    uint64_t seed;
    double slack_ps; /* of the window measured: sms__slack_ps of all tenants, also of one alone */
    long only_vm;    /* only this tenant runs, by itself; -1: all. A VM is its scenario's only one */
    /* Those among whom block policies count a process, and its number if `scenario` has it alone; or NULL. */
    const struct sms_scenario *among;
    size_t number;
    struct sms__run_observer *observer; /* or NULL */
    const struct sms_run_options *options;
    void (*on_part)(void *user, double part); /* called when a further per cent of the duration is over */
    void *user;
    struct sms__record *record; /* filled; in the arena */
};

static inline const struct sms_scenario *sms__among(const struct sms__run_spec *spec)
{
    return spec->among ? spec->among : spec->scenario;
}

/* Call it in a guard of `arena`. Returns SMS_OK, SMS_ECANCELED, SMS_ELIMIT, SMS_EBUG with record->why set, or
 * SMS_EINPUT if something would end beyond the clock. */
int sms__simulate(struct sms__arena *arena, const struct sms__run_spec *spec);

/* cluster/cluster_simulate.c: the same of a cluster. */
int sms__cluster_simulate(struct sms__arena *arena, const struct sms__run_spec *spec);

#endif
