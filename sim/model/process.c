/* Reads what only scenarios with processes have: the host, and the processes. */
#include "file.h"
#include "scenario.h"

#include <string.h>

#define F(struct_, member) offsetof(struct struct_, member)

/* Of one scenario; of one `draw:`; kernels of all workloads to draw from, of a scenario. */
enum { PROCESSES_MAX = 10000, DRAW_MAX = 100, DRAWN_KERNELS_MAX = 100000 };

const struct sms__field sms__host_fields[] = {
    {"cores", SMS__INTEGER, SMS__COUNT, F(sms__host, cores), 1, 1e6,
     .help = "processes that compute at once; default: all"},
    {"link_in", SMS__QUANTITY, SMS__BANDWIDTH, F(sms__host, link_in), 1, 1e18,
     .help = "of all copies to devices together; default: no limit but theirs"},
    {"link_out", SMS__QUANTITY, SMS__BANDWIDTH, F(sms__host, link_out), 1, 1e18,
     .help = "of all copies from devices together"},
    {"power", SMS__QUANTITY, SMS__POWER, F(sms__host, power_w), 0, 1e6, .help = "of the host without its devices"},
    {"context", SMS__QUANTITY, SMS__BYTES, F(sms__host, context_bytes), 0, 1e12,
     .help = "device memory that a process takes by being there; default 0"},
    {"context_time", SMS__QUANTITY, SMS__TIME, F(sms__host, context_ps), 0, SMS__TIME_MAX_PS,
     .help = "to create that; default 0"},
    {0}};

/* One entry of `processes:`; of which several processes may be. */
struct entry {
    const char *name;
    const struct sms__node *node, *workload, *draw, *streams_node;
    struct sms__streams streams;
    uint64_t count, repeat;
    double start_ps, stagger_ps, deadline_ps;
    struct sms__process_spec process;
};

static void keep_list(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    if (!sms__expect_list(reader, node, DRAW_MAX))
        return;
    if (node->items == 0)
        sms__complain(reader, node, "draw: there are none");
    for (size_t i = 0; i < node->items; i++)
        if (!sms__expect_kind(reader, node->item[i], SMS__SCALAR))
            return;
    *(const struct sms__node **)at = node;
}

const struct sms__field sms__process_fields[] = {
    {"name", SMS__NAME, 0, F(entry, name), .required = true, .help = "its name; of several NAME1, NAME2, ..."},
    {"workload", SMS__REFERENCE, 0, F(entry, workload), .help = "what one job does"},
    {"draw", SMS__REFERENCE, 0, F(entry, draw), .read = keep_list, .holds = SMS__MANY, .least = 1, .most = DRAW_MAX,
     .help = "instead: a list of workloads, of which each replication draws one"},
    {"count", SMS__INTEGER, SMS__COUNT, F(entry, count), 1, PROCESSES_MAX, .help = "how many; default 1"},
    {"start", SMS__QUANTITY, SMS__TIME, F(entry, start_ps), 0, SMS__TIME_MAX_PS, .help = "default 0"},
    {"stagger", SMS__QUANTITY, SMS__TIME, F(entry, stagger_ps), 0, SMS__TIME_MAX_PS, .needs = "count",
     .help = "from the start of one of several to that of the next; default 0"},
    {"repeat", SMS__INTEGER, SMS__COUNT, F(entry, repeat), 1, SMS__REPEAT_MAX, .word = "forever",
     .otherwise = "a number of jobs", .help = "jobs, or forever; default 1"},
    {"streams", SMS__CUSTOM, SMS__COUNT, F(entry, streams_node), 1, SMS__STREAMS_MAX, .read = sms__keep,
     .form = SMS__FORM_NUMBER_OR_LIST, .fields = sms__stream_fields, .least = 1, .most = SMS__STREAMS_MAX,
     .help = "jobs under way at once, in one context; or a list of streams with workloads of their own; default 1"},
    {"deadline", SMS__QUANTITY, SMS__TIME, F(entry, deadline_ps), 1, SMS__TIME_MAX_PS,
     .help = "of a job, from its arrival"},
    {"priority", SMS__QUANTITY, SMS__COUNT, F(entry, process.priority), -1e6, 1e6,
     .help = "for policies that have an eye on it: higher goes first; default 0"},
    {"weight", SMS__QUANTITY, SMS__RATIO, F(entry, process.weight), 1e-6, 1e6,
     .help = "for policies that have an eye on it: its share beside others; default 1"},
    {"active_threads", SMS__QUANTITY, SMS__RATIO, F(entry, process.active_threads), 0.01, 1,
     .help = "under mps: share of the SMs that it may use; default 100 %"},
    {"device", SMS__INDEX, SMS__COUNT, F(entry, process.device), 0, SMS__INDEX_MAX,
     .help = "the only one on which it may run, from 0; default: any"},
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

static const struct sms__workload *find(struct sms__reader *reader, const struct sms__node *name)
{
    return sms__find_workload(reader->user, name->text, name);
}

/* The kernels of one workload, named WORKLOAD/KERNEL, at the end of the union's. */
static void append_kernels(struct sms__arena *arena, struct sms__workload *all, const struct sms__workload *workload)
{
    for (size_t k = 0; k < workload->kernels; k++) {
        struct sms__kernel *kernel = &all->kernel[all->kernels++];
        *kernel = workload->kernel[k];
        kernel->name = sms__print(arena, "%s/%s", workload->name, kernel->name);
    }
}

/* All of the streams' modules are loaded, and each may hold what its workload asks for; of several to draw from it is
 * one's. */
static void add_memory(struct sms__workload *all, const struct sms__workload *workload, bool own, bool first)
{
    uint64_t declared = workload->declared;
    all->declared = own ? all->declared + declared : declared > all->declared ? declared : all->declared;
    if (own && first)
        all->statics += workload->statics;
    else if (!own && workload->statics > all->statics)
        all->statics = workload->statics;
}

/* Where the kernels of each workload begin; one given twice has its kernels once. Returns their number. */
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

/* All kernels of all workloads, and no steps: those are of the one that is drawn, or of each stream. */
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
        .node = node, .name = entry->name, .title = "", .source = "", .device = "", .scaled_from = "", .cls = ""};
    all->kernel = SMS__NEW(reader->arena, struct sms__kernel, kernels);
    for (size_t i = 0; i < choices; i++) {
        bool first = choice[i].first == all->kernels;
        if (first)
            append_kernels(reader->arena, all, choice[i].workload);
        add_memory(all, choice[i].workload, entry->process.own, first);
    }
    return all;
}

