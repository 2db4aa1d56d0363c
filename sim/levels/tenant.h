/* The tenants of the block level: on each device a VM has a number of streams,
 * each of which takes a job, does the steps of the workload in order, and takes
 * the next. */
#ifndef SMS_LEVELS_TENANT_H
#define SMS_LEVELS_TENANT_H

#include "block/block.h"
#include "link.h"

/* Jobs of a VM that wait on a device; more are turned away and counted. */
enum { SMS__BACKLOG_MAX = 1 << 16 };

struct sms__feed;

/* One job under way. */
struct sms__vm_stream {
    struct sms__feed *feed;
    struct sms__launch launch;
    struct sms__copy_in_flight copy;
    size_t source; /* of its host steps */
    size_t step;
    uint64_t times;      /* launches done of the current step */
    uint64_t arrived_ps; /* its job */
    bool in_job;
    struct sms__vm_stream *next_idle;
};

/* A VM on a device. */
struct sms__feed {
    const struct sms_scenario *scenario;
    const struct sms__vm *vm;
    struct sms__blocks *device;
    struct sms__link *in, *out;
    struct sms__engine *engine;
    struct sms__vm_record *record;
    struct sms__vm_stream *stream; /* [vm->streams] */
    struct sms__vm_stream *idle;   /* those without a job, the latest first */
    gsl_rng *arrivals;
    gsl_rng **jitter;        /* [kernels] */
    size_t source;           /* of arrivals */
    uint64_t started, ended; /* jobs */
    uint64_t *backlog;       /* ring of the arrival times of jobs that wait */
    size_t backlog_first, backlog_count, backlog_size;
    struct sms__arena *arena;
    size_t *running; /* feeds that are not through yet, of the whole run */
};

/* Sets it up; its first event is the VM's start. */
void sms__feed_init(struct sms__feed *feed, struct sms__arena *arena, uint64_t seed, struct sms__record *record,
                    size_t vm, size_t device);

/* Adds the parts of kernels and jobs under way (sign 1), or takes them away (-1). After sms__blocks_add_partial. */
void sms__feed_credit(struct sms__feed *feed, int sign);

#endif
