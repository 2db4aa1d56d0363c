/* Memory-aware admission: a process comes to a device only if the most that it will hold fits there beside the most
 * that those there will hold, so that no allocation fails on the way. */
#include <smsched/share.h>

static uint64_t promised(const struct sms_share *share, long device)
{
    uint64_t sum = 0;
    for (size_t p = 0; p < sms_share_processes(share); p++) {
        struct sms_process_view view = sms_share_process(share, p);
        sum += view.device == device ? view.declared : 0;
    }
    return sum;
}

/* The device with most memory that is not promised, if it is enough. One that no device could ever hold is let
 * through, to fail where it is seen. */
static long place(struct sms_share *share, size_t process)
{
    uint64_t declared = sms_share_process(share, process).declared, most = 0, largest = 0;
    long best = SMS_WAIT, biggest = SMS_WAIT;
    for (size_t d = 0; d < sms_share_devices(share); d++) {
        uint64_t memory = sms_share_device(share, d).memory, used = promised(share, (long)d);
        if (!sms_share_allows(share, process, d))
            continue;
        uint64_t left = memory > used ? memory - used : 0;
        if (memory > largest) {
            largest = memory;
            biggest = (long)d;
        }
        if (left < declared || (best >= 0 && left <= most))
            continue;
        best = (long)d;
        most = left;
    }
    if (best < 0 && declared <= largest)
        sms_share_say(share, process, "waits: no device has %llu bytes to promise", (unsigned long long)declared);
    return best >= 0 || declared <= largest ? best : biggest;
}

const struct sms_share_policy sms_sharing_memory_admission = {
    .name = "memory_admission",
    .help = "a process waits until the most that it will hold fits beside what is promised to others",
    .place = place,
};
