/* Reads `workload:` documents: kernels with their geometry and demand, and the steps around them. */
#include "limits.h"
#include "workload.h"

#include <stdlib.h>
#include <string.h>

#define F(struct_, member) offsetof(struct struct_, member)

#define ALLOCATE_MAX 1e13 /* so that the sum of all steps can be counted */

enum { KERNELS_MAX = 4096, STEPS_MAX = 100000 };

static const char *const spread_names[] = {"uniform", "exponential", NULL};

static bool is_repeated(const struct sms__demand *demand, size_t count, const char *name)
{
    return sms__find_name(name, count, SMS__NAMES(demand, resource)) < count;
}

static bool is_bare(const struct sms__node *value) { return value->kind == SMS__SCALAR && !strchr(value->text, '%'); }

static bool is_whole(const struct sms__node *value)
{
    return value->kind == SMS__SCALAR && value->text[0] && strspn(value->text, "0123456789") == strlen(value->text);
}

static void read_demand_pair(struct sms__reader *reader, const struct sms__node *key, const struct sms__node *value,
                             struct sms__demand *demand, size_t *count)
{
    struct sms__quantity ratio;
    const char *name = sms__read_name(reader, key);
    bool bare = is_whole(value); /* a count, it may be: which devices there are is not known yet */
    if (!name || !sms__read_number(reader, value, SMS__RATIO, 0, bare ? SMS__UNITS_MAX : SMS__DEMAND_MAX, &ratio))
        return;
    if (is_repeated(demand, *count, name)) {
        sms__complain(reader, key, "key '%s' is given twice", name);
        return;
    }
    demand[(*count)++] = (struct sms__demand){name, ratio.value, is_bare(value), key, value};
}

void sms__read_demand(struct sms__reader *reader, const struct sms__node *node, struct sms__demand **demand,
                      size_t *count)
{
    if (!sms__expect_kind(reader, node, SMS__MAP))
        return;
    if (node->items / 2 > SMS_RESOURCES_MAX) {
        sms__complain(reader, node, "more than %d resources", SMS_RESOURCES_MAX);
        return;
    }
    *demand = SMS__NEW(reader->arena, struct sms__demand, node->items / 2);
    *count = 0;
    for (size_t i = 0; i + 1 < node->items; i += 2)
        read_demand_pair(reader, node->item[i], node->item[i + 1], *demand, count);
}

static void read_kernel_demand(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__kernel *kernel = at;
    sms__read_demand(reader, node, &kernel->demand, &kernel->demands);
}

/* Whether a kernel has the demand is looked at when all are read. */
static void read_uncertainty(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__workload *workload = at;
    sms__read_demand(reader, node, &workload->uncertainty, &workload->uncertainties);
    for (size_t i = 0; i < workload->uncertainties; i++)
        if (!sms__is_bare_percentage(reader, workload->uncertainty[i].value, workload->uncertainty[i].ratio))
            sms__expect_share(reader, &workload->uncertainty[i], 1);
}

static bool is_demanded(const struct sms__workload *workload, const char *resource)
{
    for (size_t k = 0; k < workload->kernels; k++)
        if (is_repeated(workload->kernel[k].demand, workload->kernel[k].demands, resource))
            return true;
    return false;
}

static void check_uncertainty(struct sms__reader *reader, const struct sms__workload *workload)
{
    for (size_t i = 0; i < workload->uncertainties; i++)
        if (!is_demanded(workload, workload->uncertainty[i].resource))
            sms__complain(reader, workload->uncertainty[i].node, "no kernel of '%.60s' has a demand of '%.60s'",
                          workload->name, workload->uncertainty[i].resource);
}

#define EITHER "a kernel has either time, or blocks, threads and block_time"

