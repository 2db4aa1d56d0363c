/* A tournament of SMs: each has a key, and the least is found by one look. Keys are unique, because their last bits say
 * which SM they are of, so a match compares and moves 64 bits, half of an event's (event_queue.h). A key is the bits of
 * a double, because the lesser of two doubles takes one instruction where whole numbers take three. Doubles that are
 * not negative have the order of their bits. */
#ifndef SMS_LEVELS_BLOCK_TOURNAMENT_H
#define SMS_LEVELS_BLOCK_TOURNAMENT_H

#include "../../base/arena.h"

#include <math.h>
#include <stdint.h>

/* The bits of a key, and the number by which keys are compared. */
union sms__key {
    uint64_t bits;
    double number;
};

/* The least key of all, whose number no processor takes for 0; that of an SM that takes no part, INFINITY. */
#define SMS__LEAST_KEY ((uint64_t)1 << 52)
#define SMS__NO_KEY ((uint64_t)0x7ff << 52)

struct sms__tournament {
    double *node;  /* [2 leaves]: 1 is the root, the children of i are 2i and 2i + 1 */
    size_t leaves; /* a power of 2; the leaf of SM 0; the others follow */
    uint64_t mask; /* the bits of a key that have the SM */
};

static inline double sms__lower(double a, double b) { return a < b ? a : b; }

/* No SM takes part. There is an odd number of rounds, because two are played at a time after the first. */
static inline void sms__tournament_init(struct sms__tournament *tournament, struct sms__arena *arena, size_t sms)
{
    for (tournament->leaves = 2; tournament->leaves < sms;)
        tournament->leaves *= 4;
    for (tournament->mask = 1; tournament->mask < sms - 1;)
        tournament->mask = 2 * tournament->mask + 1;
    tournament->node = SMS__NEW(arena, double, 2 * tournament->leaves);
    for (size_t i = 0; i < 2 * tournament->leaves; i++)
        tournament->node[i] = INFINITY;
}

/* Plays the match of a node whose key is new, and goes up. Returns the lesser key. */
static inline double sms__match_play(double *node, size_t *at, double key)
{
    key = sms__lower(key, node[*at ^ 1]);
    *at /= 2;
    return node[*at] = key;
}

/* Gives an SM its key. */
static inline void sms__tournament_set(struct sms__tournament *tournament, size_t sm, uint64_t bits)
{
    double *node = tournament->node, key = (union sms__key){.bits = bits}.number;
    size_t at = tournament->leaves + sm;
    node[at] = key;
    for (key = sms__match_play(node, &at, key); at > 1; key = sms__match_play(node, &at, key))
        key = sms__match_play(node, &at, key);
}

/* Plays all matches, after keys have been written to leaves. */
static inline void sms__tournament_play(struct sms__tournament *tournament)
{
    double *node = tournament->node;
    for (size_t at = tournament->leaves - 1; at > 0; at--)
        node[at] = sms__lower(node[2 * at], node[2 * at + 1]);
}

static inline uint64_t sms__tournament_first(const struct sms__tournament *tournament)
{
    return (union sms__key){.number = tournament->node[1]}.bits;
}

/* Returns the least key of all other SMs. */
static inline uint64_t sms__tournament_other(const struct sms__tournament *tournament, size_t sm)
{
    const double *node = tournament->node;
    size_t at = tournament->leaves + sm;
    double least = node[at ^ 1];
    for (at /= 2; at > 1; at /= 4)
        least = sms__lower(sms__lower(least, node[at ^ 1]), node[at / 2 ^ 1]);
    return (union sms__key){.number = least}.bits;
}

#endif
