/* Runs tenants alone under each policy, and measures what policies gain for them there (gain_alone.h). */
#include "gain_alone.h"

#include "../base/statistics.h"

#include <math.h>

/* A difference less than this is none. */
#define LEAST_DIFFERENCE 1e-3

/* ---- tenants that no policy can treat differently ---- */

/* Whether the policy takes a block of the kernel on any SM with room, whatever else of the kernel is resident. It is
 * asked about the fullest SM that has room; a monotone policy that takes it there takes it everywhere. */
static bool never_refuses(const struct sms__policy_use *use, const struct sms__device *device,
                          const struct sms__footprint *fit)
{
    const unsigned promised = SMS_PURE | SMS_MONOTONE;
    double usage[SMS_RESOURCES_MAX] = {0};
    uint64_t used[SMS_LIMITS] = {0};
    const struct sms_sm_view view = {0, usage, used};
    const struct sms_block_request block = {.adds = fit->adds, .needs = fit->needs};
    if (!use->policy->admits)
        return true;
    if ((use->policy->promises & promised) != promised || fit->per_sm == 0)
        return false;
    for (size_t r = 0; r < device->resources; r++) {
        const bool device_scope = device->resource[r].scope == SMS_SCOPE_DEVICE;
        usage[r] = fit->adds[r] * ((double)fit->per_sm * (device_scope ? (double)device->sms : 1) - 1);
    }
    for (int l = 0; l < SMS_LIMITS; l++)
        used[l] = fit->needs[l] * (fit->per_sm - 1);
    return use->policy->admits(use->param, &device->view, &view, &block) == SMS_ADMIT;
}

/* Whether no resource is ever wanted beyond 100 %, on whichever SMs the blocks are. */
static bool is_within(const struct sms__device *device, const struct sms__footprint *fit)
{
    for (size_t r = 0; r < device->resources; r++)
        if (fit->demand[r] * (double)fit->per_sm > SMS_FULL)
            return false;
    return true;
}

/* Whether the kernel lasts as long under all policies: all take its blocks alike, and none ever slows another. */
static bool is_indifferent(const struct sms_results *results, const struct sms__device *device,
                           const struct sms__footprint *fit)
{
    bool indifferent = is_within(device, fit) && !device->backgrounds;
    for (size_t p = 0; indifferent && p < results->policies; p++)
        indifferent = never_refuses(sms__ran(results, p), device, fit);
    return indifferent;
}

/* One stream runs one kernel at a time. */
static bool is_tenant_indifferent(const struct sms_results *results, size_t v)
{
    const struct sms_scenario *scenario = results->scenario;
    const struct sms__tenant *vm = &scenario->vm[v];
    bool indifferent = !scenario->shares && vm->streams == 1 && scenario->contention.model->free_below_full;
    for (size_t d = 0; d < scenario->devices; d++)
        for (size_t k = 0; indifferent && sms__may_be_on(vm, d) && k < vm->workload->kernels; k++)
            indifferent = is_indifferent(results, scenario->device[d], &vm->fit[d][k]);
    return indifferent;
}

/* ---- the runs ---- */

struct search {
    struct sms_results *results;
    struct sms__tenant_run *list; /* [count] */
    size_t count;
};

static struct sms__alone *alone_under(const struct sms_results *results, size_t policy, size_t v)
{
    return results->each[policy * results->scenario->vms + v];
}

static bool is_stuck(const struct sms__alone *run) { return isnan(sms__speed_over(run, run)); }

/* Also if it gets stuck under one of them, where it has no speed. */
static bool differs(const struct sms_results *results, size_t v)
{
    const struct sms__alone *first = alone_under(results, 0, v);
    for (size_t p = 1; p < results->policies; p++) {
        const struct sms__alone *other = alone_under(results, p, v);
        const double speed = sms__speed_over(other, first);
        if (fabs(speed - 1) >= LEAST_DIFFERENCE || is_stuck(other) != is_stuck(first))
            return true;
    }
    return false;
}

/* Whether stand-alone runs of VMs are under this very policy. */
static bool is_of_alone(const struct sms_results *results, size_t policy)
{
    const struct sms__policy_use *use = sms__ran(results, policy), *alone = results->scenario->alone;
    bool same = !results->scenario->shares && use->policy == alone->policy;
    for (size_t i = 0; i < SMS__PARAMS_MAX; i++)
        same &= use->param[i] == alone->param[i];
    return same;
}

/* Lists the tenant's runs of a replication, under each policy. */
static void add_runs(struct search *search, size_t v, size_t replication)
{
    const struct sms_results *results = search->results;
    for (size_t p = 0; p < results->policies; p++) {
        struct sms__alone *out = &alone_under(results, p, v)[replication];
        if (is_of_alone(results, p))
            *out = results->alone[replication * results->scenario->vms + v];
        else
            search->list[search->count++] = (struct sms__tenant_run){p, v, replication, out};
    }
}

