/* Draws of what is not known: their distribution, what they leave alone, and what they tell about policies. */
#include "tests/harness.h"

#include "sim/base/statistics.h"
#include "sim/results/results.h"
#include "sim/sweep/draw_unknowns.h"

#include <gsl/gsl_rng.h>

/* Two tenants on four SMs; `%s` takes keys of the run. */
static const char two[] = "workload: a\n"
                          "kernels: [{name: k, blocks: 40, threads: 256, block_time: 10 us, spread: exponential,\n"
                          "  demand: {fp32: 30 %%, dram: 5 %%}}]\n"
                          "---\n"
                          "workload: b\n"
                          "kernels: [{name: k, blocks: 37, threads: 256, block_time: 12 us, jitter: 20 %%,\n"
                          "  demand: {fp64: 30 %%, dram: 6 %%}}%s]\n"
                          "---\n"
                          "scenario: two\n"
                          "devices: [{model: v100, dispatch: none, sms: 4}]\n"
                          "contention: %s\n"
                          "policies: [%s]\n"
                          "vms: [{name: a, workload: a, repeat: forever}, {name: b, workload: b, repeat: forever}]\n"
                          "answer: {metric: %s}\n"
                          "run: {duration: 2 ms, %s}\n";

static struct sms_file *load_two(const char *contention, const char *policies, const char *metric, const char *run)
{
    return load_text(two, "", contention, policies, metric, run);
}

static void draw(const struct sms_file *file, struct sms_results *results, unsigned jobs)
{
    const struct sms_load_options load = harness_options();
    struct sms_run_options options = sms_run_defaults();
    struct sms_errors errors;
    options.jobs = jobs;
    /* The draws read the file's models and change nothing that the scenario reads. */
    const struct sms__unknowns_run run = {(struct sms_file *)(uintptr_t)file, &load, &options, 0};
    if (sms__unknowns_run(&run, results, &errors)) {
        sms_errors_print(&errors, stderr);
        fail_msg("the draws do not run");
    }
    assert_non_null(results->unknowns);
}

static struct sms_results *run_and_draw(const struct sms_file *file, unsigned jobs)
{
    struct sms_results *results = run_first(file, NULL);
    draw(file, results, jobs);
    return results;
}

static const struct sms__unknown *parameter(const struct sms__unknowns *unknowns, const char *name)
{
    for (size_t i = 0; i < unknowns->count; i++)
        if (!strcmp(unknowns->item[i].name, name))
            return &unknowns->item[i];
    fail_msg("no parameter %s", name);
    return NULL;
}

/* Ten thousand draws: the mean of the logarithm is within 4 standard errors of 0, its standard deviation within 4 of
 * the spread, and two thirds are within one spread. */
static void factors_have_the_moments_of_their_distribution(void **state)
{
    enum { N = 10000 };
    const double spread = 0.3;
    struct sms__moments moments = {0};
    size_t within = 0;
    gsl_rng *stream = gsl_rng_alloc(gsl_rng_taus2);
    (void)state;
    for (uint64_t d = 0; d < N; d++) {
        double logarithm = sms__draw_unknown(stream, 17 + d, "demand of dram of gather", spread);
        sms__estimate_add(&moments, logarithm);
        within += fabs(logarithm) < spread;
    }
    const struct sms_estimate e = sms__estimate_close(moments);
    assert_near(e.mean, 0, 4 * spread / sqrt(N));
    assert_near(e.sd, spread, 4 * spread / sqrt(2.0 * N));
    assert_near((double)within / N, 0.6827, 4 * sqrt(0.6827 * 0.3173 / N));
    gsl_rng_free(stream);
}

/* By hand: ranks 1 2 3 4 5 and 2 1 4 3 5 differ by 1 1 1 1 0, so 1 - 6 * 4 / (5 * 24) = 0.8. With a tie, ranks 1, 2.5,
 * 2.5, 4 against 1 2 3 4 have covariance 4.5 and squares 4.5 and 5: 4.5 / sqrt(22.5) = 0.948683. */
