/* Runs a scenario: every policy with every replication, and the stand-alone
 * runs, on a number of threads; keeps one row of values for each run. */
#include "results.h"

#include "../levels/simulate.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The runs to do, handed out one by one. */
struct work {
    struct sms_results *results;
    const struct sms_run_options *options;
    pthread_mutex_t lock;
    size_t next, done, total;
    int code;
    size_t failed; /* the first job in order that did, if `code` says that one did */
    char why[sizeof(((struct sms__record *)0)->why)];
};

struct sms_run_options sms_run_defaults(void)
{
    return (struct sms_run_options){.alone = true, .explain_to_ps = UINT64_MAX};
}

/* A seed for each replication; policies of one replication share it. */
static uint64_t replication_seed(const struct sms_results *results, size_t replication)
{
    return results->seed + 0x9e3779b97f4a7c15u * replication;
}

struct job {
    struct work *work;
    size_t idx;
    struct sms__arena arena;
    char why[sizeof(((struct sms__record *)0)->why)];
};

static void keep_bins(struct sms_results *results, size_t policy, const struct sms__record *record)
{
    struct sms__bins *bins = &results->bins[policy];
    if (!record->bins)
        return;
    bins->count = record->bins;
    bins->width_ps = record->bin_ps;
    for (size_t d = 0, sm = 0; d < results->scenario->devices; d++)
        for (size_t end = sm + results->scenario->device[d]->sms; sm < end; sm++)
            for (size_t b = sm * record->bins; b < (sm + 1) * record->bins; b++)
                bins->value[b] = (float)((double)record->bin[b] / (double)record->bin_ps /
                                         (double)results->scenario->device[d]->sm.threads);
}

static void keep_simtbs(struct sms_results *results, size_t policy, const struct sms__simtbs_record *record)
{
    struct sms__simtbs_record *kept = &results->simtbs[policy];
    struct sms__simtbs_kernel *kernel = kept->kernel;
    *kept = *record;
    kept->kernel = kernel;
    for (size_t v = 0; v < results->scenario->vms; v++)
        kernel[v] = record->kernel[v];
}

/* Runs come in the order: policies by replication, then stand-alone runs. */
static int run_policy(struct job *job)
{
    struct sms_results *results = job->work->results;
    size_t policy = job->idx / results->replications, replication = job->idx % results->replications;
    const struct sms__policy_use *use = &results->scenario->policy[results->policy[policy]];
    struct sms__record record;
    struct sms__run_spec spec = {
        .scenario = results->scenario,
        .policy = use,
        .seed = replication_seed(results, replication),
        .only_vm = -1,
        .observe = replication == 0 ? use->label : NULL,
        .options = job->work->options,
        .record = &record,
    };
    int code = sms__simulate(&job->arena, &spec);
    memcpy(job->why, record.why, sizeof job->why);
    if (code == SMS_OK) {
        sms__measure(&record, &results->values[job->idx]);
        memcpy(results->values[job->idx].stall, record.stall, sizeof record.stall);
        if (record.simtbs && job->work->options->alone)
            sms__measure_simtbs_progress(&record, &results->values[job->idx]);
        if (record.cluster)
            memcpy(results->allocation[job->idx], record.cluster->allocation, sizeof *results->allocation);
        if (replication == 0)
            keep_bins(results, policy, &record);
        if (replication == 0 && record.simtbs)
            keep_simtbs(results, policy, record.simtbs);
    }
    return code;
}

static int run_alone(struct job *job)
{
    struct sms_results *results = job->work->results;
    size_t idx = job->idx - results->policies * results->replications;
    struct sms__record record;
    struct sms__run_spec spec = {
        .scenario = results->scenario,
        .policy = results->scenario->alone,
        .seed = replication_seed(results, idx / results->scenario->vms),
        .only_vm = (long)(idx % results->scenario->vms),
        .options = job->work->options,
        .record = &record,
    };
    int code = sms__simulate(&job->arena, &spec);
    if (code == SMS_OK)
        results->alone[idx] = sms__measure_alone(&record, (size_t)spec.only_vm);
    return code;
}

static int run_job(void *user)
{
    struct job *job = user;
    const struct sms_results *results = job->work->results;
    return job->idx < results->policies * results->replications ? run_policy(job) : run_alone(job);
}

static bool take(struct work *work, size_t *idx)
{
    pthread_mutex_lock(&work->lock);
    bool more = work->code == SMS_OK && work->next < work->total;
    *idx = work->next;
    work->next += more;
    pthread_mutex_unlock(&work->lock);
    return more;
}

/* Of several that fail, the first in order is reported: all before it were begun before. */
static void finish(struct work *work, const struct job *job, int code)
{
    pthread_mutex_lock(&work->lock);
    work->done++;
    if (code && (!work->code || job->idx < work->failed)) {
        work->code = code;
        work->failed = job->idx;
        memcpy(work->why, job->why, sizeof work->why);
    }
    if (work->options->on_progress)
        work->options->on_progress(work->options->user, work->done, work->total);
    pthread_mutex_unlock(&work->lock);
}

