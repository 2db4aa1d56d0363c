/* The default scheduler: a pod takes its place at once, or waits in a queue of its shape. */
#ifndef SMS_LEVELS_CLUSTER_WAIT_QUEUE_H
#define SMS_LEVELS_CLUSTER_WAIT_QUEUE_H

#include "scheduler.h"

extern const struct sms__scheduler sms__wait_queue_scheduler;

#endif
