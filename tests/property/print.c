/* A scenario as YAML, and what follows from its numbers by docs/explanation/model.md. Written
 * from the documents, not from the simulator's code. */
#include "scenario.h"

#include "../../sim/model/policy/registry.h"

#include <string.h>

const char *const policy_names[POLICY_KINDS] = {
    "round_robin",   "round_robin_full",  "breadth_first",       "depth_first", "most_room",       "leftover",
    "fine_grained",  "utilization_aware", "fine_grained_capped", "sm_quota",    "elastic_kernels", "tenant_fair",
    "warped_slicer", "affinity"};
static const char *const contention_names[CONTENTIONS] = {"none",     "proportional", "curve",    "maxmin",
                                                          "pressure", "knee",         "pairwise", "pipes"};

static const struct {
    const char *name, *unit;
    uint64_t fallback;
} limits[LIMITS] = {{"blocks", "", 32},
                    {"threads", "", 2048},
                    {"warps", "", 64},
                    {"registers", "", 65536},
                    {"shared_memory", " B", 98304},
                    {"threads_per_block", "", 1024},
                    {"registers_per_thread", "", 255},
                    {"register_unit", "", 256},
                    {"register_partitions", "", 4},
                    {"shared_memory_unit", " B", 256},
                    {"shared_memory_reserved", " B", 0},
                    {"shared_memory_per_block", " B", 98304}};

uint64_t limit_of(const struct device *device, enum limit limit)
{
    return device->limit[limit] ? device->limit[limit] : limits[limit].fallback;
}

static uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

struct needs sm_capacity(const struct device *device)
{
    return (struct needs){{limit_of(device, LIMIT_BLOCKS), limit_of(device, LIMIT_THREADS),
                           limit_of(device, LIMIT_WARPS), limit_of(device, LIMIT_REGISTERS) << 20,
                           limit_of(device, LIMIT_SHARED)}};
}

bool block_needs(const struct device *device, const struct kernel *kernel, struct needs *needs)
{
    uint64_t registers = limit_of(device, LIMIT_REGISTERS), partitions = limit_of(device, LIMIT_PARTITIONS);
    uint64_t warp = round_up(32 * kernel->registers, limit_of(device, LIMIT_REGISTER_UNIT));
    uint64_t fitting = warp ? partitions * (registers / partitions / warp) : 1;
    uint64_t warps = (kernel->threads + 31) / 32;
    if (fitting == 0 || kernel->threads > limit_of(device, LIMIT_BLOCK_THREADS) ||
        kernel->registers > limit_of(device, LIMIT_THREAD_REGISTERS) ||
        kernel->shared > limit_of(device, LIMIT_BLOCK_SHARED))
        return false;
    needs->of[0] = 1;
    needs->of[1] = warps * 32;
    needs->of[2] = warps;
    needs->of[3] = warp ? warps * ((registers << 20) / fitting) : 0;
    needs->of[4] =
        round_up(kernel->shared + limit_of(device, LIMIT_SHARED_RESERVED), limit_of(device, LIMIT_SHARED_UNIT));
    struct needs capacity = sm_capacity(device);
    bool fits = true;
    for (int l = 0; l < 5; l++)
        fits &= needs->of[l] <= capacity.of[l];
    return fits;
}

double work_ps(const struct scenario *scenario, const struct kernel *kernel)
{
    return kernel->cycles ? (double)kernel->time * (1e6 / (double)scenario->clock_mhz) : (double)kernel->time;
}

size_t count_steps(const struct workload *workload) { return workload->steps ? workload->steps : workload->kernels; }

struct step step_at(const struct workload *workload, size_t idx)
{
    return workload->steps ? workload->step[idx] : (struct step){STEP_LAUNCH, 0, idx, 1, 0};
}

uint64_t launch_cost(const struct scenario *scenario, const struct workload *workload, size_t idx, uint64_t nth)
{
    struct step step = step_at(workload, idx);
    const struct kernel *kernel = &workload->kernel[step.kernel];
    struct step before = idx > 0 ? step_at(workload, idx - 1) : (struct step){.kind = STEP_HOST};
    bool continues = nth > 0 || (before.kind == STEP_LAUNCH && before.graph);
    if (step.graph && continues)
        return 0;
    return kernel->launch ? kernel->launch - 1 : scenario->launch;
}

