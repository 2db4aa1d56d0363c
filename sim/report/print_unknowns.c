/* Says in how many draws the best policy stays the best, what changes its lead most, and in JSON how far each parameter
 * does. */
#include "json_write.h"
#include "memory.h"
#include "output.h"

#include "../base/statistics.h"
#include "../results/results.h"

#include <math.h>
#include <stdlib.h>

/* ---- what there is to draw ---- */

enum { NAMED = 3 };

/* Measured is what a profile on a device told. */
static bool is_assumed(const struct sms__workload *workload) { return !*workload->device || workload->fitted; }

/* Names workloads whose demands nobody measured. Returns their number, NAMED + 1 for more than NAMED. */
static size_t name_assumed(const struct sms_scenario *scenario, FILE *to)
{
    const struct sms__workload *found[NAMED + 1], *workload;
    size_t count = 0, first;
    for (size_t v = 0; v < scenario->vms; v++)
        for (size_t i = 0; count <= NAMED && (workload = sms__workload_of(&scenario->vm[v], i, &first)); i++) {
            size_t f = 0;
            while (f < count && found[f] != workload)
                f++;
            if (f < count || !is_assumed(workload))
                continue;
            found[count++] = workload;
            if (count <= NAMED)
                fprintf(to, "%s %s", count == 1 ? "  assumed, not measured: demands of" : ",", workload->name);
        }
    if (count > NAMED)
        fputs(" and others", to);
    return count;
}

static void ask(const struct sms_results *results, FILE *to)
{
    const struct sms_scenario *scenario = sms_results_scenario(results);
    struct sms_question asked;
    if (scenario->vms == 0 || sms_results_policies(results) < 2 || !sms_results_question(results, &asked))
        return;
    const bool demands = name_assumed(scenario, to), contention = sms__contention_is_assumed(scenario);
    const char *modes = results->notes.assumed ? results->notes.assumed : "";
    if (contention)
        fprintf(to, "%s contention %s", demands ? "," : "  assumed, not measured:", scenario->contention.label);
    if (*modes)
        fprintf(to, "%s %s", demands || contention ? "," : "  assumed, not measured:", modes);
    if (demands || contention || *modes)
        fputs("; --unknowns 100 says how far that matters\n", to);
}

/* ---- the draws ---- */

/* The best policy in the draws, and the parameter that moves its lead most. */
struct view {
    const struct sms_results *results;
    const struct sms__unknowns *unknowns;
    size_t best;
    struct sms__standing standing;
    struct sms__influence *influence; /* [count] */
    size_t most;                      /* SIZE_MAX: no parameter does beyond chance */
};

/* Returns false when out of memory. The caller frees the influences in any case. */
static bool begin(struct view *view, const struct sms_results *results, size_t baseline)
{
    const struct sms__unknowns *unknowns = results->unknowns;
    struct sms_question asked;
    sms_results_question(results, &asked);
    const size_t best = sms__results_leader(results, &asked, baseline, SIZE_MAX); /* of the scenario as it is */
    *view = (struct view){results, unknowns, best, sms__standing_of(unknowns, best), NULL, SIZE_MAX};
    view->influence = calloc(unknowns->count + 1, sizeof *view->influence);
    const bool known = view->influence && sms__influences(unknowns, best, view->standing.rival, view->influence);
    if (!known)
        sms__note_memory(NULL);
    for (size_t i = 0; i < unknowns->count && known; i++)
        if (view->influence[i].p < SMS__SIGNIFICANT &&
            (view->most == SIZE_MAX ||
             fabs(view->influence[i].correlation) > fabs(view->influence[view->most].correlation)))
            view->most = i;
    return known;
}

static const char *rival_of(const struct view *view) { return sms_results_policy(view->results, view->standing.rival); }

/* ---- in words ---- */

static void put_rival(const struct view *view, FILE *to)
{
    const struct sms__standing *s = &view->standing, other = sms__standing_of(view->unknowns, s->rival);
    if (s->shared)
        fprintf(to, ", in %zu of them no better than others", s->shared);
    if (other.best + other.shared)
        fprintf(to, ", %s in %zu", rival_of(view), other.best + other.shared);
    if (!isnan(s->low))
        fprintf(to, "; %+.1f to %+.1f %% vs %s in 90 %% of them", 100 * (s->low - 1), 100 * (s->high - 1),
                rival_of(view));
}

static void put_influence(const struct view *view, FILE *to)
{
    const bool changes = view->standing.best + view->standing.shared < view->unknowns->draws;
    if (view->unknowns->count == 0)
        fputs("; nothing but the seed differs", to);
    else if (view->most == SIZE_MAX)
        fputs("; no parameter decides by itself", to);
    else
        fprintf(to, "; %s %s (rank correlation %+.2f)", view->unknowns->item[view->most].name,
                changes ? "decides" : "moves that most", view->influence[view->most].correlation);
}

static void put_line(const struct view *view, FILE *to)
{
    const size_t best = view->standing.best + view->standing.shared, draws = view->unknowns->draws;
    if (view->standing.shared == draws) {
        fprintf(to, "  no policy is better than %s in any of %zu draws of the unknown parameters\n",
                sms_results_policy(view->results, view->best), draws);
        return;
    }
    fprintf(to, "  %s is best in %zu of %zu draws of the unknown parameters",
            sms_results_policy(view->results, view->best), best, draws);
    put_rival(view, to);
    put_influence(view, to);
    fputc('\n', to);
}

void sms__print_unknowns(const struct sms_results *results, size_t baseline, FILE *to)
{
    struct view view;
    if (!results->unknowns) {
        ask(results, to);
        return;
    }
    if (begin(&view, results, baseline) && view.standing.rival != SIZE_MAX)
        put_line(&view, to);
    free(view.influence);
}

/* ---- JSON ---- */

static json_t *json_policies(const struct view *view)
{
    json_t *list = json_array();
    for (size_t p = 0; p < view->unknowns->policies; p++) {
        const struct sms__standing s = sms__standing_of(view->unknowns, p);
        json_array_append_new(list, json_pack("{ss sI sI}", "policy", sms_results_policy(view->results, p),
                                              "best_count", (json_int_t)s.best, "shared_count", (json_int_t)s.shared));
    }
    return list;
}

static json_t *json_parameters(const struct view *view)
{
    json_t *list = json_array();
    for (size_t i = 0; i < view->unknowns->count; i++)
        json_array_append_new(list, json_pack("{ss so so so}", "parameter", view->unknowns->item[i].name,
                                              "rank_correlation", sms__json_number(view->influence[i].correlation),
                                              "spread_ratio", sms__json_number(view->unknowns->item[i].spread),
                                              "p_holm", sms__json_number(view->influence[i].p)));
    return list;
}

struct json_t *sms__json_unknowns(const struct sms_results *results, size_t baseline)
{
    struct view view;
    if (!results->unknowns)
        return json_null();
    const bool begun = begin(&view, results, baseline);
    const bool rival = view.standing.rival != SIZE_MAX;
    /* jansson aborts if memory runs out while it reads a number longer than all words before; so a long key is first.
     */
    json_t *object =
        begun ? json_pack("{sI sI ss ss* so so so so}", "replications_of_each", (json_int_t)view.unknowns->replications,
                          "draws", (json_int_t)view.unknowns->draws, "of", sms_results_policy(results, view.best),
                          "over", rival ? rival_of(&view) : NULL, "low_ratio", sms__json_number(view.standing.low - 1),
                          "high_ratio", sms__json_number(view.standing.high - 1), "policies", json_policies(&view),
                          "parameters", json_parameters(&view))
              : NULL;
    free(view.influence);
    return object;
}
