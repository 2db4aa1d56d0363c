/* Runs an importer in an arena of its own, and checks its result. Each process of a profile becomes a workload, and a
 * scenario runs the workloads alone, one VM each. */
#include "derive.h"
#include "import.h"
#include "reader.h"
#include "text.h"

#include "../base/errors.h"
#include "../base/suffix.h"
#include "../model/scenario.h"

#include <string.h>
#include <sys/stat.h>

enum { HEAD_BYTES = 65536 };

struct import {
    struct sms__arena arena;
    const struct sms__importer *importer;
    const char *const *paths;
    size_t n_paths;
    const struct sms__import_options *options;
    FILE *to;
    struct sms_errors *errors;
    struct sms_file *device_file[2]; /* of a profile */
};

static struct sms__pooled_string *process_of(struct sms__string_pool *numbers, const struct sms__trace_place *place)
{
    const char *name = place && place->process ? place->process : "";
    return sms__intern(numbers, name, strlen(name));
}

/* Numbers the processes that launched kernels of known geometry, from 1, or all if there are none. */
static size_t number_processes(const struct sms__profile *profile, struct sms__string_pool *numbers)
{
    size_t processes = 0;
    for (bool all = false; !processes && profile->launches; all = true)
        for (size_t i = 0; i < profile->launches; i++) {
            struct sms__pooled_string *entry = process_of(numbers, profile->launch[i].place);
            if (!entry->value && (all || profile->launch[i].shape->grid[0] > 0))
                entry->value = ++processes;
        }
    return processes;
}

/* The part of an operation's process. The first has also operations of processes without a number; launches of those
 * are then left out with a word. */
static struct sms__profile *part_of(struct sms__profile *part, struct sms__string_pool *numbers,
                                    const struct sms__trace_place *place)
{
    const size_t number = process_of(numbers, place)->value;
    return &part[number ? number - 1 : 0];
}

/* Divides launches and copies by their processes. */
static struct sms__profile *divide(struct sms__arena *arena, const struct sms__profile *profile,
                                   struct sms__string_pool *numbers, size_t processes)
{
    struct sms__profile *part = SMS__NEW(arena, struct sms__profile, processes);
    for (size_t l = 0; l < profile->launches; l++)
        part_of(part, numbers, profile->launch[l].place)->launches++;
    for (size_t c = 0; c < profile->copies; c++)
        part_of(part, numbers, profile->copy[c].place)->copies++;
    for (size_t p = 0; p < processes; p++) {
        const struct sms__profile counts = part[p];
        part[p] = *profile;
        part[p].launch = SMS__NEW(arena, struct sms__profile_launch, counts.launches);
        part[p].copy = SMS__NEW(arena, struct sms__profile_copy, counts.copies);
        part[p].launches = part[p].copies = 0;
    }
    for (size_t l = 0; l < profile->launches; l++) {
        struct sms__profile *own = part_of(part, numbers, profile->launch[l].place);
        own->launch[own->launches++] = profile->launch[l];
    }
    for (size_t c = 0; c < profile->copies; c++) {
        struct sms__profile *own = part_of(part, numbers, profile->copy[c].place);
        own->copy[own->copies++] = profile->copy[c];
    }
    return part;
}

static void write_scenario(const struct sms__trace_options *options, size_t workloads, FILE *to)
{
    const char *name = options->derive.name;
    fprintf(to, "---\nscenario: %s\nquestion: How does the profiled program run alone?\n", name);
    fprintf(to, "devices: [{model: %s}]\n", options->model);
    if (options->derive.facts->jitter)
        fputs("run: {replications: 5} # block times are drawn: the least number that tells their spread\n", to);
    fputs("policies: [leftover]\nvms:\n", to);
    for (size_t i = 0; i < workloads; i++) {
        if (workloads == 1)
            fprintf(to, "  - {name: %s, workload: %s, repeat: 1}\n", name, name);
        else
            fprintf(to, "  - {name: %s-%zu, workload: %s-%zu, repeat: 1}\n", name, i + 1, name, i + 1);
    }
}

