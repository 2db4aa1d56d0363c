/* The library itself: its version, and where its models are installed. */
#define _GNU_SOURCE /* dladdr, which POSIX has since 2024 */
#include "file.h"

#include "../base/read.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *sms_version(void) { return SMSCHED_VERSION; }

/* The folder of the file that this code was loaded from; false if that is unknown. */
static bool own_folder(char *out, size_t size)
{
    static const char here;
    Dl_info info;
    if (!dladdr(&here, &info) || !info.dli_fname)
        return false;
    const char *slash = strrchr(info.dli_fname, '/');
    int length = slash ? (int)(slash - info.dli_fname) : 0;
    return slash && snprintf(out, size, "%.*s", length, info.dli_fname) < (int)size;
}

void sms__installed_models(char out[SMS__MODELS_BYTES])
{
    char folder[SMS__MODELS_BYTES];
    bool found = own_folder(folder, sizeof folder) &&
                 snprintf(out, SMS__MODELS_BYTES, "%s/%s", folder, sms__models_from_library()) < SMS__MODELS_BYTES &&
                 access(out, X_OK) == 0;
    if (!found)
        snprintf(out, SMS__MODELS_BYTES, "%s", sms__models_as_built());
}

bool sms__find_in_models(const struct sms_load_options *options, const char *name, char path[SMS__MODELS_BYTES])
{
    const char *const folder[] = {options->models, options->installed_models};
    bool found = false;
    snprintf(path, SMS__MODELS_BYTES, "%s", name);
    for (int i = 0; i < 2 && !found; i++)
        found = folder[i] && snprintf(path, SMS__MODELS_BYTES, "%s/%s", folder[i], name) < SMS__MODELS_BYTES &&
                sms__may_exist(path);
    return found;
}
