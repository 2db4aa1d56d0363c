/* The tenants of the block level. On each device a VM has a number of streams. Each takes a job, does the steps of the
 * workload in order, and takes the next job. */
#ifndef SMS_LEVELS_TENANT_H
#define SMS_LEVELS_TENANT_H

#include "../model/phase.h"
#include "block/block.h"
#include "jobs.h"
#include "pcie.h"
#include "simulate.h"

struct sms__feed;

/* One job under way. */
struct sms__vm_stream {
    struct sms__feed *feed;
    struct sms__launch launch;
    struct sms__copy_in_flight copy;
    size_t source; /* of events: ends of its host steps, and when it begins */
    size_t step;
    uint64_t times;      /* launches done of the current step */
    uint64_t arrived_ps; /* its job */
    bool in_job;
    struct sms__phase begins; /* until it has begun */
    double done;              /* share of its operation that was done when it began */
    bool is_rest;             /* so was a part of its job */
    struct sms__taker taker;
};

/* A VM on a device. */
struct sms__feed {
    const struct sms_scenario *scenario;
    const struct sms__tenant *vm;
    size_t tenant; /* its index among those of the device */
    struct sms__blocks *device;
    struct sms__link *in, *out;
    struct sms__engine *engine;
    struct sms__vm_record *record;
    struct sms__vm_stream *stream; /* [vm->streams] */
    struct sms__jobs jobs;         /* those that arrive; unused otherwise */
    gsl_rng **jitter;              /* [kernels] */
    size_t source;                 /* of events: its start, and arrivals */
    uint64_t started, ended;       /* jobs */
    size_t *running;               /* feeds of the whole run that have not ended */
};

/* Prepares the feed. Its first event is the VM's start. */
void sms__feed_init(struct sms__feed *feed, struct sms__arena *arena, const struct sms__run_spec *spec, size_t vm,
                    size_t device);

/* Adds what is done of kernels and jobs under way to the records (sign 1), or subtracts it (-1). Call it after
 * sms__blocks_add_partial. */
void sms__feed_add_partial(struct sms__feed *feed, int sign);

#endif
