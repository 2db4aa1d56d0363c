/* Reads `mig:` of a device: the profiles of instances that it can be split into. */
#include "device_model.h"

#include <string.h>

#define F(struct_, member) offsetof(struct struct_, member)

enum { SLICES_MAX = SMS__SLICES_MAX, PROFILES_MAX = 64 };

static void read_starts(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__quantity number;
    uint64_t *start = at;
    for (size_t i = 0; i < node->items; i++)
        if (sms__read_number(reader, node->item[i], SMS__COUNT, 0, SLICES_MAX - 1, &number))
            *start |= UINT64_C(1) << (unsigned)number.value;
}

static const struct sms__field profile_fields[] = {
    {"name", SMS__NAME, 0, F(sms__mig_profile, name), .required = true,
     .help = "names the profile, by which instances are requested"},
    {"sms", SMS__INTEGER, SMS__COUNT, F(sms__mig_profile, sms), 1, 1e6, .required = true,
     .help = "sets the number of SMs of an instance"},
    {"memory", SMS__INTEGER, SMS__BYTES, F(sms__mig_profile, memory), 1, 1e16, .required = true,
     .help = "sets the device memory of an instance"},
    {"slices", SMS__INTEGER, SMS__COUNT, F(sms__mig_profile, slices), 1, SLICES_MAX, .required = true,
     .help = "sets how many of the device's slices an instance takes"},
    {"starts", SMS__INTEGER, SMS__COUNT, F(sms__mig_profile, start), 0, SLICES_MAX - 1, .required = true,
     .read = read_starts, .holds = SMS__MANY, .least = 1, .most = SLICES_MAX,
     .help = "lists the slices, counted from 0, at which an instance may begin"},
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
    struct sms__mig *mig = at;
    mig->profile = SMS__NEW(reader->arena, struct sms__mig_profile, node->items);
    mig->profiles = node->items;
    for (size_t i = 0; i < node->items && reader->errors->count <= SMS_ERRORS_MAX; i++) {
        mig->profile[i].name = "";
        sms__read_fields(reader, node->item[i], profile_fields, &mig->profile[i]);
    }
}

const struct sms__field sms__mig_fields[] = {
    {"slices", SMS__INTEGER, SMS__COUNT, F(sms__mig, slices), 1, SLICES_MAX, .required = true,
     .help = "sets the number of slices of memory and of device-wide resources"},
    {"profiles", SMS__FIELDS, .required = true, .read = keep_list, .holds = SMS__MANY, .fields = profile_fields,
     .most = PROFILES_MAX, .help = "lists the profiles of instances"},
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
    device->mig.sheet = mig;
}
