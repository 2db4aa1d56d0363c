/* Finds the device file of a profile by the GPU's name, by the program's output, or by compute capability and number of
 * SMs, in this order. */
#include "derive.h"
#include "text.h"

#include "../base/read.h"
#include "../base/sort.h"
#include "../model/file.h"
#include "../model/footprint.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const double MEMORY_NEAR = 0.15; /* of the logarithm */

/* The folders in which models are looked for, in this order; the first may be NULL. */
static void model_folders(const struct sms_load_options *options, char installed[SMS__MODELS_BYTES],
                          const char *folder[2])
{
    sms__installed_models(installed);
    folder[0] = options ? options->models : NULL;
    folder[1] = options && options->installed_models ? options->installed_models : installed;
}

static bool is_own(const struct sms_file *file, const struct sms__device *device)
{
    bool own = false;
    for (size_t r = 0; r < file->doc->roots; r++)
        own |= file->doc->root[r] == device->node;
    return own;
}

/* Takes the first device of a file, not one from which it inherits. */
static int take_device(const char *path, struct sms_file **file, const struct sms__device **device,
                       struct sms_errors *errors)
{
    for (size_t d = 0; d < (*file)->devices; d++)
        if (is_own(*file, (*file)->device[d])) {
            *device = (*file)->device[d];
            return SMS_OK;
        }
    sms_file_free(*file);
    *file = NULL;
    return sms__fail(errors, SMS_EINPUT, path, "contains no device");
}

int sms__derive_device_text(const char *text, const struct sms_load_options *options, struct sms_file **file,
                            const struct sms__device **device, struct sms_errors *errors)
{
    int code = sms_file_load_text(text, strlen(text), "", options, file, errors);
    return code ? code : take_device(NULL, file, device, errors);
}

int sms__derive_device(const char *name, const struct sms_load_options *options, struct sms_file **file,
                       const struct sms__device **device, struct sms_errors *errors)
{
    char installed[SMS__MODELS_BYTES], near[SMS__MODEL_NAME_BYTES], path[4096];
    const char *folder[2];
    if (strchr(name, '.') || strchr(name, '/'))
        return sms__fail(errors, SMS_EINPUT, NULL,
                         "'%.60s' is not the name of a device: put its file into the folder devices/ of a folder that "
                         "--models names",
                         name);
    model_folders(options, installed, folder);
    for (size_t i = 0; i < 2; i++) {
        int length = folder[i] ? snprintf(path, sizeof path, "%s/devices/%s.yaml", folder[i], name) : -1;
        if ((size_t)length >= sizeof path || access(path, F_OK))
            continue;
        int code = sms_file_load(path, options, file, errors);
        return code ? code : take_device(path, file, device, errors);
    }
    const bool found = sms__nearest_model(folder, "devices", name, near);
    return sms__fail(errors, SMS_EINPUT, NULL, "unknown device '%.60s'%s", name,
                     found ? sms__did_you_mean(near).text : "; 'smsched list devices' shows the known ones");
}

/* A device file. It is read only where more than its name is asked for, because there are many, and most profiles name
 * their GPU. */
struct candidate {
    const char *name;
    bool is_read;
    const char *capability; /* "": unknown. NULL: it does not load; if the user names it, loading reports the errors */
    uint64_t sms;
    double memory; /* bytes; 0: unknown */
};

struct candidates {
    struct sms__arena *arena;
    const struct sms_load_options *options;
    struct candidate *candidate;
    size_t count;
};

/* Returns whether it loads. */
static bool read_candidate(const struct candidates *all, struct candidate *candidate)
{
    struct sms_errors ignored = {0};
    const struct sms__device *device = NULL;
    struct sms_file *file = NULL;
    if (candidate->is_read)
        return candidate->capability;
    int code = sms__derive_device(candidate->name, all->options, &file, &device, &ignored);
    if (code == SMS_ENOMEM || code == SMS_EIO)
        sms__arena_give_up(all->arena);
    candidate->is_read = true;
    if (code != SMS_OK || !device)
        return false;
    candidate->capability = sms__copy(all->arena, device->capability, strlen(device->capability));
    candidate->sms = device->sms;
    candidate->memory = (double)device->memory;
    sms_file_free(file);
    return true;
}

