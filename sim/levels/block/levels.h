/* How fast resources of scope device let their users run, for contention models with `is_max_min`. */
#ifndef SMS_LEVELS_BLOCK_LEVELS_H
#define SMS_LEVELS_BLOCK_LEVELS_H

#include "rate.h"

void sms__levels_init(struct sms__blocks *device); /* after sms__rate_init */

/* Works out the speeds that an SM of a shared composition allows its blocks. */
void sms__levels_rate_composition(struct sms__blocks *device, struct sms__composition *composition);
/* So many SMs have got a shared composition, or lost it if negative. */
void sms__levels_count(struct sms__blocks *device, const struct sms__composition *composition, int64_t sms);
/* Finds the levels. */
void sms__levels_find(struct sms__blocks *device);
/* Has those SMs rated whose speeds may have changed although no group starts or stops following a device clock. */
void sms__levels_mark(struct sms__blocks *device);
/* Returns by how much its SM slows each group, valid until the next rating. Where the device slows a group more, this
 * need not be exact. */
const double *sms__levels_rate(struct sms__sm_state *sm);

#endif
