/* Real-time nodes (Kang 2022): a master whose decisions take time, as a scheduler, and the monitors of the nodes that
 * it asks, as an observer. docs/evidence/realtime.md. */
#ifndef SMS_LEVELS_CLUSTER_REALTIME_REALTIME_H
#define SMS_LEVELS_CLUSTER_REALTIME_REALTIME_H

#include "../observer.h"
#include "../scheduler.h"

extern const struct sms__scheduler sms__master_scheduler;
extern const struct sms__observer sms__monitor_observer;

#endif
