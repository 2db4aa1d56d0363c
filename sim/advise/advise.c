/* Runs the programs alone and in each way to share, and ranks the ways: first those that meet all targets, by the work
 * that they do; then the others, by how far they miss. Where kernels have no counters, a way counts by the worse end of
 * what contention may do. */
#include "advise.h"

#include "../import/derive.h"
#include "../sweep/draw_unknowns.h"
#include "../base/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Parts of a run, for estimates on the way and for draws. */
static const double ESTIMATED[] = {0.1, 0.3}, DRAWN = 0.2;

enum { REPLICATIONS_MORE = 12 }; /* of a way of which fewer do not tell whether it is the answer */

struct work {
    struct sms__arena *arena;
    struct sms__programs *programs;
    const struct sms__advise_settings *settings;
    struct sms__advice *out;
    struct sms_errors *errors;
};

/* ---- one run ---- */

static int run_way(const struct work *work, const struct sms__way *way, struct sms__span span, enum sms__end end,
                   struct sms_file **file, struct sms_results **results, struct sms_errors *errors)
{
    struct sms__buffer text = {0};
    FILE *to = sms__made_begin(&text, sms__way_text(work->out, way, end));
    if (to)
        sms__way_write(way, work->programs, work->settings, span, end, to);
    return sms__made_run(way->name, &text, to, work->settings, file, results, errors);
}

static const char *why_not(struct sms__arena *arena, const struct sms_errors *errors)
{
    return sms__copy(arena, errors->item[0].message, strlen(errors->item[0].message));
}

static int look_at(const struct work *work, const struct sms__way *way, struct sms__span span,
                   struct sms__outlook *outlook)
{
    struct sms_errors errors = {0};
    const size_t count = work->programs->count;
    *outlook =
        (struct sms__outlook){.way = way, .span = span, .programs = count, .worst_gain = INFINITY, .may_meet = true};
    outlook->share = SMS__NEW(work->arena, struct sms__tenancy, count);
    outlook->worst_slowdown = SMS__NEW(work->arena, double, count);
    outlook->worst_per_s = SMS__NEW(work->arena, double, count);
    for (size_t p = 0; p < count; p++)
        outlook->worst_per_s[p] = INFINITY;
    int code = run_way(work, way, span, SMS__KNOWN_END, &outlook->file, &outlook->results, &errors);
    if (code == SMS_EINPUT) {
        outlook->why = why_not(work->arena, &errors);
        return SMS_OK;
    }
    *work->errors = errors;
    if (code)
        return code;
    outlook->why = sms__why_fails(work->arena, outlook->results);
    if (outlook->why)
        return SMS_OK;
    sms__describe(work->arena, work->programs, (double)work->settings->cores, outlook);
    return SMS_OK;
}

/* The other end of what is not known, of kernels without counters beside others or on fewer SMs. */
static int look_at_other_end(const struct work *work, struct sms__span span, struct sms__outlook *outlook)
{
    struct sms_file *file = NULL;
    struct sms_results *results = NULL;
    if (!work->out->ranged || outlook->way->sliced || outlook->way->alone || outlook->why)
        return SMS_OK;
    int code = run_way(work, outlook->way, span, SMS__TAKEN_END, &file, &results, work->errors);
    if (code == SMS_OK)
        sms__judge(work->programs, outlook, results);
    sms_results_free(results);
    sms_file_free(file);
    return code;
}

/* ---- all ways ---- */

/* Work as it is shown, with two decimals. */
static double shown(double work) { return nearbyint(100 * work); }

static size_t processes_of(const struct sms__outlook *outlook)
{
    return sms__way_first(outlook->way, outlook->programs);
}

/* By how much the way slows its programs, added up, as it is shown. */
static double slowdown_of(const struct sms__outlook *outlook)
{
    double sum = 0;
    for (size_t p = 0; p < outlook->programs; p++)
        sum += outlook->worst_slowdown ? outlook->worst_slowdown[p] : 0;
    return shown(sum);
}

/* Of ways that do as much work the one with fewest processes is first, then the one that slows programs least: programs
 * whose jobs arrive do as much under every way that keeps up. */
