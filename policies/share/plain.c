/* What a driver does by itself: everybody goes at once, who finds no memory fails. */
#include <smsched/share.h>

const struct sms_share_policy sms_sharing_plain = {
    .name = "plain",
    .help = "no management: processes start as they come, an allocation that does not fit fails",
};
