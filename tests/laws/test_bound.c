/* The bound of docs/bound.md: values worked out by hand, scenarios in which a
 * policy reaches it, and 200 random ones in which none may exceed it. */
#include "tests/harness.h"

static struct sms_bound bound_of(const struct sms_file *file, enum sms_bounded metric)
{
    struct sms_errors errors;
    struct sms_bound bound;
    if (sms_bound(sms_file_scenario(file, 0), metric, &bound, &errors)) {
        sms_errors_print(&errors, stderr);
        fail_msg("no bound");
    }
    return bound;
}

/* ---- random scenarios ---- */

/* splitmix64: the same scenarios everywhere. */
static uint64_t state_of_chance;

static uint64_t next(void)
{
    uint64_t x = state_of_chance += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static int between(int least, int most) { return least + (int)(next() % (uint64_t)(most - least + 1)); }
static bool perhaps(int percent) { return between(1, 100) <= percent; }

struct text {
    char chars[15000];
    size_t length;
};

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text->length += (size_t)vsnprintf(text->chars + text->length, sizeof text->chars - text->length, format, args);
    va_end(args);
    assert_true(text->length < sizeof text->chars);
}

static const char *const resources[] = {"fp32", "fp64", "l1", "dram"};

static void add_device(struct text *text, const char *name, bool wide, bool loaded)
{
    int sms = between(1, 5);
    add(text, "device: %s\nclock: 1 GHz\nsms: %d\nlink: {bandwidth: 2 GB/s}\n", name, sms);
    add(text, "sm: {threads: %d, warps: 64, blocks: %d, registers: 65536, shared_memory: 64 KiB, threads_per_block: 1024}\n",
        1024 * between(1, 2), between(2, 16));
    add(text, "resources:\n");
    for (int r = 0; r < 4; r++)
        add(text, "  %s: {class: %s%s}\n", resources[r], r < 2 ? "compute" : "memory",
            r == 3 && wide ? ", scope: device" : "");
    if (loaded)
        add(text, "background: [{sm: %d, demand: {dram: %d %%, fp32: %d %%}}]\n", between(0, sms - 1), between(0, 90),
            between(0, 40));
    add(text, "---\n");
}

static void add_kernel(struct text *text, int k, bool random)
{
    add(text, "  - {name: k%d, blocks: %d, threads: %d, registers: %d, shared_memory: %d KiB, block_time: %d us", k,
        between(1, 60), 32 * between(1, 24), between(16, 64), between(0, 24), between(3, 40));
    if (random && perhaps(50))
        add(text, perhaps(50) ? ", spread: exponential" : ", jitter: 40 %%");
    add(text, ", demand: {");
    const char *comma = "";
    for (int r = 0; r < 4; r++)
        if (perhaps(60)) {
            add(text, "%s%s: %d %%", comma, resources[r], between(1, perhaps(30) ? 60 : 20));
            comma = ", ";
        }
    add(text, "}}\n");
}

/* Kernels, then steps in any order, unless each is to be launched once. */
static void add_workload(struct text *text, int v, bool random)
{
    int kernels = between(1, 3);
    add(text, "workload: w%d\nkernels:\n", v);
    for (int k = 0; k < kernels; k++)
        add_kernel(text, k, random);
    if (perhaps(60)) {
        add(text, "steps: [");
        for (int k = 0; k < kernels; k++) {
            if (perhaps(30))
                add(text, "{host: %d us}, ", between(0, 300));
            if (perhaps(30))
                add(text, "{copy_%s: %d KiB}, ", perhaps(50) ? "in" : "out", between(0, 400));
            add(text, "{launch: k%d, times: %d}, ", k, between(1, 4));
        }
        add(text, "{host: %d us}]\n", between(0, 50));
    }
    add(text, "---\n");
}

