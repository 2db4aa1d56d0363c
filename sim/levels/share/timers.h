/* Timers of the share policy, by time, then by the order in which they were set. */
#ifndef SMS_LEVELS_SHARE_TIMERS_H
#define SMS_LEVELS_SHARE_TIMERS_H

#include <smsched/share.h>

void sms__timers_init(struct sms_share *share);
void sms__timers_add(struct sms_share *share, uint64_t time, size_t tag);
/* After a process has come or gone. On a host of slots, timers wait while there is no process. */
void sms__timers_update(struct sms_share *share);
/* Something has happened, so the policy's timers are not idle. */
void sms__timers_note_progress(struct sms_share *share);

#endif
