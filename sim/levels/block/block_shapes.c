/* The shapes of a run's blocks, and their indexes. What compositions know of a shape is found by its index, and sets of
 * shapes are 64 bits. The trace of a program has hundreds of shapes, but few are under way at a time. In a run with
 * more than 64, a shape gets an index when a launch of it joins its queue. It may lose it once no launch has blocks
 * that wait or are on SMs.
 *
 * Invariant: a shape of which blocks wait or are on SMs has an index. If more than 64 are under way at once, each SM
 * gets a composition of its own (composition.c), and indexes beyond 64 are used. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

struct kernel_type {
    const struct sms__footprint *fit;
    const struct sms__allowed *allowed;
    size_t idx;
};

static int compare_parts(const double *a, const double *b)
{
    int order = 0;
    for (int r = 0; !order && r < SMS_RESOURCES_MAX; r++)
        order = (a[r] > b[r]) - (a[r] < b[r]);
    return order;
}

static int compare_fits(const struct sms__footprint *a, const struct sms__footprint *b)
{
    int order = memcmp(a->needs, b->needs, sizeof a->needs);
    order = order ? order : compare_parts(a->demand, b->demand);
    order =
        order ? order : compare_parts(a->pressure, b->pressure); /* kernels that fill a device less slow less alone */
    return order ? order : (a->cls > b->cls) - (a->cls < b->cls);
}

static int compare_shapes(const struct kernel_type *x, const struct kernel_type *y)
{
    int order = compare_fits(x->fit, y->fit);
    size_t a = x->allowed ? x->allowed->owner + 1 : 0, b = y->allowed ? y->allowed->owner + 1 : 0;
    return order ? order : (a > b) - (a < b);
}

static int compare(const void *a, const void *b)
{
    const struct kernel_type *x = a, *y = b;
    int order = compare_shapes(x, y);
    return order ? order : (x->idx > y->idx) - (x->idx < y->idx);
}

/* Speeds of max-min add up over shapes in the order of their indexes, so there each keeps its own. */
static bool takes_turns(const struct sms__blocks *device)
{
    return device->search.count > SMS__SHAPES_MAX && !device->reference && !device->setup.model->backgrounds &&
           !device->setup.contention->is_max_min;
}

void sms__shapes_init(struct sms__blocks *device)
{
    const struct sms__blocks_setup *setup = &device->setup;
    struct sms__block_search *search = &device->search;
    size_t present = 0, count = 0; /* under time slices a context may have few of thousands of kernel types */
    for (size_t k = 0; k < setup->kernel_types; k++)
        present += setup->kernel_type[k] != NULL;
    struct kernel_type *sorted = SMS__NEW(device->arena, struct kernel_type, present);
    for (size_t k = 0; k < setup->kernel_types; k++)
        if (setup->kernel_type[k])
            sorted[count++] = (struct kernel_type){setup->kernel_type[k], setup->allowed ? setup->allowed[k] : NULL, k};
    qsort(sorted, count, sizeof *sorted, compare);
    search->all = SMS__NEW(device->arena, struct sms__shape, count);
    search->shape_of = SMS__NEW(device->arena, struct sms__shape *, setup->kernel_types);
    for (size_t i = 0; i < count; i++) {
        const struct sms__footprint *fit = sorted[i].fit;
        if (i == 0 || compare_shapes(&sorted[i - 1], &sorted[i])) {
            search->all[search->count++] = (struct sms__shape){
                .fit = fit, .allowed = sorted[i].allowed, .request = {.adds = fit->adds, .needs = fit->needs}};
        }
        search->shape_of[sorted[i].idx] = &search->all[search->count - 1];
    }
    const bool turns = takes_turns(device);
    search->shape = SMS__NEW(device->arena, struct sms__shape *, search->count);
    search->shapes = turns ? SMS__SHAPES_MAX : search->count;
    search->unused = turns ? ~(uint64_t)0 : 0;
    for (size_t i = 0; i < search->count; i++) {
        search->all[i].idx = turns ? SMS__NO_INDEX : i;
        search->shape[i] = turns ? NULL : &search->all[i];
    }
}

/* Takes the index of each shape of which no launch is under way. */
static void take_back(struct sms__blocks *device)
{
    struct sms__block_search *search = &device->search;
    for (size_t i = 0; i < search->shapes; i++) {
        struct sms__shape *shape = search->shape[i];
        if (shape->live)
            continue;
        search->unused |= (uint64_t)1 << i;
        search->shape[i] = NULL;
        shape->idx = SMS__NO_INDEX;
        if (!search->knows_room)
            continue;
        memset(shape->row, 0, search->words * sizeof *shape->row);
        memset(shape->summary, 0, (search->words + 63) / 64 * sizeof *shape->summary);
        shape->candidates = 0;
    }
    search->open &= ~search->unused;
    if (search->unused)
        sms__compositions_drop(device, search->unused);
}

void sms__shape_admit(struct sms__blocks *device, struct sms__shape *shape)
{
    struct sms__block_search *search = &device->search;
    if (!search->unused && device->compositions.shared)
        take_back(device);
    if (!search->unused && device->compositions.shared)
        sms__compositions_part(device);
    shape->idx = search->unused ? (size_t)__builtin_ctzll(search->unused) : search->shapes++;
    search->unused &= search->unused - 1;
    search->shape[shape->idx] = shape;
    if (search->knows_room)
        sms__compositions_add(device, shape);
}
