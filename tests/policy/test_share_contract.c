/* What share policies are told and may do, by policies that do just that. */
#include "tests/laws/sharing.h"

static const struct sms_share_policy counter, pauser, failer, chooser, halter, mover, stranger, resumer,
    chooser_of_slices, chooser_and_caller, quits_placed, quits_freed;

/* Loads with these policies beside the library's. */
static struct sms_file *load_with(const char *text)
{
    static const struct sms_share_policy *const own[] = {
        &counter,      &pauser,     &failer,  &chooser,           &halter,
        &mover,        &stranger,   &resumer, &chooser_of_slices, &chooser_and_caller,
        &quits_placed, &quits_freed};
    const struct sms_load_options options = {.shares = own, .n_shares = 12};
    return load_text_with(text, &options);
}

struct log {
    char text[1024];
};

static int keep_message(void *user, const struct sms_run_event *event)
{
    const struct sms_message *message = event->message;
    struct log *log = user;
    size_t used = strlen(log->text);
    snprintf(log->text + used, sizeof log->text - used, "%g %s\n", (double)message->time_ps / 1e9, message->text);
    return 0;
}

static void assert_log(const char *text, const char *expected)
{
    struct log log = {""};
    struct sms_run_options options = sms_run_defaults();
    struct sms_file *file = load_with(text);
    options.observe = keep_message;
    options.events = SMS_RUN_MESSAGE;
    options.user = &log;
    options.alone = false;
    sms_results_free(run_first(file, &options));
    assert_string_equal(log.text, expected);
    sms_file_free(file);
}

static void say_event(struct sms_share *share, const struct sms_share_event *event)
{
    if (event->kind == SMS_EVENT_FREED)
        sms_share_say(share, event->process, "%zu bytes are held",
                      (size_t)sms_share_process(share, event->process).held);
}

static const struct sms_share_policy counter = {.name = "counter", .help = "", .event = say_event};

/* At the end of each job but the last, which ends the process; what is freed by a step is told once. */
static void what_a_job_leaves_behind_is_told_as_freed(void **state)
{
    (void)state;
    assert_log(SHARED_DEVICE "---\nworkload: w\nkernels: [{name: k, time: 1 ms}]\n"
                             "steps: [{allocate: 100 B}, {allocate: 20 B}, {launch: k}, {free: 20 B}, {launch: k}]\n"
                             "---\nscenario: s\ndevices: [{model: small}]\npolicies: [{share: counter}]\n"
                             "processes: [{name: p, workload: w, repeat: 3}]\n",
               "1 100 bytes are held\n2 0 bytes are held\n"
               "3 100 bytes are held\n4 0 bytes are held\n5 100 bytes are held\n");
}

static size_t pause_in_next(struct sms_share *share, size_t device, const size_t *ready, size_t count)
{
    (void)device, (void)count;
    sms_share_pause(share, ready[0]);
    return 0;
}

static size_t fail_in_next(struct sms_share *share, size_t device, const size_t *ready, size_t count)
{
    (void)device, (void)count;
    sms_share_fail(share, ready[0]);
    sms_share_wake(share, 1, 0); /* the first is what is said */
    return 0;
}

static bool resume_in_preempts(struct sms_share *share, size_t device, size_t running, size_t other)
{
    (void)device, (void)running;
    sms_share_resume(share, other);
    return false;
}

static const struct sms_share_policy resumer = {.name = "resumer", .help = "", .preempts = resume_in_preempts};
static const struct sms_share_policy pauser = {.name = "pauser", .help = "", .next = pause_in_next};
static const struct sms_share_policy failer = {.name = "failer", .help = "", .next = fail_in_next};

