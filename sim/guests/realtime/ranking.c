/* Ranks the nodes that answer a request, and explains the ranking. */
#include "../../levels/cluster/cluster_run.h"
#include "master.h"
#include "../../levels/cluster/best_node.h"

#include <math.h>
#include <stdarg.h>
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

static struct sms_monitored ask(const struct sms__cluster_run *run, size_t n, uint64_t now)
{
    return sms__monitor_request(sms__monitor(run), n, sms__use_of_node(run, n), now);
}

/* Scores of all nodes for pods of a shape and a deadline. */
struct sms__ranking {
    struct sms__ranking *next; /* of the shape */
    uint64_t deadline_ps;
    bool built;
    uint64_t seen; /* the ledger's log up to there is in the scores */
    struct sms__best best;
};

void sms__rankings_init(struct sms__cluster_run *run)
{
    bool same = sms__monitor_tells_changes(sms__monitor(run)) && !run->hosts;
    if (same && !run->reference)
        sms__master(run)->ranking = SMS__NEW(run->arena, struct sms__ranking *, run->cluster->shapes);
}

/* NULL: there is no memory for it. */
static struct sms__ranking *find_ranking(struct sms__cluster_run *run, uint32_t shape, uint64_t deadline_ps)
{
    struct sms__ranking **at = &sms__master(run)->ranking[shape];
    while (*at && (*at)->deadline_ps != deadline_ps)
        at = &(*at)->next;
    if (*at || !sms__search_reserve(run, (double)run->cluster->nodes * sizeof(double)))
        return *at;
    *at = SMS__NEW(run->arena, struct sms__ranking, 1);
    (*at)->deadline_ps = deadline_ps;
    sms__best_init(&(*at)->best, run->arena, run->cluster->nodes);
    return *at;
}

static void refresh(struct sms__cluster_run *run, size_t n, uint64_t now)
{
    struct sms__master *master = sms__master(run);
    struct sms_monitored *monitored = &master->monitored[n];
    master->answers -= monitored->answers;
    *monitored = ask(run, n, now);
    master->answers += monitored->answers;
}

/* Brings all answers up to date. Nodes that have observed something enter the ledger's log. */
static void refresh_all(struct sms__cluster_run *run, uint64_t now)
{
    struct sms__master *master = sms__master(run);
    bool all = !master->ranking || run->record->monitor->requests == 0;
    uint32_t node;
    while (master->ranking && sms__monitor_next_changed(sms__monitor(run), now, &node))
        sms__log_change(&run->ledger, node);
    if (all || !sms__log_reaches(&run->ledger, master->seen)) {
        for (size_t n = 0; n < run->cluster->nodes; n++)
            refresh(run, n, now);
        master->seen = run->ledger.logged;
    }
    while (sms__log_next(&run->ledger, &master->seen, &node))
        refresh(run, node, now);
}

static double checked_score(struct sms__cluster_run *run, size_t n, const struct sms_pod_view *pod)
{
    double own = score(run, n, pod);
    if (isnan(own) || own == INFINITY)
        sms__cluster_stop(run, "gave a score that is not finite");
    return isnan(own) ? -INFINITY : own;
}

static void update(struct sms__cluster_run *run, struct sms__ranking *ranking, const struct sms_pod_view *pod)
{
    if (ranking->built && sms__log_reaches(&run->ledger, ranking->seen)) {
        for (uint32_t n; sms__log_next(&run->ledger, &ranking->seen, &n);)
            sms__best_set(&ranking->best, n, checked_score(run, n, pod));
        return;
    }
    for (size_t n = 0; n < run->cluster->nodes; n++)
        ranking->best.bound[0][n] = checked_score(run, n, pod);
    sms__best_bound(&ranking->best);
    ranking->seen = run->ledger.logged;
    ranking->built = true;
}

static uint32_t rank_afresh(struct sms__cluster_run *run, const struct sms_pod_view *pod)
{
    uint32_t best = SMS__NO_NODE;
    double most = -INFINITY;
    for (size_t n = 0; n < run->cluster->nodes; n++) {
        double own = checked_score(run, n, pod);
        best = own > most ? (uint32_t)n : best;
        most = own > most ? own : most;
    }
    return best;
}

uint32_t sms__rank_nodes(struct sms__cluster_run *run, uint32_t shape, const struct sms_pod_view *pod, uint64_t now)
{
    struct sms__master *master = sms__master(run);
    refresh_all(run, now);
    run->record->monitor->requests++;
    run->record->monitor->messages += master->answers;
    struct sms__ranking *ranking = master->ranking ? find_ranking(run, shape, pod->deadline_ps) : NULL;
    if (!ranking)
        return rank_afresh(run, pod);
    update(run, ranking, pod);
    size_t best = sms__best_find(&ranking->best);
    return best == SIZE_MAX ? SMS__NO_NODE : (uint32_t)best;
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

struct text {
    char text[4096];
    size_t used;
};

static void append(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void append(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int wrote = vsnprintf(text->text + text->used, sizeof text->text - text->used, format, args);
    va_end(args);
    size_t left = sizeof text->text - text->used - 1;
    text->used += wrote < 0 ? 0 : (size_t)wrote < left ? (size_t)wrote : left;
}

/* Describes what the node answers, or why it does not. */
static void describe(const struct sms__cluster_run *run, size_t n, struct text *text)
{
    const struct sms_monitored *seen = run->ledger.node[n].monitored;
    char name[NAME];
    sms__node_name(run->cluster, n, name, sizeof name);
    if (seen->misses)
        append(text, "%s (%u missed)", name, seen->misses);
    else if (seen->full)
        append(text, "%s (full)", name);
    else if (seen->timed)
        append(text, "%s (float %.3f s, %.2f GiB free)", name, seen->float_ps / 1e12,
               (double)seen->memory_left / (1 << 30));
    else
        append(text, "%s (no float, %.2f GiB free)", name, (double)seen->memory_left / (1 << 30));
}

/* Lists the nodes of the first standing, which are next to each other. Returns how many there are. */
static size_t list_standing(const struct sms__cluster_run *run, const struct ranked *ranked, size_t count,
                            struct text *text)
{
    size_t same = 0;
    append(text, "%s%s: ", text->used ? "; " : "", standing_names[ranked[0].standing]);
    for (; same < count && ranked[same].standing == ranked[0].standing; same++) {
        if (same < NAMED)
            append(text, "%s", same ? ", " : "");
        if (same < NAMED)
            describe(run, ranked[same].node, text);
    }
    if (same > NAMED)
        append(text, " and %zu more", same - NAMED);
    return same;
}

void sms__explain_ranking(struct sms__cluster_run *run, uint32_t pod, const struct sms_pod_view *view, uint64_t now)
{
    struct sms__run_observer *observer = run->spec->observer;
    size_t nodes = run->cluster->nodes;
    char name[256];
    if (!sms__explains(observer, SMS_RUN_MESSAGE, now))
        return;
    struct text *text = SMS__NEW(run->arena, struct text, 1);
    struct ranked *ranked = SMS__NEW(run->arena, struct ranked, nodes);
    for (size_t n = 0; n < nodes; n++)
        ranked[n] = rank(run, n, view);
    qsort(ranked, nodes, sizeof *ranked, compare);
    for (size_t n = 0; n < nodes;)
        n += list_standing(run, ranked + n, nodes - n, text);
    sms__pod_name(run, pod, name, sizeof name);
    const struct sms_message message = {now, name, text->text};
    sms__observe(observer, (struct sms_run_event){SMS_RUN_MESSAGE, .message = &message});
}
