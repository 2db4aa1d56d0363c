/* The instances of GPUs as place policies see and try them: which a pod could have, and what is left once it has one.
 */
#include <smsched/place.h>

#include <string.h>

bool sms_layouts_alike(const struct sms_layout *a, const struct sms_layout *b)
{
    if (!a || !b)
        return a == b;
    return !memcmp(a->profile, b->profile, sizeof a->profile) && !memcmp(a->pods, b->pods, sizeof a->pods) &&
           !memcmp(a->most, b->most, sizeof a->most) && a->changes == b->changes && a->split == b->split &&
           a->drains == b->drains;
}

uint32_t sms_layout_busy(const struct sms_mig_view *mig, const struct sms_layout *layout)
{
    uint32_t busy = 0;
    for (uint32_t s = 0; mig && layout && s < mig->slices; s++)
        if (layout->pods[s])
            busy |= sms_instance_slices(mig, layout->profile[s], s);
    return busy;
}

/* The starts of instances of the profile that are there and take another pod. */
static uint32_t open_starts(const struct sms_mig_view *mig, const struct sms_layout *layout, uint32_t profile)
{
    uint32_t starts = 0;
    for (uint32_t s = 0; s < mig->slices; s++)
        starts |=
            (uint32_t)(layout->profile[s] == profile && (layout->pods[s] == 0 || layout->pods[s] < layout->most[s]))
            << s;
    return starts;
}

/* The starts of instances that may be made. */
static uint32_t new_starts(const struct sms_mig_view *mig, const struct sms_layout *layout, uint32_t profile)
{
    uint32_t busy = sms_layout_busy(mig, layout), starts = 0;
    if (layout->changes == SMS_LAYOUT_FIXED || (layout->changes != SMS_LAYOUT_FREE && busy))
        return 0;
    for (uint32_t s = 0; s < mig->slices; s++)
        if ((mig->profile[profile].starts >> s & 1) && !(busy & sms_instance_slices(mig, profile, s)))
            starts |= UINT32_C(1) << s;
    return starts;
}

uint32_t sms_layout_starts(const struct sms_mig_view *mig, const struct sms_layout *layout, uint32_t profile)
{
    if (!mig || !layout || profile > SMS_PROFILES_MAX || !layout->split || mig->profile[profile].slices == 0 ||
        layout->drains)
        return 0;
    return open_starts(mig, layout, profile) | new_starts(mig, layout, profile);
}

int sms_layout_first(const struct sms_mig_view *mig, const struct sms_layout *layout, uint32_t profile)
{
    uint32_t starts = sms_layout_starts(mig, layout, profile);
    uint32_t there = starts ? starts & open_starts(mig, layout, profile) : 0;
    return starts ? __builtin_ctz(there ? there : starts) : -1;
}

bool sms_layout_take(const struct sms_mig_view *mig, struct sms_layout *layout, uint32_t profile, uint32_t slice)
{
    if (slice >= SMS_SLICES_MAX || !(sms_layout_starts(mig, layout, profile) >> slice & 1))
        return false;
    bool made = layout->profile[slice] != profile;
    uint32_t slices = sms_instance_slices(mig, profile, slice);
    for (uint32_t s = 0; made && s < mig->slices; s++)
        if (layout->profile[s] && (slices & sms_instance_slices(mig, layout->profile[s], s)))
            layout->profile[s] = 0;
    layout->profile[slice] = (uint8_t)profile;
    layout->pods[slice]++;
    return made;
}

void sms_layout_give(struct sms_layout *layout, uint32_t slice)
{
    bool any = false;
    if (!layout || slice >= SMS_SLICES_MAX || layout->pods[slice] == 0)
        return;
    layout->pods[slice]--;
    for (uint32_t s = 0; s < SMS_SLICES_MAX; s++)
        any |= layout->pods[s] > 0;
    layout->drains &= any;
}

uint32_t sms_layout_profiles(const struct sms_mig_view *mig, const struct sms_layout *layout)
{
    bool split = mig && layout && layout->split;
    uint32_t profiles = split ? SMS_GPU_SPLIT : 0;
    for (uint32_t p = 1; split && p <= SMS_PROFILES_MAX; p++)
        if (sms_layout_starts(mig, layout, p))
            profiles |= UINT32_C(1) << (p - 1);
    return profiles;
}

/* Gives the pod its instance. Returns whether other pods have it, too. */
static bool take_instance(const struct sms_node_view *node, const struct sms_pod_view *pod, uint8_t chosen,
                          struct sms_gpu_view *gpu, struct sms_layout *layout)
{
    const int start = chosen >= SMS_SLICE ? chosen - SMS_SLICE : sms_layout_first(node->mig, layout, pod->profile);
    if (start >= 0) /* the pod fits, so there is one */
        sms_layout_take(node->mig, layout, pod->profile, (uint32_t)start);
    gpu->profiles = sms_layout_profiles(node->mig, layout);
    return start >= 0 && start < SMS_SLICES_MAX && layout->pods[start] > 1;
}

struct sms_node_view sms_node_with(const struct sms_node_view *node, const struct sms_pod_view *pod,
                                   const uint8_t chosen[SMS_NODE_GPUS_MAX], struct sms_gpu_view gpu[SMS_NODE_GPUS_MAX],
                                   struct sms_layout layout[SMS_NODE_GPUS_MAX])
{
    if (!node || !pod || !chosen || !gpu || !layout)
        return (struct sms_node_view){.model = -1};
    struct sms_node_view after = *node;
    after.cpu_left -= pod->cpu_milli;
    after.memory_left -= pod->memory;
    after.gpu = gpu;
    after.layout = node->layout ? layout : NULL;
    for (uint32_t i = 0; i < node->gpus; i++) {
        gpu[i] = node->gpu[i];
        if (node->layout)
            layout[i] = node->layout[i];
        if (!chosen[i])
            continue;
        if (pod->profile && node->layout && take_instance(node, pod, chosen[i], &gpu[i], &layout[i]))
            continue;
        gpu[i].milli_left -= sms_node_milli(node, pod);
        gpu[i].memory_left -= sms_node_bytes(node, pod);
    }
    return after;
}
