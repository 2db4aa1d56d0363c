/* The search for a node. Where the order of nodes is the same for all pods, all shapes of pods share a tree. Otherwise
 * each shape has a cache, which is brought up to date from the ledger's log when a pod of that shape is to be placed:
 * scores with the best of each block of nodes, or a bitmap of feasible nodes with counts. The answers are those of the
 * reference engine, which looks at every node. */
#include "best_node.h"
#include "cluster_run.h"
#include "room_tree.h"
#include "scheduler.h"

#include "../../base/rng.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <string.h>

/* The size of all caches together. Further shapes are searched node by node, with the same answers. */
#define BUDGET_BYTES (1.5 * 1024 * 1024 * 1024)

/* For how many changed nodes memory is fetched at once. */
enum { AT_ONCE = 32 };

/* With more shapes it is faster to keep the tree than a bitmap of each, where the first node that fits is wanted. */
enum { BITMAPS_MOST = 64 };

/* The cache of one shape. */
struct shape_cache {
    bool built;
    uint32_t looks;             /* how many it may still cost in the tree: as many as building this one */
    uint64_t seen;              /* the log up to there */
    struct sms__best_node best; /* of the nodes' scores; -INFINITY: infeasible */
    uint64_t *bits;             /* a bit for each node: it is feasible, and its score is not -INFINITY */
    /* Any feasible node: counts in a tree over words of 64 bits. */
    uint32_t *count; /* [2 * count_leaves] */
};

struct sms__node_search {
    struct shape_cache *cache;   /* [shapes] */
    struct sms__room_tree *tree; /* NULL before its first search */
    uint64_t tree_seen;          /* the log up to there */
    size_t words, count_leaves;
    double reserved_bytes;
    double *score;  /* [nodes], of the nodes that are looked at */
    uint32_t *rank; /* [nodes], in a shuffled order */
    gsl_rng *random, *random_gpus;
};

static bool is_scored(const struct sms__cluster_run *run) { return run->order == SMS_PLACE_BEST; }

void sms__node_search_init(struct sms__cluster_run *run)
{
    struct sms__node_search *search = SMS__NEW(run->arena, struct sms__node_search, 1);
    size_t nodes = run->cluster->nodes;
    search->words = (nodes + 63) / 64;
    for (search->count_leaves = 2; search->count_leaves < search->words;)
        search->count_leaves *= 2;
    search->cache = SMS__NEW(run->arena, struct shape_cache, run->cluster->shapes);
    for (size_t s = 0; s < run->cluster->shapes; s++)
        search->cache[s].looks = (uint32_t)nodes;
    search->random = sms__stream(run->arena, run->spec->seed, "place", 0);
    search->random_gpus = sms__stream(run->arena, run->spec->seed, "place/gpus", 0);
    search->score = SMS__NEW(run->arena, double, nodes);
    search->rank = SMS__NEW(run->arena, uint32_t, nodes);
    for (size_t n = 0; n < nodes; n++)
        search->rank[n] = (uint32_t)n;
    if (run->cluster->ties == SMS__TIES_SHUFFLED)
        gsl_ran_shuffle(sms__stream(run->arena, run->spec->seed, "place/ties", 0), search->rank, nodes,
                        sizeof *search->rank);
    run->search = search;
}

/* Chooses the GPUs with least left that have enough, of equal ones the lowest. */
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
    return is_scored(run) ? run->policy->score(&run->view, node, pod, chosen) : 0;
}

/* Where the instance begins that the policy, or else the engine, chooses on the GPU. Returns whether there is one. */
static bool choose_slice(const struct sms_node_view *node, const struct sms_pod_view *pod, uint32_t gpu, uint8_t chosen,
                         struct sms__seat *seat)
{
    const struct sms_layout *layout = &node->layout[gpu];
    int slice = chosen >= SMS_SLICE ? chosen - SMS_SLICE : sms_layout_first(node->mig, layout, pod->profile);
    seat->slice = (uint8_t)slice;
    return slice >= 0 && slice < SMS_SLICES_MAX && (sms_layout_starts(node->mig, layout, pod->profile) >> slice & 1);
}

