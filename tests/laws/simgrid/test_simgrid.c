/* Max-min fair sharing against SimGrid, which knows nothing of smsched: 200 random
 * scenarios, in which each block is also a flow whose route crosses one link for
 * each resource of its SM and of the device (flows.cpp). SimGrid is told on which
 * SM a block was put. When blocks start it is told where they had to wait for a
 * place; elsewhere it finds that out, too, from what ended before. */
#include "tests/harness.h"

#include <gsl/gsl_rng.h>

#include <stdio.h>

enum {
    SCENARIOS = 200,
    VMS = 6,
    KERNELS = 3,
    BLOCKS = 8,
    RESOURCES = 8,
    FULL = 20, /* demands are multiples of 1/20 of an SM */
    STAYS = VMS * KERNELS * BLOCKS
};

/* Bytes per second of a flow at full speed. SimGrid's second is a microsecond of ours. */
static const double RATE = 1e6;
static const double TOLERANCE = 1e-6;

struct kernel {
    unsigned blocks, block_us, demand[RESOURCES];
};

struct vm {
    unsigned start_us, kernels;
    struct kernel kernel[KERNELS];
};

struct scenario {
    unsigned sms, resources, slots, vms;
    bool wait; /* there may be more blocks than slots */
    bool wide[RESOURCES];
    struct vm vm[VMS];
};

struct stay {
    unsigned vm, kernel, sm;
    double start_us, end_us;
};

struct stays {
    size_t count;
    struct stay stay[STAYS];
};

/* A block as smsched ran it, and which scenario it is of. */
struct block {
    unsigned scenario;
    double start_us, end_us, alone_us;
};

struct blocks {
    size_t count;
    struct block block[SCENARIOS * STAYS];
};

static unsigned between(gsl_rng *rng, unsigned low, unsigned high)
{
    return low + (unsigned)gsl_rng_uniform_int(rng, high - low + 1);
}

static struct kernel draw_kernel(gsl_rng *rng, unsigned resources)
{
    struct kernel k = {.blocks = between(rng, 1, BLOCKS)};
    k.block_us = between(rng, 500, 5000);
    for (unsigned r = 0; r < resources; r++)
        k.demand[r] = gsl_rng_uniform(rng) < 0.6 ? 0 : between(rng, 1, FULL);
    return k;
}

static struct scenario draw(gsl_rng *rng)
{
    struct scenario s = {.sms = between(rng, 1, 6)};
    s.resources = between(rng, 2, RESOURCES);
    s.vms = between(rng, 3, VMS);
    s.wait = gsl_rng_uniform(rng) < 0.5;
    s.slots = s.wait ? between(rng, 3, 6) : STAYS;
    for (unsigned r = 0; r < s.resources; r++)
        s.wide[r] = gsl_rng_uniform(rng) < 0.4;
    for (struct vm *vm = s.vm; vm < s.vm + s.vms; vm++) {
        vm->start_us = between(rng, 0, 4000);
        vm->kernels = between(rng, 1, KERNELS);
        for (unsigned k = 0; k < vm->kernels; k++)
            vm->kernel[k] = draw_kernel(rng, s.resources);
    }
    return s;
}

static void write_kernel(FILE *out, const struct kernel *kernel, unsigned k, unsigned resources)
{
    fprintf(out, "  - {name: k%u, blocks: %u, threads: 32, block_time: %u us, demand: {", k, kernel->blocks,
            kernel->block_us);
    for (unsigned r = 0, written = 0; r < resources; r++)
        if (kernel->demand[r])
            fprintf(out, "%sr%u: %u %%", written++ ? ", " : "", r, kernel->demand[r] * 100 / FULL);
    fprintf(out, "}}\n");
}

