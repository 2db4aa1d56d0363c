/* Who may use which SMs and when: static partitions, green contexts, and a policy that moves SMs between processes. The
 * device has 4 SMs of two blocks each. */
#include "tests/laws/sharing.h"

#define AND "---\n"
#define BLOCKS(name, blocks)                                                                                           \
    "workload: " name "\nkernels: [{name: k, blocks: " blocks ", threads: 64, block_time: 1 ms}]\n"
#define DEVICE "devices: [{model: small}]\ncontention: none\n"

/* 3 of 4 SMs and one: 24 blocks take 4 ms on 6 places, 8 blocks 4 ms on two. */
static void a_partition_is_of_chunks_and_its_process_alone(void **state)
{
    (void)state;
    struct shared s = share(BLOCKS("large", "24") AND BLOCKS("small", "8"), DEVICE
                            "policies: [{mode: partition}]\nprocesses:\n"
                            "  - {name: a, workload: large, chunks: 3}\n  - {name: b, workload: small, chunks: 1}\n");
    assert_turnarounds(s, 0, 2, (double[]){4, 4});
    share_release(s);
    s = share(BLOCKS("w", "16"), "devices: [{model: small, mps: {chunk: 2}}]\ncontention: none\n"
                                 "policies: [{mode: partition}]\nprocesses: [{name: a, workload: w, chunks: 1}]\n");
    assert_turnarounds(s, 0, 1, (double[]){4}); /* a chunk is two SMs */
    share_release(s);
}

/* Under mps a third process shares SMs; here it waits until two are free, though one that came later fits. */
static void a_process_waits_for_its_partition(void **state)
{
    (void)state;
    struct shared s =
        share(BLOCKS("w", "16"), DEVICE "policies: [{mode: partition}]\nprocesses:\n"
                                        "  - {name: a, workload: w, chunks: 3}\n" /* 16 blocks on 6: 3 ms */
                                        "  - {name: b, workload: w, chunks: 2}\n"
                                        "  - {name: c, workload: w, chunks: 1}\n");
    assert_turnarounds(s, 0, 3, (double[]){3, 3 + 4, 8});
    share_release(s);
}

/* Where a device has fewer SMs than its chunks, a process waits for another that has enough. So it is on instances. */
static void a_process_is_on_no_device_that_is_smaller_than_its_partition(void **state)
{
    (void)state;
    struct sms_run_options options = sms_run_defaults();
    options.check = true;
    struct shared s = share_with(&options, BLOCKS("w", "16"),
                                 "devices: [{model: small, sms: 2}, {model: small}]\ncontention: none\n"
                                 "policies: [{mode: partition}]\nprocesses: [{name: a, workload: w, chunks: 4, count: "
                                 "2}, {name: b, workload: w, chunks: 2}]\n");
    assert_turnarounds(s, 0, 3, (double[]){2, 4, 4});
    share_release(s);
    s = share_with(
        &options, BLOCKS("w", "16"),
        "devices: [{model: small, mig: {slices: 4, profiles: [{name: one, sms: 1, memory: 250 B, slices: 1, starts: "
        "[0]}, {name: three, sms: 3, memory: 750 B, slices: 3, starts: [1]}]}}]\ncontention: none\n"
        "policies: [{mode: {mig: {instances: [one, three], inside: partition}}}]\n"
        "processes: [{name: a, workload: w, chunks: 2, count: 2}]\n");
    assert_turnarounds(s, 0, 2, (double[]){4, 8});
    share_release(s);
}

/* Its green context is of all SMs under mps. Under partition it cannot be, because it has no chunks. */
static void a_green_context_is_checked_where_its_process_may_be(void **state)
{
    (void)state;
    struct shared s = share(BLOCKS("w", "16"), "devices: [{model: small, count: 2}]\ncontention: none\n"
                                               "policies: [{mode: [partition, mps]}]\nprocesses:\n"
                                               "  - {name: a, streams: [{workload: w, sms: 4}]}\n");
    assert_turnarounds(s, 0, 1, (double[]){2});
    share_release(s);
}

