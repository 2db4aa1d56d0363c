/* Misuse of the public headers is refused: every function with NULL, with numbers beyond the end, with the wrong kind.
 */
#include "tests/harness.h"

#include <stdio.h>

/* One file of each kind, with results. */
struct kinds {
    struct sms_file *vms, *cluster, *devices; /* the last has no scenario */
    struct sms_results *of_vms, *of_cluster;
};

static int set_up(void **state)
{
    static struct kinds kinds;
    kinds.vms =
        load_text(SMALL_DEVICE "---\nworkload: w\nkernels: [{name: k, blocks: 4, threads: 32, block_time: 1 us}]\n"
                               "---\nscenario: s\ndevices: [{model: small}]\npolicies: [round_robin]\n"
                               "vms: [{name: a, workload: w}]\nrun: {duration: 1 ms}\n",
                  2, 4, "sm");
    kinds.cluster = load_text("scenario: c\npolicies: [first_fit]\nnodes: [{name: n, gpus: 1}]\n"
                              "pods: [{name: p, gpu: 50 %%, duration: 1 s}]\n");
    kinds.devices = load_text(SMALL_DEVICE, 2, 4, "sm");
    struct sms_run_options options = sms_run_defaults();
    options.bins = 10;
    kinds.of_vms = run_first(kinds.vms, &options);
    kinds.of_cluster = run_first(kinds.cluster, NULL);
    *state = &kinds;
    return 0;
}

static int tear_down(void **state)
{
    struct kinds *kinds = *state;
    discard(kinds->of_vms, kinds->vms);
    discard(kinds->of_cluster, kinds->cluster);
    sms_file_free(kinds->devices);
    return 0;
}

static void assert_misused(int code, const struct sms_errors *errors, const char *words)
{
    assert_int_equal(code, SMS_EUSAGE);
    assert_int_equal(errors->count, 1);
    assert_non_null(strstr(errors->item[0].message, words));
}

static void loading_nothing_or_to_nowhere_is_refused(void **state)
{
    (void)state;
    struct sms_errors errors;
    struct sms_file *file = (struct sms_file *)&errors;
    assert_misused(sms_file_load(NULL, NULL, &file, &errors), &errors, "no path");
    assert_null(file);
    assert_misused(sms_file_load("x.yaml", NULL, NULL, &errors), &errors, "out is NULL");
    assert_misused(sms_file_load_text(NULL, 7, "x.yaml", NULL, &file, &errors), &errors, "no text");
    assert_misused(sms_file_load_text("a: b", 4, NULL, NULL, &file, &errors), &errors, "no path");
    assert_misused(sms_file_load_text("a: b", 4, "x.yaml", NULL, NULL, &errors), &errors, "out is NULL");
    assert_int_equal(sms_file_load(NULL, NULL, NULL, NULL), SMS_EUSAGE);
    assert_int_equal(sms_file_load("no such file", NULL, &file, NULL), SMS_EINPUT);
    assert_int_equal(sms_file_load_text("", 0, "empty", NULL, &file, &errors), SMS_EINPUT);
    assert_null(file);
    sms_file_free(NULL);
}

