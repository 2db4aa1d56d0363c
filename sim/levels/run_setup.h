/* What every run does to its engine: the options of the run, the end of the warm-up, and the end of the run. And what
 * all levels ask about a device. */
#ifndef SMS_LEVELS_RUN_SETUP_H
#define SMS_LEVELS_RUN_SETUP_H

#include "../engine/engine.h"
#include "simulate.h"

struct sms__blocks_setup;

/* sms__engine_init, and the options that concern an engine. */
void sms__run_engine_init(struct sms__engine *engine, struct sms__arena *arena, const size_t sources[SMS__LEVELS],
                          const struct sms__run_spec *spec);

/* The engine has two sources of SMS__LEVEL_RUN. At the end of the warm-up `at_warmup` is called, and at the end of the
 * run the engine stops. If the scenario has slack (sms__slack_ps), both times are drawn, the same under every policy.
 */
void sms__run_ends(struct sms__engine *engine, struct sms__arena *arena, const struct sms__run_spec *spec,
                   void (*at_warmup)(void *subject, uint64_t now), void *subject);

/* Returns how many sources of events of the level of blocks the device needs: one, or in the reference engine one for
 * each SM and the dispatcher. */
size_t sms__block_sources(const struct sms__run_spec *spec, const struct sms__device *device);

/* What contention models are asked with. It lives in the arena. Call it in a guard of the arena. */
struct sms_contention_view sms__contention_view(struct sms__arena *arena, const struct sms_scenario *scenario,
                                                const struct sms__device *model);

/* What the block level needs for a device, as far as it follows from the run and the kernel types that may run on it.
 * The caller adds the engine and the record, then calls sms__blocks_new. */
struct sms__blocks_setup sms__device_blocks(const struct sms__run_spec *spec, const struct sms__device *model,
                                            const struct sms_contention_view *view,
                                            const struct sms__footprint *const *types, size_t n_types);

#endif
