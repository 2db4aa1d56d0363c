/* A share policy gives a process other SMs while it runs. */
#ifndef SMS_LEVELS_SHARE_REPARTITION_H
#define SMS_LEVELS_SHARE_REPARTITION_H

#include "process.h"

/* As sms_share_use_sms says. The process is on an instance. */
void sms__repartition(struct sms__process *process, const uint64_t *sms);

#endif
