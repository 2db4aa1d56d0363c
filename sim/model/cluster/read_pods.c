/* Reads `pods:` of a cluster: entries, tables of them, and samples, which draw from a table. */
#include "../names.h"
#include "../scenario.h"
#include "node_mig.h"
#include "tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define F(struct_, member) offsetof(struct struct_, member)

enum { PODS_MAX = 20000000, REPLICAS_MAX = 100000 };

/* One entry of `pods:`, or one row of a table. */
struct entry {
    const struct sms__node *table, *sample, *models, *selector, *workload, *profile, *profiles;
    uint64_t gpus, gpu_milli, cpu_milli, memory, replicas;
    struct sms__pods pods;
    struct sms__tenant vm; /* what a pod with a workload runs */
};

static const char *const spreads[] = {"fixed", "exponential", NULL};

static void read_request(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__request *request = at;
    struct sms__quantity number;
    if (node->kind != SMS__LIST) {
        if (sms__read_number(reader, node, SMS__BYTES, 0, SMS__GPU_BYTES_MAX, &number))
            request->bytes = (uint64_t)(number.value + 0.5);
        return;
    }
    if (!sms__expect_list(reader, node, SMS__CONTAINERS_MAX))
        return;
    request->container = SMS__NEW(reader->arena, uint64_t, node->items + 1);
    request->containers = node->items;
    for (size_t i = 0; i < node->items; i++)
        if (sms__read_number(reader, node->item[i], SMS__BYTES, 0, SMS__GPU_BYTES_MAX, &number))
            request->bytes += request->container[i] = (uint64_t)(number.value + 0.5);
    if (node->items == 0)
        sms__complain(reader, node, "gpu_memory: there are no containers");
}

