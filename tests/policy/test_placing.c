/* Place policies that score a node by what it has left, by hand. */
#include "placing_fixture.h"

/* 64 CPUs free of 128, 2 GPUs free of 8; afterwards 56 CPUs and 1.5 GPUs: 0.5 * 56/128 + 0.5 * 1.5/8 = 0.3125 left. */
static void best_fit_rounds_to_levels_as_the_simulator_of_fgd(void **state)
{
    struct setting s;
    struct fixture f;
    uint8_t chosen[SMS_NODE_GPUS_MAX];
    (void)state;
    make_setting(&s, &sms_place_policy_best_fit);
    set_param(&s, &sms_place_policy_best_fit, "levels", 100);
    NODE(&f, 1000, 1000);
    assert_true(score_with(&s, &sms_place_policy_best_fit, &f, make_pod(1, 500, 8000), chosen) == 68);
}

static void best_fit_is_exact_unless_told(void **state)
{
    struct fixture fuller, emptier;
    struct setting s;
    uint8_t chosen[SMS_NODE_GPUS_MAX];
    struct sms_pod_view pod = make_pod(1, 500, 8000);
    (void)state;
    NODE(&fuller, 999, 1000);
    NODE(&emptier, 1000, 1000);
    assert_true(score_of(&sms_place_policy_best_fit, &fuller, pod) >
                score_of(&sms_place_policy_best_fit, &emptier, pod));
    make_setting(&s, &sms_place_policy_best_fit);
    set_param(&s, &sms_place_policy_best_fit, "levels", 100);
    assert_true(score_with(&s, &sms_place_policy_best_fit, &fuller, pod, chosen) ==
                score_with(&s, &sms_place_policy_best_fit, &emptier, pod, chosen));
}

/* One GPU of eight weighs as much as 16 CPUs of 128. */
static void best_fit_weighs_cpus_and_gpus_by_the_largest_node(void **state)
{
    struct fixture gpu, cpu;
    struct sms_pod_view pod = make_pod(1, 1000, 0);
    (void)state;
    NODE(&gpu, 1000, 1000, 1000);
    NODE(&cpu, 1000, 1000);
    gpu.node.cpu_left = 16000;
    cpu.node.cpu_left = 32000;
    assert_true(score_of(&sms_place_policy_best_fit, &gpu, pod) == score_of(&sms_place_policy_best_fit, &cpu, pod));
    cpu.node.cpu_left = 32001;
    assert_true(score_of(&sms_place_policy_best_fit, &gpu, pod) > score_of(&sms_place_policy_best_fit, &cpu, pod));
}

/* 60 CPUs and half a GPU left: 60000 + 100 * 500. */
static void worst_fit_adds_up_what_is_left(void **state)
{
    struct fixture f;
    struct setting s;
    uint8_t chosen[SMS_NODE_GPUS_MAX];
    (void)state;
    NODE(&f, 1000);
    assert_true(score_of(&sms_place_policy_worst_fit, &f, make_pod(1, 500, 4000)) == 110000);
    make_setting(&s, &sms_place_policy_worst_fit);
    set_param(&s, &sms_place_policy_worst_fit, "gpu_weight", 2);
    assert_true(score_with(&s, &sms_place_policy_worst_fit, &f, make_pod(1, 500, 4000), chosen) == 61000);
}

/* (64/128 * 32/128 + 4/8 * 2/8) / 2 = 0.125. */
static void dot_product_is_of_shares_of_the_largest_node(void **state)
{
    struct setting s;
    struct fixture f;
    uint8_t chosen[SMS_NODE_GPUS_MAX];
    (void)state;
    NODE(&f, 1000, 1000, 1000, 1000);
    assert_true(score_of(&sms_place_policy_dot_product, &f, make_pod(2, 1000, 32000)) == -0.125);
    make_setting(&s, &sms_place_policy_dot_product);
    set_param(&s, &sms_place_policy_dot_product, "levels", 100);
    assert_true(score_with(&s, &sms_place_policy_dot_product, &f, make_pod(2, 1000, 32000), chosen) == 87);
}

static void dot_product_takes_the_node_with_less_of_what_is_asked(void **state)
{
    struct fixture gpus, cpus;
    (void)state;
    NODE(&gpus, 1000, 1000, 1000, 1000);
    NODE(&cpus, 1000, 1000);
    gpus.node.cpu_left = 16000;
    cpus.node.cpu_left = 48000;
    assert_true(score_of(&sms_place_policy_dot_product, &cpus, make_pod(2, 1000, 1000)) >
                score_of(&sms_place_policy_dot_product, &gpus, make_pod(2, 1000, 1000)));
    assert_true(score_of(&sms_place_policy_dot_product, &gpus, make_pod(0, 0, 8000)) >
                score_of(&sms_place_policy_dot_product, &cpus, make_pod(0, 0, 8000)));
}

