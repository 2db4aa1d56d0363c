/* The answer to a scenario's question: the policies that cannot be told apart from the best by the metric that it asks
 * for, and the change over the next one and over the baseline. */
#include "answer.h"

#include "json_write.h"
#include "memory.h"
#include "output.h"
#include "trust.h"

#include "../base/buffer.h"
#include "../base/statistics.h"
#include "../results/results.h"
#include "../results/verdict.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

static const char *const verdicts[] = {"only policy",   "one replication", "exact",  "same",
                                       "may be chance", "no verdict",      "differs"};

static const char *metric_of(const struct sms__outcome *answer) { return sms__result_metric(&answer->asked); }

static const char *name_of(const struct sms__outcome *answer, size_t policy)
{
    return sms_results_policy(answer->results, policy);
}

static struct sms_estimate value_of(const struct sms__outcome *answer, size_t policy)
{
    return sms__result_estimate(&answer->asked, policy);
}

/* The ratio less 1, or the difference where there is no ratio. */
static struct sms_estimate change_of(const struct sms__outcome *answer, size_t policy, size_t over, bool *ratio)
{
    struct sms_estimate change = sms__result_ratio(&answer->asked, policy, over);
    change.mean -= 1;
    *ratio = !isnan(change.mean);
    if (!*ratio)
        change = sms__result_difference(&answer->asked, policy, over);
    return change;
}

/* ---- who is best ---- */

/* Returns false when out of memory. */
static bool find_best(struct sms__outcome *answer, const struct sms_question *asked)
{
    answer->in_group = calloc(sms_results_policies(answer->results) + 1, sizeof *answer->in_group);
    const bool found = answer->in_group && sms__results_best(answer->results, asked, answer->baseline, &answer->best,
                                                             answer->in_group, NULL);
    if (!found)
        sms__note_memory(NULL);
    return found;
}

static enum sms__answer_verdict judge(const struct sms__outcome *answer, const struct sms_question *asked)
{
    const size_t against = answer->best.best == answer->baseline ? answer->other : answer->baseline;
    if (sms_results_policies(answer->results) == 1)
        return SMS__ANSWER_ALONE;
    if (answer->best.verdict == SMS__BEST_SAME)
        return SMS__ANSWER_SAME;
    if (sms_results_exact(answer->results))
        return SMS__ANSWER_EXACT;
    if (answer->best.verdict == SMS__BEST_ONCE)
        return SMS__ANSWER_ONCE;
    if (!sms__allows_verdict(answer->results, asked))
        return SMS__ANSWER_UNJUDGED;
    return answer->in_group[against] ? SMS__ANSWER_CHANCE : SMS__ANSWER_DIFFERS;
}

/* The policy over which the change of the best is told first, or SIZE_MAX. */
static size_t next_told(const struct sms__outcome *answer)
{
    if (answer->best.next < SIZE_MAX)
        return answer->best.next;
    return answer->best.equal ? SIZE_MAX : answer->best.best == answer->baseline ? answer->other : answer->baseline;
}

/* Returns false if there is no answer: nothing to ask, no policy with a value, or no memory. `end` frees it in any
 * case. */
static bool find(const struct sms_results *results, size_t baseline, struct sms__outcome *answer)
{
    struct sms_question asked;
    const bool found = sms_results_question(results, &asked);
    *answer = (struct sms__outcome){.results = results,
                                    .asked = {results, 0, asked.subject, asked.idx, asked.metric},
                                    .better = asked.better,
                                    .declared = asked.declared,
                                    .baseline = baseline};
    if (!found || !find_best(answer, &asked) || answer->best.verdict == SMS__BEST_NONE)
        return false;
    answer->other = answer->best.best;
    if (answer->other == baseline && sms_results_policies(results) > 1)
        answer->other = sms__results_leader(results, &asked, baseline == 0, baseline);
    answer->value = value_of(answer, answer->best.best);
    answer->verdict = judge(answer, &asked);
    answer->over = answer->in_group[baseline] ? next_told(answer) : baseline;
    return true;
}

static void end(struct sms__outcome *answer) { free(answer->in_group); }

