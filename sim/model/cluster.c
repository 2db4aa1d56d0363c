/* Reads scenarios of clusters: `nodes:` and `pods:` in the place of devices and tenants. */
#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define F(struct_, member) offsetof(struct struct_, member)

enum { ENTRIES_MAX = 1000000, NODES_MAX = 1000000, ROWS_MAX = 2000 };

/* What a run may take; see estimate.c. */
#define MEMORY_MAX (4.0 * 1024 * 1024 * 1024)

static struct sms__cluster *cluster_of(const struct sms_scenario *scenario) { return scenario->cluster; }

struct table {
    const struct sms__node *columns, *rows;
};

const struct sms__field sms__table_fields[] = {
    {"columns", SMS__REFERENCE, 0, F(table, columns), .required = true, .read = sms__keep, .holds = SMS__MANY,
     .most = SMS__TABLE_COLUMNS_MAX, .help = "keys"},
    {"rows", SMS__CUSTOM, 0, F(table, rows), .required = true, .read = sms__keep, .holds = SMS__MANY,
     .form = SMS__FORM_ROW, .most = ENTRIES_MAX, .help = "lists of the keys' values; ~ is none"},
    {0}};

/* Whether a column can be read; of one that cannot this is told once, not in each row. */
static bool check_column(struct sms__reader *reader, const struct sms__node *columns, size_t i,
                         const struct sms__field *fields)
{
    if (!sms__expect_key(reader, columns->item[i], fields))
        return false;
    for (size_t j = 0; j < i; j++)
        if (columns->item[j]->kind == SMS__SCALAR && !strcmp(columns->item[j]->text, columns->item[i]->text)) {
            sms__complain(reader, columns->item[i], "column '%.60s' is given twice", columns->item[i]->text);
            return false;
        }
    return true;
}

void sms__read_table(struct sms__reader *reader, const struct sms__node *node, const struct sms__field *fields,
                     struct sms__tabled *table)
{
    struct table given = {NULL, NULL};
    size_t before = reader->errors->count;
    *table = (struct sms__tabled){0};
    sms__read_fields(reader, node, sms__table_fields, &given);
    if (reader->errors->count > before || !sms__expect_list(reader, given.columns, SMS__TABLE_COLUMNS_MAX) ||
        !sms__expect_list(reader, given.rows, ENTRIES_MAX))
        return;
    table->columns = given.columns->items;
    table->rows = given.rows->items;
    table->row = given.rows->item;
    bool named = false;
    for (size_t i = 0; i < table->columns; i++) {
        table->column[i] = check_column(reader, given.columns, i, fields) ? given.columns->item[i] : NULL;
        named |= table->column[i] && !strcmp(table->column[i]->text, "name");
    }
    table->nameless = !named && reader->errors->count > before;
}

/* The entries of a list, its tables' rows counted one by one; at least that. */
size_t sms__count_entries(const struct sms__node *list)
{
    size_t sum = 0;
    for (size_t i = 0; i < list->items; i++) {
        const struct sms__node *item = list->item[i],
                               *table = item->kind == SMS__MAP ? sms__node_get(item, "table") : NULL;
        const struct sms__node *rows = table && table->kind == SMS__MAP ? sms__node_get(table, "rows") : NULL;
        sum += rows ? rows->items : 1;
    }
    return sum;
}

static bool is_null(const struct sms__node *node) { return node->kind == SMS__SCALAR && !strcmp(node->text, "~"); }

const struct sms__node *sms__table_row(struct sms__reader *reader, const struct sms__tabled *table, size_t row)
{
    const struct sms__node *cells = table->row[row];
    if (!sms__expect_kind(reader, cells, SMS__LIST))
        return NULL;
    if (cells->items != table->columns) {
        sms__complain(reader, cells, "%zu values in a table of %zu columns", cells->items, table->columns);
        return NULL;
    }
    if (table->nameless)
        return NULL;
    struct sms__node *map = SMS__NEW(reader->arena, struct sms__node, 1);
    *map = (struct sms__node){.kind = SMS__MAP, .mark = cells->mark};
    map->item = SMS__NEW(reader->arena, struct sms__node *, 2 * cells->items);
    for (size_t i = 0; i < cells->items; i++) {
        if (!table->column[i] || is_null(cells->item[i]))
            continue;
        map->item[map->items++] = table->column[i];
        map->item[map->items++] = cells->item[i];
    }
    return map;
}

