/* Importers of profiles: reads what the profiler printed, makes a workload of each
 * process, and a scenario in which they run alone, one VM each. */
#include "derive.h"
#include "import.h"
#include "reader.h"

#include "../base/errors.h"

#include <string.h>

typedef int read_profile(struct sms__arena *arena, const char *const *paths, size_t n, struct sms__profile *out,
                         struct sms_errors *errors);

/* The devices are files, not in the arena, so what may run out of memory has a guard of its own. */
struct making {
    struct sms__arena arena;
    const struct sms__profile *profile;
    struct sms__derive_options derive;
    const char *model; /* the device's name, for the scenario */
    FILE *to;
    struct sms_errors *errors;
};

static bool is_of(const struct sms__profile_launch *launch, const char *process)
{
    return !strcmp(launch->process ? launch->process : "", process);
}

/* Whether an earlier launch is of the same process. */
static bool is_seen(const struct sms__profile *profile, size_t idx)
{
    for (size_t i = 0; i < idx; i++)
        if (is_of(&profile->launch[i], profile->launch[idx].process ? profile->launch[idx].process : ""))
            return true;
    return false;
}

static size_t count_processes(const struct sms__profile *profile)
{
    size_t count = 0;
    for (size_t i = 0; i < profile->launches; i++)
        count += !is_seen(profile, i);
    return count;
}

/* What the profile says of one process. Copies are of no known process: the only one has them. */
static struct sms__profile part_of(struct sms__arena *arena, const struct sms__profile *whole, const char *process,
                                   bool only)
{
    struct sms__profile part = *whole;
    part.launch = SMS__NEW(arena, struct sms__profile_launch, whole->launches);
    part.launches = 0;
    part.copies = only ? whole->copies : 0;
    for (size_t i = 0; i < whole->launches; i++)
        if (is_of(&whole->launch[i], process))
            part.launch[part.launches++] = whole->launch[i];
    return part;
}

static void write_scenario(const struct making *making, size_t workloads)
{
    const char *name = making->derive.name;
    fprintf(making->to, "---\nscenario: %s\nquestion: What does the profiled program do alone?\n", name);
    fprintf(making->to, "devices: [{model: %s}]\npolicies: [round_robin]\nvms:\n", making->model);
    for (size_t i = 0; i < workloads; i++) {
        if (workloads == 1)
            fprintf(making->to, "  - {name: vm, workload: %s, repeat: 1}\n", name);
        else
            fprintf(making->to, "  - {name: vm%zu, workload: %s-%zu, repeat: 1}\n", i + 1, name, i + 1);
    }
}

static int make(void *user)
{
    struct making *making = user;
    size_t processes = count_processes(making->profile), made = 0;
    int code = SMS_OK;
    for (size_t i = 0; code == SMS_OK && i < making->profile->launches; i++) {
        if (is_seen(making->profile, i))
            continue;
        const char *process = making->profile->launch[i].process;
        struct sms__profile part = part_of(&making->arena, making->profile, process ? process : "", processes == 1);
        struct sms__derive_options derive = making->derive;
        if (processes > 1)
            derive.name = sms__print(&making->arena, "%s-%zu", making->derive.name, ++made);
        fputs(i ? "---\n" : "", making->to);
        code = sms__derive(&making->arena, &part, &derive, making->to, making->errors);
    }
    if (code == SMS_OK && !making->derive.iteration)
        write_scenario(making, processes);
    return code;
}

/* With the devices loaded. */
static int make_guarded(struct making *making)
{
    int code = sms__guard(&making->arena, make, making);
    if (code == SMS_ENOMEM && !making->errors->count)
        sms__fail(making->errors, SMS_ENOMEM, making->derive.path, "no memory");
    sms__arena_release(&making->arena);
    return code;
}

static int load_and_make(struct making *making, const char *profiled, const struct sms__import_options *options)
{
    struct sms_file *own = NULL, *other = NULL;
    int code = sms__derive_device(profiled, options->load, &own, &making->derive.device, making->errors);
    if (code == SMS_OK && options->device)
        code = sms__derive_device(options->device, options->load, &other, &making->derive.target, making->errors);
    if (code == SMS_OK)
        code = make_guarded(making);
    sms_file_free(other);
    sms_file_free(own);
    return code;
}

/* The device named, else the one that the profile tells, else the one to write for. */
static struct sms__guess choose_device(struct sms__arena *arena, const struct sms__profile *profile, const char *path,
                                       const struct sms__import_options *options)
{
    if (options->profiled)
        return (struct sms__guess){.name = options->profiled};
    struct sms__guess guess = sms__derive_guess(arena, profile, path, options->load);
    if (guess.silent && options->device)
        return (struct sms__guess){.name = options->device, .from = "assumed: the device to write for"};
    return guess;
}

static int import_profile(struct sms__arena *arena, const char *const *paths, size_t n, read_profile *read,
                          const struct sms__import_options *options, FILE *to, struct sms_errors *errors)
{
    struct sms__profile profile;
    int code = read(arena, paths, n, &profile, errors);
    if (code != SMS_OK)
        return code;
    if (options->dump) {
        sms__profile_dump(&profile, to);
        return SMS_OK;
    }
    struct sms__guess guess = choose_device(arena, &profile, paths[0], options);
    if (!guess.name)
        return sms__fail(errors, SMS_EINPUT, paths[0],
                         "%s: name a device file with --profiled ('smsched list devices' shows them)", guess.why);
    const char *profiled = guess.name;
    struct making making = {.profile = &profile,
                            .derive = {.path = paths[0],
                                       .name = options->name ? options->name : sms__import_name(arena, paths[0]),
                                       .title = options->title,
                                       .source = options->source,
                                       .guessed = guess.from,
                                       .iteration = options->iteration},
                            .model = options->device ? options->device : profiled,
                            .to = to,
                            .errors = errors};
    return load_and_make(&making, profiled, options);
}

int sms__import_ncu(struct sms__arena *arena, const char *const *paths, size_t n_paths,
                    const struct sms__import_options *options, FILE *to, struct sms_errors *errors)
{
    return import_profile(arena, paths, n_paths, sms__read_ncu, options, to, errors);
}

int sms__import_nvprof(struct sms__arena *arena, const char *const *paths, size_t n_paths,
                       const struct sms__import_options *options, FILE *to, struct sms_errors *errors)
{
    return import_profile(arena, paths, n_paths, sms__read_nvprof, options, to, errors);
}
