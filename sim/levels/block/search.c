/* Finds the SM for the next block of a kernel. Each shape has a row of candidates.
 *
 * Where what an SM takes follows from its composition alone, the row of a shape with waiting launches holds the SMs
 * that take it, and changes with their compositions. Invariant: no others are in it. The row of another shape is as it
 * was when its last launch ended to wait.
 *
 * Otherwise an SM that refuses the shape is removed from the row until a block leaves it. This is right if a hardware
 * limit was the reason, or if the policy promises that more usage never turns a refusal into an admission
 * (smsched/policy.h). Invariant: every SM that would admit the shape is a candidate, once the row has caught up with
 * the departures. */
#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ask_policy(const struct sms__blocks *device, uint32_t sm, const struct sms__composition *composition,
                      const struct sms_block_request *request)
{
    double buffer[SMS_RESOURCES_MAX];
    struct sms_sm_view view = {device->policy.pure ? 0 : sm, sms__visible_usage(device, composition, buffer),
                               composition->used};
    return device->setup.policy->policy->admits(device->setup.policy->param, &device->setup.model->view, &view,
                                                request);
}

/* Returns the verdict of the limits and the hard resources. */
static inline int verdict_of_hardware(const struct sms__blocks *device, const struct sms__composition *composition,
                                      const struct sms__footprint *fit)
{
    const uint64_t *capacity = device->setup.model->view.capacity;
    bool fits = true;
    for (int l = 0; l < SMS_LIMITS; l++)
        fits &= composition->used[l] + fit->needs[l] <= capacity[l];
    if (!fits)
        return SMS__REFUSED_BY_LIMIT;
    int refusing = fit->hard ? sms__hard_refuses(device->setup.model, fit, composition->usage) : -1;
    return refusing >= 0 ? refusing : SMS__ALLOWED;
}

static inline int verdict(const struct sms__blocks *device, const struct sms__sm_state *sm,
                          const struct sms__launch *launch)
{
    struct sms_block_request storage;
    int answer = verdict_of_hardware(device, sm->composition, launch->fit);
    if (answer != SMS__ALLOWED || !device->setup.policy->policy->admits)
        return answer;
    return ask_policy(device, sm->idx, sm->composition, sms__request(device, sm, launch, &storage));
}

bool sms__takes(const struct sms__blocks *device, const struct sms__composition *composition,
                const struct sms__shape *shape)
{
    bool asks = device->setup.policy->policy->admits;
    return verdict_of_hardware(device, composition, shape->fit) == SMS__ALLOWED &&
           (!asks || ask_policy(device, 0, composition, &shape->request) == SMS__ALLOWED);
}

int sms__verdict(const struct sms__blocks *device, const struct sms__sm_state *sm, const struct sms__launch *launch)
{
    return verdict(device, sm, launch);
}

int sms__refusing_limit(const struct sms__blocks *device, const struct sms__sm_state *sm,
                        const struct sms__footprint *fit)
{
    int l = 0;
    while (l < SMS_LIMITS - 1 && sm->composition->used[l] + fit->needs[l] <= device->setup.model->view.capacity[l])
        l++;
    return l;
}

double sms__score(const struct sms__blocks *device, const struct sms__sm_state *sm, const struct sms__launch *launch)
{
    double buffer[SMS_RESOURCES_MAX];
    struct sms_sm_view view = {device->policy.pure ? 0 : sm->idx, sms__visible_usage(device, sm->composition, buffer),
                               sm->composition->used};
    struct sms_block_request storage;
    const struct sms_block_request *request = sms__request(device, sm, launch, &storage);
    const struct sms__policy_use *policy = device->setup.policy;
    double score = policy->policy->score(policy->param, &device->setup.model->view, &view, request);
    if (!isfinite(score)) /* no order follows, so the first SM would be taken as if the policy had chosen it */
        sms__stop_run(device, "policy '%.60s' scores SM %u as %g, which is not finite", policy->policy->name, sm->idx,
                      isnan(score) ? NAN : score);
    return score;
}

