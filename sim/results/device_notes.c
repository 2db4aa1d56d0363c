/* Notes on rules that stand in for what was not measured on a device (sim/model/sheet.h). */
#include "notes.h"

#include "../model/cluster/node_mig.h"
#include "../model/sheet.h"

enum { GRIDS_USUAL = 128 }; /* at once, on GPUs of today */

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

/* Kernels of several processes run side by side on SMs that none of them has for itself. */
static bool runs_beside(const struct sms__mode *shared, const struct sms__device *device)
{
    const struct sms_sharing_mode *form = shared->form;
    (void)device;
    return form->most_processes && !form->slices && !form->exclusive && !form->reserves && !form->instances;
}

/* Their blocks wait for these SMs. */
static bool assumes_queue(const struct sms__mode *shared, const struct sms__device *device)
{
    return runs_beside(shared, device) && !sms__queue_known(device);
}

/* Processes have chunks to themselves, of as many SMs as nobody knows. */
static bool assumes_chunk(const struct sms__mode *shared, const struct sms__device *device)
{
    return shared->form->reserves && device->mps.chunk == 0;
}

/* The first of the modes in which processes share the device that assumes something; NULL: none. */
static const struct sms__mode *first_that(const struct sms__mode *mode, const struct sms__device *device,
                                          assumes *holds)
{
    const struct sms__mode *shared;
    for (size_t i = 0; (shared = sms__mode_shared(mode, i)); i++)
        if (holds(shared, device))
            return shared;
    return NULL;
}

/* The mode of a GPU of nodes of kind k, or of an instance on it that several pods share, that assumes something. */
static const struct sms__mode *of_gpu_that(const struct sms_scenario *scenario, const struct sms__policy_use *use,
                                           size_t k, size_t gpu, assumes *holds)
{
    const struct sms__nodes *kind = &scenario->cluster->node[k];
    const struct sms__device *device = scenario->device[kind->device];
    const struct sms__split *split = sms__first_split(scenario->cluster, use, k, gpu);
    const struct sms__mode *mode = kind->mode ? sms__mode_of_device(kind->mode, gpu) : &use->mode;
    bool found = !split && holds(mode, device);
    for (size_t s = 0; split && s < SMS_SLICES_MAX && !found; s++) {
        const bool there = split->layout.profile[s] || split->layout.changes != SMS_LAYOUT_FIXED;
        mode = sms__mode_inside(split, use, s);
        found = there && sms__pods_inside(split, use, s) > 1 && holds(mode, device);
    }
    return found ? mode : NULL;
}

/* The first mode of nodes of kind k, which have GPUs that run workloads, that assumes something; NULL: none. */
static const struct sms__mode *of_kind_that(const struct sms_scenario *scenario, const struct sms__policy_use *use,
                                            size_t k, assumes *holds)
{
    const struct sms__nodes *kind = &scenario->cluster->node[k];
    const struct sms__mode *found = NULL;
    for (size_t g = 0; g < kind->gpus && !found; g++)
        found = of_gpu_that(scenario, use, k, g, holds);
    return found;
}

/* The whole devices of which a mode assumes something, and the first such mode; NULL if none does. `queue`: counts only
 * policies that have it; NULL: all. The kinds of a cluster's nodes are asked once each, because each may have a device.
 */
static const struct sms__mode *mode_on_devices(struct sms_results *results, assumes *holds,
                                               const struct sms_queue_discipline *queue, const char **devices)
{
    const struct sms_scenario *scenario = results->scenario;
    const struct sms__cluster *cluster = scenario->fidelity != SMS__AS_DURATION ? scenario->cluster : NULL;
    const size_t count = cluster ? cluster->kinds : scenario->shares ? scenario->devices : 0;
    const struct sms__mode *mode = NULL;
    const char **name = SMS__NEW(&results->arena, const char *, count);
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const long d = cluster ? cluster->node[i].device : (long)i;
        const struct sms__mode *here = NULL;
        for (size_t p = 0; p < results->policies && d >= 0 && !here; p++) {
            const struct sms__policy_use *use = sms__ran(results, p);
            if (!queue || sms__queue_of(scenario, use) == queue)
                here = cluster ? of_kind_that(scenario, use, i, holds)
                               : first_that(sms__mode_of_device(&use->mode, i), scenario->device[d], holds);
        }
        if (!here || scenario->device[d]->mig.board)
            continue;
        mode = mode ? mode : here;
        name[found++] = scenario->device[d]->name;
    }
    *devices = sms__list_once(results, name, found, ", ");
    return mode;
}

