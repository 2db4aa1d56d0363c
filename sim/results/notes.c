/* Notes on uncertainty that intervals do not cover, because they cover the seed only. They follow from the scenario and
 * the results. */
#include "../base/sort.h"
#include "../model/draws.h"
#include "../model/no_load.h"
#include "notes.h"

#include <math.h>
#include <string.h>

/* STP is above the number of tenants by more than the ends of a run explain. */
#define STP_ABOVE 1.001

enum { KERNELS_FEW = 200, REPLICATIONS_FEW = 7 };

/* The longer a run, the nearer are the tenants' rates to each other and the worse is its worst job. */
static void note_length(struct sms_results *results)
{
    const struct sms_scenario *scenario = results->scenario;
    bool repeats = false;
    for (size_t v = 0; v < scenario->vms; v++)
        repeats |= scenario->vm[v].repeat == 0;
    if (repeats && scenario->duration_ps > 0 && !scenario->cluster)
        sms__note(results, "fairness_ratio and 99th percentiles depend on the length of a run: their intervals cover "
                           "only runs of this length");
}

static void note_seed(struct sms_results *results)
{
    size_t n = results->replications;
    if (n < 2 || sms_results_exact(results))
        return;
    sms__note(results, "intervals cover only the seed: they show how far another draw may differ, not another device, "
                       "workload or model");
    note_length(results);
    if (n < REPLICATIONS_FEW)
        sms__note(
            results,
            "there are only %zu replications: an event that happens in one run of ten is probably in none of them, "
            "and no interval shows this",
            n);
}

static void note_one_device(struct sms_results *results)
{
    const size_t devices = sms__devices_for_one(results->scenario);
    if (devices > 1)
        sms__note(results,
                  "one of %zu equal devices was simulated and counts for all: intervals are as wide as for one device",
                  devices);
}

/* Counts the kernels of a VM without an end under the policy with fewest, except none at all, which
 * sms__note_shortfalls notes; the mean over replications. */
static double count_kernels(const struct sms_results *results, size_t v)
{
    const struct sms_scenario *scenario = results->scenario;
    double least = INFINITY, seconds = (scenario->duration_ps - scenario->warmup_ps) / 1e12;
    size_t metric = SMS__VM_kernels_per_s - SMS__FIRST_VM;
    for (size_t p = 0; p < results->policies; p++)
        if (!sms__did_nothing(results, p, v))
            least = fmin(least, sms_results_estimate(results, p, SMS_VM, v, metric).mean * seconds);
    return least;
}

static void note_few(struct sms_results *results)
{
    const struct sms_scenario *scenario = results->scenario;
    struct sms__names few = {.count = 0};
    for (size_t v = 0; v < scenario->vms && scenario->duration_ps > 0 && !scenario->cluster; v++) {
        double kernels = scenario->vm[v].repeat == 0 ? count_kernels(results, v) : INFINITY;
        kernels /= (double)sms__devices_for_one(scenario);
        if (kernels < KERNELS_FEW)
            sms__names_add(&few, scenario->vm[v].name, kernels);
    }
    if (few.count)
        sms__note(results, "a longer run may give other values, because fewer than %d kernels were counted of %s",
                  KERNELS_FEW, sms__names_print(results, &few));
}

/* Whether a process may have had another device than alone, where it has the one with the most memory. */
static bool moves_between_devices(const struct sms_scenario *scenario)
{
    bool moves = false;
    for (size_t d = 1; d < scenario->devices && scenario->shares; d++)
        moves |= scenario->device[d] != scenario->device[0];
    return moves;
}

/* No tenant alone is faster than itself alone on the same device, so STP above their number says that the stand-alone
 * runs were slowed, or were on slower devices. */