static int compare_names(const void *a, const void *b)
{
    const struct sms__named *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    if (order)
        return order;
    if (x->node->mark.line != y->node->mark.line)
        return x->node->mark.line < y->node->mark.line ? -1 : 1;
    return (x->node->mark.column > y->node->mark.column) - (x->node->mark.column < y->node->mark.column);
}

static int compare_texts(const void *key, const void *at) { return strcmp(key, ((const struct sms__named *)at)->name); }

/* Complains where the name without its last digits is that of several, and those digits are the number of one. */
static void check_number(struct sms__reader *reader, const struct sms__named *sorted, size_t count,
                         const struct sms__named *one, const char *what)
{
    char stem[256];
    for (size_t end = one->apart ? 0 : strlen(one->name);
         end > 1 && one->name[end - 1] >= '0' && one->name[end - 1] <= '9'; end--) {
        snprintf(stem, sizeof stem, "%.*s", (int)end - 1, one->name);
        const struct sms__named *many = bsearch(stem, sorted, count, sizeof *sorted, compare_texts);
        double number = strtod(one->name + end - 1, NULL);
        double lowest = one->several ? 10 * number + 1 : number;
        if (!many || one->name[end - 1] == '0' || lowest > (double)many->several)
            continue;
        sms__complain(reader, one->node, "%s '%.60s%s' is also one of the several of '%.60s'", what, one->name,
                      one->several ? "1" : "", many->name);
        return;
    }
}

void sms__check_names(struct sms__reader *reader, struct sms__named *named, size_t count, const char *what)
{
    if (count > 1)
        qsort(named, count, sizeof *named, compare_names);
    for (size_t i = 1; i < count && reader->errors->count <= SMS_ERRORS_MAX; i++)
        if (named[i].name[0] && !strcmp(named[i - 1].name, named[i].name))
            sms__complain(reader, named[i].node, "%s '%.60s' is defined twice", what, named[i].name);
    bool any = false;
    for (size_t i = 0; i < count; i++)
        any |= named[i].several > 0;
    for (size_t i = 0; any && i < count && reader->errors->count <= SMS_ERRORS_MAX; i++)
        check_number(reader, named, count, &named[i], what);
}

/* One entry of `nodes:`. */
struct entry {
    const char *name, *model;
    const struct sms__node *table, *labels, *devices;
    uint64_t count, gpus, gpu_memory, cpu_milli, memory;
};

static const struct sms__field node_fields[] = {
    {"name", SMS__NAME, 0, F(entry, name), .help = "its name; of several NAME1, NAME2, ..."},
    {"count", SMS__INTEGER, SMS__COUNT, F(entry, count), 1, NODES_MAX, .help = "how many; default 1"},
    {"gpus", SMS__INTEGER, SMS__COUNT, F(entry, gpus), 0, SMS_NODE_GPUS_MAX, .help = "default 0"},
    {"model", SMS__NAME, 0, F(entry, model), .help = "of its GPUs, to which pods may be bound; default gpu"},
    {"devices", SMS__FIELDS, 0, F(entry, devices), .read = sms__keep, .fields = sms__device_use_fields,
     .overrides = sms__device_fields,
     .help = "instead of gpus and model: {model: DEVICE, count: N}, which run the workloads of pods"},
    {"gpu_memory", SMS__INTEGER, SMS__BYTES, F(entry, gpu_memory), 0, SMS__GPU_BYTES_MAX,
     .help = "of each GPU, for pods that ask for some; default 0, of devices theirs"},
    {"cpu", SMS__MILLI, SMS__NUMBER, F(entry, cpu_milli), 0, SMS__CPUS_MAX, .help = "CPUs; default 0"},
    {"memory", SMS__INTEGER, SMS__BYTES, F(entry, memory), 0, 1e18, .help = "of the host; default 0"},
    {"labels", SMS__CUSTOM, 0, F(entry, labels), .read = sms__keep, .form = SMS__FORM_LABELS,
     .help = "{NAME: VALUE, ...}, that pods may ask for"},
    {"share", SMS__CHOICE, .read = sms__read_later, .choices = sms__share_names,
     .help = "gpushare: memory: pods share its GPUs by memory; cards: its GPUs are given whole; default memory if it "
             "has gpu_memory"},
    {"used_by_others", SMS__CUSTOM, SMS__BYTES, 0, 0, SMS__GPU_BYTES_MAX, .read = sms__read_later,
     .form = SMS__FORM_NUMBER_OR_LIST, .most = SMS_NODE_GPUS_MAX,
     .help = "gpushare: memory of each of its GPUs that others use, or a list of that; default 0"},
    {"unhealthy", SMS__FIELDS, .read = sms__read_later, .holds = SMS__MANY, .fields = sms__sick_fields,
     .most = SMS__SICKS_MAX, .help = "gpushare: a list of {gpu: N, from: TIME, to: TIME}"},
    {"added", SMS__QUANTITY, SMS__TIME, 0, 0, SMS__TIME_MAX_PS, .read = sms__read_later,
     .help = "gpushare: when it joins the cluster; default 0"},
    {"table", SMS__FIELDS, 0, F(entry, table), .read = sms__keep, .fields = sms__table_fields,
     .help = "instead of all else: {columns: [KEY, ...], rows: [[VALUE, ...], ...]}, a node a row"},
    {0}};

