/* What nodes have left, and what is known of nodes that are alike. */
#include "cluster.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of `alike`: scores of all shapes, and entries. */
enum { SCORES_BYTES = 64 * 1024 * 1024, ALIKES_MOST = 1 << 15, ALIKES_LEAST = 64 };

/* Room for the kinds of workloads on a GPU, for policies that ask. */
static uint16_t *kinds_for(const struct sms__cluster_run *run)
{
    bool asks = run->policy->asks && run->cluster->slots;
    return asks ? SMS__NEW(run->arena, uint16_t, run->cluster->slots) : NULL;
}

static void fill_node(struct sms__cluster_run *run, const struct sms__nodes *kind, size_t n, size_t gpu)
{
    run->node[n] = (struct sms_node_view){.node = n,
                                          .model = kind->model,
                                          .labels = kind->labels,
                                          .gpus = (uint32_t)kind->gpus,
                                          .gpu = &run->gpu[gpu],
                                          .gpu_memory = kind->gpu_memory,
                                          .cpu_milli = kind->cpu_milli,
                                          .cpu_left = kind->cpu_milli,
                                          .memory = kind->memory,
                                          .memory_left = kind->memory};
    for (uint64_t g = 0; g < kind->gpus; g++)
        run->gpu[gpu + g] = (struct sms_gpu_view){1000, 0, kind->gpu_memory, 0, kinds_for(run)};
}

static void fill_nodes(struct sms__cluster_run *run)
{
    const struct sms__cluster *cluster = run->cluster;
    struct sms_place_view *view = &run->view;
    size_t gpu = 0;
    for (size_t k = 0; k < cluster->kinds; k++) {
        const struct sms__nodes *kind = &cluster->node[k];
        for (size_t n = kind->first; n < kind->first + kind->count; n++, gpu += kind->gpus)
            fill_node(run, kind, n, gpu);
        view->cpu_most = kind->cpu_milli > view->cpu_most ? kind->cpu_milli : view->cpu_most;
        view->memory_most = kind->memory > view->memory_most ? kind->memory : view->memory_most;
        view->gpus_most = kind->gpus > view->gpus_most ? (uint32_t)kind->gpus : view->gpus_most;
    }
}

static void init_alikes(struct sms__cluster_run *run)
{
    size_t shapes = run->order == SMS_PLACE_BEST ? run->cluster->shapes : 0;
    double fit = (double)SCORES_BYTES / (double)(shapes * sizeof(double) + 1);
    size_t most = ALIKES_LEAST;
    while (most < ALIKES_MOST && (double)most * 2 <= fit && most < 4 * run->cluster->nodes)
        most *= 2;
    run->alikes = most;
    run->alike = SMS__NEW(run->arena, struct sms__alike, most);
    double *score = SMS__NEW(run->arena, double, most *shapes);
    for (size_t i = 0; i < most; i++)
        run->alike[i].score = score + i * shapes;
}

uint64_t sms__weigh_fragments(const struct sms__cluster_run *run, const struct sms_node_view *node)
{
    const struct sms__cluster *cluster = run->cluster;
    uint64_t sum = 0;
    if (node->gpus == 0 || sms_node_gpu_left(node) == 0)
        return 0;
    for (size_t t = 0; t < cluster->typicals; t++)
        sum += cluster->typical[t].pods * sms_node_fragment(node, &cluster->typical[t].pod);
    return sum;
}

static uint64_t fragments_of(struct sms__cluster_run *run, size_t n)
{
    if (run->plain || run->node[n].gpus == 0)
        return sms__weigh_fragments(run, &run->node[n]);
    struct sms__alike *alike = sms__alike(run, n);
    if (alike->fragments == UINT64_MAX)
        alike->fragments = sms__weigh_fragments(run, &run->node[n]);
    return alike->fragments;
}