/* ---- in words ---- */

/* A unit for values like this one: times have several. */
static struct sms__scale unit_of(const struct sms__outcome *answer, double value)
{
    return sms__scale_of(metric_of(answer) + sms__shown_length(metric_of(answer)), value);
}

static void put_value(const struct sms__outcome *answer, double value, FILE *to)
{
    fputs(sms__value_in(value, NAN, unit_of(answer, value)).text, to);
}

/* No interval says that a metric falls below 0. One of two policies that are not told apart may exclude 0, because the
 * verdict is corrected for the number of pairs. */
static void put_interval(const struct sms__outcome *answer, const struct sms_estimate *change, bool ratio, bool apart,
                         FILE *to)
{
    const struct sms__scale unit = unit_of(answer, fabs(change->mean));
    const double least = change->mean > -1 ? -1 : -INFINITY;
    const int decimals = sms__percent_decimals(100 * change->ci95);
    const char *of = apart || fabs(change->mean) <= change->ci95 ? "" : " of this pair alone";
    if (answer->verdict < SMS__ANSWER_CHANCE)
        return;
    if (isnan(change->ci95) && change->n > 1 && !(change->sd > 0))
        fprintf(to, " (in all %zu replications)", change->n);
    else if (isnan(change->ci95) && change->n > 1 && answer->verdict != SMS__ANSWER_UNJUDGED)
        fputs(" (no interval: the difference is the same in most replications)", to);
    else if (isnan(change->ci95))
        return;
    else if (ratio)
        fprintf(to, " (95 %% interval%s %+.*f to %+.*f)", of, decimals, 100 * fmax(change->mean - change->ci95, least),
                decimals, 100 * (change->mean + change->ci95));
    else
        fprintf(to, " (95 %% interval%s %+.4g to %+.4g%s)", of, (change->mean - change->ci95) / unit.divisor,
                (change->mean + change->ci95) / unit.divisor, unit.name);
}

/* With as many decimals as the interval, or, where there is none, as show that it is not 0. */
static void put_percent(const struct sms__outcome *answer, const struct sms_estimate *change, FILE *to)
{
    const bool known = answer->verdict >= SMS__ANSWER_CHANCE && !isnan(change->ci95);
    const int decimals = sms__percent_decimals(100 * (known               ? change->ci95
                                                      : change->mean != 0 ? fabs(change->mean)
                                                                          : 1));
    if (decimals == 1)
        fputs(sms__percent(true, 100 * change->mean, NAN).text, to);
    else
        fprintf(to, "%+.*f %%", decimals, 100 * change->mean);
}

/* `which`: what the other policy is, after its name. */
static void put_change(const struct sms__outcome *answer, size_t policy, size_t other, const char *which, FILE *to)
{
    bool ratio;
    const struct sms_estimate change = change_of(answer, policy, other, &ratio);
    const struct sms__scale unit = unit_of(answer, fabs(change.mean));
    struct sms__regimes regimes;
    if (ratio)
        put_percent(answer, &change, to);
    else
        fprintf(to, "%+.4g%s", change.mean / unit.divisor, unit.name);
    fprintf(to, " vs %s%s", name_of(answer, other), which);
    put_interval(answer, &change, ratio, !answer->in_group[other], to);
    const enum sms__regime found =
        ratio ? sms__result_regimes(&answer->asked, policy, (long)other, &regimes) : SMS__ONE_REGIME;
    if (found == SMS__TWO_REGIMES)
        fprintf(to, ", in two regimes: %+.1f and %+.1f %%", 100 * (regimes.mean[0] - 1), 100 * (regimes.mean[1] - 1));
    if (found == SMS__STRAY_VALUE)
        fprintf(to, ", in one of %zu replications %+.1f %%", change.n, 100 * (regimes.mean[regimes.count[1] == 1] - 1));
}

enum { NAMED = 3 };

