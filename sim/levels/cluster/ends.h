/* When runs of pods end that last a duration known at their begin. Ends of runs that were cut off are forgotten. */
#ifndef SMS_LEVELS_CLUSTER_ENDS_H
#define SMS_LEVELS_CLUSTER_ENDS_H

#include <stdbool.h>
#include <stdint.h>

struct sms__cluster_run;

/* Registers the source that fires when pods end, with the run as its subject. */
void sms__ends_init(struct sms__cluster_run *run, void (*fire)(void *subject, uint64_t now));
/* The pod's present run ends then; SMS__NEVER: beyond the clock. */
void sms__ends_add(struct sms__cluster_run *run, uint32_t pod, uint64_t time);
/* Takes out a pod that ends now, the first to arrive first; SMS__NO_POD: there is none. */
uint32_t sms__ends_pop(struct sms__cluster_run *run, uint64_t now);
/* Sets the source to the first end, after ends were added or runs cut off. */
void sms__ends_await(struct sms__cluster_run *run);
/* Whether any end is to come. */
bool sms__ends_pending(const struct sms__cluster_run *run);

#endif