static void write_yaml(FILE *out, const struct scenario *s, const char *contention)
{
    fprintf(out,
            "device: d\nclock: 1 GHz\nsms: %u\nsm: {threads: 65536, warps: 2048, blocks: %u, registers: 65536, "
            "shared_memory: 96 KiB, threads_per_block: 1024}\nresources:\n",
            s->sms, s->slots);
    for (unsigned r = 0; r < s->resources; r++)
        fprintf(out, "  r%u: {class: compute, scope: %s}\n", r, s->wide[r] ? "device" : "sm");
    for (unsigned v = 0; v < s->vms; v++) {
        fprintf(out, "---\nworkload: w%u\nkernels:\n", v);
        for (unsigned k = 0; k < s->vm[v].kernels; k++)
            write_kernel(out, &s->vm[v].kernel[k], k, s->resources);
    }
    fprintf(out, "---\nscenario: s\ndevices: [{model: d}]\ncontention: %s\npolicies: [round_robin]\nvms:\n",
            contention);
    for (unsigned v = 0; v < s->vms; v++)
        fprintf(out, "  - {name: v%u, workload: w%u, start: %u us}\n", v, v, s->vm[v].start_us);
}

static int add_stay(void *user, const struct sms_run_event *event)
{
    const struct sms_stay *stay = event->stay;
    struct stays *stays = (struct stays *)user;
    for (unsigned b = 0; b < stay->blocks; b++) {
        assert_true(stays->count < STAYS);
        stays->stay[stays->count++] = (struct stay){.vm = (unsigned)atoi(stay->vm + 1),
                                                    .kernel = (unsigned)atoi(stay->kernel + 1),
                                                    .sm = (unsigned)stay->sm,
                                                    .start_us = (double)stay->start_ps * 1e-6,
                                                    .end_us = (double)stay->end_ps * 1e-6};
    }
    return 0;
}

static void run_smsched(const struct scenario *s, const char *contention, struct stays *stays)
{
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    write_yaml(out, s, contention);
    fclose(out);
    struct sms_file *file = load_text("%s", text);
    struct sms_run_options options = sms_run_defaults();
    options.alone = false;
    options.observe = add_stay;
    options.events = SMS_RUN_STAY;
    options.user = stays;
    stays->count = 0;
    sms_results_free(run_first(file, &options));
    sms_file_free(file);
    free(text);
}

/* One link for each resource of each SM; of the device's own, those of SM 0 are meant. */
static void write_links(FILE *out, const struct scenario *s)
{
    fprintf(out, "scenario\n");
    for (unsigned i = 0; i < s->sms * s->resources; i++)
        fprintf(out, "link %.1f\n", FULL * RATE * (s->wide[i % s->resources] ? s->sms : 1));
}

static void write_flow(FILE *out, const struct scenario *s, const struct stay *stay)
{
    const struct kernel *kernel = &s->vm[stay->vm].kernel[stay->kernel];
    fprintf(out, "flow %.0f %.1f", kernel->block_us * RATE, RATE);
    for (unsigned r = 0; r < s->resources; r++)
        if (kernel->demand[r])
            fprintf(out, " %u:%u", (s->wide[r] ? 0 : stay->sm) * s->resources + r, kernel->demand[r]);
    fprintf(out, "\n");
}

static void add_block(struct blocks *blocks, const struct scenario *s, unsigned scenario, const struct stay *stay)
{
    blocks->block[blocks->count++] = (struct block){.scenario = scenario,
                                                    .start_us = stay->start_us,
                                                    .end_us = stay->end_us,
                                                    .alone_us = s->vm[stay->vm].kernel[stay->kernel].block_us};
}

/* The blocks of a kernel. Where blocks wait for a place, each is an actor that starts when it did. */
static void write_kernel_flows(FILE *out, const struct scenario *s, unsigned scenario, const struct stays *stays,
                               unsigned v, unsigned k, struct blocks *blocks)
{
    if (!s->wait)
        fprintf(out, "step\n");
    for (size_t i = 0; i < stays->count; i++) {
        const struct stay *stay = &stays->stay[i];
        if (stay->vm != v || stay->kernel != k)
            continue;
        if (s->wait)
            fprintf(out, "actor %.6f\nstep\n", stay->start_us);
        write_flow(out, s, stay);
        add_block(blocks, s, scenario, stay);
    }
}

