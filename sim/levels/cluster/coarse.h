/* Coarse kernels, made of kernels of blocks. */
#ifndef SMS_LEVELS_CLUSTER_COARSE_H
#define SMS_LEVELS_CLUSTER_COARSE_H

#include "../simulate.h"

struct sms__tenant;

/* The scenario's VMs with every kernel coarse: its time and demand are those of simulating it alone, block by block.
 * Codes are those of sms__simulate. */
int sms__coarsen(struct sms__arena *arena, const struct sms__run_spec *spec, const struct sms__tenant **out);

#endif
