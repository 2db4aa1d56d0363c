/* Coarse kernels under way, as flows whose rates are the kernels' speeds. */
#include "coarse_kernel.h"
#include "../../record/record.h"
#include "coarse_mix.h"

#include <math.h>

static void make_scratch(struct sms__coarse_kernels *kernels)
{
    if (kernels->fluid.count <= kernels->most)
        return;
    kernels->most = 2 * kernels->fluid.count;
    kernels->rated = SMS__NEW(kernels->rater.arena, struct sms__rated, kernels->most);
}

void sms__coarse_kernels_count(struct sms__coarse_kernels *kernels, uint64_t now)
{
    uint64_t elapsed = kernels->fluid.active ? now - kernels->counted_ps : 0;
    for (size_t r = 0; r < kernels->rater.view->resources; r++)
        if (kernels->excess[r]) {
            kernels->record->excess[r] += (sms__integral)kernels->excess[r] * elapsed;
            kernels->record->over[r] += (sms__integral)sms_parts(sms__capacity_sms(kernels->type, r)) * elapsed;
        }
    kernels->record->active += (sms__integral)kernels->active * elapsed;
    kernels->counted_ps = now;
}

/* The use that counts for the kernel. One whose times on parts of the SMs say less than its demand asks for no more
 * than its part, and still counts what it was measured to use. */
static double use_of(const struct sms__coarse_kernels *kernels, const struct sms__coarse_kernel *kernel, size_t r)
{
    const struct sms__device *type = kernels->type, *whole = sms__whole_device(type);
    const double of_device = (double)whole->sms / sms__capacity_sms(type, r), demand = kernel->fit->demand[r];
    return kernel->fit->by_share ? fmax(demand, nearbyint(kernel->whole->demand[r] * kernel->part * of_device))
                                 : demand;
}

/* Kernels that take turns for room use a resource only while they run. */
static void find_excess(struct sms__coarse_kernels *kernels)
{
    for (size_t r = 0; r < kernels->rater.view->resources; r++) {
        double usage = 0;
        for (struct sms__flow *flow = kernels->fluid.first; flow; flow = flow->next) {
            const struct sms__coarse_kernel *kernel = (struct sms__coarse_kernel *)flow;
            usage += use_of(kernels, kernel, r) * kernel->present;
        }
        kernels->excess[r] =
            usage > SMS_FULL ? (uint64_t)((usage - SMS_FULL) * sms__capacity_sms(kernels->type, r)) : 0;
    }
}

static void find_active(struct sms__coarse_kernels *kernels)
{
    double active = 0;
    for (struct sms__flow *flow = kernels->fluid.first; flow; flow = flow->next) {
        const struct sms__coarse_kernel *kernel = (struct sms__coarse_kernel *)flow;
        active += kernel->active * kernel->present;
    }
    kernels->active = (uint64_t)(active < SMS_FULL ? active : SMS_FULL) * kernels->type->sms;
}

/* Exact, so that sums do not depend on when they are read. */
static uint64_t present_parts(const struct sms__coarse_kernel *kernel)
{
    return (uint64_t)(kernel->present * SMS__PARTS + 0.5);
}

static void count_ran(const struct sms__fluid *fluid, struct sms__coarse_kernel *kernel)
{
    kernel->ran += (sms__integral)present_parts(kernel) * (fluid->active_ps - kernel->counted_ps);
    kernel->counted_ps = fluid->active_ps;
}

/* Kernels on other instances have the same clock. Their own power stays as it is, so they change nobody again. */
static void tell_others(const struct sms__coarse_kernels *kernels)
{
    for (struct sms__coarse_kernels *other = *kernels->on_gpu; other; other = other->next)
        if (other != kernels && other->fluid.count && other->fluid.active)
            sms__fluid_change(&other->fluid, kernels->fluid.advanced_ps);
}

static void find_others(struct sms__coarse_kernels *kernels)
{
    const bool limited = kernels->rater.limited; /* or else nobody asks for the others, who may be many */
    kernels->rater.other_w = 0;
    for (const struct sms__coarse_kernels *other = *kernels->on_gpu; limited && other; other = other->next)
        kernels->rater.other_w += other != kernels ? other->drawn_w : 0;
}

