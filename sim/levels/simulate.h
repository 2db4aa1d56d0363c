/* One run: one scenario, one policy, one seed, from time 0 to its end. */
#ifndef SMS_LEVELS_SIMULATE_H
#define SMS_LEVELS_SIMULATE_H

#include "../record/record.h"

struct sms__engine;

struct sms__run_spec {
    const struct sms_scenario *scenario;
    const struct sms__policy_use *policy;
    uint64_t seed;
    long only_vm;        /* the stand-alone run of this VM; -1: all VMs */
    const char *observe; /* label under which observers are told; NULL: nobody watches */
    const struct sms_run_options *options;
    struct sms__record *record; /* filled; in the arena */
};

/* In a guard of `arena`. SMS_OK, SMS_ECANCELED, SMS_ELIMIT, SMS_EBUG with record->why set, or
 * SMS_EINPUT: what is under way would end beyond the clock. */
int sms__simulate(struct sms__arena *arena, const struct sms__run_spec *spec);

/* For the engine of a run, which has two sources of SMS__LEVEL_RUN: at the end of the warm-up `at_warmup` is called,
 * at that of the run the engine stops. Both are drawn where sms__slack_ps says so, the same under every policy. */
void sms__run_ends(struct sms__engine *engine, struct sms__arena *arena, const struct sms__run_spec *spec,
                   void (*at_warmup)(void *subject, uint64_t now), void *subject);

#endif