bool is_finite(const struct scenario *scenario)
{
    bool finite = true;
    for (size_t v = 0; v < scenario->vms; v++)
        finite &= scenario->vm[v].repeat > 0;
    return finite;
}

static void print_ratio(FILE *to, uint64_t thousandths)
{
    fprintf(to, "%llu.%llu %%", (unsigned long long)thousandths / 10, (unsigned long long)thousandths % 10);
}

static void print_number(FILE *to, const char *before, uint64_t number, const char *after)
{
    fprintf(to, "%s%llu%s", before, (unsigned long long)number, after);
}

/* `key: number unit`, where it is not the default. */
static void print_unless_0(FILE *to, const char *before, uint64_t number, const char *after)
{
    if (number)
        print_number(to, before, number, after);
}

static void print_demand(FILE *to, const struct scenario *s, const uint64_t *demand)
{
    const char *between = "{";
    for (size_t r = 0; r < s->resources; r++) {
        if (!demand[r] && !s->wordy)
            continue;
        fprintf(to, "%sr%zu: ", between, r);
        print_ratio(to, demand[r]);
        between = ", ";
    }
    fputs(*between == '{' ? "{}" : "}", to);
}

static void print_resources(FILE *to, const struct scenario *s)
{
    fputs("resources:\n", to);
    for (size_t r = 0; r < s->resources; r++) {
        const struct resource *resource = &s->resource[r];
        fprintf(to, "  r%zu: {class: %s%s%s", r, resource->memory ? "memory" : "compute",
                resource->wide ? ", scope: device" : "",
                !s->wordy          ? ""
                : resource->memory ? ", bandwidth: 900 GB/s"
                                   : ", lanes: 64");
        if (resource->knee)
            fprintf(to, ", knee: %g", (double)resource->knee / 1000);
        fputs("}\n", to);
    }
}

static void print_device(FILE *to, const struct scenario *s)
{
    const char *between = "";
    fputs("device: gpu\n", to);
    if (s->wordy)
        fputs("title: \"a GPU: '100 %'\"\nsource: nowhere\nmemory: 16 GiB\n", to);
    print_number(to, "clock: ", s->clock_mhz, " MHz\n");
    print_number(to, "sms: ", s->device[0].sms, "\nsm: {");
    for (int l = 0; l < LIMITS; l++) {
        if (!s->device[0].limit[l])
            continue;
        fprintf(to, "%s%s: ", between, limits[l].name);
        print_number(to, "", s->device[0].limit[l], limits[l].unit);
        between = ", ";
    }
    fputs("}\n", to);
    print_unless_0(to, "link: {bandwidth: ", s->link, " B/s}\n");
    if (s->busy_w) {
        print_number(to, "power: {idle: ", s->idle_w, " W, ");
        print_number(to, "busy: ", s->busy_w, " W}\n");
    }
    if (s->launch || s->interval) {
        print_number(to, "dispatch: {launch: ", s->launch, " ps, ");
        print_number(to, "block: ", s->interval, " ps}\n");
    }
    print_resources(to, s);
    if (s->backgrounds)
        fputs("background:\n", to);
    for (size_t b = 0; b < s->backgrounds; b++) {
        print_number(to, "  - {sm: ", s->background[b].sm, ", demand: ");
        print_demand(to, s, s->background[b].demand);
        fputs("}\n", to);
    }
}

static const char *prefix(const struct scenario *s, const char *simple, const char *other)
{
    return s->renamed ? other : simple;
}

static void print_kernel(FILE *to, const struct scenario *s, const struct kernel *kernel, size_t idx)
{
    fprintf(to, "  - {name: %s%zu", prefix(s, "k", "conv2d-"), idx);
    print_number(to, ", blocks: ", kernel->blocks, "");
    print_number(to, ", threads: ", kernel->threads, "");
    print_unless_0(to, ", registers: ", kernel->registers, "");
    print_unless_0(to, ", shared_memory: ", kernel->shared, " B");
    print_number(to, ", block_time: ", kernel->time, kernel->cycles ? " cycles" : " ps");
    if (kernel->launch)
        print_number(to, ", launch: ", kernel->launch - 1, " ps");
    fputs(", demand: ", to);
    print_demand(to, s, kernel->demand);
    if (kernel->exponential)
        fputs(", spread: exponential", to);
    else if (kernel->jitter) {
        fputs(", jitter: ", to);
        print_ratio(to, kernel->jitter);
    }
    fputs("}\n", to);
}

