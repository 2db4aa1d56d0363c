/* Reads `devices:`: models with fields that are overridden, and how many of each. */
#include "devices.h"
#include "file.h"
#include "scenario.h"

#define F(struct_, member) offsetof(struct struct_, member)

/* Most devices and entries of a scenario, which bound the time of loading. */
enum { DEVICES_MAX = 100000 };

struct device_use {
    const struct sms__node *model;
    uint64_t count;
};

const struct sms__field sms__device_use_fields[] = {
    {"model", SMS__REFERENCE, 0, F(device_use, model), .required = true, .help = "names the device"},
    {"count", SMS__INTEGER, SMS__COUNT, F(device_use, count), 1, DEVICES_MAX,
     .help = "sets the number of such devices; default 1"},
    {0}};

/* Keys that say which device; all others are what is overridden of it. */
static const char *const use_keys[] = {"model", "count", NULL};

static const struct sms__device *overridden(struct sms__reader *reader, const struct sms__node *node,
                                            const struct sms__device *base)
{
    const struct sms__node *map = sms__node_pick(reader->arena, node, use_keys, false);
    if (map->items == 0)
        return base;
    struct sms__device *device = SMS__NEW(reader->arena, struct sms__device, 1);
    *device = *base;
    sms__override_device(reader, node, map, device);
    return device;
}

const struct sms__device *sms__read_device_use(struct sms__reader *reader, const struct sms__node *node,
                                               uint64_t *count)
{
    struct device_use use = {.count = 1};
    sms__read_fields(reader, sms__node_pick(reader->arena, node, use_keys, true), sms__device_use_fields, &use);
    *count = use.count;
    const struct sms__device *device = use.model ? sms__find_device(reader->user, use.model->text, use.model) : NULL;
    return device ? overridden(reader, node, device) : NULL;
}

void sms__read_devices(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms_scenario *scenario = at;
    uint64_t count;
    for (size_t i = 0; i < node->items && reader->errors->count <= SMS_ERRORS_MAX; i++) {
        const struct sms__device *device = sms__read_device_use(reader, node->item[i], &count);
        bool few = device && scenario->devices + count <= DEVICES_MAX;
        if (device && !few)
            sms__complain(reader, node->item[i], "more than %d devices", DEVICES_MAX);
        for (uint64_t k = 0; few && k < count; k++)
            *SMS__APPEND(reader->arena, scenario->device, scenario->devices) = device;
    }
}
