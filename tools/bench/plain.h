/* References for the engine's speed: the same work without the engine's generality,
 * with 16 blocks on each SM and eight resources, typed in. */
#ifndef SMS_BENCH_PLAIN_H
#define SMS_BENCH_PLAIN_H

#include <stdint.h>

enum { PLAIN_KERNELS = 4, PLAIN_RESOURCES = 8 };

struct plain_work {
    double demand[PLAIN_KERNELS][PLAIN_RESOURCES]; /* of a block; 1: all of an SM */
    double time_us[PLAIN_KERNELS];
    double jitter; /* coefficient of variation */
};

/* A heap of `sms` SMs, whose blocks slow each other (proportional, slope 1): takes the
 * next block that ends, replaces it by one of the next kernel, works out the SM again.
 * The time simulated, us; negative without memory. */
double plain_loop(const struct plain_work *work, int sms, uint64_t blocks);

/* The algorithm of simtbs: at each tick of 1 us every block of every SM is brought on
 * by its speed in single precision, what has ended leaves, and the next blocks fill up. */
double plain_ticks(const struct plain_work *work, int sms, uint64_t blocks);

#endif
