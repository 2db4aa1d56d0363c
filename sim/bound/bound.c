/* An upper bound on the host's throughput: the sum over devices of a linear
 * program each (docs/explanation/bound.md). Devices share nothing but the run's length. */
#include "bound.h"
#include "solver.h"
#include "../base/errors.h"
#include "../levels/share/share_level.h"
#include "../model/draws.h"
#include "../results/results.h"

#include <glpk.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the solver's tolerances may hide. */
static const double SLACK = 1e-6;

struct call {
    struct sms__arena arena;
    const struct sms_scenario *scenario;
    const struct sms_results *results; /* NULL: of the scenario alone */
    uint64_t seed, replications;
    enum sms_bounded metric;
    const double *worth; /* [vms]: of a block, for SMS_BOUND_STP; NULL: not known */
    struct sms_bound *out;
    glp_prob *problem; /* the one being solved */
    struct sms_bound_part *part;
    size_t parts;
};

const char *sms_bound_metric(enum sms_bounded metric)
{
    static const char *const names[SMS_BOUNDED] = {"kernels_per_s", "blocks_per_s", "jobs_per_s", "stp_ratio"};
    return (unsigned)metric < SMS_BOUNDED ? names[metric] : NULL;
}

/* ---- the time measured ---- */

static bool all_end(const struct sms_scenario *scenario)
{
    bool end = true;
    for (size_t v = 0; v < scenario->vms; v++)
        end &= scenario->vm[v].repeat > 0;
    return end;
}

/* Beside static load a policy may place nothing, and a run without a duration then ends with jobs undone. */
static bool may_stall(const struct sms_scenario *scenario)
{
    bool loaded = false;
    for (size_t d = 0; d < scenario->devices; d++)
        loaded |= scenario->device[d]->backgrounds > 0;
    return loaded && scenario->duration_ps <= 0;
}

/* Whether the device and the one before it are alike, and the same VMs are on both. */
static bool is_same_as_before(const struct sms_scenario *scenario, size_t d)
{
    bool same = d > 0 && scenario->device[d] == scenario->device[d - 1];
    for (size_t v = 0; v < scenario->vms && same; v++)
        same = sms__may_be_on(&scenario->vm[v], d) == sms__may_be_on(&scenario->vm[v], d - 1);
    return same;
}

static double makespan_ps(struct call *call, char name[SMS__BOUND_NAME])
{
    double greatest = 0;
    for (size_t d = 0; d < call->scenario->devices; d++) {
        struct sms__bound_device device;
        char own[SMS__BOUND_NAME];
        if (is_same_as_before(call->scenario, d))
            continue;
        if (sms__bound_describe(&call->arena, call->scenario, d, &device))
            return INFINITY; /* add_devices says that there is no bound */
        double least = sms__bound_makespan_ps(&device, own);
        if (least <= greatest)
            continue;
        greatest = least;
        memcpy(name, own, sizeof own);
    }
    return greatest;
}

/* The window; `name` says what makes it as long as it is, if the jobs' number does. NULL, or why there is none. */
static const char *find_window(struct call *call, struct sms__bound_window *window, char name[SMS__BOUND_NAME])
{
    const struct sms_scenario *scenario = call->scenario;
    window->from_ps = scenario->warmup_ps;
    window->slack_ps = sms__slack_ps(scenario);
    window->to_ps = scenario->duration_ps - 2 * window->slack_ps;
    name[0] = '\0';
    if (scenario->shares)
        return "the optimum of share policies on shared devices is not known";
    if (!all_end(scenario))
        return NULL;
    if (may_stall(scenario))
        return "with a background a policy may leave jobs undone, and the run has no duration";
    double least = makespan_ps(call, name);
    window->may_end_early = scenario->duration_ps <= 0 || least < scenario->duration_ps;
    if (window->may_end_early)
        window->to_ps = least;
    else
        name[0] = '\0';
    return window->to_ps > window->from_ps ? NULL : "all jobs may be done before the warm-up ends";
}

/* ---- devices ---- */

/* Adds up parts of the same name. */
static void add_part(struct call *call, const char *device, const struct sms_bound_part *part, double weight)
{
    struct sms_bound_part own = {.share = part->share * weight};
    if (device)
        snprintf(own.name, sizeof own.name, "%.60s on %.60s", part->name, device);
    else
        snprintf(own.name, sizeof own.name, "%s", part->name);
    for (size_t i = 0; i < call->parts; i++)
        if (!strcmp(call->part[i].name, own.name)) {
            call->part[i].share += own.share;
            return;
        }
    *SMS__APPEND(&call->arena, call->part, call->parts) = own;
}

