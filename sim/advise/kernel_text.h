/* What a kernel takes alone, and its text as a coarse kernel. */
#ifndef SMS_ADVISE_KERNEL_TEXT_H
#define SMS_ADVISE_KERNEL_TEXT_H

#include "advise.h"

/* On how many shares of the SMs each kernel runs. */
enum { SMS__LONE_SHARES = 5 };

/* A demand of less of the device is not written. */
#define SMS__LONE_DEMAND_LEAST 1e-5

/* A kernel as it ran alone. */
struct sms__lone_kernel {
    const struct sms__kernel *given;
    const struct sms__footprint *fit; /* on the whole device */
    const struct sms__device *device;
    double share[SMS__LONE_SHARES], ns[SMS__LONE_SHARES], jitter; /* share: of the SMs that a cap leaves */
    double launches;                                              /* for which it stands */
};

/* The mean demand on resource `r` of the device, 0..1. */
double sms__lone_demand(const struct sms__lone_kernel *kernel, size_t r);
/* Writes the entry of the list of kernels. */
void sms__lone_write(struct sms__arena *arena, const struct sms__lone_kernel *kernel, enum sms__text_kind kind,
                     FILE *to);

#endif
