/* Place policies that look at single GPUs and at fragments: against the unit tests of the simulator of FGD
 * (hkust-adsl/kubernetes-scheduler-simulator), and by hand. */
#include "placing_fixture.h"

/* What those tests use most: four GPUs and one CPU left of many. */
static void make_used(struct fixture *f)
{
    NODE(f, 200, 1000, 1000, 500);
    f->node.cpu_left = 1000;
}

static void gpu_packing_scores_as_the_simulator_of_fgd(void **state)
{
    struct fixture used, four, eight;
    (void)state;
    make_used(&used);
    NODE(&four, 1000, 1000, 1000, 1000);
    NODE(&eight, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000);
    assert_true(score_of(&sms_place_policy_gpu_packing, &used, make_pod(2, 200, 100)) == 93);  /* fgd-pack4 */
    assert_true(score_of(&sms_place_policy_gpu_packing, &used, make_pod(2, 1000, 100)) == 48); /* fgd-pack1 */
    assert_true(score_of(&sms_place_policy_gpu_packing, &used, make_pod(1, 1000, 100)) == 49);
    assert_true(score_of(&sms_place_policy_gpu_packing, &four, make_pod(2, 1000, 100)) == 29);  /* fgd-pack2 */
    assert_true(score_of(&sms_place_policy_gpu_packing, &eight, make_pod(2, 1000, 100)) == 25); /* fgd-pack3 */
}

/* A GPU with 999 left: 99 of a hundred, a tenth of it is 9. CPU pods are alike everywhere. */
static void gpu_packing_rounds_each_gpu_down(void **state)
{
    struct fixture f;
    (void)state;
    NODE(&f, 999);
    assert_true(score_of(&sms_place_policy_gpu_packing, &f, make_pod(1, 10, 0)) == 91);
    assert_true(score_of(&sms_place_policy_gpu_packing, &f, make_pod(0, 0, 10)) == 0);
}

/* The bands of a hundred: 0 other sizes, 25 idle, 50 mixed, 75 the same size alone, each up to 25 more for fullness. */
static double cluster(const struct fixture *f, struct sms_pod_view pod)
{
    struct setting s;
    uint8_t chosen[SMS_NODE_GPUS_MAX];
    make_setting(&s, &sms_place_policy_gpu_clustering);
    set_param(&s, &sms_place_policy_gpu_clustering, "levels", 100);
    return score_with(&s, &sms_place_policy_gpu_clustering, f, pod, chosen);
}

static void gpu_clustering_has_four_bands(void **state)
{
    struct fixture idle, parts, mixed;
    struct sms_pod_view part = make_pod(1, 300, 0), one = make_pod(1, 1000, 0), two = make_pod(2, 1000, 0);
    (void)state;
    NODE(&idle, 1000, 1000, 1000, 1000);
    NODE(&parts, 600, 1000, 1000, 1000);
    parts.node.pods_by_gpus[1] = parts.node.parts = 1;
    NODE(&mixed, 600, 0, 0, 1000, 1000, 0);
    mixed.node.pods_by_gpus[1] = 2;
    mixed.node.pods_by_gpus[2] = mixed.node.parts = 1;
    assert_true(cluster(&idle, part) == 25 + 12);
    assert_true(cluster(&idle, two) == 25 + 12);
    assert_true(cluster(&parts, part) == 75 + 13);
    assert_true(cluster(&parts, one) == 13);
    assert_true(cluster(&parts, two) == 13);
    assert_true(cluster(&mixed, part) == 50 + 16);
    assert_true(cluster(&mixed, one) == 50 + 16);
    assert_true(cluster(&mixed, two) == 50 + 16);
    assert_true(cluster(&idle, make_pod(0, 0, 100)) == 0);
}

/* Without a level, a thousandth of a GPU tells two nodes apart. */
static void gpu_clustering_is_exact_unless_told(void **state)
{
    struct fixture a, b;
    struct sms_pod_view part = make_pod(1, 300, 0);
    (void)state;
    NODE(&a, 601, 1000);
    NODE(&b, 602, 1000);
    a.node.pods_by_gpus[1] = b.node.pods_by_gpus[1] = a.node.parts = b.node.parts = 1;
    assert_true(score_of(&sms_place_policy_gpu_clustering, &a, part) ==
                score_of(&sms_place_policy_gpu_clustering, &b, part) + 1);
    assert_true(cluster(&a, part) == cluster(&b, part));
}