/* Lists the first replication of all that may differ. */
static int list_first(void *user)
{
    struct search *search = user;
    struct sms_results *results = search->results;
    const size_t vms = results->scenario->vms, rows = vms * results->policies;
    results->each = SMS__NEW(&results->arena, struct sms__alone *, rows);
    search->list = SMS__NEW(&results->arena, struct sms__tenant_run, rows);
    for (size_t v = 0; v < vms; v++) {
        if (sms__is_like_last(results->scenario->vm, v) || is_tenant_indifferent(results, v))
            continue;
        for (size_t p = 0; p < results->policies; p++)
            results->each[p * vms + v] = SMS__NEW(&results->arena, struct sms__alone, results->replications);
        add_runs(search, v, 0);
    }
    return SMS_OK;
}

/* Lists the other replications of those that differ, and lets go of the rest. */
static int list_others(void *user)
{
    struct search *search = user;
    struct sms_results *results = search->results;
    const size_t vms = results->scenario->vms, rows = search->count * (results->replications - 1);
    search->list = SMS__NEW(&results->arena, struct sms__tenant_run, rows);
    search->count = 0;
    for (size_t v = 0; v < vms; v++) {
        const bool none = !alone_under(results, 0, v) || !differs(results, v);
        const bool like = sms__is_like_last(results->scenario->vm, v);
        for (size_t p = 0; p < results->policies && (none || like); p++)
            results->each[p * vms + v] = like ? results->each[p * vms + v - 1] : NULL;
        for (size_t r = 1; r < results->replications && !none && !like; r++)
            add_runs(search, v, r);
    }
    return SMS_OK;
}

static int run_list(struct search *search, int (*make)(void *user), struct sms_errors *errors)
{
    struct sms_results *results = search->results;
    int code = sms__guard(&results->arena, make, search);
    if (code)
        return sms__report_run(code, results->scenario, "", NULL, errors);
    return search->count ? sms__run_tenants(results, search->list, search->count, errors) : SMS_OK;
}

int sms__gain_alone_find(struct sms_results *results, struct sms_errors *errors)
{
    struct search search = {.results = results};
    if (!results->options->alone_each || !results->with_alone || results->policies < 2)
        return SMS_OK;
    int code = run_list(&search, list_first, errors);
    return code ? code : run_list(&search, list_others, errors);
}

/* ---- what they say ---- */

bool sms__has_gain_alone(const struct sms_results *results) { return results->each; }

bool sms__gains_alone(const struct sms_results *results, size_t vm)
{
    return results->each && alone_under(results, 0, vm);
}

bool sms__tells_gain_alone(const struct sms_results *results, size_t vm)
{
    return sms__gains_alone(results, vm) && !sms__is_like_last(results->scenario->vm, vm);
}

static double gain_in(const struct sms_results *results, size_t policy, size_t baseline, size_t vm, size_t replication)
{
    return sms__gains_alone(results, vm) ? sms__speed_over(&alone_under(results, policy, vm)[replication],
                                                           &alone_under(results, baseline, vm)[replication])
                                         : 1;
}

struct sms_estimate sms__gain_alone(const struct sms_results *results, size_t policy, size_t baseline, size_t vm)
{
    struct sms__moments gain = {0};
    for (size_t r = 0; r < results->replications; r++)
        sms__estimate_add(&gain, gain_in(results, policy, baseline, vm, r));
    return sms__estimate_close(gain);
}

struct sms_estimate sms__progress_alone(const struct sms_results *results, size_t policy, size_t vm)
{
    struct sms__moments progress = {0};
    for (size_t r = 0; r < results->replications && sms__gains_alone(results, vm); r++)
        sms__estimate_add(&progress, sms__speed_over(&alone_under(results, policy, vm)[r],
                                                     &results->alone[r * results->scenario->vms + vm]));
    return sms__estimate_close(progress);
}

/* STP of a run, with each tenant over itself alone under the policy, which counts in that of the first policy. */
static double own_stp(const struct sms_results *results, size_t policy, size_t replication)
{
    const size_t metric = SMS__VM_normalized_progress_ratio - SMS__FIRST_VM;
    double sum = 0;
    for (size_t v = 0; v < results->scenario->vms; v++)
        sum += sms_results_value(results, policy, replication, SMS_VM, v, metric) /
               gain_in(results, policy, 0, v, replication);
    return sum;
}

struct sms_estimate sms__gain_left(const struct sms_results *results, size_t policy, size_t baseline)
{
    struct sms__moments left = {0};
    for (size_t r = 0; r < results->replications; r++) {
        double ratio = own_stp(results, policy, r) / own_stp(results, baseline, r);
        if (isfinite(ratio))
            sms__estimate_add(&left, ratio);
    }
    return sms__estimate_close(left);
}
