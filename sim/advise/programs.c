/* Reads what a user names: a trace, a profile, a file of YAML, or a workload of the library. Each becomes a file in
 * memory, of which every tenant is a program. */
#include "advise.h"

#include "../base/read.h"
#include "../import/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_trace(const struct sms__importer *importer)
{
    return !strcmp(importer->name, "nsys") || !strcmp(importer->name, "kineto");
}

static int import_text(const char *path, const struct sms__importer *importer,
                       const struct sms__advise_settings *settings, struct sms__buffer *text, struct sms_errors *errors)
{
    const struct sms__import_options options = {.load = settings->load,
                                                .profiled = settings->profiled,
                                                .with = is_trace(importer) ? settings->with : NULL,
                                                .notes = settings->notes};
    FILE *to = sms__buffer_open(text);
    int code = to ? sms__import(importer, &path, 1, &options, to, errors) : SMS_OK;
    if (!(to && sms__buffer_close(text, to)) && code == SMS_OK)
        code = sms__fail(errors, SMS_ENOMEM, path, "no memory");
    return code;
}

/* A workload by itself, as a scenario that runs it. `text`: of the file that has the workload; "": the library has it.
 */
static int load_alone(struct sms__arena *arena, const char *text, const char *workload, const char *path,
                      const struct sms__advise_settings *settings, struct sms_file **file, struct sms_errors *errors)
{
    text = sms__print(arena,
                      "%s%sscenario: alone\ndevices: [{model: %s}]\npolicies: [{mode: mps}]\n"
                      "processes: [{name: alone, workload: '%s'}]\n",
                      text, *text ? "\n---\n" : "", settings->device, workload);
    return sms_file_load_text(text, strlen(text), path, settings->load, file, errors);
}

/* A file without a scenario must have one workload, which a scenario in the same text then runs. */
static int load_bare(struct sms__arena *arena, const char *path, const struct sms__advise_settings *settings,
                     struct sms_file **file, struct sms_errors *errors)
{
    const char *text;
    if ((*file)->workloads != 1)
        return sms__fail(errors, SMS_EINPUT, path,
                         "has %zu workloads and no scenario; give a file with one, or add one", (*file)->workloads);
    const char *name = sms__copy(arena, (*file)->workload[0]->name, strlen((*file)->workload[0]->name));
    int code = sms__file_text(arena, path, &text, errors);
    if (code)
        return code;
    sms_file_free(*file);
    *file = NULL;
    return load_alone(arena, text, name, path, settings, file, errors);
}

/* Whether the name is one of the library's, not a path. */
static bool is_in_library(const char *name, const struct sms_load_options *load)
{
    char file[SMS__MODELS_BYTES], path[SMS__MODELS_BYTES];
    return snprintf(file, sizeof file, "workloads/%s.yaml", name) < (int)sizeof file &&
           sms__find_in_models(load, file, path);
}

static int complain_missing(const char *path, const struct sms_load_options *load, struct sms_errors *errors)
{
    const char *const folder[] = {load->models, load->installed_models};
    char near[SMS__MODEL_NAME_BYTES];
    const bool found = sms__nearest_model(folder, "workloads", path, near);
    return sms__fail(errors, SMS_EINPUT, path, "there is no such file, and no workload of the library has this name%s",
                     found ? sms__did_you_mean(near).text : " ('smsched list workloads' shows them)");
}

/* `out` is told what was imported. `named`: whether a user wrote the scenario, and so named its tenants. */
static int load_file(struct sms__arena *arena, const char *path, const struct sms__advise_settings *settings,
                     struct sms__programs *out, struct sms_file **file, bool *named, struct sms_errors *errors)
{
    *named = false;
    if (access(path, F_OK) && is_in_library(path, settings->load))
        return load_alone(arena, "", path, path, settings, file, errors);
    if (access(path, F_OK) && errno == ENOENT)
        return complain_missing(path, settings->load, errors);
    const struct sms__importer *importer;
    int code = sms__importer_of(arena, path, &importer, errors);
    if (code)
        return code;
    if (importer) {
        struct sms__buffer text = {0};
        code = import_text(path, importer, settings, &text, errors);
        if (code == SMS_OK)
            code = sms_file_load_text(text.bytes, text.length, path, settings->load, file, errors);
        free(text.bytes);
        out->imported = true;
        out->with = is_trace(importer) ? settings->with : out->with;
        return code;
    }
    code = sms_file_load(path, settings->load, file, errors);
    *named = code == SMS_OK && sms_file_scenarios(*file) > 0;
    return code || *named ? code : load_bare(arena, path, settings, file, errors);
}

