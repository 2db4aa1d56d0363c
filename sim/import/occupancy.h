/* How the blocks of a kernel occupy a device when the kernel runs alone. */
#ifndef SMS_IMPORT_OCCUPANCY_H
#define SMS_IMPORT_OCCUPANCY_H

#include "../base/arena.h"
#include "../model/device_model.h"
#include "../model/workload.h"

struct sms__occupancy {
    size_t per_sm;          /* blocks that an SM holds */
    enum sms_limit limiter; /* the limit that stops an SM from holding more */
    uint64_t fullest_sm;    /* blocks on the fullest SM */
    uint64_t resident;      /* most blocks at once on the device */
    double length;          /* of the kernel, in mean block times */
    double mean_per_sm;     /* resident blocks per SM, mean over the kernel's length */
    double occupancy;       /* resident warps over an SM's warps, mean over the time in which an SM has a block */
    double activity;        /* share of SM time with a block */
};

/* Launches of more blocks are modelled with equal blocks. */
enum { SMS__BLOCKS_DRAWN = 1 << 20 };

/* Scratch of the model, with room for the larger of two devices. */
struct sms__occupancy_model {
    struct sms__arena *arena;
    struct sms__occupancy_slot *slot;
    double *last_end;
    uint64_t blocks_drawn; /* so far, in all simulated launches */
};
void sms__occupancy_begin(struct sms__occupancy_model *model, struct sms__arena *arena, const struct sms__device *a,
                          const struct sms__device *b);

/* Models the kernel with equal blocks (jitter 0) or with jitter. `interval` is the least time between the starts of two
 * blocks, in mean block times. Returns NULL, or why it does not fit the device. */
const char *sms__occupancy_of(struct sms__occupancy_model *model, const struct sms__device *device,
                              const struct sms__kernel *shape, double jitter, double interval,
                              struct sms__occupancy *out);

#endif
