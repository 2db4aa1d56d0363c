/* Memory-aware admission: a process gets a device only if the peak memory that it declares fits there beside the peaks
 * that the processes there have declared. So no allocation can fail later. */
#include <smsched/share.h>

/* Returns the device with the most unreserved memory of those that take the process now, if that is enough. A process
 * that is too large for every device gets the largest one, so that it fails visibly at its allocation. */
static long place(struct sms_share *share, size_t process)
{
    uint64_t declared = sms_share_process(share, process).declared, most = 0, largest = 0;
    long best = SMS_WAIT, largest_device = SMS_WAIT;
    bool fits = false;
    for (size_t d = 0; d < sms_share_devices(share); d++) {
        const struct sms_share_device_view device = sms_share_device(share, d);
        if (!sms_share_allows(share, process, d))
            continue;
        if (device.memory > largest) {
            largest = device.memory;
            largest_device = (long)d;
        }
        const uint64_t left = device.memory > device.declared ? device.memory - device.declared : 0;
        fits |= left >= declared;
        if (left < declared || (best >= 0 && left <= most) || !sms_share_admits(share, process, d))
            continue;
        best = (long)d;
        most = left;
    }
    if (!fits && declared <= largest)
        sms_share_say(share, process, "waits: no device has %llu bytes that are not reserved",
                      (unsigned long long)declared);
    return best >= 0 || declared <= largest ? best : largest_device;
}

const struct sms_share_policy sms_share_policy_memory_admission = {
    .name = "memory_admission",
    .help = "makes a process wait until its peak memory fits alongside the peaks of the others",
    .place = place,
};
