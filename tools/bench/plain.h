/* References for the engine's speed, without its generality. */
#ifndef SMS_BENCH_PLAIN_H
#define SMS_BENCH_PLAIN_H

#include <stdint.h>

enum { PLAIN_KERNELS = 4, PLAIN_RESOURCES = 8 };

struct plain_kernel {
    double time_ns, jitter;         /* coefficient of variation */
    double demand[PLAIN_RESOURCES]; /* 1: all of an SM */
};

struct plain_work {
    struct plain_kernel kernel[PLAIN_KERNELS];
};

/* A heap of 80 SMs, each with 16 blocks that slow each other (proportional, slope 1): takes the
 * next block that ends, replaces it by one of the next kernel, works out the SM again. The time
 * simulated, ns; negative without memory. */
double plain_run(const struct plain_work *work, uint64_t blocks);

#endif
