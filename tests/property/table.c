#include "property.h"

#include <string.h>

const struct named_property properties[] = {
    {"valid", "what the generator prints loads", is_valid, NULL, NULL},
    {"runs", "and ends, unless it has too many events", NULL, NULL, it_runs},
    {"repeatable", "the same again, watched or not, on one thread or two, to the bit", NULL, NULL, is_repeatable},
    {"conserved", "blocks placed, left and counted agree; VMs that end do all their jobs", NULL, is_conserved, NULL},
    {"steps_in_order", "no block starts before its launch, and launches have their grids", NULL, steps_in_order, NULL},
    {"within_limits", "hardware and policy limits hold at every placement", NULL, within_limits, NULL},
    {"refusals_are_right", "the SM is the one that the policy promises; a block waits only if none takes it", NULL,
     refusals_are_right, NULL},
    {"metrics_add_up", "occupancy, activity, energy and usage are the integrals of the stays", NULL, metrics_add_up,
     NULL},
    {"speed_at_most_one", "no block is faster than alone; without contention none is slower", NULL, speed_at_most_one,
     NULL},
    {"renaming_changes_nothing", "names of VMs, workloads and kernels", renaming_changes_nothing, NULL, NULL},
    {"ties_permuted", "equal VMs that trade places trade results", ties_permuted, NULL, NULL},
    {"idle_vm_changes_nothing", "a VM whose jobs never arrive", idle_vm_changes_nothing, NULL, NULL},
    {"unused_resource_changes_nothing", "a resource that nobody takes", unused_resource_changes_nothing, NULL, NULL},
    {"twin_device_is_alone", "a second device changes nothing on the first", twin_device_is_alone, NULL, NULL},
    {"one_device_counts_for_all", "one of two equal devices has the figures of one, and twice what is done",
     one_device_counts_for_all, NULL, NULL},
    {"time_scales", "four times the times take four times as long", time_scales, NULL, NULL},
#if PROPERTY_HAS_REFERENCE
    {"check", "the engine's own checks find nothing", NULL, NULL, passes_check},
    {"reference", "the fast engine is the reference, to the bit", NULL, NULL, equals_reference},
#endif
    {0}};

const struct named_property *find_property(const char *name)
{
    for (size_t p = 0; properties[p].name; p++)
        if (!strcmp(properties[p].name, name))
            return &properties[p];
    return NULL;
}

static bool holds_of_traces(const struct named_property *property, const struct scenario *scenario,
                            const struct run *run, char *why, size_t size)
{
    bool holds = true;
    for (size_t p = 0; holds && p < run->outcome.policies; p++)
        holds = property->holds_of_trace(scenario, &run->outcome, p, why, size);
    return holds;
}

static bool holds_of_file(const struct named_property *property, const struct scenario *scenario, char *why,
                          size_t size)
{
    struct sms_file *file = load_scenario(scenario, why, size);
    bool holds = !file || property->holds_of_file(sms_file_scenario(file, 0), why, size);
    sms_file_free(file);
    return holds;
}

/* Phases are of names, and a replay begins with jobs. */
struct scenario without_phases(const struct scenario *scenario)
{
    struct scenario begun = *scenario;
    for (size_t v = 0; v < begun.vms; v++)
        begun.vm[v].phased = 0;
    return begun;
}

bool property_holds(const struct named_property *property, const struct scenario *scenario, const struct run *run,
                    char *why, size_t size)
{
    struct run own;
    if (property->holds_of_file)
        return holds_of_file(property, scenario, why, size);
    const struct scenario begun = without_phases(scenario);
    scenario = &begun;
    if (property->holds)
        return property->holds(scenario, why, size);
    if (run)
        return holds_of_traces(property, scenario, run, why, size);
    if (!run_scenario(&own, scenario, true))
        return true;
    bool holds = holds_of_traces(property, scenario, &own, why, size);
    run_release(&own);
    return holds;
}
