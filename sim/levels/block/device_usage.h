/* The usage of the resources of scope device, and what follows from it alone. */
#ifndef SMS_LEVELS_BLOCK_DEVICE_USAGE_H
#define SMS_LEVELS_BLOCK_DEVICE_USAGE_H

#include "block.h"

#include <string.h>

/* What usages imply. They come again, since they are sums of whole parts, so the answers are kept in a table. */
struct sms__implied {
    const double *from[2 * SMS_RESOURCES_MAX]; /* [usages]: where in the rating the usage of each resource is; then
                                                * those at no load, if the contention model tells them apart */
    size_t usages, rows;
    double *usage;     /* [rows][usages]: for which a row has the answers; NAN: for none yet */
    double *slow;      /* [rows][clocks]: by how much the device slows the users of each device clock */
    uint64_t *time_ps; /* [rows]: time with this usage that is not in the record yet */
    size_t row;        /* of the usage as it is; SIZE_MAX: not looked up yet */
    uint64_t since_ps; /* time from which the usage is as it is */
};

void sms__device_usage_init(struct sms__blocks *device); /* after the device clocks */

/* Adds blocks to the usage; removes them if negative. They demand a resource of scope device. */
void sms__device_usage_add(struct sms__blocks *device, const struct sms__footprint *fit, int64_t blocks, uint64_t now);

/* Adds a block, and removes another. */
void sms__device_usage_swap(struct sms__blocks *device, const struct sms__footprint *gone,
                            const struct sms__footprint *come, uint64_t now);

/* Adds what was used until now to the record. */
void sms__device_usage_record(struct sms__blocks *device, uint64_t now);

/* Gives the row to the usage as it is. */
void sms__device_usage_work_out(struct sms__blocks *device, size_t row);

/* Returns the row of the usage as it is. */
static inline size_t sms__device_usage_row(struct sms__blocks *device, struct sms__implied *implied)
{
    uint64_t hash = 0, bits;
    bool same = true;
    if (implied->row != SIZE_MAX)
        return implied->row;
    for (size_t i = 0; i < implied->usages; i++) {
        memcpy(&bits, implied->from[i], sizeof bits);
        hash = (hash + bits) * 0x9e3779b97f4a7c15u;
    }
    implied->row = (hash >> 32) & (implied->rows - 1);
    const double *usage = &implied->usage[implied->row * implied->usages];
    for (size_t i = 0; i < implied->usages; i++)
        same &= usage[i] == *implied->from[i];
    if (!same)
        sms__device_usage_work_out(device, implied->row);
    return implied->row;
}

/* Returns by how much the resource slows its users, by a model with a `slowdown` function. */
double sms__slowdown(const struct sms__blocks *device, size_t r, double usage);

/* True if a resource of scope device is over 100 %. */
bool sms__is_oversubscribed(const struct sms__blocks *device);

#endif
