/* What no packing can exceed. Each GPU of a packing has a set of programs. What a set is worth at most follows from
 * memory, from what kernels demand of each resource, and from pairs that were simulated: a program does no more in a
 * set than beside any one of it. The linear program over all sets is solved by column generation: sets that are worth
 * more than their price are searched for, until there are none. At any prices the best of all sets gives a bound (the
 * dual of Lagrange), so the least bound is kept, and holds where the search ends early. Source of the method: Gilmore
 * and Gomory, Operations Research 9 (1961). */
#include "pack.h"

#include <math.h>
#include <string.h>

enum {
    ROUNDS_MOST = 100,  /* of prices */
    NODES_MOST = 20000, /* sets that are looked at for one kind at one price */
};
/* By such a part work may be below what it is by chance in the shorter runs. */
static const double CHANCE_OF_WORK = 0.05;
/* What the solver's tolerances may hide. */
static const double SLACK = 1e-6;

enum sought { MOST_WORTH, MOST_COPIES, FEWEST };

struct bounding {
    struct sms__arena *arena;
    const struct sms__pack *pack;
    enum sought sought;
    double *beside; /* [kinds][programs][programs]: work of a copy beside one of another, at most; below 0: not so */
    double *price;  /* [programs + kinds + 1], as of sms__pack_solve */
    struct sms__pack_choice *set;
    size_t sets;
    /* Of the search: */
    size_t kind, nodes, resource;
    double relief;    /* what more of the resource would add */
    uint64_t *copies; /* [programs]: of the set at hand */
    uint64_t size;
    double *most;     /* [programs]: work of its copies at most */
    double best, cut; /* value less price of the best set, and at most of those that were not looked at */
};

static double *beside_of(const struct bounding *b, size_t p, size_t q)
{
    const size_t programs = b->pack->programs->count;
    return &b->beside[(b->kind * programs + p) * programs + q];
}

static double alone_of(const struct bounding *b, size_t p) { return sms__pack_alone(b->pack, b->kind, p)->worth; }

/* Work of a copy of p beside one of q. */
static double work_beside(const struct bounding *b, size_t p, size_t q)
{
    const struct sms__group *pair = sms__pack_pair(b->pack, b->kind, p, q);
    const double alone = alone_of(b, p);
    if (!sms__pack_alone(b->pack, b->kind, p)->works ||
        (pair && pair->misses_by > (pair->ran < SMS__WHOLE_RUN ? SMS__MISSES_BY_CHANCE : 1)))
        return -1;
    if (!pair || b->pack->programs->program[p].per_s > 0)
        return alone;
    const double each = pair->per_s[p] / (double)pair->copies[p] / b->pack->unit_per_s[p];
    return fmin(each * (1 + CHANCE_OF_WORK), alone);
}

static void prepare(struct bounding *b)
{
    const size_t programs = b->pack->programs->count;
    b->beside = SMS__NEW(b->arena, double, b->pack->kinds *programs *programs);
    b->price = SMS__NEW(b->arena, double, programs + b->pack->kinds + 1);
    b->copies = SMS__NEW(b->arena, uint64_t, programs);
    b->most = SMS__NEW(b->arena, double, programs);
    for (b->kind = 0; b->kind < b->pack->kinds; b->kind++)
        for (size_t p = 0; p < programs; p++)
            for (size_t q = 0; q < programs; q++)
                *beside_of(b, p, q) = work_beside(b, p, q);
}

/* ---- what a set is worth ---- */

/* Sets `most`. False: the set does not work. */
static bool limit(const struct bounding *b)
{
    const size_t programs = b->pack->programs->count;
    for (size_t p = 0; p < programs; p++) {
        double each = alone_of(b, p);
        for (size_t q = 0; q < programs && b->copies[p]; q++)
            if (b->copies[q] > (p == q))
                each = fmin(each, *beside_of(b, p, q));
        if (each < 0)
            return false;
        b->most[p] = each * (double)b->copies[p];
    }
    return sms__pack_prune(b->pack, b->kind, b->copies) == SMS__MAY_WORK;
}

