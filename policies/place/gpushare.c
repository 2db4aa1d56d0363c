/* GPU sharing by memory: the first node where one GPU has the memory, and of its GPUs the one with the least memory
 * left that has enough, of equal ones the lowest.
 *
 * Counts memory alone, as the scheduler extender does: where pods ask for none, all GPUs are alike to it. `spread` and
 * `first` are what its users asked for. Source: gpushare-scheduler-extender (specification 001, 1.3). */
#include <smsched/place.h>

enum { CARD };
enum { BINPACK, SPREAD, FIRST };

static const char *const cards[] = {"binpack", "spread", "first", NULL};

static const struct sms_param params[] = {
    {"card", SMS_UNIT_CHOICE, 0, 2, BINPACK, "of the GPUs that fit: least memory left, most memory left, or the lowest",
     .choices = cards},
    {0},
};

/* Whether `a` suits better than `b`, which has the lower number. */
static bool better(double card, const struct sms_gpu_view *a, const struct sms_gpu_view *b)
{
    return (card == BINPACK && a->memory_left < b->memory_left) || (card == SPREAD && a->memory_left > b->memory_left);
}

static void choose(const struct sms_place_view *view, const struct sms_node_view *node, const struct sms_pod_view *pod,
                   uint8_t chosen[SMS_NODE_GPUS_MAX])
{
    for (uint32_t i = 0; i < node->gpus; i++)
        chosen[i] = 0;
    for (uint32_t taken = 0; taken < pod->gpus; taken++) {
        uint32_t best = node->gpus;
        for (uint32_t i = 0; i < node->gpus; i++) {
            if (chosen[i] || !sms_gpu_fits(&node->gpu[i], pod))
                continue;
            if (best == node->gpus || better(view->params[CARD], &node->gpu[i], &node->gpu[best]))
                best = i;
        }
        if (best < node->gpus)
            chosen[best] = 1;
    }
}

const struct sms_place_policy sms_placing_gpushare = {
    .name = "gpushare",
    .help = "the first node that fits, and the GPU with the least memory left that fits",
    .params = params,
    .search = SMS_PLACE_FIRST,
    .choose = choose,
};
