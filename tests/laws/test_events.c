/* Laws of the share level: streams of a process that wait for events of each other. */
#include "sharing.h"

static const char *const modes[] = {"exclusive", "time_slice", "together", "mps"};

enum { MODES = sizeof modes / sizeof *modes };

/* Adds a workload with one kernel `k`, given by its blocks or (form 1) by its time. */
static void add(char *text, size_t size, size_t form, const char *name, int ms, const char *steps)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%sworkload: %s\nkernels: [{name: k, %s: %d ms, %s}]\nsteps: [{%s}]\n",
             used ? "---\n" : "", name, form ? "time" : "block_time", ms,
             form ? "demand: {fp32: 25 %}" : "blocks: 2, threads: 64", steps);
}

/* The end of a process whose streams do `a` and `b`, with kernels of 1 and 3 ms, in any form and mode. */
static void assert_end(const char *a, const char *b, const char *rest, double ms)
{
    for (size_t form = 0; form < 2; form++)
        for (size_t m = 0; m < MODES; m++) {
            char workloads[1024] = "", scenario[512];
            add(workloads, sizeof workloads, form, "a", 1, a);
            add(workloads, sizeof workloads, form, "b", 3, b);
            snprintf(scenario, sizeof scenario,
                     "devices: [{model: small}]\npolicies: [{mode: %s}]\n"
                     "processes: [{name: p, streams: [{workload: a%s}, {workload: b%s}]}]\n",
                     modes[m], rest, rest);
            struct shared s = share(workloads, scenario);
            assert_near(turnaround_ms(s, 0, 0), ms, 1e-7);
            share_release(s);
        }
}

/* The record comes at 3 ms. */
static void a_stream_waits_until_the_other_has_recorded(void **state)
{
    (void)state;
    assert_end("host: 2 ms}, {launch: k}, {record: done}, {launch: k", "wait: done}, {launch: k", "", 6);
    assert_end("host: 2 ms}, {launch: k}, {launch: k}, {record: done", "wait: done}, {launch: k", "", 7);
}

static void a_wait_for_what_is_recorded_takes_no_time(void **state)
{
    (void)state;
    assert_end("record: done}, {launch: k", "launch: k}, {wait: done}, {launch: k", "", 6);
    assert_end("launch: k}, {record: done", "host: 1 ms}, {wait: done}, {launch: k", "", 4);
}

/* Each job of the one takes 3 ms and of the other 3; the last begins at 9 ms. */
static void each_job_waits_for_the_job_of_its_number(void **state)
{
    (void)state;
    assert_end("host: 2 ms}, {launch: k}, {record: done", "wait: done}, {launch: k", ", repeat: 3", 12);
    /* The records come at 1, 2 and 3 ms, and kernels of 3 ms one after another. */
    assert_end("launch: k}, {record: done", "wait: done}, {launch: k", ", repeat: 3", 10);
}

/* The first job waits for nothing, and the others for the record at 3 and 6 ms. */
static void a_wait_may_be_for_an_earlier_job(void **state)
{
    (void)state;
    assert_end("host: 2 ms}, {launch: k}, {record: done", "wait: done, jobs_ago: 1}, {launch: k", ", repeat: 3", 9);
    assert_end("host: 2 ms}, {launch: k}, {record: done", "wait: done, jobs_ago: 2}, {host: 1 ms}, {launch: k",
               ", repeat: 3", 12);
}

/* A round is 1 ms of `a` and 3 of `b`. */
static void streams_can_take_turns(void **state)
{
    (void)state;
    assert_end("wait: back, jobs_ago: 1}, {launch: k}, {record: there", "wait: there}, {launch: k}, {record: back",
               ", repeat: 5", 20);
}