/* Left afterwards: CPUs 32/64, memory 192/256, GPUs 1.5/2: their mean is 2/3. */
static void allocated_is_the_mean_over_resources(void **state)
{
    struct fixture f;
    struct sms_pod_view pod = make_pod(1, 500, 32000);
    (void)state;
    pod.memory = gib(64);
    NODE(&f, 1000, 1000);
    assert_near(score_of(&sms_place_policy_least_allocated, &f, pod), 2.0 / 3, 1e-12);
    assert_near(score_of(&sms_place_policy_most_allocated, &f, pod), -2.0 / 3, 1e-12);
}

static void shares_left_are_of_cpus_memory_and_gpus_in_that_order(void **state)
{
    struct fixture f;
    struct sms_pod_view pod = make_pod(1, 500, 32000);
    double left[SMS_NODE_RESOURCES];
    (void)state;
    pod.memory = gib(64);
    NODE(&f, 1000, 1000);
    assert_int_equal(sms_pod_gpu_milli(&pod), 500);
    assert_int_equal(sms_node_shares(&f.node, &pod, left), 3);
    assert_true(left[0] == 0.5 && left[1] == 0.75 && left[2] == 0.75);
    assert_near(sms_node_share_left(&f.node, &pod), 2.0 / 3, 1e-12);
}

/* Without GPUs: CPUs 32/64, memory 192/256. */
static void allocated_leaves_out_what_the_node_has_none_of(void **state)
{
    struct fixture f;
    struct sms_pod_view pod = make_pod(0, 0, 32000);
    (void)state;
    pod.memory = gib(64);
    make_node(&f, 0, NULL);
    assert_true(score_of(&sms_place_policy_least_allocated, &f, pod) == 0.625);
    assert_true(score_of(&sms_place_policy_most_allocated, &f, pod) == -0.625);
    assert_true(score_of(&sms_place_policy_balanced, &f, pod) == -(0.125 * 0.125));
}

/* Shares 0, 7/8, 1/2 and 7/8, 1/2, 0, of which doubles give another variance. */
static void equal_shares_in_another_order_are_equal(void **state)
{
    struct fixture one, other;
    struct sms_pod_view pod = make_pod(0, 0, 0);
    (void)state;
    pod.memory = 0;
    NODE(&one, 1000, 0);
    NODE(&other, 0, 0);
    one.node.cpu_left = 0;
    one.node.memory_left = gib(224);
    other.node.cpu_left = 56000;
    other.node.memory_left = gib(128);
    assert_true(score_of(&sms_place_policy_balanced, &one, pod) == score_of(&sms_place_policy_balanced, &other, pod));
    assert_true(score_of(&sms_place_policy_balanced, &one, pod) < 0);
    assert_true(sms_node_share_left(&one.node, &pod) == sms_node_share_left(&other.node, &pod));
}

/* Shares 1/2, 1/2, 1/2 against 1/2, 1/2, 1: the variance of the latter is 1/18. */
static void balanced_prefers_even_shares(void **state)
{
    struct fixture even, uneven;
    struct sms_pod_view pod = make_pod(0, 0, 32000);
    (void)state;
    pod.memory = gib(128);
    NODE(&even, 1000, 0);
    NODE(&uneven, 1000, 1000);
    assert_true(score_of(&sms_place_policy_balanced, &even, pod) == 0);
    assert_near(score_of(&sms_place_policy_balanced, &uneven, pod), -1.0 / 18, 1e-12);
}

/* CPUs 16/(64-16), memory 32/(256-32), GPUs 0.5/(2-0.5): the first and the last are 1/3. */
static void dominant_share_is_the_largest_of_requests_by_rests(void **state)
{
    struct fixture f;
    struct sms_pod_view pod = make_pod(1, 500, 16000);
    (void)state;
    pod.memory = gib(32);
    NODE(&f, 1000, 1000);
    assert_true(score_of(&sms_place_policy_dominant_share, &f, pod) == 1.0 / 3);
    f.node.cpu_left = 24000;
    assert_true(score_of(&sms_place_policy_dominant_share, &f, pod) == 2);
    f.node.cpu_left = 16000;
    assert_true(score_of(&sms_place_policy_dominant_share, &f, pod) == 1);
    f.node.memory_left = gib(40);
    assert_true(score_of(&sms_place_policy_dominant_share, &f, pod) == 4);
}

static void dominant_share_of_capacity_does_not_see_who_is_there(void **state)
{
    struct setting s;
    struct fixture f;
    uint8_t chosen[SMS_NODE_GPUS_MAX];
    (void)state;
    make_setting(&s, &sms_place_policy_dominant_share);
    set_param(&s, &sms_place_policy_dominant_share, "of", 1);
    NODE(&f, 200, 800);
    f.node.cpu_left = 20000;
    assert_true(score_with(&s, &sms_place_policy_dominant_share, &f, make_pod(1, 500, 16000), chosen) == 1.0 / 3);
}

