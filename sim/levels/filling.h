/* Max-min fair rates by progressive filling (Bertsekas and Gallager, Data Networks, section 6.5.2): of copies on links,
 * of host steps on cores, of blocks on the resources of an SM. All rates rise together. When a pool gives all it has,
 * its users stop rising, and the others continue up to the most that they can take. So no rate can rise unless a lower
 * one falls. For resources of scope device levels.c finds the same without a look at each user, because that takes a
 * fifth of the instructions (docs/evidence/performance.md). */
#ifndef SMS_LEVELS_FILLING_H
#define SMS_LEVELS_FILLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Set up by its owner. */
struct sms__pool {
    double capacity;     /* what its users get at most, as a sum of demand x rate; 0: without limit */
    double left, rising; /* what is left of it; the demand of users that still rise, at rate 1 */
};

/* A number of equal users. Its owner sets all but the last two. */
struct sms__user {
    double count;
    double most;                   /* of its rate; INFINITY: as much as the pools give */
    size_t pools;                  /* it uses */
    struct sms__pool *const *pool; /* [pools]; NULL: none */
    const double *demand;          /* [pools] of one user at rate 1, >= 0; NULL: 1 of each */
    double *rate;                  /* the answer */
    struct sms__user *next;
    double level; /* the rate that it can reach in this round */
    bool rises;
};

/* Counts what the users demand of each pool: `rising`. */
void sms__users_open(struct sms__user *first);
/* Then finds the rate of each user, `least` or more, although rounding may leave slightly less of a pool. */
void sms__users_fill(struct sms__user *first, double least);
/* Does both for users in an array that share `resources`, one bit each, each with SMS_FULL of it. No rate is above 1.
 * Sets their pools and `next`. */
void sms__users_share(struct sms__user *user, size_t users, uint32_t resources);

#endif