/* "a, b, c and 2 more". A single one is named, because its name is as short as "1 more". */
static void put_names(const struct sms__outcome *answer, FILE *to)
{
    const size_t count = answer->best.group, shown = count > NAMED + 1 ? NAMED : count;
    size_t put = 1;
    fputs(name_of(answer, answer->best.best), to);
    for (size_t p = 0; p < sms_results_policies(answer->results) && put < shown; p++)
        if (answer->in_group[p] && p != answer->best.best)
            fprintf(to, "%s%s", ++put == count ? " and " : ", ", name_of(answer, p));
    if (count > shown)
        fprintf(to, " and %zu more", count - shown);
}

/* "two regimes: 1.2 and 1.3", or the value that stands apart, between `before` and `after`. */
static void put_regimes(const struct sms__outcome *answer, size_t policy, const char *before, const char *after,
                        FILE *to)
{
    struct sms__regimes regimes;
    const enum sms__regime found = sms__result_regimes(&answer->asked, policy, -1, &regimes);
    if (found == SMS__ONE_REGIME)
        return;
    fputs(before, to);
    if (found == SMS__TWO_REGIMES)
        fputs("two regimes: ", to);
    else
        fprintf(to, "one of %zu replications: ", regimes.count[0] + regimes.count[1]);
    put_value(answer, regimes.mean[found == SMS__STRAY_VALUE && regimes.count[1] == 1], to);
    if (found == SMS__TWO_REGIMES) {
        fputs(" and ", to);
        put_value(answer, regimes.mean[1], to);
    }
    fputs(after, to);
}

/* Those of the others in the group, whose values are not told. */
static void put_other_regimes(const struct sms__outcome *answer, FILE *to)
{
    char before[128];
    for (size_t p = 0; p < sms_results_policies(answer->results); p++) {
        snprintf(before, sizeof before, "; %.100s in ", name_of(answer, p));
        if (answer->in_group[p] && p != answer->best.best && !answer->best.equal)
            put_regimes(answer, p, before, "", to);
    }
}

/* A tenant or a class of them is given what it gets; the row "all" of processes is none. */
static bool is_given(const struct sms__outcome *answer)
{
    const enum sms_subject subject = answer->asked.subject;
    return subject == SMS_VM || subject == SMS_CLASS ||
           (subject == SMS_PROCESS && answer->asked.idx < sms_results_scenario(answer->results)->vms);
}

/* "has" of the whole, "gives server", or of several policies "have" and "give server". */
static void put_verb(const struct sms__outcome *answer, bool several, FILE *to)
{
    if (is_given(answer))
        fprintf(to, several ? " give %s" : " gives %s", sms__result_subject(&answer->asked));
    else
        fputs(several ? " have" : " has", to);
}

static void put_best(const struct sms__outcome *answer, FILE *to)
{
    const bool unjudged = answer->verdict == SMS__ANSWER_UNJUDGED, same = answer->verdict == SMS__ANSWER_SAME;
    const bool chance = answer->best.group > 1 && !answer->best.equal && !unjudged && !same;
    const bool all = chance && answer->best.next == SIZE_MAX;
    const bool bare = same || unjudged || all; /* of a verb, which a tenant follows */
    const char *words = sms__metric_words(metric_of(answer)),
               *most = sms__metric_superlative(words, answer->better > 0);
    if (same)
        fputs("all policies are equal in", to);
    else if (unjudged)
        fputs("no verdict on", to);
    else if (all)
        fputs("no policy differs significantly from the best in", to);
    else {
        put_names(answer, to);
        put_verb(answer, answer->best.group > 1, to);
        fprintf(to, " the %s", most);
    }
    fprintf(to, " %s", words);
    if (answer->asked.subject != SMS_HOST && answer->asked.subject != SMS_CLUSTER && (bare || !is_given(answer)))
        fprintf(to, " of %s", sms__result_subject(&answer->asked));
    fputs(chance && !all ? ", without a significant difference: " : ": ", to);
    put_value(answer, answer->value.mean, to);
    if (chance || unjudged)
        fprintf(to, " under %s", name_of(answer, answer->best.best));
    put_regimes(answer, answer->best.best, " (", ")", to);
    if (answer->best.group > 1 && answer->best.equal && !same)
        fputs(" (equal)", to);
}