static void a_policy_that_acts_in_next_ends_the_run(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"pauser", "share policy pauser called sms_share_pause in its function next"},
        {"failer", "share policy failer called sms_share_fail in its function next"},
        {"resumer", "share policy resumer called sms_share_resume in its function preempts"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048];
        struct sms_errors errors;
        struct sms_results *results;
        snprintf(text, sizeof text,
                 SHARED_DEVICE "---\nworkload: w\nkernels: [{name: k, time: 9 ms}]\n---\nscenario: s\n"
                               "devices: [{model: small}]\npolicies: [{share: %s, mode: time_slice}]\n"
                               "processes: [{name: p, workload: w, count: 2}]\n",
                 cases[i][0]);
        struct sms_file *file = load_with(text);
        assert_int_equal(sms_run(sms_file_scenario(file, 0), NULL, &results, &errors), SMS_EBUG);
        assert_non_null(strstr(errors.item[0].message, cases[i][1]));
        sms_file_free(file);
    }
}

static size_t first_of_ready(struct sms_share *share, size_t device, const size_t *ready, size_t count)
{
    (void)share, (void)device, (void)ready, (void)count;
    return 0;
}

static enum sms_answer let_call(struct sms_share *share, size_t process)
{
    (void)share, (void)process;
    return SMS_GRANT;
}

static const struct sms_share_policy chooser_of_slices = {.name = "slices", .help = "", .next = first_of_ready};
static const struct sms_share_policy chooser_and_caller = {
    .name = "calls", .help = "", .next = first_of_ready, .call = let_call};

static void only_a_policy_that_does_nothing_without_slices_is_warned_of(void **state)
{
    (void)state;
    for (size_t warned = 0; warned < 2; warned++) {
        char text[2048];
        snprintf(text, sizeof text,
                 SHARED_DEVICE "---\nworkload: w\nkernels: [{name: k, time: 9 ms}]\n---\nscenario: s\n"
                               "devices: [{model: small}]\npolicies: [{share: %s, mode: mps}]\n"
                               "processes: [{name: p, workload: w}]\n",
                 warned ? "slices" : "calls");
        struct sms_file *file = load_with(text);
        assert_int_equal(sms_file_warnings(file)->count, warned);
        sms_file_free(file);
    }
}

/* Everything with numbers that there are not; nothing of it is of use, and nothing of it is undefined. */
static void call_strangers(struct sms_share *share)
{
    size_t process = sms_share_processes(share), device = sms_share_devices(share);
    assert_true(isnan(sms_share_param(share, 0)));
    assert_string_equal(sms_share_process(share, process).name, "");
    assert_string_equal(sms_share_process(share, SIZE_MAX).name, "");
    assert_string_equal(sms_share_device(share, device).name, "");
    assert_int_equal(sms_share_left(share, process), 0);
    assert_int_equal(sms_share_choose(share, process), SMS_WAIT);
    assert_false(sms_share_allows(share, 0, device));
    assert_false(sms_share_admits(share, process, 0));
    assert_false(sms_share_restore(share, process, 0));
    assert_false(sms_share_restore(share, 0, device));
    sms_share_pause(share, process);
    sms_share_resume(share, process);
    sms_share_fail(share, process);
    sms_share_say(share, process, "never said");
}

static const struct sms_share_policy stranger = {.name = "stranger", .help = "", .start = call_strangers};

static void a_policy_that_names_a_process_or_a_device_that_there_is_not_ends_the_run(void **state)
{
    (void)state;
    struct sms_errors errors;
    struct sms_results *results;
    struct sms_file *file = load_with(SHARED_DEVICE "---\nworkload: w\nkernels: [{name: k, time: 9 ms}]\n---\n"
                                                    "scenario: s\ndevices: [{model: small}]\n"
                                                    "policies: [{share: stranger}]\n"
                                                    "processes: [{name: p, workload: w, count: 2}]\n");
    assert_int_equal(sms_run(sms_file_scenario(file, 0), NULL, &results, &errors), SMS_EBUG);
    assert_non_null(strstr(errors.item[0].message, "share policy stranger named process 2 of 2"));
    sms_file_free(file);
}

static void say_allowed(struct sms_share *share)
{
    for (size_t p = 0; p < sms_share_processes(share); p++)
        for (size_t d = 0; d < sms_share_devices(share); d++)
            sms_share_say(share, p, "%s on %zu: %d", sms_share_process(share, p).name, d,
                          sms_share_allows(share, p, d));
}