static const struct sms__node *name_of_choice(const struct entry *entry, size_t i)
{
    return entry->draw ? entry->draw->item[i] : entry->process.own ? entry->streams.workload[i] : entry->workload;
}

static bool is_one(const struct sms__choice *choice, size_t count)
{
    bool one = true;
    for (size_t i = 1; i < count; i++)
        one &= choice[i].workload == choice[0].workload;
    return one;
}

/* Whether the entry has one of the keys that say what its processes do; reports it otherwise. */
static bool says_what(struct sms__reader *reader, const struct entry *entry)
{
    bool workload = sms__node_get(entry->node, "workload"), draw = sms__node_get(entry->node, "draw");
    if (entry->process.own && (workload || draw))
        sms__complain(reader, entry->streams_node,
                      "the streams have workloads of their own: the process has no workload and no draw");
    else if (!entry->process.own && workload == draw)
        sms__complain(reader, entry->node, "a process has either workload or draw");
    else
        return entry->process.own ? entry->streams.count > 0 : entry->workload || entry->draw;
    return false;
}

/* What the entry's processes may do; the first of it is for all of them. NULL with the problem reported. */
static const struct sms__workload *choose(struct sms__reader *reader, struct entry *entry)
{
    if (!says_what(reader, entry))
        return NULL;
    size_t found = 0, count = entry->draw ? entry->draw->items : entry->process.own ? entry->streams.count : 1;
    struct sms__choice *choice = SMS__NEW(reader->arena, struct sms__choice, count);
    for (size_t i = 0; i < count; i++) {
        choice[i].workload = find(reader, name_of_choice(entry, i));
        found += choice[i].workload != NULL;
    }
    entry->process.choice = choice;
    entry->process.choices = count;
    if (found < count)
        return NULL;
    sms__check_streams(reader, &entry->streams, &entry->process);
    bool several = count > 1 && (entry->draw || !is_one(choice, count));
    return several ? unite(reader, entry, choice, count) : choice->workload;
}

