/* Groups of programs, from each program alone to what GLPK picks. */
#include "pack.h"

#include "../base/statistics.h"
#include "../base/threads.h"
#include "../import/derive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHORT_MOST = 250,   /* groups in short runs: half a minute on two cores */
    LEFT_MOST = 40,     /* as many more for copies that are left over, */
    FEWER_MOST = 80,    /* and for the fewest GPUs */
    WHOLE_MOST = 40,    /* in runs of whole length, for each goal; then only of these is picked, */
    LACKING_MOST = 120, /* unless they lack a copy that others promise to place, or need a GPU more */
};
static const double PART[] = {0.1, 0.3, 1, 1}; /* by sms__length */
/* So far a latency may be above its target by chance, by sms__length; longer runs show whether it was. */
static const double MISSES_BY_CHANCE[] = {SMS__MISSES_BY_CHANCE, 1.2, 1, 1};
/* As SMS__KEEPS_UP; in a short run some fifty jobs arrive, and by chance more than are done. */
static const double SHORT_KEEPS_UP = 0.7;
/* By so much what is picked may do less than what short runs promise of other groups. */
static const double SHORT_OF = 0.01;

struct packing {
    struct sms__arena *arena;
    const struct sms__advise_settings *settings;
    struct sms__pack *pack;
    struct sms_errors *errors;
};

/* ---- runs ---- */

static struct sms__measured *measured_of(const struct sms__pack *pack, size_t kind, size_t p)
{
    return &pack->measured[kind * pack->programs->count + p];
}

static void choose_programs(const struct packing *packing, struct sms__group *group)
{
    group->programs = (struct sms__programs){0};
    for (size_t p = 0; p < packing->pack->programs->count; p++) {
        if (!group->copies[p])
            continue;
        struct sms__program *own = SMS__APPEND(&group->arena, group->programs.program, group->programs.count);
        const struct sms__program *given = &packing->pack->programs->program[p];
        const struct sms__measured *measured = measured_of(packing->pack, group->kind, p);
        *own = measured->program.name ? measured->program : *given;
        own->coarse = measured->program.name ? measured->text : NULL;
        own->coarse_fold = own->least_fold;
        own->per_s = given->per_s * (double)group->copies[p] / (double)given->least;
        own->least_per_s = (group->ran < SMS__WHOLE_RUN ? SHORT_KEEPS_UP : SMS__KEEPS_UP) * own->per_s;
        own->least = own->most = group->copies[p];
    }
}

/* What keeps the group from working, of the way that comes nearest. */
static void say_why(struct sms__group *group)
{
    const struct sms__outlook *best = group->best;
    char interval[32];
    snprintf(group->why, sizeof group->why, "%s", best && best->why ? best->why : "no way to share works");
    for (size_t p = 0; best && !best->why && p < group->programs.count; p++) {
        const struct sms__program *program = &group->programs.program[p];
        const struct sms__tenancy *share = &best->share[p];
        const double half = isnan(share->target_ns.ci95) ? 0 : share->target_ns.ci95;
        if (half > 0)
            snprintf(interval, sizeof interval, " ± %.*g", sms__digits(half / 1e6, 2), half / 1e6);
        if (program->target.metric && !(share->target_ns.mean + half <= program->target.ns))
            snprintf(group->why, sizeof group->why, "%s of %s is %.*g%s ms, target below %.*g ms", program->target.word,
                     program->name, sms__digits(share->target_ns.mean / 1e6, 4), share->target_ns.mean / 1e6,
                     half > 0 ? interval : "", sms__digits(program->target.ns / 1e6, 4), program->target.ns / 1e6);
        else if (best->worst_per_s[p] < program->least_per_s)
            snprintf(group->why, sizeof group->why, "%s does %.*g jobs/s, and %.*g arrive", program->name,
                     sms__digits(best->worst_per_s[p], 4), best->worst_per_s[p], sms__digits(program->per_s, 4),
                     program->per_s);
    }
}

