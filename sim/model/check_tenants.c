/* Checks each tenant of a scenario against its run, its devices and its contention model. */
#include "scenario.h"

#include <string.h>

/* Whether a job takes time on every device: a copy without a link takes none. */
static bool takes_time(const struct sms_scenario *scenario, const struct sms__workload *workload)
{
    bool linked = true;
    for (size_t d = 0; d < scenario->devices; d++)
        linked &= scenario->device[d]->link_bandwidth > 0;
    for (size_t i = 0; i < workload->steps; i++) {
        const struct sms__step *step = &workload->step[i];
        bool copy = step->kind == SMS__COPY_IN || step->kind == SMS__COPY_OUT;
        if (step->kind == SMS__LAUNCH || (step->amount >= 1 && (copy ? linked : step->kind == SMS__HOST)))
            return true;
    }
    return false;
}

static void check_jobs(struct sms__reader *reader, const struct sms_scenario *scenario, const struct sms__tenant *vm)
{
    const char *word = sms__tenant_word(scenario);
    const struct sms__workload *workload;
    size_t first;
    if (vm->repeat == 0 && scenario->duration_ps <= 0)
        sms__complain(reader, vm->node, "%s '%.60s' repeats forever: the run needs a duration", word, vm->name);
    for (size_t i = 0; vm->repeat != 1 && (workload = sms__workload_of(vm, i, &first)); i++)
        if ((vm->own ? vm->stream[i].repeat : vm->repeat) != 1 && !takes_time(scenario, workload))
            sms__complain(reader, vm->node, "a job of %s '%.60s' takes no time and repeats", word, vm->name);
}

static void check_device(struct sms__reader *reader, const struct sms_scenario *scenario, const struct sms__tenant *vm)
{
    if (vm->device >= (long)scenario->devices)
        sms__complain(reader, sms__node_get(vm->node, "device"), "there is no device %ld; the scenario has %zu",
                      vm->device, scenario->devices);
}

/* A process that asks for memory may be on devices that say how much they have. */
static void check_memory(struct sms__reader *reader, const struct sms_scenario *scenario, const struct sms__tenant *vm)
{
    const struct sms__workload *workload = vm->workload;
    bool takes = workload->declared || workload->statics > 0 || scenario->host.context_bytes > 0;
    for (size_t d = 0; takes && d < scenario->devices; d++)
        if (scenario->device[d]->memory == 0) {
            sms__complain(reader, vm->node, "%s '%.60s' takes device memory, and %s does not say how much it has",
                          sms__tenant_word(scenario), vm->name, scenario->device[d]->name);
            return;
        }
}

/* The contention model's pairs have a class for each workload that has one. A workload is complained of once. */
static void check_classes(struct sms__reader *reader, const struct sms_scenario *scenario, const struct sms__tenant *vm)
{
    const struct sms__pairs_given *pairs = scenario->contention.pairs;
    for (size_t i = 0; pairs && i < vm->choices && reader->errors->count <= SMS_ERRORS_MAX; i++) {
        const struct sms__workload *workload = vm->choice[i].workload;
        const struct sms__node *node = sms__node_get(workload->node, "corun_class");
        if (*workload->cls && sms__pair_class(pairs, workload->cls) < 0 &&
            !sms__has_error(reader->errors, &node->mark, NULL))
            sms__complain_unknown_class(reader, node, pairs);
    }
}

void sms__check_tenants(struct sms__reader *reader, const struct sms_scenario *scenario)
{
    bool processes = scenario->shares || scenario->cluster;
    for (size_t v = 0; v < scenario->vms; v++) {
        const struct sms__tenant *vm = &scenario->vm[v];
        const struct sms__node *start = sms__node_get(vm->node, "start");
        if (scenario->duration_ps > 0 && vm->start_ps >= scenario->duration_ps)
            sms__complain(reader, start ? start : vm->node, "%s '%.60s' starts when the run is over",
                          sms__tenant_word(scenario), vm->name);
        if (sms__is_like_last(scenario->vm, v))
            continue;
        check_jobs(reader, scenario, vm);
        check_device(reader, scenario, vm);
        if (processes)
            check_memory(reader, scenario, vm);
        check_classes(reader, scenario, vm);
    }
}
