/* Which SM takes the next block of a kernel. An SM that refused a shape of block
 * is not asked again until a block has left it, if that was for a hardware limit, or
 * if the policy promises that more usage never turns its no into a yes
 * (smsched/policy.h). */
#include "internal.h"

#include <string.h>

static int ask_policy(const struct sms__blocks *device, const struct sms__sm_state *sm,
                      const struct sms__launch *launch)
{
    double patched[SMS_RESOURCES_MAX];
    struct sms_sm_view view = {sm->idx, sms__seen_usage(sm, patched), sm->used};
    struct sms_block_request room;
    const struct sms_block_request *request = sms__request(device, sm, launch, &room);
    return device->policy->policy->admits(device->policy->param, &device->model->view, &view, request);
}

static inline int verdict(const struct sms__blocks *device, const struct sms__sm_state *sm,
                          const struct sms__launch *launch)
{
    const struct sms__fit *fit = launch->fit;
    const uint64_t *capacity = device->model->view.capacity;
    bool fits = true;
    for (int l = 0; l < SMS_LIMITS; l++)
        fits &= sm->used[l] + fit->needs[l] <= capacity[l];
    if (!fits)
        return SMS__REFUSED_BY_LIMIT;
    int refusing = fit->hard ? sms__hard_refuses(device->model, fit, sm->usage) : -1;
    if (refusing >= 0)
        return refusing;
    return device->policy->policy->admits ? ask_policy(device, sm, launch) : SMS__ALLOWED;
}

int sms__verdict(const struct sms__blocks *device, const struct sms__sm_state *sm, const struct sms__launch *launch)
{
    return verdict(device, sm, launch);
}

int sms__refusing_limit(const struct sms__blocks *device, const struct sms__sm_state *sm, const struct sms__fit *fit)
{
    int l = 0;
    while (l < SMS_LIMITS - 1 && sm->used[l] + fit->needs[l] <= device->model->view.capacity[l])
        l++;
    return l;
}

double sms__score(const struct sms__blocks *device, const struct sms__sm_state *sm, const struct sms__launch *launch)
{
    double patched[SMS_RESOURCES_MAX];
    struct sms_sm_view view = {sm->idx, sms__seen_usage(sm, patched), sm->used};
    struct sms_block_request room;
    const struct sms_block_request *request = sms__request(device, sm, launch, &room);
    return device->policy->policy->score(device->policy->param, &device->model->view, &view, request);
}

void sms__search_init(struct sms__blocks *device)
{
    size_t summaries;
    device->words = (device->sms + 63) / 64;
    summaries = (device->words + 63) / 64;
    for (device->room_left = 1; device->room_left < device->sms;)
        device->room_left *= 2;
    device->left = SMS__NEW(device->arena, uint32_t, device->room_left);
    device->leaves = device->room_left; /* as if a block had left every SM */
    for (size_t i = 0; i < device->shapes; i++) {
        device->shape[i].row = SMS__NEW(device->arena, uint64_t, device->words);
        device->shape[i].summary = SMS__NEW(device->arena, uint64_t, summaries);
    }
}

void sms__note_left(struct sms__blocks *device, uint32_t sm)
{
    device->left[device->leaves & (device->room_left - 1)] = sm;
    device->leaves++;
}

static bool has_bit(const struct sms__shape *shape, size_t sm) { return shape->row[sm / 64] >> (sm % 64) & 1; }

static void set_bit(struct sms__shape *shape, size_t sm)
{
    size_t word = sm / 64;
    shape->candidates += !has_bit(shape, sm);
    shape->newest = sm;
    shape->row[word] |= (uint64_t)1 << (sm % 64);
    shape->summary[word / 64] |= (uint64_t)1 << (word % 64);
}

/* One that is set. */
static void clear_bit(struct sms__shape *shape, size_t sm)
{
    size_t word = sm / 64;
    shape->candidates--;
    shape->row[word] &= ~((uint64_t)1 << (sm % 64));
    if (!shape->row[word])
        shape->summary[word / 64] &= ~((uint64_t)1 << (word % 64));
}

/* The same of a shape that may not use all SMs. */
static void catch_up_within(const struct sms__blocks *device, struct sms__shape *shape)
{
    for (size_t s = 0; s < device->sms; s++) {
        if (sms__may_use(shape->allowed, s))
            set_bit(shape, s);
        else if (has_bit(shape, s))
            clear_bit(shape, s);
    }
    shape->seen = device->leaves;
}