static int solve(struct call *call, const struct sms__bound_device *device, const struct sms__bound_window *window,
                 struct sms__bound_found *found)
{
    int code = sms__bound_solve(&call->arena, device, window, call->metric, &call->problem, found);
    glp_delete_prob(call->problem);
    call->problem = NULL;
    return code;
}

/* Adds the jobs that arrive at one device in one replication. */
static void add_arrivals(struct sms__bound_vm *vm, const struct sms__bound_window *window, gsl_rng *stream,
                         double weight)
{
    uint64_t from = (uint64_t)(window->from_ps + 0.5), to = (uint64_t)(window->to_ps + 0.5);
    uint64_t now = (uint64_t)(vm->vm->start_ps + 0.5);
    for (double jobs = 0; jobs < vm->most_jobs; jobs++) {
        now = sms__arrival_of_job(vm->vm, (uint64_t)jobs, now, stream);
        if (now > to)
            return;
        vm->arrived[0] += weight;
        vm->arrived[1] += now >= from ? weight : 0;
    }
}

/* The mean over replications, equal devices and VMs alike. The optimum of the program is concave in the number of jobs,
 * so that of the mean is no less than the mean of the optima. */
static void find_arrivals(struct call *call, struct sms__bound_device *device, size_t first, size_t count,
                          const struct sms__bound_window *window)
{
    gsl_rng *stream = sms__stream(&call->arena, 0, "", 0);
    for (size_t v = 0; v < call->scenario->vms && !window->may_end_early; v++) {
        const struct sms__tenant *tenant = &call->scenario->vm[v];
        if (tenant->arrivals == SMS__CLOSED || device->of[v] == SIZE_MAX)
            continue;
        struct sms__bound_vm *vm = &device->vm[device->of[v]];
        const char *name = sms__print(&call->arena, "arrivals of %s", tenant->name);
        uint64_t each = count / sms__devices_for_one(call->scenario);
        uint64_t draws = tenant->arrivals == SMS__POISSON ? call->replications * each : 1;
        for (uint64_t i = 0; i < draws; i++) {
            sms__stream_again(stream, sms__replication_seed(call->seed, i / each), name, first + i % each);
            add_arrivals(vm, window, stream, 1 / ((double)draws * vm->alike));
        }
    }
}

/* Both bounds of `count` equal devices from `first` on. */
static int add_devices(struct call *call, size_t first, size_t count, struct sms__bound_window window)
{
    struct sms__bound_device device;
    struct sms__bound_found steady, run;
    call->out->reason = sms__bound_describe(&call->arena, call->scenario, first, &device);
    if (!device.vms || call->out->reason)
        return SMS_OK;
    for (size_t v = 0; v < call->scenario->vms && call->worth; v++)
        if (device.of[v] != SIZE_MAX)
            device.vm[device.of[v]].worth = fmax(device.vm[device.of[v]].worth, call->worth[v]);
    find_arrivals(call, &device, first, count, &window);
    window.blocks = SMS__NEW(&call->arena, double, device.kernels);
    window.steady = true;
    int code = solve(call, &device, &window, &steady);
    window.steady = false;
    code = code ? code : solve(call, &device, &window, &run);
    if (code)
        return code;
    call->out->steady_per_s += (double)count * steady.value;
    call->out->run_per_s += (double)count * run.value * (1 + SLACK) / ((window.to_ps - window.from_ps) / 1e12);
    const char *name = count < call->scenario->devices ? device.model->name : NULL;
    for (size_t i = 0; i < steady.parts; i++)
        add_part(call, name, &steady.part[i], (double)count * steady.value);
    return SMS_OK;
}

static int by_share(const void *a, const void *b)
{
    const struct sms_bound_part *x = a, *y = b;
    if (x->share != y->share)
        return x->share < y->share ? 1 : -1;
    return strcmp(x->name, y->name);
}

static void keep_parts(struct call *call)
{
    struct sms_bound *out = call->out;
    if (call->parts)
        qsort(call->part, call->parts, sizeof *call->part, by_share);
    for (size_t i = 0; i < call->parts && out->parts < SMS_BOUND_PARTS; i++) {
        out->part[out->parts] = call->part[i];
        out->part[out->parts++].share /= out->steady_per_s;
    }
}

