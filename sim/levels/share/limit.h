/* A process may be kept to a part of the SMs, which its mode sets. */
#ifndef SMS_LEVELS_SHARE_LIMIT_H
#define SMS_LEVELS_SHARE_LIMIT_H

#include "host.h"

bool sms__limits_any(const struct sms_share *share);
void sms__limits_init(struct sms_share *share);
/* For a process that has come to a slot. */
void sms__limit_set(struct sms__process *process);
/* The process chooses SMs of its instance, and gives them back. */
void sms__limit_enter(struct sms__process *process);
void sms__limit_leave(struct sms__process *process);
/* The SMs of each kernel type, for the block level; NULL if no process is limited. */
const struct sms__allowed *const *sms__limits_of(const struct sms_share *share);

#endif
