/* Launch order. The literature also calls it leftover. */
#include <smsched/queue.h>

const struct sms_queue_discipline sms_queue_discipline_fifo = {
    .name = "fifo",
    .help = "is another name for leftover",
};
