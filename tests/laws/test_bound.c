/* The bound of docs/explanation/bound.md: values worked out by hand, scenarios in which a
 * policy reaches it, and 200 random ones in which none may exceed it. */
#include "random_text.h"
#include "sim/levels/filling.h"

#include <pthread.h>

extern const struct sms_contention sms_contention_proportional, sms_contention_curve, sms_contention_maxmin,
    sms_contention_pipes, sms_contention_knee;

/* ---- random scenarios ---- */

static bool perhaps(struct text *text, uint64_t percent) { return draw(text, 100) < percent; }

static const char *const resources[] = {"fp32", "fp64", "l1", "dram"};

static void add_device(struct text *text, const char *name, bool wide, bool loaded)
{
    int sms = 1 + (int)draw(text, 5);
    add(text, "device: %s\nclock: 1 GHz\nsms: %d\nlink: {bandwidth: 2 GB/s}\n", name, sms);
    add(text, "sm: {threads: <1024|2048>, warps: 64, blocks: <2..16>, registers: 65536, shared_memory: 64 KiB, "
              "threads_per_block: 1024}\nresources:\n");
    for (int r = 0; r < 4; r++)
        add(text, "  %s: {class: %s%s}\n", resources[r], r < 2 ? "compute" : "memory",
            r == 3 && wide ? ", scope: device" : "");
    if (loaded)
        add(text, "background: [{sm: <0..%d>, demand: {dram: <0..90> %%, fp32: <0..40> %%}}]\n", sms - 1);
    add(text, "---\n");
}

static void add_kernel(struct text *text, int k, bool random)
{
    add(text,
        "  - {name: k%d, blocks: <1..60>, threads: <32..768/32>, registers: <16..64>, shared_memory: <0..24> KiB, "
        "block_time: <3..40> us",
        k);
    if (random && perhaps(text, 50))
        add(text, perhaps(text, 50) ? ", spread: exponential" : ", jitter: 40 %%");
    add(text, ", demand: {");
    const char *comma = "";
    for (int r = 0; r < 4; r++)
        if (perhaps(text, 60)) {
            add(text, "%s%s: <1..%d> %%", comma, resources[r], perhaps(text, 30) ? 60 : 20);
            comma = ", ";
        }
    add(text, "}}\n");
}

/* Kernels, then steps in any order, unless each is to be launched once. */
static void add_workload(struct text *text, int v, bool random)
{
    int kernels = 1 + (int)draw(text, 3);
    add(text, "workload: w%d\nkernels:\n", v);
    for (int k = 0; k < kernels; k++)
        add_kernel(text, k, random);
    if (perhaps(text, 60)) {
        add(text, "steps: [");
        for (int k = 0; k < kernels; k++) {
            if (perhaps(text, 30))
                add(text, "{host: <0..300> us}, ");
            if (perhaps(text, 30))
                add(text, "{copy_%s: <0..400> KiB}, ", perhaps(text, 50) ? "in" : "out");
            add(text, "{launch: k%d, times: <1..4>}, ", k);
        }
        add(text, "{host: <0..50> us}]\n");
    }
    add(text, "---\n");
}

static void add_contention(struct text *text)
{
    static const char *const models[] = {
        "none",
        "maxmin",
        "{model: pipes, exponent: <1|2|5>}",
        "{model: proportional, slope: <0|0.3|1|2.55>}",
        "{model: knee, exponent: <1|2.2|8>}",
        "{model: curve, curves: {dram: [[<20..120> %, 2 %], [160 %, <5..200> %]], fp32: [[100 %, <0..80> %]]}}"};
    add(text, "contention: %s\n", models[draw(text, sizeof models / sizeof *models)]);
}

static void add_vm(struct text *text, int v, bool ends)
{
    add(text, "  - {name: v%d, workload: w%d, streams: <1..4>", v, v);
    if (perhaps(text, 20))
        add(text, ", start: <0..1400> us");
    if (perhaps(text, 15))
        add(text, ", device: 0");
    if (!ends && perhaps(text, 25))
        add(text, ", arrivals: {%s: <20..900> us}", perhaps(text, 50) ? "poisson" : "every");
    else
        add(text, ends || perhaps(text, 15) ? ", repeat: <1..30>" : ", repeat: forever");
    add(text, "}\n");
}