static void note_stp(struct sms_results *results)
{
    const struct sms_scenario *scenario = results->scenario;
    const size_t metric = SMS__HOST_stp_ratio - SMS__FIRST_HOST;
    double most = 0;
    for (size_t p = 0; p < results->policies && !scenario->cluster; p++)
        most = fmax(most, sms_results_estimate(results, p, SMS_HOST, 0, metric).mean);
    if (scenario->vms && most > STP_ABOVE * (double)scenario->vms)
        sms__note(results,
                  "stp_ratio of %.4g is above the number of tenants, %zu: they run faster together than alone, because "
                  "%s slows them when they run alone%s",
                  most, scenario->vms, scenario->alone->label,
                  moves_between_devices(scenario) ? ", or because alone some have a slower device" : "");
}

/* Equal devices share one struct and are neighbours, so that texts are made for the first of them alone. */
static bool is_like_last(const struct sms_scenario *scenario, size_t d)
{
    return d > 0 && scenario->device[d] == scenario->device[d - 1];
}

/* The resources with a knee, as "dram of v100, l2 of v100"; "" if no device has one. */
static const char *knees(struct sms_results *results)
{
    const struct sms_scenario *scenario = results->scenario;
    const char **text = NULL;
    size_t found = 0;
    for (size_t d = 0; d < scenario->devices; d++) {
        const struct sms__device *device = scenario->device[d];
        for (size_t r = 0; r < device->resources && !is_like_last(scenario, d); r++) {
            if (!(device->resource[r].knee > 0))
                continue;
            *SMS__APPEND(&results->arena, text, found) =
                sms__print(&results->arena, "%s of %s", device->resource[r].name, device->name);
        }
    }
    return sms__list_once(results, text, found, ", ");
}

static bool is_device(const struct sms__device *device) { return device != NULL; }

static void note_default_contention(struct sms_results *results)
{
    const char *fitted = knees(results), *label = results->scenario->contention.label;
    if (*fitted)
        sms__note(results,
                  "contention %s is the default: its knee was fitted for %s; other oversubscribed resources are shared "
                  "without loss",
                  label, fitted);
    else
        sms__note(results,
                  "contention %s is the default, and no knee was measured for %s: oversubscribed resources are shared "
                  "without loss",
                  label, sms__names_of_devices(results, is_device));
}

/* Whether its launches cost nothing and nobody chose that. */
static bool launches_free(const struct sms__device *device)
{
    const struct sms__node *dispatch = sms__node_get(device->node, "dispatch");
    const bool chosen = dispatch && (dispatch->kind != SMS__MAP || sms__node_get(dispatch, "launch")); /* or none */
    return device->dispatch.launch_ps <= 0 && !chosen;
}

/* A kernel with the device's cost of a launch. */
static bool launches_blocks(const struct sms__kernel *kernel) { return !kernel->whole && kernel->launch_ps < 0; }

static void note_launches(struct sms_results *results)
{
    const char *devices = sms__names_of_devices(results, launches_free);
    if (*devices && sms__has_kernel(results->scenario, launches_blocks))
        sms__note(results, "a launch on %s costs nothing, because its cost was not measured there", devices);
}

/* Whether nothing bounds how much a kernel presses whose use of a pipe is near 100 %. */
static bool presses_freely(const struct sms__device *device)
{
    bool pipes = false, known = false;
    for (size_t r = 0; r < device->resources; r++) {
        pipes |= device->resource[r].cls == SMS_COMPUTE;
        known |= device->resource[r].cls == SMS_COMPUTE && device->resource[r].warps > 0;
    }
    return pipes && !known;
}

static void note_pressure(struct sms_results *results)
{
    const struct sms_contention *model = results->scenario->contention.model;
    const char *devices = sms__names_of_devices(results, presses_freely);
    if (model->measured_alone && model->joins && *devices)
        sms__note(results,
                  "under %s, a kernel that uses nearly all of a pipe of %s may demand up to %g times as much, because "
                  "the number of warps that saturate a pipe was not measured there",
                  results->scenario->contention.label, devices, SMS__ALONE_MAX);
}

