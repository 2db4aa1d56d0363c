/* The share policy mobile_cuda on cases worked out by hand: who moves to the host, where it continues, and what it
 * waits for. Devices have 1000 bytes, and contexts take 100. A link carries a byte per ms each way. Kernels do not slow
 * each other. Messages, contexts and the manager take no time unless a test is about them. */
#include "tests/harness.h"

#include <stdio.h>

#define WORKLOADS                                                                                                      \
    "device: small\nclock: 1 GHz\nsms: 1\nmemory: 1000 B\nlink: {bandwidth: 1 KB/s}\n"                                 \
    "sm: {threads: 2048, warps: 64, blocks: 2, registers: 65536, shared_memory: 96 KiB}\n"                             \
    "resources: {fp32: {class: compute}}\n"                                                                            \
    "---\nworkload: first\nkernels: [{name: k, time: 1 s}]\nsteps: [{allocate: 300 B}, {launch: k}]\n"                 \
    "---\nworkload: twice\nkernels: [{name: k, time: 500 ms}]\n"                                                       \
    "steps: [{allocate: 300 B}, {launch: k}, {allocate: 200 B}, {launch: k}]\n"                                        \
    "---\nworkload: calls\nkernels: [{name: k, time: 250 ms}]\nsteps: [{allocate: 300 B}, {launch: k, times: 4}]\n"    \
    "---\nworkload: small\nkernels: [{name: k, time: 1 s}]\nsteps: [{allocate: 10 B}, {launch: k}]\n"                  \
    "---\nworkload: large\nkernels: [{name: k, time: 1 s}]\nsteps: [{allocate: 700 B}, {launch: k}]\n"                 \
    "---\nworkload: huge\nkernels: [{name: k, time: 1 s}]\nsteps: [{allocate: 901 B}, {launch: k}]\n"                  \
    "---\nworkload: variables\nstatic: 150 B\nkernels: [{name: k, time: 1 s}]\n"                                       \
    "steps: [{allocate: 300 B}, {launch: k}]\n"                                                                        \
    "---\nworkload: alone\nexclusive: true\nkernels: [{name: k, time: 1 s}]\n"                                         \
    "steps: [{allocate: 300 B}, {launch: k}]\n---\n"

struct log {
    char text[4096], name[16];
};

static void append_span(struct log *log, const char *process, const char *format, double from_ms, double to_ms,
                        long where)
{
    size_t used = strlen(log->text);
    if (!log->name[0] || !strcmp(log->name, process))
        snprintf(log->text + used, sizeof log->text - used, format, from_ms, to_ms, where);
}

static int keep_span(void *user, const struct sms_run_event *event)
{
    const struct sms_span *span = event->span;
    struct log *log = user;
    char format[128];
    snprintf(format, sizeof format, "%s %s %%g-%%g on %%ld\n", span->name, span->state);
    append_span(log, span->name, format, (double)span->start_ps / 1e9, (double)span->end_ps / 1e9, span->device);
    return 0;
}

static int keep_message(void *user, const struct sms_run_event *event)
{
    const struct sms_message *message = event->message;
    struct log *log = user;
    size_t used = strlen(log->text);
    snprintf(log->text + used, sizeof log->text - used, "%g %s %s\n", (double)message->time_ps / 1e9, message->process,
             message->text);
    return 0;
}

/* Runs the scenario of the file. `log` gets what the policy reported, or with a name, the states of these processes. */
static struct sms_results *run_file(struct sms_file *file, const char *spans, struct log *log)
{
    struct sms_run_options options = sms_run_defaults();
    options.user = log;
    options.alone = false;
    if (log && spans) {
        snprintf(log->name, sizeof log->name, "%s", spans);
        options.observe = keep_span;
        options.events = SMS_RUN_SPAN;
    } else if (log) {
        options.observe = keep_message;
        options.events = SMS_RUN_MESSAGE;
    }
    return run_first(file, &options);
}

/* Runs the processes. `log`, if given, gets what the policy reported. With `spans` it gets the states of the process of
 * that name instead, or of all processes if the name is empty. */
static struct sms_results *run(size_t devices, const char *policy, const char *processes, const char *spans,
                               struct log *log)
{
    struct sms_file *file =
        load_text(WORKLOADS "scenario: s\ndevices: [{model: small, count: %zu}]\nhost: {context: 100 B}\n"
                            "policies: [{share: {mobile_cuda: {%s}}, mode: together}]\nprocesses:\n%s",
                  devices, *policy ? policy : "message: 0 s", processes);
    struct sms_results *results = run_file(file, spans, log);
    sms_file_free(file);
    return results;
}

