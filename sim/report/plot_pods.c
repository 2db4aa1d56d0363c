/* Pods on GPUs over time. Each GPU has a row, in which pods that share it lie one above the other, and one row has the
 * pods that wait. Nodes are sorted by name, and numbers in names by value. */
#include "plot.h"

#include <stdlib.h>
#include <string.h>

/* Compares names by bytes, but numbers in them by value. */
static int compare_names(const char *a, const char *b)
{
    while (*a && *b) {
        size_t x = strspn(a, "0123456789"), y = strspn(b, "0123456789");
        if (x && y) {
            int order = x != y ? (x > y) - (x < y) : strncmp(a, b, x);
            if (order)
                return order;
        } else if (*a != *b)
            return (unsigned char)*a - (unsigned char)*b;
        a += x && y ? x : 1;
        b += x && y ? y : 1;
    }
    return (unsigned char)*a - (unsigned char)*b;
}

/* The row of waiting pods comes first. */
static int compare_rows(const struct sms__gpu_span *x, const struct sms__gpu_span *y)
{
    int order;
    if (!x->gpu || !y->gpu)
        return (x->gpu > 0) - (y->gpu > 0);
    order = compare_names(x->pod->node, y->pod->node);
    return order ? order : (x->gpu > y->gpu) - (x->gpu < y->gpu);
}

static int by_row(const void *a, const void *b)
{
    const struct sms__gpu_span *x = a, *y = b;
    int order = compare_rows(x, y);
    if (order)
        return order;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return (x->pod > y->pod) - (x->pod < y->pod);
}

static void add_pod(struct sms__plot *plot, struct sms__pods_drawn *drawn, const struct sms__pod_span *pod)
{
    if (pod->wait_ns > 0 && pod->wait_ns <= pod->start_ns)
        *SMS__APPEND(&plot->arena, drawn->span, drawn->spans) =
            (struct sms__gpu_span){pod, 0, 0, pod->start_ns - pod->wait_ns, pod->start_ns, SMS__ENDED_WAITING};
    for (unsigned i = 0; i < SMS__PLOT_GPUS; i++)
        if (pod->gpus >> i & 1)
            *SMS__APPEND(&plot->arena, drawn->span, drawn->spans) =
                (struct sms__gpu_span){pod, i + 1, 0, pod->start_ns, pod->end_ns, pod->ended};
}

static const char *name_row(struct sms__plot *plot, const struct sms__gpu_span *span)
{
    return span->gpu ? sms__print(&plot->arena, "%s/%u", span->pod->node, span->gpu - 1) : "waiting";
}

struct sms__pods_drawn sms__draw_pods(struct sms__plot *plot, const struct sms__group_of *group)
{
    struct sms__pods_drawn drawn = {.span = NULL};
    for (size_t i = group->from; i < group->from + group->count; i++)
        add_pod(plot, &drawn, (const struct sms__pod_span *)plot->pod_span.row + i);
    if (drawn.spans)
        qsort(drawn.span, drawn.spans, sizeof *drawn.span, by_row);
    for (size_t i = 0; i < drawn.spans; i++) {
        if (i == 0 || compare_rows(&drawn.span[i - 1], &drawn.span[i]) != 0)
            *SMS__APPEND(&plot->arena, drawn.row.name, drawn.row.count) = name_row(plot, &drawn.span[i]);
        drawn.span[i].row = drawn.row.count - 1;
    }
    return drawn;
}