/* A coarse kernel takes by its partition as long as on so many SMs. */
static void a_coarse_kernel_is_divided_by_its_partition(void **state)
{
    (void)state;
    struct shared s = share("workload: w\nkernels: [{name: k, time: 6 ms, demand: {fp32: 100 %}}]\n",
                            DEVICE "policies: [{mode: partition}]\nprocesses:\n  - {name: a, workload: w, chunks: 3}\n"
                                   "  - {name: b, workload: w, chunks: 1}\n");
    assert_turnarounds(s, 0, 2, (double[]){8, 24});
    share_release(s);
}

/* Its times were measured alone, so what a law slows below full use is in them, on all SMs and on a part. */
static void a_coarse_kernel_alone_takes_its_time_on_a_part(void **state)
{
    static const char *const laws[] = {"none", "proportional", "maxmin", "knee", "pipes"};
    (void)state;
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        char scenario[512];
        snprintf(scenario, sizeof scenario,
                 "devices: [{model: small, resources: {dram: {knee: 2}}}]\ncontention: %s\npolicies: [{mode: "
                 "mps}]\nprocesses:\n"
                 "  - {name: whole, workload: w}\n  - {name: half, workload: w, active_threads: 50 %%, start: 20 ms}\n",
                 laws[i]);
        struct shared s = share(
            "workload: w\nkernels: [{name: k, time: {100 %: 10 ms, 50 %: 14 ms}, demand: {dram: 80 %}}]\n", scenario);
        assert_turnarounds(s, 0, 2, (double[]){10, 14});
        share_release(s);
    }
}

#define TWO BLOCKS("left", "16") AND BLOCKS("right", "16")

/* 16 blocks each: on SMs of their own 4 ms; on the same two 8 ms; on two and on all 4 ms, then 2 ms. Two streams of one
 * entry are on the same two, which are chosen once. */
static void green_contexts_are_counts_or_sets_and_may_overlap(void **state)
{
    (void)state;
    const char *sms[][2] = {{"2", "2"}, {"[0-1]", "[2, 3]"}, {"[0-1]", "[0-1]"}, {"1", "3"}, {"2, count: 2", "[2-3]"}};
    const double ms[] = {4, 4, 8, 8, 8};
    for (size_t i = 0; i < 5; i++) {
        char scenario[512];
        snprintf(scenario, sizeof scenario,
                 DEVICE "policies: [{mode: mps}, {mode: time_slice}]\nprocesses:\n"
                        "  - {name: p, streams: [{workload: left, sms: %s}, {workload: right, sms: %s}]}\n",
                 sms[i][0], sms[i][1]);
        struct shared s = share(TWO, scenario);
        for (size_t p = 0; p < 2; p++)
            assert_turnarounds(s, p, 1, &ms[i]);
        share_release(s);
    }
}

/* The hardware makes none smaller than `least`, and larger ones by steps: 1 becomes 2, 3 become 4. */
static void the_size_of_a_green_context_is_rounded_up(void **state)
{
    (void)state;
    const char *sms[] = {"1", "2", "3", "4"};
    const double ms[] = {4, 4, 2, 2};
    for (size_t i = 0; i < 4; i++) {
        char scenario[512];
        snprintf(scenario, sizeof scenario,
                 "devices: [{model: small, green_contexts: {least: 2, step: 2}}]\ncontention: none\n"
                 "policies: [{mode: mps}]\nprocesses: [{name: p, streams: [{workload: left, sms: %s}]}]\n",
                 sms[i]);
        struct shared s = share(TWO, scenario);
        assert_turnarounds(s, 0, 1, &ms[i]);
        share_release(s);
    }
}

/* What others leave may have any size: of 5 SMs, 3 beside a context of two. */
static void the_rest_is_a_green_context_of_any_size(void **state)
{
    (void)state;
    struct shared s = share(TWO, "devices: [{model: small, sms: 5, green_contexts: {least: 2, step: 2}}]\n"
                                 "contention: none\npolicies: [{mode: mps}]\nprocesses:\n"
                                 "  - {name: p, streams: [{workload: left, sms: [0-1]}]}\n"
                                 "  - {name: q, streams: [{workload: right, sms: [2-4]}]}\n");
    assert_turnarounds(s, 0, 2, (double[]){4, 3});
    share_release(s);
}

