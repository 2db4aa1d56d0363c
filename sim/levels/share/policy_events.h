/* Streams that wait for the share policy's answer, in the order in which they began to but for launches of a higher
 * priority, which go first, and the policy's timers. The policy is asked about the streams again at the end of an
 * instant in which something has changed. */
#ifndef SMS_LEVELS_SHARE_POLICY_EVENTS_H
#define SMS_LEVELS_SHARE_POLICY_EVENTS_H

#include <smsched/share.h>

#include <stdint.h>

struct sms__process;
struct sms__stream;

/* `ask_again` returns whether the stream waits no longer. */
void sms__waiting_init(struct sms_share *share, bool (*ask_again)(struct sms__stream *stream, uint64_t now));
void sms__wait(struct sms__stream *stream);
void sms__stop_waiting(struct sms__stream *stream);
/* Something has changed that may change the policy's answers. */
void sms__changed(struct sms_share *share);
/* True if streams that wait will be asked again at this instant. */
bool sms__will_ask(const struct sms_share *share);
/* Tells the policy of an event, which may change its answers. */
void sms__tell(struct sms__process *process, enum sms_share_event_kind kind);

/* Timers go by time, then by the order in which they were set. */
void sms__timers_init(struct sms_share *share);
void sms__timers_add(struct sms_share *share, uint64_t time, size_t tag);
/* After a process has come or gone. On a host of slots, timers wait while there is no process. */
void sms__timers_update(struct sms_share *share);
/* A process has gone on, so the policy's timers are not idle. One that only moves or waits for something else has not.
 */
void sms__note_progress(struct sms_share *share);

#endif