void sms__search_init(struct sms__blocks *device)
{
    struct sms__block_search *search = &device->search;
    search->words = (device->sms + 63) / 64;
    search->ring_step = device->setup.policy->policy->search == SMS_SEARCH_RING;
    for (search->recent_size = 1; search->recent_size < device->sms;)
        search->recent_size *= 2;
    search->recent = SMS__NEW(device->arena, uint32_t, search->recent_size);
    search->departures = search->recent_size; /* as if a block had left every SM, so that all are candidates */
    for (size_t i = 0; i < search->count; i++) {
        search->all[i].row = SMS__NEW(device->arena, uint64_t, search->words);
        search->all[i].summary = SMS__NEW(device->arena, uint64_t, (search->words + 63) / 64);
    }
}

void sms__log_departure(struct sms__blocks *device, uint32_t sm)
{
    if (device->search.knows_room)
        return;
    device->search.recent[device->search.departures & (device->search.recent_size - 1)] = sm;
    device->search.departures++;
}

static uint64_t bit_of(const struct sms__shape *shape) { return (uint64_t)1 << shape->idx; }

static bool has_bit(const struct sms__shape *shape, size_t sm) { return shape->row[sm / 64] >> (sm % 64) & 1; }

/* Makes the SM a candidate, or one no more. */
static inline void put_bit(struct sms__shape *shape, size_t sm, bool takes)
{
    uint64_t *word = &shape->row[sm / 64], *summary = &shape->summary[sm / 64 / 64];
    uint64_t bit = (uint64_t)1 << sm % 64, of_word = (uint64_t)1 << sm / 64 % 64;
    shape->candidates += (size_t)takes - (*word & bit ? 1 : 0);
    *word = takes ? *word | bit : *word & ~bit;
    *summary = *word ? *summary | of_word : *summary & ~of_word;
}

/* Makes all SMs that the shape may use candidates. */
static void begin_anew(const struct sms__blocks *device, struct sms__shape *shape)
{
    for (size_t s = 0; s < device->sms; s++)
        put_bit(shape, s, sms__may_use(shape->allowed, s));
    shape->seen_departures = device->search.departures;
}

/* Makes the SMs that blocks have left since the last search candidates again. */
static void catch_up(const struct sms__blocks *device, struct sms__shape *shape)
{
    const struct sms__block_search *search = &device->search;
    if (shape->allowed || search->departures - shape->seen_departures >= search->recent_size) {
        begin_anew(device, shape);
        return;
    }
    for (uint64_t i = shape->seen_departures; i < search->departures; i++)
        put_bit(shape, search->recent[i & (search->recent_size - 1)], true);
    shape->seen_departures = search->departures;
}

static uint64_t bits_from(uint64_t word, size_t bit) { return word & (~(uint64_t)0 << bit); }

/* Returns the first candidate from `from` on, or SIZE_MAX. */
static size_t next_candidate(const struct sms__blocks *device, const struct sms__shape *shape, size_t from)
{
    size_t word = from / 64;
    if (from >= device->sms)
        return SIZE_MAX;
    uint64_t bits = bits_from(shape->row[word], from % 64);
    if (bits)
        return word * 64 + (size_t)__builtin_ctzll(bits);
    for (word++; word < device->search.words; word = (word / 64 + 1) * 64) {
        bits = bits_from(shape->summary[word / 64], word % 64);
        if (!bits)
            continue;
        word = word / 64 * 64 + (size_t)__builtin_ctzll(bits);
        return word * 64 + (size_t)__builtin_ctzll(shape->row[word]);
    }
    return SIZE_MAX;
}

static double known_score(const struct sms__blocks *device, const struct sms__sm_state *sm,
                          const struct sms__launch *launch)
{
    uint64_t bit = bit_of(launch->shape);
    struct sms__composition *composition = sm->composition;
    struct sms__composed *shape = &composition->shape[launch->shape->idx];
    if (!(composition->scored & bit)) {
        composition->scored |= bit;
        shape->score = sms__score(device, sm, launch);
    }
    return shape->score;
}