/* Two times in three a window with a warm-up, some of them short, else until all is done, without or with a duration.
 */
static void write_scenario(struct text *text, uint64_t seed, bool random)
{
    *text = (struct text){.chance = seed};
    bool ends = perhaps(text, 33), wide = perhaps(text, 50), two = perhaps(text, 25);
    int vms = 1 + (int)draw(text, 4);
    add_device(text, "one", wide, !ends && perhaps(text, 30));
    if (two)
        add_device(text, "two", wide, false);
    for (int v = 0; v < vms; v++)
        add_workload(text, v, random);
    add(text, "scenario: s\ndevices: [{model: one, count: <1..2>}%s]\nqueue: <interleave|fifo|kernel_fifo|rr_fifo>\n",
        two ? ", {model: two}" : "");
    add_contention(text);
    add(text,
        "policies: [round_robin, utilization_aware, fine_grained, {fine_grained: {limit: 150 %%}}, breadth_first,\n"
        "  depth_first, round_robin_full, most_room, leftover]\nvms:\n");
    for (int v = 0; v < vms; v++)
        add_vm(text, v, ends);
    const bool is_short = perhaps(text, 50); /* draws in a fixed order, because compilers evaluate arguments in any */
    if (!ends)
        add(text, "run: {warmup: %s us, duration: %s, seed: <1..1000>, replications: <1..2>}\n",
            perhaps(text, 70) ? "<1..1500>" : "0", is_short ? "<1501..2200> us" : "20 ms");
    else if (is_short)
        add(text, "run: {duration: <2600..20000> us}\n");
}

struct tally {
    int runs, bounded, near; /* policies' figures; with a bound; within 10 % of it */
    int of_stp;              /* with a bound on STP */
};

static void check_against_bound(const struct sms_results *results, const char *text, struct tally *tally)
{
    for (int m = 0; m < SMS_BOUNDED; m++) {
        struct sms_bound bound;
        assert_int_equal(sms_results_bound(results, (enum sms_bounded)m, &bound, NULL), SMS_OK);
        for (size_t p = 0; p < sms_results_policies(results); p++) {
            double value = estimate(results, p, SMS_HOST, 0, sms_bound_metric((enum sms_bounded)m)).mean;
            tally->runs++;
            if (bound.reason)
                continue;
            tally->bounded++;
            tally->of_stp += m == SMS_BOUND_STP;
            tally->near += value > 0.9 * bound.run_per_s;
            if (value > bound.run_per_s)
                fail_msg("%s: %s %.10g exceeds %.10g in\n%s", sms_results_policy(results, p),
                         sms_bound_metric((enum sms_bounded)m), value, bound.run_per_s, text);
            assert_true(!(sms_bound_gap(&bound, value) < 0));
        }
    }
}

static void run_random(uint64_t first, bool random, struct tally *tally)
{
    for (uint64_t i = 0; i < 100; i++) {
        struct text text;
        struct sms_run_options options = sms_run_defaults();
        options.alone = i % 3 == 0; /* STP needs them */
        write_scenario(&text, first + i, random);
        struct sms_file *file = load_text("%s", text.chars);
        struct sms_results *results = run_first(file, &options);
        check_against_bound(results, text.chars, tally);
        discard(results, file);
    }
    print_message("%d figures, %d with a bound, %d within 10 %% of it\n", tally->runs, tally->bounded, tally->near);
    assert_true(tally->bounded > tally->runs / 2); /* the test says something ... */
    assert_true(tally->near > tally->runs / 20);   /* ... about bounds that are not far away */
    assert_true(tally->of_stp > 100);
}

static void no_policy_exceeds_it_on_100_scenarios_without_chance(void **state)
{
    struct tally tally = {0};
    (void)state;
    run_random(1000, false, &tally);
}

