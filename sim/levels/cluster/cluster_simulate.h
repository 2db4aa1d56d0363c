/* The cluster level: pods arrive, wait until a node has what they ask for, and hold it while they run.
 * docs/explanation/clusters.md has the model. */
#ifndef SMS_LEVELS_CLUSTER_CLUSTER_SIMULATE_H
#define SMS_LEVELS_CLUSTER_CLUSTER_SIMULATE_H

#include "../simulate.h"

/* Simulates one run, in a guard of `arena`. The codes are those of sms__simulate. */
int sms__cluster_simulate(struct sms__arena *arena, const struct sms__run_spec *spec);

#endif
