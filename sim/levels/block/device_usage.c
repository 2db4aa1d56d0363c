/* The usage of the resources of scope device. Like that of an SM it implies slowdowns, and what its time adds to the
 * record, so both are worked out once for each usage (composition.c). Invariant: a row of the table is a pure function
 * of its usage, but for the time. So another usage may take the row once the time is in the record. Links lead from row
 * to row, since the same change leads from one usage always to the same other; one is followed only while the row that
 * it leads to has that usage. The reference engine has a single row, and no links. */
#include "internal.h"

#include <math.h>
#include <string.h>

enum {
    ROWS = 256,
    LINKED = 4 /* shapes at most: a row has a link for each pair */
};

static void list_usages(struct sms__blocks *device, double *of)
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
    implied->rows = !device->setup.device_scope ? 0 : device->reference ? 1 : ROWS;
    implied->shapes = device->search.shapes <= LINKED && !device->reference ? device->search.shapes : 0;
    implied->row = SMS__NEW(device->arena, struct sms__usage_row, implied->rows);
    double *each = SMS__NEW(device->arena, double, implied->rows *(implied->usages + device->clocks));
    for (size_t i = 0; i < implied->rows; i++, each += implied->usages + device->clocks)
        implied->row[i] = (struct sms__usage_row){.usage = each, .slow = each + implied->usages};
}

static void record_row(struct sms__blocks *device, struct sms__usage_row *row)
{
    const double *usage = row->usage;
    double full = SMS_FULL * (double)device->sms;
    uint64_t time = row->time_ps;
    row->time_ps = 0;
    for (uint32_t left = time ? device->rating.device_scope : 0; left; left &= left - 1, usage++) {
        int r = __builtin_ctz(left);
        double capacity = sms__capacity_sms(device->setup.model, (size_t)r);
        if (*usage <= full)
            continue;
        device->setup.record->excess[r] += (sms__integral)((*usage - full) * capacity / (double)device->sms) * time;
        device->setup.record->over[r] += (sms__integral)sms_parts(capacity) * time;
    }
}

/* With another answer than a number of at least 1, blocks would never end or be faster than alone. */
static double ask_model(const struct sms__blocks *device, size_t r, double usage)
{
    const struct sms_contention *model = device->setup.contention;
    const double slow = model->slowdown(&device->setup.contention_view, r, usage);
    if (slow >= 1 && slow < INFINITY)
        return slow;
    sms__stop_run(
        device,
        "contention model '%.60s' gives %.60s at %.4g %% a slowdown of %g, which is not a finite number of at least 1",
        model->name, device->setup.model->view.resource[r].name, 100 * usage / SMS_FULL, isnan(slow) ? NAN : slow);
    return 1;
}

/* A slowdown is a function of the usage alone, so an answer that is kept is as good as a new one. One with a knee costs
 * two powers, 40 times as much as to find the answer. */
double sms__slowdown(const struct sms__blocks *device, size_t r, double usage)
{
    uint64_t bits;
    uint32_t knees = device->rating.knees, bit = (uint32_t)1 << r;
    if (!(knees & bit))
        return ask_model(device, r, usage);
    memcpy(&bits, &usage, sizeof bits);
    size_t row = (size_t)__builtin_popcount(knees & (bit - 1));
    struct sms__known_slowdown *known =
        &device->rating.known[row * SMS__KNOWN + (bits * 0x9e3779b97f4a7c15u >> 32) % SMS__KNOWN];
    if (known->usage != usage || known->slowdown == 0)
        *known = (struct sms__known_slowdown){usage, ask_model(device, r, usage)};
    return known->slowdown;
}

/* Returns what the device's slowdowns of users of all these resources join to. */
static double slowdown_of(const struct sms__blocks *device, uint32_t resources)
{
    double slow = 1;
    for (uint32_t left = resources; left; left &= left - 1) {
        size_t r = (size_t)__builtin_ctz(left);
        double usage = device->rating.pressure[r] / (double)device->sms;
        double by = usage > SMS_FULL || device->rating.knees >> r & 1 ? sms__slowdown(device, r, usage) : 1;
        slow = sms__join(slow, by, device->rating.join.exponent);
    }
    return slow;
}

static size_t changes(const struct sms__implied *implied) { return (implied->shapes + 1) * (implied->shapes + 1); }

/* Gives the row to the usage as it is. The links start from the one that had it. */
static void work_out(struct sms__blocks *device, struct sms__usage_row *row)
{
    struct sms__implied *implied = &device->rating.implied;
    record_row(device, row);
    row->id = ++implied->ids;
    if (row->link)
        memset(row->link, 0, changes(implied) * sizeof *row->link);
    for (size_t i = 0; i < implied->usages; i++)
        row->usage[i] = *implied->from[i];
    for (size_t c = 0; c < device->clocks && device->setup.contention->slowdown; c++)
        row->slow[c] = slowdown_of(device, device->clock[c].resources);
    implied->before = implied->before == row ? NULL : implied->before;
}

