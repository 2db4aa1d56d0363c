/* Turns of one block, with blocking. */
#include <smsched/queue.h>

static uint64_t turn(const struct sms_queued *launch)
{
    (void)launch;
    return 1;
}

const struct sms_queue_discipline sms_queue_discipline_rr_fifo = {
    .name = "rr_fifo",
    .help = "serves one block of each kernel in turn; one that fits nowhere stops all, and keeps its turn",
    .turn = turn,
};
