/* Contention models: how fast blocks run beside each other. For authors of models.
 *
 * A model is one file, models/contention/NAME.c, that ends with
 *
 *     const struct sms_contention sms_contention_NAME = { .name = "NAME", ... };
 *
 * Equal blocks on one SM form a group: they share one demand and one speed. For a model with `rate`, a group has the
 * blocks of one kernel launch. A model gives each group a speed in (0, 1], however low. At speed 1 a block takes its
 * block_time, or less for a model with `measured_alone`. Usage and demand are in parts of SMS_FULL, as in policy.h.
 *
 * Answers must depend on nothing but the arguments. SMs with equal blocks share an answer of `slowdown`, so a model is
 * asked once for such SMs, and may take its time. */
#ifndef SMSCHED_CONTENTION_H
#define SMSCHED_CONTENTION_H

#include <smsched/policy.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* A piecewise-linear curve through (0, 0) and its points, which are sorted by usage. Beyond the last point it continues
 * with the last slope. Usage and overhead are ratios: 1.0 is 100 %. */
struct sms_curve {
    size_t points; /* 0: the curve is 0 everywhere */
    const double *usage;
    const double *overhead;
};

/* Returns the curve's overhead at `usage` >= 0. */
double sms_curve_at(const struct sms_curve *curve, double usage);

/* Measured slowdowns of pairs of classes. A kernel of class `a` takes `slowdown[a * classes + b]` times as long beside
 * one of class `b`. */
struct sms_pairs {
    size_t classes;
    const char *const *name; /* [classes] */
    const double *slowdown;  /* [classes][classes], each >= 1 */
};

struct sms_contention_view {
    const double *params;           /* values, in the order of the model's table */
    const struct sms_curve *curves; /* [resources], for models with .curves if the scenario gives any; otherwise NULL */
    size_t resources;
    const struct sms_resource_view *resource;
    const struct sms_pairs *pairs; /* for models with .pairs; otherwise NULL */
};

/* The least speed under a model that `is_max_min`: rounding may leave slightly less than nothing of a full resource. */
#define SMS_SLOWEST 1e-6

struct sms_group {
    size_t sm;            /* index of the SM */
    size_t blocks;        /* number of blocks, > 0 */
    const double *demand; /* [resources] of one block, parts of one SM */
    double *speed;        /* the model writes its answer here, for every group; it holds nothing before */
    int cls;              /* index of its class in `pairs`, or -1: it slows nothing, and nothing slows it */
};

/* How the slowdowns g of several resources join: a block takes (1 + sum of (g^exponent - 1))^(1 / exponent) times as
 * long. `grain` says how exactly the use of resources of scope device is followed: a rise at once, a fall when it is
 * more than this part of the use. 0: at once. Each change that is followed changes the speeds of all blocks that use
 * the resource, and a full device has one at each start and end of a block. */
struct sms_join {
    double exponent; /* 1 .. SMS_JOIN_MAX */
    double grain;    /* 0 .. 1 */
};
enum { SMS_JOIN_MAX = 16 };

struct sms_contention {
    size_t size; /* sizeof this struct, or 0; another is refused: it was compiled with another header */
    const char *name;
    const char *help;
    const struct sms_param *params; /* or NULL */
    bool pairs;                     /* takes `slowdown: {CLASS: {CLASS: FACTOR, ...}, ...}` */
    bool curves;                    /* takes `curves: {RESOURCE: [[usage, overhead], ...]}` */
    bool free_below_full;           /* promise: a resource used up to 100 % slows nothing. Then an SM is rated only when
                                     * its own blocks change, as long as no resource of scope device is over 100 % */

    /* The model slows blocks below 100 % too, and knows the speed at no load. The engine then takes a kernel's
     * block_time and demand for what was measured while it ran alone: it makes them shorter and greater by the factor
     * by which the model slows the kernel alone, so that alone it lasts as measured (sim/model/no_load.h). Usage and
     * demand that the model is given are those at no load. With `rate`, a kernel alone is one group of an SM. Not
     * with `is_max_min`, which slows nothing below 100 %. */
    bool measured_alone;

    /* A model has one of `slowdown`, `rate` and `is_max_min`. An answer out of its range, or not a number, ends the
     * run.
     *
     * `slowdown` is for models in which each resource slows its users by itself. It returns the factor, at least 1, by
     * which resource `r` at this usage lengthens the time of a block that uses no other. The factor must not fall as
     * the usage rises. The engine prefers this function: it asks once for each usage that comes again. */
    double (*slowdown)(const struct sms_contention_view *view, size_t r, double usage);

    /* With `slowdown`: how the factors of all resources that a block uses join. NULL: the block is as slow as the
     * slowest of them, and the engine need not visit every SM when the usage of a resource of scope device changes. */
    struct sms_join (*joins)(const struct sms_contention_view *view);

    /* Rates the groups of one SM. `usage[r]` is the SM's usage; for a resource of scope device it is the device's usage
     * divided by the number of SMs. */
    void (*rate)(const struct sms_contention_view *view, const double *usage, struct sms_group *groups, size_t count);

    /* Speeds are max-min fair over the resources of SM and device: they rise together until a resource is full, or to
     * 1. The engine finds them by itself, and does not ask. None is below SMS_SLOWEST. */
    bool is_max_min;

    /* For upper bounds on throughput (docs/explanation/bound.md). Returns the most that any set of blocks can get of
     * resource `r`, as a sum of demand x speed, if their demands add up to at most `most`, beside a static load of
     * `background`. The unit of all three is one SM: 1 is all that an SM has of the resource. For scope device they are
     * averages over the SMs. NULL stands for a function that returns `most`, which holds for every model. */
    double (*delivers)(const struct sms_contention_view *view, size_t r, double background, double most);
};

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
