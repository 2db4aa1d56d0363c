/* The pods of a run, in the order in which they come. */
#include "cluster.h"

#include "../../base/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PODS_MAX = 40000000 };

static void make_room(struct sms__cluster_run *run, size_t room)
{
    struct sms__pod *grown = SMS__NEW(run->arena, struct sms__pod, room);
    if (run->pods)
        memcpy(grown, run->pod, run->pods * sizeof *grown);
    run->pod = grown;
    run->room = room;
}

static struct sms__pod *add(struct sms__cluster_run *run)
{
    if (run->pods == run->room)
        make_room(run, run->room ? 2 * run->room : 1);
    struct sms__pod *pod = &run->pod[run->pods++];
    *pod = (struct sms__pod){.next = SMS__NO_POD, .node = SMS__NO_NODE};
    return pod;
}

static gsl_rng *stream_of(struct sms__cluster_run *run, const char *what, const char *name)
{
    return sms__stream(run->arena, run->spec->seed, sms__print(run->arena, "%s/%s", what, name), 0);
}

/* Times and durations of the pods of a group, drawn one after another. */
struct maker {
    struct sms__cluster_run *run;
    uint32_t group;
    gsl_rng *times, *durations, *rows;
    double at_ps;
    double turns_ps; /* when a burst begins, or this one ends */
    bool bursting;
};

static uint64_t whole(double ps) { return ps < 1.8e19 ? (uint64_t)(ps + 0.5) : UINT64_MAX; }

static uint64_t draw_duration(const struct maker *maker, const struct sms__pods *pods)
{
    double mean = pods->duration_ps;
    if (mean == 0)
        return 0;
    uint64_t duration = whole(pods->spread == SMS__POD_EXPONENTIAL ? mean * sms__exponential(maker->durations) : mean);
    return duration ? duration : 1;
}

static void turn(struct maker *maker, const struct sms__arriving *arriving, bool bursting)
{
    maker->bursting = bursting;
    maker->turns_ps = maker->at_ps +
                      (bursting ? arriving->burst_lasts_ps : arriving->burst_after_ps) * sms__exponential(maker->times);
}

/* A Poisson process whose rate is one of two, each for exponential times (Heffes and Lucantoni, JSAC 4(6), 1986). What
 * was drawn beyond a turn is drawn anew, as such processes forget. */
static void pass_bursts(struct maker *maker, const struct sms__arriving *arriving)
{
    for (;;) {
        double interval = maker->bursting ? arriving->burst_ps : arriving->poisson_ps;
        double next = interval > 0 ? maker->at_ps + interval * sms__exponential(maker->times) : INFINITY;
        if (next <= maker->turns_ps) {
            maker->at_ps = next;
            return;
        }
        maker->at_ps = maker->turns_ps;
        turn(maker, arriving, !maker->bursting);
    }
}

/* From one arrival to the next. */
static void pass(struct maker *maker, const struct sms__arriving *arriving)
{
    if (arriving->burst_ps > 0)
        pass_bursts(maker, arriving);
    else if (arriving->poisson_ps > 0)
        maker->at_ps += arriving->poisson_ps * sms__exponential(maker->times);
    else
        maker->at_ps += arriving->every_ps;
}

/* The next pod of the group; `like` has its shape and, but where the group has its own, its duration. */
static const struct sms__pods *make(struct maker *maker, const struct sms__pods *group, const struct sms__pods *like,
                                    uint32_t number)
{
    struct sms__pod *pod = add(maker->run);
    pod->group = maker->group;
    pod->number = number;
    pod->shape = (uint32_t)like->shape;
    pod->like = (uint32_t)(like - maker->run->cluster->pod);
    pod->arrival_ps = whole(maker->at_ps);
    pod->tenant = group->lasts ? 0 : like->tenant;
    pod->duration_ps = draw_duration(maker, group->rows && !group->lasts ? like : group);
    if ((number + 1) % group->arriving.batch == 0)
        pass(maker, &group->arriving);
    return like;
}

static void make_sample(struct maker *maker, const struct sms__pods *group)
{
    const struct sms__cluster *cluster = maker->run->cluster;
    double wanted = group->until * (double)cluster->gpu_milli, asked = 0;
    for (uint32_t i = 0; (group->until > 0 ? asked < wanted : i < group->count) && i < PODS_MAX; i++) {
        size_t row = group->first_row + gsl_rng_uniform_int(maker->rows, group->rows);
        const struct sms_pod_view *view = &cluster->shape[make(maker, group, &cluster->pod[row], i)->shape];
        asked += (double)sms_pod_gpu_milli(view);
    }
}

static void make_group(struct sms__cluster_run *run, size_t g)
{
    const struct sms__pods *group = &run->cluster->pod[g];
    struct maker maker = {.run = run, .group = (uint32_t)g, .at_ps = group->start_ps};
    if (group->pool)
        return;
    bool random = group->arriving.poisson_ps > 0 || group->arriving.burst_ps > 0;
    if (random)
        maker.times = stream_of(run, "arrivals", group->name);
    if (group->spread == SMS__POD_EXPONENTIAL || group->row_spread)
        maker.durations = stream_of(run, "durations", group->name);
    if (group->rows)
        maker.rows = stream_of(run, "rows", group->name);
    if (group->arriving.burst_ps > 0)
        turn(&maker, &group->arriving, false);
    if (random) /* the first comes after an interval as well */
        pass(&maker, &group->arriving);
    if (group->rows)
        make_sample(&maker, group);
    for (uint32_t i = 0; !group->rows && i < group->count; i++)
        make(&maker, group, group, i);
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

void sms__pods_come(struct sms__cluster_run *run)
{
    bool sorted = true;
    make_room(run, (size_t)run->cluster->pods); /* about: where samples go on until a load, it may grow */
    for (size_t g = 0; g < run->cluster->groups; g++)
        make_group(run, g);
    for (size_t p = 1; p < run->pods && sorted; p++)
        sorted = compare(&run->pod[p - 1], &run->pod[p]) < 0;
    if (!sorted)
        qsort(run->pod, run->pods, sizeof *run->pod, compare);
}

void sms__pod_name(const struct sms__cluster_run *run, uint32_t p, char *out, size_t size)
{
    const struct sms__pod *pod = &run->pod[p];
    const struct sms__pods *group = &run->cluster->pod[pod->group];
    if (group->rows || group->count > 1)
        snprintf(out, size, "%s%u", group->name, pod->number + 1);
    else
        snprintf(out, size, "%s", group->name);
}
