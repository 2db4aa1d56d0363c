/* Real time: of the nodes whose containers all met their latest deadlines and left more time, all together, than a job
 * of the new one may take, the one with the most free GPU memory, of equal ones the lowest.
 *
 * Wins where jobs slow each other down and memory says nothing of it: a node with a miss takes nobody. Fails where the
 * sum of the floats grows with every container, so that a full node looks roomy, and where containers come faster than
 * jobs end: what has not run yet is not seen. Source: Kang 2022, Algorithm 2 (specification 003). The paper sorts by
 * memory; `float` is what its conclusion says, `bestfit_float`, the smallest sum that suffices, its future work. */
#include <math.h>
#include <smsched/place.h>

enum { RANK, EMPTY, QUERY, RANK_BASE, RANK_NODE, RETRY };
enum { MEMORY, FLOAT, BESTFIT_FLOAT };

#define MS 1e9
#define SECOND 1e12

static const char *const ranks[] = {"memory", "float", "bestfit_float", NULL};

static const struct sms_param params[] = {
    {"rank", SMS_UNIT_CHOICE, 0, 2, MEMORY,
     "of the nodes that qualify: most free GPU memory, greatest sum of floats, or smallest", .choices = ranks},
    {"empty_node_float", SMS_UNIT_TIME, 0, 2e19, 2e19,
     "the sum where no container with a deadline has run: more than any deadline, or 0 as the paper has it to the "
     "letter"},
    {"query", SMS_UNIT_TIME, 0, 1e15, 1 * MS, "from the request to the answers"},
    {"rank_base", SMS_UNIT_TIME, 0, 1e15, 156.929 * MS, "time to rank the answers (Kang 2022, Fig. 11)"},
    {"rank_node", SMS_UNIT_TIME, 0, 1e15, 0.035354 * MS, "and for each node of the cluster (the same)"},
    {"retry", SMS_UNIT_TIME, 1 * MS, 1e18, 1 * SECOND,
     "after which a container that no node qualified for is tried again"},
    {0},
};

static double score(const struct sms_place_view *view, const struct sms_node_view *node, const struct sms_pod_view *pod,
                    uint8_t chosen[SMS_NODE_GPUS_MAX])
{
    const struct sms_monitored *seen = node->monitored;
    double room = seen->timed ? seen->float_ps : view->params[EMPTY];
    (void)chosen;
    if (pod->deadline_ps && !((double)pod->deadline_ps < room))
        return -INFINITY;
    if (view->params[RANK] == MEMORY)
        return (double)seen->memory_left;
    return view->params[RANK] == FLOAT ? room : -room;
}

static struct sms_place_pace pace(const struct sms_place_view *view, size_t nodes)
{
    return (struct sms_place_pace){.query_ps = view->params[QUERY],
                                   .decide_ps = view->params[RANK_BASE] + view->params[RANK_NODE] * (double)nodes,
                                   .retry_ps = view->params[RETRY]};
}

const struct sms_place_policy sms_placing_realtime = {
    .name = "realtime",
    .help =
        "of nodes that meet their deadlines, and have more time to spare than the deadline, that with most GPU memory",
    .params = params,
    .search = SMS_PLACE_BEST,
    .score = score,
    .pace = pace,
};
