/* The answer to a scenario's question: the best policy by the metric that it asks for, its change over the baseline,
 * and whether that may be chance. A change counts if it holds after Holm's correction for the number of policies. */
#include "json_write.h"
#include "memory.h"
#include "output.h"
#include "walk.h"

#include "../base/buffer.h"
#include "../base/statistics.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum verdict { ALONE, ONCE, EXACT, SAME, CHANCE, DIFFERS };
static const char *const verdicts[] = {"only policy", "one replication", "exact", "same", "may be chance", "differs"};

struct answer {
    const struct sms_results *results;
    struct sms__result asked;
    int better;    /* +1 if more is better, -1 if less is */
    bool declared; /* by the scenario */
    size_t baseline, best;
    size_t other; /* the policy whose change is told: the best, or the next best if the baseline is the best */
    struct sms_estimate value, change; /* of the best policy; of the other one over the baseline */
    bool ratio;                        /* the change is a ratio less 1; else a difference */
    enum verdict verdict;
};

static const char *metric_of(const struct answer *answer) { return sms__result_metric(&answer->asked); }

static struct sms_estimate value_of(const struct answer *answer, size_t policy)
{
    return sms__result_estimate(&answer->asked, policy);
}

/* Over the baseline: the ratio less 1, or the difference where there is no ratio, or where the mean ratio says the
 * opposite of the means, by which policies are ranked. */
static struct sms_estimate change_of(const struct answer *answer, size_t policy, bool *ratio)
{
    struct sms_estimate change = sms__result_ratio(&answer->asked, policy, answer->baseline),
                        difference = sms__result_difference(&answer->asked, policy, answer->baseline);
    change.mean -= 1;
    *ratio = !isnan(change.mean) && !(change.mean * difference.mean < 0);
    return *ratio ? change : difference;
}

/* The best policy, except `without`. `start` wins against equals, then the first. */
static size_t best_from(const struct answer *answer, size_t start, size_t without)
{
    size_t best = start;
    for (size_t p = 0; p < sms_results_policies(answer->results); p++) {
        double value = value_of(answer, p).mean, most = value_of(answer, best).mean;
        if (p != without && ((value - most) * answer->better > 0 || (isnan(most) && !isnan(value))))
            best = p;
    }
    return best;
}

/* Returns false if no policy has a value. */
static bool find_best(struct answer *answer)
{
    answer->best = answer->other = best_from(answer, answer->baseline, SIZE_MAX);
    if (answer->best == answer->baseline && sms_results_policies(answer->results) > 1)
        answer->other = best_from(answer, answer->baseline == 0, answer->baseline);
    answer->value = value_of(answer, answer->best);
    return !isnan(answer->value.mean);
}

/* Whether the change of `other` holds after correction for the changes of all policies. */
static bool holds(const struct answer *answer)
{
    size_t policies = sms_results_policies(answer->results);
    double *p = calloc(2 * policies, sizeof *p);
    if (!p)
        return false;
    for (size_t i = 0; i < policies; i++) {
        bool ratio;
        p[i] = i == answer->baseline ? NAN : sms_p_value(change_of(answer, i, &ratio), 0);
    }
    bool sure = sms__holm(p, p + policies, policies) && p[policies + answer->other] < SMS__SIGNIFICANT;
    free(p);
    return sure;
}

/* Whether all policies have the same value. */
static bool are_same(const struct answer *answer)
{
    for (size_t p = 0; p < sms_results_policies(answer->results); p++)
        if (!(value_of(answer, p).mean == answer->value.mean))
            return false;
    return true;
}

static enum verdict judge(const struct answer *answer)
{
    if (sms_results_policies(answer->results) == 1)
        return ALONE;
    if (are_same(answer))
        return SAME;
    if (sms_results_exact(answer->results))
        return EXACT;
    if (sms_results_replications(answer->results) == 1)
        return ONCE;
    return holds(answer) ? DIFFERS : CHANCE;
}

/* Returns false if there is no answer. */
static bool find(const struct sms_results *results, size_t baseline, struct answer *answer)
{
    struct sms_question asked;
    bool found = sms_results_question(results, &asked);
    *answer = (struct answer){.results = results,
                              .asked = {results, 0, asked.subject, asked.idx, asked.metric},
                              .better = asked.better,
                              .declared = asked.declared,
                              .baseline = baseline};
    if (!found || !find_best(answer))
        return false;
    answer->change = change_of(answer, answer->other, &answer->ratio);
    answer->verdict = judge(answer);
    return true;
}

