/* Warnings: legal input that is probably a mistake. The scenario is sound and resolved. */
#include "cluster/node_mig.h"
#include "file.h"
#include "retarget.h"
#include "scenario.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* "those of DEVICE", of which no file is known: perhaps its name is spelt wrong. */
static const char *name_unknown(struct sms_file *file, const char *device)
{
    const char *const folder[] = {file->options->models, file->options->installed_models};
    char near[SMS__MODEL_NAME_BYTES];
    const bool found = sms__nearest_model(folder, "devices", device, near);
    return sms__print(&file->arena, "those of %s, which no device file describes%s", device,
                      sms__did_you_mean(found ? near : NULL).text);
}

enum { NAMED = 3 };

/* The devices that the tenant may be on and on which the workload was not profiled, as "p100, a100 and 2 more"; "":
 * none. Neighbours of one name count once. */
static const char *name_others(struct sms_file *file, const struct sms_scenario *scenario, const struct sms__tenant *vm,
                               const struct sms__workload *workload)
{
    const char *names = "", *last = "";
    size_t count = 0;
    for (size_t d = 0; d < scenario->devices; d++) {
        const struct sms__device *device = scenario->device[d];
        if (!sms__may_be_on(vm, d) || !strcmp(device->name, last) || sms__runs_as_profiled(device, workload->device))
            continue;
        last = device->name;
        if (count++ < NAMED)
            names = sms__print(&file->arena, "%s%s%s", names, count > 1 ? ", " : "", last);
    }
    return count > NAMED ? sms__print(&file->arena, "%s and %zu more", names, count - NAMED) : names;
}

/* A workload that was profiled on another device is scaled if that device's file is known, or taken as it is. */
static void warn_of_profile(struct sms_file *file, const struct sms_scenario *scenario, const struct sms__tenant *vm,
                            const struct sms__workload *workload)
{
    const struct sms__node *at = sms__node_get(vm->node, "workload");
    char text[512];
    const char *others = *workload->device ? name_others(file, scenario, vm, workload) : "";
    if (!*others)
        return;
    const bool known = sms__find_profiled(file, workload->device);
    snprintf(text, sizeof text, "workload '%s' was profiled on %s and runs on %s: its times and demands are %s%s",
             workload->name, workload->device, others, known ? "scaled from " : "",
             known ? workload->device : name_unknown(file, workload->device));
    if (!sms__has_error(&file->warnings, NULL, text))
        sms__error(&file->warnings, SMS_OK, (at ? at : vm->node)->mark, "%s", text);
}

static void warn_of_profiles(struct sms_file *file, const struct sms_scenario *scenario)
{
    const struct sms__workload *workload;
    size_t first;
    for (size_t v = 0; v < scenario->vms; v++)
        for (size_t i = 0;
             !sms__is_like_last(scenario->vm, v) && (workload = sms__workload_of(&scenario->vm[v], i, &first)); i++)
            warn_of_profile(file, scenario, &scenario->vm[v], workload);
}

/* Whether the time of the kernel is a time, at whatever clock. */
static bool is_timed(const struct sms__kernel *kernel, const char *resource)
{
    (void)resource;
    return !kernel->block_time.cycles;
}

static bool demands(const struct sms__kernel *kernel, const char *resource)
{
    bool found = false;
    for (size_t d = 0; d < kernel->demands; d++)
        found |= kernel->demand[d].ratio > 0 && !strcmp(kernel->demand[d].resource, resource);
    return found;
}

typedef bool kernel_test(const struct sms__kernel *kernel, const char *resource);

/* The first such kernel whose numbers are taken on the device as they are; NULL if none. */
static const struct sms__kernel *find_unscaled(const struct sms__workload *workload, const struct sms__device *device,
                                               kernel_test *is_such, const char *resource)
{
    if (*workload->device && !sms__runs_as_profiled(device, workload->device))
        return NULL; /* scaled from there */
    for (size_t k = 0; k < workload->kernels; k++)
        if (is_such(&workload->kernel[k], resource))
            return &workload->kernel[k];
    return NULL;
}

