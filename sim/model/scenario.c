/* Reads `scenario:` documents. What they name is looked up while reading;
 * link.c then checks the parts against each other. */
#include "file.h"
#include "policy/registry.h"
#include "scenario.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define F(struct_, member) offsetof(struct struct_, member)

const char *const sms__queue_names[] = {"leftover", "interleave", "fifo", "kernel_fifo", "rr_fifo", NULL};

static const char *const compat_names[] = {"off", "simtbs", NULL};

/* Of one scenario. Names are compared with each other, so that lists without end would take time without end. */
enum { DEVICES_MAX = 100000, ENTRIES_MAX = 10000 };

/* reader->user while a scenario is read. */
static struct sms_file *file_of(struct sms__reader *reader) { return reader->user; }

struct device_use {
    const struct sms__node *model;
    uint64_t count;
};

/* The keys of a `devices:` entry that are not overrides. */
const struct sms__field sms__device_use_fields[] = {
    {"model", SMS__REFERENCE, 0, F(device_use, model), .required = true, .help = "a device"},
    {"count", SMS__INTEGER, SMS__COUNT, F(device_use, count), 1, DEVICES_MAX, .help = "how many; default 1"},
    {0}};

static bool is_use_key(const struct sms__node *key)
{
    return key->kind == SMS__SCALAR && (!strcmp(key->text, "model") || !strcmp(key->text, "count"));
}

/* The map split in two: what says which device, and what it overrides. */
static struct sms__node *pick_pairs(struct sms__arena *arena, const struct sms__node *map, bool use_keys)
{
    struct sms__node *part = SMS__NEW(arena, struct sms__node, 1);
    *part = *map;
    part->item = SMS__NEW(arena, struct sms__node *, map->items);
    part->items = 0;
    for (size_t i = 0; i + 1 < map->items; i += 2) {
        if (is_use_key(map->item[i]) != use_keys)
            continue;
        part->item[part->items++] = map->item[i];
        part->item[part->items++] = map->item[i + 1];
    }
    return part;
}

static const struct sms__device *overridden(struct sms__reader *reader, const struct sms__node *node,
                                            const struct sms__device *base)
{
    const struct sms__node *map = pick_pairs(reader->arena, node, false);
    if (map->items == 0)
        return base;
    size_t n = 0;
    struct sms__field *fields = SMS__NEW(reader->arena, struct sms__field, 16);
    for (const struct sms__field *field = sms__device_fields + 1; field->name; field++) { /* all but the name */
        fields[n] = *field;
        fields[n++].required = false;
    }
    struct sms__device *device = SMS__NEW(reader->arena, struct sms__device, 1);
    *device = *base;
    device->node = node;
    sms__read_fields(reader, map, fields, device);
    sms__finish_device(reader, device);
    return device;
}

/* Capacities are powers of two. */
static size_t capacity_for(size_t devices)
{
    size_t capacity = 1;
    while (capacity < devices)
        capacity *= 2;
    return capacity;
}

static void make_room(struct sms__arena *arena, struct sms_scenario *scenario, size_t more)
{
    size_t wanted = capacity_for(scenario->devices + more);
    if (scenario->device && wanted == capacity_for(scenario->devices))
        return;
    scenario->device =
        sms__enlarge(arena, (void *)scenario->device, scenario->devices, wanted, sizeof *scenario->device);
}

void sms__read_device_use(struct sms__reader *reader, const struct sms__node *node, struct sms_scenario *scenario)
{
    struct device_use use = {.count = 1};
    if (!sms__expect_kind(reader, node, SMS__MAP))
        return;
    sms__read_fields(reader, pick_pairs(reader->arena, node, true), sms__device_use_fields, &use);
    if (!use.model)
        return;
    const struct sms__device *device = sms__find_device(file_of(reader), use.model->text, use.model);
    if (!device)
        return;
    device = overridden(reader, node, device);
    if (scenario->devices + use.count > DEVICES_MAX) {
        sms__complain(reader, node, "more than %d devices", DEVICES_MAX);
        return;
    }
    make_room(reader->arena, scenario, use.count);
    for (uint64_t i = 0; i < use.count; i++)
        scenario->device[scenario->devices++] = device;
}

static void read_devices(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    if (!sms__expect_list(reader, node, ENTRIES_MAX))
        return;
    for (size_t i = 0; i < node->items && reader->errors->count <= SMS_ERRORS_MAX; i++)
        sms__read_device_use(reader, node->item[i], at);
}

