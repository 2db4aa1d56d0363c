/* One direction of a device's link to its host, for the block level. Copies under way share the bandwidth equally
 * (processor sharing). Like a group of blocks, the link has a clock, which counts the bytes served per copy. It is not
 * built on fluid.h, because that rounds differently when three copies or more are under way. */
#ifndef SMS_LEVELS_PCIE_H
#define SMS_LEVELS_PCIE_H

#include "../engine/engine.h"

/* Embedded in the caller's state of the copy. */
struct sms__copy_in_flight {
    double end; /* reading of the link's clock */
    void (*done)(void *subject, uint64_t now);
    void *subject;
    struct sms__copy_in_flight *next; /* by rising end, equal ones by arrival */
};

struct sms__link {
    struct sms__engine *engine;
    double bytes_per_ps; /* 0: copies take no time */
    double clock;
    uint64_t advanced_ps;
    size_t source;
    size_t copies;
    struct sms__copy_in_flight *first;
};

void sms__link_init(struct sms__link *link, struct sms__engine *engine, double bytes_per_s);

/* Starts a copy; `copy->done` is called when it has ended, at the earliest 1 ps later. */
void sms__link_copy(struct sms__link *link, struct sms__copy_in_flight *copy, double bytes, uint64_t now);

#endif
