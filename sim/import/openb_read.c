/* Reads the lists of nodes and pods: columns by their names, in any order; others are passed over. */
#include "openb.h"

#include "../model/limits.h"
#include "rows.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* MiB that pods can have of a GPU: hkust-adsl/kubernetes-scheduler-simulator, pkg/type/open-gpu-share/utils/const.go;
 * G1 to G3, which nobody says more of, are round numbers there. */
const struct sms__openb_model sms__openb_models[SMS__OPENB_MODELS] = {
    {"P4", 7611},       {"2080", 11019}, {"1080", 11178}, {"M40", 11448},  {"T4", 15109},
    {"V100M16", 16160}, {"P100", 16280}, {"A10", 22731},  {"3090", 24268}, {"V100M32", 32510},
    {"A100", 81251},    {"G1", 10000},   {"G2", 20000},   {"G3", 30000},
};

/* The most that a cell may say: 2^40 MiB is an exbibyte, and 2^40 s is longer than any run. */
#define MOST ((uint64_t)1 << 40)
/* A scenario takes less of these: thousandths of a CPU, MiB. */
#define CPU_MOST ((uint64_t)SMS__CPUS_MAX * 1000)
#define MEMORY_MOST ((uint64_t)SMS__HOST_BYTES_MAX >> 20)

enum { COLUMNS_MAX = 9, NAME_MOST = 60, WHOLE_GPU = 1000 };

struct column {
    const char *name;
    bool required;
};

struct list {
    struct sms__rows *rows;
    struct sms__openb *openb;
    struct sms_errors *errors;
    const struct column *columns; /* [count] */
    size_t count;
    size_t at[COLUMNS_MAX]; /* SIZE_MAX: the list has no such column */
    size_t fields;          /* of the header */
    void (*take)(struct list *list);
    const char *what;
    size_t most; /* rows */
};

enum { NAME, CPU, MEMORY, GPUS, PARTS }; /* columns of both lists */

enum { NODE_MODEL = PARTS };
static const struct column node_columns[] = {
    {"sn", true}, {"cpu_milli", true}, {"memory_mib", true}, {"gpu", true}, {"model", true}};

enum { POD_MILLI = PARTS, POD_SPEC, POD_CREATED, POD_DELETED };
static const struct column pod_columns[] = {{"name", true},           {"cpu_milli", true},     {"memory_mib", true},
                                            {"num_gpu", true},        {"gpu_milli", true},     {"gpu_spec", false},
                                            {"creation_time", false}, {"deletion_time", false}};

#define COMPLAIN(list, column, ...)                                                                                    \
    sms__error((list)->errors, SMS_EINPUT, sms__rows_field_mark((list)->rows, (list)->at[column]), __VA_ARGS__)

static const char *field(const struct list *list, size_t column)
{
    return list->at[column] == SIZE_MAX ? "" : sms__rows_field(list->rows, list->at[column]);
}

/* A whole number of [least, most]; the lists of some variants write 8.0 for 8. */
static uint64_t whole(struct list *list, size_t column, uint64_t least, uint64_t most)
{
    const char *text = field(list, column), *end = text + strspn(text, "0123456789");
    errno = 0;
    unsigned long long value = strtoull(text, NULL, 10);
    if (end == text || (*end && strcmp(end, ".0") != 0))
        COMPLAIN(list, column, "%s is '%.40s', which is no whole number", list->columns[column].name, text);
    else if (errno || value < least || value > most)
        COMPLAIN(list, column, "%s is %.40s; it may be %llu to %llu", list->columns[column].name, text,
                 (unsigned long long)least, (unsigned long long)most);
    else
        return value;
    return least;
}

/* A name that needs no quotes in YAML. */
static const char *name(struct list *list, size_t column)
{
    const char *text = field(list, column), *c = text;
    while (isalnum((unsigned char)*c) || (*c && strchr("_-./", *c)))
        c++;
    if (*c || c == text || !isalnum((unsigned char)*text) || strstr(text, "..") || c - text > NAME_MOST)
        COMPLAIN(list, column, "%s is '%.80s'; a name is up to %d letters, digits, '_', '-', '.' and '/'%s",
                 list->columns[column].name, text, NAME_MOST, strstr(text, "..") ? ", without '..'" : "");
    return sms__copy(list->rows->arena, text, strlen(text));
}

static const char *model_name(const void *user, size_t i) { return ((const struct sms__openb_model *)user)[i].name; }

