#include "plain.h"

#include <stdlib.h>

enum { SLOTS = 16 };

struct plain_sm {
    double usage[PLAIN_RESOURCES];
    double left[SLOTS]; /* work, us */
    double speed[SLOTS];
    int kernel[SLOTS];
    double settled, next; /* us */
    int first;            /* slot that ends next */
};

struct loop {
    const struct plain_work *work;
    struct plain_sm *sm;
    int *heap; /* of SMs, by `next` */
    int sms;
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
    const struct plain_work *work = loop->work;
    sm->kernel[slot] = loop->turn;
    sm->left[slot] = work->time_us[loop->turn] * (1 + work->jitter * 3.4641016 * draw(loop));
    for (int r = 0; r < PLAIN_RESOURCES; r++)
        sm->usage[r] += work->demand[loop->turn][r];
    loop->turn = (loop->turn + 1) % PLAIN_KERNELS;
}

static void rate(const struct loop *loop, struct plain_sm *sm)
{
    double slowdown[PLAIN_KERNELS];
    for (int k = 0; k < PLAIN_KERNELS; k++) {
        slowdown[k] = 1;
        for (int r = 0; r < PLAIN_RESOURCES; r++)
            if (loop->work->demand[k][r] > 0 && sm->usage[r] > slowdown[k])
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

/* Moves an SM that may be later than its children down to its place. */
static void sift(struct loop *loop, int at)
{
    int own = loop->heap[at];
    for (int child = 2 * at + 1; child < loop->sms; child = 2 * at + 1) {
        if (child + 1 < loop->sms && loop->sm[loop->heap[child + 1]].next < loop->sm[loop->heap[child]].next)
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
    for (int r = 0; r < PLAIN_RESOURCES; r++)
        sm->usage[r] -= loop->work->demand[sm->kernel[sm->first]][r];
    place(loop, sm, sm->first);
    rate(loop, sm);
    sift(loop, 0);
}

/* Fills the SMs one after another. */
static void fill_all(struct loop *loop)
{
    for (int s = 0; s < loop->sms; s++) {
        for (int i = 0; i < SLOTS; i++)
            place(loop, &loop->sm[s], i);
        rate(loop, &loop->sm[s]);
    }
}

static void build_heap(struct loop *loop)
{
    for (int s = 0; s < loop->sms; s++)
        loop->heap[s] = s;
    for (int at = loop->sms / 2 - 1; at >= 0; at--)
        sift(loop, at);
}

double plain_loop(const struct plain_work *work, int sms, uint64_t blocks)
{
    struct loop loop = {.work = work, .sms = sms, .random = 88172645463325252u};
    double end = -1;
    loop.sm = calloc((size_t)sms, sizeof *loop.sm);
    loop.heap = calloc((size_t)sms, sizeof *loop.heap);
    if (loop.sm && loop.heap) {
        fill_all(&loop);
        build_heap(&loop);
        for (uint64_t b = 0; b < blocks; b++)
            step(&loop);
        end = loop.sm[loop.heap[0]].next;
    }
    free(loop.sm);
    free(loop.heap);
    return end;
}

struct tick_sm {
    float left[SLOTS];
    int kernel[SLOTS]; /* -1: free */
    float usage[PLAIN_RESOURCES];
};

/* How much longer everything on the SM takes. */
static float overhead(const struct tick_sm *sm)
{
    float most = 1;
    for (int r = 0; r < PLAIN_RESOURCES; r++)
        most = sm->usage[r] > most ? sm->usage[r] : most;
    return most - 1;
}

static void change_usage(const struct plain_work *work, struct tick_sm *sm, int kernel, float sign)
{
    for (int r = 0; r < PLAIN_RESOURCES; r++)
        sm->usage[r] += sign * (float)work->demand[kernel][r];
}

static void fill(struct loop *draws, struct tick_sm *sm)
{
    const struct plain_work *work = draws->work;
    for (int i = 0; i < SLOTS; i++) {
        if (sm->kernel[i] >= 0)
            continue;
        int kernel = draws->turn;
        sm->kernel[i] = kernel;
        sm->left[i] = (float)(work->time_us[kernel] * (1 + work->jitter * 3.4641016 * draw(draws)));
        change_usage(work, sm, kernel, 1);
        draws->turn = (kernel + 1) % PLAIN_KERNELS;
    }
}

/* How many blocks end on the SM in this tick. */
static uint64_t tick(const struct plain_work *work, struct tick_sm *sm)
{
    float progress = 1 / (1 + overhead(sm));
    uint64_t ended = 0;
    for (int i = 0; i < SLOTS; i++) {
        sm->left[i] -= progress;
        if (sm->left[i] > 0)
            continue;
        change_usage(work, sm, sm->kernel[i], -1);
        sm->kernel[i] = -1;
        ended++;
    }
    return ended;
}

double plain_ticks(const struct plain_work *work, int sms, uint64_t blocks)
{
    struct tick_sm *sm = calloc((size_t)sms, sizeof *sm);
    struct loop draws = {.work = work, .random = 88172645463325252u};
    double now = 0;
    if (!sm)
        return -1;
    for (int s = 0; s < sms; s++)
        for (int i = 0; i < SLOTS; i++)
            sm[s].kernel[i] = -1;
    for (uint64_t ended = 0; ended < blocks; now++) {
        for (int s = 0; s < sms; s++)
            fill(&draws, &sm[s]);
        for (int s = 0; s < sms; s++)
            ended += tick(work, &sm[s]);
    }
    free(sm);
    return now;
}