static const struct sms_share_policy chooser = {.name = "chooser", .help = "", .start = say_allowed};

/* Two boards of two instances each: device 1 are the instances 2 and 3. */
static void under_mig_a_device_is_all_its_instances(void **state)
{
    (void)state;
    assert_log(SHARED_DEVICE
               "mig: {slices: 2, profiles: [{name: half, sms: 2, memory: 500 B, slices: 1, starts: [0, 1]}]}\n"
               "---\nworkload: w\nkernels: [{name: k, time: 1 ms}]\n"
               "---\nscenario: s\ndevices: [{model: small, count: 2}]\n"
               "policies: [{share: chooser, mode: {mig: {instances: [half, half]}}}]\n"
               "processes: [{name: a, workload: w, device: 1}, {name: b, workload: w}]\n",
               "0 a on 0: 0\n0 a on 1: 0\n0 a on 2: 1\n0 a on 3: 1\n"
               "0 b on 0: 1\n0 b on 1: 1\n0 b on 2: 1\n0 b on 3: 1\n");
}

/* Both have an instance of device 1, which is the places 2 and 3: place 1 is of device 0. */
static void under_mig_an_exclusive_process_finds_an_instance_of_its_device(void **state)
{
    (void)state;
    struct sms_file *file = load_with(
        SHARED_DEVICE "mig: {slices: 2, profiles: [{name: half, sms: 2, memory: 500 B, slices: 1, starts: [0, 1]}]}\n"
                      "---\nworkload: alone\nexclusive: true\nkernels: [{name: k, time: 10 ms}]\n"
                      "---\nscenario: s\ndevices: [{model: small, count: 2}]\n"
                      "policies: [{share: {mobile_cuda: {message: 0 s}}, mode: {mig: {instances: [half, half]}}}]\n"
                      "processes: [{name: x, workload: alone, device: 1, count: 2}]\n");
    struct shared s = {file, run_first(file, NULL)};
    assert_turnarounds(s, 0, 2, (double[]){10, 10});
    share_release(s);
}

/* In ms. */
static int keep_span(void *user, const struct sms_run_event *event)
{
    const struct sms_span *span = event->span;
    struct log *log = user;
    size_t used = strlen(log->text);
    if (span->end_ps - span->start_ps > 1000)
        snprintf(log->text + used, sizeof log->text - used, "%s %s %g-%g\n", span->name, span->state,
                 nearbyint((double)span->start_ps / 1e9), nearbyint((double)span->end_ps / 1e9));
    return 0;
}

/* Runs on both engines, which must say the same of the processes; the caller frees it. */
static struct shared run_shown(const char *text, const char *expected)
{
    struct shared s = {load_with(text), NULL};
    for (int engine = 0; engine < 2; engine++) {
        struct log log = {""};
        struct sms_run_options options = sms_run_defaults();
        options.observe = keep_span;
        options.events = SMS_RUN_SPAN;
        options.user = &log;
        options.alone = false;
        options.check = !engine;
        options.engine = engine ? SMS_ENGINE_REFERENCE : SMS_ENGINE_FAST;
        sms_results_free(s.results);
        s.results = run_first(s.file, &options);
        assert_string_equal(log.text, expected);
    }
    return s;
}

static void fail_placed(struct sms_share *share, const struct sms_share_event *event)
{
    if (event->kind == SMS_EVENT_PLACED && event->process == 0)
        sms_share_fail(share, 0);
}

static void fail_freed(struct sms_share *share, const struct sms_share_event *event)
{
    if (event->kind == SMS_EVENT_FREED)
        sms_share_fail(share, event->process);
}

static const struct sms_share_policy quits_placed = {.name = "quits_placed", .help = "", .event = fail_placed};
static const struct sms_share_policy quits_freed = {.name = "quits_freed", .help = "", .event = fail_freed};

