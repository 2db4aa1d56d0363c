/* Turns of one block. */
#include <smsched/queue.h>

static uint64_t turn(const struct sms_queued *launch)
{
    (void)launch;
    return 1;
}

const struct sms_queue_discipline sms_queue_discipline_interleave = {
    .name = "interleave",
    .help = "serves one block of each kernel in turn, passing over those that fit nowhere; the next dispatch continues "
            "the turn",
    .turn = turn,
    .passes_over = true,
};
