/* What all levels ask about a device. */
#ifndef SMS_LEVELS_DEVICE_H
#define SMS_LEVELS_DEVICE_H

#include "../model/scenario.h"

/* The most sets of resources of scope device that the scenario's kernels may demand, each of which has a clock. */
size_t sms__device_clocks_max(const struct sms_scenario *scenario, const struct sms__device *device);

/* What contention models are asked with. It lives in the arena. Call it in a guard of the arena. */
struct sms_contention_view sms__contention_view(struct sms__arena *arena, const struct sms_scenario *scenario,
                                                const struct sms__device *model);

#endif