static void judge(const struct packing *packing, struct sms__group *group)
{
    struct sms__advice *advice = &group->advice;
    group->best = group->size > 1 ? sms__advice_best(advice, 0) : &advice->outlook[0];
    group->misses_by = group->best && !group->best->why ? group->best->misses_by : INFINITY;
    group->works = group->misses_by <= MISSES_BY_CHANCE[group->ran];
    group->memory = 0;
    for (size_t p = 0, own = 0; p < packing->pack->programs->count && group->best && !group->best->why; p++) {
        if (!group->copies[p])
            continue;
        const double arrive = group->programs.program[own].per_s; /* fewer are done by chance only */
        group->per_s[p] = arrive > 0 && group->works ? arrive : group->best->worst_per_s[own];
        group->memory += group->best->share[own].memory * (double)group->copies[p];
        own++;
    }
    if (!group->works)
        say_why(group);
}

struct batch {
    const struct packing *packing;
    size_t *which; /* [count]: groups */
    size_t count, next;
    enum sms__length length;
    pthread_mutex_t lock, library; /* of what is below; of the programs' files */
    int code;
};

struct job {
    struct batch *batch;
    struct sms__group *group;
    struct sms_errors errors;
};

static struct sms__advise_settings settings_of(const struct job *job)
{
    struct sms__advise_settings settings = *job->batch->packing->settings;
    settings.device = job->batch->packing->pack->kind[job->group->kind].name;
    settings.jobs = settings.jobs > job->batch->count ? settings.jobs / (unsigned)job->batch->count : 1;
    settings.part = PART[job->batch->length];
    settings.only = job->batch->length == SMS__SHORT_RUN ? NULL : job->group->way;
    settings.draws = job->batch->length == SMS__ANSWER_RUN ? settings.draws : 0;
    settings.packed = true;
    settings.known = job->group->size > 1 && job->batch->length < SMS__ANSWER_RUN;
    settings.lock = &job->batch->library;
    settings.on_progress = NULL;
    settings.on_estimate = NULL;
    return settings;
}

/* A server may keep up with less in a short run than in a longer one, and then fall behind under the best ways. */
static void keep_ways(struct sms__group *group)
{
    const struct sms__outlook *outlook, *safest = NULL;
    for (size_t i = 0; i < SMS__ONLY; i++)
        group->way[i] = SIZE_MAX;
    for (size_t i = 0; (outlook = sms__advice_best(&group->advice, i)); i++) {
        safest = safest && safest->misses_by <= outlook->misses_by ? safest : outlook;
        if (i + 1 < SMS__ONLY)
            group->way[i] = outlook->way->number;
    }
    if (safest && safest->way->number != group->way[0] && safest->way->number != group->way[1])
        group->way[SMS__ONLY - 1] = safest->way->number;
}

static int advise_group(void *user)
{
    struct job *job = user;
    struct sms__group *group = job->group;
    const struct sms__advise_settings settings = settings_of(job);
    group->ran = job->batch->length;
    group->works = false;
    choose_programs(job->batch->packing, group);
    int code = sms__advise(&group->arena, &group->programs, &settings, &group->advice, &job->errors);
    if (code == SMS_OK)
        judge(job->batch->packing, group);
    if (code == SMS_OK && group->ran == SMS__SHORT_RUN)
        keep_ways(group);
    if (code == SMS_EINPUT)
        snprintf(group->why, sizeof group->why, "%s", job->errors.item[0].message);
    return code;
}

static void forget(struct sms__group *group)
{
    sms__advice_free(&group->advice);
    sms__arena_release(&group->arena);
    group->advice = (struct sms__advice){0};
    group->best = NULL;
}

/* What a lone program takes is kept, because all groups are judged by it and have its workloads. */
static void keep_measured(const struct packing *packing, struct sms__group *group)
{
    const struct sms__pack *pack = packing->pack;
    size_t p = 0;
    while (!group->copies[p])
        p++;
    double *use = &pack->use[(group->kind * pack->programs->count + p) * SMS_RESOURCES_MAX];
    for (size_t r = 0; r < SMS_RESOURCES_MAX; r++)
        use[r] = group->programs.program[0].use_ps[r] * group->per_s[p] / 1e12;
    struct sms__measured *measured = measured_of(pack, group->kind, p);
    measured->program = group->programs.program[0];
    memcpy(measured->text, group->advice.text, sizeof measured->text);
    memset(group->advice.text, 0, sizeof group->advice.text);
    measured->arena = group->arena;
    group->arena = (struct sms__arena){0};
}