static void draw_power(struct sms__coarse_kernels *kernels)
{
    const double before_w = kernels->drawn_w;
    kernels->drawn_w = kernels->fluid.active ? kernels->rater.power_w : 0;
    if (kernels->drawn_w != before_w)
        tell_others(kernels);
}

static void rate(struct sms__coarse_kernels *kernels)
{
    size_t n = 0;
    make_scratch(kernels);
    for (struct sms__flow *flow = kernels->fluid.first; flow; flow = flow->next) {
        struct sms__coarse_kernel *kernel = (struct sms__coarse_kernel *)flow;
        const struct sms__footprint *fit = kernel->fit;
        kernels->rated[n++] = (struct sms__rated){.demand = fit->pressure,
                                                  .room = fit->room,
                                                  .cls = fit->cls,
                                                  .speed = &flow->rate,
                                                  .process = kernel->process,
                                                  .launches = (double)fit->launches / (fit->work_ps * fit->alone),
                                                  .power_w = fit->power_w,
                                                  .present = &kernel->present};
    }
    sms__rate_coarse(&kernels->rater, kernels->rated, n);
    kernels->fluid.engine->stopped |= *kernels->rater.record->why != 0;
    find_excess(kernels);
    find_active(kernels);
}

/* Flows are advanced before their rates change, so the time now is that up to which they are. */
static void rate_anew(struct sms__coarse_kernels *kernels)
{
    const struct sms__fluid *fluid = &kernels->fluid;
    sms__coarse_kernels_count(kernels, fluid->advanced_ps);
    for (struct sms__flow *flow = fluid->first; flow; flow = flow->next)
        count_ran(fluid, (struct sms__coarse_kernel *)flow);
    if (!sms__mix_take(kernels->mixes, kernels)) {
        rate(kernels);
        sms__mix_keep(kernels->mixes, kernels);
    }
    kernels->rated_at = fluid->changes;
}

static void set_speeds(struct sms__fluid *fluid)
{
    struct sms__coarse_kernels *kernels = (struct sms__coarse_kernels *)fluid;
    const double before_w = kernels->rater.other_w;
    find_others(kernels);
    if (kernels->rated_at != fluid->changes || kernels->rater.other_w != before_w)
        rate_anew(kernels);
    draw_power(kernels);
}

void sms__coarse_kernels_init(struct sms__coarse_kernels *kernels, struct sms__engine *engine, size_t source,
                              bool active)
{
    kernels->fluid = (struct sms__fluid){.engine = engine, .source = source, .set_rates = set_speeds, .active = active};
}

/* For how long the context has been active. */
static uint64_t active_ps(const struct sms__fluid *fluid, uint64_t now)
{
    return fluid->active_ps + (fluid->active ? now - fluid->advanced_ps : 0);
}

void sms__coarse_kernel_start(struct sms__coarse_kernels *kernels, struct sms__coarse_kernel *kernel, uint64_t now)
{
    kernel->counted_ps = active_ps(&kernels->fluid, now);
    sms__flow_start(&kernels->fluid, &kernel->flow, kernel->flow.left, now);
}

uint64_t sms__coarse_kernel_ran_ps(const struct sms__coarse_kernels *kernels, const struct sms__coarse_kernel *kernel,
                                   uint64_t now)
{
    uint64_t since_ps = kernel->flow.rate > 0 ? active_ps(&kernels->fluid, now) - kernel->counted_ps : 0;
    return (uint64_t)((kernel->ran + (sms__integral)present_parts(kernel) * since_ps) / SMS__PARTS);
}

uint64_t sms__coarse_kernel_parts(const struct sms__coarse_kernels *kernels, const struct sms__coarse_kernel *kernel,
                                  uint64_t now)
{
    const struct sms__fluid *fluid = &kernels->fluid;
    double work = kernel->work, elapsed = fluid->active ? (double)(now - fluid->advanced_ps) : 0;
    double left = kernel->flow.left - kernel->flow.rate * elapsed;
    left = left < 0 ? 0 : left < work ? left : work;
    return work > 0 ? sms__parts(work - left, work) : 0;
}