static void no_policy_exceeds_it_on_100_scenarios_with_random_work(void **state)
{
    struct tally tally = {0};
    (void)state;
    run_random(2000, true, &tally);
}

/* ---- values worked out by hand ---- */

/* One device of `sms` SMs of at most 64 blocks; `rest` says workloads and the scenario's rest. */
static struct sms_file *on_small(int sms, const char *rest)
{
    return load_text(SMALL_DEVICE "---\n%s", sms, 64, "sm", rest);
}

static const char a_and_b[] =
    "workload: a\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 10 us, demand: {fp32: 50 %, dram: 20 "
    "%}}]\n---\n"
    "workload: b\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 20 us, demand: {fp32: 20 %, dram: 50 "
    "%}}]\n---\n"
    "scenario: s\ndevices: [{model: small}]\ncontention: proportional\npolicies: [round_robin, fine_grained]\n"
    "vms:\n  - {name: a, workload: a, repeat: forever, streams: 32}\n"
    "  - {name: b, workload: b, repeat: forever, streams: 32}\nrun: {warmup: 1 ms, duration: 5 ms}\n";

/* Blocks a us: maximize x + y with 10 (0.5 x) + 20 (0.2 y) <= 1 of fp32 and
 * 10 (0.2 x) + 20 (0.5 y) <= 1 of dram. Both bind: x = 1/7, y = 1/14. Their worth
 * is u and v with 5 u + 2 v = 1 and 4 u + 10 v = 1: u = 8/42, v = 1/42. */
static void two_kernels_and_two_resources(void **state)
{
    (void)state;
    struct sms_file *file = on_small(1, a_and_b);
    struct sms_bound bound = bound_of(file, SMS_BOUND_BLOCKS);
    assert_near(bound.steady_per_s, 1e6 * (1.0 / 7 + 1.0 / 14), 1e-3);
    assert_int_equal(bound.parts, 2);
    assert_string_equal(bound.part[0].name, "fp32");
    assert_string_equal(bound.part[1].name, "dram");
    assert_near(bound.part[0].share, 8.0 / 9, 1e-9);
    assert_near(bound.part[1].share, 1.0 / 9, 1e-9);
    assert_near(bound_of(file, SMS_BOUND_JOBS).steady_per_s, bound.steady_per_s, 1e-3);
    sms_file_free(file);
}

/* Alone, a does 1/5 and b 1/10 of a block a us: maximize 5 x + 10 y over the same rows. Both bind at 10/7. */
static void stp_weighs_blocks_by_speed_alone(void **state)
{
    (void)state;
    struct sms_file *file = on_small(1, a_and_b);
    struct sms_results *results = run_first(file, NULL);
    struct sms_bound bound;
    assert_int_equal(sms_results_bound(results, SMS_BOUND_STP, &bound, NULL), SMS_OK);
    assert_null(bound.reason);
    assert_near(bound.steady_per_s, 10.0 / 7, 1e-4);
    discard(results, file);
}

static void stp_has_no_bound_without_runs_alone_or_with_tenants_that_end(void **state)
{
    struct sms_run_options options = sms_run_defaults();
    (void)state;
    struct sms_file *file = on_small(1, a_and_b);
    assert_string_equal(bound_of(file, SMS_BOUND_STP).reason,
                        "it needs VMs that repeat for ever, and their solo speed");
    options.alone = false;
    struct sms_results *results = run_first(file, &options);
    struct sms_bound bound;
    assert_int_equal(sms_results_bound(results, SMS_BOUND_STP, &bound, NULL), SMS_OK);
    assert_non_null(bound.reason);
    discard(results, file);
    file = on_small(1, "workload: w\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 10 us}]\n---\n"
                       "scenario: s\ndevices: [{model: small}]\npolicies: [round_robin]\n"
                       "vms: [{name: a, workload: w, repeat: 5}]\n");
    results = run_first(file, NULL);
    assert_int_equal(sms_results_bound(results, SMS_BOUND_STP, &bound, NULL), SMS_OK);
    assert_non_null(bound.reason);
    discard(results, file);
}

