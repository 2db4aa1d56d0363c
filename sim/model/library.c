/* Devices and workloads by name: of the file, of its library, of the folders of models. */
#include "file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

void sms__file_add_device(struct sms_file *file, const struct sms__node *node)
{
    struct sms__reader reader = sms__file_reader(file);
    struct sms__device *device = SMS__NEW(&file->arena, struct sms__device, 1);
    sms__read_device(&reader, node, device);
    if (!device->name)
        device->name = "";
    if (known_device(file, device->name))
        sms__complain(&reader, node, "device '%.60s' is defined twice", device->name);
    *SMS__APPEND(&file->arena, file->device, file->devices) = device;
}

void sms__file_add_workload(struct sms_file *file, const struct sms__node *node)
{
    struct sms__reader reader = sms__file_reader(file);
    struct sms__workload *workload = SMS__NEW(&file->arena, struct sms__workload, 1);
    sms__read_workload(&reader, node, workload);
    if (known_workload(file, workload->name))
        sms__complain(&reader, node, "workload '%.60s' is defined twice", workload->name);
    *SMS__APPEND(&file->arena, file->workload, file->workloads) = workload;
}

static const char *const document_kinds[] = {"device", "workload", "scenario", "plan"};

/* The kind of a document is its last key in this list; a workload may name its device. Plans are for sim/sweep. */
int sms__document_kind(const struct sms__node *root)
{
    for (int kind = SMS__DOCUMENT_PLAN; kind >= 0; kind--)
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
        if (sms__document_kind(doc->root[i]) != wanted)
            continue;
        if (wanted == 0)
            sms__file_add_device(file, doc->root[i]);
        else
            sms__file_add_workload(file, doc->root[i]);
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
    return model_path(file, options->installed_models, kind, name);
}

static bool fit_for_path(struct sms_file *file, const struct sms__node *node)
{
    struct sms__reader reader = sms__file_reader(file);
    return sms__read_name(&reader, node) != NULL;
}

/* What goes wrong in the library is told as the file's, and leaves nothing behind that is not whole. */
static size_t begin_loan(struct sms_file *file)
{
    file->library->errors = file->errors;
    file->library->options = file->options;
    file->library->arena.out_of_memory = file->arena.out_of_memory;
    return file->errors->count;
}

static bool end_loan(struct sms_file *file, size_t errors)
{
    file->library->errors = NULL;
    file->library->options = NULL;
    file->library->arena.out_of_memory = NULL;
    return file->errors->count == errors;
}

static const struct sms__device *borrow_device(struct sms_file *file, const char *name, const struct sms__node *node)
{
    size_t before = file->library->devices, errors = begin_loan(file);
    const struct sms__device *device = sms__find_device(file->library, name, node);
    if (end_loan(file, errors) && device)
        *SMS__APPEND(&file->arena, file->device, file->devices) = device;
    else
        file->library->devices = before;
    return device;
}

static const struct sms__workload *borrow_workload(struct sms_file *file, const char *name,
                                                   const struct sms__node *node)
{
    size_t before = file->library->workloads, errors = begin_loan(file);
    const struct sms__workload *workload = sms__find_workload(file->library, name, node);
    if (end_loan(file, errors) && workload)
        *SMS__APPEND(&file->arena, file->workload, file->workloads) = workload;
    else
        file->library->workloads = before;
    return workload;
}

const struct sms__device *sms__find_device(struct sms_file *file, const char *name, const struct sms__node *node)
{
    const struct sms__device *device = known_device(file, name);
    if (!device && file->library)
        return borrow_device(file, name, node);
    if (device || !fit_for_path(file, node))
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
    if (!workload && file->library)
        return borrow_workload(file, name, node);
    if (workload || !fit_for_path(file, node))
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

struct lookup {
    struct sms_file *library;
    bool device;
    const char *name;
    const struct sms__node *found;
};

static int look_up(void *user)
{
    struct lookup *lookup = user;
    const struct sms__node name = {.kind = SMS__SCALAR, .text = lookup->name};
    if (lookup->device) {
        const struct sms__device *device = sms__find_device(lookup->library, lookup->name, &name);
        lookup->found = device ? device->node : NULL;
    } else {
        const struct sms__workload *workload = sms__find_workload(lookup->library, lookup->name, &name);
        lookup->found = workload ? workload->node : NULL;
    }
    return SMS_OK;
}

const struct sms__node *sms__library_document(struct sms_file *library, const struct sms_load_options *options,
                                              bool device, const char *name)
{
    struct sms_errors errors = {0};
    struct lookup lookup = {library, device, name, NULL};
    size_t devices = library->devices, workloads = library->workloads;
    library->errors = &errors;
    library->options = options;
    int code = sms__guard(&library->arena, look_up, &lookup);
    library->errors = NULL;
    library->options = NULL;
    if (code == SMS_OK && errors.count == 0)
        return lookup.found;
    library->devices = devices;
    library->workloads = workloads;
    return NULL;
}
