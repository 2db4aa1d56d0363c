/* What must hold of every scenario. To add one: a function in properties_*.c, a
 * line in the table of main.c's `properties`. */
#ifndef TESTS_PROPERTY_PROPERTY_H
#define TESTS_PROPERTY_PROPERTY_H

#include "run.h"

/* One macro at one place: smsched.h defines SMS_HAS_REFERENCE once struct sms_run_options
 * has `enum sms_engine engine` and `bool check`. */
#ifdef SMS_HAS_REFERENCE
#define PROPERTY_HAS_REFERENCE 1
#else
#define PROPERTY_HAS_REFERENCE 0
#endif

typedef bool scenario_property(const struct scenario *scenario, char *why, size_t size);
typedef bool file_property(const struct sms_scenario *scenario, char *why, size_t size);

/* Of one policy of a run that decisions were watched in. */
typedef bool trace_property(const struct scenario *scenario, const struct outcome *outcome, size_t policy, char *why,
                            size_t size);

/* One of the three; those `of_file` look at nothing but what is loaded, so they work on any file. */
struct named_property {
    const char *name, *help;
    scenario_property *holds;
    trace_property *holds_of_trace;
    file_property *holds_of_file;
};

extern const struct named_property properties[]; /* ends with a name of NULL */

/* NULL: there is none. */
const struct named_property *find_property(const char *name);

/* The same scenario, whose VMs all begin with a job. */
struct scenario without_phases(const struct scenario *scenario);

/* Of any kind. `run` is the one without phases, NULL: it is run if the property wants it. A scenario that does not
 * load or has too many events holds. */
bool property_holds(const struct named_property *property, const struct scenario *scenario, const struct run *run,
                    char *why, size_t size);

/* properties_same.c: runs compared with runs. */
scenario_property is_valid, renaming_changes_nothing, ties_permuted, idle_vm_changes_nothing,
    unused_resource_changes_nothing, twin_device_is_alone, one_device_counts_for_all, time_scales;
file_property it_runs, is_repeatable;
#if PROPERTY_HAS_REFERENCE
file_property passes_check, equals_reference;
#endif

/* properties_trace.c: one run, replayed from what observers saw. */
trace_property is_conserved, steps_in_order, within_limits, refusals_are_right, metrics_add_up, speed_at_most_one;

/* shrink.c: the smallest scenario found that `holds` still says no to. */
void shrink(struct scenario *scenario, bool (*holds)(void *user, const struct scenario *), void *user);

#endif