const char *sms__choose_seat(struct sms__cluster_run *run, const struct sms_node_view *node,
                             const struct sms_pod_view *pod, struct sms__seat *seat)
{
    uint8_t chosen[SMS_NODE_GPUS_MAX];
    uint32_t taken = 0;
    run->view.random = (uint32_t)gsl_rng_get(run->search->random_gpus);
    sms__score_node(run, node, pod, chosen);
    run->view.random = 0;
    *seat = (struct sms__seat){.gpus = 0};
    for (uint32_t i = 0; i < SMS_NODE_GPUS_MAX; i++) {
        if (!chosen[i])
            continue;
        if (i >= node->gpus || !sms_gpu_fits(&node->gpu[i], pod) || (chosen[i] > 1 && !pod->profile))
            return "chose a GPU that the pod does not fit";
        if (pod->profile && !choose_slice(node, pod, i, chosen[i], seat))
            return "chose a slice at which no instance for the pod can begin";
        seat->gpus |= (uint16_t)(1u << i);
        taken++;
    }
    if (taken != pod->gpus)
        return "chose more or fewer GPUs than the pod asks for";
    return NULL;
}

static bool is_feasible(const struct sms__cluster_run *run, size_t n, uint32_t shape)
{
    return sms_node_fits(&run->ledger.node[n], &run->cluster->shape[shape]);
}

/* The score of a feasible node, as the scheduler sees it; -INFINITY: the policy does not want it. */
static double ask_policy(struct sms__cluster_run *run, size_t n, const struct sms_pod_view *pod)
{
    uint8_t chosen[SMS_NODE_GPUS_MAX];
    struct sms_gpu_view gpu[SMS_NODE_GPUS_MAX];
    struct sms_node_view view;
    const struct sms_node_view *node = &run->ledger.node[n];
    if (run->scheduler->view) {
        view = run->scheduler->view(run, n, gpu);
        node = &view;
    }
    double score = sms__score_node(run, node, pod, chosen);
    if (run->spec->options->check && sms__score_node(run, node, pod, chosen) != score)
        sms__cluster_stop(run, "scores the same node differently");
    if (isfinite(score) || score == -INFINITY)
        return score;
    sms__cluster_stop(run, "gave a score that is not finite");
    return -INFINITY;
}

/* Whether feasible nodes of one class have one score. */
static bool has_class_score(const struct sms__cluster_run *run)
{
    return !run->reference && run->policy->costly && !run->policy->asks;
}

/* -INFINITY: infeasible. */
static double score_node(struct sms__cluster_run *run, size_t n, uint32_t shape)
{
    if (!is_feasible(run, n, shape))
        return -INFINITY;
    if (!has_class_score(run))
        return ask_policy(run, n, &run->cluster->shape[shape]);
    struct sms__node_class *node_class = sms__node_class(run, n);
    if (isnan(node_class->score[shape]))
        node_class->score[shape] = ask_policy(run, n, &run->cluster->shape[shape]);
    return node_class->score[shape];
}

static void build_scores(struct sms__cluster_run *run, struct shape_cache *cache, uint32_t shape)
{
    memset(cache->bits, 0, run->search->words * sizeof *cache->bits);
    for (size_t n = 0; n < run->cluster->nodes; n++) {
        cache->best.bound[0][n] = score_node(run, n, shape);
        cache->bits[n / 64] |= (uint64_t)(cache->best.bound[0][n] > -INFINITY) << n % 64;
    }
    sms__best_bound(&cache->best);
}

static void build_bits(struct sms__cluster_run *run, struct shape_cache *cache, uint32_t shape)
{
    size_t leaves = run->search->count_leaves;
    memset(cache->bits, 0, run->search->words * sizeof *cache->bits);
    for (size_t n = 0; n < run->cluster->nodes; n++)
        cache->bits[n / 64] |= (uint64_t)is_feasible(run, n, shape) << n % 64;
    for (size_t w = 0; w < leaves; w++)
        cache->count[leaves + w] = w < run->search->words ? (uint32_t)__builtin_popcountll(cache->bits[w]) : 0;
    for (size_t at = leaves - 1; at > 0; at--)
        cache->count[at] = cache->count[2 * at] + cache->count[2 * at + 1];
}

