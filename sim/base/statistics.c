#include "statistics.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

void sms__estimate_add(struct sms_estimate *estimate, double value)
{
    double delta = value - estimate->mean;
    estimate->n++;
    estimate->mean += delta / (double)estimate->n;
    estimate->sd += delta * (value - estimate->mean);
}

struct sms_estimate sms__estimate_close(struct sms_estimate estimate)
{
    if (estimate.n == 0)
        return (struct sms_estimate){0, NAN, 0, 0};
    if (estimate.n == 1)
        return (struct sms_estimate){1, estimate.mean, 0, 0};
    double n = (double)estimate.n;
    estimate.sd = sqrt(estimate.sd / (n - 1));
    estimate.ci95 = gsl_cdf_tdist_Pinv(0.975, n - 1) * estimate.sd / sqrt(n);
    return estimate;
}
