/* What a scenario draws, and what follows from that for the time measured. */
#ifndef SMS_MODEL_DRAWS_H
#define SMS_MODEL_DRAWS_H

#include "scenario.h"

/* Returns the seed of a replication of a run with `seed`. Replications are numbered from 0. */
static inline uint64_t sms__replication_seed(uint64_t seed, uint64_t number)
{
    return seed + 0x9e3779b97f4a7c15u * number;
}

/* Whether anything is drawn: work of blocks, arrivals, workloads. In clusters, whether events are that may be too rare
 * to be seen in a few replications. Policies may draw besides. */
bool sms__draws(const struct sms_scenario *scenario);

/* By how much the time measured of a replication may begin later, and end earlier, than the scenario says; 0: it never
 * does. Tenants that run for ever begin together and keep step for long, so that a fixed window sees the same part of
 * their cycles in each replication: all are off by as much, and no interval shows it. Where the window begins and ends
 * at random within a tenth of its length the phases are part of what is drawn (systematic sampling with a random start:
 * Cochran, Sampling Techniques, 1977, chapter 8; of simulated processors Wunderlich et al., ISCA 2003). So it is where
 * there is a warm-up, all tenants repeat their jobs for ever, and anything is drawn. Arrivals are out of step by
 * themselves. */
double sms__slack_ps(const struct sms_scenario *scenario);

#endif
