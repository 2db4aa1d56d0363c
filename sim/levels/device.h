/* What the levels ask of a device's model. */
#ifndef SMS_LEVELS_DEVICE_H
#define SMS_LEVELS_DEVICE_H

#include "../model/scenario.h"

/* Sets of resources of scope device that the scenario's kernels may demand, at most. */
size_t sms__device_clocks_max(const struct sms_scenario *scenario, const struct sms__device *device);

/* What contention models are asked with. Lives in the arena; in a guard of it. */
struct sms_contention_view sms__contention_view(struct sms__arena *arena, const struct sms_scenario *scenario,
                                                const struct sms__device *model);

#endif