static const struct sms__field kernel_fields[] = {
    {"name", SMS__NAME, 0, F(sms__kernel, name), .required = true,
     .help = "names the kernel, for steps that launch it"},
    {"time", SMS__SPAN, SMS__CYCLES, 0, 1, SMS__TIME_MAX_PS, .one_of = EITHER, .read = sms__read_kernel_time,
     .form = SMS__FORM_TIME_BY_SHARE,
     .help = "sets the time of a coarse kernel that runs alone, or its times at two or more shares of SMs: {100 %: 20 "
             "ms, 30 %: 41 ms}"},
    {"blocks", SMS__INTEGER, SMS__COUNT, F(sms__kernel, blocks), 1, SMS__UNITS_MAX, .one_of = EITHER,
     .needs = "threads", .help = "sets the number of blocks of the grid"},
    {"threads", SMS__INTEGER, SMS__COUNT, F(sms__kernel, threads), 1, 1 << 24, .needs = "block_time",
     .help = "sets the number of threads per block"},
    {"registers", SMS__INTEGER, SMS__COUNT, F(sms__kernel, registers), 0, 65536, .needs = "blocks",
     .help = "sets the number of registers per thread"},
    {"shared_memory", SMS__INTEGER, SMS__BYTES, F(sms__kernel, shared_memory), 0, 1e12, .needs = "blocks",
     .help = "sets the shared memory per block, static and dynamic"},
    {"block_time", SMS__SPAN, SMS__CYCLES, F(sms__kernel, block_time), 1, SMS__TIME_MAX_PS, .needs = "blocks",
     .help = "sets the time of a block at full speed; under knee and pipes, its time when the kernel runs alone"},
    {"measured_blocks", SMS__INTEGER, SMS__COUNT, F(sms__kernel, measured), 1, SMS__UNITS_MAX, .needs = "block_time",
     .help = "sets the number of blocks of the launch that gave block_time and demand; default: blocks"},
    {"launch", SMS__QUANTITY, SMS__TIME, F(sms__kernel, launch_ps), 0, SMS__DISPATCH_MAX_PS, .needs = "blocks",
     .help = "sets the time from a launch until its first block may start; default: the device's"},
    {"demand", SMS__CUSTOM, SMS__RATIO, .read = read_kernel_demand, .form = SMS__FORM_DEMAND, .most = SMS_RESOURCES_MAX,
     .help = "sets the demand by resource: the share of an SM's capacity, or units of it, that a block uses at full "
             "speed; for a coarse kernel, the share of the device"},
    {"launches", SMS__INTEGER, SMS__COUNT, F(sms__kernel, launches), 1, 1e9, .needs = "time",
     .help = "sets how many launches the kernel stands for, which wait as launch_wait says; default 1"},
    {"room", SMS__QUANTITY, SMS__RATIO, F(sms__kernel, room), 0, 1, .needs = "time",
     .help =
         "sets the mean share of the SMs' scarcest limit that its blocks occupy; default: unknown, counted as none"},
    {"power", SMS__QUANTITY, SMS__POWER, F(sms__kernel, power_w), 0, 1e6, .needs = "time",
     .help = "sets the power that the kernel adds to an idle device"},
    {"jitter", SMS__QUANTITY, SMS__RATIO, F(sms__kernel, jitter), 0, 0.5,
     .help = "sets the coefficient of variation of block times, which are uniformly distributed"},
    {"spread", SMS__CHOICE, 0, F(sms__kernel, spread), .choices = spread_names,
     .help = "sets the distribution of block times: exponential, with block_time as the mean"},
    {0}};

static void check_kernel(struct sms__reader *reader, struct sms__kernel *kernel)
{
    kernel->whole = sms__node_get(kernel->node, "time") != NULL;
    if (kernel->whole) {
        kernel->blocks = kernel->threads = 1;
        for (size_t d = 0; d < kernel->demands; d++) /* shares of the device */
            sms__expect_share(reader, &kernel->demand[d], 1);
    }
    if (!kernel->measured)
        kernel->measured = kernel->blocks;
    if (kernel->spread == SMS__EXPONENTIAL && kernel->jitter > 0)
        sms__complain(reader, kernel->node, "jitter belongs to a uniform spread, not an exponential one");
}

static void read_kernels(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__workload *workload = at;
    workload->kernel = SMS__NEW(reader->arena, struct sms__kernel, node->items);
    workload->kernels = node->items;
    for (size_t k = 0; k < node->items && reader->errors->count <= SMS_ERRORS_MAX; k++) {
        struct sms__kernel *kernel = &workload->kernel[k];
        kernel->node = node->item[k];
        kernel->name = "";
        kernel->launches = 1;
        kernel->launch_ps = -1;
        sms__read_fields(reader, node->item[k], kernel_fields, kernel);
        check_kernel(reader, kernel);
        if (kernel->name[0] && sms__find_name(kernel->name, k, SMS__NAMES(workload->kernel, name)) < k)
            sms__complain(reader, sms__node_get(kernel->node, "name"), "kernel '%.60s' is defined twice", kernel->name);
    }
}

struct step_fields {
    double host, copy_in, copy_out;
    uint64_t allocate, free;
    const struct sms__node *launch;
    uint64_t times;
    int graph;
    double sync, async;
    const char *record, *wait;
    uint64_t jobs_ago;
};