static void the_rank_correlation_is_that_by_hand(void **state)
{
    static const double a[] = {0.1, 7, 8, 1000, 1e6}, b[] = {-3, -5, 2, 1, 99};
    static const double tied[] = {1, 2, 2, 9}, plain[] = {10, 20, 30, 40}, same[] = {3, 3, 3, 3};
    double scratch[10];
    (void)state;
    assert_near(sms__rank_correlation(a, b, 5, scratch), 0.8, 1e-12);
    assert_near(sms__rank_correlation(tied, plain, 4, scratch), 0.9486832980505138, 1e-12);
    assert_true(isnan(sms__rank_correlation(same, plain, 4, scratch)));
    /* t = 0.8 sqrt(3 / 0.36) = 2.3094 with 3 degrees of freedom: p = 0.1041 (R: cor.test(..., exact = FALSE)). */
    assert_near(sms__correlation_p_value(0.8, 5), 0.1041, 5e-5);
    assert_true(isnan(sms__correlation_p_value(0.8, 2)));
}

/* The mean over the replications that a draw stands for. */
static double mean_of(const struct sms_results *results, size_t policy, size_t draw)
{
    const size_t each = results->unknowns->replications;
    struct sms__moments mean = {0};
    for (size_t r = draw * each; r < (draw + 1) * each; r++)
        sms__estimate_add(&mean, sms_results_value(results, policy, r, SMS_HOST, 0, metric_idx(SMS_HOST, "stp_ratio")));
    return mean.mean;
}

/* Where all is known, draw d is replication d to the last bit; also with a warm-up that was found. */
static void without_a_spread_draws_are_the_replications(void **state)
{
    static const char *const runs[] = {
        "replications: 4, warmup: 0.1 ms, seed: 5, unknowns: {draws: 4, demand: 0, block_time: 0, slope: 0, knee: 0}",
        "replications: 4, warmup: auto, unknowns: {draws: 2, replications: 2, demand: 0, block_time: 0, slope: 0}"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct sms_file *file =
            load_two("{model: proportional, slope: 1.5}", "round_robin, fine_grained", "stp_ratio", runs[i]);
        struct sms_results *results = run_and_draw(file, 2);
        const struct sms__unknowns *unknowns = results->unknowns;
        assert_int_equal(unknowns->count, 0);
        for (size_t v = 0; v < 2 * unknowns->draws; v++)
            assert_near(unknowns->value[v], mean_of(results, v / unknowns->draws, v % unknowns->draws), 0);
        discard(results, file);
    }
}

static void the_number_of_threads_changes_nothing(void **state)
{
    struct sms_file *file = load_two("knee", "round_robin, fine_grained", "stp_ratio", "unknowns: 12");
    struct sms_results *one = run_and_draw(file, 1), *five = run_and_draw(file, 5);
    (void)state;
    for (size_t i = 0; i < 24; i++)
        assert_near(one->unknowns->value[i], five->unknowns->value[i], 0);
    sms_results_free(one);
    discard(five, file);
}

/* A third workload, and a second kernel, draw from streams of their own. */
static void another_kernel_changes_no_other_draw(void **state)
{
    struct sms_file *file = load_two("knee", "round_robin, fine_grained", "kernels_per_s", "unknowns: 5");
    struct sms_results *results = run_and_draw(file, 1);
    struct sms_file *more = load_text(two, ", {name: l, blocks: 9, threads: 64, block_time: 3 us, demand: {l2: 4 %}}",
                                      "knee", "round_robin, fine_grained", "kernels_per_s", "unknowns: 5");
    struct sms_results *others = run_and_draw(more, 1);
    (void)state;
    assert_int_equal(others->unknowns->count, results->unknowns->count + 1);
    for (size_t i = 0; i < results->unknowns->count; i++)
        for (size_t d = 0; d < 5; d++)
            assert_near(parameter(others->unknowns, results->unknowns->item[i].name)->logarithm[d],
                        results->unknowns->item[i].logarithm[d], 0);
    discard(others, more);
    discard(results, file);
}

