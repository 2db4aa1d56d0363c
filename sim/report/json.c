/* Results as JSON: an object for each scenario. A metric is the mean over replications. `ci95` beside the metrics holds
 * the half-widths; they are null if all replications gave the same value. `maximum_of` names values that are the
 * maximum of so many jobs. */
#include "json_write.h"
#include "output.h"
#include "walk.h"

#include "../results/verdict.h"

#include <jansson.h>

/* The metrics of the row's subject. */
static json_t *metrics_of(struct sms__result row, long baseline)
{
    json_t *object = json_object(), *ci95 = json_object(), *maximum_of = json_object();
    if (row.subject != SMS_HOST)
        json_object_set_new(object, "name", json_string(sms__result_subject(&row)));
    for (; row.metric < sms__metric_count(row.subject); row.metric++) {
        struct sms_estimate e = sms__result_shown(&row, baseline);
        json_object_set_new(object, sms__result_metric(&row), sms__json_number(e.mean));
        if (e.n > 1)
            json_object_set_new(ci95, sms__result_metric(&row), sms__json_number(e.ci95));
        const size_t jobs = sms__maximum_of(&row, row.policy);
        if (jobs && baseline < 0)
            json_object_set_new(maximum_of, sms__result_metric(&row), json_integer((json_int_t)jobs));
    }
    json_object_set_new(object, "ci95", ci95);
    if (json_object_size(maximum_of))
        json_object_set(object, "maximum_of", maximum_of);
    json_decref(maximum_of);
    return object;
}

/* Processes that wait for ever, by what they wait for. */
static json_t *stall_of(const struct sms_results *results, size_t policy)
{
    static const char *const names[SMS__STALLS] = {"device", "memory", "launch", "restore", "resume", "sm"};
    uint64_t sum;
    const uint64_t *stall = sms__results_stall(results, policy, &sum);
    json_t *object = json_object();
    for (int s = 0; s < SMS__STALLS; s++)
        if (stall[s])
            json_object_set_new(object, names[s], json_integer((json_int_t)stall[s]));
    return object;
}

/* Adds the values of the policy's subjects. */
static void add_subjects(json_t *run, const struct sms_results *results, long baseline, size_t policy)
{
    const struct sms_scenario *scenario = sms_results_scenario(results);
    for (int s = 0; s < SMS_SUBJECTS; s++) {
        struct sms__result row = {results, policy, (enum sms_subject)s, 0, 0};
        enum sms__subject_kind kind = sms__subject_kind(row.subject);
        json_t *list = json_array();
        for (; row.idx < sms_results_subjects(results, row.subject) && kind != SMS__AS_FILE; row.idx++)
            json_array_append_new(list, metrics_of(row, baseline));
        if (!sms__subject_applies(scenario, row.subject) || kind == SMS__AS_FILE)
            json_decref(list);
        else if (kind == SMS__AS_LIST)
            json_object_set_new(run, sms__subject_plural(row.subject), list);
        else {
            json_object_set(run, sms__result_word(&row), json_array_get(list, 0));
            json_decref(list);
        }
    }
}

static json_t *run_of(const struct sms_results *results, long baseline, size_t policy)
{
    json_t *run = json_object();
    json_object_set_new(run, "policy", json_string(sms_results_policy(results, policy)));
    add_subjects(run, results, baseline, policy);
    json_t *stall = stall_of(results, policy);
    const bool applies = sms__subject_applies(sms_results_scenario(results), SMS_PROCESS);
    if (baseline < 0 && (applies || json_object_size(stall)))
        json_object_set(run, "waits_for_ever", stall);
    json_decref(stall);
    return run;
}

