/* Pods that leave their profile open: their times, what they have done, and which GPUs they have left. */
#include "open_pods.h"

void sms__arranging_init(struct sms__cluster_run *run)
{
    const size_t gpus = sms__gpus_of(run->cluster);
    if (!run->cluster->profiles.tables)
        return;
    run->arranging = SMS__NEW(run->arena, struct sms__arranging, 1);
    run->arranging->done = SMS__NEW(run->arena, double, run->pods);
    run->arranging->was_left = SMS__NEW(run->arena, bool, gpus);
    run->arranging->left = SMS__NEW(run->arena, struct sms__left_gpu, gpus);
}

const struct sms__profile_times *sms__pod_times(const struct sms__cluster_run *run, uint32_t p)
{
    const uint32_t times = sms__pod_shape(run, p)->times;
    return times ? &run->cluster->profiles.times[times - 1] : NULL;
}

uint64_t sms__pod_lasts(const struct sms__cluster_run *run, uint32_t p)
{
    const struct sms__pod *pod = &run->pod[p];
    const struct sms__profile_times *times = sms__pod_times(run, p);
    if (!times)
        return pod->duration_ps;
    double ratio = times->ps[sms__pod_shape(run, p)->profile] / times->ps[times->profile[0]];
    double left = (double)pod->duration_ps * ratio * (1 - run->arranging->done[p]);
    return left < 1 ? 1 : left < 1.8e19 ? (uint64_t)left : SMS__NEVER - 1;
}

void sms__pod_leaves_instance(struct sms__cluster_run *run, uint32_t p)
{
    struct sms__arranging *arranging = run->arranging;
    const struct sms__pod *pod = &run->pod[p];
    if (!arranging || arranging->moves || !sms__pod_shape(run, p)->profile)
        return;
    const uint32_t gpu = (uint32_t)__builtin_ctz(pod->seat.gpus);
    bool *was_left = &arranging->was_left[sms__first_gpu(&run->ledger, pod->node) + gpu];
    if (!*was_left)
        arranging->left[arranging->lefts++] = (struct sms__left_gpu){pod->node, gpu};
    *was_left = true;
}

void sms__pod_begins_anew(struct sms__cluster_run *run, uint32_t p)
{
    struct sms__pod *pod = &run->pod[p];
    if (!run->arranging)
        return;
    run->arranging->done[p] = 0;
    pod->shape = (uint32_t)run->cluster->pod[pod->template].shape;
}