/* What a half-loaded resource delivers is half, at a slope at which crowding it does not pay. */
static void a_background_takes_its_part(void **state)
{
    (void)state;
    struct sms_file *file = load_text(
        SMALL_DEVICE
        "background: [{sm: 0, demand: {dram: 50 %%}}]\n---\n"
        "workload: w\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 10 us, demand: {dram: 10 %%}}]\n"
        "---\nscenario: s\ndevices: [{model: small}]\ncontention: {model: proportional, slope: 2.55}\npolicies: "
        "[round_robin]\n"
        "vms: [{name: a, workload: w, repeat: forever, streams: 64}]\nrun: {duration: 5 ms}\n",
        2, 64, "sm");
    assert_near(bound_of(file, SMS_BOUND_BLOCKS).steady_per_s, (0.5 + 1) / (0.1 * 10e-6), 1e-3);
    sms_file_free(file);
}

static void no_more_jobs_than_arrive(void **state)
{
    (void)state;
    struct sms_file *file =
        on_small(1, "workload: w\nkernels: [{name: k, blocks: 3, threads: 32, block_time: 10 us}]\n---\n"
                    "scenario: s\ndevices: [{model: small}]\npolicies: [round_robin]\n"
                    "vms: [{name: a, workload: w, arrivals: {every: 50 us}, streams: 2}]\nrun: {duration: 50 ms}\n");
    struct sms_bound bound = bound_of(file, SMS_BOUND_JOBS);
    struct sms_results *results = run_first(file, NULL);
    assert_near(bound.steady_per_s, 1 / 50e-6, 1e-6);
    assert_string_equal(bound.part[0].name, "arrivals of a");
    assert_near(sms_bound_gap(&bound, estimate(results, 0, SMS_HOST, 0, "jobs_per_s").mean), 0, 0.002);
    discard(results, file);
}

/* ---- where it is reached ---- */

/* The gap of the best policy of the scenario. */
static double least_gap(struct sms_file *file, enum sms_bounded metric, const char *binds)
{
    struct sms_run_options options = sms_run_defaults();
    struct sms_bound bound = bound_of(file, metric);
    double least = 1;
    options.alone = false;
    struct sms_results *results = run_first(file, &options);
    for (size_t p = 0; p < sms_results_policies(results); p++) {
        double value = estimate(results, p, SMS_HOST, 0, sms_bound_metric(metric)).mean;
        double gap = 1 - value / bound.steady_per_s; /* not sms_bound_gap: its sign is to be seen */
        least = gap < least ? gap : least;
    }
    print_message("bound %.6g, least gap %.3f %%, binds %s\n", bound.steady_per_s, 100 * least, bound.part[0].name);
    assert_string_equal(bound.part[0].name, binds);
    discard(results, file);
    return least;
}

/* 4 blocks of 4096 threads fill an SM; of 3000 threads (94 warps) it holds 5, and 5.4 would fit in parts. */
static void threads_alone(void **state)
{
    static const char text[] =
        "workload: w\nkernels: [{name: k, blocks: 24, threads: %d, block_time: 10 us}]\n---\n"
        "scenario: s\ndevices: [{model: small}]\npolicies: [round_robin, depth_first]\n"
        "vms: [{name: a, workload: w, repeat: forever, streams: 8}]\nrun: {warmup: 1 ms, duration: 11 ms}\n";
    char rest[1000];
    (void)state;
    snprintf(rest, sizeof rest, text, 4096);
    assert_near(least_gap(on_small(3, rest), SMS_BOUND_BLOCKS, "threads"), 0, 0.01);
    snprintf(rest, sizeof rest, text, 3000);
    assert_near(least_gap(on_small(3, rest), SMS_BOUND_BLOCKS, "threads (5 whole blocks an SM)"), 0, 0.01);
}

