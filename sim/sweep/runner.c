/* Runs points in threads that each take the next missing point. The caller's thread flushes the journal and shows the
 * progress. The results do not depend on the number of threads, for records are merged in the points' order. */
#include "../model/estimate.h"
#include "sweep.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { JOBS_MAX = 1024 };

struct runner {
    const struct sms__plan *plan;
    const struct sms__sweep_options *options;
    const struct sms__index *index;
    struct sms__journal_writer *writer;
    pthread_mutex_t lock;
    pthread_cond_t ended, freed;
    unsigned threads; /* running */
    uint64_t next;    /* next point to consider */
    uint64_t bytes;   /* estimated memory of the points that are running */
    struct sms__sweep_count *count;
    int code;
    struct sms_errors *errors;
};

struct worker {
    struct runner *runner;
    struct sms__worker_context context;
    struct sms__bytes bytes;
    struct sms_errors errors;
};

static bool is_missing(const struct runner *runner, uint64_t point)
{
    return runner->index->location[point].state == SMS__POINT_MISSING;
}

static bool next_point(struct runner *runner, uint64_t *point)
{
    uint64_t stride = runner->options->shard.count;
    pthread_mutex_lock(&runner->lock);
    while (runner->next < runner->plan->points && !is_missing(runner, runner->next))
        runner->next += stride;
    bool more = runner->code == SMS_OK && runner->next < runner->plan->points &&
                !(runner->options->cancel && atomic_load(runner->options->cancel));
    *point = runner->next;
    if (more)
        runner->next += stride;
    pthread_mutex_unlock(&runner->lock);
    return more;
}

/* Stops the work. Only the first failure is reported. */
static void record_failure(struct runner *runner, int code, const struct sms_errors *errors)
{
    if (runner->code)
        return;
    runner->code = code;
    *runner->errors = *errors;
}

static void append_record(struct worker *worker, bool failed)
{
    struct runner *runner = worker->runner;
    pthread_mutex_lock(&runner->lock);
    struct sms_errors errors = {0};
    int code = runner->code ? runner->code : sms__journal_append(runner->writer, &worker->bytes, &errors);
    if (code)
        record_failure(runner, code, &errors);
    runner->count->run += code == SMS_OK;
    runner->count->failed += code == SMS_OK && failed;
    pthread_mutex_unlock(&runner->lock);
}

/* Joins the warnings of a point's run into one text; "" if there were none. */
static void put_warnings(struct sms__bytes *bytes, const struct sms_errors *warnings)
{
    char text[1000] = "";
    size_t length = 0;
    for (size_t i = 0; i < warnings->count && i < SMS_ERRORS_MAX && length < sizeof text; i++)
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "%s%s", i ? "; " : "", warnings->item[i].message);
    sms__record_put_string(bytes, text);
}

static int fail_memory(struct worker *worker)
{
    return sms__fail(&worker->errors, SMS_ENOMEM, worker->runner->plan->path, "out of memory");
}

static int make_record(struct worker *worker, uint64_t point, const char *models, const struct sms_results *results)
{
    const unsigned kept = worker->runner->plan->keep;
    struct sms__point_head head = {.point = point, .failed = !results, .models = models};
    int code = SMS_OK;
    if (!models || !sms__point_key(&worker->context, point, models, head.key))
        return fail_memory(worker);
    sms__record_begin(&worker->bytes, &head);
    if (results) {
        put_warnings(&worker->bytes, sms_results_warnings(results));
        sms__record_results(&worker->bytes, results, kept);
    } else {
        sms__record_put_string(&worker->bytes, worker->errors.item[0].message);
    }
    if (results && kept & SMS__KEEP_BOUND)
        code = sms__record_bounds(&worker->bytes, results, &worker->errors);
    sms__record_end(&worker->bytes);
    return code == SMS_OK && worker->bytes.failed ? fail_memory(worker) : code;
}

