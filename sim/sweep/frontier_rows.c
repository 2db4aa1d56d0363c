/* Tells the answers of a search: on a terminal, and as rows for the merge. */
#include "frontier.h"

#include "../base/escape.h"

#include <string.h>

enum { LINES_MAX = 24 };

/* What the two limits of an answer mean together. */
static const char *name_state(const struct sms__search_found *found, uint64_t values, bool first_good)
{
    const bool holds = found->holds != UINT64_MAX, fails = found->fails != UINT64_MAX;
    if (found->open)
        return "missing";
    if (holds && fails)
        return "between";
    if (holds && found->holds == (first_good ? values - 1 : 0))
        return "all hold";
    if (fails && found->fails == (first_good ? 0 : values - 1))
        return "none holds";
    return holds ? "no value surely fails" : fails ? "no value surely holds" : "not told";
}

struct telling {
    const struct sms__search *search;
    const struct sms__plan *plan;
    struct sms__arena *arena;
    struct sms__coordinates coordinates;
};

static const char *value_text(struct telling *telling, uint64_t position)
{
    const struct sms__axis *axis = &telling->plan->axis[telling->plan->axes - 1];
    telling->coordinates.position[telling->plan->axes - 1] = position;
    return position == UINT64_MAX ? ""
                                  : sms__point_text(telling->arena, telling->plan, &telling->coordinates, axis->first);
}

static const char *remark(struct telling *telling, const struct sms__search_found *found)
{
    if (found->odd[0] == UINT64_MAX)
        return found->holds == UINT64_MAX || found->fails == UINT64_MAX ? found->warning : "";
    const char *near = value_text(telling, found->odd[0]), *far = value_text(telling, found->odd[1]);
    return sms__print(telling->arena, "not monotone: %s is better at %s than at %s",
                      telling->plan->search.where->item[2 * (size_t)found->odd_limit]->text, far, near);
}

bool sms__search_rows(const struct sms__search *search, const struct sms__plan *plan, struct sms__arena *arena,
                      bool (*row)(void *user, const struct sms__search_row *row), void *user)
{
    struct telling telling = {.search = search, .plan = plan, .arena = arena};
    const uint64_t values = plan->axis[plan->axes - 1].count;
    bool more = true;
    for (uint64_t g = 0; g < sms__search_groups(search) && more; g++)
        for (size_t p = 0; p < sms__search_policies(search, g) && more; p++) {
            struct sms__search_found found;
            sms__search_find(search, g, p, &found);
            sms__point_coordinates(plan, found.point, &telling.coordinates);
            const struct sms__coordinates coordinates = telling.coordinates;
            const char *holds = value_text(&telling, found.holds), *fails = value_text(&telling, found.fails);
            more = row(user, &(struct sms__search_row){&found, &coordinates, p, holds, fails,
                                                       name_state(&found, values, plan->search.first_good),
                                                       remark(&telling, &found)});
        }
    return more;
}

struct printing {
    const struct sms__plan *plan;
    FILE *to;
    struct sms__arena *arena;
    uint64_t lines;
};

/* "scenario a, devices.0.sms = 40, fifo": what tells the answer from others. */
static void print_who(const struct printing *printing, const struct sms__search_row *row)
{
    const struct sms__plan *plan = printing->plan;
    fputs("  ", printing->to);
    if (plan->scenarios > 1)
        fprintf(printing->to, "%s, ", row->coordinates->base->name[row->coordinates->scenario]);
    for (size_t c = 0; c < plan->axis[plan->axes - 1].first; c++) {
        fprintf(printing->to, "%s = ", plan->column[c].path->text);
        sms__print_visible(printing->to, sms__point_text(printing->arena, plan, row->coordinates, c));
        fputs(", ", printing->to);
    }
    fprintf(printing->to, "%s: ", row->found->policy);
}

static bool print_row(void *user, const struct sms__search_row *row)
{
    struct printing *printing = user;
    FILE *to = printing->to;
    if (printing->lines++ == LINES_MAX) {
        fputs("  more in found.csv\n", to);
        return false;
    }
    print_who(printing, row);
    if (!strcmp(row->state, "between"))
        fprintf(to, "%s holds, %s does not", row->holds, row->fails);
    else
        fprintf(to, "%s%s%s%s%s", row->state, *row->holds ? ", as far as " : "", row->holds,
                *row->fails ? ", from " : "", row->fails);
    fprintf(to, " (%llu points, %llu replications)%s%s\n", (unsigned long long)row->found->points,
            (unsigned long long)row->found->replications, *row->remark ? "; " : "", row->remark);
    return true;
}

struct guarded {
    const struct sms__search *search;
    struct printing printing;
};

static int print_all(void *user)
{
    struct guarded *guarded = user;
    struct printing *printing = &guarded->printing;
    const struct sms__search_asked *asked = &printing->plan->search;
    const struct sms__axis *axis = &printing->plan->axis[printing->plan->axes - 1];
    fprintf(printing->to, "the %s %s with ", asked->find ? "least" : "largest",
            printing->plan->column[axis->first].path->text);
    for (size_t i = 0; i + 1 < asked->where->items; i += 2) {
        const char *metric = asked->where->item[i]->text;
        const bool named = !asked->of || strstr(metric, " of ");
        fprintf(printing->to, "%s%s%s%s %s", i ? " and " : "", metric, named ? "" : " of ",
                named ? "" : asked->of->text, asked->where->item[i + 1]->text);
    }
    fprintf(printing->to, ", each with a confidence of %g %%:\n", 100 * asked->confidence);
    sms__search_rows(guarded->search, printing->plan, printing->arena, print_row, printing);
    return SMS_OK;
}

void sms__search_print(const struct sms__search *search, const struct sms__plan *plan, FILE *to)
{
    struct sms__arena arena = {0};
    struct guarded guarded = {search, {plan, to, &arena, 0}};
    sms__guard(&arena, print_all, &guarded);
    sms__arena_release(&arena);
}
