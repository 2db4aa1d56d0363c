/* First fit: the lowest node that fits, and the fullest of its GPUs that fit. */
#include <smsched/place.h>

const struct sms_place_policy sms_place_policy_first_fit = {
    .name = "first_fit",
    .help = "takes the first node that fits",
    .search = SMS_PLACE_FIRST,
};
