/* Runs of a scenario in threads: replications of its policies, stand-alone runs, and pilots. Invariant: results do not
 * depend on the number of threads, because every run has a place of its own, or adds whole numbers. */
#include "../base/threads.h"
#include "../model/draws.h"
#include "results.h"

#include "../levels/simulate.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

/* Jobs are numbered: policies by replication, then stand-alone runs; or they are those of a list. */
struct work {
    struct sms_results *results;
    const struct sms__tenant_run *list; /* [total], or NULL */
    pthread_mutex_t lock;
    pthread_cond_t turn;
    pthread_rwlock_t alone; /* held for writing by a run that takes more memory than a thread's part */
    size_t threads;
    double begun;    /* what is done of the jobs under way, in jobs */
    size_t observed; /* policies whose observed run is over */
    bool pilots;
    size_t first, count; /* replications */
    size_t next, done, total;
    int code;
    size_t failed; /* the first job that failed, if `code` says that one did */
    char why[sizeof(((struct sms__record *)0)->why)];
    const struct sms__node *at;
};

/* Policies of one replication share a seed. Pilots have seeds that no replication has. */
static uint64_t replication_seed(const struct work *work, size_t replication)
{
    return sms__replication_seed(work->results->seed, (uint64_t)replication + (work->pilots ? (uint64_t)1 << 32 : 0));
}

struct job {
    struct work *work;
    size_t idx;
    struct sms__arena arena;
    double part;          /* of it that is done, from 0 to 1 */
    const char *promised; /* key of the run that the memo waits for; NULL: none */
    char why[sizeof(((struct sms__record *)0)->why)];
    const struct sms__node *at;
};

/* NAN from the end of the run on: it is drawn shortly before the duration, so nothing is known of the rest. */
static float occupancy_of(const struct sms__record *record, size_t idx, uint32_t threads)
{
    const uint64_t from = idx % record->bins * record->bin_ps;
    if (from >= record->to_ps)
        return NAN;
    const uint64_t known = record->to_ps - from < record->bin_ps ? record->to_ps - from : record->bin_ps;
    return (float)((double)record->bin[idx] / (double)known / (double)threads);
}

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
                bins->value[b] = occupancy_of(record, b, results->scenario->device[d]->sm.threads);
}

/* The sums are of whole numbers, and so the same in any order. */
static void keep_series(struct work *work, size_t policy, const uint64_t *counted)
{
    size_t count = sms__series_rows(work->results->scenario) * SMS__SERIES;
    double *series = work->results->series + policy * count;
    pthread_mutex_lock(&work->lock);
    for (size_t i = 0; counted && i < count; i++)
        series[i] += (double)counted[i];
    pthread_mutex_unlock(&work->lock);
}

static void keep(struct job *job, const struct sms__record *record, size_t policy, size_t replication)
{
    struct sms_results *results = job->work->results;
    size_t at = policy * results->room + replication;
    sms__measure(record, &results->values[at]);
    memcpy(results->values[at].stall, record->stall, sizeof record->stall);
    pthread_mutex_lock(&job->work->lock);
    sms__latencies_keep(results, policy, record);
    pthread_mutex_unlock(&job->work->lock);
    if (record->cluster)
        memcpy(results->allocation[at], record->cluster->allocation, sizeof **results->allocation);
    if (replication == 0)
        keep_bins(results, policy, record);
}

/* Whether the memo has the run, which is then copied to `left`. */
static bool take_over(struct job *job, const struct sms__run_spec *spec, void *left, size_t size)
{
    const struct sms_results *results = job->work->results;
    if (!results->memo)
        return false;
    const char *key = sms__print(&job->arena, "%zu\n%s", size, sms__run_key(&job->arena, &results->text, spec));
    bool taken = sms__memo_take(results->memo, key, left, size);
    job->promised = taken ? NULL : key;
    return taken;
}

/* Keeps the promise. `left`: NULL if the run failed. */
static void hand_over(struct job *job, const void *left)
{
    if (job->promised)
        sms__memo_put(job->work->results->memo, job->promised, left);
    job->promised = NULL;
}

/* What a policy's run leaves, in one piece: why processes wait, the series, and the values of a run that is no pilot.
 */
struct left {
    uint64_t stall[SMS__STALLS];
    uint64_t series[];
};

