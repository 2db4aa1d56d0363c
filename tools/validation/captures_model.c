/* From runs alone to a workload, and from there to a simulated launch. */
#include "captures.h"

#include "../../sim/base/buffer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What an SM issues in a cycle: four schedulers, one warp instruction each, on every device since Volta. */
static const double ISSUE_PER_CYCLE = 4;

/* The resource that a kernel works on; multiply-adds of integers are done by the FP32 units. */
static const char *const resource_of[CAPTURE_KERNELS] = {"fp32",   "fp64", "int", "fp32", "sfu",
                                                         "shared", "l1",   "l2",  "dram"};

static bool is_wide(uint64_t kernel) { return kernel == L2 || kernel == DRAM; }

bool capture_same_block(const struct capture_launch *a, const struct capture_launch *b)
{
    return a->kernel == b->kernel && a->intensity_percent == b->intensity_percent && a->threads == b->threads &&
           a->registers == b->registers && a->shared_bytes == b->shared_bytes;
}

/* Whether launch `i` is of a kind and shape, beside one of the shape of `other`. */
static bool matches(const struct capture *capture, size_t i, enum capture_kind kind,
                    const struct capture_launch *launch, const struct capture_launch *other)
{
    const struct capture_launch *at = &capture->launch[i];
    if (at->kind != kind || at->slot != launch->slot || !capture_same_block(at, launch))
        return false;
    if (kind != SINGLE && at->blocks != launch->blocks)
        return false;
    if (!other)
        return true;
    size_t beside = at->slot ? i - 1 : i + 1;
    return beside < capture->n && capture->launch[beside].run == at->run &&
           capture->launch[beside].blocks == other->blocks && capture_same_block(&capture->launch[beside], other);
}

double capture_lasts_ns(const struct capture *capture, enum capture_kind kind, const struct capture_launch *launch,
                        const struct capture_launch *other)
{
    struct capture_launch in_slot = *launch;
    struct sample sample = {0};
    if (kind != PAIR)
        in_slot.slot = 0;
    for (size_t i = 0; i < capture->n; i++)
        if (matches(capture, i, kind, &in_slot, other))
            sample_add(&sample, (double)(capture->launch[i].end_ns - capture->launch[i].begin_ns));
    double median = sample.n ? sample_median(&sample) : 0;
    sample_release(&sample);
    return median;
}

static size_t sms_used(const struct capture *capture, const struct capture_launch *launch)
{
    size_t used = 0;
    bool *seen = calloc(capture->sms, sizeof *seen);
    if (!seen)
        die("out of memory");
    for (size_t i = 0; i < launch->blocks; i++) {
        used += !seen[launch->block[i].sm];
        seen[launch->block[i].sm] = true;
    }
    free(seen);
    return used;
}

/* Operations a nanosecond that an SM's part of the kernel's resource gives: the most that a launch alone got. */
static double capacity_of(const struct capture *capture, uint64_t kernel)
{
    double most = 0;
    for (size_t i = 0; i < capture->n; i++) {
        const struct capture_launch *launch = &capture->launch[i];
        if (launch->kind == PAIR || launch->kernel != kernel)
            continue;
        size_t sms = is_wide(kernel) ? capture->sms : sms_used(capture, launch);
        double rate = (double)launch->operations * (double)launch->blocks /
                      ((double)(launch->end_ns - launch->begin_ns) * (double)sms);
        most = fmax(most, rate);
    }
    return most;
}

static double block_cycles(const struct capture *capture, const struct capture_launch *launch)
{
    struct sample sample = {0};
    for (size_t i = 0; i < capture->n; i++)
        if (capture->launch[i].kind == SINGLE && capture_same_block(&capture->launch[i], launch))
            sample_add(&sample, (double)capture->launch[i].block[0].cycles);
    double median = sample.n ? sample_median(&sample) : 0;
    sample_release(&sample);
    return median;
}

struct capture_work capture_work_of(const struct capture *capture, const struct capture_launch *launch)
{
    struct capture_work work = {.block_ns = capture_lasts_ns(capture, SINGLE, launch, NULL)};
    if (!(work.block_ns > 0))
        die("%s: no single block of %s at %d %%, or it took no time", capture->folder,
            capture_kernel_names[launch->kernel], (int)launch->intensity_percent);
    work.demand = (double)launch->operations / work.block_ns / capacity_of(capture, launch->kernel);
    work.issue = (double)launch->warp_instructions / block_cycles(capture, launch) / ISSUE_PER_CYCLE;
    return work;
}

