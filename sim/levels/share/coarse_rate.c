/* Speeds of coarse kernels. A contention model that can rates all kernels as groups; another says how much each
 * resource slows. */
#include "coarse_rate.h"

/* A kernel is as slow as the slowest resource that it uses. */
static void rate_by_slowdown(const struct sms__rater *rater, const double *usage, const struct sms__rated *rated)
{
    double slowest = 1;
    for (size_t r = 0; r < rater->view->resources; r++) {
        double slow = rated->demand[r] > 0 ? rater->contention->slowdown(rater->view, r, usage[r]) : 1;
        slowest = slow > slowest ? slow : slowest;
    }
    *rated->speed = 1 / slowest;
}

static void make_groups(struct sms__rater *rater, size_t count)
{
    if (count <= rater->most)
        return;
    rater->most = 2 * count;
    rater->group = SMS__NEW(rater->arena, struct sms_group, rater->most);
    rater->demand = sms__alloc(rater->arena, rater->most, sizeof *rater->demand);
}

static void rate_by_groups(struct sms__rater *rater, const double *usage, double crowd, const struct sms__rated *rated,
                           size_t count)
{
    make_groups(rater, count);
    for (size_t i = 0; i < count; i++) {
        for (size_t r = 0; r < rater->view->resources; r++)
            rater->demand[i][r] = rated[i].demand[r] / crowd;
        rater->group[i] = (struct sms_group){0, 1, rater->demand[i], rated[i].speed, rated[i].cls};
    }
    rater->contention->rate(rater->view, usage, rater->group, count);
}

/* The room that the kernels take, as a multiple of what there is; at least 1. */
static double find_crowd(const struct sms__rated *rated, size_t count)
{
    double room = 0;
    for (size_t i = 0; i < count; i++)
        room += rated[i].room;
    return room > 1 ? room : 1;
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
    }
}
