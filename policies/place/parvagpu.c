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

#include <limits.h>
#include <math.h>

enum { COMPUTE_SLICES = 7 };

/* The compute slices of a profile: a GPU has 8 slices of memory, so where an instance may have the last of these, it
 * has one of them more than of compute. */
static uint32_t size_of(const struct sms_mig_view *mig, uint32_t profile)
{
    const uint32_t slices = mig->profile[profile].slices,
                   last = 31 - (uint32_t)__builtin_clz(mig->profile[profile].starts | 1);
    return last + slices <= COMPUTE_SLICES ? slices : last < COMPUTE_SLICES ? COMPUTE_SLICES - last : 1;
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
        [0] = {-1},          [1] = {0, 6, 4, 1, 2, 3, 5, -1},
        [2] = {0, 4, 2, -1}, [3] = {4, -1},
        [4] = {0, -1},       [5] = {0, 1, 2, -1},
        [6] = {0, 1, -1},    [7] = {0, -1}};
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
    uint32_t best = node->gpus;
    int least = INT_MAX;
    (void)view;
    if (!pod->profile)
        return 0;
    for (uint32_t i = 0; i < node->gpus; i++) {
        const struct sms_layout *layout = &node->layout[i];
        int left = COMPUTE_SLICES - (int)used_of(node->mig, layout);
        int place = place_of(node->mig, layout, pod->profile);
        chosen[i] = 0;
        if (place >= 0 && layout->pods[place] == 0) /* else it shares an instance */
            left -= (int)size_of(node->mig, pod->profile);
        if (!sms_gpu_fits(&node->gpu[i], pod) || place < 0 || left >= least)
            continue;
        if (best < node->gpus)
            chosen[best] = 0;
        best = i;
        least = left;
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