struct arrival_fields {
    double poisson, every;
};

#define ARRIVALS "arrivals are either {poisson: TIME}, of that mean interval, or {every: TIME}"

const struct sms__field sms__arrival_fields[] = {{"poisson", SMS__QUANTITY, SMS__TIME, F(arrival_fields, poisson), 1,
                                                  SMS__TIME_MAX_PS, .one_of = ARRIVALS,
                                                  .help = "mean of exponential intervals"},
                                                 {"every", SMS__QUANTITY, SMS__TIME, F(arrival_fields, every), 1,
                                                  SMS__TIME_MAX_PS, .one_of = ARRIVALS, .help = "equal intervals"},
                                                 {0}};

void sms__read_arrivals(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__vm *vm = at;
    struct arrival_fields given = {0};
    if (node->kind != SMS__MAP) {
        sms__complain(reader, node, ARRIVALS);
        return;
    }
    sms__read_fields(reader, node, sms__arrival_fields, &given);
    vm->arrivals = given.poisson > 0 ? SMS__POISSON : SMS__REGULAR;
    vm->interval_ps = given.poisson > 0 ? given.poisson : given.every;
}

static const struct sms__field vm_fields[] = {
    {"name", SMS__NAME, 0, F(sms__vm, name), .required = true, .help = "its name"},
    {"workload", SMS__REFERENCE, 0, F(sms__vm, workload_node), .required = true, .help = "what one job does"},
    {"start", SMS__QUANTITY, SMS__TIME, F(sms__vm, start_ps), 0, SMS__TIME_MAX_PS, .help = "default 0"},
    {"repeat", SMS__INTEGER, SMS__COUNT, F(sms__vm, repeat), 1, SMS__REPEAT_MAX, .word = "forever",
     .otherwise = "a number of jobs", .help = "jobs on each device, or forever; default 1, with arrivals forever"},
    {"streams", SMS__INTEGER, SMS__COUNT, F(sms__vm, streams), 1, 4096,
     .help = "jobs under way at once on each device; default 1"},
    {"arrivals", SMS__FIELDS, .read = sms__read_arrivals, .fields = sms__arrival_fields,
     .help = "when jobs arrive on each device; default: the next when one ends"},
    {"deadline", SMS__QUANTITY, SMS__TIME, F(sms__vm, deadline_ps), 1, SMS__TIME_MAX_PS,
     .help = "of a job, from its arrival"},
    {"type", SMS__INTEGER, SMS__COUNT, F(sms__vm, type), 0, 4294967295.0,
     .help = "a number by which --format simtbs groups VMs; default 0"},
    {0}};

static void read_vm(struct sms__reader *reader, const struct sms__node *node, struct sms_scenario *scenario)
{
    struct sms__vm *vm = &scenario->vm[scenario->vms];
    *vm = (struct sms__vm){.node = node, .name = "", .repeat = 1, .streams = 1};
    if (node->kind == SMS__MAP && sms__node_get(node, "arrivals"))
        vm->repeat = 0;
    sms__read_fields(reader, node, vm_fields, vm);
    for (size_t i = 0; i < scenario->vms; i++)
        if (vm->name[0] && !strcmp(scenario->vm[i].name, vm->name))
            sms__complain(reader, sms__node_get(node, "name"), "VM '%.60s' is defined twice", vm->name);
    scenario->vms++;
    if (vm->workload_node)
        vm->workload = sms__find_workload(file_of(reader), vm->workload_node->text, vm->workload_node);
}

static void read_vms(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms_scenario *scenario = at;
    if (scenario->shares)
        return;
    if (!sms__expect_list(reader, node, ENTRIES_MAX))
        return;
    scenario->vm = SMS__NEW(reader->arena, struct sms__vm, node->items);
    for (size_t i = 0; i < node->items && reader->errors->count <= SMS_ERRORS_MAX; i++)
        read_vm(reader, node->item[i], scenario);
}

/* A number of any dimension: which, the metric decides. */
static void read_any(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    char why[160];
    struct sms__quantity *out = at;
    if (!sms__expect_kind(reader, node, SMS__SCALAR))
        return;
    if (!sms__quantity_parse(node->text, SMS__RATIO, out, why, sizeof why))
        return;
    if (!sms__quantity_parse(node->text, SMS__TIME, out, why, sizeof why))
        out->value /= 1e3; /* metrics of time are in ns */
    else
        sms__complain(reader, node, "'%.40s' is neither a number, a percentage nor a time", node->text);
}