static bool has_own_numbers(const struct sms__contention_use *use) { return strchr(use->label, '('); }

bool sms__contention_is_assumed(const struct sms_scenario *scenario)
{
    const struct sms__contention_use *use = &scenario->contention;
    bool knee = false;
    for (size_t d = 0; d < scenario->devices; d++)
        for (size_t r = 0; r < scenario->device[d]->resources; r++)
            knee |= scenario->device[d]->resource[r].knee > 0;
    if (use->model->measured_alone)
        return !knee || has_own_numbers(use);
    return use->curves || (use->model->params && !use->model->pairs);
}

static void note_contention(struct sms_results *results)
{
    const struct sms_scenario *scenario = results->scenario;
    const struct sms__contention_use *use = &scenario->contention;
    if (scenario->cluster && !scenario->vms)
        return;
    note_pressure(results);
    if (!sms__node_get(scenario->node, "contention"))
        note_default_contention(results);
    else if (sms__contention_is_assumed(scenario))
        sms__note(results,
                  use->model->measured_alone && !has_own_numbers(use)
                      ? "contention %s: no knee was measured for %s"
                      : "contention %s has parameters that were fitted or assumed",
                  use->label, sms__names_of_devices(results, is_device));
}

/* ---- grids in lockstep ---- */

/* A kernel of a tenant on the first device that it may have, whose blocks all take the same time. */
struct grid {
    const struct sms__footprint *fit;
    const struct sms__tenant *vm;
    uint64_t blocks;
};

static bool runs_kernels_together(const struct sms_results *results)
{
    const struct sms_scenario *scenario = results->scenario;
    bool together = !scenario->shares;
    for (size_t p = 0; p < results->policies; p++)
        together |= scenario->shares && sms__mode_runs_beside(&sms__ran(results, p)->mode);
    return together && !scenario->cluster && scenario->vms > 1;
}

static int by_length(const void *a, const void *b)
{
    const struct grid *x = a, *y = b;
    if (x->fit->work_ps != y->fit->work_ps)
        return x->fit->work_ps < y->fit->work_ps ? -1 : 1;
    return x->blocks < y->blocks ? -1 : x->blocks > y->blocks;
}

/* By length, then by device: first grids that may be on any. */
static int by_length_and_device(const void *a, const void *b)
{
    const int order = by_length(a, b);
    const long x = ((const struct grid *)a)->vm->device, y = ((const struct grid *)b)->vm->device;
    return order ? order : x < y ? -1 : x > y;
}

static bool demand_differs(const struct sms__footprint *a, const struct sms__footprint *b)
{
    bool differs = false;
    for (size_t r = 0; r < sizeof a->demand / sizeof *a->demand; r++)
        differs |= a->demand[r] != b->demand[r];
    return differs;
}

/* Of equally long grids that may meet: the first, and the first that differs from it in tenant, and in demand. If there
 * are all, some two of them differ in both. */
struct meeting {
    const struct grid *first, *tenant, *demand;
};

static void meet(struct meeting *meeting, const struct grid *grid)
{
    if (!meeting->first)
        meeting->first = grid;
    if (!meeting->tenant && grid->vm != meeting->first->vm)
        meeting->tenant = grid;
    if (!meeting->demand && demand_differs(grid->fit, meeting->first->fit))
        meeting->demand = grid;
}

/* Finds two grids in lockstep: as long, of different tenants, and not interchangeable, so it matters which SMs have
 * which. They are sorted, and looked at once, because there may be millions. */
