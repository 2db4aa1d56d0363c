/* Invariants of the cluster level, checked under --check. */
#ifndef SMS_LEVELS_CLUSTER_AUDIT_H
#define SMS_LEVELS_CLUSTER_AUDIT_H

#include <stdbool.h>
#include <stdint.h>

struct sms__cluster_run;

/* NULL, or which invariant of the ledger does not hold. */
const char *sms__audit_ledger(struct sms__cluster_run *run);
/* Whether the memory in use of each GPU of hosts is that of its processes, all on GPUs of their pods, and `bytes`
 * [GPUs].
 */
bool sms__audit_hosts(const struct sms__cluster_run *run, const uint64_t *bytes);

#endif
