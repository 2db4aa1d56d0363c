/* Launch order without blocking. */
#include <smsched/queue.h>

const struct sms_queue_discipline sms_queue_discipline_kernel_fifo = {
    .name = "kernel_fifo",
    .help = "serves kernels in launch order, passing over those whose block fits nowhere",
    .passes_over = true,
};
