/* Proportional sharing: the fullest resource that a block uses sets its speed to 1 / g(u), where g(u) = 1 up to u = 1
 * and 1 + slope * (u - 1) beyond.
 *
 * With slope 1 an oversubscribed resource delivers exactly its capacity, so work is conserved. A greater slope models
 * interference that grows faster than load, such as row conflicts or cache thrashing. Specification 004, 4.6, found
 * that the published gaps between policies need about 2.55. */
#include <smsched/contention.h>

enum { SLOPE };

static const struct sms_param params[] = {
    {"slope", SMS_UNIT_RATIO, 0, 100, 1.0, "sets by how much a resource slows for each 100 % of usage above 100 %"},
    {0},
};

static double slowdown(const struct sms_contention_view *view, size_t r, double usage)
{
    (void)r;
    return usage > SMS_FULL ? 1 + view->params[SLOPE] * ((usage - SMS_FULL) / SMS_FULL) : 1;
}

/* The maximum of (u - background) / g(u). The function rises up to u = 1, and beyond that it only rises or only falls.
 */
static double delivers(const struct sms_contention_view *view, size_t r, double background, double most)
{
    (void)r;
    double usage = background + most;
    if (usage <= 1)
        return most;
    double at_full = background < 1 ? 1 - background : 0;
    double at_most = most / (1 + view->params[SLOPE] * (usage - 1));
    return at_most > at_full ? at_most : at_full;
}

const struct sms_contention sms_contention_proportional = {
    .name = "proportional",
    .help = "makes a block as slow as the fullest resource that it uses, with a slope above 100 %",
    .params = params,
    .free_below_full = true,
    .slowdown = slowdown,
    .delivers = delivers,
};