/* depth_first has two blocks on one SM where breadth_first has them on two: by 50 % worse, whatever is drawn. */
static void a_policy_that_wins_by_far_is_best_in_all_draws(void **state)
{
    struct sms_file *file = load_text("workload: w\n"
                                      "kernels: [{name: k, blocks: 4, threads: 256, block_time: 10 us, jitter: 10 %%,\n"
                                      "  demand: {fp32: 75 %%}}]\n"
                                      "---\n"
                                      "scenario: far\n"
                                      "devices: [{model: v100, dispatch: none, sms: 4}]\n"
                                      "contention: proportional\n"
                                      "policies: [depth_first, breadth_first]\n"
                                      "vms: [{name: a, workload: w, repeat: forever}]\n"
                                      "answer: {metric: kernels_per_s}\n"
                                      "run: {duration: 1 ms, unknowns: 50}\n");
    struct sms_results *results = run_and_draw(file, 2);
    struct sms__standing first = sms__standing_of(results->unknowns, 1),
                         second = sms__standing_of(results->unknowns, 0);
    (void)state;
    assert_int_equal(first.best, 50);
    assert_int_equal(first.rival, 0);
    assert_true(first.low > 1.5);
    assert_int_equal(second.best + second.shared, 0);
    discard(results, file);
}

/* Two orders of SMs that are always full differ by chance alone: 100 of 200 with a standard deviation of 7. */
static void policies_that_differ_by_chance_split_the_draws(void **state)
{
    struct sms_file *file = load_two("proportional", "breadth_first, depth_first", "kernels_per_s",
                                     "warmup: 0.1 ms, unknowns: {draws: 200, slope: 0}");
    struct sms_results *results = run_and_draw(file, 2);
    struct sms__standing first = sms__standing_of(results->unknowns, 0),
                         second = sms__standing_of(results->unknowns, 1);
    (void)state;
    assert_int_equal(first.best + second.best + first.shared, 200);
    assert_true(first.best > 65 && second.best > 65);
    assert_true(first.low < 1 && first.high > 1);
    discard(results, file);
}

/* The same policy twice ties in each draw, and no parameter moves its lead. */
static void equal_policies_share_all_draws(void **state)
{
    struct sms_file *file = load_two("proportional", "breadth_first, most_room", "kernels_per_s", "unknowns: 10");
    struct sms_results *results = run_and_draw(file, 1);
    struct sms__influence influence[16] = {{0, 0}};
    struct sms__standing standing = sms__standing_of(results->unknowns, 0);
    (void)state;
    assert_int_equal(standing.shared, 10);
    assert_near(standing.low, 1, 0);
    assert_true(results->unknowns->count <= 16 && sms__influences(results->unknowns, 0, 1, influence));
    for (size_t i = 0; i < results->unknowns->count; i++)
        assert_true(isnan(influence[i].correlation) && isnan(influence[i].p));
    discard(results, file);
}

/* Slope decides whether it pays to admit fewer blocks: the lead rises with it. */
static void the_parameter_that_decides_is_found(void **state)
{
    struct sms_file *file = load_two("{model: proportional, slope: 2}", "round_robin, fine_grained", "kernels_per_s",
                                     "warmup: 0.1 ms, unknowns: 60");
    struct sms_results *results = run_and_draw(file, 2);
    const struct sms__unknowns *unknowns = results->unknowns;
    struct sms__influence influence[16] = {{0, 0}};
    (void)state;
    assert_true(unknowns->count <= 16 && sms__influences(unknowns, 1, 0, influence));
    const size_t slope = (size_t)(parameter(unknowns, "slope") - unknowns->item);
    for (size_t i = 0; i < unknowns->count; i++)
        assert_true(i == slope || fabs(influence[i].correlation) < influence[slope].correlation);
    assert_true(influence[slope].correlation > 0.8 && influence[slope].p < 1e-6);
    discard(results, file);
}

/* Loads a draw in which every factor is e^logarithm. */
static struct sms_file *load_draw(const struct sms_file *file, double logarithm, struct sms__arena *arena,
                                  struct sms__unknown_list *list)
{
    const struct sms_load_options load = harness_options();
    struct sms_errors errors = {0};
    struct sms_file *drawn = NULL;
    sms__list_unknowns(arena, sms_file_scenario(file, 0), list);
    double *all = sms__alloc(arena, list->parameters, sizeof *all);
    for (size_t i = 0; i < list->parameters; i++)
        all[i] = logarithm;
    if (sms__load_draw(list, (struct sms_file *)(uintptr_t)file, &load, all, &drawn, &errors)) {
        sms_errors_print(&errors, stderr);
        fail_msg("the draw does not load");
    }
    return drawn;
}