#define ONE_STEP "a step is one of host, copy_in, copy_out, allocate, free, launch, record, wait"

static const struct sms__field step_table[] = {
    {"host", SMS__QUANTITY, SMS__TIME, F(step_fields, host), 0, SMS__TIME_MAX_PS, .one_of = ONE_STEP,
     .help = "takes this time on the host"},
    {"copy_in", SMS__QUANTITY, SMS__BYTES, F(step_fields, copy_in), 0, 1e18, .one_of = ONE_STEP,
     .help = "copies this much from the host to the device"},
    {"copy_out", SMS__QUANTITY, SMS__BYTES, F(step_fields, copy_out), 0, 1e18, .one_of = ONE_STEP,
     .help = "copies this much from the device to the host"},
    {"allocate", SMS__INTEGER, SMS__BYTES, F(step_fields, allocate), 1, ALLOCATE_MAX, .one_of = ONE_STEP,
     .help = "allocates this much device memory"},
    {"free", SMS__INTEGER, SMS__BYTES, F(step_fields, free), 1, ALLOCATE_MAX, .one_of = ONE_STEP, .word = "all",
     .otherwise = "a number of bytes",
     .help = "frees this much device memory, or all; the end of a job frees the rest"},
    {"launch", SMS__REFERENCE, 0, F(step_fields, launch), .one_of = ONE_STEP,
     .help = "launches the kernel of this name"},
    {"times", SMS__INTEGER, SMS__COUNT, F(step_fields, times), 1, 1e12, .needs = "launch",
     .help = "sets how often the kernel is launched, one launch after another; default 1"},
    {"graph", SMS__CHOICE, 0, F(step_fields, graph), .choices = sms__truths, .needs = "launch",
     .help = "says whether the step forms a CUDA graph with the adjacent steps that say so, at the cost of one launch; "
             "default false"},
    {"sync", SMS__QUANTITY, SMS__TIME, F(step_fields, sync), 0, SMS__TIME_MAX_PS, .needs = "launch",
     .help = "sets the host time after each launch, in which the host notices its end; default 0"},
    {"async", SMS__QUANTITY, SMS__TIME, F(step_fields, async), 0, SMS__TIME_MAX_PS, .needs = "launch",
     .help = "sets the host time from each launch to the next step while the kernel runs, of a host that launches "
             "ahead; default: it waits for the kernel"},
    {"record", SMS__NAME, 0, F(step_fields, record), .one_of = ONE_STEP,
     .help = "records the event of this name when the previous steps are done"},
    {"wait", SMS__NAME, 0, F(step_fields, wait), .one_of = ONE_STEP,
     .help = "waits for this event, which the job of the same number in another stream records"},
    {"jobs_ago", SMS__INTEGER, SMS__COUNT, F(step_fields, jobs_ago), 0, SMS__REPEAT_MAX, .needs = "wait",
     .help = "sets how many jobs back in the recording stream the event is; default 0"},
    {0}};

static size_t find_kernel(struct sms__reader *reader, const struct sms__workload *workload,
                          const struct sms__node *name)
{
    const size_t k = sms__find_name(name->text, workload->kernels, SMS__NAMES(workload->kernel, name));
    if (k < workload->kernels)
        return k;
    sms__complain_unknown(reader, name, "kernel", workload->kernels, SMS__NAMES(workload->kernel, name));
    return 0;
}

/* Repeats the launch and the host time after it. */
static void add_syncs(struct sms__reader *reader, const struct step_fields *given, struct sms__workload *workload)
{
    struct sms__step *first = &workload->step[workload->steps - 1], launch;
    const struct sms__step host = {.kind = SMS__HOST, .node = first->node, .amount = given->sync, .times = 1};
    const struct sms__node *at = sms__node_get(first->node, "sync");
    first->times = 1;
    launch = *first;
    if (launch.in_graph)
        sms__complain(reader, at, "the host takes no time between the launches of a graph");
    else if (given->times > STEPS_MAX / 2 || workload->steps + 2 * given->times - 1 > STEPS_MAX)
        sms__complain(reader, at, "each launch with 'sync' is two steps, and a job has at most %d", STEPS_MAX);
    else
        for (uint64_t i = 1; i <= 2 * given->times - 1; i++)
            *SMS__APPEND(reader->arena, workload->step, workload->steps) = i % 2 ? host : launch;
}

