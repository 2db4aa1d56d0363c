/* Pods that leave their profile open (`profiles:`). Where the place policy arranges GPUs, a pod that comes to one or
 * leaves it lets others on it move to other instances; they keep what they have done. The layouts of such GPUs change
 * freely. */
#include "cluster_run.h"
#include "open_pods.h"

#include <math.h>

/* A GPU with its pods that may move, and perhaps one that waits, in order of arrival. */
struct arrangement {
    uint32_t node, gpu, pods;
    uint32_t taken; /* slices of pods that do not move */
    uint32_t pod[SMS_SLICES_MAX];
    struct sms_open_pod open[SMS_SLICES_MAX];
};

/* ---- what is asked of the policy ---- */

static void add_pod(struct sms__cluster_run *run, struct arrangement *all, uint32_t p)
{
    const struct sms__pod *pod = &run->pod[p];
    uint32_t i = all->pods++;
    for (; i > 0 && all->pod[i - 1] > p; i--) {
        all->pod[i] = all->pod[i - 1];
        all->open[i] = all->open[i - 1];
    }
    bool has = pod->node != SMS__NO_NODE;
    all->pod[i] = p;
    all->open[i] = (struct sms_open_pod){.time_ps = sms__pod_times(run, p)->ps,
                                         .profile = has ? sms__pod_shape(run, p)->profile : 0,
                                         .slice = has ? pod->seat.slice : 0};
}

/* Lists the pods of the GPU. False: pods on it may not move, or there are too many. */
static bool list_pods(struct sms__cluster_run *run, struct arrangement *all, uint32_t waiting)
{
    const struct sms_node_view *node = &run->ledger.node[all->node];
    const struct sms_layout *layout = node->layout ? &node->layout[all->gpu] : NULL;
    if (!layout || !layout->split || layout->changes != SMS_LAYOUT_FREE)
        return false;
    for (uint32_t p = run->ledger.entry[all->node].first_pod; p != SMS__NO_POD; p = run->pod[p].next) {
        if (!(run->pod[p].seat.gpus >> all->gpu & 1))
            continue;
        if (sms__pod_times(run, p))
            add_pod(run, all, p);
        else
            all->taken |= sms_instance_slices(node->mig, sms__pod_shape(run, p)->profile, run->pod[p].seat.slice);
    }
    if (waiting != SMS__NO_POD && all->pods < SMS_SLICES_MAX)
        add_pod(run, all, waiting);
    else if (waiting != SMS__NO_POD)
        return false;
    return all->pods > 0;
}

/* Whether each pod has an instance that it can have, and none overlap. */
static bool is_sound(const struct sms_mig_view *mig, const struct arrangement *all)
{
    uint32_t busy = all->taken;
    for (uint32_t i = 0; i < all->pods; i++) {
        const struct sms_open_pod *open = &all->open[i];
        if (open->profile == 0 || open->profile > SMS_PROFILES_MAX || open->slice >= mig->slices)
            return false;
        const uint32_t slices = sms_instance_slices(mig, open->profile, open->slice);
        if (!(open->time_ps[open->profile] > 0) || !(mig->profile[open->profile].starts >> open->slice & 1) ||
            (busy & slices))
            return false;
        busy |= slices;
    }
    return true;
}

/* Of `all` the node and the GPU are given. -INFINITY: the policy finds no instances for all, or cannot beat that. */
static double ask(struct sms__cluster_run *run, struct arrangement *all, uint32_t waiting, double beat)
{
    const struct sms_mig_view *mig = run->ledger.node[all->node].mig;
    if (!list_pods(run, all, waiting))
        return -INFINITY;
    double score = run->policy->arrange(&run->view, mig, all->taken, all->open, all->pods, beat);
    if (score == -INFINITY)
        return score;
    if (isfinite(score) && is_sound(mig, all))
        return score;
    sms__cluster_stop(run, isfinite(score) ? "arranged instances that their pods cannot have"
                                           : "gave a score that is not finite");
    return -INFINITY;
}

/* ---- pods move ---- */

