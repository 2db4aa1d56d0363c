/* exclusive: as a GPU in compute mode EXCLUSIVE_PROCESS. */
#include "modes.h"

const struct sms__mode_form sms__mode_form_exclusive = {
    .name = "exclusive",
    .help = "a device has one process at a time, in order of arrival",
    .exclusive = true,
};
