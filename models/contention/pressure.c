/* Slowdown by the pressure of the others. A kernel alone has its own contention in its time alone, so only what others
 * use of a resource slows it, and the more, the more it uses the resource itself:
 *
 *     1 / speed = 1 + sum over the resources of curve(usage by the others) x (floor + own usage)
 *
 * With a straight curve of 100 % and no floor, two kernels that are busy for u and v of the time slow each other by
 * u x v: the chance that both are busy. This met pairs of neural networks on an A100; on a V100 a floor and a steeper
 * curve of the second-level cache did (docs/explanation/contention.md).
 *
 * Blocks of one launch are one kernel. What it uses on other SMs of a resource of scope device is taken to be what it
 * uses on this one. */
#include <smsched/contention.h>

enum { FLOOR };

static const struct sms_param params[] = {
    {"floor", SMS_UNIT_RATIO, 0, 100, 0,
     "sets the part of the others' overhead that a kernel feels however little it uses"},
    {0},
};

static double overhead_of(const struct sms_contention_view *view, const double *usage, const struct sms_group *group)
{
    double overhead = 0;
    for (size_t r = 0; r < view->resources && view->curves; r++) {
        double own = group->demand[r] * (double)group->blocks, others = usage[r] - own;
        if (others > 0)
            overhead += sms_curve_at(&view->curves[r], others / SMS_FULL) * (view->params[FLOOR] + own / SMS_FULL);
    }
    return overhead;
}

static void rate(const struct sms_contention_view *view, const double *usage, struct sms_group *groups, size_t count)
{
    for (size_t g = 0; g < count; g++)
        *groups[g].speed = 1 / (1 + overhead_of(view, usage, &groups[g]));
}

const struct sms_contention sms_contention_pressure = {
    .name = "pressure",
    .help = "slows each kernel by the others' use of each resource, on a curve, times its own use",
    .params = params,
    .curves = true,
    .rate = rate,
};
