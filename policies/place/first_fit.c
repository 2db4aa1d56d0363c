/* The lowest node that fits, and of its GPUs the fullest that do. */
#include <smsched/place.h>

const struct sms_place_policy sms_placing_first_fit = {
    .name = "first_fit",
    .help = "the first node that fits",
    .search = SMS_PLACE_FIRST,
};
