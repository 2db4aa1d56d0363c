/* Threads that take points one after another, and one, the caller's, that looks after the disk and the user. */
#include "sweep.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { JOBS_MAX = 1024 };

struct runner {
    const struct sms__plan *plan;
    const struct sms__sweep_options *options;
    const struct sms__index *index;
    struct sms__log *log;
    pthread_mutex_t lock;
    pthread_cond_t ended, freed;
    unsigned threads; /* at work */
    uint64_t next;    /* the point to look at */
    uint64_t bytes;   /* that the points under way may take, as estimated */
    struct sms__sweep_count *count;
    int code;
    struct sms_errors *errors;
};

struct worker {
    struct runner *runner;
    struct sms__reach reach;
    struct sms__bytes bytes;
    struct sms_errors errors;
};

static bool is_missing(const struct runner *runner, uint64_t point)
{
    return runner->index->where[point].state == SMS__POINT_MISSING;
}

static bool take(struct runner *runner, uint64_t *point)
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

/* The first that stops the work is the one to tell of. */
static void stop(struct runner *runner, int code, const struct sms_errors *errors)
{
    if (runner->code)
        return;
    runner->code = code;
    *runner->errors = *errors;
}

static void keep(struct worker *worker, bool failed)
{
    struct runner *runner = worker->runner;
    pthread_mutex_lock(&runner->lock);
    struct sms_errors errors = {0};
    int code = runner->code ? runner->code : sms__log_append(runner->log, &worker->bytes, &errors);
    if (code)
        stop(runner, code, &errors);
    runner->count->run += code == SMS_OK;
    runner->count->failed += code == SMS_OK && failed;
    pthread_mutex_unlock(&runner->lock);
}

/* What was warned of while a point ran, as one text: "" if nothing was. */
static void put_warnings(struct sms__bytes *bytes, const struct sms_errors *warnings)
{
    char text[1000] = "";
    size_t length = 0;
    for (size_t i = 0; i < warnings->count && i < SMS_ERRORS_MAX && length < sizeof text; i++)
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "%s%s", i ? "; " : "", warnings->item[i].message);
    sms__record_put_string(bytes, text);
}

static int no_memory(struct worker *worker)
{
    return sms__fail(&worker->errors, SMS_ENOMEM, worker->runner->plan->path, "no memory");
}

static int make_record(struct worker *worker, uint64_t point, const char *models, const struct sms_results *results)
{
    const unsigned kept = worker->runner->plan->keep;
    struct sms__point_head head = {.point = point, .failed = !results, .models = models};
    int code = SMS_OK;
    if (!models || !sms__point_key(&worker->reach, point, models, head.key))
        return no_memory(worker);
    sms__record_begin(&worker->bytes, &head);
    if (results) {
        put_warnings(&worker->bytes, sms_results_warnings(results));
        sms__record_results(&worker->bytes, results, kept);
    } else {
        sms__record_put_string(&worker->bytes, worker->errors.item[0].message);
    }
    if (results && kept & SMS__KEEP_BOUND)
        code = sms__record_bounds(&worker->bytes, sms_results_scenario(results), &worker->errors);
    sms__record_end(&worker->bytes);
    return code == SMS_OK && worker->bytes.failed ? no_memory(worker) : code;
}

/* Each point fits by itself, but not all that threads happen to run at once: who comes later waits. */
static uint64_t take_memory(struct runner *runner, const struct sms_scenario *scenario)
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

static void give_memory(struct runner *runner, uint64_t bytes)
{
    pthread_mutex_lock(&runner->lock);
    runner->bytes -= bytes;
    pthread_cond_broadcast(&runner->freed);
    pthread_mutex_unlock(&runner->lock);
}

/* A scenario that cannot be is a result; what the machine or the user stops is none. */
static int run_point(struct worker *worker, uint64_t point)
{
    const struct sms__sweep_options *given = worker->runner->options;
    struct sms_run_options options = sms_run_defaults();
    struct sms_results *results = NULL;
    struct sms_file *file = NULL;
    char *models = NULL;
    options.engine = given->engine;
    options.check = given->check;
    options.cancel = given->cancel;
    uint64_t bytes = 0;
    int code = sms__point_load(&worker->reach, point, &file, &models, &worker->errors);
    if (code == SMS_OK) {
        bytes = take_memory(worker->runner, sms_file_scenario(file, 0));
        code = sms_run(sms_file_scenario(file, 0), &options, &results, &worker->errors);
    }
    if (code == SMS_OK || code == SMS_EINPUT) {
        int made = make_record(worker, point, models, code ? NULL : results);
        if (made == SMS_OK)
            keep(worker, code != SMS_OK);
        code = made;
    }
    free(models);
    sms_results_free(results);
    sms_file_free(file);
    give_memory(worker->runner, bytes);
    return code;
}

