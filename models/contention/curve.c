/* Measured curves: each resource has a curve of overhead by usage. Within a class only the worst overhead counts. The
 * overheads of the classes, of hard resources and of resources of scope device add up. All blocks of an SM get the
 * speed 1 / (1 + overhead), whatever they use.
 *
 * Source: simtbs (oslab-ewha). */
#include <smsched/contention.h>

static void rate(const struct sms_contention_view *view, const double *usage, struct sms_group *groups, size_t count)
{
    double worst[SMS_CLASSES] = {0}, overhead = 0;
    for (size_t r = 0; r < view->resources && view->curves; r++) {
        double by_resource = sms_curve_at(&view->curves[r], usage[r] / SMS_FULL);
        if (view->resource[r].scope == SMS_SCOPE_DEVICE || view->resource[r].hard)
            overhead += by_resource;
        else if (by_resource > worst[view->resource[r].cls])
            worst[view->resource[r].cls] = by_resource;
    }
    overhead += worst[SMS_COMPUTE] + worst[SMS_MEMORY];
    for (size_t g = 0; g < count; g++)
        *groups[g].speed = 1 / (1 + overhead);
}

/* The overhead is at least that of the resource's curve. Between two points of the curve the delivered amount is a
 * ratio of linear functions, so its maximum lies at a point or at `most`. */
static double delivers(const struct sms_contention_view *view, size_t r, double background, double most)
{
    if (!view->curves)
        return most;
    const struct sms_curve *curve = &view->curves[r];
    double greatest = most / (1 + sms_curve_at(curve, background + most));
    for (size_t i = 0; i < curve->points; i++) {
        double by_blocks = curve->usage[i] - background;
        double delivered = by_blocks < most ? by_blocks / (1 + curve->overhead[i]) : 0;
        greatest = delivered > greatest ? delivered : greatest;
    }
    return greatest;
}

const struct sms_contention sms_contention_curve = {
    .name = "curve",
    .help = "adds up the measured overhead of the worst resource of each class, by its usage",
    .curves = true,
    .rate = rate,
    .delivers = delivers,
};
