/* Runs a scenario: every policy with every replication, and the stand-alone
 * runs; keeps one row of values for each run. */
#include "results.h"

#include "../base/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sms_run_options sms_run_defaults(void)
{
    return (struct sms_run_options){.alone = true, .explain_to_ps = UINT64_MAX};
}

static void new_values(struct sms_results *results, struct sms__values *values)
{
    const struct sms_scenario *scenario = results->scenario;
    for (int s = 0; s < SMS_SUBJECTS; s++) {
        size_t metrics;
        sms_metrics((enum sms_subject)s, &metrics);
        values->of[s] = SMS__NEW(&results->arena, double, sms__subject_count(scenario, (enum sms_subject)s) * metrics);
    }
    values->end_ps = SMS__NEW(&results->arena, double, scenario->vms);
}

static void name_kernels(struct sms_results *results)
{
    const struct sms_scenario *scenario = results->scenario;
    size_t n = 0;
    results->kernel_name = SMS__NEW(&results->arena, const char *, sms__subject_count(scenario, SMS_KERNEL));
    for (size_t v = 0; v < scenario->vms && !scenario->drawn; v++)
        for (size_t k = 0; k < scenario->vm[v].workload->kernels; k++)
            results->kernel_name[n++] =
                sms__print(&results->arena, "%s/%s", scenario->vm[v].name, scenario->vm[v].workload->kernel[k].name);
}

static void name_devices(struct sms_results *results)
{
    const struct sms_scenario *scenario = results->scenario;
    results->device_name = SMS__NEW(&results->arena, const char *, scenario->devices);
    for (size_t d = 0; d < scenario->devices; d++)
        results->device_name[d] = sms__print(&results->arena, "%s/%zu", scenario->device[d]->name, d);
}

static void name_nodes(struct sms_results *results)
{
    const struct sms__cluster *cluster = results->scenario->cluster;
    char name[256];
    results->node_name = SMS__NEW(&results->arena, const char *, cluster->rows);
    for (size_t i = 0; i < cluster->rows; i++) {
        sms__row_name(cluster, i, name, sizeof name);
        results->node_name[i] = sms__print(&results->arena, "%s", name);
    }
}

/* All policies, or those that `options->policy` names by label or name. */
static void choose_policies(struct sms_results *results, const struct sms_run_options *options)
{
    const struct sms_scenario *scenario = results->scenario;
    results->policy = SMS__NEW(&results->arena, size_t, scenario->policies);
    for (size_t p = 0; p < scenario->policies; p++) {
        const struct sms__policy_use *use = &scenario->policy[p];
        if (!options->policy || sms__is_called(use, options->policy))
            results->policy[results->policies++] = p;
    }
}

struct setup {
    struct sms_results *results;
    const struct sms_run_options *options;
    size_t upto;
};

static int set_up(void *user)
{
    struct setup *setup = user;
    struct sms_results *results = setup->results;
    const struct sms_scenario *scenario = results->scenario;
    choose_policies(results, setup->options);
    results->values = SMS__NEW(&results->arena, struct sms__values, results->policies * results->room);
    size_t rows = sms__series_rows(scenario);
    results->series = SMS__NEW(&results->arena, double, results->policies *rows *SMS__SERIES);
    size_t alone = results->with_alone ? results->room * scenario->vms : 0;
    results->alone = SMS__NEW(&results->arena, struct sms__alone, alone);
    for (size_t d = 0; d < scenario->devices && !scenario->cluster; d++)
        results->sms += scenario->device[d]->sms;
    results->bins = SMS__NEW(&results->arena, struct sms__bins, results->policies);
    for (size_t p = 0; p < results->policies; p++)
        results->bins[p].value = SMS__NEW(&results->arena, float, results->sms * setup->options->bins);
    name_kernels(results);
    name_devices(results);
    if (scenario->cluster) {
        name_nodes(results);
        results->allocation =
            sms__alloc(&results->arena, results->policies * results->room, sizeof *results->allocation);
    }
    if (scenario->compat == SMS__COMPAT_SIMTBS)
        results->simtbs = SMS__NEW(&results->arena, struct sms__simtbs_record, results->policies);
    for (size_t p = 0; results->simtbs && p < results->policies; p++)
        results->simtbs[p].kernel = SMS__NEW(&results->arena, struct sms__simtbs_kernel, scenario->vms);
    return SMS_OK;
}