/* How many policies have a value. */
static size_t valued(const struct sms__outcome *answer)
{
    size_t n = 0;
    for (size_t p = 0; p < sms_results_policies(answer->results); p++)
        n += !isnan(value_of(answer, p).mean);
    return n;
}

/* Says why there is no change to tell. Returns whether it did. */
static bool put_no_change(const struct sms__outcome *answer, FILE *to)
{
    bool ratio;
    const bool changes = !isnan(change_of(answer, answer->other, answer->baseline, &ratio).mean);
    if (changes)
        return false;
    const size_t policies = sms_results_policies(answer->results);
    if (isnan(value_of(answer, answer->other).mean) || (answer->other == answer->baseline && policies > 1) ||
        (policies > 2 && valued(answer) < 2))
        fputs("; no other policy has a value", to);
    else if (isnan(value_of(answer, answer->baseline).mean))
        fprintf(to, "; %s has none", name_of(answer, answer->baseline));
    else
        fprintf(to, "; %s has values in other replications only", name_of(answer, answer->baseline));
    return true;
}

/* The change of the best over the best policy that is told apart, and over the baseline if that is another one. */
static void put_comparison(const struct sms__outcome *answer, FILE *to)
{
    const size_t best = answer->best.best, next = next_told(answer);
    const bool named = answer->best.next < SIZE_MAX || next != answer->baseline;
    if (next == SIZE_MAX)
        return;
    fputs(", ", to);
    put_change(answer, best, next, named && sms_results_policies(answer->results) > 2 ? ", the next best" : "", to);
    if (answer->over == next)
        return;
    fputs(", and ", to);
    put_change(answer, best, answer->over, "", to);
}

/* What follows the comparison. */
static void (*const clauses[])(const struct sms__outcome *answer, FILE *to) = {
    sms__answer_put_few,     sms__answer_put_starved, sms__answer_put_failed,   sms__answer_put_gain_alone,
    sms__answer_put_reserve, sms__answer_put_misses,  sms__answer_put_left_out, sms__answer_put_bound};

static void put_text(const struct sms__outcome *answer, FILE *to)
{
    if (sms__answer_is_unknown(answer) && answer->verdict > SMS__ANSWER_ALONE)
        fputs("modes cannot be ranked, because kernels have no demands and never slow each other; without contention ",
              to);
    put_best(answer, to);
    if (!put_no_change(answer, to) && answer->verdict != SMS__ANSWER_SAME)
        put_comparison(answer, to);
    put_other_regimes(answer, to);
    if (answer->verdict == SMS__ANSWER_ONCE)
        fputs("; one replication does not show what is chance", to);
    if (answer->verdict == SMS__ANSWER_EXACT)
        fputs("; nothing is drawn, so it is exact", to);
    for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++)
        clauses[i](answer, to);
}

/* Which measurements bear on the answer, and the interval of its value with the error that they show. Errors of the
 * seed and of the model are independent, so their squares add up. */
static void put_measured(const struct sms__outcome *answer, struct sms__trust *trust, FILE *to)
{
    const struct sms_scenario *scenario = sms_results_scenario(answer->results);
    const double value = answer->value.mean, seed = isnan(answer->value.ci95) ? 0 : answer->value.ci95;
    const struct sms__scale unit = unit_of(answer, value);
    struct sms__trust_line line;
    if (sms__trust_line(trust, scenario, metric_of(answer), answer->results->policy[answer->best.best], &line)) {
        sms__note_memory(NULL);
        return;
    }
    fputs(line.text, to);
    if (isnan(line.within))
        return;
    fprintf(to, "; %s: ", name_of(answer, answer->best.best));
    put_value(answer, value, to);
    if (seed > 0)
        fprintf(to, " ± %.2g by the seed,", seed / unit.divisor);
    fprintf(to, " ± %.2g with the error that 90 %% of values stay within",
            hypot(seed, line.within * value) / unit.divisor);
}

