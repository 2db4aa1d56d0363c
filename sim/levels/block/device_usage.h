/* The usage of the resources of scope device, and what follows from it alone. */
#ifndef SMS_LEVELS_BLOCK_DEVICE_USAGE_H
#define SMS_LEVELS_BLOCK_DEVICE_USAGE_H

#include "block.h"

/* Leads to the row of the usage after a change, unless another usage has that row now. */
struct sms__usage_link {
    struct sms__usage_row *to; /* NULL: the change has not come yet */
    uint64_t id;               /* of the usage that it leads to */
};

/* A usage and what it implies. */
struct sms__usage_row {
    uint64_t id;                  /* of the usage: no other has had it; 0: there is none yet */
    uint64_t time_ps;             /* time with this usage that is not in the record yet */
    double *usage;                /* [usages] */
    double *slow;                 /* [clocks]: what the device's slowdowns of the users of each device clock join to */
    struct sms__usage_link *link; /* [changes] from this usage; NULL before the first */
};

/* What usages imply. They come again, since they are sums of whole parts, so the answers are kept in a table. */
struct sms__implied {
    double *from[2 * SMS_RESOURCES_MAX]; /* [usages]: where in the rating the usage of each resource is; then
                                          * those at no load, if the contention model tells them apart */
    size_t usages, rows, shapes;         /* shapes: 0 if there are too many for links */
    struct sms__usage_row *row;          /* [rows] */
    struct sms__usage_row *now;          /* that of the usage as it is; NULL: not looked up yet */
    struct sms__usage_row *before; /* that before the change after which `now` is not known; NULL: there were more */
    size_t change;                 /* that one */
    uint64_t since_ps;             /* time from which the usage is as it is */
    uint64_t ids;                  /* given so far */
};

void sms__device_usage_init(struct sms__blocks *device); /* after the device clocks */

/* Adds a block of shape `come` to the usage, and removes one of `gone`. Either may be NULL. At least one
 * demands a resource of scope device. */
void sms__device_usage_swap(struct sms__blocks *device, const struct sms__shape *gone, const struct sms__shape *come,
                            uint64_t now);
/* Adds blocks; removes them if negative. */
void sms__device_usage_add(struct sms__blocks *device, const struct sms__shape *shape, int64_t blocks, uint64_t now);

/* Adds what was used until now to the record. */
void sms__device_usage_record(struct sms__blocks *device, uint64_t now);

/* Finds the row of the usage as it is, or gives it one. */
struct sms__usage_row *sms__device_usage_find(struct sms__blocks *device);

/* Returns the row of the usage as it is. */
static inline struct sms__usage_row *sms__device_usage_row(struct sms__blocks *device,
                                                           const struct sms__implied *implied)
{
    return implied->now ? implied->now : sms__device_usage_find(device);
}

/* Returns by how much the resource slows its users, by a model with a `slowdown` function. */
double sms__slowdown(const struct sms__blocks *device, size_t r, double usage);

/* True if a resource of scope device is over 100 %. */
bool sms__is_oversubscribed(const struct sms__blocks *device);

#endif
