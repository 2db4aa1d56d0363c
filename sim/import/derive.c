/* Turns a profile into a workload document, in the order of the derive_*.c files: collect kernels, make steps, write.
 * Nothing is written if no launch can be used; then the omissions become the errors. */
#include "derive.h"

#include "derive_internal.h"

#include <stdarg.h>
#include <string.h>

enum { OMISSIONS_MAX = 40 };

void sms__derive_omit(struct sms__derivation *derivation, unsigned line, const char *format, ...)
{
    char text[320];
    if (derivation->omissions == OMISSIONS_MAX) {
        derivation->omissions_dropped++;
        return;
    }
    if (!derivation->omission)
        derivation->omission = SMS__NEW(derivation->arena, struct sms__omission, OMISSIONS_MAX);
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    derivation->omission[derivation->omissions++] =
        (struct sms__omission){line, sms__copy(derivation->arena, text, strlen(text))};
}

static struct sms__mark mark_of_line(const struct sms__derive_options *options, unsigned line)
{
    return (struct sms__mark){options->path, options->text, line, line ? 1 : 0};
}

static int fail_empty(struct sms__derivation *derivation)
{
    const char *path = derivation->options->path;
    for (size_t n = 0; n < derivation->omissions; n++)
        sms__error(derivation->errors, SMS_EINPUT, mark_of_line(derivation->options, derivation->omission[n].line),
                   "%s", derivation->omission[n].text);
    return sms__fail(derivation->errors, SMS_EINPUT, path, "no launch can be used for a workload");
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

int sms__derive(struct sms__arena *arena, const struct sms__profile *profile, const struct sms__derive_options *options,
                FILE *to, struct sms_errors *errors)
{
    const struct sms__device *device = options->device, *target = options->target ? options->target : device;
    size_t slots = larger(device->sms * device->sm.blocks, target->sms * target->sm.blocks);
    struct sms__derivation derivation = {
        .arena = arena, .profile = profile, .options = options, .device = device, .target = target, .errors = errors};
    derivation.slot = sms__derive_slots(arena, slots);
    derivation.last_end = SMS__NEW(arena, double, larger(device->sms, target->sms));
    sms__derive_collect(&derivation);
    if (derivation.kernels == 0)
        return fail_empty(&derivation);
    sms__derive_steps(&derivation);
    sms__derive_write(&derivation, to);
    return SMS_OK;
}