static void expect_log(size_t devices, const char *policy, const char *processes, const char *spans,
                       const char *expected)
{
    struct log log = {0};
    sms_results_free(run(devices, policy, processes, spans, &log));
    assert_string_equal(log.text, expected);
}

static double end_ms(struct sms_results *results, size_t p)
{
    return estimate(results, 0, SMS_PROCESS, p, "turnaround_ns").mean / 1e6;
}

/* With contexts a holds 400 bytes, b 400 and c 110. b asks for 200 more, moves its 300 to the host, and comes back when
 * a has ended. */
static void a_process_that_finds_no_memory_moves_to_the_host(void **state)
{
    (void)state;
    expect_log(1, "",
               "  - {name: a, workload: first}\n"
               "  - {name: b, workload: twice}\n"
               "  - {name: c, workload: small, start: 1 ms}\n",
               "b",
               "b host 0-1e-09 on 0\n"
               "b kernel 1e-09-500 on 0\n"
               "b suspending 500-800 on 0\n"
               "b suspended 800-1000 on -1\n"
               "b restoring 1000-1300 on 0\n"
               "b kernel 1300-1800 on 0\n");
}

/* a takes the first of equal devices. Then 200 and 1000 bytes are free, and finally 200 and 600. */
static void processes_connect_where_most_memory_is_free(void **state)
{
    (void)state;
    expect_log(2, "",
               "  - {name: a, workload: large}\n"
               "  - {name: b, workload: first, start: 1 ms}\n"
               "  - {name: c, workload: small, start: 2 ms}\n",
               NULL,
               "0 a connects to device 0\n"
               "1 b connects to device 1\n"
               "2 c connects to device 1\n");
}

/* c finds no room on device 1, where more was free when it connected. Device 0 is the first to have room. */
static void a_process_may_continue_on_another_device(void **state)
{
    (void)state;
    expect_log(2, "",
               "  - {name: a, workload: large}\n  - {name: b, workload: calls, start: 500 ms}\n"
               "  - {name: c, workload: large, start: 600 ms}\n",
               NULL,
               "0 a connects to device 0\n"
               "500 b connects to device 1\n"
               "600 c connects to device 1\n"
               "600 c device 1 has no room: moves to the host\n"
               "1000 c continues on device 0\n");
}

/* a, b and d end at the same instant. Device 0 then has e, and device 1 nobody, so c continues there. */
static void memory_that_becomes_free_at_one_instant_counts_together(void **state)
{
    (void)state;
    expect_log(2, "",
               "  - {name: a, workload: first}\n  - {name: b, workload: large}\n  - {name: c, workload: twice}\n"
               "  - {name: d, workload: small}\n  - {name: e, workload: small, start: 10 ms}\n",
               NULL,
               "0 a connects to device 0\n"
               "0 b connects to device 1\n"
               "0 c connects to device 0\n"
               "0 d connects to device 1\n"
               "10 e connects to device 0\n"
               "500 c device 0 has no room: moves to the host\n"
               "1000 c continues on device 1\n");
}

/* At 1000 ms 600 bytes are free. That is too little for c's 800, though c has waited longer, and enough for d's 400. */
static void processes_leave_the_host_in_order_of_arrival_unless_they_do_not_fit(void **state)
{
    (void)state;
    expect_log(1, "",
               "  - {name: a, workload: first}\n"
               "  - {name: b, workload: first, start: 500 ms}\n"
               "  - {name: c, workload: large, start: 600 ms}\n"
               "  - {name: d, workload: first, start: 700 ms}\n",
               NULL,
               "0 a connects to device 0\n"
               "500 b connects to device 0\n"
               "600 c connects to device 0\n"
               "600 c device 0 has no room: moves to the host\n"
               "700 d connects to device 0\n"
               "700 d device 0 has no room: moves to the host\n"
               "1000 d continues on device 0\n"
               "2000 c continues on device 0\n");
}