/* ---- in words ---- */

/* A unit for values like this one: times have several. */
static struct sms__scale unit_of(const struct answer *answer, double value)
{
    const size_t length = strlen(metric_of(answer));
    const bool time = length > 3 && !strcmp(metric_of(answer) + length - 3, "_ns");
    return sms__scale_of(time ? "_ns" : "", value);
}

static void put_value(const struct answer *answer, double value, FILE *to)
{
    const struct sms__scale unit = unit_of(answer, value);
    fprintf(to, "%.4g%s", value / unit.divisor, unit.name);
}

static void put_change(const struct answer *answer, FILE *to)
{
    const struct sms_estimate *change = &answer->change;
    const struct sms__scale unit = unit_of(answer, fabs(change->mean));
    bool interval = answer->verdict >= CHANCE && !isnan(change->ci95);
    const double least = change->mean > -1 ? -1 : -INFINITY; /* no value of a metric falls below 0 */
    char text[64];
    if (answer->ratio)
        fputs(sms__percent(text, sizeof text, true, 100 * change->mean, NAN), to);
    else
        fprintf(to, "%+.4g%s", change->mean / unit.divisor, unit.name);
    fprintf(to, " over %s", sms_results_policy(answer->results, answer->baseline));
    if (interval && answer->ratio)
        fprintf(to, " (95 %% interval %+.1f to %+.1f)", 100 * fmax(change->mean - change->ci95, least),
                100 * (change->mean + change->ci95));
    else if (interval)
        fprintf(to, " (95 %% interval %+.4g to %+.4g%s)", (change->mean - change->ci95) / unit.divisor,
                (change->mean + change->ci95) / unit.divisor, unit.name);
}

static void put_best(const struct answer *answer, FILE *to)
{
    const char *best = sms_results_policy(answer->results, answer->best);
    const char *way = answer->better > 0 ? "highest" : "lowest";
    const char *of = sms__result_subject(&answer->asked);
    if (answer->verdict == SAME)
        fprintf(to, "all policies have the same %s of %s: ", metric_of(answer), of);
    else
        fprintf(to, "%s has the %s %s of %s: ", best, way, metric_of(answer), of);
    put_value(answer, answer->value.mean, to);
}

/* Says why there is no change to tell. */
static void put_no_change(const struct answer *answer, FILE *to)
{
    const char *baseline = sms_results_policy(answer->results, answer->baseline);
    if (isnan(value_of(answer, answer->other).mean))
        fputs("; no other policy has a value", to);
    else if (isnan(value_of(answer, answer->baseline).mean))
        fprintf(to, "; %s has none", baseline);
    else
        fprintf(to, "; %s has values in other replications only", baseline);
}

static const char *sureness(const struct answer *answer)
{
    static const char *const words[] = {[ONCE] = "; one replication says nothing of chance",
                                        [EXACT] = "; nothing is drawn, so it is exact",
                                        [CHANCE] = "; that may be chance",
                                        [DIFFERS] = ""};
    return words[answer->verdict];
}

/* If a time of waiting is asked for, missed deadlines matter, too. */
static void put_misses(const struct answer *answer, FILE *to)
{
    bool waits = strstr(metric_of(answer), "latency") || strstr(metric_of(answer), "turnaround");
    const struct sms__result misses =
        sms__result_of(answer->results, answer->asked.subject, answer->asked.idx, "deadline_miss_ratio");
    double best = sms__result_estimate(&misses, answer->best).mean,
           base = sms__result_estimate(&misses, answer->baseline).mean;
    if (!waits || isnan(best) || isnan(base))
        return;
    fprintf(to, "; deadlines missed: %.3g %%", 100 * best);
    if (best != base)
        fprintf(to, " instead of %.3g %%", 100 * base);
}

/* How far the best policy is below the bound, if the metric asked for has one. */
static void put_gap(const struct answer *answer, FILE *to)
{
    struct sms_bound bound;
    for (int m = 0; m < SMS_BOUNDED && answer->asked.subject == SMS_HOST; m++) {
        if (strcmp(metric_of(answer), sms_bound_metric((enum sms_bounded)m)) != 0 ||
            sms_results_bound(answer->results, (enum sms_bounded)m, &bound, NULL))
            continue;
        double gap = sms_bound_gap(&bound, answer->value.mean);
        if (!isnan(gap))
            fprintf(to, "; %s is %.1f %% below %.4g, which no policy exceeds",
                    sms_results_policy(answer->results, answer->best), 100 * gap, bound.run_per_s);
    }
}