/* Takes the pod off its instance, and notes what it has done. */
static void leave(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    struct sms__pod *pod = &run->pod[p];
    const uint64_t began = pod->since_ps + sms__pod_delay(run, p);
    const double ran = now > began ? (double)(now - began) : 0, lasts = (double)sms__pod_lasts(run, p);
    double done = run->arranging->done[p];
    done += (1 - done) * (ran < lasts ? ran / lasts : 1);
    run->record->moved++;
    sms__pod_cut(run, p, "moved", now);
    run->arranging->done[p] = done;
    pod->since_ps = now; /* it does not wait for a place */
}

static bool is_moved(const struct sms__cluster_run *run, const struct arrangement *all, uint32_t i)
{
    const struct sms__pod *pod = &run->pod[all->pod[i]];
    return pod->node != SMS__NO_NODE &&
           (sms__pod_shape(run, all->pod[i])->profile != all->open[i].profile || pod->seat.slice != all->open[i].slice);
}

/* Moves pods; the one that waits, if there is one, holds its instance then. */
static void apply(struct sms__cluster_run *run, const struct arrangement *all, uint32_t waiting, uint64_t now)
{
    bool moved[SMS_SLICES_MAX];
    run->arranging->moves = true;
    for (uint32_t i = 0; i < all->pods; i++)
        if ((moved[i] = is_moved(run, all, i)))
            leave(run, all->pod[i], now);
    for (uint32_t i = 0; i < all->pods; i++) {
        const uint32_t p = all->pod[i], profile = all->open[i].profile;
        const struct sms__seat seat = {
            .gpus = (uint16_t)(1u << all->gpu), .slice = (uint8_t)all->open[i].slice, .moved = moved[i]};
        if (!moved[i] && p != waiting)
            continue;
        run->pod[p].shape = sms__pod_times(run, p)->shape[profile];
        if (p == waiting) {
            sms__pod_hold_at(run, p, all->node, seat, now);
            continue;
        }
        sms__pod_put(run, p, all->node, seat, now);
        sms__pod_begin(run, p, now);
    }
    run->arranging->moves = false;
}

/* Whether the node has what the pod asks for beside an instance. */
static bool has_rest(const struct sms_node_view *node, const struct sms_pod_view *pod)
{
    return node->layout && !(pod->labels & ~node->labels) && (pod->models >> node->model & 1) &&
           node->cpu_left >= pod->cpu_milli && node->memory_left >= pod->memory;
}

static bool arrange_for(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    struct arrangement best = {.pods = 0}, next;
    double most = -INFINITY;
    for (uint32_t n = 0; n < run->cluster->nodes; n++) {
        const struct sms_node_view *node = &run->ledger.node[n];
        for (uint32_t gpu = 0; has_rest(node, sms__pod_shape(run, p)) && gpu < node->gpus; gpu++) {
            next = (struct arrangement){.node = n, .gpu = gpu};
            double score = ask(run, &next, p, most);
            if (score > most) {
                most = score;
                best = next;
            }
        }
    }
    if (run->engine.stopped || most == -INFINITY)
        return false;
    apply(run, &best, p, now);
    return true;
}

bool sms__hold_open(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    const struct sms__profile_times *times = sms__pod_times(run, p);
    if (run->policy->arrange)
        return arrange_for(run, p, now);
    for (size_t i = 0; i < times->profiles && !sms__engine_ends(&run->engine); i++) {
        const uint32_t shape = times->shape[times->profile[i]], node = sms__find_node(run, shape);
        if (node == SMS__NO_NODE)
            continue;
        run->pod[p].shape = shape;
        return sms__pod_hold(run, p, node, now);
    }
    return false;
}

void sms__arrange_left(struct sms__cluster_run *run, uint64_t now)
{
    struct sms__arranging *arranging = run->arranging;
    while (arranging && arranging->lefts && !run->engine.stopped) {
        const struct sms__left_gpu left = arranging->left[--arranging->lefts];
        struct arrangement all = {.node = left.node, .gpu = left.gpu};
        arranging->was_left[sms__first_gpu(&run->ledger, left.node) + left.gpu] = false;
        if (run->policy->arrange && ask(run, &all, SMS__NO_POD, -INFINITY) > -INFINITY)
            apply(run, &all, SMS__NO_POD, now);
    }
}
