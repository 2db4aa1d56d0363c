/* About how much work the runs of a scenario are, before any of it is done. */
#ifndef SMS_MODEL_EFFORT_H
#define SMS_MODEL_EFFORT_H

#include "scenario.h"

/* From this on `validate` says how long the runs take, and a file is warned about. */
#define SMS__EFFORT_SAID_S 60.0
#define SMS__EFFORT_WARNED_S 3600.0

/* CPU time of an event, s: measured on the machine of docs/performance.md, which says with what. */
#define SMS__EVENT_S 1e-7
#define SMS__POD_S 3e-7          /* a pod that comes and goes */
#define SMS__FAILURE_S 1e-6      /* a node or a GPU fails or returns, with pods on it */
#define SMS__BURST_S 1e-7        /* of arrivals begins and ends */
#define SMS__LOOK_S 1.5e-8       /* at a node, for a shape of pods */
#define SMS__TRY_S 5e-7          /* a pod that waits is tried: that, */
#define SMS__TRY_NODE_S 3e-8     /* and for each node; */
#define SMS__SHARED_TRY_S 1.5e-7 /* under gpushare, which remembers nodes: that, */
#define SMS__SKIPPED_TRY_S 2e-9  /* or, where no node could ever hold it, that */

/* Steps of workloads that are looked at, of all tenants together; what is beyond them counts nothing. */
#define SMS__STEPS_SEEN 3e7

/* Of all policies and replications. `at` is the key with most of the work, `what` says which it is. */
struct sms__effort {
    double events, seconds, most;
    const struct sms__node *at;
    const char *what;
};

/* effort.c */
struct sms__effort sms__effort_of(const struct sms_scenario *scenario);
/* Work of `events` of `seconds` each. */
void sms__effort_add(struct sms__effort *effort, double events, double seconds, const struct sms__node *at,
                     const char *what);
/* Work that is none of events. */
void sms__effort_spend(struct sms__effort *effort, double seconds, const struct sms__node *at, const char *what);
/* `run: duration`, or where it would stand. */
const struct sms__node *sms__at_duration(const struct sms_scenario *scenario);
/* Adds a warning if the runs take long. */
void sms__warn_of_effort(struct sms_file *file, const struct sms_scenario *scenario);

/* cluster/effort.c: of a scenario with nodes. */
void sms__effort_of_cluster(const struct sms_scenario *scenario, struct sms__effort *effort);

/* beyond.c: complains of tenants that would go on beyond the clock in a run without a duration. */
void sms__check_clock(struct sms__reader *reader, const struct sms_scenario *scenario);

#endif
