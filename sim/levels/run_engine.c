/* The engine of a run. */
#include "run_engine.h"
#include "../base/rng.h"

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
    if (scenario->duration_ps > 0)
        sms__engine_at(engine, end, (uint64_t)(scenario->duration_ps - earlier + 0.5));
}