static int by_rank(const void *left, const void *right)
{
    const struct sms__outlook *a = left, *b = right;
    if (!a->why != !b->why)
        return a->why ? 1 : -1;
    if (a->meets != b->meets)
        return a->meets ? -1 : 1;
    if (!a->meets && a->misses_by != b->misses_by)
        return a->misses_by < b->misses_by ? -1 : 1;
    if (shown(a->worst_gain) != shown(b->worst_gain))
        return a->worst_gain > b->worst_gain ? -1 : 1;
    if (processes_of(a) != processes_of(b))
        return processes_of(a) < processes_of(b) ? -1 : 1;
    if (slowdown_of(a) != slowdown_of(b))
        return slowdown_of(a) < slowdown_of(b) ? -1 : 1;
    return a->way < b->way ? -1 : a->way > b->way;
}

static void drop_outlook(struct sms__outlook *outlook)
{
    sms_results_free(outlook->results);
    sms_file_free(outlook->file);
}

static void drop_outlooks(struct sms__advice *advice)
{
    for (size_t i = 0; i < advice->count; i++)
        drop_outlook(&advice->outlook[i]);
    advice->count = 0;
}

static int look_at_all(const struct work *work, const struct sms__ways *ways, struct sms__span span)
{
    struct sms__advice *out = work->out;
    int code = SMS_OK;
    const bool again = work->settings->known && work->settings->only;
    out->outlook = SMS__NEW(work->arena, struct sms__outlook, ways->count);
    for (size_t i = work->settings->known; i < ways->count && code == SMS_OK; i++) {
        struct sms__outlook *outlook = &out->outlook[out->count++];
        code = look_at(work, &ways->way[i], span, outlook);
        if (code == SMS_OK && i == 0 && outlook->why) /* not even alone */
            code = sms__fail(work->errors, SMS_EINPUT, NULL, "alone, %s", outlook->why);
        if (code == SMS_OK && (outlook->meets || !again))
            code = look_at_other_end(work, span, outlook);
        if (work->settings->on_progress)
            work->settings->on_progress(work->settings->user, i + 1, ways->count);
        if (outlook->meets && again)
            break;
    }
    if (code == SMS_OK)
        qsort(out->outlook, out->count, sizeof *out->outlook, by_rank);
    return code;
}

/* ---- where chance decides ---- */

/* Whether the answer is the best way; or else that it does not pay to share. */
static bool is_answer(const struct work *work) { return work->settings->packed || sms__advice_shares(work->out); }

/* Whether the answer hangs on how far an interval reaches. */
static bool is_undecided(const struct work *work, const struct sms__outlook *outlook)
{
    const struct sms__outlook *best = sms__advice_best(work->out, 0);
    if (outlook->why || outlook->again || (outlook->way->alone && (best || !work->settings->packed)))
        return false;
    if (outlook == best && outlook->meets)
        return !is_answer(work) && shown(outlook->worst_gain) > shown(1);
    return !outlook->meets && outlook->may_meet &&
           (!best || !best->meets || shown(outlook->worst_gain) > shown(best->worst_gain));
}

/* The one that does the most work, or NULL. */
static struct sms__outlook *find_undecided(const struct work *work)
{
    struct sms__outlook *found = NULL;
    for (size_t i = 0; i < work->out->count; i++) {
        struct sms__outlook *outlook = &work->out->outlook[i];
        if (is_undecided(work, outlook) && (!found || outlook->worst_gain > found->worst_gain))
            found = outlook;
    }
    return found;
}

/* Jobs that come seldom may be missing in one of more replications. Then the fewer stand. */
static int look_again(const struct work *work, struct sms__outlook *outlook)
{
    struct sms__outlook fewer = *outlook;
    struct sms__span span = outlook->span;
    span.replications = REPLICATIONS_MORE;
    int code = look_at(work, fewer.way, span, outlook);
    code = code ? code : look_at_other_end(work, span, outlook);
    if (code == SMS_OK && outlook->why) {
        const struct sms__outlook failed = *outlook;
        *outlook = fewer;
        fewer = failed;
    }
    drop_outlook(&fewer);
    outlook->again = true;
    return code;
}

/* Few replications have a wide interval. A way that may be the answer, or not, runs with more of them; and each program
 * alone does, because the same jobs must arrive in both. */
static int decide(const struct work *work)
{
    struct sms__advice *out = work->out;
    struct sms__outlook *outlook = find_undecided(work);
    int code =
        outlook && !outlook->way->alone && !work->settings->known ? look_again(work, sms__advice_alone(out)) : SMS_OK;
    while (outlook && code == SMS_OK) {
        code = look_again(work, outlook);
        qsort(out->outlook, out->count, sizeof *out->outlook, by_rank);
        outlook = find_undecided(work);
    }
    return code;
}

