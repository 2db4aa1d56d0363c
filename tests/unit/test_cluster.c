/* Cluster runs checked by hand: where pods go, how long they wait, and what is counted. */
#include "placing.h"

#define TWO_NODES "nodes: [{name: a, gpus: 2, cpu: 8, memory: 8 GiB}, {name: b, gpus: 2, cpu: 2, memory: 8 GiB}]\n"

static void first_fit_takes_the_lowest_node_and_its_fullest_gpu(void **state)
{
    (void)state;
    assert_placements(load_text("scenario: s\n" TWO_NODES "policies: [first_fit]\npods:\n"
                                "  - {name: p, gpu: 30 %%}\n  - {name: q, gpu: 80 %%}\n  - {name: r, gpu: 60 %%}\n"
                                "  - {name: s, gpu: 20 %%}\n  - {name: t}\n  - {name: u, cpu: 9}\n"),
                      "0 p a 1\n0 q a 2\n0 r a 1\n0 s a 2\n0 t a 0\n");
}

/* Policies measure what is left as shares of the largest node, for CPUs and GPUs alike. Node b has fewer CPUs left. */
static void best_fit_takes_the_node_with_least_left(void **state)
{
    (void)state;
    assert_placements(load_text("scenario: s\n" TWO_NODES "policies: [best_fit]\npods:\n"
                                "  - {name: p, gpu: 50 %%, cpu: 1}\n  - {name: q, gpu: 50 %%, cpu: 2}\n"
                                "  - {name: r, gpus: 1, cpu: 1}\n"),
                      "0 p b 1\n0 q a 1\n0 r b 2\n");
}

/* Two halves on two GPUs do not make a whole GPU. */
static void a_pod_is_never_split_over_what_does_not_fit(void **state)
{
    (void)state;
    struct sms_file *file = load_text("scenario: s\nnodes: [{name: a, gpus: 2, gpu_memory: 4 GiB}]\n"
                                      "policies: [first_fit]\npods:\n"
                                      "  - {name: p, gpu: 60 %%, gpu_memory: 1 GiB}\n  - {name: q, gpu: 60 %%}\n"
                                      "  - {name: whole, gpus: 1}\n  - {name: large, gpu: 10 %%, gpu_memory: 5 GiB}\n"
                                      "  - {name: fits, gpu: 40 %%, gpu_memory: 3 GiB}\n");
    struct sms_results *results = run_logged(file, "0 p a 1\n0 q a 2\n0 fits a 1\n");
    assert_true(metric(results, "waiting_count") == 2);
    assert_near(metric(results, "gpu_allocation_ratio"), 0.8, 1e-12);
    discard(results, file);
}

/* 0.0014 CPUs round to 0.001, 0.0024 to 0.002, and a node's 0.0034 to 0.003. 33.36 % of a GPU rounds to 33.4 %, so
 * 66.66 % does not fit beside it. */
static void shares_are_rounded_to_thousandths(void **state)
{
    (void)state;
    assert_placements(
        load_text("scenario: s\nnodes: [{name: a, gpus: 1, cpu: 0.0034}]\npolicies: [first_fit]\npods:\n"
                  "  - {name: p, cpu: 0.0014}\n  - {name: q, cpu: 0.0024}\n  - {name: r, cpu: 0.001}\n"
                  "  - {name: s, gpu: 33.36 %%}\n  - {name: t, gpu: 66.66 %%}\n  - {name: u, gpu: 66.64 %%}\n"),
        "0 p a 0\n0 q a 0\n0 s a 1\n0 u a 1\n");
}

static void pods_go_to_models_that_they_name(void **state)
{
    (void)state;
    assert_placements(load_text("scenario: s\nnodes: [{name: a, gpus: 1, model: T4}, {name: b, gpus: 1, model: P100}]\n"
                                "policies: [first_fit]\npods:\n  - {name: p, gpus: 1, models: P100}\n"
                                "  - {name: q, gpus: 1, models: [P100]}\n  - {name: r, gpus: 1, models: [P100, T4]}\n"),
                      "0 p b 1\n0 r a 1\n");
}