/* x claims the device at 300 ms. a learns of it at its next call, at 500 ms. */
static void an_exclusive_process_has_its_device_for_itself(void **state)
{
    (void)state;
    expect_log(1, "",
               "  - {name: a, workload: calls}\n"
               "  - {name: x, workload: alone, start: 300 ms}\n",
               "",
               "a host 0-1e-09 on 0\n"
               "a kernel 1e-09-250 on 0\n"
               "a kernel 250-500 on 0\n"
               "a suspending 500-800 on 0\n"
               "x unplaced 300-800 on -1\n"
               "x host 800-800 on 0\n"
               "x kernel 800-1800 on 0\n"
               "a suspended 800-1800 on -1\n"
               "a restoring 1800-2100 on 0\n"
               "a kernel 2100-2350 on 0\n"
               "a kernel 2350-2600 on 0\n");
}

static void an_exclusive_process_claims_the_first_of_equal_devices(void **state)
{
    (void)state;
    expect_log(2, "", "  - {name: x, workload: alone}\n", NULL,
               "0 x claims device 0, which has 0 processes\n"
               "0 x connects to device 0\n");
}

/* x3 finds no unclaimed device, and processes on the host go before it. Two processes that move at once share the
 * link. */
static void exclusive_processes_claim_the_devices_with_the_fewest_processes(void **state)
{
    (void)state;
    expect_log(2, "",
               "  - {name: a, workload: calls}\n"
               "  - {name: b, workload: calls}\n"
               "  - {name: c, workload: calls}\n"
               "  - {name: x, workload: alone, count: 3, start: 300 ms}\n",
               NULL,
               "0 a connects to device 0\n"
               "0 b connects to device 1\n"
               "0 c connects to device 0\n"
               "300 x1 claims device 1, which has 1 processes\n"
               "300 x2 claims device 0, which has 2 processes\n"
               "500 a leaves device 0 to an exclusive process\n"
               "500 c leaves device 0 to an exclusive process\n"
               "500 b leaves device 1 to an exclusive process\n"
               "800 x1 connects to device 1\n"
               "1100 x2 connects to device 0\n"
               "1800 b continues on device 1\n"
               "1800 a continues on device 1\n"
               "1800 x3 claims device 1, which has 2 processes\n"
               "2100 c continues on device 0\n"
               "2650 a leaves device 1 to an exclusive process\n"
               "2650 b leaves device 1 to an exclusive process\n"
               "3250 a continues on device 0\n"
               "3250 b continues on device 0\n"
               "3250 x3 connects to device 1\n");
}

/* u's context does not fit into the 90 bytes that are left. x came later and waits behind u. */
static void an_exclusive_process_does_not_overtake(void **state)
{
    (void)state;
    expect_log(1, "",
               "  - {name: a, workload: large}\n  - {name: s, workload: small}\n"
               "  - {name: u, workload: calls, start: 100 ms}\n  - {name: x, workload: alone, start: 200 ms}\n",
               NULL,
               "0 a connects to device 0\n"
               "0 s connects to device 0\n"
               "1000 u connects to device 0\n"
               "1000 x claims device 0, which has 1 processes\n"
               "1000 u leaves device 0 to an exclusive process\n"
               "1000 x connects to device 0\n"
               "2000 u continues on device 0\n");
}

/* v fails: its context of 250 bytes is larger than its only device. x does not wait for it. */
static void an_exclusive_process_does_not_wait_for_one_that_fits_nowhere(void **state)
{
    (void)state;
    struct log log = {0};
    struct sms_file *file = load_text(
        WORKLOADS "scenario: s\ndevices: [{model: small, memory: 200 B}, {model: small}]\n"
                  "host: {context: 100 B}\npolicies: [{share: {mobile_cuda: {message: 0 s}}, mode: together}]\n"
                  "processes:\n  - {name: v, workload: variables, device: 0}\n  - {name: x, workload: alone}\n");
    sms_results_free(run_file(file, NULL, &log));
    assert_string_equal(log.text, "0 x claims device 1, which has 0 processes\n0 x connects to device 1\n"
                                  "0 v fails: no device is large enough\n");
    sms_file_free(file);
}

/* `a` holds 550 bytes, of 1000 that each may have of device 0 and 500 of device 1. At 250 ms it leaves device 0 to `x`,
 * which ends at 1550, and waits for it, though device 1 has so much free. */
