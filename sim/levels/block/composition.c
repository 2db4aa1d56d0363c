/* Compositions. SMs that hold equally many blocks of each shape have the same usage, slow their blocks by the same
 * factors, and get the same answers from a policy that promises to look at nothing else. So all of this is worked out
 * once for each composition, and an SM that gets or loses a block follows a pointer to its next one. Time is added up
 * by composition, and reaches the record as a sum of products, which is exact because all are whole numbers.
 *
 * Invariant: a shared composition never changes but for its time, its number of SMs and what it has learnt. What it has
 * learnt is a pure function of its blocks, so it may be forgotten: when the table is full, all compositions in which no
 * SM is are freed. If most changes had to make one, as with many shapes, each SM gets a composition of its own, whose
 * sums change with its blocks. The reference engine, and devices of which an SM has a background, have only those. */
#include "internal.h"

#include <string.h>

enum {
    BUCKET_BITS = 8,
    BUCKETS = 1 << BUCKET_BITS,
    TABLE_BYTES = 4 << 20,
    LEAST = 256, /* compositions that a table holds besides those of all SMs */
    WORTH = 4    /* a table is kept if at least so many changes came on each composition made */
};

void sms__add_background(const struct sms__device *model, size_t sm, double *usage)
{
    for (size_t i = 0; i < model->backgrounds; i++) {
        const struct sms__background *background = &model->background[i];
        for (size_t d = 0; background->sm == sm && d < background->demands; d++)
            usage[sms__resource_index(model, background->demand[d].resource)] +=
                (double)(uint64_t)(background->demand[d].ratio * SMS_FULL + 0.5);
    }
}

static bool is_apart(const struct sms__blocks *device) { return device->rating.pressure != device->rating.total; }

static bool finds_levels(const struct sms__blocks *device) { return device->rating.levels.user != NULL; }

/* Returns how many shapes an SM may hold at most. */
static size_t most_users(const struct sms__blocks *device)
{
    size_t shapes = device->search.shapes, limit = device->setup.model->sm.blocks;
    return shapes < limit ? shapes : limit;
}

static struct sms__composition *new_composition(struct sms__blocks *device, size_t shapes)
{
    struct sms__composition *new = sms__alloc(device->arena, 1, sizeof *new + shapes * sizeof new->shape[0]);
    new->pressure = is_apart(device) ? SMS__NEW(device->arena, double, SMS_RESOURCES_MAX) : new->usage;
    if (device->compositions.keeps_scores)
        new->row = SMS__NEW(device->arena, uint64_t, device->search.words);
    if (finds_levels(device) && shapes > 0)
        new->user = SMS__NEW(device->arena, struct sms__level_user, most_users(device));
    return new;
}

/* Returns the resources of scope sm of which `usage` is over 100 %, one bit each. */
static uint32_t over_full(const struct sms__blocks *device, const double *usage)
{
    uint32_t over = 0;
    for (size_t r = 0; r < device->setup.model->resources; r++)
        over |= (uint32_t)(usage[r] > SMS_FULL) << r;
    return over & device->rating.sm_scope;
}

/* Goes by pairs of resources, so that the compiler adds two at once. Demands beyond the device's resources are 0. */
static inline void add(double *restrict usage, const double *restrict demand, size_t resources, double times)
{
    for (size_t r = 0; r < resources; r += 2) {
        usage[r] += times * demand[r];
        usage[r + 1] += times * demand[r + 1];
    }
}

static bool has_most_blocks(const struct sms__blocks *device, const struct sms__composition *composition)
{
    return composition->used[SMS_BLOCKS] == device->setup.model->sm.blocks;
}

static void add_blocks(const struct sms__blocks *device, struct sms__composition *to, const struct sms__footprint *fit,
                       int64_t blocks)
{
    add(to->usage, fit->demand, device->setup.model->resources, (double)blocks);
    if (to->pressure != to->usage)
        add(to->pressure, fit->pressure, device->setup.model->resources, (double)blocks);
    for (int l = 0; l < SMS_LIMITS; l++)
        to->used[l] += (uint64_t)blocks * fit->needs[l];
    to->over = over_full(device, to->usage);
    to->is_closed = has_most_blocks(device, to);
    to->is_rated = false;
}

