/* Runs all policies in draws of what is not known. Threads each take the next draw; each value has a place of its own,
 * so the results do not depend on their number. */
#include "draw_unknowns.h"

#include "../base/threads.h"
#include "../model/draws.h"
#include "../results/results.h"

#include <pthread.h>
#include <stdlib.h>

struct work {
    const struct sms__unknowns_run *run;
    const struct sms_results *results; /* of the scenario as it is */
    struct sms__unknown_list list;
    struct sms__unknowns *out;
    struct sms_question asked;
    pthread_mutex_t lock;
    size_t next, done;
    int code;
    size_t failed; /* the first draw that failed, if `code` says that one did */
    struct sms_errors *errors;
};

/* The seed with which the replications of a draw go on where those of the draw before ended. */
static uint64_t seed_of(const struct work *work, size_t draw)
{
    return sms__replication_seed(sms_results_seed(work->results), (uint64_t)draw * work->out->replications);
}

/* If several fail, the one with the least number is reported: all before it were begun before it. */
static void fail(struct work *work, size_t draw, int code, const struct sms_errors *errors)
{
    if (work->code && draw > work->failed)
        return;
    work->code = code;
    work->failed = draw;
    *work->errors = *errors;
    if (code == SMS_EINPUT) /* of a number that nobody wrote */
        snprintf(work->errors->item[0].message, sizeof errors->item[0].message,
                 "in draw %zu of the unknown parameters: %.250s", draw + 1, errors->item[0].message);
}

/* Loads the next draw; loading uses the library, so this holds the lock. Returns false if there is none. */
static bool take(struct work *work, size_t *draw, struct sms_file **file, double *logarithm)
{
    struct sms_errors errors = {0};
    pthread_mutex_lock(&work->lock);
    bool more = !work->code && work->next < work->out->draws;
    *draw = work->next;
    for (size_t i = 0; i < work->out->count && more; i++)
        logarithm[i] = work->out->item[i].logarithm[*draw];
    int code =
        more ? sms__load_draw(&work->list, work->run->library, work->run->options, logarithm, file, &errors) : SMS_OK;
    work->next += more;
    if (code)
        fail(work, *draw, code, &errors);
    pthread_mutex_unlock(&work->lock);
    return more && !code;
}

static void keep(const struct work *work, size_t draw, const struct sms_results *results)
{
    for (size_t p = 0; p < work->out->policies; p++)
        work->out->value[p * work->out->draws + draw] =
            work->run->value
                ? work->run->value(work->run->user, results)
                : sms_results_estimate(results, p, work->asked.subject, work->asked.idx, work->asked.metric).mean;
}

static void run_draw(struct work *work, size_t draw, const struct sms_file *file)
{
    struct sms_run_options options = *work->run->run;
    struct sms_results *results = NULL;
    struct sms_errors errors = {0};
    options.jobs = 1;
    options.seed = seed_of(work, draw);
    options.replications = (unsigned)work->out->replications;
    options.observe = NULL;
    options.events = options.bins = 0;
    options.on_progress = NULL;
    int code = sms_run(sms_file_scenario(file, 0), &options, &results, &errors);
    pthread_mutex_lock(&work->lock);
    if (code)
        fail(work, draw, code, &errors);
    else
        keep(work, draw, results);
    work->done++;
    if (!code && work->run->run->on_progress)
        work->run->run->on_progress(work->run->run->user, work->done, work->out->draws);
    pthread_mutex_unlock(&work->lock);
    sms_results_free(results);
}

static void *do_work(void *user)
{
    struct work *work = user;
    struct sms_file *file = NULL;
    size_t draw;
    double *logarithm = calloc(work->out->count + 1, sizeof *logarithm);
    while (logarithm && take(work, &draw, &file, logarithm)) {
        run_draw(work, draw, file);
        sms_file_free(file);
    }
    if (!logarithm) {
        struct sms_errors errors = {0};
        pthread_mutex_lock(&work->lock);
        fail(work, 0, sms__fail(&errors, SMS_ENOMEM, work->list.scenario->node->mark.file, "no memory"), &errors);
        pthread_mutex_unlock(&work->lock);
    }
    free(logarithm);
    return NULL;
}

/* For sms__guard: lists what is not known, and draws all of it. */
static int draw_all(void *user)
{
    struct work *work = user;
    struct sms__unknowns *out = work->out;
    gsl_rng *stream = sms__stream(&out->arena, 0, "", 0);
    sms__list_unknowns(&out->arena, work->list.scenario, &work->list);
    out->count = work->list.parameters;
    out->item = SMS__NEW(&out->arena, struct sms__unknown, out->count);
    out->value = SMS__NEW(&out->arena, double, out->policies * out->draws);
    for (size_t i = 0; i < out->count; i++) {
        const struct sms__parameter *parameter = &work->list.parameter[i];
        out->item[i] =
            (struct sms__unknown){parameter->name, parameter->spread, SMS__NEW(&out->arena, double, out->draws)};
        for (size_t d = 0; d < out->draws; d++)
            out->item[i].logarithm[d] = sms__draw_unknown(stream, seed_of(work, d), parameter->name, parameter->spread);
    }
    return SMS_OK;
}

static struct sms__unknowns *make_room(const struct work *work)
{
    const struct sms_scenario *scenario = work->list.scenario;
    struct sms__unknowns *out = calloc(1, sizeof *out);
    if (!out)
        return NULL;
    out->draws = work->run->draws ? work->run->draws : (size_t)scenario->unknowns.draws;
    out->replications = (size_t)scenario->unknowns.replications;
    out->policies = sms_results_policies(work->results);
    out->better = work->asked.better;
    return out;
}

int sms__unknowns_run(const struct sms__unknowns_run *run, struct sms_results *results, struct sms_errors *errors)
{
    const struct sms_scenario *scenario = sms_results_scenario(results);
    struct work work = {.run = run, .results = results, .list.scenario = scenario, .errors = errors};
    *errors = (struct sms_errors){0};
    if (!sms_results_question(results, &work.asked))
        return SMS_OK;
    work.out = make_room(&work);
    work.code = work.out ? sms__guard(&work.out->arena, draw_all, &work) : SMS_ENOMEM;
    if (work.code) {
        sms__unknowns_free(work.out);
        return sms__report_run(work.code, scenario, "", NULL, errors);
    }
    pthread_mutex_init(&work.lock, NULL);
    const size_t jobs = run->run->jobs;
    sms__work_in_threads(jobs < work.out->draws ? jobs : work.out->draws, do_work, &work);
    pthread_mutex_destroy(&work.lock);
    if (work.code)
        sms__unknowns_free(work.out);
    else
        results->unknowns = work.out;
    return work.code;
}
