/* The GPU task monitor of a cluster's nodes (Kang 2022, "real-time nodes", Algorithm 1, and the worker's side of
 * Algorithm 2): which processes a node has observed to begin and end, how much time each left until its deadline, and
 * what the node answers to a master's request. docs/realtime.md.
 *
 * It has no events of its own: it is driven by the calls below, in the order of their times, and a node's observations
 * are made when somebody asks.
 *
 * A container is a pod, a task one of its processes on a GPU, by a number that is its own among the container's. */
#ifndef SMS_LEVELS_CLUSTER_REALTIME_MONITOR_H
#define SMS_LEVELS_CLUSTER_REALTIME_MONITOR_H

#include "../../../record/record.h"

struct sms__monitor;

/* GPUtaskinfo of a task that runs, or of the latest that has ended: times as the monitor stamped them, ps. */
struct sms__task_info {
    uint64_t task, start_ps, end_ps;
    sms__integral deadline_ps, float_ps; /* of the clock; until then, from the end: below 0, it was missed */
    bool running, timed, hit;            /* timed: the container has a deadline */
};

/* What the GPUs of a node are used for at the time of the request. */
struct sms__node_use {
    double core; /* 0..1, mean of its GPUs */
    uint64_t memory, memory_used;
};

/* For containers 0 .. containers - 1, on none of the nodes yet. `record` is written to. In the arena, in a guard, as
 * all calls are. */
struct sms__monitor *sms__monitor_new(struct sms__arena *arena, const struct sms__monitor_rules *rules, size_t nodes,
                                      size_t containers, uint64_t seed, struct sms__monitor_record *record);

/* The container is put on the node; deadline 0: its tasks have none. One that was removed may come again. */
void sms__monitor_created(struct sms__monitor *monitor, size_t node, size_t container, uint64_t deadline_ps,
                          uint64_t now);
/* A process of it appears on a GPU, and vanishes. Processes of containers that are on no node are ignored. */
void sms__monitor_began(struct sms__monitor *monitor, size_t container, uint64_t task, uint64_t now);
void sms__monitor_ended(struct sms__monitor *monitor, size_t container, uint64_t task, uint64_t now);
/* The same of one that failed: nodes cannot tell, but it is no job that met its deadline. */
void sms__monitor_failed(struct sms__monitor *monitor, size_t container, uint64_t task, uint64_t now);
/* It is gone, and with it all of its processes that have not ended. */
void sms__monitor_removed(struct sms__monitor *monitor, size_t container, uint64_t now);

/* The node fails with all that is on it: its monitor has seen what it saw until now, and forgets it. When the node
 * returns, its monitor begins anew, a cycle at once. */
void sms__monitor_stopped(struct sms__monitor *monitor, size_t node, uint64_t now);
void sms__monitor_started(struct sms__monitor *monitor, size_t node, uint64_t now);
/* Since when the node's monitor runs; UINT64_MAX: it does not. */
uint64_t sms__monitor_since(const struct sms__monitor *monitor, size_t node);

/* The node's answer to a master; `answers` false: it sends none. */
struct sms_monitored sms__monitor_request(struct sms__monitor *monitor, size_t node, struct sms__node_use use,
                                          uint64_t now);

/* What the monitor knows now of a container's task, or of its latest that ended. False: nothing. */
bool sms__monitor_running(struct sms__monitor *monitor, size_t container, uint64_t task, uint64_t now,
                          struct sms__task_info *info);
bool sms__monitor_latest(struct sms__monitor *monitor, size_t container, uint64_t now, struct sms__task_info *info);

/* Whether something has happened that a node has not seen yet. */
bool sms__monitor_expects(const struct sms__monitor *monitor);

/* The node that the container is on, or SIZE_MAX. */
size_t sms__monitor_node(const struct sms__monitor *monitor, size_t container);
/* Whether what nodes have added up is what their containers say, for --check. */
bool sms__monitor_agrees(const struct sms__monitor *monitor);

/* All nodes see what they see until then: the record is complete. */
void sms__monitor_finish(struct sms__monitor *monitor, uint64_t now);

#endif
