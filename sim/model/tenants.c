/* Reads the tenants of a scenario of devices, `vms:` or `processes:`, and `host:`. An entry stands for `count` tenants
 * that differ in name and start alone, and share their choice of workloads. */
#include "file.h"
#include "names.h"
#include "scenario.h"

#include <stdlib.h>
#include <string.h>

#define F(struct_, member) offsetof(struct struct_, member)

/* Most tenants of a scenario, streams of a VM, workloads of one `draw:`, and kernels of all workloads to draw from in a
 * file. */
enum { TENANTS_MAX = 10000, VM_STREAMS_MAX = 4096, DRAW_MAX = 100, DRAWN_KERNELS_MAX = 100000 };

const struct sms__field sms__host_fields[] = {
    {"cores", SMS__INTEGER, SMS__COUNT, F(sms__host, cores), 1, 1e6,
     .help = "sets the number of cores, which streams that compute on the host share equally; default: one for each"},
    {"link_in", SMS__QUANTITY, SMS__BANDWIDTH, F(sms__host, link_in), 1, 1e18,
     .help = "sets the bandwidth of all copies to devices together; default: no limit"},
    {"link_out", SMS__QUANTITY, SMS__BANDWIDTH, F(sms__host, link_out), 1, 1e18,
     .help = "sets the bandwidth of all copies from devices together; default: no limit"},
    {"power", SMS__QUANTITY, SMS__POWER, F(sms__host, power_w), 0, 1e6,
     .help = "sets the power of the host without its devices"},
    {"context", SMS__QUANTITY, SMS__BYTES, F(sms__host, context_bytes), 0, 1e12,
     .help = "sets the device memory of a process's context; default 0"},
    {"context_time", SMS__QUANTITY, SMS__TIME, F(sms__host, context_ps), 0, SMS__TIME_MAX_PS,
     .help = "sets how long it takes to create a context, at least 1 ps; default 0"},
    {0}};

/* One entry of `vms:` or `processes:`. */
struct entry {
    const struct sms__node *workload, *draw, *streams_node;
    uint64_t count;
    double stagger_ps;
    struct sms__tenant vm; /* what each of its tenants is */
};

static void keep_list(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    for (size_t i = 0; i < node->items; i++)
        if (!sms__expect_kind(reader, node->item[i], SMS__SCALAR))
            return;
    *(const struct sms__node **)at = node;
}

static void read_stream_count(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__quantity number;
    if (node->kind == SMS__LIST)
        sms__complain(reader, node, "the streams of a VM do its workload: make each of these a VM, with a priority");
    else if (sms__read_number(reader, node, SMS__COUNT, 1, VM_STREAMS_MAX, &number))
        *(uint64_t *)at = (uint64_t)(number.value + 0.5);
}

/* The keys that both spellings have. */
#define NAME                                                                                                           \
    {                                                                                                                  \
        "name", SMS__NAME, 0, F(entry, vm.name),                                                                       \
            .required = true, .help = "names the tenant; with count, the names are NAME1, NAME2, ..."                  \
    }
#define SEVERAL                                                                                                        \
    {"count",                                                                                                          \
     SMS__INTEGER,                                                                                                     \
     SMS__COUNT,                                                                                                       \
     F(entry, count),                                                                                                  \
     1,                                                                                                                \
     TENANTS_MAX,                                                                                                      \
     .help = "sets the number of such tenants; default 1"},                                                            \
        {"start",                                                                                                      \
         SMS__QUANTITY,                                                                                                \
         SMS__TIME,                                                                                                    \
         F(entry, vm.start_ps),                                                                                        \
         0,                                                                                                            \
         SMS__TIME_MAX_PS,                                                                                             \
         .help = "sets the start time; default: drawn if the tenant repeats for ever, otherwise 0"},                   \
    {                                                                                                                  \
        "stagger", SMS__QUANTITY, SMS__TIME, F(entry, stagger_ps), 0, SMS__TIME_MAX_PS,                                \
            .needs = "count", .help = "sets the time between the starts of such tenants; default 0"                    \
    }
#define REPEAT(text)                                                                                                   \
    {                                                                                                                  \
        "repeat", SMS__INTEGER, SMS__COUNT, F(entry, vm.repeat), 1, SMS__REPEAT_MAX,                                   \
            .word = "forever", .otherwise = "a number of jobs", .help = (text)                                         \
    }
#define ARRIVES(text)                                                                                                  \
    {                                                                                                                  \
        "arrivals", SMS__FIELDS, 0, F(entry, vm), .read = sms__read_arrivals, .fields = sms__arrival_fields,           \
                                                  .help = (text)                                                       \
    }
