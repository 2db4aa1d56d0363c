/* The place policy that asks the contention model: by hand, and against the best of all ways to share. */
#include "placing.h"

#define DEVICE                                                                                                         \
    "device: tiny\nclock: 1 GHz\nsms: 2\nmemory: 8 GiB\n"                                                              \
    "sm: {threads: 1024, warps: 32, blocks: 16, registers: 32768, shared_memory: 48 KiB, "                             \
    "shared_memory_per_block: 48 KiB}\n"                                                                               \
    "resources: {fp32: {class: compute}, dram: {class: memory, scope: device}}\n---\n"

/* 40 blocks an SM, 16 at a time. `fp32` and `dram` of one block, in per cent. */
#define WORKLOAD(name, fp32, dram)                                                                                     \
    "workload: " name "\nkernels: [{name: k, blocks: 80, threads: 64, registers: 32, block_time: 10 us, demand: "      \
    "{fp32: " fp32 " %%, dram: " dram " %%}}]\n---\n"

#define POD(name, workload) "  - {name: " name ", gpu: 50 %%, workload: " workload ", repeat: 20}\n"

/* Two that press on memory and two that compute: one of each on a GPU. */
static void opposites_share_a_gpu(void **state)
{
    (void)state;
    struct sms_file *file =
        load_text(DEVICE WORKLOAD("memory", "1", "10") WORKLOAD("compute", "10", "1") //
                  "scenario: s\nnodes: [{name: n, devices: {model: tiny, count: 2}}]\n"
                  "policies: [{place: interference_aware, mode: mps}]\ncontention: proportional\npods:\n" //
                  POD("a", "memory") POD("b", "compute") POD("c", "memory") POD("d", "compute"));
    sms_results_free(run_logged(file, "0 a n 1\n0 b n 2\n0 c n 2\n0 d n 1\n"));
    sms_file_free(file);
}

/* Beside x, y is slowed to 1.1 and slows it by 0.6: 1.7 more in all. Beside z these are 1.2 and 0.3: 1.5. What counts
 * is the sum, so y goes to z, though it suffers more there. */
static void the_sum_of_slowdowns_counts(void **state)
{
    (void)state;
    struct sms_file *file =
        load_text(DEVICE "workload: x\ncorun_class: x\nkernels: [{name: k, blocks: 80, threads: "
                         "64, registers: 32, block_time: 10 us}]\n---\n"
                         "workload: y\ncorun_class: y\nkernels: [{name: k, blocks: 80, threads: "
                         "64, registers: 32, block_time: 10 us}]\n---\n"
                         "workload: z\ncorun_class: z\nkernels: [{name: k, blocks: 80, threads: "
                         "64, registers: 32, block_time: 10 us}]\n---\n"
                         "scenario: s\nnodes: [{name: n, count: 2, devices: {model: tiny}}]\n"
                         "policies: [{place: interference_aware, mode: mps}]\n"
                         "contention: {model: pairwise, slowdown: {x: {x: 2, y: 1.6, z: 2}, y: {x: 1.1, "
                         "y: 2, z: 1.2}, z: {x: 2, y: 1.3, z: 2}}}\n"
                         "pods:\n" POD("a", "x") POD("b", "z") POD("c", "y"));
    sms_results_free(run_logged(file, "0 a n1 1\n0 b n2 1\n0 c n2 1\n"));
    sms_file_free(file);
}

/* C slows nothing, so beside a and c, d costs as much as beside b: both speeds fall by the same. The lower GPU takes
 * it. */
static void rounding_chooses_among_no_equal_gpus(void **state)
{
    (void)state;
    struct sms_file *file =
        load_text(DEVICE "workload: x\nkernels: [{name: k, time: 10 ms, demand: {fp32: 63 %%}}]\n---\n"
                         "workload: y\nkernels: [{name: k, time: 10 ms}]\n---\n"
                         "workload: z\nkernels: [{name: k, time: 10 ms, demand: {fp32: 57 %%}}]\n---\n"
                         "scenario: s\nnodes: [{name: n, devices: {model: tiny, count: 2}}]\n"
                         "policies: [{place: interference_aware, mode: mps}]\ncontention: proportional\npods:\n"
                         "  - {name: a, gpu: 30 %%, workload: x}\n  - {name: b, gpu: 30 %%, workload: x}\n"
                         "  - {name: c, gpu: 30 %%, workload: y}\n  - {name: d, gpu: 30 %%, workload: z}\n");
    sms_results_free(run_logged(file, "0 a n 1\n0 b n 2\n0 c n 1\n0 d n 1\n"));
    sms_file_free(file);
}

