/* Estimates the work of runs: jobs until they are done or the run is over, whichever is less, times the events of a
 * job. It is no bound, because contention and policies make jobs take longer. */
#include "estimate.h"

#include <math.h>

/* The tenants on devices of one kind. */
struct load {
    const struct sms_scenario *scenario;
    double room_ps;       /* of the devices in a run with a duration; 0: without */
    double events, alone; /* of jobs, in a run, and in runs of each tenant alone */
    double arrivals;
    double device_ps;   /* of all blocks, if each has the device for itself */
    double busy_ps;     /* of all jobs, one after another */
    double most, steps; /* events of the tenant with most of them */
    const struct sms__node *at;
    const char *what;
};

/* The share of the work that there is room for. */
static double share_done(double room_ps, double work_ps)
{
    return room_ps > 0 && work_ps > room_ps ? room_ps / work_ps : 1;
}

/* Adds the jobs of one choice of a tenant, of which `repeat` come on each of so many streams; 0: for ever. */
static void add_jobs(struct load *load, const struct sms__tenant *vm, const struct sms__job *job, double repeat,
                     double streams, double share)
{
    const struct sms_scenario *scenario = load->scenario;
    bool closed = vm->arrivals == SMS__CLOSED;
    double horizon = scenario->duration_ps > 0 ? scenario->duration_ps - vm->start_ps : INFINITY;
    double wanted = repeat > 0 ? repeat : INFINITY;
    double possible = job->ps > 0 ? streams * horizon / job->ps + streams : wanted;
    double arrivals = closed ? 0 : fmin(wanted, fmax(horizon, 0) / vm->interval_ps + 1);
    wanted = arrivals > 0 ? arrivals : wanted;
    bool cut = possible < wanted || (!closed && arrivals < repeat);
    double jobs = fmax(fmin(wanted, possible), 0) * share, events = jobs * job->events;
    load->events += events;
    load->alone += events * share_done(load->room_ps, jobs * job->device_ps);
    load->arrivals += arrivals;
    load->device_ps += jobs * job->device_ps;
    load->busy_ps += jobs * job->ps;
    if (events < load->most)
        return;
    load->most = events;
    load->what = cut ? "jobs until the run is over" : "jobs";
    load->at = cut || vm->repeat == 0 ? sms__at_duration(scenario)
                                      : sms__at_key(vm->node, vm->repeat == 1 ? "workload" : "repeat");
}

static void add_tenant(struct load *load, const struct sms__tenant *vm, size_t d)
{
    const struct sms__workload *workload;
    size_t first;
    for (size_t i = 0; (workload = sms__workload_of(vm, i, &first)); i++) {
        struct sms__job job = sms__measure_job(workload, vm->fit[d] + first, load->scenario->device[d]);
        load->steps += (double)workload->steps;
        if (!vm->stream || vm->arrivals != SMS__CLOSED)
            add_jobs(load, vm, &job, (double)vm->repeat, (double)vm->streams, 1 / (double)vm->choices);
        else if (vm->own)
            add_jobs(load, vm, &job, (double)vm->stream[i].repeat, 1, 1);
        else /* which of the choices each stream does is drawn */
            add_jobs(load, vm, &job, (double)vm->stream->repeat, 1, (double)vm->streams / (double)vm->choices);
    }
}

/* A VM is on the device that it names, or else on all. A process is on one of all devices: on the one that it names, or
 * else on the first. */
static bool may_be_on(const struct sms_scenario *scenario, const struct sms__tenant *vm, size_t d)
{
    if (!scenario->shares)
        return sms__may_be_on(vm, d);
    return vm->device >= 0 ? scenario->device[vm->device] == scenario->device[d] : d == 0;
}

/* Whether the devices are equal, and the same VMs are on them. */
static bool is_like(const struct sms_scenario *scenario, size_t a, size_t b)
{
    bool like = scenario->device[a] == scenario->device[b];
    for (size_t v = 0; v < scenario->vms && like && !scenario->shares; v++)
        like = sms__may_be_on(&scenario->vm[v], a) == sms__may_be_on(&scenario->vm[v], b);
    return like;
}

/* The shortest slice and switch on any device. */
static double least_turn_ps(const struct sms_scenario *scenario, const struct sms__mode *mode)
{
    double least = INFINITY;
    for (size_t d = 0; d < scenario->devices; d++) {
        struct sms__turns turns = sms__mode_turns(mode, scenario->device[d]);
        least = fmin(least, turns.slice_ps + turns.switch_ps);
    }
    return least;
}

/* Time slices change while more than one process has something to do. */
static void add_slices(const struct load *load, struct sms__effort *effort)
{
    const struct sms_scenario *scenario = load->scenario;
    double busy = scenario->duration_ps > 0 ? fmin(load->busy_ps, scenario->duration_ps) : load->busy_ps;
    for (size_t p = 0; p < scenario->policies && scenario->shares && scenario->vms > 1; p++) {
        const struct sms__mode *mode = &scenario->policy[p].mode;
        if (sms__mode_slices(mode))
            sms__effort_add(effort, 2 * busy / least_turn_ps(scenario, mode) * (double)scenario->replications,
                            SMS__EVENT_S, scenario->policy[p].node, "time slices");
    }
}

/* Adds the work on `count` devices of a kind, from `d` on. */
static void add_kind(const struct sms_scenario *scenario, size_t d, double count, struct sms__effort *effort)
{
    double pilots = scenario->find_warmup ? SMS__PILOTS : 0;
    double runs = (double)scenario->policies * ((double)scenario->replications + pilots);
    double alone = (double)scenario->replications;
    struct load load = {.scenario = scenario, .at = scenario->node, .what = ""};
    load.room_ps = scenario->duration_ps * (scenario->shares ? (double)scenario->devices : 1);
    for (size_t v = 0; v < scenario->vms && load.steps < SMS__STEPS_SEEN; v++)
        if (may_be_on(scenario, &scenario->vm[v], d))
            add_tenant(&load, &scenario->vm[v], d);
    double events = load.events * share_done(load.room_ps, load.device_ps) + load.arrivals;
    sms__effort_add(effort, (events * runs + (load.alone + load.arrivals) * alone) * count, SMS__EVENT_S, load.at,
                    load.what);
    add_slices(&load, effort);
}

struct sms__effort sms__effort_of(const struct sms_scenario *scenario)
{
    struct sms__effort effort = {.at = scenario->node, .what = ""};
    if (scenario->cluster)
        sms__effort_of_cluster(scenario, &effort);
    for (size_t d = 0, next; d < scenario->devices && !scenario->cluster; d = next) {
        for (next = d + 1; next < scenario->devices && is_like(scenario, next, d);)
            next++;
        add_kind(scenario, d, scenario->shares ? 1 : (double)(next - d), &effort);
    }
    return effort;
}

struct sms_effort sms_scenario_effort(const struct sms_scenario *scenario)
{
    if (!scenario)
        return (struct sms_effort){0};
    struct sms__effort effort = sms__effort_of(scenario);
    return (struct sms_effort){effort.events, effort.seconds};
}