static int write_texts(struct work *work)
{
    FILE *to[SMS__TEXTS];
    int code = SMS_OK;
    for (int t = 0; t < SMS__TEXTS; t++)
        code = (to[t] = sms__buffer_open(&work->out->text[t])) ? code : SMS_ENOMEM;
    for (size_t p = 0; p < work->programs->count && code == SMS_OK; p++) {
        code = sms__write_coarse(work->arena, &work->programs->program[p], work->settings, to, work->errors);
        work->out->ranged |= work->programs->program[p].unknown > 0;
    }
    for (int t = 0; t < SMS__TEXTS; t++)
        if (to[t] && !sms__buffer_close(&work->out->text[t], to[t]))
            code = code ? code : SMS_ENOMEM;
    return code;
}

static void free_texts(struct sms__advice *advice)
{
    for (int t = 0; t < SMS__TEXTS; t++) {
        free(advice->text[t].bytes);
        advice->text[t] = (struct sms__buffer){0};
    }
}

/* While one program does a long job, others may launch millions of kernels. Then one stands for several, and the texts
 * are written anew. */
static int write_workloads(struct work *work)
{
    const struct sms__programs *programs = work->programs;
    int code = write_texts(work);
    const double fold = sms__programs_crowd(programs);
    if (code || fold <= 1)
        return code;
    for (size_t p = 0; p < programs->count; p++)
        programs->program[p].least_fold = fold * fmax(programs->program[p].fold, 1);
    free_texts(work->out);
    return write_texts(work);
}

static int write_guarded(void *user) { return write_workloads(user); }

/* The guard is within the lock, so that a thread that finds no memory does not keep it. */
static int write_locked(struct work *work)
{
    pthread_mutex_t *lock = work->settings->lock;
    if (lock)
        pthread_mutex_lock(lock);
    int code = sms__guard(work->arena, write_guarded, work);
    for (size_t p = 0; p < work->programs->count; p++)
        sms__free_kernel_runs(&work->programs->program[p]);
    if (lock)
        pthread_mutex_unlock(lock);
    return code;
}

/* ---- what is not known ---- */

struct sms__outlook *sms__advice_best(const struct sms__advice *advice, size_t rank)
{
    for (size_t i = 0; i < advice->count; i++)
        if (!advice->outlook[i].way->alone && !advice->outlook[i].why && rank-- == 0)
            return &advice->outlook[i];
    return NULL;
}

struct sms__outlook *sms__advice_alone(const struct sms__advice *advice)
{
    struct sms__outlook *outlook = advice->outlook;
    while (!outlook->way->alone)
        outlook++;
    return outlook;
}

/* A way that is drawn, in shorter runs. */
struct drawn {
    struct sms_file *file;
    struct sms_results *results;
};

static double misses_by(const void *user, const struct sms_results *results)
{
    const struct work *work = user;
    return sms__misses_by(work->programs, sms__advice_best(work->out, 0)->way, results);
}

/* `by_misses`: draws tell by how much the best way misses what programs must do; or else what work the way does. */
static int draw(const struct work *work, const struct sms__outlook *outlook, bool by_misses, struct drawn *out)
{
    struct sms_run_options run = sms__advise_run_options(work->settings);
    const struct sms__span span = sms__span_for(work->programs, work->out->device, DRAWN);
    const enum sms__end end = work->out->ranged && !outlook->way->sliced && outlook->worst_gain < outlook->gain.mean
                                  ? SMS__TAKEN_END /* which decides */
                                  : SMS__KNOWN_END;
    int code = run_way(work, outlook->way, span, end, &out->file, &out->results, work->errors);
    const struct sms__unknowns_run draws = {
        out->file, work->settings->load, &run, work->settings->draws, by_misses ? misses_by : NULL, work};
    run.alone = !by_misses;
    return code ? code : sms__unknowns_run(&draws, out->results, work->errors);
}

/* The parameter whose factor goes with the value most, if that is not chance. */
static const char *find_deciding(struct sms__arena *arena, const struct sms__unknowns *unknowns)
{
    struct sms__influence *influence = SMS__NEW(arena, struct sms__influence, unknowns->count);
    const char *name = NULL;
    double most = 0;
    const bool known = sms__influences(unknowns, 0, SIZE_MAX, influence);
    for (size_t i = 0; i < unknowns->count && known; i++)
        if (influence[i].p < SMS__SIGNIFICANT && fabs(influence[i].correlation) > most) {
            most = fabs(influence[i].correlation);
            name = sms__copy(arena, unknowns->item[i].name, strlen(unknowns->item[i].name));
        }
    return name;
}

