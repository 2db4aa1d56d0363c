/* Nodes and pods made by hand, for tests of place policies. */
#ifndef TESTS_POLICY_PLACING_FIXTURE_H
#define TESTS_POLICY_PLACING_FIXTURE_H

#include "../harness.h"

#include <smsched/place.h>

enum { GIB_SHIFT = 30, ANY_MODEL = -1, T4 = 3, P100 = 5 };

#define PLACE_POLICIES(X)                                                                                              \
    X(balanced)                                                                                                        \
    X(best_fit)                                                                                                        \
    X(dominant_share)                                                                                                  \
    X(dot_product)                                                                                                     \
    X(fgd)                                                                                                             \
    X(gpu_clustering)                                                                                                  \
    X(gpu_packing)                                                                                                     \
    X(gpushare)                                                                                                        \
    X(least_allocated)                                                                                                 \
    X(most_allocated)                                                                                                  \
    X(realtime)                                                                                                        \
    X(worst_fit)

#define DECLARE(name) extern const struct sms_place_policy sms_place_policy_##name;
PLACE_POLICIES(DECLARE)

/* A node and its GPUs, to which its view points. */
struct fixture {
    struct sms_node_view node;
    struct sms_gpu_view gpu[SMS_NODE_GPUS_MAX];
};

/* An A100 40 GB, whose profiles are numbered by their compute slices. */
static const struct sms_mig_view a100
    __attribute__((unused)) = {.slices = 8,
                               .profile = {[1] = {.slices = 1, .starts = 0x7f},
                                           [2] = {.slices = 2, .starts = 0x15},
                                           [3] = {.slices = 4, .starts = 0x11},
                                           [4] = {.slices = 4, .starts = 1},
                                           [5] = {.slices = 2, .starts = 0x55}, /* 1g.10gb */
                                           [7] = {.slices = 8, .starts = 1}}};

static inline uint64_t gib(uint64_t count) { return count << GIB_SHIFT; }

/* Makes a node of model T4 with 64 CPUs and 256 GiB, all free. Each of its GPUs has 16 GiB and the given share left. A
 * GPU with less than all of it left holds a pod, which pods_by_gpus does not count. */
static inline void make_node(struct fixture *f, uint32_t gpus, const uint32_t *milli_left)
{
    *f = (struct fixture){.node = {.model = gpus ? T4 : -1,
                                   .gpus = gpus,
                                   .gpu_memory = gib(16),
                                   .cpu_milli = 64000,
                                   .cpu_left = 64000,
                                   .memory = gib(256),
                                   .memory_left = gib(256)}};
    for (uint32_t i = 0; i < gpus; i++)
        f->gpu[i] = (struct sms_gpu_view){milli_left[i], milli_left[i] < 1000, gib(16)};
    f->node.gpu = f->gpu;
}

#define NODE(f, ...) make_node(f, sizeof(uint32_t[]){__VA_ARGS__} / sizeof(uint32_t), (const uint32_t[]){__VA_ARGS__})

static inline struct sms_pod_view make_pod(uint32_t gpus, uint32_t milli, uint64_t cpu_milli)
{
    return (struct sms_pod_view){.gpus = gpus, .gpu_milli = milli, .cpu_milli = cpu_milli, .models = UINT64_MAX};
}

/* A cluster whose largest node has 128 CPUs, 1 TiB and 8 GPUs, and the parameters of a policy with their defaults. */
struct setting {
    struct sms_place_view view;
    double params[8];
};

static inline void make_setting(struct setting *s, const struct sms_place_policy *policy)
{
    *s = (struct setting){.view = {.cpu_most = 128000, .memory_most = gib(1024), .gpus_most = 8}};
    for (size_t i = 0; policy->params && policy->params[i].name; i++)
        s->params[i] = policy->params[i].fallback;
    s->view.params = s->params;
}

static inline void set_param(struct setting *s, const struct sms_place_policy *policy, const char *name, double value)
{
    for (size_t i = 0; policy->params && policy->params[i].name; i++) {
        if (strcmp(policy->params[i].name, name))
            continue;
        s->params[i] = value;
        return;
    }
    fail_msg("%s has no parameter %s", policy->name, name);
}

/* The engine's default choice: among the GPUs that have enough left, those with the least left. */
static inline void choose_best(const struct sms_node_view *node, const struct sms_pod_view *pod, uint8_t *chosen)
{
    memset(chosen, 0, SMS_NODE_GPUS_MAX);
    for (uint32_t taken = 0; taken < pod->gpus; taken++) {
        uint32_t best = node->gpus;
        for (uint32_t i = 0; i < node->gpus; i++)
            if (!chosen[i] && sms_gpu_fits(&node->gpu[i], pod) &&
                (best == node->gpus || node->gpu[i].milli_left < node->gpu[best].milli_left))
                best = i;
        assert_true(best < node->gpus);
        chosen[best] = 1;
    }
}

static inline double score_with(const struct setting *s, const struct sms_place_policy *policy, const struct fixture *f,
                                struct sms_pod_view pod, uint8_t *chosen)
{
    assert_true(sms_node_fits(&f->node, &pod));
    choose_best(&f->node, &pod, chosen);
    return policy->score(&s->view, &f->node, &pod, chosen);
}

/* The score with default parameters. */
static inline double score_of(const struct sms_place_policy *policy, const struct fixture *f, struct sms_pod_view pod)
{
    struct setting s;
    uint8_t chosen[SMS_NODE_GPUS_MAX];
    make_setting(&s, policy);
    return score_with(&s, policy, f, pod, chosen);
}

#endif
