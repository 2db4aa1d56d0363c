/* Kernels that want more than there is. A profile shows how much of a resource a kernel got, which ends at 100 %, so no
 * profile shows a kernel that alone wants more. Such a kernel slows itself, and a policy that admits fewer of its
 * blocks gains by that, with nobody to share with. */
#ifndef SMS_MODEL_BEYOND_FULL_H
#define SMS_MODEL_BEYOND_FULL_H

#include "file.h"
#include "scenario.h"

/* Demands are rounded, and blocks are whole: up to so much a full wave is 100 %. */
#define SMS__FULL_MARGIN 0.02

/* Whether some kernel of the tenant wants more than `most` of a resource of a device that it may run on. */
bool sms__wants_more(const struct sms_scenario *scenario, const struct sms__tenant *vm, double most);

/* Warns of kernels that want more than 100 % of a resource, unless their workload says `synthetic: true`. With the
 * option `strict` complains of them. */
void sms__warn_beyond_full(struct sms__reader *reader, struct sms_file *file, const struct sms_scenario *scenario);

#endif
