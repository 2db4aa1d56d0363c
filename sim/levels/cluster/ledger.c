/* The ledger of nodes. A node's view is what place policies see; its class keeps what was computed of nodes that look
 * the same. All changes of a node's view pass through note_change. */
#include "ledger.h"
#include "../../model/cluster/node_mig.h"
#include "cluster_run.h"

#include "../../base/hash.h"

#include <math.h>
#include <string.h>

/* Scores of all classes and shapes, and classes. */
enum { SCORES_BYTES = 64 * 1024 * 1024, CLASSES_MOST = 1 << 15, CLASSES_LEAST = 64 };

/* Room for the kinds of workloads on a GPU, for policies that ask. */
static uint16_t *kinds_for(const struct sms__cluster_run *run)
{
    bool asks = run->policy->asks && run->cluster->slots;
    return asks ? SMS__NEW(run->arena, uint16_t, run->cluster->slots) : NULL;
}

static void fill_node(struct sms__cluster_run *run, const struct sms__nodes *kind, size_t n, size_t gpu)
{
    struct sms__ledger *ledger = &run->ledger;
    ledger->node[n] = (struct sms_node_view){.node = n,
                                             .model = kind->model,
                                             .labels = kind->labels,
                                             .gpus = (uint32_t)kind->gpus,
                                             .gpu = &ledger->gpu[gpu],
                                             .gpu_memory = kind->gpu_memory,
                                             .cpu_milli = kind->cpu_milli,
                                             .cpu_left = kind->cpu_milli,
                                             .memory = kind->memory,
                                             .memory_left = kind->memory};
    for (uint64_t g = 0; g < kind->gpus; g++)
        ledger->gpu[gpu + g] =
            (struct sms_gpu_view){.milli_left = 1000, .memory_left = kind->gpu_memory, .kind = kinds_for(run)};
}

/* The GPUs as their layouts begin. */
static void split_node(struct sms__cluster_run *run, size_t k, size_t n)
{
    struct sms_node_view *node = &run->ledger.node[n];
    size_t first = sms__first_gpu(&run->ledger, n);
    node->mig = &run->cluster->node[k].mig->view;
    if (!run->ledger.layout) { /* there are split GPUs, if not one profile that anybody names */
        run->ledger.layout = SMS__NEW(run->arena, struct sms_layout, sms__gpus_of(run->cluster));
        run->ledger.ready_ps = sms__alloc(run->arena, sms__gpus_of(run->cluster), sizeof *run->ledger.ready_ps);
    }
    node->layout = &run->ledger.layout[first];
    for (size_t g = 0; g < node->gpus; g++) {
        const struct sms__split *begins = sms__first_split(run->cluster, run->spec->policy, k, g);
        struct sms_layout *layout = &run->ledger.layout[first + g];
        if (begins)
            *layout = begins->layout;
        for (size_t s = 0; begins && s < SMS_SLICES_MAX; s++)
            layout->most[s] = sms__pods_inside(begins, run->spec->policy, s);
        run->ledger.gpu[first + g].profiles = sms_layout_profiles(node->mig, &node->layout[g]);
    }
}

static void fill_nodes(struct sms__cluster_run *run)
{
    const struct sms__cluster *cluster = run->cluster;
    struct sms_place_view *view = &run->view;
    size_t gpu = 0;
    for (size_t k = 0; k < cluster->kinds; k++) {
        const struct sms__nodes *kind = &cluster->node[k];
        for (size_t n = kind->first; n < kind->first + kind->count; n++, gpu += kind->gpus) {
            fill_node(run, kind, n, gpu);
            if (kind->mig)
                split_node(run, k, n);
        }
        view->cpu_most = kind->cpu_milli > view->cpu_most ? kind->cpu_milli : view->cpu_most;
        view->memory_most = kind->memory > view->memory_most ? kind->memory : view->memory_most;
        view->gpus_most = kind->gpus > view->gpus_most ? (uint32_t)kind->gpus : view->gpus_most;
    }
}

/* How many scores a class keeps. */
static size_t scored_shapes(const struct sms__cluster_run *run)
{
    return run->order == SMS_PLACE_BEST && run->policy->costly ? run->cluster->shapes : 0;
}