/* The model of so many characters, or NULL, complained of. */
static const struct sms__openb_model *find_model(struct list *list, size_t column, const char *text, size_t length)
{
    char word[40];
    for (size_t m = 0; m < SMS__OPENB_MODELS; m++)
        if (strlen(sms__openb_models[m].name) == length && !strncmp(sms__openb_models[m].name, text, length))
            return &sms__openb_models[m];
    snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : (int)sizeof word - 1, text);
    const char *near = sms__nearest(word, SMS__OPENB_MODELS, model_name, sms__openb_models);
    if (near)
        COMPLAIN(list, column, "unknown GPU model '%s'; did you mean '%s'?", word, near);
    else if (*word)
        COMPLAIN(list, column, "unknown GPU model '%s'", word);
    else
        COMPLAIN(list, column, "GPUs of no model");
    return NULL;
}

static uint32_t bit_of(const struct sms__openb_model *model) { return (uint32_t)1 << (model - sms__openb_models); }

/* `least`: CPUs and memory. */
static struct sms__openb_parts parts(struct list *list, uint64_t least)
{
    const struct sms__mark mark = sms__rows_field_mark(list->rows, list->at[NAME]);
    struct sms__openb_parts parts = {.line = mark.line, .column = mark.column};
    parts.name = name(list, NAME); /* complaints come in the order of columns */
    parts.cpu_milli = whole(list, CPU, least, CPU_MOST);
    parts.memory_mib = whole(list, MEMORY, least, MEMORY_MOST);
    parts.gpus = whole(list, GPUS, 0, SMS__OPENB_GPUS);
    return parts;
}

static void take_node(struct list *list)
{
    struct sms__openb *openb = list->openb;
    struct sms__openb_node *node = SMS__APPEND(list->rows->arena, openb->node, openb->nodes);
    const char *model = field(list, NODE_MODEL);
    node->has = parts(list, 1);
    if (node->has.gpus)
        node->model = find_model(list, NODE_MODEL, model, strlen(model));
    openb->models |= node->model ? bit_of(node->model) : 0;
}

/* "V100M16|V100M32": of these, those that there are. */
static uint32_t alternatives(struct list *list)
{
    uint32_t models = 0, there = list->openb->models;
    for (const char *text = field(list, POD_SPEC); *text;) {
        size_t length = strcspn(text, "|");
        const struct sms__openb_model *model = find_model(list, POD_SPEC, text, length);
        models |= model ? bit_of(model) : 0;
        text += length + (text[length] == '|');
    }
    if (models && !(models & there) && !list->errors->count) /* else it may be that nodes could not be read */
        COMPLAIN(list, POD_SPEC, "no node has GPUs of '%.40s'", field(list, POD_SPEC));
    return models & there;
}

static void take_times(struct list *list, struct sms__openb_pod *pod)
{
    if (!list->openb->times)
        return;
    pod->created_s = whole(list, POD_CREATED, 0, MOST);
    pod->deleted = *field(list, POD_DELETED) != '\0';
    if (!pod->deleted)
        return;
    pod->deleted_s = whole(list, POD_DELETED, 0, MOST);
    list->openb->ends = true;
    if (pod->deleted_s < pod->created_s)
        COMPLAIN(list, POD_DELETED, "the pod is deleted before it is created");
}

static void take_pod(struct list *list)
{
    struct sms__openb *openb = list->openb;
    struct sms__openb_pod *pod = SMS__APPEND(list->rows->arena, openb->pod, openb->pods);
    pod->asks = parts(list, 0);
    if (pod->asks.gpus) {
        pod->gpu_milli = whole(list, POD_MILLI, 1, WHOLE_GPU);
        pod->models = alternatives(list);
    }
    if (pod->asks.gpus > 1 && pod->gpu_milli < WHOLE_GPU)
        COMPLAIN(list, POD_MILLI, "a pod of several GPUs has all of each: gpu_milli is %d then", WHOLE_GPU);
    take_times(list, pod);
}

