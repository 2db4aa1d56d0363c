/* The usage of the resources of scope device. Like that of an SM it implies slowdowns, and what its time adds to the
 * record, so both are worked out once for each usage (composition.c). Invariant: a row of the table is a pure function
 * of its usage, but for the time. So another usage may take the row once the time is in the record. The reference
 * engine has a single row. */
#include "internal.h"

#include <math.h>
#include <string.h>

enum { ROWS = 256 };

static void list_usages(struct sms__blocks *device, const double *of)
{
    struct sms__implied *implied = &device->rating.implied;
    for (uint32_t left = device->rating.device_scope; left; left &= left - 1)
        implied->from[implied->usages++] = &of[__builtin_ctz(left)];
}

void sms__device_usage_init(struct sms__blocks *device)
{
    struct sms__implied *implied = &device->rating.implied;
    list_usages(device, device->rating.total);
    if (device->rating.pressure != device->rating.total)
        list_usages(device, device->rating.pressure);
    implied->row = SIZE_MAX;
    implied->rows = !device->setup.device_scope ? 0 : device->reference ? 1 : ROWS;
    implied->usage = SMS__NEW(device->arena, double, implied->rows * implied->usages);
    implied->slow = SMS__NEW(device->arena, double, implied->rows * device->clocks);
    implied->time_ps = SMS__NEW(device->arena, uint64_t, implied->rows);
    for (size_t i = 0; i < implied->rows * implied->usages; i++)
        implied->usage[i] = NAN;
}

static void record_row(struct sms__blocks *device, size_t row)
{
    struct sms__implied *implied = &device->rating.implied;
    const double *usage = &implied->usage[row * implied->usages];
    double full = SMS_FULL * (double)device->sms;
    uint64_t time = implied->time_ps[row];
    implied->time_ps[row] = 0;
    for (uint32_t left = time ? device->rating.device_scope : 0; left; left &= left - 1, usage++) {
        int r = __builtin_ctz(left);
        if (*usage <= full)
            continue;
        device->setup.record->excess[r] += (sms__integral)(uint64_t)(*usage - full) * time;
        device->setup.record->over_ps[r] += (sms__integral)time * device->sms;
    }
}

/* A slowdown is a function of the usage alone, so an answer that is kept is as good as a new one. One with a knee costs
 * two powers, 40 times as much as to find the answer. */
double sms__slowdown(const struct sms__blocks *device, size_t r, double usage)
{
    const struct sms_contention *model = device->setup.contention;
    uint64_t bits;
    uint32_t knees = device->rating.knees, bit = (uint32_t)1 << r;
    if (!(knees & bit))
        return model->slowdown(&device->setup.contention_view, r, usage);
    memcpy(&bits, &usage, sizeof bits);
    size_t row = (size_t)__builtin_popcount(knees & (bit - 1));
    struct sms__known *known =
        &device->rating.known[row * SMS__KNOWN + (bits * 0x9e3779b97f4a7c15u >> 32) % SMS__KNOWN];
    if (known->usage != usage || known->slowdown == 0)
        *known = (struct sms__known){usage, model->slowdown(&device->setup.contention_view, r, usage)};
    return known->slowdown;
}

/* Returns by how much the device slows users of all these resources, at least 1. */
static double slowdown_of(const struct sms__blocks *device, uint32_t resources)
{
    double slow = 1;
    for (uint32_t left = resources; left; left &= left - 1) {
        size_t r = (size_t)__builtin_ctz(left);
        double usage = device->rating.pressure[r] / (double)device->sms;
        double by = usage > SMS_FULL || device->rating.knees >> r & 1 ? sms__slowdown(device, r, usage) : 1;
        slow = by > slow ? by : slow;
    }
    return slow;
}

void sms__device_usage_work_out(struct sms__blocks *device, size_t row)
{
    struct sms__implied *implied = &device->rating.implied;
    record_row(device, row);
    for (size_t i = 0; i < implied->usages; i++)
        implied->usage[row * implied->usages + i] = *implied->from[i];
    for (size_t c = 0; c < device->clocks && device->setup.contention->slowdown; c++)
        implied->slow[row * device->clocks + c] = slowdown_of(device, device->clock[c].resources);
}

static inline void pass_time(struct sms__blocks *device, uint64_t now)
{
    struct sms__implied *implied = &device->rating.implied;
    if (now != implied->since_ps && implied->rows)
        implied->time_ps[sms__device_usage_row(device, implied)] += now - implied->since_ps;
    implied->since_ps = now;
}

static inline void add(double *usage, const double *demand, uint32_t resources, double blocks)
{
    for (uint32_t left = resources; left; left &= left - 1)
        usage[__builtin_ctz(left)] += blocks * demand[__builtin_ctz(left)];
}

void sms__device_usage_add(struct sms__blocks *device, const struct sms__footprint *fit, int64_t blocks, uint64_t now)
{
    struct sms__rating *rating = &device->rating;
    pass_time(device, now);
    rating->implied.row = SIZE_MAX;
    add(rating->total, fit->demand, fit->of_device, (double)blocks);
    if (rating->pressure != rating->total)
        add(rating->pressure, fit->pressure, fit->of_device, (double)blocks);
}

void sms__device_usage_swap(struct sms__blocks *device, const struct sms__footprint *gone,
                            const struct sms__footprint *come, uint64_t now)
{
    struct sms__rating *rating = &device->rating;
    uint32_t resources = gone->of_device | come->of_device;
    pass_time(device, now);
    rating->implied.row = SIZE_MAX;
    for (uint32_t left = resources; left; left &= left - 1) {
        int r = __builtin_ctz(left);
        rating->total[r] += come->demand[r] - gone->demand[r];
        if (rating->pressure != rating->total)
            rating->pressure[r] += come->pressure[r] - gone->pressure[r];
    }
}

void sms__device_usage_record(struct sms__blocks *device, uint64_t now)
{
    pass_time(device, now);
    for (size_t row = 0; row < device->rating.implied.rows; row++)
        record_row(device, row);
}

bool sms__is_oversubscribed(const struct sms__blocks *device)
{
    bool oversubscribed = false;
    for (uint32_t left = device->rating.device_scope; left; left &= left - 1)
        oversubscribed |= device->rating.pressure[__builtin_ctz(left)] > SMS_FULL * (double)device->sms;
    return oversubscribed;
}