/* Pod x needs both GPUs, so y, which came later, overtakes it. Pod z asks for the same as y and waits behind it. */
static void a_pod_that_does_not_fit_is_overtaken(void **state)
{
    (void)state;
    struct sms_file *file = load_text("scenario: s\nnodes: [{name: a, gpus: 2}]\npolicies: [first_fit]\npods:\n"
                                      "  - {name: w, gpus: 1, duration: 10 s}\n"
                                      "  - {name: x, gpus: 2, start: 1 s, duration: 10 s, deadline: 12 s}\n"
                                      "  - {name: y, gpus: 1, start: 2 s, duration: 5 s, deadline: 5 s}\n"
                                      "  - {name: z, gpus: 1, start: 3 s, duration: 10 s}\n");
    struct sms_results *results = run_logged(file, "0 w a 1\n2 y a 2\n7 z a 2\n17 x a 3\n");
    assert_near(metric(results, "wait_mean_ns"), (0 + 0 + 4 + 16) * 1e9 / 4, 1);
    assert_near(metric(results, "makespan_ns"), 27e9, 1);
    assert_near(metric(results, "deadline_miss_ratio"), 0.5, 1e-12);
    assert_near(metric(results, "gpu_allocation_mean_ratio"), (10 + 20 + 5 + 10) / 54.0, 1e-12);
    assert_near(metric(results, "placed_per_s"), 4 / 27.0, 1e-12);
    discard(results, file);
}

/* Pods that end free their GPUs before pods that arrive at the same instant are tried. The longest wait is served
 * first. */
/* g needs four GPUs at once. When it comes, three are free, and it takes none: b, which comes later, gets one of them.
 * At 2 s all are free but b's, at 6 s all are. */
static void a_gang_starts_whole_or_waits_and_is_overtaken(void **state)
{
    (void)state;
    assert_placements(load_text("scenario: s\nnodes: [{name: n, count: 2, gpus: 2}]\npolicies: [first_fit]\npods:\n"
                                "  - {name: a, gpus: 1, duration: 2 s}\n"
                                "  - {name: g, replicas: 4, gpus: 1, duration: 3 s, start: 1 s}\n"
                                "  - {name: b, gpus: 1, start: 1 s, duration: 5 s}\n"),
                      "0 a n1 1\n1 b n1 2\n6 g1 n1 1\n6 g2 n1 2\n6 g3 n2 1\n6 g4 n2 2\n");
}

/* Two gangs of three on four GPUs, each of which could hold two thirds of the other up: the first runs, then the
 * second. */
static void gangs_that_want_the_same_gpus_do_not_hold_each_other_up(void **state)
{
    (void)state;
    struct sms_file *file = load_text("scenario: s\nnodes: [{name: n, count: 2, gpus: 2}]\npolicies: [first_fit]\n"
                                      "pods: [{name: g, count: 2, replicas: 3, gpus: 1, duration: 3 s}]\n");
    struct sms_results *results =
        run_logged(file, "0 g1 n1 1\n0 g2 n1 2\n0 g3 n2 1\n3 g4 n1 1\n3 g5 n1 2\n3 g6 n2 1\n");
    assert_true(metric(results, "placed_count") == 6 && metric(results, "done_count") == 6);
    assert_near(metric(results, "wait_mean_ns"), 1.5e9, 1e-3);
    assert_near(metric(results, "gpu_allocation_mean_ratio"), 0.75, 1e-12);
    discard(results, file);
}

static void a_gang_that_finds_too_few_places_leaves_no_trace(void **state)
{
    (void)state;
    struct sms_file *file = load_text("scenario: s\nnodes: [{name: n, count: 3, gpus: 1}]\npolicies: [first_fit]\n"
                                      "pods: [{name: g, replicas: 4, gpus: 1}, {name: b, gpus: 1, duration: 1 s}]\n");
    struct sms_results *results = run_logged(file, "0 b n1 1\n");
    assert_true(metric(results, "waiting_count") == 4 && metric(results, "gpu_allocation_ratio") == 0);
    for (size_t n = 0; n < 3; n++)
        assert_true(estimate(results, 0, SMS_NODE, n, "placements_count").mean == (n == 0));
    discard(results, file);
}

