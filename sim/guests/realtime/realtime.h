/* Real-time nodes (Kang 2022): a master whose decisions take time, as a scheduler, and the monitors of the nodes that
 * it asks, as an observer. docs/evidence/realtime.md. */
#ifndef SMS_GUESTS_REALTIME_REALTIME_H
#define SMS_GUESTS_REALTIME_REALTIME_H

#include "../../levels/cluster/observer.h"
#include "../../levels/cluster/scheduler.h"
#include "../../model/cluster/guest.h"

extern const struct sms__observer sms__monitor_observer;
extern const struct sms__guest sms__realtime_guest;

#endif
