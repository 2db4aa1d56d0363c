/* Whether one device may stand for all (`run: {equal_devices: one}`). Devices with VMs share nothing, and differ in
 * what they draw alone. So one of equal devices is a sample of them, unless the run ends once the last of them is done:
 * the last of several is later than any one. */
#include "scenario.h"

/* The first device that is not like device 0; 0 if all are. */
static size_t find_unlike(const struct sms_scenario *scenario)
{
    size_t d = 1;
    while (d < scenario->devices && scenario->device[d] == scenario->device[0])
        d++;
    return d < scenario->devices ? d : 0;
}

static void check_vm(struct sms__reader *reader, const struct sms__tenant *vm)
{
    if (vm->device >= 0)
        sms__complain(reader, vm->node, "VM '%.60s' is on device %ld alone, so one cannot stand for all", vm->name,
                      vm->device);
    else if (vm->repeat > 0 || vm->arrivals == SMS__LISTED)
        sms__complain(reader, vm->node, "VM '%.60s' ends on each device at another time, so one cannot stand for all",
                      vm->name);
}

void sms__check_equal_devices(struct sms__reader *reader, const struct sms_scenario *scenario)
{
    if (scenario->host.equal_devices != SMS__SIMULATE_ONE)
        return;
    const struct sms__node *node = sms__node_get(sms__node_get(scenario->node, "run"), "equal_devices");
    size_t unlike = find_unlike(scenario);
    if (scenario->shares || scenario->cluster) {
        sms__complain(reader, node, "one device cannot stand for all: %s share them; write each",
                      scenario->shares ? "processes" : "pods");
        return;
    }
    if (unlike)
        sms__complain(reader, node, "one device cannot stand for all: device %zu is not like device 0; write each",
                      unlike);
    for (size_t v = 0; v < scenario->vms; v++)
        if (!sms__is_like_last(scenario->vm, v))
            check_vm(reader, &scenario->vm[v]);
}
