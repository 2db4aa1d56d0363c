/* No contention: blocks never slow each other. This is the baseline that shows what contention costs. */
#include <smsched/contention.h>

static double slowdown(const struct sms_contention_view *view, size_t r, double usage)
{
    (void)view, (void)r, (void)usage;
    return 1;
}

const struct sms_contention sms_contention_none = {
    .name = "none",
    .help = "runs every block at full speed",
    .free_below_full = true,
    .slowdown = slowdown,
};