/* While a stream waits, the process is in the phase of the stream that it waits for. */
static void waiting_for_an_event_is_no_time_of_the_process(void **state)
{
    (void)state;
    char workloads[1024] = "";
    add(workloads, sizeof workloads, 0, "a", 1, "launch: k, times: 4}, {record: done");
    add(workloads, sizeof workloads, 0, "b", 3, "wait: done}, {launch: k");
    struct shared s = share(workloads, "devices: [{model: small}]\npolicies: [{mode: mps}]\n"
                                       "processes: [{name: p, streams: [{workload: a}, {workload: b}]}]\n");
    assert_near(of_process(s, 0, 0, "service_ns") / MS, 7, 1e-7);
    share_release(s);
}

/* A process that is paused, or waits for its slice, keeps its order. */
static void waits_hold_beside_other_processes(void **state)
{
    (void)state;
    for (size_t form = 0; form < 2; form++)
        for (size_t m = 0; m < MODES; m++) {
            char workloads[1024] = "", scenario[512];
            add(workloads, sizeof workloads, form, "a", 1, "wait: back, jobs_ago: 1}, {launch: k}, {record: there");
            add(workloads, sizeof workloads, form, "b", 3, "wait: there}, {launch: k}, {record: back");
            snprintf(scenario, sizeof scenario,
                     "devices: [{model: small}]\npolicies: [{mode: %s}]\nprocesses:\n"
                     "  - {name: p, streams: [{workload: a, repeat: 5}, {workload: b, repeat: 5}]}\n"
                     "  - {name: q, streams: [{workload: a, repeat: 5}, {workload: b, repeat: 5}]}\n",
                     modes[m]);
            struct shared s = share(workloads, scenario);
            double first = turnaround_ms(s, 0, 0), second = turnaround_ms(s, 0, 1);
            assert_true(first >= 20 - 1e-7 && second >= 20 - 1e-7);
            assert_true(m != 3 || (first < 20 + 1e-7 && second < 20 + 1e-7)); /* mps: both fit */
            share_release(s);
        }
}

/* The stream that goes on at the end of a kernel of the other launches at the same instant, so the process keeps its
 * slice. */
static void a_slice_lasts_from_stream_to_stream(void **state)
{
    static const struct {
        const char *share, *first, *second;
    } cases[] = {
        {"plain", "launch: k}, {record: done", "wait: done}, {launch: k"},
        {"plain", "launch: k, async: 1 us}, {record: done", "wait: done}, {launch: k"},
        {"memory_turns", "allocate: 5 GiB}, {launch: k}, {free: all", "host: 1 us}, {allocate: 5 GiB}, {launch: k"},
    };
    (void)state;
    for (size_t form = 0; form < 2; form++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            char workloads[1024] = "", scenario[512];
            add(workloads, sizeof workloads, form, "a", 1, cases[c].first);
            add(workloads, sizeof workloads, form, "b", 3, cases[c].second);
            add(workloads, sizeof workloads, form, "long", 20, "host: 0.5 ms}, {launch: k");
            snprintf(scenario, sizeof scenario,
                     "devices: [{model: small, memory: 8 GiB}]\n"
                     "policies: [{share: %s, mode: {time_slice: {slice: 10 ms, switch: 1 ms}}}]\n"
                     "processes: [{name: p, streams: [{workload: a}, {workload: b}]}, {name: q, workload: long}]\n",
                     cases[c].share);
            struct shared s = share(workloads, scenario);
            assert_turnarounds(s, 0, 2, (double[]){4, 25});
            share_release(s);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_waits_until_the_other_has_recorded),
        cmocka_unit_test(a_wait_for_what_is_recorded_takes_no_time),
        cmocka_unit_test(each_job_waits_for_the_job_of_its_number),
        cmocka_unit_test(a_wait_may_be_for_an_earlier_job),
        cmocka_unit_test(streams_can_take_turns),
        cmocka_unit_test(waiting_for_an_event_is_no_time_of_the_process),
        cmocka_unit_test(waits_hold_beside_other_processes),
        cmocka_unit_test(a_slice_lasts_from_stream_to_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
