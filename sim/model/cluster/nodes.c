/* Reads `nodes:` of a cluster: kinds of nodes, and tables of them; names of nodes by their numbers. */
#include "../devices.h"
#include "../lacking.h"
#include "../names.h"
#include "node_mig.h"
#include "tables.h"

#include <stdio.h>

#define F(struct_, member) offsetof(struct struct_, member)

/* One entry of `nodes:`. */
struct entry {
    const char *model;
    const struct sms__node *table, *labels, *devices, *mig, *mode;
    struct sms__nodes nodes;
};

const char *const sms__guest_node_keys[] = {"share", "used_by_others", "unhealthy", "added", NULL};
static const char *const shares[] = {"memory", "cards", NULL};

const struct sms__field sms__sick_fields[] = {
    {"gpu", SMS__INTEGER, SMS__COUNT, F(sms__sick, gpu), 0, SMS_NODE_GPUS_MAX - 1, .required = true,
     .help = "gives the number of the GPU, from 0"},
    {"from", SMS__QUANTITY, SMS__TIME, F(sms__sick, from_ps), 0, SMS__TIME_MAX_PS,
     .help = "sets the time from which the GPU is unhealthy; default 0"},
    {"to", SMS__QUANTITY, SMS__TIME, F(sms__sick, to_ps), 1, SMS__TIME_MAX_PS,
     .help = "sets the time until which the GPU is unhealthy; default: for ever"},
    {0}};

const struct sms__field sms__node_fields[] = {
    {"name", SMS__NAME, 0, F(entry, nodes.name), .help = "names the node; with count, the names are NAME1, NAME2, ..."},
    {"count", SMS__INTEGER, SMS__COUNT, F(entry, nodes.count), 1, SMS__CLUSTER_NODES_MAX,
     .help = "sets the number of such nodes; default 1"},
    {"gpus", SMS__INTEGER, SMS__COUNT, F(entry, nodes.gpus), 0, SMS_NODE_GPUS_MAX,
     .help = "sets the number of GPUs; default 0"},
    {"model", SMS__NAME, 0, F(entry, model), .help = "names the model of the node's GPUs; default gpu"},
    {"devices", SMS__FIELDS, 0, F(entry, devices), .read = sms__keep, .fields = sms__device_use_fields,
     .overrides = sms__device_fields,
     .help = "describes GPUs that run workloads, instead of gpus and model: {model: DEVICE, count: N}"},
    {"mig", SMS__FIELDS, 0, F(entry, mig), .read = sms__keep, .holds = SMS__MANY, .fields = sms__node_mig_fields,
     .least = 1, .most = SMS_NODE_GPUS_MAX, .needs = "devices",
     .help = "describes GPUs split into instances, which pods request by profile; default: as mode mig splits them"},
    {"mode", SMS__CUSTOM, 0, F(entry, mode), .read = sms__keep, .form = SMS__FORM_MODE, .needs = "devices",
     .help = "names the mode in which pods share the node's whole GPUs, or lists one per GPU; default: the policy's"},
    {"gpu_memory", SMS__INTEGER, SMS__BYTES, F(entry, nodes.gpu_memory), 0, SMS__GPU_BYTES_MAX,
     .help = "sets the memory of each GPU; default 0, or that of the devices"},
    {"cpu", SMS__MILLI, SMS__NUMBER, F(entry, nodes.cpu_milli), 0, SMS__CPUS_MAX,
     .help = "sets the number of CPUs, in thousandths; default 0"},
    {"memory", SMS__INTEGER, SMS__BYTES, F(entry, nodes.memory), 0, SMS__HOST_BYTES_MAX,
     .help = "sets the memory of the host; default 0"},
    {"labels", SMS__CUSTOM, 0, F(entry, labels), .read = sms__keep, .form = SMS__FORM_LABELS,
     .help = "gives the node's labels for selectors: {NAME: VALUE, ...}"},
    {"share", SMS__CHOICE, 0, F(entry, nodes.said.share), .choices = shares,
     .help =
         "gpushare: says how GPUs are shared, by memory or as whole cards; default memory if the node has gpu_memory"},
    {"used_by_others", SMS__CUSTOM, SMS__BYTES, F(entry, nodes.said.others), 0, SMS__GPU_BYTES_MAX, .read = sms__keep,
     .form = SMS__FORM_NUMBER_OR_LIST, .most = SMS_NODE_GPUS_MAX,
     .help = "gpushare: sets the memory of each GPU that other programs use, or lists it by GPU; default 0"},
    {"unhealthy", SMS__FIELDS, 0, F(entry, nodes.said.sick), .read = sms__keep, .holds = SMS__MANY,
     .fields = sms__sick_fields, .most = SMS__SICKS_MAX,
     .help = "gpushare: lists times of unhealthy GPUs: {gpu: N, from: TIME, to: TIME}"},
    {"added", SMS__QUANTITY, SMS__TIME, F(entry, nodes.said.added_ps), 0, SMS__TIME_MAX_PS,
     .help = "gpushare: sets when the node joins the cluster; default 0"},
    {"table", SMS__FIELDS, 0, F(entry, table), .read = sms__keep, .fields = sms__table_fields,
     .help = "lists nodes, one per row: {columns: [KEY, ...], rows: [[VALUE, ...], ...]}"},
    {0}};

