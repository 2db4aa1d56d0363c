/* Loads a file and whatever it refers to. */
#include "file.h"
#include "policy/plugins.h"
#include "policy/registry.h"
#include "scenario.h"

#include <stdlib.h>
#include <string.h>

enum { DOCUMENTS_MAX = 10100 };

struct load {
    const char *path;
    const char *text; /* [size]: the file, or NULL to read it from `path` */
    size_t size;
    struct sms_file *file;
    struct sms_load_options *options; /* those of the file, plug-ins included once they are open */
    struct sms_errors *errors;
    const struct sms__variation *variation; /* of sms__file_vary */
};

/* The devices of the file: the number of the last document of each name, and which are read or being read. */
struct devices {
    struct sms__string_pool last;
    bool *begun; /* [documents] */
};

/* Reads the device of the file from which this one inherits first, because it may stand behind it. One in a cycle of
 * them does not know its own. */
static void define_device(struct sms_file *file, struct devices *devices, size_t i)
{
    const struct sms__node *base = sms__node_get(file->doc->root[i], "inherits");
    const bool is_named = base && base->kind == SMS__SCALAR;
    const struct sms__pooled_string *last = is_named ? sms__interned(&devices->last, base->text) : NULL;
    if (devices->begun[i])
        return;
    devices->begun[i] = true;
    if (last)
        define_device(file, devices, last->value);
    sms__file_define(file, SMS__DOCUMENT_DEVICE, file->doc->root[i]);
}

/* Devices and workloads first, so that a scenario may stand before what it names. */
static void read_documents(struct sms_file *file, const struct sms__doc *doc)
{
    struct devices devices = {{.arena = &file->arena}, SMS__NEW(&file->arena, bool, doc->roots)};
    for (size_t i = 0; i < doc->roots; i++) {
        const struct sms__node *name = sms__node_get(doc->root[i], "device");
        if (sms__document_kind(doc->root[i]) == SMS__DOCUMENT_DEVICE && name->kind == SMS__SCALAR)
            sms__intern(&devices.last, name->text, strlen(name->text))->value = i;
    }
    for (size_t i = 0; i < doc->roots; i++) {
        struct sms__reader reader = sms__file_reader(file);
        int kind = sms__document_kind(doc->root[i]);
        if (kind < 0)
            sms__complain(&reader, doc->root[i], "a document starts with one of device:, workload:, scenario:, plan:");
        else if (kind == SMS__DOCUMENT_DEVICE)
            define_device(file, &devices, i);
        else if (kind == SMS__DOCUMENT_WORKLOAD)
            sms__file_define(file, SMS__DOCUMENT_WORKLOAD, doc->root[i]);
    }
}

static void read_scenario(struct sms_file *file, const struct sms__node *root)
{
    struct sms__reader reader = sms__file_reader(file);
    struct sms_scenario *scenario = SMS__NEW(&file->arena, struct sms_scenario, 1);
    reader.user = file;
    sms__read_scenario(&reader, root, scenario);
    sms__resolve_scenario(&reader, file, scenario);
    if (scenario->name[0] && !sms__file_remember(file, SMS__DOCUMENT_SCENARIO, scenario->name))
        sms__complain(&reader, root, "scenario '%.60s' is defined twice", scenario->name);
    *SMS__APPEND(&file->arena, file->scenario, file->scenarios) = scenario;
}

static void read_scenarios(struct sms_file *file, const struct sms__doc *doc)
{
    for (size_t i = 0; i < doc->roots; i++)
        if (sms__document_kind(doc->root[i]) == SMS__DOCUMENT_SCENARIO && file->errors->count <= SMS_ERRORS_MAX)
            read_scenario(file, doc->root[i]);
}

static bool counts_units(const struct sms__device *const *device, size_t devices)
{
    for (size_t d = 0; d < devices; d++)
        for (size_t r = 0; r < device[d]->resources; r++)
            if (device[d]->resource[r].capacity)
                return true;
    return false;
}

/* A scenario may give a device a resource of its own. */
static bool has_capacity(const struct sms_file *file)
{
    bool has = counts_units(file->device, file->devices);
    for (size_t s = 0; s < file->scenarios && !has; s++)
        has = counts_units(file->scenario[s]->device, file->scenario[s]->devices);
    return has;
}