/* Reads them all, and leaves out those that do not load. */
static void read_all(struct candidates *all)
{
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++)
        if (read_candidate(all, &all->candidate[i]))
            all->candidate[kept++] = all->candidate[i];
    all->count = kept;
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
    const char *folder[2];
    *all = (struct candidates){.arena = arena, .options = options};
    model_folders(options, installed, folder);
    for (size_t f = 0; f < 2; f++) {
        DIR *dir = folder[f] ? opendir(sms__print(arena, "%s/devices", folder[f])) : NULL;
        for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
            const char *dot = strchr(entry->d_name, '.');
            const size_t length = dot && !strcmp(dot, ".yaml") ? (size_t)(dot - entry->d_name) : 0;
            const char *name = length ? sms__copy(arena, entry->d_name, length) : NULL;
            if (name && sms__find_name(name, all->count, SMS__NAMES(all->candidate, name)) == all->count)
                *SMS__APPEND(arena, all->candidate, all->count) = (struct candidate){.name = name};
        }
        if (dir)
            closedir(dir);
        else if (folder[f] && errno == ENOMEM)
            sms__arena_give_up(arena);
    }
    sms__sort(arena, all->candidate, all->count, sizeof *all->candidate, by_name); /* folders have no order */
    return all;
}

/* Whether the text goes on with a suffix that makes it another product: an "RTX 5070 Ti" is not an RTX 5070. */
static bool is_variant(const char *text)
{
    static const char *const words[] = {"ti", "super", "laptop", "mobile", "max", "d"};
    text += strspn(text, " -_");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t n = strlen(words[i]);
        if (!strncasecmp(text, words[i], n) && !isalnum((unsigned char)text[n]))
            return true;
    }
    return false;
}

/* Whether `text` begins with `name` as a whole word. Case and separators are ignored. */
static bool starts_with_name(const char *text, const char *name)
{
    for (; *name; text++) {
        if (tolower((unsigned char)*text) == tolower((unsigned char)*name))
            name++;
        else if (!*text || !strchr(" -_", *text))
            return false;
    }
    return !isalnum((unsigned char)*text) && !is_variant(text);
}

static bool contains_name(const char *text, const char *name)
{
    for (const char *c = text; *c; c++)
        if ((c == text || !isalnum((unsigned char)c[-1])) && isalnum((unsigned char)*c) && starts_with_name(c, name))
            return true;
    return false;
}

/* The candidate with the longest name found in the text, or NULL. */
static const struct candidate *find_named(const struct candidates *all, const char *text)
{
    const struct candidate *found = NULL;
    for (size_t i = 0; text && i < all->count; i++)
        if (contains_name(text, all->candidate[i].name) &&
            (!found || strlen(all->candidate[i].name) > strlen(found->name)) && read_candidate(all, &all->candidate[i]))
            found = &all->candidate[i];
    return found;
}

/* Whether a GPU that tells this memory can be the candidate: part of the nominal memory is reserved. */
static bool has_memory(const struct candidate *candidate, double memory)
{
    return !(memory > 0 && candidate->memory > 0) || fabs(log(candidate->memory / memory)) < MEMORY_NEAR;
}

/* Whether the text has all words of a candidate's name but its memory, as "A100-SXM4-80GB" lacks one of
 * "a100-80gb-pcie". */
static bool has_words(const char *text, const char *name)
{
    bool all = true;
    for (size_t length; *name; name += length + (name[length] == '-')) {
        char word[64];
        length = strcspn(name, "-");
        snprintf(word, sizeof word, "%.*s", (int)length, name);
        all &= contains_name(text, word) || !strcmp(word + strspn(word, "0123456789"), "gb");
    }
    return all;
}

