/* Kernels that are simulated as wholes, on one device or in one context of it: each has a time alone and a demand on
 * the device's resources; the contention model says how fast they run beside each other. Those made of blocks have the
 * room on the SMs that these take, too: where it is not enough for all, each has its part of it. */
#ifndef SMS_LEVELS_WHOLE_H
#define SMS_LEVELS_WHOLE_H

#include "../../engine/engine.h"
#include "../../record/record.h"
#include "pace.h"

/* Embedded in whoever launches. */
struct sms__whole {
    const struct sms__fit *fit; /* its demand is in parts of the device */
    double work, left;          /* ps at full speed */
    uint64_t ran_ps;            /* time on the device */
    double speed;               /* 0: it has not started */
    void (*ended)(void *subject, uint64_t now);
    void *subject;
    struct sms__whole *next, *prev;
};

struct sms__wholes {
    struct sms__engine *engine;
    size_t source; /* of the engine; its owner's */
    struct sms__pacer pacer;
    struct sms__device_record *record;  /* of usage above 100 % */
    bool going;                         /* false: all stand still */
    uint64_t settled_ps, counted_ps;    /* up to when work is done; up to when the record is */
    uint64_t excess[SMS_RESOURCES_MAX]; /* usage above SMS_FULL, parts, summed over SMs */
    uint64_t sms;
    size_t count;
    struct sms__whole *first, *last;
    struct sms__paced *paced; /* [most], scratch */
    size_t most;
};

void sms__whole_start(struct sms__wholes *wholes, struct sms__whole *whole, double work_ps, uint64_t now);
/* How much of it is done, in parts. Changes nothing, so that nobody's clock depends on who asks. */
uint64_t sms__whole_parts(const struct sms__wholes *wholes, const struct sms__whole *whole, uint64_t now);
/* The time that it has run, the same way. */
uint64_t sms__whole_ran_ps(const struct sms__wholes *wholes, const struct sms__whole *whole, uint64_t now);
/* Brings the record up to now. Changes nothing else. */
void sms__wholes_count(struct sms__wholes *wholes, uint64_t now);
/* Takes it out before it is through. */
void sms__whole_drop(struct sms__wholes *wholes, struct sms__whole *whole, uint64_t now);
void sms__wholes_set_going(struct sms__wholes *wholes, bool going, uint64_t now);
/* For the source's handler: ends those that end now. */
void sms__wholes_fire(struct sms__wholes *wholes, uint64_t now);

#endif
