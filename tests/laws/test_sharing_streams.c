/* Laws of the share level: streams of a process, in one context. 4 SMs of 2 blocks each: 8 blocks at once. */
#include "sharing.h"

static const char *const modes[] = {"exclusive", "time_slice", "together", "mps"};

enum { MODES = sizeof modes / sizeof *modes };

/* The end of the first process. */
static double end_under(const char *mode, const char *workloads, const char *processes)
{
    char scenario[1024];
    snprintf(scenario, sizeof scenario,
             "devices: [{model: small}]\nhost: {context: 100 B}\npolicies: [{mode: %s}]\nprocesses:\n%s", mode,
             processes);
    struct shared s = share(workloads, scenario);
    double end = turnaround_ms(s, 0, 0);
    share_release(s);
    return end;
}

static void equal_kernels_that_fit_beside_each_other_take_as_long_as_one(void **state)
{
    (void)state;
    const char *const workloads[] = {
        "workload: w\nkernels: [{name: k, blocks: 2, threads: 64, block_time: 1 ms}]\nsteps: [{launch: k, times: 3}]\n",
        "workload: w\nkernels: [{name: k, time: 1 ms, demand: {fp32: 25 %}}]\nsteps: [{launch: k, times: 3}]\n"};
    for (size_t w = 0; w < 2; w++)
        for (size_t m = 0; m < MODES; m++) {
            assert_near(end_under(modes[m], workloads[w], "  - {name: p, workload: w, streams: 4}\n"), 3, 1e-7);
            assert_near(end_under(modes[m], workloads[w], "  - {name: p, streams: [{workload: w, count: 4}]}\n"), 3,
                        1e-7);
        }
}

static void kernels_that_do_not_fit_wait_for_each_other(void **state)
{
    (void)state;
    const char *const workload = "workload: w\nkernels: [{name: k, blocks: 8, threads: 64, block_time: 1 ms}]\n";
    for (size_t m = 0; m < MODES; m++)
        assert_near(end_under(modes[m], workload, "  - {name: p, workload: w, streams: 3}\n"), 3, 1e-7);
}

/* Where the spans of a stream end, in ms. */
struct ends {
    double of[8][8], kernel[8][8]; /* [process][stream]; its first kernel's */
};

static int note_end(void *user, const struct sms_run_event *event)
{
    const struct sms_span *span = event->span;
    struct ends *ends = user;
    double *kernel = &ends->kernel[span->process][span->stream];
    ends->of[span->process][span->stream] = (double)span->end_ps / 1e9;
    if (*kernel == 0 && !strcmp(span->state, "kernel"))
        *kernel = (double)span->end_ps / 1e9;
    return 0;
}

static struct ends ends_of(const char *workloads, const char *scenario, enum sms_engine engine)
{
    struct ends ends = {0};
    struct sms_run_options options = sms_run_defaults();
    options.observe = note_end;
    options.events = SMS_RUN_SPAN;
    options.user = &ends;
    options.alone = false;
    options.check = engine == SMS_ENGINE_FAST;
    options.engine = engine;
    share_release(share_with(&options, workloads, scenario));
    return ends;
}

static const char *const queues[] = {"leftover", "interleave", "kernel_fifo", "rr_fifo"};

/* The first 8 blocks end at 1 ms, the next at 2 and 3; what comes at 2.5 goes on at 3, and the others wait until it has
 * no blocks left that do. What runs is not stopped. */
