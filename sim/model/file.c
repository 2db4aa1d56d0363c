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
    const struct sms__variation *variation; /* of sms__file_vary */
};

static struct sms__reader reader_of(struct sms_file *file)
{
    return (struct sms__reader){.arena = &file->arena, .errors = file->errors};
}

static void *grow(struct sms__arena *arena, const void *old, size_t count, size_t size)
{
    if (count & (count - 1))
        return NULL; /* room left: capacities are powers of two */
    char *grown = sms__alloc(arena, count ? count * 2 : 1, size);
    if (count)
        memcpy(grown, old, count * size);
    return grown;
}

#define PUSH(file, list, count, value)                                                                                 \
    do {                                                                                                               \
        void *grown_ = grow(&(file)->arena, (file)->list, (file)->count, sizeof *(file)->list);                        \
        if (grown_)                                                                                                    \
            (file)->list = grown_;                                                                                     \
        (file)->list[(file)->count++] = (value);                                                                       \
    } while (0)

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
    PUSH(file, device, devices, device);
}

static void add_workload(struct sms_file *file, const struct sms__node *node)
{
    struct sms__reader reader = reader_of(file);
    struct sms__workload *workload = SMS__NEW(&file->arena, struct sms__workload, 1);
    sms__read_workload(&reader, node, workload);
    if (known_workload(file, workload->name))
        sms__complain(&reader, node, "workload '%.60s' is defined twice", workload->name);
    PUSH(file, workload, workloads, workload);
}

enum { DOCUMENT_SCENARIO = 2, DOCUMENT_PLAN };

static const char *const document_kinds[] = {"device", "workload", "scenario", "plan"};

/* The kind of a document is its last key in this list; a workload may name its device. Plans are for sim/sweep. */
static int document_kind(const struct sms__node *root)
{
    for (int kind = DOCUMENT_PLAN; kind >= 0; kind--)
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

static bool fit_for_path(struct sms_file *file, const struct sms__node *node)
{
    struct sms__reader reader = reader_of(file);
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
        PUSH(file, device, devices, device);
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
        PUSH(file, workload, workloads, workload);
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

/* Devices and workloads first, so that a scenario may stand before what it names. */
static void read_documents(struct sms_file *file, const struct sms__doc *doc)
{
    for (size_t i = 0; i < doc->roots; i++) {
        struct sms__reader reader = reader_of(file);
        int kind = document_kind(doc->root[i]);
        if (kind < 0)
            sms__complain(&reader, doc->root[i], "a document starts with one of device:, workload:, scenario:, plan:");
        else if (kind == 0)
            add_device(file, doc->root[i]);
        else if (kind == 1)
            add_workload(file, doc->root[i]);
    }
}

static void read_scenario(struct sms_file *file, const struct sms__node *root)
{
    struct sms__reader reader = reader_of(file);
    struct sms_scenario *scenario = SMS__NEW(&file->arena, struct sms_scenario, 1);
    sms__read_scenario(&reader, root, file, scenario);
    sms__link_scenario(&reader, file, scenario);
    for (size_t j = 0; j < file->scenarios; j++)
        if (scenario->name[0] && !strcmp(file->scenario[j]->name, scenario->name))
            sms__complain(&reader, root, "scenario '%.60s' is defined twice", scenario->name);
    PUSH(file, scenario, scenarios, scenario);
}

static void read_scenarios(struct sms_file *file, const struct sms__doc *doc)
{
    for (size_t i = 0; i < doc->roots; i++)
        if (document_kind(doc->root[i]) == DOCUMENT_SCENARIO && file->errors->count <= SMS_ERRORS_MAX)
            read_scenario(file, doc->root[i]);
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

static int first_code(const struct sms_errors *errors)
{
    if (errors->count == 0)
        return SMS_OK;
    return errors->item[0].code ? errors->item[0].code : SMS_EINPUT;
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
    return first_code(load->errors);
}

/* Of a file that `body` reads; it is the caller's if it could be read. */
static int load_with(int (*body)(void *user), struct load *load, const struct sms_load_options *options,
                     struct sms_file **out)
{
    struct sms_file *file = load->file = calloc(1, sizeof *file);
    *out = NULL;
    *load->errors = (struct sms_errors){0};
    if (!file)
        return sms__fail(load->errors, SMS_ENOMEM, load->path, "no memory");
    file->options = options;
    file->errors = load->errors;
    int code = sms__guard(&file->arena, body, load);
    if (code == SMS_ENOMEM && !load->errors->count)
        sms__fail(load->errors, SMS_ENOMEM, load->path, "no memory");
    file->errors = NULL;
    file->options = NULL; /* the caller may let go of it */
    file->library = NULL;
    if (code)
        sms_file_free(file);
    else
        *out = file;
    return code;
}

int sms_file_load(const char *path, const struct sms_load_options *options, struct sms_file **out,
                  struct sms_errors *errors)
{
    static const struct sms_load_options defaults;
    struct load load = {.path = path, .errors = errors};
    return load_with(load_body, &load, options ? options : &defaults, out);
}

static int vary_body(void *user)
{
    struct load *load = user;
    struct sms_file *file = load->file;
    struct sms__reader reader = reader_of(file);
    file->library = load->variation->library;
    const struct sms__node *root = load->variation->make(&reader, load->variation->user);
    if (root && file->errors->count == 0)
        read_scenario(file, root);
    if (file->errors->count == 0)
        check_counts(file);
    return first_code(file->errors);
}

int sms__file_vary(const struct sms__variation *variation, struct sms_file **out, struct sms_errors *errors)
{
    struct load load = {.path = variation->library->doc->path, .errors = errors, .variation = variation};
    return load_with(vary_body, &load, variation->options, out);
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

void sms_file_free(struct sms_file *file)
{
    if (!file)
        return;
    sms__arena_release(&file->arena);
    free(file);
}

size_t sms_file_scenarios(const struct sms_file *file) { return file->scenarios; }
const struct sms_scenario *sms_file_scenario(const struct sms_file *file, size_t idx) { return file->scenario[idx]; }
