/* Tells the answers of a search: on a terminal, and as rows for the merge. */
#include "frontier.h"

#include "../base/buffer.h"
#include "../base/escape.h"
#include "../report/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 24 };

/* What the two limits of an answer mean together. */
static const char *name_state(const struct sms__search_found *found, uint64_t values, bool first_good)
{
    const bool holds = found->holds != UINT64_MAX, fails = found->fails != UINT64_MAX;
    if (found->open)
        return "missing";
    if (found->late != UINT64_MAX)
        return found->none ? "none holds" : "undecided";
    if (holds && fails)
        return "between";
    if (holds && found->holds == (first_good ? values - 1 : 0))
        return "all hold";
    if (fails && found->fails == (first_good ? 0 : values - 1))
        return found->none || found->odd[0] == UINT64_MAX ? "none holds" : "undecided"; /* one between may hold */
    return holds ? "no value is shown to fail" : fails ? "no value is shown to hold" : "undecided";
}

struct telling {
    const struct sms__search *search;
    struct sms__arena *arena;
    struct sms__coordinates coordinates;
    bool (*row)(void *user, const struct sms__search_row *row);
    void *user;
};

static const char *value_text(struct telling *telling, uint64_t position)
{
    const struct sms__axis *axis = &telling->search->plan->axis[telling->search->plan->axes - 1];
    telling->coordinates.position[telling->search->plan->axes - 1] = position;
    return position == UINT64_MAX
               ? ""
               : sms__point_text(telling->arena, telling->search->plan, &telling->coordinates, axis->first);
}

static const char *limit_name(const struct telling *telling, uint32_t limit)
{
    return telling->search->plan->search.where->item[2 * (size_t)limit]->text;
}

static const char *say_why(struct telling *telling, const struct sms__search_found *found)
{
    if (found->early != UINT64_MAX) {
        const char *early = value_text(telling, found->early), *name = limit_name(telling, found->early_limit);
        if (found->late == UINT64_MAX)
            return sms__print(telling->arena, "%s is missed up to %s, and met beyond", name, early);
        return sms__print(telling->arena, "no value meets all limits: %s is missed up to %s, and %s from %s on", name,
                          early, limit_name(telling, found->late_limit), value_text(telling, found->late));
    }
    if (found->odd[0] == UINT64_MAX)
        return found->holds == UINT64_MAX || found->fails == UINT64_MAX ? found->doubt : "";
    const char *near = value_text(telling, found->odd[0]), *far = value_text(telling, found->odd[1]);
    return sms__print(telling->arena, "not monotone: %s is better at %s than at %s",
                      limit_name(telling, found->odd_limit), far, near);
}

/* Tells the answer for limits under a policy. */
static bool tell_found(struct telling *telling, uint64_t group, size_t policy)
{
    const uint64_t values = telling->search->plan->axis[telling->search->plan->axes - 1].count;
    struct sms__search_found found;
    sms__search_find(telling->search, group, policy, &found);
    sms__point_coordinates(telling->search->plan, found.point, &telling->coordinates);
    const struct sms__coordinates coordinates = telling->coordinates;
    const char *why = say_why(telling, &found);
    const struct sms__search_row row = {&found,
                                        &coordinates,
                                        policy,
                                        {value_text(telling, found.holds), value_text(telling, found.fails)},
                                        name_state(&found, values, telling->search->plan->search.first_good),
                                        *why && *found.held ? sms__print(telling->arena, "%s; %s", why, found.held)
                                        : *why              ? why
                                                            : found.held};
    return telling->row(telling->user, &row);
}

static const char *name_place(const struct sms__race *race, size_t i)
{
    if (!race->racers)
        return "missing";
    if (race->racer[i].state != SMS__RACES)
        return race->racer[i].state == SMS__RACES_WORSE ? "worse" : "no value";
    return !race->over ? "missing" : i == race->leader ? "best" : "no significant difference";
}

