/* What every run does to its engine: the options of the run, the end of the warm-up, and the end of the run. */
#ifndef SMS_LEVELS_RUN_ENGINE_H
#define SMS_LEVELS_RUN_ENGINE_H

#include "../engine/engine.h"
#include "simulate.h"

/* sms__engine_init, and the options that concern an engine. */
void sms__run_engine_init(struct sms__engine *engine, struct sms__arena *arena, const size_t sources[SMS__LEVELS],
                          const struct sms__run_spec *spec);

/* The engine has two sources of SMS__LEVEL_RUN. At the end of the warm-up `at_warmup` is called, and at the end of the
 * run the engine stops. If the scenario has slack (sms__slack_ps), both times are drawn, the same under every policy.
 */
void sms__run_ends(struct sms__engine *engine, struct sms__arena *arena, const struct sms__run_spec *spec,
                   void (*at_warmup)(void *subject, uint64_t now), void *subject);

#endif
