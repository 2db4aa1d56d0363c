/* Chooses the points of a search. The way to an answer is walked anew each time from its first point, because then it
 * has no state but the results, and one rule serves the runs, the status and the merge. */
#include "frontier.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WAY_MAX = 64 };

/* The positions that were looked at under one policy of a group, counted from the end at which the limit is met. */
struct way {
    const struct sms__search *search;
    uint64_t group;
    size_t policy;
    uint64_t at[WAY_MAX]; /* in order */
    size_t length;
};

static uint64_t position_of(const struct sms__search *search, uint64_t at)
{
    return search->plan->search.first_good ? at : search->values - 1 - at;
}

static uint64_t point_of(const struct way *way, uint64_t at)
{
    return way->group * way->search->values + position_of(way->search, at);
}

/* The results of a point under the policy; NULL: none. */
static const struct sms__seen *seen_at(const struct way *way, uint64_t at)
{
    const struct sms__seen *seen = way->search->seen[point_of(way, at)];
    return seen && way->policy < seen->policies ? seen : NULL;
}

/* 1: surely meets the limits, -1: surely does not, 0: not told. */
static int judge(const struct way *way, uint64_t at)
{
    const struct sms__seen *seen = seen_at(way, at);
    return seen ? (int)seen->of[way->policy].told : 0;
}

static bool was_at(const struct way *way, uint64_t at)
{
    for (size_t i = 0; i < way->length; i++)
        if (way->at[i] == at)
            return true;
    return false;
}

/* The first entry that surely meets the limits, if the first of all surely misses one: limits that pull apart. Else 0.
 */
static size_t first_good(const struct way *way)
{
    size_t first = 0;
    if (way->length == 0 || judge(way, way->at[0]) >= 0)
        return 0;
    while (first < way->length && judge(way, way->at[first]) <= 0)
        first++;
    return first < way->length ? first : 0;
}

/* The end of the entries that surely meet the limits, from the first of them on. */
static size_t end_of_good(const struct way *way)
{
    size_t good = first_good(way);
    while (good < way->length && judge(way, way->at[good]) > 0)
        good++;
    return good;
}

/* The first entry from there on that surely does not; the length if there is none. */
static size_t first_bad(const struct way *way)
{
    size_t bad = first_good(way);
    while (bad < way->length && judge(way, way->at[bad]) >= 0)
        bad++;
    return bad;
}

/* The middle of entry i and the one before it, if there is something between them. */
static bool between(const struct way *way, size_t i, uint64_t *at)
{
    if (i == 0 || i >= way->length || way->at[i] - way->at[i - 1] < 2)
        return false;
    *at = way->at[i - 1] + (way->at[i] - way->at[i - 1]) / 2;
    return true;
}

/* Whether the entry surely misses a limit that the other does not, and which. */
static bool misses(const struct way *way, size_t i, size_t other, uint32_t *limit)
{
    const struct sms__seen *own = seen_at(way, way->at[i]), *beside = seen_at(way, way->at[other]);
    for (*limit = 0; own && beside && *limit < own->own / SMS__LIMIT_NUMBERS; ++*limit)
        if (own->of[way->policy].own[SMS__LIMIT_NUMBERS * *limit + 2] < 0 &&
            !(beside->of[way->policy].own[SMS__LIMIT_NUMBERS * *limit + 2] < 0))
            return true;
    return false;
}

/* Where no entry meets all limits: the last that misses one which the last of all does not, and the first that misses
 * one which the first of all does not. False: there are no such two. */
struct apart {
    size_t early, late;
    uint32_t early_limit, late_limit;
};

static bool pull_apart(const struct way *way, struct apart *apart)
{
    const size_t end = way->length;
    uint32_t limit;
    *apart = (struct apart){end, end, 0, 0};
    for (size_t i = 0; i < end; i++) {
        if (misses(way, i, end - 1, &limit)) {
            apart->early = i;
            apart->early_limit = limit;
        }
        if (apart->late == end && misses(way, i, 0, &limit)) {
            apart->late = i;
            apart->late_limit = limit;
        }
    }
    return apart->early < end && apart->late < end && end_of_good(way) == 0;
}

static bool choose(const struct way *way, uint64_t *at)
{
    struct apart apart;
    const uint64_t values = way->search->values;
    for (unsigned i = 0; (*at = sms__search_scan(values, i)) < values; i++)
        if (!was_at(way, *at))
            return true;
    if (pull_apart(way, &apart))
        return apart.late == apart.early + 1 && between(way, apart.late, at);
    return between(way, end_of_good(way), at) || between(way, first_bad(way), at);
}