/* Bytes of the GPU's memory by its name, "A100-SXM4-80GB MIG 3g.40gb", whose instance tells a part of it; otherwise as
 * the profile tells. */
static double memory_of(const struct sms__profile *profile, const char *gpu)
{
    for (const char *c = gpu; c && *c; c++) {
        size_t digits = strspn(c, "0123456789");
        if (digits && digits < 5 && !strncasecmp(c + digits, "GB", 2))
            return atof(c) * 1e9;
        c += digits ? digits - 1 : 0;
    }
    return profile->memory;
}

/* The candidate named in the text, or, if its memory is not that of the GPU, the one of the same name and most more
 * words whose memory is: an A100 has 40 or 80 GB. */
static const struct candidate *find_named_with(const struct candidates *all, const char *text, double memory)
{
    const struct candidate *named = find_named(all, text), *found = named;
    if (!named || has_memory(named, memory))
        return named;
    size_t length = strlen(named->name);
    for (size_t i = 0; i < all->count; i++) {
        struct candidate *each = &all->candidate[i];
        if (!strncmp(each->name, named->name, length) && each->name[length] == '-' && has_words(text, each->name) &&
            strlen(each->name) > strlen(found->name) && read_candidate(all, each) && has_memory(each, memory))
            found = each;
    }
    return found;
}

static const char *gpu_name_of(const struct sms__profile *profile)
{
    if (profile->gpu && *profile->gpu)
        return profile->gpu;
    for (size_t l = 0; l < profile->launches && !profile->trace; l++) { /* ncu and traces number them */
        const char *device = profile->launch[l].place->device;
        if (device && strspn(device, "0123456789") < strlen(device))
            return device;
    }
    return NULL;
}

static bool is_sm_count(const struct sms__profile_metric *metric)
{
    static const char *const metric_names[] = {"# SMs", "launch__sm_count", "device__attribute_multiprocessor_count"};
    for (size_t i = 0; i < sizeof metric_names / sizeof *metric_names; i++)
        if (!strcmp(metric->name, metric_names[i]))
            return metric->mean >= 1 && metric->mean <= 1e6;
    return false;
}

/* SMs of the profiled device; 0: the profile does not contain the number. */
static uint64_t sm_count_of(const struct sms__profile *profile)
{
    for (size_t l = 0; l < profile->launches; l++)
        for (size_t m = 0; m < profile->launch[l].metrics; m++)
            if (is_sm_count(&profile->launch[l].metric[m]))
                return (uint64_t)profile->launch[l].metric[m].mean;
    return 0;
}

static bool is_match(const struct candidate *candidate, const char *capability, uint64_t sms)
{
    return !strcmp(candidate->capability, capability) && (sms == 0 || candidate->sms == sms);
}

static double distance(const struct candidate *candidate, const char *capability, double sms)
{
    double versions = fabs(atof(candidate->capability) - atof(capability)) * 1e6;
    return *candidate->capability ? versions + fabs((double)candidate->sms - sms) : INFINITY;
}

static const struct candidate *find_nearest(struct candidates *all, const char *capability, double sms)
{
    const struct candidate *nearest = NULL;
    read_all(all);
    for (size_t i = 0; i < all->count; i++)
        if (!nearest || distance(&all->candidate[i], capability, sms) < distance(nearest, capability, sms))
            nearest = &all->candidate[i];
    return nearest;
}

const char *sms__derive_nearest_device(struct sms__arena *arena, const char *capability, double sms,
                                       const struct sms_load_options *options)
{
    const struct candidate *nearest = find_nearest(find_candidates(arena, options), capability, sms);
    return nearest ? nearest->name : NULL;
}

/* "compute capability 10.0 and 152 SMs" */
static const char *describe_traits(struct sms__arena *arena, const char *capability, uint64_t sms)
{
    return sms ? sms__print(arena, "compute capability %.10s and %llu SMs", capability, (unsigned long long)sms)
               : sms__print(arena, "compute capability %.10s", capability);
}

