/* Searches the tree of what nodes have left: depth first, the child of the highest rank first, and no vertex that fits
 * no such pod or has no node that comes before the one found. */
#include "room_tree.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

enum { CHILDREN_LOG2 = 4, CHILDREN = 1 << CHILDREN_LOG2, LEVELS = 32 / CHILDREN_LOG2 + 1 };

/* What a search may look at in any case, as changes of nodes since the last search of the shape are often more. */
enum { LOOKS_FREE = 200 };

/* What nodes have left, in grades: thousandths of one GPU and then free ones; thousandths of CPUs. */
enum { GPU_GRADES = 8, CPU_GRADES = 6 };
static const uint16_t least_milli[GPU_GRADES] = {0, 1, 250, 500, 1000, 1000, 1000, 1000};
static const uint16_t least_free[GPU_GRADES] = {0, 0, 0, 0, 1, 2, 4, 8};
static const uint64_t least_cpu[CPU_GRADES] = {0, 2000, 4000, 8000, 16000, 32000};

/* The nodes of the highest ranks are often those with GPUs and no CPUs, so the highest rank and the most of each alone
 * would promise too much. */
struct vertex {
    struct sms__room room;
    double rank;                         /* of a node */
    float bound[CPU_GRADES][GPU_GRADES]; /* of the ranks of nodes with so much left; -INFINITY: there are none */
};

struct sms__room_tree {
    size_t top;                    /* the level of the root; nodes are level 0 */
    size_t count[LEVELS];          /* of a level */
    struct vertex *vertex[LEVELS]; /* [count] */
};

struct sms__room_tree *sms__room_tree_new(struct sms__arena *arena, size_t nodes)
{
    struct sms__room_tree *tree = SMS__NEW(arena, struct sms__room_tree, 1);
    tree->count[0] = nodes;
    tree->vertex[0] = SMS__NEW(arena, struct vertex, nodes);
    while (tree->count[tree->top] > 1) {
        const size_t count = (tree->count[tree->top] + CHILDREN - 1) / CHILDREN;
        tree->count[++tree->top] = count;
        tree->vertex[tree->top] = SMS__NEW(arena, struct vertex, count);
    }
    return tree;
}

/* The vertices below one of the level above. */
static const struct vertex *children_of(const struct sms__room_tree *tree, size_t level, size_t vertex,
                                        size_t *children)
{
    const size_t first = vertex << CHILDREN_LOG2, left = tree->count[level - 1] - first;
    *children = left < CHILDREN ? left : CHILDREN;
    return &tree->vertex[level - 1][first];
}

static void widen(struct vertex *all, const struct vertex *one)
{
    struct sms__room *most = &all->room;
    const struct sms__room *room = &one->room;
    most->cpu_left = room->cpu_left > most->cpu_left ? room->cpu_left : most->cpu_left;
    most->memory_left = room->memory_left > most->memory_left ? room->memory_left : most->memory_left;
    most->labels |= room->labels;
    most->models |= room->models;
    most->most_milli = room->most_milli > most->most_milli ? room->most_milli : most->most_milli;
    most->gpus = room->gpus > most->gpus ? room->gpus : most->gpus;
    most->free = room->free > most->free ? room->free : most->free;
    for (int c = 0; c < CPU_GRADES; c++)
        for (int g = 0; g < GPU_GRADES; g++)
            all->bound[c][g] = one->bound[c][g] > all->bound[c][g] ? one->bound[c][g] : all->bound[c][g];
}

/* No number below the rank. */
static float round_up(double rank)
{
    const float near = (float)rank;
    return (double)near < rank ? nextafterf(near, INFINITY) : near;
}

static void set_node(struct vertex *node, const struct sms__room *room, double rank)
{
    const float bound = round_up(rank);
    *node = (struct vertex){.room = *room, .rank = rank};
    for (int g = 0; g < GPU_GRADES; g++) {
        const bool reaches = room->most_milli >= least_milli[g] && room->free >= least_free[g];
        for (int c = 0; c < CPU_GRADES; c++)
            node->bound[c][g] = reaches && room->cpu_left >= least_cpu[c] ? bound : -INFINITY;
    }
}

