/* Tenants that repeat for ever begin somewhere in a job, which each replication draws. So the order in which a scenario
 * lists its tenants and devices decides nothing but which MIG instance each has. */
#include "random_text.h"

enum { SCENARIOS = 21, TENANTS = 3 };

/* Places of a list's entries, in the order in which they are listed. */
struct order {
    size_t at[TENANTS];
};

static const struct order as_written = {{0, 1, 2}};

/* Any other order. */
static struct order draw_order(struct text *text)
{
    struct order order = as_written;
    while (!memcmp(&order, &as_written, sizeof order))
        for (size_t i = TENANTS - 1; i > 0; i--) {
            size_t k = draw(text, i + 1), last = order.at[i];
            order.at[i] = order.at[k];
            order.at[k] = last;
        }
    return order;
}

static size_t place_of(const struct order *order, size_t entry)
{
    size_t place = 0;
    while (order->at[place] != entry)
        place++;
    return place;
}

static void add_list(struct text *text, const char *key, const char (*entry)[160], const struct order *order)
{
    add(text, "%s:\n", key);
    for (size_t i = 0; i < TENANTS; i++)
        add(text, "  - %s\n", entry[order->at[i]]);
}

static void add_workload(struct text *text, size_t i)
{
    add(text, "workload: w%zu\nkernels:\n", i);
    for (size_t k = 0; k < 1 + i % 2; k++)
        add(text,
            "  - {name: k%zu, blocks: <50..400/10>, threads: <128|192|256|512>, block_time: <40..160/10> us, "
            "jitter: <0|0|5> %%, demand: {<dram|l2>: <2..14> %%, <fp32|shared>: <2..14> %%}}\n",
            k);
    add(text, "steps: [<{host: 10 us}, |>{launch: k0, times: <1..3>}%s]\n---\n", i % 2 ? ", {launch: k1}" : "");
}

/* A scenario of VMs, of processes, or of VMs of which one has all devices and two share one. `start`: "" or
 * ", start: 0 ms". */
static void add_scenario(struct text *text, size_t kind, const char *start, const struct order *tenants,
                         const struct order *devices)
{
    static const char *const keys[] = {"vms", "processes", "vms"};
    static const char *const policies[] = {"[round_robin, fine_grained]", "[{mode: mps}, {mode: time_slice}]",
                                           "[leftover, utilization_aware]"};
    static const char device[TENANTS][160] = {"{model: v100, sms: 8}", "{model: v100, sms: 5}",
                                              "{model: v100, sms: 6}"};
    char tenant[TENANTS][160], pinned[16];
    snprintf(pinned, sizeof pinned, ", device: %zu", place_of(devices, 1));
    for (size_t i = 0; i < TENANTS; i++)
        snprintf(tenant[i], sizeof tenant[i], "{name: t%zu, workload: w%zu, repeat: forever%s%s}", i, i,
                 kind == 2 && i > 0 ? pinned : "", start);
    add(text, "scenario: s\n");
    if (kind == 2)
        add_list(text, "devices", device, devices);
    else
        add(text, "devices: [%s]\n", device[0]);
    add(text, "policies: %s\n", policies[kind]);
    add_list(text, keys[kind], (const char(*)[160])tenant, tenants);
    add(text, "run: {warmup: 2 ms, duration: 14 ms, replications: 6}\n");
}

/* The same scenario twice; the second lists its tenants, and its devices, in an order that is drawn. */
static void make(struct text text[2], size_t kind, const char *start)
{
    for (size_t i = 0; i < TENANTS; i++)
        add_workload(&text[0], i);
    text[1] = text[0];
    add_scenario(&text[0], kind, start, &as_written, &as_written);
    const struct order tenants = draw_order(&text[1]), devices = draw_order(&text[1]);
    add_scenario(&text[1], kind, start, &tenants, &devices);
}

static double half(struct sms_estimate e) { return e.ci95 > 0 ? e.ci95 : 1e-9 * fabs(e.mean); }

static size_t named(const struct sms_results *results, enum sms_subject subject, const char *name)
{
    size_t idx = 0;
    while (strcmp(sms_results_subject(results, subject, idx), name) != 0)
        idx++;
    return idx;
}

