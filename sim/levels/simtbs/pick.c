/* The six policies of simtbs, with their faults. The pointer of rr, smk and fua advances only when a block was placed,
 * so an SM that is full stops the ring. */
#include "simtbs.h"

static bool fits(const struct sms__simtbs *run, const struct sms__simtbs_sm *sm, const uint64_t *takes)
{
    for (size_t r = 0; r < run->shape.hard; r++)
        if (sm->used[r] + takes[r] > run->max[r])
            return false;
    return true;
}

/* The largest share of resources [from, to) by `used` and `takes`, each of which may be NULL. */
static float share(const struct sms__simtbs *run, size_t from, size_t to, const uint64_t *used, const uint64_t *takes)
{
    float largest = 0;
    for (size_t r = from; r < to; r++) {
        uint64_t units = (used ? used[r] : 0) + (takes ? takes[r] : 0);
        float own = (float)units / (float)run->max[r];
        largest = own > largest ? own : largest;
    }
    return largest;
}

static bool class_admits(const struct sms__simtbs *run, size_t from, size_t to, const uint64_t *used,
                         const uint64_t *takes)
{
    float before = share(run, from, to, used, NULL), more = share(run, from, to, NULL, takes);
    return before + more <= run->limit;
}

static bool admits(const struct sms__simtbs *run, const uint64_t *used, const uint64_t *takes)
{
    if (run->policy == SMS__FUA)
        return share(run, 0, run->shape.sm, used, takes) <= run->limit;
    if (run->policy == SMS__SMK)
        return class_admits(run, 0, run->shape.compute, used, takes) &&
               class_admits(run, run->shape.compute, run->shape.sm, used, takes);
    return true;
}

static long pick_ring(struct sms__simtbs *run, const uint64_t *takes)
{
    size_t next = run->placed ? (run->last + 1) % run->sms : 0;
    const struct sms__simtbs_sm *sm = &run->sm[next];
    return fits(run, sm, takes) && admits(run, sm->used, takes) ? (long)next : -1;
}

static long pick_full(struct sms__simtbs *run, const uint64_t *takes)
{
    for (size_t i = 0; i < run->sms; i++) {
        size_t at = (run->last + i) % run->sms;
        if (fits(run, &run->sm[at], takes))
            return (long)at;
    }
    return -1;
}

static long pick_best(struct sms__simtbs *run, const uint64_t *takes)
{
    long best = -1;
    float of_best = 0;
    for (size_t i = 0; i < run->sms; i++) {
        if (!fits(run, &run->sm[i], takes))
            continue;
        float own = share(run, 0, run->shape.hard, run->sm[i].used, takes);
        if (best >= 0 && !(run->policy == SMS__BFA ? own < of_best : own > of_best))
            continue;
        best = (long)i;
        of_best = own;
    }
    return best;
}

long sms__simtbs_pick(struct sms__simtbs *run, const uint64_t *takes)
{
    if (run->policy == SMS__RRF)
        return pick_full(run, takes);
    return run->policy == SMS__BFA || run->policy == SMS__DFA ? pick_best(run, takes) : pick_ring(run, takes);
}
