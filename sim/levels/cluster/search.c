/* Which node takes a pod. What is known of a shape of pods is brought up to date from the log of nodes that
 * changed, when a pod of it is to be placed; of a node that changed often only the last time counts. */
#include "gpushare/gpushare.h"

#include "../../base/rng.h"

#include <math.h>
#include <string.h>

/* For what is remembered of all shapes together; the shapes beyond are searched node by node, with the same answers. */
#define ROOM_BYTES (1.5 * 1024 * 1024 * 1024)

static bool is_scored(const struct sms__cluster_run *run) { return run->order == SMS_PLACE_BEST; }

void sms__places_search_init(struct sms__cluster_run *run)
{
    size_t nodes = run->cluster->nodes;
    for (run->leaves = 2; run->leaves < nodes;)
        run->leaves *= 2;
    run->words = (nodes + 63) / 64;
    for (run->count_leaves = 2; run->count_leaves < run->words;)
        run->count_leaves *= 2;
    run->search = SMS__NEW(run->arena, struct sms__search, run->cluster->shapes);
    run->random = sms__stream(run->arena, run->spec->seed, "place", 0);
    run->random_gpus = sms__stream(run->arena, run->spec->seed, "place/gpus", 0);
    run->last = nodes - 1;
}

/* Under gpushare a pod fits where it passed the filters. */
static bool fits(const struct sms__cluster_run *run, size_t n, uint32_t shape)
{
    if (run->gpushare)
        return run->gpushare->filter[shape].verdict[n] == SMS__NODE_PASSES;
    return sms_node_fits(&run->node[n], &run->cluster->shape[shape]);
}

/* -INFINITY: it does not fit. */
static double score_plainly(struct sms__cluster_run *run, size_t n, uint32_t shape)
{
    uint8_t chosen[SMS_NODE_GPUS_MAX];
    struct sms_gpu_view gpu[SMS_NODE_GPUS_MAX];
    struct sms_node_view view;
    const struct sms_node_view *node = &run->node[n];
    if (!fits(run, n, shape))
        return -INFINITY;
    if (run->gpushare) {
        view = sms__extender_view(run, n, gpu);
        node = &view;
    }
    double score = sms__score_node(run, node, &run->cluster->shape[shape], chosen);
    if (isfinite(score) || score == -INFINITY)
        return score;
    run->wrong = "gave a score that is not finite";
    return -INFINITY;
}

/* Whether nodes with the same books have the same score. */
static bool goes_by_books(const struct sms__cluster_run *run, size_t n, uint32_t shape)
{
    return !run->policy->asks && (!run->gpushare || (fits(run, n, shape) && sms__extender_sees_books(run, n)));
}

static double score_node(struct sms__cluster_run *run, size_t n, uint32_t shape)
{
    if (!goes_by_books(run, n, shape))
        return score_plainly(run, n, shape);
    struct sms__alike *alike = sms__alike(run, n);
    if (isnan(alike->score[shape]))
        alike->score[shape] = score_plainly(run, n, shape);
    return alike->score[shape];
}

/* The winner of two: the higher score, of equal ones the left one, which has the lower number. */
static uint32_t better(const struct sms__search *search, uint32_t left, uint32_t right)
{
    return search->score[right] > search->score[left] ? right : left;
}

static void build_scores(struct sms__cluster_run *run, struct sms__search *search, uint32_t shape)
{
    size_t leaves = run->leaves;
    for (size_t n = 0; n < leaves; n++) {
        search->score[n] = n < run->cluster->nodes ? score_node(run, n, shape) : -INFINITY;
        search->winner[leaves + n] = (uint32_t)n;
    }
    for (size_t at = leaves - 1; at > 0; at--)
        search->winner[at] = better(search, search->winner[2 * at], search->winner[2 * at + 1]);
}

static void update_score(struct sms__cluster_run *run, struct sms__search *search, uint32_t shape, size_t n)
{
    double score = score_node(run, n, shape);
    if (score == search->score[n])
        return;
    search->score[n] = score;
    for (size_t at = (run->leaves + n) / 2; at > 0; at /= 2) {
        uint32_t winner = better(search, search->winner[2 * at], search->winner[2 * at + 1]);
        if (winner == search->winner[at] && winner != n)
            return; /* the match above sees nothing new */
        search->winner[at] = winner;
    }
}

static void build_bits(struct sms__cluster_run *run, struct sms__search *search, uint32_t shape)
{
    size_t leaves = run->count_leaves;
    memset(search->bits, 0, run->words * sizeof *search->bits);
    for (size_t n = 0; n < run->cluster->nodes; n++)
        search->bits[n / 64] |= (uint64_t)fits(run, n, shape) << n % 64;
    for (size_t w = 0; w < leaves; w++)
        search->count[leaves + w] = w < run->words ? (uint32_t)__builtin_popcountll(search->bits[w]) : 0;
    for (size_t at = leaves - 1; at > 0; at--)
        search->count[at] = search->count[2 * at] + search->count[2 * at + 1];
}

static void update_bit(struct sms__cluster_run *run, struct sms__search *search, uint32_t shape, size_t n)
{
    bool now = fits(run, n, shape), before = search->bits[n / 64] >> n % 64 & 1;
    if (now == before)
        return;
    search->bits[n / 64] ^= (uint64_t)1 << n % 64;
    for (size_t at = run->count_leaves + n / 64; at > 0; at /= 2)
        search->count[at] += now ? 1 : (uint32_t)-1;
}