static void *do_work(void *user)
{
    struct job job = {.work = user};
    while (take(job.work, &job.idx)) {
        job.arena = (struct sms__arena){0};
        job.why[0] = '\0';
        int code = sms__guard(&job.arena, run_job, &job);
        sms__arena_release(&job.arena);
        finish(job.work, &job, code);
    }
    return NULL;
}

enum { JOBS_MAX = 256 };

/* This thread works too; one that cannot be had leaves the work to the others. */
static void work_in_threads(struct work *work)
{
    pthread_t thread[JOBS_MAX];
    size_t threads = 0, wanted = work->options->jobs ? work->options->jobs : 1;
    if (wanted > JOBS_MAX)
        wanted = JOBS_MAX;
    while (threads + 1 < wanted && threads + 1 < work->total && !pthread_create(&thread[threads], NULL, do_work, work))
        threads++;
    do_work(work);
    while (threads > 0)
        pthread_join(thread[--threads], NULL);
}

struct setup {
    struct sms_results *results;
    const struct sms_run_options *options;
};

static int set_up(void *user)
{
    struct setup *setup = user;
    sms__results_set_up(setup->results, setup->options);
    return SMS_OK;
}

static void measure_all_progress(struct sms_results *results)
{
    for (size_t i = 0; results->with_alone && i < results->policies * results->replications; i++)
        sms__measure_progress(results->scenario, &results->values[i],
                              &results->alone[i % results->replications * results->scenario->vms]);
}

static int report(int code, const struct sms_scenario *scenario, const char *why, struct sms_errors *errors)
{
    if (code == SMS_ENOMEM)
        sms__fail(errors, code, scenario->path, "scenario '%s': no memory", scenario->name);
    if (code == SMS_ECANCELED)
        sms__fail(errors, code, scenario->path, "scenario '%s': interrupted", scenario->name);
    if (code == SMS_EINPUT && why[0])
        sms__fail(errors, code, scenario->path, "scenario '%s': %s", scenario->name, why);
    else if (code == SMS_EINPUT)
        sms__fail(errors, code, scenario->path,
                  "scenario '%s': a block or a copy would end beyond the clock's 213 days; give the run a duration",
                  scenario->name);
    if (code == SMS_EBUG)
        sms__fail(errors, code, scenario->path, "scenario '%s': broken invariant: %s", scenario->name, why);
    if (code == SMS_ELIMIT)
        sms__fail(errors, code, scenario->path, "scenario '%s': the limit of events was reached", scenario->name);
    return code;
}

static int run_all(struct sms_results *results, const struct sms_run_options *options, struct sms_errors *errors)
{
    struct work work = {.results = results, .options = options, .lock = PTHREAD_MUTEX_INITIALIZER};
    size_t per_replication = results->policies + (results->with_alone ? results->scenario->vms : 0);
    work.total = results->replications * per_replication;
    work_in_threads(&work);
    pthread_mutex_destroy(&work.lock);
    if (work.code == SMS_OK)
        measure_all_progress(results);
    return report(work.code, results->scenario, work.why, errors);
}

/* Those of the scenario have been checked; options may ask for more. */
static int check_replications(const struct sms_scenario *scenario, uint64_t replications, struct sms_errors *errors)
{
    double gib;
    if (replications <= scenario->replications || sms__replications_fit(scenario, replications, &gib))
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

int sms_run(const struct sms_scenario *scenario, const struct sms_run_options *options, struct sms_results **out,
            struct sms_errors *errors)
{
    struct sms_run_options defaults = sms_run_defaults();
    options = options ? options : &defaults;
    *out = NULL;
    *errors = (struct sms_errors){0};
    struct sms_results *results = calloc(1, sizeof *results);
    if (!results)
        return report(SMS_ENOMEM, scenario, "", errors);
    results->scenario = scenario;
    results->seed = options->seed ? options->seed : scenario->seed;
    results->replications = options->replications ? options->replications : scenario->replications;
    results->with_alone = options->alone && scenario->compat == SMS__COMPAT_OFF && !scenario->cluster;
    struct setup setup = {results, options};
    int code = check_replications(scenario, results->replications, errors);
    if (code == SMS_OK)
        code = sms__guard(&results->arena, set_up, &setup);
    if (code == SMS_OK && results->policies == 0)
        code = fail_without_policy(scenario, options->policy, errors);
    if (code == SMS_OK)
        code = run_all(results, options, errors);
    else if (!errors->count)
        report(code, scenario, "", errors);
    if (code)
        sms_results_free(results);
    else
        *out = results;
    return code;
}
