/* The footprint of a kernel on a kind of device: its demand in parts, its needs, its work, and how many of its blocks
 * an SM holds. */
#ifndef SMS_MODEL_FOOTPRINT_H
#define SMS_MODEL_FOOTPRINT_H

#include "workload.h"

struct sms_scenario;
struct sms__tenant;

/* A kernel on a kind of device: all that the engine needs of it. */
struct sms__footprint {
    double demand[SMS_RESOURCES_MAX];   /* parts of SMS_FULL; as given */
    double pressure[SMS_RESOURCES_MAX]; /* demand at no load, which contention models see: demand * alone */
    double adds[SMS_RESOURCES_MAX];
    uint64_t count[SMS_RESOURCES_MAX]; /* of resources with a capacity: the demand in their units */
    uint64_t needs[SMS_LIMITS];
    double alone;       /* factor by which the contention model slows the kernel when it runs alone, >= 1 (no_load.h) */
    double work_ps;     /* time of a block at no load: block_time / alone */
    uint64_t work;      /* the same, in whole ps */
    uint64_t launch_ps; /* cost of a launch */
    size_t per_sm;      /* blocks that an empty SM holds */
    bool device_scope;  /* demands a resource of scope device */
    uint32_t of_sm;     /* bit r: demands resource r, of scope sm */
    uint32_t of_device; /* bit r: demands resource r, of scope device */
    bool hard;          /* demands a resource that is hard */
    uint64_t launches;  /* of a coarse kernel: those that it stands for */
    double power_w;     /* of a coarse kernel: what it adds to that of an idle device; 0: not known */
    int cls;            /* of its workload, in the contention model's pairs; -1: none */
    int scaled;         /* 0: as its workload says; else it was scaled to the device, and is bound by scaled - 1 */
    const struct sms__time_law *by_share; /* of a coarse kernel measured at shares of the SMs; or NULL */
    double share;                         /* of the SMs of such a device that the instance has, 0..1 */
    double slowed; /* the factor by which such a kernel takes longer on the instance, for its SMs or its memory */
    double core;   /* of a coarse kernel: what it asks of the device, parts of SMS_FULL (sms__set_core) */
    double room;   /* of a coarse kernel: the mean part of the SMs' scarcest limit that its blocks take, 0..1 */
    const struct sms__footprint *of; /* of a coarse kernel on a part of the SMs: what it is on all; else NULL */
    size_t sms;                      /* of that part; 0 where there is none */
};

/* footprint.c: by which factor a coarse kernel takes longer on `part` of the device's SMs, 0..1. */
double sms__slowdown_on(const struct sms__footprint *fit, const struct sms__device *device, double part);

/* footprint.c: divides what a coarse kernel demands of resource `r` by `times`, but leaves at most `most` parts. */
void sms__press_less(struct sms__footprint *fit, size_t r, double times, double most);

/* footprint.c: sets what a coarse kernel asks of the device: its greatest demand; all of it if it says none. Call it
 * once the demands are set, because each launch asks. */
void sms__set_core(struct sms__footprint *fit);

/* footprint.c: the device's clock while its kernels add `power_w` to an idle device's power, over its clock with no
 * limit, 0..1. Power beyond the idle one goes with the cube of the clock: it is proportional to clock and squared
 * voltage, and the voltage to the clock. */
double sms__clock_at(const struct sms__device *device, double power_w);

/* footprint.c: a coarse kernel on fewer SMs takes `slow` times as long, >= 1, and draws as much less. If its time alone
 * has a clock in it that power limits, that clock is higher there, but for a kernel whose time was measured on so few
 * SMs. */
void sms__draw_less(struct sms__footprint *fit, const struct sms__device *device, double slow);

/* footprint.c: the footprints of a tenant's kernels on a device or an instance. */
struct sms__footprint *sms__footprints(struct sms__reader *reader, const struct sms_scenario *scenario,
                                       const struct sms__tenant *vm, const struct sms__device *device);

/* demand.c: what a demand on resource `r` of the device is in parts, and in units if it is a count of them.
 * Returns whether it can be; reports it otherwise. */
bool sms__demand_parts(struct sms__reader *reader, const struct sms__device *device, size_t r,
                       const struct sms__demand *demand, double *parts, uint64_t *count);

/* The hard resource of which the block would take an SM beyond its capacity, or -1.
 * `usage` is the SM's, as policies see it. */
int sms__hard_refuses(const struct sms__device *device, const struct sms__footprint *fit, const double *usage);

/* occupancy.c: what a block takes of an SM, with the hardware's allocation granularity.
 * Returns NULL, or what makes the block fit no SM of the device. */
const char *sms__block_needs(const struct sms__sm *sm, const struct sms__kernel *kernel, uint64_t needs[SMS_LIMITS]);

/* Blocks of `needs` that an empty SM holds, and the limit that binds. */
size_t sms__blocks_per_sm(const uint64_t capacity[SMS_LIMITS], const uint64_t needs[SMS_LIMITS], enum sms_limit *binds);

/* The capacity of an SM in the units of `needs`. */
void sms__sm_capacity(const struct sms__sm *sm, uint64_t capacity[SMS_LIMITS]);

extern const char *const sms__limit_names[SMS_LIMITS];

#endif
