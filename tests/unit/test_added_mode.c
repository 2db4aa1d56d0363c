/* A sharing mode that is added as the library's are: by a file that defines it, here this one, and a line in the list
 * of modes.c, here SMS__MODES_ADDED. Nothing else knows it. */
#include "sim/model/policy/modes.h"
#include "tests/laws/sharing.h"

static double weigh_slice(double slice_ps, double weight) { return slice_ps * weight; }

extern const struct sms__mode_form sms__mode_weighted_slice;
const struct sms__mode_form sms__mode_weighted_slice = {
    .name = "weighted_slice",
    .help = "contexts take turns, in slices that are as long as the weights of their processes are great",
    .params = sms__slice_params,
    .read = sms__read_slices,
    .slices = true,
    .slice_ps = weigh_slice,
};

#define SMS__MODES_ADDED(MODE) MODE(weighted_slice)
#include "sim/model/policy/modes.c"

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
        cmocka_unit_test(an_unknown_mode_is_refused_and_an_added_one_suggested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
