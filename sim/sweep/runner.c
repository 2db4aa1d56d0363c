/* Runs points in threads that each take the next missing point. The caller's thread writes their records to the store
 * and shows the progress. The results do not depend on the number of threads, for they are merged in the points' order.
 */
#include "../base/room.h"
#include "../model/beyond_full.h"
#include "../results/results.h"
#include "frontier.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A commit takes a while, so the writer pauses PAUSES times as long after it, but at most PAUSE_S seconds. Threads wait
 * if the records that wait for it take more than QUEUE_BYTES. */
enum { JOBS_MAX = 1024, PAUSES = 20, PAUSE_S = 1, QUEUE_BYTES = 256 * 1024 * 1024 };

/* Records that are not in the store yet. They own their models and contents. */
struct queue {
    struct sms__point_record *record;
    size_t records, bytes;
};

struct runner {
    const struct sms__plan *plan;
    const struct sms__sweep_options *options;
    const struct sms__index *index;
    struct sms__store *store;
    struct sms__memo *memo; /* runs that points share */
    uint64_t memory;        /* of all threads together; found once, as the system takes a while to tell it */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a first record is in the queue, or a thread ended */
    pthread_cond_t freed;   /* the queue is shorter */
    pthread_cond_t told;    /* a search knows more, or a thread ended */
    pthread_rwlock_t alone; /* held for writing by a point that takes more memory than a thread's part */
    struct queue queue;
    unsigned threads; /* running */
    uint64_t next;    /* next point to consider */
    struct sms__sweep_count *count;
    int code;
    struct sms_errors *errors;
};

struct worker {
    struct runner *runner;
    pthread_t thread;
    bool first; /* uses the plan's files */
    struct sms__worker_context context;
    struct sms__buffer content, packed; /* of one record at a time */
    struct sms_errors errors;
};

static bool is_missing(const struct runner *runner, uint64_t point)
{
    return runner->index->location[point].state == SMS__POINT_MISSING;
}

/* Points that a search needs may follow from those that others run, so it waits for these. */
static bool next_of_search(struct runner *runner, uint64_t *point)
{
    bool waits = true, found = false;
    pthread_mutex_lock(&runner->lock);
    while (waits && !found && !runner->code && !(runner->options->cancel && atomic_load(runner->options->cancel))) {
        found = sms__search_take(runner->index->search, point, &waits);
        if (!found && waits)
            pthread_cond_wait(&runner->told, &runner->lock);
    }
    pthread_mutex_unlock(&runner->lock);
    return found;
}