/* Where the columns are; false, and said, if one is missing. */
static bool take_header(struct list *list)
{
    size_t problems = list->errors->count;
    list->fields = list->rows->fields;
    for (size_t c = 0; c < list->count; c++) {
        list->at[c] = SIZE_MAX;
        for (size_t i = list->fields; i-- > 0;)
            if (!strcmp(sms__rows_field(list->rows, i), list->columns[c].name))
                list->at[c] = i;
        if (list->at[c] == SIZE_MAX && list->columns[c].required)
            sms__error(list->errors, SMS_EINPUT, sms__rows_field_mark(list->rows, 0),
                       "this is no list of %s: it has no column '%s'", list->what, list->columns[c].name);
    }
    if (list->columns == pod_columns)
        list->openb->times = list->at[POD_CREATED] != SIZE_MAX;
    return list->errors->count == problems;
}

/* The next row that is not blank; false at the end, or if there is none to be had, said. */
static bool next_row(struct list *list)
{
    do
        if (!sms__rows_line(list->rows))
            return false;
    while (list->rows->length == 0);
    if (sms__rows_take(list->rows, list->rows->line) == SMS__ROW_FINE)
        return true;
    sms__error(list->errors, SMS_EINPUT, sms__rows_field_mark(list->rows, 0),
               "a quote is opened here and never closed");
    return false;
}

static const struct sms__openb_parts *parts_of(const struct list *list, size_t i)
{
    return list->columns == node_columns ? &list->openb->node[i].has : &list->openb->pod[i].asks;
}

static int by_name(const void *left, const void *right)
{
    const struct sms__openb_parts *a = *(const struct sms__openb_parts *const *)left;
    const struct sms__openb_parts *b = *(const struct sms__openb_parts *const *)right;
    int order = strcmp(a->name, b->name);
    return order ? order : (a->line > b->line) - (a->line < b->line);
}

/* Of a name that comes more than twice, every row after the first is named with the first. */
static void check_names(struct list *list, size_t count)
{
    const struct sms__openb_parts **sorted = SMS__NEW(list->rows->arena, const struct sms__openb_parts *, count + 1);
    for (size_t i = 0; i < count; i++)
        sorted[i] = parts_of(list, i);
    qsort(sorted, count, sizeof(*sorted), by_name);
    for (size_t i = 1, first = 0; i < count; i++) {
        const struct sms__openb_parts *here = sorted[i];
        struct sms__mark mark = {list->rows->path, list->rows->text, here->line, here->column};
        if (!strcmp(sorted[first]->name, here->name))
            sms__error(list->errors, SMS_EINPUT, mark, "%s '%s' comes twice, first in line %u",
                       list->columns[NAME].name, here->name, sorted[first]->line);
        else
            first = i;
    }
}

static int read_list(struct sms__rows *rows, void *user)
{
    struct list *list = user;
    size_t count = 0, problems = list->errors->count;
    list->rows = rows;
    if (!next_row(list))
        return list->errors->count ? SMS_EINPUT : sms__fail(list->errors, SMS_EINPUT, rows->path, "is empty");
    if (!take_header(list))
        return SMS_EINPUT;
    for (; next_row(list); count++) {
        if (count == list->most)
            return sms__fail(list->errors, SMS_EINPUT, rows->path, "has more than %zu %s", count, list->what);
        if (rows->fields != list->fields)
            sms__error(list->errors, SMS_EINPUT, sms__rows_field_mark(rows, 0),
                       "this row has %zu fields, and the header %zu", rows->fields, list->fields);
        else
            list->take(list);
    }
    if (count == 0 && !list->errors->count)
        return sms__fail(list->errors, SMS_EINPUT, rows->path, "has no %s", list->what);
    if (list->errors->count == problems) /* else not every row was kept */
        check_names(list, count);
    return SMS_OK;
}

int sms__openb_read(struct sms__arena *arena, const char *nodes, const char *pods, struct sms__openb *openb,
                    struct sms_errors *errors)
{
    struct list node_list = {.openb = openb,
                             .errors = errors,
                             .columns = node_columns,
                             .count = sizeof node_columns / sizeof *node_columns,
                             .take = take_node,
                             .what = "nodes",
                             .most = SMS__OPENB_NODES};
    struct list pod_list = {.openb = openb,
                            .errors = errors,
                            .columns = pod_columns,
                            .count = sizeof pod_columns / sizeof *pod_columns,
                            .take = take_pod,
                            .what = "pods",
                            .most = SMS__OPENB_PODS};
    int first = sms__rows_read(arena, nodes, read_list, &node_list, errors);
    int second = first == SMS_ENOMEM ? first : sms__rows_read(arena, pods, read_list, &pod_list, errors);
    sms__errors_sort(errors, nodes);
    return first ? first : second;
}
