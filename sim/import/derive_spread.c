/* How far off demands may be, by what a profile shows: launches of one kernel differ, and the model of occupancy by
 * which use is divided among blocks misses the one that was measured. */
#include "derive_internal.h"

#include <math.h>

/* Metrics that stand for many launches, or that many took of one launch or of a table by kernel, say nothing of how
 * these differ. */
static void add_launch(struct sms__derivation *derivation, struct sms__derived *kernel,
                       const struct sms__profile_launch *launch)
{
    struct sms__metric_means *metrics = &derivation->scratch;
    struct sms__measured_kernel one = kernel->measured;
    const char *from;
    if (!launch->metrics || launch->count > 1 || one.metrics != &kernel->measured.own || one.pooled ||
        launch->metric == kernel->measured.counted)
        return;
    kernel->measured.counted = launch->metric;
    one.time_s = sms__derive_launch_time(derivation, launch, &from);
    metrics->count = 0;
    metrics->untimed = false;
    sms__metrics_add(derivation->arena, metrics, launch, one.time_s);
    one.metrics = metrics;
    sms__derive_measured(&one, derivation->device);
    one.activity = kernel->measured.activity_from_model ? kernel->measured.activity : one.activity;
    for (size_t r = 0; r < derivation->device->resources; r++) {
        struct sms__usage *usage = &kernel->measured.usage[r];
        const double ratio =
            usage->known && !usage->approximate ? sms__derive_use_again(derivation->device, &one, r) : NAN;
        if (isfinite(ratio))
            sms__estimate_add(&usage->each, ratio);
    }
}

void sms__derive_spread(struct sms__derivation *derivation)
{
    for (size_t l = 0; l < derivation->profile->launches; l++) {
        const size_t k = derivation->kernel_of_launch[l];
        if (k != SIZE_MAX)
            add_launch(derivation, &derivation->kernel[k], &derivation->profile->launch[l]);
    }
}

/* The variance of a kernel's use, relative. */
static double variance(const struct sms__derived *kernel, size_t r)
{
    const struct sms__usage *usage = &kernel->measured.usage[r];
    const double between = usage->each.m2 / (double)(usage->each.n - 1) / (usage->each.mean * usage->each.mean);
    const double off = kernel->fit.timing.modelled.occupancy / kernel->measured.occupancy - 1;
    return between + (isfinite(off) ? off * off : 0);
}

double sms__derive_uncertainty(const struct sms__derivation *derivation, size_t r)
{
    double used = 0, told = 0, sum = 0;
    for (size_t k = 0; k < derivation->kernels; k++) {
        const struct sms__derived *kernel = &derivation->kernel[k];
        const struct sms__usage *usage = &kernel->measured.usage[r];
        const double weight = usage->known ? usage->ratio * kernel->time.sum_s : 0;
        const bool tells = usage->each.n >= 2 && usage->each.mean > 0;
        used += weight;
        told += tells ? weight : 0;
        sum += tells ? weight * variance(kernel, r) : 0;
    }
    return told > 0 && told >= used / 2 ? sqrt(sum / told) : NAN;
}
