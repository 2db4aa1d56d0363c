/* Which device file a profile is of: by the GPU's name, by what the program printed, by compute capability and SMs, by
 * the name of the file. */
#include "derive.h"
#include "../model/file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FOLDERS = 2, CANDIDATES_MAX = 256 };

/* The folders in which devices are looked for. */
static size_t folders(const struct sms_load_options *options, char installed[SMS__MODELS_BYTES],
                      const char *folder[FOLDERS])
{
    size_t count = 0;
    if (options && options->models)
        folder[count++] = options->models;
    sms__installed_models(installed);
    folder[count++] = options && options->installed_models ? options->installed_models : installed;
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
    char installed[SMS__MODELS_BYTES];
    const char *folder[FOLDERS];
    char path[4096];
    if (strchr(name, '.'))
        return load(name, options, file, device, errors);
    size_t count = folders(options, installed, folder);
    for (size_t i = 0; i < count; i++) {
        int length = snprintf(path, sizeof path, "%s/devices/%s.yaml", folder[i], name);
        if ((size_t)length < sizeof path && access(path, F_OK) == 0)
            return load(path, options, file, device, errors);
    }
    return sms__fail(errors, SMS_EINPUT, NULL, "unknown device '%.60s'; smsched list devices has those there are",
                     name);
}

struct candidate {
    const char *name, *capability; /* capability: "" */
    uint64_t sms;
};

struct candidates {
    struct candidate candidate[CANDIDATES_MAX];
    size_t count;
};

static bool is_known(const struct candidates *all, const char *name)
{
    for (size_t i = 0; i < all->count; i++)
        if (!strcmp(all->candidate[i].name, name))
            return true;
    return false;
}

/* A file that does not load is no candidate; who names it is told why. */
static void add_candidate(struct sms__arena *arena, struct candidates *all, const char *name,
                          const struct sms_load_options *options)
{
    struct sms_errors ignored = {0};
    const struct sms__device *device = NULL;
    struct sms_file *file = NULL;
    if (all->count == CANDIDATES_MAX || is_known(all, name))
        return;
    int code = sms__derive_device(name, options, &file, &device, &ignored);
    if (code == SMS_ENOMEM || code == SMS_EIO)
        sms__arena_give_up(arena);
    if (code != SMS_OK || !device)
        return;
    all->candidate[all->count++] =
        (struct candidate){name, sms__copy(arena, device->capability, strlen(device->capability)), device->sms};
    sms_file_free(file);
}

static int by_name(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    return strcmp(a->name, b->name);
}

static struct candidates *find_candidates(struct sms__arena *arena, const struct sms_load_options *options)
{
    struct candidates *all = SMS__NEW(arena, struct candidates, 1);
    char installed[SMS__MODELS_BYTES];
    const char *folder[FOLDERS];
    size_t count = folders(options, installed, folder);
    for (size_t i = 0; i < count; i++) {
        DIR *dir = opendir(sms__print(arena, "%s/devices", folder[i]));
        for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
            const char *dot = strrchr(entry->d_name, '.');
            if (dot && !strcmp(dot, ".yaml") && strchr(entry->d_name, '.') == dot)
                add_candidate(arena, all, sms__copy(arena, entry->d_name, (size_t)(dot - entry->d_name)), options);
        }
        if (!dir && errno == ENOMEM)
            sms__arena_give_up(arena);
        if (dir)
            closedir(dir);
    }
    qsort(all->candidate, all->count, sizeof *all->candidate, by_name); /* folders have no order */
    return all;
}

/* "RTX 5070 Ti" is no RTX 5070. */
static bool is_variant(const char *text)
{
    static const char *const words[] = {"ti", "super", "laptop", "mobile", "max"};
    text += strspn(text, " -_");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = 0;
        while (words[i][n] && tolower((unsigned char)text[n]) == words[i][n])
            n++;
        if (!words[i][n] && !isalnum((unsigned char)text[n]))
            return true;
    }
    return false;
}

/* Whether `text` begins with the name, of which case and separators do not count, and a word ends there. */
static bool begins(const char *text, const char *name)
{
    for (; *name; text++) {
        if (tolower((unsigned char)*text) == tolower((unsigned char)*name))
            name++;
        else if (!*text || !strchr(" -_", *text))
            return false;
    }
    return !isalnum((unsigned char)*text) && !is_variant(text);
}

static bool names(const char *text, const char *name)
{
    for (const char *c = text; *c; c++)
        if ((c == text || !isalnum((unsigned char)c[-1])) && isalnum((unsigned char)*c) && begins(c, name))
            return true;
    return false;
}

/* The candidate with the longest name that stands in the text, or NULL. */
static const struct candidate *named(const struct candidates *all, const char *text)
{
    const struct candidate *found = NULL;
    for (size_t i = 0; text && i < all->count; i++)
        if (names(text, all->candidate[i].name) && (!found || strlen(all->candidate[i].name) > strlen(found->name)))
            found = &all->candidate[i];
    return found;
}