const struct sms__field sms__pod_fields[] = {
    {"name", SMS__NAME, 0, F(entry, pods.name), .help = "names the pod; with count, the names are NAME1, NAME2, ..."},
    {"count", SMS__INTEGER, SMS__COUNT, F(entry, pods.count), 1, PODS_MAX,
     .help = "sets the number of such pods; default 1"},
    {"replicas", SMS__INTEGER, SMS__COUNT, F(entry, replicas), 1, REPLICAS_MAX,
     .help = "sets the number of pods in a gang, which start together; default 1"},
    {"start", SMS__QUANTITY, SMS__TIME, F(entry, pods.start_ps), 0, SMS__POD_LASTS_MAX,
     .help = "sets the time at which the pod arrives; default 0"},
    {"arrivals", SMS__FIELDS, 0, F(entry, pods.arriving), .read = sms__read_pod_arrivals,
     .fields = sms__pod_arrival_fields,
     .help = "sets how pods arrive: {poisson: TIME, ...} or {every: TIME, ...}; default: all at the same time"},
    {"duration", SMS__QUANTITY, SMS__TIME, F(entry, pods.duration_ps), 1, SMS__POD_LASTS_MAX, .word = "forever",
     .otherwise = "a time", .help = "sets the time that the pod spends on its node, or forever; default forever"},
    {"spread", SMS__CHOICE, 0, F(entry, pods.spread), .choices = spreads,
     .help = "sets the distribution of the duration: fixed or exponential; default fixed"},
    {"deadline", SMS__QUANTITY, SMS__TIME, F(entry, pods.deadline_ps), 1, SMS__POD_LASTS_MAX,
     .help = "sets the deadline of the pod, from its arrival to its end"},
    {"job_deadline", SMS__QUANTITY, SMS__TIME, F(entry, pods.job_deadline_ps), 1, SMS__POD_LASTS_MAX,
     .help = "sets the deadline of each job, from its first use of the GPU; without a workload, of the duration"},
    {"workload", SMS__REFERENCE, 0, F(entry, workload),
     .help = "names the workload that the pod runs on each GPU, instead of a duration"},
    {"repeat", SMS__INTEGER, SMS__COUNT, F(entry, vm.repeat), 1, SMS__REPEAT_MAX, .word = "forever",
     .otherwise = "a number of jobs", .help = "sets the number of jobs, or forever; default 1"},
    {"period", SMS__QUANTITY, SMS__TIME, F(entry, vm.period_ps), 1, SMS__TIME_MAX_PS,
     .help = "sets the time between starts of jobs; default: the next starts when one has ended"},
    {"class", SMS__NAME, 0, F(entry, vm.cls), .help = "names a class of service, whose jobs are also counted together"},
    {"priority", SMS__QUANTITY, SMS__COUNT, F(entry, vm.priority), -1e6, 1e6,
     .help = "sets the priority: higher ones are placed first, and count as for processes; default 0"},
    {"weight", SMS__QUANTITY, SMS__RATIO, F(entry, vm.weight), 1e-6, 1e6,
     .help = "sets the weight of the pod's share, for share policies that use it; default 1"},
    {"active_threads", SMS__QUANTITY, SMS__RATIO, F(entry, vm.active_threads), SMS__THREADS_LEAST, 1,
     .help = "under mps: sets the share of the SMs that the pod may use; default 100 %"},
    {"gpus", SMS__INTEGER, SMS__COUNT, F(entry, gpus), 0, SMS_NODE_GPUS_MAX,
     .help = "sets the number of GPUs; default 1 if gpu or gpu_memory is given, otherwise 0"},
    {"gpu", SMS__MILLI, SMS__RATIO, F(entry, gpu_milli), 0.001, 1,
     .help = "sets the share of a GPU, in thousandths; default 100 %"},
    {"profile", SMS__REFERENCE, 0, F(entry, profile),
     .help = "names the MIG profile of which the pod takes one instance, such as 2g.10gb; instead of gpus"},
    {"profiles", SMS__QUANTITY, SMS__TIME, F(entry, profiles), 1, SMS__POD_LASTS_MAX, .read = sms__keep,
     .holds = SMS__NAMED, .least = 1, .most = SMS_PROFILES_MAX,
     .help = "gives profiles, of which the pod takes one, and its duration on each: {PROFILE: TIME, ...}; instead of a "
             "duration"},
    {"gpu_memory", SMS__CUSTOM, SMS__BYTES, F(entry, pods.request), 0, SMS__GPU_BYTES_MAX, .read = read_request,
     .form = SMS__FORM_NUMBER_OR_LIST, .least = 1, .most = SMS__CONTAINERS_MAX,
     .help = "sets the memory of each GPU; default 0; under gpushare also a list, by container"},
    {"cpu", SMS__MILLI, SMS__NUMBER, F(entry, cpu_milli), 0, SMS__CPUS_MAX,
     .help = "sets the number of CPUs, in thousandths; default 0"},
    {"memory", SMS__INTEGER, SMS__BYTES, F(entry, memory), 0, SMS__HOST_BYTES_MAX,
     .help = "sets the memory of the host; default 0"},
    {"models", SMS__CUSTOM, 0, F(entry, models), .read = sms__keep, .form = SMS__FORM_NAMES, .least = 1,
     .most = SMS_GPU_MODELS_MAX, .help = "lists the GPU models on which the pod can run; default: any"},
    {"selector", SMS__CUSTOM, 0, F(entry, selector), .read = sms__keep, .form = SMS__FORM_LABELS,
     .help = "gives the labels that a node must have: {NAME: VALUE, ...}; default: none"},
    {"allocate_delay", SMS__QUANTITY, SMS__TIME, F(entry, pods.allocate_delay_ps), 0, SMS__TIME_MAX_PS,
     .help = "gpushare: sets the allocate_delay of the pod's first start"},
    {"start_delay", SMS__QUANTITY, SMS__TIME, F(entry, pods.start_delay_ps), 0, SMS__TIME_MAX_PS,
     .help = "gpushare: sets the start_delay of the pod's first start"},
    {"table", SMS__FIELDS, 0, F(entry, table), .read = sms__keep, .fields = sms__table_fields,
     .help = "lists pods, one per row: {columns: [KEY, ...], rows: [[VALUE, ...], ...]}"},
    {"sample", SMS__REFERENCE, 0, F(entry, sample),
     .help = "gives a table from which pods are drawn, with replacement"},
    {"until", SMS__QUANTITY, SMS__RATIO, F(entry, pods.until), 1e-6, 100, .needs = "sample",
     .help = "ends a sample once this share of all GPUs has been requested, instead of count"},
    {"streams", .refuse = "a pod has one stream; several at once are several pods, as count: 2"},
    {0}};

