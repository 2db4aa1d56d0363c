/* Searches a tree of bounds. */
#include "best_node.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

void sms__best_init(struct sms__best_node *best, struct sms__arena *arena, size_t scores)
{
    size_t count = scores;
    *best = (struct sms__best_node){.count[0] = count, .bound[0] = SMS__NEW(arena, double, count)};
    while (count > 1) {
        count = (count + SMS__BEST_CHILDREN - 1) / SMS__BEST_CHILDREN;
        best->count[++best->top] = count;
        best->bound[best->top] = SMS__NEW(arena, double, count);
    }
}

/* Four maxima at once, as each comparison waits for the one before. */
static double find_most(const double *value, size_t count)
{
    double most[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    size_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (size_t k = 0; k < 4; k++)
            most[k] = value[i + k] > most[k] ? value[i + k] : most[k];
    for (; i < count; i++)
        most[0] = value[i] > most[0] ? value[i] : most[0];
    return fmax(fmax(most[0], most[1]), fmax(most[2], most[3]));
}

/* The first child with the highest bound. */
static size_t find_child(const struct sms__best_node *best, size_t level, size_t vertex)
{
    const double *bound = best->bound[level - 1];
    size_t first = vertex * SMS__BEST_CHILDREN, left = best->count[level - 1] - first;
    double most = find_most(&bound[first], left < SMS__BEST_CHILDREN ? left : SMS__BEST_CHILDREN);
    while (bound[first] != most)
        first++;
    return first;
}

void sms__best_bound(struct sms__best_node *best)
{
    for (size_t level = 1; level <= best->top; level++)
        for (size_t v = 0; v < best->count[level]; v++)
            best->bound[level][v] = best->bound[level - 1][find_child(best, level, v)];
}

size_t sms__best_find(struct sms__best_node *best)
{
    size_t level = best->top, vertex = 0;
    while (level > 0) {
        size_t child = find_child(best, level, vertex);
        double *bound = &best->bound[level][vertex], most = best->bound[level - 1][child];
        bool too_high = most < *bound;
        *bound = most;
        if (too_high && level < best->top) { /* another child of the vertex above may be better */
            vertex /= SMS__BEST_CHILDREN;
            level++;
        } else {
            vertex = child;
            level--;
        }
    }
    return best->bound[0][vertex] == -INFINITY ? SIZE_MAX : vertex;
}