void sms__composition_record(struct sms__blocks *device, struct sms__composition *composition)
{
    struct sms__device_record *record = device->setup.record;
    sms__integral time = composition->time_ps;
    composition->time_ps = 0;
    if (composition->used[SMS_BLOCKS])
        record->active += time * (sms__integral)SMS_FULL;
    for (uint32_t left = composition->over; left; left &= left - 1) {
        int r = __builtin_ctz(left);
        record->over[r] += time * (sms__integral)SMS_FULL;
        record->excess[r] += (sms__integral)(int64_t)(composition->usage[r] - SMS_FULL) * time;
    }
}

void sms__compositions_record(struct sms__blocks *device)
{
    for (size_t b = 0; device->compositions.shared && b < BUCKETS; b++)
        for (struct sms__composition *c = device->compositions.bucket[b]; c; c = c->next)
            sms__composition_record(device, c);
}

/* Works out how much the SM slows each of its blocks. */
static void slow_down(const struct sms__blocks *device, struct sms__composition *c)
{
    double slowdown[SMS_RESOURCES_MAX];
    uint32_t slowing = sms__sm_slowdowns(device, c, slowdown);
    c->even = true;
    for (size_t i = 0; i < device->search.shapes; i++) {
        if (c->shape[i].blocks == 0)
            continue;
        const struct sms__footprint *fit = device->search.shape[i]->fit;
        c->shape[i].slow = sms__sm_slow(&device->rating, slowdown, slowing, fit);
        c->even &= !device->rating.adds || !fit->of_device;
        c->shape[i].speed = 1 / c->shape[i].slow;
    }
}

static size_t hash_of(const uint32_t *wanted, size_t shapes)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < shapes; i++)
        hash = (hash + wanted[i] + 1) * 0x9e3779b97f4a7c15u;
    return hash >> (64 - BUCKET_BITS);
}

static bool is_wanted(const struct sms__composition *c, const uint32_t *wanted, size_t shapes)
{
    bool equal = true;
    for (size_t i = 0; i < shapes; i++)
        equal &= c->shape[i].blocks == wanted[i];
    return equal;
}

/* Returns one to fill, empty. */
static struct sms__composition *take(struct sms__blocks *device)
{
    struct sms__composition *new = device->compositions.free;
    size_t shapes = device->search.shapes;
    if (!new)
        return new_composition(device, shapes);
    double *pressure = new->pressure;
    uint64_t *row = new->row; /* no SM has it, so no bit is set */
    struct sms__level_user *user = new->user;
    device->compositions.free = new->next;
    memset(new, 0, sizeof *new + shapes * sizeof new->shape[0]);
    if (is_apart(device))
        memset(pressure, 0, SMS_RESOURCES_MAX * sizeof *pressure);
    new->pressure = pressure;
    new->row = row;
    new->user = user;
    return new;
}

/* Works out of which shapes it takes a block. */
static void find_room(const struct sms__blocks *device, struct sms__composition *c)
{
    for (size_t i = 0; i < device->search.shapes; i++)
        if (device->search.shape[i])
            c->fits |= (uint64_t)sms__takes(device, c, device->search.shape[i]) << i;
}

/* Makes the composition of the wanted blocks, which has one of the shape more or less than another; NULL: it is empty.
 */
static struct sms__composition *make(struct sms__blocks *device, const struct sms__composition *from, size_t shape,
                                     bool more)
{
    struct sms__composition *c = take(device);
    for (size_t i = 0; i < device->search.shapes; i++)
        c->shape[i].blocks = device->compositions.wanted[i];
    if (from) { /* sums are exact in any order */
        memcpy(c->usage, from->usage, sizeof c->usage);
        memcpy(c->pressure, from->pressure, sizeof c->usage);
        memcpy(c->used, from->used, sizeof c->used);
        add_blocks(device, c, device->search.shape[shape]->fit, more ? 1 : -1);
    }
    if (device->setup.contention->slowdown)
        slow_down(device, c);
    else if (finds_levels(device))
        sms__levels_rate_composition(device, c);
    if (device->search.knows_room)
        find_room(device, c);
    return c;
}

/* Returns the composition with the wanted blocks. Makes it if there is none. */
static struct sms__composition *find(struct sms__blocks *device, const struct sms__composition *from, size_t shape,
                                     bool more)
{
    struct sms__compositions *all = &device->compositions;
    size_t shapes = device->search.shapes;
    struct sms__composition **at = &all->bucket[hash_of(all->wanted, shapes)], *c = *at;
    while (c && !is_wanted(c, all->wanted, shapes))
        c = c->next;
    if (c)
        return c;
    c = make(device, from, shape, more);
    c->next = *at;
    *at = c;
    all->count++;
    all->made++;
    return c;
}

