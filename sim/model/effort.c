/* How much work: jobs until they are done or the run is over, whichever is less, and what a job is of events. It is no
 * bound: contention and policies make jobs take longer, so that fewer are done in a run that has a duration. */
#include "effort.h"
#include "file.h"
#include "job.h"

#include <math.h>

void sms__effort_spend(struct sms__effort *effort, double seconds, const struct sms__node *at, const char *what)
{
    effort->seconds += seconds;
    if (seconds <= effort->most)
        return;
    effort->most = seconds;
    effort->at = at;
    effort->what = what;
}

void sms__effort_add(struct sms__effort *effort, double events, double seconds, const struct sms__node *at,
                     const char *what)
{
    if (!(events > 0))
        return;
    effort->events += events;
    sms__effort_spend(effort, events * seconds, at, what);
}

const struct sms__node *sms__at_duration(const struct sms_scenario *scenario)
{
    return sms__at_key(sms__at_key(scenario->node, "run"), "duration");
}

/* The jobs of a tenant that do one workload, on devices that are alike. */
struct stint {
    const struct sms__vm *vm;
    struct sms__job job;
    double jobs, arrivals; /* in one run */
    bool cut;              /* the run ends before they do */
};

struct counting {
    const struct sms_scenario *scenario;
    double runs, alone; /* policies and replications; replications of stand-alone runs */
    double device_ps;   /* of all blocks, if each has the device for itself */
    double busy_ps;     /* of all jobs, one after another */
    double room_ps;     /* that the devices have in a run with a duration; 0: without */
    double steps;
    const struct sms__device *device;
    double devices; /* of its kind */
};

/* Closed: the next comes when one has ended. */
static void count_jobs(const struct sms_scenario *scenario, struct stint *stint, double repeat, double streams)
{
    const struct sms__vm *vm = stint->vm;
    double horizon = scenario->duration_ps > 0 ? scenario->duration_ps - vm->start_ps : INFINITY;
    double wanted = repeat > 0 ? repeat : INFINITY;
    double possible = stint->job.ps > 0 ? streams * horizon / stint->job.ps + streams : wanted;
    stint->arrivals = vm->arrivals == SMS__CLOSED ? 0 : fmin(wanted, fmax(horizon, 0) / vm->interval_ps + 1);
    wanted = stint->arrivals > 0 ? stint->arrivals : wanted;
    stint->cut = possible < wanted || (vm->arrivals != SMS__CLOSED && stint->arrivals < repeat);
    stint->jobs = fmax(fmin(wanted, possible), 0);
}

/* Of the i-th of the workloads that the tenant may be doing. */
static struct stint measure(struct counting *counting, const struct sms__vm *vm, size_t d, size_t i)
{
    size_t first;
    const struct sms__workload *workload = sms__workload_of(vm, i, &first);
    const struct sms__process_spec *process = vm->process;
    struct stint stint = {.vm = vm};
    counting->steps += (double)workload->steps;
    stint.job = sms__measure_job(workload, vm->fit[d] + first, counting->device, true);
    if (process && process->own)
        count_jobs(counting->scenario, &stint, (double)process->stream[i].repeat, 1);
    else if (process) /* each stream has its own; which workload they do is drawn */
        count_jobs(counting->scenario, &stint, (double)process->stream[0].repeat, 1);
    else
        count_jobs(counting->scenario, &stint, (double)vm->repeat, (double)vm->streams);
    if (process && !process->own)
        stint.jobs *= (double)vm->streams / (double)process->choices;
    return stint;
}

/* The part of work that there is room for; 0 ps of room: as much as there is. */
static double fit_into(double room_ps, double work_ps)
{
    return room_ps > 0 && work_ps > room_ps ? room_ps / work_ps : 1;
}

static void add_stint(struct counting *counting, const struct stint *stint, double scale, struct sms__effort *effort)
{
    double events = (stint->jobs * stint->job.events * scale + stint->arrivals) * counting->devices;
    double own = fit_into(counting->room_ps, stint->jobs * stint->job.device_ps);
    double alone = (stint->jobs * stint->job.events * own + stint->arrivals) * counting->devices;
    const struct sms__node *at = stint->cut || stint->vm->repeat <= 1 ? sms__at_duration(counting->scenario)
                                                                      : sms__at_key(stint->vm->node, "repeat");
    if (!stint->cut && stint->vm->repeat == 1)
        at = sms__at_key(stint->vm->node, "workload");
    sms__effort_add(effort, events * counting->runs + alone * counting->alone, SMS__EVENT_S, at,
                    stint->cut ? "jobs until the run is over" : "jobs");
}

