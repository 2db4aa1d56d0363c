/* Finds out how the instances of a list lie on a device, and makes devices of them. */
#include "layout.h"

#include <math.h>

/* The search for places. */
struct split {
    struct sms__layout *layout;
    size_t furthest;
    bool tried[SMS__INSTANCES_MAX + 1][1 << SMS__SLICES_MAX]; /* by instance and the slices taken before it */
};

/* Whether instances from the i-th on find places beside what is taken. */
static bool place(struct split *split, size_t i, uint64_t taken)
{
    split->furthest = i > split->furthest ? i : split->furthest;
    if (i == split->layout->count)
        return true;
    if (split->tried[i][taken])
        return false;
    split->tried[i][taken] = true;
    const struct sms__mig_profile *profile = split->layout->profile[i];
    for (uint64_t left = profile->start; left; left &= left - 1) {
        split->layout->start[i] = (uint8_t)__builtin_ctzll(left);
        uint64_t slices = ((UINT64_C(1) << profile->slices) - 1) << split->layout->start[i];
        if (!(taken & slices) && place(split, i + 1, taken | slices))
            return true;
    }
    return false;
}

bool sms__place_layout(struct sms__layout *layout)
{
    struct split split = {.layout = layout};
    return place(&split, 0, 0);
}

const struct sms__mig_profile *sms__find_profile(const struct sms__mig *mig, const char *name)
{
    const size_t i = sms__find_name(name, mig->profiles, SMS__NAMES(mig->profile, name));
    return i < mig->profiles ? &mig->profile[i] : NULL;
}

static bool check_sums(struct sms__reader *reader, const struct sms__node *list, const struct sms__device *device,
                       const struct sms__layout *layout)
{
    uint64_t sms = 0, memory = 0;
    for (size_t i = 0; i < layout->count; i++) {
        sms += layout->profile[i]->sms;
        memory += layout->profile[i]->memory;
    }
    if (sms > device->sms)
        sms__complain(reader, list, "the instances have %llu SMs, and %s has %llu", (unsigned long long)sms,
                      device->name, (unsigned long long)device->sms);
    else if (memory > device->memory)
        sms__complain(reader, list, "the instances have %.6g GiB of memory, and %s has %.6g GiB",
                      (double)memory / (1 << 30), device->name, (double)device->memory / (1 << 30));
    else
        return true;
    return false;
}

bool sms__read_layout(struct sms__reader *reader, const struct sms__node *list, const struct sms__device *device,
                      struct sms__layout *layout)
{
    struct split *split = SMS__NEW(reader->arena, struct split, 1);
    *layout = (struct sms__layout){.count = list->items};
    split->layout = layout;
    if (!device->mig.sheet || device->backgrounds) {
        sms__complain(reader, list, "%s has %s", device->name,
                      device->mig.sheet ? "a background: no mig" : "no instances");
        return false;
    }
    for (size_t i = 0; i < list->items; i++) {
        layout->profile[i] = sms__find_profile(device->mig.sheet, list->item[i]->text);
        if (!layout->profile[i]) {
            sms__complain_unknown(reader, list->item[i], "profile", device->mig.sheet->profiles,
                                  SMS__NAMES(device->mig.sheet->profile, name));
            return false;
        }
    }
    if (!place(split, 0, 0)) {
        sms__complain(reader, list->item[split->furthest], "instance '%.60s' finds no free slices on %s",
                      list->item[split->furthest]->text, device->name);
        return false;
    }
    return check_sums(reader, list, device, layout);
}

const struct sms__device *sms__make_instance(struct sms__reader *reader, const struct sms__device *board,
                                             const struct sms__mig_profile *profile)
{
    double share = (double)profile->slices / (double)board->mig.sheet->slices;
    struct sms__device *device = SMS__NEW(reader->arena, struct sms__device, 1);
    *device = *board;
    device->name = sms__print(reader->arena, "%s/%s", board->name, profile->name);
    device->sms = profile->sms;
    device->memory = profile->memory;
    device->mig = (struct sms__mig_role){.board = board, .profile = profile};
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
