/* Imports the cluster trace of 2023 (alibaba/clusterdata, openb), a list of nodes and a list of pods as CSV, as a
 * scenario. Columns are found by name, in any order; other columns are ignored. */
#include "../import.h"

#include "../../model/limits.h"
#include "../intern.h"
#include "../rows.h"
#include "../text.h"

#include <smsched/place.h>

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 1000000, PODS_MAX = 10000000, GPUS_MAX = SMS_NODE_GPUS_MAX, MODELS = 14 };

#define NS_PER_S ((uint64_t)1000000000)

/* A GPU model and the memory that pods can use on it; 0: not known. */
struct openb_model {
    const char *name;
    uint64_t mib;
};

/* The capacity of a node, or the request of a pod. */
struct openb_resources {
    const char *name;
    uint64_t cpu_milli, memory_mib, gpus;
};

struct openb_node {
    struct openb_resources capacity;
    size_t model; /* if it has GPUs */
};

struct openb_pod {
    struct openb_resources request;
    uint64_t gpu_milli; /* of each of its GPUs */
    uint64_t models;    /* bit m: it may run on GPUs of model m; 0: on any. Only models that some node has */
    uint64_t created_ns, deleted_ns;
    bool deleted;
};

struct openb {
    struct openb_node *node;
    struct openb_pod *pod;
    size_t nodes, pods;
    struct openb_model model[SMS_GPU_MODELS_MAX]; /* [known]: those of openb_models, then others that nodes have */
    size_t known;
    uint64_t models;  /* bit m: some node has GPUs of model m */
    bool times, ends; /* the list has creation times; deletion times */
};

/* MiB of GPU memory that pods can use, from hkust-adsl/kubernetes-scheduler-simulator,
 * pkg/type/open-gpu-share/utils/const.go. G1 to G3 are not public models; their values there are round numbers. */
static const struct openb_model openb_models[MODELS] = {
    {"P4", 7611},       {"2080", 11019}, {"1080", 11178}, {"M40", 11448},  {"T4", 15109},
    {"V100M16", 16160}, {"P100", 16280}, {"A10", 22731},  {"3090", 24268}, {"V100M32", 32510},
    {"A100", 81251},    {"G1", 10000},   {"G2", 20000},   {"G3", 30000},
};

/* More than 300 years; in nanoseconds it fits 64 bits. */
#define SECONDS_MAX ((uint64_t)10000000000)
/* Limits of a scenario, which are lower: thousandths of a CPU, MiB. */
#define CPU_MILLI_MAX ((uint64_t)SMS__CPUS_MAX * 1000)
#define MEMORY_MIB_MAX ((uint64_t)SMS__HOST_BYTES_MAX >> 20)

enum { COLUMNS_MAX = 9, NAME_BYTES_MAX = 60, WHOLE_GPU = 1000 };

struct list {
    struct sms__rows *rows;
    struct openb *openb;
    struct sms_errors *errors;
    const struct kind *kind;
    size_t column_at[COLUMNS_MAX]; /* SIZE_MAX: the list does not have this column */
    struct sms__string_pool names; /* values are lines */
};

struct kind {
    const char *what, *column[COLUMNS_MAX]; /* of the columns, the first ones are `required` */
    size_t required, most;
    void (*take)(void *list);
};

enum { NAME, CPU, MEMORY, GPUS, SHARED_COLUMNS }; /* columns of both lists */
enum { NODE_MODEL = SHARED_COLUMNS, NODE_COLUMNS };
enum { POD_MILLI = SHARED_COLUMNS, POD_REQUIRED, POD_SPEC = POD_REQUIRED, POD_CREATED, POD_DELETED };

#define COMPLAIN(list, column, ...)                                                                                    \
    sms__error((list)->errors, SMS_EINPUT, sms__rows_field_mark((list)->rows, (list)->column_at[column]), __VA_ARGS__)

static const char *field(const struct list *list, size_t column)
{
    return list->column_at[column] == SIZE_MAX ? "" : sms__rows_field(list->rows, list->column_at[column]);
}

/* A whole number of [least, most], or `least` with an error reported. Some variants of the lists write 8.0 for 8. */
static uint64_t read_whole(struct list *list, size_t column, uint64_t least, uint64_t most)
{
    const char *text = field(list, column), *end = text + strspn(text, "0123456789");
    errno = 0;
    unsigned long long value = strtoull(text, NULL, 10);
    if (end == text || (*end && strcmp(end, ".0") != 0))
        COMPLAIN(list, column, "%s is '%.40s', which is not a whole number", list->kind->column[column], text);
    else if (errno || value < least || value > most)
        COMPLAIN(list, column, "%s is %.40s; it must be from %llu to %llu", list->kind->column[column], text,
                 (unsigned long long)least, (unsigned long long)most);
    else
        return value;
    return least;
}

