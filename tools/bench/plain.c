/* What the engine is measured against: the least that the work can be done with,
 * for one device, one model and one policy, typed in. */
#include "plain.h"

#include <stdlib.h>

enum { SMS = 80, SLOTS = 16, RESOURCES = 8 };

struct plain_sm {
    double usage[RESOURCES];
    double left[SLOTS]; /* work, ns */
    double speed[SLOTS];
    int kernel[SLOTS];
    double settled, next; /* ns */
    int first;            /* slot that ends next */
};

struct loop {
    const struct plain_work *work;
    struct plain_sm sm[SMS];
    int heap[SMS];
    uint64_t random;
    int turn;
};

/* xorshift64*, uniform in [-0.5, 0.5). */
static double draw(struct loop *loop)
{
    loop->random ^= loop->random >> 12;
    loop->random ^= loop->random << 25;
    loop->random ^= loop->random >> 27;
    return (double)(loop->random * 0x2545f4914f6cdd1du >> 11) / 9007199254740992.0 - 0.5;
}

static void place(struct loop *loop, struct plain_sm *sm, int slot)
{
    const struct plain_kernel *kernel = &loop->work->kernel[loop->turn];
    sm->kernel[slot] = loop->turn;
    sm->left[slot] = kernel->time_ns * (1 + kernel->jitter * 3.4641016 * draw(loop));
    for (int r = 0; r < RESOURCES; r++)
        sm->usage[r] += kernel->demand[r];
    loop->turn = (loop->turn + 1) % PLAIN_KERNELS;
}

static void rate(const struct loop *loop, struct plain_sm *sm)
{
    double slowdown[PLAIN_KERNELS];
    for (int k = 0; k < PLAIN_KERNELS; k++) {
        slowdown[k] = 1;
        for (int r = 0; r < RESOURCES; r++)
            if (loop->work->kernel[k].demand[r] > 0 && sm->usage[r] > slowdown[k])
                slowdown[k] = sm->usage[r];
    }
    double soonest = 1e300;
    for (int i = 0; i < SLOTS; i++) {
        double after = sm->left[i] * slowdown[sm->kernel[i]];
        sm->speed[i] = 1 / slowdown[sm->kernel[i]];
        if (after < soonest) {
            soonest = after;
            sm->first = i;
        }
    }
    sm->next = sm->settled + soonest;
}

/* The SM that has changed is at the top. */
static void sift(struct loop *loop)
{
    int at = 0, own = loop->heap[0];
    for (int child = 1; child < SMS; child = 2 * at + 1) {
        if (child + 1 < SMS && loop->sm[loop->heap[child + 1]].next < loop->sm[loop->heap[child]].next)
            child++;
        if (loop->sm[own].next <= loop->sm[loop->heap[child]].next)
            break;
        loop->heap[at] = loop->heap[child];
        at = child;
    }
    loop->heap[at] = own;
}

static void step(struct loop *loop)
{
    struct plain_sm *sm = &loop->sm[loop->heap[0]];
    double elapsed = sm->next - sm->settled;
    for (int i = 0; i < SLOTS; i++)
        sm->left[i] -= elapsed * sm->speed[i];
    sm->settled = sm->next;
    for (int r = 0; r < RESOURCES; r++)
        sm->usage[r] -= loop->work->kernel[sm->kernel[sm->first]].demand[r];
    place(loop, sm, sm->first);
    rate(loop, sm);
    sift(loop);
}

static int by_next(const void *a, const void *b)
{
    const struct plain_sm *x = *(const struct plain_sm *const *)a, *y = *(const struct plain_sm *const *)b;
    return (x->next > y->next) - (x->next < y->next);
}

double plain_run(const struct plain_work *work, uint64_t blocks)
{
    struct loop *loop = calloc(1, sizeof *loop);
    struct plain_sm *order[SMS];
    if (!loop)
        return -1;
    loop->work = work;
    loop->random = 88172645463325252u;
    for (int s = 0; s < SMS; s++) {
        for (int i = 0; i < SLOTS; i++)
            place(loop, &loop->sm[s], i);
        rate(loop, &loop->sm[s]);
        order[s] = &loop->sm[s];
    }
    qsort(order, SMS, sizeof *order, by_next);
    for (int s = 0; s < SMS; s++)
        loop->heap[s] = (int)(order[s] - loop->sm);
    for (uint64_t b = 0; b < blocks; b++)
        step(loop);
    double end = loop->sm[loop->heap[0]].next;
    free(loop);
    return end;
}