#define DEVICE(text)                                                                                                   \
    {                                                                                                                  \
        "device", SMS__INDEX, SMS__COUNT, F(entry, vm.device), 0, SMS__INDEX_MAX, .help = (text)                       \
    }
#define CLASS                                                                                                          \
    {                                                                                                                  \
        "class", SMS__NAME, 0, F(entry, vm.cls),                                                                       \
            .help = "names a class of service, whose tenants are also counted together"                                \
    }
#define DEADLINE                                                                                                       \
    {                                                                                                                  \
        "deadline", SMS__QUANTITY, SMS__TIME, F(entry, vm.deadline_ps), 1, SMS__TIME_MAX_PS,                           \
            .help = "sets the deadline of a job, from its arrival"                                                     \
    }

const struct sms__field sms__vm_fields[] = {
    NAME,
    {"workload", SMS__REFERENCE, 0, F(entry, workload), .required = true,
     .help = "names the workload that each job does"},
    SEVERAL,
    REPEAT("sets the number of jobs on each device; default 1, or forever with arrivals"),
    {"streams", SMS__INTEGER, SMS__COUNT, F(entry, vm.streams), 1, VM_STREAMS_MAX, .read = read_stream_count,
     .help = "sets the number of jobs in progress at the same time on each device; default 1"},
    ARRIVES("sets when jobs arrive on each device; default: the next when one ends"),
    DEADLINE,
    CLASS,
    {"priority", SMS__QUANTITY, SMS__COUNT, F(entry, vm.priority), -1e6, 1e6,
     .help = "sets the priority: blocks of a higher one go first; default 0"},
    DEVICE("gives the number of the only device it uses, from 0; default: all, with jobs on each"),
    {"draw",
     .refuse = "a VM draws no workload; processes do, and those of {mode: together} run their kernels as VMs do"},
    {"weight", .refuse = "no block policy asks for weights; processes have them, for their share policies and modes"},
    {"active_threads", .refuse =
                           "VMs run on all SMs; processes of {mode: mps} have a share of them, and the block policy "
                           "sm_quota gives each VM its own"},
    {0}};

const struct sms__field sms__process_fields[] = {
    NAME,
    {"workload", SMS__REFERENCE, 0, F(entry, workload), .help = "names the workload that each job does"},
    {"draw", SMS__REFERENCE, 0, F(entry, draw), .read = keep_list, .holds = SMS__MANY, .least = 1, .most = DRAW_MAX,
     .help = "lists workloads, one of which each replication draws; instead of workload"},
    SEVERAL,
    REPEAT(
        "sets the number of jobs of each stream; default 1; with arrivals, of all streams together, default forever"),
    {"streams", SMS__CUSTOM, SMS__COUNT, F(entry, streams_node), 1, SMS__STREAMS_MAX, .read = sms__keep,
     .form = SMS__FORM_NUMBER_OR_LIST, .fields = sms__stream_fields, .least = 1, .most = SMS__STREAMS_MAX,
     .help = "sets the number of streams, or lists streams with workloads of their own; default 1"},
    ARRIVES("sets when jobs arrive; default: the next when one ends"),
    DEADLINE,
    CLASS,
    {"priority", SMS__QUANTITY, SMS__COUNT, F(entry, vm.priority), -1e6, 1e6,
     .help = "sets the priority: blocks of a higher one go first, and policies may use it; default 0"},
    {"weight", SMS__QUANTITY, SMS__RATIO, F(entry, vm.weight), 1e-6, 1e6,
     .help = "sets the weight of the process's share, for policies that use it; default 1"},
    {"active_threads", SMS__QUANTITY, SMS__RATIO, F(entry, vm.active_threads), SMS__THREADS_LEAST, 1,
     .help = "under mps: sets the share of the SMs that the process may use; default 100 %"},
    {"chunks", SMS__INTEGER, SMS__COUNT, F(entry, vm.chunks), 1, 1e6,
     .help = "under partition: sets how many chunks, each of mps.chunk SMs of the device, the process has to itself"},
    DEVICE("gives the number of the only device it uses, from 0; default: any"),
    {"instance", SMS__INDEX, SMS__COUNT, F(entry, vm.instance), 0, SMS__INDEX_MAX,
     .help = "under mig: gives the number of the only instance of a device that it uses, from 0, in the order of "
             "instances; default: any"},
    {0}};

const struct sms__table sms__process_tables[3] = {
    {"scenario: host", sms__host_fields}, {"scenario: processes", sms__process_fields}, {NULL, NULL}};