/* Frees the compositions in which no SM is. Another may be where one was in which an SM was rated. */
static void forget(struct sms__blocks *device)
{
    struct sms__compositions *all = &device->compositions;
    for (size_t s = 0; s < device->sms; s++)
        if (device->sm[s].rated != device->sm[s].composition)
            device->sm[s].rated = NULL;
    for (size_t b = 0; b < BUCKETS; b++)
        for (struct sms__composition **at = &all->bucket[b], *c; (c = *at);) {
            for (size_t i = 0; i < device->search.shapes; i++)
                c->shape[i].more = c->shape[i].less = NULL;
            if (c->sms) {
                at = &c->next;
                continue;
            }
            sms__composition_record(device, c);
            *at = c->next;
            c->next = all->free;
            all->free = c;
            all->count--;
        }
}

void sms__compositions_drop(struct sms__blocks *device, uint64_t shapes)
{
    forget(device);
    for (size_t b = 0; b < BUCKETS; b++)
        for (struct sms__composition *c = device->compositions.bucket[b]; c; c = c->next) {
            c->fits &= ~shapes;
            c->scored &= ~shapes;
        }
}

void sms__compositions_add(struct sms__blocks *device, const struct sms__shape *shape)
{
    for (size_t b = 0; b < BUCKETS; b++)
        for (struct sms__composition *c = device->compositions.bucket[b]; c; c = c->next)
            c->fits |= (uint64_t)sms__takes(device, c, shape) << shape->idx;
}

void sms__compositions_part(struct sms__blocks *device)
{
    sms__compositions_record(device);
    device->compositions.shared = device->compositions.keeps_scores = false;
    for (size_t s = 0; s < device->sms; s++) {
        const struct sms__composition *shared = device->sm[s].composition;
        struct sms__composition *own = new_composition(device, 0);
        double *pressure = own->pressure;
        *own = *shared;
        own->pressure = pressure;
        memcpy(pressure, shared->pressure, SMS_RESOURCES_MAX * sizeof *pressure);
        own->is_closed = has_most_blocks(device, own);
        device->sm[s].composition = own;
        device->sm[s].rated = NULL;
    }
    sms__search_forget(device);
}

/* Makes room in the table, or does without it. */
static void make_room(struct sms__blocks *device)
{
    struct sms__compositions *all = &device->compositions;
    bool is_worth = all->moves >= WORTH * all->made;
    all->moves = all->made = 0;
    if (is_worth)
        forget(device);
    else
        sms__compositions_part(device);
}

struct sms__composition *sms__composition_find(struct sms__blocks *device, struct sms__composition *from, size_t shape,
                                               bool more)
{
    struct sms__composition **next = more ? &from->shape[shape].more : &from->shape[shape].less;
    uint32_t *wanted = device->compositions.wanted;
    from->sms++; /* so that it is kept */
    if (device->compositions.count >= device->compositions.most)
        make_room(device);
    from->sms--;
    if (!device->compositions.shared)
        return NULL;
    for (size_t i = 0; i < device->search.shapes; i++)
        wanted[i] = from->shape[i].blocks;
    wanted[shape] = more ? wanted[shape] + 1 : wanted[shape] - 1;
    *next = find(device, from, shape, more);
    return *next;
}

static void count_first(struct sms__compositions *all, struct sms__composition *to)
{
    to->place = all->present++;
    all->with_sms[to->place] = to;
}

static void count_last(struct sms__compositions *all, const struct sms__composition *from)
{
    struct sms__composition *last = all->with_sms[--all->present];
    last->place = from->place;
    all->with_sms[last->place] = last;
}

void sms__compositions_count(struct sms__blocks *device, size_t sm, struct sms__composition *from,
                             struct sms__composition *to)
{
    struct sms__compositions *all = &device->compositions;
    if (from->sms == 0)
        count_last(all, from);
    if (to->sms == 1)
        count_first(all, to);
    if (finds_levels(device)) {
        sms__levels_count(device, from, -1);
        sms__levels_count(device, to, 1);
    }
    if (!all->keeps_scores)
        return;
    from->row[sm / 64] ^= (uint64_t)1 << (sm % 64);
    to->row[sm / 64] ^= (uint64_t)1 << (sm % 64);
}

