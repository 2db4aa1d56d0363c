/* Loads a file and whatever it refers to. */
#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DOCUMENTS_MAX = 10100 };

struct load {
    const char *path;
    struct sms_file *file;
    struct sms_errors *errors;
};

static struct sms__reader reader_of(struct sms_file *file)
{
    return (struct sms__reader){.arena = &file->arena, .errors = file->errors};
}

static const struct sms__device *known_device(const struct sms_file *file, const char *name)
{
    for (size_t i = 0; i < file->devices; i++)
        if (!strcmp(file->device[i]->name, name))
            return file->device[i];
    return NULL;
}

static const struct sms__workload *known_workload(const struct sms_file *file, const char *name)
{
    for (size_t i = 0; i < file->workloads; i++)
        if (!strcmp(file->workload[i]->name, name))
            return file->workload[i];
    return NULL;
}

static void add_device(struct sms_file *file, const struct sms__node *node)
{
    struct sms__reader reader = reader_of(file);
    struct sms__device *device = SMS__NEW(&file->arena, struct sms__device, 1);
    sms__read_device(&reader, node, device);
    if (!device->name)
        device->name = "";
    if (known_device(file, device->name))
        sms__complain(&reader, node, "device '%.60s' is defined twice", device->name);
    *SMS__APPEND(&file->arena, file->device, file->devices) = device;
}

static void add_workload(struct sms_file *file, const struct sms__node *node)
{
    struct sms__reader reader = reader_of(file);
    struct sms__workload *workload = SMS__NEW(&file->arena, struct sms__workload, 1);
    sms__read_workload(&reader, node, workload);
    if (known_workload(file, workload->name))
        sms__complain(&reader, node, "workload '%.60s' is defined twice", workload->name);
    *SMS__APPEND(&file->arena, file->workload, file->workloads) = workload;
}

static const char *const document_kinds[] = {"device", "workload", "scenario"};

/* The kind of a document is its first key that names one. */
static int document_kind(const struct sms__node *root)
{
    for (int kind = 2; kind >= 0; kind--)
        if (sms__node_get(root, document_kinds[kind]))
            return kind == 0 && sms__node_get(root, "workload") ? 1 : kind;
    return -1;
}

/* A folder's file holds what its name says. */
static void load_model(struct sms_file *file, const char *path, int wanted)
{
    struct sms__doc *doc = SMS__NEW(&file->arena, struct sms__doc, 1);
    int code = sms__doc_load(&file->arena, path, doc, file->errors);
    if (code == SMS_ENOMEM)
        sms__fail(file->errors, SMS_ENOMEM, path, "no memory");
    if (code)
        return;
    for (size_t i = 0; i < doc->roots; i++) {
        if (document_kind(doc->root[i]) != wanted)
            continue;
        if (wanted == 0)
            add_device(file, doc->root[i]);
        else
            add_workload(file, doc->root[i]);
    }
}

static const char *model_path(struct sms_file *file, const char *folder, const char *kind, const char *name)
{
    const char *path = folder ? sms__print(&file->arena, "%s/%s/%s.yaml", folder, kind, name) : NULL;
    return path && access(path, F_OK) == 0 ? path : NULL;
}

static const char *find_model(struct sms_file *file, const char *kind, const char *name)
{
    const struct sms_load_options *options = file->options;
    const char *path = model_path(file, options->models, kind, name);
    if (path)
        return path;
    return model_path(file, options->installed_models ? options->installed_models : sms__installed_models(), kind,
                      name);
}

static bool fit_for_path(struct sms_file *file, const char *name, const struct sms__node *node)
{
    struct sms__reader reader = reader_of(file);
    (void)name;
    return sms__read_name(&reader, node) != NULL;
}

const struct sms__device *sms__find_device(struct sms_file *file, const char *name, const struct sms__node *node)
{
    const struct sms__device *device = known_device(file, name);
    if (device || !fit_for_path(file, name, node))
        return device;
    const char *path = find_model(file, "devices", name);
    size_t before = file->errors->count;
    if (path)
        load_model(file, path, 0);
    device = known_device(file, name);
    if (!device && file->errors->count == before)
        sms__complain_unknown_device(file, node);
    return device;
}

const struct sms__workload *sms__find_workload(struct sms_file *file, const char *name, const struct sms__node *node)
{
    const struct sms__workload *workload = known_workload(file, name);
    if (workload || !fit_for_path(file, name, node))
        return workload;
    const char *path = find_model(file, "workloads", name);
    size_t before = file->errors->count;
    if (path)
        load_model(file, path, 1);
    workload = known_workload(file, name);
    if (!workload && file->errors->count == before)
        sms__complain_unknown_workload(file, node);
    return workload;
}

