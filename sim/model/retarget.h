/* What a kernel that was measured on one device takes on another.
 *
 * The time of a kernel is split by what it waits for: its compute units, its memory, or latency. The shares of compute
 * and memory are the use of the most used resource of each class on the fullest SM (scaled down if they exceed 1
 * together); the rest is latency. Each part then scales by itself: a resource by its capacity and the blocks that share
 * it, latency by the clock and the waves. docs/reference/import.md has the formulas, and the errors on held-back GPUs.
 */
#ifndef SMS_MODEL_RETARGET_H
#define SMS_MODEL_RETARGET_H

#include "device_model.h"
#include "workload.h"

enum sms__bound { SMS__BOUND_COMPUTE, SMS__BOUND_MEMORY, SMS__BOUND_LATENCY, SMS__BOUNDS };

/* A kernel alone on one of the two devices. */
struct sms__placed {
    const struct sms__device *device;
    double clock_hz;   /* of the SMs and their caches */
    double compute_hz; /* of the compute units when compute bounds the kernel */
    double length;     /* of the kernel, in block times */
    uint64_t resident; /* most blocks at once on the device */
};

struct sms__retargeted {
    double share[SMS__BOUNDS]; /* parts of the kernel's time where it was measured; they add up to 1 */
    double ratio[SMS__BOUNDS]; /* by which each part becomes longer, 1: unchanged */
    double time;               /* the kernel's time there over its time where it was measured */
    double block_time;         /* the same of a block */
    enum sms__bound bound;     /* the greatest share */
};

/* Whether kernels that were profiled on the device of this name run on `device` as they are: it is that one,
 * or describes that one further, inheriting all by which kernels are scaled, as what calibrate writes does. */
bool sms__runs_as_profiled(const struct sms__device *device, const char *profiled);

/* The kernel on the device at its own clocks, in waves of equal blocks. Returns NULL, or why no block fits an SM. */
const char *sms__retarget_place(const struct sms__device *device, const struct sms__kernel *kernel,
                                struct sms__placed *placed);

/* `use`: of each resource of `from`, the mean share of the whole device over the kernel's time, 0 to 1. `blocks`: of
 * the grid; 0: not known, as of a kernel given by its time. */
struct sms__retargeted sms__retarget(const struct sms__placed *from, const struct sms__placed *to, uint64_t blocks,
                                     const double *use);

/* The demand of a block on resource `r` of `from`, as a demand on resource `to_r` of `to`: the same work over the new
 * block time. It is limited so that the fullest SM, or the device, has enough for all resident blocks. */
double sms__retarget_demand(const struct sms__placed *from, const struct sms__placed *to, size_t r, size_t to_r,
                            double demand, double block_time);

/* Within this factor of the predicted time, up or down, lay 80 % of the kernels with this bound that were held back. */
double sms__retarget_factor(enum sms__bound bound);
extern const char *const sms__bound_names[SMS__BOUNDS];

#endif