/* The number of a GPU model, which is added if it is new. */
static int intern_model(struct sms__reader *reader, const struct sms__node *node, const char *name,
                        struct sms__cluster *cluster)
{
    for (size_t i = 0; i < cluster->models; i++)
        if (!strcmp(cluster->model[i], name))
            return (int)i;
    if (cluster->models == SMS_GPU_MODELS_MAX) {
        sms__complain(reader, node, "more than %d models of GPUs", SMS_GPU_MODELS_MAX);
        return 0;
    }
    cluster->model[cluster->models] = name;
    return (int)cluster->models++;
}

/* GPUs that run workloads are called after their device and have its memory. Returns its number, or -1. */
static long read_devices(struct sms__reader *reader, struct entry *entry, struct sms_scenario *scenario)
{
    long device = -1;
    if (!entry->devices)
        return -1;
    if (entry->gpus || entry->model)
        sms__complain(reader, entry->devices, "a node has either devices, or gpus of a model");
    device = sms__read_node_devices(reader, entry->devices, scenario, &entry->gpus);
    if (device < 0)
        return -1;
    entry->model = scenario->device[device]->name;
    if (!entry->gpu_memory)
        entry->gpu_memory = scenario->device[device]->memory;
    return device;
}

static void add_nodes(struct sms__reader *reader, const struct sms__node *node, struct sms_scenario *scenario)
{
    struct sms__cluster *cluster = scenario->cluster;
    struct entry entry = {.name = "", .count = 1};
    sms__read_fields(reader, node, node_fields, &entry);
    if (node->kind != SMS__MAP)
        return;
    long device = read_devices(reader, &entry, scenario);
    if (entry.table)
        sms__complain(reader, node, "a table stands alone in its entry");
    if (!sms__node_get(node, "name"))
        sms__complain(reader, node, "key 'name' is missing");
    if (entry.gpus == 0 && !entry.devices && (entry.model || entry.gpu_memory))
        sms__complain(reader, node, "a node without gpus has no model and no gpu_memory");
    int model = entry.gpus ? intern_model(reader, node, entry.model ? entry.model : "gpu", cluster) : -1;
    cluster->node[cluster->kinds++] = (struct sms__nodes){entry.name,
                                                          node,
                                                          cluster->nodes,
                                                          entry.count,
                                                          entry.gpus,
                                                          model,
                                                          entry.gpu_memory,
                                                          entry.cpu_milli,
                                                          entry.memory,
                                                          sms__read_labels(reader, entry.labels, cluster, true),
                                                          device};
    cluster->nodes += entry.count;
    cluster->gpu_milli += entry.count * entry.gpus * 1000;
    cluster->cpu_milli += entry.count * entry.cpu_milli;
}

/* The table of an entry that is one, or NULL. */
static const struct sms__node *table_of(const struct sms__node *entry)
{
    return entry->kind == SMS__MAP && entry->items == 2 ? sms__node_get(entry, "table") : NULL;
}