static size_t series_size(const struct sms_results *results)
{
    return sms__series_ps(results->scenario) ? sms__series_rows(results->scenario) * SMS__SERIES : 0;
}

static size_t values_bytes(const struct work *work)
{
    return work->pilots ? 0 : sms__values_size(work->results) * sizeof(double);
}

static size_t left_bytes(const struct work *work)
{
    return sizeof(struct left) + series_size(work->results) * sizeof(uint64_t) + values_bytes(work);
}

/* Keeps a run that another one was equal to. */
static int keep_taken(struct job *job, const struct left *left, size_t policy, size_t replication)
{
    const struct sms_results *results = job->work->results;
    const size_t series = series_size(results);
    keep_series(job->work, policy, series ? left->series : NULL);
    if (job->work->pilots)
        return SMS_OK;
    struct sms__values *values = &results->values[policy * results->room + replication];
    memcpy(values->stall, left->stall, sizeof left->stall);
    memcpy(values->end_ps, left->series + series, values_bytes(job->work));
    return SMS_OK;
}

static void keep_simulated(struct job *job, struct left *left, const struct sms__record *record, size_t policy,
                           size_t replication)
{
    const struct sms_results *results = job->work->results;
    const size_t series = series_size(results);
    keep_series(job->work, policy, record->series);
    if (!job->work->pilots)
        keep(job, record, policy, replication);
    if (!left || !job->promised)
        return;
    memcpy(left->stall, record->stall, sizeof left->stall);
    if (series)
        memcpy(left->series, record->series, series * sizeof *left->series);
    if (!job->work->pilots)
        memcpy(left->series + series, results->values[policy * results->room + replication].end_ps,
               values_bytes(job->work));
    hand_over(job, left);
}

/* What happens on the devices of a cluster is not reported. */
static unsigned observed_events(const struct sms_results *results)
{
    const unsigned of_pods =
        SMS_RUN_DECISION | SMS_RUN_MESSAGE | SMS_RUN_PLACEMENT | SMS_RUN_DEPARTURE | SMS_RUN_SHARED_GPU;
    const struct sms_run_options *options = results->options;
    return !options->observe ? 0 : results->scenario->cluster ? options->events & of_pods : options->events;
}

/* Tells how much is done of all runs. Call it with the lock. */
static void tell_share(const struct work *work)
{
    const struct sms_run_options *options = work->results->options;
    const double before = (double)work->results->runs, all = before + (double)work->total;
    const bool over = work->done == work->total; /* sums of parts round */
    if (options->on_share)
        options->on_share(options->user, over ? 1 : fmin(1, (before + (double)work->done + work->begun) / all));
}

/* Told by the run when a further per cent of its duration is over. */
static void note_part(void *user, double part)
{
    struct job *job = user;
    pthread_mutex_lock(&job->work->lock);
    if (part > job->part) {
        job->work->begun += part - job->part;
        job->part = part;
        tell_share(job->work);
    }
    pthread_mutex_unlock(&job->work->lock);
}

/* Runs it as a part of the job. */
static int simulate(struct job *job, struct sms__run_spec *spec)
{
    spec->options = job->work->results->options;
    spec->on_part = note_part;
    spec->user = job;
    const int code = sms__simulate(&job->arena, spec);
    memcpy(job->why, spec->record->why, sizeof job->why);
    job->at = spec->record->at;
    return code;
}

static int run_policy(struct job *job)
{
    const struct work *work = job->work;
    const struct sms_results *results = work->results;
    size_t policy = job->idx / work->count, replication = work->first + job->idx % work->count;
    const struct sms__policy_use *use = sms__ran(results, policy);
    struct sms__run_observer observer = {results->options, use->label, observed_events(results), false};
    struct sms__record record;
    struct sms__run_spec spec = {
        .scenario = results->scenario,
        .policy = use,
        .seed = replication_seed(work, replication),
        .slack_ps = sms__slack_ps(results->scenario),
        .only_vm = -1,
        .observer = replication == 0 && !work->pilots ? &observer : NULL,
        .record = &record,
    };
    struct left *left = results->memo ? sms__alloc(&job->arena, 1, left_bytes(work)) : NULL;
    if (left && take_over(job, &spec, left, left_bytes(work)))
        return keep_taken(job, left, policy, replication);
    int code = simulate(job, &spec);
    if (code == SMS_OK && observer.stopped) /* by what is told at the end */
        code = SMS_ECANCELED;
    if (code == SMS_OK)
        keep_simulated(job, left, &record, policy, replication);
    return code;
}