static const struct sms__kernel *find_unscaled_of_all(const struct sms_scenario *scenario,
                                                      const struct sms__device *device, kernel_test *is_such,
                                                      const char *resource)
{
    const struct sms__workload *workload;
    const struct sms__kernel *kernel = NULL;
    size_t first;
    for (size_t v = 0; v < scenario->vms && !kernel; v++)
        for (size_t i = 0; !kernel && (workload = sms__workload_of(&scenario->vm[v], i, &first)); i++)
            kernel = find_unscaled(workload, device, is_such, resource);
    return kernel;
}

static void warn_once(struct sms_file *file, const struct sms__node *at, const char *text)
{
    if (!sms__has_error(&file->warnings, NULL, text))
        sms__error(&file->warnings, SMS_OK, at->mark, "%s", text);
}

/* Another clock than the device's own changes cycles only. */
static void warn_of_clock(struct sms_file *file, const struct sms_scenario *scenario, const struct sms__device *device,
                          const struct sms__device *own)
{
    const struct sms__node *at = sms__node_get(device->node, "clock");
    const struct sms__kernel *kernel =
        at && own->clock_hz != device->clock_hz ? find_unscaled_of_all(scenario, device, is_timed, NULL) : NULL;
    char text[512];
    if (!kernel)
        return;
    snprintf(text, sizeof text,
             "the clock does not change how long kernels take whose %s is a time, such as '%s': only cycles follow it",
             kernel->whole ? "time" : "block_time", kernel->name);
    warn_once(file, at, text);
}

/* A demand is a share of what the device has, whatever that is. */
static void warn_of_resource(struct sms_file *file, const struct sms_scenario *scenario,
                             const struct sms__device *device, const struct sms__resource *own)
{
    int r = sms__resource_index(device, own->name);
    const struct sms__node *all = sms__node_get(device->node, "resources");
    const struct sms__node *one = all ? sms__node_get(all, own->name) : NULL;
    const struct sms__kernel *kernel =
        r >= 0 && one ? find_unscaled_of_all(scenario, device, demands, own->name) : NULL;
    bool wider = kernel && own->bandwidth != device->resource[r].bandwidth;
    char text[512];
    if (!wider && !(kernel && own->lanes != device->resource[r].lanes))
        return;
    snprintf(text, sizeof text,
             "the %s of %s %s not change how long kernels take that demand a share of it, such as '%s'; a "
             "device of its own that inherits %s scales kernels profiled on that",
             wider ? "bandwidth" : "lanes", own->name, wider ? "does" : "do", kernel->name, device->name);
    warn_once(file, one, text);
}

/* Warns of overrides that change no kernel, because times and demands are given for the device as it is overridden. */
static void warn_of_overrides(struct sms_file *file, const struct sms_scenario *scenario)
{
    for (size_t d = 0; d < scenario->devices; d++) {
        const struct sms__device *device = scenario->device[d];
        const struct sms__device *own =
            sms__node_get(device->node, "model") ? sms__find_profiled(file, device->name) : NULL;
        if (!own)
            continue;
        warn_of_clock(file, scenario, device, own);
        for (size_t r = 0; r < own->resources; r++)
            warn_of_resource(file, scenario, device, &own->resource[r]);
    }
}

/* How long the pod lasts at least: one that leaves its profile open may get another than the first. */
static double lasts_least(const struct sms__cluster *cluster, const struct sms__pods *pods)
{
    const uint32_t table = pods->rows ? 0 : cluster->shape[pods->shape].times;
    const struct sms__profile_times *times = table ? &cluster->profiles.times[table - 1] : NULL;
    double least = pods->duration_ps;
    for (size_t i = 0; times && i < times->profiles; i++)
        least = fmin(least, times->ps[times->profile[i]]);
    return least;
}

/* Warns of pods that no node could ever hold, of those that last longer than they may, and of instances that could not
 * be. */
