/* Sums up all pods: shapes, of which equal pods share one; typical pods; how many come and how much they ask for. */
#include "cluster.h"

#include <stdlib.h>

enum { TYPICALS_MAX = 1000 };

/* Fields of no padding, one by one: the order is of no meaning, only equal ones must meet. */
static int compare_views(const struct sms_pod_view *a, const struct sms_pod_view *b)
{
    const uint64_t x[] = {a->gpus,   a->gpu_milli,          a->gpu_memory, a->cpu_milli, a->models,   a->profile,
                          a->labels, (uint64_t)a->priority, a->kind,       a->memory,    a->replicas, a->times};
    const uint64_t y[] = {b->gpus,   b->gpu_milli,          b->gpu_memory, b->cpu_milli, b->models,   b->profile,
                          b->labels, (uint64_t)b->priority, b->kind,       b->memory,    b->replicas, b->times};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

struct table {
    const struct sms__profile_times *times;
    uint32_t number;
};

static int compare_times(const struct sms__profile_times *x, const struct sms__profile_times *y)
{
    int order = (x->profiles > y->profiles) - (x->profiles < y->profiles);
    for (size_t i = 0; order == 0 && i < x->profiles; i++) {
        const uint32_t p = x->profile[i], q = y->profile[i];
        order = (p > q) - (p < q);
        if (order == 0)
            order = (x->ps[p] > y->ps[p]) - (x->ps[p] < y->ps[p]);
    }
    return order;
}

static int compare_tables(const void *a, const void *b)
{
    const struct table *x = a, *y = b;
    const int order = compare_times(x->times, y->times);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* Returns for each number of a table of times that of the first equal one. There is no table 0. */
static uint32_t *number_equally(struct sms__arena *arena, const struct sms__profiles *profiles)
{
    uint32_t *number = SMS__NEW(arena, uint32_t, profiles->tables + 1);
    struct table *table = SMS__NEW(arena, struct table, profiles->tables + 1);
    for (size_t t = 0; t < profiles->tables; t++)
        table[t] = (struct table){&profiles->times[t], (uint32_t)t + 1};
    if (profiles->tables)
        qsort(table, profiles->tables, sizeof *table, compare_tables);
    for (size_t t = 0; t < profiles->tables; t++) {
        const bool is_first = t == 0 || compare_times(table[t - 1].times, table[t].times) != 0;
        number[table[t].number] = is_first ? table[t].number : number[table[t - 1].number];
    }
    return number;
}

struct keyed {
    struct sms_pod_view view;
    size_t group, shape;
};

static int compare_keyed(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    int order = compare_views(&x->view, &y->view);
    return order ? order : (x->group > y->group) - (x->group < y->group);
}

static int compare_groups(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    return (x->group > y->group) - (x->group < y->group);
}

/* Gives each group its shape; shapes are in the order of their first groups, which must be no samples. */
static void find_shapes(struct sms__arena *arena, struct sms__cluster *cluster, const struct sms_pod_view *view)
{
    struct keyed *keyed = SMS__NEW(arena, struct keyed, cluster->groups);
    const uint32_t *number = number_equally(arena, &cluster->profiles);
    size_t count = 0;
    for (size_t g = 0; g < cluster->groups; g++) {
        if (cluster->pod[g].rows)
            continue;
        keyed[count] = (struct keyed){view[g], g, 0};
        keyed[count++].view.times = number[view[g].times];
    }
    if (count)
        qsort(keyed, count, sizeof *keyed, compare_keyed);
    for (size_t i = 0; i < count; i++) { /* of equal ones, the first group stands for all */
        bool equal = i > 0 && !compare_views(&keyed[i - 1].view, &keyed[i].view);
        keyed[i].shape = equal ? keyed[i - 1].shape : keyed[i].group;
    }
    if (count)
        qsort(keyed, count, sizeof *keyed, compare_groups);
    size_t open = 0;
    for (size_t t = 0; t < cluster->profiles.tables; t++)
        open += cluster->profiles.times[t].profiles;
    cluster->shape = SMS__NEW(arena, struct sms_pod_view, count + open);
    for (size_t i = 0; i < count; i++) {
        struct sms__pods *pods = &cluster->pod[keyed[i].group];
        if (keyed[i].shape == keyed[i].group) {
            keyed[i].view.times = view[keyed[i].group].times; /* a table of its own, which will name shapes */
            pods->shape = cluster->shapes;
            cluster->shape[cluster->shapes++] = keyed[i].view;
        } else
            pods->shape = cluster->pod[keyed[i].shape].shape;
    }
}

struct weighted {
    struct sms_pod_view view;
    uint64_t weight;
    size_t first;
};

static int compare_weighted(const void *a, const void *b)
{
    const struct weighted *x = a, *y = b;
    int order = compare_views(&x->view, &y->view);
    return order ? order : (x->first > y->first) - (x->first < y->first);
}

static int compare_weights(const void *a, const void *b)
{
    const struct weighted *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

/* Shapes that differ in host memory or priority alone are one, as in FGD's code. Returns how many there are. */
static size_t merge_weighted(struct weighted *weighted, size_t count)
{
    size_t kept = 0;
    qsort(weighted, count, sizeof *weighted, compare_weighted);
    for (size_t i = 0; i < count; i++) {
        if (kept && !compare_views(&weighted[kept - 1].view, &weighted[i].view))
            weighted[kept - 1].weight += weighted[i].weight;
        else
            weighted[kept++] = weighted[i];
    }
    qsort(weighted, kept, sizeof *weighted, compare_weights);
    return kept;
}

static bool asks_alike(const struct sms_pod_view *a, const struct sms_pod_view *b)
{
    return a->gpus == b->gpus && a->gpu_milli == b->gpu_milli && a->gpu_memory == b->gpu_memory &&
           a->models == b->models && a->profile == b->profile && a->labels == b->labels;
}

/* Links the typical pods of each kind, and skips from the first of a kind to that of the next. */
static void link_kinds(struct sms_typical_pod *typical, size_t typicals)
{
    size_t first = 0; /* of the latest kind */
    for (size_t t = 0; t < typicals; t++) {
        size_t after = t; /* the latest that asks for the same */
        while (after > 0 && !asks_alike(&typical[after - 1].pod, &typical[t].pod))
            after--;
        if (after > 0) {
            typical[after - 1].alike = (uint32_t)(t - (after - 1));
            typical[first].skip++;
        } else {
            first = t;
        }
    }
}

/* The typical pods: shapes with the number of pods that have them. A row of a pool counts once. */
static void find_typicals(struct sms__arena *arena, struct sms__cluster *cluster, const struct sms_pod_view *view)
{
    struct weighted *weighted = SMS__NEW(arena, struct weighted, cluster->shapes);
    for (size_t s = 0; s < cluster->shapes; s++) {
        weighted[s] = (struct weighted){cluster->shape[s], 0, s};
        weighted[s].view.memory = 0;
        weighted[s].view.priority = 0;
        weighted[s].view.kind = 0;
        weighted[s].view.replicas = 1;
        weighted[s].view.times = 0;
        cluster->priorities |= cluster->shape[s].priority != 0;
    }
    for (size_t g = 0; g < cluster->groups; g++)
        if (!cluster->pod[g].rows)
            weighted[cluster->pod[g].shape].weight += cluster->pod[g].count * view[g].replicas;
    size_t count = merge_weighted(weighted, cluster->shapes);
    cluster->typicals = count < TYPICALS_MAX ? count : TYPICALS_MAX;
    cluster->typical = SMS__NEW(arena, struct sms_typical_pod, cluster->typicals);
    for (size_t t = 0; t < cluster->typicals; t++)
        cluster->typical_pods += weighted[t].weight;
    double covered = 0;
    uint64_t counted = 0;
    for (size_t t = 0; t < cluster->typicals; t++) {
        const double share = (double)weighted[t].weight / (double)cluster->typical_pods;
        covered += share;
        counted += weighted[t].weight;
        cluster->typical[t] = (struct sms_typical_pod){.pod = weighted[t].view,
                                                       .share = share,
                                                       .pods = weighted[t].weight,
                                                       .covered = covered,
                                                       .counted = counted};
    }
    link_kinds(cluster->typical, cluster->typicals);
}

double sms__mean_milli(const struct sms_pod_view *view, size_t first, size_t count)
{
    double sum = 0;
    for (size_t i = first; i < first + count; i++)
        sum += (double)sms_pod_gpu_milli(&view[i]) * view[i].replicas;
    return count ? sum / (double)count : 0;
}

/* How many pods will come, about, and how much they ask for. */
static void measure_load(struct sms__cluster *cluster, const struct sms_pod_view *view)
{
    double milli = 0;
    for (size_t g = 0; g < cluster->groups; g++) {
        const struct sms__pods *pods = &cluster->pod[g];
        if (pods->pool)
            continue;
        cluster->pods += (double)pods->count * view[g].replicas; /* of a sample, at most */
        double each = pods->rows ? pods->row_milli : (double)sms_pod_gpu_milli(&view[g]) * view[g].replicas;
        milli += pods->until > 0 ? pods->until * (double)cluster->gpu_milli : each * (double)pods->count;
    }
    cluster->load = cluster->gpu_milli ? milli / (double)cluster->gpu_milli : 0;
}

/* Adds what pods that leave their profile open ask for on each: no pod begins so, so it is of no typical one. */
static void add_open_shapes(struct sms__cluster *cluster)
{
    const size_t shapes = cluster->shapes;
    for (size_t s = 0; s < shapes; s++) {
        if (!cluster->shape[s].times)
            continue;
        struct sms__profile_times *times = &cluster->profiles.times[cluster->shape[s].times - 1];
        for (size_t i = 0; i < times->profiles; i++) {
            const uint32_t p = times->profile[i];
            struct sms_pod_view view = cluster->shape[s];
            bool same = view.profile == p;
            view.profile = p;
            view.gpu_milli = times->milli[p];
            times->shape[p] = (uint32_t)(same ? s : cluster->shapes);
            if (!same)
                cluster->shape[cluster->shapes++] = view;
        }
    }
}

void sms__find_shapes(struct sms__arena *arena, struct sms__cluster *cluster, const struct sms_pod_view *view)
{
    find_shapes(arena, cluster, view);
    find_typicals(arena, cluster, view);
    add_open_shapes(cluster);
    measure_load(cluster, view);
}
