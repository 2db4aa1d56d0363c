/* Estimates of memory compared with what runs take. Each run has a process of its own. */
#define _GNU_SOURCE
#include "tests/harness.h"

#include "sim/model/estimate.h"

#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

/* A scenario whose device has `%d` SMs. The last `%s` is its policies and tenants. */
#define SCENARIO                                                                                                       \
    "device: d\nclock: 1 GHz\nsms: %d\nmemory: 64 GiB\n"                                                               \
    "sm: {threads: 2048, warps: 64, blocks: 32, registers: 65536, shared_memory: 96 KiB}\n"                            \
    "resources: {fp32: {class: compute}, dram: {class: memory, scope: device, bandwidth: 900 GB/s}}\n---\n"            \
    "workload: w\nkernels: [{name: k, blocks: 4, threads: 128, registers: 32, block_time: 10 us, jitter: 5 %%, "       \
    "demand: {fp32: 20 %%, dram: 5 %%}}]\n---\n"                                                                       \
    "scenario: s\ncontention: proportional\ndevices: [{model: d, count: %d}]\n%s"

struct memory_use {
    double estimate, peak; /* bytes */
};

static struct sms_file *load(int sms, int devices, const char *rest)
{
    struct sms_errors errors;
    struct sms_file *file = NULL;
    size_t size = strlen(SCENARIO) + strlen(rest) + 64;
    char *text = malloc(size);
    snprintf(text, size, SCENARIO, sms, devices, rest);
    int code = sms_file_load_text(text, strlen(text), "made", NULL, &file, &errors);
    free(text);
    if (code)
        sms_errors_print(&errors, stderr);
    return file;
}

/* Runs in the child and writes its estimate to the pipe. */
static int run(int pipe_end, int sms, int devices, const char *rest, unsigned jobs)
{
    struct sms_file *file = load(sms, devices, rest);
    struct sms_results *results;
    struct sms_run_options options = sms_run_defaults();
    const struct sms_scenario *scenario = sms_file_scenario(file, 0);
    const struct sms__memory_ask ask = {.replications = 1, .jobs = jobs, .latencies = true};
    options.jobs = jobs;
    options.latencies = true;
    if (!scenario)
        return 1;
    double estimate = sms__memory_of(scenario, &ask);
    return write(pipe_end, &estimate, sizeof estimate) != sizeof estimate ||
           sms_run(scenario, &options, &results, NULL);
}

static struct memory_use measure(int sms, int devices, const char *rest, unsigned jobs)
{
    struct memory_use memory_use = {0};
    struct rusage usage;
    int pipe_ends[2], status;
    assert_int_equal(pipe(pipe_ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(run(pipe_ends[1], sms, devices, rest, jobs));
    assert_int_equal(wait4(child, &status, 0, &usage), child);
    assert_int_equal(status, 0);
    assert_int_equal(read(pipe_ends[0], &memory_use.estimate, sizeof memory_use.estimate), sizeof memory_use.estimate);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    memory_use.peak = (double)usage.ru_maxrss * 1024;
    return memory_use;
}

/* The 16 MB allow for the program itself, whose pages count as well. */
static void assert_estimated(const char *what, int sms, int devices, const char *rest, unsigned jobs)
{
    struct memory_use memory_use = measure(sms, devices, rest, jobs);
    if (memory_use.estimate < 0.97 * memory_use.peak || memory_use.estimate > 2 * memory_use.peak + 16e6)
        fail_msg("%s with %u jobs: %.1f MB, estimated %.1f MB", what, jobs, memory_use.peak / 1e6,
                 memory_use.estimate / 1e6);
}

static const char *repeat(char *text, size_t size, const char *before, const char *each, int count, const char *after)
{
    size_t used = (size_t)snprintf(text, size, "%s", before);
    for (int i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, each, i);
    assert_true(used < size);
    snprintf(text + used, size - used, "%s", after);
    return text;
}

static void runs_take_about_the_estimated_memory(void **state)
{
    static char vms[1 << 16];
    (void)state;
#ifdef SANITIZED
    skip();
#endif
    repeat(vms, sizeof vms, "policies: [round_robin, fine_grained, depth_first, most_room]\nvms:\n",
           "  - {name: v%d, workload: w, repeat: 3}\n", 500, "");
    for (unsigned jobs = 1; jobs <= 4; jobs *= 2) {
        assert_estimated("500 VMs", 4, 1, vms, jobs);
        assert_estimated("400 devices", 80, 400,
                         "policies: [round_robin, fine_grained, depth_first, most_room]\n"
                         "vms: [{name: a, workload: w}, {name: b, workload: w}]\n",
                         jobs);
        assert_estimated("800 processes in turn", 4, 1,
                         "policies: [{mode: {time_slice: {slice: 1 ms}}}, {mode: {time_slice: {slice: 2 ms}}},\n"
                         "  {mode: {time_slice: {slice: 3 ms}}}, {mode: {time_slice: {slice: 4 ms}}}]\n"
                         "processes: [{name: p, workload: w, count: 800, repeat: 3}]\n",
                         jobs);
        assert_estimated("500 processes together", 4, 1,
                         "policies: [{mode: together}, {mode: mps}, {mode: exclusive}, {share: fair_share}]\n"
                         "processes: [{name: p, workload: w, count: 500, repeat: 3}]\n",
                         jobs);
        assert_estimated("processes on 100 devices", 80, 100,
                         "policies: [plain, fair_share, lottery, priority]\n"
                         "processes: [{name: p, workload: w, count: 100, repeat: 3}]\n",
                         jobs);
    }
}

/* As many jobs run at once as fit into 4 GiB together. A single job that does not fit is refused with the line that
 * causes it. */
static void as_many_jobs_run_at_once_as_fit_into_memory(void **state)
{
    (void)state;
    struct sms_errors errors;
    struct sms_results *results;
    struct sms_run_options options = sms_run_defaults();
    struct sms_file *file = load(80, 2000,
                                 "policies: [round_robin, fine_grained, depth_first, most_room]\n"
                                 "vms: [{name: a, workload: w}]\nrun: {replications: 5}\n");
    const struct sms_scenario *scenario = sms_file_scenario(file, 0);
    struct sms__memory_ask ask = {.replications = 5, .jobs = 16};
    size_t jobs = sms__jobs_that_fit(scenario, &ask);
    assert_in_range(jobs, 2, 15);
    ask.jobs = jobs;
    assert_true(sms__memory_of(scenario, &ask) <= 4.0 * (1 << 30));
    ask.jobs = jobs + 1;
    assert_true(sms__memory_of(scenario, &ask) > 4.0 * (1 << 30));
    options.bins = 1 << 20;
    assert_int_equal(sms_run(scenario, &options, &results, &errors), SMS_EINPUT);
    assert_int_equal(errors.count, 1);
    assert_true(errors.item[0].line > 0);
    assert_non_null(strstr(errors.item[0].message, "of memory, more than 4"));
    sms_file_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(runs_take_about_the_estimated_memory),
                                       cmocka_unit_test(as_many_jobs_run_at_once_as_fit_into_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