/* The example of specification 001: 8138 MiB on GPUs with 12207, 8138, 4069 and 16276 MiB left go to the second. */
static void gpushare_takes_the_gpu_with_least_memory_that_has_enough(void **state)
{
    static const uint64_t left[] = {12207, 8138, 4069, 16276};
    struct setting s;
    struct fixture f;
    struct sms_pod_view pod = make_pod(1, 1, 0);
    uint8_t chosen[SMS_NODE_GPUS_MAX];
    (void)state;
    make_setting(&s, &sms_place_policy_gpushare);
    NODE(&f, 1000, 1000, 1000, 1000);
    for (size_t i = 0; i < 4; i++)
        f.gpu[i].memory_left = left[i] << 20;
    pod.gpu_memory = 8138ULL << 20;
    sms_place_policy_gpushare.choose(&s.view, &f.node, &pod, chosen);
    assert_memory_equal(chosen, ((uint8_t[]){0, 1, 0, 0}), 4);
    set_param(&s, &sms_place_policy_gpushare, "gpu_select", 1);
    sms_place_policy_gpushare.choose(&s.view, &f.node, &pod, chosen);
    assert_memory_equal(chosen, ((uint8_t[]){0, 0, 0, 1}), 4);
    set_param(&s, &sms_place_policy_gpushare, "gpu_select", 2);
    sms_place_policy_gpushare.choose(&s.view, &f.node, &pod, chosen);
    assert_memory_equal(chosen, ((uint8_t[]){1, 0, 0, 0}), 4);
}

static void gpushare_takes_the_lowest_of_equal_gpus_and_each_once(void **state)
{
    struct setting s;
    struct fixture f;
    struct sms_pod_view pod = make_pod(2, 1000, 0);
    uint8_t chosen[SMS_NODE_GPUS_MAX];
    (void)state;
    make_setting(&s, &sms_place_policy_gpushare);
    NODE(&f, 0, 1000, 1000, 1000);
    sms_place_policy_gpushare.choose(&s.view, &f.node, &pod, chosen);
    assert_memory_equal(chosen, ((uint8_t[]){0, 1, 1, 0}), 4);
    assert_int_equal(sms_place_policy_gpushare.search, SMS_PLACE_FIRST);
    assert_int_equal(sms_place_policy_gpushare.search_by(s.params), SMS_PLACE_FIRST);
    set_param(&s, &sms_place_policy_gpushare, "node_score", 2);
    assert_int_equal(sms_place_policy_gpushare.search_by(s.params), SMS_PLACE_BEST);
}

/* A policy's name is its file's; its text is one sentence; scores are of the best. */
static void every_policy_says_what_it_is(void **state)
{
    (void)state;
#define CHECK(policy)                                                                                                  \
    assert_string_equal(sms_place_policy_##policy.name, #policy);                                                      \
    assert_true(strlen(sms_place_policy_##policy.help) > 10);                                                          \
    assert_true((sms_place_policy_##policy.search == SMS_PLACE_BEST || sms_place_policy_##policy.search_by) ==         \
                (sms_place_policy_##policy.score != NULL));
    PLACE_POLICIES(CHECK)
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(best_fit_rounds_to_levels_as_the_simulator_of_fgd),
        cmocka_unit_test(best_fit_is_exact_unless_told),
        cmocka_unit_test(best_fit_weighs_cpus_and_gpus_by_the_largest_node),
        cmocka_unit_test(worst_fit_adds_up_what_is_left),
        cmocka_unit_test(dot_product_is_of_shares_of_the_largest_node),
        cmocka_unit_test(dot_product_takes_the_node_with_less_of_what_is_asked),
        cmocka_unit_test(allocated_is_the_mean_over_resources),
        cmocka_unit_test(shares_left_are_of_cpus_memory_and_gpus_in_that_order),
        cmocka_unit_test(allocated_leaves_out_what_the_node_has_none_of),
        cmocka_unit_test(equal_shares_in_another_order_are_equal),
        cmocka_unit_test(balanced_prefers_even_shares),
        cmocka_unit_test(dominant_share_is_the_largest_of_requests_by_rests),
        cmocka_unit_test(dominant_share_of_capacity_does_not_see_who_is_there),
        cmocka_unit_test(gpushare_takes_the_gpu_with_least_memory_that_has_enough),
        cmocka_unit_test(gpushare_takes_the_lowest_of_equal_gpus_and_each_once),
        cmocka_unit_test(every_policy_says_what_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