/* Notes where the change led. */
static void link_rows(struct sms__blocks *device, struct sms__usage_row *from, struct sms__usage_row *to)
{
    struct sms__implied *implied = &device->rating.implied;
    if (!from->link)
        from->link = SMS__NEW(device->arena, struct sms__usage_link, changes(implied));
    from->link[implied->change] = (struct sms__usage_link){to, to->id};
}

__attribute__((noinline)) struct sms__usage_row *sms__device_usage_find(struct sms__blocks *device)
{
    struct sms__implied *implied = &device->rating.implied;
    uint64_t hash = 0, bits;
    for (size_t i = 0; i < implied->usages; i++) {
        memcpy(&bits, implied->from[i], sizeof bits);
        hash = (hash + bits) * 0x9e3779b97f4a7c15u;
    }
    struct sms__usage_row *row = &implied->row[(hash >> 32) & (implied->rows - 1)];
    bool same = row->id;
    for (size_t i = 0; i < implied->usages; i++)
        same &= row->usage[i] == *implied->from[i];
    if (!same)
        work_out(device, row);
    if (implied->before && same) /* it may come again */
        link_rows(device, implied->before, row);
    implied->before = NULL;
    implied->now = row;
    return row;
}

static inline void pass_time(struct sms__blocks *device, uint64_t now)
{
    struct sms__implied *implied = &device->rating.implied;
    if (now != implied->since_ps && implied->rows)
        sms__device_usage_row(device, implied)->time_ps += now - implied->since_ps;
    implied->since_ps = now;
}

static inline void add(double *usage, const double *demand, uint32_t resources, double blocks)
{
    for (uint32_t left = resources; left; left &= left - 1)
        usage[__builtin_ctz(left)] += blocks * demand[__builtin_ctz(left)];
}

static inline void add_blocks(struct sms__rating *rating, const struct sms__footprint *fit, double blocks)
{
    add(rating->total, fit->demand, fit->of_device, blocks);
    if (rating->pressure != rating->total)
        add(rating->pressure, fit->pressure, fit->of_device, blocks);
}

void sms__device_usage_add(struct sms__blocks *device, const struct sms__shape *shape, int64_t blocks, uint64_t now)
{
    pass_time(device, now);
    device->rating.implied.now = device->rating.implied.before = NULL;
    add_blocks(&device->rating, shape->fit, (double)blocks);
}

/* The same for a change whose end is to be noted. */
static __attribute__((noinline)) void swap(struct sms__blocks *device, const struct sms__shape *gone,
                                           const struct sms__shape *come, size_t change, uint64_t now)
{
    struct sms__implied *implied = &device->rating.implied;
    pass_time(device, now);
    implied->before = implied->shapes ? implied->now : NULL;
    implied->change = change;
    implied->now = NULL;
    if (gone)
        add_blocks(&device->rating, gone->fit, -1);
    if (come)
        add_blocks(&device->rating, come->fit, 1);
}

void sms__device_usage_swap(struct sms__blocks *device, const struct sms__shape *gone, const struct sms__shape *come,
                            uint64_t now)
{
    struct sms__implied *implied = &device->rating.implied;
    struct sms__usage_row *row = implied->now;
    if (!row && now != implied->since_ps)
        row = sms__device_usage_find(device);
    const size_t shapes = implied->shapes, none = shapes;
    size_t change = (gone ? gone->idx : none) * (shapes + 1) + (come ? come->idx : none);
    const struct sms__usage_link *link = row && row->link ? &row->link[change] : NULL;
    if (!link || !link->to || link->to->id != link->id) {
        swap(device, gone, come, change, now);
        return;
    }
    row->time_ps += now - implied->since_ps;
    implied->since_ps = now;
    implied->now = link->to;
    for (size_t i = 0; i < implied->usages; i++)
        *implied->from[i] = link->to->usage[i];
}

void sms__device_usage_record(struct sms__blocks *device, uint64_t now)
{
    pass_time(device, now);
    for (size_t i = 0; i < device->rating.implied.rows; i++)
        record_row(device, &device->rating.implied.row[i]);
}

bool sms__is_oversubscribed(const struct sms__blocks *device)
{
    bool oversubscribed = false;
    for (uint32_t left = device->rating.device_scope; left; left &= left - 1)
        oversubscribed |= device->rating.pressure[__builtin_ctz(left)] > SMS_FULL * (double)device->sms;
    return oversubscribed;
}