static void warn_of_pods(struct sms_file *file, const struct sms_scenario *scenario)
{
    const struct sms__cluster *cluster = scenario->cluster;
    for (size_t k = 0; k < cluster->kinds; k++)
        if (cluster->node[k].mig && cluster->node[k].device >= 0)
            sms__warn_of_instances(file, scenario->device[cluster->node[k].device]);
    for (size_t g = 0; g < cluster->groups; g++) {
        const struct sms__pods *pods = &cluster->pod[g];
        const double least = lasts_least(cluster, pods);
        const bool late = pods->deadline_ps > 0 && pods->deadline_ps < least;
        const char *key = late ? "deadline" : "job_deadline";
        if (cluster->held && !pods->rows && !cluster->held[pods->shape])
            sms__error(&file->warnings, SMS_OK, pods->node->mark,
                       "%s '%s', even with nothing on %s: it will wait for ever%s",
                       cluster->shape[pods->shape].replicas > 1 ? "the nodes cannot hold all pods of gang"
                                                                : "no node can hold pod",
                       pods->name, cluster->shape[pods->shape].replicas > 1 ? "them" : "it",
                       sms__why_not_held(&file->arena, cluster, &cluster->shape[pods->shape]));
        if (pods->spread == SMS__POD_FIXED && (late || (pods->job_deadline_ps > 0 && pods->job_deadline_ps < least)))
            sms__error(&file->warnings, SMS_OK, sms__at_key(pods->node, key)->mark,
                       "pod '%s' always misses its %s: it lasts longer", pods->name, key);
    }
}

/* Warns of pods with a profile under a policy that leaves whole the GPUs that another one splits. */
static void warn_of_whole(struct sms_file *file, const struct sms_scenario *scenario)
{
    const struct sms__cluster *cluster = scenario->cluster;
    const struct sms__pods *asks = NULL;
    for (size_t g = 0; cluster->held && g < cluster->groups && !asks; g++) {
        const struct sms__pods *pods = &cluster->pod[g];
        asks = !pods->rows && cluster->shape[pods->shape].profile && cluster->held[pods->shape] ? pods : NULL;
    }
    for (size_t p = 0; asks && p < scenario->policies; p++) {
        bool splits = false;
        for (size_t k = 0; k < cluster->kinds && !splits; k++)
            for (size_t g = 0; g < cluster->node[k].gpus && !splits; g++)
                splits = sms__first_split(cluster, &scenario->policy[p], k, g);
        if (!splits)
            sms__error(&file->warnings, SMS_OK, scenario->policy[p].node->mark,
                       "under %s no GPU is split, and pod '%s' asks for an instance: it will wait for ever",
                       scenario->policy[p].mode.label, asks->name);
    }
}

/* Whether the process gets other SMs or slices than a copy of it would, under some policy and mode. */
static bool differs(const struct sms_scenario *scenario, const struct sms__tenant *process,
                    const struct sms__tenant *copy)
{
    struct sms__site site;
    for (size_t p = 0; p < scenario->policies; p++)
        for (size_t i = 0; (site = sms__site_of(scenario, &scenario->policy[p], i)).device; i++)
            if (site.mode->form->slice_ps || /* which may depend on it */
                sms__site_takes(&site, process) != sms__site_takes(&site, copy) ||
                sms__mode_asks(site.mode, site.device, process) != sms__mode_asks(site.mode, site.device, copy) ||
                sms__mode_bytes(site.mode, site.device, process) != sms__mode_bytes(site.mode, site.device, copy))
                return true;
    return false;
}

static void warn_of_key(struct sms_file *file, const struct sms_scenario *scenario, const struct sms__tenant *process,
                        const struct sms__tenant *without, const char *key)
{
    const struct sms__node *at = sms__node_get(process->node, key);
    if (at && !differs(scenario, process, without))
        sms__error(&file->warnings, SMS_OK, at->mark, "%s has no effect: no mode of the scenario's policies uses it",
                   key);
}

/* Warns of keys that no mode heeds, unless they say what holds without them. */
static void warn_of_keys(struct sms_file *file, const struct sms_scenario *scenario)
{
    for (size_t v = 0; v < scenario->vms; v++) {
        if (sms__is_like_last(scenario->vm, v))
            continue;
        struct sms__tenant whole = scenario->vm[v], unparted = whole, anywhere = whole;
        whole.active_threads = 1, unparted.chunks = 0, anywhere.instance = -1;
        if (scenario->vm[v].active_threads < 1)
            warn_of_key(file, scenario, &scenario->vm[v], &whole, "active_threads");
        warn_of_key(file, scenario, &scenario->vm[v], &unparted, "chunks");
        warn_of_key(file, scenario, &scenario->vm[v], &anywhere, "instance");
    }
}