static void *do_work(void *user)
{
    struct batch *batch = user;
    const struct packing *packing = batch->packing;
    pthread_mutex_lock(&batch->lock);
    while (batch->next < batch->count && batch->code == SMS_OK) {
        struct job job = {.batch = batch, .group = packing->pack->group[batch->which[batch->next++]]};
        pthread_mutex_unlock(&batch->lock);
        int code = sms__guard(&job.group->arena, advise_group, &job);
        if (code == SMS_OK && job.group->size == 1 && batch->length == SMS__SHORT_RUN)
            keep_measured(packing, job.group);
        if (code || batch->length < SMS__ANSWER_RUN)
            forget(job.group);
        pthread_mutex_lock(&batch->lock);
        if (code && code != SMS_EINPUT && batch->code == SMS_OK) {
            batch->code = code;
            *packing->errors = job.errors;
        }
        if (packing->settings->on_progress)
            packing->settings->on_progress(packing->settings->user, packing->pack->groups,
                                           packing->pack->kinds * packing->pack->programs->count + SHORT_MOST +
                                               LEFT_MOST + FEWER_MOST);
    }
    pthread_mutex_unlock(&batch->lock);
    return NULL;
}

/* A program does no more beside others than alone; otherwise it is by chance. */
static void set_worth(const struct sms__pack *pack, struct sms__group *group)
{
    group->worth = 0;
    for (size_t p = 0; p < pack->programs->count; p++) {
        const double most = sms__pack_alone(pack, group->kind, p)->per_s[p] * (double)group->copies[p];
        group->per_s[p] = fmin(group->per_s[p], most);
        group->worth += pack->unit_per_s[p] > 0 ? group->per_s[p] / pack->unit_per_s[p] : 0;
    }
}

static int run(const struct packing *packing, size_t *which, size_t count, enum sms__length length)
{
    struct batch batch = {.packing = packing, .which = which, .count = count, .length = length};
    pthread_mutex_init(&batch.lock, NULL);
    pthread_mutex_init(&batch.library, NULL);
    sms__work_in_threads(packing->settings->jobs < count ? packing->settings->jobs : count, do_work, &batch);
    pthread_mutex_destroy(&batch.lock);
    pthread_mutex_destroy(&batch.library);
    for (size_t i = 0; i < count && batch.code == SMS_OK; i++)
        set_worth(packing->pack, packing->pack->group[which[i]]);
    return batch.code;
}

static int run_new(const struct packing *packing, size_t first)
{
    struct sms__pack *pack = packing->pack;
    size_t *which = SMS__NEW(packing->arena, size_t, pack->groups - first);
    for (size_t g = first; g < pack->groups; g++)
        which[g - first] = g;
    return run(packing, which, pack->groups - first, SMS__SHORT_RUN);
}

/* Picks groups of those that work; with `whole`, of those that ran so. `times` or `price` is set, as of
 * sms__pack_solve.
 */
static int pick(const struct packing *packing, enum sms__goal goal, bool whole, uint64_t *times, double *price)
{
    const struct sms__pack *pack = packing->pack;
    struct sms__pack_choice *choice = SMS__NEW(packing->arena, struct sms__pack_choice, pack->groups);
    for (size_t g = 0; g < pack->groups; g++) {
        const struct sms__group *group = pack->group[g];
        choice[g] = (struct sms__pack_choice){group->kind, group->copies, group->size,
                                              sms__pack_value(pack, goal, group->size, group->worth),
                                              group->works && (!whole || group->ran >= SMS__WHOLE_RUN)};
    }
    return sms__pack_solve(pack, choice, pack->groups, pack->all_placed, times, price);
}