/* Makes a scenario of the tenant alone, so that what such a run takes does not grow with the number of tenants. Pods
 * stay with the others, which take no part, and so do processes of share policies, which see them, and on instances.
 * Returns its index in it. */
static size_t isolate(const struct sms_scenario *scenario, const struct sms__policy_use *policy, size_t tenant,
                      struct sms_scenario *alone)
{
    *alone = *scenario;
    if (scenario->cluster || (scenario->shares && (policy->instances || strcmp(policy->share->name, "plain") != 0)))
        return tenant;
    alone->vm = &scenario->vm[tenant];
    alone->vms = 1;
    return 0;
}

static int run_tenant(struct job *job, const struct sms__tenant_run *run, const struct sms__policy_use *policy)
{
    const struct sms_results *results = job->work->results;
    struct sms_scenario scenario;
    struct sms__record record;
    const bool shares = results->scenario->shares;
    const size_t only = isolate(results->scenario, policy, run->vm, &scenario);
    struct sms__run_spec spec = {
        .scenario = &scenario,
        .policy = policy,
        .seed = replication_seed(job->work, run->replication),
        .slack_ps = sms__slack_ps(results->scenario),
        .only_vm = (long)only,
        .among = shares ? results->scenario : NULL,
        .number = shares ? run->vm - only : 0,
        .record = &record,
    };
    if (take_over(job, &spec, run->out, sizeof *run->out))
        return SMS_OK;
    int code = simulate(job, &spec);
    if (code)
        return code;
    *run->out = sms__measure_alone(&record, only);
    hand_over(job, run->out);
    return SMS_OK;
}

static int run_alone(struct job *job)
{
    const struct work *work = job->work;
    const struct sms_results *results = work->results;
    const size_t idx = job->idx - results->policies * work->count, vms = results->scenario->vms;
    struct sms__tenant_run run = {.vm = idx % vms, .replication = work->first + idx / vms};
    run.out = &results->alone[run.replication * vms + run.vm];
    return run_tenant(job, &run, results->scenario->alone);
}

static int run_listed(struct job *job)
{
    const struct sms_results *results = job->work->results;
    const struct sms__tenant_run *run = &job->work->list[job->idx];
    return run_tenant(job, run, sms__ran(results, run->policy));
}

static int run_job(void *user)
{
    struct job *job = user;
    if (job->work->list)
        return run_listed(job);
    return job->idx < job->work->results->policies * job->work->count ? run_policy(job) : run_alone(job);
}

/* Whether the job's events go to the caller. */
static bool is_observed(const struct work *work, size_t idx)
{
    const struct sms_run_options *o = work->results->options;
    return o->observe && o->events && !work->pilots && work->first == 0 &&
           idx < work->results->policies * work->count && idx % work->count == 0;
}

/* The caller sees one policy after another. Jobs are taken in order, so those before this one are done some time.
 * Returns false if one of them has failed, so that there is no turn. */
