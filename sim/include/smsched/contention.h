/* For authors of contention models: how fast blocks run beside each other.
 *
 * A model is one file, models/contention/NAME.c, that ends with
 *
 *     const struct sms_contention sms_contention_NAME = { .name = "NAME", ... };
 *
 * Blocks of one kernel launch on one SM form a group: they have one demand and
 * one speed. A model gives each group its speed, in (0, 1]: 1 is the speed at
 * which a block alone takes its block_time. Usage and demand are in parts of
 * SMS_FULL, as in policy.h. */
#ifndef SMSCHED_CONTENTION_H
#define SMSCHED_CONTENTION_H

#include <smsched/policy.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* A piecewise-linear curve through (0, 0) and its points, by rising usage;
 * beyond the last point it goes on with the last slope. Ratios: 1.0 = 100 %. */
struct sms_curve {
    size_t points; /* 0: the curve is 0 everywhere */
    const double *usage;
    const double *overhead;
};

/* The value of the curve at `usage` >= 0. */
double sms_curve_at(const struct sms_curve *curve, double usage);

/* Measured slowdowns of pairs: `slowdown[a * classes + b]` is by which factor a kernel of class `a` takes longer
 * beside one of class `b`. */
struct sms_pairs {
    size_t classes;
    const char *const *name; /* [classes] */
    const double *slowdown;  /* [classes][classes], each >= 1 */
};

struct sms_contention_view {
    const double *params;           /* in the order of the model's table */
    const struct sms_curve *curves; /* [resources], for models with .curves; else NULL */
    size_t resources;
    const struct sms_resource_view *resource;
    const struct sms_pairs *pairs; /* for models with .pairs; else NULL */
};

struct sms_group {
    size_t sm;            /* on which SM */
    size_t blocks;        /* how many blocks of it, > 0 */
    const double *demand; /* [resources] of one block, parts of one SM */
    double *speed;        /* the answer */
    int cls;              /* its class's number in `pairs`, or -1: nothing slows it, and it slows nothing */
};

struct sms_contention {
    size_t size; /* sizeof this struct, or 0; another is refused: it was compiled with another header */
    const char *name;
    const char *help;
    const struct sms_param *params; /* or NULL */
    bool pairs;                     /* takes `slowdown: {CLASS: {CLASS: FACTOR, ...}, ...}` */
    bool curves;                    /* takes `curves: {RESOURCE: [[usage, overhead], ...]}` */
    bool free_below_full;           /* promise: a resource used up to 100 % slows nothing. While the device's own
                                     * resources are, an SM is then rated only when its own blocks change */

    /* A model has either `slowdown` or `rate`.
     *
     * `slowdown` is for models in which a block is as slow as the slowest of the
     * resources that it uses: by which factor resource `r` lengthens its users' time
     * at this usage. At least 1, and no less at a higher usage. The engine prefers it:
     * a change of a resource of scope device then costs no look at every SM. */
    double (*slowdown)(const struct sms_contention_view *view, size_t r, double usage);

    /* The groups of one SM. `usage[r]` of scope sm is that SM's; of scope
     * device it is the device's divided by its SMs. */
    void (*rate)(const struct sms_contention_view *view, const double *usage, struct sms_group *groups, size_t count);

    /* All groups of a device at once, in order of SM. Called instead of `rate`
     * when a resource of scope device is in use (with free_below_full: is over
     * 100 %); NULL where `rate` is right for that, too. `sms` is the number of SMs. `scratch` holds
     * (sms + 1) * 2 * resources doubles. */
    void (*rate_device)(const struct sms_contention_view *view, size_t sms, struct sms_group *groups, size_t count,
                        double *scratch);

    /* For upper bounds on throughput (docs/bound.md): the most that blocks can
     * get of resource `r` together, the sum of demand x speed in SMs' worth
     * (1: all of one SM's), whichever blocks they are, beside a static load of
     * `background`, when their demands add up to at most `most`. NULL: as much
     * as they demand, the least that is right for any model. Of scope device:
     * all figures are averages over the SMs. */
    double (*delivers)(const struct sms_contention_view *view, size_t r, double background, double most);
};

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