static void init_classes(struct sms__cluster_run *run)
{
    struct sms__ledger *ledger = &run->ledger;
    size_t shapes = scored_shapes(run);
    double fit = (double)SCORES_BYTES / (double)(shapes * sizeof(double) + 1);
    size_t most = CLASSES_LEAST;
    while (most < CLASSES_MOST && (double)most * 2 <= fit && most < 4 * run->cluster->nodes)
        most *= 2;
    ledger->classes = most;
    ledger->node_class = SMS__NEW(run->arena, struct sms__node_class, most);
    ledger->scores = shapes;
    ledger->score = SMS__NEW(run->arena, double, most *shapes);
    for (size_t i = 0; i < most; i++)
        ledger->node_class[i].score = ledger->score + i * shapes;
}

uint64_t sms__weigh_fragments(const struct sms__cluster *cluster, const struct sms_node_view *node)
{
    return sms_node_weigh_fragments(cluster->typical, cluster->typicals, node);
}

static uint64_t fragments_of(struct sms__cluster_run *run, size_t n)
{
    const struct sms_node_view *node = &run->ledger.node[n];
    if (run->reference || node->gpus == 0)
        return sms__weigh_fragments(run->cluster, node);
    struct sms__node_class *node_class = sms__node_class(run, n);
    if (node_class->fragments == UINT64_MAX)
        node_class->fragments = sms__weigh_fragments(run->cluster, node);
    return node_class->fragments;
}

void sms__ledger_init(struct sms__cluster_run *run)
{
    const struct sms__cluster *cluster = run->cluster;
    struct sms__ledger *ledger = &run->ledger;
    ledger->node = SMS__NEW(run->arena, struct sms_node_view, cluster->nodes);
    ledger->gpu = SMS__NEW(run->arena, struct sms_gpu_view, sms__gpus_of(cluster));
    ledger->entry = SMS__NEW(run->arena, struct sms__ledger_entry, cluster->nodes);
    ledger->freed = SMS__NEW(run->arena, uint32_t, cluster->nodes);
    run->view = (struct sms_place_view){
        .params = run->spec->policy->place_param, .typical = cluster->typical, .typicals = cluster->typicals};
    fill_nodes(run);
    for (ledger->log_size = 1024; ledger->log_size < cluster->nodes;)
        ledger->log_size *= 2;
    ledger->log = SMS__NEW(run->arena, struct sms__room, ledger->log_size);
    if (!run->reference)
        init_classes(run);
    for (size_t n = 0; n < cluster->nodes; n++) {
        ledger->entry[n].first_pod = SMS__NO_POD;
        ledger->entry[n].weighed.node = &ledger->node[n];
        ledger->node[n].weighed = run->reference ? NULL : &ledger->entry[n].weighed;
        ledger->entry[n].fragments = fragments_of(run, n);
        ledger->fragments += ledger->entry[n].fragments;
    }
}

static uint64_t hash_node(const struct sms_node_view *node)
{
    uint64_t hash = sms__hash((uint64_t)node->model << 32 | node->gpus, node->gpu_memory);
    hash = sms__hash(sms__hash(hash, node->labels), node->parts);
    hash = sms__hash(sms__hash(hash, node->cpu_milli), node->cpu_left);
    hash = sms__hash(sms__hash(hash, node->memory), node->memory_left);
    for (uint32_t i = 0; i <= node->gpus; i++)
        hash = sms__hash(hash, node->pods_by_gpus[i]);
    for (uint32_t i = 0; i < node->gpus; i++)
        hash = sms__hash(sms__hash(hash, (uint64_t)node->gpu[i].milli_left << 32 | node->gpu[i].pods),
                         node->gpu[i].memory_left);
    for (uint32_t i = 0; node->layout && i < node->gpus; i++) {
        uint64_t profiles, pods[2];
        memcpy(&profiles, node->layout[i].profile, sizeof profiles);
        memcpy(pods, node->layout[i].pods, sizeof pods);
        hash = sms__hash(sms__hash(sms__hash(hash, profiles), pods[0]), pods[1] << 1 | node->layout[i].drains);
    }
    return hash;
}

