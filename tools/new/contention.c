/* A resource that is used beyond 100 % slows its users in proportion. A contention model says how fast blocks run
 * beside each other. */
#include <smsched/plugin.h>

static double slowdown(const struct sms_contention_view *view, size_t r, double usage)
{
    (void)view, (void)r;
    return usage > SMS_FULL ? usage / SMS_FULL : 1;
}

static const struct sms_contention model = {
    .name = "@NAME@",
    .help = "slows the users of a resource in proportion to its use if that exceeds 100 %",
    .free_below_full = true,
    .slowdown = slowdown,
};

SMS_PLUGIN(.contention = {&model});
