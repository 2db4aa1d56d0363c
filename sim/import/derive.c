#include "derive.h"

#include "derive_inside.h"

#include <stdarg.h>
#include <string.h>

enum { NOTES_MAX = 40 };

void sms__derive_note(struct sms__derivation *derivation, unsigned line, const char *format, ...)
{
    char text[320];
    if (derivation->notes == NOTES_MAX) {
        derivation->notes_lost++;
        return;
    }
    if (!derivation->note)
        derivation->note = SMS__NEW(derivation->arena, struct sms__note, NOTES_MAX);
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    derivation->note[derivation->notes++] = (struct sms__note){line, sms__copy(derivation->arena, text, strlen(text))};
}

static struct sms__mark place_of(const struct sms__derive_options *options, unsigned line)
{
    return (struct sms__mark){options->path, options->text, line, line ? 1 : 0};
}

static int refuse(struct sms__derivation *derivation)
{
    const char *path = derivation->options->path;
    for (size_t n = 0; n < derivation->notes; n++)
        sms__error(derivation->errors, SMS_EINPUT, place_of(derivation->options, derivation->note[n].line), "%s",
                   derivation->note[n].text);
    return sms__fail(derivation->errors, SMS_EINPUT, path, "no launch of which a workload could be made");
}

static size_t greater(size_t a, size_t b) { return a > b ? a : b; }

int sms__derive(struct sms__arena *arena, const struct sms__profile *profile, const struct sms__derive_options *options,
                FILE *to, struct sms_errors *errors)
{
    const struct sms__device *device = options->device, *target = options->target ? options->target : device;
    size_t slots = greater(device->sms * device->sm.blocks, target->sms * target->sm.blocks);
    struct sms__derivation derivation = {
        .arena = arena, .profile = profile, .options = options, .device = device, .target = target, .errors = errors};
    derivation.slot = sms__derive_slots(arena, slots);
    derivation.last = SMS__NEW(arena, double, greater(device->sms, target->sms));
    sms__derive_collect(&derivation);
    if (derivation.kernels == 0)
        return refuse(&derivation);
    sms__derive_steps(&derivation);
    sms__derive_write(&derivation, to);
    return SMS_OK;
}
