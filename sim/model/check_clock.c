/* Complains of tenants that would go on beyond the clock: what a job takes at the least, as often as it is done. */
#include "estimate.h"

#include <math.h>

static double least_on_any(const struct sms_scenario *scenario, const struct sms__workload *workload,
                           const struct sms__footprint *const *fit, size_t first)
{
    double least = INFINITY;
    for (size_t d = 0; d < scenario->devices; d++)
        if (d == 0 || scenario->device[d] != scenario->device[d - 1])
            least = fmin(least, sms__measure_job(workload, fit[d] + first, scenario->device[d]).least_ps);
    return least;
}

/* The least time of the shortest job that it may do, on the fastest device. */
static double least_of(const struct sms_scenario *scenario, const struct sms__tenant *vm)
{
    const struct sms__workload *workload;
    double least = INFINITY;
    size_t first;
    for (size_t i = 0; (workload = sms__workload_of(vm, i, &first)); i++)
        least = fmin(least, least_on_any(scenario, workload, vm->fit, first));
    return least;
}

static void check(struct sms__reader *reader, const struct sms_scenario *scenario, const struct sms__tenant *vm)
{
    bool each = vm->stream && vm->arrivals == SMS__CLOSED; /* each stream repeats */
    double jobs = each ? (double)vm->repeat : ceil((double)vm->repeat / (double)vm->streams);
    double between_ps = least_of(scenario, vm); /* from a job to the next */
    const char *key = "workload", *after = "";
    char text[64];
    if (vm->arrivals != SMS__CLOSED && vm->interval_ps > between_ps) {
        jobs = (double)vm->repeat;
        between_ps = vm->interval_ps;
        key = "arrivals";
    } else if (vm->period_ps > between_ps && jobs > 1) {
        jobs -= 1; /* what the last one takes does not matter any more */
        between_ps = vm->period_ps;
        key = "period";
    }
    if (vm->start_ps + jobs * between_ps < SMS__CLOCK_PS)
        return;
    if (vm->start_ps > 0)
        after = ", after its start";
    else if (jobs > 1)
        after = ", one after another";
    sms__complain(
        reader, sms__at_key(vm->node, jobs > 1 ? "repeat" : key),
        "%s '%.60s' would end beyond the clock's 213 days: %.4g job%s of at least %s%s; give the run a duration",
        sms__tenant_word(scenario), vm->name, jobs, jobs > 1 ? "s" : "", sms__say_time(text, sizeof text, between_ps),
        after);
}

void sms__check_clock(struct sms__reader *reader, const struct sms_scenario *scenario)
{
    if (scenario->duration_ps > 0)
        return;
    double steps = 0;
    for (size_t v = 0; v < scenario->vms && steps < SMS__STEPS_SEEN; v++)
        if (scenario->vm[v].repeat && !sms__is_like_last(scenario->vm, v)) {
            check(reader, scenario, &scenario->vm[v]);
            steps += (double)scenario->vm[v].workload->steps;
        }
}
