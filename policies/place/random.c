/* Any node that fits, each as likely; of its GPUs the fullest that do. The baseline of FGD's figures. */
#include <smsched/place.h>

const struct sms_place_policy sms_placing_random = {
    .name = "random",
    .help = "a node that fits, drawn at random",
    .search = SMS_PLACE_RANDOM,
};
