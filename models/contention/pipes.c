/* One law for compute pipes and memories. A block's time is the greater of two, smoothed: its latency, and the work of
 * all blocks on a resource over what that delivers. With latency L and loads x_r in parts of what resource r delivers,
 *
 *     T = L (1 + sum of (g_r^q - 1))^(1/q),  g_r = (1 + x_r^p)^(1/p)
 *
 * over the resources that the block uses. Where p = q, T = (L^q + sum of (L x_r)^q)^(1/q): with few blocks the latency
 * counts, with many the resource that is fullest, and no resource must be full for others to be felt. q is `exponent`,
 * and p too, unless the device has a `knee` for the resource.
 *
 * q = 2 was chosen on half of the launches of fused kernels on a V100 and a GTX 1080 Ti; the other half, fused hashes
 * and two streams of a GTX 950 were predicted with it (docs/evidence/validation.md). */
#include <smsched/contention.h>

#include <math.h>

enum { EXPONENT };

static const struct sms_param params[] = {
    {"exponent", SMS_UNIT_RATIO, 1, SMS_KNEE_MAX, 2,
     "q, by which what slows a block adds up, and p of the resources for which the device has no knee"},
    {0},
};

/* The default is 2, for which the machine has an instruction each. */
static double power(double x, double q) { return q == 2 ? x * x : pow(x, q); }

static double root(double x, double q) { return q == 2 ? sqrt(x) : pow(x, 1 / q); }

static double exponent(const struct sms_contention_view *view) { return fmax(view->params[EXPONENT], 1); }

static double slow_by(const struct sms_contention_view *view, size_t r, double x)
{
    double p = view->resource[r].knee > 0 ? view->resource[r].knee : exponent(view);
    if (view->resource[r].hard)
        return 1;
    return x > 1 ? x * root(1 + power(1 / x, p), p) : root(1 + power(x, p), p);
}

/* How much longer than its latency a block takes that uses these resources. */
static double joined(const double *slow, const double *demand, size_t resources, double q)
{
    double most = 1, sum = 0;
    for (size_t r = 0; r < resources; r++)
        most = demand[r] > 0 && slow[r] > most ? slow[r] : most;
    const double least = power(1 / most, q);
    for (size_t r = 0; r < resources; r++)
        sum += demand[r] > 0 ? power(slow[r] / most, q) - least : 0;
    return most * root(sum + least, q);
}

static void rate(const struct sms_contention_view *view, const double *usage, struct sms_group *groups, size_t count)
{
    double slow[SMS_RESOURCES_MAX];
    for (size_t r = 0; r < view->resources; r++)
        slow[r] = slow_by(view, r, usage[r] / SMS_FULL);
    for (size_t g = 0; g < count; g++)
        *groups[g].speed = 1 / joined(slow, groups[g].demand, view->resources, exponent(view));
}

/* Other resources slow a block further, so it gets no more than if this were the only one. */
static double delivers(const struct sms_contention_view *view, size_t r, double background, double most)
{
    return most / slow_by(view, r, background + most);
}

const struct sms_contention sms_contention_pipes = {
    .name = "pipes",
    .help = "a block takes its latency and its part of each resource, smoothed: each slows before it is full",
    .params = params,
    .measured_alone = true,
    .rate = rate,
    .delivers = delivers,
};
