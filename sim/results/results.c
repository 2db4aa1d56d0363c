/* The results of a scenario: their memory, and the accessors of smsched.h. */
#include "results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t sms__values_count(const struct sms_results *results, enum sms_subject subject)
{
    return results->subjects[subject] * sms__metric_count(subject);
}

size_t sms__values_size(const struct sms_results *results)
{
    size_t count = 2 * results->scenario->vms + SMS__COUNTS;
    for (int s = 0; s < SMS_SUBJECTS; s++)
        count += sms__values_count(results, (enum sms_subject)s);
    return count;
}

/* In one piece, so that all of a run can be copied at once. */
static void new_values(struct sms_results *results, struct sms__values *values)
{
    values->end_ps = SMS__NEW(&results->arena, double, sms__values_size(results));
    values->counted = values->end_ps + results->scenario->vms;
    double *next = values->counted + results->scenario->vms + SMS__COUNTS;
    for (int s = 0; s < SMS_SUBJECTS; s++) {
        values->of[s] = next;
        next += sms__values_count(results, (enum sms_subject)s);
    }
}

static void choose_policies(struct sms_results *results)
{
    const struct sms_scenario *scenario = results->scenario;
    results->policy = SMS__NEW(&results->arena, size_t, scenario->policies);
    for (size_t p = 0; p < scenario->policies; p++)
        if (sms__is_chosen(scenario, p, results->options->policies))
            results->policy[results->policies++] = p;
}

int sms__results_set_up(void *user)
{
    struct sms_results *results = user;
    struct sms__arena *arena = &results->arena;
    const struct sms_scenario *scenario = results->scenario;
    choose_policies(results);
    const size_t policies = results->policies, rows = policies * results->room;
    for (int s = 0; s < SMS_SUBJECTS; s++) {
        results->subjects[s] = sms__subject_count(scenario, (enum sms_subject)s);
        results->name[s] = sms__subject_names(arena, scenario, (enum sms_subject)s);
    }
    for (size_t d = 0; d < scenario->devices && !scenario->cluster; d++)
        results->sms += scenario->device[d]->sms;
    results->values = SMS__NEW(arena, struct sms__values, rows);
    results->series = SMS__NEW(arena, double, SMS__SERIES *policies *sms__series_rows(scenario));
    results->alone = SMS__NEW(arena, struct sms__alone, results->with_alone ? results->room * scenario->vms : 0);
    results->bins = SMS__NEW(arena, struct sms__bins, policies);
    for (size_t p = 0; p < policies; p++)
        results->bins[p].value = SMS__NEW(arena, float, results->sms * results->options->bins);
    sms__latencies_set_up(results);
    if (scenario->cluster)
        results->allocation = sms__alloc(arena, rows, sizeof *results->allocation);
    if (results->memo)
        sms__run_text(arena, scenario, &results->text);
    return SMS_OK;
}

int sms__results_make_rows(void *user)
{
    struct sms_results *results = user;
    for (size_t p = 0; p < results->policies; p++)
        for (size_t r = results->replications; r < results->wanted; r++) {
            size_t row = p * results->room + r;
            new_values(results, &results->values[row]);
            if (results->allocation)
                results->allocation[row] = sms__alloc(&results->arena, 1, sizeof *results->allocation[row]);
        }
    return SMS_OK;
}

void sms_results_free(struct sms_results *results)
{
    if (!results)
        return;
    sms__unknowns_free(results->unknowns);
    sms__arena_release(&results->arena);
    free(results);
}

const struct sms_scenario *sms_results_scenario(const struct sms_results *results)
{
    return results ? results->scenario : NULL;
}

uint64_t sms_results_seed(const struct sms_results *results) { return results ? results->seed : 0; }
size_t sms_results_replications(const struct sms_results *results) { return results ? results->replications : 0; }
size_t sms_results_policies(const struct sms_results *results) { return results ? results->policies : 0; }
size_t sms_results_sms(const struct sms_results *results) { return results ? results->sms : 0; }

const char *sms_results_policy(const struct sms_results *results, size_t policy)
{
    return policy < sms_results_policies(results) ? sms__ran(results, policy)->label : NULL;
}

size_t sms__find_policy(const struct sms_results *results, const char *label)
{
    size_t p = 0;
    while (p < sms_results_policies(results) && strcmp(sms_results_policy(results, p), label) != 0)
        p++;
    return p;
}

size_t sms_results_subjects(const struct sms_results *results, enum sms_subject subject)
{
    return results && (unsigned)subject < SMS_SUBJECTS ? results->subjects[subject] : 0;
}