static void print_step(FILE *to, const struct scenario *s, const struct step *step)
{
    if (step->kind == STEP_HOST)
        print_number(to, "  - {host: ", step->amount, " ps}\n");
    else if (step->kind == STEP_COPY_IN)
        print_number(to, "  - {copy_in: ", step->amount, " B}\n");
    else if (step->kind == STEP_COPY_OUT)
        print_number(to, "  - {copy_out: ", step->amount, " B}\n");
    else {
        fprintf(to, "  - {launch: %s", prefix(s, "k", "conv2d-"));
        print_number(to, "", step->kernel, "");
        if (step->times != 1)
            print_number(to, ", times: ", step->times, "");
        if (step->graph)
            fputs(", graph: true", to);
        fputs("}\n", to);
    }
}

static void print_workload(FILE *to, const struct scenario *s, size_t w)
{
    const struct workload *workload = &s->workload[w];
    fprintf(to, "---\nworkload: %s%zu\n", prefix(s, "w", "another-net-"), w);
    if (s->wordy)
        fputs("title: work\nsource: none\ndevice: gpu\n", to);
    print_unless_0(to, "corun_class: c", workload->cls, "\n");
    fputs("kernels:\n", to);
    for (size_t k = 0; k < workload->kernels; k++)
        print_kernel(to, s, &workload->kernel[k], k);
    if (workload->steps)
        fputs("steps:\n", to);
    for (size_t i = 0; i < workload->steps; i++)
        print_step(to, s, &workload->step[i]);
}

static void print_vm(FILE *to, const struct scenario *s, const struct vm *vm)
{
    fprintf(to, "  - {name: %s", prefix(s, "v", "tenant-"));
    print_number(to, "", vm->name, "");
    fprintf(to, ", workload: %s", prefix(s, "w", "another-net-"));
    print_number(to, "", vm->workload, "");
    if (vm->start || (!vm->phased && !vm->repeat && !vm->arrivals))
        print_number(to, ", start: ", vm->start, " ps");
    if (vm->repeat)
        print_number(to, ", repeat: ", vm->repeat, "");
    else if (!vm->arrivals)
        fputs(", repeat: forever", to);
    if (vm->streams != 1)
        print_number(to, ", streams: ", vm->streams, "");
    if (vm->priority)
        print_number(to, ", priority: ", vm->priority, "");
    if (vm->arrivals)
        print_number(to, vm->arrivals == ARRIVE_EVERY ? ", arrivals: {every: " : ", arrivals: {poisson: ", vm->interval,
                     " ps}");
    print_unless_0(to, ", deadline: ", vm->deadline, " ps");
    if (vm->workload % 3) /* equal VMs are of one */
        print_number(to, ", class: c", vm->workload % 2, "");
    fputs("}\n", to);
}

static void print_policy(FILE *to, const struct policy *policy)
{
    if (policy->kind < FINE_GRAINED || policy->kind > FINE_GRAINED_CAPPED || policy->limit == 0) {
        fputs(policy_names[policy->kind], to);
        return;
    }
    fprintf(to, "{%s: {limit: ", policy_names[policy->kind]);
    print_ratio(to, policy->limit);
    if (policy->kind == FINE_GRAINED_CAPPED)
        fprintf(to, ", sms: %llu", (unsigned long long)(policy->limit % 7 + 1));
    print_unless_0(to, ", patience: ", policy->patience, " ps");
    fputs("}}", to);
}

static void print_curves(FILE *to, const struct scenario *s)
{
    const char *between = "{";
    fputs(", curves: ", to);
    for (size_t r = 0; r < s->resources; r++) {
        const struct resource *resource = &s->resource[r];
        if (!resource->points)
            continue;
        fprintf(to, "%sr%zu: [", between, r);
        for (size_t p = 0; p < resource->points; p++) {
            fputs(p ? ", [" : "[", to);
            print_ratio(to, resource->usage[p]);
            fputs(", ", to);
            print_ratio(to, resource->overhead[p]);
            fputs("]", to);
        }
        fputs("]", to);
        between = ", ";
    }
    fputs(*between == '{' ? "{}" : "}", to);
}

