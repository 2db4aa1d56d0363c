/* Turns a profile into a workload document, in the order of the derive_*.c files: collect kernels, make steps, write.
 * Nothing is written if no launch can be used; then the omissions become the errors. */
#include "derive.h"

#include "derive_internal.h"

static struct sms__mark mark_of_line(const struct sms__derive_options *options, unsigned line)
{
    return (struct sms__mark){options->path, options->text, line, line ? 1 : 0};
}

static int fail_empty(struct sms__derivation *derivation)
{
    const char *path = derivation->options->path;
    for (size_t n = 0; n < derivation->omitted.count; n++)
        sms__error(derivation->errors, SMS_EINPUT, mark_of_line(derivation->options, derivation->omitted.item[n].line),
                   "%s", derivation->omitted.item[n].text);
    return sms__fail(derivation->errors, SMS_EINPUT, path, "no launch can be used for a workload");
}

int sms__derive(struct sms__arena *arena, const struct sms__profile *profile, const struct sms__derive_options *options,
                FILE *to, struct sms_errors *errors)
{
    const struct sms__device *device = options->device, *target = options->target ? options->target : device;
    struct sms__derivation derivation = {
        .arena = arena, .profile = profile, .options = options, .device = device, .target = target, .errors = errors};
    sms__occupancy_begin(&derivation.occupancy, arena, device, target);
    sms__derive_collect(&derivation);
    if (derivation.kernels == 0)
        return fail_empty(&derivation);
    sms__derive_steps(&derivation);
    sms__derive_write(&derivation, to);
    return SMS_OK;
}
