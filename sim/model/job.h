/* What one job of a workload is on a device by itself: for what is estimated before anything runs. */
#ifndef SMS_MODEL_JOB_H
#define SMS_MODEL_JOB_H

#include "fit.h"

struct sms__job {
    double ps;        /* about how long it takes */
    double least_ps;  /* and never less, whatever is drawn */
    double events;    /* about how many: steps, and blocks that end at a time of their own */
    double device_ps; /* of the device, were it filled by its blocks and nothing else; 0 of kernels given by time */
};

/* `fit`: of its kernels on the device, from its first on. `in_blocks`: false: kernels are simulated as wholes. */
struct sms__job sms__measure_job(const struct sms__workload *workload, const struct sms__fit *fit,
                                 const struct sms__device *device, bool in_blocks);

/* Where `key` of the map stands, or the map itself. */
const struct sms__node *sms__at_key(const struct sms__node *map, const char *key);

/* "3.2 days", "17 years", for messages. */
const char *sms__say_time(char *out, size_t size, double ps);

#endif