static void a_process_that_fails_when_it_is_placed_does_nothing(void **state)
{
    static const char *const keys[] = {"streams: 2", "streams: 2, repeat: 2, arrivals: {every: 1 ms}"};
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 SHARED_DEVICE
                 "---\nworkload: w\nkernels: [{name: k, time: 1 ms}]\nsteps: [{host: 9 ms}, {launch: k}]\n"
                 "---\nscenario: s\ndevices: [{model: small}]\n"
                 "policies: [{share: quits_placed, mode: mps}]\n"
                 "processes: [{name: p, workload: w, %s}, {name: q, workload: w}]\n",
                 keys[k]);
        share_release(run_shown(text, "q host 0-9\nq kernel 9-10\n"));
    }
}

/* At the end of its first job, which leaves memory behind. Its next job would begin at 5 ms. */
static void a_process_that_fails_when_its_job_ends_begins_no_other(void **state)
{
    (void)state;
    struct sms_file *file = load_with(SHARED_DEVICE "---\nworkload: w\nkernels: [{name: k, time: 1 ms}]\n"
                                                    "steps: [{allocate: 100 B}, {launch: k}]\n---\nscenario: s\n"
                                                    "nodes: [{name: n, devices: {model: small}}]\n"
                                                    "policies: [{place: first_fit, share: quits_freed, mode: mps}]\n"
                                                    "pods: [{name: p, workload: w, repeat: 3, period: 5 ms}]\n");
    struct shared s = {file, run_first(file, NULL)};
    assert_near(estimate(s.results, 0, SMS_CLUSTER, 0, "failed_count").mean, 1, 0);
    assert_near(estimate(s.results, 0, SMS_CLUSTER, 0, "makespan_ns").mean, 1e6, 1);
    share_release(s);
}

enum { PAUSE, RESUME, BRING_BACK };

static void halt_at_2(struct sms_share *share)
{
    sms_share_wake(share, 2000000000, PAUSE);
    sms_share_wake(share, 7000000000, RESUME);
}

static void halt(struct sms_share *share, size_t tag) { (tag == PAUSE ? sms_share_pause : sms_share_resume)(share, 0); }

static const struct sms_share_policy halter = {.name = "halter", .help = "", .start = halt_at_2, .timer = halt};

/* At 2 ms: the first is on the host, the second copies, the third has a kernel, which ends. From 2 to 7 nothing else
 * goes on. */
static void pausing_halts_all_streams(void **state)
{
    (void)state;
    struct shared s =
        run_shown(SHARED_DEVICE "link: {bandwidth: 4 KB/s}\n"
                                "---\nworkload: a\nkernels: [{name: k, time: 1 ms}]\nsteps: [{host: 5 ms}]\n"
                                "---\nworkload: b\nkernels: [{name: k, time: 1 ms}]\nsteps: [{copy_in: 16 B}]\n"
                                "---\nworkload: c\nkernels: [{name: k, time: 4 ms}]\nsteps: [{launch: k, times: 2}]\n"
                                "---\nscenario: s\ndevices: [{model: small}]\npolicies: [{share: halter, mode: mps}]\n"
                                "processes: [{name: p, streams: [{workload: a}, {workload: b}, {workload: c}]}]\n",
                  "p/1 host 0-2\np/2 copy_in 0-2\np/3 kernel 0-4\np/1 paused 2-7\np/2 paused 2-7\np/3 paused 4-7\n"
                  "p/2 copy_in 7-9\np/1 host 7-10\np/3 kernel 7-11\n");
    assert_turnarounds(s, 0, 1, (double[]){11});
    assert_near(of_process(s, 0, 0, "pauses_count"), 1, 0);
    assert_near(of_process(s, 0, 0, "kernel_ns"), 8e6, 1);
    assert_near(of_process(s, 0, 0, "paused_ns"), 3e6, 1);
    share_release(s);
}