/* a: 8 blocks of 30 % of fp32 are 240 %, which stays; 8 of 5 % of dram are 40 %, which may become 100 %. */
static void no_factor_fills_a_resource_beyond_what_there_is(void **state)
{
    struct sms_file *file = load_two("knee", "round_robin, fine_grained", "stp_ratio", "unknowns: 1");
    struct sms__arena arena = {0};
    struct sms__unknown_list list;
    struct sms_file *up = load_draw(file, 3, &arena, &list), *down = load_draw(file, -1, &arena, &list);
    const struct sms__kernel *was = &file->scenario[0]->vm[0].workload->kernel[0];
    const struct sms__kernel *high = &up->scenario[0]->vm[0].workload->kernel[0];
    const struct sms__kernel *low = &down->scenario[0]->vm[0].workload->kernel[0];
    (void)state;
    assert_near(high->demand[0].ratio, 0.3, 1e-8);
    assert_near(high->demand[1].ratio, 0.125, 1e-8);
    assert_near(low->demand[0].ratio, 0.3 * exp(-1), 1e-8);
    assert_near(high->block_time.value, was->block_time.value * exp(3), was->block_time.value * 1e-7);
    sms_file_free(up);
    sms_file_free(down);
    sms__arena_release(&arena);
    sms_file_free(file);
}

/* A slope that conserves work never creates any; knees stay within what a device may have. */
static void contention_stays_within_its_range(void **state)
{
    static const struct {
        const char *contention, *parameter;
        double factor, expected;
    } row[] = {{"{model: proportional, slope: 2}", "slope", 0.01, 1},
               {"{model: proportional, slope: 2}", "slope", 2, 4},
               {"{model: proportional, slope: 50 %}", "slope", 0.5, 0.25},
               {"{model: knee, exponent: 3}", "exponent", 2, 6},
               {"{model: knee, exponent: 3}", "exponent", 100, SMS_KNEE_MAX}};
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct sms_file *file = load_two(row[i].contention, "round_robin, fine_grained", "stp_ratio", "unknowns: 1");
        struct sms__arena arena = {0};
        struct sms__unknown_list list;
        struct sms_file *drawn = load_draw(file, log(row[i].factor), &arena, &list);
        size_t known = 0;
        for (size_t p = 0; p < list.parameters; p++)
            known += !strcmp(list.parameter[p].name, row[i].parameter);
        assert_int_equal(known, 1);
        assert_near(drawn->scenario[0]->contention.param[0], row[i].expected, 1e-8);
        sms_file_free(drawn);
        sms__arena_release(&arena);
        sms_file_free(file);
    }
}

static double dram_knee(const struct sms_file *file, size_t device)
{
    const struct sms__device *of = file->scenario[0]->device[device];
    return of->resource[sms__resource_index(of, "dram")].knee;
}

/* Two V100 share a knee, and an A100, which has none, is drawn about the median of the fits. */
static void devices_of_one_model_share_a_knee(void **state)
{
    struct sms_file *file =
        load_text("workload: w\n"
                  "kernels: [{name: k, blocks: 4, threads: 256, block_time: 10 us, demand: {dram: 9 %%}}]\n"
                  "---\n"
                  "scenario: knees\n"
                  "devices: [{model: v100, count: 2}, {model: v100, sms: 40}, {model: a100}]\n"
                  "policies: [round_robin, fine_grained]\n"
                  "vms: [{name: a, workload: w, repeat: forever}]\n"
                  "run: {duration: 1 ms, unknowns: 1}\n");
    struct sms__arena arena = {0};
    struct sms__unknown_list list;
    struct sms_file *drawn = load_draw(file, log(2), &arena, &list);
    (void)state;
    assert_int_equal(list.parameters, 4); /* demand, block time, two knees */
    for (size_t d = 0; d < 3; d++)
        assert_near(dram_knee(drawn, d), 4.4, 1e-8);
    assert_near(dram_knee(drawn, 3), 8.4, 1e-8);
    sms_file_free(drawn);
    sms__arena_release(&arena);
    sms_file_free(file);
}

