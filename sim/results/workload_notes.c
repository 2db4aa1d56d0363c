/* Notes on workloads whose kernels were not measured where they run, or not measured at all. */
#include "notes.h"

#include "../base/sort.h"
#include "../model/retarget.h"
#include "../model/sheet.h"

#include <string.h>

/* The workloads of all tenants, each once. */
struct workloads {
    const struct sms__workload **of;
    size_t count;
};

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const struct sms__workload *const *)a)->name, (*(const struct sms__workload *const *)b)->name);
}

static struct workloads workloads_of(struct sms_results *results)
{
    const struct sms_scenario *scenario = results->scenario;
    struct workloads all = {0}, once = {0};
    for (size_t v = 0; v < scenario->vms; v++)
        all.count += scenario->vm[v].choices;
    once.of = all.of = SMS__NEW(&results->arena, const struct sms__workload *, all.count);
    all.count = 0;
    for (size_t v = 0; v < scenario->vms; v++)
        for (size_t c = 0; c < scenario->vm[v].choices; c++)
            all.of[all.count++] = scenario->vm[v].choice[c].workload;
    sms__sort(&results->arena, all.of, all.count, sizeof *all.of, by_name);
    for (size_t i = 0; i < all.count; i++)
        if (i == 0 || by_name(&all.of[i], &once.of[once.count - 1]) != 0)
            once.of[once.count++] = all.of[i];
    return once;
}

static bool does(const struct sms__tenant *vm, const struct sms__workload *workload)
{
    bool any = false;
    for (size_t c = 0; c < vm->choices; c++)
        any |= !strcmp(vm->choice[c].workload->name, workload->name);
    return any;
}

static bool runs_elsewhere(const struct sms_scenario *scenario, const struct sms__workload *workload)
{
    bool elsewhere = false;
    for (size_t v = 0; v < scenario->vms && *workload->device && !elsewhere; v++)
        for (size_t d = 0; d < scenario->devices && does(&scenario->vm[v], workload); d++)
            elsewhere |=
                sms__may_be_on(&scenario->vm[v], d) && !sms__runs_as_profiled(scenario->device[d], workload->device);
    return elsewhere;
}

/* The bounds (bits by enum sms__bound) of its kernels that are scaled to the devices of the scenario; 0: no kernel. */
static unsigned scaled_bounds(const struct sms_scenario *scenario, const struct sms__workload *workload)
{
    unsigned bounds = 0;
    const struct sms__workload *done;
    size_t first;
    for (size_t v = 0; v < scenario->vms && !bounds; v++)
        for (size_t i = 0; scenario->vm[v].fit && (done = sms__workload_of(&scenario->vm[v], i, &first)); i++)
            for (size_t k = 0; done == workload && k < scenario->devices * workload->kernels; k++) {
                const size_t d = k / workload->kernels;
                const bool is_there = sms__may_be_on(&scenario->vm[v], d);
                int scaled = is_there ? scenario->vm[v].fit[d][first + k % workload->kernels].scaled : 0;
                bounds |= scaled ? 1U << (scaled - 1) : 0;
            }
    return bounds;
}

static bool runs_as_it_is(const struct sms_scenario *scenario, const struct sms__workload *workload)
{
    return runs_elsewhere(scenario, workload) && !scaled_bounds(scenario, workload);
}

static bool dram_by_rule(const struct sms__device *device)
{
    const int r = sms__resource_index(device, "dram");
    return r >= 0 && !(device->resource[r].reached > 0);
}

static bool demands_dram(const struct sms__workload *workload)
{
    bool any = false;
    for (size_t k = 0; k < workload->kernels; k++)
        for (size_t i = 0; i < workload->kernel[k].demands; i++)
            any |= !strcmp(workload->kernel[k].demand[i].resource, "dram");
    return any;
}

static bool scaling_unknown(const struct sms__device *device) { return !sms__scaling_known(device); }

/* Workloads that the run itself scaled, and how far off their kernels' times may be. */
static void note_scaled(struct sms_results *results, const struct workloads *workloads)
{
    struct sms__names found = {.count = 0};
    unsigned bounds = 0;
    bool dram = false;
    const char *factors = "", *peak = sms__names_of_devices(results, dram_by_rule);
    for (size_t w = 0; w < workloads->count; w++) {
        unsigned of_one = runs_elsewhere(results->scenario, workloads->of[w])
                              ? scaled_bounds(results->scenario, workloads->of[w])
                              : 0;
        bounds |= of_one;
        dram |= of_one && demands_dram(workloads->of[w]);
        if (of_one)
            sms__names_add(&found, workloads->of[w]->name, -1);
    }
    const char *unknown = sms__names_of_devices(results, scaling_unknown);
    for (int b = 0; b < SMS__BOUNDS; b++)
        if (bounds & 1U << b && !*unknown)
            factors = sms__print(&results->arena,
                                 "%s; 80 %% of the held-back kernels bound by %s were within a factor of %.2f", factors,
                                 sms__bound_names[b], sms__retarget_factor((enum sms__bound)b));
    if (*unknown)
        factors = sms__print(&results->arena, "; the error is unknown, because no kernel was held back on %s", unknown);
    if (found.count) {
        sms__note(results, "kernels scaled from the device of their profile: %s%s", sms__names_print(results, &found),
                  factors);
        sms__note_clock(results);
    }
    if (dram && *peak)
        sms__note(results,
                  "scaled kernels are assumed to reach the peak of DRAM on %s, because none was measured there", peak);
}

static bool is_scaled(const struct sms_scenario *scenario, const struct sms__workload *workload)
{
    (void)scenario;
    return *workload->scaled_from;
}

static bool is_fitted(const struct sms_scenario *scenario, const struct sms__workload *workload)
{
    (void)scenario;
    return workload->fitted;
}

/* Kernels without demands take SMs and press on nothing else, so that others beside them look too fast. */
static void note_unmeasured(struct sms_results *results, const struct workloads *workloads)
{
    struct sms__names found = {.count = 0};
    for (size_t w = 0; w < workloads->count; w++)
        if (workloads->of[w]->unmeasured >= 0.005)
            sms__names_add(&found, workloads->of[w]->name, 100 * workloads->of[w]->unmeasured);
    if (found.count)
        sms__note(results, "kernels without metrics demand nothing; their share of the kernel time in %%: %s",
                  sms__names_print(results, &found));
}

void sms__note_workloads(struct sms_results *results)
{
    static const struct {
        bool (*holds)(const struct sms_scenario *scenario, const struct sms__workload *workload);
        const char *words;
    } cases[] = {{runs_as_it_is, "workloads profiled on another device than they run on: %s"},
                 {is_scaled, "workloads scaled to their device from a profile of another device: %s"},
                 {is_fitted, "workloads fitted to published results, not measured: %s"}};
    struct workloads workloads = workloads_of(results);
    note_scaled(results, &workloads);
    note_unmeasured(results, &workloads);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sms__names found = {.count = 0};
        for (size_t w = 0; w < workloads.count; w++)
            if (cases[i].holds(results->scenario, workloads.of[w]))
                sms__names_add(&found, workloads.of[w]->name, -1);
        if (found.count)
            sms__note(results, cases[i].words, sms__names_print(results, &found));
    }
}
