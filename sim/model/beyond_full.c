/* Finds kernels that alone want more than there is (beyond_full.h). */
#include "beyond_full.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Blocks of one launch for each SM: the rest of its grid has not come, or those that came first have left. The
 * dispatcher starts one block after another. */
static double blocks_for_sm(const struct sms__device *device, const struct sms__kernel *kernel,
                            const struct sms__footprint *fit)
{
    double blocks = (double)kernel->blocks;
    if (device->dispatch.block_ps)
        blocks = fmin(blocks, fmax(fit->work_ps / (double)device->dispatch.block_ps, 1));
    return blocks / (double)device->sms;
}

/* The part of resource `r` that a full wave of a kernel wants alone on the device, 1 for all of it: of scope `sm`, with
 * as many blocks on an SM as fit, and no more than its grid has for each SM or the dispatcher starts in a block's time;
 * of scope `device`, with all that are resident. 0 of coarse kernels, and of a resource that is hard. */
static double wants_alone(const struct sms__device *device, const struct sms__kernel *kernel,
                          const struct sms__footprint *fit, size_t r)
{
    if (kernel->whole || device->resource[r].hard)
        return 0;
    const double blocks = blocks_for_sm(device, kernel, fit);
    const double resident = device->resource[r].scope == SMS_SCOPE_DEVICE ? blocks : ceil(blocks);
    return fmin((double)fit->per_sm, resident) * fit->demand[r] / SMS_FULL;
}

static bool kernel_wants_more(const struct sms__device *device, const struct sms__kernel *kernel,
                              const struct sms__footprint *fit, double most)
{
    for (size_t r = 0; r < device->resources; r++)
        if (wants_alone(device, kernel, fit, r) > most)
            return true;
    return false;
}

bool sms__wants_more(const struct sms_scenario *scenario, const struct sms__tenant *vm, double most)
{
    for (size_t d = 0; d < scenario->devices; d++)
        for (size_t k = 0; sms__may_be_on(vm, d) && k < vm->workload->kernels; k++)
            if (kernel_wants_more(scenario->device[d], &vm->workload->kernel[k], &vm->fit[d][k], most))
                return true;
    return false;
}

/* Where the kernel says how much it demands of the resource. */
static struct sms__mark place_of(const struct sms__kernel *kernel, const char *resource)
{
    for (size_t d = 0; d < kernel->demands; d++)
        if (!strcmp(kernel->demand[d].resource, resource))
            return kernel->demand[d].node->mark;
    return kernel->node->mark;
}

static void tell(struct sms__reader *reader, struct sms_file *file, const struct sms__kernel *kernel,
                 const struct sms__device *device, size_t r, double wants)
{
    const bool strict = file->options->strict;
    struct sms_errors *list = strict ? reader->errors : &file->warnings;
    const struct sms__mark at = place_of(kernel, device->resource[r].name);
    char text[512];
    snprintf(text, sizeof text,
             "kernel '%s' demands %.4g %% of %s of %s when it runs alone, and a profile shows at most "
             "100 %%: what a policy gains by admitting fewer of its blocks is not a gain of sharing%s",
             kernel->name, 100 * wants, device->resource[r].name, device->name,
             strict ? "; 'synthetic: true' in its workload allows it" : "");
    if (!sms__has_error(list, &at, device->mig.profile ? NULL : text)) /* the whole device came before its instances */
        sms__error(list, strict ? SMS_EINPUT : SMS_OK, at, "%s", text);
}

static void warn_of_kernel(struct sms__reader *reader, struct sms_file *file, const struct sms__device *device,
                           const struct sms__kernel *kernel, const struct sms__footprint *fit)
{
    for (size_t r = 0; r < device->resources; r++) {
        const double wants = wants_alone(device, kernel, fit, r);
        if (wants > 1 + SMS__FULL_MARGIN)
            tell(reader, file, kernel, device, r, wants);
    }
}

static void warn_of_tenant(struct sms__reader *reader, struct sms_file *file, const struct sms_scenario *scenario,
                           const struct sms__tenant *vm, size_t d)
{
    const struct sms__workload *workload;
    size_t first;
    for (size_t i = 0; (workload = sms__workload_of(vm, i, &first)); i++)
        for (size_t k = 0; k < workload->kernels && !workload->synthetic; k++)
            warn_of_kernel(reader, file, scenario->device[d], &workload->kernel[k], &vm->fit[d][first + k]);
}

void sms__warn_beyond_full(struct sms__reader *reader, struct sms_file *file, const struct sms_scenario *scenario)
{
    for (size_t v = 0; v < scenario->vms; v++)
        for (size_t d = 0; d < scenario->devices && !sms__is_like_last(scenario->vm, v); d++)
            if (sms__may_be_on(&scenario->vm[v], d) && (d == 0 || scenario->device[d] != scenario->device[d - 1]))
                warn_of_tenant(reader, file, scenario, &scenario->vm[v], d);
}
