/* Which node takes a pod. What is known of a shape of pods is brought up to date from the log of nodes that
 * changed, when a pod of it is to be placed; of a node that changed often only the last time counts. */
#include "gpushare/gpushare.h"

#include "../../base/rng.h"

#include <math.h>
#include <string.h>

/* For what is remembered of all shapes together; the shapes beyond are searched node by node, with the same answers. */
#define ROOM_BYTES (1.5 * 1024 * 1024 * 1024)

static bool is_scored(const struct sms__placing *placing) { return placing->order == SMS_PLACE_BEST; }

void sms__places_search_init(struct sms__placing *placing)
{
    size_t nodes = placing->cluster->nodes;
    for (placing->leaves = 2; placing->leaves < nodes;)
        placing->leaves *= 2;
    placing->words = (nodes + 63) / 64;
    for (placing->count_leaves = 2; placing->count_leaves < placing->words;)
        placing->count_leaves *= 2;
    placing->search = SMS__NEW(placing->arena, struct sms__search, placing->cluster->shapes);
    placing->random = sms__stream(placing->arena, placing->spec->seed, "place", 0);
    placing->random_gpus = sms__stream(placing->arena, placing->spec->seed, "place/gpus", 0);
    placing->last = nodes - 1;
}

/* Under gpushare a pod fits where it passed the filters. */
static bool fits(const struct sms__placing *placing, size_t n, uint32_t shape)
{
    if (placing->gpushare)
        return placing->gpushare->filter[shape].verdict[n] == SMS__NODE_PASSES;
    return sms_node_fits(&placing->node[n], &placing->cluster->shape[shape]);
}

/* -INFINITY: it does not fit. */
static double score_plainly(struct sms__placing *placing, size_t n, uint32_t shape)
{
    uint8_t chosen[SMS_NODE_GPUS_MAX];
    struct sms_gpu_view gpu[SMS_NODE_GPUS_MAX];
    struct sms_node_view view;
    const struct sms_node_view *node = &placing->node[n];
    if (!fits(placing, n, shape))
        return -INFINITY;
    if (placing->gpushare) {
        view = sms__extender_view(placing, n, gpu);
        node = &view;
    }
    double score = sms__score_node(placing, node, &placing->cluster->shape[shape], chosen);
    if (isfinite(score) || score == -INFINITY)
        return score;
    placing->wrong = "gave a score that is not finite";
    return -INFINITY;
}

/* Whether nodes with the same books have the same score. */
static bool goes_by_books(const struct sms__placing *placing, size_t n, uint32_t shape)
{
    return !placing->policy->asks &&
           (!placing->gpushare || (fits(placing, n, shape) && sms__extender_sees_books(placing, n)));
}

static double score_node(struct sms__placing *placing, size_t n, uint32_t shape)
{
    if (!goes_by_books(placing, n, shape))
        return score_plainly(placing, n, shape);
    struct sms__alike *alike = sms__alike(placing, n);
    if (isnan(alike->score[shape]))
        alike->score[shape] = score_plainly(placing, n, shape);
    return alike->score[shape];
}

/* The winner of two: the higher score, of equal ones the left one, which has the lower number. */
static uint32_t better(const struct sms__search *search, uint32_t left, uint32_t right)
{
    return search->score[right] > search->score[left] ? right : left;
}

static void build_scores(struct sms__placing *placing, struct sms__search *search, uint32_t shape)
{
    size_t leaves = placing->leaves;
    for (size_t n = 0; n < leaves; n++) {
        search->score[n] = n < placing->cluster->nodes ? score_node(placing, n, shape) : -INFINITY;
        search->winner[leaves + n] = (uint32_t)n;
    }
    for (size_t at = leaves - 1; at > 0; at--)
        search->winner[at] = better(search, search->winner[2 * at], search->winner[2 * at + 1]);
}

static void update_score(struct sms__placing *placing, struct sms__search *search, uint32_t shape, size_t n)
{
    double score = score_node(placing, n, shape);
    if (score == search->score[n])
        return;
    search->score[n] = score;
    for (size_t at = (placing->leaves + n) / 2; at > 0; at /= 2) {
        uint32_t winner = better(search, search->winner[2 * at], search->winner[2 * at + 1]);
        if (winner == search->winner[at] && winner != n)
            return; /* the match above sees nothing new */
        search->winner[at] = winner;
    }
}

static void build_bits(struct sms__placing *placing, struct sms__search *search, uint32_t shape)
{
    size_t leaves = placing->count_leaves;
    memset(search->bits, 0, placing->words * sizeof *search->bits);
    for (size_t n = 0; n < placing->cluster->nodes; n++)
        search->bits[n / 64] |= (uint64_t)fits(placing, n, shape) << n % 64;
    for (size_t w = 0; w < leaves; w++)
        search->count[leaves + w] = w < placing->words ? (uint32_t)__builtin_popcountll(search->bits[w]) : 0;
    for (size_t at = leaves - 1; at > 0; at--)
        search->count[at] = search->count[2 * at] + search->count[2 * at + 1];
}

static void update_bit(struct sms__placing *placing, struct sms__search *search, uint32_t shape, size_t n)
{
    bool now = fits(placing, n, shape), before = search->bits[n / 64] >> n % 64 & 1;
    if (now == before)
        return;
    search->bits[n / 64] ^= (uint64_t)1 << n % 64;
    for (size_t at = placing->count_leaves + n / 64; at > 0; at /= 2)
        search->count[at] += now ? 1 : (uint32_t)-1;
}

/* Up to where the log need not be looked at again: under gpushare, what changed between the filters is. */
static uint64_t settled(const struct sms__placing *placing, uint32_t shape)
{
    return placing->gpushare ? placing->gpushare->filter[shape].seen : placing->logged;
}

