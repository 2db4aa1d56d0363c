/* A smooth knee: of a demand of x times its capacity a resource delivers x / (1 + x^p)^(1/p), so each of its users
 * takes (1 + x^p)^(1/p) times as long as at no load. Latency grows with load long before bandwidth is exhausted: by
 * Little's law a kernel gets its bytes in flight over the latency. A greater p is a sharper knee. Without a p the
 * resource has a corner, 1 up to x = 1 and x beyond, as under `proportional`. A block is as slow as the slowest
 * resource that it uses.
 *
 * p is `knee` of the device's resource, which names its source. The form met the DRAM bandwidth of a V100 by occupancy
 * and of an A6000 by number of SMs (docs/evidence/validation.md). */
#include <smsched/contention.h>

#include <math.h>

enum { EXPONENT };

static const struct sms_param params[] = {
    {"exponent", SMS_UNIT_NUMBER, 0, SMS_KNEE_MAX, 0,
     "sets p of the resources for which the device has no knee; 0: they have a corner"},
    {0},
};

static double slow_by(const struct sms_contention_view *view, size_t r, double x)
{
    double p = view->resource[r].knee > 0 ? view->resource[r].knee : view->params[EXPONENT];
    if (view->resource[r].hard || p <= 0)
        return x > 1 ? x : 1;
    if (p < 1)
        p = 1;
    return x > 1 ? x * pow(1 + pow(1 / x, p), 1 / p) : pow(1 + pow(x, p), 1 / p);
}

static double slowdown(const struct sms_contention_view *view, size_t r, double usage)
{
    return slow_by(view, r, usage / SMS_FULL);
}

/* What the blocks get rises with what they ask for, whatever the background. */
static double delivers(const struct sms_contention_view *view, size_t r, double background, double most)
{
    return most / slow_by(view, r, background + most);
}

const struct sms_contention sms_contention_knee = {
    .name = "knee",
    .help =
        "makes a block as slow as the slowest resource that it uses; a resource with a knee slows before it is full",
    .params = params,
    .measured_alone = true,
    .slowdown = slowdown,
    .delivers = delivers,
};