static bool has_neighbour(const struct sms_scenario *scenario, size_t v)
{
    bool beside = false;
    for (size_t w = 0; w < scenario->vms && !beside; w++)
        beside = w != v && !sms__are_apart(&scenario->vm[v], &scenario->vm[w]);
    return beside;
}

/* Blocks of VMs run together, whatever their workloads ask for. Processes have their device to themselves. */
static void warn_of_exclusive(struct sms_file *file, const struct sms_scenario *scenario)
{
    for (size_t v = 0; v < scenario->vms; v++)
        if (scenario->vm[v].workload->exclusive && !sms__is_like_last(scenario->vm, v) && has_neighbour(scenario, v))
            sms__error(&file->warnings, SMS_OK, sms__at_key(scenario->vm[v].node, "workload")->mark,
                       "workload '%s' is exclusive, which has no effect on VMs: only a process has a device to "
                       "itself",
                       scenario->vm[v].workload->name);
}

/* Warns of share policies that only choose slices, in modes that have none. */
static void warn_of_slices(struct sms_file *file, const struct sms_scenario *scenario)
{
    struct sms__site site;
    for (size_t p = 0; p < scenario->policies; p++) {
        const struct sms__policy_use *use = &scenario->policy[p];
        const struct sms_share_policy *share = use->share;
        bool acts = share->place || share->allocate || share->launch || share->atom || share->call || share->timer ||
                    share->intercepts || !share->next;
        for (size_t i = 0; !acts && (site = sms__site_of(scenario, use, i)).device; i++)
            acts = site.mode->form->slices;
        if (!acts)
            sms__error(&file->warnings, SMS_OK, use->node->mark,
                       "%s has no effect: it chooses the next slice, and there are no slices under %s", share->name,
                       use->mode.label);
    }
}

/* A copy that takes what the link gives is lengthened by what others take of it, and by nothing else. */
static void warn_of_spread(struct sms_file *file, const struct sms_scenario *scenario)
{
    for (size_t d = 0; d < scenario->devices; d++) {
        const struct sms__device *device = scenario->device[d];
        const struct sms__node *link = sms__node_get(device->node, "link");
        const struct sms__node *own = link ? sms__node_get(link, "copy_out_spread") : NULL;
        const struct sms__mark at = own ? own->mark : device->node->mark;
        if (device->copy_out_spread > 0 && device->copy_out_most <= 0 && !sms__has_error(&file->warnings, &at, NULL))
            sms__error(&file->warnings, SMS_OK, at,
                       "copy_out_spread has no effect: it lengthens what copy_out_most says of one copy");
    }
}

/* Warns of tenants of which no job comes before the run is over, or none can be late before. */
static void warn_of_ends(struct sms_file *file, const struct sms_scenario *scenario)
{
    for (size_t v = 0; v < scenario->vms && scenario->duration_ps > 0; v++) {
        const struct sms__tenant *vm = &scenario->vm[v];
        const double first = vm->arrivals == SMS__LISTED    ? vm->times->ps[0]
                             : vm->arrivals == SMS__REGULAR ? vm->interval_ps
                                                            : 0;
        const double left = scenario->duration_ps - vm->start_ps - first;
        const char *key = left <= 0 ? "arrivals" : "deadline";
        if (!sms__is_like_last(scenario->vm, v) && (left <= 0 || vm->deadline_ps >= left))
            sms__error(&file->warnings, SMS_OK, sms__at_key(vm->node, key)->mark,
                       left <= 0 ? "the first job of '%s' arrives when the run is over"
                                 : "no job of '%s' can miss its deadline before the run is over",
                       vm->name);
    }
}

void sms__warn(struct sms_file *file, const struct sms_scenario *scenario)
{
    if (scenario->cluster) {
        warn_of_pods(file, scenario);
        warn_of_whole(file, scenario);
    }
    warn_of_profiles(file, scenario);
    warn_of_overrides(file, scenario);
    warn_of_spread(file, scenario);
    if (scenario->shares) {
        warn_of_keys(file, scenario);
        warn_of_slices(file, scenario);
    } else if (!scenario->cluster)
        warn_of_exclusive(file, scenario);
    if (!scenario->cluster)
        warn_of_ends(file, scenario);
}