static void update_bit(struct sms__cluster_run *run, struct shape_cache *cache, size_t n, bool now)
{
    bool before = cache->bits[n / 64] >> n % 64 & 1;
    if (now == before)
        return;
    cache->bits[n / 64] ^= (uint64_t)1 << n % 64;
    for (size_t at = run->search->count_leaves + n / 64; at > 0; at /= 2)
        cache->count[at] += now ? 1 : (uint32_t)-1;
}

static void build(struct sms__cluster_run *run, struct shape_cache *cache, uint32_t shape)
{
    if (is_scored(run))
        build_scores(run, cache, shape);
    else
        build_bits(run, cache, shape);
    cache->built = true;
    cache->seen = run->ledger.logged;
}

static void set_score(struct shape_cache *cache, uint32_t n, double score)
{
    const uint64_t bit = (uint64_t)1 << n % 64;
    cache->bits[n / 64] = score > -INFINITY ? cache->bits[n / 64] | bit : cache->bits[n / 64] & ~bit;
    sms__best_set(&cache->best, n, score);
}

/* Lists the next changed nodes that may fit, and fetches them. The score of others is -INFINITY. */
static size_t list_changed(struct sms__cluster_run *run, struct shape_cache *cache, uint32_t shape, uint32_t *node)
{
    const struct sms__ledger *ledger = &run->ledger;
    const struct sms_pod_view *pod = &run->cluster->shape[shape];
    size_t nodes = 0;
    for (uint32_t n; nodes < AT_ONCE && sms__log_next(ledger, &cache->seen, &n);)
        if (sms__room_may_fit(sms__log_at(ledger, cache->seen - 1), pod)) {
            node[nodes++] = n;
            __builtin_prefetch(&ledger->node[n]);
            __builtin_prefetch(&ledger->node[n].memory_left);
            __builtin_prefetch(&ledger->node[n].weighed);
            __builtin_prefetch(&ledger->entry[n]);
            __builtin_prefetch(&ledger->entry[n].weighed.sum);
        } else if (cache->bits[n / 64] >> n % 64 & 1) {
            set_score(cache, n, -INFINITY);
        }
    return nodes;
}

/* Fetches what has been computed of the node's class for the shape. */
static void prefetch_score(const struct sms__ledger *ledger, uint32_t n, uint32_t shape)
{
    const size_t index = ledger->entry[n].class_index;
    if (!ledger->scores)
        return;
    __builtin_prefetch(&ledger->node_class[index]);
    __builtin_prefetch(&ledger->score[index * ledger->scores + shape]);
}

/* Most of the time would be spent waiting for memory, so it is fetched for many nodes at once, GPUs after their nodes.
 */
static void update_scores(struct sms__cluster_run *run, struct shape_cache *cache, uint32_t shape)
{
    uint32_t node[AT_ONCE];
    for (size_t nodes; (nodes = list_changed(run, cache, shape, node)) > 0;) {
        for (size_t k = 0; k < nodes; k++) {
            const struct sms_node_view *view = &run->ledger.node[node[k]];
            __builtin_prefetch(&cache->best.bound[0][node[k]], 1);
            prefetch_score(&run->ledger, node[k], shape);
            for (uint32_t i = 0; i < view->gpus; i += 2)
                __builtin_prefetch(&view->gpu[i]);
        }
        for (size_t k = 0; k < nodes; k++)
            set_score(cache, node[k], score_node(run, node[k], shape));
    }
}

static void update_bits(struct sms__cluster_run *run, struct shape_cache *cache, uint32_t shape)
{
    const struct sms_pod_view *pod = &run->cluster->shape[shape];
    for (uint32_t n; sms__log_next(&run->ledger, &cache->seen, &n);) {
        bool fits = sms__room_may_fit(sms__log_at(&run->ledger, cache->seen - 1), pod);
        update_bit(run, cache, n, fits && is_feasible(run, n, shape));
    }
}

static void update(struct sms__cluster_run *run, struct shape_cache *cache, uint32_t shape)
{
    if (is_scored(run))
        update_scores(run, cache, shape);
    else
        update_bits(run, cache, shape);
    cache->seen = run->ledger.logged;
}