/* A name that needs no quotes in YAML. Reports any other. */
static const char *read_name(struct list *list, size_t column)
{
    const char *text = field(list, column), *c = text;
    while (isalnum((unsigned char)*c) || (*c && strchr("_-./", *c)))
        c++;
    if (*c || c == text || !isalnum((unsigned char)*text) || strstr(text, "..") || c - text > NAME_BYTES_MAX)
        COMPLAIN(list, column, "%s is '%.80s'; a name has up to %d letters, digits, '_', '-', '.' and '/'%s",
                 list->kind->column[column], text, NAME_BYTES_MAX, strstr(text, "..") ? ", without '..'" : "");
    return sms__intern_text(&list->names, text);
}

static const char *model_name(const void *user, size_t i) { return ((const struct openb_model *)user)[i].name; }

/* The number of the model with the name of `length` bytes. Nodes may have models of any name; a pod names models that
 * are known or that a node has. SIZE_MAX: an error is reported. */
static size_t find_model(struct list *list, size_t column, const char *text, size_t length, bool any)
{
    struct openb *openb = list->openb;
    char word[NAME_BYTES_MAX + 1];
    for (size_t m = 0; m < openb->known; m++)
        if (strlen(openb->model[m].name) == length && !strncmp(openb->model[m].name, text, length))
            return m;
    snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : NAME_BYTES_MAX, text);
    const char *near = sms__nearest(word, openb->known, model_name, openb->model);
    if (any && length == 0)
        COMPLAIN(list, column, "the node has GPUs, but no model");
    else if (any && openb->known == SMS_GPU_MODELS_MAX)
        COMPLAIN(list, column, "more than %d models of GPUs", SMS_GPU_MODELS_MAX);
    else if (any) {
        openb->model[openb->known] = (struct openb_model){.name = read_name(list, column)};
        return openb->known++;
    } else
        COMPLAIN(list, column, "no node has GPUs of model '%s'%s%s%s", word, near ? "; did you mean '" : "",
                 near ? near : "", near ? "'?" : "");
    return SIZE_MAX;
}

/* Reads the columns that both lists have. `least` is the minimum of CPUs and of memory. */
static struct openb_resources read_resources(struct list *list, uint64_t least)
{
    struct openb_resources resources = {.name = read_name(list, NAME)};
    struct sms__pooled_string *same = sms__intern(&list->names, resources.name, strlen(resources.name));
    if (same->value)
        COMPLAIN(list, NAME, "%s '%s' is not unique; line %zu has it first", list->kind->column[NAME], resources.name,
                 same->value);
    same->value = same->value ? same->value : list->rows->row_number;
    resources.cpu_milli = read_whole(list, CPU, least, CPU_MILLI_MAX);
    resources.memory_mib = read_whole(list, MEMORY, least, MEMORY_MIB_MAX);
    resources.gpus = read_whole(list, GPUS, 0, GPUS_MAX);
    return resources;
}

static void take_node(void *user)
{
    struct list *list = user;
    struct openb *openb = list->openb;
    struct openb_node *node = SMS__APPEND(list->rows->arena, openb->node, openb->nodes);
    const char *model = field(list, NODE_MODEL);
    node->capacity = read_resources(list, 1);
    if (!node->capacity.gpus)
        return;
    node->model = find_model(list, NODE_MODEL, model, strlen(model), true);
    openb->models |= node->model < SIZE_MAX ? (uint64_t)1 << node->model : 0;
}

/* The models of "V100M16|V100M32" that some node has. */
static uint64_t read_models(struct list *list)
{
    uint64_t models = 0, present = list->openb->models;
    for (const char *text = field(list, POD_SPEC); *text;) {
        size_t length = strcspn(text, "|");
        size_t model = find_model(list, POD_SPEC, text, length, false);
        models |= model < SIZE_MAX ? (uint64_t)1 << model : 0;
        text += length + (text[length] == '|');
    }
    if (models && !(models & present) && !list->errors->count) /* otherwise nodes may be missing because of errors */
        COMPLAIN(list, POD_SPEC, "no node has GPUs of '%.40s'", field(list, POD_SPEC));
    return models & present;
}

/* Seconds with up to nine decimals, in nanoseconds; 0 with an error reported. */
static uint64_t read_seconds(struct list *list, size_t column)
{
    const char *text = field(list, column), *c = text + strspn(text, "0123456789"), *whole = c;
    uint64_t ns = 0, unit = NS_PER_S / 10;
    if (c > text && *c == '.')
        for (c++; *c >= '0' && *c <= '9'; c++, unit /= 10)
            ns += (uint64_t)(*c - '0') * unit;
    uint64_t seconds = c > text && *c == '\0' && whole - text < 12 ? strtoull(text, NULL, 10) : SECONDS_MAX + 1;
    if (seconds <= SECONDS_MAX)
        return seconds * NS_PER_S + ns;
    COMPLAIN(list, column, "%s is '%.40s', which is not a time in seconds", list->kind->column[column], text);
    return 0;
}