/* Where pods take turns, whatever presses on what, two on a GPU take twice as long: they spread. */
static void pods_that_take_turns_spread(void **state)
{
    static const char *const modes[] = {"time_slice", "exclusive"};
    (void)state;
    for (size_t m = 0; m < 2; m++) {
        struct sms_file *file =
            load_text(DEVICE WORKLOAD("light", "1", "1") //
                      "scenario: s\nnodes: [{name: n, devices: {model: tiny, count: 3}}]\n"
                      "policies: [{place: interference_aware, mode: %s}]\ncontention: proportional\npods:\n" //
                      POD("a", "light") POD("b", "light") POD("c", "light"),
                      modes[m]);
        sms_results_free(run_logged(file, "0 a n 1\n0 b n 2\n0 c n 4\n"));
        sms_file_free(file);
    }
}

/* Two that fill the SMs slow each other though they press on little else; one of few blocks leaves room. */
static void pods_that_fill_the_sms_keep_apart(void **state)
{
    (void)state;
    struct sms_file *file = load_text(
        DEVICE WORKLOAD("full", "1", "1") "workload: few\nkernels: [{name: k, blocks: 2, threads: 64, registers: "
                                          "32, block_time: 10 us, demand: {fp32: 10 %%}}]\n---\n"
                                          "scenario: s\nnodes: [{name: n, devices: {model: tiny, count: 2}}]\n"
                                          "policies: [{place: interference_aware, mode: mps}]\n"
                                          "contention: proportional\npods:\n" //
        POD("a", "few") POD("b", "full") POD("c", "full"));
    sms_results_free(run_logged(file, "0 a n 1\n0 b n 1\n0 c n 2\n"));
    sms_file_free(file);
}

/* They press on nothing: one goes to the lowest node. */
static void pods_without_workloads_take_the_first_node(void **state)
{
    (void)state;
    assert_placements(load_text("scenario: s\nnodes: [{name: n, count: 2, gpus: 2}]\npolicies: [interference_aware]\n"
                                "pods: [{name: p, count: 3, gpu: 60 %%}, {name: q}]\n"),
                      "0 p1 n1 1\n0 p2 n1 2\n0 p3 n2 1\n0 q n1 0\n");
}

/* A GPU of its own slows no pod, whatever the device: equal scores, of which the lowest node has one. */
static void an_empty_gpu_is_as_good_as_another(void **state)
{
    static const char *const laws[] = {"pipes", "{model: knee, exponent: 2}", "proportional", "maxmin"};
    (void)state;
    for (size_t i = 0; i < 4 * sizeof laws / sizeof *laws; i++)
        assert_placements(
            load_text(DEVICE "device: large\ninherits: tiny\nsms: 4\n---\n"
                             "workload: w\nkernels: [{name: k, blocks: %d, threads: 256, block_time: 242 us, demand: "
                             "{fp32: 20 %%, dram: %d %%}}]\n---\nscenario: s\n"
                             "nodes: [{name: a, devices: {model: %s}}, {name: b, devices: {model: %s}}]\n"
                             "policies: [{place: interference_aware, mode: mps}]\ncontention: %s\n"
                             "pods: [{name: p, workload: w}]\n",
                      i & 4 ? 33 : 11, i & 4 ? 8 : 30, i & 8 ? "tiny" : "large", i & 8 ? "large" : "tiny", laws[i % 4]),
            "0 p a 1\n");
}

enum { PODS = 6 };