/* How many means differ by more than their intervals. */
static size_t count_moved(const struct sms_results *a, const struct sms_results *b)
{
    static const struct {
        enum sms_subject subject;
        const char *metric;
    } told[] = {{SMS_VM, "jobs_per_s"},
                {SMS_VM, "ntt_ratio"},
                {SMS_HOST, "jobs_per_s"},
                {SMS_HOST, "stp_ratio"},
                {SMS_HOST, "antt_ratio"}};
    size_t moved = 0;
    for (size_t p = 0; p < sms_results_policies(a); p++)
        for (size_t m = 0; m < sizeof told / sizeof *told; m++)
            for (size_t i = 0; i < (told[m].subject == SMS_VM ? TENANTS : 1); i++) {
                size_t other = named(b, told[m].subject, sms_results_subject(a, told[m].subject, i));
                struct sms_estimate x = estimate(a, p, told[m].subject, i, told[m].metric),
                                    y = estimate(b, p, told[m].subject, other, told[m].metric);
                assert_true(x.mean > 0 && y.mean > 0);
                moved += fabs(x.mean - y.mean) > half(x) + half(y);
            }
    return moved;
}

static size_t count_moved_of(uint64_t seed, const char *start)
{
    static struct text text[2];
    struct sms_run_options options = sms_run_defaults();
    text[0] = (struct text){.chance = seed};
    make(text, seed % 3, start);
    struct sms_file *file[2] = {load_text("%s", text[0].chars), load_text("%s", text[1].chars)};
    struct sms_results *a = run_first(file[0], &options), *b = run_first(file[1], &options);
    size_t moved = count_moved(a, b);
    if (moved && !*start)
        print_message("%s", text[1].chars);
    discard(a, file[0]);
    discard(b, file[1]);
    return moved;
}

static void the_order_of_a_list_decides_nothing(void **state)
{
    size_t moved = 0;
    (void)state;
    for (uint64_t seed = 0; seed < SCENARIOS; seed++) {
        assert_int_equal(count_moved_of(seed, ""), 0);
        moved += count_moved_of(seed, ", start: 0 ms") > 0;
    }
    assert_true(moved > 2); /* beginning together, it does */
}

#define LONG_JOBS                                                                                                      \
    "workload: w\nkernels: [{name: k, time: 1 s}]\n---\nscenario: s\ndevices: [{model: v100}]\n"                       \
    "policies: [{mode: mps}]\nprocesses:\n"

/* Jobs of a second in a run of a tenth of it: what is done of them in that time is a tenth, wherever they begin. */
static void a_job_longer_than_the_run_is_under_way(void **state)
{
    struct sms_run_options options = sms_run_defaults();
    struct sms_file *file = load_text(LONG_JOBS "  - {name: p, workload: w, repeat: forever, count: 2}\n"
                                                "run: {duration: 100 ms, replications: 40}\n");
    struct sms_results *results = run_first(file, &options);
    (void)state;
    for (size_t r = 0; r < 40; r++)
        for (size_t v = 0; v < 2; v++) {
            assert_near(value(results, r, SMS_VM, v, "jobs_per_s"), 1, 1e-3);
            assert_true(isnan(value(results, r, SMS_VM, v, "job_latency_mean_ns")));
        }
    discard(results, file);
}

/* 30 ms of a copy, which takes a tenth of the link, and 10 ms of a kernel: a quarter begin in the kernel. */
static void a_phase_counts_a_copy_by_what_it_takes_of_the_link(void **state)
{
    struct sms_run_options options = sms_run_defaults();
    struct sms_file *file = load_text(
        "workload: w\nkernels: [{name: k, time: 10 ms}]\nsteps: [{copy_in: 30 B}, {launch: k}]\n---\nscenario: s\n"
        "devices: [{model: v100, link: {bandwidth: 10 KB/s, copy_in_most: 1 KB/s}}]\npolicies: [{mode: mps}]\n"
        "processes: [{name: p, workload: w, repeat: forever, count: 2}]\nrun: {duration: 1 ms, replications: 400}\n");
    struct sms_results *results = run_first(file, &options);
    struct sms_estimate kernels = estimate(results, 0, SMS_HOST, 0, "kernels_per_s");
    (void)state;
    assert_near(kernels.mean, 2 / 40e-3, kernels.ci95);
    assert_true(kernels.ci95 < 10);
    discard(results, file);
}

static bool is_exact(const char *tenants)
{
    struct sms_run_options options = sms_run_defaults();
    struct sms_file *file = load_text(LONG_JOBS "%srun: {duration: 100 ms, replications: 2}\n", tenants);
    struct sms_results *results = run_first(file, &options);
    bool exact = sms_results_exact(results);
    discard(results, file);
    return exact;
}

