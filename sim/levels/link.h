/* One direction of a device's link to its host: copies under way share the
 * bandwidth equally (processor sharing). Like a group of blocks, it keeps a clock
 * of bytes served per copy. */
#ifndef SMS_LEVELS_LINK_H
#define SMS_LEVELS_LINK_H

#include "../engine/engine.h"

/* Embedded in whoever copies. */
struct sms__copy_in_flight {
    double end; /* on the link's clock */
    void (*done)(void *subject, uint64_t now);
    void *subject;
    struct sms__copy_in_flight *next; /* by rising end, equal ones by arrival */
};

struct sms__link {
    struct sms__engine *engine;
    double bytes_per_ps; /* 0: copies take no time */
    double clock;
    uint64_t settled_ps;
    size_t source;
    size_t copies;
    struct sms__copy_in_flight *first;
};

void sms__link_init(struct sms__link *link, struct sms__engine *engine, double bytes_per_s);

/* Starts a copy; `copy->done` is called when it has ended, at the earliest 1 ps later. */
void sms__link_copy(struct sms__link *link, struct sms__copy_in_flight *copy, double bytes, uint64_t now);

#endif