static void take_times(struct list *list, struct openb_pod *pod)
{
    if (!list->openb->times)
        return;
    pod->created_ns = read_seconds(list, POD_CREATED);
    pod->deleted = *field(list, POD_DELETED) != '\0';
    if (!pod->deleted)
        return;
    pod->deleted_ns = read_seconds(list, POD_DELETED);
    list->openb->ends = true;
    if (pod->deleted_ns < pod->created_ns)
        COMPLAIN(list, POD_DELETED, "the pod is deleted before it is created");
}

static void take_pod(void *user)
{
    struct list *list = user;
    struct openb *openb = list->openb;
    struct openb_pod *pod = SMS__APPEND(list->rows->arena, openb->pod, openb->pods);
    pod->request = read_resources(list, 0);
    if (pod->request.gpus) {
        pod->gpu_milli = read_whole(list, POD_MILLI, 1, WHOLE_GPU);
        pod->models = read_models(list);
    }
    if (pod->request.gpus > 1 && pod->gpu_milli < WHOLE_GPU)
        COMPLAIN(list, POD_MILLI, "a pod with several GPUs uses whole ones, so gpu_milli must be %d", WHOLE_GPU);
    take_times(list, pod);
}

static const struct kind node_kind = {"nodes",
                                      {"sn", "cpu_milli", "memory_mib", "gpu", "model"},
                                      NODE_COLUMNS,
                                      NODES_MAX,
                                      take_node},
                         pod_kind = {"pods",
                                     {"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec",
                                      "creation_time", "deletion_time"},
                                     POD_REQUIRED,
                                     PODS_MAX,
                                     take_pod};

static int read_list(struct sms__rows *rows, void *user)
{
    struct list *list = user;
    size_t problems = list->errors->count;
    list->rows = rows;
    list->names.arena = rows->arena;
    if (!sms__rows_next_row(list->rows, list->errors))
        return list->errors->count ? SMS_EINPUT : sms__fail(list->errors, SMS_EINPUT, rows->path, "is empty");
    for (size_t c = 0; c < COLUMNS_MAX && list->kind->column[c]; c++) {
        list->column_at[c] = sms__rows_index(rows, list->kind->column[c]);
        if (list->column_at[c] == SIZE_MAX && c < list->kind->required)
            sms__error(list->errors, SMS_EINPUT, sms__rows_field_mark(rows, 0),
                       "this is not a list of %s: it has no column '%s'", list->kind->what, list->kind->column[c]);
    }
    if (list->errors->count > problems)
        return SMS_EINPUT;
    list->openb->times = list->kind == &pod_kind && list->column_at[POD_CREATED] != SIZE_MAX;
    int code =
        sms__rows_each(rows, list->errors, rows->fields, list->kind->most, list->kind->what, list->kind->take, list);
    if (code == SMS_OK && list->names.used == 0 && !list->errors->count)
        code = sms__fail(list->errors, SMS_EINPUT, rows->path, "has no %s", list->kind->what);
    return code;
}

static int read_lists(struct sms__arena *arena, const char *const *paths, uint64_t most, struct openb *openb,
                      struct sms_errors *errors)
{
    struct list node_list = {.openb = openb, .errors = errors, .kind = &node_kind};
    struct list pod_list = {.openb = openb, .errors = errors, .kind = &pod_kind};
    int first = sms__rows_read(arena, paths[0], most, read_list, &node_list, errors);
    int second = first == SMS_ENOMEM ? first : sms__rows_read(arena, paths[1], most, read_list, &pod_list, errors);
    sms__errors_sort(errors, paths[0]);
    return first ? first : second;
}

static void write_resources(const struct openb_resources *resources, FILE *to)
{
    fprintf(to, "        - [%s, ", resources->name);
    sms__print_decimal(to, resources->cpu_milli, 3);
    fprintf(to, ", %llu MiB, %llu", (unsigned long long)resources->memory_mib, (unsigned long long)resources->gpus);
}

static void write_node(const struct openb *openb, const struct openb_node *node, FILE *to)
{
    write_resources(&node->capacity, to);
    const struct openb_model *model = &openb->model[node->model];
    if (!node->capacity.gpus)
        fputs(", ~, ~]\n", to);
    else if (model->mib)
        fprintf(to, ", %s, %llu MiB]\n", model->name, (unsigned long long)model->mib);
    else
        fprintf(to, ", %s, ~]\n", model->name);
}