static void one_resource_of_many_blocks(void **state)
{
    (void)state;
    struct sms_file *file = on_small(
        3, "workload: w\nkernels: [{name: k, blocks: 24, threads: 32, block_time: 10 us, demand: {dram: 30 %}}]\n---\n"
           "scenario: s\ndevices: [{model: small}]\ncontention: maxmin\npolicies: [round_robin]\n"
           "vms: [{name: a, workload: w, repeat: forever, streams: 8}]\nrun: {warmup: 1 ms, duration: 11 ms}\n");
    assert_near(least_gap(file, SMS_BOUND_BLOCKS, "dram"), 0, 0.01);
}

/* 70 us on the host, 20 us for 8 MB over the link, then 12 blocks where 8 fit: two waves of 5 us. */
static void a_tenant_that_waits_for_its_host(void **state)
{
    (void)state;
    struct sms_file *file = load_text(
        SMALL_DEVICE "link: {bandwidth: 400 GB/s}\n---\n"
                     "workload: w\nkernels: [{name: k, blocks: 12, threads: 4096, block_time: 5 us}]\n"
                     "steps: [{host: 70 us}, {copy_in: 8 MB}, {launch: k}]\n---\n"
                     "scenario: s\ndevices: [{model: small}]\npolicies: [round_robin]\n"
                     "vms: [{name: a, workload: w, repeat: forever}]\nrun: {warmup: 1 ms, duration: 101 ms}\n",
        2, 64, "sm");
    assert_near(bound_of(file, SMS_BOUND_JOBS).steady_per_s, 1 / 100e-6, 1e-3);
    assert_near(least_gap(file, SMS_BOUND_JOBS, "streams of a"), 0, 0.001);
}

/* fp32 here, dram there: side by side both run at full speed, 4 + 4 blocks on an SM. */
static void kernels_that_complement_each_other(void **state)
{
    (void)state;
    struct sms_file *file = on_small(
        2, "workload: a\nkernels: [{name: k, blocks: 8, threads: 32, block_time: 10 us, demand: {fp32: 25 %}}]\n---\n"
           "workload: b\nkernels: [{name: k, blocks: 8, threads: 32, block_time: 10 us, demand: {dram: 25 %}}]\n---\n"
           "scenario: s\ndevices: [{model: small}]\ncontention: {model: proportional, slope: 2.55}\n"
           "queue: interleave\npolicies: [round_robin, fine_grained]\nvms:\n"
           "  - {name: a, workload: a, repeat: forever, streams: 4}\n"
           "  - {name: b, workload: b, repeat: forever, streams: 4}\nrun: {warmup: 1 ms, duration: 11 ms}\n");
    assert_near(bound_of(file, SMS_BOUND_BLOCKS).steady_per_s, 2 * (4 + 4) / 10e-6, 1e-3);
    assert_near(least_gap(file, SMS_BOUND_BLOCKS, "dram"), 0, 0.02);
}

/* The mixed optimum worked out above. */
static void kernels_that_share_two_resources(void **state)
{
    (void)state;
    assert_near(least_gap(on_small(1, a_and_b), SMS_BOUND_BLOCKS, "fp32"), 0, 0.02);
}

/* 5 jobs of 2 x 3 waves each on one stream; all is over after 300 us. */
static void a_run_that_ends_when_all_is_done(void **state)
{
    (void)state;
    struct sms_file *file =
        on_small(2, "workload: w\nkernels: [{name: k, blocks: 24, threads: 4096, block_time: 10 us}]\n"
                    "steps: [{launch: k, times: 2}]\n---\n"
                    "scenario: s\ndevices: [{model: small}]\npolicies: [round_robin]\n"
                    "vms: [{name: a, workload: w, repeat: 5}]\n");
    struct sms_bound bound = bound_of(file, SMS_BOUND_KERNELS);
    assert_near(bound.steady_per_s, 10 / 300e-6, 1e-3);
    assert_near(bound.run_per_s, bound.steady_per_s, 1e-5 * bound.steady_per_s);
    assert_near(least_gap(file, SMS_BOUND_KERNELS, "threads"), 0, 1e-6);
}

/* ---- what contention models say that they deliver ---- */

static const struct sms_contention *const models[] = {&sms_contention_proportional, &sms_contention_curve,
                                                      &sms_contention_maxmin, &sms_contention_knee,
                                                      &sms_contention_pipes};