/* Until no group is left that may be worth more than its price, or there are so many. */
static int try_groups(const struct packing *packing, enum sms__goal goal, size_t most)
{
    struct sms__pack *pack = packing->pack;
    struct sms__prices prices = {.goal = goal, .most = most};
    int code = SMS_OK;
    prices.price = SMS__NEW(packing->arena, double, pack->programs->count + pack->kinds + 1);
    for (size_t first = 0; code == SMS_OK && first < pack->groups;) {
        code = pick(packing, goal, false, NULL, prices.price);
        first = pack->groups;
        for (size_t k = 0; k < pack->kinds && code == SMS_OK; k++)
            sms__pack_grow(packing->arena, pack, k, &prices);
        if (code == SMS_OK && first < pack->groups)
            code = run_new(packing, first);
    }
    return code;
}

/* ---- the answer ---- */

static double value_of(const struct sms__pack *pack, enum sms__goal goal, const uint64_t *times, double *worth)
{
    double value = *worth = 0;
    for (size_t g = 0; g < pack->groups; g++) {
        *worth += (double)times[g] * pack->group[g]->worth;
        value += (double)times[g] * sms__pack_value(pack, goal, pack->group[g]->size, pack->group[g]->worth);
    }
    return value;
}

/* Runs groups that are picked and that did not run so long. */
static int run_picked(const struct packing *packing, const uint64_t *times, enum sms__length length)
{
    struct sms__pack *pack = packing->pack;
    size_t count = 0, *which = SMS__NEW(packing->arena, size_t, pack->groups);
    for (size_t g = 0; g < pack->groups; g++)
        if (times[g] && pack->group[g]->ran < length)
            which[count++] = g;
    pack->reruns += count;
    pack->wholes += length == SMS__WHOLE_RUN ? count : 0;
    return run(packing, which, count, length);
}

/* Runs of another goal. */
struct spent {
    size_t wholes, reruns;
};

/* Runs groups that are picked in whole length, until those that have run so give the goal almost as much as any that
 * were tried promise. `times`: [groups]. */
static int settle(const struct packing *packing, enum sms__goal goal, struct spent spent, uint64_t *times)
{
    const struct sms__pack *pack = packing->pack;
    uint64_t *promising = SMS__NEW(packing->arena, uint64_t, pack->groups);
    for (;;) {
        double worth;
        int code = pick(packing, goal, false, promising, NULL);
        code = code ? code : pick(packing, goal, true, times, NULL);
        if (code)
            return code;
        const double promised = value_of(pack, goal, promising, &worth), found = value_of(pack, goal, times, &worth);
        const size_t reruns = pack->reruns;
        const double step = goal == SMS__MOST_WORK ? (double)(pack->copies + 1) : 1; /* as sms__pack_value has it */
        const bool lacks = floor(promised / step) > floor(found / step) && reruns - spent.reruns < LACKING_MOST;
        if (promised - found <= fmin(SHORT_OF * worth, 0.5) || (pack->wholes - spent.wholes >= WHOLE_MOST && !lacks))
            return SMS_OK;
        code = run_picked(packing, promising, SMS__LONGER_RUN);
        if (code == SMS_OK && pack->reruns == reruns)
            code = run_picked(packing, promising, SMS__WHOLE_RUN);
        if (code)
            return code;
        if (pack->reruns == reruns) { /* all have run so, but the solver gave up before it found them */
            memcpy(times, promising, pack->groups * sizeof *times);
            return SMS_OK;
        }
    }
}

/* Prices are of parts of groups, and none may tell of a copy that is left over where GPUs have whole ones. So what is
 * picked is tried with it. */
static int try_left_over(const struct packing *packing, const uint64_t *times, size_t most)
{
    const size_t first = packing->pack->groups;
    sms__pack_extend(packing->arena, packing->pack, times, most);
    return packing->pack->groups > first ? run_new(packing, first) : SMS_OK;
}

/* Groups that longer runs show not to work may have hidden others, which did no more than they promised. So these are
 * tried then, until there are none. `times`: [groups, and `more` of them and LEFT_MOST]. */