/* Up to where the log need not be looked at again: under gpushare, what changed between the filters is. */
static uint64_t settled(const struct sms__cluster_run *run, uint32_t shape)
{
    return run->gpushare ? run->gpushare->filter[shape].seen : run->logged;
}

static void build(struct sms__cluster_run *run, struct sms__search *search, uint32_t shape)
{
    if (is_scored(run))
        build_scores(run, search, shape);
    else
        build_bits(run, search, shape);
    search->built = true;
    search->seen = settled(run, shape);
}

static void update(struct sms__cluster_run *run, struct sms__search *search, uint32_t shape)
{
    for (uint32_t n; sms__log_next(run, &search->seen, &n);)
        if (is_scored(run))
            update_score(run, search, shape, n);
        else
            update_bit(run, search, shape, n);
    search->seen = settled(run, shape);
}

bool sms__search_room(struct sms__cluster_run *run, double bytes)
{
    bool room = run->search_bytes + bytes <= ROOM_BYTES;
    run->search_bytes += room ? bytes : 0;
    return room;
}

/* Whether the shape has its tree: there is room for those of the first that ask. */
static bool make_room(struct sms__cluster_run *run, struct sms__search *search)
{
    double scores = (double)run->leaves * (sizeof(double) + 2 * sizeof(uint32_t));
    double bits = (double)run->words * sizeof(uint64_t) + (double)run->count_leaves * 2 * sizeof(uint32_t);
    double wanted = is_scored(run) ? scores : bits;
    if (search->score || search->bits)
        return true;
    if (!sms__search_room(run, wanted))
        return false;
    if (is_scored(run)) {
        search->score = SMS__NEW(run->arena, double, run->leaves);
        search->winner = SMS__NEW(run->arena, uint32_t, 2 * run->leaves);
    } else {
        search->bits = SMS__NEW(run->arena, uint64_t, run->words);
        search->count = SMS__NEW(run->arena, uint32_t, 2 * run->count_leaves);
    }
    return true;
}

/* The k-th node that fits, from 0; there are more than k. */
static uint32_t select_node(const struct sms__cluster_run *run, const struct sms__search *search, uint32_t k)
{
    size_t at = 1;
    while (at < run->count_leaves) {
        at *= 2;
        if (k >= search->count[at])
            k -= search->count[at++];
    }
    size_t word = at - run->count_leaves;
    uint64_t bits = search->bits[word];
    for (; k > 0; k--)
        bits &= bits - 1;
    return (uint32_t)(word * 64 + (size_t)__builtin_ctzll(bits));
}

/* How many nodes up to n fit. */
static uint32_t rank_of(const struct sms__cluster_run *run, const struct sms__search *search, size_t n)
{
    uint64_t mask = n % 64 == 63 ? UINT64_MAX : ((uint64_t)1 << (n % 64 + 1)) - 1;
    uint32_t rank = (uint32_t)__builtin_popcountll(search->bits[n / 64] & mask);
    for (size_t at = run->count_leaves + n / 64; at > 1; at /= 2)
        rank += at % 2 ? search->count[at - 1] : 0;
    return rank;
}

static uint32_t draw(const struct sms__cluster_run *run, uint32_t count)
{
    return (uint32_t)gsl_rng_uniform_int(run->random, count);
}

/* Which of the nodes that fit, of which `upto_last` stand before the one after that chosen last. */
static uint32_t pick(const struct sms__cluster_run *run, uint32_t count, uint32_t upto_last)
{
    if (run->order == SMS_PLACE_RANDOM)
        return draw(run, count);
    if (run->order == SMS_PLACE_NEXT)
        return upto_last < count ? upto_last : 0;
    return 0;
}

static uint32_t find_bit(const struct sms__cluster_run *run, const struct sms__search *search)
{
    uint32_t count = search->count[1];
    if (count == 0)
        return SMS__NO_NODE;
    return select_node(run, search, pick(run, count, rank_of(run, search, run->last)));
}

static uint32_t find_best_plainly(struct sms__cluster_run *run, uint32_t shape)
{
    double best = -INFINITY;
    uint32_t found = SMS__NO_NODE;
    for (size_t n = 0; n < run->cluster->nodes; n++) {
        double score = run->plain ? score_plainly(run, n, shape) : score_node(run, n, shape);
        if (score > best) {
            best = score;
            found = (uint32_t)n;
        }
    }
    return found;
}

static uint32_t find_any_plainly(struct sms__cluster_run *run, uint32_t shape)
{
    uint32_t count = 0, upto_last = 0, k;
    size_t n = 0;
    for (; n < run->cluster->nodes; n++) {
        count += fits(run, n, shape);
        upto_last = n == run->last ? count : upto_last;
    }
    if (count == 0)
        return SMS__NO_NODE;
    k = pick(run, count, upto_last);
    for (n = 0; !fits(run, n, shape) || k-- > 0;)
        n++;
    return (uint32_t)n;
}

static uint32_t find(struct sms__cluster_run *run, uint32_t shape)
{
    struct sms__search *search = &run->search[shape];
    if (run->plain || !make_room(run, search))
        return is_scored(run) ? find_best_plainly(run, shape) : find_any_plainly(run, shape);
    if (!search->built || !sms__log_reaches(run, search->seen))
        build(run, search, shape);
    else
        update(run, search, shape);
    if (!is_scored(run))
        return find_bit(run, search);
    uint32_t best = search->winner[1];
    return search->score[best] > -INFINITY ? best : SMS__NO_NODE;
}

uint32_t sms__find_node(struct sms__cluster_run *run, uint32_t shape)
{
    uint32_t node = find(run, shape);
    if (node != SMS__NO_NODE)
        run->last = node;
    return node;
}
