/* A tournament of SMs: each has a key, and the least is found by one look. Keys are unique, because their last bits say
 * which SM they are of, so a match compares and moves 64 bits, half of an event's (event_queue.h). */
#ifndef SMS_LEVELS_BLOCK_TOURNAMENT_H
#define SMS_LEVELS_BLOCK_TOURNAMENT_H

#include "../../base/arena.h"

#include <stdint.h>

/* The key of an SM that takes no part. */
#define SMS__NO_KEY UINT64_MAX

struct sms__tournament {
    uint64_t *node; /* [2 leaves]: 1 is the root, the children of i are 2i and 2i + 1 */
    size_t leaves;  /* a power of 2; the leaf of SM 0; the others follow */
    uint64_t mask;  /* the bits of a key that have the SM */
};

/* No SM takes part. */
static inline void sms__tournament_init(struct sms__tournament *tournament, struct sms__arena *arena, size_t sms)
{
    for (tournament->leaves = 2; tournament->leaves < sms;)
        tournament->leaves *= 2;
    tournament->mask = tournament->leaves - 1;
    tournament->node = SMS__NEW(arena, uint64_t, 2 * tournament->leaves);
    for (size_t i = 0; i < 2 * tournament->leaves; i++)
        tournament->node[i] = SMS__NO_KEY;
}

/* Gives an SM its key. */
static inline void sms__tournament_set(struct sms__tournament *tournament, size_t sm, uint64_t key)
{
    uint64_t *node = tournament->node;
    size_t at = tournament->leaves + sm;
    node[at] = key;
    while (at > 1) {
        uint64_t other = node[at ^ 1];
        key = other < key ? other : key;
        at /= 2;
        node[at] = key;
    }
}

/* Plays all matches, after keys have been written to leaves. */
static inline void sms__tournament_play(struct sms__tournament *tournament)
{
    uint64_t *node = tournament->node;
    for (size_t at = tournament->leaves - 1; at > 0; at--)
        node[at] = node[2 * at] < node[2 * at + 1] ? node[2 * at] : node[2 * at + 1];
}

static inline uint64_t sms__tournament_first(const struct sms__tournament *tournament) { return tournament->node[1]; }

/* Returns the least key of all other SMs. */
static inline uint64_t sms__tournament_other(const struct sms__tournament *tournament, size_t sm)
{
    uint64_t least = SMS__NO_KEY;
    for (size_t at = tournament->leaves + sm; at > 1; at /= 2)
        least = tournament->node[at ^ 1] < least ? tournament->node[at ^ 1] : least;
    return least;
}

#endif
