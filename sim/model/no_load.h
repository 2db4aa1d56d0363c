/* What a kernel would demand, and how long its blocks would take, if nothing slowed it.
 *
 * A profile tells what a kernel got while it ran alone: its use u of a resource is what was delivered. A contention
 * model that slows blocks below 100 % (contention.h, measured_alone) had slowed it already then. Let `alone` be the
 * factor by which the model slows the kernel while it runs alone at its own residency. At no load a block takes
 * block_time / alone, and demand * alone presses on the resource. For full waves under a knee of exponent p the factor
 * is 1 / (1 - u^p)^(1/p). A launch that ends with a partial wave is less slowed there, so the factor is the mean over
 * the waves. Work is conserved: (block_time / alone) * (demand * alone).
 *
 * Alone means on the whole device, also for a kernel on an instance. At u >= 1 a kernel alone lasts as under
 * `proportional`. Demands are at most SMS__ALONE_MAX times those given, since nobody measured a greater pressure; times
 * are then made shorter by as much as it takes for the kernel alone to last as measured. */
#ifndef SMS_MODEL_NO_LOAD_H
#define SMS_MODEL_NO_LOAD_H

#include "scenario.h"

/* V100: `triad` at full occupancy asks for 8.2 times the DRAM bandwidth (docs/evidence/validation.md). */
#define SMS__ALONE_MAX 8.0

/* Sets alone, work_ps and pressure of a footprint whose demand, per_sm and work_ps are those that were given.
 */
void sms__find_no_load(const struct sms_scenario *scenario, const struct sms__kernel *kernel,
                       const struct sms__device *device, struct sms__footprint *fit);

#endif