static void write_models(const struct openb *openb, uint64_t models, FILE *to)
{
    const char *between = ", [";
    if (!models) {
        fputs(", ~", to);
        return;
    }
    for (size_t m = 0; m < openb->known; m++) {
        if (!(models >> m & 1))
            continue;
        fprintf(to, "%s%s", between, openb->model[m].name);
        between = ", ";
    }
    fputs("]", to);
}

/* The optional columns that the list of pods fills. */
struct given_columns {
    bool models, start, duration;
    uint64_t first_ns;
};

static struct given_columns find_given(const struct openb *openb, bool inflated)
{
    struct given_columns given = {.start = openb->times && !inflated, .duration = openb->ends && !inflated};
    given.first_ns = UINT64_MAX;
    for (size_t p = 0; p < openb->pods; p++) {
        given.models |= openb->pod[p].models != 0;
        given.first_ns = openb->pod[p].created_ns < given.first_ns ? openb->pod[p].created_ns : given.first_ns;
    }
    return given;
}

static void print_seconds(uint64_t ns, FILE *to)
{
    fputs(", ", to);
    sms__print_decimal(to, ns, 9);
    fputs(" s", to);
}

static void write_pod(const struct openb *openb, const struct openb_pod *pod, const struct given_columns *given,
                      FILE *to)
{
    write_resources(&pod->request, to);
    if (pod->request.gpus) {
        fputs(", ", to);
        sms__print_decimal(to, 100 * pod->gpu_milli, 3); /* a thousandth is a tenth of a percent */
        fputs(" %", to);
    } else {
        fputs(", ~", to);
    }
    if (given->models)
        write_models(openb, pod->models, to);
    if (given->start)
        print_seconds(pod->created_ns - given->first_ns, to);
    if (given->duration && pod->deleted_ns > pod->created_ns)
        print_seconds(pod->deleted_ns - pod->created_ns, to);
    else if (given->duration && pod->deleted)
        fputs(", 0.5 s", to); /* it was created and deleted within a second */
    else if (given->duration)
        fputs(", ~", to);
    fputs("]\n", to);
}

static void write_pods(const struct openb *openb, double inflate, FILE *to)
{
    const struct given_columns given = find_given(openb, inflate > 0);
    fputs("pods:\n", to);
    if (inflate > 0)
        fprintf(to, "  - {sample: trace, until: %.10g %%}\n  - name: trace\n    table:\n", 100 * inflate);
    else
        fputs("  - table:\n", to);
    fprintf(to, "      columns: [name, cpu, memory, gpus, gpu%s%s%s]\n      rows:\n", given.models ? ", models" : "",
            given.start ? ", start" : "", given.duration ? ", duration" : "");
    for (size_t p = 0; p < openb->pods; p++)
        write_pod(openb, &openb->pod[p], &given, to);
}

/* Names what was left out. */
static void tell(const struct openb *openb, FILE *notes)
{
    if (openb->times)
        fputs("not used: qos, pod_phase and scheduled_time of pods, if they are there\n", notes);
    for (size_t m = MODELS; m < openb->known; m++)
        fprintf(notes, "not known: the memory of GPUs of model %s\n", openb->model[m].name);
}

static int import(struct sms__arena *arena, const char *const *paths, size_t n_paths,
                  const struct sms__import_options *options, FILE *to, struct sms_errors *errors)
{
    struct openb openb = {.known = MODELS};
    const char *name = options->name ? options->name : sms__import_name(arena, paths[1]);
    (void)n_paths; /* two, as its importer says */
    memcpy(openb.model, openb_models, sizeof openb_models);
    int code = read_lists(arena, paths, options->most, &openb, errors);
    if (code || errors->count)
        return code ? code : SMS_EINPUT;
    if (options->notes)
        tell(&openb, options->notes);
    fprintf(to, "# A cluster and its pods, written by 'smsched import openb'.\nscenario: %s\n", name);
    fputs("question: Which policy allocates most of the cluster's GPUs before it is full?\n", to);
    fputs("nodes:\n  - table:\n      columns: [name, cpu, memory, gpus, model, gpu_memory]\n      rows:\n", to);
    for (size_t n = 0; n < openb.nodes; n++)
        write_node(&openb, &openb.node[n], to);
    fputs("policies: [random, first_fit, dot_product, gpu_clustering, gpu_packing, best_fit, fgd,\n"
          "           {fgd: {order: exact}}]\n",
          to);
    fputs("ties: shuffled # the order of the nodes in the list means nothing\n", to);
    write_pods(&openb, options->inflate, to);
    fprintf(to, "run: {seed: 1, replications: %d}\n", options->inflate > 0 ? 10 : 1);
    return SMS_OK;
}

const struct sms__importer sms__importer_openb = {
    .name = "openb",
    .help = "nodes and pods of a cluster, as in the trace of 2023 (alibaba/clusterdata): two CSV files",
    .files = "two files",
    .n_files = 2,
    .import = import};
