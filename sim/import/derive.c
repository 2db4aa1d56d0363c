/* Turns a profile into a workload document, in the order of the derive_*.c files: collect kernels, make steps, write.
 * Nothing is written if no launch can be used; then the omissions become the errors. */
#include "derive.h"

#include "derive_internal.h"
#include "text.h"

#include <string.h>

enum { OMISSIONS_MAX = 40 }; /* keeps the document readable */

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
    facts->copied += derivation->copied;
    facts->copying_s += derivation->copying_s;
}

void sms__derive_omit(struct sms__derivation *derivation, unsigned line, const char *what, const char *why)
{
    struct sms__omissions *omitted = &derivation->omitted;
    omitted->total++;
    for (size_t i = 0; i < omitted->count; i++)
        if (!strcmp(omitted->item[i].why, why)) {
            omitted->item[i].more++;
            return;
        }
    if (!omitted->item)
        omitted->item = SMS__NEW(derivation->arena, struct sms__omission, OMISSIONS_MAX);
    if (omitted->count < OMISSIONS_MAX)
        omitted->item[omitted->count++] =
            (struct sms__omission){line, sms__derive_text(derivation->arena, what, 60), why, 0};
}

const char *sms__derive_omission_text(struct sms__arena *arena, const struct sms__omission *omission)
{
    const char *more = omission->more ? sms__print(arena, " (and %zu more)", omission->more) : "";
    return sms__print(arena, "'%s': %s%s", omission->what, omission->why, more);
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
    if (options->facts)
        add_facts(&derivation, options->facts);
    return SMS_OK;
}
