/* Two kernels on two streams of a V100, against measured timelines: the second
 * starts when the first has no block left to dispatch. */
#include "tests/harness.h"

struct timeline {
    double first_end_us, last_start_us, second_start_us;
};

static int watch(void *user, const struct sms_run_event *event)
{
    const struct sms_stay *stay = event->stay;
    struct timeline *timeline = user;
    double start = (double)stay->start_ps / 1e6, end = (double)stay->end_ps / 1e6;
    if (!strcmp(stay->vm, "second")) {
        if (start < timeline->second_start_us)
            timeline->second_start_us = start;
        return 0;
    }
    if (start > timeline->last_start_us)
        timeline->last_start_us = start;
    if (end > timeline->first_end_us)
        timeline->first_end_us = end;
    return 0;
}

/* `measured_us`: when the second started; the model may be off by less than a wave of the first. */
static void assert_leftover(const char *name, double measured_us, double wave_us)
{
    static const char *const policies[] = {"leftover", "round_robin"};
    char path[1024];
    snprintf(path, sizeof path, SOURCE_DIR "/scenarios/leftover/%s.yaml", name);
    struct sms_file *file = load_path(path);
    for (int p = 0; p < 2; p++) {
        struct timeline timeline = {0, 0, 1e18};
        struct sms_run_options options = sms_run_defaults();
        options.alone = false;
        options.policies = (const char *const[]){policies[p], NULL};
        options.observe = watch;
        options.events = SMS_RUN_STAY;
        options.user = &timeline;
        sms_results_free(run_first(file, &options));
        print_message("%s, %s: second starts at %.1f us, measured %.1f us\n", name, policies[p],
                      timeline.second_start_us, measured_us);
        assert_true(timeline.second_start_us >= timeline.last_start_us);
        assert_true(timeline.second_start_us <= timeline.first_end_us);
        assert_near(timeline.second_start_us, measured_us, wave_us);
    }
    sms_file_free(file);
}

static void batch_norm_waits_for_upsample(void **state)
{
    (void)state;
    assert_leftover("upsample-batch-norm", 904.026, 914.564 / 63);
}

static void histogram_waits_for_im2col(void **state)
{
    (void)state;
    assert_leftover("im2col-histogram", 601.129, 608.691 / 63);
}

static void histogram_waits_for_max_pool(void **state)
{
    (void)state;
    assert_leftover("max-pool-histogram", 857.742, 864.654 / 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batch_norm_waits_for_upsample),
        cmocka_unit_test(histogram_waits_for_im2col),
        cmocka_unit_test(histogram_waits_for_max_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
