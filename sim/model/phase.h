/* Phases: where in a job a tenant is when it begins.
 *
 * Tenants that repeat for ever and begin together may keep step for ever, in an order that the order of a list decides.
 * So each replication draws how far such a tenant is in its job, uniform in the time that one job takes alone. A job
 * may be longer than the whole run, and a delay would leave the device empty. So the tenant skips the steps that are
 * done, and begins with the rest of the operation that is under way. Blocks that would be under way are not made: the
 * tenant waits until their wave is over. A `start:` that is given is kept, and nothing is drawn for a tenant that never
 * shares a device. */
#ifndef SMS_MODEL_PHASE_H
#define SMS_MODEL_PHASE_H

#include "scenario.h"

/* Finds out which tenants draw their phase. */
void sms__find_phases(struct sms__arena *arena, const struct sms_scenario *scenario);

struct sms__phase {
    double delay_ps; /* from the tenant's start until it begins */
    size_t step;     /* the step with which it begins */
    uint64_t times;  /* operations of that step that are done */
    double done;     /* share of the next operation that is done, 0 <= done < 1; of a kernel, a number of its blocks */
};

/* True if something of the job is done. */
static inline bool sms__is_within(const struct sms__phase *phase)
{
    return phase->step > 0 || phase->times > 0 || phase->done > 0;
}

/* The blocks of the kernel that are done. One that is given by its time has none to skip. */
static inline uint64_t sms__blocks_done(const struct sms__kernel *kernel, double done)
{
    return kernel->whole ? 0 : (uint64_t)(done * (double)kernel->blocks + 0.5);
}

/* Returns the phase of a stream that has done the share `u` of a job, 0 <= u < 1, by the times of a job alone. `fit`:
 * of the workload's kernels on the device. */
struct sms__phase sms__phase_at(const struct sms_scenario *scenario, const struct sms__workload *workload,
                                const struct sms__footprint *fit, const struct sms__device *device, double u);

/* The same where the job cannot begin in its middle: it begins at its first step, after a delay. */
struct sms__phase sms__phase_before(const struct sms_scenario *scenario, const struct sms__workload *workload,
                                    const struct sms__footprint *fit, const struct sms__device *device, double u);

#endif
