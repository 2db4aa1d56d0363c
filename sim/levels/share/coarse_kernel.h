/* Coarse kernels: kernels that are not simulated block by block, in one context. Each has a time alone and a demand on
 * the device's resources, and coarse_rate.h says how fast they run beside each other. */
#ifndef SMS_LEVELS_SHARE_COARSE_KERNEL_H
#define SMS_LEVELS_SHARE_COARSE_KERNEL_H

#include "coarse_rate.h"
#include "../../record/record.h"
#include "fluid.h"

struct sms__mixes;

/* Embedded in the caller's state of the kernel. */
struct sms__coarse_kernel {
    struct sms__flow flow;              /* the first member; of ps at full speed */
    const struct sms__footprint *fit;   /* its demand is in parts of the device */
    const struct sms__footprint *whole; /* what it is on the whole device, which its use is counted by */
    double part;                        /* of its use there that it counts while it runs here */
    double work;                        /* ps at full speed */
    uint64_t drawn_ps;                  /* the same without what the interception of calls adds */
    double active;                      /* the part of the SMs that it keeps active, parts of SMS_FULL */
    double present;                     /* the part of its blocks that finds room beside others */
    size_t process;                     /* whose it is */
    sms__integral ran;                  /* time on the SMs, ps x SMS__PARTS of its blocks */
    uint64_t counted_ps;                /* until the context had been active for so long */
};

struct sms__coarse_kernels {
    struct sms__fluid fluid; /* the first member */
    struct sms__rater rater;
    struct sms__mixes *mixes;                         /* of the run */
    struct sms__coarse_kernels *next, *const *on_gpu; /* all of its GPU, which has one clock */
    struct sms__rated *rated;                         /* [most], scratch */
    size_t most;
    uint64_t rated_at;                  /* `changes` of the fluid when its rates were set */
    double drawn_w;                     /* what they add to the GPU's power now, if it has a limit */
    struct sms__device_record *record;  /* of active SMs, and of usage above 100 % */
    const struct sms__device *type;     /* on which they run: a whole device or an instance */
    uint64_t excess[SMS_RESOURCES_MAX]; /* usage above SMS_FULL, parts, summed over SMs */
    uint64_t active;                    /* SMs that are active, parts, summed over SMs */
    uint64_t counted_ps;                /* time up to which the record is complete */
};

/* The source belongs to the caller, whose handler calls sms__fluid_fire. */
void sms__coarse_kernels_init(struct sms__coarse_kernels *kernels, struct sms__engine *engine, size_t source,
                              bool active);
/* The caller has set what is to be called when the flow is done, how much of the work is left, and the kernel's fit. */
void sms__coarse_kernel_start(struct sms__coarse_kernels *kernels, struct sms__coarse_kernel *kernel, uint64_t now);
/* How much of the kernel is done, in parts, and the mean time of its blocks on the SMs; 0 before it starts. They change
 * nothing, so that no clock depends on who reads it. */
uint64_t sms__coarse_kernel_parts(const struct sms__coarse_kernels *kernels, const struct sms__coarse_kernel *kernel,
                                  uint64_t now);
uint64_t sms__coarse_kernel_ran_ps(const struct sms__coarse_kernels *kernels, const struct sms__coarse_kernel *kernel,
                                   uint64_t now);
/* Advances the record to `now`, and changes nothing else. Call it before the kernels start or stop to be active. */
void sms__coarse_kernels_count(struct sms__coarse_kernels *kernels, uint64_t now);

#endif
