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

/* The first mode in which contexts take turns on the device by the default's slice or switch, because neither the
 * policy nor the device says them; NULL: none. */
static const struct sms__mode *mode_by_default(const struct sms_scenario *scenario, size_t d)
{
    const struct sms__mode *shared;
    for (size_t p = 0; p < scenario->policies && scenario->shares; p++)
        for (size_t i = 0; (shared = sms__mode_shared(sms__mode_of_device(&scenario->policy[p].mode, d), i)); i++)
            if (sms__mode_unsaid(shared, scenario->device[d]).slice ||
                sms__mode_unsaid(shared, scenario->device[d]).change)
                return shared;
    return NULL;
}

static bool is_named(const struct sms_scenario *scenario, size_t d)
{
    bool named = false;
    for (size_t i = 0; i < d && !named; i++)
        named = !strcmp(scenario->device[i]->name, scenario->device[d]->name) && mode_by_default(scenario, i);
    return named;
}

const char *sms__note_on_turns(struct sms_results *results, const char **name)
{
    const struct sms_scenario *scenario = results->scenario;
    const struct sms__mode *mode = NULL;
    const char *devices = "";
    char slice[40], change[40];
    for (size_t d = 0; d < scenario->devices; d++) {
        const struct sms__mode *here = mode_by_default(scenario, d);
        if (!here || scenario->device[d]->mig.board || is_named(scenario, d))
            continue;
        mode = mode ? mode : here;
        devices = sms__print(&results->arena, "%s%s%s", devices, *devices ? ", " : "", scenario->device[d]->name);
    }
    if (!mode || scenario->vms < 2)
        return NULL;
    const struct sms__turns turns = sms__mode_turns(mode, &(struct sms__device){.turns = {.switch_ps = -1}});
    *name = mode->word;
    sms__quantity_print(slice, sizeof slice, turns.slice_ps, SMS__TIME);
    sms__quantity_print(change, sizeof change, turns.switch_ps, SMS__TIME);
    return sms__print(&results->arena,
                      "under %s, a slice of %s and a switch of %s stand in for what was not measured on %s", mode->word,
                      slice, change, devices);
}

/* Whether kernels of several processes run at once, on SMs that they share. */
static bool shares_queue(const struct sms__mode *mode)
{
    const struct sms_sharing_mode *form = mode->form;
    return form->most_processes && !form->slices && !form->exclusive && !form->reserves && !form->instances;
}

/* The first mode in which blocks of several processes wait for the device, although nobody measured in which order. */
static const struct sms__mode *mode_with_queue(const struct sms_scenario *scenario, size_t d)
{
    const struct sms__mode *shared;
    if (sms__queue_known(scenario->device[d]))
        return NULL;
    for (size_t p = 0; p < scenario->policies; p++)
        for (size_t i = 0; (shared = sms__mode_shared(sms__mode_of_device(&scenario->policy[p].mode, d), i)); i++)
            if (shares_queue(shared))
                return shared;
    return NULL;
}

static bool runs_blocks(const struct sms_scenario *scenario)
{
    bool any = false;
    for (size_t v = 0; v < scenario->vms; v++)
        for (size_t k = 0; k < scenario->vm[v].workload->kernels; k++)
            any |= !scenario->vm[v].workload->kernel[k].whole;
    return any;
}

const char *sms__note_on_queue(struct sms_results *results)
{
    const struct sms_scenario *scenario = results->scenario;
    const struct sms__mode *mode = NULL;
    const char *devices = "";
    for (size_t d = 0; d < scenario->devices && scenario->shares && scenario->vms > 1 && runs_blocks(scenario); d++) {
        const struct sms__mode *here = mode_with_queue(scenario, d);
        if (!here || scenario->device[d]->mig.board || !sms__is_first_of_name(scenario, d))
            continue;
        mode = mode ? mode : here;
        devices = sms__print(&results->arena, "%s%s%s", devices, *devices ? ", " : "", scenario->device[d]->name);
    }
    return mode ? sms__print(&results->arena,
                             "under %s, blocks of all processes wait in launch order, as an H100 was measured to have "
                             "them: that was not measured on %s",
                             mode->word, devices)
                : NULL;
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