/* Reserves memory to cache what is known of a shape; false: the budget of all shapes together is spent. */
static bool reserve(struct sms__cluster_run *run, double bytes)
{
    bool fits = run->search->reserved_bytes + bytes <= BUDGET_BYTES;
    run->search->reserved_bytes += fits ? bytes : 0;
    return fits;
}

/* Whether the shape is cached; the first shapes that ask are. */
static bool make_cache(struct sms__cluster_run *run, struct shape_cache *cache)
{
    const struct sms__node_search *search = run->search;
    const double scores = (double)run->cluster->nodes * sizeof(double), bits = (double)search->words * sizeof(uint64_t);
    const double counts = (double)search->count_leaves * 2 * sizeof(uint32_t);
    if (cache->bits)
        return true;
    if (!reserve(run, bits + (is_scored(run) ? scores : counts)))
        return false;
    cache->bits = SMS__NEW(run->arena, uint64_t, search->words);
    if (is_scored(run))
        sms__best_init(&cache->best, run->arena, run->cluster->nodes);
    else
        cache->count = SMS__NEW(run->arena, uint32_t, 2 * search->count_leaves);
    return true;
}

/* The k-th feasible node, from 0; there are more than k. */
static uint32_t select_node(const struct sms__cluster_run *run, const struct shape_cache *cache, uint32_t k)
{
    size_t at = 1;
    while (at < run->search->count_leaves) {
        at *= 2;
        if (k >= cache->count[at])
            k -= cache->count[at++];
    }
    size_t word = at - run->search->count_leaves;
    uint64_t bits = cache->bits[word];
    for (; k > 0; k--)
        bits &= bits - 1;
    return (uint32_t)(word * 64 + (size_t)__builtin_ctzll(bits));
}

static uint32_t draw(const struct sms__cluster_run *run, uint32_t count)
{
    return (uint32_t)gsl_rng_uniform_int(run->search->random, count);
}

/* Picks one of `count` feasible nodes by the policy's order. */
static uint32_t pick(const struct sms__cluster_run *run, uint32_t count)
{
    return run->order == SMS_PLACE_RANDOM ? draw(run, count) : 0;
}

static uint32_t find_bit(const struct sms__cluster_run *run, const struct shape_cache *cache)
{
    const uint32_t count = cache->count[1];
    return count ? select_node(run, cache, pick(run, count)) : SMS__NO_NODE;
}

/* The node of an entry of the scores; `node` NULL: its number. */
static size_t node_at(const uint32_t *node, size_t i) { return node ? node[i] : i; }

static size_t first_by_rank(const struct sms__cluster_run *run, const double *score, size_t scores, size_t first,
                            const uint32_t *node)
{
    const uint32_t *rank = run->search->rank;
    size_t best = first;
    for (size_t i = first + 1; i < scores; i++)
        if (score[i] == score[first] && rank[node_at(node, i)] < rank[node_at(node, best)])
            best = i;
    return best;
}

static size_t any_equal(const struct sms__cluster_run *run, const double *score, size_t scores, size_t first)
{
    uint32_t equals = 0;
    for (size_t i = first; i < scores; i++)
        equals += score[i] == score[first];
    size_t at = first;
    for (uint32_t skipped = equals > 1 ? draw(run, equals) : 0; skipped > 0;)
        skipped -= score[++at] == score[first];
    return at;
}

/* The entry taken of those with the score of `first`, which is the first of the best. */
static size_t break_ties(const struct sms__cluster_run *run, const double *score, size_t scores, size_t first,
                         const uint32_t *node)
{
    if (run->cluster->ties == SMS__TIES_SHUFFLED)
        return first_by_rank(run, score, scores, first, node);
    return run->cluster->ties == SMS__TIES_RANDOM ? any_equal(run, score, scores, first) : first;
}

static size_t first_best(const double *score, size_t scores)
{
    size_t best = 0;
    for (size_t i = 1; i < scores; i++)
        best = score[i] > score[best] ? i : best;
    return scores && score[best] > -INFINITY ? best : SIZE_MAX;
}