/* Each point fits into memory by itself, but the points of all threads together may not. Later ones then wait. */
static uint64_t reserve_memory(struct runner *runner, const struct sms_scenario *scenario)
{
    const struct sms__memory_ask ask = {.replications = (double)sms__most_replications(scenario), .jobs = 1};
    uint64_t bytes = (uint64_t)sms__memory_of(scenario, &ask);
    pthread_mutex_lock(&runner->lock);
    while (runner->bytes > 0 && (double)(runner->bytes + bytes) > SMS__MEMORY_MAX)
        pthread_cond_wait(&runner->freed, &runner->lock);
    runner->bytes += bytes;
    pthread_mutex_unlock(&runner->lock);
    return bytes;
}

static void release_memory(struct runner *runner, uint64_t bytes)
{
    pthread_mutex_lock(&runner->lock);
    runner->bytes -= bytes;
    pthread_cond_broadcast(&runner->freed);
    pthread_mutex_unlock(&runner->lock);
}

/* A wrong scenario (SMS_EINPUT) is recorded as the point's result. Any other failure stops the sweep unrecorded. */
static int run_point(struct worker *worker, uint64_t point)
{
    const struct sms__sweep_options *sweep_options = worker->runner->options;
    struct sms_run_options options = sms_run_defaults();
    struct sms_results *results = NULL;
    struct sms_file *file = NULL;
    char *models = NULL;
    options.engine = sweep_options->engine;
    options.check = sweep_options->check;
    options.cancel = sweep_options->cancel;
    uint64_t bytes = 0;
    int code = sms__point_load(&worker->context, point, &file, &models, &worker->errors);
    if (code == SMS_OK) {
        bytes = reserve_memory(worker->runner, sms_file_scenario(file, 0));
        code = sms_run(sms_file_scenario(file, 0), &options, &results, &worker->errors);
    }
    if (code == SMS_OK || code == SMS_EINPUT) {
        int recorded = make_record(worker, point, models, code ? NULL : results);
        if (recorded == SMS_OK)
            append_record(worker, code != SMS_OK);
        code = recorded;
    }
    free(models);
    sms_results_free(results);
    sms_file_free(file);
    release_memory(worker->runner, bytes);
    return code;
}

static void work(struct worker *worker)
{
    struct runner *runner = worker->runner;
    uint64_t point;
    int code = sms__worker_context_open(runner->plan, &worker->context, &worker->errors);
    while (code == SMS_OK && next_point(runner, &point))
        code = run_point(worker, point);
    if (worker->context.plan)
        sms__worker_context_close(&worker->context);
    free(worker->bytes.data);
    pthread_mutex_lock(&runner->lock);
    if (code)
        record_failure(runner, code, &worker->errors);
    runner->threads--;
    pthread_cond_signal(&runner->ended);
    pthread_mutex_unlock(&runner->lock);
}

static void *work_in_thread(void *user)
{
    struct worker *worker = calloc(1, sizeof *worker);
    struct runner *runner = user;
    if (worker) {
        worker->runner = runner;
        work(worker);
        free(worker);
        return NULL;
    }
    pthread_mutex_lock(&runner->lock);
    struct sms_errors errors = {0};
    record_failure(runner, sms__fail(&errors, SMS_ENOMEM, runner->plan->path, "out of memory"), &errors);
    runner->threads--;
    pthread_cond_signal(&runner->ended);
    pthread_mutex_unlock(&runner->lock);
    return NULL;
}

/* Flushes without holding the lock, so that the workers do not wait for the disk. */
static void sync_journal(struct runner *runner)
{
    struct sms_errors errors = {0};
    bool dirty = runner->writer->dirty;
    runner->writer->dirty = false;
    pthread_mutex_unlock(&runner->lock);
    int code = sms__journal_sync(runner->writer, dirty, &errors);
    pthread_mutex_lock(&runner->lock);
    if (code)
        record_failure(runner, code, &errors);
}