static void work(struct worker *worker)
{
    struct runner *runner = worker->runner;
    uint64_t point;
    int code = sms__reach_open(runner->plan, &worker->reach, &worker->errors);
    while (code == SMS_OK && take(runner, &point))
        code = run_point(worker, point);
    if (worker->reach.plan)
        sms__reach_close(&worker->reach);
    free(worker->bytes.at);
    pthread_mutex_lock(&runner->lock);
    if (code)
        stop(runner, code, &worker->errors);
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
    stop(runner, sms__fail(&errors, SMS_ENOMEM, runner->plan->path, "no memory"), &errors);
    runner->threads--;
    pthread_cond_signal(&runner->ended);
    pthread_mutex_unlock(&runner->lock);
    return NULL;
}

/* Without the lock: the workers need not wait for the disk. */
static void synchronize(struct runner *runner)
{
    struct sms_errors errors = {0};
    bool dirty = runner->log->dirty;
    runner->log->dirty = false;
    pthread_mutex_unlock(&runner->lock);
    int code = sms__log_sync(runner->log, dirty, &errors);
    pthread_mutex_lock(&runner->lock);
    if (code)
        stop(runner, code, &errors);
}

static void look_after(struct runner *runner, uint64_t to_do)
{
    struct sms__progress progress;
    sms__progress_begin(&progress, runner->options->quiet, to_do);
    pthread_mutex_lock(&runner->lock);
    while (runner->threads > 0) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        pthread_cond_timedwait(&runner->ended, &runner->lock, &until);
        synchronize(runner);
        sms__progress_show(&progress, runner->count->run, runner->count->failed);
    }
    synchronize(runner); /* the workers may have ended before the first look */
    pthread_mutex_unlock(&runner->lock);
    sms__progress_end(&progress);
}

static void run_threads(struct runner *runner, uint64_t to_do)
{
    pthread_t thread[JOBS_MAX];
    unsigned wanted = runner->options->jobs < JOBS_MAX ? runner->options->jobs : JOBS_MAX, made = 0;
    if (wanted > to_do)
        wanted = (unsigned)to_do;
    runner->threads = wanted;
    while (made < wanted && !pthread_create(&thread[made], NULL, work_in_thread, runner))
        made++;
    pthread_mutex_lock(&runner->lock);
    runner->threads -= wanted - made;
    if (made == 0 && wanted) {
        struct sms_errors errors = {0};
        stop(runner, sms__fail(&errors, SMS_ENOMEM, runner->plan->path, "no thread can be had"), &errors);
    }
    pthread_mutex_unlock(&runner->lock);
    look_after(runner, to_do);
    while (made > 0)
        pthread_join(thread[--made], NULL);
}

/* Not where in a scenario: those points are lost, and the others matter. */
static int say_interrupted(struct runner *runner)
{
    const struct sms__sweep_count *count = runner->count;
    const unsigned long long kept = count->before + count->run, points = count->points;
    *runner->errors = (struct sms_errors){0};
    return sms__fail(runner->errors, SMS_ECANCELED, runner->plan->path,
                     "interrupted; %llu of %llu points are kept, and the same command goes on", kept, points);
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
        return say_interrupted(runner);
    return runner->code;
}

/* Behind the last whole record: a torn one of a process that was killed is written over. It is not cut off, for others
 * may have the file mapped. */
static uint64_t end_of(const struct sms__log *log, const struct sms__index *index)
{
    for (size_t i = 0; i < index->journals; i++)
        if (!strcmp(index->journal[i].name, log->name))
            return index->journal[i].end;
    return 0;
}

int sms__sweep_run(const struct sms__plan *plan, const char *folder, const struct sms__sweep_options *options,
                   struct sms__sweep_count *count, struct sms_errors *errors)
{
    struct sms__log log;
    struct sms__reach reach;
    struct sms__index index;
    *count = (struct sms__sweep_count){0};
    int code = sms__log_open(folder, options->shard, &log, errors);
    if (code)
        return code;
    code = sms__reach_open(plan, &reach, errors);
    if (code == SMS_OK) {
        code = sms__index_open(&reach, folder, options->shard, &index, errors);
        sms__reach_close(&reach);
    }
    if (code == SMS_OK) {
        struct runner runner = {.plan = plan,
                                .options = options,
                                .index = &index,
                                .log = &log,
                                .lock = PTHREAD_MUTEX_INITIALIZER,
                                .ended = PTHREAD_COND_INITIALIZER,
                                .freed = PTHREAD_COND_INITIALIZER,
                                .count = count,
                                .errors = errors};
        log.end = end_of(&log, &index);
        code = run_missing(&runner);
        sms__index_close(&index);
    }
    sms__log_close(&log);
    return code;
}