void sms__json_stopping(const struct sms_results *results, json_t *object)
{
    struct sms_until until;
    size_t count;
    const struct sms_errors *warnings = sms_results_warnings(results);
    if (sms_results_until(results, &until))
        json_object_set_new(object, "until",
                            json_pack("{ss ss ss sf so sb si}", "subject", sms__subject_word(until.subject), "name",
                                      sms_results_subject(results, until.subject, until.idx), "metric",
                                      sms__metric_name(until.subject, until.metric), "precision_ratio", until.wanted,
                                      "reached_ratio", sms__json_number(isinf(until.reached) ? NAN : until.reached),
                                      "met", until.reached <= until.wanted, "most", (int)until.most));
    if (sms_results_scenario(results)->find_warmup)
        json_object_set_new(object, "warmup_ns", json_real(sms_results_warmup_ps(results) / 1e3));
    const char *const *notes = sms_results_notes(results, &count);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_string(notes[i]));
    json_object_set_new(object, "notes", list);
    if (!warnings->count)
        return;
    list = json_array();
    for (size_t i = 0; i < warnings->count && i < SMS_ERRORS_MAX; i++)
        json_array_append_new(list, json_string(warnings->item[i].message));
    json_object_set_new(object, "warnings", list);
}

/* True if all tenants run the same kernels, so that their numbers can be added up. */
static bool kernels_alike(const struct sms_scenario *scenario)
{
    const struct sms__workload *first = NULL, *workload;
    size_t number;
    for (size_t v = 0; v < scenario->vms; v++)
        for (size_t i = 0; (workload = sms__workload_of(&scenario->vm[v], i, &number)); i++) {
            first = first ? first : workload;
            if (workload != first)
                return false;
        }
    return true;
}

static json_t *scenario_of(const struct sms_results *results, long baseline, struct sms__trust *trust)
{
    const struct sms_scenario *scenario = sms_results_scenario(results);
    json_t *object = json_object(), *runs = json_array();
    json_object_set_new(object, "scenario", json_string(scenario->name));
    json_object_set_new(object, "question", json_string(scenario->question));
    if (!scenario->cluster) {
        json_object_set_new(object, "contention", json_string(scenario->contention.label));
        json_object_set_new(object, "kernels_alike", json_boolean(kernels_alike(scenario)));
        json_object_set_new(object, "queue", json_string(scenario->queue->name));
    }
    json_object_set_new(object, "seed", json_integer((json_int_t)sms_results_seed(results)));
    json_object_set_new(object, "replications", json_integer((json_int_t)sms_results_replications(results)));
    json_object_set_new(object, "exact", json_boolean(sms_results_exact(results)));
    sms__json_stopping(results, object);
    if (baseline >= 0) {
        json_object_set_new(object, "ratios_over", json_string(sms_results_policy(results, (size_t)baseline)));
        json_object_set_new(object, "comparisons", sms__json_comparisons(results, (size_t)baseline));
    }
    json_object_set_new(object, "answer", sms__json_answer(results, baseline < 0 ? 0 : (size_t)baseline, trust));
    if (baseline >= 0)
        json_object_set_new(object, "unknowns", sms__json_unknowns(results, (size_t)baseline));
    if (baseline >= 0 && !scenario->cluster) {
        json_object_set_new(object, "alone", sms__json_alone(results, (size_t)baseline));
        json_object_set_new(object, "bounds", sms__json_gaps(results));
    }
    for (size_t p = 0; p < sms_results_policies(results); p++)
        json_array_append_new(runs, run_of(results, baseline, p));
    json_object_set_new(object, "runs", runs);
    return object;
}

/* One scenario is an object, several are an array. `baseline` is NULL or [scenarios]. */
static int print_all(const struct sms__set *set, const size_t *baseline, FILE *to)
{
    json_t *all = json_array();
    for (size_t s = 0; s < set->count; s++)
        json_array_append_new(all, scenario_of(set->results[s], baseline ? (long)baseline[s] : -1, set->trust));
    json_t *one = set->count == 1 ? json_incref(json_array_get(all, 0)) : json_incref(all);
    json_decref(all);
    return sms__json_write(one, to, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
}

int sms__print_json(const struct sms__set *set, FILE *to) { return print_all(set, NULL, to); }

int sms__print_json_ratios(const struct sms__set *set, const size_t *baseline, FILE *to)
{
    return print_all(set, baseline, to);
}
