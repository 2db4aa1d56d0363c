/* Kernels whose blocks wait, in the order of their launch. Launches of one shape
 * stand or fall together: once one is refused, the others need not be asked, nor
 * even be walked past. Of an owner with several priorities only launches of the
 * highest are in line: a block of a stream waits for all pending ones of higher
 * priority (CUDA programming guide; measured by Amert et
 * al., RTSS 2017). */
#include "inside.h"

#include <stdlib.h>
#include <string.h>

struct kind {
    const struct sms__fit *fit;
    const struct sms__allowed *allowed;
    size_t idx;
};

static int compare_fits(const struct sms__fit *a, const struct sms__fit *b)
{
    int order = memcmp(a->needs, b->needs, sizeof a->needs);
    for (int r = 0; !order && r < SMS_RESOURCES_MAX; r++)
        order = (a->demand[r] > b->demand[r]) - (a->demand[r] < b->demand[r]);
    return order;
}

static int compare_shapes(const struct kind *x, const struct kind *y)
{
    int order = compare_fits(x->fit, y->fit);
    size_t a = x->allowed ? x->allowed->owner + 1 : 0, b = y->allowed ? y->allowed->owner + 1 : 0;
    return order ? order : (a > b) - (a < b);
}

static int compare(const void *a, const void *b)
{
    const struct kind *x = a, *y = b;
    int order = compare_shapes(x, y);
    return order ? order : (x->idx > y->idx) - (x->idx < y->idx);
}

void sms__line_init(struct sms__blocks *device, const struct sms__fit *const *kinds, size_t n_kinds)
{
    size_t present = 0, count = 0; /* under time slices a unit has the kinds of one process in thousands */
    for (size_t k = 0; k < n_kinds; k++)
        present += kinds[k] != NULL;
    struct kind *sorted = SMS__NEW(device->arena, struct kind, present);
    for (size_t k = 0; k < n_kinds; k++)
        if (kinds[k])
            sorted[count++] = (struct kind){kinds[k], device->allowed ? device->allowed[k] : NULL, k};
    qsort(sorted, count, sizeof *sorted, compare);
    device->shape = SMS__NEW(device->arena, struct sms__shape, count);
    device->shape_of = SMS__NEW(device->arena, struct sms__shape *, n_kinds);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || compare_shapes(&sorted[i - 1], &sorted[i]))
            device->shape[device->shapes++] = (struct sms__shape){.fit = sorted[i].fit, .allowed = sorted[i].allowed};
        device->shape_of[sorted[i].idx] = &device->shape[device->shapes - 1];
    }
}

/* At its number's place, which is the end unless it has stood aside. */
static void insert(struct sms__blocks *device, struct sms__launch *launch)
{
    struct sms__shape *shape = launch->shape;
    struct sms__launch *prev = device->tail, *before = shape->tail;
    while (prev && prev->number > launch->number)
        prev = prev->prev;
    while (before && before->number > launch->number)
        before = before->before;
    launch->prev = prev;
    launch->next = prev ? prev->next : device->head;
    launch->before = before;
    launch->alike = before ? before->alike : shape->head;
    *(prev ? &prev->next : &device->head) = launch;
    *(launch->next ? &launch->next->prev : &device->tail) = launch;
    *(before ? &before->alike : &shape->head) = launch;
    *(launch->alike ? &launch->alike->before : &shape->tail) = launch;
    device->waiting++;
    device->varied += sms__is_drawn(launch->kernel);
    if (!device->turn)
        device->turn = launch;
}

static void take_out(struct sms__blocks *device, struct sms__launch *launch)
{
    struct sms__shape *shape = launch->shape;
    if (device->turn == launch)
        device->turn = launch->next ? launch->next : launch->prev ? device->head : NULL;
    *(launch->prev ? &launch->prev->next : &device->head) = launch->next;
    *(launch->next ? &launch->next->prev : &device->tail) = launch->prev;
    *(launch->before ? &launch->before->alike : &shape->head) = launch->alike;
    *(launch->alike ? &launch->alike->before : &shape->tail) = launch->before;
    device->waiting--;
    device->varied -= sms__is_drawn(launch->kernel);
}

static void stand_aside(struct sms__ranks *ranks, struct sms__launch *launch)
{
    struct sms__launch **at = &ranks->aside;
    while (*at && ((*at)->priority > launch->priority ||
                   ((*at)->priority == launch->priority && (*at)->number < launch->number)))
        at = &(*at)->next;
    launch->next = *at;
    *at = launch;
}

static void clear_line(struct sms__blocks *device, struct sms__ranks *ranks)
{
    for (struct sms__launch *launch = device->head, *next; launch; launch = next) {
        next = launch->next;
        if (launch->ranks != ranks)
            continue;
        take_out(device, launch);
        stand_aside(ranks, launch);
    }
    ranks->lined = 0;
}

void sms__line_join(struct sms__blocks *device, struct sms__launch *launch)
{
    struct sms__ranks *ranks = launch->ranks;
    launch->shape = device->shape_of[launch->kind];
    launch->number = ++device->launches;
    if (ranks && ranks->lined && launch->priority < ranks->level) {
        stand_aside(ranks, launch);
        return;
    }
    if (ranks && ranks->lined && launch->priority > ranks->level)
        clear_line(device, ranks);
    if (ranks) {
        ranks->lined++;
        ranks->level = launch->priority;
    }
    insert(device, launch);
}

void sms__line_leave(struct sms__blocks *device, struct sms__launch *launch)
{
    struct sms__ranks *ranks = launch->ranks;
    take_out(device, launch);
    if (!ranks || --ranks->lined > 0 || !ranks->aside)
        return;
    ranks->next = device->due;
    device->due = ranks;
}

bool sms__line_recall(struct sms__blocks *device)
{
    bool any = device->due != NULL;
    for (struct sms__ranks *ranks = device->due; ranks; ranks = ranks->next) {
        ranks->level = ranks->aside->priority;
        while (ranks->aside && ranks->aside->priority == ranks->level) {
            struct sms__launch *launch = ranks->aside;
            ranks->aside = launch->next;
            ranks->lined++;
            insert(device, launch);
        }
    }
    device->due = NULL;
    if (any)
        sms__wave_break(device);
    device->in_rounds &= device->varied == 0;
    return any;
}

/* The first launch of an open shape that this pass has not visited: all that come
 * before it have been, or are of refused shapes. */
static struct sms__launch *jump(const struct sms__blocks *device)
{
    struct sms__launch *best = NULL;
    for (size_t i = 0; i < device->shapes; i++) {
        const struct sms__shape *shape = &device->shape[i];
        struct sms__launch *own = shape->pass == device->pass ? shape->cursor : shape->head;
        if (own && !sms__is_refused(device, shape) && (!best || own->number < best->number))
            best = own;
    }
    return best;
}

struct sms__launch *sms__line_skip(const struct sms__blocks *device, struct sms__launch *launch)
{
    for (size_t steps = 0; launch && sms__is_refused(device, launch->shape); launch = launch->next)
        if (++steps > device->shapes)
            return jump(device);
    return launch;
}