/* Counts the draws in which the best way meets all targets, and does the jobs that must be done; or else does as much
 * as the next and more than a GPU for one program at a time, unless the programs must share. */
static void count(const struct work *work, bool by_misses, const struct drawn *best, const struct drawn *rival)
{
    const struct sms__unknowns *own = best->results->unknowns;
    const double least = work->settings->packed ? 0 : shown(1);
    const double *other = rival->results && rival->results->unknowns ? rival->results->unknowns->value : NULL;
    if (!own || own->count == 0)
        return;
    work->out->draws = own->draws;
    work->out->decides = find_deciding(work->arena, own);
    for (size_t d = 0; d < own->draws; d++)
        work->out->held += by_misses
                               ? own->value[d] <= 1
                               : shown(own->value[d]) > least && !(other && shown(other[d]) > shown(own->value[d]));
}

static int draw_unknowns(const struct work *work)
{
    const struct sms__outlook *best = sms__advice_best(work->out, 0), *rival = sms__advice_best(work->out, 1);
    struct drawn own = {0}, other = {0};
    bool by_misses = false;
    if (!best || !work->settings->draws)
        return SMS_OK;
    for (size_t p = 0; p < work->programs->count; p++)
        by_misses |= work->programs->program[p].target.metric || work->programs->program[p].least_per_s > 0;
    by_misses &= is_answer(work) || !best->meets; /* else it gains too little */
    int code = draw(work, best, by_misses, &own);
    if (code == SMS_OK && rival && !by_misses)
        code = draw(work, rival, false, &other);
    if (code == SMS_OK)
        count(work, by_misses, &own, &other);
    if (!is_answer(work))
        work->out->held = work->out->draws - work->out->held; /* the answer is that it does not */
    sms_results_free(own.results);
    sms_results_free(other.results);
    sms_file_free(own.file);
    sms_file_free(other.file);
    return code;
}

static int check_lengths(const struct work *work)
{
    const struct sms__program *program = sms__find_too_long(work->programs);
    if (!program)
        return SMS_OK;
    return sms__fail(work->errors, SMS_EINPUT, program->path,
                     "a job of '%.60s' takes %.4g h alone: a run, in which each program does a few jobs, would take "
                     "longer than 2500 h",
                     program->name, program->job_ps / 3.6e15);
}

int sms__advise(struct sms__arena *arena, struct sms__programs *programs, const struct sms__advise_settings *settings,
                struct sms__advice *out, struct sms_errors *errors)
{
    struct work work = {.arena = arena, .programs = programs, .settings = settings, .out = out, .errors = errors};
    struct sms__ways ways;
    *out = (struct sms__advice){.programs = programs};
    int code = sms__derive_device(settings->device, settings->load, &out->device_file, &out->device, errors);
    if (code == SMS_OK)
        code = write_locked(&work);
    code = code ? code : check_lengths(&work);
    if (code == SMS_OK) {
        sms__ways_list(arena, programs, out->device, settings->only, &ways);
        out->left_out = ways.left_out;
        code = sms__measure_together(arena, programs, &ways, &out->text[SMS__BLOCK_TEXT], settings, errors);
        out->drops_priorities = ways.drops_priorities;
    }
    for (size_t i = 0; i < sizeof ESTIMATED / sizeof *ESTIMATED && settings->on_estimate && code == SMS_OK; i++) {
        code = look_at_all(&work, &ways, sms__span_for(programs, out->device, ESTIMATED[i]));
        if (code == SMS_OK)
            settings->on_estimate(settings->user, ESTIMATED[i], out);
        drop_outlooks(out);
    }
    if (code == SMS_OK)
        code = look_at_all(&work, &ways, sms__span_for(programs, out->device, settings->part > 0 ? settings->part : 1));
    code = code ? code : decide(&work);
    code = code ? code : draw_unknowns(&work);
    if (code == SMS_ENOMEM && !errors->count)
        sms__fail(errors, code, NULL, "no memory");
    return code;
}

void sms__advice_free(struct sms__advice *advice)
{
    drop_outlooks(advice);
    free_texts(advice);
    sms_file_free(advice->device_file);
}

bool sms__advice_shares(const struct sms__advice *advice)
{
    const struct sms__outlook *best = sms__advice_best(advice, 0);
    if (!best || !best->meets)
        return false;
    const double half = isnan(best->gain.ci95) ? 0 : best->gain.ci95;
    return shown(best->worst_gain - half) > shown(1);
}
