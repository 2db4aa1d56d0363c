/* Speeds of coarse kernels. A contention model that can rates all kernels as groups; another says how much each
 * resource slows. */
#include "coarse_rate.h"

#include "../../model/policy/join.h"

#include <math.h>
#include <stdio.h>

/* Kernels with such a speed would never end, or be faster than alone. */
static void check_speed(const struct sms__rater *rater, double speed)
{
    struct sms__record *record = rater->record;
    if (!record || (speed > 0 && speed <= 1) || *record->why)
        return;
    snprintf(record->why, sizeof record->why,
             "contention model '%.60s' gives a coarse kernel a speed of %g, which is not in (0, 1]",
             rater->contention->name, isnan(speed) ? NAN : speed);
}

static void rate_by_slowdown(const struct sms__rater *rater, const double *usage, const struct sms__rated *rated)
{
    const struct sms_join how = sms__join_of(rater->contention, rater->view);
    double sum = 1, join = how.exponent;
    if (rater->record && !*rater->record->why)
        sms__is_wrong_join(rater->contention, how, rater->record->why, sizeof rater->record->why);
    for (size_t r = 0; r < rater->view->resources; r++) {
        double slow = rated->demand[r] > 0 ? rater->contention->slowdown(rater->view, r, usage[r]) : 1;
        check_speed(rater, 1 / slow);
        sum = sms__join(sum, slow, join);
    }
    *rated->speed = 1 / sms__joined(sum, join);
}

static void make_groups(struct sms__rater *rater, size_t count)
{
    if (count <= rater->most)
        return;
    rater->most = 2 * count;
    rater->group = SMS__NEW(rater->arena, struct sms_group, rater->most);
    rater->user = SMS__NEW(rater->arena, struct sms__user, rater->most);
    rater->demand = sms__alloc(rater->arena, rater->most, sizeof *rater->demand);
}

static void rate_by_groups(struct sms__rater *rater, const double *usage, double crowd, const struct sms__rated *rated,
                           size_t count)
{
    const bool is_max_min = rater->contention->is_max_min;
    make_groups(rater, count);
    for (size_t i = 0; i < count; i++) {
        const double *demand = rater->demand[i];
        for (size_t r = 0; r < rater->view->resources; r++)
            rater->demand[i][r] = rated[i].demand[r] / crowd;
        if (is_max_min)
            rater->user[i] = (struct sms__user){.count = 1, .most = 1, .demand = demand, .rate = rated[i].speed};
        else
            rater->group[i] = (struct sms_group){0, 1, demand, rated[i].speed, rated[i].cls};
    }
    if (is_max_min)
        sms__users_share(rater->user, count, ((uint32_t)1 << rater->view->resources) - 1);
    else
        rater->contention->rate(rater->view, usage, rater->group, count);
    for (size_t i = 0; i < count && !is_max_min; i++)
        check_speed(rater, *rated[i].speed);
}

/* The room that the kernels take, as a multiple of what there is; at least 1. */
static double find_crowd(const struct sms__rated *rated, size_t count)
{
    double room = 0;
    for (size_t i = 0; i < count; i++)
        room += rated[i].room;
    return room > 1 ? room : 1;
}

static size_t count_processes(const struct sms__rated *rated, size_t count)
{
    size_t processes = 0;
    for (size_t i = 0; i < count; i++) {
        size_t before = 0;
        while (rated[before].process != rated[i].process)
            before++;
        processes += before == i;
    }
    return processes;
}

/* iGniter (Xu et al., IEEE TPDS 2022) measured on a V100 under MPS that each kernel of a request waits longer to be
 * scheduled, the more processes there are. */
static void wait_for_launches(const struct sms__rater *rater, const struct sms__rated *rated, size_t count)
{
    double wait_ps = rater->launch_wait_ps * (double)(count_processes(rated, count) - 1);
    for (size_t i = 0; i < count && wait_ps > 0; i++)
        *rated[i].speed /= 1 + *rated[i].speed * wait_ps * rated[i].launches;
}

/* A kernel's time alone has in it the clock that it has alone. Kernels that take turns for room draw power in turn. */
static void slow_clock(struct sms__rater *rater, double crowd, const struct sms__rated *rated, size_t count)
{
    rater->power_w = 0;
    for (size_t i = 0; i < count; i++)
        rater->power_w += rated[i].power_w / crowd;
    double clock = sms__clock_at(rater->limited, rater->power_w + rater->other_w);
    for (size_t i = 0; i < count; i++)
        *rated[i].speed *= clock / sms__clock_at(rater->limited, rated[i].power_w);
}

void sms__rate_coarse(struct sms__rater *rater, const struct sms__rated *rated, size_t count)
{
    double usage[SMS_RESOURCES_MAX] = {0}, crowd = find_crowd(rated, count);
    for (size_t i = 0; i < count; i++)
        for (size_t r = 0; r < rater->view->resources; r++)
            usage[r] += rated[i].demand[r] / crowd;
    if (!rater->contention->slowdown && count)
        rate_by_groups(rater, usage, crowd, rated, count);
    for (size_t i = 0; i < count; i++) {
        if (rater->contention->slowdown)
            rate_by_slowdown(rater, usage, &rated[i]);
        *rated[i].speed /= crowd;
        if (rated[i].present)
            *rated[i].present = 1 / crowd;
    }
    if (rater->launch_wait_ps > 0 && count > 1)
        wait_for_launches(rater, rated, count);
    if (rater->limited)
        slow_clock(rater, crowd, rated, count);
}
