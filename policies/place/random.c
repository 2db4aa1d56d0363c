/* Random: any node that fits, all equally likely, and the fullest of its GPUs that fit. It is the baseline in the
 * figures of FGD. */
#include <smsched/place.h>

const struct sms_place_policy sms_place_policy_random = {
    .name = "random",
    .help = "draws a node that fits at random",
    .search = SMS_PLACE_RANDOM,
};
