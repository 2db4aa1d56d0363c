/* Time slices: whose turn it is among the contexts of an instance. Without slices these functions do nothing. */
#ifndef SMS_LEVELS_SHARE_TIME_SLICE_H
#define SMS_LEVELS_SHARE_TIME_SLICE_H

#include "context.h"

void sms__slicer_init(struct sms__instance *instance);
/* The context has got a kernel, maybe its first one. */
void sms__slicer_add(struct sms__context *context, uint64_t now);
/* Blocks that no SM took may have room now, so contexts take turns again. */
void sms__slicer_wake(struct sms__instance *instance, uint64_t now);
/* A kernel of the context has ended, maybe its last one. */
void sms__slicer_end_kernel(struct sms__context *context);
/* Adds the switch under way, as far as it has come, to the record. */
void sms__slicer_advance(struct sms__instance *instance, uint64_t now);

#endif