static void add(struct way *way, uint64_t at)
{
    size_t i = way->length++;
    for (; i > 0 && way->at[i - 1] > at; i--)
        way->at[i] = way->at[i - 1];
    way->at[i] = at;
}

/* Walks as far as results are known. Returns whether a point is missing, at `at`. `mark`: NULL, or what to set for the
 * points of the way. */
static bool walk(struct way *way, uint64_t *at, bool *mark)
{
    bool more = true;
    way->length = 0;
    while ((more = way->length < WAY_MAX && choose(way, at)) && way->search->seen[point_of(way, *at)]) {
        if (mark)
            mark[point_of(way, *at)] = true;
        add(way, *at);
    }
    return more;
}

size_t sms__search_policies(const struct sms__search *search, uint64_t group)
{
    size_t most = 1;
    uint64_t at;
    for (unsigned i = 0; (at = sms__search_scan(search->values, i)) < search->values; i++) {
        const struct sms__seen *seen = search->seen[group * search->values + position_of(search, at)];
        most = seen && seen->policies > most ? seen->policies : most;
    }
    return most;
}

/* Those before the cursor were taken or need no run, so a race of n values takes n steps and not n squared. */
static bool take_from_race(const struct sms__search *search, uint64_t group, uint64_t *point, bool *waits)
{
    struct sms__race *race = &search->race[group];
    for (; race->next < sms__race_size(search, group); race->next++)
        if (sms__race_needs(search, group, race->next, point) && !search->seen[*point] && !search->taken[*point])
            return true;
    *waits |= !race->over; /* a stage that lacks nothing is over */
    return false;
}

/* The next point of a group that nobody has taken. `waits`: some were taken. */
static bool take_from(const struct sms__search *search, uint64_t group, uint64_t *point, bool *waits)
{
    bool missing = false, taken = false;
    uint64_t at;
    if (search->race)
        return take_from_race(search, group, point, waits);
    for (unsigned i = 0; (at = sms__search_scan(search->values, i)) < search->values; i++) {
        *point = group * search->values + position_of(search, at);
        missing |= !search->seen[*point];
        if (!search->seen[*point] && !search->taken[*point])
            return true;
    }
    for (size_t p = 0; !missing && p < sms__search_policies(search, group); p++) {
        struct way way = {.search = search, .group = group, .policy = p};
        if (!walk(&way, &at, NULL))
            continue;
        *point = point_of(&way, at);
        if (!search->taken[*point])
            return true;
        taken = true;
    }
    *waits |= missing || taken;
    return false;
}

bool sms__search_take(struct sms__search *search, uint64_t *point, bool *waits)
{
    *waits = false;
    for (uint64_t group = search->first; group < search->groups; group++) {
        if (take_from(search, group, point, waits)) {
            search->taken[*point] = true;
            return true;
        }
        search->first += group == search->first && !*waits;
    }
    return false;
}

/* Makes room for what each policy answers, and for texts. NULL: out of memory, or so much cannot follow. */
static struct sms__seen *new_seen(struct sms__content *content, char **texts)
{
    const uint32_t policies = sms__content_count(content), replications = sms__content_count(content),
                   own = sms__content_count(content);
    const double numbers = (double)policies * own;
    if (content->failed || numbers * sizeof(double) > (double)content->size)
        return NULL;
    struct sms__seen *seen =
        calloc(1, sizeof *seen + policies * sizeof *seen->of + (size_t)numbers * sizeof(double) + content->size);
    if (!seen)
        return NULL;
    double *number = (double *)&seen->of[policies];
    *texts = (char *)&number[(size_t)policies * own];
    *seen = (struct sms__seen){policies, replications, own, 0};
    for (uint32_t p = 0; p < policies; p++)
        seen->of[p].own = &number[(size_t)p * own];
    return seen;
}

/* The next text of the content, kept behind those before; NULL: there is none, and perhaps no room. */
static const char *keep_text(struct sms__content *content, char **texts)
{
    const char *text = sms__content_text(content), *kept = *texts;
    if (content->failed)
        return NULL;
    *texts = stpcpy(*texts, text) + 1;
    return kept;
}