const struct sms__table sms__pod_tables[2] = {{"scenario: pods", sms__pod_fields}, {NULL, NULL}};

/* A table while pods are read: its pods, and what samples of it need to know. */
struct table {
    const char *name;
    size_t first, rows;
    bool empty;   /* it has no rows at all, not even wrong ones */
    double milli; /* of GPUs, that a pod of it asks for on average; -1: not known yet */
    bool spread;  /* some duration is drawn */
    bool forever; /* some row has no end */
};

struct reading {
    struct sms__reader *reader;
    struct sms_scenario *scenario;
    struct sms__cluster *cluster;
    struct sms_pod_view *view; /* [groups], before equal ones are found */
    struct table *table;
    size_t tables;
    struct table **named; /* [tables], by name, once all are read */
};

static bool is_given(const struct sms__node *map, const char *key) { return sms__node_get(map, key) != NULL; }

const char *const sms__guest_pod_keys[] = {"allocate_delay", "start_delay", NULL};

static void refuse_keys(struct sms__reader *reader, const struct sms__node *node, const struct entry *entry)
{
    for (const char *const *key = sms__guest_pod_keys; *key; key++)
        if (is_given(node, *key))
            sms__refuse_guest_key(reader, node, sms__print(reader->arena, "'%s'", *key));
    if (entry->pods.request.container)
        sms__refuse_guest_key(reader, sms__node_get(node, "gpu_memory"), "gpu_memory of several containers");
}

/* Returns what a pod of the entry asks for, as policies see it. */
static struct sms_pod_view read_view(const struct reading *reading, const struct sms__node *node, struct entry *entry)
{
    struct sms__reader *reader = reading->reader;
    bool of_gpu = is_given(node, "gpu") || is_given(node, "gpu_memory");
    if (!is_given(node, "gpus") || sms__is_wrong(reader, node, "gpus"))
        entry->gpus = of_gpu || entry->workload || entry->profile || entry->profiles;
    if (entry->gpus == 0 && (of_gpu || entry->models) && !entry->workload) /* which needs one: podwork.c */
        sms__complain(reader, node, "a pod without gpus takes no part of one, no gpu_memory and no models");
    struct sms_pod_view view = {.gpus = (uint32_t)entry->gpus,
                                .gpu_milli = entry->gpus ? (uint32_t)entry->gpu_milli : 0,
                                .gpu_memory = entry->pods.request.bytes,
                                .cpu_milli = entry->cpu_milli,
                                .memory = entry->memory,
                                .replicas = (uint32_t)entry->replicas,
                                .priority = (int32_t)nearbyint(entry->vm.priority * 1000),
                                .models = UINT64_MAX};
    view.labels = sms__read_labels(reader, entry->selector, reading->cluster, false);
    if (entry->gpus)
        view.models = sms__read_models(reader, entry->models, reading->cluster);
    if (entry->profile && entry->profiles)
        sms__complain(reader, entry->profile, "a pod has either a profile or profiles");
    else if (entry->profile)
        sms__read_pod_profile(reader, node, reading->scenario, &view);
    else if (entry->profiles)
        entry->pods.duration_ps = sms__read_pod_profiles(reader, node, reading->scenario, &view);
    const struct sms__guest *guest = reading->cluster->guest;
    if (guest)
        guest->read_pod(reader, node, reading->cluster, &entry->pods.request, &view);
    else
        refuse_keys(reader, node, entry);
    if (guest && entry->replicas > 1)
        sms__complain(reader, sms__node_get(node, "replicas"), "scheduler: {kind: %s} knows no gangs", guest->kind);
    return view;
}

