/* Reads scenarios of clusters: `nodes:` and `pods:` in the place of devices and tenants. */
#include "../policy/registry.h"
#include "../scenario.h"
#include "node_mig.h"
#include "tables.h"

#define F(struct_, member) offsetof(struct struct_, member)

static const struct sms__field scheduler_fields[] = {
    {"kind", SMS__CHOICE, 0, F(sms__default_scheduler, kind), .choices = sms__scheduler_kinds,
     .help = "names the scheduler that places the pods; default default"},
    {"start_delay", SMS__QUANTITY, SMS__TIME, F(sms__default_scheduler, start_delay_ps), 0, SMS__TIME_MAX_PS,
     .help = "sets the time from the placement of a pod to the start of its duration; default 0"},
    {0}};

static void read_scheduler(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__cluster *cluster = ((struct sms_scenario *)at)->cluster;
    const struct sms__node *kind = node->kind == SMS__MAP ? sms__node_get(node, "kind") : NULL;
    cluster->guest = kind && kind->kind == SMS__SCALAR ? sms__find_guest(kind->text) : NULL;
    if (cluster->guest) {
        cluster->guest->read(reader, node, cluster);
        return;
    }
    sms__read_fields(reader, node, scheduler_fields, &cluster->waits);
}

static const struct sms__field *const monitor_forms[] = {sms__monitor_cycle_fields, NULL};

static const char *const fidelities[] = {"duration", "processes", "blocks", NULL};

static const char *const tie_words[] = {"lowest", "shuffled", "random", NULL};

static void read_ties(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    int ties = sms__read_choice(reader, node, "way to break ties", tie_words);
    ((struct sms_scenario *)at)->cluster->ties = ties > 0 ? ties : SMS__TIES_LOWEST;
}

static const struct sms__field cluster_fields[] = {
    {"scenario", SMS__NAME, 0, F(sms_scenario, name), .required = true, .help = "names the scenario"},
    {"question", SMS__TEXT, 0, F(sms_scenario, question), .help = "states the question that the scenario answers"},
    {"plugins", SMS__CUSTOM, .read = sms__skip, .form = SMS__FORM_FILES,
     .help = "lists plug-ins with policies and models that the scenario names: paths relative to its file"},
    {"nodes", SMS__FIELDS, .read = sms__read_nodes, .required = true, .holds = SMS__MANY, .fields = sms__node_fields,
     .least = 1, .most = SMS__ENTRIES_MAX, .help = "lists kinds of nodes, or tables of nodes"},
    {"policies", SMS__CUSTOM, .read = sms__read_policies, .holds = SMS__MANY, .form = SMS__FORM_PLACE, .least = 1,
     .most = SMS__POLICIES_MAX,
     .help = "lists place policies, NAME or {NAME: {...}}, or {place: ..., share: ..., mode: ..., block: ...}; default "
             "first_fit"},
    {"fidelity", SMS__CHOICE, 0, F(sms_scenario, fidelity), .choices = fidelities,
     .help = "sets the fidelity of pods with workloads: blocks, processes or duration; default blocks"},
    {"contention", SMS__CUSTOM, 0, F(sms_scenario, contention), .read = sms__read_contention,
     .form = SMS__FORM_CONTENTION, .help = "names the contention model on the devices of nodes; default knee"},
    {"queue", SMS__CHOICE, 0, F(sms_scenario, queue), .read = sms__read_queue, .form = SMS__FORM_QUEUE,
     .choices = sms__queue_names, .help = "says which kernel offers a block next; default leftover"},
    {"host", SMS__FIELDS, .read = sms__read_host, .fields = sms__host_fields,
     .help = "describes the host of each node; its cores are the node's cpu"},
    {"alone", SMS__CUSTOM, .read = sms__read_alone, .form = SMS__FORM_POLICY,
     .help = "names the block policy of pods that run alone; default leftover, as hardware does"},
    {"pods", SMS__FIELDS, .read = sms__read_pods, .required = true, .holds = SMS__MANY, .fields = sms__pod_fields,
     .least = 1, .most = SMS__ENTRIES_MAX, .help = "lists pods, tables of pods, or samples"},
    {"monitor", SMS__FIELDS, .read = sms__read_monitor, .fields = sms__monitor_fields, .instead = monitor_forms,
     .help = "says how nodes see jobs begin and end"},
    {"scheduler", SMS__FIELDS, .read = read_scheduler, .fields = scheduler_fields, .instead = sms__scheduler_forms,
     .help = "says which scheduler places pods, and how long they take to start"},
    {"ties", SMS__CHOICE, .read = read_ties, .choices = tie_words,
     .help = "says which of the nodes with equal scores is taken: the lowest (default), the first of a shuffled order, "
             "or a random one"},
    {"answer", SMS__FIELDS, 0, F(sms_scenario, answer), .read = sms__read_answer, .fields = sms__answer_fields,
     .help = "names the metric that ranks policies; default: turnaround_mean_ns if pods run workloads, otherwise "
             "gpu_allocation_mean_ratio"},
    {"run", SMS__FIELDS, .read = sms__read_run, .fields = sms__run_fields,
     .help = "says how long the simulation runs, from which seed, and how often"},
    {"expect", SMS__FIELDS, .read = sms__read_expects, .holds = SMS__MANY, .fields = sms__expect_fields,
     .most = SMS__LISTED_MAX, .help = "lists values that `smsched check` checks"},
    {"devices", .refuse = "a cluster has no devices: its GPUs are in its nodes, as nodes: [{name: a, gpus: 8}], or "
                          "[{name: a, devices: {model: v100, count: 8}}]"},
    {"vms", .refuse = "a cluster has no vms: what comes to it are pods, as pods: [{name: p, gpus: 1}]"},
    {"processes", .refuse = "a cluster has no processes: what comes to it are pods, as pods: [{name: p, workload: w}]"},
    {"workload", .refuse = SMS__WORKLOAD_APART},
    {0}};

const struct sms__table sms__cluster_tables[9] = {{"scenario with nodes", cluster_fields},
                                                  {"scenario: nodes", sms__node_fields},
                                                  {"scenario: nodes: table", sms__table_fields},
                                                  {"scenario: nodes: mig", sms__node_mig_fields},
                                                  {"scenario: nodes: unhealthy", sms__sick_fields},
                                                  {"scenario: scheduler", scheduler_fields},
                                                  {"scenario: monitor", sms__monitor_fields},
                                                  {"scenario: monitor of model cycle", sms__monitor_cycle_fields},
                                                  {NULL, NULL}};

/* Pods are read after nodes, wherever they stand. */
static void read_in_order(struct sms__reader *reader, const struct sms__node *node, struct sms_scenario *scenario)
{
    static const char *const late[] = {"pods", NULL};
    struct sms__node *map = sms__node_pick(reader->arena, node, late, false);
    const struct sms__node *rest = sms__node_pick(reader->arena, node, late, true);
    for (size_t i = 0; i < rest->items; i++)
        map->item[map->items++] = rest->item[i];
    sms__read_fields(reader, map, cluster_fields, scenario);
}

void sms__read_cluster(struct sms__reader *reader, const struct sms__node *node, struct sms_scenario *scenario)
{
    scenario->cluster = SMS__NEW(reader->arena, struct sms__cluster, 1);
    scenario->fidelity = SMS__AS_BLOCKS;
    read_in_order(reader, node, scenario);
    sms__complete_monitor(reader, scenario);
}