static void ends_free_gpus_before_arrivals_are_tried(void **state)
{
    (void)state;
    assert_placements(
        load_text("scenario: s\nnodes: [{name: a, gpus: 1}]\npolicies: [first_fit]\npods:\n"
                  "  - {name: p, gpus: 1, duration: 5 s}\n  - {name: q, gpus: 1, start: 5 s, duration: 5 s}\n"
                  "  - {name: r, gpu: 50 %%, start: 2 s, duration: 5 s}\n"),
        "0 p a 1\n5 r a 1\n10 q a 1\n");
}

static void a_start_delay_lengthens_the_time_on_the_node(void **state)
{
    (void)state;
    assert_placements(load_text("scenario: s\nnodes: [{name: a, gpus: 1}]\npolicies: [first_fit]\n"
                                "scheduler: {start_delay: 500 ms}\npods:\n"
                                "  - {name: p, count: 3, gpus: 1, duration: 1 s}\n"),
                      "0 p1 a 1\n1.5 p2 a 1\n3 p3 a 1\n");
}

static void each_row_of_a_table_is_a_pod_or_a_node(void **state)
{
    (void)state;
    assert_placements(load_text("scenario: s\npods:\n  - table: {columns: [name, start, gpus, gpu, models, duration],\n"
                                "            rows: [[p, 3 s, 1, 50 %%, [T4], ~], [q, 1 s, 0, ~, ~, 2 s]]}\n"
                                "policies: [first_fit]\n"
                                "nodes: [{table: {columns: [name, gpus, model], rows: [[n, 0, ~], [m, 1, T4]]}}]\n"),
                      "1 q n 0\n3 p m 1\n");
}

/* Pods are drawn until they ask for 200 % of two GPUs, which takes four pods of one GPU each. Only the drawn pods run,
 * not the table. */
static void a_sample_ends_when_its_pods_ask_for_enough(void **state)
{
    (void)state;
    struct sms_file *file =
        load_text("scenario: s\nnodes: [{name: a, count: 2, gpus: 1}]\npolicies: [first_fit]\npods:\n"
                  "  - {sample: t, until: 200 %%, arrivals: {every: 1 s}, duration: forever}\n"
                  "  - {name: t, table: {columns: [name, gpus, duration], rows: [[p, 1, 1 s]]}}\n");
    struct sms_results *results = run_logged(file, "0 t-sample1 a1 1\n1 t-sample2 a2 1\n");
    assert_true(metric(results, "pods_count") == 4);
    struct sms_allocation point;
    assert_true(sms_results_allocation(results, 0, 100, &point));
    assert_near(point.arrived, 1, 1e-9);
    assert_near(point.allocated, 1, 1e-9);
    assert_true(sms_results_allocation(results, 0, 49, &point));
    assert_near(point.allocated, 0, 1e-9);
    assert_true(sms_results_allocation(results, 0, 200, &point));
    assert_near(point.arrived, 2, 1e-9);
    assert_near(point.allocated, 1, 1e-9);
    assert_false(sms_results_allocation(results, 0, 201, &point));
    discard(results, file);
}

/* Three pods of 2 s each arrive a second apart and run one after another on one GPU. They take 2, 3 and 4 s, and the
 * deadline is 3 s. */
static void a_deadline_of_a_sample_applies_to_each_drawn_pod(void **state)
{
    (void)state;
    struct sms_file *file = load_text("scenario: s\nnodes: [{name: a, gpus: 1}]\npolicies: [first_fit]\npods:\n"
                                      "  - {name: t, table: {columns: [name, gpus, duration], rows: [[p, 1, 2 s]]}}\n"
                                      "  - {sample: t, count: 3, arrivals: {every: 1 s}, deadline: 3 s}\n");
    struct sms_results *results = run_logged(file, "0 t-sample1 a 1\n2 t-sample2 a 1\n4 t-sample3 a 1\n");
    assert_near(metric(results, "deadline_miss_ratio"), 1.0 / 3, 1e-12);
    sms_results_free(results);
    sms_file_free(file);
}

/* Three pod shapes with one pod each. Placing p leaves 0.4 and 1.0 on the node. p (0.6) can use the second GPU, q (0.3)
 * both, and c asks for no GPU. Lost: 0.4 of 1.4 for p, nothing for q, all of it for c. */