/* SMs that blocks have left since the shape last looked are candidates again. */
static void catch_up(const struct sms__blocks *device, struct sms__shape *shape)
{
    if (shape->allowed) {
        catch_up_within(device, shape);
        return;
    }
    if (device->leaves - shape->seen >= device->room_left) {
        for (size_t s = 0; s < device->sms; s++)
            set_bit(shape, s);
    } else {
        for (uint64_t i = shape->seen; i < device->leaves; i++)
            set_bit(shape, device->left[i & (device->room_left - 1)]);
    }
    shape->seen = device->leaves;
}

static uint64_t bits_from(uint64_t word, size_t bit) { return word & (~(uint64_t)0 << bit); }

/* The first candidate from `from` on, or SIZE_MAX. */
static size_t next_candidate(const struct sms__blocks *device, const struct sms__shape *shape, size_t from)
{
    size_t word = from / 64;
    if (from >= device->sms)
        return SIZE_MAX;
    uint64_t bits = bits_from(shape->row[word], from % 64);
    if (bits)
        return word * 64 + (size_t)__builtin_ctzll(bits);
    for (word++; word < device->words; word = (word / 64 + 1) * 64) {
        bits = bits_from(shape->summary[word / 64], word % 64);
        if (!bits)
            continue;
        word = word / 64 * 64 + (size_t)__builtin_ctzll(bits);
        return word * 64 + (size_t)__builtin_ctzll(shape->row[word]);
    }
    return SIZE_MAX;
}

/* The SM, if it says yes; else -1 and it is no longer a candidate, or -2 where the device itself has no room. */
static inline long ask(const struct sms__blocks *device, const struct sms__launch *launch, size_t sm)
{
    struct sms__shape *shape = launch->shape;
    int answer = verdict(device, &device->sm[sm], launch);
    if (answer == SMS__ALLOWED)
        return (long)sm;
    if (answer < SMS_NOT_HERE && device->promised && device->model->resource[answer].scope == SMS_SCOPE_DEVICE)
        return -2;
    if (has_bit(shape, sm) && (device->promised || answer == SMS__REFUSED_BY_LIMIT))
        clear_bit(shape, sm);
    return -1;
}

/* The first SM in [from, to) that says yes; else -1 or -2, as above. */
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
    long sm = first_of(device, launch, device->ring, device->sms);
    return sm == -1 ? first_of(device, launch, 0, device->ring) : sm;
}

static long search_best(const struct sms__blocks *device, const struct sms__launch *launch)
{
    long best = -1;
    double highest = 0;
    for (long sm = first_of(device, launch, 0, device->sms); sm >= 0;
         sm = first_of(device, launch, (size_t)sm + 1, device->sms)) {
        double own = sms__score(device, &device->sm[sm], launch);
        if (best >= 0 && own <= highest)
            continue;
        best = sm;
        highest = own;
    }
    return best;
}

/* Whether all SMs but one are full: then that one is the one that a block left last. */
static inline bool is_only_open(const struct sms__blocks *device, const struct sms__sm_state *sm)
{
    return device->full + 1 == device->sms && sm->used[SMS_BLOCKS] < device->model->sm.blocks;
}

/* Most often a block has left one SM, and all others have said no before. */
static inline long search(struct sms__blocks *device, const struct sms__launch *launch)
{
    struct sms__shape *shape = launch->shape;
    size_t last = device->left[(device->leaves - 1) & (device->room_left - 1)];
    if (is_only_open(device, &device->sm[last]))
        return sms__may_use(shape->allowed, last) ? ask(device, launch, last) : -1;
    if (shape->seen != device->leaves)
        catch_up(device, shape);
    if (shape->candidates == 1 && has_bit(shape, shape->newest))
        return ask(device, launch, shape->newest);
    bool best = device->policy->policy->search == SMS_SEARCH_BEST;
    return best ? search_best(device, launch) : search_ring(device, launch);
}

void sms__blocks_reallow(struct sms__blocks *device, size_t kind)
{
    struct sms__shape *shape = device->shape_of[kind];
    shape->refused_at = 0;
    if (!device->reference)
        catch_up_within(device, shape);
}

long sms__search(struct sms__blocks *device, struct sms__launch *launch)
{
    struct sms__shape *shape = launch->shape;
    if (sms__is_refused(device, shape))
        return -1;
    long sm = search(device, launch);
    if (sm < 0) {
        if (device->promised)
            shape->refused_at = device->leaves + 1;
        return -1;
    }
    device->ring = (size_t)sm + (device->policy->policy->search == SMS_SEARCH_RING);
    device->ring = device->ring == device->sms ? 0 : device->ring;
    return sm;
}
