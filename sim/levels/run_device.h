/* What all levels ask about a device. */
#ifndef SMS_LEVELS_DEVICE_H
#define SMS_LEVELS_DEVICE_H

#include "simulate.h"

struct sms__blocks_setup;

/* Returns how many sources of events of the level of blocks the device needs: one, or in the reference engine one for
 * each SM and the dispatcher. */
size_t sms__block_sources(const struct sms__run_spec *spec, const struct sms__device *device);

/* What contention models are asked with. It lives in the arena. Call it in a guard of the arena. */
struct sms_contention_view sms__contention_view(struct sms__arena *arena, const struct sms_scenario *scenario,
                                                const struct sms__device *model);

/* What the block level needs for a device, as far as it follows from the run and the kernel types that may run on it.
 * The caller adds the engine and the record, then calls sms__blocks_new. */
struct sms__blocks_setup sms__device_blocks(const struct sms__run_spec *spec, const struct sms__device *model,
                                            const struct sms_contention_view *view,
                                            const struct sms__footprint *const *types, size_t n_types);

#endif