/* A VM's normalized progress is its blocks per second over those alone. So a block is worth at most 1 over the least
 * rate alone of all replications. Returns NULL if progress is something else, or not known. In a guard of the arena. */
static const double *find_worth(struct call *call)
{
    const struct sms_results *results = call->results;
    const struct sms_scenario *scenario = call->scenario;
    if (!results || !results->with_alone)
        return NULL;
    double *worth = SMS__NEW(&call->arena, double, scenario->vms);
    for (size_t v = 0; v < scenario->vms; v++) {
        double least = INFINITY;
        for (uint64_t r = 0; r < results->replications; r++)
            least = fmin(least, results->alone[r * scenario->vms + v].blocks_per_s);
        if (scenario->vm[v].repeat > 0 || !(least > 0 && isfinite(least)))
            return NULL;
        worth[v] = 1 / least;
    }
    return worth;
}

static int bound(void *user)
{
    struct call *call = user;
    const struct sms_scenario *scenario = call->scenario;
    struct sms__bound_window window = {0};
    struct sms_bound_part whole = {.share = 1};
    call->worth = call->metric == SMS_BOUND_STP ? find_worth(call) : NULL;
    if (call->metric == SMS_BOUND_STP && !call->worth)
        call->out->reason = "it needs VMs that repeat for ever, and their solo speed";
    else
        call->out->reason = find_window(call, &window, whole.name);
    if (call->out->reason)
        return SMS_OK;
    for (size_t d = 0, count; d < scenario->devices; d += count) {
        for (count = 1; d + count < scenario->devices && is_same_as_before(scenario, d + count);)
            count++;
        int code = add_devices(call, d, count, window);
        if (code)
            return code;
    }
    if (whole.name[0] == '\0') {
        keep_parts(call);
        return SMS_OK;
    }
    call->out->part[0] = whole; /* what makes the jobs take as long as they do */
    call->out->parts = 1;
    return SMS_OK;
}

/* `misuse`: what to say where something is missing. */
static int find_bound(struct call *call, const char *misuse, struct sms_errors *errors)
{
    const struct sms_scenario *scenario = call->scenario;
    struct sms_bound *out = call->out;
    struct sms_errors own;
    errors = errors ? errors : &own;
    *errors = (struct sms_errors){0};
    if (!scenario || !out || (unsigned)call->metric >= SMS_BOUNDED)
        return sms__fail(errors, SMS_EUSAGE, NULL, "%s", misuse);
    *out = (struct sms_bound){0};
    int code =
        scenario->shares || scenario->cluster ? SMS_OK : sms__with_solver(&call->arena, &call->problem, bound, call);
    if (scenario->shares)
        out->reason = "it is not known for processes that share devices";
    if (scenario->cluster)
        out->reason = "pods launch no kernels";
    sms__arena_release(&call->arena);
    if (!out->reason && !(isfinite(out->run_per_s) && isfinite(out->steady_per_s)))
        out->reason = "jobs can take no time at all";
    if (out->reason)
        out->steady_per_s = out->run_per_s = INFINITY;
    if (code)
        sms__fail(errors, code, scenario->node->mark.file, "scenario '%s': %s", scenario->name,
                  code == SMS_ENOMEM ? "no memory for its bound" : "its bound cannot be solved for");
    return code;
}

int sms_bound(const struct sms_scenario *scenario, enum sms_bounded metric, struct sms_bound *out,
              struct sms_errors *errors)
{
    struct call call = {.scenario = scenario, .metric = metric, .out = out};
    call.seed = scenario ? scenario->seed : 0;
    call.replications = scenario ? scenario->replications : 0;
    return find_bound(&call, "a bound needs a scenario, a metric and where to put it", errors);
}

int sms_results_bound(const struct sms_results *results, enum sms_bounded metric, struct sms_bound *out,
                      struct sms_errors *errors)
{
    struct call call = {.metric = metric, .out = out, .results = results};
    call.scenario = sms_results_scenario(results);
    call.seed = sms_results_seed(results);
    call.replications = sms_results_replications(results);
    return find_bound(&call, "a bound needs results, a metric and where to put it", errors);
}

double sms_bound_gap(const struct sms_bound *bound, double per_s)
{
    if (!bound || bound->reason || isnan(per_s) || bound->run_per_s <= 0)
        return NAN;
    return 1 - per_s / bound->run_per_s;
}
