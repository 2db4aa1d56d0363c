/* A block is as fast as the fullest resource it uses lets it be: 1 / g(u), where
 * g(u) = 1 up to u = 1, then 1 + slope * (u - 1).
 *
 * With slope 1 an oversubscribed resource delivers exactly its capacity: work is
 * conserved. A greater slope is interference that grows faster than load (row
 * conflicts, cache thrashing); specification 004, 4.6, found about 2.55 to be what
 * the published gaps between policies need. */
#include <smsched/contention.h>

enum { SLOPE };

static const struct sms_param params[] = {
    {"slope", SMS_UNIT_RATIO, 0, 100, 1.0, "by how much a resource slows for each 100 % of usage above 100 %"},
    {0},
};

static double slowdown(const struct sms_contention_view *view, size_t r, double usage)
{
    (void)r;
    return usage > SMS_FULL ? 1 + view->params[SLOPE] * ((usage - SMS_FULL) / SMS_FULL) : 1;
}

/* The greatest (u - background) / g(u): it rises up to u = 1, then either on or down from there. */
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
    .help = "as slow as the fullest resource that a block uses, by a slope above 100 %",
    .params = params,
    .free_below_full = true,
    .slowdown = slowdown,
    .delivers = delivers,
};