static bool wait_for_turn(struct work *work, size_t idx)
{
    bool comes;
    pthread_mutex_lock(&work->lock);
    while ((comes = work->code == SMS_OK || work->failed > idx) && is_observed(work, idx) &&
           work->observed < idx / work->count)
        pthread_cond_wait(&work->turn, &work->lock);
    pthread_mutex_unlock(&work->lock);
    return comes;
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

/* If several fail, the one with the least number is reported: all before it were begun before it. */
static void finish(struct work *work, const struct job *job, int code)
{
    size_t before = work->results->runs;
    pthread_mutex_lock(&work->lock);
    work->done++;
    work->begun -= job->part;
    work->observed += is_observed(work, job->idx);
    pthread_cond_broadcast(&work->turn);
    if (code && (!work->code || job->idx < work->failed)) {
        work->code = code;
        work->failed = job->idx;
        memcpy(work->why, job->why, sizeof work->why);
        work->at = job->at;
    }
    if (work->results->options->on_progress)
        work->results->options->on_progress(work->results->options->user, before + work->done, before + work->total);
    tell_share(work);
    pthread_mutex_unlock(&work->lock);
}

static int run_within(struct job *job, size_t most)
{
    job->arena.most = most;
    job->why[0] = '\0';
    job->at = NULL;
    int code = sms__guard(&job->arena, run_job, job);
    hand_over(job, NULL);
    sms__arena_reset(&job->arena);
    return code;
}

/* A run has its thread's part of the memory. If it needs more, it runs again, with all of it, while no other one does.
 * The observed run, which cannot be told twice, has all of it at once: there is one at a time. */
static int run_in_memory(struct job *job)
{
    struct work *work = job->work;
    const size_t all = work->results->options->max_memory;
    const size_t part = is_observed(work, job->idx) ? all : all / work->threads;
    pthread_rwlock_rdlock(&work->alone);
    int code = run_within(job, part);
    pthread_rwlock_unlock(&work->alone);
    if (code != SMS_EMEMORY || part == all)
        return code;
    pthread_rwlock_wrlock(&work->alone);
    code = run_within(job, all);
    pthread_rwlock_unlock(&work->alone);
    return code;
}

static void *do_work(void *user)
{
    struct job job = {.work = user};
    while (take(job.work, &job.idx)) {
        job.part = 0;
        if (wait_for_turn(job.work, job.idx))
            finish(job.work, &job, run_in_memory(&job));
    }
    sms__arena_release(&job.arena);
    return NULL;
}

static void work_in_threads(struct work *work)
{
    const size_t jobs = work->results->options->jobs,
                 most = work->total < SMS__THREADS_MAX ? work->total : SMS__THREADS_MAX;
    work->threads = jobs < most ? jobs : most;
    work->threads = work->threads ? work->threads : 1;
    sms__work_in_threads(work->threads, do_work, work);
}

int sms__report_run(int code, const struct sms_scenario *scenario, const char *why, const struct sms__node *at,
                    struct sms_errors *errors)
{
    const char *before = "";
    if (code == SMS_ENOMEM)
        why = "no memory";
    else if (code == SMS_ECANCELED)
        why = "interrupted";
    else if (code == SMS_EBUG)
        before = "broken invariant: ";
    else if (code == SMS_EMEMORY)
        why =
            "the limit of memory was reached; --memory SIZE (max_memory in the library) sets another, which is half of "
            "the machine's otherwise";
    else if (code == SMS_ELIMIT)
        why = "the limit of events was reached; --events N (max_events in the library) sets another";
    if (code == SMS_EINPUT && at)
        sms__error(errors, code, at->mark, "scenario '%.60s': %s", scenario->name, why);
    else if (code)
        sms__fail(errors, code, scenario->node->mark.file, "scenario '%s': %s%s", scenario->name, before, why);
    return code;
}

static int run_work(struct work *work, struct sms_errors *errors)
{
    pthread_mutex_init(&work->lock, NULL);
    pthread_cond_init(&work->turn, NULL);
    pthread_rwlock_init(&work->alone, NULL);
    work_in_threads(work);
    pthread_cond_destroy(&work->turn);
    pthread_rwlock_destroy(&work->alone);
    pthread_mutex_destroy(&work->lock);
    work->results->runs += work->done;
    return sms__report_run(work->code, work->results->scenario, work->why, work->at, errors);
}

int sms__run_pilots(struct sms_results *results, size_t pilots, struct sms_errors *errors)
{
    struct work work = {.results = results, .pilots = true, .count = pilots, .total = results->policies * pilots};
    return run_work(&work, errors);
}

int sms__run_tenants(struct sms_results *results, const struct sms__tenant_run *list, size_t count,
                     struct sms_errors *errors)
{
    struct work work = {.results = results, .list = list, .total = count};
    return run_work(&work, errors);
}

static void measure_progress(struct sms_results *results, size_t from, size_t to)
{
    for (size_t p = 0; p < results->policies; p++)
        for (size_t r = from; r < to; r++)
            sms__measure_progress(results->scenario, &results->values[p * results->room + r],
                                  &results->alone[r * results->scenario->vms]);
}

int sms__run_replications(struct sms_results *results, struct sms_errors *errors)
{
    const size_t first = results->replications, upto = results->wanted;
    struct work work = {.results = results, .first = first, .count = upto - first};
    work.total = work.count * (results->policies + (results->with_alone ? results->scenario->vms : 0));
    int code = run_work(&work, errors);
    if (code)
        return code;
    results->replications = upto;
    if (results->with_alone)
        measure_progress(results, first, upto);
    return SMS_OK;
}
