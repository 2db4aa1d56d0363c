/* The distribution of the latencies of jobs. Invariant: what is kept are counts, least and greatest values of all
 * replications together, which do not depend on the order in which runs end. */
#include "results.h"

void sms__latencies_set_up(struct sms_results *results)
{
    const size_t vms = results->scenario->vms;
    if (!results->options->latencies || vms > SMS_LATENCY_TENANTS)
        return;
    results->latency = SMS__NEW(&results->arena, struct sms__histogram, results->policies * vms);
    for (size_t i = 0; i < results->policies * vms; i++) {
        sms__histogram_init(&results->latency[i], &results->arena);
        results->latency[i].bucket = SMS__NEW(&results->arena, uint64_t, SMS__BUCKETS);
    }
}

void sms__latencies_keep(struct sms_results *results, size_t policy, const struct sms__record *record)
{
    const size_t vms = results->scenario->vms;
    for (size_t v = 0; results->latency && v < vms; v++)
        sms__histogram_merge(&results->latency[policy * vms + v], &record->vm[v].latency);
}

/* The number of steps that so many of all jobs reach: two hundredths up to 99 %, then two thousandths. */
static uint64_t steps_of(uint64_t seen, uint64_t all)
{
    return seen * 100 < all * 99 ? seen * 200 / all : 198 + (seen * 100 - all * 99) * 20 / all;
}

size_t sms_results_latencies(const struct sms_results *results, size_t policy, size_t tenant, struct sms_latency *out)
{
    if (!results || policy >= results->policies || !results->latency || tenant >= results->scenario->vms || !out)
        return 0;
    const struct sms__histogram *all = &results->latency[policy * results->scenario->vms + tenant];
    size_t points = 0;
    uint64_t seen = 0, reached = 0;
    if (all->count == 0)
        return 0;
    out[points++] = (struct sms_latency){(double)all->least / 1e3, 0, 0};
    for (size_t b = 0; b < SMS__BUCKETS; b++) {
        double value;
        seen += sms__histogram_bucket(all, b, &value);
        if (steps_of(seen, all->count) == reached)
            continue;
        reached = steps_of(seen, all->count);
        out[points++] = (struct sms_latency){value / 1e3, (double)seen / (double)all->count, seen};
    }
    return points;
}
