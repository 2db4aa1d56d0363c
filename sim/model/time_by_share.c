/* The time of a coarse kernel by the share of the device's SMs that it has: t(s) = a + b/s. The part b is divided among
 * the SMs, the part a is not: launches, tails of waves, and what DRAM limits. Measured times at two shares give both.
 * LLaMA on an A100 under MPS, 6681 times at shares between those two: docs/evidence/validation.md. */
#include "workload.h"

#include "limits.h"

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
    if (more->time.cycles != less->time.cycles)
        sms__complain(reader, less->node, "both times are in cycles, or neither is");
    else if (divided < 0)
        sms__complain(reader, less->node, "the kernel would be faster on '%.20s' of the SMs than on '%.20s'",
                      less->node->text, more->node->text);
    else if (whole <= 0)
        sms__complain(reader, less->node,
                      "by these two the kernel would take no time on all SMs; give the time at 100 %%");
    else {
        kernel->block_time = (struct sms__quantity){whole, more->time.cycles};
        kernel->divided = divided / whole;
        kernel->by_share = true;
    }
}

static void read_two(struct sms__reader *reader, const struct sms__node *node, struct sms__kernel *kernel)
{
    struct point point[2];
    if (node->items != 4) {
        sms__complain(reader, node, "times by share are two, as in {100 %%: 20 ms, 30 %%: 41 ms}");
        return;
    }
    for (size_t i = 0; i < 2; i++)
        if (!read_point(reader, node->item[2 * i], node->item[2 * i + 1], &point[i]))
            return;
    if (point[0].share == point[1].share)
        sms__complain(reader, point[1].node, "share '%.20s' is given twice", point[1].node->text);
    else if (point[0].share > point[1].share)
        set_law(reader, &point[0], &point[1], kernel);
    else
        set_law(reader, &point[1], &point[0], kernel);
}

void sms__read_kernel_time(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__kernel *kernel = at;
    struct sms__quantity time;
    if (node->kind == SMS__MAP) {
        read_two(reader, node, kernel);
        return;
    }
    if (!sms__read_number(reader, node, SMS__CYCLES, 1, SMS__TIME_MAX_PS, &time))
        return;
    kernel->block_time = time;
    if (time.cycles && time.value <= 0)
        sms__complain(reader, node, "'%.40s' is out of range; it must be more than 0", node->text);
}