/* A GPU that two pods fill is not one that a pod of one GPU has. */
static void gpu_clustering_tells_parts_from_whole_gpus(void **state)
{
    struct fixture shared, owned;
    (void)state;
    NODE(&shared, 0, 1000);
    shared.gpu[0].pods = shared.node.pods_by_gpus[1] = shared.node.parts = 2;
    NODE(&owned, 0, 1000);
    owned.node.pods_by_gpus[1] = 1;
    assert_true(cluster(&shared, make_pod(1, 300, 0)) == 75 + 21);
    assert_true(cluster(&shared, make_pod(1, 1000, 0)) == 21);
    assert_true(cluster(&owned, make_pod(1, 1000, 0)) == 75 + 21);
    assert_true(cluster(&owned, make_pod(1, 300, 0)) == 21);
}

/* Pods of several GPUs leave no trace of pods of one, and those no trace of parts. */
static void gpu_clustering_counts_each_size_apart(void **state)
{
    struct fixture twos, ones_and_parts;
    (void)state;
    NODE(&twos, 0, 0, 1000, 1000);
    twos.node.pods_by_gpus[2] = 1;
    NODE(&ones_and_parts, 0, 500, 1000, 1000);
    ones_and_parts.node.pods_by_gpus[1] = 2;
    ones_and_parts.node.parts = 1;
    assert_true(cluster(&twos, make_pod(2, 1000, 0)) == 75 + 18);
    assert_true(cluster(&twos, make_pod(1, 1000, 0)) == 18);
    assert_true(cluster(&twos, make_pod(1, 300, 0)) == 18);
    assert_true(cluster(&ones_and_parts, make_pod(1, 1000, 0)) == 50 + 17);
    assert_true(cluster(&ones_and_parts, make_pod(1, 300, 0)) == 50 + 17);
    assert_true(cluster(&ones_and_parts, make_pod(2, 1000, 0)) == 17);
}

/* What a pod cannot use of what is left: all if it does not fit, else what is on GPUs with too little for it. */
static uint64_t fragment_of(const struct sms_node_view *node, const struct sms_pod_view *pod)
{
    uint64_t lost = 0;
    const bool fits = pod->gpus && sms_node_fits(node, pod);
    for (uint32_t i = 0; i < node->gpus; i++)
        lost += fits && sms_gpu_fits(&node->gpu[i], pod) ? 0 : node->gpu[i].milli_left;
    return lost;
}

static void fragments_are_those_of_the_simulator_of_fgd(void **state)
{
    struct fixture f;
    struct sms_typical_pod typical[] = {{make_pod(1, 465, 6000), 0.0933, 933, 0.0933, 933, 0, 0}};
    struct sms_pod_view one = make_pod(1, 1000, 1000), part = make_pod(1, 200, 1000);
    (void)state;
    make_used(&f);
    assert_int_equal(sms_node_gpu_left(&f.node), 2700);    /* fgd-left */
    assert_int_equal(fragment_of(&f.node, &one), 700);     /* fgd-milli1 */
    assert_int_equal(fragment_of(&f.node, &part), 0);      /* fgd-milli2 */
    assert_false(sms_node_fits(&f.node, &typical[0].pod)); /* fgd-q: it lacks the CPUs */
    assert_int_equal(fragment_of(&f.node, &typical[0].pod), 2700);
    assert_near((double)sms_node_weigh_fragments(typical, 1, &f.node) / 10000, 251.91, 0.01); /* fgd-score */
}

/* Whether typical pods are linked by kinds or not; one is without GPUs, one asks for too many CPUs. */
static void fragments_of_all_typical_pods_are_the_sum_of_those_of_each(void **state)
{
    struct fixture f;
    struct sms_typical_pod typical[] = {
        {make_pod(1, 465, 1000), 0.4, 4, 0.4, 4, 1, 1},  {make_pod(1, 465, 900000), 0.1, 1, 0.5, 5, 2, 0},
        {make_pod(1, 1000, 1000), 0.2, 2, 0.7, 7, 3, 1}, {make_pod(1, 465, 500), 0.1, 1, 0.8, 8, 0, 0},
        {make_pod(0, 0, 1000), 0.1, 1, 0.9, 9, 0, 1},    {make_pod(1, 1000, 900), 0.1, 1, 1, 10, 0, 0}};
    size_t count = sizeof typical / sizeof *typical;
    uint64_t sum = 0;
    (void)state;
    make_used(&f);
    for (size_t t = 0; t < count; t++)
        sum += typical[t].pods * fragment_of(&f.node, &typical[t].pod);
    assert_true(sum > 0);
    assert_int_equal(sms_node_weigh_fragments(typical, count, &f.node), sum);
    for (size_t t = 0; t < count; t++)
        typical[t].alike = typical[t].skip = 0;
    assert_int_equal(sms_node_weigh_fragments(typical, count, &f.node), sum);
    assert_int_equal(sms_node_weigh_fragments(typical, 1, &f.node), 4 * fragment_of(&f.node, &typical[0].pod));
    assert_int_equal(sms_node_weigh_fragments(typical, count, NULL), 0);
    assert_int_equal(sms_node_weigh_fragments(NULL, count, &f.node), 0);
}

