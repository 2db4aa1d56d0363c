/* Slots of a host, for processes that come and go. */
#ifndef SMS_LEVELS_SHARE_SLOT_H
#define SMS_LEVELS_SHARE_SLOT_H

#include "process.h"

/* Lets a process of one stream come at `start`, to a free slot of its GPU. There must be one. */
void sms__share_admit(struct sms_share *share, const struct sms__arrival *arrival, uint64_t start);
/* Calls `act` for each process with this tag that has not ended. */
void sms__share_each(struct sms_share *share, size_t tag, void (*act)(struct sms__process *process, uint64_t now),
                     uint64_t now);

#endif