/* A count of units in a workload is a mistaken ratio if no device has a capacity. */
static void check_counts(struct sms_file *file)
{
    struct sms__reader reader = sms__file_reader(file);
    for (size_t w = 0; w < file->workloads && !has_capacity(file); w++)
        for (size_t k = 0; k < file->workload[w]->kernels; k++) {
            const struct sms__kernel *kernel = &file->workload[w]->kernel[k];
            for (size_t i = 0; i < kernel->demands; i++)
                sms__expect_share(&reader, &kernel->demand[i], SMS__DEMAND_MAX);
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
    int code = load->text ? sms__doc_load_text(&file->arena, load->path, load->text, load->size, doc, load->errors)
                          : sms__doc_load(&file->arena, load->path, doc, load->errors);
    if (code)
        return code;
    if (doc->roots > DOCUMENTS_MAX) {
        sms__error(load->errors, SMS_EINPUT, doc->root[DOCUMENTS_MAX]->mark, "more than %d documents", DOCUMENTS_MAX);
        return SMS_EINPUT;
    }
    file->doc = doc;
    sms__plugins_open(file, load->options, doc);
    read_documents(file, doc);
    read_scenarios(file, doc);
    if (load->errors->count == 0)
        check_counts(file);
    return first_code(load->errors);
}

/* Reads a file by `body`. *out is the caller's if it could be read. */
static int load_with(int (*body)(void *user), struct load *load, const struct sms_load_options *options,
                     struct sms_file **out)
{
    char models[SMS__MODELS_BYTES];
    struct sms_load_options own = *options;
    struct sms_file *file = load->file = calloc(1, sizeof *file);
    *out = NULL;
    *load->errors = (struct sms_errors){0};
    if (!file)
        return sms__fail(load->errors, SMS_ENOMEM, load->path, "no memory");
    if (!own.installed_models) {
        sms__installed_models(models);
        own.installed_models = models;
    }
    file->options = load->options = &own;
    file->errors = load->errors;
    file->arena.most = load->variation ? load->variation->library->arena.most : sms__memory_most(own.max_memory);
    int code = sms__guard(&file->arena, body, load);
    if (code == SMS_ENOMEM && !load->errors->count)
        sms__fail(load->errors, SMS_ENOMEM, load->path, "no memory");
    if (code == SMS_EMEMORY)
        sms__fail(load->errors, code, load->path,
                  "its scenarios need more than %s of memory before they run; --memory SIZE (max_memory in the "
                  "library) allows more",
                  sms__bound(SMS__BYTES, (double)file->arena.most).text);
    file->errors = NULL;
    file->options = NULL; /* the caller may let go of it */
    file->library = NULL;
    if (code && load->variation && load->variation->failed)
        load->variation->failed(file, load->variation->user);
    if (code)
        sms_file_free(file);
    else
        *out = file;
    return code;
}

/* Returns the problem with the arguments, or NULL. */
static const char *misuse(const struct load *load, const struct sms_load_options *options, struct sms_file **out)
{
    if (!load->path)
        return "a file is loaded that has no path or no text";
    return out ? sms__options_misuse(options) : "a file is loaded to nowhere: out is NULL";
}

static int load_checked(struct load *load, const struct sms_load_options *options, struct sms_file **out)
{
    struct sms_load_options own = {.size = sizeof own};
    const char *wrong = sms__take_options(&own, sizeof own, options);
    wrong = wrong ? wrong : misuse(load, &own, out);
    *load->errors = (struct sms_errors){0};
    if (out)
        *out = NULL;
    if (wrong)
        return sms__fail(load->errors, SMS_EUSAGE, load->path, "%s", wrong);
    int code = load_with(load_body, load, &own, out);
    sms__errors_sort(load->errors, load->path);
    if (*out)
        sms__errors_sort(&(*out)->warnings, load->path);
    return code;
}

int sms_file_load(const char *path, const struct sms_load_options *options, struct sms_file **out,
                  struct sms_errors *errors)
{
    struct sms_errors own;
    struct load load = {.path = path, .errors = errors ? errors : &own};
    return load_checked(&load, options, out);
}

int sms_file_load_text(const char *text, size_t size, const char *name, const struct sms_load_options *options,
                       struct sms_file **out, struct sms_errors *errors)
{
    struct sms_errors own;
    struct load load = {
        .path = name, .text = text ? text : "", .size = text ? size : 0, .errors = errors ? errors : &own};
    if (!text)
        load.path = NULL;
    return load_checked(&load, options, out);
}

static int vary_body(void *user)
{
    struct load *load = user;
    struct sms_file *file = load->file;
    struct sms__reader reader = sms__file_reader(file);
    file->library = load->variation->library;
    sms__plugins_borrow(file, load->options);
    reader.user = file;
    const struct sms__node *root = load->variation->make(&reader, load->variation->user);
    if (root) {
        sms__plugins_expect(file, root);
        read_scenario(file, root);
    }
    if (file->errors->count == 0)
        check_counts(file);
    return first_code(file->errors);
}

int sms__file_vary(const struct sms__variation *variation, struct sms_file **out, struct sms_errors *errors)
{
    struct load load = {.path = variation->library->doc->path, .errors = errors, .variation = variation};
    return load_with(vary_body, &load, variation->options, out);
}

void sms_file_free(struct sms_file *file)
{
    if (!file)
        return;
    sms__plugins_close(file);
    sms__arena_release(&file->arena);
    free(file);
}

const struct sms_errors *sms_file_warnings(const struct sms_file *file)
{
    static const struct sms_errors none;
    return file ? &file->warnings : &none;
}

size_t sms_file_scenarios(const struct sms_file *file) { return file ? file->scenarios : 0; }

const struct sms_scenario *sms_file_scenario(const struct sms_file *file, size_t idx)
{
    return idx < sms_file_scenarios(file) ? file->scenario[idx] : NULL;
}