/* Returns the SM if it admits the block; -1 if not; -2 if no SM will, because a resource of scope device is the reason.
 * Removes the SM from the candidates if its refusal can be cached. */
static inline long ask(const struct sms__blocks *device, const struct sms__launch *launch, size_t sm)
{
    struct sms__shape *shape = launch->shape;
    if (device->search.knows_room)
        return (long)sm;
    int answer = verdict(device, &device->sm[sm], launch);
    if (answer == SMS__ALLOWED)
        return (long)sm;
    if (answer < SMS_NOT_HERE && device->policy.cacheable &&
        device->setup.model->resource[answer].scope == SMS_SCOPE_DEVICE)
        return -2;
    if (has_bit(shape, sm) && (device->policy.cacheable || answer == SMS__REFUSED_BY_LIMIT))
        put_bit(shape, sm, false);
    return -1;
}

/* Returns the first SM in [from, to) that admits the block; otherwise -1 or -2, as ask does. */
static long first_of(const struct sms__blocks *device, const struct sms__launch *launch, size_t from, size_t to)
{
    const struct sms__shape *shape = launch->shape;
    for (size_t sm = next_candidate(device, shape, from); sm < to; sm = next_candidate(device, shape, sm + 1)) {
        long answer = ask(device, launch, sm);
        if (answer != -1)
            return answer;
    }
    return -1;
}

static long search_ring(const struct sms__blocks *device, const struct sms__launch *launch)
{
    const size_t start = launch->entry.queue->ring_start;
    long sm = first_of(device, launch, start, device->sms);
    return sm == -1 ? first_of(device, launch, 0, start) : sm;
}

static long search_best(const struct sms__blocks *device, const struct sms__launch *launch)
{
    long best = -1;
    double highest = 0;
    for (long sm = first_of(device, launch, 0, device->sms); sm >= 0;
         sm = first_of(device, launch, (size_t)sm + 1, device->sms)) {
        double score = device->compositions.keeps_scores ? known_score(device, &device->sm[sm], launch)
                                                         : sms__score(device, &device->sm[sm], launch);
        if (best >= 0 && score <= highest)
            continue;
        best = sm;
        highest = score;
    }
    return best;
}

/* Returns the lowest SM of the row that the shape may use, or SIZE_MAX. */
static size_t first_of_row(const struct sms__blocks *device, const uint64_t *row, const struct sms__allowed *allowed)
{
    for (size_t word = 0; word < device->search.words; word++) {
        uint64_t bits = allowed ? row[word] & allowed->row[word] : row[word];
        if (bits)
            return word * 64 + (size_t)__builtin_ctzll(bits);
    }
    return SIZE_MAX;
}

/* The same where SMs of a composition have one score: among those that have most, it takes the lowest SM. */
static long search_best_composition(const struct sms__blocks *device, const struct sms__launch *launch)
{
    const struct sms__compositions *all = &device->compositions;
    size_t best = SIZE_MAX;
    double highest = 0;
    for (size_t i = 0; i < all->present; i++) {
        if (!(all->with_sms[i]->fits & bit_of(launch->shape)))
            continue;
        size_t sm = first_of_row(device, all->with_sms[i]->row, launch->shape->allowed);
        if (sm == SIZE_MAX)
            continue;
        double score = known_score(device, &device->sm[sm], launch);
        if (best == SIZE_MAX || score > highest || (score == highest && sm < best))
            best = sm;
        highest = best == sm ? score : highest;
    }
    return best == SIZE_MAX ? -1 : (long)best;
}

/* SMs are asked if they are fewer than compositions: each that refuses is a candidate no more. */
static long search_all(const struct sms__blocks *device, const struct sms__launch *launch)
{
    if (device->setup.policy->policy->search != SMS_SEARCH_BEST)
        return search_ring(device, launch);
    bool by_composition = device->compositions.keeps_scores && launch->shape->candidates > device->compositions.present;
    return by_composition ? search_best_composition(device, launch) : search_best(device, launch);
}

