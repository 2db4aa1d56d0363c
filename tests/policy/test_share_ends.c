/* Runs end whose share policy lets time pass and no process go on; and timers, which such policies live by. */
#include "tests/laws/sharing.h"

static const struct sms_share_policy toggler, swinger, late, alarm_clock, adder;

/* Runs two processes of one kernel under a policy of this file. With so few events that one without an end fails. */
static int run_under(const char *policy, struct shared *s, struct sms_errors *errors)
{
    static const struct sms_share_policy *const own[] = {&toggler, &swinger, &late, &alarm_clock, &adder};
    const struct sms_load_options load = {.shares = own, .n_shares = 5};
    struct sms_run_options options = sms_run_defaults();
    char text[2048];
    snprintf(text, sizeof text,
             SHARED_DEVICE "---\nworkload: w\nkernels: [{name: k, time: 1 ms}]\n"
                           "steps: [{allocate: 100 B}, {host: 1 ms}, {launch: k}]\n"
                           "---\nscenario: s\ndevices: [{model: small, count: 2}]\nhost: {context: 10 B}\n"
                           "policies: [{share: %s, mode: time_slice}]\nprocesses: [{name: p, workload: w, count: 2}]\n",
             policy);
    options.max_events = 10000000;
    options.alone = false;
    s->file = load_text_with(text, &load);
    s->results = NULL;
    return sms_run(sms_file_scenario(s->file, 0), &options, &s->results, errors);
}

static void toggle(struct sms_share *share, size_t tag)
{
    for (size_t p = 0; p < sms_share_processes(share); p++)
        (tag ? sms_share_resume : sms_share_pause)(share, p);
    sms_share_wake(share, tag ? 0 : 1000, !tag);
}

static void begin_toggling(struct sms_share *share) { toggle(share, 0); }

static const struct sms_share_policy toggler = {
    .name = "toggler", .help = "", .start = begin_toggling, .timer = toggle};

/* Each process computes for no time at all before it is paused again. */
static void a_policy_that_resumes_only_to_pause_gets_no_timers_for_ever(void **state)
{
    (void)state;
    struct shared s;
    struct sms_errors errors;
    assert_int_equal(run_under("toggler", &s, &errors), SMS_OK);
    assert_true(isnan(of_process(s, 0, 0, "turnaround_ns")));
    share_release(s);
}

static enum sms_answer suspend(struct sms_share *share, size_t process)
{
    (void)share, (void)process;
    return SMS_SUSPEND;
}

static void restore(struct sms_share *share, const struct sms_share_event *event)
{
    if (event->kind == SMS_EVENT_SUSPENDED)
        sms_share_restore(share, event->process, 0);
}

static const struct sms_share_policy swinger = {.name = "swinger", .help = "", .launch = suspend, .event = restore};

static void a_policy_that_suspends_and_restores_for_ever_ends_the_run(void **state)
{
    (void)state;
    struct shared s;
    struct sms_errors errors;
    assert_int_equal(run_under("swinger", &s, &errors), SMS_EBUG);
    assert_non_null(strstr(errors.item[0].message,
                           "share policy swinger suspended processes more than 1048576 times, and none went on"));
    sms_file_free(s.file);
}

enum { LOOKS = 200000 };

static enum sms_answer look(struct sms_share *share, size_t process)
{
    (void)process;
    if (sms_share_now(share) >= 1000000000 + 1000 * (uint64_t)LOOKS)
        return SMS_GRANT;
    sms_share_wake(share, 1000, 0);
    return SMS_DEFER;
}

static void ignore(struct sms_share *share, size_t tag) { (void)share, (void)tag; }

static const struct sms_share_policy late = {.name = "late", .help = "", .launch = look, .timer = ignore};

static void a_policy_may_look_very_often_in_vain(void **state)
{
    (void)state;
    struct shared s;
    struct sms_errors errors;
    assert_int_equal(run_under("late", &s, &errors), SMS_OK);
    assert_true(of_process(s, 0, 0, "turnaround_ns") > 0);
    share_release(s);
}

enum { ALARMS = 100000, TIMES = 1000 };

/* Their times, ps, are in no order, and each occurs often. */
static uint64_t alarm_ps(size_t i) { return 1 + i * 7919 % TIMES; }

static void set_alarms(struct sms_share *share)
{
    for (size_t i = 0; i < ALARMS; i++)
        sms_share_wake(share, alarm_ps(i), i);
}

/* state: how many there were, and the last one. */
static void keep_order(struct sms_share *share, size_t tag)
{
    size_t *seen = sms_share_state(share);
    assert_int_equal(sms_share_now(share), alarm_ps(tag));
    assert_true(seen[0] == 0 || alarm_ps(seen[1]) != alarm_ps(tag) || seen[1] < tag);
    seen[0]++;
    seen[1] = tag;
    assert_true(seen[0] <= ALARMS && (seen[0] < ALARMS || alarm_ps(tag) == TIMES));
}

static const struct sms_share_policy alarm_clock = {
    .name = "alarm_clock", .help = "", .state = 2 * sizeof(size_t), .start = set_alarms, .timer = keep_order};

static void timers_go_by_time_and_then_by_the_order_in_which_they_were_set(void **state)
{
    (void)state;
    struct shared s;
    struct sms_errors errors;
    assert_int_equal(run_under("alarm_clock", &s, &errors), SMS_OK);
    share_release(s);
}

static void add_up(struct sms_share *share, const struct sms_share_event *event)
{
    (void)event;
    for (size_t d = 0; d < sms_share_devices(share); d++) {
        uint64_t declared = 0;
        for (size_t p = 0; p < sms_share_processes(share); p++) {
            const struct sms_process_view view = sms_share_process(share, p);
            declared += view.device == (long)d ? view.declared : 0;
        }
        assert_int_equal(sms_share_device(share, d).declared, declared);
        assert_int_equal(declared, 110 * sms_share_device(share, d).processes);
    }
}

static const struct sms_share_policy adder = {.name = "adder", .help = "", .event = add_up};

static void a_device_tells_what_its_processes_declare_together(void **state)
{
    (void)state;
    struct shared s;
    struct sms_errors errors;
    assert_int_equal(run_under("adder", &s, &errors), SMS_OK);
    share_release(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_policy_that_resumes_only_to_pause_gets_no_timers_for_ever),
        cmocka_unit_test(a_policy_that_suspends_and_restores_for_ever_ends_the_run),
        cmocka_unit_test(a_policy_may_look_very_often_in_vain),
        cmocka_unit_test(timers_go_by_time_and_then_by_the_order_in_which_they_were_set),
        cmocka_unit_test(a_device_tells_what_its_processes_declare_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