/* The second stream's view, while it asks. */
static enum sms_answer move(struct sms_share *share, size_t process)
{
    struct sms_process_view view = sms_share_process(share, process);
    assert_int_equal(view.phase, SMS_PHASE_ALLOCATE);
    return view.wanted == 200 && view.service_ps > 0 ? SMS_SUSPEND : SMS_GRANT;
}

static void bring_back_later(struct sms_share *share, const struct sms_share_event *event)
{
    if (event->kind == SMS_EVENT_SUSPENDED)
        sms_share_wake(share, 5000000000, BRING_BACK);
}

static void bring_back(struct sms_share *share, size_t tag)
{
    (void)tag;
    assert_true(sms_share_process(share, 0).phase == SMS_PHASE_SUSPENDED);
    assert_true(sms_share_restore(share, 0, 0));
}

static const struct sms_share_policy mover = {
    .name = "mover", .help = "", .allocate = move, .event = bring_back_later, .timer = bring_back};

/* At 2 ms the second stream asks for memory and is sent to the host, and with it the process: once the kernel of the
 * first has ended, all that it holds goes, and comes back 5 ms later. The third computes meanwhile. */
static void a_process_moves_with_all_its_streams(void **state)
{
    (void)state;
    struct shared s = run_shown(
        SHARED_DEVICE "link: {bandwidth: 100 KB/s}\n"
                      "---\nworkload: a\nkernels: [{name: k, time: 10 ms, demand: {fp32: 10 %}}]\n"
                      "steps: [{allocate: 100 B}, {launch: k, times: 2}]\n"
                      "---\nworkload: b\nkernels: [{name: k, time: 1 ms, demand: {fp32: 10 %}}]\n"
                      "steps: [{allocate: 300 B}, {host: 2 ms}, {allocate: 200 B}, {launch: k}]\n"
                      "---\nworkload: c\nkernels: [{name: k, time: 1 ms, demand: {fp32: 10 %}}]\n"
                      "steps: [{host: 11 ms}, {launch: k}]\n"
                      "---\nscenario: s\ndevices: [{model: small}]\npolicies: [{share: mover, mode: mps}]\n"
                      "processes: [{name: p, streams: [{workload: a}, {workload: b}, {workload: c}]}]\n",
        "p/2 host 0-2\np/3 host 0-2\np/1 kernel 0-10\np/1 suspending 10-14\np/2 suspending 2-14\np/3 suspending 2-14\n"
        "p/1 suspended 14-19\np/2 suspended 14-19\np/3 suspended 14-19\np/2 restoring 19-23\np/1 restoring 19-23\n"
        "p/3 restoring 19-23\np/2 kernel 23-24\np/3 kernel 23-24\np/1 kernel 23-33\n");
    assert_turnarounds(s, 0, 1, (double[]){33});
    assert_near(of_process(s, 0, 0, "suspends_count"), 1, 0);
    assert_near(of_process(s, 0, 0, "moved_bytes"), 800, 0);
    assert_near(of_process(s, 0, 0, "memory_high_water_bytes"), 600, 0);
    assert_near(of_process(s, 0, 0, "kernel_ns"), 20e6, 1);
    assert_near(of_process(s, 0, 0, "suspended_ns"), 13e6, 1);
    share_release(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_job_leaves_behind_is_told_as_freed),
        cmocka_unit_test(a_policy_that_acts_in_next_ends_the_run),
        cmocka_unit_test(only_a_policy_that_does_nothing_without_slices_is_warned_of),
        cmocka_unit_test(a_policy_that_names_a_process_or_a_device_that_there_is_not_ends_the_run),
        cmocka_unit_test(under_mig_a_device_is_all_its_instances),
        cmocka_unit_test(under_mig_an_exclusive_process_finds_an_instance_of_its_device),
        cmocka_unit_test(a_process_that_fails_when_it_is_placed_does_nothing),
        cmocka_unit_test(a_process_that_fails_when_its_job_ends_begins_no_other),
        cmocka_unit_test(pausing_halts_all_streams),
        cmocka_unit_test(a_process_moves_with_all_its_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