static void a_process_comes_back_within_the_limit_of_the_mode(void **state)
{
    (void)state;
    struct sms_run_options options = sms_run_defaults();
    struct sms_file *file =
        load_text(WORKLOADS "scenario: s\ndevices: [{model: small, memory: 2000 B}, {model: small}]\n"
                            "host: {context: 250 B}\n"
                            "policies: [{share: {mobile_cuda: {message: 0 s}}, mode: {mps: {replicas: 2}}}]\n"
                            "processes:\n  - {name: a, workload: calls}\n"
                            "  - {name: x, workload: alone, device: 0, start: 10 ms}\n");
    options.alone = false;
    struct sms_results *results = run_first(file, &options);
    assert_near(end_ms(results, 1), 1550 - 10, 1e-6);
    assert_near(end_ms(results, 0), 1550 + 300 + 750, 1e-6);
    discard(results, file);
}

/* Other programs leave 152 bytes of the device. */
static void an_exclusive_process_connects_once_its_context_fits(void **state)
{
    (void)state;
    struct log log = {0};
    struct sms_file *file =
        load_text(WORKLOADS "scenario: s\nscheduler: {kind: gpushare}\n"
                            "nodes: [{name: n, devices: {model: small, memory: 2 MiB}, used_by_others: 2097000 B}]\n"
                            "host: {context: 200 B}\npolicies: [{place: gpushare, share: mobile_cuda, mode: mps}]\n"
                            "pods: [{name: x, workload: alone, gpu_memory: 1 MiB}]\n");
    sms_results_free(run_file(file, NULL, &log));
    assert_non_null(strstr(log.text, "claims device 0"));
    assert_null(strstr(log.text, "connects"));
    sms_file_free(file);
}

/* The third process connects when one of the first two has ended. */
static void no_more_processes_are_assigned_than_the_limit(void **state)
{
    (void)state;
    expect_log(1, "message: 0 s, assigned: 2", "  - {name: a, workload: small, count: 3}\n", NULL,
               "0 a1 connects to device 0\n"
               "0 a2 connects to device 0\n"
               "1000 a3 connects to device 0\n");
}

/* b is on the host from the start. c connects only when a has ended, after b has continued. */
static void a_suspended_process_stays_assigned(void **state)
{
    (void)state;
    expect_log(1, "message: 0 s, assigned: 2",
               "  - {name: a, workload: first}\n"
               "  - {name: b, workload: large}\n"
               "  - {name: c, workload: small}\n",
               NULL,
               "0 a connects to device 0\n"
               "0 b connects to device 0\n"
               "1e-09 b device 0 has no room: moves to the host\n"
               "1000 b continues on device 0\n"
               "1000 c connects to device 0\n");
}

/* Each request takes 100 ms. */
static void the_manager_takes_one_request_after_another(void **state)
{
    (void)state;
    expect_log(1, "message: 0 s, request: 100 ms", "  - {name: a, workload: small, count: 3}\n", NULL,
               "100 a1 connects to device 0\n"
               "200 a2 connects to device 0\n"
               "300 a3 connects to device 0\n");
}

/* a takes 300 ms to move to the host. Meanwhile b makes two more calls, and moves at the next one. They come back one
 * after the other. */
static void no_more_processes_move_at_once_than_the_limit(void **state)
{
    (void)state;
    expect_log(1, "message: 0 s, moves: 1",
               "  - {name: a, workload: calls}\n"
               "  - {name: b, workload: calls}\n"
               "  - {name: x, workload: alone, start: 300 ms}\n",
               NULL,
               "0 a connects to device 0\n"
               "0 b connects to device 0\n"
               "300 x claims device 0, which has 2 processes\n"
               "500 a leaves device 0 to an exclusive process\n"
               "1000 b leaves device 0 to an exclusive process\n"
               "1300 x connects to device 0\n"
               "2300 a continues on device 0\n"
               "2600 b continues on device 0\n");
}

/* v connects with two requests of 10 ms each. It then holds 250 bytes beside the 100 of a, which leaves no room for a's
 * 700. w finds 600 bytes free beside b and 450 beside v. */
static void static_variables_are_part_of_the_context(void **state)
{
    (void)state;
    expect_log(2, "message: 10 ms",
               "  - {name: a, workload: large}\n  - {name: b, workload: first}\n  - {name: v, workload: variables}\n"
               "  - {name: w, workload: variables, start: 100 ms}\n",
               NULL,
               "10 a connects to device 0\n"
               "10 b connects to device 1\n"
               "20 v connects to device 0\n"
               "20 a device 0 has no room: moves to the host\n"
               "120 w connects to device 1\n"
               "1030 a continues on device 0\n");
}

