/* The pods of a run: all are drawn before it begins, and are sorted by arrival. At arrival each is handed to the
 * scheduler, and the allocation is sampled at equidistant loads, the load being what all pods so far asked for. */
#include "cluster_run.h"
#include "scheduler.h"

#include "../../base/rng.h"

#include <math.h>
#include <stdlib.h>

enum { PODS_MAX = 40000000 };

/* Times and durations of the pods of a group, drawn one after another. */
struct maker {
    struct sms__cluster_run *run;
    size_t room;          /* in run->pod */
    uint32_t group, pods; /* at hand, and how many of it there are so far */
    gsl_rng *times, *durations, *rows;
    double at_ps;
};

struct sms__pod_samples {
    size_t taken;                  /* points of the record's allocation */
    struct sms__allocation latest; /* after the last pod that arrived and asked for GPUs was tried */
    size_t source;
};

static void make_room(struct maker *maker, size_t room)
{
    struct sms__cluster_run *run = maker->run;
    run->pod = sms__enlarge(run->arena, run->pod, run->pods, room, sizeof *run->pod);
    maker->room = room;
}

static struct sms__pod *add(struct maker *maker)
{
    struct sms__cluster_run *run = maker->run;
    if (run->pods == maker->room)
        make_room(maker, maker->room ? 2 * maker->room : 1);
    struct sms__pod *pod = &run->pod[run->pods++];
    *pod = (struct sms__pod){.next = SMS__NO_POD, .node = SMS__NO_NODE};
    return pod;
}

static gsl_rng *stream_of(struct sms__cluster_run *run, const char *what, const char *name)
{
    return sms__stream(run->arena, run->spec->seed, sms__print(run->arena, "%s/%s", what, name), 0);
}

static uint64_t round_ps(double ps) { return ps < 1.8e19 ? (uint64_t)(ps + 0.5) : UINT64_MAX; }

static uint64_t draw_duration(const struct maker *maker, const struct sms__pods *pods)
{
    double mean = pods->duration_ps;
    if (mean == 0)
        return 0;
    uint64_t duration =
        round_ps(pods->spread == SMS__POD_EXPONENTIAL ? mean * sms__exponential(maker->durations) : mean);
    return duration ? duration : 1;
}

/* Advances from one arrival to the next. */
static void advance(struct maker *maker, const struct sms__arriving *arriving)
{
    if (arriving->poisson_ps > 0)
        maker->at_ps += arriving->poisson_ps * sms__exponential(maker->times);
    else
        maker->at_ps += arriving->every_ps;
}

/* The next job of the group, a pod or a gang; `template` has its shape and, unless the group has one, its duration.
 * Returns the thousandths of GPUs that it asks for. */
static double make(struct maker *maker, const struct sms__pods *group, const struct sms__pods *template,
                   uint32_t number)
{
    const struct sms__cluster *cluster = maker->run->cluster;
    const struct sms_pod_view *shape = &cluster->shape[template->shape];
    uint64_t duration = draw_duration(maker, group->rows && !group->lasts ? template : group);
    uint32_t gang = maker->pods;
    for (uint32_t i = 0; i < shape->replicas; i++) {
        struct sms__pod *pod = add(maker);
        pod->group = maker->group;
        pod->number = maker->pods++;
        pod->gang = gang;
        pod->shape = (uint32_t) template->shape;
        pod->template = (uint32_t)(template - cluster->pod);
        pod->arrival_ps = round_ps(maker->at_ps);
        pod->tenant = group->lasts ? 0 : template->tenant;
        pod->duration_ps = duration;
    }
    if ((number + 1) % group->arriving.batch == 0)
        advance(maker, &group->arriving);
    return (double)sms_pod_gpu_milli(shape) * shape->replicas;
}

static void make_sample(struct maker *maker, const struct sms__pods *group)
{
    const struct sms__cluster *cluster = maker->run->cluster;
    double wanted = group->until * (double)cluster->gpu_milli, asked = 0;
    for (uint32_t i = 0; (group->until > 0 ? asked < wanted : i < group->count) && maker->pods < PODS_MAX; i++) {
        size_t row = group->first_row + gsl_rng_uniform_int(maker->rows, group->rows);
        asked += make(maker, group, &cluster->pod[row], i);
    }
}

