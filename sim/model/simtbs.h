/* `compat:` with another simulator, digit for digit, its faults included (docs/evidence/simtbs.md). */
#ifndef SMS_MODEL_SIMTBS_H
#define SMS_MODEL_SIMTBS_H

#include "device.h"

struct sms_scenario;

enum sms__compat { SMS__COMPAT_OFF, SMS__COMPAT_SIMTBS };

/* Under compat simtbs a tick is a microsecond. */
#define SMS__TICK_PS 1000000

/* simtbs.c: complains of what that simulator does not have. The scenario is sound and resolved. */
void sms__check_simtbs(struct sms__reader *reader, const struct sms_scenario *scenario);

/* The order that compat simtbs expects of a device's resources: hard ones from 0, those of class compute,
 * those of class memory from `compute` to `sm`, then `device` of scope device. */
struct sms__simtbs_shape {
    size_t hard, compute, sm, device;
};
/* NULL, or why the device has no such shape. */
const char *sms__simtbs_shape(const struct sms__device *device, struct sms__simtbs_shape *shape);

#endif
