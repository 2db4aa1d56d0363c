/* Notes on rules that stand in for what was not measured on a device (sim/model/sheet.h). */
#include "notes.h"

#include "../model/sheet.h"

const char *sms__names_of_devices(struct sms_results *results, bool (*holds)(const struct sms__device *device))
{
    const struct sms_scenario *scenario = results->scenario;
    const char **name = SMS__NEW(&results->arena, const char *, scenario->devices);
    size_t found = 0;
    for (size_t d = 0; d < scenario->devices; d++)
        if (!scenario->device[d]->mig.board && holds(scenario->device[d]))
            name[found++] = scenario->device[d]->name;
    return sms__list_once(results, name, found, ", ");
}

bool sms__has_kernel(const struct sms_scenario *scenario, bool (*holds)(const struct sms__kernel *kernel))
{
    bool any = false;
    for (size_t v = 0; v < scenario->vms; v++)
        for (size_t k = 0; k < scenario->vm[v].workload->kernels; k++)
            any |= holds(&scenario->vm[v].workload->kernel[k]);
    return any;
}

/* Whether something that nobody measured on the device matters to processes that share it so. */
typedef bool assumes(const struct sms__mode *shared, const struct sms__device *device);

/* Contexts take turns by the default's slice or switch, because neither the policy nor the device says them. */
static bool assumes_turns(const struct sms__mode *shared, const struct sms__device *device)
{
    const struct sms__unsaid_turns unsaid = sms__mode_unsaid(shared, device);
    return unsaid.slice || unsaid.change;
}

/* Blocks of several processes wait for SMs that they share. */
static bool assumes_queue(const struct sms__mode *shared, const struct sms__device *device)
{
    const struct sms_sharing_mode *form = shared->form;
    return form->most_processes && !form->slices && !form->exclusive && !form->reserves && !form->instances &&
           !sms__queue_known(device);
}

/* The first mode of the device that assumes something; NULL: none. */
static const struct sms__mode *mode_that(const struct sms_scenario *scenario, size_t d, assumes *holds)
{
    const struct sms__mode *shared;
    for (size_t p = 0; p < scenario->policies && scenario->shares; p++)
        for (size_t i = 0; (shared = sms__mode_shared(sms__mode_of_device(&scenario->policy[p].mode, d), i)); i++)
            if (holds(shared, scenario->device[d]))
                return shared;
    return NULL;
}

/* The whole devices of which a mode assumes something, and the first such mode; NULL if none does. */
static const struct sms__mode *mode_on_devices(struct sms_results *results, assumes *holds, const char **devices)
{
    const struct sms_scenario *scenario = results->scenario;
    const struct sms__mode *mode = NULL;
    const char **name = SMS__NEW(&results->arena, const char *, scenario->devices);
    size_t found = 0;
    for (size_t d = 0; d < scenario->devices; d++) {
        const struct sms__mode *here = mode_that(scenario, d, holds);
        if (!here || scenario->device[d]->mig.board)
            continue;
        mode = mode ? mode : here;
        name[found++] = scenario->device[d]->name;
    }
    *devices = sms__list_once(results, name, found, ", ");
    return mode;
}

void sms__note_turns(struct sms_results *results)
{
    const char *devices;
    const struct sms__mode *mode = mode_on_devices(results, assumes_turns, &devices);
    char slice[40], change[40];
    if (!mode || results->scenario->vms < 2)
        return;
    const struct sms__turns turns = sms__mode_turns(mode, &(struct sms__device){.turns = {.switch_ps = -1}});
    results->notes.assumed = sms__print(&results->arena, "slice and switch of %s", mode->word);
    sms__quantity_print(slice, sizeof slice, turns.slice_ps, SMS__TIME);
    sms__quantity_print(change, sizeof change, turns.switch_ps, SMS__TIME);
    sms__note(results, "under %s, a slice of %s and a switch of %s are assumed, because neither was measured on %s",
              mode->word, slice, change, devices);
}

static bool runs_by_block(const struct sms__kernel *kernel) { return !kernel->whole; }

void sms__note_queue(struct sms_results *results)
{
    const char *devices;
    const struct sms__mode *mode = mode_on_devices(results, assumes_queue, &devices);
    if (mode && results->scenario->vms > 1 && sms__has_kernel(results->scenario, runs_by_block))
        sms__note(results,
                  "under %s, blocks of all processes wait in launch order, as measured on an H100 but not on %s",
                  mode->word, devices);
}

static bool clock_by_rule(const struct sms__device *device) { return !(device->compute_hz > 0); }

void sms__note_clock(struct sms_results *results)
{
    const char *devices = sms__names_of_devices(results, clock_by_rule);
    const char *unknown = sms__names_of_devices(results, sms__compute_clock_unknown);
    if (*unknown)
        sms__note(
            results,
            "the clock of %s under load is unknown; SMs are assumed to keep their clock while all fp32 units work",
            unknown);
    else if (*devices)
        sms__note(results,
                  "the clock of %s under load was not measured; it is derived from the energy per fp32 result of chips "
                  "made in the same process",
                  devices);
}