/* The most that any number of equal blocks get, by the model's own speeds. */
static double try_all(const struct sms_contention *model, const struct sms_contention_view *view, double background,
                      double most)
{
    double greatest = 0, demand = SMS_FULL / 1000;
    for (size_t blocks = 1; blocks <= (size_t)(most * 1000 + 0.5); blocks++) {
        double usage = background * SMS_FULL + (double)blocks * demand, speed;
        struct sms_group group = {0, blocks, &demand, &speed};
        struct sms__user user = {.count = (double)blocks, .most = 1, .demand = &demand, .rate = &speed};
        if (model->slowdown)
            speed = 1 / model->slowdown(view, 0, usage); /* of one resource, so nothing joins */
        else if (model->is_max_min)
            sms__users_share(&user, 1, 1);
        else
            model->rate(view, &usage, &group, 1);
        double delivered = (double)blocks * demand * speed / SMS_FULL;
        greatest = delivered > greatest ? delivered : greatest;
    }
    return greatest;
}

static void a_model_delivers_what_it_says(void **state)
{
    static const double usage[] = {0.4, 0.9, 2}, overhead[] = {0.05, 0.7, 0.9};
    static const double backgrounds[] = {0, 0.3, 1.2}, mosts[] = {0.2, 0.8, 1.7, 6}, slopes[] = {0, 0.3, 1, 2.55};
    struct sms_curve curve = {3, usage, overhead};
    struct sms_resource_view resource = {"r", SMS_MEMORY, SMS_SCOPE_SM, false, 0};
    (void)state;
    const size_t n = sizeof models / sizeof *models;
    for (size_t i = 0; i < n * 3 * 4 * 4; i++) {
        const struct sms_contention *model = models[i % n];
        double background = backgrounds[i / n % 3], most = mosts[i / n / 3 % 4], slope = slopes[i / n / 12];
        struct sms_contention_view view = {&slope, &curve, 1, &resource};
        double tried = try_all(model, &view, background, most), said = model->delivers(&view, 0, background, most);
        assert_true(said >= tried * (1 - 1e-9));
        assert_near(said, tried, 0.01 * said);
    }
}

/* ---- the function itself ---- */

static void a_gap_is_to_what_the_run_can_count(void **state)
{
    struct sms_bound bound = {.steady_per_s = 100, .run_per_s = 104};
    (void)state;
    assert_near(sms_bound_gap(&bound, 78), 0.25, 1e-12);
    assert_near(sms_bound_gap(&bound, 100), 1 - 100.0 / 104, 1e-12);
    assert_near(sms_bound_gap(&bound, 102), 1 - 102.0 / 104, 1e-12);
    assert_near(sms_bound_gap(&bound, 104), 0, 0);
    assert_true(sms_bound_gap(&bound, 105) < 0);
    bound.run_per_s = 50;
    assert_near(sms_bound_gap(&bound, 25), 0.5, 1e-12);
    bound.reason = "none";
    assert_true(isnan(sms_bound_gap(&bound, 75)));
}

static void none_where_all_may_be_over_before_it_is_measured(void **state)
{
    (void)state;
    struct sms_file *file =
        on_small(1, "workload: w\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 10 us}]\n---\n"
                    "scenario: s\ndevices: [{model: small}]\npolicies: [round_robin]\n"
                    "vms: [{name: a, workload: w, repeat: 5}]\nrun: {warmup: 1 ms, duration: 2 ms}\n");
    struct sms_bound bound = bound_of(file, SMS_BOUND_KERNELS);
    assert_non_null(bound.reason);
    assert_true(isinf(bound.steady_per_s) && isinf(bound.run_per_s));
    sms_file_free(file);
}

/* The bound of three VMs, and what part of it is made of: they share a workload, or have one each that reads the same.
 */
