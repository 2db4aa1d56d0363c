/* A search for what is best: values of the plan's last axis, under each policy, race in stages of ever more
 * replications (successive halving, but no fixed part leaves: Jamieson and Talwalkar 2016, AISTATS). After each stage
 * those leave that are told to be worse than the leader, pair by pair on the same random numbers (Maron and Moore 1997,
 * Artificial Intelligence Review 11).
 *
 * The truly best one leaves with a probability of at most 1 less the confidence: it could only leave in one of the
 * stages, for one of the others that leads, and each of these comparisons may err with an equal part (Bonferroni). */
#include "frontier.h"

#include "../base/room.h"
#include "../base/statistics.h"

#include <math.h>

/* Numbers of a policy in a record: whether its metric can be judged, and without a doubt, because nothing is drawn;
 * then the value in each replication, of which more is better. */
enum { JUDGED, VALUES };

static uint64_t point_at(const struct sms__search *search, uint64_t group, uint64_t position, size_t stage)
{
    return (group * search->values + position) * search->plan->search.stages + stage;
}

/* The results of one that races at a stage; NULL: none. */
static const struct sms__seen *seen_at(const struct sms__search *search, uint64_t group, const struct sms__racer *racer,
                                       size_t stage)
{
    const struct sms__seen *seen = search->seen[point_at(search, group, racer->position, stage)];
    return seen && racer->policy < seen->policies ? seen : NULL;
}

struct sms_estimate sms__race_estimate(const struct sms__seen *seen, size_t policy)
{
    struct sms__moments moments = {0};
    for (uint32_t r = VALUES; r < seen->own; r++)
        if (!isnan(seen->of[policy].own[r]))
            sms__estimate_add(&moments, seen->of[policy].own[r]);
    return sms__estimate_close(moments);
}

/* Two that race, at the same stage. */
struct duel {
    const struct sms__search *search;
    uint64_t group;
    const struct sms__racer *leader, *other;
};

/* How likely a difference as great in the leader's favour is if there is none; 0 if nothing is drawn; NAN: not told.
 * `judged`: whether more replications may tell it, which they may not where both have the same values. */
static double compare(const struct duel *duel, size_t stage, bool *judged)
{
    const struct sms__seen *a = seen_at(duel->search, duel->group, duel->leader, stage),
                           *b = seen_at(duel->search, duel->group, duel->other, stage);
    struct sms__pairs pairs = {0};
    const double *first = a->of[duel->leader->policy].own, *second = b->of[duel->other->policy].own;
    for (uint32_t r = VALUES; r < a->own && r < b->own; r++)
        sms__pairs_add(&pairs, first[r], second[r]);
    const struct sms_estimate difference = sms__pairs_difference(&pairs);
    const bool same = difference.n > 0 && !(fabs(difference.mean) > 0) && !(difference.sd > 0);
    *judged = first[JUDGED] > 0 && second[JUDGED] > 0 && !same;
    if (!*judged || !(difference.mean > 0))
        return NAN;
    if (first[JUDGED] > 1 && second[JUDGED] > 1)
        return 0;
    return difference.sd > 0 ? sms__pairs_p_value(&pairs) / 2 : (double)NAN;
}

/* The first of those that race that has the best mean; those without a mean leave. NULL: none has one. */
static struct sms__racer *find_leader(const struct sms__search *search, uint64_t group, struct sms__race *race)
{
    struct sms__racer *leader = NULL;
    double best = NAN;
    for (size_t i = 0; i < race->racers; i++) {
        struct sms__racer *racer = &race->racer[i];
        if (racer->state != SMS__RACES)
            continue;
        const struct sms__seen *seen = seen_at(search, group, racer, race->stage);
        const double mean = seen ? sms__race_estimate(seen, racer->policy).mean : (double)NAN;
        racer->stage = race->stage;
        racer->state = isnan(mean) ? SMS__RACES_NOT : SMS__RACES;
        if (isnan(mean) || mean <= best)
            continue;
        best = mean;
        leader = racer;
    }
    return leader;
}

/* Ends a stage. Returns whether another would tell more: some go on beside the leader, and can be told from it. */
static bool end_stage(const struct sms__search *search, uint64_t group, struct sms__race *race)
{
    const struct sms__search_asked *asked = &search->plan->search;
    const struct sms__racer *leader = find_leader(search, group, race);
    const double error = (1 - asked->confidence) / (double)asked->stages / (double)race->racers;
    bool more = false, judged = false;
    race->leader = leader ? (size_t)(leader - race->racer) : 0;
    for (size_t i = 0; leader && i < race->racers; i++) {
        struct sms__racer *racer = &race->racer[i];
        const struct duel duel = {search, group, leader, racer};
        if (racer == leader || racer->state != SMS__RACES)
            continue;
        racer->state = compare(&duel, race->stage, &judged) < error ? SMS__RACES_WORSE : SMS__RACES;
        more |= racer->state == SMS__RACES && judged;
    }
    return more && race->stage + 1 < asked->stages;
}

size_t sms__race_size(const struct sms__search *search, uint64_t group)
{
    return search->race[group].racers ? search->race[group].racers : search->values;
}

bool sms__race_needs(const struct sms__search *search, uint64_t group, size_t i, uint64_t *point)
{
    const struct sms__race *race = &search->race[group];
    *point = point_at(search, group, race->racers ? race->racer[i].position : i, race->stage);
    return !race->over && (!race->racers || race->racer[i].state == SMS__RACES);
}

/* Whether all have their results of the stage. Goes on where it ended before, because there may be many. */
static bool has_stage(const struct sms__search *search, uint64_t group)
{
    struct sms__race *race = &search->race[group];
    const size_t size = sms__race_size(search, group);
    uint64_t point;
    while (race->known < size && (!sms__race_needs(search, group, race->known, &point) || search->seen[point]))
        race->known++;
    return race->known == size;
}

/* After the first stage it is known which policies each value has. False: out of memory. */
static bool line_up(const struct sms__search *search, uint64_t group, struct sms__race *race)
{
    for (uint64_t position = 0; position < search->values; position++) {
        const struct sms__seen *seen = search->seen[point_at(search, group, position, 0)];
        for (uint32_t p = 0; p < seen->policies || p == 0; p++) { /* one, even if its point failed */
            struct sms__racer *grown = sms__room(race->racer, race->racers, sizeof *grown);
            if (!grown)
                return false;
            race->racer = grown;
            grown[race->racers++] = (struct sms__racer){.position = position, .policy = p};
        }
    }
    return true;
}

bool sms__race_go_on(const struct sms__search *search, uint64_t group)
{
    struct sms__race *race = &search->race[group];
    while (!race->over && has_stage(search, group)) {
        if (!race->racers && !line_up(search, group, race))
            return false;
        race->over = !end_stage(search, group, race);
        race->stage += !race->over;
        race->known = race->next = 0;
    }
    return true;
}

uint64_t sms__race_last(const struct sms__search *search, uint64_t group, size_t i)
{
    const struct sms__race *race = &search->race[group];
    const uint64_t position = race->racers ? race->racer[i].position : i;
    size_t stage = 0;
    while (race->racers && i > 0 && race->racer[i - 1].position == position)
        i--;
    for (; i < race->racers && race->racer[i].position == position; i++)
        stage = race->racer[i].stage > stage ? race->racer[i].stage : stage;
    return point_at(search, group, position, stage);
}