/* The kernel of a draw of a scenario whose numbers are at the limits of their fields. */
static void check_limits(const char *kernel, const char *part, double logarithm, double time, double demand)
{
    struct sms_file *file = load_text("workload: w\n"
                                      "kernels: [{name: k, %s}]\n"
                                      "---\n"
                                      "scenario: limits\n"
                                      "nodes: [{name: n, devices: {model: a100}}]\n"
                                      "contention: {model: curve, curves: {dram: [[50 %%, 1 %%], [1, 100000000 %%]]}}\n"
                                      "policies: [{mode: mps}]\n"
                                      "pods: [{name: p, workload: w, %s}]\n",
                                      kernel, part);
    struct sms__arena arena = {0};
    struct sms__unknown_list list;
    struct sms_file *drawn = load_draw(file, logarithm, &arena, &list);
    const struct sms__kernel *found = &drawn->scenario[0]->vm[0].workload->kernel[0];
    const struct sms_curve *curve = &drawn->scenario[0]->contention.curves->curve[0];
    assert_near(found->block_time.value, time, 1e-9 * time);
    assert_near(found->demand[0].ratio, demand, 1e-9);
    assert_near(curve->overhead[1], 1e6 * fmin(exp(logarithm), 1), 1e-3);
    sms_file_free(drawn);
    sms__arena_release(&arena);
    sms_file_free(file);
}

/* No node has the instance that the pod asks for, so no device bounds what its kernel demands. */
static void draws_stay_within_the_limits_of_fields(void **state)
{
    (void)state;
    check_limits("time: 1 h, demand: {dram: 100 %}", "profile: 1g.5gb", log(2), 7.2e15, 1);
    check_limits("time: 2500 h, demand: {dram: 10 %}", "gpu: 1", log(2), 9e18, 0.2);
    check_limits("time: 1 ps, demand: {dram: 100 %}", "gpu: 1", log(0.5), 1, 0.5);
    check_limits("blocks: 4, threads: 32, block_time: 2 ps, demand: {dram: 1600 %}", "gpu: 1", log(2), 4, 16);
    check_limits("blocks: 4, threads: 32, block_time: 2500 h, demand: {dram: 20 %}", "gpu: 1", log(2), 9e18, 0.4);
    /* times at shares keep their ratio */
    check_limits("time: {100 %: 1500 h, 50 %: 2500 h}, demand: {dram: 10 %}", "gpu: 1", log(2), 5.4e18, 0.2);
}

/* A kernel's count of units stays, beside another kernel's share of the resource. */
static void counts_are_not_drawn_with_shares(void **state)
{
    struct sms_file *file =
        load_text("workload: w\n"
                  "kernels:\n"
                  "  - {name: units, blocks: 4, threads: 32, block_time: 1 us, demand: {slots: 3}}\n"
                  "  - {name: share, blocks: 4, threads: 32, block_time: 1 us, demand: {slots: 10 %%}}\n"
                  "---\n"
                  "scenario: units\n"
                  "devices: [{model: v100, resources: {slots: {class: memory, capacity: 48}}}]\n"
                  "policies: [round_robin]\n"
                  "vms: [{name: v, workload: w}]\n");
    struct sms__arena arena = {0};
    struct sms__unknown_list list;
    struct sms_file *drawn = load_draw(file, log(2), &arena, &list);
    const struct sms__kernel *kernel = drawn->scenario[0]->vm[0].workload->kernel;
    (void)state;
    assert_near(kernel[0].demand[0].ratio, 3, 0);
    assert_near(kernel[1].demand[0].ratio, 0.2, 1e-9);
    sms_file_free(drawn);
    sms__arena_release(&arena);
    sms_file_free(file);
}