/* Rows of the replications to come. */
static int make_rows(void *user)
{
    const struct setup *setup = user;
    struct sms_results *results = setup->results;
    for (size_t p = 0; p < results->policies; p++)
        for (size_t r = results->replications; r < setup->upto; r++) {
            size_t at = p * results->room + r;
            new_values(results, &results->values[at]);
            if (results->allocation)
                results->allocation[at] = sms__alloc(&results->arena, 1, sizeof *results->allocation[at]);
        }
    return SMS_OK;
}

/* As many replications as are asked for, or as the precision asks for. */
static int run_all(struct setup *setup, struct sms_errors *errors)
{
    struct sms_results *results = setup->results;
    int code = sms__find_warmup(results, setup->options, errors);
    while (code == SMS_OK && setup->upto > results->replications) {
        code = sms__guard(&results->arena, make_rows, setup);
        if (code)
            sms__report_run(code, results->scenario, "", errors);
        else
            code = sms__run_replications(results, setup->options, setup->upto, errors);
        if (code == SMS_OK && results->until)
            setup->upto = sms__until_next(results);
    }
    if (code == SMS_OK) {
        sms__until_warn(results);
        sms__warmup_warn(results);
    }
    return code;
}

/* Those of the scenario have been checked; options may ask for more. */
static int check_replications(const struct sms_scenario *scenario, uint64_t replications, struct sms_errors *errors)
{
    double gib;
    if (replications <= sms__most_replications(scenario) || sms__replications_fit(scenario, replications, &gib))
        return SMS_OK;
    return sms__fail(errors, SMS_EINPUT, scenario->path,
                     "%llu replications of scenario '%.60s' need about %.3g GiB of memory, more than 4",
                     (unsigned long long)replications, scenario->name, gib);
}

static int fail_without_policy(const struct sms_scenario *scenario, const char *policy, struct sms_errors *errors)
{
    char text[300];
    sms__say_no_policy(text, sizeof text, scenario, policy);
    return sms__fail(errors, SMS_EINPUT, scenario->path, "%s", text);
}

/* A number of replications in the options is that number, whatever precision the scenario asks for. */
static void choose_replications(struct setup *setup, const struct sms_scenario *scenario)
{
    struct sms_results *results = setup->results;
    results->until = !setup->options->replications && scenario->until.precision > 0;
    setup->upto = setup->options->replications ? setup->options->replications : (size_t)scenario->replications;
    results->room = results->until ? (size_t)scenario->until.most : setup->upto;
}

int sms_run(const struct sms_scenario *scenario, const struct sms_run_options *options, struct sms_results **out,
            struct sms_errors *errors)
{
    struct sms_run_options defaults = sms_run_defaults();
    options = options ? options : &defaults;
    *out = NULL;
    *errors = (struct sms_errors){0};
    struct sms_results *results = calloc(1, sizeof *results);
    if (!results)
        return sms__report_run(SMS_ENOMEM, scenario, "", errors);
    struct setup setup = {.results = results, .options = options};
    results->scenario = scenario;
    results->seed = options->seed ? options->seed : scenario->seed;
    choose_replications(&setup, scenario);
    results->with_alone = options->alone && scenario->compat == SMS__COMPAT_OFF && !scenario->cluster;
    int code = check_replications(scenario, results->room, errors);
    if (code == SMS_OK)
        code = sms__guard(&results->arena, set_up, &setup);
    if (code == SMS_OK && results->policies == 0)
        code = fail_without_policy(scenario, options->policy, errors);
    if (code == SMS_OK)
        code = run_all(&setup, errors);
    else if (!errors->count)
        sms__report_run(code, scenario, "", errors);
    if (code)
        sms_results_free(results);
    else
        *out = results;
    return code;
}

void sms_results_free(struct sms_results *results)
{
    if (!results)
        return;
    sms__arena_release(&results->arena);
    free(results);
}

const struct sms_scenario *sms_results_scenario(const struct sms_results *results) { return results->scenario; }
uint64_t sms_results_seed(const struct sms_results *results) { return results->seed; }
size_t sms_results_replications(const struct sms_results *results) { return results->replications; }
size_t sms_results_policies(const struct sms_results *results) { return results->policies; }
size_t sms_results_sms(const struct sms_results *results) { return results->sms; }

