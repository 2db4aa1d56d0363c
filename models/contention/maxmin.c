/* Max-min fair speeds by progressive filling (Bertsekas and Gallager, Data Networks, 6.5.2). All speeds rise together.
 * When a resource is full, the blocks that use it stop rising, and the others continue up to full speed. What a slowed
 * block leaves of other resources goes to the others. So a resource never delivers more than its capacity, and no speed
 * can rise unless a slower one falls. The engine does it, for all SMs together. */
#include <smsched/contention.h>

/* The whole capacity, plus the little that blocks at the slowest speed take beyond it. */
static double delivers(const struct sms_contention_view *view, size_t r, double background, double most)
{
    (void)view, (void)r, (void)background;
    double full = 1 + SMS_SLOWEST * most;
    return most < full ? most : full;
}

const struct sms_contention sms_contention_maxmin = {
    .name = "maxmin",
    .help = "gives blocks max-min fair speeds over all resources of the SM and the device",
    .free_below_full = true,
    .is_max_min = true,
    .delivers = delivers,
};
