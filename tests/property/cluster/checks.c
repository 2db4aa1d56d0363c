/* Properties that must hold of every run of a cluster, beside those that its audit checks at each event. */
#include "../share/share.h"

static double cluster_value(const struct outcome *outcome, size_t policy, const char *name)
{
    return value(outcome, policy, SMS_CLUSTER, 0, name);
}

static double sum_of_nodes(const struct outcome *outcome, size_t policy, const char *name)
{
    double sum = 0;
    for (size_t n = 0; n < sms_results_subjects(outcome->results, SMS_NODE); n++)
        sum += value(outcome, policy, SMS_NODE, n, name);
    return sum;
}

/* Each pod that arrived is in one state. */
static const char *check_states(const struct outcome *outcome, size_t policy)
{
    static const char *const states[] = {"done_count", "failed_count", "running_count", "waiting_count"};
    double sum = 0, pods = cluster_value(outcome, policy, "pods_count");
    for (size_t s = 0; s < sizeof states / sizeof *states; s++)
        sum += cluster_value(outcome, policy, states[s]);
    return sum == pods ? NULL : describe("%.0f pods came, and %.0f are somewhere", pods, sum);
}

static const char *check_ratios(const struct outcome *outcome, size_t policy)
{
    static const char *const ratios[] = {"gpu_allocation_ratio",
                                         "gpu_allocation_mean_ratio",
                                         "cpu_allocation_ratio",
                                         "cpu_allocation_mean_ratio",
                                         "fragment_ratio",
                                         "gpu_busy_ratio",
                                         "deadline_miss_ratio",
                                         "gpu_memory_allocation_ratio",
                                         "gpu_memory_allocation_mean_ratio"};
    for (size_t r = 0; r < sizeof ratios / sizeof *ratios; r++) {
        double ratio = cluster_value(outcome, policy, ratios[r]);
        if (ratio < 0 || ratio > 1 + 1e-9)
            return describe("%s is %.12g", ratios[r], ratio);
    }
    return NULL;
}

/* What nodes count adds up to what the cluster counts, and to what was told of placements. */
static const char *check_sums(const struct outcome *outcome, size_t policy)
{
    double placed = sum_of_nodes(outcome, policy, "placements_count"), told = (double)outcome->seen[policy].told;
    if (placed < cluster_value(outcome, policy, "placed_count"))
        return describe("%.0f placements of more pods", placed);
    if (placed != told)
        return describe("%.0f placements, and %.0f were told", placed, told);
    return NULL;
}

const char *is_wrong(const struct outcome *outcome, const struct sms_scenario *scenario)
{
    const char *why =
        outcome->code && outcome->code != SMS_ELIMIT ? describe("code %d: %s", outcome->code, outcome->why) : NULL;
    for (size_t p = 0; outcome->code == SMS_OK && p < outcome->policies && !why; p++) {
        why = check_states(outcome, p);
        why = why ? why : check_ratios(outcome, p);
        why = why ? why : check_sums(outcome, p);
    }
    (void)scenario;
    return why;
}