static int find_groups(const struct packing *packing, enum sms__goal goal, size_t more, uint64_t *times)
{
    const struct sms__pack *pack = packing->pack;
    const struct spent spent = {pack->wholes, pack->reruns};
    const size_t most = pack->groups + more;
    size_t settled = 0;
    int code = try_groups(packing, goal, most);
    while (code == SMS_OK && settled != pack->groups) {
        settled = pack->groups;
        code = settle(packing, goal, spent, times);
        code = code ? code : try_groups(packing, goal, most);
        if (code == SMS_OK && settled == pack->groups && goal == SMS__MOST_WORK)
            code = try_left_over(packing, times, most + LEFT_MOST);
    }
    return code;
}

static int by_kind_and_copies(const void *left, const void *right)
{
    const struct sms__group *a = ((const struct sms__packed *)left)->group,
                            *b = ((const struct sms__packed *)right)->group;
    size_t p = 0;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    while (a != b && a->copies[p] == b->copies[p])
        p++;
    return a == b ? 0 : a->copies[p] > b->copies[p] ? -1 : 1;
}

static void list_gpus(const struct packing *packing, const uint64_t *times)
{
    struct sms__pack *pack = packing->pack;
    for (size_t g = 0; g < pack->groups; g++)
        for (uint64_t i = 0; i < times[g]; i++) {
            *SMS__APPEND(packing->arena, pack->gpu, pack->gpus) = (struct sms__packed){.group = pack->group[g]};
            pack->worth += pack->group[g]->worth;
            pack->all_placed += pack->group[g]->size;
            for (size_t p = 0; p < pack->programs->count; p++)
                pack->placed[p] += pack->group[g]->copies[p];
        }
    if (pack->gpus)
        qsort(pack->gpu, pack->gpus, sizeof *pack->gpu, by_kind_and_copies);
    for (size_t i = 0; i < pack->gpus; i++) {
        struct sms__packed *gpu = &pack->gpu[i];
        gpu->number = i && pack->gpu[i - 1].group->kind == gpu->group->kind ? pack->gpu[i - 1].number + 1 : 1;
        gpu->name = sms__print(packing->arena, "%s-%llu", pack->kind[gpu->group->kind].device->name,
                               (unsigned long long)gpu->number);
    }
}

static int answer(const struct packing *packing)
{
    struct sms__pack *pack = packing->pack;
    uint64_t *times = SMS__NEW(packing->arena, uint64_t, pack->groups + SHORT_MOST + LEFT_MOST + FEWER_MOST);
    int code = find_groups(packing, SMS__MOST_WORK, SHORT_MOST, times);
    code = code ? code : run_picked(packing, times, SMS__ANSWER_RUN);
    if (code)
        return code;
    list_gpus(packing, times);
    code = find_groups(packing, SMS__FEWEST_GPUS, FEWER_MOST, times);
    for (size_t g = 0; g < pack->groups && code == SMS_OK; g++) {
        pack->fewest += times[g];
        pack->fewest_of[pack->group[g]->kind] += times[g];
    }
    return code ? code : sms__pack_bound(packing->arena, pack);
}

/* ---- from the start ---- */

static void count_pruned(const struct packing *packing, size_t kind)
{
    struct sms__pack *pack = packing->pack;
    const size_t programs = pack->programs->count;
    uint64_t *copies = SMS__NEW(packing->arena, uint64_t, programs);
    for (size_t p = 0; p < programs; p++)
        for (size_t q = p; q < programs; q++) {
            if ((p == q && pack->programs->program[p].least < 2) || !sms__pack_alone(pack, kind, p)->works ||
                !sms__pack_alone(pack, kind, q)->works)
                continue;
            copies[p]++;
            copies[q]++;
            const enum sms__prune found = sms__pack_prune(pack, kind, copies);
            copies[p] = copies[q] = 0;
            pack->pairs++;
            pack->apart += found == SMS__APART;
            pack->no_memory += found == SMS__NO_MEMORY;
            pack->too_much += found == SMS__TOO_MUCH;
        }
}

/* Jobs/s that a copy can do with a GPU to itself. Where jobs arrive, as many as end if its streams never pause, because
 * a server that has little to do does little work; at most as many as the busiest resource takes. */