/* The key that carries the last pod furthest. */
static const char *carrier(const struct entry *entry, double last)
{
    double coming = last - entry->pods.start_ps;
    if (entry->pods.duration_ps >= coming && entry->pods.duration_ps >= entry->pods.start_ps)
        return "duration";
    return coming >= entry->pods.start_ps ? "arrivals" : "start";
}

static void check_times(struct sms__reader *reader, const struct sms__node *node, const struct entry *entry)
{
    double last = entry->pods.start_ps + sms__mean_interval(&entry->pods.arriving) * ((double)entry->pods.count - 1);
    bool works = entry->workload != NULL;
    bool by_rows = entry->sample && !is_given(node, "duration"); /* they say how long */
    bool forever = entry->pods.duration_ps == 0 && !entry->profiles && !sms__is_wrong(reader, node, "duration");
    if (forever && entry->pods.spread == SMS__POD_EXPONENTIAL)
        sms__complain(reader, node, "%s",
                      works     ? "a pod with a workload has no spread"
                      : by_rows ? "a sample without a duration takes 'spread' from its table"
                                : "what lasts for ever has no spread");
    if (forever && entry->pods.deadline_ps > 0 && !works && !by_rows)
        sms__complain(reader, node, "what lasts for ever has no deadline");
    if (last + entry->pods.duration_ps > SMS__POD_LASTS_MAX)
        sms__complain(reader, sms__at_key(node, carrier(entry, last)), "it would end beyond the clock's 213 days");
    if (is_given(node, "arrivals") && entry->pods.count == 1 && !entry->sample && !sms__is_wrong(reader, node, "count"))
        sms__complain(reader, node, "arrivals are for a count of several");
}

static struct entry read_entry(struct sms__reader *reader, const struct sms__node *node)
{
    struct entry entry = {.gpu_milli = 1000, .replicas = 1, .vm = {SMS__TENANT_DEFAULTS}};
    entry.pods = (struct sms__pods){
        .name = "", .node = node, .count = 1, .arriving.batch = 1, .allocate_delay_ps = -1, .start_delay_ps = -1};
    sms__read_fields(reader, node, sms__pod_fields, &entry);
    entry.vm.name = entry.pods.name;
    entry.vm.node = node;
    return entry;
}

static void add_pods(struct reading *reading, const struct sms__node *node, const struct entry *entry)
{
    struct sms__cluster *cluster = reading->cluster;
    struct entry copy = *entry;
    if (!is_given(node, "name"))
        sms__complain(reading->reader, node, "key 'name' is missing");
    struct sms_pod_view view = read_view(reading, node, &copy);
    check_times(reading->reader, node, &copy);
    copy.vm.profile = view.profile;
    struct sms__pods *pods = &cluster->pod[cluster->groups];
    *pods = copy.pods;
    pods->tenant = sms__read_podwork(reading->reader, entry->workload, &copy.vm, reading->scenario, &view);
    view.kind = pods->tenant;
    reading->view[cluster->groups++] = view;
}

static int compare_tables(const void *a, const void *b)
{
    struct table *const *x = a, *const *y = b;
    int order = strcmp((*x)->name, (*y)->name);
    return order ? order : ((*x)->first > (*y)->first) - ((*x)->first < (*y)->first);
}

static void sort_tables(struct reading *reading)
{
    reading->named = SMS__NEW(reading->reader->arena, struct table *, reading->tables);
    for (size_t i = 0; i < reading->tables; i++)
        reading->named[i] = &reading->table[i];
    if (reading->tables > 1)
        qsort(reading->named, reading->tables, sizeof(struct table *), compare_tables);
}

