/* Laws of random small clusters whose pods run workloads. */
#include "pods_with_work.h"

static void add_group(struct text *text, size_t i)
{
    add(text, "  - {name: p%zu, count: <2..7>, cpu: <0..2>.5, arrivals: {poisson: <20..2019> us}", i);
    if (toss(text, 4))
        add(text, ", gpus: <1..3>");
    else
        add(text, ", gpu: <10|25|40|50|100> %%, gpu_memory: <60..559> MiB");
    if (toss(text, 4)) {
        add(text, ", duration: <100..3099> us}\n");
        return;
    }
    add(text, ", workload: <light|dense>, repeat: <1..3>");
    if (toss(text, 3))
        add(text, ", deadline: <500..8499> us");
    if (toss(text, 3))
        add(text, ", priority: <0..2>, weight: <1..3>, active_threads: 50 %%");
    add(text, "}\n");
}

static void add_policy(struct text *text)
{
    const char *share = shares[draw(text, 10)];
    add(text,
        "  - {place: <first_fit|random|best_fit|worst_fit|fgd|gpu_clustering>, share: %s, mode: <{time_slice: "
        "{slice: 40 us, switch: 2 us}}|together|mps|exclusive|{time_slice: {slice: 60 us, drain: true}}>, "
        "block: <round_robin|fine_grained|breadth_first>}\n",
        strcmp(share, "container_pause") ? share : pause_fast);
}

static void make(struct text *text)
{
    add_models(text, draw(text, 2) ? 15 : 0);
    add(text, "scenario: s\ncontention: {model: proportional, slope: 1.5}\n"
              "host: {context: <0..79> MiB, context_time: 5 us}\n"
              "nodes:\n  - {name: n, count: <1..2>, devices: {model: small, count: <1..3>}, cpu: <2..9>}\n"
              "  - {name: big, devices: {model: small, sms: 6, count: 3}, cpu: 12}\n"
              "  - {name: plain, gpus: 2, model: other, gpu_memory: 1 GiB, cpu: 8}\n"
              "fidelity: <blocks|blocks|processes|duration>\npolicies:\n");
    add_policy(text);
    add(text, "pods:\n");
    for (size_t i = 0, groups = 2 + draw(text, 4); i < groups; i++)
        add_group(text, i);
    add(text, "  - {name: last, workload: light, gpu: 20 %%}\n"
              "run: {seed: <1..1000><, duration: 4 ms, warmup: 1 ms|||>}\n");
}

static void random_clusters_are_the_same_in_the_plain_engine_and_lose_no_pod(void **state)
{
    struct event_digest digest = {0};
    double done = 0, failed = 0, slowed = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        struct law law = run_law(make, seed, &digest);
        double ended = metric(law.results, "done_count"), stuck = metric(law.results, "failed_count");
        double placed = metric(law.results, "placed_count");
        if (law.whole) {
            assert_true(placed + metric(law.results, "waiting_count") == metric(law.results, "pods_count"));
            assert_true(ended + stuck <= placed);
        }
        done += ended;
        failed += stuck;
        slowed += metric(law.results, "slowdown_mean_ratio") > 1.05;
        close_law(&law);
    }
    print_message("%.0f pods done, %.0f failed; %.0f clusters slowed them down\n", done, failed, slowed);
    assert_true(done > 1000 && failed > 50 && slowed > 20); /* else it says little */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_clusters_are_the_same_in_the_plain_engine_and_lose_no_pod),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
