/* Instances of a device: which there can be, and those that a policy asks for. */
#include "scenario.h"

#include <math.h>
#include <string.h>

#define F(struct_, member) offsetof(struct struct_, member)

enum { SLICES_MAX = 8, PROFILES_MAX = 64 };

static void read_starts(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__quantity number;
    uint64_t *start = at;
    if (!sms__expect_list(reader, node, SLICES_MAX))
        return;
    if (node->items == 0)
        sms__complain(reader, node, "starts: there are none");
    for (size_t i = 0; i < node->items; i++)
        if (sms__read_number(reader, node->item[i], SMS__COUNT, 0, SLICES_MAX - 1, &number))
            *start |= UINT64_C(1) << (unsigned)number.value;
}

static const struct sms__field profile_fields[] = {
    {"name", SMS__NAME, 0, F(sms__mig_profile, name), .required = true, .help = "to ask for it by"},
    {"sms", SMS__INTEGER, SMS__COUNT, F(sms__mig_profile, sms), 1, 1e6, .required = true, .help = "SMs"},
    {"memory", SMS__INTEGER, SMS__BYTES, F(sms__mig_profile, memory), 1, 1e16, .required = true,
     .help = "device memory"},
    {"slices", SMS__INTEGER, SMS__COUNT, F(sms__mig_profile, slices), 1, SLICES_MAX, .required = true,
     .help = "of the device's, for device-wide resources and to be placed on"},
    {"starts", SMS__INTEGER, SMS__COUNT, F(sms__mig_profile, start), 0, SLICES_MAX - 1, .required = true,
     .read = read_starts, .holds = SMS__MANY, .least = 1, .most = SLICES_MAX,
     .help = "slices at which one may begin, from 0"},
    {0}};

static void check_profile(struct sms__reader *reader, const struct sms__node *node, const struct sms__mig *mig,
                          size_t i)
{
    const struct sms__mig_profile *profile = &mig->profile[i];
    if (profile->slices > mig->slices || profile->start >> (mig->slices - profile->slices + 1))
        sms__complain(reader, node, "profile '%.60s' ends beyond the device's %llu slices", profile->name,
                      (unsigned long long)mig->slices);
    for (size_t j = 0; j < i; j++)
        if (!strcmp(mig->profile[j].name, profile->name))
            sms__complain(reader, node, "profile '%.60s' is defined twice", profile->name);
}

static void keep_list(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    if (!sms__expect_list(reader, node, PROFILES_MAX))
        return;
    struct sms__mig *mig = at;
    mig->profile = SMS__NEW(reader->arena, struct sms__mig_profile, node->items);
    mig->profiles = node->items;
    for (size_t i = 0; i < node->items && reader->errors->count <= SMS_ERRORS_MAX; i++) {
        mig->profile[i].name = "";
        sms__read_fields(reader, node->item[i], profile_fields, &mig->profile[i]);
    }
}

const struct sms__field sms__mig_fields[] = {{"slices", SMS__INTEGER, SMS__COUNT, F(sms__mig, slices), 1, SLICES_MAX,
                                              .required = true, .help = "of memory and what is device-wide"},
                                             {"profiles", SMS__FIELDS, .required = true, .read = keep_list,
                                              .holds = SMS__MANY, .fields = profile_fields, .most = PROFILES_MAX,
                                              .help = "the kinds of instances, a list"},
                                             {0}};

const struct sms__table sms__mig_tables[3] = {
    {"device: mig", sms__mig_fields}, {"device: mig: profiles", profile_fields}, {NULL, NULL}};

void sms__read_mig(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__device *device = at;
    size_t before = reader->errors->count;
    struct sms__mig *mig = SMS__NEW(reader->arena, struct sms__mig, 1);
    sms__read_fields(reader, node, sms__mig_fields, mig);
    const struct sms__node *profiles = sms__node_get(node, "profiles");
    for (size_t i = 0; i < mig->profiles && reader->errors->count == before; i++)
        check_profile(reader, profiles->item[i], mig, i);
    device->mig = mig;
}

/* The instances of one device, each with the profile that the policy names. */
struct split {
    const struct sms__device *device;
    const struct sms__mig_profile *profile[SLICES_MAX];
    size_t count, furthest;
    bool tried[SLICES_MAX + 1][1 << SLICES_MAX]; /* by instance and the slices taken before it */
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

static void fit_instances(struct sms__reader *reader, const struct sms_scenario *scenario, const struct sms__vm *vm,
                          const struct sms__instances *instances, const struct sms__fit **fit)
{
    for (size_t i = 0; i < instances->count; i++) {
        for (size_t j = 0; j < i && !fit[i]; j++)
            if (instances->device[j] == instances->device[i])
                fit[i] = fit[j];
        const struct sms__device *board = scenario->device[instances->board[i]];
        struct sms__part part = {board, (double)instances->profile[i]->slices / (double)board->mig->slices};
        if (!fit[i])
            fit[i] = sms__fit_tenant(reader, scenario, vm, instances->device[i], &part);
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

enum { INSTANCES_MAX = 4096 };

void sms__build_instances(struct sms__reader *reader, const struct sms_scenario *scenario, struct sms__policy_use *use)
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
    out->fit = SMS__NEW(reader->arena, const struct sms__fit **, scenario->vms);
    if (!split_devices(reader, scenario, list, out))
        return;
    for (size_t v = 0; v < scenario->vms && reader->errors->count <= SMS_ERRORS_MAX; v++) {
        if (sms__is_like_last(scenario, v)) {
            out->fit[v] = out->fit[v - 1];
            continue;
        }
        out->fit[v] = SMS__NEW(reader->arena, const struct sms__fit *, most);
        fit_instances(reader, scenario, &scenario->vm[v], out, out->fit[v]);
    }
    use->instances = out;
}