/* A copy with less left is weighed for itself, and so is each number of typical pods. */
static void kept_fragments_are_of_one_view(void **state)
{
    struct fixture f;
    struct sms_typical_pod typical[] = {{make_pod(1, 465, 1000), 0.5, 5, 0.5, 5, 0, 0},
                                        {make_pod(1, 1000, 1000), 0.5, 5, 1, 10, 0, 0}};
    struct sms_weighed kept = {.node = &f.node};
    (void)state;
    make_used(&f);
    const uint64_t one = sms_node_weigh_fragments(typical, 1, &f.node);
    const uint64_t both = sms_node_weigh_fragments(typical, 2, &f.node);
    assert_true(one < both);
    f.node.weighed = &kept;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sms_node_weigh_fragments(typical, 1, &f.node), one);
        assert_int_equal(sms_node_weigh_fragments(typical, 2, &f.node), both);
    }
    assert_int_equal(kept.count, 2);
    struct sms_node_view copy = f.node;
    copy.cpu_left = 0;
    assert_int_equal(sms_node_weigh_fragments(typical, 2, &copy), 10 * sms_node_gpu_left(&copy));
    assert_int_equal(sms_node_weigh_fragments(typical, 2, &f.node), both);
}

/* Half the pods want a GPU, half of them half a GPU. */
static const struct sms_typical_pod halves[] = {
    {{.gpus = 1, .gpu_milli = 1000, .cpu_milli = 1000, .models = UINT64_MAX}, 0.5, 7, 0.5, 7, 0, 0},
    {{.gpus = 1, .gpu_milli = 500, .cpu_milli = 1000, .models = UINT64_MAX}, 0.5, 7, 1, 14, 0, 0},
};

static void make_fgd(struct setting *s, const struct sms_typical_pod *typical, size_t typicals)
{
    make_setting(s, &sms_place_policy_fgd);
    s->view.typical = typical;
    s->view.typicals = typicals;
    set_param(s, &sms_place_policy_fgd, "share", 1);
    set_param(s, &sms_place_policy_fgd, "order", 1); /* exact */
}

/* GPUs with 1000, 700 and 300 left: 1000 of fragments for a whole one, 300 for a half; 650 on the mean. A pod of 300
 * makes of the first 700 (1700 and 300: 1000), of the second 400 (700 and 700: 700), of the third 0 (700 and 0: 350).
 */
static void fgd_takes_the_gpu_where_fragments_shrink_most(void **state)
{
    struct setting s;
    struct fixture f;
    uint8_t chosen[SMS_NODE_GPUS_MAX];
    (void)state;
    make_fgd(&s, halves, 2);
    NODE(&f, 1000, 700, 300);
    assert_true(score_with(&s, &sms_place_policy_fgd, &f, make_pod(1, 300, 0), chosen) == 300);
    assert_memory_equal(chosen, ((uint8_t[]){0, 0, 1}), 3);
}

/* On GPUs with 700 and 600 left, best fit takes the second for 200: fragments for half a GPU go from 0 to 400. FGD
 * takes the first: for whole ones they go from 1300 to 1100, for halves they stay 0. */
static void fgd_departs_from_best_fit_where_that_wastes(void **state)
{
    struct setting s;
    struct fixture f;
    uint8_t chosen[SMS_NODE_GPUS_MAX];
    (void)state;
    make_fgd(&s, halves, 2);
    NODE(&f, 600, 700);
    assert_true(score_with(&s, &sms_place_policy_fgd, &f, make_pod(1, 200, 0), chosen) == 100);
    assert_memory_equal(chosen, ((uint8_t[]){0, 1}), 2);
}

