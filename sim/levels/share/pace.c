#include "pace.h"

/* As slow as the slowest resource that it uses. */
static void pace_by_slowdown(const struct sms__pacer *pacer, const double *usage, const struct sms__paced *paced)
{
    double slowest = 1;
    for (size_t r = 0; r < pacer->view->resources; r++) {
        double slow = paced->demand[r] > 0 ? pacer->contention->slowdown(pacer->view, r, usage[r]) : 1;
        slowest = slow > slowest ? slow : slowest;
    }
    *paced->speed = 1 / slowest;
}

static void make_groups(struct sms__pacer *pacer, size_t count)
{
    if (count <= pacer->most)
        return;
    pacer->most = 2 * count;
    pacer->group = SMS__NEW(pacer->arena, struct sms_group, pacer->most);
    pacer->demand = sms__alloc(pacer->arena, pacer->most, sizeof *pacer->demand);
}

static void pace_by_rate(struct sms__pacer *pacer, const double *usage, double crowd, const struct sms__paced *paced,
                         size_t count)
{
    make_groups(pacer, count);
    for (size_t i = 0; i < count; i++) {
        for (size_t r = 0; r < pacer->view->resources; r++)
            pacer->demand[i][r] = paced[i].demand[r] / crowd;
        pacer->group[i] = (struct sms_group){0, 1, pacer->demand[i], paced[i].speed, paced[i].cls};
    }
    pacer->contention->rate(pacer->view, usage, pacer->group, count);
}

/* How many times the room that there is they take. */
static double find_crowd(const struct sms__paced *paced, size_t count)
{
    double room = 0;
    for (size_t i = 0; i < count; i++)
        room += paced[i].room;
    return room > 1 ? room : 1;
}

void sms__pace(struct sms__pacer *pacer, const struct sms__paced *paced, size_t count)
{
    double usage[SMS_RESOURCES_MAX] = {0}, crowd = find_crowd(paced, count);
    for (size_t i = 0; i < count; i++)
        for (size_t r = 0; r < pacer->view->resources; r++)
            usage[r] += paced[i].demand[r] / crowd;
    if (!pacer->contention->slowdown && count)
        pace_by_rate(pacer, usage, crowd, paced, count);
    for (size_t i = 0; i < count; i++) {
        if (pacer->contention->slowdown)
            pace_by_slowdown(pacer, usage, &paced[i]);
        *paced[i].speed /= crowd;
    }
}