static void supervise(struct runner *runner, uint64_t to_do)
{
    struct sms__progress progress;
    sms__progress_begin(&progress, runner->options->quiet, to_do);
    pthread_mutex_lock(&runner->lock);
    while (runner->threads > 0) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        pthread_cond_timedwait(&runner->ended, &runner->lock, &until);
        sync_journal(runner);
        sms__progress_show(&progress, runner->count->run, runner->count->failed);
    }
    sync_journal(runner); /* the workers may have ended before the first wait */
    pthread_mutex_unlock(&runner->lock);
    sms__progress_end(&progress);
}

static void run_threads(struct runner *runner, uint64_t to_do)
{
    pthread_t thread[JOBS_MAX];
    unsigned wanted = runner->options->jobs < JOBS_MAX ? runner->options->jobs : JOBS_MAX, started = 0;
    if (wanted > to_do)
        wanted = (unsigned)to_do;
    runner->threads = wanted;
    while (started < wanted && !pthread_create(&thread[started], NULL, work_in_thread, runner))
        started++;
    pthread_mutex_lock(&runner->lock);
    runner->threads -= wanted - started;
    if (started == 0 && wanted) {
        struct sms_errors errors = {0};
        record_failure(runner, sms__fail(&errors, SMS_ENOMEM, runner->plan->path, "cannot start a thread"), &errors);
    }
    pthread_mutex_unlock(&runner->lock);
    supervise(runner, to_do);
    while (started > 0)
        pthread_join(thread[--started], NULL);
}

/* Does not say where in a scenario it stopped. Those points are lost; what matters is how many are kept. */
static int report_interrupted(struct runner *runner)
{
    const struct sms__sweep_count *count = runner->count;
    const unsigned long long kept = count->before + count->run, points = count->points;
    *runner->errors = (struct sms_errors){0};
    return sms__fail(runner->errors, SMS_ECANCELED, runner->plan->path,
                     "interrupted; %llu of %llu points are saved; the same command continues", kept, points);
}

static int run_missing(struct runner *runner)
{
    struct sms__shard shard = runner->options->shard;
    for (uint64_t i = shard.idx - 1; i < runner->plan->points; i += shard.count) {
        runner->count->points++;
        runner->count->before += !is_missing(runner, i);
    }
    runner->next = shard.idx - 1;
    if (runner->count->points > runner->count->before)
        run_threads(runner, runner->count->points - runner->count->before);
    if (runner->code == SMS_ECANCELED ||
        (runner->code == SMS_OK && runner->options->cancel && atomic_load(runner->options->cancel)))
        return report_interrupted(runner);
    return runner->code;
}

/* Where to append: after the last intact record, so that the torn record of a killed process is overwritten. The file
 * is not truncated, because other processes may have it mapped. */
static uint64_t find_end(const struct sms__journal_writer *writer, const struct sms__index *index)
{
    for (size_t i = 0; i < index->journals; i++)
        if (!strcmp(index->journal[i].name, writer->name))
            return index->journal[i].end;
    return 0;
}

int sms__sweep_run(const struct sms__plan *plan, const char *folder, const struct sms__sweep_options *options,
                   struct sms__sweep_count *count, struct sms_errors *errors)
{
    struct sms__journal_writer writer;
    struct sms__worker_context context;
    struct sms__index index;
    *count = (struct sms__sweep_count){0};
    int code = sms__journal_open(folder, options->shard, &writer, errors);
    if (code)
        return code;
    code = sms__worker_context_open(plan, &context, errors);
    if (code == SMS_OK) {
        code = sms__index_open(&context, folder, options->shard, &index, errors);
        sms__worker_context_close(&context);
    }
    if (code == SMS_OK) {
        struct runner runner = {.plan = plan,
                                .options = options,
                                .index = &index,
                                .writer = &writer,
                                .lock = PTHREAD_MUTEX_INITIALIZER,
                                .ended = PTHREAD_COND_INITIALIZER,
                                .freed = PTHREAD_COND_INITIALIZER,
                                .count = count,
                                .errors = errors};
        writer.end = find_end(&writer, &index);
        code = run_missing(&runner);
        sms__index_close(&index);
    }
    sms__journal_close(&writer);
    return code;
}