static void read_tolerance(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__quantity *out = at;
    read_any(reader, node, out);
    if (node->kind == SMS__SCALAR)
        sms__is_bare_percentage(reader, node, out->value);
}

const struct sms__field sms__expect_fields[] = {
    {"metric", SMS__TEXT, 0, F(sms__expect, metric), .required = true, .form = SMS__FORM_METRIC,
     .help = "a metric (smsched list metrics), or gain: host kernels_per_s over another policy's, less 1"},
    {"policy", SMS__TEXT, 0, F(sms__expect, policy), .required = true, .help = "whose value"},
    {"over", SMS__TEXT, 0, F(sms__expect, over), .help = "the policy compared with; the ratio is checked"},
    {"vm", SMS__TEXT, 0, F(sms__expect, vm), .help = "of a VM; default: of the host"},
    {"process", SMS__TEXT, 0, F(sms__expect, process), .help = "of a process"},
    {"device", SMS__INDEX, SMS__COUNT, F(sms__expect, device), 0, SMS__INDEX_MAX, .help = "of a device, from 0"},
    {"resource", SMS__TEXT, 0, F(sms__expect, resource), .help = "of a resource"},
    {"node", SMS__TEXT, 0, F(sms__expect, of_node),
     .help = "of a node of a cluster; of more than 2000 nodes, of an entry of nodes"},
    {"value", SMS__CUSTOM, 0, F(sms__expect, value), .read = read_any, .form = SMS__FORM_MEASURE, .help = "expected"},
    {"tolerance", SMS__CUSTOM, 0, F(sms__expect, tolerance), .read = read_tolerance, .form = SMS__FORM_MEASURE,
     .help = "absolute for ratios and gains (3 % are 3 points), relative for others; default 0"},
    {"min", SMS__CUSTOM, 0, F(sms__expect, min), .read = read_any, .form = SMS__FORM_MEASURE, .help = "at least"},
    {"max", SMS__CUSTOM, 0, F(sms__expect, max), .read = read_any, .form = SMS__FORM_MEASURE, .help = "at most"},
    {0}};

void sms__read_expects(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms_scenario *scenario = at;
    if (!sms__expect_list(reader, node, ENTRIES_MAX))
        return;
    scenario->expect = SMS__NEW(reader->arena, struct sms__expect, node->items);
    for (size_t i = 0; i < node->items && reader->errors->count <= SMS_ERRORS_MAX; i++) {
        struct sms__expect *expect = &scenario->expect[scenario->expects++];
        const struct sms__node *item = node->item[i];
        expect->node = item;
        expect->device = -1;
        expect->cluster = scenario->cluster != NULL;
        sms__read_fields(reader, item, sms__expect_fields, expect);
        expect->has_value = sms__node_get(item, "value") != NULL;
        expect->has_min = sms__node_get(item, "min") != NULL;
        expect->has_max = sms__node_get(item, "max") != NULL;
        if (item->kind == SMS__MAP && !expect->has_value && !expect->has_min && !expect->has_max)
            sms__complain(reader, item, "expects nothing: give value, min or max");
    }
}

#define TENANTS "a scenario has either vms or processes"