static void fragments_follow_the_definition_of_fgd(void **state)
{
    (void)state;
    struct sms_file *file = load_text("scenario: s\nnodes: [{name: a, gpus: 2}]\npolicies: [first_fit]\npods:\n"
                                      "  - {name: p, gpu: 60 %%}\n  - {name: c, memory: 1 GiB}\n"
                                      "  - {name: q, gpu: 30 %%, cpu: 0, start: 1 s}\nrun: {duration: 500 ms}\n");
    struct sms_results *results = run_logged(file, "0 p a 1\n");
    assert_near(metric(results, "fragment_ratio"), (0.4 + 0 + 1.4) / 3 / 1.4, 1e-12);
    assert_true(metric(results, "waiting_count") == 1);
    discard(results, file);
}

static double score_nan_without_cpus(const struct sms_place_view *view, const struct sms_node_view *node,
                                     const struct sms_pod_view *pod, uint8_t chosen[SMS_NODE_GPUS_MAX])
{
    (void)view, (void)pod, (void)chosen;
    return node->cpu_left == 0 ? NAN : 1;
}

static void choose_nothing(const struct sms_place_view *view, const struct sms_node_view *node,
                           const struct sms_pod_view *pod, uint8_t chosen[SMS_NODE_GPUS_MAX])
{
    (void)view, (void)node, (void)pod;
    memset(chosen, 0, SMS_NODE_GPUS_MAX);
}

static void choose_the_last(const struct sms_place_view *view, const struct sms_node_view *node,
                            const struct sms_pod_view *pod, uint8_t chosen[SMS_NODE_GPUS_MAX])
{
    (void)view, (void)pod;
    memset(chosen, 0, SMS_NODE_GPUS_MAX);
    chosen[node->gpus - 1] = 1;
}

static const struct sms_place_policy no_number = {.name = "no_number", .help = "", .score = score_nan_without_cpus};
static const struct sms_place_policy nothing = {
    .name = "nothing", .help = "", .search = SMS_PLACE_FIRST, .choose = choose_nothing};
static const struct sms_place_policy last_gpu = {
    .name = "last_gpu", .help = "", .search = SMS_PLACE_FIRST, .choose = choose_the_last};

/* Loads with these policies in addition to the library's. */
static struct sms_file *load_with(const char *text)
{
    static const struct sms_place_policy *const policies[] = {&no_number, &nothing, &last_gpu};
    const struct sms_load_options options = {.places = policies, .n_places = 3};
    return load_text_with(text, &options);
}

static void policies_that_break_the_rules_end_the_run(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"no_number", "place policy no_number gave a score that is not finite"},
        {"nothing", "place policy nothing chose more or fewer GPUs than the pod asks for"},
        {"last_gpu", "place policy last_gpu chose a GPU that the pod does not fit"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int engine = 0; engine < 2; engine++) {
            char text[512];
            struct event_log log;
            struct sms_errors errors;
            struct sms_results *results;
            snprintf(text, sizeof text,
                     "scenario: s\nnodes: [{name: a, gpus: 2}]\npolicies: [%s]\npods: [{name: p, count: 2, gpus: 1}]\n",
                     cases[i][0]);
            struct sms_file *file = load_with(text);
            struct sms_run_options options =
                options_for(&log, SECOND_PS, engine ? SMS_ENGINE_REFERENCE : SMS_ENGINE_FAST);
            assert_int_equal(sms_run(sms_file_scenario(file, 0), &options, &results, &errors), SMS_EBUG);
            assert_non_null(strstr(errors.item[0].message, cases[i][1]));
            sms_file_free(file);
        }
}

static void an_end_beyond_the_range_of_the_clock_is_refused(void **state)
{
    (void)state;
    struct sms_errors errors;
    struct sms_results *results;
    struct sms_file *file = load_text("scenario: s\nnodes: [{name: a, gpus: 1}]\npolicies: [first_fit]\n"
                                      "pods: [{name: p, count: 2, gpus: 1, duration: 15000000 s}]\n");
    assert_int_equal(sms_run(sms_file_scenario(file, 0), NULL, &results, &errors), SMS_EINPUT);
    assert_non_null(strstr(errors.item[0].message, "213 days"));
    sms_file_free(file);
}