/* Reads the beginning of a record that has results, as point_record.c writes it: up to what each policy answers. */
static struct sms__seen *read_seen(struct sms__content *content)
{
    char *texts;
    sms__content_text(content); /* warnings */
    struct sms__seen *seen = new_seen(content, &texts);
    if (!seen)
        return NULL;
    for (uint32_t p = 0; p < seen->policies; p++)
        seen->of[p].policy = keep_text(content, &texts);
    for (int i = 0; i < 3; i++)
        sms__content_text(content); /* subject, name, metric */
    seen->better = sms__content_number(content) > 0 ? 1 : -1;
    for (uint32_t p = 0; p < seen->policies; p++) {
        for (int i = 0; i < 3; i++)
            sms__content_number(content); /* value, in_group, left */
        seen->of[p].told = sms__content_told(content);
        sms__content_number(content); /* half of the interval */
        for (uint32_t i = 0; i < seen->own; i++)
            seen->of[p].own[i] = sms__content_number(content);
        seen->of[p].remark = keep_text(content, &texts);
    }
    return seen;
}

bool sms__search_tell(struct sms__search *search, uint64_t point, bool failed, const char *text, size_t size)
{
    struct sms__content content = {text, size, false};
    struct sms__seen *seen = failed ? calloc(1, sizeof *seen) : read_seen(&content);
    const struct sms__node *where = search->plan->search.where;
    if (seen &&
        (content.failed || (seen->policies && seen->own != (search->race ? seen->replications + 1
                                                                         : where->items / 2 * SMS__LIMIT_NUMBERS)))) {
        free(seen);
        seen = NULL;
    }
    free(search->seen[point]);
    search->seen[point] = seen;
    return seen && (!search->race || sms__race_go_on(search, point / (search->plan->points / search->groups)));
}

/* Whether the metric of a limit is surely better at the second of two values. */
static bool is_odd(const double *first, const double *second)
{
    const double halves = (isnan(first[1]) ? 0 : first[1]) + (isnan(second[1]) ? 0 : second[1]);
    return second[0] - first[0] > halves + 1e-12 * fabs(first[0]); /* not where there is no value */
}

/* Looks for a pair of neighbours whose intervals are apart in the wrong order. */
static void find_odd(const struct way *way, struct sms__search_found *found)
{
    found->odd[0] = found->odd[1] = UINT64_MAX;
    for (size_t i = 1; i < way->length && found->odd[0] == UINT64_MAX; i++) {
        const struct sms__seen *before = seen_at(way, way->at[i - 1]), *after = seen_at(way, way->at[i]);
        for (uint32_t limit = 0; before && after && limit < after->own; limit += SMS__LIMIT_NUMBERS)
            if (is_odd(&before->of[way->policy].own[limit], &after->of[way->policy].own[limit])) {
                found->odd[0] = position_of(way->search, way->at[i - 1]);
                found->odd[1] = position_of(way->search, way->at[i]);
                found->odd_limit = limit / SMS__LIMIT_NUMBERS;
            }
    }
}

/* Whether there are limits that pull apart. */
static void find_apart(const struct way *way, struct sms__search_found *found)
{
    struct apart apart;
    const size_t first = first_good(way);
    found->early = found->late = UINT64_MAX;
    if (pull_apart(way, &apart)) {
        found->late = position_of(way->search, way->at[apart.late]);
        found->late_limit = apart.late_limit;
        found->none = apart.late <= apart.early || way->at[apart.late] - way->at[apart.early] == 1;
    } else if (first > 0 && misses(way, 0, first, &apart.early_limit)) {
        for (apart.early = first - 1; judge(way, way->at[apart.early]) == 0;)
            apart.early--;
    } else
        return;
    found->early = position_of(way->search, way->at[apart.early]);
    found->early_limit = apart.early_limit;
    if (found->holds != UINT64_MAX && found->fails == UINT64_MAX)
        found->fails = found->early;
}

void sms__search_find(const struct sms__search *search, uint64_t group, size_t policy, struct sms__search_found *found)
{
    struct way way = {.search = search, .group = group, .policy = policy};
    uint64_t at;
    const bool open = walk(&way, &at, NULL);
    *found = (struct sms__search_found){.policy = "", .doubt = "", .held = "", .open = open, .points = way.length};
    const size_t good = end_of_good(&way), bad = first_bad(&way);
    found->holds = good > first_good(&way) ? position_of(search, way.at[good - 1]) : UINT64_MAX;
    found->fails = bad < way.length ? position_of(search, way.at[bad]) : UINT64_MAX;
    found->point = way.length ? point_of(&way, way.at[0]) : group * search->values;
    size_t missed = 0;
    for (size_t i = 0; i < way.length; i++) {
        missed += judge(&way, way.at[i]) < 0;
        const struct sms__seen *value = seen_at(&way, way.at[i]);
        found->policy = value ? value->of[policy].policy : found->policy;
        const struct sms__seen *seen = search->seen[point_of(&way, way.at[i])];
        found->replications += seen->replications;
        if (position_of(search, way.at[i]) == found->holds)
            found->held = value->of[policy].remark;
        if (judge(&way, way.at[i]) == 0 && !*found->doubt)
            found->doubt = value ? value->of[policy].remark : "a point failed: see points.csv";
    }
    find_odd(&way, found);
    find_apart(&way, found);
    found->none |= missed == search->values;
}