static void write_flows(FILE *out, const struct scenario *s, unsigned scenario, const struct stays *stays,
                        struct blocks *blocks)
{
    write_links(out, s);
    for (unsigned v = 0; v < s->vms; v++) {
        if (!s->wait)
            fprintf(out, "actor %u\n", s->vm[v].start_us);
        for (unsigned k = 0; k < s->vm[v].kernels; k++)
            write_kernel_flows(out, s, scenario, stays, v, k, blocks);
    }
}

/* How far smsched and SimGrid are apart, relative to a block's time in SimGrid. */
struct difference {
    double time, start, scenario_time[SCENARIOS];
    size_t blocks, slowed;
};

static double larger(double a, double b) { return a > b ? a : b; }

static struct difference compare(FILE *flows, const struct blocks *blocks)
{
    struct difference d = {.blocks = blocks->count};
    for (size_t b = 0; b < blocks->count; b++) {
        const struct block *block = &blocks->block[b];
        double start_us, end_us;
        assert_int_equal(fscanf(flows, "%lf %lf", &start_us, &end_us), 2);
        double time = end_us - start_us, other = block->end_us - block->start_us;
        double *of_scenario = &d.scenario_time[block->scenario];
        *of_scenario = larger(*of_scenario, fabs(other - time) / time);
        d.time = larger(d.time, *of_scenario);
        d.start = larger(d.start, fabs(block->start_us - start_us) / end_us);
        d.slowed += other > 1.01 * block->alone_us;
    }
    return d;
}

static struct difference run_both(const char *contention)
{
    char path[] = "/tmp/smsched-simgrid-XXXXXX", command[512];
    FILE *out = fdopen(mkstemp(path), "w");
    struct blocks *blocks = (struct blocks *)calloc(1, sizeof *blocks);
    assert_true(out && blocks);
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    for (unsigned i = 0; i < SCENARIOS; i++) {
        struct scenario s = draw(rng);
        struct stays stays;
        run_smsched(&s, contention, &stays);
        write_flows(out, &s, i, &stays, blocks);
    }
    fclose(out);
    gsl_rng_free(rng);
    snprintf(command, sizeof command, "'%s' --log=root.thres:warning < %s", SIMGRID_FLOWS, path);
    FILE *flows = popen(command, "r");
    assert_non_null(flows);
    struct difference d = compare(flows, blocks);
    assert_int_equal(pclose(flows), 0);
    unlink(path);
    free(blocks);
    return d;
}

static unsigned scenarios_apart(const struct difference *d, double by)
{
    unsigned count = 0;
    for (unsigned i = 0; i < SCENARIOS; i++)
        count += d->scenario_time[i] > by;
    return count;
}

static void print_difference(const char *contention, const struct difference *d)
{
    print_message("%s, %d scenarios, %zu blocks of which %zu slowed: largest relative difference %.2g of times, %.2g "
                  "of starts; %u scenarios apart by more than %g\n",
                  contention, SCENARIOS, d->blocks, d->slowed, d->time, d->start, scenarios_apart(d, TOLERANCE),
                  TOLERANCE);
}

static void maxmin_ends_blocks_when_simgrid_does(void **state)
{
    (void)state;
    struct difference d = run_both("maxmin");
    print_difference("maxmin", &d);
    assert_true(d.slowed > d.blocks / 2);
    assert_true(d.time < TOLERANCE);
    assert_true(d.start < TOLERANCE);
}

/* Were SimGrid not told the demands rightly, or its answer not looked at, this would pass, too. */
static void another_model_does_not(void **state)
{
    (void)state;
    struct difference d = run_both("proportional");
    print_difference("proportional", &d);
    assert_true(scenarios_apart(&d, 0.01) > SCENARIOS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maxmin_ends_blocks_when_simgrid_does),
        cmocka_unit_test(another_model_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
