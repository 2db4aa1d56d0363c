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

/* The keys of the map that say which device, or are like one that does; all others are what is overridden of it. */
static const char *const *use_keys(struct sms__arena *arena, const struct sms__node *map)
{
    static const char *const names[] = {"model", "count"};
    const char **keys = SMS__NEW(arena, const char *, map->items / 2 + 1);
    size_t count = 0;
    for (size_t i = 0; map->kind == SMS__MAP && i + 1 < map->items; i += 2)
        if (map->item[i]->kind == SMS__SCALAR && sms__nearest(map->item[i]->text, 2, sms__text_at, names))
            keys[count++] = map->item[i]->text;
    return keys;
}

static const struct sms__device *overridden(struct sms__reader *reader, const struct sms__node *node,
                                            const struct sms__device *base, const char *const *keys)
{
    const struct sms__node *map = sms__node_pick(reader->arena, node, keys, false);
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
    const char *const *keys = use_keys(reader->arena, node);
    sms__read_fields(reader, sms__node_pick(reader->arena, node, keys, true), sms__device_use_fields, &use);
    *count = use.count;
    const struct sms__device *device = use.model ? sms__find_device(reader->user, use.model->text, use.model) : NULL;
    return device ? overridden(reader, node, device, keys) : NULL;
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
