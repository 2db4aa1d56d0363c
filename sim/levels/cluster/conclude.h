/* What follows an event of the cluster. */
#ifndef SMS_LEVELS_CLUSTER_CONCLUDE_H
#define SMS_LEVELS_CLUSTER_CONCLUDE_H

#include <stdbool.h>
#include <stdint.h>

struct sms__cluster_run;

/* To be called after each event that may have changed which pods wait and which have a place. */
void sms__cluster_conclude(struct sms__cluster_run *run);
/* The same after pods have given their places back: the scheduler serves pods that wait first. */
void sms__cluster_freed(struct sms__cluster_run *run, uint64_t now);
/* Under --check: ends the run if invariants do not hold. */
void sms__cluster_check(struct sms__cluster_run *run);
/* Whether pods are to arrive or to end after their duration, or failures are to come at given times. */
bool sms__cluster_goes_on(const struct sms__cluster_run *run);

#endif