/* 901 bytes and the context are more than any device has. a runs out of memory, and b goes on. */
static void an_allocation_larger_than_any_device_fails(void **state)
{
    (void)state;
    struct sms_results *results =
        run(2, "", "  - {name: a, workload: huge}\n  - {name: b, workload: small}\n", NULL, NULL);
    assert_true(estimate(results, 0, SMS_PROCESS, 0, "failed_count").mean == 1);
    assert_true(estimate(results, 0, SMS_PROCESS, 1, "failed_count").mean == 0);
    assert_near(end_ms(results, 1), 1000, 1e-6);
    sms_results_free(results);
}

/* Of 800 bytes, and of an exclusive process that holds 400 in all. */
static void what_the_only_device_of_a_process_cannot_hold_fails(void **state)
{
    (void)state;
    struct sms_file *file =
        load_text(WORKLOADS "scenario: s\ndevices: [{model: small, memory: 390 B}, {model: small}]\n"
                            "host: {context: 100 B}\npolicies: [{share: mobile_cuda, mode: together}]\nprocesses:\n"
                            "  - {name: a, workload: large, device: 0}\n  - {name: x, workload: alone, device: 0}\n"
                            "  - {name: b, workload: small, device: 0}\n");
    struct sms_results *results = run_first(file, NULL);
    for (size_t p = 0; p < 3; p++)
        assert_near(estimate(results, 0, SMS_PROCESS, p, "failed_count").mean, p < 2, 0);
    discard(results, file);
}

/* Creating a context takes 10 ms. Until then it counts against the limit of 2. */
static void no_more_processes_connect_at_once_than_the_limit(void **state)
{
    (void)state;
    struct log log = {0};
    struct sms_file *file =
        load_text(WORKLOADS "scenario: s\ndevices: [{model: small}]\n"
                            "host: {context: 100 B, context_time: 10 ms}\n"
                            "policies: [{share: {mobile_cuda: {message: 0 s, connecting: 2}}, mode: together}]\n"
                            "processes:\n  - {name: a, workload: small, count: 4}\n");
    sms_results_free(run_file(file, NULL, &log));
    assert_string_equal(log.text, "0 a1 connects to device 0\n"
                                  "0 a2 connects to device 0\n"
                                  "10 a3 connects to device 0\n"
                                  "10 a4 connects to device 0\n");
    sms_file_free(file);
}

/* A request that cannot be granted stays with the manager and is not sent again. */
static void a_request_is_sent_once(void **state)
{
    (void)state;
    struct sms_run_options options = sms_run_defaults();
    struct sms_file *file = load_text(WORKLOADS "scenario: s\ndevices: [{model: small}]\nhost: {context: 100 B}\n"
                                                "policies: [{share: mobile_cuda, mode: together}]\nprocesses:\n"
                                                "  - {name: a, workload: small, count: 20}\n");
    options.max_events = 1000;
    options.alone = false;
    sms_results_free(run_first(file, &options));
    sms_file_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_that_finds_no_memory_moves_to_the_host),
        cmocka_unit_test(processes_connect_where_most_memory_is_free),
        cmocka_unit_test(a_process_may_continue_on_another_device),
        cmocka_unit_test(memory_that_becomes_free_at_one_instant_counts_together),
        cmocka_unit_test(processes_leave_the_host_in_order_of_arrival_unless_they_do_not_fit),
        cmocka_unit_test(an_exclusive_process_has_its_device_for_itself),
        cmocka_unit_test(exclusive_processes_claim_the_devices_with_the_fewest_processes),
        cmocka_unit_test(an_exclusive_process_claims_the_first_of_equal_devices),
        cmocka_unit_test(an_exclusive_process_does_not_overtake),
        cmocka_unit_test(an_exclusive_process_does_not_wait_for_one_that_fits_nowhere),
        cmocka_unit_test(a_process_comes_back_within_the_limit_of_the_mode),
        cmocka_unit_test(an_exclusive_process_connects_once_its_context_fits),
        cmocka_unit_test(no_more_processes_are_assigned_than_the_limit),
        cmocka_unit_test(a_suspended_process_stays_assigned),
        cmocka_unit_test(the_manager_takes_one_request_after_another),
        cmocka_unit_test(no_more_processes_move_at_once_than_the_limit),
        cmocka_unit_test(no_more_processes_connect_at_once_than_the_limit),
        cmocka_unit_test(static_variables_are_part_of_the_context),
        cmocka_unit_test(an_allocation_larger_than_any_device_fails),
        cmocka_unit_test(what_the_only_device_of_a_process_cannot_hold_fails),
        cmocka_unit_test(a_request_is_sent_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
