/* Reads `search:` of a plan. A search is a way to choose points of a sweep: the values that it varies are the plan's
 * last axis, and the metric that it limits is the plan's answer, so that its points are found, kept and shown like all
 * others. */
#include "sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define F(struct_, member) offsetof(struct struct_, member)

enum { LEAST = 5, MOST = 100 }; /* replications of a race */

static const char *const finds[] = {"largest", "least", "best", NULL}; /* by enum sms__find */

const struct sms__field sms__search_fields[] = {
    {"vary", SMS__CUSTOM, 0, F(sms__search_asked, vary), .required = true, .read = sms__keep_map,
     .form = SMS__FORM_VARY,
     .help = "gives the values to search, PATH: range or list, as in axes, in order; the answer is one of these"},
    {"find", SMS__CHOICE, 0, F(sms__search_asked, find), .required = true, .choices = finds,
     .help = "says what to find: the largest or least value that meets the limits, or best: all values that `answer` "
             "cannot distinguish from the best"},
    {"where", SMS__CUSTOM, 0, F(sms__search_asked, where), .read = sms__keep_map, .form = SMS__FORM_LABELS,
     .help = "sets limits, METRIC or METRIC of NAME: \"< LIMIT\", or with <=, >, >=; all must be met"},
    {"of", SMS__TEXT, 0, F(sms__search_asked, of), .read = sms__keep,
     .help = "names the VM, process, class, resource or node of the metrics if a limit names none; default: the host, "
             "or the cluster"},
    {"confidence", SMS__QUANTITY, SMS__RATIO, F(sms__search_asked, confidence), 0.5, 0.9999,
     .help = "sets the confidence that both ends of an answer hold, or that the best is in it; default 95 %"},
    {"most", SMS__CUSTOM, 0, F(sms__search_asked, most), .read = sms__keep, .form = SMS__FORM_END,
     .help = "sets the maximum number of replications per point, at least 5; default 100"},
    {0}};

uint64_t sms__search_scan(uint64_t values, unsigned i)
{
    if (values <= SMS__SEARCH_SCAN)
        return i < values ? i : values;
    return i < SMS__SEARCH_SCAN ? i * (values - 1) / (SMS__SEARCH_SCAN - 1) : values;
}

/* The values of the scan, and bisections between two of them, for either end of the answer; or all in all stages. */
uint64_t sms__search_most(const struct sms__plan *plan)
{
    const uint64_t values = plan->axis[plan->axes - 1].count;
    uint64_t most = 0, gap = 1;
    if (plan->search.find == SMS__FIND_BEST)
        return values * plan->search.stages;
    for (unsigned i = 0; i < SMS__SEARCH_SCAN && sms__search_scan(values, i) < values; i++, most++)
        if (i > 0 && sms__search_scan(values, i) - sms__search_scan(values, i - 1) > gap)
            gap = sms__search_scan(values, i) - sms__search_scan(values, i - 1);
    for (; gap > 1; gap -= gap / 2)
        most += 2;
    return most;
}

static struct sms__node *new_map(struct sms__arena *arena, const struct sms__node *at, size_t room)
{
    struct sms__node *map = SMS__NEW(arena, struct sms__node, 1);
    *map = (struct sms__node){.kind = SMS__MAP, .mark = at->mark, .expanded = 1};
    map->item = SMS__NEW(arena, struct sms__node *, 2 * room);
    return map;
}

/* Adds a key, unless it has no value. */
static void put(struct sms__arena *arena, struct sms__node *map, const char *key, const struct sms__node *value)
{
    if (!value)
        return;
    map->item[map->items++] = sms__new_scalar(arena, value, key);
    map->item[map->items++] = (struct sms__node *)(uintptr_t)value;
    map->expanded += 2;
}

/* The answer of the plan's points, which is that of the first limit. NULL: it cannot be read, as the checks of the
 * limits tell. */