/* Four blocks on two places take 2 ms, so the second job, which comes after 1 ms, waits for 1. */
static void jobs_arrive_at_a_green_context(void **state)
{
    (void)state;
    struct shared s = share(BLOCKS("w", "16") AND BLOCKS("small", "4"),
                            DEVICE "policies: [{mode: mps}]\nprocesses:\n"
                                   "  - {name: p, workload: w, start: 10 ms}\n"
                                   "  - {name: q, arrivals: {times: [0 ms, 1 ms]}, repeat: 2, "
                                   "streams: [{workload: small, sms: [0]}]}\n");
    assert_float_equal(estimate(s.results, 0, SMS_VM, 1, "job_latency_mean_ns").mean, 2.5 * MS, 1);
    assert_turnarounds(s, 0, 2, (double[]){2, 4});
    share_release(s);
}

/* Each has an SM for each of its two blocks, whose searches go on where they ended. Blocks of the other that are placed
 * in between do not move them. */
static void searches_for_a_part_go_on_as_if_it_were_alone(void **state)
{
    static const char *const policies[] = {"round_robin", "{fine_grained: {limit: 200 %}}", "tenant_fair"};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "devices: [{model: small}]\ncontention: proportional\nqueue: interleave\npolicies: [{mode: partition, "
                 "block: %s}]\nprocesses: [{name: p, count: 2, chunks: 2, workload: w}]\n",
                 policies[i]);
        struct shared s = share("workload: w\nkernels: [{name: k, blocks: 2, threads: 64, block_time: 1 ms, demand: "
                                "{fp32: 80 %}}]\n",
                                text);
        assert_turnarounds(s, 0, 2, (double[]){1, 1});
        share_release(s);
    }
}

/* The two kernels do not slow each other, but two blocks of one do. Each SM has a block of each kernel if turns are
 * counted by the SMs of the process, not by those of the device. */
static void kernels_take_turns_on_a_part_as_on_a_device_of_as_many_sms(void **state)
{
    static const char *const queues[] = {"interleave", "rr_fifo"}, *const parts[] = {"4", "8", "200"};
    (void)state;
    for (size_t i = 0; i < 6; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "devices: [{model: small, sms: %s}]\ncontention: proportional\nqueue: %s\npolicies: [{mode: mps}]\n"
                 "processes: [{name: p, active_threads: %g %%, streams: [{workload: a}, {workload: b}]}]\n",
                 parts[i / 2], queues[i % 2], 400 / atof(parts[i / 2]));
        struct shared s = share("workload: a\nkernels: [{name: k, blocks: 16, threads: 64, block_time: 1 ms, demand: "
                                "{fp32: 80 %}}]\n---\nworkload: b\nkernels: [{name: k, blocks: 16, threads: 64, "
                                "block_time: 1 ms, demand: {fp64: 80 %}}]\n",
                                text);
        assert_turnarounds(s, 0, 1, (double[]){4});
        share_release(s);
    }
}

/* Kernels that end at once, and turns that are counted from one to the next. */
static void a_partition_of_all_sms_is_the_device(void **state)
{
    static const char *const queues[] = {"leftover", "kernel_fifo", "interleave", "rr_fifo"};
    (void)state;
    for (size_t q = 0; q < sizeof queues / sizeof *queues; q++) {
        char text[512];
        snprintf(text, sizeof text,
                 "devices: [{model: small, sms: 2, mps: {chunk: 1}, sm: {threads: 1024, blocks: 4}}]\n"
                 "contention: none\nqueue: %s\npolicies: [{mode: together}, {mode: mps}, {mode: partition}]\n"
                 "processes: [{name: p, workload: w, streams: 3, chunks: 2}]\n",
                 queues[q]);
        struct shared s = share("workload: w\nkernels:\n  - {name: a, blocks: 17, threads: 416, block_time: 1008 us}\n"
                                "  - {name: b, blocks: 30, threads: 288, block_time: 1348 us}\n"
                                "  - {name: c, blocks: 5, threads: 512, block_time: 677 us}\n",
                                text);
        const double together = estimate(s.results, 0, SMS_VM, 0, "job_latency_mean_ns").mean;
        for (size_t m = 1; m < 3; m++)
            assert_near(estimate(s.results, m, SMS_VM, 0, "job_latency_mean_ns").mean, together, 1e-3);
        share_release(s);
    }
}