static uint32_t find_best_afresh(struct sms__cluster_run *run, uint32_t shape)
{
    double *score = run->search->score;
    const size_t nodes = run->cluster->nodes;
    for (size_t n = 0; n < nodes; n++)
        score[n] = score_node(run, n, shape);
    const size_t first = first_best(score, nodes);
    return first == SIZE_MAX ? SMS__NO_NODE : (uint32_t)break_ties(run, score, nodes, first, NULL);
}

static uint32_t find_any_afresh(struct sms__cluster_run *run, uint32_t shape)
{
    uint32_t count = 0, k;
    size_t n;
    for (n = 0; n < run->cluster->nodes; n++)
        count += is_feasible(run, n, shape);
    if (count == 0)
        return SMS__NO_NODE;
    k = pick(run, count);
    for (n = 0; !is_feasible(run, n, shape) || k-- > 0;)
        n++;
    return (uint32_t)n;
}

/* Whether the shape is one of those that share the tree. What a MIG instance takes depends on the node. */
static bool shares_order(const struct sms__cluster_run *run, uint32_t shape)
{
    const bool same = is_scored(run) ? run->policy->same_order && run->cluster->ties == SMS__TIES_LOWEST
                                     : run->order == SMS_PLACE_FIRST && run->cluster->shapes > BITMAPS_MOST;
    return same && !run->reference && !run->cluster->shape[shape].profile;
}

static void rank_node(struct sms__cluster_run *run, const struct sms__room *room)
{
    static const struct sms_pod_view nothing = {0};
    sms__room_tree_set(run->search->tree, room, ask_policy(run, room->node, &nothing));
}

/* False: the search was given up, and the shape is to have a cache. */
static bool find_in_tree(struct sms__cluster_run *run, uint32_t shape, uint32_t *found)
{
    struct sms__node_search *search = run->search;
    const struct sms__ledger *ledger = &run->ledger;
    const bool anew = !search->tree || !sms__log_reaches(ledger, search->tree_seen);
    if (!search->tree)
        search->tree = sms__room_tree_new(run->arena, run->cluster->nodes);
    for (size_t n = 0; anew && n < run->cluster->nodes; n++) {
        const struct sms__room room = sms__room_of(ledger, n);
        rank_node(run, &room);
    }
    for (uint32_t n; !anew && sms__log_next(ledger, &search->tree_seen, &n);)
        rank_node(run, sms__log_at(ledger, search->tree_seen - 1));
    search->tree_seen = ledger->logged;
    return sms__room_tree_find(search->tree, ledger->node, &run->cluster->shape[shape], &search->cache[shape].looks,
                               found);
}

uint32_t sms__find_node(struct sms__cluster_run *run, uint32_t shape)
{
    uint32_t found;
    if (shares_order(run, shape) && !run->search->cache[shape].bits && find_in_tree(run, shape, &found))
        return found;
    struct shape_cache *cache = &run->search->cache[shape];
    if (run->reference || !make_cache(run, cache))
        return is_scored(run) ? find_best_afresh(run, shape) : find_any_afresh(run, shape);
    if (!cache->built || !sms__log_reaches(&run->ledger, cache->seen))
        build(run, cache, shape);
    else
        update(run, cache, shape);
    if (!is_scored(run))
        return find_bit(run, cache);
    size_t best = sms__best_find(&cache->best);
    if (best == SIZE_MAX)
        return SMS__NO_NODE;
    return (uint32_t)break_ties(run, cache->best.bound[0], run->cluster->nodes, best, NULL);
}

static uint32_t find_best_among(struct sms__cluster_run *run, uint32_t shape, const uint32_t *node, size_t nodes)
{
    double *score = run->search->score;
    for (size_t i = 0; i < nodes; i++)
        score[i] = ask_policy(run, node[i], &run->cluster->shape[shape]);
    const size_t first = first_best(score, nodes);
    return first == SIZE_MAX ? SMS__NO_NODE : node[break_ties(run, score, nodes, first, node)];
}

uint32_t sms__find_among(struct sms__cluster_run *run, uint32_t shape, const uint32_t *node, size_t nodes)
{
    return is_scored(run) ? find_best_among(run, shape, node, nodes) : node[pick(run, (uint32_t)nodes)];
}
