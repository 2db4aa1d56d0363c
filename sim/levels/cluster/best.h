/* The best of many scores, of which few change between one question and the next. Scores are in blocks with a bound
 * each, and a block is searched anew only if its bound is the highest and may be too high. */
#ifndef SMS_LEVELS_CLUSTER_BEST_H
#define SMS_LEVELS_CLUSTER_BEST_H

#include "../../base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SMS__BEST_BLOCK = 256 };

struct sms__best {
    size_t scores, blocks;
    double *score; /* [scores]; -INFINITY: not to be chosen */
    double *most;  /* [blocks]: no score of the block is higher */
    bool *loose;   /* [blocks]: all may be lower */
};

/* All scores are then 0. */
void sms__best_init(struct sms__best *best, struct sms__arena *arena, size_t scores);
/* Bounds all blocks, after scores were written. */
void sms__best_bound(struct sms__best *best);
/* The first of those with the highest score; SIZE_MAX: all are -INFINITY. */
size_t sms__best_find(struct sms__best *best);

static inline void sms__best_set(struct sms__best *best, size_t i, double score)
{
    double before = best->score[i];
    size_t block = i / SMS__BEST_BLOCK;
    best->score[i] = score;
    if (score >= best->most[block]) {
        best->most[block] = score;
        best->loose[block] = false;
    } else if (before == best->most[block])
        best->loose[block] = true;
}

#endif