static bool look_the_same(const struct sms_node_view *a, const struct sms_node_view *b)
{
    if (a->model != b->model || a->gpus != b->gpus || a->gpu_memory != b->gpu_memory || a->cpu_milli != b->cpu_milli ||
        a->cpu_left != b->cpu_left || a->memory != b->memory || a->memory_left != b->memory_left || a->mig != b->mig ||
        !a->layout != !b->layout)
        return false;
    bool same = a->labels == b->labels && a->parts == b->parts &&
                !memcmp(a->pods_by_gpus, b->pods_by_gpus, sizeof a->pods_by_gpus);
    for (uint32_t i = 0; i < a->gpus && same; i++)
        same = a->gpu[i].milli_left == b->gpu[i].milli_left && a->gpu[i].pods == b->gpu[i].pods &&
               a->gpu[i].memory_left == b->gpu[i].memory_left &&
               (!a->layout || sms_layouts_alike(&a->layout[i], &b->layout[i]));
    return same;
}

/* Makes the entry of the table the node's class, with nothing computed. */
static void renew_class(struct sms__cluster_run *run, struct sms__node_class *node_class,
                        const struct sms_node_view *node)
{
    node_class->stamp = ++run->ledger.stamps;
    node_class->fragments = UINT64_MAX;
    node_class->view = *node;
    node_class->view.gpu = node_class->gpu;
    if (node->gpus)
        memcpy(node_class->gpu, node->gpu, node->gpus * sizeof *node->gpu);
    for (uint32_t i = 0; node->layout && i < node->gpus; i++)
        node_class->layout[i] = node->layout[i];
    node_class->view.layout = node->layout ? node_class->layout : NULL;
    for (size_t s = 0; s < run->ledger.scores; s++)
        node_class->score[s] = NAN;
}

struct sms__node_class *sms__node_class(struct sms__cluster_run *run, size_t n)
{
    struct sms__ledger *ledger = &run->ledger;
    struct sms__ledger_entry *entry = &ledger->entry[n];
    if (entry->class_stamp && ledger->node_class[entry->class_index].stamp == entry->class_stamp)
        return &ledger->node_class[entry->class_index];
    const struct sms_node_view *node = &ledger->node[n];
    uint64_t hash = hash_node(node);
    struct sms__node_class *node_class = &ledger->node_class[hash & (ledger->classes - 1)];
    if (!node_class->stamp || node_class->hash != hash || !look_the_same(&node_class->view, node))
        renew_class(run, node_class, node);
    node_class->hash = hash;
    entry->class_index = (uint32_t)(node_class - ledger->node_class);
    entry->class_stamp = node_class->stamp;
    return node_class;
}

void sms__ledger_integrate(struct sms__cluster_run *run, uint64_t now)
{
    struct sms__ledger *ledger = &run->ledger;
    sms__integral time = now - ledger->integrated_ps;
    run->record->ledger.gpu_ps += time * ledger->gpu_milli;
    run->record->ledger.cpu_ps += time * ledger->cpu_milli;
    run->record->ledger.bytes_ps += time * ledger->gpu_bytes;
    ledger->integrated_ps = now;
}

struct sms__room sms__room_of(const struct sms__ledger *ledger, size_t n)
{
    const struct sms_node_view *node = &ledger->node[n];
    struct sms__room room = {.cpu_left = node->cpu_left,
                             .memory_left = node->memory_left,
                             .labels = node->labels,
                             .models = node->model < 0 ? 0 : (uint64_t)1 << node->model,
                             .node = (uint32_t)n,
                             .gpus = (uint8_t)node->gpus};
    for (uint32_t i = 0; i < node->gpus; i++) {
        const uint16_t milli = (uint16_t)node->gpu[i].milli_left;
        room.most_milli = milli > room.most_milli ? milli : room.most_milli;
        room.free += milli == 1000;
    }
    return room;
}

static void log_change(struct sms__ledger *ledger, size_t n)
{
    struct sms__ledger_entry *entry = &ledger->entry[n];
    if (entry->changed_at && sms__log_reaches(ledger, entry->changed_at - 1))
        sms__log_at(ledger, entry->changed_at - 1)->node = SMS__CHANGED_AGAIN;
    *sms__log_at(ledger, ledger->logged) = sms__room_of(ledger, n);
    entry->changed_at = ++ledger->logged;
}

static void note_change(struct sms__cluster_run *run, size_t n)
{
    struct sms__ledger *ledger = &run->ledger;
    struct sms__ledger_entry *entry = &ledger->entry[n];
    entry->class_stamp = 0;
    entry->weighed.count = 0;
    log_change(ledger, n);
    ledger->fragments -= entry->fragments;
    entry->fragments = fragments_of(run, n);
    ledger->fragments += entry->fragments;
}

