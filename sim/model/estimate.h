/* What the runs of a scenario will take of time and memory, estimated before any of it is done
 * (docs/evidence/performance.md).
 */
#ifndef SMS_MODEL_ESTIMATE_H
#define SMS_MODEL_ESTIMATE_H

#include "scenario.h"

/* ---- one job, alone on a device (job.c) ---- */

struct sms__job {
    double ps;        /* about how long it takes */
    double least_ps;  /* it never takes less, whatever is drawn */
    double events;    /* about how many: steps, and blocks that end at a time of their own */
    double steps;     /* events where kernels are simulated as wholes */
    double device_ps; /* device time, if its blocks filled the device; 0 of kernels given by time */
};

/* `fit`: of its kernels on the device, from its first on. */
struct sms__job sms__measure_job(const struct sms__workload *workload, const struct sms__footprint *fit,
                                 const struct sms__device *device);

/* The same of one operation of a step: a launch, a copy, a host step. */
struct sms__job sms__measure_step(const struct sms__workload *workload, size_t s, const struct sms__footprint *fit,
                                  const struct sms__device *device);

/* "3.2 days", "17 years", for messages. */
const char *sms__say_time(char *out, size_t size, double ps);

/* ---- work (effort.c) ---- */

/* From this on `validate` says how long the runs take, and a file is warned about. */
#define SMS__EFFORT_SAID_S 3.0
#define SMS__EFFORT_WARNED_S 3600.0

#define SMS__EVENT_S 1e-7 /* CPU time of an event, s */

/* Most steps of workloads that are looked at, of all tenants together. Those beyond count nothing. */
#define SMS__STEPS_SEEN 3e7

/* The work of all policies and replications. `at` is the key that causes most of it, `what` names that part. */
struct sms__effort {
    double events, seconds, most;
    const struct sms__node *at;
    const char *what;
};

struct sms__effort sms__effort_of(const struct sms_scenario *scenario);
/* Adds work of so many events, and of so many seconds each (job.c). */
void sms__effort_add(struct sms__effort *effort, double events, double seconds, const struct sms__node *at,
                     const char *what);
/* Adds work that is not made of events (job.c). */
void sms__effort_spend(struct sms__effort *effort, double seconds, const struct sms__node *at, const char *what);
/* `run: duration`, or where it would stand (job.c). */
const struct sms__node *sms__at_duration(const struct sms_scenario *scenario);
/* cluster/effort.c: adds that of a scenario with nodes. */
void sms__effort_of_cluster(const struct sms_scenario *scenario, struct sms__effort *effort);

/* check_clock.c: complains of tenants that would go on beyond the clock in a run without a duration. */
void sms__check_clock(struct sms__reader *reader, const struct sms_scenario *scenario);

/* ---- memory (memory.c) ---- */

/* A scenario whose runs need more is refused. */
#define SMS__MEMORY_MAX (4.0 * 1024 * 1024 * 1024) /* bytes */

struct sms__memory_ask {
    double replications;
    size_t jobs;    /* runs at once, at least 1 */
    double bins;    /* as in the options of a run */
    bool latencies; /* the same */
};
/* About how many bytes the runs take: never less than they do by more than a few percent, and seldom more than twice as
 * much. */
double sms__memory_of(const struct sms_scenario *scenario, const struct sms__memory_ask *ask);
/* How many of the jobs may run at once within SMS__MEMORY_MAX, at least 1. */
size_t sms__jobs_that_fit(const struct sms_scenario *scenario, const struct sms__memory_ask *ask);
/* Whether they take at most SMS__MEMORY_MAX; and how much they take. */
bool sms__replications_fit(const struct sms_scenario *scenario, const struct sms__memory_ask *ask, double *gib);
/* The same for one job and the replications of the scenario; reports it otherwise. */
bool sms__fits_in_memory(struct sms__reader *reader, struct sms_file *file, struct sms_scenario *scenario);

#endif