/* Leaves out of the index what is not on the way to an answer: a store may have more, of the plan as it was before. */
static void tally(struct sms__search *search, struct sms__index *index, bool *mark)
{
    uint64_t at, missing = 0, point;
    bool waits = false;
    for (uint64_t g = 0; g < search->groups && search->race; g++)
        for (size_t i = 0; i < sms__race_size(search, g); i++)
            mark[sms__race_last(search, g, i)] = true;
    for (uint64_t g = 0; g < search->groups && !search->race; g++)
        for (size_t p = 0; p < sms__search_policies(search, g); p++)
            walk(&(struct way){.search = search, .group = g, .policy = p}, &at, mark);
    for (uint64_t g = 0; g < search->groups; g++) /* each is done with before the next is looked at */
        for (; take_from(search, g, &point, &waits); missing++)
            search->taken[point] = true;
    index->done = index->failed = 0;
    for (point = 0; point < search->plan->points; point++) {
        search->taken[point] = false;
        if (!mark[point])
            index->location[point].state = SMS__POINT_MISSING;
        index->done += index->location[point].state == SMS__POINT_DONE;
        index->failed += index->location[point].state == SMS__POINT_FAILED;
    }
    for (uint64_t g = 0; g < search->groups && search->race; g++)
        search->race[g].next = 0;
    index->wanted = index->done + index->failed + missing;
}

static int read_all(struct sms__search *search, struct sms__index *index, struct sms_errors *errors)
{
    struct sms__point_record record;
    for (uint64_t i = 0; i < search->plan->points; i++) {
        if (index->location[i].state == SMS__POINT_MISSING)
            continue;
        if (!sms__index_record(index, i, &record) ||
            !sms__search_tell(search, i, record.failed, record.content, record.size))
            return sms__fail(errors, SMS_EIO, sms__index_store(index, i), "cannot be read");
    }
    for (size_t s = 0; s < index->stores; s++) /* because a reader keeps the writer out */
        sms__store_reader_close(&index->store[s].reader);
    return SMS_OK;
}

static int open_search(struct sms__index *index, struct sms_errors *errors)
{
    const struct sms__plan *plan = index->plan;
    struct sms__search *search = calloc(1, sizeof *search);
    bool *mark = calloc(plan->points + 1, sizeof *mark);
    const bool races = plan->search.find == SMS__FIND_BEST;
    int code = SMS_ENOMEM;
    index->search = search;
    if (search) {
        *search = (struct sms__search){.plan = plan, .values = plan->axis[plan->axes - 1].count};
        search->groups = plan->points / search->values / plan->search.stages;
        search->seen = calloc(plan->points + 1, sizeof *search->seen);
        search->taken = calloc(plan->points + 1, sizeof *search->taken);
        if (races)
            search->race = calloc(search->groups + 1, sizeof *search->race);
    }
    if (search && mark && search->seen && search->taken && !search->race == !races)
        code = read_all(search, index, errors);
    if (code == SMS_ENOMEM)
        sms__fail(errors, code, plan->path, "out of memory");
    else if (code == SMS_OK)
        tally(search, index, mark);
    free(mark);
    return code;
}

int sms__frontier_open(struct sms__worker_context *context, const char *folder, struct sms__shard shard,
                       struct sms__index *index, struct sms_errors *errors)
{
    int code = sms__index_open(context, folder, shard, index, errors);
    if (code == SMS_OK && context->plan->search_node) {
        code = open_search(index, errors);
        if (code)
            sms__frontier_close(index);
    }
    return code;
}

void sms__frontier_close(struct sms__index *index)
{
    struct sms__search *search = index->search;
    for (uint64_t i = 0; search && search->seen && i < search->plan->points; i++)
        free(search->seen[i]);
    for (uint64_t g = 0; search && search->race && g < search->groups; g++)
        free(search->race[g].racer);
    if (search) {
        free(search->race);
        free(search->seen);
        free(search->taken);
    }
    free(search);
    sms__index_close(index);
}
