/* Tenants that repeat for ever begin somewhere in a job, which each replication draws. So the order in which a scenario
 * lists its tenants and devices decides nothing. */
#include "random_text.h"

enum { SCENARIOS = 21, TENANTS = 3 };

/* What stands in a list, and in which order. */
struct list {
    char entry[TENANTS][160];
    size_t count;
};

static void add_list(struct text *text, const char *key, const struct list *list, bool backwards)
{
    add(text, "%s:\n", key);
    for (size_t i = 0; i < list->count; i++)
        add(text, "  - %s\n", list->entry[backwards ? list->count - 1 - i : i]);
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

/* The same scenario twice; the second lists its tenants, or its devices, backwards. `start`: "" or ", start: 0 ms". */
static void make(struct text text[2], size_t kind, const char *start)
{
    static const char *const keys[] = {"vms", "processes", "vms"};
    static const char *const policies[] = {"[round_robin, fine_grained]", "[{mode: mps}, {mode: time_slice}]",
                                           "[leftover, utilization_aware]"};
    struct list tenants = {.count = TENANTS}, devices = {{"{model: v100, sms: 8}", "{model: v100, sms: 5}"}, 2};
    for (size_t i = 0; i < TENANTS; i++)
        add_workload(&text[0], i);
    text[1] = text[0];
    for (size_t b = 0; b < 2; b++) {
        const bool turned = kind == 2 && b == 1;
        for (size_t i = 0; i < TENANTS; i++)
            snprintf(tenants.entry[i], sizeof tenants.entry[i], "{name: t%zu, workload: w%zu, repeat: forever%s%s}", i,
                     i,
                     kind < 2 ? ""
                     : i == 0 ? ""
                     : turned ? ", device: 0"
                              : ", device: 1",
                     start);
        devices.count = kind == 2 ? 2 : 1;
        add(&text[b], "scenario: s\n");
        add_list(&text[b], "devices", &devices, turned);
        add(&text[b], "policies: %s\n", policies[kind]);
        add_list(&text[b], keys[kind], &tenants, kind < 2 && b == 1);
        add(&text[b], "run: {warmup: 2 ms, duration: 14 ms, replications: 6}\n");
    }
}

static double half(struct sms_estimate e) { return e.ci95 > 0 ? e.ci95 : 1e-9 * fabs(e.mean); }

/* How many means differ by more than their intervals. */
static size_t count_moved(const struct sms_results *a, const struct sms_results *b)
{
    size_t moved = 0;
    for (size_t p = 0; p < sms_results_policies(a); p++)
        for (size_t i = 0; i <= TENANTS; i++) {
            enum sms_subject subject = i < TENANTS ? SMS_VM : SMS_HOST;
            size_t at = i < TENANTS ? i : 0, other = at;
            if (subject == SMS_VM &&
                strcmp(sms_results_subject(b, SMS_VM, at), sms_results_subject(a, SMS_VM, at)) != 0)
                other = TENANTS - 1 - at;
            struct sms_estimate x = estimate(a, p, subject, at, "jobs_per_s"),
                                y = estimate(b, p, subject, other, "jobs_per_s");
            moved += fabs(x.mean - y.mean) > half(x) + half(y);
        }
    return moved;
}

static size_t count_moved_of(uint64_t seed, const char *start)
{
    static struct text text[2];
    struct sms_run_options options = sms_run_defaults();
    options.alone = false;
    text[0] = (struct text){.chance = seed};
    make(text, seed % 3, start);
    struct sms_file *file[2] = {load_text("%s", text[0].chars), load_text("%s", text[1].chars)};
    struct sms_results *a = run_first(file[0], &options), *b = run_first(file[1], &options);
    size_t moved = count_moved(a, b);
    if (moved && !*start)
        print_message("%s", text[0].chars);
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
        assert_in_range((uintmax_t)blocks, 99000, 100000); /* the SM idles until the first of two waves is over */
    }
    assert_true(most > least);
    discard(results, file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_a_list_decides_nothing),
        cmocka_unit_test(a_job_longer_than_the_run_is_under_way),
        cmocka_unit_test(nothing_is_drawn_where_a_start_is_given_or_nobody_shares),
        cmocka_unit_test(what_is_done_of_a_launch_does_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
