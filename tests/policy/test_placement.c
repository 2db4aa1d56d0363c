/* Where blocks go: the worked example of specification 004, and one small case for each policy. */
#include "decisions.h"

static void the_worked_example_has_the_published_placements(void **state)
{
    (void)state;
    struct sms_file *file = load_path(SOURCE_DIR "/scenarios/fine-grained-2022/worked-example.yaml");
    struct log log = decisions_of(file, "round_robin");
    assert_placed(&log, 3, (const long[]){0, 1, 2});
    log = decisions_of(file, "fine_grained");
    assert_placed(&log, 3, (const long[]){0, 1, 2});
    log = decisions_of(file, "utilization_aware");
    assert_placed(&log, 3, (const long[]){2, 3, -1});
    sms_file_free(file);
}

static void the_third_block_waits_for_compute_on_all_four_sms(void **state)
{
    (void)state;
    struct sms_file *file = load_path(SOURCE_DIR "/scenarios/fine-grained-2022/worked-example.yaml");
    struct log log = decisions_of(file, "utilization_aware");
    assert_string_equal(log.reasons, "SMs 0, 3: fp32 is too busy for the policy, at 90 %; the block takes fp32 30 %, "
                                     "fp64 40 % (compute); SMs 1 to 2: fp64 is too busy for the policy, at 90 %; the "
                                     "block takes fp32 30 %, fp64 40 % (compute)");
    sms_file_free(file);
}

/* Three SMs for two large or four small blocks each; SM 0 and 1 are given a head start by `first`. */
#define THREE_SMS                                                                                                      \
    SMALL_DEVICE "---\nworkload: large\nkernels: [{name: k, blocks: %d, threads: 8192, block_time: 1 us}]\n"           \
                 "---\nworkload: small\nkernels: [{name: k, blocks: %d, threads: 4096, block_time: 1 us}]\n"           \
                 "---\nscenario: s\ndevices: [{model: small}]\nqueue: fifo\n"                                          \
                 "policies: [round_robin, round_robin_full, breadth_first, depth_first, most_room, leftover]\n"        \
                 "vms: [{name: a, workload: large}, {name: b, workload: small}]\nrun: {duration: 0.5 us}\n"

static void assert_policy(const char *policy, int large, int small, size_t count, const long *sm)
{
    struct sms_file *file = load_text(THREE_SMS, 3, 32, "sm", large, small);
    struct log log = decisions_of(file, policy);
    assert_placed(&log, count, sm);
    sms_file_free(file);
}

static void round_robin_goes_round(void **state)
{
    (void)state;
    assert_policy("round_robin", 2, 3, 5, (const long[]){0, 1, 2, 0, 1});
}

static void round_robin_full_fills_an_sm_before_the_next(void **state)
{
    (void)state;
    assert_policy("round_robin_full", 2, 3, 5, (const long[]){0, 0, 1, 1, 1});
}

static void breadth_first_takes_the_emptiest(void **state)
{
    (void)state;
    assert_policy("breadth_first", 2, 3, 5, (const long[]){0, 1, 2, 2, 0});
}

static void depth_first_takes_the_fullest_with_room(void **state)
{
    (void)state;
    assert_policy("depth_first", 2, 3, 5, (const long[]){0, 0, 1, 1, 1});
}

static void most_room_takes_the_sm_that_holds_the_most_more(void **state)
{
    (void)state;
    assert_policy("most_room", 1, 5, 6, (const long[]){0, 1, 2, 1, 2, 0});
}

static void leftover_keeps_launch_order(void **state)
{
    (void)state;
    assert_policy("leftover", 7, 3, 7, (const long[]){0, 1, 2, 0, 1, 2, -1});
}

static const char *const disciplines =
    SMALL_DEVICE "---\nworkload: wide\nkernels: [{name: k, blocks: 4, threads: 16384, block_time: 1 us}]\n"
                 "---\nworkload: thin\nkernels: [{name: k, blocks: 2, threads: 32, block_time: 1 us}]\n"
                 "---\nscenario: s\ndevices: [{model: small}]\nqueue: %s\npolicies: [round_robin]\n"
                 "vms: [{name: a, workload: thin}, {name: b, workload: wide}, {name: c, workload: thin}]\n"
                 "run: {duration: 0.5 us}\n";

/* Which VMs had blocks placed or refused ('-' after the name), in order. */
static void assert_order(const char *queue, const char *expected)
{
    char order[256] = "";
    struct sms_file *file = load_text(disciplines, 3, 32, "sm", queue);
    struct log log = decisions_of(file, NULL);
    for (size_t i = 0; i < log.count; i++)
        snprintf(order + strlen(order), sizeof order - strlen(order), "%s%s", log.vm[i], log.sm[i] < 0 ? "-" : "");
    assert_string_equal(order, expected);
    sms_file_free(file);
}

/* After three blocks on three SMs the turn is b's: a would meet the same SM again. */
static void interleave_passes_over_a_kernel_that_fits_nowhere(void **state)
{
    (void)state;
    assert_order("interleave", "abcb-ca");
}

static void fifo_stops_at_the_first_that_fits_nowhere(void **state)
{
    (void)state;
    assert_order("fifo", "aabb-");
}

static void kernel_fifo_goes_on_with_the_next_kernel(void **state)
{
    (void)state;
    assert_order("kernel_fifo", "aabb-cc");
}

static void rr_fifo_takes_turns_until_one_fits_nowhere(void **state)
{
    (void)state;
    assert_order("rr_fifo", "abcb-");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worked_example_has_the_published_placements),
        cmocka_unit_test(the_third_block_waits_for_compute_on_all_four_sms),
        cmocka_unit_test(round_robin_goes_round),
        cmocka_unit_test(round_robin_full_fills_an_sm_before_the_next),
        cmocka_unit_test(breadth_first_takes_the_emptiest),
        cmocka_unit_test(depth_first_takes_the_fullest_with_room),
        cmocka_unit_test(most_room_takes_the_sm_that_holds_the_most_more),
        cmocka_unit_test(leftover_keeps_launch_order),
        cmocka_unit_test(interleave_passes_over_a_kernel_that_fits_nowhere),
        cmocka_unit_test(fifo_stops_at_the_first_that_fits_nowhere),
        cmocka_unit_test(kernel_fifo_goes_on_with_the_next_kernel),
        cmocka_unit_test(rr_fifo_takes_turns_until_one_fits_nowhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