static const struct sms__node *answer_of(struct sms__arena *arena, const struct sms__search_asked *asked)
{
    const struct sms__node *key = asked->where->item[0], *value = asked->where->item[1];
    if (key->kind != SMS__SCALAR || value->kind != SMS__SCALAR)
        return NULL;
    struct sms__node *answer = new_map(arena, asked->where, 3);
    const struct sms__node *metric, *of = asked->of;
    sms__split_metric(arena, key, &metric, &of);
    put(arena, answer, "metric", metric);
    put(arena, answer, "of", of);
    put(arena, answer, "better", sms__new_scalar(arena, key, *value->text == '>' ? "higher" : "lower"));
    return answer;
}

/* The limits of each run, which the scenario checks. */
static void ask(struct sms__plan *plan)
{
    struct sms__search_asked *asked = &plan->search;
    struct sms__arena *arena = &plan->arena;
    struct sms__node *until = new_map(arena, asked->most ? asked->most : asked->where, 4);
    asked->of_point = sms__new_scalar(arena, asked->node, sms__print(arena, "%.17g", asked->confidence));
    put(arena, until, "confidence", asked->of_point);
    put(arena, until, "where", asked->where);
    put(arena, until, "of", asked->of);
    put(arena, until, "most", asked->most);
    plan->fixed[SMS__PLAN_ANSWER] = answer_of(arena, asked);
    plan->fixed[SMS__PLAN_UNTIL] = until;
}

/* What the search decides itself. */
static void refuse(struct sms__reader *reader, const struct sms__node *map, const char *const *keys, const char *why)
{
    for (; *keys; keys++)
        if (sms__node_get(map, *keys))
            sms__complain(reader, sms__node_get(map, *keys), "'%s' %s", *keys, why);
}

/* Refuses what is varied at a path, or below it. */
static void refuse_path(struct sms__reader *reader, const struct sms__node *map, const char *path, const char *why)
{
    for (size_t i = 0; map->kind == SMS__MAP && i < map->items; i += 2)
        if (map->item[i]->kind == SMS__SCALAR && sms__path_after(map->item[i]->text, path))
            sms__complain(reader, map->item[i], "'%s' %s", map->item[i]->text, why);
}

static void read_limits(struct sms__reader *reader, struct sms__plan *plan)
{
    static const char *const decided[] = {"answer", "until", NULL};
    const struct sms__search_asked *asked = &plan->search;
    const struct sms__node *where = asked->where;
    refuse(reader, plan->node, decided, "is decided by the plan's search: 'where' says what is asked");
    if (!where && asked->node->kind == SMS__MAP && !sms__is_wrong(reader, asked->node, "where"))
        sms__complain(reader, asked->node, "key 'where' is missing");
    if (where && !where->items)
        sms__complain(reader, where, "a search has a limit, as {job_latency_p99_ns: \"< 50 ms\"}");
    if (where && where->items)
        ask(plan);
}

/* The stages of a race have twice as many replications each, and the last as many as there may be. */
static void read_race(struct sms__reader *reader, struct sms__plan *plan)
{
    static const char *const decided[] = {"until", "replications", NULL}, *const of_limits[] = {"where", "of", NULL};
    static const char of_race[] =
        "is decided by the plan's search: it adds replications until it knows which values are best";
    struct sms__search_asked *asked = &plan->search;
    struct sms__quantity most = {.value = MOST};
    refuse(reader, plan->node, decided, of_race);
    for (size_t i = 0; plan->axes_node && plan->axes_node->kind == SMS__LIST && i < plan->axes_node->items; i++)
        refuse_path(reader, plan->axes_node->item[i], "run.until", of_race);
    refuse(reader, asked->node, of_limits, "is for largest and least: the plan's 'answer' asks which values are best");
    if (!plan->fixed[SMS__PLAN_ANSWER] && !sms__is_wrong(reader, plan->node, "answer"))
        sms__complain(reader, asked->node, "the plan has no 'answer', which says by which metric a value is best");
    if (asked->most && !sms__read_number(reader, asked->most, SMS__COUNT, LEAST, SMS__REPLICATIONS_MAX, &most))
        return;
    asked->stages = 0;
    for (double n = LEAST; asked->stages == 0 || n < 2 * most.value; n *= 2)
        asked->stage[asked->stages++] = sms__new_scalar(
            &plan->arena, asked->node, sms__print(&plan->arena, "%.0f", n < most.value ? n : most.value));
    plan->fixed[SMS__PLAN_REPLICATIONS] = asked->stage[0];
    plan->keep |= SMS__KEEP_VALUES;
}