/* Two processes of blocks, or of a coarse kernel, on a device in the modes. */
static struct sms_file *load_modes(const char *kernel, const char *device, const char *modes)
{
    return load_text("workload: w\n"
                     "kernels: [{name: k, %s}]\n"
                     "---\n"
                     "scenario: modes\n"
                     "devices: [{model: %s}]\n"
                     "policies: [%s]\n"
                     "processes: [{name: a, workload: w, count: 2}]\n"
                     "run: {duration: 1 ms, unknowns: 1}\n",
                     kernel, device, modes);
}

static const char blocks[] = "blocks: 4, threads: 256, block_time: 10 us";

/* By how much a context's turns are drawn, wherever the mode stands. */
static void what_modes_assume_is_drawn(void **state)
{
    struct sms_file *file =
        load_modes(blocks, "a100", "{mode: time_slice}, {mode: mps}, {mode: {time_slice: {slice: 1 ms}}}");
    struct sms__arena arena = {0};
    struct sms__unknown_list list;
    struct sms_file *up = load_draw(file, log(2), &arena, &list), *down = load_draw(file, -log(2), &arena, &list);
    (void)state;
    assert_near(up->scenario[0]->device[0]->turns.slice_ps, 4e9, 10);
    assert_near(up->scenario[0]->device[0]->turns.switch_ps, 0.294e9, 10);
    assert_near(down->scenario[0]->device[0]->turns.slice_ps, 1e9, 10);
    assert_near(up->scenario[0]->policy[2].mode.turns.slice_ps, 1e9, 0);
    sms_file_free(up);
    sms_file_free(down);
    sms__arena_release(&arena);
    sms_file_free(file);
}

static size_t unknowns_of_modes(const char *kernel, const char *device, const char *modes)
{
    struct sms_file *file = load_modes(kernel, device, modes);
    struct sms__arena arena = {0};
    struct sms__unknown_list list;
    size_t count = 0;
    sms__list_unknowns(&arena, sms_file_scenario(file, 0), &list);
    for (size_t i = 0; i < list.parameters; i++)
        count += !strncmp(list.parameter[i].name, "s", 1);
    sms__arena_release(&arena);
    sms_file_free(file);
    return count;
}

/* Nothing is drawn that was measured of the device, that the scenario says, or that no kernel meets. */
static void what_is_known_of_modes_is_not_drawn(void **state)
{
    (void)state;
    assert_int_equal(unknowns_of_modes(blocks, "a100", "{mode: time_slice}, {mode: mps}"), 2);
    assert_int_equal(unknowns_of_modes(blocks, "gv100", "{mode: time_slice}"), 0);
    assert_int_equal(unknowns_of_modes(blocks, "a100", "{mode: {time_slice: {slice: 1 ms, switch: 1 us}}}"), 0);
    assert_int_equal(unknowns_of_modes(blocks, "a100", "{mode: {time_slice: {slice: 1 ms}}}"), 1);
    assert_int_equal(unknowns_of_modes("time: 1 ms", "a100", "{mode: mps}"), 0);
    assert_int_equal(unknowns_of_modes(blocks, "a100", "{mode: mps}"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_have_the_moments_of_their_distribution),
        cmocka_unit_test(the_rank_correlation_is_that_by_hand),
        cmocka_unit_test(without_a_spread_draws_are_the_replications),
        cmocka_unit_test(the_number_of_threads_changes_nothing),
        cmocka_unit_test(another_kernel_changes_no_other_draw),
        cmocka_unit_test(a_policy_that_wins_by_far_is_best_in_all_draws),
        cmocka_unit_test(policies_that_differ_by_chance_split_the_draws),
        cmocka_unit_test(equal_policies_share_all_draws),
        cmocka_unit_test(the_parameter_that_decides_is_found),
        cmocka_unit_test(no_factor_fills_a_resource_beyond_what_there_is),
        cmocka_unit_test(contention_stays_within_its_range),
        cmocka_unit_test(devices_of_one_model_share_a_knee),
        cmocka_unit_test(draws_stay_within_the_limits_of_fields),
        cmocka_unit_test(counts_are_not_drawn_with_shares),
        cmocka_unit_test(what_modes_assume_is_drawn),
        cmocka_unit_test(what_is_known_of_modes_is_not_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