static void add_contention(struct text *text)
{
    static const char *const slopes[] = {"0", "0.3", "1", "2.55"};
    switch (between(0, 3)) {
    case 0:
        add(text, "contention: none\n");
        return;
    case 1:
        add(text, "contention: maxmin\n");
        return;
    case 2:
        add(text, "contention: {model: proportional, slope: %s}\n", slopes[between(0, 3)]);
        return;
    default:
        add(text, "contention: {model: curve, curves: {dram: [[%d %%, 2 %%], [160 %%, %d %%]], fp32: [[100 %%, %d %%]]}}\n",
            between(20, 120), between(5, 200), between(0, 80));
    }
}

static void add_vm(struct text *text, int v, bool ends)
{
    add(text, "  - {name: v%d, workload: w%d, streams: %d", v, v, between(1, 4));
    if (perhaps(20))
        add(text, ", start: %d us", between(0, 2500));
    if (!ends && perhaps(25))
        add(text, ", arrivals: {%s: %d us}", perhaps(50) ? "poisson" : "every", between(20, 900));
    else
        add(text, ends || perhaps(15) ? ", repeat: %d" : ", repeat: forever", between(1, 30));
    add(text, "}\n");
}

/* Two times in three a window with a warm-up, else until all is done, without or with a duration. */
static void write_scenario(struct text *text, uint64_t seed, bool random)
{
    static const char *const queues[] = {"interleave", "fifo", "kernel_fifo", "rr_fifo"};
    state_of_chance = seed;
    bool ends = perhaps(33), wide = perhaps(50), two = perhaps(25);
    int vms = between(1, 4);
    *text = (struct text){.length = 0};
    add_device(text, "one", wide, !ends && perhaps(30));
    if (two)
        add_device(text, "two", wide, false);
    for (int v = 0; v < vms; v++)
        add_workload(text, v, random);
    add(text, "scenario: s\ndevices: [{model: one, count: %d}%s]\nqueue: %s\n", between(1, 2),
        two ? ", {model: two}" : "", queues[between(0, 3)]);
    add_contention(text);
    add(text, "policies: [round_robin, utilization_aware, fine_grained, {fine_grained: {limit: 150 %%}}, breadth_first,\n"
              "  depth_first, round_robin_full, most_room, leftover]\nvms:\n");
    for (int v = 0; v < vms; v++)
        add_vm(text, v, ends);
    if (!ends)
        add(text, "run: {warmup: %d us, duration: 20 ms, seed: %d}\n", perhaps(70) ? between(1, 1500) : 0,
            between(1, 1000));
    else if (perhaps(50))
        add(text, "run: {duration: %d us}\n", between(2600, 20000));
}

struct tally {
    int runs, bounded, near; /* policies' figures; with a bound; within 10 % of it */
};

static void check_against_bound(const struct sms_file *file, const struct sms_results *results, const char *text,
                                struct tally *tally)
{
    for (int m = 0; m < SMS_BOUNDED; m++) {
        struct sms_bound bound = bound_of(file, (enum sms_bounded)m);
        for (size_t p = 0; p < sms_results_policies(results); p++) {
            double value = estimate(results, p, SMS_HOST, 0, sms_bound_metric((enum sms_bounded)m)).mean;
            tally->runs++;
            if (bound.reason)
                continue;
            tally->bounded++;
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
        options.alone = false;
        write_scenario(&text, first + i, random);
        struct sms_file *file = load_text("%s", text.chars);
        struct sms_results *results = run_first(file, &options);
        check_against_bound(file, results, text.chars, tally);
        sms_results_free(results);
        sms_file_free(file);
    }
    print_message("%d figures, %d with a bound, %d within 10 %% of it\n", tally->runs, tally->bounded, tally->near);
    assert_true(tally->bounded > tally->runs / 2); /* the test says something ... */
    assert_true(tally->near > tally->runs / 20);   /* ... about bounds that are not far away */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_policy_exceeds_it_on_100_scenarios_without_chance),
        cmocka_unit_test(no_policy_exceeds_it_on_100_scenarios_with_random_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
