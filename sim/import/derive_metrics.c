/* Means of metrics over launches, and their units: Nsight Compute counts in thousands, nvprof's GB/s are 2^30 B/s. */
#include "derive_inside.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static bool is_same(const struct sms__mean *mean, const struct sms__profile_metric *metric)
{
    return mean->kind == metric->kind && !strcmp(mean->name, metric->name) && !strcmp(mean->unit, metric->unit);
}

/* Metrics come in the same order in every launch, so that the place after the last one is the first to look. */
static struct sms__mean *place_of(struct sms__arena *arena, struct sms__means *means, size_t hint,
                                  const struct sms__profile_metric *metric)
{
    if (hint < means->count && is_same(&means->mean[hint], metric))
        return &means->mean[hint];
    for (size_t i = 0; i < means->count; i++)
        if (is_same(&means->mean[i], metric))
            return &means->mean[i];
    struct sms__mean *mean = SMS__APPEND(arena, means->mean, means->count);
    *mean = (struct sms__mean){.name = metric->name, .unit = metric->unit, .kind = metric->kind};
    return mean;
}

void sms__means_add(struct sms__arena *arena, struct sms__means *means, const struct sms__profile_launch *launch)
{
    double weight = launch->count ? (double)launch->count : 1;
    size_t hint = 0;
    for (size_t m = 0; m < launch->metrics; m++) {
        struct sms__profile_metric metric = launch->metric[m];
        metric.name = metric.name ? metric.name : "";
        metric.unit = metric.unit ? metric.unit : "";
        if (!isfinite(metric.mean) || metric.mean < 0)
            continue;
        struct sms__mean *mean = place_of(arena, means, hint, &metric);
        mean->sum += weight * metric.mean;
        mean->weight += weight;
        hint = (size_t)(mean - means->mean) + 1;
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

struct unit {
    const char *word; /* in lower case */
    double factor;
};

static bool find_unit(const struct unit *unit, const char *text, size_t length, double *factor)
{
    for (; unit->word; unit++) {
        if (!is_word(text, length, unit->word))
            continue;
        *factor = unit->factor;
        return true;
    }
    return false;
}

static const struct unit times[] = {{"second", 1},     {"s", 1},          {"msecond", 1e-3},
                                    {"ms", 1e-3},      {"usecond", 1e-6}, {"us", 1e-6},
                                    {"nsecond", 1e-9}, {"ns", 1e-9},      {0}};
static const struct unit sizes[] = {{"byte", 1},
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
static const struct unit clocks[] = {{"hz", 1}, {"khz", 1e3}, {"mhz", 1e6}, {"ghz", 1e9}, {"cycle", 1}, {0}};

/* The unit before the '/' over the one behind it. */
static bool find_rate(const struct unit *units, const char *unit, double *factor)
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

/* Without a unit, Nsight Compute's ratios are percentages, and nvprof's, of lower case and '_', are ratios. */
static bool is_percentage(const struct sms__mean *mean)
{
    static const char *const of_nvprof = "abcdefghijklmnopqrstuvwxyz0123456789_";
    bool nvprof = !mean->name[strspn(mean->name, of_nvprof)] && !strstr(mean->name, "__");
    return mean->unit[0] == '%' || (!mean->unit[0] && !nvprof);
}

static bool factor_of(const struct sms__mean *mean, enum sms__reading reading, double *factor)
{
    const char *unit = mean->unit;
    *factor = 1;
    if ((mean->kind == SMS__VALUE_LEVEL) != (reading == SMS__AS_LEVEL))
        return false;
    switch (reading) {
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

/* Two metrics may have one name: Nsight Compute has a "Memory Throughput" in % and one in bytes/second. */
bool sms__means_get(const struct sms__means *means, const char *name, enum sms__reading reading, double *value)
{
    double factor;
    for (size_t i = 0; means && i < means->count; i++) {
        const struct sms__mean *mean = &means->mean[i];
        if (strcmp(mean->name, name) != 0 || !factor_of(mean, reading, &factor))
            continue;
        *value = mean->sum / mean->weight * factor;
        return isfinite(*value);
    }
    return false;
}