void sms__books_init(struct sms__cluster_run *run)
{
    const struct sms__cluster *cluster = run->cluster;
    run->node = SMS__NEW(run->arena, struct sms_node_view, cluster->nodes);
    run->gpu = SMS__NEW(run->arena, struct sms_gpu_view, sms__gpus_of(cluster));
    run->book = SMS__NEW(run->arena, struct sms__book, cluster->nodes);
    run->view = (struct sms_place_view){
        .params = run->spec->policy->place_param, .typical = cluster->typical, .typicals = cluster->typicals};
    fill_nodes(run);
    for (run->log_size = 1024; run->log_size < cluster->nodes;)
        run->log_size *= 2;
    run->log = SMS__NEW(run->arena, uint32_t, run->log_size);
    if (!run->plain)
        init_alikes(run);
    for (size_t n = 0; n < cluster->nodes; n++) {
        run->book[n].first_pod = SMS__NO_POD;
        run->book[n].fragments = fragments_of(run, n);
        run->fragments += run->book[n].fragments;
    }
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t hash_node(const struct sms_node_view *node)
{
    uint64_t hash = mix(mix((uint64_t)node->model << 32 | node->gpus, node->gpu_memory), node->down);
    hash = mix(mix(hash, node->labels), node->parts);
    hash = mix(mix(hash, node->cpu_milli), node->cpu_left);
    hash = mix(mix(hash, node->memory), node->memory_left);
    for (uint32_t i = 0; i <= node->gpus; i++)
        hash = mix(hash, node->pods_by_gpus[i]);
    for (uint32_t i = 0; i < node->gpus; i++)
        hash = mix(mix(hash, (uint64_t)node->gpu[i].milli_left << 32 | node->gpu[i].pods), node->gpu[i].memory_left);
    return hash ^ hash >> 32;
}

static bool are_alike(const struct sms_node_view *a, const struct sms_node_view *b)
{
    if (a->down != b->down || a->model != b->model || a->gpus != b->gpus || a->gpu_memory != b->gpu_memory ||
        a->cpu_milli != b->cpu_milli || a->cpu_left != b->cpu_left || a->memory != b->memory ||
        a->memory_left != b->memory_left)
        return false;
    bool same = a->labels == b->labels && a->parts == b->parts &&
                !memcmp(a->pods_by_gpus, b->pods_by_gpus, sizeof a->pods_by_gpus);
    for (uint32_t i = 0; i < a->gpus && same; i++)
        same = a->gpu[i].milli_left == b->gpu[i].milli_left && a->gpu[i].pods == b->gpu[i].pods &&
               a->gpu[i].memory_left == b->gpu[i].memory_left;
    return same;
}

static void forget(struct sms__cluster_run *run, struct sms__alike *alike, const struct sms_node_view *node)
{
    alike->stamp = ++run->stamps;
    alike->fragments = UINT64_MAX;
    alike->view = *node;
    alike->view.gpu = alike->gpu;
    if (node->gpus)
        memcpy(alike->gpu, node->gpu, node->gpus * sizeof *node->gpu);
    for (size_t s = 0; run->order == SMS_PLACE_BEST && s < run->cluster->shapes; s++)
        alike->score[s] = NAN;
}

struct sms__alike *sms__alike(struct sms__cluster_run *run, size_t n)
{
    struct sms__book *book = &run->book[n];
    if (book->stamp && run->alike[book->alike].stamp == book->stamp)
        return &run->alike[book->alike];
    const struct sms_node_view *node = &run->node[n];
    uint64_t hash = hash_node(node);
    struct sms__alike *alike = &run->alike[hash & (run->alikes - 1)];
    if (!alike->stamp || alike->hash != hash || !are_alike(&alike->view, node))
        forget(run, alike, node);
    alike->hash = hash;
    book->alike = (uint32_t)(alike - run->alike);
    book->stamp = alike->stamp;
    return alike;
}

void sms__books_settle(struct sms__cluster_run *run, uint64_t now)
{
    sms__integral time = now - run->settled_ps;
    run->record->gpu_ps += time * run->gpu_milli;
    run->record->cpu_ps += time * run->cpu_milli;
    run->record->down_ps += time * run->down_milli;
    run->record->down_cpu_ps += time * run->down_cpu_milli;
    run->record->bytes_ps += time * run->gpu_bytes;
    run->settled_ps = now;
}

void sms__log_change(struct sms__cluster_run *run, size_t n)
{
    run->log[run->logged++ & (run->log_size - 1)] = (uint32_t)n;
    run->book[n].changed_at = run->logged;
}

static void note_change(struct sms__cluster_run *run, size_t n)
{
    struct sms__book *book = &run->book[n];
    book->stamp = 0;
    sms__log_change(run, n);
    run->fragments -= book->fragments;
    book->fragments = fragments_of(run, n);
    run->fragments += book->fragments;
}

struct sms_gpu_view *sms__gpu_book(const struct sms__cluster_run *run, size_t n, uint32_t i)
{
    size_t at = (size_t)(run->node[n].gpu - run->gpu) + i;
    return run->book[n].lost >> i & 1 ? &run->aside[at] : &run->gpu[at];
}

/* What is allocated of GPUs of the node that are up. */
static void allocate(struct sms__cluster_run *run, size_t n, int64_t milli, int64_t bytes)
{
    run->gpu_milli += (uint64_t)milli;
    run->gpu_bytes += (uint64_t)bytes;
    sms__tally_gpu(run, n, milli);
}

static void allocate_for(struct sms__cluster_run *run, size_t n, const struct sms_pod_view *pod, uint16_t gpus, int by)
{
    int64_t up = by * __builtin_popcount(gpus & (uint16_t)~run->book[n].lost);
    allocate(run, n, up * (int64_t)pod->gpu_milli, up * (int64_t)pod->gpu_memory);
}

void sms__books_take(struct sms__cluster_run *run, size_t n, const struct sms_pod_view *pod, uint16_t gpus)
{
    struct sms_node_view *node = &run->node[n];
    node->cpu_left -= pod->cpu_milli;
    node->memory_left -= pod->memory;
    node->pods_by_gpus[pod->gpus]++;
    node->parts += sms_pod_is_part(pod);
    for (uint32_t i = 0; i < node->gpus; i++)
        if (gpus >> i & 1) {
            struct sms_gpu_view *gpu = sms__gpu_book(run, n, i);
            gpu->milli_left -= pod->gpu_milli;
            gpu->memory_left -= pod->gpu_memory;
            gpu->pods++;
            sms__predict_move(gpu, pod, true);
        }
    run->cpu_milli += pod->cpu_milli;
    allocate_for(run, n, pod, gpus, 1);
    sms__tally_pod(run, n, pod, 1);
    note_change(run, n);
}

void sms__books_give(struct sms__cluster_run *run, size_t n, const struct sms_pod_view *pod, uint16_t gpus)
{
    struct sms_node_view *node = &run->node[n];
    node->cpu_left += pod->cpu_milli;
    node->memory_left += pod->memory;
    node->pods_by_gpus[pod->gpus]--;
    node->parts -= sms_pod_is_part(pod);
    for (uint32_t i = 0; i < node->gpus; i++)
        if (gpus >> i & 1) {
            struct sms_gpu_view *gpu = sms__gpu_book(run, n, i);
            gpu->milli_left += pod->gpu_milli;
            gpu->memory_left += pod->gpu_memory;
            gpu->pods--;
            sms__predict_move(gpu, pod, false);
        }
    run->cpu_milli -= pod->cpu_milli;
    allocate_for(run, n, pod, gpus, -1);
    sms__tally_pod(run, n, pod, -1);
    note_change(run, n);
}

/* Puts the GPU's book aside, with what pods have on it, or takes it up again. */
static void turn(struct sms__cluster_run *run, size_t n, uint32_t i, bool lost)
{
    const struct sms_node_view *node = &run->node[n];
    size_t at = (size_t)(node->gpu - run->gpu) + i;
    struct sms_gpu_view *gpu = &run->gpu[at], *aside = &run->aside[at];
    if (lost)
        *aside = *gpu;
    int64_t milli = 1000 - (int64_t)aside->milli_left, bytes = (int64_t)(node->gpu_memory - aside->memory_left);
    *gpu = lost ? (struct sms_gpu_view){0} : *aside;
    allocate(run, n, lost ? -milli : milli, lost ? -bytes : bytes);
}

void sms__books_lose(struct sms__cluster_run *run, size_t n, bool down, uint16_t gpus)
{
    struct sms_node_view *node = &run->node[n];
    uint16_t before = run->book[n].lost, turned = before ^ gpus;
    int nodes = (int)down - (int)node->down;
    for (uint32_t i = 0; i < node->gpus; i++)
        if (turned >> i & 1)
            turn(run, n, i, gpus >> i & 1);
    if (nodes) {
        node->down = down;
        node->cpu_left = down ? 0 : node->cpu_milli;
        node->memory_left = down ? 0 : node->memory;
        run->down_cpu_milli += down ? node->cpu_milli : -node->cpu_milli;
    }
    int more = __builtin_popcount(gpus) - __builtin_popcount(before);
    run->book[n].lost = gpus;
    run->down_milli += (uint64_t)((int64_t)more * 1000);
    sms__tally_down(run, n, nodes, more);
    note_change(run, n);
}

/* Those with least left that have enough, of equal ones the lowest. */
static void choose_fullest(const struct sms_node_view *node, const struct sms_pod_view *pod, uint8_t *chosen)
{
    for (uint32_t taken = 0; taken < pod->gpus; taken++) {
        uint32_t best = node->gpus;
        for (uint32_t i = 0; i < node->gpus; i++)
            if (!chosen[i] && sms_gpu_fits(&node->gpu[i], pod) &&
                (best == node->gpus || node->gpu[i].milli_left < node->gpu[best].milli_left))
                best = i;
        if (best < node->gpus)
            chosen[best] = 1;
    }
}

double sms__score_node(const struct sms__cluster_run *run, const struct sms_node_view *node,
                       const struct sms_pod_view *pod, uint8_t chosen[SMS_NODE_GPUS_MAX])
{
    memset(chosen, 0, SMS_NODE_GPUS_MAX);
    if (pod->gpus && run->policy->choose)
        run->policy->choose(&run->view, node, pod, chosen);
    else
        choose_fullest(node, pod, chosen);
    bool scores = run->order == SMS_PLACE_BEST && run->policy->score;
    return scores ? run->policy->score(&run->view, node, pod, chosen) : 0;
}

const char *sms__choose_gpus(struct sms__cluster_run *run, const struct sms_node_view *node,
                             const struct sms_pod_view *pod, uint16_t *gpus)
{
    uint8_t chosen[SMS_NODE_GPUS_MAX];
    uint32_t taken = 0;
    run->view.random = (uint32_t)gsl_rng_get(run->random_gpus);
    sms__score_node(run, node, pod, chosen);
    run->view.random = 0;
    *gpus = 0;
    for (uint32_t i = 0; i < SMS_NODE_GPUS_MAX; i++) {
        if (chosen[i] > 1 || (chosen[i] && (i >= node->gpus || !sms_gpu_fits(&node->gpu[i], pod))))
            return "chose a GPU that the pod does not fit";
        *gpus |= (uint16_t)((chosen[i] & 1u) << i);
        taken += chosen[i];
    }
    if (taken != pod->gpus)
        return "chose more or fewer GPUs than the pod asks for";
    return NULL;
}