/* What the resource takes from a unit of work of p, at that relief. Jobs that arrive are done in any case. */
static double taxed(const struct bounding *b, size_t p, size_t resource, double relief)
{
    const double *use = &b->pack->use[(b->kind * b->pack->programs->count + p) * SMS_RESOURCES_MAX];
    const double left = 1 - relief * use[resource] / alone_of(b, p);
    return b->pack->programs->program[p].per_s > 0 ? left : fmax(left, 0);
}

/* At most, by one resource: exact at the best relief, which is 0 or makes some program's work worth nothing. */
static double worth_at(const struct bounding *b, size_t resource, double relief)
{
    double worth = relief;
    for (size_t p = 0; p < b->pack->programs->count; p++)
        worth += b->copies[p] ? b->most[p] * taxed(b, p, resource, relief) : 0;
    return worth;
}

static double relief_of(const struct bounding *b, size_t p, size_t resource)
{
    const double use = b->pack->use[(b->kind * b->pack->programs->count + p) * SMS_RESOURCES_MAX + resource];
    return use > 0 && b->pack->programs->program[p].per_s <= 0 ? alone_of(b, p) / use : 0;
}

static double value_of(const struct bounding *b)
{
    const size_t programs = b->pack->programs->count;
    double worth = worth_at(b, 0, 0);
    if (b->sought != MOST_WORTH)
        return b->sought == FEWEST ? -1 : (double)b->size;
    for (size_t r = 0; r < b->pack->kind[b->kind].device->resources; r++)
        for (size_t p = 0; p < programs; p++)
            if (b->copies[p])
                worth = fmin(worth, worth_at(b, r, relief_of(b, p, r)));
    return worth;
}

/* ---- the best set at these prices ---- */

static double cost_of(const struct bounding *b, size_t p)
{
    return b->price[p] + b->price[b->pack->programs->count + b->pack->kinds];
}

/* What a further copy of p may add, at most. */
static double gain_of(const struct bounding *b, size_t p)
{
    const double value = b->sought == MOST_WORTH ? alone_of(b, p) * taxed(b, p, b->resource, b->relief)
                                                 : (double)(b->sought == MOST_COPIES);
    return sms__pack_alone(b->pack, b->kind, p)->works ? fmax(value - cost_of(b, p), 0) : 0;
}

/* What the set may reach with copies of programs from `first` on. */
static double reach(const struct bounding *b, size_t first)
{
    double reached = b->sought == MOST_WORTH ? worth_at(b, b->resource, b->relief)
                     : b->sought == FEWEST   ? -1
                                             : (double)b->size;
    for (size_t p = 0; p < b->pack->programs->count; p++) {
        const uint64_t left = p < first ? 0 : b->pack->programs->program[p].least - b->copies[p];
        reached += gain_of(b, p) * (double)left - cost_of(b, p) * (double)b->copies[p];
    }
    return reached;
}

static void add_set(struct bounding *b)
{
    const size_t programs = b->pack->programs->count;
    uint64_t *copies = SMS__NEW(b->arena, uint64_t, programs);
    memcpy(copies, b->copies, programs * sizeof *copies);
    *SMS__APPEND(b->arena, b->set, b->sets) = (struct sms__pack_choice){b->kind, copies, b->size, value_of(b), true};
}

static void extend(struct bounding *b, size_t first)
{
    for (size_t p = first; p < b->pack->programs->count; p++) {
        if (b->copies[p] == b->pack->programs->program[p].least || b->size == SMS__SHARING_MAX || gain_of(b, p) <= 0)
            continue;
        b->copies[p]++;
        b->size++;
        if (limit(b)) {
            double value = value_of(b);
            for (size_t q = 0; q < b->pack->programs->count; q++)
                value -= cost_of(b, q) * (double)b->copies[q];
            if (value > b->best + SLACK) {
                b->best = value;
                add_set(b);
            }
            const double most = reach(b, p);
            if (most > b->best + SLACK && ++b->nodes > NODES_MOST)
                b->cut = fmax(b->cut, most);
            else if (most > b->best + SLACK)
                extend(b, p);
        }
        b->copies[p]--;
        b->size--;
    }
}