void sms__read_host(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms_scenario *scenario = at;
    sms__read_fields(reader, node, sms__host_fields, &scenario->host);
    if (scenario->cluster && scenario->host.cores)
        sms__complain(reader, sms__node_get(node, "cores"), "the cores of nodes are their cpu");
}

/* Appends the kernels of one workload, named WORKLOAD/KERNEL, to those of the union. */
static void append_kernels(struct sms__arena *arena, struct sms__workload *all, const struct sms__workload *workload)
{
    for (size_t k = 0; k < workload->kernels; k++) {
        struct sms__kernel *kernel = &all->kernel[all->kernels++];
        *kernel = workload->kernel[k];
        kernel->name = sms__print(arena, "%s/%s", workload->name, kernel->name);
    }
}

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* All streams' modules are loaded, and each stream may hold what its workload asks for. Of several to draw from, only
 * one is. */
static void add_memory(struct sms__workload *all, const struct sms__workload *workload, bool own, bool first)
{
    all->declared = own ? all->declared + workload->declared : larger(all->declared, workload->declared);
    if (own && first)
        all->statics += workload->statics;
    else if (!own && workload->statics > all->statics)
        all->statics = workload->statics;
}

/* Numbers the first kernel of each workload; one given twice has its kernels once. Returns the number of kernels. */
static size_t place_choices(struct sms__choice *choice, size_t choices)
{
    size_t kernels = 0;
    for (size_t i = 0; i < choices; i++) {
        size_t j = 0;
        while (choice[j].workload != choice[i].workload)
            j++;
        choice[i].first = j < i ? choice[j].first : kernels;
        kernels += j < i ? 0 : choice[i].workload->kernels;
    }
    return kernels;
}

/* Makes a workload of all kernels of all choices. It has no steps: those are of the one drawn, or of each stream. */
static const struct sms__workload *unite(struct sms__reader *reader, const struct entry *entry,
                                         struct sms__choice *choice, size_t choices)
{
    struct sms_file *file = reader->user;
    const struct sms__node *node = entry->draw ? entry->draw : entry->streams_node;
    size_t before = file->drawn_kernels, kernels = place_choices(choice, choices);
    file->drawn_kernels += kernels;
    if (file->drawn_kernels > DRAWN_KERNELS_MAX) {
        if (before <= DRAWN_KERNELS_MAX)
            sms__complain(reader, node, "more than %d kernels of all workloads %s", DRAWN_KERNELS_MAX,
                          entry->draw ? "to draw from" : "of streams");
        return NULL;
    }
    struct sms__workload *all = SMS__NEW(reader->arena, struct sms__workload, 1);
    *all = (struct sms__workload){
        .node = node, .name = entry->vm.name, .title = "", .source = "", .device = "", .scaled_from = "", .cls = ""};
    all->kernel = SMS__NEW(reader->arena, struct sms__kernel, kernels);
    for (size_t i = 0; i < choices; i++) {
        bool first = choice[i].first == all->kernels;
        if (first)
            append_kernels(reader->arena, all, choice[i].workload);
        add_memory(all, choice[i].workload, entry->vm.own, first);
    }
    return all;
}

static bool is_one(const struct sms__choice *choice, size_t count)
{
    bool one = true;
    for (size_t i = 1; i < count; i++)
        one &= choice[i].workload == choice[0].workload;
    return one;
}

/* Whether the entry has one of the keys that say what its tenants do; reports it otherwise. */
static bool says_what(struct sms__reader *reader, const struct entry *entry, const struct sms__streams *streams)
{
    bool own = streams->workload != NULL;
    bool workload = sms__node_get(entry->vm.node, "workload"), draw = sms__node_get(entry->vm.node, "draw");
    if (own && (workload || draw))
        sms__complain(reader, entry->streams_node,
                      "the streams have workloads of their own: the process has no workload and no draw");
    else if (!own && workload == draw) {
        if (workload || !sms__is_wrong(reader, entry->vm.node, "workload"))
            sms__complain(reader, entry->vm.node, "a process has either workload or draw");
    } else
        return own ? streams->count > 0 : entry->workload || entry->draw;
    return false;
}