static bool find_lockstep(const struct grid *grid, size_t grids, const struct grid *two[2])
{
    struct meeting any = {0}, here = {0}; /* of grids that may be on any device; and those of the latest device */
    for (size_t i = 0; i < grids && !(here.tenant && here.demand); i++) {
        if (i == 0 || by_length(&grid[i - 1], &grid[i]) != 0)
            any = here = (struct meeting){0};
        else if (grid[i].vm->device != grid[i - 1].vm->device)
            here = any;
        meet(&here, &grid[i]);
        any = grid[i].vm->device < 0 ? here : any;
    }
    if (!here.tenant || !here.demand)
        return false;
    const bool first = demand_differs(here.tenant->fit, here.first->fit) || here.demand->vm != here.first->vm;
    two[0] = first ? here.first : here.tenant;
    two[1] = demand_differs(here.tenant->fit, here.first->fit) ? here.tenant : here.demand;
    return true;
}

static struct grid *grids_of(struct sms_results *results, size_t *grids)
{
    const struct sms_scenario *scenario = results->scenario;
    struct grid *grid = NULL;
    *grids = 0;
    for (size_t v = 0; v < scenario->vms; v++)
        for (size_t k = 0; k < scenario->vm[v].workload->kernels; k++) {
            const uint64_t blocks = scenario->vm[v].workload->kernel[k].blocks;
            const size_t d = sms__first_device(&scenario->vm[v]);
            if (blocks >= scenario->device[d]->sms)
                *SMS__APPEND(&results->arena, grid, *grids) =
                    (struct grid){&scenario->vm[v].fit[d][k], &scenario->vm[v], blocks};
        }
    return grid;
}

/* Where nothing is drawn, equal grids end and begin together for ever. How they met the first time then decides which
 * SMs have blocks of both, and that hinges on anything, such as one SM more. */
static void note_lockstep(struct sms_results *results)
{
    if (sms__draws(results->scenario) || !runs_kernels_together(results))
        return;
    size_t grids;
    struct grid *grid = grids_of(results, &grids);
    const struct grid *two[2];
    sms__sort(&results->arena, grid, grids, sizeof *grid, by_length_and_device);
    if (find_lockstep(grid, grids, two))
        sms__note(results,
                  "grids of %.60s and %.60s stay in lockstep, because they are equally long and nothing is drawn: "
                  "results depend on how they meet; a jitter of 0.1 %% prevents this",
                  two[0]->vm->name, two[1]->vm->name);
}

/* ---- all ---- */

/* Values of an SM that nobody gave. A warp of 32 threads is all GPUs', but for AMD's. */
static void note_limits(struct sms_results *results)
{
    const struct sms_scenario *scenario = results->scenario;
    const char **text = NULL;
    size_t devices = 0;
    for (size_t d = 0; d < scenario->devices; d++) {
        const struct sms__device *device = scenario->device[d];
        struct sms__names found = {.count = 0};
        for (size_t i = 0; sms__sm_fields[i].name && !is_like_last(scenario, d); i++)
            if (device->about.v100s >> i & 1 && strcmp(sms__sm_fields[i].name, "warp") != 0)
                sms__names_add(&found, sms__sm_fields[i].name, -1);
        if (!found.count || device->mig.board)
            continue;
        *SMS__APPEND(&results->arena, text, devices) =
            sms__print(&results->arena, "%s of an SM of %s", sms__names_print(results, &found), device->name);
    }
    if (devices)
        sms__note(results, "%s are those of a V100, because no file gives them",
                  sms__list_once(results, text, devices, "; "));
}

int sms__results_note(void *user)
{
    struct sms_results *results = user;
    results->notes.count = 0;
    results->notes.assumed = "";
    sms__note_shortfalls(results);
    note_lockstep(results);
    note_seed(results);
    note_one_device(results);
    note_few(results);
    note_stp(results);
    sms__note_setup(results);
    note_contention(results);
    note_limits(results);
    note_launches(results);
    sms__note_unbounded(results);
    sms__note_turns(results);
    sms__note_queue(results);
    sms__note_workloads(results);
    results->exact = sms_results_exact(results);
    return SMS_OK;
}

const char *const *sms_results_notes(const struct sms_results *results, size_t *count)
{
    if (count)
        *count = results ? results->notes.count : 0;
    return results ? results->notes.text : NULL;
}