/* It reserves nothing: the blocks of another process are on the same SM, and each has one of its two places. */
static void a_green_context_reserves_nothing(void **state)
{
    (void)state;
#define WHOLE "  - {name: whole, workload: w}\n"
#define GREEN "  - {name: green, streams: [{workload: small, sms: [0]}]}\n"
    static const char *const orders[] = {GREEN WHOLE, WHOLE GREEN};
    /* Who launches first has SM 0 first. `green` keeps its two places for two waves, so `whole` has 6, 6 and then the
     * last 4. `whole` keeps all places for two waves, and `green` comes after it. */
    static const double turnarounds[][2] = {{2, 3}, {2, 4}};
    for (size_t i = 0; i < 2; i++) {
        char scenario[512];
        snprintf(scenario, sizeof scenario, DEVICE "policies: [{mode: mps}]\nprocesses:\n%s", orders[i]);
        struct shared s = share(BLOCKS("w", "16") AND BLOCKS("small", "4"), scenario);
        assert_turnarounds(s, 0, 2, turnarounds[i]);
        share_release(s);
    }
}

/* Its SMs are numbered among those of its process: in a partition of two, SM 1 is the second of these. */
static void a_green_context_lies_within_the_part_of_its_process(void **state)
{
    (void)state;
    struct shared s = share(TWO, DEVICE "policies: [{mode: partition}]\nprocesses:\n"
                                        "  - {name: a, workload: left, chunks: 2}\n"
                                        "  - {name: b, chunks: 2, streams: [{workload: left, sms: [1]}, "
                                        "{workload: right, sms: [0]}]}\n");
    assert_turnarounds(s, 0, 2, (double[]){4, 8});
    share_release(s);
}

/* It has two SMs, so 16 blocks on 4 places take 4 ms. A policy that counted the process beside it would halve them. */
static void a_process_is_alone_with_the_policy_on_its_partition(void **state)
{
    static const char *const policies[] = {"elastic_kernels", "warped_slicer", "tenant_fair", "sm_quota"};
    (void)state;
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        char scenario[512];
        snprintf(scenario, sizeof scenario,
                 DEVICE "queue: interleave\npolicies: [{mode: partition, block: %s}]\nprocesses:\n"
                        "  - {name: p, workload: w, chunks: 2, count: 2}\n",
                 policies[i]);
        struct shared s = share(BLOCKS("w", "16"), scenario);
        assert_turnarounds(s, 0, 2, (double[]){4, 4});
        share_release(s);
    }
}

/* Policies count the processes of their device. sm_quota gives `a` all 4 SMs of its own, and two to each of the others:
 * 16 blocks take 2 ms on 8 places. */
static void processes_of_other_devices_have_no_quota_of_sms(void **state)
{
    (void)state;
    struct shared s =
        share(BLOCKS("w", "16"), "devices: [{model: small, count: 2}]\ncontention: none\n"
                                 "queue: interleave\npolicies: [{mode: together, block: sm_quota}]\nprocesses:\n"
                                 "  - {name: b, workload: w, device: 1, count: 2}\n"
                                 "  - {name: a, workload: w, device: 0}\n");
    assert_turnarounds(s, 0, 3, (double[]){4, 4, 2});
    share_release(s);
}

/* ---- a policy that moves SMs ---- */

enum { FIRST, SECOND, THEN };

/* Gives the first process three SMs and the second one. After 2.25 ms neither has any for half a millisecond, which is
 * what the change costs. Then it is the other way round. */