/* Tells where the i-th of a race is. */
static bool tell_racer(struct telling *telling, uint64_t group, size_t i)
{
    const struct sms__race *race = &telling->search->race[group];
    struct sms__search_found found = {.policy = "", .point = sms__race_last(telling->search, group, i), .points = 1};
    const struct sms__seen *seen = telling->search->seen[found.point];
    const size_t policy = race->racers ? race->racer[i].policy : 0;
    sms__point_coordinates(telling->search->plan, found.point, &telling->coordinates);
    struct sms__search_row row = {&found, &telling->coordinates, policy, {"", ""}, name_place(race, i), ""};
    if (seen && !seen->policies)
        row.remark = "its point failed: see points.csv";
    if (seen && policy < seen->policies) {
        const struct sms_estimate estimate = sms__race_estimate(seen, policy);
        found.policy = seen->of[policy].policy;
        found.replications = seen->replications;
        found.points = telling->coordinates.stage + 1;
        if (!(seen->of[policy].own[0] > 0))
            row.remark = "a percentile of few jobs, or a median that is mostly 0, is not judged";
        row.value[0] = isnan(estimate.mean) ? "" : sms__print(telling->arena, "%.9g", seen->better * estimate.mean);
        row.value[1] = isnan(estimate.ci95) ? "" : sms__print(telling->arena, "%.9g", estimate.ci95);
    }
    return telling->row(telling->user, &row);
}

bool sms__search_rows(const struct sms__search *search, struct sms__arena *arena,
                      bool (*row)(void *user, const struct sms__search_row *row), void *user)
{
    struct telling telling = {.search = search, .arena = arena, .row = row, .user = user};
    bool more = true;
    for (uint64_t g = 0; g < search->groups && more; g++) {
        const size_t count = search->race ? sms__race_size(search, g) : sms__search_policies(search, g);
        for (size_t i = 0; i < count && more; i++)
            more = (search->race ? tell_racer : tell_found)(&telling, g, i);
    }
    return more;
}

const char *const *sms__search_names(const struct sms__plan *plan)
{
    static const char *const ends[] = {"holds", "fails"}, *const estimate[] = {"mean", "ci95"};
    return plan->search.find == SMS__FIND_BEST ? estimate : ends;
}

size_t sms__search_columns(const struct sms__plan *plan)
{
    return plan->search.find == SMS__FIND_BEST ? plan->columns : plan->axis[plan->axes - 1].first;
}

/* "METRIC of NAME < LIMIT and ..." */
static const char *say_limits(struct sms__arena *arena, const struct sms__search_asked *asked)
{
    const char *text = "";
    for (size_t i = 0; i + 1 < asked->where->items; i += 2) {
        const char *metric = asked->where->item[i]->text;
        const bool named = !asked->of || strstr(metric, " of ");
        text = sms__print(arena, "%s%s%s%s%s %s", text, i ? " and " : "", metric, named ? "" : " of ",
                          named ? "" : asked->of->text, asked->where->item[i + 1]->text);
    }
    return text;
}

const char *sms__search_says(struct sms__arena *arena, const struct sms__plan *plan)
{
    const struct sms__search_asked *asked = &plan->search;
    const char *of = sms__plan_asks(plan, "of");
    if (asked->find == SMS__FIND_BEST)
        return sms__print(arena,
                          "values that may be the best by %s%s%s; the best is among them with a confidence of %g %%",
                          sms__plan_asks(plan, "metric"), of ? " of " : "", of ? of : "", 100 * asked->confidence);
    return sms__print(arena, "the %s %s with %s, each with a confidence of %g %%",
                      asked->find == SMS__FIND_LEAST ? "least" : "largest",
                      plan->column[plan->axis[plan->axes - 1].first].path->text, say_limits(arena, asked),
                      100 * asked->confidence);
}

struct printing {
    const struct sms__search *search;
    FILE *to;
    struct sms__arena *arena;
    uint64_t lines, worse; /* worse: those of a race that are told to be it, which have no line */
};

