/* Sharing modes that are added as the library's are: by a file each, in modes/. Nothing else knows them. */
#include "tests/laws/sharing.h"

#define WORKLOAD "workload: w\nkernels: [{name: k, time: 12 ms}]\n"
#define PROCESSES "processes:\n  - {name: light, workload: w}\n  - {name: heavy, workload: w, weight: 3}\n"

static void an_added_mode_runs_as_its_operations_say(void **state)
{
    (void)state;
    struct shared s = share(WORKLOAD, "devices: [{model: small}]\n"
                                      "policies: [{mode: {weighted_slice: {slice: 1 ms, switch: 0 ms}}}]\n" PROCESSES);
    assert_turnarounds(s, 0, 2, (double[]){24, 16}); /* 1 ms and 3 ms in turn until 16 ms */
    share_release(s);
}

static void an_added_mode_has_a_label_and_leaves_the_others_as_they_are(void **state)
{
    (void)state;
    struct shared s = share(WORKLOAD, "devices: [{model: small}]\n"
                                      "policies: [{mode: {time_slice: {slice: 1 ms, switch: 0 ms}}},\n"
                                      "  {mode: {weighted_slice: {slice: 3 ms}}}]\n" PROCESSES);
    assert_turnarounds(s, 0, 2, (double[]){23, 24});
    assert_string_equal(sms_results_policy(s.results, 1), "weighted_slice(slice=3 ms)");
    share_release(s);
}

/* Blocks of 1 ms, two on each SM at a time. */
#define BLOCKS "workload: w\nkernels: [{name: k, blocks: 12, threads: 1024, block_time: 1 ms}]\n"

static void an_added_mode_sets_the_part_of_the_sms_of_each_process(void **state)
{
    (void)state;
    struct shared s = share(BLOCKS, "devices: [{model: small}]\n"
                                    "policies: [{mode: {two_classes: {high: 75 %}}}, {mode: two_classes}]\n"
                                    "processes:\n  - {name: low, workload: w, active_threads: 10 %}\n"
                                    "  - {name: high, workload: w, priority: 1}\n");
    assert_turnarounds(s, 0, 2, (double[]){6, 2}); /* 1 and 3 of the 4 SMs */
    assert_turnarounds(s, 1, 2, (double[]){3, 3});
    share_release(s);
}

static void an_unknown_mode_is_refused_and_an_added_one_suggested(void **state)
{
    (void)state;
    struct sms_errors errors = {0};
    struct sms_file *file = NULL;
    const char text[] = SHARED_DEVICE "---\n" WORKLOAD "---\nscenario: s\ndevices: [{model: small}]\n"
                                      "policies: [{mode: weighted_slise}]\n" PROCESSES;
    assert_int_equal(sms_file_load_text(text, sizeof text - 1, "text", NULL, &file, &errors), SMS_EINPUT);
    assert_non_null(strstr(errors.item[0].message, "weighted_slice"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_added_mode_runs_as_its_operations_say),
        cmocka_unit_test(an_added_mode_has_a_label_and_leaves_the_others_as_they_are),
        cmocka_unit_test(an_added_mode_sets_the_part_of_the_sms_of_each_process),
        cmocka_unit_test(an_unknown_mode_is_refused_and_an_added_one_suggested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
