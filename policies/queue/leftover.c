/* Launch order, as NVIDIA's hardware dispatches blocks. */
#include <smsched/queue.h>

const struct sms_queue_discipline sms_queue_discipline_leftover = {
    .name = "leftover",
    .help = "serves kernels in launch order; the first whose block fits nowhere stops the others",
};