const char *sms_results_policy(const struct sms_results *results, size_t policy)
{
    return results->scenario->policy[results->policy[policy]].label;
}

size_t sms_results_subjects(const struct sms_results *results, enum sms_subject subject)
{
    return sms__subject_count(results->scenario, subject);
}

const char *sms_results_subject(const struct sms_results *results, enum sms_subject subject, size_t idx)
{
    switch (subject) {
    case SMS_VM:
        return results->scenario->vm[idx].name;
    case SMS_RESOURCE:
        return results->scenario->device[0]->resource[idx].name;
    case SMS_KERNEL:
        return results->kernel_name[idx];
    case SMS_PROCESS:
        return idx < results->scenario->vms ? results->scenario->vm[idx].name : "all";
    case SMS_DEVICE:
        return idx < results->scenario->devices ? results->device_name[idx] : "all";
    case SMS_CLUSTER:
        return "cluster";
    case SMS_NODE:
        return results->node_name[idx];
    default:
        return "host";
    }
}

double sms_results_value(const struct sms_results *results, size_t policy, size_t replication, enum sms_subject subject,
                         size_t idx, size_t metric)
{
    size_t metrics;
    sms_metrics(subject, &metrics);
    return results->values[policy * results->room + replication].of[subject][idx * metrics + metric];
}

struct sms_estimate sms_results_estimate(const struct sms_results *results, size_t policy, enum sms_subject subject,
                                         size_t idx, size_t metric)
{
    struct sms_estimate estimate = {0};
    for (size_t i = 0; i < results->replications; i++) {
        double value = sms_results_value(results, policy, i, subject, idx, metric);
        if (!isnan(value))
            sms__estimate_add(&estimate, value);
    }
    return sms__estimate_close(estimate);
}

struct sms_estimate sms_results_ratio(const struct sms_results *results, size_t policy, size_t baseline,
                                      enum sms_subject subject, size_t idx, size_t metric)
{
    struct sms_estimate estimate = {0};
    for (size_t i = 0; i < results->replications; i++) {
        double value = sms_results_value(results, policy, i, subject, idx, metric);
        double base = sms_results_value(results, baseline, i, subject, idx, metric);
        if (!isnan(value) && base > 0)
            sms__estimate_add(&estimate, value / base);
    }
    return sms__estimate_close(estimate);
}

struct sms_estimate sms_results_difference(const struct sms_results *results, size_t policy, size_t baseline,
                                           enum sms_subject subject, size_t idx, size_t metric)
{
    struct sms_estimate estimate = {0};
    for (size_t i = 0; i < results->replications; i++) {
        double difference = sms_results_value(results, policy, i, subject, idx, metric) -
                            sms_results_value(results, baseline, i, subject, idx, metric);
        if (!isnan(difference))
            sms__estimate_add(&estimate, difference);
    }
    return sms__estimate_close(estimate);
}

const struct sms_errors *sms_results_warnings(const struct sms_results *results) { return &results->warnings; }

double sms_results_warmup_ps(const struct sms_results *results) { return results->scenario->warmup_ps; }

const struct sms__simtbs_record *sms__results_simtbs(const struct sms_results *results, size_t policy)
{
    return results->simtbs ? &results->simtbs[policy] : NULL;
}

bool sms_results_allocation(const struct sms_results *results, size_t policy, size_t idx, struct sms_allocation *out)
{
    const struct sms__cluster *cluster = results->scenario->cluster;
    double count = 0, gpus = cluster ? (double)cluster->gpu_milli : 0;
    *out = (struct sms_allocation){0};
    if (!cluster || idx >= SMS__ALLOCATIONS || gpus <= 0)
        return false;
    for (size_t r = 0; r < results->replications; r++) {
        const struct sms__allocation *point = &(*results->allocation[policy * results->room + r])[idx];
        double left = gpus - (double)(point->down_milli + point->gpu_milli);
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
    const struct sms__bins *bins = &results->bins[policy];
    return bins->count ? bins->value + sm_of_all * bins->count : NULL;
}

uint64_t sms_results_bin_ps(const struct sms_results *results, size_t policy) { return results->bins[policy].width_ps; }

const char *const sms__stall_names[SMS__STALLS] = {"device", "memory", "launch", "restore", "resume"};

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
