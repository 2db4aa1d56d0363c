/* exclusive: as a GPU in compute mode EXCLUSIVE_PROCESS. */
#include <smsched/mode.h>

const struct sms_sharing_mode sms_sharing_mode_exclusive = {
    .name = "exclusive",
    .help = "gives a device to one process at a time, in order of arrival",
    .exclusive = true,
};