/* The mean slowdown when pods come in this order. */
static double run_order(const char *policy, const char *queue, const int *order)
{
    static const char *const pods[PODS] = {POD("a", "memory"),  POD("b", "memory"),  POD("c", "memory"),
                                           POD("d", "compute"), POD("e", "compute"), POD("f", "both")};
    char text[8192] = DEVICE WORKLOAD("memory", "1", "10") WORKLOAD("compute", "10", "1") WORKLOAD("both", "6", "6");
    size_t used = strlen(text);
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "scenario: s\nnodes: [{name: n, count: 3, devices: {model: tiny}}]\n"
                             "policies: [{place: %s, mode: mps}]\nqueue: %s\ncontention: proportional\npods:\n",
                             policy, queue);
    for (int i = 0; i < PODS; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s", pods[order[i]]);
    struct sms_file *file = load_text(text, 0);
    struct sms_results *results = run_first(file, NULL);
    double slowdown = metric(results, "slowdown_mean_ratio");
    discard(results, file);
    return slowdown;
}

/* One way to pair all: the first with `i`, the next that is left with the j-th after it. */
static void pair_up(int i, int j, int *order)
{
    int left[PODS], count = 0, at = 4;
    for (int p = 1; p < PODS; p++)
        if (p != i)
            left[count++] = p;
    order[0] = 0;
    order[1] = i;
    order[2] = left[0];
    order[3] = left[j];
    for (int p = 1; p < count; p++)
        if (p != j)
            order[at++] = left[p];
}

/* Of all 15 ways to put pairs on three GPUs. */
static double find_best(double *worst)
{
    double best = 1e9;
    *worst = 0;
    for (int way = 0; way < 15; way++) {
        int order[PODS];
        pair_up(1 + way / 3, 1 + way % 3, order);
        double slowdown = run_order("first_fit", "interleave", order);
        best = slowdown < best ? slowdown : best;
        *worst = slowdown > *worst ? slowdown : *worst;
    }
    return best;
}

static void swap(int *a, int *b)
{
    int kept = *a;
    *a = *b;
    *b = kept;
}

/* The next of all orders of these numbers (lexicographic). */
static bool next_order(int *kind)
{
    int i = PODS - 2, j = PODS - 1;
    while (i >= 0 && kind[i] >= kind[i + 1])
        i--;
    if (i < 0)
        return false;
    while (kind[j] <= kind[i])
        j--;
    swap(&kind[i], &kind[j]);
    for (int from = i + 1, to = PODS - 1; from < to; from++, to--)
        swap(&kind[from], &kind[to]);
    return true;
}

/* Of each kind the pods in turn. */
static void order_of(const int *kind, int *order)
{
    int next[] = {0, 3, 5};
    for (int i = 0; i < PODS; i++)
        order[i] = next[kind[i]]++;
}

/* In each of the 60 orders in which three, two and one can come. The policy sees one pod after another. */
static void it_beats_first_fit_and_comes_near_the_best(void **state)
{
    int kind[PODS] = {0, 0, 0, 1, 1, 2}, order[PODS], orders = 0;
    double worst, best = find_best(&worst), first = 0, own = 0, most = 0;
    (void)state;
    do {
        order_of(kind, order);
        double slowdown = run_order("interference_aware", "interleave", order);
        own += slowdown;
        most = slowdown > most ? slowdown : most;
        first += run_order("first_fit", "interleave", order);
        orders++;
    } while (next_order(kind));
    assert_int_equal(orders, 60);
    own /= orders;
    first /= orders;
    print_message("mean slowdown: best %.4f, interference_aware %.4f (%.4f at most), first_fit %.4f, worst %.4f\n",
                  best, own, most, first, worst);
    assert_true(own < 0.95 * first);
    assert_true(own >= best - 1e-9 && own <= 1.02 * best);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opposites_share_a_gpu),
        cmocka_unit_test(the_sum_of_slowdowns_counts),
        cmocka_unit_test(rounding_chooses_among_no_equal_gpus),
        cmocka_unit_test(pods_that_take_turns_spread),
        cmocka_unit_test(pods_that_fill_the_sms_keep_apart),
        cmocka_unit_test(pods_without_workloads_take_the_first_node),
        cmocka_unit_test(an_empty_gpu_is_as_good_as_another),
        cmocka_unit_test(it_beats_first_fit_and_comes_near_the_best),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
