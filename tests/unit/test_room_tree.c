/* The tree of what nodes have left finds what a search of all nodes finds, in trees of one to five levels. */
#include "tests/harness.h"

#include "sim/base/rng.h"
#include "sim/levels/cluster/room_tree.h"

enum { GPUS_MOST = 8 };

struct test {
    struct sms__arena *arena;
    size_t nodes;
    unsigned ranks; /* few: many are equal */
    gsl_rng *rng;
    struct sms__ledger ledger;
    double *rank;
    struct sms__room_tree *tree;
    int found, given_up; /* of the searches */
};

static unsigned long draw(const struct test *test, unsigned long count)
{
    return gsl_rng_uniform_int(test->rng, count);
}

/* Most nodes have CPUs or GPUs left, few both. Ranks need more bits than a float has. */
static void change_node(struct test *test, size_t n)
{
    struct sms_node_view *node = &test->ledger.node[n];
    struct sms_gpu_view *gpu = &test->ledger.gpu[n * GPUS_MOST];
    const bool full = draw(test, 8) > 0;
    *node = (struct sms_node_view){.node = n,
                                   .model = (int)(n * 3 / test->nodes),
                                   .labels = draw(test, 4),
                                   .gpus = (uint32_t)draw(test, GPUS_MOST + 1),
                                   .gpu = gpu,
                                   .cpu_left = draw(test, 2) ? 1000 * draw(test, 64) : 0,
                                   .memory_left = 1000 * draw(test, 64)};
    for (uint32_t i = 0; i < node->gpus; i++)
        gpu[i] = (struct sms_gpu_view){.milli_left = full && node->cpu_left ? 0 : (uint32_t)draw(test, 5) * 250,
                                       .memory_left = draw(test, 4)};
    if (node->gpus == 0)
        node->model = -1;
    test->rank[n] = (double)draw(test, test->ranks) + 1e9;
    const struct sms__room room = sms__room_of(&test->ledger, n);
    sms__room_tree_set(test->tree, &room, test->rank[n]);
}

static struct sms_pod_view draw_pod(const struct test *test)
{
    const uint32_t gpus = (uint32_t)draw(test, 5);
    return (struct sms_pod_view){.gpus = gpus,
                                 .gpu_milli = gpus ? 200 * (uint32_t)draw(test, 6) : 0,
                                 .gpu_memory = draw(test, 2) * draw(test, 4),
                                 .cpu_milli = draw(test, 40000),
                                 .memory = draw(test, 40000),
                                 .models = draw(test, 2) ? UINT64_MAX : draw(test, 8),
                                 .labels = draw(test, 4) ? 0 : draw(test, 4)};
}

static uint32_t find_among_all(const struct test *test, const struct sms_pod_view *pod)
{
    uint32_t found = UINT32_MAX;
    for (uint32_t n = 0; n < test->nodes; n++)
        if (sms_node_fits(&test->ledger.node[n], pod) && (found == UINT32_MAX || test->rank[n] > test->rank[found]))
            found = n;
    return found;
}

static int compare_with_all(void *user)
{
    struct test *test = user;
    test->rng = sms__stream(test->arena, 1, "test", test->nodes);
    test->ledger.node = SMS__NEW(test->arena, struct sms_node_view, test->nodes);
    test->ledger.gpu = SMS__NEW(test->arena, struct sms_gpu_view, test->nodes * GPUS_MOST);
    test->rank = SMS__NEW(test->arena, double, test->nodes);
    test->tree = sms__room_tree_new(test->arena, test->nodes);
    for (size_t n = 0; n < test->nodes; n++)
        change_node(test, n);
    for (int question = 0; question < 500; question++) {
        const struct sms_pod_view pod = draw_pod(test);
        uint32_t found, looks = (uint32_t)question % 9;
        if (sms__room_tree_find(test->tree, test->ledger.node, &pod, &looks, &found)) {
            assert_int_equal(found, find_among_all(test, &pod));
            test->found += found != UINT32_MAX;
        } else {
            test->given_up++;
        }
        change_node(test, draw(test, test->nodes));
    }
    return 0;
}

static void the_lowest_of_the_highest_ranks_is_found(void **state)
{
    static const size_t nodes[] = {1, 2, 15, 16, 17, 256, 257, 4097, 70000};
    int given_up = 0;
    (void)state;
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
        for (unsigned ranks = 1; ranks < 2000; ranks *= 30) {
            struct sms__arena arena = {0};
            struct test test = {.arena = &arena, .nodes = nodes[i], .ranks = ranks};
            assert_int_equal(sms__guard(&arena, compare_with_all, &test), 0);
            assert_true(test.found > 0);
            assert_true(nodes[i] > 4000 || test.given_up == 0);
            given_up += test.given_up;
            sms__arena_release(&arena);
        }
    assert_true(given_up > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_lowest_of_the_highest_ranks_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