/* A search is for what people can choose. One for limits goes along values in order. */
static void check_vary(struct sms__reader *reader, struct sms__search_asked *asked)
{
    static const char *const chosen[] = {"run.seed", "run.replications", "run.until", "run.unknowns", "question"};
    const struct sms__node *key =
        asked->vary && asked->find != SMS__FIND_BEST ? sms__find_key(asked->vary, sms__drawn_axes) : NULL;
    if (key) {
        sms__complain(reader, key, "a search goes through values in order: give a list or a range, not '%s'",
                      key->text);
        asked->vary = NULL;
    }
    for (size_t c = 0; asked->vary && c < sizeof chosen / sizeof *chosen; c++)
        refuse_path(reader, asked->vary, chosen[c],
                    "sets how the simulation runs; a search varies only what can be chosen");
}

void sms__read_search(struct sms__reader *reader, struct sms__plan *plan)
{
    struct sms__search_asked *asked = &plan->search;
    const struct sms__node *node = plan->search_node;
    if (!node) {
        if (!plan->axes_node && !sms__is_wrong(reader, plan->node, "axes"))
            sms__complain(reader, plan->node, "key 'axes' or 'search' is missing");
        return;
    }
    *asked = (struct sms__search_asked){.node = node, .confidence = 0.95, .stages = 1};
    sms__read_fields(reader, node, sms__search_fields, asked);
    check_vary(reader, asked);
    if (asked->find == SMS__FIND_BEST)
        read_race(reader, plan);
    else
        read_limits(reader, plan);
}

/* The number and the unit of a value of the first field. */
static double number_at(struct sms__plan *plan, const struct sms__axis *axis, uint64_t position, const char **unit)
{
    const struct sms__node *node = sms__column_value(&plan->arena, plan, axis, position, 0);
    char *end = NULL;
    const double number = node->kind == SMS__SCALAR ? strtod(node->text, &end) : NAN;
    *unit = end ? end : "";
    return end && end != node->text ? number : (double)NAN;
}

/* A list rises or falls throughout. Ranges do. */
static void check_order(struct sms__reader *reader, struct sms__plan *plan, const struct sms__axis *axis)
{
    const struct sms__column *column = &plan->column[axis->first];
    const char *unit, *other;
    double before = number_at(plan, axis, 0, &unit), first = before;
    const bool rises = number_at(plan, axis, axis->count - 1, &other) > first;
    for (uint64_t i = 1; column->values && i < axis->count; i++) {
        const double number = number_at(plan, axis, i, &other);
        if (strcmp(unit, other) != 0 || !(rises ? number > before : number < before)) {
            sms__complain(reader, column->values->item[i],
                          "a search needs numbers of one unit that only rise, or only fall");
            return;
        }
        before = number;
    }
    plan->search.first_good = rises == (plan->search.find == SMS__FIND_LARGEST);
}

void sms__check_search(struct sms__reader *reader, struct sms__plan *plan)
{
    const struct sms__axis *axis = plan->axes ? &plan->axis[plan->axes - 1] : NULL;
    struct sms__search_asked *asked = &plan->search;
    if (!asked->vary || !axis || axis->node != asked->vary || !axis->columns || plan->column[axis->first].wrong)
        return;
    if (asked->find == SMS__FIND_BEST)
        return;
    if (axis->count < 2) {
        sms__complain(reader, asked->vary, "a search needs two values or more");
        return;
    }
    check_order(reader, plan, axis);
    if (asked->of_point) /* each point errs with an equal part of what the answer may */
        asked->of_point->text =
            sms__print(&plan->arena, "%.17g", 1 - (1 - asked->confidence) / (double)sms__search_most(plan));
}