static bool next_point(struct runner *runner, uint64_t *point)
{
    if (runner->index->search)
        return next_of_search(runner, point);
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

static void free_queue(struct queue *queue)
{
    for (size_t i = 0; i < queue->records; i++) {
        free((void *)(uintptr_t)queue->record[i].models);
        free((void *)(uintptr_t)queue->record[i].content);
    }
    free(queue->record);
    *queue = (struct queue){0};
}

/* Hands a record over to the writer. Takes over its models, and copies its content. False: out of memory. */
static bool add_to_queue(struct runner *runner, const struct sms__point_record *record)
{
    struct queue *queue = &runner->queue;
    char *content = malloc(record->size);
    pthread_mutex_lock(&runner->lock);
    while (queue->bytes > QUEUE_BYTES && !runner->code)
        pthread_cond_wait(&runner->freed, &runner->lock);
    size_t count = queue->records;
    struct sms__point_record *grown = content ? sms__room(queue->record, count, sizeof *grown) : NULL;
    bool added = grown != NULL;
    if (added) {
        memcpy(content, record->content, record->size);
        queue->record = grown;
        grown[queue->records] = *record;
        grown[queue->records++].content = content;
        queue->bytes += record->size;
    }
    if (count == 0)
        pthread_cond_signal(&runner->changed);
    pthread_mutex_unlock(&runner->lock);
    if (!added)
        free(content);
    return added;
}

/* Lets the search know a point. */
static bool tell(struct runner *runner, uint64_t point, bool failed, const struct sms__buffer *content)
{
    struct sms__search *search = runner->index->search;
    if (!search)
        return true;
    pthread_mutex_lock(&runner->lock);
    bool told = sms__search_tell(search, point, failed, content->bytes, content->length);
    pthread_cond_broadcast(&runner->told);
    pthread_mutex_unlock(&runner->lock);
    return told;
}

/* Takes over `models`. `results`: NULL if the point failed with worker->errors. */
static int record_point(struct worker *worker, uint64_t point, char *models, const struct sms_results *results)
{
    struct sms__point_record record = {.point = point, .failed = !results, .models = models};
    struct sms__buffer *content = &worker->content;
    int code = SMS_OK;
    content->length = 0;
    if (results)
        code = sms__record_results(content, results, worker->runner->plan->keep, &worker->errors);
    else
        sms__record_failure(content, worker->errors.item[0].message);
    if (code == SMS_OK && models && !content->failed && sms__record_pack(&record, content, &worker->packed) &&
        sms__point_key(&worker->context, point, models, &record.name, record.key) &&
        tell(worker->runner, point, record.failed, content) && add_to_queue(worker->runner, &record))
        return SMS_OK;
    free(models);
    return code ? code : sms__fail(&worker->errors, SMS_ENOMEM, worker->runner->plan->path, "out of memory");
}

/* A point while it is run. */
struct running {
    struct worker *worker;
    struct sms__arena arena;
    uint64_t point;
    const struct sms_scenario *scenario;
    struct sms_results *results;
    uint64_t memory; /* that it may take */
};

/* Whether a policy may gain by sparing a kernel its own blocks. Only then do tenants run alone under each policy,
 * because that may take longer than all other runs of the point. */
static bool any_wants_more(const struct sms_scenario *scenario)
{
    bool any = false;
    for (size_t v = 0; v < scenario->vms && !scenario->shares && !any; v++)
        any = sms__wants_more(scenario, &scenario->vm[v], 1 + SMS__FULL_MARGIN);
    return any;
}

static int simulate(void *user)
{
    struct running *running = user;
    const struct runner *runner = running->worker->runner;
    struct sms_run_options options = sms_run_defaults();
    options.engine = runner->options->engine;
    options.check = runner->options->check;
    options.cancel = runner->options->cancel;
    options.max_memory = running->memory;
    options.alone_each = any_wants_more(running->scenario);
    return sms__run_with_memo(running->scenario, &options, runner->memo,
                              sms__point_beside(&running->arena, runner->plan, running->point), &running->results,
                              &running->worker->errors);
}

/* A point has its thread's part of the memory. If it needs more, it runs again, with all of it, while no other one
 * does.
 */
static int run_in_memory(struct running *running)
{
    struct runner *runner = running->worker->runner;
    running->memory = runner->memory / (runner->options->jobs ? runner->options->jobs : 1);
    pthread_rwlock_rdlock(&runner->alone);
    int code = sms__guard(&running->arena, simulate, running);
    pthread_rwlock_unlock(&runner->alone);
    if (code != SMS_EMEMORY || running->memory == runner->memory)
        return code;
    pthread_rwlock_wrlock(&runner->alone);
    running->memory = runner->memory;
    code = sms__guard(&running->arena, simulate, running);
    pthread_rwlock_unlock(&runner->alone);
    return code;
}

/* A wrong scenario (SMS_EINPUT) is recorded as the point's result. Any other failure stops the sweep unrecorded. */
static int run_point(struct worker *worker, uint64_t point)
{
    struct running running = {.worker = worker, .point = point};
    struct sms_file *file = NULL;
    char *models = NULL;
    int code = sms__point_load(&worker->context, point, &file, &models, &worker->errors);
    if (code == SMS_OK) {
        running.scenario = sms_file_scenario(file, 0);
        code = run_in_memory(&running);
    }
    if (code == SMS_OK || code == SMS_EINPUT)
        code = record_point(worker, point, models, code ? NULL : running.results);
    else
        free(models);
    sms_results_free(running.results);
    sms_file_free(file);
    sms__arena_release(&running.arena);
    return code;
}

static void *work(void *user)
{
    struct worker *worker = user;
    struct runner *runner = worker->runner;
    uint64_t point;
    int code = sms__worker_context_open(runner->plan, worker->first, &worker->context, &worker->errors);
    while (code == SMS_OK && next_point(runner, &point))
        code = run_point(worker, point);
    if (worker->context.plan)
        sms__worker_context_close(&worker->context);
    free(worker->content.bytes);
    free(worker->packed.bytes);
    pthread_mutex_lock(&runner->lock);
    if (code)
        record_failure(runner, code, &worker->errors);
    runner->threads--;
    pthread_cond_broadcast(&runner->told);
    pthread_cond_signal(&runner->changed);
    pthread_mutex_unlock(&runner->lock);
    return NULL;
}

/* Writes the records to the store, all at once if they fit on the disk, and else as many as do. Returns their number.
 */
static size_t write_records(struct runner *runner, const struct queue *queue, struct sms_errors *errors)
{
    size_t written = 0, size = queue->records;
    while (written < queue->records && size > 0) {
        struct sms_errors failed = {0};
        size_t left = queue->records - written;
        size = size < left ? size : left;
        if (sms__store_add(runner->store, &queue->record[written], size, &failed) == SMS_OK) {
            written += size;
        } else {
            *errors = failed;
            size /= 2;
        }
    }
    return written;
}

/* Writes the queue to the store, without holding the lock meanwhile. */
static void write_queue(struct runner *runner)
{
    struct sms_errors errors = {0};
    struct queue queue = runner->queue;
    runner->queue = (struct queue){0};
    pthread_cond_broadcast(&runner->freed);
    pthread_mutex_unlock(&runner->lock);
    size_t written = write_records(runner, &queue, &errors);
    sms__store_touch(runner->store);
    pthread_mutex_lock(&runner->lock);
    if (written < queue.records)
        record_failure(runner, errors.item[0].code, &errors);
    runner->count->run += written;
    for (size_t i = 0; i < written; i++)
        runner->count->failed += queue.record[i].failed;
    free_queue(&queue);
}

/* Waits for `seconds`, or until no thread runs, or until there is a record if `for_record`. */
static void wait_for_change(struct runner *runner, double seconds, bool for_record)
{
    struct timespec until;
    int timed_out = 0;
    clock_gettime(CLOCK_MONOTONIC, &until); /* as `changed` waits */
    until.tv_nsec += (long)(seconds * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (runner->threads > 0 && !timed_out && !(for_record && runner->queue.records))
        timed_out = pthread_cond_timedwait(&runner->changed, &runner->lock, &until);
}

/* The first write after the last thread has ended finds all that is left. */
static void supervise(struct runner *runner, uint64_t to_do)
{
    struct sms__progress progress;
    bool running = true;
    sms__progress_begin(&progress, "", "points", runner->options->quiet);
    pthread_mutex_lock(&runner->lock);
    while (running) {
        wait_for_change(runner, PAUSE_S, true);
        running = runner->threads > 0;
        double began_s = sms__monotonic_s();
        write_queue(runner);
        double pause_s = PAUSES * (sms__monotonic_s() - began_s);
        sms__progress_show(&progress, runner->count->run, to_do, runner->count->failed);
        wait_for_change(runner, pause_s < PAUSE_S ? pause_s : PAUSE_S, false);
    }
    pthread_mutex_unlock(&runner->lock);
    sms__progress_end(&progress);
}

static void run_threads(struct runner *runner, uint64_t to_do)
{
    unsigned wanted = runner->options->jobs < JOBS_MAX ? runner->options->jobs : JOBS_MAX, started = 0;
    if (wanted > to_do)
        wanted = (unsigned)to_do;
    struct worker *worker = calloc(wanted, sizeof *worker);
    pthread_mutex_lock(&runner->lock);
    for (; worker && started < wanted; started++) {
        worker[started].runner = runner;
        worker[started].first = started == 0;
        if (pthread_create(&worker[started].thread, NULL, work, &worker[started]))
            break;
    }
    runner->threads = started;
    if (started == 0) {
        struct sms_errors errors = {0};
        record_failure(runner, sms__fail(&errors, SMS_ENOMEM, runner->plan->path, "cannot start a thread"), &errors);
    }
    pthread_mutex_unlock(&runner->lock);
    supervise(runner, to_do);
    for (unsigned i = 0; i < started; i++)
        pthread_join(worker[i].thread, NULL);
    free(worker);
}

/* Does not say where in a scenario it stopped. Those points are lost; what matters is how many are kept. How many a
 * search will need is not known before its end. */
static int report_interrupted(struct runner *runner)
{
    const struct sms__sweep_count *count = runner->count;
    const unsigned long long kept = count->before + count->run, points = count->points;
    *runner->errors = (struct sms_errors){0};
    if (runner->index->search)
        return sms__fail(runner->errors, SMS_ECANCELED, runner->plan->path,
                         "interrupted; points that are saved: %llu; the same command continues", kept);
    return sms__fail(runner->errors, SMS_ECANCELED, runner->plan->path,
                     "interrupted; %llu of %llu points are saved; the same command continues", kept, points);
}

static int run_missing(struct runner *runner)
{
    struct sms__shard shard = runner->options->shard;
    const struct sms__plan *plan = runner->plan;
    for (uint64_t i = shard.idx - 1; i < plan->points; i += shard.count) {
        runner->count->points++;
        runner->count->before += !is_missing(runner, i);
    }
    if (runner->index->search && runner->index->wanted == runner->count->before)
        runner->count->points = runner->index->wanted;
    else if (runner->index->search) /* at most, if all policies have the same way */
        runner->count->points = runner->index->search->groups * sms__search_most(plan);
    runner->next = shard.idx - 1;
    if (runner->count->points > runner->count->before)
        run_threads(runner, runner->count->points - runner->count->before);
    const struct sms__memo_count runs = runner->memo ? sms__memo_count(runner->memo) : (struct sms__memo_count){0};
    if (runner->index->search)
        runner->count->points = runner->count->before + runner->count->run;
    runner->count->simulated = runs.simulated;
    runner->count->shared = runs.shared;
    if (runner->code == SMS_ECANCELED ||
        (runner->code == SMS_OK && runner->options->cancel && atomic_load(runner->options->cancel)))
        return report_interrupted(runner);
    return runner->code;
}

/* A clock that is set back must not stall the writer of records. */
static void init_changed(struct runner *runner)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&runner->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

int sms__sweep_run(const struct sms__plan *plan, const char *folder, const struct sms__sweep_options *options,
                   struct sms__sweep_count *count, struct sms_errors *errors)
{
    struct sms__store store;
    struct sms__worker_context context;
    struct sms__index index;
    *count = (struct sms__sweep_count){0};
    int code = sms__store_open(folder, options->shard, &store, errors);
    if (code)
        return code;
    code = sms__worker_context_open(plan, true, &context, errors);
    if (code == SMS_OK) {
        code = sms__frontier_open(&context, folder, options->shard, &index, errors);
        sms__worker_context_close(&context);
    }
    if (code == SMS_OK) {
        struct runner runner = {.plan = plan,
                                .options = options,
                                .index = &index,
                                .store = &store,
                                .memo = sms__memo_new(),
                                .memory = sms__memory_most(options->memory),
                                .lock = PTHREAD_MUTEX_INITIALIZER,
                                .freed = PTHREAD_COND_INITIALIZER,
                                .told = PTHREAD_COND_INITIALIZER,
                                .alone = PTHREAD_RWLOCK_INITIALIZER,
                                .count = count,
                                .errors = errors};
        init_changed(&runner);
        code = run_missing(&runner);
        sms__memo_free(runner.memo);
        sms__frontier_close(&index);
    }
    sms__store_close(&store);
    return code;
}
