/* Tenants that would go on beyond the clock: what a job takes at the least, as often as it is done. */
#include "effort.h"
#include "job.h"

#include <math.h>
#include <string.h>

/* What carries a tenant on: jobs, one after another on each of so many streams. */
struct going {
    double jobs;
    double least_ps;     /* from a job to the next */
    const char *by, *of; /* keys: of the jobs; of one job */
};

static double least_on_any(const struct sms_scenario *scenario, const struct sms__workload *workload,
                           const struct sms__fit *const *fit, size_t first)
{
    double least = INFINITY;
    for (size_t d = 0; d < scenario->devices; d++) {
        if (d > 0 && scenario->device[d] == scenario->device[d - 1])
            continue;
        least = fmin(least, sms__measure_job(workload, fit[d] + first, scenario->device[d], true).least_ps);
    }
    return least;
}

/* The shortest of what it may do, on the fastest device. */
static double least_of(const struct sms_scenario *scenario, const struct sms__vm *vm)
{
    const struct sms__workload *workload;
    double least = INFINITY;
    size_t first;
    for (size_t i = 0; (workload = sms__workload_of(vm, i, &first)); i++)
        least = fmin(least, least_on_any(scenario, workload, vm->fit, first));
    return least;
}

static struct going measure(const struct sms_scenario *scenario, const struct sms__vm *vm)
{
    struct going going = {(double)vm->repeat, least_of(scenario, vm), "repeat", "workload"};
    if (!vm->process)
        going.jobs = ceil(going.jobs / (double)vm->streams);
    if (vm->arrivals != SMS__CLOSED && vm->interval_ps > going.least_ps) {
        going.jobs = (double)vm->repeat;
        going.least_ps = vm->interval_ps;
        going.of = "arrivals";
    }
    if (vm->process && vm->process->period_ps > going.least_ps && going.jobs > 1) {
        going.jobs -= 1; /* what the last one takes does not matter any more */
        going.least_ps = vm->process->period_ps;
        going.of = "period";
    }
    return going;
}

static void check(struct sms__reader *reader, const struct sms_scenario *scenario, const struct sms__vm *vm)
{
    struct going going = measure(scenario, vm);
    char text[64];
    if (vm->start_ps + going.jobs * going.least_ps < SMS__CLOCK_PS)
        return;
    sms__complain(
        reader, sms__at_key(vm->node, going.jobs > 1 ? going.by : going.of),
        "%s '%.60s' would end beyond the clock's 213 days: %.4g job%s of at least %s%s; give the run a duration",
        sms__tenant_word(scenario), vm->name, going.jobs, going.jobs > 1 ? "s" : "",
        sms__say_time(text, sizeof text, going.least_ps),
        vm->start_ps > 0 ? ", after its start"
        : going.jobs > 1 ? ", one after another"
                         : "");
}

void sms__check_clock(struct sms__reader *reader, const struct sms_scenario *scenario)
{
    if (scenario->duration_ps > 0 || scenario->compat != SMS__COMPAT_OFF)
        return;
    double steps = 0;
    for (size_t v = 0; v < scenario->vms && steps < SMS__STEPS_SEEN; v++)
        if (scenario->vm[v].repeat && !sms__is_like_last(scenario, v)) {
            check(reader, scenario, &scenario->vm[v]);
            steps += (double)scenario->vm[v].workload->steps;
        }
}