/* The message for a profiled GPU that no device file matches, or several do. */
static const char *explain_no_match(struct sms__arena *arena, struct candidates *all, const char *capability,
                                    uint64_t sms)
{
    const struct candidate *nearest = find_nearest(all, capability, (double)sms);
    const char *list = NULL;
    for (size_t i = 0; i < all->count; i++) {
        const struct candidate *candidate = &all->candidate[i];
        if (is_match(candidate, capability, sms))
            list = list ? sms__print(arena, "%s, %s", list, candidate->name) : candidate->name;
    }
    if (list)
        return sms__print(arena, "the profiled device has %s, and so do %s", describe_traits(arena, capability, sms),
                          list);
    return sms__print(arena, "no device file has %s, as the profiled device does%s%s",
                      describe_traits(arena, capability, sms), nearest ? "; the nearest is " : "",
                      nearest ? nearest->name : "");
}

/* Where a launch's line has the text, or the start of the line. */
static struct sms__mark mark_of(const struct sms__profile_launch *launch, const char *path, const char *text)
{
    if (!launch || !launch->file || !launch->file->text)
        return (struct sms__mark){.file = path};
    const char *line = sms__text_line(launch->file->text, launch->line);
    const char *at = text && *text ? strstr(line, text) : NULL;
    bool found = at && at < line + strcspn(line, "\n");
    return (struct sms__mark){launch->file->path, launch->file->text, launch->line,
                              found ? sms__text_mark(NULL, line, (size_t)(at - line)).column : 1};
}

/* The value of the first launch that has one of two metrics, and that launch; or NULL. */
static const struct sms__profile_launch *launch_with(const struct sms__profile *profile, const char *const name[2],
                                                     double *value)
{
    for (size_t l = 0; l < profile->launches; l++)
        for (size_t m = 0; m < profile->launch[l].metrics; m++) {
            const struct sms__profile_metric *metric = &profile->launch[l].metric[m];
            *value = metric->mean;
            if (!strcmp(metric->name, name[0]) || !strcmp(metric->name, name[1]))
                return &profile->launch[l];
        }
    return NULL;
}

static bool has_instance_of(const struct sms__device *device, uint64_t sms)
{
    for (size_t i = 0; device->mig.sheet && i < device->mig.sheet->profiles; i++)
        if (device->mig.sheet->profile[i].sms == sms)
            return true;
    return device->sms == sms;
}

static void check_blocks(const struct sms__profile *profile, const char *path, const struct sms__device *device,
                         struct sms_errors *errors)
{
    static const char *const limits[][2] = {{"launch__occupancy_limit_blocks", "Block Limit SM"},
                                            {"launch__occupancy_limit_warps", "Block Limit Warps"},
                                            {"launch__occupancy_limit_registers", "Block Limit Registers"}};
    static const enum sms_limit limit_of[] = {SMS_BLOCKS, SMS_WARPS, SMS_REGISTERS};
    uint64_t capacity[SMS_LIMITS], needs[SMS_LIMITS];
    sms__sm_capacity(&device->sm, capacity);
    for (size_t i = 0; i < sizeof limit_of / sizeof *limit_of; i++) {
        double value;
        const struct sms__profile_launch *launch = launch_with(profile, limits[i], &value);
        struct sms__kernel shape = {.blocks = 1};
        const uint64_t *block = launch ? launch->shape->block : NULL;
        if (!block || !(block[0] > 0 && block[0] < 4096 && launch->shape->registers))
            continue;
        shape.registers = launch->shape->registers;
        shape.threads = block[0] * (block[1] ? block[1] : 1) * (block[2] ? block[2] : 1);
        const char *why = sms__block_needs(&device->sm, &shape, needs);
        double holds = why ? 0 : floor((double)capacity[limit_of[i]] / (double)needs[limit_of[i]]);
        if (holds != value)
            sms__error(errors, SMS_EINPUT, mark_of(launch, path, limits[i][1]),
                       "the profiled device holds %.0f blocks of this launch on an SM by its %s, and %s holds %.0f",
                       value, sms__limit_names[limit_of[i]], device->name, holds);
    }
}

