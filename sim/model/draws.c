/* Finds out whether a scenario is random. Policies may draw random numbers besides. */
#include "draws.h"
#include "cluster/cluster.h"

#define SLACK 0.1

static bool draws_kernels(const struct sms_scenario *scenario)
{
    bool drawn = false;
    for (size_t v = 0; v < scenario->vms; v++)
        for (size_t k = 0; k < scenario->vm[v].workload->kernels; k++)
            drawn |= sms__is_drawn(&scenario->vm[v].workload->kernel[k]);
    return drawn;
}

static bool draws_arrivals(const struct sms_scenario *scenario)
{
    bool drawn = scenario->drawn;
    for (size_t v = 0; v < scenario->vms; v++)
        drawn |= scenario->vm[v].arrivals == SMS__POISSON;
    return drawn;
}

static bool draws_phases(const struct sms_scenario *scenario)
{
    bool drawn = false;
    for (size_t v = 0; v < scenario->vms && !drawn; v++)
        drawn = scenario->vm[v].draws_phase;
    return drawn;
}

bool sms__draws(const struct sms_scenario *scenario)
{
    if (scenario->cluster)
        return scenario->cluster->monitor;
    return draws_kernels(scenario) || draws_arrivals(scenario) || draws_phases(scenario);
}

static bool all_repeat(const struct sms_scenario *scenario)
{
    bool repeat = true;
    for (size_t v = 0; v < scenario->vms; v++)
        repeat &= scenario->vm[v].arrivals == SMS__CLOSED && scenario->vm[v].repeat == 0;
    return repeat;
}

double sms__slack_ps(const struct sms_scenario *scenario)
{
    bool timed = scenario->warmup_ps > 0 && scenario->duration_ps > 0;
    if (!timed || scenario->cluster || !all_repeat(scenario))
        return 0;
    return sms__draws(scenario) ? SLACK * (scenario->duration_ps - scenario->warmup_ps) : 0;
}
