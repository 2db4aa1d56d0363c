/* Makes the instances that a policy's mode asks for. Every device of the scenario is split in the same way. Equal
 * instances of equal devices share one struct, and so their kernels' footprints. */
#include "scenario.h"

#include <math.h>
#include <string.h>

enum { INSTANCES_MAX = 4096 };

/* The instances of one device, each with the profile that the policy names. */
struct split {
    const struct sms__device *device;
    const struct sms__mig_profile *profile[SMS__SLICES_MAX];
    size_t count, furthest;
    bool tried[SMS__SLICES_MAX + 1][1 << SMS__SLICES_MAX]; /* by instance and the slices taken before it */
};

/* Whether instances from the i-th on find places beside what is taken. */
static bool place(struct split *split, size_t i, uint64_t taken)
{
    split->furthest = i > split->furthest ? i : split->furthest;
    if (i == split->count)
        return true;
    if (split->tried[i][taken])
        return false;
    split->tried[i][taken] = true;
    const struct sms__mig_profile *profile = split->profile[i];
    for (uint64_t left = profile->start; left; left &= left - 1) {
        uint64_t slices = ((UINT64_C(1) << profile->slices) - 1) << __builtin_ctzll(left);
        if (!(taken & slices) && place(split, i + 1, taken | slices))
            return true;
    }
    return false;
}

static const char *profile_name(const void *user, size_t i) { return ((const struct sms__mig *)user)->profile[i].name; }

static const struct sms__mig_profile *find_profile(struct sms__reader *reader, const struct sms__mig *mig,
                                                   const struct sms__node *name)
{
    for (size_t i = 0; i < mig->profiles; i++)
        if (!strcmp(mig->profile[i].name, name->text))
            return &mig->profile[i];
    sms__complain_unknown(reader, name, "profile", mig->profiles, profile_name, mig);
    return NULL;
}

static bool check_sums(struct sms__reader *reader, const struct sms__node *list, const struct split *split)
{
    uint64_t sms = 0, memory = 0;
    for (size_t i = 0; i < split->count; i++) {
        sms += split->profile[i]->sms;
        memory += split->profile[i]->memory;
    }
    if (sms > split->device->sms)
        sms__complain(reader, list, "the instances have %llu SMs, and %s has %llu", (unsigned long long)sms,
                      split->device->name, (unsigned long long)split->device->sms);
    else if (memory > split->device->memory)
        sms__complain(reader, list, "the instances have %.6g GiB of memory, and %s has %.6g GiB",
                      (double)memory / (1 << 30), split->device->name, (double)split->device->memory / (1 << 30));
    else
        return true;
    return false;
}

/* Whether the device can be split as the policy wants; reports it otherwise. */
static bool find_split(struct sms__reader *reader, const struct sms__node *list, struct split *split)
{
    const struct sms__device *device = split->device;
    split->count = list->items;
    if (!device->mig || device->backgrounds) {
        sms__complain(reader, list, "%s has %s", device->name, device->mig ? "a background: no mig" : "no instances");
        return false;
    }
    for (size_t i = 0; i < list->items; i++) {
        split->profile[i] = find_profile(reader, device->mig, list->item[i]);
        if (!split->profile[i])
            return false;
    }
    if (!place(split, 0, 0)) {
        sms__complain(reader, list->item[split->furthest], "instance '%.60s' finds no free slices on %s",
                      list->item[split->furthest]->text, device->name);
        return false;
    }
    return check_sums(reader, list, split);
}

/* Bandwidths and capacities that the whole device shares are split by slices; SMs stay as they are. */
static struct sms__device *instance_of(struct sms__reader *reader, const struct sms__device *board,
                                       const struct sms__mig_profile *profile)
{
    double share = (double)profile->slices / (double)board->mig->slices;
    struct sms__device *device = SMS__NEW(reader->arena, struct sms__device, 1);
    *device = *board;
    device->name = sms__print(reader->arena, "%s/%s", board->name, profile->name);
    device->sms = profile->sms;
    device->memory = profile->memory;
    device->mig = NULL;
    for (size_t r = 0; r < device->resources; r++) {
        struct sms__resource *resource = &device->resource[r];
        if (resource->scope != SMS_SCOPE_DEVICE)
            continue;
        resource->bandwidth *= share;
        if (resource->capacity)
            resource->capacity = (uint64_t)fmax(1, floor((double)resource->capacity * share));
    }
    sms__finish_device(reader, device);
    return device;
}

/* Equal instances of equal devices share a struct, whether they stand together or not. */
static void add_instance(struct sms__reader *reader, const struct sms_scenario *scenario,
                         const struct sms__mig_profile *profile, size_t board, struct sms__instances *out)
{
    const struct sms__device *device = scenario->device[board];
    size_t i = out->count++;
    out->board[i] = board;
    for (size_t j = 0; j < i; j++)
        if (scenario->device[out->board[j]] == device && out->profile[j] == profile) {
            out->device[i] = out->device[j];
            out->profile[i] = profile;
            return;
        }
    out->profile[i] = profile;
    out->device[i] = instance_of(reader, device, profile);
}

static void fit_instances(struct sms__reader *reader, const struct sms_scenario *scenario, const struct sms__tenant *vm,
                          const struct sms__instances *instances, const struct sms__footprint **fit)
{
    for (size_t i = 0; i < instances->count; i++) {
        for (size_t j = 0; j < i && !fit[i]; j++)
            if (instances->device[j] == instances->device[i])
                fit[i] = fit[j];
        const struct sms__device *board = scenario->device[instances->board[i]];
        struct sms__part part = {board, (double)instances->profile[i]->slices / (double)board->mig->slices};
        if (!fit[i] && vm->fit[instances->board[i]])
            fit[i] = sms__footprints(reader, scenario, vm, instances->device[i], &part);
    }
}

/* Every device of the scenario is split in the same way; instances of a device stand together. */
static bool split_devices(struct sms__reader *reader, const struct sms_scenario *scenario, const struct sms__node *list,
                          struct sms__instances *out)
{
    struct split *split = SMS__NEW(reader->arena, struct split, 1);
    for (size_t d = 0; d < scenario->devices; d++) {
        if (d == 0 || scenario->device[d] != scenario->device[d - 1]) {
            memset(split, 0, sizeof *split);
            split->device = scenario->device[d];
            if (!find_split(reader, list, split))
                return false;
        }
        for (size_t i = 0; i < list->items; i++)
            add_instance(reader, scenario, split->profile[i], d, out);
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
    out->profile = SMS__NEW(reader->arena, const struct sms__mig_profile *, most);
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