/* Devices and workloads first, so that a scenario may stand before what it names. */
static void read_documents(struct sms_file *file, const struct sms__doc *doc)
{
    for (size_t i = 0; i < doc->roots; i++) {
        struct sms__reader reader = reader_of(file);
        int kind = document_kind(doc->root[i]);
        if (kind < 0)
            sms__complain(&reader, doc->root[i], "a document starts with one of device:, workload:, scenario:");
        else if (kind == 0)
            add_device(file, doc->root[i]);
        else if (kind == 1)
            add_workload(file, doc->root[i]);
    }
}

static void read_scenarios(struct sms_file *file, const struct sms__doc *doc)
{
    for (size_t i = 0; i < doc->roots; i++) {
        struct sms__reader reader = reader_of(file);
        if (document_kind(doc->root[i]) != 2 || file->errors->count > SMS_ERRORS_MAX)
            continue;
        struct sms_scenario *scenario = SMS__NEW(&file->arena, struct sms_scenario, 1);
        sms__read_scenario(&reader, doc->root[i], file, scenario);
        sms__link_scenario(&reader, file, scenario);
        for (size_t j = 0; j < file->scenarios; j++)
            if (scenario->name[0] && !strcmp(file->scenario[j]->name, scenario->name))
                sms__complain(&reader, doc->root[i], "scenario '%.60s' is defined twice", scenario->name);
        *SMS__APPEND(&file->arena, file->scenario, file->scenarios) = scenario;
    }
}

/* A count of units in a workload that no scenario puts on a device with a capacity is a mistaken ratio. */
static void check_counts(struct sms_file *file)
{
    struct sms__reader reader = reader_of(file);
    struct sms__quantity number;
    for (size_t d = 0; d < file->devices; d++)
        for (size_t r = 0; r < file->device[d]->resources; r++)
            if (file->device[d]->resource[r].capacity)
                return;
    for (size_t w = 0; w < file->workloads; w++)
        for (size_t k = 0; k < file->workload[w]->kernels; k++) {
            const struct sms__kernel *kernel = &file->workload[w]->kernel[k];
            for (size_t i = 0; i < kernel->demands; i++)
                sms__read_number(&reader, kernel->demand[i].value, SMS__RATIO, 0, SMS__DEMAND_MAX, &number);
        }
}

static int load_body(void *user)
{
    struct load *load = user;
    struct sms_file *file = load->file;
    struct sms__doc *doc = SMS__NEW(&file->arena, struct sms__doc, 1);
    int code = sms__doc_load(&file->arena, load->path, doc, load->errors);
    if (code)
        return code;
    if (doc->roots > DOCUMENTS_MAX)
        return sms__fail(load->errors, SMS_EINPUT, load->path, "more than %d documents", DOCUMENTS_MAX);
    file->doc = doc;
    read_documents(file, doc);
    read_scenarios(file, doc);
    if (load->errors->count == 0)
        check_counts(file);
    if (load->errors->count == 0)
        return SMS_OK;
    return load->errors->item[0].code ? load->errors->item[0].code : SMS_EINPUT;
}

int sms_file_load(const char *path, const struct sms_load_options *options, struct sms_file **out,
                  struct sms_errors *errors)
{
    static const struct sms_load_options defaults;
    *out = NULL;
    *errors = (struct sms_errors){0};
    struct sms_file *file = calloc(1, sizeof *file);
    if (!file)
        return sms__fail(errors, SMS_ENOMEM, path, "no memory");
    file->options = options ? options : &defaults;
    file->errors = errors;
    struct load load = {path, file, errors};
    int code = sms__guard(&file->arena, load_body, &load);
    if (code == SMS_ENOMEM && !errors->count)
        sms__fail(errors, SMS_ENOMEM, path, "no memory");
    file->errors = NULL;
    file->options = NULL; /* the caller may let go of it */
    if (code)
        sms_file_free(file);
    else
        *out = file;
    return code;
}

void sms_file_free(struct sms_file *file)
{
    if (!file)
        return;
    sms__arena_release(&file->arena);
    free(file);
}

const struct sms_errors *sms_file_warnings(const struct sms_file *file) { return &file->warnings; }
size_t sms_file_scenarios(const struct sms_file *file) { return file->scenarios; }
const struct sms_scenario *sms_file_scenario(const struct sms_file *file, size_t idx) { return file->scenario[idx]; }
