/* Parts: which SMs of its instance a process may use, and which of these its streams. A part is a set of SMs that
 * changes over time. The block level knows the sets alone, and neither the mode, the green context nor the policy that
 * asked for them. */
#ifndef SMS_LEVELS_SHARE_SM_PART_H
#define SMS_LEVELS_SHARE_SM_PART_H

#include "host.h"

/* True if some process or stream may have fewer SMs than an instance. */
bool sms__parts_any(const struct sms_share *share);
void sms__parts_init(struct sms_share *share);
/* For a process that has come to a slot. */
void sms__part_set(struct sms__process *process);
/* The process and its streams choose SMs of its instance, and give them back. */
void sms__part_enter(struct sms__process *process);
void sms__part_leave(struct sms__process *process);
/* Returns the number of SMs of its instance that the stream may use now, 0 without one. */
size_t sms__stream_sms(const struct sms__stream *stream);
/* The process has these SMs from now on, where the mode reserves SMs without those of others: bit s % 64 of sms[s / 64]
 * stands for SM s. Blocks elsewhere run to their end, and coarse kernels end as they began. The caller offers the
 * blocks that wait. */
void sms__part_change(struct sms__process *process, const uint64_t *sms);
/* The SMs of each kernel type, for the block level; NULL if all may use all. */
const struct sms__allowed *const *sms__parts_of(const struct sms_share *share);

#endif
