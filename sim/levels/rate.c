/* Speeds: asks the contention model about the SMs that changed, and tells the
 * engine when the next block of each will leave. */
#include "block.h"

const double *sms__seen_usage(const struct sms__sm_state *sm, double patched[SMS_RESOURCES_MAX])
{
    const struct sms__blocks *device = sm->device;
    if (!device->device_wide)
        return sm->usage;
    for (size_t r = 0; r < device->model->resources; r++)
        patched[r] = device->model->resource[r].scope == SMS_SCOPE_DEVICE ? device->total[r] / (double)device->sms
                                                                          : sm->usage[r];
    return patched;
}

/* The integrals of the device's own resources, up to now. */
void sms__settle_total(struct sms__blocks *device, uint64_t now)
{
    double elapsed = (double)(now - device->total_since_ps);
    double full = SMS_FULL * (double)device->sms;
    for (size_t r = 0; elapsed > 0 && r < device->model->resources; r++) {
        double excess = device->total[r] - full;
        if (device->model->resource[r].scope != SMS_SCOPE_DEVICE || excess <= 0)
            continue;
        device->record->excess[r] += excess * elapsed;
        device->record->over_ps[r] += elapsed * (double)device->sms;
    }
    device->total_since_ps = now;
}

static size_t describe(const struct sms__sm_state *sm, struct sms_group *out)
{
    for (size_t g = 0; g < sm->groups; g++) {
        struct sms__group *group = &sm->group[g];
        out[g] = (struct sms_group){sm->idx, group->blocks, group->launch->fit->demand, &group->speed};
    }
    return sm->groups;
}

static bool any_over(const struct sms__sm_state *sm)
{
    bool over = false;
    for (size_t r = 0; r < sm->device->model->resources; r++)
        over |= sm->usage[r] > SMS_FULL;
    return over;
}

static void schedule(struct sms__sm_state *sm, uint64_t now)
{
    double soonest = 1e300;
    for (size_t g = 0; g < sm->groups; g++) {
        const struct sms__group *group = &sm->group[g];
        double delay = (sm->resident[group->first].end - group->clock) / group->speed;
        if (delay < soonest)
            soonest = delay;
    }
    uint64_t time = sm->groups ? sms__after(now, soonest) : UINT64_MAX;
    sms__engine_at(sm->device->engine, sm->source, SMS__LEVEL_BLOCK, time);
}

static void rate_sm(struct sms__sm_state *sm, uint64_t now)
{
    struct sms__blocks *device = sm->device;
    double patched[SMS_RESOURCES_MAX];
    size_t count = describe(sm, device->rate_group);
    device->contention->rate(&device->contention_view, sms__seen_usage(sm, patched), device->rate_group, count);
    sm->over = any_over(sm);
    schedule(sm, now);
}

/* A change of a device-wide usage is felt on every SM. */
static void rate_everywhere(struct sms__blocks *device, uint64_t now)
{
    size_t count = 0;
    for (size_t s = 0; s < device->sms; s++)
        sms__sm_settle(&device->sm[s], now);
    if (!device->contention->rate_device) {
        for (size_t s = 0; s < device->sms; s++)
            rate_sm(&device->sm[s], now);
        return;
    }
    for (size_t s = 0; s < device->sms; s++)
        count += describe(&device->sm[s], device->rate_group + count);
    device->contention->rate_device(&device->contention_view, device->sms, device->rate_group, count,
                                    device->rate_scratch);
    for (size_t s = 0; s < device->sms; s++) {
        device->sm[s].over = any_over(&device->sm[s]);
        schedule(&device->sm[s], now);
    }
}

static bool is_pressed(const struct sms__blocks *device)
{
    bool pressed = false;
    for (size_t r = 0; r < device->model->resources; r++)
        pressed |= device->total[r] > SMS_FULL * (double)device->sms;
    return pressed;
}

/* Whether what changed on some SMs changes speeds on others. */
static bool is_felt_everywhere(struct sms__blocks *device)
{
    if (!device->device_wide || device->dirties == 0)
        return false;
    bool before = device->pressed;
    device->pressed = is_pressed(device);
    return before || device->pressed || !device->contention->free_below_full;
}

void sms__rate(struct sms__blocks *device, uint64_t now)
{
    bool everywhere = is_felt_everywhere(device);
    if (everywhere)
        rate_everywhere(device, now);
    for (size_t i = 0; i < device->dirties; i++) {
        struct sms__sm_state *sm = &device->sm[device->dirty[i]];
        sm->dirty = false;
        if (!everywhere)
            rate_sm(sm, now);
    }
    device->dirties = 0;
}
