/* Whether a scenario is random, and how the measured window then moves. */
#ifndef SMS_MODEL_DRAWS_H
#define SMS_MODEL_DRAWS_H

#include "scenario.h"

/* Returns the seed of a replication of a run with `seed`. Replications are numbered from 0. */
static inline uint64_t sms__replication_seed(uint64_t seed, uint64_t number)
{
    return seed + 0x9e3779b97f4a7c15u * number;
}

/* Whether anything is drawn: work of blocks, arrivals, workloads, phases. In clusters, whether events are that may be
 * too rare to be seen in a few replications. Policies may draw besides. */
bool sms__draws(const struct sms_scenario *scenario);

/* Returns by how much the measured window of a replication may begin later and end earlier than the scenario says, or
 * 0.
 *
 * Tenants that begin together keep step for long, so a fixed window would see the same part of their cycles in every
 * replication. All replications would be off by as much, and no interval would show it. So the window begins and ends
 * at random within a tenth of its length (systematic sampling with a
 * random start: Cochran, Sampling Techniques, 1977, chapter 8; for simulated processors Wunderlich et al., ISCA 2003).
 * The window moves if there is a warm-up, all tenants repeat for ever, and anything is drawn. Arrivals are out of step
 * by themselves. A VM alone has the slack of its scenario, so that it is measured in the same window. */
double sms__slack_ps(const struct sms_scenario *scenario);

#endif