static void read_launch(struct sms__reader *reader, const struct step_fields *given, struct sms__workload *workload)
{
    struct sms__step *step = &workload->step[workload->steps - 1];
    const struct sms__node *at = sms__node_get(step->node, "async");
    step->kind = SMS__LAUNCH;
    step->kernel = find_kernel(reader, workload, given->launch);
    step->is_async = at != NULL;
    step->amount = given->async;
    if (at && step->continues_graph)
        sms__complain(reader, at, "a graph is one call of the host: 'async' belongs to its first step");
    if (at && sms__node_get(step->node, "sync"))
        sms__complain(reader, at, "the host either waits for the kernel ('sync') or does not ('async')");
    else if (given->sync > 0)
        add_syncs(reader, given, workload);
}

static void read_step(struct sms__reader *reader, const struct sms__node *node, struct sms__workload *workload)
{
    struct step_fields given = {.host = -1, .copy_in = -1, .copy_out = -1, .times = 1};
    struct sms__step *step = SMS__APPEND(reader->arena, workload->step, workload->steps);
    sms__read_fields(reader, node, step_table, &given);
    *step = (struct sms__step){.node = node, .times = given.times, .in_graph = given.graph != 0};
    step->continues_graph = step->in_graph && workload->steps > 1 && step[-1].in_graph;
    if (given.launch) {
        read_launch(reader, &given, workload);
    } else if (given.record || given.wait) {
        step->kind = given.record ? SMS__RECORD : SMS__WAIT;
        step->event = given.record ? given.record : given.wait;
        step->jobs_ago = sms__is_wrong(reader, node, "jobs_ago") ? SMS__REPEAT_MAX : given.jobs_ago; /* no job waits */
    } else if (sms__node_get(node, "allocate") || sms__node_get(node, "free")) {
        step->kind = sms__node_get(node, "free") ? SMS__FREE : SMS__ALLOCATE;
        step->amount = (double)(step->kind == SMS__FREE ? given.free : given.allocate);
    } else {
        step->kind = given.host >= 0 ? SMS__HOST : given.copy_in >= 0 ? SMS__COPY_IN : SMS__COPY_OUT;
        step->amount = given.host >= 0 ? given.host : given.copy_in >= 0 ? given.copy_in : given.copy_out;
    }
}

/* Finds the most memory that the job holds after any step. */
static void sum_memory(struct sms__reader *reader, struct sms__workload *workload)
{
    uint64_t held = 0;
    for (size_t i = 0; i < workload->steps; i++) {
        const struct sms__step *step = &workload->step[i];
        if (sms__is_wrong(reader, step->node, "allocate"))
            return;
        uint64_t bytes = step->kind == SMS__ALLOCATE || step->kind == SMS__FREE ? (uint64_t)step->amount : 0;
        if (step->kind == SMS__ALLOCATE)
            held += bytes;
        if (step->kind == SMS__FREE && bytes > held)
            sms__complain(reader, step->node, "the job frees %llu B and holds %llu B", (unsigned long long)bytes,
                          (unsigned long long)held);
        if (step->kind == SMS__FREE)
            held = bytes && bytes <= held ? held - bytes : 0;
        workload->declared = held > workload->declared ? held : workload->declared;
    }
}

static int by_event(const void *left, const void *right)
{
    const struct sms__event_record *a = left, *b = right;
    int order = strcmp(a->event, b->event);
    return order ? order : (a->step > b->step) - (a->step < b->step);
}

static void list_records(struct sms__reader *reader, struct sms__workload *workload)
{
    struct sms__event_record *record = NULL;
    for (size_t i = 0; i < workload->steps; i++) {
        const struct sms__step *step = &workload->step[i];
        workload->waits |= step->kind == SMS__WAIT;
        if (step->kind == SMS__RECORD)
            *SMS__APPEND(reader->arena, record, workload->records) = (struct sms__event_record){step->event, i};
    }
    workload->record = record;
    if (!record)
        return;
    qsort(record, workload->records, sizeof *record, by_event);
    for (size_t r = 1; r < workload->records; r++)
        if (!strcmp(record[r - 1].event, record[r].event))
            sms__complain(reader, workload->step[record[r].step].node, "the job records the event '%.60s' twice",
                          record[r].event);
}

size_t sms__find_record(const struct sms__workload *workload, const char *event)
{
    size_t low = 0, high = workload->records;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(event, workload->record[middle].event);
        if (order == 0)
            return workload->record[middle].step;
        low = order < 0 ? low : middle + 1;
        high = order < 0 ? middle : high;
    }
    return SIZE_MAX;
}

