/* Means of metrics over launches, converted to base units. Prefixes of Nsight Compute are powers of 1000; nvprof's GB/s
 * is 2^30 bytes/s. */
#include "derive_internal.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

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
                      const struct sms__profile_launch *launch)
{
    double weight = launch->count ? (double)launch->count : 1;
    size_t hint = 0;
    for (size_t m = 0; m < launch->metrics; m++) {
        struct sms__profile_metric metric = launch->metric[m];
        metric.name = metric.name ? metric.name : "";
        metric.unit = metric.unit ? metric.unit : "";
        if (!isfinite(metric.mean) || metric.mean < 0)
            continue;
        struct sms__metric_mean *mean = find_or_add(arena, metrics, hint, &metric);
        mean->sum += weight * metric.mean;
        mean->weight += weight;
        hint = (size_t)(mean - metrics->mean) + 1;
    }
}

static bool is_word(const char *text, size_t length, const char *word)
{
    if (strlen(word) != length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (tolower((unsigned char)text[i]) != word[i])
            return false;
    return true;
}

struct unit_factor {
    const char *word; /* in lower case */
    double factor;
};

static bool find_unit(const struct unit_factor *unit, const char *text, size_t length, double *factor)
{
    for (; unit->word; unit++) {
        if (!is_word(text, length, unit->word))
            continue;
        *factor = unit->factor;
        return true;
    }
    return false;
}

static const struct unit_factor times[] = {{"second", 1},     {"s", 1},          {"msecond", 1e-3},
                                           {"ms", 1e-3},      {"usecond", 1e-6}, {"us", 1e-6},
                                           {"nsecond", 1e-9}, {"ns", 1e-9},      {0}};
static const struct unit_factor sizes[] = {{"byte", 1},
                                           {"b", 1},
                                           {"kbyte", 1e3},
                                           {"mbyte", 1e6},
                                           {"gbyte", 1e9},
                                           {"tbyte", 1e12},
                                           {"kb", 1024},
                                           {"mb", 1048576},
                                           {"gb", 1073741824},
                                           {"tb", 1099511627776},
                                           {0}};
static const struct unit_factor clocks[] = {{"hz", 1}, {"khz", 1e3}, {"mhz", 1e6}, {"ghz", 1e9}, {"cycle", 1}, {0}};

/* Sets the factor of a unit such as "Gbyte/s": the unit before the '/' over the one after it. */
static bool find_rate(const struct unit_factor *units, const char *unit, double *factor)
{
    const char *slash = strchr(unit, '/');
    double below = 1;
    size_t length = slash ? (size_t)(slash - unit) : strlen(unit);
    if (slash && !find_unit(times, slash + 1, strlen(slash + 1), &below))
        return false;
    if (!find_unit(units, unit, length, factor))
        return false;
    *factor /= below;
    return slash != NULL || units == clocks;
}

/* Without a unit, the ratios of Nsight Compute are percentages, and those of nvprof are ratios. Names of nvprof's
 * metrics have lower case letters, digits and '_' only. */
static bool is_percentage(const struct sms__metric_mean *mean)
{
    static const char *const of_nvprof = "abcdefghijklmnopqrstuvwxyz0123456789_";
    bool nvprof = !mean->name[strspn(mean->name, of_nvprof)] && !strstr(mean->name, "__");
    return mean->unit[0] == '%' || (!mean->unit[0] && !nvprof);
}

static bool factor_of(const struct sms__metric_mean *mean, enum sms__metric_quantity quantity, double *factor)
{
    const char *unit = mean->unit;
    *factor = 1;
    if ((mean->kind == SMS__VALUE_LEVEL) != (quantity == SMS__AS_LEVEL))
        return false;
    switch (quantity) {
    case SMS__AS_RATIO:
        *factor = is_percentage(mean) ? 0.01 : 1;
        return !strcmp(unit, "%") || !unit[0];
    case SMS__AS_COUNT:
        if (!find_unit(sizes, unit, strlen(unit), factor))
            *factor = 1;
        return unit[0] != '%' && !strstr(unit, "/s");
    case SMS__AS_RATE:
        return find_rate(sizes, unit, factor);
    case SMS__AS_HZ:
        return find_rate(clocks, unit, factor);
    case SMS__AS_SECONDS:
        return find_unit(times, unit, strlen(unit), factor);
    case SMS__AS_LEVEL:
        return true;
    }
    return false;
}

/* Several metrics can share a name: Nsight Compute has "Memory Throughput" in % and in bytes/second. The unit decides.
 */
bool sms__metrics_get(const struct sms__metric_means *metrics, const char *name, enum sms__metric_quantity quantity,
                      double *value)
{
    double factor;
    for (size_t i = 0; metrics && i < metrics->count; i++) {
        const struct sms__metric_mean *mean = &metrics->mean[i];
        if (strcmp(mean->name, name) != 0 || !factor_of(mean, quantity, &factor))
            continue;
        *value = mean->sum / mean->weight * factor;
        return isfinite(*value);
    }
    return false;
}