void sms__ledger_note_freed(struct sms__ledger *ledger, uint32_t node)
{
    if (!ledger->entry[node].freed)
        ledger->freed[ledger->frees++] = node;
    ledger->entry[node].freed = true;
}

void sms__ledger_clear_freed(struct sms__ledger *ledger)
{
    while (ledger->frees)
        ledger->entry[ledger->freed[--ledger->frees]].freed = false;
}

/* Gives the pod its instance, or takes it back. Returns whether it was made for the pod. `only`: no other pod has it.
 */
static bool move_instance(struct sms__cluster_run *run, size_t n, const struct sms_pod_view *pod,
                          const struct sms__seat *seat, int by, bool *only)
{
    const uint32_t gpu = (uint32_t)__builtin_ctz(seat->gpus);
    const struct sms_mig_view *mig = run->ledger.node[n].mig;
    struct sms_layout *layout = &run->ledger.layout[sms__first_gpu(&run->ledger, n) + gpu];
    bool made = by > 0 && sms_layout_take(mig, layout, pod->profile, seat->slice);
    *only = layout->pods[seat->slice] == 1;
    if (by < 0)
        sms_layout_give(layout, seat->slice);
    run->ledger.gpu[sms__first_gpu(&run->ledger, n) + gpu].profiles = sms_layout_profiles(mig, layout);
    return made;
}

/* by 1: the pod takes what it asks for; -1: it gives it back. What an instance has of its GPU goes with the first and
 * the last of its pods. */
static void move_pod(struct sms__cluster_run *run, size_t n, const struct sms_pod_view *pod, uint16_t gpus, int by,
                     bool only)
{
    struct sms__ledger *ledger = &run->ledger;
    struct sms_node_view *node = &ledger->node[n];
    uint32_t milli = only ? sms_node_milli(node, pod) : 0;
    uint64_t bytes = only ? sms_node_bytes(node, pod) : 0;
    const int64_t taken = by * __builtin_popcount(gpus);
    node->cpu_left -= (uint64_t)by * pod->cpu_milli;
    node->memory_left -= (uint64_t)by * pod->memory;
    node->pods_by_gpus[pod->gpus] += (uint32_t)by;
    node->parts += sms_pod_is_part(pod) ? (uint32_t)by : 0;
    for (uint32_t i = 0; i < node->gpus; i++)
        if (gpus >> i & 1) {
            struct sms_gpu_view *gpu = &ledger->gpu[sms__first_gpu(ledger, n) + i];
            gpu->milli_left -= (uint32_t)by * milli;
            gpu->memory_left -= (uint64_t)by * bytes;
            gpu->pods += (uint32_t)by;
            sms__predict_move(gpu, pod, by > 0);
        }
    ledger->cpu_milli += (uint64_t)by * pod->cpu_milli;
    ledger->gpu_milli += (uint64_t)(taken * (int64_t)milli);
    ledger->gpu_bytes += (uint64_t)(taken * (int64_t)bytes);
    sms__count_allocated(run, n, taken * (int64_t)milli, by * (int64_t)pod->cpu_milli);
    note_change(run, n);
}

void sms__ledger_take(struct sms__cluster_run *run, size_t n, const struct sms_pod_view *pod, struct sms__seat *seat)
{
    bool only = true;
    seat->made = pod->profile && move_instance(run, n, pod, seat, 1, &only);
    move_pod(run, n, pod, seat->gpus, 1, only);
}

void sms__ledger_give(struct sms__cluster_run *run, size_t n, const struct sms_pod_view *pod,
                      const struct sms__seat *seat)
{
    bool only = true;
    if (pod->profile)
        move_instance(run, n, pod, seat, -1, &only);
    move_pod(run, n, pod, seat->gpus, -1, only);
}

void sms__ledger_drain(struct sms__cluster_run *run, size_t n, uint32_t gpu, bool drains)
{
    struct sms_layout *layout = &run->ledger.layout[sms__first_gpu(&run->ledger, n) + gpu];
    layout->drains = drains;
    run->ledger.gpu[sms__first_gpu(&run->ledger, n) + gpu].profiles =
        sms_layout_profiles(run->ledger.node[n].mig, layout);
    note_change(run, n);
}
