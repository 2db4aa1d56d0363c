/* Devices and workloads by name: those of the file, of its library, of the folders of models. A name that is found
 * nowhere is complained of once. */
#include "file.h"
#include "scenario.h"
#include "sheet.h"

#include <string.h>

#define NONE SIZE_MAX

static const char *const keys[] = {"device", "workload", "scenario", "plan"};

/* The kind of a document is its last key in this list; a workload may name its device. Plans are for sim/sweep. */
int sms__document_kind(const struct sms__node *root)
{
    for (int kind = SMS__DOCUMENT_PLAN; kind >= 0; kind--)
        if (sms__node_get(root, keys[kind]))
            return kind == SMS__DOCUMENT_DEVICE && sms__node_get(root, "workload") ? SMS__DOCUMENT_WORKLOAD : kind;
    return -1;
}

static size_t *count_of(struct sms_file *file, enum sms__document kind)
{
    return kind == SMS__DOCUMENT_DEVICE     ? &file->devices
           : kind == SMS__DOCUMENT_WORKLOAD ? &file->workloads
                                            : &file->scenarios;
}

static const char *name_of(const struct sms_file *file, enum sms__document kind, size_t i)
{
    return kind == SMS__DOCUMENT_DEVICE     ? file->device[i]->name
           : kind == SMS__DOCUMENT_WORKLOAD ? file->workload[i]->name
                                            : file->scenario[i]->name;
}

/* The number of a device, workload or scenario of the file, or NONE. One that was given up has a name still, and its
 * number is of another or of none. */
static size_t find_known(struct sms_file *file, enum sms__document kind, const char *name)
{
    const struct sms__pooled_string *known = sms__interned(&file->names[kind], name);
    const bool is = known && known->value < *count_of(file, kind) && !strcmp(name_of(file, kind, known->value), name);
    return is ? known->value : NONE;
}

bool sms__file_remember(struct sms_file *file, enum sms__document kind, const char *name)
{
    if (find_known(file, kind, name) != NONE)
        return false;
    file->names[kind].arena = &file->arena;
    sms__intern(&file->names[kind], name, strlen(name))->value = *count_of(file, kind);
    return true;
}

/* The device from which this one inherits; NULL: none. One that is read for that must not inherit, so that there are no
 * cycles. */
static const struct sms__device *find_base(struct sms__reader *reader, const struct sms__node *node)
{
    struct sms_file *file = reader->user;
    const struct sms__node *name = sms__node_get(node, "inherits");
    const struct sms__device *base = NULL;
    if (!name || name->kind != SMS__SCALAR || !sms__is_name(name->text)) /* reading the fields says so */
        return NULL;
    const struct sms__node *own = sms__node_get(node, "device");
    if (own && own->kind == SMS__SCALAR && !strcmp(own->text, name->text)) {
        sms__complain(reader, name, "inherits from itself: give the device another name");
        return NULL;
    }
    if (file->inherits) {
        sms__complain(reader, name, "inherits from a device that inherits, too: name the first of them");
        return NULL;
    }
    file->inherits = true;
    base = sms__find_device(file, name->text, name);
    file->inherits = false;
    return base;
}

void sms__warn_of_instances(struct sms_file *file, const struct sms__device *device)
{
    const struct sms__mig *mig = device->mig.sheet;
    const struct sms__mark at = sms__at_key(device->node, "sms")->mark;
    for (size_t i = 0; mig && i < mig->profiles; i++)
        if (mig->profile[i].sms > device->sms && !sms__has_error(&file->warnings, &at, NULL))
            sms__error(&file->warnings, SMS_OK, at,
                       "%.60s has %llu SMs, and an instance of its profile %.60s has %llu: give the device a 'mig:' of "
                       "its own",
                       device->name, (unsigned long long)device->sms, mig->profile[i].name,
                       (unsigned long long)mig->profile[i].sms);
}

void sms__file_define(struct sms_file *file, enum sms__document kind, const struct sms__node *node)
{
    struct sms__reader reader = sms__file_reader(file);
    struct sms__device *device = NULL;
    struct sms__workload *workload = NULL;
    const char *name;
    if (kind == SMS__DOCUMENT_DEVICE) {
        device = SMS__NEW(&file->arena, struct sms__device, 1);
        reader.user = file;
        sms__read_device(&reader, node, find_base(&reader, node), device);
        sms__check_sources(&reader, device);
        name = device->name = device->name ? device->name : "";
        sms__warn_of_instances(file, device);
    } else {
        workload = SMS__NEW(&file->arena, struct sms__workload, 1);
        sms__read_workload(&reader, node, workload);
        name = workload->name;
    }
    if (*name && !sms__file_remember(file, kind, name)) /* without a name it was refused for that */
        sms__complain(&reader, node, "%s '%.60s' is defined twice", keys[kind], name);
    if (device)
        *SMS__APPEND(&file->arena, file->device, file->devices) = device;
    else
        *SMS__APPEND(&file->arena, file->workload, file->workloads) = workload;
}

/* Reads a file of a folder, which holds what its name says. */
static void load_model(struct sms_file *file, const char *path, enum sms__document kind)
{
    struct sms__doc *doc = SMS__NEW(&file->arena, struct sms__doc, 1);
    int code = sms__doc_load(&file->arena, path, doc, file->errors);
    if (code == SMS_ENOMEM)
        sms__fail(file->errors, SMS_ENOMEM, path, "no memory");
    for (size_t i = 0; code == SMS_OK && i < doc->roots; i++)
        if (sms__document_kind(doc->root[i]) == (int)kind)
            sms__file_define(file, kind, doc->root[i]);
}

