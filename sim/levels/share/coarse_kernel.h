/* Coarse kernels: kernels that are not simulated block by block, in one context. Each has a time alone and a demand on
 * the device's resources, and coarse_rate.h says how fast they run beside each other. */
#ifndef SMS_LEVELS_SHARE_COARSE_KERNEL_H
#define SMS_LEVELS_SHARE_COARSE_KERNEL_H

#include "../../engine/engine.h"
#include "../../record/record.h"
#include "coarse_rate.h"

/* Embedded in the caller's state of the kernel. */
struct sms__coarse_kernel {
    const struct sms__fit *fit; /* its demand is in parts of the device */
    double work, left;          /* ps at full speed */
    uint64_t ran_ps;            /* time on the device */
    double speed;               /* 0: it has not started */
    void (*ended)(void *subject, uint64_t now);
    void *subject;
    struct sms__coarse_kernel *next, *prev;
};

struct sms__coarse_kernels {
    struct sms__engine *engine;
    size_t source; /* of the engine; it belongs to the caller */
    struct sms__rater rater;
    bool active; /* false: all stand still */
    uint64_t advanced_ps;
    size_t count;
    struct sms__coarse_kernel *first, *last;
    struct sms__rated *rated; /* [most], scratch */
    size_t most;
};

void sms__coarse_kernel_start(struct sms__coarse_kernels *kernels, struct sms__coarse_kernel *kernel, double work_ps,
                              uint64_t now);
/* How much of the kernel is done, in parts, and the time that it has run. They change nothing, so that no clock depends
 * on who reads it. */
uint64_t sms__coarse_kernel_parts(const struct sms__coarse_kernels *kernels, const struct sms__coarse_kernel *kernel,
                                  uint64_t now);
uint64_t sms__coarse_kernel_ran_ps(const struct sms__coarse_kernels *kernels, const struct sms__coarse_kernel *kernel,
                                   uint64_t now);
/* Takes the kernel out before it has ended. */
void sms__coarse_kernel_drop(struct sms__coarse_kernels *kernels, struct sms__coarse_kernel *kernel, uint64_t now);
void sms__coarse_kernels_set_active(struct sms__coarse_kernels *kernels, bool active, uint64_t now);
/* For the source's handler: ends the kernels that end now. */
void sms__coarse_kernels_fire(struct sms__coarse_kernels *kernels, uint64_t now);

#endif