static void a_late_kernel_of_a_higher_priority_goes_first(void **state)
{
    (void)state;
    for (size_t q = 0; q < 4; q++)
        for (int engine = 0; engine < 2; engine++) {
            char scenario[512];
            snprintf(scenario, sizeof scenario,
                     "devices: [{model: small}]\nqueue: %s\npolicies: [{mode: %s}]\nprocesses:\n"
                     "  - name: p\n    streams: [{workload: long}, {workload: late, priority: 5}]\n",
                     queues[q], modes[q]);
            struct ends ends =
                ends_of("workload: long\nkernels: [{name: k, blocks: 80, threads: 64, block_time: 1 ms}]\n"
                        "---\nworkload: late\nkernels: [{name: k, blocks: 20, threads: 64, block_time: 1 ms}]\n"
                        "steps: [{host: 2.5 ms}, {launch: k}]\n",
                        scenario, engine ? SMS_ENGINE_REFERENCE : SMS_ENGINE_FAST);
            assert_near(ends.of[0][1], 6, 1e-7);          /* 8 from 3, 8 from 4, 4 from 5 on, */
            assert_near(ends.of[0][0], 12.5 + 0.5, 1e-7); /* beside which 4 of the other's last 56: 52 more from 6 on */
        }
}

/* Three levels: the middle one waits for the highest, and the lowest for both. */
static void levels_go_one_after_another(void **state)
{
    (void)state;
    for (size_t q = 0; q < 4; q++)
        for (int engine = 0; engine < 2; engine++) {
            char scenario[512];
            snprintf(scenario, sizeof scenario,
                     "devices: [{model: small}]\nqueue: %s\npolicies: [{mode: mps}]\nprocesses:\n  - name: p\n"
                     "    streams: [{workload: w}, {workload: w}, {workload: w, priority: 2}, {workload: w, priority: "
                     "1}]\n",
                     queues[q]);
            struct ends ends = ends_of("workload: w\nkernels: [{name: k, blocks: 16, threads: 64, block_time: 1 ms}]\n",
                                       scenario, engine ? SMS_ENGINE_REFERENCE : SMS_ENGINE_FAST);
            assert_near(ends.of[0][2], 2, 1e-7);
            assert_near(ends.of[0][3], 4, 1e-7);
            assert_near(fmax(ends.of[0][0], ends.of[0][1]), 8, 1e-7);
            bool in_turn = q == 1 || q == 3; /* then those of one level share what there is */
            assert_near(fmin(ends.of[0][0], ends.of[0][1]), in_turn ? 8 : 6, 1e-7);
        }
}

/* Rounds of equal placements are over when blocks whose work is drawn come into line in the middle of a dispatch. */
static void drawn_blocks_come_after_equal_ones(void **state)
{
    (void)state;
    for (size_t q = 0; q < 4; q++) {
        double end[2];
        for (int engine = 0; engine < 2; engine++) {
            char scenario[512];
            snprintf(scenario, sizeof scenario,
                     "devices: [{model: small, sm: {threads: 2048, warps: 64, blocks: 16}}]\nqueue: %s\npolicies: "
                     "[{mode: mps}]\nprocesses:\n  - name: p\n"
                     "    streams: [{workload: drawn}, {workload: equal, priority: 1}]\n",
                     queues[q]);
            struct ends ends = ends_of(
                "workload: drawn\nkernels: [{name: k, blocks: 200, threads: 64, block_time: 1 ms, jitter: 30 %}]\n"
                "---\nworkload: equal\nkernels: [{name: k, blocks: 4, threads: 64, block_time: 1 ms}]\n",
                scenario, engine ? SMS_ENGINE_REFERENCE : SMS_ENGINE_FAST);
            end[engine] = ends.of[0][0];
        }
        assert_true(end[0] == end[1]);
    }
}

#define LINE                                                                                                           \
    "workload: two\nkernels: [{name: k, blocks: 16, threads: 64, block_time: 1 ms}]\n"                                 \
    "---\nworkload: soon\nkernels: [{name: k, blocks: 8, threads: 64, block_time: 1 ms}]\n"                            \
    "steps: [{host: 0.1 ms}, {launch: k}]\n"                                                                           \
    "---\nworkload: later\nkernels: [{name: k, blocks: 8, threads: 64, block_time: 1 ms}]\n"                           \
    "steps: [{host: 0.2 ms}, {launch: k}]\n"

/* Half of the low one's blocks wait when q launches, and then the high one. Blocks of both processes wait in one queue,
 * where the priority of q's stream is one less than its process's. */
