/* What a job of a workload takes alone, before it is done: tenants that begin in the middle of a job need it. */
#ifndef SMS_MODEL_JOB_H
#define SMS_MODEL_JOB_H

#include "scenario.h"

/* job.c: about how many ps it takes, alone on a device. `fit`: of its kernels on the device, from its first on. */
double sms__measure_job(const struct sms__workload *workload, const struct sms__footprint *fit,
                        const struct sms__device *device);

/* The same of one operation of a step: a launch, a copy, a host step. */
double sms__measure_step(const struct sms__workload *workload, size_t s, const struct sms__footprint *fit,
                         const struct sms__device *device);

#endif
