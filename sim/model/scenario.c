/* Reads `scenario:` documents by their table of fields. What they name is looked up while reading; resolve.c then
 * checks the parts against each other. */
#include "scenario.h"
#include "devices.h"
#include "file.h"
#include "policy/registry.h"

#define F(struct_, member) offsetof(struct struct_, member)

#define TENANTS "a scenario has either vms or processes"

static const struct sms__field scenario_fields[] = {
    {"scenario", SMS__NAME, 0, F(sms_scenario, name), .required = true, .help = "names the scenario"},
    {"question", SMS__TEXT, 0, F(sms_scenario, question), .help = "states the question that the scenario answers"},
    {"plugins", SMS__CUSTOM, .read = sms__skip, .form = SMS__FORM_FILES,
     .help = "lists plug-ins with policies and models that the scenario names: paths relative to its file"},
    {"devices", SMS__FIELDS, .read = sms__read_devices, .required = true, .holds = SMS__MANY,
     .fields = sms__device_use_fields, .overrides = sms__device_fields, .least = 1, .most = SMS__LISTED_MAX,
     .help = "lists devices, {model: NAME, count: N}, with any field of a device to override"},
    {"contention", SMS__CUSTOM, 0, F(sms_scenario, contention), .read = sms__read_contention,
     .form = SMS__FORM_CONTENTION, .help = "names the contention model, or {model: NAME, ...}; default knee"},
    {"queue", SMS__CHOICE, 0, F(sms_scenario, queue), .read = sms__read_queue, .form = SMS__FORM_QUEUE,
     .choices = sms__queue_names, .help = "says which kernel offers a block next; default leftover"},
    {"policies", SMS__CUSTOM, .read = sms__read_policies, .holds = SMS__MANY, .form = SMS__FORM_TENANTS, .least = 1,
     .most = SMS__POLICIES_MAX,
     .help = "lists policies, NAME or {NAME: {...}}; with processes also {share: ..., mode: ..., block: ...}; default "
             "leftover, or plain"},
    {"alone", SMS__CUSTOM, .read = sms__read_alone, .form = SMS__FORM_POLICY,
     .help = "names the policy of the stand-alone runs; default leftover, as hardware does"},
    {"vms", SMS__FIELDS, .read = sms__read_vms, .holds = SMS__MANY, .fields = sms__vm_fields, .least = 1,
     .most = SMS__LISTED_MAX, .one_of = TENANTS, .help = "lists tenants on all SMs; instead of processes"},
    {"processes", SMS__FIELDS, .read = sms__read_processes, .holds = SMS__MANY, .fields = sms__process_fields,
     .least = 1, .most = SMS__LISTED_MAX, .one_of = TENANTS,
     .help = "lists processes that share the devices; instead of vms"},
    {"host", SMS__FIELDS, .read = sms__read_host, .fields = sms__host_fields, .needs = "processes",
     .help = "describes the host of the processes"},
    {"answer", SMS__FIELDS, 0, F(sms_scenario, answer), .read = sms__read_answer, .fields = sms__answer_fields,
     .help = "names the metric that ranks policies; default: p99 latency if jobs arrive or have a deadline, otherwise "
             "stp_ratio"},
    {"run", SMS__FIELDS, .read = sms__read_run, .fields = sms__run_fields,
     .help = "says how long the simulation runs, from which seed, and how often"},
    {"expect", SMS__FIELDS, .read = sms__read_expects, .holds = SMS__MANY, .fields = sms__expect_fields,
     .most = SMS__LISTED_MAX, .help = "lists values that `smsched check` checks"},
    {"workload", .refuse = SMS__WORKLOAD_APART},
    {0}};

static const struct sms__table tables[] = {{"scenario", scenario_fields},
                                           {"scenario: devices", sms__device_use_fields},
                                           {"scenario: vms", sms__vm_fields},
                                           {"scenario: vms: arrivals", sms__arrival_fields},
                                           {"scenario: answer", sms__answer_fields},
                                           {"scenario: run", sms__run_fields},
                                           {"scenario: run: until", sms__until_fields},
                                           {"scenario: run: unknowns", sms__unknowns_fields},
                                           {"scenario: expect", sms__expect_fields},
                                           {NULL, NULL}};

const struct sms__table *sms__scenario_tables(void) { return tables; }

void sms__read_scenario(struct sms__reader *reader, const struct sms__node *node, struct sms_scenario *scenario)
{
    bool nodes = sms__node_get(node, "nodes") || sms__node_get(node, "pods");
    *scenario = (struct sms_scenario){
        .node = node, .name = "", .question = "", .seed = 1, .replications = 1, .file = reader->user};
    sms__default_unknowns(&scenario->unknowns);
    scenario->contention = sms__default_contention(reader);
    scenario->queue = sms__find_known(sms__load_options(reader), SMS__QUEUE, "leftover").item;
    scenario->shares = !nodes && sms__node_get(node, "processes");
    if (nodes)
        sms__read_cluster(reader, node, scenario);
    else
        sms__read_fields(reader, node, scenario_fields, scenario);
    sms__default_policies(reader, scenario);
}

const char *sms_scenario_name(const struct sms_scenario *scenario) { return scenario ? scenario->name : NULL; }
const char *sms_scenario_question(const struct sms_scenario *scenario) { return scenario ? scenario->question : NULL; }
size_t sms_scenario_policies(const struct sms_scenario *scenario) { return scenario ? scenario->policies : 0; }

const char *sms_scenario_policy(const struct sms_scenario *scenario, size_t idx)
{
    return idx < sms_scenario_policies(scenario) ? scenario->policy[idx].label : NULL;
}