static int convert(struct import *import, const struct sms__profile *profile, const struct sms__trace_options *options)
{
    struct sms__string_pool numbers = {.arena = &import->arena};
    const size_t processes = number_processes(profile, &numbers);
    if (processes > SMS__LISTED_MAX)
        return sms__fail(import->errors, SMS_EINPUT, import->paths[0],
                         "has launches of %zu processes, and a scenario takes at most %d: profile fewer", processes,
                         SMS__LISTED_MAX);
    const struct sms__profile *part = divide(&import->arena, profile, &numbers, processes);
    int code = SMS_OK;
    for (size_t p = 0; code == SMS_OK && p < processes; p++) {
        struct sms__derive_options derive = options->derive;
        if (processes > 1)
            derive.name = sms__print(&import->arena, "%s-%zu", options->derive.name, p + 1);
        fputs(p ? "---\n" : "", import->to);
        code = sms__derive(&import->arena, &part[p], &derive, import->to, import->errors);
        if (code == SMS_OK && processes == 1 && options->notes && *derive.facts->order)
            fprintf(options->notes, "%s: %s\n", derive.name, derive.facts->order);
    }
    if (code == SMS_OK && !options->derive.iteration)
        write_scenario(options, processes, import->to);
    return code;
}

/* The device that the user named, otherwise the one that the profile identifies, otherwise the target. */
static struct sms__device_match choose_device(struct sms__arena *arena, const struct sms__profile *profile,
                                              const struct sms__import_options *options)
{
    if (options->profiled)
        return (struct sms__device_match){.name = options->profiled};
    struct sms__device_match match = sms__derive_match_device(arena, profile, options->load);
    if (match.no_evidence && options->device)
        return (struct sms__device_match){.name = options->device,
                                          .evidence = "assumed: the device given with --device"};
    return match;
}

/* Reads the profile, with the counters that are given beside it. */
static int read_profile(struct import *import, struct sms__profile *profile)
{
    const struct sms__import_options *options = import->options;
    const char *path = import->paths[0];
    int code = import->importer->read(&import->arena, import->paths, import->n_paths, profile, import->errors);
    if (code == SMS_OK && options->alone_ps > 0 && !profile->trace)
        code = sms__fail(import->errors, SMS_EINPUT, path, "has no host time to shorten: --alone is for traces");
    if (code != SMS_OK || !options->with)
        return code;
    return profile->trace ? sms__demands_join(&import->arena, profile, options->with, import->errors)
                          : sms__fail(import->errors, SMS_EINPUT, path,
                                      "has counters of its own, or can have: --with is for traces");
}

static int import_profile(struct import *import)
{
    struct sms__arena *arena = &import->arena;
    const struct sms__import_options *options = import->options;
    const char *path = import->paths[0];
    struct sms_errors *errors = import->errors;
    struct sms__profile profile = {.tool = import->importer->name, .most = options->most, .watch = options->watch};
    int code = read_profile(import, &profile);
    if (code != SMS_OK)
        return code;
    if (options->dump) {
        sms__profile_dump(&profile, import->to);
        return SMS_OK;
    }
    struct sms__device_match match = choose_device(arena, &profile, options);
    if (!match.name)
        return sms__fail(errors, SMS_EINPUT, path,
                         "%s: name a device file with --profiled ('smsched list devices' shows them, 'smsched import "
                         "device' writes one)",
                         match.problem);
    struct sms__derive_facts facts = {0};
    struct sms__trace_options trace = {.derive = {.path = path,
                                                  .name = options->name ? options->name : sms__import_name(arena, path),
                                                  .title = options->title,
                                                  .source = options->source,
                                                  .device_evidence = match.evidence,
                                                  .clock_hz = options->clock_hz,
                                                  .alone_s = options->alone_ps / 1e12,
                                                  .facts = &facts,
                                                  .iteration = options->iteration},
                                       .model = options->device ? options->device : match.name,
                                       .notes = options->notes};
    code = sms__derive_device(match.name, options->load, &import->device_file[0], &trace.derive.device, errors);
    if (code == SMS_OK && options->profiled)
        sms__derive_check_device(arena, &profile, path, trace.derive.device, options->load, errors);
    if (errors->count)
        return errors->item[0].code;
    if (code == SMS_OK && options->device)
        code =
            sms__derive_device(options->device, options->load, &import->device_file[1], &trace.derive.target, errors);
    if (code != SMS_OK || !profile.trace)
        return code ? code : convert(import, &profile, &trace);
    return sms__trace_convert(arena, &profile, &trace, import->to, errors);
}