/* The first of that name. */
static struct table *find_table(const struct reading *reading, const struct sms__node *name)
{
    size_t low = 0, high = reading->tables;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (strcmp(reading->named[middle]->name, name->text) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < reading->tables && name->text[0] && !strcmp(reading->named[low]->name, name->text))
        return reading->named[low];
    sms__complain_unknown(reading->reader, name, "table of pods", reading->tables, SMS__NAMES(reading->table, name));
    return NULL;
}

/* The rows of the table become a pool. */
static void make_pool(const struct reading *reading, struct table *table)
{
    for (size_t i = table->first; i < table->first + table->rows; i++) {
        reading->cluster->pod[i].pool = true;
        table->spread |= reading->cluster->pod[i].spread == SMS__POD_EXPONENTIAL;
        table->forever |= reading->cluster->pod[i].duration_ps == 0 && !reading->cluster->pod[i].tenant;
    }
    table->milli = sms__mean_milli(reading->view, table->first, table->rows);
}

const char *const sms__sampled_keys[] = {
    "gpus",     "gpu",      "gpu_memory", "cpu",      "memory",         "models",         "profile",
    "profiles", "replicas", "selector",   "priority", "workload",       "allocate_delay", "start_delay",
    "table",    "repeat",   "period",     "weight",   "active_threads", "class",          NULL};

static void check_sample(struct sms__reader *reader, const struct sms__node *node)
{
    for (const char *const *key = sms__sampled_keys; *key; key++)
        if (is_given(node, *key))
            sms__complain(reader, node, "a sample takes '%s' from its table", *key);
    if (is_given(node, "until") == is_given(node, "count"))
        sms__complain(reader, node, "a sample has either until or count");
}

/* The most replicas of any row. */
static uint32_t most_replicas(const struct reading *reading, const struct table *table)
{
    uint32_t most = 1;
    for (size_t i = table->first; i < table->first + table->rows; i++)
        most = reading->view[i].replicas > most ? reading->view[i].replicas : most;
    return most;
}

