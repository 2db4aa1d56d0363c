/* ParvaGPU's segment allocator. An instance goes to the GPU that it leaves with the fewest compute slices. There it
 * begins at the first free place of a fixed order for its size, so that large and small instances meet with nothing
 * lost between them.
 *
 * Wins if pods come by falling size, as its planner queues them: then a GPU fills up to seven of seven slices. Fails if
 * they do not, because a 3g instance is made at slice 4 alone. Source: Lee et al., SC 2024; its repository
 * MunQ-Lee/ParvaGPU_SC24, src/allocator.c (find_fit_gpu, find_fit_placement). There a place is free if no instance
 * begins at it; here it must also not be part of another instance. Pods that ask for GPUs take the first node that
 * fits. */
#include <smsched/place.h>

#include <math.h>

enum { COMPUTE_SLICES = 7 };

/* The compute slices of a profile: 4g and 3g have four slices of memory, and only 3g may begin at either half. */
static uint32_t size_of(const struct sms_mig_view *mig, uint32_t profile)
{
    const struct sms_profile_view *view = &mig->profile[profile];
    if (view->slices == mig->slices)
        return COMPUTE_SLICES;
    return view->slices == 4 && view->starts != 1 ? 3 : view->slices;
}

static uint32_t used_of(const struct sms_mig_view *mig, const struct sms_layout *layout)
{
    uint32_t used = 0;
    for (uint32_t s = 0; s < mig->slices; s++)
        used += layout->pods[s] ? size_of(mig, layout->profile[s]) : 0;
    return used;
}

/* The first place in the order of its size at which the instance may begin; of a layout that never changes, any. -1:
 * none. */
static int place_of(const struct sms_mig_view *mig, const struct sms_layout *layout, uint32_t profile)
{
    static const int places[COMPUTE_SLICES + 1][COMPUTE_SLICES + 1] = {
        [1] = {0, 6, 4, 1, 2, 3, 5, -1}, [2] = {0, 4, 2, -1}, [3] = {4, -1}, [4] = {0, -1}, [7] = {0, -1}};
    const uint32_t starts = sms_layout_starts(mig, layout, profile);
    const int *place = places[size_of(mig, profile)];
    while (*place >= 0 && !(starts >> *place & 1))
        place++;
    bool any = *place < 0 && starts && layout->changes == SMS_LAYOUT_FIXED;
    return any ? __builtin_ctz(starts) : *place;
}

static double score(const struct sms_place_view *view, const struct sms_node_view *node, const struct sms_pod_view *pod,
                    uint8_t chosen[SMS_NODE_GPUS_MAX])
{
    uint32_t best = node->gpus, least = COMPUTE_SLICES + 1;
    (void)view;
    if (!pod->profile)
        return 0;
    for (uint32_t i = 0; i < node->gpus; i++) {
        const struct sms_layout *layout = &node->layout[i];
        uint32_t used = used_of(node->mig, layout);
        int place = place_of(node->mig, layout, pod->profile);
        chosen[i] = 0;
        if (place >= 0 && layout->pods[place] == 0) /* else it shares an instance */
            used += size_of(node->mig, pod->profile);
        if (!sms_gpu_fits(&node->gpu[i], pod) || place < 0 || COMPUTE_SLICES - used >= least)
            continue;
        if (best < node->gpus)
            chosen[best] = 0;
        best = i;
        least = COMPUTE_SLICES - used;
        chosen[i] = (uint8_t)(SMS_SLICE + place);
    }
    return best < node->gpus ? -(double)least : -INFINITY;
}

const struct sms_place_policy sms_place_policy_parvagpu = {
    .name = "parvagpu",
    .help = "makes instances where the fewest compute slices of a GPU are left, in ParvaGPU's order of places",
    .search = SMS_PLACE_BEST,
    .score = score,
};