/* The tenant's name without what a program's must not have. */
static const char *name_of_tenant(struct sms__arena *arena, const struct sms__tenant *tenant)
{
    char *name = sms__copy(arena, tenant->name, strlen(tenant->name));
    for (char *c = name; *c; c++)
        *c = *c == '.' || *c == '/' ? '_' : *c;
    return name;
}

/* A name that no program has yet, from that of the tenant or file: "train", "train-2". */
static const char *new_name(struct sms__arena *arena, const char *from, const struct sms__programs *programs)
{
    const char *stem = sms__import_name(arena, from), *name = stem;
    for (size_t n = 2; sms__find_name(name, programs->count, SMS__NAMES(programs->program, name)) < programs->count;
         n++)
        name = sms__print(arena, "%s-%zu", stem, n);
    return name;
}

/* The rate of jobs that arrive at random; 0: they do not. */
static double rate_of(const struct sms__tenant *tenant)
{
    const double per_s = tenant->arrivals == SMS__POISSON ? 1e12 / tenant->interval_ps : 0;
    return per_s >= SMS__LOAD_LEAST && per_s <= SMS__LOAD_MOST ? per_s : 0;
}

/* A run of a way has programs that are the same in all its replications. */
static int complain_drawn(const struct sms_scenario *scenario, struct sms_errors *errors)
{
    for (size_t v = 0; v < scenario->vms; v++) {
        const struct sms__node *draw = sms__node_get(scenario->vm[v].node, "draw");
        if (draw && draw->items > 1 && !sms__is_like_last(scenario->vm, v))
            sms__error(errors, SMS_EINPUT, draw->mark,
                       "a program does one workload: make a process for each of these, with that workload");
    }
    return SMS_EINPUT;
}

static int complain_pods(const struct sms_scenario *scenario, struct sms_errors *errors)
{
    sms__error(errors, SMS_EINPUT, sms__at_key(scenario->node, "pods")->mark,
               "advise takes the tenants of vms and processes, and no pods: give it their workloads");
    return SMS_EINPUT;
}

int sms__programs_read(struct sms__arena *arena, const char *path, const struct sms__advise_settings *settings,
                       struct sms__programs *out, struct sms_errors *errors)
{
    struct sms_file *file = NULL;
    bool named;
    int code = load_file(arena, path, settings, out, &file, &named, errors);
    if (code)
        sms_file_free(file);
    if (code || !file)
        return code;
    const struct sms_scenario *scenario = file->scenario[0];
    if (scenario->cluster || scenario->drawn) {
        code = scenario->drawn ? complain_drawn(scenario, errors) : complain_pods(scenario, errors);
        sms_file_free(file);
        return code;
    }
    if (scenario->vms == 0 || out->count + scenario->vms > settings->programs_most) {
        code = sms__fail(errors, SMS_EINPUT, path,
                         scenario->vms == 0 ? "has no tenants that run workloads"
                                            : "with it there are more than %zu programs",
                         settings->programs_most);
        sms_file_free(file);
        return code;
    }
    for (size_t v = 0; v < scenario->vms; v++) {
        const struct sms__tenant *tenant = &scenario->vm[v];
        const struct sms__program program = {.name = new_name(arena, named ? name_of_tenant(arena, tenant) : path, out),
                                             .path = path,
                                             .number = out->count,
                                             .file = file,
                                             .tenant = tenant,
                                             .written = named ? scenario->node : NULL,
                                             .least = 1,
                                             .most = 1,
                                             .per_s = rate_of(tenant)};
        *SMS__APPEND(arena, out->program, out->count) = program;
    }
    return SMS_OK;
}

bool sms__program_is_exclusive(const struct sms__program *program)
{
    const struct sms__workload *workload;
    bool exclusive = false;
    size_t first;
    for (size_t i = 0; (workload = sms__workload_of(program->tenant, i, &first)); i++)
        exclusive |= workload->exclusive;
    return exclusive;
}

const struct sms__program *sms__find_exclusive(const struct sms__programs *programs)
{
    for (size_t p = 0; p < programs->count; p++)
        if (sms__program_is_exclusive(&programs->program[p]))
            return &programs->program[p];
    return NULL;
}

/* Programs of one file stand together. */
void sms__programs_free(struct sms__programs *programs)
{
    for (size_t i = 0; i < programs->count; i++)
        if (i == 0 || programs->program[i].file != programs->program[i - 1].file)
            sms_file_free(programs->program[i].file);
    programs->count = 0;
}