/* A sample draws from its rows what a pod is. How many come, when, and what becomes of them, the sample says itself. */
static void check_rows(const struct reading *reading, const struct table *table)
{
    static const char *const keys[] = {"count", "start", "arrivals", "deadline", "job_deadline"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        for (size_t i = table->first; i < table->first + table->rows; i++) {
            const struct sms__node *row = reading->cluster->pod[i].node, *value = sms__node_get(row, keys[k]);
            if (!value)
                continue;
            sms__complain(reading->reader, value, "pods are drawn from this table: '%s' is for the sample to say",
                          keys[k]);
            break;
        }
}

static void add_sample(struct reading *reading, const struct sms__node *node, struct entry *entry)
{
    struct sms__cluster *cluster = reading->cluster;
    struct table *table = find_table(reading, entry->sample);
    check_sample(reading->reader, node);
    if (table && table->empty)
        sms__complain(reading->reader, entry->sample, "table '%s' has no rows to draw from", table->name);
    if (!table || table->empty)
        return;
    if (!entry->pods.name[0])
        entry->pods.name = sms__print(reading->reader->arena, "%s-sample", table->name);
    check_times(reading->reader, node, entry);
    if (table->milli < 0) {
        check_rows(reading, table);
        make_pool(reading, table);
    }
    if (table->forever && entry->pods.deadline_ps > 0 && !is_given(node, "duration"))
        sms__complain(reading->reader, sms__node_get(node, "deadline"),
                      "what lasts for ever has no deadline, and in table '%s' something does", table->name);
    reading->view[cluster->groups].replicas = most_replicas(reading, table);
    struct sms__pods *pods = &cluster->pod[cluster->groups++];
    *pods = entry->pods;
    pods->first_row = table->first;
    pods->rows = table->rows;
    pods->lasts = is_given(node, "duration");
    pods->row_milli = table->milli;
    pods->row_spread = table->spread;
    if (entry->pods.until > 0 && (table->milli <= 0 || cluster->gpu_milli == 0))
        sms__complain(reading->reader, node, "until: there are no GPUs to ask for");
    else if (entry->pods.until > 0)
        pods->count = (uint64_t)(entry->pods.until * (double)cluster->gpu_milli / table->milli) + 1; /* about */
    if (pods->count > PODS_MAX)
        sms__complain(reading->reader, node, "more than %d pods", PODS_MAX);
}

static void read_table(struct reading *reading, const struct sms__node *node, const struct entry *entry)
{
    struct sms__reader *reader = reading->reader;
    struct table *table = &reading->table[reading->tables++];
    const struct sms__node *row;
    if (node->items != (is_given(node, "name") ? 4 : 2))
        sms__complain(reader, node, "beside a table stands a name, and nothing else");
    *table = (struct table){.name = entry->pods.name, .first = reading->cluster->groups, .milli = -1};
    struct sms__tabled rows;
    size_t before = reader->errors->count;
    sms__read_table(reader, entry->table, sms__pod_fields, &rows);
    table->empty = rows.rows == 0 && reader->errors->count == before;
    for (size_t r = 0; r < rows.rows && reader->errors->count <= SMS_ERRORS_MAX; r++)
        if ((row = sms__table_row(reader, &rows, r))) {
            struct entry pod = read_entry(reader, row);
            if (pod.table || pod.sample)
                sms__complain(reader, row, "a row is of pods");
            add_pods(reading, row, &pod);
        }
    table->rows = reading->cluster->groups - table->first;
}

/* How many numbers its pods may have; those to draw from do not come, and how many are drawn may not be known. */
static uint64_t several(const struct sms__pods *pods, const struct sms_pod_view *view)
{
    const uint64_t all = pods->count * view->replicas;
    if (pods->pool)
        return 0;
    if (pods->rows)
        return pods->until > 0 || view->replicas > 1 ? UINT64_MAX : pods->count;
    return all > 1 ? all : 0;
}

static void check_all(const struct reading *reading, const struct sms__node *list)
{
    struct sms__cluster *cluster = reading->cluster;
    struct sms__named *named = SMS__NEW(reading->reader->arena, struct sms__named, cluster->groups);
    for (size_t g = 0; g < cluster->groups; g++)
        named[g] = (struct sms__named){cluster->pod[g].name, cluster->pod[g].node,
                                       several(&cluster->pod[g], &reading->view[g]), cluster->pod[g].pool};
    sms__check_names(reading->reader, named, cluster->groups, "pod");
    if (reading->reader->errors->count)
        return;
    sms__find_shapes(reading->reader->arena, cluster, reading->view);
    if (cluster->pods > PODS_MAX)
        sms__complain(reading->reader, list, "more than %d pods", PODS_MAX);
}

void sms__read_pods(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct reading reading = {.reader = reader, .scenario = at, .cluster = ((struct sms_scenario *)at)->cluster};
    sms__read_guest_nodes(reader, reading.scenario);
    size_t most = sms__count_entries(node);
    reading.cluster->pod = SMS__NEW(reader->arena, struct sms__pods, most);
    reading.view = SMS__NEW(reader->arena, struct sms_pod_view, most);
    reading.table = SMS__NEW(reader->arena, struct table, node->items);
    for (int samples = 0; samples < 2; samples++) { /* samples name tables, which may stand after them */
        for (size_t i = 0; i < node->items && reader->errors->count <= SMS_ERRORS_MAX; i++) {
            const struct sms__node *item = node->item[i];
            bool sample = item->kind == SMS__MAP && is_given(item, "sample");
            if (sample != (samples == 1))
                continue;
            struct entry entry = read_entry(reader, item);
            if (item->kind != SMS__MAP)
                continue;
            if (sample && entry.sample)
                add_sample(&reading, item, &entry);
            else if (entry.table)
                read_table(&reading, item, &entry);
            else if (!sample)
                add_pods(&reading, item, &entry);
        }
        sort_tables(&reading);
    }
    sms__list_classes(reader, reading.scenario);
    check_all(&reading, node);
}