static void build(struct sms__placing *placing, struct sms__search *search, uint32_t shape)
{
    if (is_scored(placing))
        build_scores(placing, search, shape);
    else
        build_bits(placing, search, shape);
    search->built = true;
    search->seen = settled(placing, shape);
}

static void update(struct sms__placing *placing, struct sms__search *search, uint32_t shape)
{
    for (uint32_t n; sms__log_next(placing, &search->seen, &n);)
        if (is_scored(placing))
            update_score(placing, search, shape, n);
        else
            update_bit(placing, search, shape, n);
    search->seen = settled(placing, shape);
}

bool sms__search_room(struct sms__placing *placing, double bytes)
{
    bool room = placing->search_bytes + bytes <= ROOM_BYTES;
    placing->search_bytes += room ? bytes : 0;
    return room;
}

/* Whether the shape has its tree: there is room for those of the first that ask. */
static bool make_room(struct sms__placing *placing, struct sms__search *search)
{
    double scores = (double)placing->leaves * (sizeof(double) + 2 * sizeof(uint32_t));
    double bits = (double)placing->words * sizeof(uint64_t) + (double)placing->count_leaves * 2 * sizeof(uint32_t);
    double wanted = is_scored(placing) ? scores : bits;
    if (search->score || search->bits)
        return true;
    if (!sms__search_room(placing, wanted))
        return false;
    if (is_scored(placing)) {
        search->score = SMS__NEW(placing->arena, double, placing->leaves);
        search->winner = SMS__NEW(placing->arena, uint32_t, 2 * placing->leaves);
    } else {
        search->bits = SMS__NEW(placing->arena, uint64_t, placing->words);
        search->count = SMS__NEW(placing->arena, uint32_t, 2 * placing->count_leaves);
    }
    return true;
}

/* The k-th node that fits, from 0; there are more than k. */
static uint32_t select_node(const struct sms__placing *placing, const struct sms__search *search, uint32_t k)
{
    size_t at = 1;
    while (at < placing->count_leaves) {
        at *= 2;
        if (k >= search->count[at])
            k -= search->count[at++];
    }
    size_t word = at - placing->count_leaves;
    uint64_t bits = search->bits[word];
    for (; k > 0; k--)
        bits &= bits - 1;
    return (uint32_t)(word * 64 + (size_t)__builtin_ctzll(bits));
}

/* How many nodes up to n fit. */
static uint32_t rank_of(const struct sms__placing *placing, const struct sms__search *search, size_t n)
{
    uint64_t mask = n % 64 == 63 ? UINT64_MAX : ((uint64_t)1 << (n % 64 + 1)) - 1;
    uint32_t rank = (uint32_t)__builtin_popcountll(search->bits[n / 64] & mask);
    for (size_t at = placing->count_leaves + n / 64; at > 1; at /= 2)
        rank += at % 2 ? search->count[at - 1] : 0;
    return rank;
}

static uint32_t draw(const struct sms__placing *placing, uint32_t count)
{
    return (uint32_t)gsl_rng_uniform_int(placing->random, count);
}

/* Which of the nodes that fit, of which `upto_last` stand before the one after that chosen last. */
static uint32_t pick(const struct sms__placing *placing, uint32_t count, uint32_t upto_last)
{
    if (placing->order == SMS_PLACE_RANDOM)
        return draw(placing, count);
    if (placing->order == SMS_PLACE_NEXT)
        return upto_last < count ? upto_last : 0;
    return 0;
}

static uint32_t find_bit(const struct sms__placing *placing, const struct sms__search *search)
{
    uint32_t count = search->count[1];
    if (count == 0)
        return SMS__NO_NODE;
    return select_node(placing, search, pick(placing, count, rank_of(placing, search, placing->last)));
}

static uint32_t find_best_plainly(struct sms__placing *placing, uint32_t shape)
{
    double best = -INFINITY;
    uint32_t found = SMS__NO_NODE;
    for (size_t n = 0; n < placing->cluster->nodes; n++) {
        double score = placing->plain ? score_plainly(placing, n, shape) : score_node(placing, n, shape);
        if (score > best) {
            best = score;
            found = (uint32_t)n;
        }
    }
    return found;
}

static uint32_t find_any_plainly(struct sms__placing *placing, uint32_t shape)
{
    uint32_t count = 0, upto_last = 0, k;
    size_t n = 0;
    for (; n < placing->cluster->nodes; n++) {
        count += fits(placing, n, shape);
        upto_last = n == placing->last ? count : upto_last;
    }
    if (count == 0)
        return SMS__NO_NODE;
    k = pick(placing, count, upto_last);
    for (n = 0; !fits(placing, n, shape) || k-- > 0;)
        n++;
    return (uint32_t)n;
}

static uint32_t find(struct sms__placing *placing, uint32_t shape)
{
    struct sms__search *search = &placing->search[shape];
    if (placing->plain || !make_room(placing, search))
        return is_scored(placing) ? find_best_plainly(placing, shape) : find_any_plainly(placing, shape);
    if (!search->built || !sms__log_reaches(placing, search->seen))
        build(placing, search, shape);
    else
        update(placing, search, shape);
    if (!is_scored(placing))
        return find_bit(placing, search);
    uint32_t best = search->winner[1];
    return search->score[best] > -INFINITY ? best : SMS__NO_NODE;
}

uint32_t sms__find_node(struct sms__placing *placing, uint32_t shape)
{
    uint32_t node = find(placing, shape);
    if (node != SMS__NO_NODE)
        placing->last = node;
    return node;
}
