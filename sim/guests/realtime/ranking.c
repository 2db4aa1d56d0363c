/* Ranks the nodes that answer a request, and explains the ranking. */
#include "../../levels/cluster/cluster_run.h"
#include "master.h"
#include "../../base/buffer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Nodes of each standing that an explanation names, and bytes of a name. */
enum { NAMED = 8, NAME = 64 };

/* -INFINITY: the node does not qualify. */
static double score(const struct sms__cluster_run *run, size_t n, const struct sms_pod_view *pod)
{
    uint8_t chosen[SMS_NODE_GPUS_MAX];
    const struct sms_node_view *node = &run->ledger.node[n];
    if (!node->monitored->answers || !sms_node_fits(node, pod))
        return -INFINITY;
    return sms__score_node(run, node, pod, chosen);
}

/* Returns whether the node answers. */
static bool ask(const struct sms__cluster_run *run, size_t n, uint64_t now)
{
    struct sms_monitored *monitored = &sms__master(run)->monitored[n];
    *monitored = sms__monitor_request(sms__monitor(run), n, sms__use_of_node(run, n), now);
    return monitored->answers;
}

static double checked_score(struct sms__cluster_run *run, size_t n, const struct sms_pod_view *pod)
{
    double own = score(run, n, pod);
    if (isnan(own) || own == INFINITY)
        sms__cluster_stop(run, "gave a score that is not finite");
    return isnan(own) ? -INFINITY : own;
}

uint32_t sms__rank_nodes(struct sms__cluster_run *run, const struct sms_pod_view *pod, uint64_t now)
{
    uint32_t best = SMS__NO_NODE;
    double most = -INFINITY;
    for (size_t n = 0; n < run->cluster->nodes; n++) {
        run->record->monitor->messages += ask(run, n, now);
        double own = checked_score(run, n, pod);
        best = own > most ? (uint32_t)n : best;
        most = own > most ? own : most;
    }
    run->record->monitor->requests++;
    return best;
}

enum standing { QUALIFIES, FAILS, LACKS, SILENT, STANDINGS };

static const char *const standing_names[STANDINGS] = {"qualify", "do not qualify", "lack what it asks for",
                                                      "do not answer"};

struct ranked {
    enum standing standing;
    double score;
    size_t node;
};

/* The highest score first, of equal ones the lowest node. */
static int compare(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->standing != y->standing)
        return x->standing < y->standing ? -1 : 1;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static struct ranked rank(const struct sms__cluster_run *run, size_t n, const struct sms_pod_view *pod)
{
    struct ranked ranked = {QUALIFIES, score(run, n, pod), n};
    if (!run->ledger.node[n].monitored->answers)
        ranked.standing = SILENT;
    else if (!sms_node_fits(&run->ledger.node[n], pod))
        ranked.standing = LACKS;
    else if (ranked.score == -INFINITY)
        ranked.standing = FAILS;
    return ranked;
}

/* Describes what the node answers, or why it does not. */
static void describe(const struct sms__cluster_run *run, size_t n, char *text)
{
    const struct sms_monitored *seen = run->ledger.node[n].monitored;
    char name[NAME];
    sms__node_name(run->cluster, n, name, sizeof name);
    if (seen->misses)
        sms__append(text, SMS__MESSAGE_BYTES, "%s (%u missed)", name, seen->misses);
    else if (seen->full)
        sms__append(text, SMS__MESSAGE_BYTES, "%s (full)", name);
    else if (seen->timed)
        sms__append(text, SMS__MESSAGE_BYTES, "%s (float %.3f s, %.2f GiB free)", name, seen->float_ps / 1e12,
                    (double)seen->memory_left / (1 << 30));
    else
        sms__append(text, SMS__MESSAGE_BYTES, "%s (no float, %.2f GiB free)", name,
                    (double)seen->memory_left / (1 << 30));
}

/* Lists the nodes of the first standing, which are next to each other. Returns how many there are. */
static size_t list_standing(const struct sms__cluster_run *run, const struct ranked *ranked, size_t count, char *text)
{
    size_t same = 0;
    sms__append(text, SMS__MESSAGE_BYTES, "%s%s: ", *text ? "; " : "", standing_names[ranked[0].standing]);
    for (; same < count && ranked[same].standing == ranked[0].standing; same++) {
        if (same < NAMED)
            sms__append(text, SMS__MESSAGE_BYTES, "%s", same ? ", " : "");
        if (same < NAMED)
            describe(run, ranked[same].node, text);
    }
    if (same > NAMED)
        sms__append(text, SMS__MESSAGE_BYTES, " and %zu more", same - NAMED);
    return same;
}

void sms__explain_ranking(struct sms__cluster_run *run, uint32_t pod, const struct sms_pod_view *view, uint64_t now)
{
    size_t nodes = run->cluster->nodes;
    char text[SMS__MESSAGE_BYTES] = "";
    if (!sms__explains(run->spec->observer, SMS_RUN_MESSAGE, now))
        return;
    struct ranked *ranked = SMS__NEW(run->arena, struct ranked, nodes);
    for (size_t n = 0; n < nodes; n++)
        ranked[n] = rank(run, n, view);
    qsort(ranked, nodes, sizeof *ranked, compare);
    for (size_t n = 0; n < nodes;)
        n += list_standing(run, ranked + n, nodes - n, text);
    sms__explain_pod(run, pod, now, "%s", text);
}