static const char *find_model(struct sms_file *file, enum sms__document kind, const char *name)
{
    char path[SMS__MODELS_BYTES];
    const bool found =
        sms__find_in_models(file->options, sms__print(&file->arena, "%ss/%s.yaml", keys[kind], name), path);
    return found ? sms__copy(&file->arena, path, strlen(path)) : NULL;
}

static size_t find(struct sms_file *file, enum sms__document kind, const char *name, const struct sms__node *node);

/* Finds it in the library. A problem of the library is reported as the file's, and leaves nothing half read behind. */
static size_t borrow(struct sms_file *file, enum sms__document kind, const char *name, const struct sms__node *node)
{
    struct sms_file *library = file->library;
    size_t before = *count_of(library, kind), errors = file->errors->count;
    library->errors = file->errors;
    library->options = file->options;
    library->arena.out_of_memory = file->arena.out_of_memory;
    size_t i = find(library, kind, name, node);
    library->errors = NULL;
    library->options = NULL;
    library->arena.out_of_memory = NULL;
    if (i == NONE || file->errors->count > errors) {
        *count_of(library, kind) = before;
        return NONE;
    }
    sms__file_remember(file, kind, name);
    if (kind == SMS__DOCUMENT_DEVICE)
        *SMS__APPEND(&file->arena, file->device, file->devices) = library->device[i];
    else
        *SMS__APPEND(&file->arena, file->workload, file->workloads) = library->workload[i];
    return *count_of(file, kind) - 1;
}

/* Whether the file has such a device, which is not known yet because this one is read first, as its base. */
static bool is_heir(const struct sms_file *file, const char *name)
{
    bool is = false;
    for (size_t i = 0; file->doc && i < file->doc->roots && !is; i++) {
        const struct sms__node *own = sms__node_get(file->doc->root[i], keys[SMS__DOCUMENT_DEVICE]);
        is = sms__document_kind(file->doc->root[i]) == SMS__DOCUMENT_DEVICE && own->kind == SMS__SCALAR &&
             !strcmp(own->text, name);
    }
    return is;
}

static size_t find(struct sms_file *file, enum sms__document kind, const char *name, const struct sms__node *node)
{
    struct sms__reader reader = sms__file_reader(file);
    size_t before = file->errors->count, i = find_known(file, kind, name);
    if (i == NONE && file->library)
        return borrow(file, kind, name, node);
    if (i != NONE || !sms__read_name(&reader, node)) /* a name is part of a path */
        return i;
    const char *path = find_model(file, kind, name);
    if (path)
        load_model(file, path, kind);
    i = find_known(file, kind, name);
    if (i != NONE || file->errors->count > before)
        return i;
    if (kind == SMS__DOCUMENT_DEVICE && is_heir(file, name))
        sms__complain(&reader, node, "inherits from a device that inherits from it in turn");
    else
        sms__complain_unknown_model(file, kind, node);
    return NONE;
}

const struct sms__device *sms__find_device(struct sms_file *file, const char *name, const struct sms__node *node)
{
    size_t i = find(file, SMS__DOCUMENT_DEVICE, name, node);
    return i == NONE ? NULL : file->device[i];
}

const struct sms__device *sms__find_profiled(struct sms_file *file, const char *name)
{
    struct sms__node node = {.kind = SMS__SCALAR, .text = name};
    bool known = find_known(file, SMS__DOCUMENT_DEVICE, name) != NONE || find_model(file, SMS__DOCUMENT_DEVICE, name) ||
                 (file->library && find_known(file->library, SMS__DOCUMENT_DEVICE, name) != NONE);
    return known ? sms__find_device(file, name, &node) : NULL;
}

const struct sms__workload *sms__find_workload(struct sms_file *file, const char *name, const struct sms__node *node)
{
    size_t i = find(file, SMS__DOCUMENT_WORKLOAD, name, node);
    return i == NONE ? NULL : file->workload[i];
}

struct lookup {
    struct sms_file *library;
    bool device;
    const char *name;
    const struct sms__node **out;
    size_t count;
};

static int look_up(void *user)
{
    struct lookup *lookup = user;
    const struct sms__node name = {.kind = SMS__SCALAR, .text = lookup->name};
    enum sms__document kind = lookup->device ? SMS__DOCUMENT_DEVICE : SMS__DOCUMENT_WORKLOAD;
    size_t i = find(lookup->library, kind, lookup->name, &name);
    if (i != NONE && !lookup->device)
        lookup->out[lookup->count++] = lookup->library->workload[i]->node;
    for (const struct sms__device *at = i != NONE && lookup->device ? lookup->library->device[i] : NULL; at;
         at = at->about.base) { /* a base has none */
        lookup->out[lookup->count++] = at->node;
        if (at->about.family_node)
            lookup->out[lookup->count++] = at->about.family_node;
    }
    return SMS_OK;
}

size_t sms__library_documents(struct sms_file *library, const struct sms_load_options *options, bool device,
                              const char *name, const struct sms__node *out[SMS__SOURCE_DOCUMENTS])
{
    struct sms_errors errors = {0};
    struct lookup lookup = {library, device, name, out, 0};
    size_t devices = library->devices, workloads = library->workloads;
    library->errors = &errors;
    library->options = options;
    int code = sms__guard(&library->arena, look_up, &lookup);
    library->errors = NULL;
    library->options = NULL;
    if (code == SMS_OK && errors.count == 0)
        return lookup.count;
    library->devices = devices;
    library->workloads = workloads;
    return 0;
}
