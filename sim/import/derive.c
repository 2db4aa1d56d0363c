/* Turns a profile into a workload document, in the order of the derive_*.c files: collect kernels, make steps, write.
 * Nothing is written if no launch can be used; then the omissions become the errors. */
#include "derive.h"

#include "derive_internal.h"

#include <string.h>

/* The omissions become the errors. */
static int fail_empty(struct sms__derivation *derivation)
{
    for (size_t n = 0; n < derivation->omitted.count; n++) {
        const struct sms__omission *omission = &derivation->omitted.item[n];
        const struct sms__mark mark = {derivation->options->path, NULL, omission->line, omission->line ? 1 : 0};
        sms__error(derivation->errors, SMS_EINPUT, mark, "%s", sms__derive_omission_text(derivation->arena, omission));
    }
    return sms__fail(derivation->errors, SMS_EINPUT, derivation->options->path, "no launch can be used for a workload");
}

static void add_facts(const struct sms__derivation *derivation, struct sms__derive_facts *facts)
{
    for (size_t k = 0; k < derivation->kernels; k++)
        facts->jitter |= derivation->kernel[k].fit.jitter >= SMS__JITTER_WRITTEN;
    snprintf(facts->order, sizeof facts->order, "%s", derivation->order ? derivation->order : "");
}

static void add_names(const struct sms__derivation *derivation, struct sms__derived_names *names)
{
    for (size_t k = 0; k < derivation->kernels; k++) {
        const struct sms__derived *kernel = &derivation->kernel[k];
        struct sms__derived_name *item = SMS__APPEND(names->arena, names->item, names->count);
        *item = (struct sms__derived_name){.symbol = kernel->symbol,
                                           .name = sms__copy(names->arena, kernel->name, strlen(kernel->name))};
        memcpy(item->grid, kernel->grid, sizeof item->grid);
        memcpy(item->block, kernel->block, sizeof item->block);
    }
}

static int derive(void *user, struct sms__arena *scratch)
{
    struct sms__derivation *derivation = user;
    derivation->arena = scratch;
    sms__occupancy_begin(&derivation->occupancy, scratch, derivation->device, derivation->target);
    sms__derive_collect(derivation);
    if (derivation->kernels == 0)
        return fail_empty(derivation);
    const int code = sms__derive_steps(derivation);
    if (code != SMS_OK)
        return code;
    sms__derive_write(derivation);
    if (derivation->options->facts)
        add_facts(derivation, derivation->options->facts);
    if (derivation->options->names)
        add_names(derivation, derivation->options->names);
    return SMS_OK;
}

int sms__derive(struct sms__arena *arena, const struct sms__profile *profile, const struct sms__derive_options *options,
                FILE *to, struct sms_errors *errors)
{
    const struct sms__device *device = options->device, *target = options->target ? options->target : device;
    struct sms__derivation derivation = {
        .profile = profile, .options = options, .device = device, .target = target, .to = to, .errors = errors};
    int code = sms__scratch(arena, derive, &derivation);
    if (code == SMS_ENOMEM)
        sms__arena_give_up(arena);
    return code;
}