static void settings_change_a_scenario_of_a_loaded_file(void **state)
{
    const struct kinds *kinds = *state;
    struct sms_errors errors;
    struct sms_file *changed = NULL;
    const char *const set[] = {"run.seed=7", "vms.a.workload=w", "run.seed=8", NULL}, *const added[] = {"most_room",
                                                                                                        NULL};
    const struct sms_settings settings = {.set = set, .policies = added};
    assert_int_equal(sms_file_set(kinds->vms, NULL, 0, &settings, &changed, &errors), SMS_OK);
    assert_int_equal(sms_file_scenarios(changed), 1);
    assert_int_equal(sms_scenario_policies(sms_file_scenario(changed, 0)), 2);
    struct sms_results *results = run_first(changed, NULL);
    assert_int_equal(sms_results_seed(results), 8);
    assert_int_equal(sms_scenario_policies(sms_file_scenario(kinds->vms, 0)), 1);
    discard(results, changed);

    const char *const wrong[] = {"run.sed=7", "queue", NULL};
    assert_int_equal(sms_file_set(kinds->vms, NULL, 0, &(struct sms_settings){.set = wrong}, &changed, &errors),
                     SMS_EINPUT);
    assert_null(changed);
    assert_int_equal(errors.count, 2);
    assert_string_equal(errors.item[0].file, "--set");
    assert_misused(sms_file_set(NULL, NULL, 0, &settings, &changed, &errors), &errors, "no scenario to change");
    assert_misused(sms_file_set(kinds->vms, NULL, 1, &settings, &changed, &errors), &errors, "no scenario to change");
    assert_misused(sms_file_set(kinds->vms, NULL, 0, &settings, NULL, &errors), &errors, "out is NULL");
    assert_int_equal(sms_file_set(kinds->vms, NULL, 0, NULL, &changed, NULL), SMS_OK);
    struct sms_file *again = changed;
    assert_misused(sms_file_set(changed, NULL, 0, NULL, &again, &errors), &errors, "comes from sms_file_set");
    assert_null(again);
    sms_file_free(changed);
}

static void a_policy_is_compared_with_a_baseline(void **state)
{
    const struct kinds *kinds = *state;
    const size_t metric = (size_t)sms_metric_index(SMS_VM, "kernels_per_s");
    const struct sms_comparison itself = sms_results_compare(kinds->of_vms, 0, 0, SMS_VM, 0, metric);
    assert_true(itself.ratio.mean == 1);
    assert_true(itself.difference.mean == 0);
    assert_true(isnan(itself.p));
    const struct sms_comparison none[] = {
        sms_results_compare(NULL, 0, 0, SMS_VM, 0, metric),
        sms_results_compare(kinds->of_vms, 0, 1, SMS_VM, 0, metric),
        sms_results_compare(kinds->of_vms, 1, 0, SMS_VM, 0, metric),
        sms_results_compare(kinds->of_vms, 0, 0, SMS_VM, 1, metric),
        sms_results_compare(kinds->of_vms, 0, 0, SMS_VM, 0, SIZE_MAX),
        sms_results_compare(kinds->of_vms, 0, 0, SMS_SUBJECTS, 0, 0),
    };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_true(isnan(none[i].ratio.mean) && isnan(none[i].difference.mean) && isnan(none[i].p));
        assert_false(none[i].judged);
    }
}

static void no_value_has_regimes(void **state)
{
    const struct kinds *kinds = *state;
    const size_t metric = (size_t)sms_metric_index(SMS_VM, "kernels_per_s");
    const struct {
        const struct sms_results *results;
        size_t policy;
        int subject;
        size_t idx, metric;
    } none[] = {{NULL, 0, SMS_VM, 0, metric},           {kinds->of_vms, 1, SMS_VM, 0, metric},
                {kinds->of_vms, 0, SMS_VM, 1, metric},  {kinds->of_vms, 0, SMS_VM, 0, SIZE_MAX},
                {kinds->of_vms, 0, SMS_SUBJECTS, 0, 0}, {kinds->of_vms, 0, SMS_VM, 0, metric}};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        double mean[2] = {1, 2};
        assert_false(sms_results_regimes(none[i].results, none[i].policy, (enum sms_subject)none[i].subject,
                                         none[i].idx, none[i].metric, mean));
        assert_true(isnan(mean[0]) && isnan(mean[1]));
    }
    assert_false(sms_results_regimes(kinds->of_vms, 0, SMS_VM, 0, metric, NULL));
}

static void values_of_a_replication_are_one_array(void **state)
{
    const struct kinds *kinds = *state;
    size_t metrics = 0;
    sms_metrics(SMS_VM, &metrics);
    const double *values = sms_results_values(kinds->of_vms, 0, 0, SMS_VM);
    assert_non_null(values);
    for (size_t m = 0; m < metrics; m++) {
        const double value = sms_results_value(kinds->of_vms, 0, 0, SMS_VM, 0, m);
        assert_true(values[m] == value || (isnan(values[m]) && isnan(value)));
    }
    assert_null(sms_results_values(NULL, 0, 0, SMS_VM));
    assert_null(sms_results_values(kinds->of_vms, 1, 0, SMS_VM));
    assert_null(sms_results_values(kinds->of_vms, 0, sms_results_replications(kinds->of_vms), SMS_VM));
    assert_null(sms_results_values(kinds->of_vms, 0, 0, SMS_NODE));
    assert_null(sms_results_values(kinds->of_vms, 0, 0, SMS_SUBJECTS));
}

