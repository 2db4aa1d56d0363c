/* Makes the instances that a policy's mode asks for. Every device of the scenario is split in the same way. Equal
 * instances of equal devices share one struct, and so their kernels' footprints. */
#include "layout.h"
#include "scenario.h"

enum { INSTANCES_MAX = 4096 };

/* Equal instances of equal devices share a struct, whether they stand together or not. */
static void add_instance(struct sms__reader *reader, const struct sms_scenario *scenario,
                         const struct sms__mig_profile *profile, size_t board, struct sms__instances *out)
{
    const struct sms__device *device = scenario->device[board];
    size_t i = out->count++;
    out->board[i] = board;
    for (size_t j = 0; j < i; j++)
        if (out->device[j]->mig.board == device && out->device[j]->mig.profile == profile) {
            out->device[i] = out->device[j];
            return;
        }
    out->device[i] = sms__make_instance(reader, device, profile);
}

static void fit_instances(struct sms__reader *reader, const struct sms_scenario *scenario, const struct sms__tenant *vm,
                          const struct sms__instances *instances, const struct sms__footprint **fit)
{
    for (size_t i = 0; i < instances->count; i++) {
        for (size_t j = 0; j < i && !fit[i]; j++)
            if (instances->device[j] == instances->device[i])
                fit[i] = fit[j];
        if (!fit[i] && vm->fit[instances->board[i]])
            fit[i] = sms__footprints(reader, scenario, vm, instances->device[i]);
    }
}

/* Every device of the scenario is split in the same way; instances of a device stand together. */
static bool split_devices(struct sms__reader *reader, const struct sms_scenario *scenario, const struct sms__node *list,
                          struct sms__instances *out)
{
    struct sms__layout layout = {.count = 0};
    for (size_t d = 0; d < scenario->devices; d++) {
        const struct sms__device *device = scenario->device[d];
        if ((d == 0 || device != scenario->device[d - 1]) && !sms__read_layout(reader, list, device, &layout))
            return false;
        for (size_t i = 0; i < layout.count; i++)
            add_instance(reader, scenario, layout.profile[i], d, out);
    }
    return true;
}

void sms__make_instances(struct sms__reader *reader, const struct sms_scenario *scenario, struct sms__policy_use *use)
{
    const struct sms__node *list = use->mode.instances;
    size_t most = list->items * scenario->devices;
    if (most > INSTANCES_MAX) {
        sms__complain(reader, list, "more than %d instances on all devices", INSTANCES_MAX);
        return;
    }
    struct sms__instances *out = SMS__NEW(reader->arena, struct sms__instances, 1);
    out->device = SMS__NEW(reader->arena, const struct sms__device *, most);
    out->board = SMS__NEW(reader->arena, size_t, most);
    out->fit = SMS__NEW(reader->arena, const struct sms__footprint **, scenario->vms);
    if (!split_devices(reader, scenario, list, out))
        return;
    for (size_t v = 0; v < scenario->vms && reader->errors->count <= SMS_ERRORS_MAX; v++) {
        if (sms__is_like_last(scenario->vm, v)) {
            out->fit[v] = out->fit[v - 1];
            continue;
        }
        out->fit[v] = SMS__NEW(reader->arena, const struct sms__footprint *, most);
        fit_instances(reader, scenario, &scenario->vm[v], out, out->fit[v]);
    }
    use->instances = out;
}
