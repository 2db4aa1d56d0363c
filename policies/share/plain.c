/* No management, as with the driver alone: every process starts at once, and a process that finds no memory fails. */
#include <smsched/share.h>

const struct sms_share_policy sms_share_policy_plain = {
    .name = "plain",
    .help = "manages nothing: processes start on arrival, and an allocation that does not fit fails",
};
