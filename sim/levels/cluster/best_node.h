/* The best of many scores, of which few change between one question and the next. Scores are the leaves of a tree whose
 * vertices have bounds: no score below one is higher. A score that falls leaves the bounds above it as they are, until
 * the search finds them too high. */
#ifndef SMS_LEVELS_CLUSTER_BEST_NODE_H
#define SMS_LEVELS_CLUSTER_BEST_NODE_H

#include "../../base/arena.h"

#include <stddef.h>

enum { SMS__BEST_CHILDREN = 64, SMS__BEST_LEVELS = 20 };

struct sms__best_node {
    size_t top;                      /* the level of the root; scores are level 0 */
    size_t count[SMS__BEST_LEVELS];  /* of a level */
    double *bound[SMS__BEST_LEVELS]; /* [count]; scores at level 0, where -INFINITY is not to be chosen */
};

/* All scores are then 0. */
void sms__best_init(struct sms__best_node *best, struct sms__arena *arena, size_t scores);
/* Bounds all vertices, after scores were written into level 0. */
void sms__best_bound(struct sms__best_node *best);
/* The first of those with the highest score; SIZE_MAX: all are -INFINITY. */
size_t sms__best_find(struct sms__best_node *best);

static inline void sms__best_set(struct sms__best_node *best, size_t i, double score)
{
    best->bound[0][i] = score;
    for (size_t level = 1; level <= best->top && score > best->bound[level][i /= SMS__BEST_CHILDREN]; level++)
        best->bound[level][i] = score;
}

#endif