static void check_node_names(struct sms__reader *reader, const struct sms__cluster *cluster)
{
    struct sms__named *named = SMS__NEW(reader->arena, struct sms__named, cluster->kinds);
    for (size_t k = 0; k < cluster->kinds; k++)
        named[k] = (struct sms__named){cluster->node[k].name, cluster->node[k].node,
                                       cluster->node[k].count > 1 ? cluster->node[k].count : 0, false};
    sms__check_names(reader, named, cluster->kinds, "node");
}

static void read_nodes(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__cluster *cluster = cluster_of(at);
    if (!sms__expect_list(reader, node, ENTRIES_MAX))
        return;
    cluster->node = SMS__NEW(reader->arena, struct sms__nodes, sms__count_entries(node));
    for (size_t i = 0; i < node->items && reader->errors->count <= SMS_ERRORS_MAX; i++) {
        const struct sms__node *table = table_of(node->item[i]), *row;
        struct sms__tabled rows = {0};
        if (table)
            sms__read_table(reader, table, node_fields, &rows);
        for (size_t r = 0; r < rows.rows && reader->errors->count <= SMS_ERRORS_MAX; r++)
            if ((row = sms__table_row(reader, &rows, r)))
                add_nodes(reader, row, at);
        if (!table)
            add_nodes(reader, node->item[i], at);
    }
    if (cluster->nodes > NODES_MAX)
        sms__complain(reader, node, "more than %d nodes", NODES_MAX);
    check_node_names(reader, cluster);
}

const struct sms__nodes *sms__node_kind(const struct sms__cluster *cluster, size_t node)
{
    size_t low = 0, high = cluster->kinds;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (cluster->node[middle].first <= node)
            low = middle;
        else
            high = middle;
    }
    return &cluster->node[low];
}

void sms__node_name(const struct sms__cluster *cluster, size_t node, char *out, size_t size)
{
    const struct sms__nodes *kind = sms__node_kind(cluster, node);
    if (kind->count > 1)
        snprintf(out, size, "%s%zu", kind->name, node - kind->first + 1);
    else
        snprintf(out, size, "%s", kind->name);
}

void sms__row_name(const struct sms__cluster *cluster, size_t row, char *out, size_t size)
{
    if (cluster->rows == cluster->nodes)
        sms__node_name(cluster, row, out, size);
    else
        snprintf(out, size, "%s", cluster->node[row].name);
}

/* The default one. */
struct scheduler {
    int kind;
    double retry_ps, retry_most_ps, start_delay_ps;
};

static const char *const kinds[] = {"default", "gpushare", NULL};

static const struct sms__field scheduler_fields[] = {
    {"kind", SMS__CHOICE, 0, F(scheduler, kind), .choices = kinds,
     .help = "default, or gpushare, which has fields of its own; default default"},
    {"retry", SMS__QUANTITY, SMS__TIME, F(scheduler, retry_ps), 0, SMS__TIME_MAX_PS,
     .help = "after a shape of pods has found no node, it is not tried again for so long, twice as long after the "
             "next time, and so on; default 0"},
    {"retry_most", SMS__QUANTITY, SMS__TIME, F(scheduler, retry_most_ps), 0, SMS__TIME_MAX_PS,
     .help = "but never for longer; default: retry"},
    {"start_delay", SMS__QUANTITY, SMS__TIME, F(scheduler, start_delay_ps), 0, SMS__TIME_MAX_PS,
     .help = "from the placement of a pod to the start of its duration; default 0"},
    {0}};

static void read_scheduler(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__cluster *cluster = cluster_of(at);
    struct scheduler scheduler = {0};
    const struct sms__node *kind = node->kind == SMS__MAP ? sms__node_get(node, "kind") : NULL;
    if (kind && kind->kind == SMS__SCALAR && !strcmp(kind->text, "gpushare")) {
        sms__read_gpushare(reader, node, cluster);
        return;
    }
    sms__read_fields(reader, node, scheduler_fields, &scheduler);
    if (node->kind == SMS__MAP && !sms__node_get(node, "retry_most"))
        scheduler.retry_most_ps = scheduler.retry_ps;
    if (scheduler.retry_most_ps < scheduler.retry_ps)
        sms__complain(reader, node, "retry_most is less than retry");
    cluster->retry_ps = scheduler.retry_ps;
    cluster->retry_most_ps = scheduler.retry_most_ps;
    cluster->start_delay_ps = scheduler.start_delay_ps;
}

