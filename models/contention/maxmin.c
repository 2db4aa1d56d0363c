/* Max-min fair speeds by progressive filling (Bertsekas and Gallager, Data Networks, 6.5.2). All speeds rise together.
 * When a resource is full, the blocks that use it stop rising, and the others continue up to full speed. What a slowed
 * block leaves of other resources goes to the others. So a resource never delivers more than its capacity, and no speed
 * can rise unless a slower one falls. */
#include <smsched/contention.h>

/* Markers that stand in place of a speed during the filling. That of a group that still rises is minus the speed that
 * it can reach, which is at most 1. */
enum { RISING = -1, BOUND = -2 };

/* Rounding may leave slightly less than nothing of a full resource. This minimum keeps blocks from standing still. */
static const double SLOWEST = 1e-6;

/* Free capacity, the demand of the groups that still rise, and the speed that these can reach together: for the
 * resources of each SM in turn, then for those of scope device. */
struct filling {
    const struct sms_contention_view *view;
    size_t sms;
    double device_capacity; /* of resources of scope device */
    double *left, *rising, *level;
    size_t scarce[SMS_RESOURCES_MAX], scarces; /* resources of which more is demanded somewhere than there is */
};

static size_t slot(const struct filling *f, size_t sm, size_t r)
{
    bool device_scope = f->view->resource[r].scope == SMS_SCOPE_DEVICE;
    return (device_scope ? f->sms : sm) * f->view->resources + r;
}

static bool is_scarce(const struct filling *f, size_t r)
{
    bool scarce = false;
    for (size_t i = r; i < (f->sms + 1) * f->view->resources; i += f->view->resources)
        scarce |= f->rising[i] > f->left[i];
    return scarce;
}

/* A resource that is not scarce never stops a group: those that stop at less than full speed leave more to the rest. */
static void start(struct filling *f, const struct sms_group *groups, size_t count)
{
    for (size_t i = 0; i < (f->sms + 1) * f->view->resources; i++) {
        f->left[i] = i < f->sms * f->view->resources ? SMS_FULL : f->device_capacity;
        f->rising[i] = 0;
    }
    for (size_t g = 0; g < count; g++) {
        *groups[g].speed = RISING;
        for (size_t r = 0; r < f->view->resources; r++)
            f->rising[slot(f, groups[g].sm, r)] += groups[g].demand[r] * (double)groups[g].blocks;
    }
    for (size_t r = 0; r < f->view->resources; r++)
        if (is_scarce(f, r))
            f->scarce[f->scarces++] = r;
}

/* Finds the speeds that all users of a resource can reach together. One division serves all groups of an SM. */
static void find_levels(const struct filling *f)
{
    for (size_t k = 0; k < f->scarces; k++)
        for (size_t i = f->scarce[k]; i < (f->sms + 1) * f->view->resources; i += f->view->resources)
            f->level[i] = f->rising[i] > 0 ? f->left[i] / f->rising[i] : 2;
}

static double group_level(const struct filling *f, const struct sms_group *group)
{
    double level = 1;
    for (size_t k = 0; k < f->scarces; k++) {
        size_t r = f->scarce[k];
        double by_resource = group->demand[r] > 0 ? f->level[slot(f, group->sm, r)] : 2;
        level = by_resource < level ? by_resource : level;
    }
    return level;
}

static void stop_at(const struct filling *f, const struct sms_group *group, double level)
{
    *group->speed = level;
    for (size_t k = 0; k < f->scarces; k++) {
        size_t i = slot(f, group->sm, f->scarce[k]);
        double demand = group->demand[f->scarce[k]] * (double)group->blocks;
        f->left[i] -= demand * level;
        f->rising[i] -= demand;
    }
}

/* Finds how far each group can rise, and returns the lowest speed of these. */
static double lowest_level(const struct filling *f, const struct sms_group *groups, size_t count)
{
    double lowest = 1;
    for (size_t g = 0; g < count; g++) {
        if (*groups[g].speed >= 0)
            continue;
        double level = group_level(f, &groups[g]);
        level = level > SLOWEST ? level : SLOWEST;
        *groups[g].speed = -level;
        lowest = level < lowest ? level : lowest;
    }
    return lowest;
}

/* One round: all groups that must stop at the lowest speed stop there. Returns how many stopped. */
static size_t fill(const struct filling *f, struct sms_group *groups, size_t count)
{
    find_levels(f);
    double lowest = lowest_level(f, groups, count);
    size_t stopped = 0;
    for (size_t g = 0; g < count; g++)
        if (*groups[g].speed < 0 && -*groups[g].speed <= lowest * (1 + 1e-12))
            *groups[g].speed = BOUND;
    for (size_t g = 0; g < count; g++) {
        if (*groups[g].speed != BOUND)
            continue;
        stop_at(f, &groups[g], lowest);
        stopped++;
    }
    return stopped;
}

static void fill_all(struct filling *f, struct sms_group *groups, size_t count)
{
    start(f, groups, count);
    for (size_t left = count; left > 0;)
        left -= fill(f, groups, count);
}

/* Resources of scope device are not full here, so they limit no group. */
static void rate(const struct sms_contention_view *view, const double *usage, struct sms_group *groups, size_t count)
{
    double left[2 * SMS_RESOURCES_MAX], rising[2 * SMS_RESOURCES_MAX], level[2 * SMS_RESOURCES_MAX];
    bool contended = false;
    for (size_t r = 0; r < view->resources; r++)
        contended |= usage[r] > SMS_FULL;
    if (contended) {
        size_t sm = count ? groups[0].sm : 0;
        for (size_t g = 0; g < count; g++)
            groups[g].sm = 0;
        fill_all(&(struct filling){view, 1, 1e300, left, rising, level}, groups, count);
        for (size_t g = 0; g < count; g++)
            groups[g].sm = sm;
        return;
    }
    for (size_t g = 0; g < count; g++)
        *groups[g].speed = 1;
}

static void rate_device(const struct sms_contention_view *view, size_t sms, struct sms_group *groups, size_t count,
                        double *scratch)
{
    size_t slots = (sms + 1) * view->resources;
    fill_all(&(struct filling){view, sms, SMS_FULL * (double)sms, scratch, scratch + slots, scratch + 2 * slots},
             groups, count);
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
    .rate_device = rate_device,
    .delivers = delivers,
};
