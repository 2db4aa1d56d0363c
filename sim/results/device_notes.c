/* Notes on rules that stand in for what was not measured on a device (sim/model/sheet.h). */
#include "device_notes.h"

#include "../model/sheet.h"

#include <string.h>

bool sms__is_first_of_name(const struct sms_scenario *scenario, size_t device)
{
    size_t first = 0;
    while (strcmp(scenario->device[first]->name, scenario->device[device]->name) != 0)
        first++;
    return first == device;
}

/* The whole devices for which it holds, each once, as "a100, v100"; "" if it holds for none. */
const char *sms__names_of_devices(struct sms_results *results, bool (*holds)(const struct sms__device *device))
{
    const struct sms_scenario *scenario = results->scenario;
    const char *text = "";
    for (size_t d = 0; d < scenario->devices; d++)
        if (!scenario->device[d]->mig.board && holds(scenario->device[d]) && sms__is_first_of_name(scenario, d))
            text = sms__print(&results->arena, "%s%s%s", text, *text ? ", " : "", scenario->device[d]->name);
    return text;
}

static bool turns_unknown(const struct sms__device *device)
{
    return !(device->turns.slice_ps > 0) || device->turns.switch_ps < 0;
}

/* The first policy under which contexts take turns by the default's slice or switch; NULL: none. */
static const struct sms__mode *mode_by_default(const struct sms_scenario *scenario)
{
    const struct sms__mode *shared;
    for (size_t p = 0; p < scenario->policies && scenario->shares; p++)
        for (size_t i = 0; (shared = sms__mode_shared(&scenario->policy[p].mode, i)); i++)
            if (shared->form->slices && (!(shared->turns.slice_ps > 0) || shared->turns.switch_ps < 0))
                return shared;
    return NULL;
}

const char *sms__note_on_turns(struct sms_results *results, const char **name)
{
    const struct sms_scenario *scenario = results->scenario;
    const struct sms__mode *mode = mode_by_default(scenario);
    const char *devices = sms__names_of_devices(results, turns_unknown);
    char slice[40], change[40];
    if (!mode || !*devices || scenario->vms < 2)
        return NULL;
    const struct sms__turns turns = sms__mode_turns(mode, &(struct sms__device){.turns = {.switch_ps = -1}});
    *name = mode->word;
    sms__quantity_print(slice, sizeof slice, turns.slice_ps, SMS__TIME);
    sms__quantity_print(change, sizeof change, turns.switch_ps, SMS__TIME);
    return sms__print(&results->arena,
                      "under %s, a slice of %s and a switch of %s stand in for what was not measured on %s", mode->word,
                      slice, change, devices);
}

static bool clock_by_rule(const struct sms__device *device) { return !(device->compute_hz > 0); }

const char *sms__note_on_clock(struct sms_results *results)
{
    const char *devices = sms__names_of_devices(results, clock_by_rule);
    const char *unknown = sms__names_of_devices(results, sms__compute_clock_unknown);
    if (*unknown)
        return sms__print(&results->arena,
                          "the clock under load of %s is not known: SMs whose fp32 units all work keep theirs",
                          unknown);
    return *devices ? sms__print(&results->arena,
                                 "the clock under load of %s was not measured: it follows from the energy of a result, "
                                 "which is like that of chips of the same process",
                                 devices)
                    : NULL;
}