static void read_steps(struct sms__reader *reader, const struct sms__node *node, struct sms__workload *workload)
{
    if (!sms__expect_kind(reader, node, SMS__LIST))
        return;
    if (node->items > STEPS_MAX) {
        sms__complain(reader, node, "more than %d steps", STEPS_MAX);
        return;
    }
    for (size_t i = 0; i < node->items && reader->errors->count <= SMS_ERRORS_MAX; i++)
        read_step(reader, node->item[i], workload);
    sum_memory(reader, workload);
    list_records(reader, workload);
}

static const struct sms__field workload_fields[] = {
    {"workload", SMS__NAME, 0, F(sms__workload, name), .required = true, .help = "names the workload"},
    {"title", SMS__TEXT, 0, F(sms__workload, title), .help = "gives the workload's full name"},
    {"source", SMS__TEXT, 0, F(sms__workload, source), .help = "says where the numbers come from"},
    {"device", SMS__NAME, 0, F(sms__workload, device),
     .help = "names the device that the numbers are from; on another device the kernels are scaled; default: any"},
    {"scaled_from", SMS__NAME, 0, F(sms__workload, scaled_from),
     .help = "names the profiled device, if the numbers were scaled to `device`"},
    {"unmeasured", SMS__QUANTITY, SMS__RATIO, F(sms__workload, unmeasured), 0, 1,
     .help = "gives the share of kernel time without metrics, and so without demands; default 0 %"},
    {"uncertainty", SMS__CUSTOM, SMS__RATIO, .read = read_uncertainty, .form = SMS__FORM_DEMAND,
     .most = SMS_RESOURCES_MAX,
     .help = "gives relative errors of the demands by resource, which unknowns draws: {dram: 6 %}; default: as "
             "unknowns says"},
    {"fitted", SMS__CHOICE, 0, F(sms__workload, fitted), .choices = sms__truths,
     .help = "says whether the numbers were fitted to published results instead of measured; default false"},
    {"synthetic", SMS__CHOICE, 0, F(sms__workload, synthetic), .choices = sms__truths,
     .help = "says whether its kernels may demand more than 100 % of a resource when they run alone, which no profile "
             "shows; default false"},
    {"corun_class", SMS__NAME, 0, F(sms__workload, cls),
     .help = "names the class of the workload, for contention by pairs of classes"},
    {"overhead", SMS__QUANTITY, SMS__RATIO, F(sms__workload, overhead), 0, 10,
     .help = "sets the share by which intercepted calls lengthen the workload; default 0"},
    {"static", SMS__QUANTITY, SMS__BYTES, F(sms__workload, statics), 0, SMS__STATIC_MOST,
     .help = "sets the device memory of static variables; default 0"},
    {"exclusive", SMS__CHOICE, 0, F(sms__workload, exclusive), .choices = sms__truths,
     .help = "says whether the device or MIG instance may hold no other process beside the workload's; default false"},
    {"kernels", SMS__FIELDS, .read = read_kernels, .required = true, .holds = SMS__MANY, .fields = kernel_fields,
     .least = 1, .most = KERNELS_MAX, .help = "lists the kernels"},
    {"steps", SMS__FIELDS, .read = sms__skip, .holds = SMS__MANY, .fields = step_table, .most = STEPS_MAX,
     .help = "lists the steps of a job, in order; default: launch each kernel once"},
    {0}};

static const struct sms__table tables[] = {
    {"workload", workload_fields}, {"workload: kernels", kernel_fields}, {"workload: steps", step_table}, {NULL, NULL}};

const struct sms__table *sms__workload_tables(void) { return tables; }

static void launch_each_kernel(struct sms__reader *reader, struct sms__workload *workload)
{
    workload->steps = workload->kernels;
    workload->step = SMS__NEW(reader->arena, struct sms__step, workload->kernels);
    for (size_t k = 0; k < workload->kernels; k++)
        workload->step[k] = (struct sms__step){.kind = SMS__LAUNCH, .kernel = k, .times = 1};
}

void sms__read_workload(struct sms__reader *reader, const struct sms__node *node, struct sms__workload *workload)
{
    *workload = (struct sms__workload){
        .node = node, .name = "", .title = "", .source = "", .device = "", .scaled_from = "", .cls = ""};
    sms__read_fields(reader, node, workload_fields, workload);
    const struct sms__node *steps = sms__node_get(node, "steps"); /* after the kernels that they name */
    if (steps)
        read_steps(reader, steps, workload);
    else
        launch_each_kernel(reader, workload);
    check_uncertainty(reader, workload);
}