static void nothing_is_drawn_where_a_start_is_given_or_nobody_shares(void **state)
{
    (void)state;
    assert_true(is_exact("  - {name: p, workload: w, repeat: forever}\n"));
    assert_true(is_exact("  - {name: p, workload: w, repeat: forever, start: 0 ms, count: 2}\n"));
    assert_true(is_exact("  - {name: p, workload: w, repeat: forever, stagger: 1 ms, count: 2}\n"));
    assert_false(is_exact("  - {name: p, workload: w, repeat: forever, count: 2}\n"));
    assert_false(is_exact("  - {name: p, workload: w}\n  - {name: q, workload: w, repeat: forever}\n"));
}

/* One SM holds one block of 10 us: of two VMs on SMs of their own, each job is 7 blocks, and no phase changes a rate.
 */
static void what_is_done_of_a_launch_does_not_count(void **state)
{
    struct sms_run_options options = sms_run_defaults();
    struct sms_file *file =
        load_text("workload: w\nkernels: [{name: k, blocks: 7, threads: 32, block_time: 10 us}]\n"
                  "---\nscenario: s\ndevices: [{model: v100, sms: 1, sm: {blocks: 1}, dispatch: none}]\npolicies: "
                  "[round_robin]\nqueue: interleave\n"
                  "vms: [{name: a, workload: w, repeat: forever}, {name: b, workload: w, repeat: forever}]\n"
                  "run: {duration: 1 ms, replications: 60}\n");
    struct sms_results *results = run_first(file, &options);
    double least = INFINITY, most = 0;
    (void)state;
    for (size_t r = 0; r < 60; r++) {
        double blocks = value(results, r, SMS_HOST, 0, "blocks_per_s");
        assert_near(value(results, r, SMS_HOST, 0, "kernels_per_s"), blocks / 7, 2e3);
        assert_near(value(results, r, SMS_HOST, 0, "jobs_per_s"), blocks / 7, 2e3);
        least = fmin(least, value(results, r, SMS_VM, 0, "blocks_per_s"));
        most = fmax(most, value(results, r, SMS_VM, 0, "blocks_per_s"));
        assert_true(blocks >= 99000 && blocks <= 100000); /* the SM idles until the first of two waves is over */
    }
    assert_true(most > least);
    discard(results, file);
}

/* Two blocks of 1 ms on an SM: a job takes 2 ms on the instance with one SM, and 1 ms on that with two. */
static void expect_instances(const char *of_a, const char *of_b, double a, double b)
{
    struct sms_run_options options = sms_run_defaults();
    char text[2048];
    snprintf(
        text, sizeof text,
        "device: split\nclock: 1 GHz\nsms: 4\nmemory: 1000 B\nsm: {threads: 2048, warps: 64, blocks: 2}\n"
        "resources: {fp32: {class: compute}}\n"
        "mig: {slices: 4, profiles: [{name: less, sms: 1, memory: 400 B, slices: 1, starts: [0]},\n"
        "                            {name: more, sms: 2, memory: 400 B, slices: 2, starts: [2]}]}\n"
        "---\nworkload: w\nkernels: [{name: k, blocks: 4, threads: 32, block_time: 1 ms}]\n"
        "---\nscenario: s\ndevices: [{model: split}]\npolicies: [{mode: {mig: {instances: [less, more]}}}]\n"
        "processes:\n  - {name: a, workload: w, repeat: forever%s}\n  - {name: b, workload: w, repeat: forever%s}\n"
        "run: {warmup: 2 ms, duration: 102 ms, replications: 20}\n",
        of_a, of_b);
    struct sms_file *file = load_text(text);
    struct sms_results *results = run_first(file, &options);
    for (size_t r = 0; r < 20; r++) {
        assert_near(value(results, r, SMS_VM, 0, "jobs_per_s"), a, 1e-3);
        assert_near(value(results, r, SMS_VM, 1, "jobs_per_s"), b, 1e-3);
    }
    discard(results, file);
}

static void instances_are_had_as_chosen_or_else_in_the_order_of_the_list(void **state)
{
    (void)state;
    expect_instances("", "", 500, 1000);
    expect_instances(", instance: 0", ", instance: 1", 500, 1000);
    expect_instances(", instance: 1", ", instance: 0", 1000, 500);
    expect_instances(", instance: 1", "", 1000, 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_a_list_decides_nothing),
        cmocka_unit_test(instances_are_had_as_chosen_or_else_in_the_order_of_the_list),
        cmocka_unit_test(a_job_longer_than_the_run_is_under_way),
        cmocka_unit_test(a_phase_counts_a_copy_by_what_it_takes_of_the_link),
        cmocka_unit_test(nothing_is_drawn_where_a_start_is_given_or_nobody_shares),
        cmocka_unit_test(what_is_done_of_a_launch_does_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
