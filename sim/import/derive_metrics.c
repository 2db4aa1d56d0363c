/* Means of metrics over launches, converted to base units. Prefixes of Nsight Compute are powers of 1000; nvprof's GB/s
 * is 2^30 bytes/s. */
#include "derive_internal.h"
#include "numbers.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static bool is_mean_of(const struct sms__metric_mean *mean, const struct sms__profile_metric *metric)
{
    return mean->kind == metric->kind && !strcmp(mean->name, metric->name) && !strcmp(mean->unit, metric->unit);
}

/* Metrics come in the same order in every launch, so the search starts after the mean that was found last. */
static struct sms__metric_mean *find_or_add(struct sms__arena *arena, struct sms__metric_means *metrics, size_t hint,
                                            const struct sms__profile_metric *metric)
{
    if (hint < metrics->count && is_mean_of(&metrics->mean[hint], metric))
        return &metrics->mean[hint];
    for (size_t i = 0; i < metrics->count; i++)
        if (is_mean_of(&metrics->mean[i], metric))
            return &metrics->mean[i];
    struct sms__metric_mean *mean = SMS__APPEND(arena, metrics->mean, metrics->count);
    *mean = (struct sms__metric_mean){.name = metric->name, .unit = metric->unit, .kind = metric->kind};
    return mean;
}

void sms__metrics_add(struct sms__arena *arena, struct sms__metric_means *metrics,
                      const struct sms__profile_launch *launch, double seconds)
{
    double weight = launch->count ? (double)launch->count : 1;
    size_t hint = 0;
    metrics->untimed |= !(seconds > 0);
    for (size_t m = 0; m < launch->metrics; m++) {
        struct sms__profile_metric metric = launch->metric[m];
        metric.name = metric.name ? metric.name : "";
        metric.unit = metric.unit ? metric.unit : "";
        if (!isfinite(metric.mean) || metric.mean < 0)
            continue;
        struct sms__metric_mean *mean = find_or_add(arena, metrics, hint, &metric);
        mean->sum += weight * metric.mean;
        mean->weight += weight;
        mean->timed_sum += weight * seconds * metric.mean;
        mean->seconds += weight * seconds;
        hint = (size_t)(mean - metrics->mean) + 1;
    }
}

/* The factor from a unit such as "Gbyte/s" to bytes per second; NAN: another unit. */
static double rate_factor(const char *unit)
{
    const char *slash = strchr(unit, '/');
    return slash ? sms__to_bytes(1, unit) / sms__to_seconds(1, slash + 1) : NAN;
}

/* Without a unit, the ratios of Nsight Compute are percentages, and those of nvprof are ratios. Names of nvprof's
 * metrics have lower case letters, digits and '_' only. */
static bool is_percentage(const struct sms__metric_mean *mean)
{
    static const char *const of_nvprof = "abcdefghijklmnopqrstuvwxyz0123456789_";
    bool nvprof = !mean->name[strspn(mean->name, of_nvprof)] && !strstr(mean->name, "__");
    return mean->unit[0] == '%' || (!mean->unit[0] && !nvprof);
}

/* The factor from the mean's unit to that of the quantity; NAN: the mean is not such a quantity. */
static double factor_of(const struct sms__metric_mean *mean, enum sms__metric_quantity quantity)
{
    const char *unit = mean->unit;
    double factor;
    if ((mean->kind == SMS__VALUE_LEVEL) != (quantity == SMS__AS_LEVEL))
        return NAN;
    switch (quantity) {
    case SMS__AS_RATIO:
        return strcmp(unit, "%") != 0 && unit[0] ? NAN : is_percentage(mean) ? 0.01 : 1;
    case SMS__AS_COUNT:
    case SMS__AS_MEAN:
        factor = sms__to_bytes(1, unit);
        return unit[0] == '%' || strstr(unit, "/s") ? NAN : isnan(factor) ? 1 : factor;
    case SMS__AS_RATE:
        return rate_factor(unit);
    case SMS__AS_HZ:
        return strcasecmp(unit, "cycle") ? sms__to_hertz(1, unit)
                                         : 1; /* a rate that ncu prints per second, without it */
    case SMS__AS_SECONDS:
        return sms__to_seconds(1, unit);
    case SMS__AS_LEVEL:
        return 1;
    }
    return NAN;
}

/* Several metrics can share a name: Nsight Compute has "Memory Throughput" in % and in bytes/second. The unit decides.
 */
double sms__metrics_get(const struct sms__metric_means *metrics, const char *name, enum sms__metric_quantity quantity)
{
    for (size_t i = 0; metrics && i < metrics->count; i++) {
        const struct sms__metric_mean *mean = &metrics->mean[i];
        double factor = strcmp(mean->name, name) ? NAN : factor_of(mean, quantity);
        if (isnan(factor))
            continue;
        bool counts = quantity == SMS__AS_COUNT || quantity == SMS__AS_SECONDS || metrics->untimed;
        double value = (counts ? mean->sum / mean->weight : mean->timed_sum / mean->seconds) * factor;
        return isfinite(value) ? value : NAN;
    }
    return NAN;
}
