/* What share policies are told and may do, by policies that do just that. */
#include "tests/laws/sharing.h"

static const struct sms_share_policy counter, pauser, failer, chooser;

/* Loads with these policies beside the library's. */
static struct sms_file *load_with(const char *text)
{
    static const struct sms_share_policy *const own[] = {&counter, &pauser, &failer, &chooser};
    const struct sms_load_options options = {.shares = own, .n_shares = 4};
    struct sms_errors errors;
    struct sms_file *file;
    char path[] = "/tmp/smsched-test-XXXXXX";
    int fd = mkstemp(path);
    assert_int_equal(write(fd, text, strlen(text)), (int)strlen(text));
    close(fd);
    int code = sms_file_load(path, &options, &file, &errors);
    unlink(path);
    if (code)
        sms_errors_print(&errors, stderr);
    assert_int_equal(code, SMS_OK);
    return file;
}

struct told {
    char text[1024];
};

static void on_saying(void *user, const char *policy, const struct sms_saying *saying)
{
    struct told *told = user;
    size_t used = strlen(told->text);
    (void)policy;
    snprintf(told->text + used, sizeof told->text - used, "%g %s\n", (double)saying->time_ps / 1e9, saying->text);
}

static void assert_told(const char *text, const char *expected)
{
    struct told told = {""};
    struct sms_run_options options = sms_run_defaults();
    struct sms_file *file = load_with(text);
    options.on_saying = on_saying;
    options.user = &told;
    options.alone = false;
    sms_results_free(run_first(file, &options));
    assert_string_equal(told.text, expected);
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
    assert_told(SHARED_DEVICE "---\nworkload: w\nkernels: [{name: k, time: 1 ms}]\n"
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

static const struct sms_share_policy pauser = {.name = "pauser", .help = "", .next = pause_in_next};
static const struct sms_share_policy failer = {.name = "failer", .help = "", .next = fail_in_next};

static void a_policy_that_acts_in_next_ends_the_run(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"pauser", "share policy pauser called sms_share_pause in its function next"},
        {"failer", "share policy failer called sms_share_fail in its function next"}};
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
    assert_told(SHARED_DEVICE
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_job_leaves_behind_is_told_as_freed),
        cmocka_unit_test(a_policy_that_acts_in_next_ends_the_run),
        cmocka_unit_test(under_mig_a_device_is_all_its_instances),
        cmocka_unit_test(under_mig_an_exclusive_process_finds_an_instance_of_its_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
