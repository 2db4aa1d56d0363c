/* What a job of a workload takes alone, and how much memory the runs of a scenario take, before any of it is done
 * (docs/evidence/performance.md). */
#ifndef SMS_MODEL_ESTIMATE_H
#define SMS_MODEL_ESTIMATE_H

#include "scenario.h"

/* ---- one job, alone on a device (job.c) ---- */

struct sms__job {
    double ps;       /* about how long it takes */
    double least_ps; /* it never takes less, whatever is drawn */
};

/* `fit`: of its kernels on the device, from its first on. */
struct sms__job sms__measure_job(const struct sms__workload *workload, const struct sms__footprint *fit,
                                 const struct sms__device *device);

/* The same of one operation of a step: a launch, a copy, a host step. */
struct sms__job sms__measure_step(const struct sms__workload *workload, size_t s, const struct sms__footprint *fit,
                                  const struct sms__device *device);

/* "3.2 days", "17 years", for messages. */
const char *sms__say_time(char *out, size_t size, double ps);

/* Most steps of workloads whose clock is checked, of all tenants together. Those beyond are not looked at. */
#define SMS__STEPS_SEEN 3e7

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