static void put_comparison(const struct answer *answer, FILE *to)
{
    const char *other = sms_results_policy(answer->results, answer->other);
    if (answer->best != answer->baseline) {
        fputs(", ", to);
        put_change(answer, to);
    } else if (answer->verdict == EXACT && value_of(answer, answer->other).mean == answer->value.mean) {
        fprintf(to, ", and so has %s", other);
    } else {
        fprintf(to, ", and %s is next, ", other);
        put_change(answer, to);
    }
}

static void put_text(const struct answer *answer, FILE *to)
{
    put_best(answer, to);
    if (isnan(answer->change.mean)) {
        put_no_change(answer, to);
    } else if (answer->verdict != SAME) {
        put_comparison(answer, to);
        fputs(sureness(answer), to);
    }
    put_misses(answer, to);
    put_gap(answer, to);
}

/* Names what the best policy makes worse by more than half a percent, of what concerns all tenants. Not what may be
 * chance. */
static void put_cost(const struct answer *answer, FILE *to)
{
    static const char *const metrics[] = {"fairness_ratio", "stp_ratio", "antt_ratio", "deadline_miss_ratio"};
    const enum sms_subject subject = sms_results_scenario(answer->results)->cluster ? SMS_CLUSTER : SMS_HOST;
    const char *between = "; it costs ";
    char text[64];
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics && answer->best != answer->baseline; i++) {
        const struct sms__result row = sms__result_of(answer->results, subject, 0, metrics[i]);
        if (row.metric == SIZE_MAX || !strcmp(metrics[i], metric_of(answer)))
            continue;
        struct sms_estimate change = sms__result_ratio(&row, answer->best, answer->baseline);
        change.mean -= 1;
        if (!(change.mean * sms_metrics(subject, NULL)[row.metric].better < -0.005) ||
            sms_p_value(change, 0) >= SMS__SIGNIFICANT)
            continue;
        fprintf(to, "%s%s %s", between, metrics[i], sms__percent(text, sizeof text, true, 100 * change.mean, NAN));
        between = ", ";
    }
}

bool sms__print_answer(const struct sms_results *results, size_t baseline, const char *before, FILE *to)
{
    struct answer answer;
    if (!find(results, baseline, &answer) || answer.verdict == ALONE)
        return false;
    fprintf(to, "%s%s: ", before, sms_results_scenario(results)->name);
    put_text(&answer, to);
    if (answer.verdict != SAME)
        put_cost(&answer, to);
    fputc('\n', to);
    return true;
}

/* ---- JSON ---- */

/* Returns NULL when out of memory. */
static json_t *text_of(const struct answer *answer)
{
    struct sms__buffer text = {0};
    FILE *to = sms__buffer_open(&text);
    if (to)
        put_text(answer, to);
    json_t *string = to && sms__buffer_close(&text, to) ? sms__json_text(text.bytes) : NULL;
    sms__note_memory(string);
    free(text.bytes);
    return string;
}

struct json_t *sms__json_answer(const struct sms_results *results, size_t baseline)
{
    struct answer answer;
    if (!find(results, baseline, &answer))
        return json_null();
    const struct sms_estimate *change = &answer.change;
    /* jansson aborts if memory runs out while it reads a number longer than all words before; so a long key is first.
     */
    json_t *object =
        json_pack("{ss ss ss ss sb ss ss ss so so so so ss}", "metric", metric_of(&answer), "subject",
                  sms__result_word(&answer.asked), "name", sms__result_subject(&answer.asked), "better",
                  answer.better > 0 ? "higher" : "lower", "declared", answer.declared, "best",
                  sms_results_policy(results, answer.best), "change_of", sms_results_policy(results, answer.other),
                  "over", sms_results_policy(results, baseline), "change_difference",
                  sms__json_number(answer.ratio ? NAN : change->mean), "change_ratio",
                  sms__json_number(answer.ratio ? change->mean : NAN), "change_ci95", sms__json_number(change->ci95),
                  "value", sms__json_number(answer.value.mean), "verdict", verdicts[answer.verdict]);
    if (answer.verdict != ALONE)
        json_object_set_new(object, "text", text_of(&answer));
    return object;
}