bool sms__print_answer(const struct sms_results *results, size_t baseline, struct sms__trust *trust, const char *before,
                       FILE *to)
{
    struct sms__outcome answer;
    const bool answered = find(results, baseline, &answer) && answer.verdict != SMS__ANSWER_ALONE;
    if (answered) {
        fprintf(to, "%s%s: ", before, sms_results_scenario(results)->name);
        put_text(&answer, to);
        sms__answer_put_cost(&answer, to);
        fputs(trust ? "\n  measured: " : "", to);
        if (trust)
            put_measured(&answer, trust, to);
        fputc('\n', to);
    }
    end(&answer);
    return answered;
}

void sms__print_no_answer(const struct sms_results *results, FILE *to)
{
    struct sms_question asked;
    if (!sms_results_question(results, &asked))
        fputs("  no answer: these results do not have the metric that the scenario asks for\n", to);
    else if (sms_results_policies(results) == 1)
        fputs("  no answer: there is only one policy; add another with --policy\n", to);
    else
        fprintf(to, "  no answer: no policy has a value of %s of %s; 'answer: {metric: ...}' names another metric\n",
                sms__metric_words(sms__metric_name(asked.subject, asked.metric)),
                sms_results_subject(results, asked.subject, asked.idx));
}

/* ---- JSON ---- */

/* The answer, or what bears on it. Returns NULL when out of memory. */
static json_t *text_of(const struct sms__outcome *answer, struct sms__trust *trust)
{
    struct sms__buffer text = {0};
    FILE *to = sms__buffer_open(&text);
    if (to && trust)
        put_measured(answer, trust, to);
    else if (to)
        put_text(answer, to);
    json_t *string = to && sms__buffer_close(&text, to) ? sms__json_text(text.bytes) : NULL;
    sms__note_memory(string);
    free(text.bytes);
    return string;
}

static void add_change(json_t *object, const struct sms__outcome *answer, size_t policy, size_t over)
{
    bool ratio;
    const struct sms_estimate change = change_of(answer, policy, over, &ratio);
    json_object_set_new(object, "change_difference", sms__json_number(ratio ? NAN : change.mean));
    json_object_set_new(object, "change_ratio", sms__json_number(ratio ? change.mean : NAN));
    json_object_set_new(object, "change_ci95", sms__json_number(change.ci95));
}

/* The policies that are not told apart from the best, and the change of the best over the next one. */
static void add_group(json_t *object, const struct sms__outcome *answer)
{
    json_t *group = json_array(), *next = NULL;
    for (size_t p = 0; p < sms_results_policies(answer->results); p++)
        if (answer->in_group[p])
            json_array_append_new(group, json_string(name_of(answer, p)));
    json_object_set_new(object, "group", group);
    if (answer->best.next < SIZE_MAX) {
        next = json_pack("{ss}", "policy", name_of(answer, answer->best.next));
        add_change(next, answer, answer->best.best, answer->best.next);
    }
    json_object_set_new(object, "next", next ? next : json_null());
}

static json_t *object_of(const struct sms__outcome *answer, struct sms__trust *trust)
{
    /* jansson aborts if memory runs out while it reads a number longer than all words before; so a long key is first.
     */
    json_t *object = json_pack("{ss ss ss ss sb ss ss ss so ss}", "metric", metric_of(answer), "subject",
                               sms__result_word(&answer->asked), "name", sms__result_subject(&answer->asked), "better",
                               answer->better > 0 ? "higher" : "lower", "declared", answer->declared, "best",
                               name_of(answer, answer->best.best), "change_of", name_of(answer, answer->other), "over",
                               name_of(answer, answer->baseline), "value", sms__json_number(answer->value.mean),
                               "verdict", sms__answer_is_unknown(answer) ? "not known" : verdicts[answer->verdict]);
    add_change(object, answer, answer->other, answer->baseline);
    add_group(object, answer);
    if (answer->verdict != SMS__ANSWER_ALONE)
        json_object_set_new(object, "text", text_of(answer, NULL));
    if (trust)
        json_object_set_new(object, "measured", text_of(answer, trust));
    return object;
}

struct json_t *sms__json_answer(const struct sms_results *results, size_t baseline, struct sms__trust *trust)
{
    struct sms__outcome answer;
    json_t *object = find(results, baseline, &answer) ? object_of(&answer, trust) : json_null();
    end(&answer);
    return object;
}
