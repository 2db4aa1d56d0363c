/* A search along a plan's last axis (sweep.h). Which points it needs follows from the results of those before, and from
 * nothing else: so it goes on after an interruption, and does not depend on threads.
 *
 * A group is a point of the other axes. Under each policy of a group a search for limits looks at a few values first,
 * then bisects between those that surely meet them and those that surely do not. A search for the best races. */
#ifndef SMS_SWEEP_FRONTIER_H
#define SMS_SWEEP_FRONTIER_H

#include "store.h"

#include <stdio.h>

/* What a search needs of a point's results. */
struct sms__seen {
    uint32_t policies, replications, own; /* 0: the point failed */
    int better;                           /* 1 if more of the answer's metric is better, else -1 */
    struct {
        enum sms__told told;
        const char *policy, *remark; /* remark: on its limits; "" for none */
        double *own; /* [own]: of each limit the mean, of which more is better, half of its interval, and enum
                        sms__told; or what race.c reads */
    } of[];          /* [policies]; their numbers and the texts follow */
};

/* One that takes part in a race: a value, under a policy. */
struct sms__racer {
    uint64_t position;
    size_t policy, stage; /* stage: its last with results */
    enum { SMS__RACES, SMS__RACES_NOT /* without a value */, SMS__RACES_WORSE } state;
};
struct sms__race {
    struct sms__racer *racer;            /* [racers], by position and policy; none before the first stage is over */
    size_t racers, stage, leader, known; /* the first `known` have their results of the stage */
    size_t next;                         /* those before it were taken at the stage, or need no run */
    bool over;
};

struct sms__search {
    const struct sms__plan *plan;
    uint64_t groups, values;
    uint64_t first;          /* groups before it have all their points */
    struct sms__seen **seen; /* [points]; NULL: not known */
    bool *taken;             /* [points] */
    struct sms__race *race;  /* [groups]; NULL for limits */
};

/* race.c: those that race in a group, or its values before they are known. */
size_t sms__race_size(const struct sms__search *search, uint64_t group);
/* The point of the i-th at the stage that is run, and whether it is to be run. */
bool sms__race_needs(const struct sms__search *search, uint64_t group, size_t i, uint64_t *point);
/* Ends the stages whose points all are known. False: out of memory. */
bool sms__race_go_on(const struct sms__search *search, uint64_t group);
/* The last point of the value of the i-th. */
uint64_t sms__race_last(const struct sms__search *search, uint64_t group, size_t i);
/* The answer's metric there; negated where less is better. */
struct sms_estimate sms__race_estimate(const struct sms__seen *seen, size_t policy);

/* Where a search for limits stands under one policy. Positions are along the axis; UINT64_MAX: none. */
struct sms__search_found {
    const char *policy; /* "" if all points of the group failed */
    uint64_t holds; /* the last value, from the good end, up to which all that were looked at surely meet the limit */
    uint64_t fails; /* the first that surely does not */
    uint64_t point; /* one of the points that were looked at */
    const char *doubt;  /* the remark on a point that was not told; "" for none */
    const char *held;   /* that on the point that holds */
    uint64_t odd[2];    /* a metric is surely better at the second, which is farther on: it is not monotone */
    uint32_t odd_limit; /* whose metric that is */
    uint64_t points, replications;
    bool open; /* points are missing */
    /* Limits pull apart: values at the good end miss one that those farther on meet. It is missed up to the position
     * `early`, and `holds` and `fails` are farther on, unless all that were looked at there hold: then `fails` is
     * `early`. Where no value meets all limits, another is missed from `late` on. */
    uint64_t early, late; /* UINT64_MAX: not so */
    uint32_t early_limit, late_limit;
    bool none; /* and there is nothing between the two; or each value was run and misses a limit */
};

/* frontier.c: sms__index_open and, for a plan with `search:`, the search of what the stores have. Then the state of
 * points that it does not need is missing. */
int sms__frontier_open(struct sms__worker_context *context, const char *folder, struct sms__shard shard,
                       struct sms__index *index, struct sms_errors *errors);
void sms__frontier_close(struct sms__index *index);
/* The next point to be run. False if there is none now; `waits`: there may be when points that were taken are told. */
bool sms__search_take(struct sms__search *search, uint64_t *point, bool *waits);
/* Adds what is known of a point that was taken: the unpacked content of its record. False: out of memory, or it cannot
 * be understood. */
bool sms__search_tell(struct sms__search *search, uint64_t point, bool failed, const char *content, size_t size);
size_t sms__search_policies(const struct sms__search *search, uint64_t group); /* at least 1 */
void sms__search_find(const struct sms__search *search, uint64_t group, size_t policy, struct sms__search_found *found);

/* frontier_rows.c: prints the answers, a line each, up to a number that fits a screen. False: out of memory, and
 * nothing was printed. */
bool sms__search_print(const struct sms__search *search, FILE *to);
/* Returns the question in words: "the least devices.0.sms with ..., each with a confidence of 95 %". */
const char *sms__search_says(struct sms__arena *arena, const struct sms__plan *plan);
/* The names of the two values of an answer, and how many of the plan's columns tell it from others. */
const char *const *sms__search_names(const struct sms__plan *plan);
size_t sms__search_columns(const struct sms__plan *plan);

struct sms__search_row {
    const struct sms__search_found *found;
    const struct sms__coordinates *coordinates;
    size_t position;      /* of the policy */
    const char *value[2]; /* that holds, and that does not; or the mean and half of its interval; "" for none */
    const char *state, *remark;
};
/* Calls `row` with each answer: the coordinates of one of its points, what that means, and a remark. In a guard of the
 * arena; false if `row` returned false. A race has a row for each that took part. */
bool sms__search_rows(const struct sms__search *search, struct sms__arena *arena,
                      bool (*row)(void *user, const struct sms__search_row *row), void *user);

/* frontier_json.c: what is asked, and the answers. NULL when out of memory. */
struct json_t *sms__search_json(const struct sms__search *search);

#endif
