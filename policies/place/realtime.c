/* Real time: the node with the most free GPU memory among those that qualify, and among equals the lowest. A node
 * qualifies if all its containers met their latest deadlines and the sum of their floats exceeds the new container's
 * deadline. A float is the time that a job left until its deadline.
 *
 * Wins if jobs slow each other in ways that memory does not show, because a node with a miss takes no container. Fails
 * in two cases. The sum of the floats grows with every container, so that a full node looks as if it had room. And if
 * containers arrive faster than jobs end, the policy does not see what has not run yet. Source: Kang 2022, Algorithm 2.
 * The paper sorts by memory. Its conclusion proposes `float`, and its future work `bestfit_float`,
 * the smallest sum that suffices. */
#include <math.h>
#include <smsched/place.h>

enum { RANK, EMPTY, QUERY, RANK_BASE, RANK_NODE, RETRY };
enum { MEMORY, FLOAT, BESTFIT_FLOAT };

#define MS 1e9
#define SECOND 1e12

static const char *const ranks[] = {"memory", "float", "bestfit_float", NULL};

static const struct sms_param params[] = {
    {"rank", SMS_UNIT_CHOICE, 0, 2, MEMORY,
     "says which node that qualifies is taken: the one with the most free GPU memory, the largest sum of floats, or "
     "the smallest sum of floats",
     .choices = ranks},
    {"empty_node_float", SMS_UNIT_TIME, 0, 2e19, 2e19,
     "sets the sum of floats if no job with a deadline was seen to begin: more than any deadline, or 0 as in the "
     "paper"},
    {"query", SMS_UNIT_TIME, 0, 1e15, 1 * MS, "sets the time from the request to the answers"},
    {"rank_base", SMS_UNIT_TIME, 0, 1e15, 156.929 * MS, "sets the time to rank the answers (Kang 2022, Fig. 11)"},
    {"rank_node", SMS_UNIT_TIME, 0, 1e15, 0.035354 * MS,
     "sets the additional time for each node of the cluster (Kang 2022, Fig. 11)"},
    {"retry", SMS_UNIT_TIME, 1 * MS, 1e18, 1 * SECOND,
     "sets the time after which a container for which no node qualified is tried again"},
    {0},
};

static double score(const struct sms_place_view *view, const struct sms_node_view *node, const struct sms_pod_view *pod,
                    uint8_t chosen[SMS_NODE_GPUS_MAX])
{
    const struct sms_monitored *monitored = node->monitored;
    double sum = monitored->timed ? monitored->float_ps : view->params[EMPTY];
    (void)chosen;
    if (pod->deadline_ps && !((double)pod->deadline_ps < sum))
        return -INFINITY;
    if (view->params[RANK] == MEMORY)
        return (double)monitored->memory_left;
    return view->params[RANK] == FLOAT ? sum : -sum;
}

static struct sms_place_pace pace(const struct sms_place_view *view, size_t nodes)
{
    return (struct sms_place_pace){.query_ps = view->params[QUERY],
                                   .decide_ps = view->params[RANK_BASE] + view->params[RANK_NODE] * (double)nodes,
                                   .retry_ps = view->params[RETRY]};
}

const struct sms_place_policy sms_place_policy_realtime = {
    .name = "realtime",
    .help = "takes the node with the most free GPU memory among those that meet deadlines and have time to spare for "
            "the pod's",
    .params = params,
    .search = SMS_PLACE_BEST,
    .score = score,
    .pace = pace,
};
