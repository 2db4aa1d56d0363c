/* A search along a plan's last axis (sweep.h). Which points it needs follows from the results of those before, and from
 * nothing else: so it goes on after an interruption, and does not depend on threads.
 *
 * A group is a point of the other axes. Under each policy of a group the search looks at a few values first, then
 * bisects between those that surely meet the limit and those that surely do not. */
#ifndef SMS_SWEEP_FRONTIER_H
#define SMS_SWEEP_FRONTIER_H

#include "store.h"

#include <stdio.h>

/* Where a search stands under one policy. Positions are along the axis; UINT64_MAX: none. */
struct sms__search_found {
    const char *policy; /* "" if all points of the group failed */
    uint64_t holds; /* the last value, from the good end, up to which all that were looked at surely meet the limit */
    uint64_t fails; /* the first that surely does not */
    uint64_t point; /* one of the points that were looked at */
    const char *warning; /* of a point that was not told; "" for none */
    uint64_t odd[2];     /* a metric is surely better at the second, which is farther on: it is not monotone */
    uint32_t odd_limit;  /* whose metric that is */
    uint64_t points, replications;
    bool open; /* points are missing */
};

/* sms__index_open and, for a plan with `search:`, the search of what the stores have. Then the state of points that it
 * does not need is missing. */
int sms__frontier_open(struct sms__worker_context *context, const char *folder, struct sms__shard shard,
                       struct sms__index *index, struct sms_errors *errors);
void sms__frontier_close(struct sms__index *index);
/* The next point to be run. False if there is none now; `waits`: there may be when points that were taken are told. */
bool sms__search_take(struct sms__search *search, uint64_t *point, bool *waits);
/* Adds what is known of a point that was taken: the unpacked content of its record. False: out of memory, or it cannot
 * be understood. */
bool sms__search_tell(struct sms__search *search, uint64_t point, bool failed, const char *content, size_t size);
uint64_t sms__search_groups(const struct sms__search *search);
size_t sms__search_policies(const struct sms__search *search, uint64_t group); /* at least 1 */
void sms__search_find(const struct sms__search *search, uint64_t group, size_t policy, struct sms__search_found *found);

/* frontier_rows.c: prints the answers, a line each, up to a number that fits a screen. */
void sms__search_print(const struct sms__search *search, const struct sms__plan *plan, FILE *to);
/* Calls `row` with each answer: the coordinates of one of its points, the value that holds and the one that does not
 * ("" for none), what that means, and a remark. In a guard of the arena; false if `row` returned false. */
struct sms__search_row {
    const struct sms__search_found *found;
    const struct sms__coordinates *coordinates;
    size_t position; /* of the policy */
    const char *holds, *fails, *state, *remark;
};
bool sms__search_rows(const struct sms__search *search, const struct sms__plan *plan, struct sms__arena *arena,
                      bool (*row)(void *user, const struct sms__search_row *row), void *user);

#endif