static void write_device(FILE *to, const struct capture *c)
{
    unsigned long long per_block = (unsigned long long)c->shared_per_block;
    if (!per_block)
        per_block = (unsigned long long)c->shared_per_sm;
    fprintf(to, "device: captured\nclock: %llu kHz\nsms: %llu\n", (unsigned long long)c->clock_khz,
            (unsigned long long)c->sms);
    fprintf(to, "sm: {threads: %llu, warps: %llu, blocks: %llu, registers: %llu, shared_memory: %llu B, ",
            (unsigned long long)c->threads_per_sm, (unsigned long long)c->threads_per_sm / 32,
            (unsigned long long)c->blocks_per_sm, (unsigned long long)c->registers_per_sm,
            (unsigned long long)c->shared_per_sm);
    fprintf(to, "threads_per_block: 1024, registers_per_thread: 255, register_unit: 256, register_partitions: 4, "
                "shared_memory_unit: 128 B, ");
    fprintf(to, "shared_memory_reserved: %llu B, shared_memory_per_block: %llu B}\nresources:\n",
            (unsigned long long)c->shared_reserved, per_block);
    for (int k = 0; k < CAPTURE_KERNELS; k++)
        if (k != IMAD)
            fprintf(to, "  %s: {class: %s%s}\n", resource_of[k], k >= SHARED ? "memory" : "compute",
                    is_wide((uint64_t)k) ? ", scope: device" : "");
    fprintf(to, "  issue: {class: compute}\n---\n");
}

static void write_workload(FILE *to, const struct capture *capture, const struct capture_launch *launch, size_t i)
{
    struct capture_work work = capture_work_of(capture, launch);
    fprintf(to, "workload: w%zu\nkernels:\n  - {name: k, blocks: %llu, threads: %llu, registers: %llu, ", i,
            (unsigned long long)launch->blocks, (unsigned long long)launch->threads,
            (unsigned long long)launch->registers);
    fprintf(to, "shared_memory: %llu B, block_time: %.3f ns,\n     demand: {%s: %.7f %%, issue: %.7f %%}}\n---\n",
            (unsigned long long)launch->shared_bytes, work.block_ns, resource_of[launch->kernel], 100 * work.demand,
            100 * work.issue);
}

static void write_scenario(FILE *to, size_t n, double skew_ns, const char *policy, const char *contention)
{
    fprintf(to, "scenario: s\ndevices: [{model: captured}]\nqueue: fifo\npolicies: [%s]\ncontention: %s\nvms:\n",
            policy, contention);
    for (size_t i = 0; i < n; i++) {
        double start_ns = n == 1 ? 0 : fmax(0, i ? skew_ns : -skew_ns);
        fprintf(to, "  - {name: v%zu, workload: w%zu, start: %.3f ns}\n", i, i, start_ns);
    }
}

struct seen {
    double begin_ns[2], end_ns[2];
    uint64_t blocks; /* of the first launch */
    long *sm;
};

static void see_stay(void *user, const char *policy, const struct sms_stay *stay)
{
    struct seen *seen = user;
    int i = !strcmp(stay->vm, "v1");
    (void)policy;
    seen->begin_ns[i] = fmin(seen->begin_ns[i], (double)stay->start_ps / 1e3);
    seen->end_ns[i] = fmax(seen->end_ns[i], (double)stay->end_ps / 1e3);
}

static void see_decision(void *user, const char *policy, const struct sms_decision *decision)
{
    const struct seen *seen = user;
    (void)policy;
    if (decision->sm >= 0 && decision->block <= seen->blocks && !strcmp(decision->vm, "v0"))
        seen->sm[decision->block - 1] = decision->sm;
}

void capture_simulate(const struct capture *capture, const struct capture_launch *const *launch, size_t n,
                      double skew_ns, const char *policy, const char *contention, struct capture_simulated *out)
{
    struct sms__buffer text = {0};
    FILE *to = sms__buffer_open(&text);
    if (!to)
        die("out of memory");
    write_device(to, capture);
    for (size_t i = 0; i < n; i++)
        write_workload(to, capture, launch[i], i);
    write_scenario(to, n, skew_ns, policy, contention);
    if (!sms__buffer_close(&text, to))
        die("out of memory");
    struct seen seen = {{1e18, 1e18}, {0, 0}, launch[0]->blocks, out->sm};
    struct sms_run_options options = quick();
    options.on_stay = see_stay;
    options.on_decision = out->sm ? see_decision : NULL;
    options.explain_to_ps = UINT64_MAX;
    options.user = &seen;
    struct ran ran = run_text(text.bytes, 0, &options);
    ran_release(&ran);
    free(text.bytes);
    for (size_t i = 0; i < n; i++)
        out->lasts_ns[i] = seen.end_ns[i] - seen.begin_ns[i];
}