static const char *const fidelities[] = {"duration", "processes", "blocks", NULL};

static const struct sms__field cluster_fields[] = {
    {"scenario", SMS__NAME, 0, F(sms_scenario, name), .required = true, .help = "its name"},
    {"question", SMS__TEXT, 0, F(sms_scenario, question), .help = "what it is to answer"},
    {"nodes", SMS__FIELDS, .read = read_nodes, .required = true, .holds = SMS__MANY, .fields = node_fields, .least = 1,
     .most = ENTRIES_MAX, .help = "a list of kinds of nodes, or tables of them"},
    {"policies", SMS__CUSTOM, .read = sms__read_policies, .required = true, .holds = SMS__MANY, .form = SMS__FORM_PLACE,
     .least = 1, .most = SMS__POLICIES_MAX,
     .help =
         "a list of place policies, NAME or {NAME: {...}}; also of {place: ..., share: ..., mode: ..., block: ...}"},
    {"fidelity", SMS__CHOICE, 0, F(sms_scenario, fidelity), .choices = fidelities,
     .help = "what pods with workloads are simulated as: blocks, processes or duration; default blocks"},
    {"contention", SMS__CUSTOM, .read = sms__read_contention, .form = SMS__FORM_CONTENTION,
     .help = "on the devices of nodes; default none"},
    {"queue", SMS__CHOICE, 0, F(sms_scenario, queue), .choices = sms__queue_names,
     .help = "in which order kernels offer blocks; default interleave"},
    {"host", SMS__FIELDS, .read = sms__read_host, .fields = sms__host_fields,
     .help = "of each node; its cores are the node's cpu"},
    {"alone", SMS__CUSTOM, .read = sms__read_alone, .form = SMS__FORM_POLICY,
     .help = "the block policy of pods that run alone, with which they are compared; default round_robin"},
    {"pods", SMS__FIELDS, .read = sms__read_pods, .required = true, .holds = SMS__MANY, .fields = sms__pod_fields,
     .least = 1, .most = ENTRIES_MAX, .help = "a list of pods, tables of them, samples"},
    {"monitor", SMS__FIELDS, .read = sms__read_monitor, .fields = sms__monitor_fields,
     .help = "how nodes see the jobs on their GPUs begin and end"},
    {"scheduler", SMS__FIELDS, .read = read_scheduler, .fields = scheduler_fields, .instead = sms__gpushare_fields,
     .help = "when pods that wait are tried again"},
    {"failures", SMS__FIELDS, .read = sms__read_failures, .holds = SMS__MANY, .fields = sms__failure_fields,
     .help = "a list of nodes and GPUs that fail and return"},
    {"run", SMS__FIELDS, .read = sms__read_run, .fields = sms__run_fields,
     .help = "how long, from which seed, how often"},
    {"expect", SMS__FIELDS, .read = sms__read_expects, .holds = SMS__MANY, .fields = sms__expect_fields,
     .help = "what `smsched check` checks"},
    {"devices", .refuse = "a cluster has no devices: its GPUs are in its nodes, as nodes: [{name: a, gpus: 8}], or "
                          "[{name: a, devices: {model: v100, count: 8}}]"},
    {"vms", .refuse = "a cluster has no vms: what comes to it are pods, as pods: [{name: p, gpus: 1}]"},
    {"processes", .refuse = "a cluster has no processes: what comes to it are pods, as pods: [{name: p, workload: w}]"},
    {"compat", .refuse = "compat simtbs knows no clusters"},
    {0}};

const struct sms__table sms__cluster_tables[6] = {
    {"scenario with nodes", cluster_fields},       {"scenario: nodes", node_fields},
    {"scenario: nodes: table", sms__table_fields}, {"scenario: scheduler", scheduler_fields},
    {"scenario: monitor", sms__monitor_fields},    {NULL, NULL}};

/* Read after nodes, wherever they stand. */
static bool is_late(const struct sms__node *key)
{
    return key->kind == SMS__SCALAR && (!strcmp(key->text, "pods") || !strcmp(key->text, "failures"));
}