static void print_pairs(FILE *to, const struct scenario *s)
{
    fputs(", slowdown: {", to);
    for (size_t a = 0; a < CLASSES; a++) {
        fprintf(to, "%sc%zu: {", a ? ", " : "", a + 1);
        for (size_t b = 0; b < CLASSES; b++)
            fprintf(to, "%sc%zu: %g", b ? ", " : "", b + 1, 1 + (double)s->pair[a][b] / 1000);
        fputs("}", to);
    }
    fputs("}", to);
}

static void print_contention(FILE *to, const struct scenario *s)
{
    if (s->contention == NONE) {
        fputs("contention: none\n", to);
        return;
    }
    fprintf(to, "contention: {model: %s", contention_names[s->contention]);
    if (s->contention == PROPORTIONAL) {
        fputs(", slope: ", to);
        print_ratio(to, s->slope);
    }
    if (s->contention == KNEE) {
        fputs(", exponent: ", to);
        print_ratio(to, s->slope);
    }
    if (s->contention == PIPES && s->slope != 1000)
        fputs(s->slope < 2500 ? ", grain: 0" : ", exponent: 3", to);
    if (s->contention == PRESSURE) {
        fputs(", floor: ", to);
        print_ratio(to, s->slope);
    }
    if (s->contention == CURVE || s->contention == PRESSURE)
        print_curves(to, s);
    if (s->contention == PAIRWISE)
        print_pairs(to, s);
    fputs("}\n", to);
}

/* The other devices: equal ones by their number, different ones by what they override. */
static void print_devices(FILE *to, const struct scenario *s)
{
    bool equal = s->devices == 2 && !memcmp(&s->device[0], &s->device[1], sizeof s->device[0]);
    fprintf(to, "devices:\n  - {model: gpu%s}\n", equal ? ", count: 2" : "");
    if (s->devices < 2 || equal)
        return;
    print_number(to, "  - {model: gpu, sms: ", s->device[1].sms, ", sm: {");
    for (int l = 0; l < LIMITS; l++) {
        fprintf(to, "%s%s: ", l ? ", " : "", limits[l].name);
        print_number(to, "", limit_of(&s->device[1], (enum limit)l), limits[l].unit);
    }
    fprintf(to, "}%s}\n", s->device[1].own ? ", resources: {own: {class: compute}}" : "");
}

static void print_run(FILE *to, const struct scenario *s)
{
    print_number(to, "run: {seed: ", s->seed, "");
    print_unless_0(to, ", warmup: ", s->warmup, " ps");
    print_unless_0(to, ", duration: ", s->duration, " ps");
    if (s->replications != 1)
        print_number(to, ", replications: ", s->replications, "");
    fputs(s->one ? ", equal_devices: one}\n" : "}\n", to);
    if (s->wordy && s->policy[0].kind < FINE_GRAINED)
        fprintf(to, "expect:\n  - {metric: kernels_per_s, policy: %s, min: 0}\n", policy_names[s->policy[0].kind]);
}

void print_scenario(const struct scenario *s, FILE *to)
{
    print_device(to, s);
    for (size_t w = 0; w < s->workloads; w++)
        print_workload(to, s, w);
    fputs("---\nscenario: random\n", to);
    if (s->wordy)
        fputs("question: does it hold?\n", to);
    print_devices(to, s);
    print_contention(to, s);
    if (s->queue)
        fprintf(to, "queue: %s\n", sms__queue_names[s->queue - 1]);
    for (size_t p = 0; p < s->policies; p++) {
        fputs(p ? ", " : "policies: [", to);
        print_policy(to, &s->policy[p]);
    }
    fputs("]\n", to);
    if (s->alone.kind) {
        fputs("alone: ", to);
        print_policy(to, &s->alone);
        fputs("\n", to);
    }
    fputs("vms:\n", to);
    for (size_t v = 0; v < s->vms; v++)
        print_vm(to, s, &s->vm[v]);
    print_run(to, s);
}

const struct kernel *kernel_of(const struct scenario *s, uint64_t vm, uint64_t kernel)
{
    return &s->workload[s->vm[vm].workload].kernel[kernel];
}
