/* The oracle: the reference engine of blocks, and what checks invariants at every event. The program and the tests link
 * it (tests/oracle/). The library that is installed does not (no_oracle.c), and refuses to run with it. */
#ifndef SMS_LEVELS_ORACLE_H
#define SMS_LEVELS_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sms__blocks;
struct sms__cluster_run;
struct sms__device;
struct sms__launch;
struct sms__mode;
struct sms__tenant;
struct sms_queued;

struct sms__oracle {
    /* The reference engine does all of sm.c, search.c, refill.c and events.c in the simplest way. `init` registers a
     * source for each SM. */
    void (*init)(struct sms__blocks *device);
    void (*dispatch)(void *subject, uint64_t now);
    void (*add_partial)(struct sms__blocks *device, size_t sm, int sign, uint64_t now);
    /* Ends the run if an invariant of the block level does not hold. */
    void (*check)(struct sms__blocks *device, uint64_t now);
    /* The same if the discipline's answers about a launch are no numbers, or others when it is asked again. */
    void (*check_queued)(struct sms__blocks *device, const struct sms_queued *queued, double rank, uint64_t turn);
    /* NULL, or what is wrong with the mode's answers about the process on the device. */
    const char *(*check_mode)(const struct sms__mode *mode, const struct sms__device *device,
                              const struct sms__tenant *process);
    /* NULL, or which invariant of the ledger of a cluster does not hold. */
    const char *(*audit_ledger)(struct sms__cluster_run *run);
    /* Whether the memory in use of each GPU of hosts is that of its processes, all on GPUs of their pods, and `bytes`
     * [GPUs]. */
    bool (*audit_hosts)(const struct sms__cluster_run *run, const uint64_t *bytes);
};

extern const struct sms__oracle *const sms__oracle; /* NULL: there is none */

#endif
