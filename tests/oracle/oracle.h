/* The parts of the oracle (sim/levels/oracle.h). */
#ifndef TESTS_ORACLE_H
#define TESTS_ORACLE_H

#include "../../sim/levels/oracle.h"

/* reference.c */
void sms__reference_init(struct sms__blocks *device);
void sms__reference_dispatch(void *subject, uint64_t now);
void sms__reference_add_partial(struct sms__blocks *device, size_t sm, int sign, uint64_t now);
/* check.c */
void sms__check(struct sms__blocks *device, uint64_t now);
void sms__check_queued(struct sms__blocks *device, const struct sms_queued *queued, double rank, uint64_t turn);
/* promises.c: what is wrong with a mode's answers; the promise that the policy or the contention model breaks now, and
 * who; NULL: none. */
const char *sms__broken_promise(struct sms__blocks *device, const char **who);
const char *sms__broken_mode(const struct sms__mode *mode, const struct sms__device *device,
                             const struct sms__tenant *process);
/* audit.c */
const char *sms__audit_ledger(struct sms__cluster_run *run);
bool sms__audit_hosts(const struct sms__cluster_run *run, const uint64_t *bytes);

#endif
