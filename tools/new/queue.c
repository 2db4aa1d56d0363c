/* The kernel with the fewest blocks first. A queue discipline says which kernel offers the next block. */
#include <smsched/plugin.h>

static double rank(const struct sms_queued *launch) { return (double)launch->blocks; }

static const struct sms_queue_discipline discipline = {
    .name = "@NAME@",
    .help = "serves the kernel with the fewest blocks first",
    .rank = rank,
    .passes_over = true,
};

SMS_PLUGIN(.queue = {&discipline});
