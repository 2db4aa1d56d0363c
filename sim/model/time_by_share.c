/* The time of a coarse kernel by the share of the device's SMs that it has: t(s)^q = a^q + (b/s)^q. The part b is
 * divided among the SMs, the part a is not: launches, tails of waves, and what DRAM limits. Measured times at two
 * shares give both, with q = 1: the one part comes after the other. At a third share the time tells q. A great q is a
 * kernel that fewer SMs do not slow until they no longer fill DRAM. LLaMA under MPS, 6681 times at shares between two,
 * and 13 kernels of a small network by TPCs, with three, both on an A100: docs/evidence/validation.md. With
 * more points, because waves make steps that no such curve has, each two neighbours give a and b between them; so they
 * do with three that grow faster than the SMs become fewer, which no q meets. */
#include "workload.h"

#include "limits.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_BEND = 8, STEPS = 48, POINTS_MOST = 16 };

struct point {
    double share;
    struct sms__quantity time;
    const struct sms__node *node;
};

static bool read_point(struct sms__reader *reader, const struct sms__node *key, const struct sms__node *value,
                       struct point *point)
{
    struct sms__quantity share;
    point->node = key;
    if (!sms__read_number(reader, key, SMS__RATIO, 1e-6, 1, &share) ||
        !sms__read_number(reader, value, SMS__CYCLES, 1, SMS__TIME_MAX_PS, &point->time))
        return false;
    point->share = share.value;
    if (point->time.value > 0)
        return true;
    sms__complain(reader, value, "'%.40s' is out of range; it must be more than 0", value->text);
    return false;
}

/* Sets the time on all SMs, a + b, and the part b of it. */
static void set_law(struct sms__reader *reader, const struct point *more, const struct point *less,
                    struct sms__kernel *kernel)
{
    double least = less->time.value, divided = (least - more->time.value) / (1 / less->share - 1 / more->share);
    double whole = least - divided * (1 / less->share - 1);
    if (whole <= 0) {
        sms__complain(reader, less->node,
                      "by these two the kernel would take no time on all SMs; give the time at 100 %%");
        return;
    }
    kernel->block_time = (struct sms__quantity){whole, more->time.cycles};
    kernel->by_share = SMS__NEW(reader->arena, struct sms__time_law, 1);
    *kernel->by_share = (struct sms__time_law){.divided = divided / whole, .bend = 1};
}

/* By the law through two points with this q, the time at the third over the measured one. Rises as q falls. */
static double off_by(const struct point *more, const struct point *between, const struct point *less, double q)
{
    const double high = pow(more->time.value, q), low = pow(less->time.value, q);
    const double part =
        (pow(between->share, -q) - pow(more->share, -q)) / (pow(less->share, -q) - pow(more->share, -q));
    return pow(high + part * (low - high), 1 / q) / between->time.value;
}

/* Sets q from the third point, the nearest where none meets it, and the law anew. */
static void set_bend(const struct point *more, const struct point *between, const struct point *less,
                     struct sms__kernel *kernel)
{
    double least = 1, most = MOST_BEND;
    for (int i = 0; i < STEPS; i++) {
        const double middle = (least + most) / 2;
        *(off_by(more, between, less, middle) > 1 ? &least : &most) = middle;
    }
    const double q = off_by(more, between, less, 1) > 1 ? least : 1;
    const double high = pow(more->time.value, q), low = pow(less->time.value, q);
    const double divided = (low - high) / (pow(less->share, -q) - pow(more->share, -q));
    const double whole = low - divided * (pow(less->share, -q) - 1);
    kernel->block_time.value = pow(whole, 1 / q);
    kernel->by_share->divided = divided / whole;
    kernel->by_share->bend = q;
}

static void keep_points(struct sms__arena *arena, const struct point *point, size_t points, struct sms__kernel *kernel)
{
    struct sms__time_law *law = kernel->by_share;
    law->at = SMS__NEW(arena, struct sms__time_at, points);
    law->points = points;
    for (size_t i = 0; i < points; i++)
        law->at[i] = (struct sms__time_at){point[i].share, point[i].time.value / kernel->block_time.value};
}

double sms__time_ratio(const struct sms__time_law *law, double share)
{
    for (size_t i = 1; i < law->points; i++) {
        const struct sms__time_at *more = &law->at[i - 1], *less = &law->at[i];
        if (share <= more->share && share >= less->share)
            return more->ratio +
                   (1 / share - 1 / more->share) / (1 / less->share - 1 / more->share) * (less->ratio - more->ratio);
    }
    return pow(1 - law->divided + law->divided / pow(share, law->bend), 1 / law->bend);
}

static int by_falling_share(const void *a, const void *b)
{
    const struct point *x = a, *y = b;
    return (x->share < y->share) - (x->share > y->share);
}

/* Whether the point can follow the one of more SMs. */
static bool follows(struct sms__reader *reader, const struct point *more, const struct point *less)
{
    if (more->share == less->share)
        sms__complain(reader, less->node, "share '%.20s' is given twice", less->node->text);
    else if (more->time.cycles != less->time.cycles)
        sms__complain(reader, less->node, "both times are in cycles, or neither is");
    else if (less->time.value < more->time.value)
        sms__complain(reader, less->node, "the kernel would be faster on '%.20s' of the SMs than on '%.20s'",
                      less->node->text, more->node->text);
    else
        return true;
    return false;
}

static void read_shares(struct sms__reader *reader, const struct sms__node *node, struct sms__kernel *kernel)
{
    struct point point[POINTS_MOST];
    const size_t points = node->items / 2;
    if (points < 2 || points > POINTS_MOST) {
        sms__complain(reader, node, "times by share are 2 to %d, as in {100 %%: 20 ms, 30 %%: 41 ms}", POINTS_MOST);
        return;
    }
    for (size_t i = 0; i < points; i++)
        if (!read_point(reader, node->item[2 * i], node->item[2 * i + 1], &point[i]))
            return;
    qsort(point, points, sizeof *point, by_falling_share);
    for (size_t i = 1; i < points; i++)
        if (!follows(reader, &point[i - 1], &point[i]))
            return;
    set_law(reader, &point[0], &point[points - 1], kernel);
    if (kernel->by_share && points == 3 && kernel->by_share->divided <= 1)
        set_bend(&point[0], &point[1], &point[2], kernel);
    else if (kernel->by_share && points >= 3)
        keep_points(reader->arena, point, points, kernel);
}

void sms__read_kernel_time(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__kernel *kernel = at;
    struct sms__quantity time;
    if (node->kind == SMS__MAP) {
        read_shares(reader, node, kernel);
        return;
    }
    if (!sms__read_number(reader, node, SMS__CYCLES, 1, SMS__TIME_MAX_PS, &time))
        return;
    kernel->block_time = time;
    if (time.cycles && time.value <= 0)
        sms__complain(reader, node, "'%.40s' is out of range; it must be more than 0", node->text);
}