static void read_in_order(struct sms__reader *reader, const struct sms__node *node, struct sms_scenario *scenario)
{
    struct sms__node *map = SMS__NEW(reader->arena, struct sms__node, 1);
    *map = *node;
    map->item = SMS__NEW(reader->arena, struct sms__node *, node->items);
    map->items = 0;
    for (int last = 0; last < 2; last++)
        for (size_t i = 0; i + 1 < node->items; i += 2) {
            if (is_late(node->item[i]) != (last == 1))
                continue;
            map->item[map->items++] = node->item[i];
            map->item[map->items++] = node->item[i + 1];
        }
    sms__read_fields(reader, map, cluster_fields, scenario);
}

void sms__read_cluster(struct sms__reader *reader, const struct sms__node *node, struct sms_scenario *scenario)
{
    scenario->cluster = SMS__NEW(reader->arena, struct sms__cluster, 1);
    scenario->fidelity = SMS__AS_BLOCKS;
    read_in_order(reader, node, scenario);
    scenario->queue += SMS_QUEUE_INTERLEAVE; /* from the index of a name */
    sms__default_alone(reader, reader->user, node, scenario);
}

/* `whole`: all that the list has could be read. */
static bool require(struct sms__reader *reader, const struct sms__node *node, const char *key, size_t count, bool whole)
{
    const struct sms__node *list = sms__node_get(node, key);
    if (count == 0 && list && list->kind == SMS__LIST && (whole || list->items == 0))
        sms__complain(reader, list, "%s: there are none", key); /* nor any in its tables */
    return count > 0;
}

/* About what a run allocates: books of nodes, pods that come, the search of a policy. */
static bool fits_in_memory(const struct sms_scenario *scenario)
{
    const struct sms__cluster *cluster = scenario->cluster;
    double runs = (double)scenario->policies * (double)scenario->replications;
    double nodes = (double)cluster->nodes * 400 + cluster->failing * 200, pods = cluster->pods * 160,
           search = 1.5 * (1 << 30);
    double trees = (double)cluster->nodes * 32 * (double)cluster->shapes;
    if (cluster->gpushare)
        nodes += sms__gpushare_bytes(cluster);
    return nodes + pods + (trees < search ? trees : search) +
               runs * (SMS__CLUSTER_RUN_BYTES + 100 * (double)cluster->rows) <
           MEMORY_MAX;
}

/* What its protocol has not been thought through with. */
static void refuse_beside_gpushare(struct sms__reader *reader, const struct sms_scenario *scenario)
{
    const struct sms__cluster *cluster = scenario->cluster;
    const struct sms__node *at = sms__node_get(scenario->node, "scheduler");
    if (!cluster->gpushare)
        return;
    if (scenario->vms)
        sms__complain(reader, at, "gpushare schedules pods that last a time, not workloads");
    if (cluster->failures)
        sms__complain(reader, at, "gpushare knows no failures but `unhealthy:` of nodes");
    if (cluster->monitor)
        sms__complain(reader, at,
                      "gpushare knows no monitors, which `monitor:` and policies whose decisions take time need");
}

void sms__link_cluster(struct sms__reader *reader, struct sms_file *file, struct sms_scenario *scenario)
{
    struct sms__cluster *cluster = scenario->cluster;
    cluster->rows = cluster->nodes <= ROWS_MAX ? cluster->nodes : cluster->kinds <= ROWS_MAX ? cluster->kinds : 0;
    sms__complete_monitor(reader, scenario);
    bool read = reader->errors->count == 0;
    bool whole = require(reader, scenario->node, "nodes", cluster->nodes, read);
    whole &= require(reader, scenario->node, "pods", cluster->groups, read);
    whole &= require(reader, scenario->node, "policies", scenario->policies, read);
    if (!whole || reader->errors->count)
        return;
    sms__link_podwork(reader, file, scenario);
    refuse_beside_gpushare(reader, scenario);
    if (cluster->failures && cluster->monitor)
        sms__complain(reader, sms__node_get(scenario->node, "failures"),
                      "nodes that fail have no monitors, which `monitor:` and policies whose decisions take time need");
    if (!fits_in_memory(scenario))
        sms__complain(reader, sms__node_get(scenario->node, "pods"),
                      "about %.3g pods on %zu nodes need more than %g GiB of memory", cluster->pods, cluster->nodes,
                      MEMORY_MAX / (1 << 30));
    sms__warn_of_pods(file, cluster);
}