/* Whether a device may have more than one process. */
static bool may_share(const struct sms_scenario *scenario)
{
    return scenario->cluster ? scenario->cluster->pods > 1 : scenario->vms > 1;
}

void sms__note_turns(struct sms_results *results)
{
    const char *devices;
    const struct sms__mode *mode = mode_on_devices(results, assumes_turns, NULL, &devices);
    char slice[40], change[40];
    if (!mode || !may_share(results->scenario))
        return;
    const struct sms__turns turns = sms__mode_turns(mode, &(struct sms__device){.turns = {.switch_ps = -1}});
    results->notes.assumed = sms__print(&results->arena, "slice and switch of %s", mode->word);
    sms__quantity_print(slice, sizeof slice, turns.slice_ps, SMS__TIME);
    sms__quantity_print(change, sizeof change, turns.switch_ps, SMS__TIME);
    sms__note(results, "under %s, a slice of %s and a switch of %s are assumed, because neither was measured on %s",
              mode->word, slice, change, devices);
}

static bool runs_by_block(const struct sms__kernel *kernel) { return !kernel->whole; }

static bool grids_unknown(const struct sms__device *device) { return device->grids == 0; }

/* How many streams may have a grid each on a device without a limit. */
static uint64_t most_grids(const struct sms_scenario *scenario)
{
    uint64_t most = 0;
    for (size_t d = 0; d < scenario->devices && !scenario->cluster; d++) {
        uint64_t here = 0;
        for (size_t v = 0; v < scenario->vms && grids_unknown(scenario->device[d]); v++)
            here += sms__may_be_on(&scenario->vm[v], d) ? scenario->vm[v].streams : 0;
        most = here > most ? here : most;
    }
    return most;
}

void sms__note_unbounded(struct sms_results *results)
{
    const char *devices;
    const struct sms__mode *mode = mode_on_devices(results, assumes_chunk, NULL, &devices);
    const uint64_t most = most_grids(results->scenario);
    if (mode)
        sms__note(results, "under %s, a chunk is assumed to be one SM, because that of %s is not known", mode->word,
                  devices);
    if (most > GRIDS_USUAL && sms__has_kernel(results->scenario, runs_by_block))
        sms__note(results,
                  "%llu grids are assumed to run at once, because the limit of %s is not known; GPUs usually have %d",
                  (unsigned long long)most, sms__names_of_devices(results, grids_unknown), GRIDS_USUAL);
}

static bool runs_whole(const struct sms__kernel *kernel) { return kernel->whole; }

/* Blocks wait in launch order, as on an H100. */
static bool is_ordered(const struct sms_queue_discipline *queue)
{
    return !strcmp(queue->name, "leftover") || !strcmp(queue->name, "fifo");
}

/* The same for the policies that have this queue. */
static void note_order(struct sms_results *results, const struct sms_queue_discipline *queue)
{
    const bool ordered = is_ordered(queue);
    const char *devices;
    const struct sms__mode *mode = mode_on_devices(results, ordered ? assumes_queue : runs_beside, queue, &devices);
    if (mode && ordered)
        sms__note(results,
                  "under %s, blocks of all processes wait in launch order, as measured on an H100 but not on %s",
                  mode->word, devices);
    else if (mode)
        sms__note(results,
                  "under %s, blocks of all processes wait on %s as queue %s says; on an H100 they wait in launch order",
                  mode->word, devices, queue->name);
}

void sms__note_queue(struct sms_results *results)
{
    const struct sms_scenario *scenario = results->scenario;
    const char *devices;
    if (!may_share(scenario))
        return;
    for (size_t p = 0; p < results->policies && sms__has_kernel(scenario, runs_by_block); p++) {
        const struct sms_queue_discipline *queue = sms__queue_of(scenario, sms__ran(results, p));
        size_t first = 0;
        while (sms__queue_of(scenario, sms__ran(results, first)) != queue)
            first++;
        if (first == p)
            note_order(results, queue);
    }
    const struct sms__mode *mode = mode_on_devices(results, runs_beside, NULL, &devices);
    if (mode && sms__has_kernel(scenario, runs_whole))
        sms__note(results,
                  "under %s, coarse kernels are assumed to run from their launch on, however many others run on %s",
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
