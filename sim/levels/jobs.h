/* Jobs that arrive at a tenant, whatever its level. A free stream takes a job that arrives; without one the job waits,
 * and the oldest that waits goes to the next free stream. */
#ifndef SMS_LEVELS_JOBS_H
#define SMS_LEVELS_JOBS_H

#include "../base/rng.h"
#include "../engine/engine.h"
#include "../model/limits.h"
#include "../model/scenario.h"
#include "../record/record.h"

/* Jobs that may wait. More are rejected and counted. */
enum { SMS__BACKLOG_MAX = SMS__TIMES_MAX };

/* Embedded in a stream that takes jobs. */
struct sms__taker {
    void *stream;
    struct sms__taker *next_idle;
};

struct sms__jobs {
    const struct sms__tenant *vm;
    struct sms__vm_record *record;
    struct sms__engine *engine;
    struct sms__arena *arena;
    size_t source;                                                 /* of events: arrivals */
    void (*take)(void *stream, uint64_t arrived_ps, uint64_t now); /* begins a job */
    gsl_rng *random;
    bool coming;             /* the next arrival is scheduled */
    uint64_t arrived, taken; /* jobs so far */
    struct sms__taker *idle; /* streams without a job, the latest first */
    uint64_t *backlog;       /* ring of the arrival times of jobs that wait */
    size_t backlog_first, backlog_count, backlog_size;
};

/* Prepares the draws of intervals. The members up to `take` are set. */
void sms__jobs_init(struct sms__jobs *jobs, uint64_t seed, size_t device);
/* Schedules the first arrival after the tenant's start. */
void sms__jobs_start(struct sms__jobs *jobs);
/* An arrival, at the source's event: schedules the next one, and gives the job to a stream or lets it wait. */
void sms__jobs_arrive(struct sms__jobs *jobs, uint64_t now);
/* Gives a free stream the oldest job that waits, or lets the stream wait for one. */
void sms__jobs_serve(struct sms__jobs *jobs, struct sms__taker *taker, uint64_t now);
/* No more jobs arrive, and those that wait are forgotten. */
void sms__jobs_stop(struct sms__jobs *jobs);
/* Whether no job waits and none will arrive. */
bool sms__jobs_are_over(const struct sms__jobs *jobs);

#endif