static const char *gpu_of(const struct sms__profile *profile)
{
    if (profile->gpu && *profile->gpu)
        return profile->gpu;
    for (size_t l = 0; l < profile->launches; l++) /* ncu's are numbers */
        if (profile->launch[l].device &&
            strspn(profile->launch[l].device, "0123456789") < strlen(profile->launch[l].device))
            return profile->launch[l].device;
    return NULL;
}

static bool tells_sms(const struct sms__profile_metric *metric)
{
    static const char *const names_of_it[] = {"# SMs", "launch__sm_count", "device__attribute_multiprocessor_count"};
    for (size_t i = 0; i < sizeof names_of_it / sizeof *names_of_it; i++)
        if (!strcmp(metric->name, names_of_it[i]))
            return metric->mean >= 1 && metric->mean <= 1e6;
    return false;
}

/* 0: the profile does not say. */
static uint64_t sms_of(const struct sms__profile *profile)
{
    for (size_t l = 0; l < profile->launches; l++)
        for (size_t m = 0; m < profile->launch[l].metrics; m++)
            if (tells_sms(&profile->launch[l].metric[m]))
                return (uint64_t)profile->launch[l].metric[m].mean;
    return 0;
}

static bool is_like(const struct candidate *candidate, const char *capability, uint64_t sms)
{
    return !strcmp(candidate->capability, capability) && (sms == 0 || candidate->sms == sms);
}

static double apart(const struct candidate *candidate, const char *capability, uint64_t sms)
{
    double versions = fabs(atof(candidate->capability) - atof(capability)) * 1e6;
    return *candidate->capability ? versions + fabs((double)candidate->sms - (double)sms) : INFINITY;
}

/* "compute capability 10.0 and 152 SMs" */
static const char *traits(struct sms__arena *arena, const char *capability, uint64_t sms)
{
    return sms ? sms__print(arena, "compute capability %.10s and %llu SMs", capability, (unsigned long long)sms)
               : sms__print(arena, "compute capability %.10s", capability);
}

/* What to say when no device file is like the profiled GPU, or several are. */
static const char *say_nearest(struct sms__arena *arena, const struct candidates *all, const char *capability,
                               uint64_t sms)
{
    const struct candidate *nearest = NULL;
    const char *list = NULL;
    for (size_t i = 0; i < all->count; i++) {
        const struct candidate *candidate = &all->candidate[i];
        if (is_like(candidate, capability, sms))
            list = list ? sms__print(arena, "%s, %s", list, candidate->name) : candidate->name;
        if (!nearest || apart(candidate, capability, sms) < apart(nearest, capability, sms))
            nearest = candidate;
    }
    if (list)
        return sms__print(arena, "the profiled device has %s, and so have %s", traits(arena, capability, sms), list);
    return sms__print(arena, "no device file has the %s that the profile tells%s%s", traits(arena, capability, sms),
                      nearest ? "; the nearest is " : "", nearest ? nearest->name : "");
}

static const struct candidate *only_like(const struct candidates *all, const char *capability, uint64_t sms)
{
    const struct candidate *found = NULL;
    for (size_t i = 0; i < all->count; i++)
        if (is_like(&all->candidate[i], capability, sms)) {
            if (found)
                return NULL;
            found = &all->candidate[i];
        }
    return found;
}

struct sms__guess sms__derive_guess(struct sms__arena *arena, const struct sms__profile *profile, const char *path,
                                    const struct sms_load_options *options)
{
    const struct candidates *all = find_candidates(arena, options);
    const char *gpu = gpu_of(profile), *capability = profile->capability ? profile->capability : "";
    const char *slash = path ? strrchr(path, '/') : NULL, *file = slash ? slash + 1 : path;
    uint64_t sms = sms_of(profile);
    const struct candidate *found = named(all, gpu);
    if (found)
        return (struct sms__guess){.name = found->name,
                                   .from = sms__print(arena, "as the profile names it: %.80s", gpu)};
    if (gpu)
        return (struct sms__guess){.why = sms__print(arena, "no device file is called like '%.80s'%s%s", gpu,
                                                     *capability ? ", and " : "",
                                                     *capability ? say_nearest(arena, all, capability, sms) : "")};
    found = named(all, profile->printed);
    if (found)
        return (struct sms__guess){.name = found->name, .from = "as the profiled program printed"};
    found = *capability ? only_like(all, capability, sms) : NULL;
    if (found)
        return (struct sms__guess){.name = found->name,
                                   .from =
                                       sms__print(arena, "the only device file of %s", traits(arena, capability, sms))};
    found = named(all, file);
    if (found && (!*capability || is_like(found, capability, sms)))
        return (struct sms__guess){.name = found->name, .from = "assumed: by the name of the file"};
    if (*capability)
        return (struct sms__guess){.why = say_nearest(arena, all, capability, sms)};
    return (struct sms__guess){.why = "nothing in the profile says which device was profiled", .silent = true};
}
