/* An observer of pods and nodes: it hears of each change when it happens, and changes nothing. Times are ps. Only
 * find_disagreement may be NULL. */
#ifndef SMS_LEVELS_CLUSTER_OBSERVER_H
#define SMS_LEVELS_CLUSTER_OBSERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sms__cluster_run;

struct sms__observer {
    bool (*is_wanted)(const struct sms__cluster_run *run); /* the scenario or the policy asks for it */
    void (*init)(struct sms__cluster_run *run);            /* makes run->observing; hosts are there */
    /* The pod begins to run on its place; ends by itself, done or failed; loses its place, whether it ran or not. */
    void (*begin)(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
    void (*end)(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
    void (*cut)(struct sms__cluster_run *run, uint32_t pod, uint64_t now);
    /* A job of a process of the pod begins or ends; `number` is unique among the pod's jobs. Not called where pods
     * last as long as they take alone. */
    void (*begin_job)(struct sms__cluster_run *run, uint32_t pod, uint64_t number, uint64_t now);
    void (*end_job)(struct sms__cluster_run *run, uint32_t pod, uint64_t number, bool failed, uint64_t now);
    void (*close)(struct sms__cluster_run *run, uint64_t now); /* the run is over */
    /* Under --check: NULL, or which invariant does not hold. */
    const char *(*find_disagreement)(struct sms__cluster_run *run);
};

#endif