static void priorities_hold_between_processes(void **state)
{
    (void)state;
    const char *const scenario = "devices: [{model: small}]\nqueue: kernel_fifo\npolicies: [{mode: mps}]\nprocesses:\n"
                                 "  - {name: p, streams: [{workload: two, priority: %d}, {workload: later, priority: "
                                 "%d}]}\n  - {name: q, priority: %d, streams: [{workload: soon, priority: -1}]}\n";
    static const struct {
        int low, high, other;
        double low_ms, high_ms, other_ms;
    } cases[] = {{0, 0, 0, 2, 4, 3}, {0, 0, 9, 3, 4, 2}, {0, 1, 0, 3, 2, 4}, {-7, 8, 9, 4, 3, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int engine = 0; engine < 2; engine++) {
            char text[512];
            snprintf(text, sizeof text, scenario, cases[i].low, cases[i].high, cases[i].other + 1);
            struct ends ends = ends_of(LINE, text, engine ? SMS_ENGINE_REFERENCE : SMS_ENGINE_FAST);
            assert_near(ends.of[0][0], cases[i].low_ms, 1e-7);
            assert_near(ends.of[0][1], cases[i].high_ms, 1e-7);
            assert_near(ends.of[1][0], cases[i].other_ms, 1e-7);
        }
}

/* 100 of the context and 50 of its static variables once, 200 of each stream. */
/* Blocks of `low` end at 2 ms, when the kernel of `high` comes from the host, after a copy or with a job. */
static void who_comes_as_blocks_end_goes_by_priority(void **state)
{
    static const char *const comes[] = {
        "steps: [{host: 2 ms}, {launch: k}]\n",
        "steps: [{host: 1 ms}, {copy_in: 1 MB}, {launch: k}]\n",
        "",
    };
    (void)state;
    for (size_t m = 0; m < 2; m++)
        for (size_t c = 0; c < sizeof comes / sizeof *comes; c++) {
            char workloads[512], scenario[512];
            snprintf(workloads, sizeof workloads,
                     "workload: low\nkernels: [{name: k, blocks: 32, threads: 1024, block_time: 1 ms}]\n"
                     "---\nworkload: high\nkernels: [{name: k, blocks: 8, threads: 1024, block_time: 5 ms}]\n%s",
                     comes[c]);
            snprintf(scenario, sizeof scenario,
                     "devices: [{model: small, link: {bandwidth: 1 GB/s}}]\npolicies: [{mode: %s}]\n"
                     "processes: [{name: low, workload: low}, {name: high, workload: high, priority: 1%s}]\n",
                     m ? "mps" : "together", *comes[c] ? "" : ", arrivals: {times: [2.000000001 ms]}, repeat: 1");
            struct shared s = share(workloads, scenario);
            assert_turnarounds(s, 0, 2, (double[]){9, 7});
            share_release(s);
        }
}

/* An SM takes two blocks. `b` has a slice once `high` has ended, and `a` waits for the last block of `high` to begin.
 */
static void a_slice_of_an_sm_goes_to_the_highest_priority(void **state)
{
    (void)state;
    struct shared s = share("workload: w\nkernels: [{name: k, blocks: 8, threads: 64, block_time: 1 ms}]\n",
                            "devices: [{model: small}]\npolicies: [{mode: together, block: warped_slicer}]\n"
                            "processes: [{name: a, workload: w}, {name: b, workload: w}, "
                            "{name: high, workload: w, priority: 1}]\n");
    assert_turnarounds(s, 0, 3, (double[]){3, 4, 2});
    share_release(s);
}

/* Of three launches, which take turns, two have a slice. The third begins a block in the first ms, two in each of the
 * next three, and holds up the others where no SM is empty: they begin two in each. */
static void an_empty_sm_takes_a_launch_without_a_slice(void **state)
{
    (void)state;
    struct shared s = share("workload: w\nkernels: [{name: k, blocks: 8, threads: 64, block_time: 1 ms}]\n",
                            "devices: [{model: small}]\nqueue: rr_fifo\n"
                            "policies: [{mode: together, block: warped_slicer}]\n"
                            "processes: [{name: a, workload: w}, {name: b, workload: w}, {name: c, workload: w}]\n");
    assert_turnarounds(s, 0, 3, (double[]){4, 4, 5});
    share_release(s);
}

static void streams_share_a_context_and_memory(void **state)
{
    (void)state;
    struct shared s = share("workload: w\nstatic: 50 B\nkernels: [{name: k, time: 1 ms}]\n"
                            "steps: [{allocate: 200 B}, {launch: k}]\n",
                            "devices: [{model: small}]\nhost: {context: 100 B}\npolicies: [{mode: together}]\n"
                            "processes: [{name: p, workload: w, streams: 4}]\n");
    assert_near(of_process(s, 0, 0, "memory_high_water_bytes"), 950, 0);
    assert_near(of_process(s, 0, 0, "failed_count"), 0, 0);
    share_release(s);
    s = share("workload: w\nkernels: [{name: k, time: 1 ms, demand: {fp32: 10 %}}]\n"
              "steps: [{allocate: 200 B}, {launch: k}]\n",
              "devices: [{model: small}]\nhost: {context: 100 B}\npolicies: [{mode: together}]\n"
              "processes: [{name: p, workload: w, streams: 5}, {name: q, workload: w, start: 3 ms}]\n");
    assert_near(of_process(s, 0, 0, "failed_count"), 1, 0); /* the fifth finds no memory: all end */
    assert_near(of_process(s, 0, 1, "failed_count"), 0, 0);
    assert_near(of_process(s, 0, 1, "memory_high_water_bytes"), 300, 0);
    share_release(s);
}

/* Both copies end at the same time; the first stream then finds no memory, which ends the second, too. */
static void a_stream_that_finds_no_memory_ends_all(void **state)
{
    (void)state;
    struct shared s =
        share("workload: a\nkernels: [{name: k, time: 1 ms}]\n"
              "steps: [{copy_in: 8 B}, {allocate: 2000 B}, {launch: k}]\n"
              "---\nworkload: b\nkernels: [{name: k, time: 1 ms}]\nsteps: [{copy_in: 8 B}, {launch: k}]\n",
              "devices: [{model: small, link: {bandwidth: 4 KB/s}}]\npolicies: [{mode: mps}]\n"
              "processes: [{name: p, streams: [{workload: a}, {workload: b}]}]\n");
    assert_near(of_process(s, 0, 0, "failed_count"), 1, 0);
    assert_near(of_process(s, 0, 0, "copied_bytes"), 8, 0);
    assert_near(of_process(s, 0, 0, "kernel_ns"), 0, 0);
    share_release(s);
}

/* p's kernels run in p's slices, all at once: p and q take as long as with one of them. */
static void streams_have_one_slice(void **state)
{
    (void)state;
    double one[2][2];
    for (int streams = 1; streams <= 3; streams++)
        for (int drain = 0; drain < 2; drain++) {
            char scenario[512];
            snprintf(scenario, sizeof scenario,
                     "devices: [{model: small}]\n"
                     "policies: [{mode: {time_slice: {slice: 2.5 ms, switch: 0.1 ms, drain: %s}}}]\n"
                     "processes: [{name: p, workload: w, streams: %d}, {name: q, workload: w}]\n",
                     drain ? "true" : "false", streams);
            struct shared s = share("workload: w\nkernels: [{name: k, blocks: 2, threads: 64, block_time: 1 ms}]\n"
                                    "steps: [{launch: k, times: 6}]\n",
                                    scenario);
            for (size_t p = 0; p < 2 && streams == 1; p++)
                one[drain][p] = turnaround_ms(s, 0, p);
            assert_true(turnaround_ms(s, 0, 1) > 12);
            assert_turnarounds(s, 0, 2, one[drain]);
            assert_near(of_process(s, 0, 0, "service_ns"), 6e6, 1);
            share_release(s);
        }
}

/* Kernels as wholes that come one after another from two streams: a slice that drains ends all the same. */
static void a_slice_that_drains_takes_no_more_kernels(void **state)
{
    (void)state;
    struct shared s = share("workload: w\nkernels: [{name: k, time: 2 ms, demand: {fp32: 10 %}}]\n"
                            "steps: [{launch: k, times: 50}]\n"
                            "---\nworkload: late\nkernels: [{name: k, time: 2 ms, demand: {fp32: 10 %}}]\n"
                            "steps: [{host: 1 ms}, {launch: k, times: 50}]\n"
                            "---\nworkload: short\nkernels: [{name: k, time: 3 ms}]\n",
                            "devices: [{model: small}]\n"
                            "policies: [{mode: {time_slice: {slice: 4.5 ms, switch: 0 ms, drain: true}}}]\n"
                            "processes: [{name: p, streams: [{workload: w}, {workload: late}]},"
                            " {name: q, workload: short, start: 0.5 ms}]\n");
    assert_turnarounds(s, 0, 2, (double[]){104, 9.5}); /* what runs at 5 ends at 7; q has 7 to 10 */
    share_release(s);
}

static void host_steps_and_copies_overlap(void **state)
{
    (void)state;
    const char *const workload = "workload: w\nkernels: [{name: k, time: 1 ms}]\n"
                                 "steps: [{host: 5 ms}, {copy_in: 8 B}]\n";
    const char *const scenario = "devices: [{model: small, link: {bandwidth: 4 KB/s}}]\n%spolicies: [{mode: mps}]\n"
                                 "processes: [{name: p, workload: w, streams: 2}]\n";
    char text[512];
    snprintf(text, sizeof text, scenario, "");
    struct shared s = share(workload, text);
    assert_turnarounds(s, 0, 1, (double[]){9}); /* 16 bytes over 4 a ms */
    share_release(s);
    snprintf(text, sizeof text, scenario, "host: {cores: 1}\n");
    s = share(workload, text);
    assert_turnarounds(s, 0, 1, (double[]){14});
    assert_near(of_process(s, 0, 0, "host_ns"), 10e6, 1);
    assert_near(of_process(s, 0, 0, "copied_bytes"), 16, 0);
    share_release(s);
}

/* 6 of 8 SMs' worth: half of the SMs hold 4 blocks, whichever stream they are of. */
static void streams_share_the_sms_of_their_process(void **state)
{
    (void)state;
    struct shared s = share("workload: w\nkernels: [{name: k, blocks: 4, threads: 64, block_time: 1 ms}]\n",
                            "devices: [{model: small}]\npolicies: [{mode: mps}]\n"
                            "processes: [{name: p, workload: w, streams: 2, active_threads: 50 %},"
                            " {name: q, workload: w, active_threads: 50 %}]\n");
    assert_turnarounds(s, 0, 2, (double[]){2, 1});
    share_release(s);
}

/* Three jobs of the first stream, one of each of the others; the process ends with the last. */
static void each_stream_has_jobs_of_its_own(void **state)
{
    (void)state;
    struct shared s = share("workload: w\nkernels: [{name: k, time: 2 ms, demand: {fp32: 10 %}}]\n",
                            "devices: [{model: small}]\npolicies: [{mode: mps}]\nprocesses:\n"
                            "  - {name: p, streams: [{workload: w, repeat: 3}, {workload: w, count: 2}]}\n"
                            "  - {name: q, workload: w, streams: 2, repeat: 4}\n");
    assert_turnarounds(s, 0, 2, (double[]){6, 8});
    assert_near(estimate(s.results, 0, SMS_VM, 0, "jobs_per_s").mean, 5 / 8e-3, 1e-6);
    assert_near(estimate(s.results, 0, SMS_VM, 1, "jobs_per_s").mean, 8 / 8e-3, 1e-6);
    assert_near(of_process(s, 0, 0, "service_ns"), 6e6, 1); /* time with a kernel, not the sum of the kernels' */
    share_release(s);
}

/* Everything that is measured and shown, as one number. */
struct seen {
    uint64_t hash;
};

static void mix(struct seen *seen, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        seen->hash = (seen->hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
}

static int mix_span(void *user, const struct sms_run_event *event)
{
    const struct sms_span *span = event->span;
    mix(user, span->name, strlen(span->name));
    mix(user, span->state, strlen(span->state));
    mix(user, &span->start_ps, sizeof span->start_ps);
    mix(user, &span->end_ps, sizeof span->end_ps);
    return 0;
}

static void mix_metrics(struct seen *seen, const struct sms_results *results, size_t policy)
{
    for (int subject = 0; subject < SMS_SUBJECTS; subject++)
        for (size_t i = 0; i < sms_results_subjects(results, (enum sms_subject)subject); i++) {
            size_t count;
            sms_metrics((enum sms_subject)subject, &count);
            for (size_t m = 0; m < count; m++) {
                double value = sms_results_value(results, policy, 0, (enum sms_subject)subject, i, m);
                value = isnan(value) ? -1 : value;
                mix(seen, &value, sizeof value);
            }
        }
}

static uint64_t seen_with(const char *streams)
{
    struct seen seen = {14695981039346656037u};
    struct sms_run_options options = sms_run_defaults();
    char scenario[1024];
    snprintf(
        scenario, sizeof scenario,
        "devices: [{model: small, link: {bandwidth: 4 KB/s}}]\nhost: {context: 100 B, context_time: 1 ms}\n"
        "policies: [{mode: exclusive}, {mode: {time_slice: {slice: 1 ms}}}, {mode: mps}, {share: mobile_cuda,"
        " mode: together}, {share: container_pause, mode: time_slice}]\n"
        "processes:\n  - {name: p, %s, repeat: 3, active_threads: 40 %%}\n  - {name: q, workload: w, start: 1 ms}\n",
        streams);
    options.observe = mix_span;
    options.events = SMS_RUN_SPAN;
    options.user = &seen;
    struct shared s = share_with(
        &options,
        "workload: w\nkernels: [{name: k, blocks: 30, threads: 64, block_time: 1 ms, jitter: 10 %}]\n"
        "steps: [{allocate: 300 B}, {copy_in: 20 B}, {launch: k, times: 3}, {host: 1 ms}, {copy_out: 9 B}]\n",
        scenario);
    for (size_t p = 0; p < sms_results_policies(s.results); p++)
        mix_metrics(&seen, s.results, p);
    share_release(s);
    return seen.hash;
}

static void one_stream_is_none(void **state)
{
    (void)state;
    uint64_t none = seen_with("workload: w");
    assert_true(seen_with("workload: w, streams: 1") == none);
    assert_true(seen_with("streams: [{workload: w}]") == none);
    assert_true(seen_with("priority: 3, streams: [{workload: w, priority: -3}]") == none);
    assert_true(seen_with("workload: w, streams: 2") != none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_kernels_that_fit_beside_each_other_take_as_long_as_one),
        cmocka_unit_test(kernels_that_do_not_fit_wait_for_each_other),
        cmocka_unit_test(a_late_kernel_of_a_higher_priority_goes_first),
        cmocka_unit_test(levels_go_one_after_another),
        cmocka_unit_test(drawn_blocks_come_after_equal_ones),
        cmocka_unit_test(priorities_hold_between_processes),
        cmocka_unit_test(who_comes_as_blocks_end_goes_by_priority),
        cmocka_unit_test(a_slice_of_an_sm_goes_to_the_highest_priority),
        cmocka_unit_test(an_empty_sm_takes_a_launch_without_a_slice),
        cmocka_unit_test(streams_share_a_context_and_memory),
        cmocka_unit_test(a_stream_that_finds_no_memory_ends_all),
        cmocka_unit_test(streams_have_one_slice),
        cmocka_unit_test(a_slice_that_drains_takes_no_more_kernels),
        cmocka_unit_test(host_steps_and_copies_overlap),
        cmocka_unit_test(streams_share_the_sms_of_their_process),
        cmocka_unit_test(each_stream_has_jobs_of_its_own),
        cmocka_unit_test(one_stream_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