/* The resource, and its relief, by which all programs together reach least. */
static void choose_relief(struct bounding *b)
{
    double least = INFINITY, relief = 0;
    size_t resource = 0;
    for (size_t r = 0; b->sought == MOST_WORTH && r < b->pack->kind[b->kind].device->resources; r++)
        for (size_t p = 0; p < b->pack->programs->count; p++) {
            b->resource = r;
            b->relief = relief_of(b, p, r);
            const double reached = reach(b, 0);
            if (reached < least) {
                least = reached;
                resource = r;
                relief = b->relief;
            }
        }
    b->resource = resource;
    b->relief = relief;
}

static double search(struct bounding *b, size_t kind)
{
    b->kind = kind;
    b->nodes = 0;
    b->best = b->cut = b->price[b->pack->programs->count + kind];
    choose_relief(b);
    extend(b, 0);
    return fmax(b->best, b->cut);
}

/* ---- the bound ---- */

static void begin(struct bounding *b)
{
    const size_t programs = b->pack->programs->count;
    b->sets = 0;
    b->set = NULL;
    for (size_t g = 0; g < b->pack->groups; g++) {
        const struct sms__group *group = b->pack->group[g];
        b->kind = group->kind;
        b->size = group->size;
        memcpy(b->copies, group->copies, programs * sizeof *b->copies);
        if (group->works && limit(b))
            add_set(b);
    }
    memset(b->copies, 0, programs * sizeof *b->copies);
    b->size = 0;
}

static int seek(struct bounding *b, enum sought sought, uint64_t placed, double *bound)
{
    const size_t programs = b->pack->programs->count, kinds = b->pack->kinds;
    int code = SMS_OK;
    size_t known = SIZE_MAX;
    b->sought = sought;
    begin(b);
    *bound = INFINITY;
    for (int round = 0; round < ROUNDS_MOST && known != b->sets && code == SMS_OK; round++) {
        known = b->sets;
        code = sms__pack_solve(b->pack, b->set, b->sets, placed, NULL, b->price);
        for (size_t i = 0; i < programs + kinds; i++) /* the solver's tolerance may make it less */
            b->price[i] = fmax(b->price[i], 0);
        b->price[programs + kinds] = fmin(b->price[programs + kinds], 0);
        double found = b->price[programs + kinds] * (double)placed;
        for (size_t p = 0; p < programs; p++)
            found += b->price[p] * (double)b->pack->programs->program[p].least;
        for (size_t k = 0; k < kinds && code == SMS_OK; k++)
            found += search(b, k) * (double)b->pack->kind[k].gpus;
        *bound = fmin(*bound, found);
    }
    return code;
}

int sms__pack_bound(struct sms__arena *arena, struct sms__pack *pack)
{
    struct bounding b = {.arena = arena, .pack = pack};
    double worth = 0, copies = 0, gpus = 0;
    prepare(&b);
    int code = seek(&b, MOST_WORTH, 0, &worth);
    code = code ? code : seek(&b, MOST_COPIES, 0, &copies);
    code = code ? code : seek(&b, FEWEST, pack->all_placed, &gpus);
    pack->bound = fmax(worth * (1 + SLACK), pack->worth);
    pack->bound_placed = (uint64_t)fmax(floor(copies + SLACK), (double)pack->all_placed);
    const double least = pack->all_placed > 0 ? 1 : 0;
    pack->least_gpus = (uint64_t)fmin(fmax(ceil(-gpus - SLACK), least), (double)pack->fewest);
    return code;
}