static void give(struct sms_share *share, size_t process, uint64_t sms) { sms_share_use_sms(share, process, &sms); }

static void start(struct sms_share *share) { sms_share_wake(share, 2250000000, FIRST); }

static void event(struct sms_share *share, const struct sms_share_event *event)
{
    if (event->kind == SMS_EVENT_PLACED)
        give(share, event->process, event->process == FIRST ? 0x7 : 0x8);
}

static void timer(struct sms_share *share, size_t tag)
{
    give(share, FIRST, tag == THEN ? 0x1 : 0);
    give(share, SECOND, tag == THEN ? 0xe : 0);
    if (tag != THEN)
        sms_share_wake(share, 500000000, THEN);
}

static const struct sms_share_policy mover = {
    .name = "mover", .help = "", .repartitions = true, .start = start, .event = event, .timer = timer};

/* Without saying so beforehand. */
static const struct sms_share_policy liar = {.name = "liar", .help = "", .event = event};

static struct sms_file *load_moved(const char *share, const char *workloads, const char *rest)
{
    static const struct sms_share_policy *const own[] = {&mover, &liar};
    const struct sms_load_options options = {.shares = own, .n_shares = 2};
    char text[2048];
    snprintf(text, sizeof text, "%s---\n%s---\nscenario: s\n" DEVICE "policies: [{share: %s, mode: mps}]\n%s",
             SHARED_DEVICE, workloads, share, rest);
    return load_text_with(text, &options);
}

#define PAIR "processes: [{name: a, workload: w}, {name: b, workload: w}]\n"

/* 24 blocks. At 3 ms a has done 18 on 6 places, and has 2 for the rest; b has done 6, and has 6 places for 18. */
static void a_policy_moves_sms_between_processes(void **state)
{
    (void)state;
    struct sms_file *file = load_moved("mover", BLOCKS("w", "24"), PAIR);
    struct shared s = {file, run_first(file, NULL)};
    assert_turnarounds(s, 0, 2, (double[]){3 + 3, 3 + 3});
    share_release(s);
}

/* Keeps the spans of the first process, in us. */
static int keep_part(void *user, const struct sms_run_event *event)
{
    const struct sms_span *span = event->span;
    char *text = user;
    const size_t used = strlen(text);
    if (span->process == FIRST && span->end_ps - span->start_ps > 1000)
        snprintf(text + used, 200 - used, "%s %zu %.0f-%.0f\n", span->state, span->sms, (double)span->start_ps / 1e6,
                 (double)span->end_ps / 1e6);
    return 0;
}

/* Runs two processes whose parts move, and keeps in `text` what an observer is told of them. */
static void observe_moved(char text[200], int (*keep)(void *user, const struct sms_run_event *event), unsigned events)
{
    struct sms_file *file = load_moved("mover", BLOCKS("w", "24"), PAIR);
    struct sms_run_options options = sms_run_defaults();
    options.observe = keep;
    options.events = events;
    options.user = text;
    options.alone = false;
    discard(run_first(file, &options), file);
}

static void the_timeline_says_how_many_sms_a_process_may_use(void **state)
{
    (void)state;
    char text[200] = "";
    observe_moved(text, keep_part, SMS_RUN_SPAN);
    assert_string_equal(text, "kernel 3 0-2250\nkernel 0 2250-2750\nkernel 1 2750-6000\n");
}

/* Keeps the parts of the first process, and when it had them, in us. */
static int keep_set(void *user, const struct sms_run_event *event)
{
    const struct sms_part *part = event->part;
    char *text = user;
    const size_t used = strlen(text);
    assert_int_equal(part->of, 4);
    if (part->process == FIRST)
        snprintf(text + used, 200 - used, "%.0f %llx\n", (double)part->at_ps / 1e6, (unsigned long long)part->set[0]);
    return 0;
}

/* It comes with all four, and the policy leaves it three, none and one of them. */
static void an_observer_is_told_which_sms_a_process_may_use(void **state)
{
    (void)state;
    char text[200] = "";
    observe_moved(text, keep_set, SMS_RUN_PART);
    assert_string_equal(text, "0 f\n0 7\n2250 0\n2750 1\n");
}