/* Returns the number of a device of the scenario, to which it is added if it is new. */
static long add_device(struct sms__reader *reader, struct sms_scenario *scenario, const struct sms__device *device)
{
    for (size_t d = 0; d < scenario->devices; d++)
        if (scenario->device[d] == device)
            return (long)d;
    *SMS__APPEND(reader->arena, scenario->device, scenario->devices) = device;
    return (long)scenario->devices - 1;
}

/* GPUs that run workloads are called after their device and have its memory. Returns its number, or -1. */
static long read_devices(struct sms__reader *reader, struct entry *entry, struct sms_scenario *scenario)
{
    uint64_t count;
    if (!entry->devices)
        return -1;
    if (entry->nodes.gpus || entry->model)
        sms__complain(reader, entry->devices, "a node has either devices, or gpus of a model");
    const struct sms__device *device = sms__read_device_use(reader, entry->devices, &count);
    if (!device)
        return -1;
    if (count > SMS_NODE_GPUS_MAX)
        sms__complain(reader, entry->devices, "a node has at most %d GPUs", SMS_NODE_GPUS_MAX);
    entry->nodes.gpus = count < SMS_NODE_GPUS_MAX ? count : SMS_NODE_GPUS_MAX;
    entry->model = device->name;
    if (!entry->nodes.gpu_memory)
        entry->nodes.gpu_memory = device->memory;
    return add_device(reader, scenario, device);
}

static void add_nodes(struct sms__reader *reader, const struct sms__node *node, struct sms_scenario *scenario)
{
    struct sms__cluster *cluster = scenario->cluster;
    struct entry entry = {.nodes = {.name = "", .node = node, .first = cluster->nodes, .count = 1, .said.share = -1}};
    struct sms__nodes *nodes = &entry.nodes;
    const size_t before = reader->errors->count;
    sms__read_fields(reader, node, sms__node_fields, &entry);
    if (node->kind != SMS__MAP)
        return;
    const bool whole = reader->errors->count == before; /* else a key may be meant for one that is missing */
    nodes->device = read_devices(reader, &entry, scenario);
    if (entry.mig && nodes->device >= 0)
        nodes->mig = sms__read_node_mig(reader, entry.mig, scenario->device[nodes->device], nodes->gpus, cluster);
    if (entry.mode && nodes->device >= 0)
        nodes->mode = sms__read_node_mode(reader, entry.mode, nodes, cluster);
    if (entry.table)
        sms__complain(reader, node, "a table stands alone in its entry");
    if (!sms__node_get(node, "name"))
        sms__complain(reader, node, "key 'name' is missing");
    if (whole && nodes->gpus == 0 && !entry.devices && (entry.model || nodes->gpu_memory))
        sms__complain(reader, node, "a node without gpus has no model and no gpu_memory");
    nodes->model = nodes->gpus ? sms__intern_model(reader, node, entry.model ? entry.model : "gpu", cluster) : -1;
    nodes->labels = sms__read_labels(reader, entry.labels, cluster, true);
    cluster->node[cluster->kinds++] = *nodes;
    cluster->nodes += nodes->count;
    cluster->gpu_milli += nodes->count * nodes->gpus * 1000;
    cluster->cpu_milli += nodes->count * nodes->cpu_milli;
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

void sms__read_nodes(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__cluster *cluster = ((struct sms_scenario *)at)->cluster;
    cluster->node = SMS__NEW(reader->arena, struct sms__nodes, sms__count_entries(node));
    for (size_t i = 0; i < node->items && reader->errors->count <= SMS_ERRORS_MAX; i++) {
        const struct sms__node *table = table_of(node->item[i]), *row;
        struct sms__tabled rows = {0};
        if (table)
            sms__read_table(reader, table, sms__node_fields, &rows);
        for (size_t r = 0; r < rows.rows && reader->errors->count <= SMS_ERRORS_MAX; r++)
            if ((row = sms__table_row(reader, &rows, r)))
                add_nodes(reader, row, at);
        if (!table)
            add_nodes(reader, node->item[i], at);
    }
    if (cluster->nodes > SMS__CLUSTER_NODES_MAX)
        sms__complain(reader, node, "more than %d nodes", SMS__CLUSTER_NODES_MAX);
    check_node_names(reader, cluster);
    sms__unite_resources(reader->arena, at);
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