static int body(void *user)
{
    struct import *import = user;
    if (import->importer->read)
        return import_profile(import);
    return import->importer->import(&import->arena, import->paths, import->n_paths, import->options, import->to,
                                    import->errors);
}

int sms__import(const struct sms__importer *importer, const char *const *paths, size_t n_paths,
                const struct sms__import_options *options, FILE *to, struct sms_errors *errors)
{
    struct import import = {{0}, importer, paths, n_paths, options, to, errors, {NULL, NULL}};
    *errors = (struct sms_errors){0};
    int code = sms__guard(&import.arena, body, &import);
    if (code == SMS_ENOMEM && !errors->count)
        sms__fail(errors, SMS_ENOMEM, paths[0], "no memory");
    sms__arena_release(&import.arena);
    for (size_t i = 0; i < 2; i++)
        sms_file_free(import.device_file[i]);
    return code;
}

int sms__import_check(const char *path, const char *text, size_t size, const struct sms__import_options *options,
                      struct sms_errors *errors)
{
    struct sms_errors load_errors = {0};
    struct sms_file *file = NULL;
    int code = sms_file_load_text(text, size, "", options->load, &file, &load_errors);
    sms_file_free(file);
    if (code == SMS_ENOMEM)
        return sms__fail(errors, code, path, "no memory");
    for (size_t i = 0; i < load_errors.count && i < SMS_ERRORS_MAX; i++) {
        const char *line = load_errors.item[i].source + strspn(load_errors.item[i].source, " ");
        sms__fail(errors, code, path, "the result would be invalid%s%.120s%s: %s", *line ? ", '" : "", line,
                  *line ? "'" : "", load_errors.item[i].message);
    }
    return code;
}

/* ---- formats by files ---- */

/* The first bytes of a file as text; "" if it cannot be read, which whoever reads it all reports. */
static const char *head_of(struct sms__arena *arena, const char *path)
{
    char *head = SMS__NEW(arena, char, HEAD_BYTES + 1);
    struct stat about;
    const bool is_file = stat(path, &about) == 0 && S_ISREG(about.st_mode); /* to open a FIFO waits for its writer */
    FILE *file = is_file ? fopen(path, "re") : NULL;
    size_t length = file ? fread(head, 1, HEAD_BYTES, file) : 0;
    if (file)
        fclose(file);
    for (size_t i = 0; i < length; i++)
        head[i] = head[i] ? head[i] : ' ';
    return head;
}

/* The format of a file by its name, or by how it begins; NULL: YAML. */
static const char *format_of(struct sms__arena *arena, const char *path)
{
    const char *head = head_of(arena, path);
    if (sms__ends_with(path, ".sqlite") || sms__ends_with(path, ".sqlite.gz") || !strncmp(head, "SQLite format 3", 15))
        return "nsys";
    if (sms__ends_with(path, ".yaml") || sms__ends_with(path, ".yml"))
        return NULL;
    if (sms__ends_with(path, ".json") || sms__ends_with(path, ".json.gz") || *head == '{' || *head == '[')
        return "kineto";
    if (strstr(head, "==NVPROF==") || strstr(head, "Profiling result") || strstr(head, "Profiling application"))
        return "nvprof";
    if (strstr(head, "==PROF==") || strstr(head, "Kernel Name") || strstr(head, "gpu__time_duration"))
        return "ncu";
    return NULL;
}

int sms__importer_of(struct sms__arena *arena, const char *path, const struct sms__importer **out,
                     struct sms_errors *errors)
{
    if (sms__ends_with(path, ".nsys-rep") || sms__ends_with(path, ".ncu-rep"))
        return sms__fail(errors, SMS_EINPUT, path, "is a report of NVIDIA's own format; first write it as %s",
                         sms__ends_with(path, ".nsys-rep") ? "SQLite: nsys export --type sqlite"
                                                           : "CSV: ncu --import FILE --page raw --csv");
    const char *format = format_of(arena, path);
    *out = format ? sms__importer_called(format) : NULL;
    return SMS_OK;
}
