/* The GPUs of a host, whole or as MIG instances, and what processes hold of them. Without MIG a GPU is one instance. */
#ifndef SMS_LEVELS_SHARE_GPU_H
#define SMS_LEVELS_SHARE_GPU_H

#include "../../record/record.h"
#include "../filling.h"
#include "../run_setup.h"
#include "share_level.h"

struct sms__context;
struct sms__coarse_kernels;
struct sms__slicer;

struct sms__gpu {
    size_t idx; /* of the host's GPUs */
    const struct sms__device *type;
    size_t first_sm;                    /* among the SMs of all GPUs */
    struct sms__pool in, out;           /* its link */
    uint64_t held;                      /* bytes */
    size_t processes, kernels;          /* on all its instances; under way */
    double core;                        /* what the kernels under way ask for, parts of SMS_FULL of the GPU */
    struct sms__coarse_kernels *coarse; /* of all its contexts */
    uint64_t advanced_ps;               /* time up to which its integrals are complete */
    struct sms__device_record *record;
};

struct sms__instance {
    struct sms_share *share;
    struct sms__gpu *gpu;
    size_t idx;    /* of the host's instances */
    size_t number; /* of those of its GPU */
    const struct sms__device *type;
    const struct sms__mode *mode;          /* in which its processes share it */
    size_t type_idx;                       /* of `type`: in the scenario's devices, or the policy's instances */
    size_t first_process, processes_most;  /* which may be on it */
    uint64_t held;                         /* bytes */
    size_t processes;                      /* on it */
    double top;                            /* the greatest priority of these; NAN: it is not known */
    uint64_t declared;                     /* the most that each of these will hold, together, bytes */
    size_t kernels;                        /* under way */
    double core;                           /* what these ask for, parts of SMS_FULL */
    const struct sms__process *exclusive;  /* the process that has it to itself, or NULL */
    uint32_t *claims;                      /* [SMs]: processes that have chosen the SM (sm_part.c); or NULL */
    struct sms_contention_view contention; /* what its contention model is asked with */
    struct sms__context *context;          /* [contexts]: one for each process, or one for all */
    size_t contexts;
    struct sms__slicer *slicer; /* whose turn it is (time_slice.c); NULL: there is one context */
    size_t numbered, tenant;    /* who entered last, as a VM of the scenario, and its number here; 0 before */
};

/* For a cluster, whose GPUs are not cut into instances if this is asked: one of the host's GPUs; and takes memory of
 * it, or gives it back (bytes < 0), for others than its processes. */
const struct sms__gpu *sms__share_gpu(const struct sms_share *share, size_t gpu);
void sms__share_hold(struct sms_share *share, size_t gpu, int64_t bytes, uint64_t now);

/* The number of instances of all GPUs. */
size_t sms__instances_of(const struct sms__host_setup *setup);
/* The slots of the host, for processes that come and go. */
size_t sms__slots_of(const struct sms__host_setup *setup);
/* The mode of its i-th instance, and the contexts that this has, of `processes` of the host. */
const struct sms__mode *sms__mode_of(const struct sms__host_setup *setup, size_t i);
size_t sms__contexts_of(const struct sms__host_setup *setup, size_t i, size_t processes);
void sms__gpus_init(struct sms_share *share);
/* The kernels of a VM of the scenario, on this instance. */
const struct sms__footprint *sms__instance_fits(const struct sms__instance *instance, size_t vm);
/* A kernel of the stream's workload, within the limit of its process. */
const struct sms__footprint *sms__instance_fit(const struct sms__instance *instance, const struct sms__stream *stream,
                                               size_t kernel);
/* Time alone of a kernel: of a coarse one its own, else that of full waves of blocks. */
double sms__instance_kernel_ps(const struct sms__instance *instance, const struct sms__stream *stream, size_t kernel);
/* The same, if it had so many SMs, at least one. */
double sms__instance_kernel_ps_on(const struct sms__instance *instance, const struct sms__stream *stream, size_t kernel,
                                  size_t sms);
uint64_t sms__instance_free(const struct sms__instance *instance);                                   /* bytes */
bool sms__instance_allows(const struct sms__instance *instance, const struct sms__process *process); /* ever */
bool sms__instance_admits(const struct sms__instance *instance, const struct sms__process *process); /* now */
/* The admitting instance with the fewest processes, then with most free memory; or SMS_WAIT. */
long sms__instance_choose(const struct sms_share *share, const struct sms__process *process);

/* The greatest priority of the processes on it. */
double sms__instance_top_priority(struct sms__instance *instance);

/* Without slots: sms__tenants_at, of its site. */
size_t sms__instance_tenants(const struct sms__instance *instance, size_t from, size_t before);

/* The next four change an instance and its GPU, whose integrals are advanced first. */
void sms__instance_hold(struct sms__instance *instance, int64_t bytes, uint64_t now);
void sms__instance_enter(struct sms__instance *instance, struct sms__process *process, uint64_t now);
void sms__instance_leave(struct sms__instance *instance, struct sms__process *process, uint64_t now);
void sms__instance_kernel(struct sms__instance *instance, double core, int count, uint64_t now);
void sms__gpu_advance(struct sms__gpu *gpu, uint64_t now);

#endif