/* As ratios, 0.7 and 0.2 and 0.1 times 100 do not add up to 100. */
static void fgd_finds_equal_what_is_equal(void **state)
{
    static const struct sms_typical_pod three[] = {
        {{.gpus = 1, .gpu_milli = 700, .models = UINT64_MAX}, 0.7, 7, 0.7, 7, 0, 0},
        {{.gpus = 1, .gpu_milli = 600, .models = UINT64_MAX}, 0.2, 2, 0.9, 9, 0, 0},
        {{.gpus = 1, .gpu_milli = 500, .models = UINT64_MAX}, 0.1, 1, 1, 10, 0, 0},
    };
    struct setting s;
    struct fixture whole, split;
    uint8_t chosen[SMS_NODE_GPUS_MAX];
    (void)state;
    make_fgd(&s, three, 3);
    NODE(&whole, 400);
    NODE(&split, 400, 300);
    assert_true(score_with(&s, &sms_place_policy_fgd, &whole, make_pod(1, 100, 0), chosen) == 100);
    assert_true(score_with(&s, &sms_place_policy_fgd, &split, make_pod(1, 100, 0), chosen) == 100);
}

/* Of GPUs that are alike the lowest. */
static void fgd_takes_the_lowest_of_equal_gpus(void **state)
{
    struct setting s;
    struct fixture f;
    uint8_t chosen[SMS_NODE_GPUS_MAX];
    (void)state;
    make_fgd(&s, halves, 2);
    NODE(&f, 100, 700, 700);
    score_with(&s, &sms_place_policy_fgd, &f, make_pod(1, 200, 0), chosen);
    assert_memory_equal(chosen, ((uint8_t[]){0, 1, 0}), 3);
}

/* One CPU for two GPUs: a pod that takes it makes 2000 thousandths of fragments of none. Whole GPUs go the way that the
 * engine chose. */
static void fgd_counts_gpus_that_no_cpu_is_left_for(void **state)
{
    struct setting s;
    struct fixture f;
    uint8_t chosen[SMS_NODE_GPUS_MAX];
    (void)state;
    make_fgd(&s, halves, 2);
    NODE(&f, 1000, 1000);
    f.node.cpu_left = 1000;
    assert_true(score_with(&s, &sms_place_policy_fgd, &f, make_pod(0, 0, 1000), chosen) == -2000);
    assert_true(score_with(&s, &sms_place_policy_fgd, &f, make_pod(1, 1000, 1000), chosen) == -1000);
    assert_memory_equal(chosen, ((uint8_t[]){1, 0}), 2);
    assert_true(score_with(&s, &sms_place_policy_fgd, &f, make_pod(1, 1000, 0), chosen) == 0);
}

/* Pods want a GPU with 8 GiB of 16, and 128 GiB of the host's 256. What takes 9 GiB of the one, or 129 of the other,
 * spoils a GPU, or all. Of GPUs with as much left, that with the less memory is spoiled already. */
static void fgd_counts_gpus_that_no_memory_is_left_for(void **state)
{
    static const struct sms_typical_pod large[] = {
        {{.gpus = 1, .gpu_milli = 500, .gpu_memory = 8ULL << 30, .memory = 128ULL << 30, .models = UINT64_MAX},
         1,
         7,
         1,
         7,
         0,
         0}};
    struct setting s;
    struct fixture f;
    uint8_t chosen[SMS_NODE_GPUS_MAX];
    struct sms_pod_view pod = make_pod(1, 100, 0);
    (void)state;
    make_fgd(&s, large, 1);
    NODE(&f, 1000, 1000);
    pod.gpu_memory = gib(8);
    assert_true(score_with(&s, &sms_place_policy_fgd, &f, pod, chosen) == 0);
    pod.gpu_memory = gib(9);
    assert_true(score_with(&s, &sms_place_policy_fgd, &f, pod, chosen) == -900);
    f.gpu[1].memory_left = gib(1);
    pod.gpu_memory = gib(1);
    assert_true(score_with(&s, &sms_place_policy_fgd, &f, pod, chosen) == 100);
    assert_memory_equal(chosen, ((uint8_t[]){0, 1}), 2);
    NODE(&f, 1000, 1000);
    pod = make_pod(0, 0, 0);
    pod.memory = gib(128);
    assert_true(score_with(&s, &sms_place_policy_fgd, &f, pod, chosen) == 0);
    pod.memory = gib(129);
    assert_true(score_with(&s, &sms_place_policy_fgd, &f, pod, chosen) == -2000);
}