/* True if all other SMs are full. Called for the SM that a block left last. */
static inline bool is_only_open(const struct sms__blocks *device, const struct sms__sm_state *sm)
{
    return device->search.closed_sms + 1 == device->sms && !sm->composition->is_closed;
}

/* The usual case is that a block has left one SM, and all others are full. */
static inline long search(struct sms__blocks *device, const struct sms__launch *launch)
{
    struct sms__shape *shape = launch->shape;
    if (device->search.knows_room)
        return shape->candidates ? search_all(device, launch) : -1;
    size_t last = device->search.recent[(device->search.departures - 1) & (device->search.recent_size - 1)];
    if (is_only_open(device, &device->sm[last]))
        return sms__may_use(shape->allowed, last) ? ask(device, launch, last) : -1;
    if (shape->seen_departures != device->search.departures)
        catch_up(device, shape);
    return search_all(device, launch);
}

/* The SM takes the shape now, or does so no more. */
static inline void turn(struct sms__block_search *search, struct sms__shape *shape, size_t sm, bool takes)
{
    uint64_t *word = &shape->row[sm / 64], bit = (uint64_t)1 << sm % 64;
    *word ^= bit;
    if (!(*word & ~bit))
        shape->summary[sm / 64 / 64] ^= (uint64_t)1 << sm / 64 % 64;
    shape->candidates += takes ? 1 : SIZE_MAX;
    if (shape->candidates == takes) /* it was closed, or was open */
        search->open ^= bit_of(shape);
}

void sms__search_allow(struct sms__blocks *device, struct sms__shape *shape)
{
    for (size_t s = 0; s < device->sms; s++) {
        struct sms__sm_state *sm = &device->sm[s];
        bool may = sms__may_use(shape->allowed, s), takes = may && sm->composition->fits & bit_of(shape);
        sm->may = may ? sm->may | bit_of(shape) : sm->may & ~bit_of(shape);
        if (takes != has_bit(shape, s))
            turn(&device->search, shape, s, takes);
    }
}

void sms__blocks_update_allowed(struct sms__blocks *device, size_t kernel_type)
{
    struct sms__shape *shape = device->search.shape_of[kernel_type];
    shape->refused_at = 0;
    shape->allowed_ps = device->setup.engine->now;
    if (device->search.knows_room && shape->idx != SMS__NO_INDEX)
        sms__search_allow(device, shape);
    else if (!device->search.knows_room && !device->reference)
        begin_anew(device, shape);
}

void sms__search_room(struct sms__blocks *device, uint32_t sm, uint64_t shapes)
{
    uint64_t now = device->sm[sm].composition->fits;
    for (uint64_t left = shapes & device->sm[sm].may & device->search.waiting; left; left &= left - 1)
        turn(&device->search, device->search.shape[__builtin_ctzll(left)], sm, now & left & -left);
}

void sms__search_forget(struct sms__blocks *device)
{
    struct sms__block_search *search = &device->search;
    search->knows_room = device->refills = false;
    search->closed_sms = 0;
    for (size_t s = 0; s < device->sms; s++)
        search->closed_sms += device->sm[s].composition->is_closed;
    search->departures = search->recent_size; /* as if a block had left every SM, so that all are candidates */
    for (size_t i = 0; i < search->count; i++)
        search->all[i].seen_departures = search->all[i].refused_at = 0;
}

void sms__search_wait(struct sms__blocks *device, struct sms__shape *shape)
{
    if (!device->search.knows_room || shape->launches++ > 0)
        return;
    device->search.waiting |= bit_of(shape);
    sms__search_allow(device, shape);
}

void sms__search_stop_waiting(struct sms__blocks *device, struct sms__shape *shape)
{
    if (device->search.knows_room && --shape->launches == 0)
        device->search.waiting &= ~bit_of(shape);
}

long sms__search(struct sms__blocks *device, struct sms__launch *launch)
{
    struct sms__shape *shape = launch->shape;
    long sm = search(device, launch);
    if (sm < 0) {
        if (device->policy.cacheable)
            shape->refused_at = device->search.departures + 1;
        return -1;
    }
    sms__search_move_ring(device, launch, (size_t)sm);
    return sm;
}