/* Arrivals, waits and placements before the end of the warm-up are not counted. Pods that hold GPUs at that time count
 * from then on. */
static void the_warm_up_is_not_measured(void **state)
{
    (void)state;
    struct sms_file *file = load_text("scenario: s\nnodes: [{name: a, gpus: 2}]\npolicies: [first_fit]\n"
                                      "pods: [{name: p, count: 4, gpus: 1, duration: 10 s}]\n"
                                      "run: {warmup: 5 s, duration: 25 s}\n");
    struct sms_results *results = run_logged(file, "0 p1 a 1\n0 p2 a 2\n10 p3 a 1\n10 p4 a 2\n");
    assert_true(metric(results, "pods_count") == 0);
    assert_true(metric(results, "placed_count") == 2);
    assert_near(metric(results, "wait_mean_ns"), 10e9, 1);
    assert_near(metric(results, "gpu_allocation_mean_ratio"), 15 / 20.0, 1e-12);
    discard(results, file);
}

struct cancelling {
    atomic_bool cancel;
    unsigned placed;
};

static int cancel_at_the_first(void *user, const struct sms_run_event *event)
{
    struct cancelling *cancelling = user;
    (void)event;
    cancelling->placed++;
    atomic_store(&cancelling->cancel, true);
    return 0;
}

/* Thousands of pods may come at one instant, and a place policy may take long for each. */
static void a_cancel_ends_an_instant(void **state)
{
    (void)state;
    const char *of[] = {
        "pods: [{name: p, count: 1000}]",
        "pods: [{name: p, count: 1000, gpu_memory: 1 GiB}]\nscheduler: {kind: gpushare, round_trip: 0 s}"};
    for (size_t i = 0; i < 2; i++) {
        struct cancelling cancelling = {false, 0};
        struct sms_run_options options = sms_run_defaults();
        struct sms_results *results;
        struct sms_errors errors;
        options.cancel = &cancelling.cancel;
        options.observe = cancel_at_the_first;
        options.events = SMS_RUN_PLACEMENT;
        options.user = &cancelling;
        struct sms_file *file =
            load_text("scenario: s\nnodes: [{name: n, count: 1000, gpus: 1, gpu_memory: 1 GiB}]\npolicies: [%s]\n%s\n",
                      i == 1 ? "gpushare" : "first_fit", of[i]);
        assert_int_equal(sms_run(sms_file_scenario(file, 0), &options, &results, &errors), SMS_ECANCELED);
        assert_int_equal(cancelling.placed, 1);
        sms_file_free(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_fit_takes_the_lowest_node_and_its_fullest_gpu),
        cmocka_unit_test(best_fit_takes_the_node_with_least_left),
        cmocka_unit_test(a_pod_is_never_split_over_what_does_not_fit),
        cmocka_unit_test(shares_are_rounded_to_thousandths),
        cmocka_unit_test(pods_go_to_models_that_they_name),
        cmocka_unit_test(a_pod_that_does_not_fit_is_overtaken),
        cmocka_unit_test(a_gang_starts_whole_or_waits_and_is_overtaken),
        cmocka_unit_test(gangs_that_want_the_same_gpus_do_not_hold_each_other_up),
        cmocka_unit_test(a_gang_that_finds_too_few_places_leaves_no_trace),
        cmocka_unit_test(ends_free_gpus_before_arrivals_are_tried),
        cmocka_unit_test(a_start_delay_lengthens_the_time_on_the_node),
        cmocka_unit_test(each_row_of_a_table_is_a_pod_or_a_node),
        cmocka_unit_test(a_sample_ends_when_its_pods_ask_for_enough),
        cmocka_unit_test(a_deadline_of_a_sample_applies_to_each_drawn_pod),
        cmocka_unit_test(fragments_follow_the_definition_of_fgd),
        cmocka_unit_test(policies_that_break_the_rules_end_the_run),
        cmocka_unit_test(an_end_beyond_the_range_of_the_clock_is_refused),
        cmocka_unit_test(the_warm_up_is_not_measured),
        cmocka_unit_test(a_cancel_ends_an_instant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