/* The first of the two makes up half of the pods: with that share, the other is not asked. */
static void fgd_asks_the_most_frequent_shapes_alone(void **state)
{
    struct setting s;
    struct fixture f;
    uint8_t chosen[SMS_NODE_GPUS_MAX];
    (void)state;
    make_fgd(&s, halves, 2);
    NODE(&f, 600);
    assert_true(score_with(&s, &sms_place_policy_fgd, &f, make_pod(1, 200, 0), chosen) == 100 - 200);
    set_param(&s, &sms_place_policy_fgd, "share", 0.5);
    assert_true(score_with(&s, &sms_place_policy_fgd, &f, make_pod(1, 200, 0), chosen) == 200);
}

/* int(100 / (1 + e^(-decrease / 1000))), for the decreases that pods of 1, 100, ... make of a GPU that nobody wants. */
static void fgd_truncates_as_its_simulator_does(void **state)
{
    static const struct sms_typical_pod none[] = {
        {{.gpus = 2, .gpu_milli = 1000, .models = UINT64_MAX}, 1, 7, 1, 7, 0, 0}};
    struct setting s;
    struct fixture f;
    uint8_t chosen[SMS_NODE_GPUS_MAX];
    (void)state;
    make_fgd(&s, none, 1);
    set_param(&s, &sms_place_policy_fgd, "order", 0);
    for (uint32_t milli = 1; milli <= 1000; milli++) {
        NODE(&f, 1000);
        double expected = (int)(100 / (1 + exp(-(double)milli / 1000)));
        assert_true(score_with(&s, &sms_place_policy_fgd, &f, make_pod(1, milli, 0), chosen) == expected);
    }
    NODE(&f, 1000, 1000); /* two are wanted, one is taken: 1000 more of fragments */
    assert_true(score_with(&s, &sms_place_policy_fgd, &f, make_pod(1, 1000, 0), chosen) == (int)(100 / (1 + exp(1.0))));
}

/* 40 thousandths less count alike when truncated, and the lower GPU wins; exactly, the better one. */
static void fgd_decides_otherwise_when_truncated(void **state)
{
    static const struct sms_typical_pod one[] = {
        {{.gpus = 1, .gpu_milli = 995, .models = UINT64_MAX}, 1, 7, 1, 7, 0, 0}};
    struct setting s;
    struct fixture f;
    uint8_t chosen[SMS_NODE_GPUS_MAX];
    (void)state;
    make_fgd(&s, one, 1);
    NODE(&f, 1000, 980);
    score_with(&s, &sms_place_policy_fgd, &f, make_pod(1, 5, 0), chosen);
    assert_memory_equal(chosen, ((uint8_t[]){0, 1}), 2);
    set_param(&s, &sms_place_policy_fgd, "order", 0);
    score_with(&s, &sms_place_policy_fgd, &f, make_pod(1, 5, 0), chosen);
    assert_memory_equal(chosen, ((uint8_t[]){1, 0}), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpu_packing_scores_as_the_simulator_of_fgd),
        cmocka_unit_test(gpu_packing_rounds_each_gpu_down),
        cmocka_unit_test(gpu_clustering_has_four_bands),
        cmocka_unit_test(gpu_clustering_is_exact_unless_told),
        cmocka_unit_test(gpu_clustering_tells_parts_from_whole_gpus),
        cmocka_unit_test(gpu_clustering_counts_each_size_apart),
        cmocka_unit_test(fragments_are_those_of_the_simulator_of_fgd),
        cmocka_unit_test(fragments_of_all_typical_pods_are_the_sum_of_those_of_each),
        cmocka_unit_test(kept_fragments_are_of_one_view),
        cmocka_unit_test(fgd_takes_the_gpu_where_fragments_shrink_most),
        cmocka_unit_test(fgd_departs_from_best_fit_where_that_wastes),
        cmocka_unit_test(fgd_finds_equal_what_is_equal),
        cmocka_unit_test(fgd_takes_the_lowest_of_equal_gpus),
        cmocka_unit_test(fgd_counts_gpus_that_no_cpu_is_left_for),
        cmocka_unit_test(fgd_counts_gpus_that_no_memory_is_left_for),
        cmocka_unit_test(fgd_asks_the_most_frequent_shapes_alone),
        cmocka_unit_test(fgd_truncates_as_its_simulator_does),
        cmocka_unit_test(fgd_decides_otherwise_when_truncated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