/* Gives the SM the composition with so many blocks more, or less. Returns how many of them are left to add if SMs have
 * just got their own. */
static inline int64_t move_by(struct sms__sm_state *sm, const struct sms__shape *shape, int64_t blocks)
{
    struct sms__blocks *device = sm->device;
    uint64_t fitted = sm->composition->fits;
    while (blocks != 0) {
        struct sms__composition *to = sms__composition_next(device, sm->composition, shape->idx, blocks > 0);
        if (!to)
            return blocks;
        sms__composition_move(sm, to);
        blocks -= blocks > 0 ? 1 : -1;
    }
    if (fitted != sm->composition->fits)
        sms__search_room(device, sm->idx, fitted ^ sm->composition->fits);
    return 0;
}

void sms__compose(struct sms__sm_state *sm, const struct sms__shape *shape, int64_t blocks, uint64_t now)
{
    struct sms__blocks *device = sm->device;
    int64_t left = device->compositions.shared ? move_by(sm, shape, blocks) : blocks;
    if (left != 0) {
        device->search.closed_sms -= sm->composition->is_closed;
        add_blocks(device, sm->composition, shape->fit, left);
        sm->rated = NULL;
        device->search.closed_sms += sm->composition->is_closed;
    }
    if (!shape->fit->device_scope)
        return;
    if (device->rating.implied.shapes && (blocks == 1 || blocks == -1))
        sms__device_usage_swap(device, blocks < 0 ? shape : NULL, blocks < 0 ? NULL : shape, now);
    else
        sms__device_usage_add(device, shape, blocks, now);
}

/* Gives the SM a composition of its own, with its background. */
static void begin_own(struct sms__blocks *device, size_t s)
{
    struct sms__composition *own = new_composition(device, 0);
    sms__add_background(device->setup.model, s, own->usage);
    if (own->pressure != own->usage)
        memcpy(own->pressure, own->usage, sizeof own->usage);
    own->over = over_full(device, own->usage);
    own->sms = 1;
    device->sm[s].composition = own;
    for (size_t r = 0; r < device->setup.model->resources; r++) {
        device->rating.total[r] += own->usage[r];
        if (is_apart(device))
            device->rating.pressure[r] += own->usage[r];
    }
}

static size_t most_of(const struct sms__blocks *device)
{
    size_t each = sizeof(struct sms__composition) + device->search.shapes * sizeof(struct sms__composed) +
                  device->search.words * sizeof(uint64_t) +
                  (finds_levels(device) ? most_users(device) * sizeof(struct sms__level_user) : 0);
    size_t most = TABLE_BYTES / each, least = device->sms + LEAST;
    return most > least ? most : least;
}

/* What a policy answers depends on the composition alone if it is pure, and looks at no resource of scope device. */
static bool is_of_sm(const struct sms__blocks *device)
{
    const struct sms_block_policy *policy = device->setup.policy->policy;
    return device->policy.pure && (!device->setup.device_scope || policy->promises & SMS_LOCAL);
}

void sms__compositions_init(struct sms__blocks *device)
{
    struct sms__compositions *all = &device->compositions;
    const struct sms_block_policy *policy = device->setup.policy->policy;
    all->shared = !device->reference && !device->setup.model->backgrounds && device->search.shapes <= SMS__SHAPES_MAX;
    for (size_t s = 0; !all->shared && s < device->sms; s++)
        begin_own(device, s);
    if (!all->shared)
        return;
    all->most = most_of(device);
    device->search.knows_room = !device->observed && /* an observer gets each answer, so they are asked */
                                (!policy->admits || (device->policy.cacheable && is_of_sm(device)));
    all->keeps_scores = policy->score && device->search.knows_room && is_of_sm(device);
    all->counts_sms = all->keeps_scores || finds_levels(device);
    all->bucket = SMS__NEW(device->arena, struct sms__composition *, BUCKETS);
    all->wanted = SMS__NEW(device->arena, uint32_t, device->search.shapes);
    all->with_sms = SMS__NEW(device->arena, struct sms__composition *, device->sms);
    struct sms__composition *empty = find(device, NULL, 0, false);
    empty->sms = device->sms;
    count_first(all, empty);
    for (size_t s = 0; s < device->sms; s++) {
        device->sm[s].composition = empty;
        if (empty->row)
            empty->row[s / 64] |= (uint64_t)1 << (s % 64);
    }
}
