/* Searches blocks of scores. */
#include "best.h"

#include <math.h>

void sms__best_init(struct sms__best *best, struct sms__arena *arena, size_t scores)
{
    size_t blocks = (scores + SMS__BEST_BLOCK - 1) / SMS__BEST_BLOCK;
    *best = (struct sms__best){.scores = scores, .blocks = blocks};
    best->score = SMS__NEW(arena, double, scores);
    best->most = SMS__NEW(arena, double, blocks);
    best->loose = SMS__NEW(arena, bool, blocks);
}

/* Four maxima at once, as each comparison waits for the one before. */
static double find_most(const struct sms__best *best, size_t block)
{
    const double *score = best->score;
    double most[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    size_t i = block * SMS__BEST_BLOCK, end = i + SMS__BEST_BLOCK < best->scores ? i + SMS__BEST_BLOCK : best->scores;
    for (; i + 4 <= end; i += 4)
        for (size_t k = 0; k < 4; k++)
            most[k] = score[i + k] > most[k] ? score[i + k] : most[k];
    for (; i < end; i++)
        most[0] = score[i] > most[0] ? score[i] : most[0];
    return fmax(fmax(most[0], most[1]), fmax(most[2], most[3]));
}

static void bound(struct sms__best *best, size_t block)
{
    best->most[block] = find_most(best, block);
    best->loose[block] = false;
}

void sms__best_bound(struct sms__best *best)
{
    for (size_t b = 0; b < best->blocks; b++)
        bound(best, b);
}

size_t sms__best_find(struct sms__best *best)
{
    size_t first, i;
    for (;;) {
        for (size_t b = first = 0; b < best->blocks; b++)
            first = best->most[b] > best->most[first] ? b : first;
        if (!best->loose[first])
            break;
        bound(best, first);
    }
    if (best->most[first] == -INFINITY)
        return SIZE_MAX;
    for (i = first * SMS__BEST_BLOCK; best->score[i] != best->most[first];)
        i++;
    return i;
}