/* "scenario a, devices.0.sms = 40, fifo": what tells the answer from others. */
static void print_who(const struct printing *printing, const struct sms__search_row *row)
{
    const struct sms__plan *plan = printing->search->plan;
    fputs("  ", printing->to);
    if (plan->scenarios > 1)
        fprintf(printing->to, "%s, ", row->coordinates->base->name[row->coordinates->scenario]);
    for (size_t c = 0; c < sms__search_columns(plan); c++) {
        fprintf(printing->to, "%s = ", plan->column[c].path->text);
        sms__print_visible(printing->to, sms__point_text(printing->arena, plan, row->coordinates, c));
        fputs(", ", printing->to);
    }
    fprintf(printing->to, "%s: ", row->found->policy);
}

/* "1.23 ± 0.04 ms, best (40 replications)". */
static void print_place(const struct printing *printing, const struct sms__search_row *row)
{
    const double mean = strtod(row->value[0], NULL), half = *row->value[1] ? strtod(row->value[1], NULL) : (double)NAN;
    if (*row->value[0])
        fprintf(printing->to, "%s, ", sms__value(sms__plan_asks(printing->search->plan, "metric"), mean, half).text);
    fprintf(printing->to, "%s (%llu replications)", row->state, (unsigned long long)row->found->replications);
}

static void print_ends(const struct printing *printing, const struct sms__search_row *row)
{
    FILE *to = printing->to;
    const bool down = printing->search->plan->search.find == SMS__FIND_LEAST;
    const char *holds = row->value[0], *fails = row->value[1];
    const bool between = !strcmp(row->state, "between");
    if (between)
        fprintf(to, "%s holds, %s does not", holds, fails);
    else
        fputs(row->state, to);
    if (!between && *holds)
        fprintf(to, ", met %s to %s", down ? "down" : "up", holds);
    if (!between && *fails)
        fprintf(to, ", missed from %s%s", fails, down ? " down" : "");
    fprintf(to, " (%llu point%s, %llu replications)", (unsigned long long)row->found->points,
            row->found->points == 1 ? "" : "s", (unsigned long long)row->found->replications);
}

static bool print_row(void *user, const struct sms__search_row *row)
{
    struct printing *printing = user;
    FILE *to = printing->to;
    if (!strcmp(row->state, "worse")) {
        printing->worse++;
        return true;
    }
    if (printing->lines++ >= LINES_MAX)
        return true;
    print_who(printing, row);
    (printing->search->plan->search.find == SMS__FIND_BEST ? print_place : print_ends)(printing, row);
    fprintf(to, "%s%s\n", *row->remark ? "; " : "", row->remark);
    return true;
}

static int print_all(void *user)
{
    struct printing *printing = user;
    fprintf(printing->to, "%s:\n", sms__search_says(printing->arena, printing->search->plan));
    sms__search_rows(printing->search, printing->arena, print_row, printing);
    if (printing->lines > LINES_MAX)
        fprintf(printing->to, "  found.csv has %llu more\n", (unsigned long long)printing->lines - LINES_MAX);
    if (printing->worse)
        fprintf(printing->to, "  %llu %s worse: see found.csv\n", (unsigned long long)printing->worse,
                printing->worse == 1 ? "other is" : "others are");
    return SMS_OK;
}

bool sms__search_print(const struct sms__search *search, FILE *to)
{
    struct sms__arena arena = {0};
    struct sms__buffer text = {0};
    struct printing printing = {.search = search, .to = sms__buffer_open(&text), .arena = &arena};
    bool whole = printing.to && sms__guard(&arena, print_all, &printing) == SMS_OK;
    if (printing.to)
        whole = sms__buffer_close(&text, printing.to) && whole;
    if (whole)
        fputs(text.bytes, to);
    free(text.bytes);
    sms__arena_release(&arena);
    return whole;
}
