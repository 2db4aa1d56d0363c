/* Max-min fair speeds by progressive filling (Bertsekas and Gallager, Data Networks, 6.5.2). All speeds rise together.
 * When a resource is full, the blocks that use it stop rising, and the others continue up to full speed. What a slowed
 * block leaves of other resources goes to the others. So a resource never delivers more than its capacity, and no speed
 * can rise unless a slower one falls. */
#include <smsched/contention.h>

/* Rounding may leave slightly less than nothing of a full resource. This minimum keeps blocks from standing still. */
static const double SLOWEST = 1e-6;

/* Free capacity, the demand of the groups that still rise, and the speed that these can reach together. */
struct filling {
    const struct sms_contention_view *view;
    double left[SMS_RESOURCES_MAX], rising[SMS_RESOURCES_MAX], level[SMS_RESOURCES_MAX];
    size_t scarce[SMS_RESOURCES_MAX], scarces; /* resources of which more is demanded than there is */
};

/* A resource that is not scarce never stops a group: those that stop at less than full speed leave more to the rest.
 * The speed of a group that still rises is kept as minus the speed that it can reach. */
static void start(struct filling *f, const struct sms_group *groups, size_t count)
{
    for (size_t g = 0; g < count; g++)
        *groups[g].speed = -1;
    for (size_t r = 0; r < f->view->resources; r++) {
        f->left[r] = SMS_FULL;
        for (size_t g = 0; g < count; g++)
            f->rising[r] += groups[g].demand[r] * (double)groups[g].blocks;
        if (f->rising[r] > f->left[r] && f->view->resource[r].scope == SMS_SCOPE_SM)
            f->scarce[f->scarces++] = r;
    }
}

/* Returns how far the group can rise. */
static double group_level(const struct filling *f, const struct sms_group *group)
{
    double level = group->most > 0 ? group->most : 1;
    for (size_t k = 0; k < f->scarces; k++) {
        size_t r = f->scarce[k];
        double by_resource = group->demand[r] > 0 ? f->level[r] : 2;
        level = by_resource < level ? by_resource : level;
    }
    return level > SLOWEST ? level : SLOWEST;
}

static void stop(struct filling *f, const struct sms_group *group)
{
    *group->speed = -*group->speed;
    for (size_t k = 0; k < f->scarces; k++) {
        size_t r = f->scarce[k];
        double demand = group->demand[r] * (double)group->blocks;
        f->left[r] -= demand * *group->speed;
        f->rising[r] -= demand;
    }
}

/* Finds how far each group can rise, and returns the lowest speed of these. */
static double lowest_level(struct filling *f, const struct sms_group *groups, size_t count)
{
    double lowest = 1;
    for (size_t k = 0; k < f->scarces; k++) {
        size_t r = f->scarce[k];
        f->level[r] = f->rising[r] > 0 ? f->left[r] / f->rising[r] : 2;
    }
    for (size_t g = 0; g < count; g++) {
        if (*groups[g].speed >= 0)
            continue;
        double level = group_level(f, &groups[g]);
        *groups[g].speed = -level;
        lowest = level < lowest ? level : lowest;
    }
    return lowest;
}

/* One round: all groups that must stop at the lowest speed stop there. Returns how many stopped. */
static size_t fill(struct filling *f, struct sms_group *groups, size_t count)
{
    double most = lowest_level(f, groups, count) * (1 + 1e-12);
    size_t stopped = 0;
    for (size_t g = 0; g < count; g++) {
        if (*groups[g].speed >= 0 || -*groups[g].speed > most)
            continue;
        stop(f, &groups[g]);
        stopped++;
    }
    return stopped;
}

static void rate(const struct sms_contention_view *view, const double *usage, struct sms_group *groups, size_t count)
{
    struct filling f = {.view = view};
    (void)usage;
    start(&f, groups, count);
    for (size_t left = count; left > 0;)
        left -= fill(&f, groups, count);
}

/* The whole capacity, plus the little that blocks at the slowest speed take beyond it. */
static double delivers(const struct sms_contention_view *view, size_t r, double background, double most)
{
    (void)view, (void)r, (void)background;
    double full = 1 + SLOWEST * most;
    return most < full ? most : full;
}

const struct sms_contention sms_contention_maxmin = {
    .name = "maxmin",
    .help = "max-min fair speeds over all resources of SM and device",
    .free_below_full = true,
    .rate = rate,
    .shares_device = true,
    .delivers = delivers,
};
