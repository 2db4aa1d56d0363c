/* Notes on how tenants are set up: when they start, which instances and SMs they get, what they cannot run on, how
 * jobs arrive, and waves that just fit. */
#include "../model/job.h"
#include "../model/lacking.h"
#include "notes.h"

#include <math.h>

/* `words`: of the note, with a place for the names of the tenants for which it holds. */
static void note_tenants(struct sms_results *results, bool (*holds)(const struct sms_scenario *scenario, size_t v),
                         const char *words)
{
    const struct sms_scenario *scenario = results->scenario;
    struct sms__names found = {.count = 0};
    for (size_t v = 0; v < scenario->vms && !scenario->cluster; v++)
        if (holds(scenario, v))
            sms__names_add(&found, scenario->vm[v].name, -1);
    if (found.count)
        sms__note(results, words, sms__names_print(results, &found));
}

/* It begins at a time that nobody draws, which may be in any phase of a job of the others. */
static bool start_is_given(const struct sms__tenant *vm) { return vm->arrivals == SMS__CLOSED && !vm->draws_phase; }

static bool meets_given_start(const struct sms_scenario *scenario, size_t v)
{
    bool meets = false;
    for (size_t w = 0; w < scenario->vms && !meets && start_is_given(&scenario->vm[v]); w++)
        meets |= w != v && start_is_given(&scenario->vm[w]) && !sms__are_apart(&scenario->vm[v], &scenario->vm[w]);
    return meets;
}

static const char starts_words[] = "the start times of %s are fixed, and those that start together go in the order of "
                                   "the list: no interval covers other times or another order";

/* A green context is the program's own, so it has it alone, too. */
static bool has_green(const struct sms_scenario *scenario, size_t v)
{
    const struct sms__tenant *vm = &scenario->vm[v];
    bool any = false;
    for (size_t s = 0; scenario->shares && vm->stream && s < vm->streams; s++)
        any |= vm->stream[s].green != NULL;
    return any;
}

static const char green_words[] = "a process keeps its green contexts when it runs alone, so progress and stp show "
                                  "what it loses to others, not to fewer SMs: %s";

static bool are_unlike(const struct sms__instances *instances)
{
    bool unlike = false;
    for (size_t i = 1; instances && i < instances->count; i++)
        unlike |= instances->device[i]->mig.profile != instances->device[0]->mig.profile;
    return unlike;
}

/* Processes that begin together have their instances in the order of the list. */
static void note_instances(struct sms_results *results)
{
    const struct sms_scenario *scenario = results->scenario;
    size_t p = 0, anywhere = 0;
    for (size_t v = 0; v < scenario->vms; v++)
        anywhere += scenario->vm[v].instance < 0;
    while (p < results->policies && !are_unlike(sms__ran(results, p)->instances))
        p++;
    if (p < results->policies && anywhere > 1 && !scenario->cluster)
        sms__note(results,
                  "under %s, processes get different instances in order of arrival: this order affects the result, and "
                  "no interval covers other orders; 'instance:' chooses",
                  sms_results_policy(results, p));
}

/* Whether caps of three processes or more, not all of them alike, come to more than the SMs at the site. Two share as
 * many SMs in either order. */
static bool caps_overlap(const struct sms_scenario *scenario, const struct sms__site *site)
{
    uint64_t sum = 0;
    size_t capped = 0, unlike = 0;
    for (size_t v = 0; v < scenario->vms && !site->mode->form->reserves; v++) {
        const struct sms__tenant *vm = &scenario->vm[v];
        const uint64_t sms = sms__mode_sms(site->mode, site->device, vm);
        if (!sms__site_takes(site, vm) || sms >= site->device->sms)
            continue;
        sum += sms;
        capped++;
        unlike += !sms__is_like_last(scenario->vm, v);
    }
    return capped > 2 && unlike > 1 && sum > site->device->sms;
}

static bool runs_blocks(const struct sms__kernel *kernel) { return !kernel->whole; }