static struct sms_bound of_three(enum sms_bounded metric, bool alike, const char *fields)
{
    static const char workload[] =
        "kernels: [{name: k, blocks: 7, threads: 160, block_time: 10 us, demand: {fp32: 9 %}}]\n"
        "steps: [{launch: k, times: 2}, {host: 40 us}, {copy_in: 30 KiB}]\n---\n";
    char rest[2000], vms[600] = "";
    for (int v = 0; v < 3; v++)
        snprintf(vms + strlen(vms), sizeof vms - strlen(vms), "  - {name: v%d, workload: w%d, %s}\n", v, alike ? 0 : v,
                 fields);
    snprintf(rest, sizeof rest,
             "workload: w0\n%sworkload: w1\n%sworkload: w2\n%sscenario: s\ndevices: [{model: small}]\n"
             "policies: [round_robin]\nvms:\n%srun: {warmup: 30 us, duration: 2 ms}\n",
             workload, workload, workload, vms);
    struct sms_file *file = on_small(1, rest);
    struct sms_results *results = run_first(file, NULL);
    struct sms_bound bound;
    assert_int_equal(sms_results_bound(results, metric, &bound, NULL), SMS_OK);
    discard(results, file);
    return bound;
}

/* VMs that differ in name alone are one in the program. */
static void vms_alike_are_bounded_as_if_they_were_not(void **state)
{
    static const char *const fields[] = {"repeat: forever", "repeat: 5", "streams: 3, arrivals: {every: 70 us}"};
    (void)state;
    for (size_t f = 0; f < 3; f++)
        for (int m = 0; m < SMS_BOUNDED; m++) {
            struct sms_bound one = of_three((enum sms_bounded)m, true, fields[f]);
            struct sms_bound three = of_three((enum sms_bounded)m, false, fields[f]);
            assert_int_equal(!one.reason, !three.reason);
            if (one.reason)
                continue;
            assert_near(one.steady_per_s, three.steady_per_s, 1e-6 * three.steady_per_s);
            assert_near(one.run_per_s, three.run_per_s, 1e-6 * three.run_per_s);
        }
}

static void *bound_in_thread(void *user)
{
    struct sms_file *file = user;
    static _Thread_local struct sms_bound bound;
    struct sms_bound *out = malloc(sizeof *out);
    for (int i = 0; i < 50; i++)
        bound = bound_of(file, SMS_BOUND_KERNELS);
    *out = bound;
    return out;
}

static void threads_do_not_know_of_each_other(void **state)
{
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    (void)state;
    struct sms_file *file = load_path(SOURCE_DIR "/tests/golden/every-policy.yaml");
    struct sms_bound first = bound_of(file, SMS_BOUND_KERNELS);
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&thread[t], NULL, bound_in_thread, file), 0);
    for (int t = 0; t < THREADS; t++) {
        void *own;
        pthread_join(thread[t], &own);
        assert_memory_equal(&first, own, sizeof first);
        free(own);
    }
    sms_file_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_policy_exceeds_it_on_100_scenarios_without_chance),
        cmocka_unit_test(no_policy_exceeds_it_on_100_scenarios_with_random_work),
        cmocka_unit_test(two_kernels_and_two_resources),
        cmocka_unit_test(stp_weighs_blocks_by_speed_alone),
        cmocka_unit_test(stp_has_no_bound_without_runs_alone_or_with_tenants_that_end),
        cmocka_unit_test(a_background_takes_its_part),
        cmocka_unit_test(no_more_jobs_than_arrive),
        cmocka_unit_test(threads_alone),
        cmocka_unit_test(one_resource_of_many_blocks),
        cmocka_unit_test(a_tenant_that_waits_for_its_host),
        cmocka_unit_test(kernels_that_complement_each_other),
        cmocka_unit_test(kernels_that_share_two_resources),
        cmocka_unit_test(a_run_that_ends_when_all_is_done),
        cmocka_unit_test(a_model_delivers_what_it_says),
        cmocka_unit_test(a_gap_is_to_what_the_run_can_count),
        cmocka_unit_test(none_where_all_may_be_over_before_it_is_measured),
        cmocka_unit_test(vms_alike_are_bounded_as_if_they_were_not),
        cmocka_unit_test(threads_do_not_know_of_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
