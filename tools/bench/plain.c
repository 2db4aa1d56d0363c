#include "plain.h"

#include <stdlib.h>

enum { SMS = 80, SLOTS = 16 };

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
    for (int r = 0; r < PLAIN_RESOURCES; r++)
        sm->usage[r] -= loop->work->demand[sm->kernel[sm->first]][r];
    place(loop, sm, sm->first);
    rate(loop, sm);
    sift(loop);
}

static int by_next(const void *a, const void *b)
{
    const struct plain_sm *x = *(const struct plain_sm *const *)a, *y = *(const struct plain_sm *const *)b;
    return (x->next > y->next) - (x->next < y->next);
}

double plain_loop(const struct plain_work *work, uint64_t blocks)
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

struct ticking {
    float left[SMS][SLOTS];
    int kernel[SMS][SLOTS]; /* -1: free */
    float usage[SMS][PLAIN_RESOURCES];
};

/* How much longer everything on the SM takes. */
static float overhead(const struct ticking *state, int s)
{
    float most = 1;
    for (int r = 0; r < PLAIN_RESOURCES; r++)
        most = state->usage[s][r] > most ? state->usage[s][r] : most;
    return most - 1;
}

static void change_usage(const struct plain_work *work, struct ticking *state, int s, int kernel, float sign)
{
    for (int r = 0; r < PLAIN_RESOURCES; r++)
        state->usage[s][r] += sign * (float)work->demand[kernel][r];
}

static void fill(struct loop *draws, struct ticking *state)
{
    const struct plain_work *work = draws->work;
    for (int s = 0; s < SMS; s++)
        for (int i = 0; i < SLOTS; i++) {
            if (state->kernel[s][i] >= 0)
                continue;
            int kernel = draws->turn;
            state->kernel[s][i] = kernel;
            state->left[s][i] = (float)(work->time_us[kernel] * (1 + work->jitter * 3.4641016 * draw(draws)));
            change_usage(work, state, s, kernel, 1);
            draws->turn = (kernel + 1) % PLAIN_KERNELS;
        }
}

/* How many blocks end on the SM in this tick. */
static uint64_t tick(const struct plain_work *work, struct ticking *state, int s)
{
    float progress = 1 / (1 + overhead(state, s));
    uint64_t ended = 0;
    for (int i = 0; i < SLOTS; i++) {
        state->left[s][i] -= progress;
        if (state->left[s][i] > 0)
            continue;
        change_usage(work, state, s, state->kernel[s][i], -1);
        state->kernel[s][i] = -1;
        ended++;
    }
    return ended;
}

double plain_ticks(const struct plain_work *work, uint64_t blocks)
{
    struct ticking *state = calloc(1, sizeof *state);
    struct loop draws = {.work = work, .random = 88172645463325252u};
    double now = 0;
    if (!state)
        return -1;
    for (int s = 0; s < SMS; s++)
        for (int i = 0; i < SLOTS; i++)
            state->kernel[s][i] = -1;
    for (uint64_t ended = 0; ended < blocks; now++) {
        fill(&draws, state);
        for (int s = 0; s < SMS; s++)
            ended += tick(work, state, s);
    }
    free(state);
    return now;
}