static void a_text_in_memory_loads_like_a_file_and_need_not_be_terminated(void **state)
{
    (void)state;
    static const char text[] = "scenario: c\npolicies: [first_fit]\nnodes: [{name: n, gpus: 1}]\n"
                               "pods: [{name: p, gpu: 50 %, duration: 1 s}]\n}}} not of it";
    struct sms_errors errors;
    struct sms_file *file;
    char *copy = malloc(strlen(text) - strlen("}}} not of it"));
    memcpy(copy, text, strlen(text) - strlen("}}} not of it"));
    int code = sms_file_load_text(copy, strlen(text) - strlen("}}} not of it"), "mine", NULL, &file, &errors);
    free(copy);
    assert_int_equal(code, SMS_OK);
    assert_string_equal(sms_scenario_name(sms_file_scenario(file, 0)), "c");
    sms_results_free(run_first(file, NULL));
    sms_file_free(file);
    assert_int_equal(sms_file_load_text("a: b\n\0c", 7, "mine", NULL, &file, &errors), SMS_EINPUT);
    assert_string_equal(errors.item[0].file, "mine");
    assert_int_equal(errors.item[0].line, 2);
    assert_int_equal(errors.item[0].column, 1);
    assert_int_equal(sms_file_load_text("scenario: s\n  x: y", 18, "mine", NULL, &file, &errors), SMS_EINPUT);
    assert_string_equal(errors.item[0].file, "mine");
    assert_int_equal(errors.item[0].line, 2);
}

static double score(const double *params, const struct sms_device_view *device, const struct sms_sm_view *sm,
                    const struct sms_block_request *block)
{
    (void)params, (void)device, (void)sm, (void)block;
    return 0;
}

static double slowdown(const struct sms_contention_view *view, size_t r, double usage)
{
    (void)view, (void)r, (void)usage;
    return 1;
}

