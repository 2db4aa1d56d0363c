/* Blocks never slow each other. The baseline that shows what contention costs. */
#include <smsched/contention.h>

static void rate(const struct sms_contention_view *view, const double *usage, struct sms_group *groups, size_t count)
{
    (void)view, (void)usage;
    for (size_t g = 0; g < count; g++)
        *groups[g].speed = 1;
}

const struct sms_contention sms_contention_none = {
    .name = "none",
    .help = "full speed always",
    .free_below_full = true,
    .rate = rate,
};