/* Sets what the entry's tenants may do. Leaves it unset where a problem was reported. */
static void choose(struct sms__reader *reader, struct entry *entry, const struct sms__streams *streams)
{
    struct sms__tenant *vm = &entry->vm;
    const struct sms__node *const *name = entry->draw         ? (const struct sms__node *const *)entry->draw->item
                                          : streams->workload ? streams->workload
                                                              : &entry->workload;
    size_t found = 0, count = entry->draw ? entry->draw->items : streams->workload ? streams->count : 1;
    struct sms__choice *choice = SMS__NEW(reader->arena, struct sms__choice, count);
    vm->choice = choice;
    vm->choices = count;
    for (size_t i = 0; i < count; i++) {
        choice[i].workload = sms__find_workload(reader->user, name[i]->text, name[i]);
        found += choice[i].workload != NULL;
    }
    if (found < count || count == 0) /* an empty list was reported */
        return;
    sms__check_streams(reader, streams, choice, count);
    if (streams->workload)
        sms__check_events(reader, streams, choice);
    for (size_t i = 0; i < count && !streams->workload; i++)
        sms__check_no_waits(reader, vm->node, choice[i].workload);
    bool several = count > 1 && (entry->draw || !is_one(choice, count));
    vm->workload = several ? unite(reader, entry, choice, count) : choice->workload;
}

/* A process goes on for ever if one of its streams does. */
static uint64_t longest_repeat(const struct sms__streams *streams)
{
    uint64_t repeat = streams->count ? streams->stream[0].repeat : 1;
    for (size_t i = 1; i < streams->count && repeat; i++)
        repeat = streams->stream[i].repeat ? larger(repeat, streams->stream[i].repeat) : 0;
    return repeat;
}

/* Jobs that arrive are alike, so any free stream can take them. One stream with a workload of its own is such. */
static void check_arrivals(struct sms__reader *reader, const struct sms__tenant *process)
{
    if (process->arrivals != SMS__CLOSED && process->own && process->streams > 1)
        sms__complain(reader, sms__node_get(process->node, "arrivals"),
                      "the streams have workloads of their own: make each a process, with arrivals of its own");
}

/* Times that were refused count, so that nothing is told of what follows from them. */
static void check_times(struct sms__reader *reader, const struct sms__tenant *tenant)
{
    const struct sms__node *arrivals = sms__node_get(tenant->node, "arrivals");
    const size_t count = tenant->times ? sms__node_get(arrivals, "times")->items : 0;
    if (tenant->times && tenant->repeat > count && !sms__is_wrong(reader, arrivals, "times"))
        sms__complain(reader, sms__at_key(tenant->node, "repeat"), "%llu jobs cannot come: arrivals lists %zu time%s",
                      (unsigned long long)tenant->repeat, count, count == 1 ? "" : "s");
}

/* Reads one entry of `processes:`, with its streams, or of `vms:`, which have a number of them. */
static struct entry read_entry(struct sms__reader *reader, const struct sms__node *node, bool process,
                               struct sms__streams *streams)
{
    struct entry entry = {.count = 1, .vm = {SMS__TENANT_DEFAULTS, .node = node}};
    *streams = (struct sms__streams){0};
    if (sms__node_get(node, "arrivals"))
        entry.vm.repeat = 0;
    sms__read_fields(reader, node, process ? sms__process_fields : sms__vm_fields, &entry);
    if (node->kind != SMS__MAP)
        return entry;
    if (entry.vm.times && entry.vm.repeat == 0)
        entry.vm.repeat = entry.vm.times->count;
    if (process) {
        *streams = sms__read_streams(reader, entry.streams_node, entry.vm.repeat);
        entry.vm.stream = streams->stream;
        entry.vm.streams = streams->count;
        entry.vm.own = streams->workload != NULL;
        entry.vm.repeat = longest_repeat(streams);
        check_arrivals(reader, &entry.vm);
    }
    check_times(reader, &entry.vm);
    if (sms__node_get(node, "stagger") && sms__node_get(node, "count") && entry.count == 1)
        sms__complain(reader, node, "stagger is for a count of several");
    return entry;
}

static void add_tenants(struct sms__reader *reader, const struct entry *entry, struct sms_scenario *scenario)
{
    const struct sms__node *at = sms__node_get(entry->vm.node, "name");
    const char *word = sms__tenant_word(scenario);
    for (uint64_t i = 0; i < entry->count && reader->errors->count <= SMS_ERRORS_MAX; i++) {
        struct sms__tenant *vm = &scenario->vm[scenario->vms++];
        *vm = entry->vm;
        vm->start_ps += entry->stagger_ps * (double)i;
        if (entry->count > 1)
            vm->name = sms__print(reader->arena, "%s%llu", vm->name, (unsigned long long)i + 1);
        if (scenario->shares && !strcmp(vm->name, "all"))
            sms__complain(reader, at ? at : vm->node, "'all' is the sum of all processes; name it otherwise");
        if (vm->start_ps > SMS__TIME_MAX_PS)
            sms__complain(reader, vm->node, "%s '%.60s' starts beyond the clock's 104 days", word, vm->name);
    }
}

