/* What every run sets up: its engine, and what it knows of a device. */
#include "run_setup.h"
#include "../base/rng.h"
#include "block/block.h"

#include <math.h>

static void tell_part(void *user, uint64_t now)
{
    const struct sms__run_spec *spec = user;
    spec->on_part(spec->user, fmin((double)now / spec->scenario->duration_ps, 1));
}

void sms__run_engine_init(struct sms__engine *engine, struct sms__arena *arena, const size_t sources[SMS__LEVELS],
                          const struct sms__run_spec *spec)
{
    const struct sms_run_options *options = spec->options;
    sms__engine_init(engine, arena, sources);
    engine->linear_scan = options->engine == SMS_ENGINE_REFERENCE;
    engine->cancel = options->cancel;
    if (spec->observer)
        engine->ended = &spec->observer->stopped;
    engine->max_events = options->max_events;
    if (!spec->on_part || !(spec->scenario->duration_ps > 0) || !options->on_share)
        return;
    engine->tell = tell_part;
    engine->tell_user = (void *)(uintptr_t)spec;
    engine->tell_at = engine->tell_every = (uint64_t)(spec->scenario->duration_ps / 100) + 1;
}

static void stop(void *engine, uint64_t now)
{
    (void)now;
    ((struct sms__engine *)engine)->stopped = true;
}

void sms__run_ends(struct sms__engine *engine, struct sms__arena *arena, const struct sms__run_spec *spec,
                   void (*at_warmup)(void *subject, uint64_t now), void *subject)
{
    const struct sms_scenario *scenario = spec->scenario;
    double slack = spec->options->whole_window ? 0 : spec->slack_ps, later = 0, earlier = 0;
    size_t warmup = sms__engine_source(engine, SMS__LEVEL_RUN, at_warmup, subject);
    size_t end = sms__engine_source(engine, SMS__LEVEL_RUN, stop, engine);
    if (slack > 0) {
        gsl_rng *stream = sms__stream(arena, spec->seed, "time measured", 0);
        later = slack * gsl_rng_uniform(stream);
        earlier = slack * gsl_rng_uniform(stream);
    }
    if (scenario->warmup_ps > 0)
        sms__engine_at(engine, warmup, (uint64_t)(scenario->warmup_ps + later + 0.5));
    uint64_t end_ps = scenario->duration_ps > 0 ? (uint64_t)(scenario->duration_ps - earlier + 0.5) : SMS__NEVER;
    if (spec->options->end_ps > 0 && spec->options->end_ps < end_ps)
        end_ps = spec->options->end_ps;
    sms__engine_at(engine, end, end_ps);
}

/* ---- devices ---- */

/* Returns the most sets of resources of scope device that the scenario's kernels may demand, each of which has a clock.
 * Each kernel demands one set, so there are at most as many sets as kernels. */
static size_t most_clocks(const struct sms_scenario *scenario, const struct sms__device *device)
{
    size_t kernels = 0, sets = 1;
    for (size_t r = 0; r < device->resources; r++)
        sets *= device->resource[r].scope == SMS_SCOPE_DEVICE ? 2 : 1;
    for (size_t v = 0; v < scenario->vms; v++)
        kernels += scenario->vm[v].workload->kernels;
    return kernels < sets ? kernels : sets;
}

size_t sms__block_sources(const struct sms__run_spec *spec, const struct sms__device *device)
{
    return spec->options->engine == SMS_ENGINE_REFERENCE ? device->sms + 1 : 1; /* SMs, and the dispatcher */
}

static const struct sms_curve *curves_of(struct sms__arena *arena, const struct sms_scenario *scenario,
                                         const struct sms__device *model)
{
    const struct sms__curves *given = scenario->contention.curves;
    if (!given)
        return NULL;
    struct sms_curve *curves = SMS__NEW(arena, struct sms_curve, SMS_RESOURCES_MAX);
    for (size_t c = 0; c < given->count; c++) {
        int r = sms__resource_index(model, given->resource[c]);
        if (r >= 0)
            curves[r] = given->curve[c];
    }
    return curves;
}

struct sms_contention_view sms__contention_view(struct sms__arena *arena, const struct sms_scenario *scenario,
                                                const struct sms__device *model)
{
    return (struct sms_contention_view){.params = scenario->contention.param,
                                        .curves = curves_of(arena, scenario, model),
                                        .resources = model->resources,
                                        .resource = model->resource_view,
                                        .pairs =
                                            scenario->contention.pairs ? &scenario->contention.pairs->pairs : NULL};
}

static bool any_device_scope(const struct sms__footprint *const *types, size_t count)
{
    bool any = false;
    for (size_t t = 0; t < count; t++)
        any |= types[t] && types[t]->device_scope;
    return any;
}

/* True if a background demands a resource of scope device. */
static bool has_device_scope_background(const struct sms__device *model)
{
    for (size_t i = 0; i < model->backgrounds; i++)
        for (size_t d = 0; d < model->background[i].demands; d++) {
            const struct sms__demand *demand = &model->background[i].demand[d];
            int r = sms__resource_index(model, demand->resource);
            if (model->resource[r].scope == SMS_SCOPE_DEVICE && demand->ratio > 0)
                return true;
        }
    return false;
}

struct sms__blocks_setup sms__device_blocks(const struct sms__run_spec *spec, const struct sms__device *model,
                                            const struct sms_contention_view *view,
                                            const struct sms__footprint *const *types, size_t n_types)
{
    const struct sms_scenario *scenario = spec->scenario;
    return (struct sms__blocks_setup){
        .model = model,
        .policy = spec->policy,
        .contention = scenario->contention.model,
        .contention_view = *view,
        .run = spec->record,
        .options = spec->options,
        .observer = spec->observer,
        .discipline = sms__queue_of(scenario, spec->policy),
        .kernel_type = types,
        .kernel_types = n_types,
        .max_clocks = most_clocks(scenario, model),
        .device_scope = any_device_scope(types, n_types) || has_device_scope_background(model),
    };
}