void sms__derive_check_device(struct sms__arena *arena, const struct sms__profile *profile, const char *path,
                              const struct sms__device *device, const struct sms_load_options *options,
                              struct sms_errors *errors)
{
    const struct sms__profile_launch *first = profile->launches ? profile->launch : NULL;
    const char *gpu = gpu_name_of(profile), *capability = profile->capability ? profile->capability : "";
    const struct candidate *named = find_named_with(find_candidates(arena, options), gpu, memory_of(profile, gpu));
    uint64_t sms = sm_count_of(profile);
    bool same = named && named->sms == device->sms && !strcmp(named->capability, device->capability);
    if (named && !same && !contains_name(gpu, device->name))
        sms__error(errors, SMS_EINPUT, mark_of(first, path, gpu), "the profiled GPU is '%.80s', which is no %s", gpu,
                   device->name);
    if (*capability && *device->capability && strcmp(capability, device->capability) != 0)
        sms__error(errors, SMS_EINPUT, mark_of(first, path, capability),
                   "the profiled device has compute capability %.10s, and %s has %s", capability, device->name,
                   device->capability);
    if (sms && !has_instance_of(device, sms))
        sms__error(errors, SMS_EINPUT, mark_of(first, path, NULL), "the profiled device has %llu SMs, and %s has %llu",
                   (unsigned long long)sms, device->name, (unsigned long long)device->sms);
    check_blocks(profile, path, device, errors);
}

/* The only candidate of the capability and number of SMs; NULL if there are none or several. */
static const struct candidate *find_match(struct candidates *all, const char *capability, uint64_t sms)
{
    const struct candidate *found = NULL;
    size_t matches = 0;
    read_all(all);
    for (size_t i = 0; i < all->count; i++)
        if (is_match(&all->candidate[i], capability, sms)) {
            found = &all->candidate[i];
            matches++;
        }
    return matches == 1 ? found : NULL;
}

static const char *describe_named(struct sms__arena *arena, const struct candidate *found,
                                  const struct sms__profile *profile, const char *gpu)
{
    if (has_memory(found, profile->memory) || strstr(gpu, "MIG")) /* an instance has a part of the memory */
        return sms__print(arena, "named in the profile: %.80s", gpu);
    return sms__print(arena, "named in the profile: %.80s, but it has %.1f GiB of memory, and %s %.1f", gpu,
                      profile->memory / (1 << 30), found->name, found->memory / (1 << 30));
}

struct sms__device_match sms__derive_match_device(struct sms__arena *arena, const struct sms__profile *profile,
                                                  const struct sms_load_options *options)
{
    struct candidates *all = find_candidates(arena, options);
    const char *gpu = gpu_name_of(profile), *capability = profile->capability ? profile->capability : "";
    uint64_t sms = sm_count_of(profile);
    const struct candidate *found = find_named_with(all, gpu, memory_of(profile, gpu));
    if (found)
        return (struct sms__device_match){.name = found->name, .evidence = describe_named(arena, found, profile, gpu)};
    if (gpu)
        return (struct sms__device_match){
            .problem =
                sms__print(arena, "no device file matches the name '%.80s'%s%s", gpu, *capability ? ", and " : "",
                           *capability ? explain_no_match(arena, all, capability, sms) : "")};
    found = find_named(all, profile->gpu_lines);
    if (found)
        return (struct sms__device_match){.name = found->name, .evidence = "named in the output of the program"};
    found = *capability ? find_match(all, capability, sms) : NULL;
    if (found)
        return (struct sms__device_match){
            .name = found->name,
            .evidence = sms__print(arena, "the only device file with %s", describe_traits(arena, capability, sms))};
    if (*capability)
        return (struct sms__device_match){.problem = explain_no_match(arena, all, capability, sms)};
    return (struct sms__device_match){.problem = "the profile does not say which device was profiled",
                                      .no_evidence = true};
}
