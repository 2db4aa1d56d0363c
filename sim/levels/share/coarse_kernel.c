/* Coarse kernels under way. Speeds change only when a kernel starts or ends. */
#include "coarse_kernel.h"

static void advance(struct sms__coarse_kernels *kernels, uint64_t now)
{
    uint64_t elapsed = now - kernels->advanced_ps;
    for (struct sms__coarse_kernel *kernel = kernels->first; kernel && kernels->active; kernel = kernel->next) {
        kernel->left -= kernel->speed * (double)elapsed;
        kernel->ran_ps += elapsed;
    }
    kernels->advanced_ps = now;
}

static void make_scratch(struct sms__coarse_kernels *kernels)
{
    if (kernels->count <= kernels->most)
        return;
    kernels->most = 2 * kernels->count;
    kernels->rated = SMS__NEW(kernels->rater.arena, struct sms__rated, kernels->most);
}

static void rate(struct sms__coarse_kernels *kernels)
{
    size_t n = 0;
    make_scratch(kernels);
    for (struct sms__coarse_kernel *kernel = kernels->first; kernel; kernel = kernel->next)
        kernels->rated[n++] =
            (struct sms__rated){kernel->fit->demand, kernel->fit->room, kernel->fit->cls, &kernel->speed};
    sms__rate_coarse(&kernels->rater, kernels->rated, n);
}

static void schedule(struct sms__coarse_kernels *kernels, uint64_t now)
{
    uint64_t soonest = SMS__NEVER;
    for (const struct sms__coarse_kernel *kernel = kernels->first; kernel && kernels->active; kernel = kernel->next) {
        uint64_t due = sms__after(now, kernel->left / kernel->speed);
        soonest = due < soonest ? due : soonest;
    }
    sms__engine_at(kernels->engine, kernels->source, soonest);
}

void sms__coarse_kernel_start(struct sms__coarse_kernels *kernels, struct sms__coarse_kernel *kernel, double work_ps,
                              uint64_t now)
{
    advance(kernels, now);
    kernel->work = kernel->left = work_ps;
    kernel->ran_ps = 0;
    kernel->next = NULL;
    kernel->prev = kernels->last;
    *(kernels->last ? &kernels->last->next : &kernels->first) = kernel;
    kernels->last = kernel;
    kernels->count++;
    rate(kernels);
    schedule(kernels, now);
}

uint64_t sms__coarse_kernel_ran_ps(const struct sms__coarse_kernels *kernels, const struct sms__coarse_kernel *kernel,
                                   uint64_t now)
{
    return kernel->ran_ps + (kernels->active && kernel->speed > 0 ? now - kernels->advanced_ps : 0);
}

uint64_t sms__coarse_kernel_parts(const struct sms__coarse_kernels *kernels, const struct sms__coarse_kernel *kernel,
                                  uint64_t now)
{
    double left = kernel->left - (kernels->active ? kernel->speed * (double)(now - kernels->advanced_ps) : 0);
    left = left > 0 ? left : 0;
    return kernel->work > 0 ? sms__parts(kernel->work - (left < kernel->work ? left : kernel->work), kernel->work) : 0;
}

static void take_out(struct sms__coarse_kernels *kernels, struct sms__coarse_kernel *kernel)
{
    *(kernel->prev ? &kernel->prev->next : &kernels->first) = kernel->next;
    *(kernel->next ? &kernel->next->prev : &kernels->last) = kernel->prev;
    kernels->count--;
}

void sms__coarse_kernel_drop(struct sms__coarse_kernels *kernels, struct sms__coarse_kernel *kernel, uint64_t now)
{
    advance(kernels, now);
    take_out(kernels, kernel);
    rate(kernels);
    schedule(kernels, now);
}

void sms__coarse_kernels_set_active(struct sms__coarse_kernels *kernels, bool active, uint64_t now)
{
    advance(kernels, now);
    kernels->active = active;
    schedule(kernels, now);
}

/* Takes out the kernels that have less than a picosecond of work left, because ends are rounded up to whole ones. */
static struct sms__coarse_kernel *take_ended(struct sms__coarse_kernels *kernels)
{
    struct sms__coarse_kernel *ended = NULL, **end = &ended, *next;
    for (struct sms__coarse_kernel *kernel = kernels->first; kernel; kernel = next) {
        next = kernel->next;
        if (kernel->left > kernel->speed)
            continue;
        take_out(kernels, kernel);
        kernel->next = NULL;
        *end = kernel;
        end = &kernel->next;
    }
    return ended;
}

void sms__coarse_kernels_fire(struct sms__coarse_kernels *kernels, uint64_t now)
{
    advance(kernels, now);
    struct sms__coarse_kernel *ended = take_ended(kernels), *next;
    rate(kernels);
    schedule(kernels, now);
    for (; ended; ended = next) {
        next = ended->next;
        ended->ended(ended->subject, now);
    }
}