static void note_caps(struct sms_results *results)
{
    const struct sms_scenario *scenario = results->scenario;
    if (!scenario->shares || scenario->cluster || !sms__has_kernel(scenario, runs_blocks))
        return;
    for (size_t p = 0; p < results->policies; p++) {
        const struct sms__policy_use *use = sms__ran(results, p);
        struct sms__site site;
        size_t i = 0;
        while ((site = sms__site_of(scenario, use, i)).device && !caps_overlap(scenario, &site))
            i++;
        if (!site.device)
            continue;
        sms__note(results,
                  "under %s, processes get their SMs in order of arrival: this order says which of them share SMs, and "
                  "no interval covers other orders",
                  use->label);
        return;
    }
}

static bool is_open(const struct sms_scenario *scenario, size_t v)
{
    return scenario->vm[v].arrivals != SMS__CLOSED && scenario->duration_ps > 0;
}

static const char open_words[] = "jobs arrive at %s: normalized progress, ntt, antt and stp show how much of the "
                                 "work is done; latencies show how long jobs wait";

/* How much longer or shorter a job alone gets with one SM less or more, whichever is more. */
static double change_by_one_sm(const struct sms__tenant *vm, const struct sms__device *device, size_t d)
{
    struct sms__device less = *device, more = *device;
    less.sms--;
    more.sms++;
    const double ps = sms__measure_job(vm->workload, vm->fit[d], device);
    return fmax(sms__measure_job(vm->workload, vm->fit[d], &less) / ps - 1,
                1 - sms__measure_job(vm->workload, vm->fit[d], &more) / ps);
}

/* Kernels of few waves, the last of which just fits, or just does not. */
static void note_waves(struct sms_results *results)
{
    const struct sms_scenario *scenario = results->scenario;
    struct sms__names found = {.count = 0};
    for (size_t v = 0; v < scenario->vms && !scenario->cluster; v++) {
        const size_t d = sms__first_device(&scenario->vm[v]);
        const double sms = (double)scenario->device[d]->sms;
        const double change = sms > 1 ? change_by_one_sm(&scenario->vm[v], scenario->device[d], d) : 0;
        if (change > fmax(0.05, 2 / sms) && !sms__is_like_last(scenario->vm, v))
            sms__names_add(&found, scenario->vm[v].name, 100 * change);
    }
    if (found.count)
        sms__note(results,
                  "one SM more or less changes the time of a job alone by this many %%, because the last wave of "
                  "blocks just fits or just does not: %s",
                  sms__names_print(results, &found));
}

/* A device that a tenant may choose, were it not for a resource that it lacks. */
static void note_lacking(struct sms_results *results)
{
    const struct sms_scenario *scenario = results->scenario;
    struct sms__names found = {.count = 0};
    for (size_t v = 0; v < scenario->vms; v++)
        for (size_t d = 0; d < scenario->devices && !sms__is_like_last(scenario->vm, v); d++) {
            const struct sms__tenant *vm = &scenario->vm[v];
            const struct sms__device *device = scenario->device[d];
            if (vm->fit[d] || vm->device >= 0 || !sms__find_lacking(vm->workload, device).kernel ||
                (d > 0 && device == scenario->device[d - 1]))
                continue;
            const char *lacks = sms__find_lacking(vm->workload, device).demand->resource;
            sms__names_add(&found,
                           sms__print(&results->arena, "%.20s off %.20s (%.20s)", vm->name, device->name, lacks), -1);
        }
    if (found.count)
        sms__note(results, "these cannot run on devices that lack a resource: %s", sms__names_print(results, &found));
}

void sms__note_setup(struct sms_results *results)
{
    note_tenants(results, meets_given_start, starts_words);
    note_instances(results);
    note_caps(results);
    note_tenants(results, has_green, green_words);
    note_lacking(results);
    note_tenants(results, is_open, open_words);
    note_waves(results);
}