static double most_per_s(const struct sms__pack *pack, size_t kind, size_t p)
{
    const double per_s = sms__pack_alone(pack, kind, p)->per_s[p];
    const struct sms__program *alone = &measured_of(pack, kind, p)->program;
    if (!(alone->per_s > 0) || !(alone->job_ps > 0)) /* jobs follow each other, or it does not run on the kind */
        return per_s;
    double least_ps = alone->job_ps / (double)alone->tenant->streams;
    for (size_t r = 0; r < SMS_RESOURCES_MAX; r++)
        least_ps = fmax(least_ps, alone->use_ps[r]);
    return fmax(per_s, (double)alone->tenant->choices * 1e12 / least_ps);
}

/* Runs programs again that may miss by chance, because no group has one that does not work alone. */
static int run_misses(const struct packing *packing)
{
    const struct sms__pack *pack = packing->pack;
    size_t count = 0, *which = SMS__NEW(packing->arena, size_t, pack->groups);
    for (size_t g = 0; g < pack->groups; g++)
        if (pack->group[g]->misses_by > 1 && pack->group[g]->misses_by <= SMS__MISSES_BY_CHANCE)
            which[count++] = g;
    return run(packing, which, count, SMS__WHOLE_RUN);
}

static int run_alone(const struct packing *packing)
{
    struct sms__pack *pack = packing->pack;
    const size_t programs = pack->programs->count;
    uint64_t *copies = SMS__NEW(packing->arena, uint64_t, programs);
    for (size_t k = 0; k < pack->kinds; k++)
        for (size_t p = 0; p < programs; p++) {
            copies[p] = 1;
            sms__pack_add(packing->arena, pack, k, copies);
            copies[p] = 0;
        }
    int code = run_new(packing, 0);
    code = code ? code : run_misses(packing);
    for (size_t k = 0; k < pack->kinds && code == SMS_OK; k++)
        for (size_t p = 0; p < programs; p++)
            pack->unit_per_s[p] = fmax(pack->unit_per_s[p], most_per_s(pack, k, p));
    for (size_t g = 0; g < pack->groups && code == SMS_OK; g++)
        set_worth(pack, pack->group[g]);
    for (size_t k = 0; k < pack->kinds && code == SMS_OK; k++)
        count_pruned(packing, k);
    return code;
}

int sms__pack(struct sms__arena *arena, const struct sms__advise_settings *settings, struct sms__pack *pack,
              struct sms_errors *errors)
{
    struct packing packing = {.arena = arena, .settings = settings, .pack = pack, .errors = errors};
    const size_t programs = pack->programs->count;
    int code = SMS_OK;
    pack->use = SMS__NEW(arena, double, pack->kinds *programs *SMS_RESOURCES_MAX);
    pack->measured = SMS__NEW(arena, struct sms__measured, pack->kinds * programs);
    pack->unit_per_s = SMS__NEW(arena, double, programs);
    pack->placed = SMS__NEW(arena, uint64_t, programs);
    pack->fewest_of = SMS__NEW(arena, uint64_t, pack->kinds);
    pack->pair = SMS__NEW(arena, size_t, pack->kinds * programs * programs);
    for (size_t p = 0; p < programs; p++)
        pack->copies += pack->programs->program[p].least;
    for (size_t k = 0; k < pack->kinds && code == SMS_OK; k++)
        code =
            sms__derive_device(pack->kind[k].name, settings->load, &pack->kind[k].file, &pack->kind[k].device, errors);
    code = code ? code : run_alone(&packing);
    code = code ? code : answer(&packing);
    if ((code == SMS_ENOMEM || code == SMS_EBUG) && !errors->count)
        sms__fail(errors, code, NULL, code == SMS_EBUG ? "GLPK did not solve a program over groups" : "no memory");
    return code;
}

void sms__pack_free(struct sms__pack *pack)
{
    for (size_t g = 0; g < pack->groups; g++)
        forget(pack->group[g]);
    for (size_t i = 0; pack->measured && i < pack->kinds * pack->programs->count; i++) {
        sms__arena_release(&pack->measured[i].arena);
        for (int t = 0; t < SMS__TEXTS; t++)
            free(pack->measured[i].text[t].bytes);
    }
    for (size_t k = 0; k < pack->kinds; k++)
        sms_file_free(pack->kind[k].file);
    pack->groups = 0;
}