static void policies_that_cannot_be_are_refused_before_anything_is_read(void **state)
{
    (void)state;
    static const struct sms_param many[18] = {{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "d"}, {.name = "e"},
                                              {.name = "f"}, {.name = "g"}, {.name = "h"}, {.name = "i"}, {.name = "j"},
                                              {.name = "k"}, {.name = "l"}, {.name = "m"}, {.name = "n"}, {.name = "o"},
                                              {.name = "p"}, {.name = "q"}};
    static const struct sms_param choice[] = {{.name = "a", .unit = SMS_UNIT_CHOICE}, {0}};
    static const struct sms_param no_number[] = {{.name = "a", .max = 1, .fallback = NAN}, {0}};
    static const struct sms_block_policy
        unnamed = {.help = ""},
        quoted = {.name = "a,\"b"}, blind = {.name = "blind", .search = SMS_SEARCH_BEST},
        crowded = {.name = "crowded", .params = many},
        undecided = {.name = "undecided", .params = choice, .search = SMS_SEARCH_BEST, .score = score},
        vague = {.name = "vague", .params = no_number, .search = SMS_SEARCH_BEST, .score = score};
    static const struct sms_block_policy *const none[] = {NULL}, *const policies[][1] = {{&unnamed},   {&quoted},
                                                                                         {&blind},     {&crowded},
                                                                                         {&undecided}, {&vague}};
    static const struct sms_contention *const no_contention[] = {NULL};
    static const struct sms_contention idle = {.name = "idle"},
                                       torn = {.name = "torn", .is_max_min = true, .slowdown = slowdown},
                                       alone = {.name = "alone", .is_max_min = true, .measured_alone = true};
    static const struct sms_contention *const models[][1] = {{&idle}, {&torn}, {&alone}};
    static const struct sms_share_policy *const no_share[] = {NULL};
    static const struct sms_place_policy *const no_place[] = {NULL};
    static const struct sms_queue_discipline unnamed_queue = {.help = "x"}, old_queue = {.size = 8, .name = "old"};
    static const struct sms_queue_discipline *const no_queue[] = {NULL}, *const queues[][1] = {{&unnamed_queue},
                                                                                               {&old_queue}};
    static const struct sms_place_policy lost = {.name = "lost"}, *const losts[] = {&lost};
    const struct sms_load_options wrong[] = {{.n_policies = 1},
                                             {.n_contentions = 1},
                                             {.n_shares = 1},
                                             {.n_places = 1},
                                             {.policies = none, .n_policies = 1},
                                             {.contentions = no_contention, .n_contentions = 1},
                                             {.shares = no_share, .n_shares = 1},
                                             {.places = no_place, .n_places = 1},
                                             {.n_queues = 1},
                                             {.queues = no_queue, .n_queues = 1},
                                             {.queues = queues[0], .n_queues = 1},
                                             {.queues = queues[1], .n_queues = 1},
                                             {.contentions = models[0], .n_contentions = 1},
                                             {.contentions = models[1], .n_contentions = 1},
                                             {.contentions = models[2], .n_contentions = 1},
                                             {.places = losts, .n_places = 1},
                                             {.policies = policies[5], .n_policies = 1},
                                             {.policies = policies[0], .n_policies = 1},
                                             {.policies = policies[1], .n_policies = 1},
                                             {.policies = policies[2], .n_policies = 1},
                                             {.policies = policies[3], .n_policies = 1},
                                             {.policies = policies[4], .n_policies = 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct sms_errors errors;
        struct sms_file *file;
        assert_misused(sms_file_load("no such file", &wrong[i], &file, &errors), &errors, "");
    }
}

static void a_file_without_scenarios_has_none_to_ask_or_run(void **state)
{
    const struct kinds *kinds = *state;
    struct sms_errors errors;
    struct sms_results *results = (struct sms_results *)&errors;
    struct sms_bound bound;
    assert_int_equal(sms_file_scenarios(kinds->devices), 0);
    assert_null(sms_file_scenario(kinds->devices, 0));
    assert_null(sms_file_scenario(kinds->vms, 1));
    assert_null(sms_file_scenario(NULL, 0));
    assert_int_equal(sms_file_scenarios(NULL), 0);
    assert_int_equal(sms_file_warnings(NULL)->count, 0);
    assert_misused(sms_run(sms_file_scenario(kinds->devices, 0), NULL, &results, &errors), &errors, "no scenario");
    assert_null(results);
    assert_int_equal(sms_run(NULL, NULL, NULL, NULL), SMS_EUSAGE);
    assert_misused(sms_bound(NULL, SMS_BOUND_KERNELS, &bound, &errors), &errors, "a bound needs a scenario");
    assert_misused(sms_results_bound(NULL, SMS_BOUND_KERNELS, &bound, &errors), &errors, "a bound needs results");
    assert_null(sms_scenario_name(NULL));
    assert_null(sms_scenario_question(NULL));
    assert_int_equal(sms_scenario_policies(NULL), 0);
    assert_null(sms_scenario_policy(NULL, 0));
}

static void runs_for_nothing_and_on_no_engine_are_refused(void **state)
{
    const struct kinds *kinds = *state;
    const struct sms_scenario *scenario = sms_file_scenario(kinds->vms, 0);
    struct sms_errors errors;
    struct sms_results *results;
    struct sms_bound bound;
    struct sms_run_options options = sms_run_defaults();
    static const char *const policies[] = {"no such policy", NULL};
    assert_null(sms_scenario_policy(scenario, 1));
    assert_misused(sms_run(scenario, NULL, NULL, &errors), &errors, "out is NULL");
    options.engine = (enum sms_engine)7;
    assert_misused(sms_run(scenario, &options, &results, &errors), &errors, "no such engine");
    options = sms_run_defaults();
    options.policies = policies;
    assert_int_equal(sms_run(scenario, &options, &results, NULL), SMS_EINPUT);
    assert_misused(sms_bound(scenario, SMS_BOUNDED, &bound, &errors), &errors, "a metric");
    assert_misused(sms_bound(scenario, SMS_BOUND_KERNELS, NULL, &errors), &errors, "where to put it");
    assert_int_equal(sms_bound(scenario, SMS_BOUND_KERNELS, &bound, NULL), SMS_OK);
    assert_null(sms_bound_metric(SMS_BOUNDED));
    assert_null(sms_bound_metric((enum sms_bounded) - 1));
    assert_true(isnan(sms_bound_gap(NULL, 1)));
    sms_results_free(NULL);
}

static void assert_no_value(const struct sms_results *results, size_t policy, int subject, size_t idx, size_t metric)
{
    enum sms_subject of = (enum sms_subject)subject;
    assert_true(isnan(sms_results_estimate(results, policy, of, idx, metric).mean));
    assert_true(isnan(sms_results_ratio(results, policy, policy, of, idx, metric).mean));
    assert_true(isnan(sms_results_ratio(results, 0, policy, of, idx, metric).mean));
    assert_true(isnan(sms_results_difference(results, policy, 0, of, idx, metric).mean));
    assert_true(isnan(sms_results_value(results, policy, 0, of, idx, metric)));
}

/* The subjects that the other kind of scenario has are among them. */
static void assert_ends(const struct sms_results *results)
{
    for (int s = -1; s <= SMS_SUBJECTS; s++) {
        size_t count = sms_results_subjects(results, (enum sms_subject)s), metrics = 1;
        const struct sms_metric *metric = sms_metrics((enum sms_subject)s, &metrics);
        assert_true((metric != NULL) == (s >= 0 && s < SMS_SUBJECTS) && (metric || metrics == 0));
        assert_null(sms_results_subject(results, (enum sms_subject)s, count));
        assert_null(sms_results_subject(results, (enum sms_subject)s, SIZE_MAX));
        assert_no_value(results, 0, s, count, 0);
        assert_no_value(results, 0, s, 0, metrics);
        assert_no_value(results, 0, s, SIZE_MAX, SIZE_MAX);
        assert_no_value(results, sms_results_policies(results), s, 0, 0);
    }
    assert_true(isnan(sms_results_value(results, 0, sms_results_replications(results), SMS_HOST, 0, 0)));
    assert_null(sms_results_policy(results, sms_results_policies(results)));
    assert_null(sms_results_bins(results, 0, sms_results_sms(results)));
    assert_null(sms_results_bins(results, sms_results_policies(results), 0));
    assert_int_equal(sms_results_bin_ps(results, sms_results_policies(results)), 0);
    struct sms_latency latency[SMS_LATENCIES];
    assert_int_equal(sms_results_latencies(results, sms_results_policies(results), 0, latency), 0);
    assert_int_equal(sms_results_latencies(results, 0, SIZE_MAX, latency), 0);
    assert_int_equal(sms_results_latencies(results, 0, 0, NULL), 0);
}

static void results_end_where_they_end(void **state)
{
    const struct kinds *kinds = *state;
    struct sms_allocation point;
    struct sms_until until;
    assert_ends(kinds->of_vms);
    assert_ends(kinds->of_cluster);
    assert_non_null(sms_results_bins(kinds->of_vms, 0, 0));
    assert_false(sms_results_allocation(kinds->of_vms, 0, 0, &point));
    assert_true(sms_results_allocation(kinds->of_cluster, 0, 0, &point));
    assert_false(sms_results_allocation(kinds->of_cluster, 1, 0, &point));
    assert_false(sms_results_allocation(kinds->of_cluster, 0, SIZE_MAX, &point));
    assert_false(sms_results_allocation(kinds->of_cluster, 0, 0, NULL));
    assert_false(sms_results_until(kinds->of_vms, &until));
    assert_false(sms_results_until(kinds->of_vms, NULL));
    assert_false(sms_results_question(kinds->of_vms, NULL));
    assert_non_null(sms_metrics(SMS_HOST, NULL));
}

static void values_are_found_by_name(void **state)
{
    const struct kinds *kinds = *state;
    const struct sms_results *results = kinds->of_vms;
    const char *policy = sms_results_policy(results, 0), *vm = sms_results_subject(results, SMS_VM, 0);
    const size_t metric = (size_t)sms_metric_index(SMS_VM, "blocks_per_s");
    const double value = sms_results_value(results, 0, 0, SMS_VM, 0, metric);
    assert_true(value > 0);
    assert_true(sms_results_value_named(results, policy, 0, "vm", vm, "blocks_per_s") == value);
    assert_true(sms_results_value_named(results, policy, 0, "host", "host", "blocks_per_s") > 0);
    assert_true(isnan(sms_results_value_named(results, "none", 0, "vm", vm, "blocks_per_s")));
    assert_true(isnan(sms_results_value_named(results, policy, SIZE_MAX, "vm", vm, "blocks_per_s")));
    assert_true(isnan(sms_results_value_named(results, policy, 0, "none", vm, "blocks_per_s")));
    assert_true(isnan(sms_results_value_named(results, policy, 0, "vm", "none", "blocks_per_s")));
    assert_true(isnan(sms_results_value_named(results, policy, 0, "vm", vm, "none")));
    assert_true(isnan(sms_results_value_named(results, NULL, 0, "vm", vm, "blocks_per_s")));
    assert_true(isnan(sms_results_value_named(results, policy, 0, NULL, vm, "blocks_per_s")));
    assert_true(isnan(sms_results_value_named(results, policy, 0, "vm", NULL, "blocks_per_s")));
    assert_true(isnan(sms_results_value_named(results, policy, 0, "vm", vm, NULL)));
    assert_true(isnan(sms_results_value_named(NULL, policy, 0, "vm", vm, "blocks_per_s")));
}

static void there_are_no_results_in_no_results(void **state)
{
    (void)state;
    struct sms_allocation point;
    struct sms_until until;
    assert_null(sms_results_scenario(NULL));
    assert_int_equal(sms_results_seed(NULL), 0);
    assert_int_equal(sms_results_replications(NULL), 0);
    assert_int_equal(sms_results_policies(NULL), 0);
    assert_int_equal(sms_results_sms(NULL), 0);
    assert_int_equal(sms_results_warnings(NULL)->count, 0);
    size_t notes = 1;
    assert_null(sms_results_notes(NULL, &notes));
    assert_int_equal(notes, 0);
    assert_null(sms_results_notes(NULL, NULL));
    assert_false(sms_results_exact(NULL));
    double adjusted = 0;
    assert_false(sms_holm(NULL, &adjusted, 1));
    assert_false(sms_holm(&adjusted, NULL, 1));
    assert_true(isnan(sms_results_warmup_ps(NULL)));
    assert_false(sms_results_until(NULL, &until));
    struct sms_question answer;
    assert_false(sms_results_question(NULL, &answer));
    assert_false(sms_results_allocation(NULL, 0, 0, &point));
    assert_true(isnan(sms_p_value((struct sms_estimate){0}, 0)));
    assert_ends(NULL);
    sms_errors_print(NULL, stderr);
    sms_errors_print(sms_results_warnings(NULL), NULL);
}

static void helpers_of_policies_make_nothing_of_nothing(void **state)
{
    (void)state;
    double left[SMS_NODE_RESOURCES];
    const struct sms_place_view view = {0};
    const struct sms_node_view node = {.model = -1};
    const struct sms_pod_view pod = {.gpus = 1, .gpu_milli = 500};
    const struct sms_mig_view mig[2] = {{.slices = 7, .profile[1].slices = 3}, {.slices = 7}};
    const volatile uint32_t beyond[] = {SMS_PROFILES_MAX + 1, SMS_SLICES_MAX};
    assert_true(sms_curve_at(NULL, 1) == 0);
    assert_true(isnan(sms_share_after(NULL, NULL, NULL)));
    assert_true(sms_room(NULL, NULL, NULL) == 0);
    assert_false(sms_gpu_fits(NULL, &pod));
    assert_int_equal(sms_node_milli(NULL, &pod), pod.gpu_milli);
    assert_int_equal(sms_node_bytes(NULL, NULL), 0);
    assert_int_equal(sms_layout_busy(NULL, NULL), 0);
    assert_int_equal(sms_layout_starts(NULL, NULL, 1), 0);
    assert_int_equal(sms_layout_first(NULL, NULL, 1), -1);
    assert_false(sms_layout_take(NULL, NULL, 1, 0));
    sms_layout_give(NULL, 0);
    assert_int_equal(sms_instance_slices(NULL, 1, 0), 0);
    assert_int_equal(sms_instance_slices(mig, 1, 4), 7 << 4);
    assert_int_equal(sms_instance_slices(mig, beyond[0], 0), 0);
    assert_int_equal(sms_instance_slices(mig, 1, beyond[1]), 0);
    assert_false(sms_layouts_alike(NULL, &(struct sms_layout){.split = true}));
    assert_int_equal(sms_layout_profiles(NULL, NULL), 0);
    assert_int_equal(sms_node_with(NULL, &pod, NULL, NULL, NULL).gpus, 0);
    assert_false(sms_pod_is_part(NULL));
    assert_int_equal(sms_pod_gpu_milli(NULL), 0);
    assert_false(sms_node_fits(NULL, &pod));
    assert_false(sms_node_fits(&node, NULL));
    assert_int_equal(sms_node_gpu_left(NULL), 0);
    assert_int_equal(sms_node_gpu_left_with(NULL, NULL), 0);
    assert_int_equal(sms_node_shares(NULL, &pod, left), 0);
    assert_int_equal(sms_node_shares(&node, &pod, NULL), 0);
    assert_true(sms_node_share_left(NULL, NULL) == 0);
    assert_int_equal(sms_node_weigh_fragments(NULL, 1, NULL), 0);
    assert_int_equal(sms_mps_clients(NULL, 7, 0), 0);
    assert_true(sms_place_slowdowns(NULL, NULL, 0, NULL) == 0);
    assert_true(sms_place_slowdowns(&view, &node, 3, &pod) == 0);
}

static void a_share_policy_without_a_run_can_do_nothing(void **state)
{
    (void)state;
    assert_int_equal(sms_share_now(NULL), 0);
    assert_null(sms_share_state(NULL));
    assert_true(isnan(sms_share_param(NULL, 0)));
    assert_int_equal(sms_share_processes(NULL) + sms_share_devices(NULL), 0);
    assert_string_equal(sms_share_process(NULL, 0).name, "");
    assert_string_equal(sms_share_device(NULL, 0).name, "");
    assert_int_equal(sms_share_left(NULL, 0) + sms_share_context(NULL), 0);
    assert_null(sms_share_alloc(NULL, 1, 1));
    assert_int_equal(sms_share_choose(NULL, 0), SMS_WAIT);
    assert_false(sms_share_allows(NULL, 0, 0));
    assert_false(sms_share_admits(NULL, 0, 0));
    assert_false(sms_share_restore(NULL, 0, 0));
    assert_true(sms_share_random(NULL) == 0);
    sms_share_wake(NULL, 0, 0);
    sms_share_pause(NULL, 0);
    sms_share_resume(NULL, 0);
    sms_share_fail(NULL, 0);
    sms_share_say(NULL, 0, "nothing");
}

static void options_of_another_size_are_refused(void **state)
{
    (void)state;
    struct sms_errors errors;
    struct sms_file *file;
    struct sms_results *results;
    struct sms_load_options load = harness_options();
    struct sms_run_options run = sms_run_defaults();
    load.size = sizeof load + 8;
    assert_int_equal(sms_file_load(SOURCE_DIR "/tests/scenarios/two-tenants.yaml", &load, &file, &errors), SMS_EUSAGE);
    load.size = offsetof(struct sms_load_options, policies); /* an older header's */
    load.n_policies = 7;
    assert_int_equal(sms_file_load(SOURCE_DIR "/tests/scenarios/two-tenants.yaml", &load, &file, &errors), SMS_OK);
    run.size = sizeof run + 8;
    assert_int_equal(sms_run(sms_file_scenario(file, 0), &run, &results, &errors), SMS_EUSAGE);
    run.size = offsetof(struct sms_run_options, engine);
    run.engine = (enum sms_engine)77;
    assert_int_equal(sms_run(sms_file_scenario(file, 0), &run, &results, &errors), SMS_OK);
    sms_results_free(results);
    sms_file_free(file);
}

static void a_policy_of_another_header_is_refused(void **state)
{
    (void)state;
    struct sms_errors errors;
    struct sms_file *file;
    const struct sms_block_policy policy = {.size = sizeof policy - 8, .name = "old"};
    const struct sms_block_policy *const list[] = {&policy};
    const struct sms_load_options load = {.policies = list, .n_policies = 1};
    assert_int_equal(sms_file_load(SOURCE_DIR "/tests/scenarios/two-tenants.yaml", &load, &file, &errors), SMS_EUSAGE);
    assert_non_null(strstr(errors.item[0].message, "another version of the header"));
}

static void codes_versions_and_metrics_have_names(void **state)
{
    (void)state;
    size_t count;
    char version[40];
    for (int code = SMS_EBUG; code <= SMS_OK; code++)
        assert_non_null(sms_strerror(code));
    assert_string_equal(sms_strerror(SMS_EINPUT), "bad input");
    assert_string_equal(sms_strerror(12345), "unknown code");
    snprintf(version, sizeof version, "%d.%d.%d", SMSCHED_VERSION_MAJOR, SMSCHED_VERSION_MINOR, SMSCHED_VERSION_PATCH);
    assert_string_equal(sms_version(), version);
    assert_string_equal(SMSCHED_VERSION, version);
    const struct sms_metric *metric = sms_metrics(SMS_HOST, &count);
    for (size_t m = 0; m < count; m++)
        assert_int_equal(sms_metric_index(SMS_HOST, metric[m].name), m);
    assert_int_equal(sms_metric_index(SMS_HOST, "no_metric"), -1);
    assert_int_equal(sms_metric_index(SMS_HOST, NULL), -1);
    assert_int_equal(sms_metric_index((enum sms_subject)99, "stp_ratio"), -1);
    assert_true(sms_metric_is_share(SMS_HOST, "fairness_ratio"));
    assert_false(sms_metric_is_share(SMS_HOST, "stp_ratio"));
    assert_false(sms_metric_is_share(SMS_HOST, "makespan_ns"));
    assert_false(sms_metric_is_share(SMS_HOST, "no_ratio"));
    assert_false(sms_metric_is_share((enum sms_subject)99, "fairness_ratio"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_of_another_size_are_refused),
        cmocka_unit_test(a_policy_of_another_header_is_refused),
        cmocka_unit_test(codes_versions_and_metrics_have_names),
        cmocka_unit_test(loading_nothing_or_to_nowhere_is_refused),
        cmocka_unit_test(settings_change_a_scenario_of_a_loaded_file),
        cmocka_unit_test(values_of_a_replication_are_one_array),
        cmocka_unit_test(a_policy_is_compared_with_a_baseline),
        cmocka_unit_test(no_value_has_regimes),
        cmocka_unit_test(a_text_in_memory_loads_like_a_file_and_need_not_be_terminated),
        cmocka_unit_test(policies_that_cannot_be_are_refused_before_anything_is_read),
        cmocka_unit_test(a_file_without_scenarios_has_none_to_ask_or_run),
        cmocka_unit_test(runs_for_nothing_and_on_no_engine_are_refused),
        cmocka_unit_test(results_end_where_they_end),
        cmocka_unit_test(values_are_found_by_name),
        cmocka_unit_test(there_are_no_results_in_no_results),
        cmocka_unit_test(helpers_of_policies_make_nothing_of_nothing),
        cmocka_unit_test(a_share_policy_without_a_run_can_do_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