/* Whether the tenant may be on devices of this kind; a process is on one of all devices. */
static bool may_be(const struct counting *counting, const struct sms__vm *vm, size_t d)
{
    if (!vm->process)
        return true;
    return vm->process->device >= 0 ? counting->scenario->device[vm->process->device] == counting->device : d == 0;
}

/* Sums up, or with an effort adds, all tenants on the devices from `d` on that are alike. */
static void for_tenants(struct counting *counting, size_t d, double scale, struct sms__effort *effort)
{
    const struct sms_scenario *scenario = counting->scenario;
    for (size_t v = 0; v < scenario->vms && counting->steps < SMS__STEPS_SEEN; v++) {
        const struct sms__vm *vm = &scenario->vm[v];
        size_t first;
        for (size_t i = 0; may_be(counting, vm, d) && sms__workload_of(vm, i, &first); i++) {
            struct stint stint = measure(counting, vm, d, i);
            counting->device_ps += effort ? 0 : stint.jobs * stint.job.device_ps;
            counting->busy_ps += effort ? 0 : stint.jobs * stint.job.ps;
            if (effort)
                add_stint(counting, &stint, scale, effort);
        }
    }
}

/* Under time slices, while more than one process has something to do. */
static void add_slices(const struct counting *counting, struct sms__effort *effort)
{
    const struct sms_scenario *scenario = counting->scenario;
    double busy = counting->busy_ps;
    if (scenario->duration_ps > 0)
        busy = fmin(busy, scenario->duration_ps);
    for (size_t p = 0; p < scenario->policies && scenario->vms > 1; p++) {
        const struct sms__mode *mode = &scenario->policy[p].mode;
        if (scenario->shares && sms__mode_slices(mode))
            sms__effort_add(effort, 2 * busy / (mode->slice_ps + mode->switch_ps) * (double)scenario->replications,
                            SMS__EVENT_S, scenario->policy[p].node, "time slices");
    }
}

static void add_kind(struct counting *counting, size_t d, struct sms__effort *effort)
{
    const struct sms_scenario *scenario = counting->scenario;
    double steps = counting->steps;
    counting->room_ps = scenario->duration_ps * (scenario->shares ? (double)scenario->devices : 1);
    counting->device_ps = counting->busy_ps = 0;
    for_tenants(counting, d, 1, NULL);
    counting->steps = steps;
    for_tenants(counting, d, fit_into(counting->room_ps, counting->device_ps), effort);
    add_slices(counting, effort);
}

static void add_devices(const struct sms_scenario *scenario, struct sms__effort *effort)
{
    bool compat = scenario->compat != SMS__COMPAT_OFF;
    double pilots = scenario->find_warmup ? SMS__PILOTS : 0;
    struct counting counting = {.scenario = scenario,
                                .runs = (double)scenario->policies * ((double)scenario->replications + pilots),
                                .alone = compat ? 0 : (double)scenario->replications};
    for (size_t d = 0, next; d < scenario->devices; d = next) {
        for (next = d + 1; next < scenario->devices && scenario->device[next] == scenario->device[d];)
            next++;
        counting.device = scenario->device[d];
        counting.devices = scenario->shares ? 1 : (double)(next - d);
        add_kind(&counting, d, effort);
    }
}

struct sms__effort sms__effort_of(const struct sms_scenario *scenario)
{
    struct sms__effort effort = {.at = scenario->node, .what = ""};
    if (scenario->cluster)
        sms__effort_of_cluster(scenario, &effort);
    else
        add_devices(scenario, &effort);
    return effort;
}

void sms__warn_of_effort(struct sms_file *file, const struct sms_scenario *scenario)
{
    struct sms__effort effort = sms__effort_of(scenario);
    char text[64];
    if (effort.seconds >= SMS__EFFORT_WARNED_S)
        sms__error(&file->warnings, SMS_OK, effort.at->mark,
                   "the runs of scenario '%.60s' take about %s of CPU time, for %.2g events, most of them for %s",
                   scenario->name, sms__say_time(text, sizeof text, effort.seconds * 1e12), effort.events, effort.what);
}

struct sms_effort sms_scenario_effort(const struct sms_scenario *scenario)
{
    if (!scenario)
        return (struct sms_effort){0};
    struct sms__effort effort = sms__effort_of(scenario);
    return (struct sms_effort){effort.events, effort.seconds};
}