static void add_process(struct sms__reader *reader, const struct entry *entry, const struct sms__workload *workload,
                        uint64_t i, struct sms_scenario *scenario)
{
    struct sms__vm *vm = &scenario->vm[scenario->vms];
    const struct sms__node *at = sms__node_get(entry->node, "name");
    struct sms__process_spec *process = SMS__NEW(reader->arena, struct sms__process_spec, 1);
    *process = entry->process;
    *vm = (struct sms__vm){.name = entry->name,
                           .node = entry->node,
                           .workload = workload,
                           .start_ps = entry->start_ps + entry->stagger_ps * (double)i,
                           .deadline_ps = entry->deadline_ps,
                           .repeat = entry->repeat,
                           .streams = entry->streams.count,
                           .process = process};
    if (entry->count > 1)
        vm->name = sms__print(reader->arena, "%s%llu", entry->name, (unsigned long long)i + 1);
    if (!strcmp(vm->name, "all"))
        sms__complain(reader, at ? at : entry->node, "'all' is the sum of all processes; name it otherwise");
    if (vm->start_ps > SMS__TIME_MAX_PS)
        sms__complain(reader, entry->node, "process '%.60s' starts beyond the clock's 104 days", vm->name);
    for (size_t v = 0; v < scenario->vms; v++)
        if (vm->name[0] && !strcmp(scenario->vm[v].name, vm->name))
            sms__complain(reader, at ? at : entry->node, "process '%.60s' is defined twice", vm->name);
    scenario->vms++;
}

/* A process goes on for ever if one of its streams does. */
static void read_streams(struct sms__reader *reader, struct entry *entry)
{
    entry->streams = sms__read_streams(reader, entry->streams_node, entry->repeat);
    entry->process.stream = entry->streams.stream;
    entry->process.own = entry->streams.workload != NULL;
    for (size_t i = 0; i < entry->streams.count; i++) {
        uint64_t repeat = entry->streams.stream[i].repeat;
        entry->repeat =
            i > 0 && (entry->repeat == 0 || (repeat > 0 && repeat < entry->repeat)) ? entry->repeat : repeat;
    }
}

static struct entry read_entry(struct sms__reader *reader, const struct sms__node *node)
{
    struct entry entry = {.name = "", .node = node, .count = 1, .repeat = 1};
    entry.process = (struct sms__process_spec){.weight = 1, .active_threads = 1, .device = -1};
    sms__read_fields(reader, node, sms__process_fields, &entry);
    if (node->kind == SMS__MAP)
        read_streams(reader, &entry);
    if (node->kind == SMS__MAP && sms__node_get(node, "stagger") && sms__node_get(node, "count") && entry.count == 1)
        sms__complain(reader, node, "stagger is for a count of several");
    return entry;
}

void sms__read_processes(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms_scenario *scenario = at;
    uint64_t sum = 0, streams = 0;
    if (!sms__expect_list(reader, node, PROCESSES_MAX))
        return;
    struct entry *entry = SMS__NEW(reader->arena, struct entry, node->items);
    for (size_t i = 0; i < node->items; i++) {
        entry[i] = read_entry(reader, node->item[i]);
        sum += entry[i].count;
        streams += entry[i].count * entry[i].streams.count;
        if (reader->errors->count > SMS_ERRORS_MAX)
            return;
    }
    if (sum > PROCESSES_MAX) {
        sms__complain(reader, node, "more than %d processes", PROCESSES_MAX);
        return;
    }
    if (streams > PROCESSES_MAX) {
        sms__complain(reader, node, "more than %d streams of all processes", PROCESSES_MAX);
        return;
    }
    scenario->vm = SMS__NEW(reader->arena, struct sms__vm, sum);
    for (size_t i = 0; i < node->items && reader->errors->count <= SMS_ERRORS_MAX; i++) {
        if (node->item[i]->kind != SMS__MAP)
            continue;
        const struct sms__workload *workload = choose(reader, &entry[i]);
        scenario->drawn |= entry[i].draw && entry[i].process.choices > 1;
        for (uint64_t k = 0; k < entry[i].count && reader->errors->count <= SMS_ERRORS_MAX; k++)
            add_process(reader, &entry[i], workload, k, scenario);
    }
}

const struct sms__workload *sms__workload_of(const struct sms__vm *vm, size_t i, size_t *first)
{
    *first = 0;
    if (!vm->process)
        return i == 0 ? vm->workload : NULL;
    if (i >= vm->process->choices)
        return NULL;
    *first = vm->process->choice[i].first;
    return vm->process->choice[i].workload;
}

bool sms__is_like_last(const struct sms_scenario *scenario, size_t v)
{
    const struct sms__process_spec *process = scenario->vm[v].process;
    return process && v > 0 && process->choice == scenario->vm[v - 1].process->choice;
}

const char *sms__tenant_word(const struct sms_scenario *scenario)
{
    return scenario->shares ? "process" : scenario->cluster ? "pod" : "VM";
}