const char *sms_results_subject(const struct sms_results *results, enum sms_subject subject, size_t idx)
{
    return idx < sms_results_subjects(results, subject) ? results->name[subject][idx] : NULL;
}

const double *sms_results_values(const struct sms_results *results, size_t policy, size_t replication,
                                 enum sms_subject subject)
{
    if (policy >= sms_results_policies(results) || replication >= results->replications ||
        !sms_results_subjects(results, subject))
        return NULL;
    return results->values[policy * results->room + replication].of[subject];
}

double sms_results_value(const struct sms_results *results, size_t policy, size_t replication, enum sms_subject subject,
                         size_t idx, size_t metric)
{
    const size_t metrics = sms__metric_count(subject);
    const double *value = sms_results_values(results, policy, replication, subject);
    return value && idx < results->subjects[subject] && metric < metrics ? value[idx * metrics + metric] : (double)NAN;
}

static size_t policy_named(const struct sms_results *results, const char *name)
{
    size_t p = 0;
    while (p < sms_results_policies(results) && !sms__is_called(sms__ran(results, p), name))
        p++;
    return p;
}

size_t sms__find_subject(const struct sms_results *results, enum sms_subject kind, const char *name)
{
    size_t i = 0;
    while (i < sms_results_subjects(results, kind) && strcmp(sms_results_subject(results, kind, i), name) != 0)
        i++;
    return i;
}

double sms_results_value_named(const struct sms_results *results, const char *policy, size_t replication,
                               const char *kind, const char *subject, const char *metric)
{
    int of = 0;
    if (!results || !policy || !kind || !subject || !metric)
        return NAN;
    while (of < SMS_SUBJECTS && strcmp(sms__subject_word((enum sms_subject)of), kind) != 0)
        of++;
    if (of == SMS_SUBJECTS)
        return NAN;
    const enum sms_subject is = (enum sms_subject)of;
    const long at = sms_metric_index(is, metric);
    return at < 0 ? NAN
                  : sms_results_value(results, policy_named(results, policy), replication, is,
                                      sms__find_subject(results, is, subject), (size_t)at);
}

const struct sms_errors *sms_results_warnings(const struct sms_results *results)
{
    static const struct sms_errors none;
    return results ? &results->warnings : &none;
}

double sms_results_warmup_ps(const struct sms_results *results) { return results ? results->scenario->warmup_ps : NAN; }

bool sms_results_allocation(const struct sms_results *results, size_t policy, size_t idx, struct sms_allocation *out)
{
    if (out)
        *out = (struct sms_allocation){0};
    if (!out || policy >= sms_results_policies(results) || !results->scenario->cluster || idx >= SMS__ALLOCATIONS)
        return false;
    const struct sms__cluster *cluster = results->scenario->cluster;
    double count = 0, gpus = (double)cluster->gpu_milli;
    if (gpus <= 0)
        return false;
    for (size_t r = 0; r < results->replications; r++) {
        const struct sms__allocation *point = &(*results->allocation[policy * results->room + r])[idx];
        double left = gpus - (double)point->gpu_milli;
        if (!point->reached)
            continue;
        out->allocated += (double)point->gpu_milli / gpus;
        out->fragments += left > 0 ? (double)point->fragments / (double)cluster->typical_pods / left : 0;
        count++;
    }
    out->arrived = cluster->load * (double)idx / (SMS__ALLOCATIONS - 1);
    out->allocated /= count;
    out->fragments /= count;
    return count > 0;
}

const float *sms_results_bins(const struct sms_results *results, size_t policy, size_t sm_of_all)
{
    if (policy >= sms_results_policies(results) || sm_of_all >= results->sms)
        return NULL;
    const struct sms__bins *bins = &results->bins[policy];
    return bins->count ? bins->value + sm_of_all * bins->count : NULL;
}

uint64_t sms_results_bin_ps(const struct sms_results *results, size_t policy)
{
    return policy < sms_results_policies(results) ? results->bins[policy].width_ps : 0;
}

const uint64_t *sms__results_stall(const struct sms_results *results, size_t policy, uint64_t *sum)
{
    const uint64_t *most = results->values[policy * results->room].stall;
    *sum = 0;
    for (size_t i = 0; i < results->replications; i++) {
        const uint64_t *own = results->values[policy * results->room + i].stall;
        uint64_t all = 0;
        for (int s = 0; s < SMS__STALLS; s++)
            all += own[s];
        most = all > *sum ? own : most;
        *sum = all > *sum ? all : *sum;
    }
    return most;
}