void sms__room_tree_set(struct sms__room_tree *tree, const struct sms__room *room, double rank)
{
    size_t vertex = room->node, children;
    set_node(&tree->vertex[0][vertex], room, rank);
    for (size_t level = 1; level <= tree->top; level++) {
        const struct vertex *child = children_of(tree, level, vertex >>= CHILDREN_LOG2, &children);
        struct vertex all = child[0];
        for (size_t i = 1; i < children; i++)
            widen(&all, &child[i]);
        tree->vertex[level][vertex] = all;
    }
}

struct search {
    const struct sms__room_tree *tree;
    const struct sms_node_view *node;
    const struct sms_pod_view *pod;
    int cpu, gpu;   /* the highest grades that the pod needs */
    int64_t looks;  /* how many more vertices may be looked at */
    uint32_t found; /* 0 before */
    double rank;    /* of the node found; -INFINITY before */
};

static int cpu_grade(const struct sms_pod_view *pod)
{
    int grade = CPU_GRADES - 1;
    while (pod->cpu_milli < least_cpu[grade])
        grade--;
    return grade;
}

static int gpu_grade(const struct sms_pod_view *pod)
{
    const uint32_t milli = pod->gpus ? pod->gpu_milli : 0, free = milli == 1000 ? pod->gpus : 0;
    int grade = GPU_GRADES - 1;
    while (milli < least_milli[grade] || free < least_free[grade])
        grade--;
    return grade;
}

/* Whether a node below the vertex may come before the one found. */
static bool may_come_first(const struct search *s, size_t level, size_t vertex)
{
    const struct vertex *v = &s->tree->vertex[level][vertex];
    const double bound = (double)v->bound[s->cpu][s->gpu];
    const bool comes = bound > s->rank || (bound == s->rank && vertex << level * CHILDREN_LOG2 < s->found);
    return comes && sms__room_may_fit(&v->room, s->pod);
}

/* Lists the children to be searched, the highest bound first. */
static size_t list_children(const struct search *s, size_t level, size_t vertex, size_t listed[CHILDREN])
{
    size_t children, count = 0;
    const struct vertex *child = children_of(s->tree, level, vertex, &children);
    float bound[CHILDREN];
    for (size_t i = 0; i < children; i++) {
        size_t at = count;
        if (!may_come_first(s, level - 1, (vertex << CHILDREN_LOG2) + i))
            continue;
        bound[i] = child[i].bound[s->cpu][s->gpu];
        for (; at > 0 && bound[listed[at - 1]] < bound[i]; at--)
            listed[at] = listed[at - 1];
        listed[at] = i;
        count++;
    }
    return count;
}

static void look_at_node(struct search *s, size_t n)
{
    const double rank = s->tree->vertex[0][n].rank;
    const bool comes = rank > s->rank || (rank == s->rank && n < s->found);
    if (!comes || !sms_node_fits(&s->node[n], s->pod))
        return;
    s->found = (uint32_t)n;
    s->rank = rank;
}

static void descend(struct search *s, size_t level, size_t vertex)
{
    size_t listed[CHILDREN];
    if (level == 0)
        look_at_node(s, vertex);
    if (level == 0 || --s->looks < 0)
        return;
    const size_t count = list_children(s, level, vertex, listed);
    for (size_t i = 0; i < count; i++) {
        const size_t child = (vertex << CHILDREN_LOG2) + listed[i];
        if (may_come_first(s, level - 1, child))
            descend(s, level - 1, child);
    }
}

bool sms__room_tree_find(const struct sms__room_tree *tree, const struct sms_node_view *node,
                         const struct sms_pod_view *pod, uint32_t *looks, uint32_t *found)
{
    const int64_t most = (int64_t)LOOKS_FREE + *looks;
    struct search search = {tree, node, pod, cpu_grade(pod), gpu_grade(pod), most, 0, -INFINITY};
    descend(&search, tree->top, 0);
    if (search.looks < *looks)
        *looks = search.looks > 0 ? (uint32_t)search.looks : 0;
    *found = search.rank > -INFINITY ? search.found : UINT32_MAX;
    return search.looks >= 0;
}