static void make_group(struct maker *maker, size_t g)
{
    struct sms__cluster_run *run = maker->run;
    const struct sms__pods *group = &run->cluster->pod[g];
    *maker = (struct maker){.run = run, .room = maker->room, .group = (uint32_t)g, .at_ps = group->start_ps};
    if (group->pool)
        return;
    bool random = group->arriving.poisson_ps > 0;
    if (random)
        maker->times = stream_of(run, "arrivals", group->name);
    if (group->spread == SMS__POD_EXPONENTIAL || group->row_spread)
        maker->durations = stream_of(run, "durations", group->name);
    if (group->rows)
        maker->rows = stream_of(run, "rows", group->name);
    if (random) /* the first arrives after an interval as well */
        advance(maker, &group->arriving);
    if (group->rows)
        make_sample(maker, group);
    for (uint32_t i = 0; !group->rows && i < group->count; i++)
        make(maker, group, group, i);
}

static int compare(const void *a, const void *b)
{
    const struct sms__pod *x = a, *y = b;
    if (x->arrival_ps != y->arrival_ps)
        return x->arrival_ps < y->arrival_ps ? -1 : 1;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

void sms__pods_init(struct sms__cluster_run *run)
{
    struct maker maker = {.run = run};
    bool sorted = true;
    make_room(&maker, (size_t)run->cluster->pods); /* an estimate: samples up to a load may need more */
    for (size_t g = 0; g < run->cluster->groups; g++)
        make_group(&maker, g);
    for (size_t p = 1; p < run->pods && sorted; p++)
        sorted = compare(&run->pod[p - 1], &run->pod[p]) < 0;
    if (!sorted)
        qsort(run->pod, run->pods, sizeof *run->pod, compare);
}

static uint64_t next_arrival(const struct sms__cluster_run *run)
{
    return run->arrived < run->pods ? run->pod[run->arrived].arrival_ps : SMS__NEVER;
}

static struct sms__allocation allocation_of(const struct sms__cluster_run *run)
{
    return (struct sms__allocation){run->ledger.gpu_milli, run->ledger.fragments, true};
}

/* The loads at which the allocation is sampled, evenly up to that of all pods. */
static double load_of(const struct sms__cluster_run *run, size_t sample)
{
    return (double)sample * (run->cluster->load / (SMS__ALLOCATIONS - 1));
}

/* Samples at the loads that arriving pods pass: up to there the present allocation holds. */
static void sample_to(struct sms__cluster_run *run, uint64_t arrived_milli)
{
    struct sms__pod_samples *samples = run->samples;
    double load = sms__share_of_gpus(run, arrived_milli);
    for (; samples->taken < SMS__ALLOCATIONS && load_of(run, samples->taken) < load; samples->taken++)
        run->record->allocation[samples->taken] = allocation_of(run);
}

/* All pods that arrive at this instant, one after another; with priorities, all arrive before one is placed. */
static void arrive(void *subject, uint64_t now)
{
    struct sms__cluster_run *run = subject;
    while (next_arrival(run) == now && !sms__engine_ends(&run->engine)) {
        uint32_t p = (uint32_t)run->arrived++;
        const struct sms_pod_view *shape = sms__pod_shape(run, p);
        uint64_t milli = run->arrived_milli + sms_pod_gpu_milli(shape);
        sample_to(run, milli);
        run->arrived_milli = milli;
        run->record->arrived++;
        run->scheduler->add(run, p, now);
        bool whole = run->arrived == run->pods || !sms__same_gang(run, p, p + 1);
        if (whole && !run->cluster->priorities)
            sms__cluster_serve_waiting(run, now);
        if (shape->gpus)
            run->samples->latest = allocation_of(run);
    }
    sms__cluster_serve(run, now);
    sms__engine_at(&run->engine, run->samples->source, next_arrival(run));
    sms__cluster_check(run);
}

void sms__arrivals_init(struct sms__cluster_run *run)
{
    run->samples = SMS__NEW(run->arena, struct sms__pod_samples, 1);
    run->samples->source = sms__engine_source(&run->engine, SMS__LEVEL_POLICY, arrive, run);
    sms__engine_at(&run->engine, run->samples->source, next_arrival(run));
}

/* The last sample may lie exactly where all have arrived, whichever pods have left since. */
void sms__arrivals_close(struct sms__cluster_run *run)
{
    const struct sms__pod_samples *samples = run->samples;
    double load = sms__share_of_gpus(run, run->arrived_milli) * (1 + 1e-9);
    if (samples->taken < SMS__ALLOCATIONS && load_of(run, samples->taken) <= load)
        run->record->allocation[samples->taken] = samples->latest;
}
