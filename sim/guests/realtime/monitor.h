/* The GPU task monitor of a cluster's nodes (Kang 2022, "real-time nodes", Algorithm 1, and the worker's side of
 * Algorithm 2): which processes a node has observed to begin and end, how much time each left until its deadline, and
 * what the node answers to a master's request. docs/evidence/realtime.md.
 *
 * It has no events of its own: it is driven by the calls below, in the order of their times, and a node's observations
 * are made when somebody asks.
 *
 * A container is a pod, a task one of its processes on a GPU, by a number that is its own among the container's. */
#ifndef SMS_GUESTS_REALTIME_MONITOR_H
#define SMS_GUESTS_REALTIME_MONITOR_H

#include "../../record/record.h"

struct sms__monitor;

/* GPUtaskinfo of a task that runs, or of the latest that has ended: times as the monitor stamped them, ps. */
struct sms__task_info {
    uint64_t task, start_ps, end_ps;
    sms__integral deadline_ps, float_ps; /* the deadline on the clock; what was left until it, below 0: missed */
    bool running, timed, hit;            /* timed: the container has a deadline */
};

/* The usage of a node's GPUs at the time of the request. */
struct sms__node_use {
    double core; /* 0..1, mean of its GPUs */
    uint64_t memory, memory_used;
};

/* Makes a monitor of containers 0 .. containers - 1, none of which is on a node yet, in the arena. It writes to
 * `record`. All calls are made in a guard of the arena. */
struct sms__monitor *sms__monitor_new(struct sms__arena *arena, const struct sms__monitor_rules *rules, size_t nodes,
                                      size_t containers, uint64_t seed, struct sms__monitor_record *record);

/* The container is put on the node; deadline 0: its tasks have none. One that was removed may come again. */
void sms__monitor_created(struct sms__monitor *monitor, size_t node, size_t container, uint64_t deadline_ps,
                          uint64_t now);
/* A process of it appears on a GPU, and vanishes; `done` false: it failed, which nodes cannot tell, but it is no job
 * that met its deadline. Processes of containers that are on no node are ignored. */
void sms__monitor_began(struct sms__monitor *monitor, size_t container, uint64_t task, uint64_t now);
void sms__monitor_ended(struct sms__monitor *monitor, size_t container, uint64_t task, bool done, uint64_t now);
/* The container is gone, with all its processes that have not ended. */
void sms__monitor_removed(struct sms__monitor *monitor, size_t container, uint64_t now);

/* The node's answer to a master; `answers` false: it sends none. */
struct sms_monitored sms__monitor_request(struct sms__monitor *monitor, size_t node, struct sms__node_use use,
                                          uint64_t now);

/* Whether any event has not been observed yet. */
bool sms__monitor_expects(const struct sms__monitor *monitor);

/* The node that the container is on, or SIZE_MAX. */
size_t sms__monitor_node(const struct sms__monitor *monitor, size_t container);
/* Whether the sums of nodes are those of their containers, for --check. */
bool sms__monitor_agrees(const struct sms__monitor *monitor);

/* All nodes observe what they do up to now: the record is complete. */
void sms__monitor_finish(struct sms__monitor *monitor, uint64_t now);

#endif
