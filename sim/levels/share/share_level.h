/* The share level: processes of several tenants on the GPUs of one host.
 *
 * This header is for those that run a host. share_level.c runs the one host of a scenario with `vms:` or `processes:`,
 * stand_alone.c one for a process by itself, and a cluster runs one for each node whose pods run workloads. A host uses
 * an engine that others may use as well. */
#ifndef SMS_LEVELS_SHARE_SHARE_LEVEL_H
#define SMS_LEVELS_SHARE_SHARE_LEVEL_H

#include "../../base/rng.h"
#include "../../engine/engine.h"
#include "../simulate.h"
#include "../../model/scenario.h"

struct sms_share;
struct sms__process;
struct sms__stream;

/* Where processes may be on a host of slots: a whole GPU, or an instance that is there at some time. */
struct sms__place {
    size_t gpu, type;             /* of the host; device of the scenario */
    size_t slots;                 /* for processes at once */
    uint8_t slice;                /* of an instance: where it begins */
    const struct sms__mode *mode; /* NULL: the policy's */
};

/* What a host is. All that it points to must outlive the host. */
struct sms__host_setup {
    const struct sms__run_spec *spec;
    struct sms__engine *engine;
    const struct sms__tenant *vm; /* [the scenario's vms]: what processes run */
    struct sms__mixes *mixes;     /* of all hosts; NULL: the host has its own */
    size_t number;                /* of the host, which selects the random numbers of its share policy */
    const size_t *type;           /* [gpus]: devices of the scenario */
    size_t gpus;
    size_t slots; /* for processes that come and go, on each GPU; 0: the processes are those of the scenario */
    const struct sms__place *place; /* [places], by GPU: instead of each GPU, with slots of its own; or NULL */
    size_t places;
    size_t first_gpu; /* among all of the run */
    double cores;     /* 0: no limit */
    bool vms;         /* its processes are VMs, one on each GPU that may have it: without memory, context and phases */
    /* Called when a process has ended or failed. Its slot is free by then. */
    void (*ended)(void *subject, struct sms__process *process, uint64_t now);
    /* Called when a job uses its GPU for the first time, and when such a job has ended; or NULL. */
    void (*job)(void *subject, const struct sms__stream *stream, bool begins, uint64_t now);
    void *subject;
};

/* One run of a scenario with `vms:` or `processes:`. Codes are those of sms__simulate. */
int sms__share_run(struct sms__arena *arena, const struct sms__run_spec *spec);

/* share_level.c: adds the event sources that the host takes of its engine to `sources`. */
void sms__share_count(const struct sms__host_setup *setup, size_t sources[SMS__LEVELS]);
struct sms_share *sms__share_new(struct sms__arena *arena, const struct sms__host_setup *setup);
/* Calls the policy's `start`. */
void sms__share_start(struct sms_share *share);
/* Advances all integrals to `now`. `partial`: 1 adds the work of kernels and jobs under way to the records, -1
 * subtracts it, 0 leaves it. */
void sms__share_advance(struct sms_share *share, int partial, uint64_t now);
/* Discards what was measured of slots and their GPUs. */
void sms__share_forget(struct sms_share *share);
/* At the end of the run: ends all spans of the timeline, and counts the processes that wait for ever. */
void sms__share_close(struct sms_share *share, uint64_t now);
/* When no event is left: the first process that has something under way, which would end beyond the clock; or NULL. */
const struct sms__process *sms__share_busy(const struct sms_share *share);
uint64_t sms__share_events(const struct sms_share *share); /* of the engines of contexts */
int sms__share_code(const struct sms_share *share);        /* of the first of those engines that failed, or SMS_OK */

/* job_arrivals.c: when the job of this number arrives at a tenant whose job before it arrived at `before`; ps. */
uint64_t sms__arrival_of_job(const struct sms__tenant *vm, uint64_t job, uint64_t before, gsl_rng *random);

/* stand_alone.c: a process by itself on a device of the scenario. Of more than SMS__ALONE_JOBS jobs only that many are
 * simulated. Each of the others takes the mean of the second half of these, which is exact if nothing is drawn. */
struct sms__stand_alone {
    uint64_t ps; /* end of the process; SMS__NEVER: it never ends; one less: it would end beyond the clock */
    bool failed;
    double kernel_ps, resident_ps; /* a launch of its first kernel; time of all its blocks on SMs */
};
/* Codes are those of sms__simulate. Allocates memory of its own and frees it. */
int sms__share_stand_alone(const struct sms__run_spec *spec, const struct sms__policy_use *block,
                           const struct sms__tenant *vm, size_t number, size_t device, struct sms__stand_alone *out);

#endif