void sms__list_classes(struct sms__reader *reader, struct sms_scenario *scenario)
{
    for (size_t v = 0; v < scenario->vms; v++) {
        struct sms__tenant *vm = &scenario->vm[v];
        if (!vm->cls)
            continue;
        const size_t c = sms__find_name(vm->cls, scenario->cls.count, sms__text_at, scenario->cls.name);
        if (c == scenario->cls.count)
            *SMS__APPEND(reader->arena, scenario->cls.name, scenario->cls.count) = vm->cls;
        vm->cls = scenario->cls.name[c];
    }
}

static void check_names(struct sms__reader *reader, const struct entry *entry, size_t entries, const char *word)
{
    struct sms__named *named = SMS__NEW(reader->arena, struct sms__named, entries);
    for (size_t i = 0; i < entries; i++) {
        const struct sms__node *at = sms__node_get(entry[i].vm.node, "name");
        named[i] = (struct sms__named){entry[i].vm.name, at ? at : entry[i].vm.node,
                                       entry[i].count > 1 ? entry[i].count : 0, false};
    }
    sms__check_names(reader, named, entries, word);
}

/* Whether a process is called like one of the several streams of another, which are PROCESS/NUMBER in results. */
static bool is_stream(const struct sms__tenant *process, const struct sms__tenant *other)
{
    size_t length = strlen(other->name);
    char *end;
    if (other->streams < 2 || strncmp(process->name, other->name, length) != 0 || process->name[length] != '/')
        return false;
    const char *number = process->name + length + 1;
    unsigned long long stream = strtoull(number, &end, 10);
    return *number >= '1' && *number <= '9' && !*end && stream <= other->streams;
}

static void check_stream_names(struct sms__reader *reader, const struct sms_scenario *scenario)
{
    for (size_t v = 0; v < scenario->vms && scenario->shares; v++) {
        const struct sms__tenant *process = &scenario->vm[v];
        for (size_t w = 0; w < scenario->vms && strchr(process->name, '/'); w++)
            if (is_stream(process, &scenario->vm[w]) && reader->errors->count <= SMS_ERRORS_MAX)
                sms__complain(reader, process->node, "process '%.60s' is also a stream of '%.60s'", process->name,
                              scenario->vm[w].name);
    }
}

void sms__read_processes(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms_scenario *scenario = at;
    const char *word = scenario->shares ? "processes" : "VMs";
    uint64_t sum = 0, all_streams = 0;
    struct entry *entry = SMS__NEW(reader->arena, struct entry, node->items);
    struct sms__streams *streams = SMS__NEW(reader->arena, struct sms__streams, node->items);
    for (size_t i = 0; i < node->items; i++) {
        entry[i] = read_entry(reader, node->item[i], scenario->shares, &streams[i]);
        sum += entry[i].count;
        all_streams += entry[i].count * streams[i].count;
        if (reader->errors->count > SMS_ERRORS_MAX)
            return;
    }
    if (sum > TENANTS_MAX || all_streams > TENANTS_MAX) {
        sms__complain(reader, node, "more than %d %s%s", TENANTS_MAX, sum > TENANTS_MAX ? "" : "streams of all ", word);
        return;
    }
    scenario->vm = SMS__NEW(reader->arena, struct sms__tenant, sum);
    for (size_t i = 0; i < node->items && reader->errors->count <= SMS_ERRORS_MAX; i++) {
        if (node->item[i]->kind != SMS__MAP)
            continue;
        if (scenario->shares ? says_what(reader, &entry[i], &streams[i]) : entry[i].workload != NULL)
            choose(reader, &entry[i], &streams[i]);
        scenario->drawn |= entry[i].draw && entry[i].vm.choices > 1;
        add_tenants(reader, &entry[i], scenario);
    }
    check_names(reader, entry, node->items, sms__tenant_word(scenario));
    check_stream_names(reader, scenario);
    sms__list_classes(reader, scenario);
}

void sms__read_vms(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms_scenario *scenario = at;
    if (!scenario->shares) /* both are given, which is reported */
        sms__read_processes(reader, node, scenario);
}

size_t sms__tenants_at(const struct sms_scenario *scenario, const struct sms__site *site, size_t from, size_t before)
{
    size_t count = 0;
    for (size_t v = from; v < before; v++)
        count += sms__may_be_at(&scenario->vm[v], site);
    return count;
}
