/* For laws of the share level: small scenarios with processes, and what came of them. */
#ifndef TESTS_LAWS_SHARING_H
#define TESTS_LAWS_SHARING_H

#include "tests/harness.h"

#define MS 1e6 /* ns */

/* 4 SMs of 2 blocks each, 1000 bytes of memory, a link of 4 bytes per ms each way, a byte per ms at most in a copy out.
 * So small that sizes can be read off; nothing depends on the scale. */
#define SHARED_DEVICE                                                                                                  \
    "device: small\nclock: 1 GHz\nsms: 4\nmemory: 1000 B\n"                                                            \
    "sm: {threads: 2048, warps: 64, blocks: 2, registers: 65536, shared_memory: 96 KiB, threads_per_block: 1024}\n"    \
    "resources:\n  fp32: {class: compute}\n  fp64: {class: compute}\n  l1: {class: memory}\n"                          \
    "  dram: {class: memory, scope: device}\n"

struct shared {
    struct sms_file *file;
    struct sms_results *results;
};

/* `workloads` are documents without the first `---`; `scenario` is all of it but its name. */
static inline struct shared share_with(const struct sms_run_options *options, const char *workloads,
                                       const char *scenario)
{
    struct sms_file *file = load_text("%s---\n%s---\nscenario: s\n%s", SHARED_DEVICE, workloads, scenario);
    return (struct shared){file, run_first(file, options)};
}

static inline struct shared share(const char *workloads, const char *scenario)
{
    return share_with(NULL, workloads, scenario);
}

static inline void share_release(struct shared shared) { discard(shared.results, shared.file); }

static inline double of_process(struct shared shared, size_t policy, size_t process, const char *metric)
{
    return estimate(shared.results, policy, SMS_PROCESS, process, metric).mean;
}

static inline double of_device(struct shared shared, size_t policy, size_t device, const char *metric)
{
    return estimate(shared.results, policy, SMS_DEVICE, device, metric).mean;
}

static inline double turnaround_ms(struct shared shared, size_t policy, size_t process)
{
    return of_process(shared, policy, process, "turnaround_ns") / MS;
}

static inline double makespan_ms(struct shared shared, size_t policy)
{
    return estimate(shared.results, policy, SMS_HOST, 0, "makespan_ns").mean / MS;
}

/* The ends of the processes of one run, in ms; ends are rounded up to whole picoseconds. */
static inline void assert_turnarounds(struct shared shared, size_t policy, size_t count, const double *ms)
{
    for (size_t p = 0; p < count; p++)
        if (!(fabs(turnaround_ms(shared, policy, p) - ms[p]) <= 1e-7))
            fail_msg("policy %zu, process %zu: %.10g ms, and not %.10g", policy, p, turnaround_ms(shared, policy, p),
                     ms[p]);
}

#endif
