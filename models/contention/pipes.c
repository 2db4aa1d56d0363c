/* One law for compute pipes and memories. A block's time is the greater of two, smoothed: its latency, and the work of
 * all blocks on a resource over what that delivers. With latency L and loads x_r in parts of what resource r delivers,
 *
 *     T = L (1 + sum of (g_r^q - 1))^(1/q),  g_r = (1 + x_r^p)^(1/p)
 *
 * over the resources that the block uses. Where p = q, T = (L^q + sum of (L x_r)^q)^(1/q): with few blocks the latency
 * counts, with many the resource that is fullest, and no resource must be full for others to be felt. q is `exponent`,
 * and p too, unless the device has a `knee` for the resource.
 *
 * The engine adds up (contention.h). The use of DRAM changes whenever a block starts or ends anywhere, mostly by less
 * than anybody knows it, so what is felt of it may be half a per cent too high.
 *
 * q = 2 was chosen on half of the launches of fused kernels on a V100 and a GTX 1080 Ti; the other half, fused hashes
 * and two streams of a GTX 950 were predicted with it (docs/evidence/validation.md). */
#include <smsched/contention.h>

#include <math.h>

enum { EXPONENT, GRAIN };

static const struct sms_param params[] = {
    {"exponent", SMS_UNIT_NUMBER, 1, SMS_JOIN_MAX, 2,
     "sets q, by which the causes of a slowdown add up, and p of the resources for which the device has no knee"},
    {"grain", SMS_UNIT_RATIO, 0, 0.1, 0.005,
     "sets the part by which a device-wide use may fall without an update of speeds; 0: every change updates them"},
    {0},
};

/* The default is 2, for which the machine has an instruction each. */
static double power(double x, double q) { return q == 2 ? x * x : pow(x, q); }

static double root(double x, double q) { return q == 2 ? sqrt(x) : pow(x, 1 / q); }

static double exponent(const struct sms_contention_view *view)
{
    return fmin(fmax(view->params[EXPONENT], 1), SMS_JOIN_MAX);
}

static struct sms_join joins(const struct sms_contention_view *view)
{
    return (struct sms_join){exponent(view), view->params[GRAIN]};
}

static double slow_by(const struct sms_contention_view *view, size_t r, double x)
{
    double p = view->resource[r].knee > 0 ? view->resource[r].knee : exponent(view);
    if (view->resource[r].hard)
        return 1;
    return x > 1 ? x * root(1 + power(1 / x, p), p) : root(1 + power(x, p), p);
}

static double slowdown(const struct sms_contention_view *view, size_t r, double usage)
{
    return slow_by(view, r, usage / SMS_FULL);
}

/* Other resources slow a block further, so it gets no more than if this were the only one. */
static double delivers(const struct sms_contention_view *view, size_t r, double background, double most)
{
    return most / slow_by(view, r, background + most);
}

const struct sms_contention sms_contention_pipes = {
    .name = "pipes",
    .help = "adds up, smoothed, a block's latency and its part of each resource: each slows it before it is full",
    .params = params,
    .measured_alone = true,
    .slowdown = slowdown,
    .joins = joins,
    .delivers = delivers,
};