static const struct sms__field scenario_fields[] = {
    {"scenario", SMS__NAME, 0, F(sms_scenario, name), .required = true, .help = "its name"},
    {"question", SMS__TEXT, 0, F(sms_scenario, question), .help = "what it is to answer"},
    {"devices", SMS__FIELDS, .read = read_devices, .required = true, .holds = SMS__MANY,
     .fields = sms__device_use_fields, .overrides = sms__device_fields, .least = 1, .most = ENTRIES_MAX,
     .help = "a list of {model: NAME, count: N}, with any field of a device to override it"},
    {"contention", SMS__CUSTOM, .read = sms__read_contention, .form = SMS__FORM_CONTENTION,
     .help = "a model, or {model: NAME, ...}; default proportional"},
    {"queue", SMS__CHOICE, 0, F(sms_scenario, queue), .choices = sms__queue_names,
     .help = "in which order kernels offer blocks; default leftover"},
    {"compat", SMS__CHOICE, 0, F(sms_scenario, compat), .choices = compat_names,
     .help = "simtbs: run as that simulator would, digit for digit; default off"},
    {"policies", SMS__CUSTOM, .read = sms__read_policies, .required = true, .holds = SMS__MANY,
     .form = SMS__FORM_TENANTS, .least = 1, .most = SMS__POLICIES_MAX,
     .help = "a list of NAME or {NAME: {...}}; with processes also of {share: ..., mode: ..., block: ...}"},
    {"alone", SMS__CUSTOM, .read = sms__read_alone, .form = SMS__FORM_POLICY,
     .help = "the policy of the stand-alone runs; default round_robin"},
    {"vms", SMS__FIELDS, .read = read_vms, .holds = SMS__MANY, .fields = vm_fields, .most = ENTRIES_MAX,
     .one_of = TENANTS, .help = "a list; or give processes"},
    {"processes", SMS__FIELDS, .read = sms__read_processes, .holds = SMS__MANY, .fields = sms__process_fields,
     .least = 1, .most = ENTRIES_MAX, .one_of = TENANTS, .help = "a list of those that share the devices"},
    {"host", SMS__FIELDS, .read = sms__read_host, .fields = sms__host_fields, .needs = "processes",
     .help = "of the processes"},
    {"answer", SMS__FIELDS, 0, F(sms_scenario, answer), .read = sms__read_answer, .fields = sms__answer_fields,
     .help = "the metric by which one policy is better than another; default: the 99th percentile of the jobs that "
             "arrive or have a deadline, else stp_ratio"},
    {"run", SMS__FIELDS, .read = sms__read_run, .fields = sms__run_fields,
     .help = "how long, from which seed, how often"},
    {"expect", SMS__FIELDS, .read = sms__read_expects, .holds = SMS__MANY, .fields = sms__expect_fields,
     .most = ENTRIES_MAX, .help = "what `smsched check` checks"},
    {0}};

static const struct sms__table tables[] = {{"scenario", scenario_fields},
                                           {"scenario: devices", sms__device_use_fields},
                                           {"scenario: vms", vm_fields},
                                           {"scenario: vms: arrivals", sms__arrival_fields},
                                           {"scenario: answer", sms__answer_fields},
                                           {"scenario: run", sms__run_fields},
                                           {"scenario: run: until", sms__until_fields},
                                           {"scenario: expect", sms__expect_fields},
                                           {NULL, NULL}};

const struct sms__table *sms__scenario_tables(void) { return tables; }

void sms__default_alone(struct sms__reader *reader, const struct sms_file *file, const struct sms__node *node,
                        struct sms_scenario *scenario)
{
    if (!scenario->alone) {
        scenario->alone = SMS__NEW(reader->arena, struct sms__policy_use, 1);
        scenario->alone->policy = sms__find_policy(file->options, "round_robin");
        scenario->alone->label = scenario->alone->written = scenario->alone->policy->name;
        scenario->alone->node = node;
    }
    if (scenario->shares || scenario->cluster)
        sms__share_alone(file->options, scenario->alone);
}

void sms__read_scenario(struct sms__reader *reader, const struct sms__node *node, struct sms_file *file,
                        struct sms_scenario *scenario)
{
    reader->user = file;
    *scenario = (struct sms_scenario){.node = node,
                                      .name = "",
                                      .question = "",
                                      .seed = 1,
                                      .replications = 1,
                                      .path = node->mark.file,
                                      .text = node->mark.text};
    /* Nothing of it is fitted, and no resource delivers more than it has (docs/contention.md). */
    scenario->contention = sms__find_contention(file->options, "proportional");
    scenario->contention_label = scenario->contention->name;
    sms__default_params(scenario->contention->params, scenario->contention_param);
    if (sms__node_get(node, "nodes") || sms__node_get(node, "pods")) {
        sms__read_cluster(reader, node, scenario);
        reader->user = NULL;
        return;
    }
    scenario->shares = sms__node_get(node, "processes") != NULL;
    sms__read_fields(reader, node, scenario_fields, scenario);
    scenario->queue += SMS_QUEUE_LEFTOVER; /* from the index of a name */
    sms__default_alone(reader, file, node, scenario);
    reader->user = NULL;
}

const char *sms_scenario_name(const struct sms_scenario *scenario) { return scenario ? scenario->name : NULL; }
const char *sms_scenario_question(const struct sms_scenario *scenario) { return scenario ? scenario->question : NULL; }
size_t sms_scenario_policies(const struct sms_scenario *scenario) { return scenario ? scenario->policies : 0; }

const char *sms_scenario_policy(const struct sms_scenario *scenario, size_t idx)
{
    return idx < sms_scenario_policies(scenario) ? scenario->policy[idx].label : NULL;
}