/* Blocks that run are not stopped: those of 1.5 ms end at 3 ms, on SMs that are the other's by then. */
static void blocks_on_sms_that_are_taken_away_run_to_their_end(void **state)
{
    (void)state;
    struct sms_file *file =
        load_moved("mover", "workload: w\nkernels: [{name: k, blocks: 12, threads: 64, block_time: 1500 us}]\n", PAIR);
    struct shared s = {file, run_first(file, NULL)};
    /* a: 6 at 0 and 6 at 1.5 ms. b: 2 at 0 and 2 at 1.5 ms; at 2.75 ms SMs 1 and 2 still have two of a's each, and SM 3
     * two of b's, until 3 ms; then six, and the last two at 4.5 ms. */
    assert_turnarounds(s, 0, 2, (double[]){3, 6});
    share_release(s);
}

/* A coarse kernel goes on as it began, and the next one is as long as the new part says. */
static void a_coarse_kernel_ends_as_it_began(void **state)
{
    (void)state;
    struct sms_file *file =
        load_moved("mover",
                   "workload: w\nkernels: [{name: k, time: 3 ms, demand: {fp32: 100 %}}]\nsteps: [{launch: k, "
                   "times: 2}]\n",
                   PAIR);
    struct shared s = {file, run_first(file, NULL)};
    /* Three SMs: 4 ms, one: 12 ms. a: 4, then one SM. b: 12, then three SMs. */
    assert_turnarounds(s, 0, 2, (double[]){4 + 12, 12 + 4});
    share_release(s);
}

static void a_policy_that_does_not_declare_it_ends_the_run(void **state)
{
    (void)state;
    struct sms_file *file = load_moved("liar", BLOCKS("w", "24"), PAIR);
    struct sms_results *results = NULL;
    struct sms_errors errors = {0};
    assert_int_equal(sms_run(sms_file_scenario(file, 0), NULL, &results, &errors), SMS_EBUG);
    assert_non_null(strstr(errors.item[0].message, "does not declare"));
    sms_results_free(results);
    sms_file_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_partition_is_of_chunks_and_its_process_alone),
        cmocka_unit_test(a_process_waits_for_its_partition),
        cmocka_unit_test(a_process_is_on_no_device_that_is_smaller_than_its_partition),
        cmocka_unit_test(a_green_context_is_checked_where_its_process_may_be),
        cmocka_unit_test(a_coarse_kernel_is_divided_by_its_partition),
        cmocka_unit_test(a_coarse_kernel_alone_takes_its_time_on_a_part),
        cmocka_unit_test(green_contexts_are_counts_or_sets_and_may_overlap),
        cmocka_unit_test(the_size_of_a_green_context_is_rounded_up),
        cmocka_unit_test(the_rest_is_a_green_context_of_any_size),
        cmocka_unit_test(jobs_arrive_at_a_green_context),
        cmocka_unit_test(searches_for_a_part_go_on_as_if_it_were_alone),
        cmocka_unit_test(kernels_take_turns_on_a_part_as_on_a_device_of_as_many_sms),
        cmocka_unit_test(a_partition_of_all_sms_is_the_device),
        cmocka_unit_test(a_green_context_reserves_nothing),
        cmocka_unit_test(a_green_context_lies_within_the_part_of_its_process),
        cmocka_unit_test(a_process_is_alone_with_the_policy_on_its_partition),
        cmocka_unit_test(processes_of_other_devices_have_no_quota_of_sms),
        cmocka_unit_test(a_policy_moves_sms_between_processes),
        cmocka_unit_test(the_timeline_says_how_many_sms_a_process_may_use),
        cmocka_unit_test(an_observer_is_told_which_sms_a_process_may_use),
        cmocka_unit_test(blocks_on_sms_that_are_taken_away_run_to_their_end),
        cmocka_unit_test(a_coarse_kernel_ends_as_it_began),
        cmocka_unit_test(a_policy_that_does_not_declare_it_ends_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
