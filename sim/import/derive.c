#include "derive.h"

#include "derive_inside.h"

#include <ctype.h>
#include <dirent.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

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

/* The folders in which devices are looked for. */
static size_t folders(const struct sms_load_options *options, const char *folder[2])
{
    size_t count = 0;
    if (options && options->models)
        folder[count++] = options->models;
    folder[count++] = options && options->installed_models ? options->installed_models : sms__installed_models();
    return count;
}

static int load(const char *path, const struct sms_load_options *options, struct sms_file **file,
                const struct sms__device **device, struct sms_errors *errors)
{
    int code = sms_file_load(path, options, file, errors);
    if (code)
        return code;
    if ((*file)->devices) {
        *device = (*file)->device[0];
        return SMS_OK;
    }
    sms_file_free(*file);
    *file = NULL;
    return sms__fail(errors, SMS_EINPUT, path, "has no device in it");
}

int sms__derive_device(const char *name, const struct sms_load_options *options, struct sms_file **file,
                       const struct sms__device **device, struct sms_errors *errors)
{
    const char *folder[2];
    char path[4096];
    if (strchr(name, '.'))
        return load(name, options, file, device, errors);
    size_t count = folders(options, folder);
    for (size_t i = 0; i < count; i++) {
        int length = snprintf(path, sizeof path, "%s/devices/%s.yaml", folder[i], name);
        if ((size_t)length < sizeof path && access(path, F_OK) == 0)
            return load(path, options, file, device, errors);
    }
    return sms__fail(errors, SMS_EINPUT, NULL, "unknown device '%.60s'; smsched list devices has those there are",
                     name);
}

/* Whether `name` is part of `text`, of which letters and digits alone count, and case does not. */
static bool is_part(const char *name, size_t length, const char *text)
{
    char letters[256];
    size_t count = 0;
    for (; *text && count + 1 < sizeof letters; text++)
        if (isalnum((unsigned char)*text))
            letters[count++] = (char)tolower((unsigned char)*text);
    letters[count] = '\0';
    for (size_t i = 0; i + length <= count; i++)
        if (!strncmp(letters + i, name, length))
            return true;
    return false;
}

static const char *profiled_device(const struct sms__profile *profile)
{
    for (size_t l = 0; l < profile->launches; l++)
        if (profile->launch[l].device && profile->launch[l].device[0])
            return profile->launch[l].device;
    return NULL;
}

const char *sms__derive_guess(struct sms__arena *arena, const struct sms__profile *profile,
                              const struct sms_load_options *options)
{
    const char *folder[2], *text = profiled_device(profile), *found = NULL;
    size_t count = text ? folders(options, folder) : 0, longest = 2;
    for (size_t i = 0; i < count; i++) {
        DIR *dir = opendir(sms__print(arena, "%s/devices", folder[i]));
        for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
            const char *dot = strrchr(entry->d_name, '.');
            size_t length = dot && !strcmp(dot, ".yaml") ? (size_t)(dot - entry->d_name) : 0;
            if (length <= longest || !is_part(entry->d_name, length, text))
                continue;
            found = sms__copy(arena, entry->d_name, length);
            longest = length;
        }
        if (dir)
            closedir(dir);
    }
    return found;
}
