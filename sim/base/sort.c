/* A natural merge sort: each pass merges neighbouring runs in place, until there is one. Of two runs only what changes
 * its place is put aside, so that items a little out of order take little memory. */
#include "sort.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

struct list {
    char *item;
    size_t count, size;
    int (*compare)(const void *left, const void *right);
    struct sms__arena *scratch;
    char *aside;
    size_t room; /* of `aside`, in items */
};

static char *at(const struct list *list, size_t i) { return list->item + i * list->size; }

/* The end of the run that begins at `from`. */
static size_t run_end(const struct list *list, size_t from)
{
    size_t end = from < list->count ? from + 1 : from;
    while (end > from && end < list->count && list->compare(at(list, end - 1), at(list, end)) <= 0)
        end++;
    return end;
}

/* Merges the runs [from, middle) and [middle, to). Only items of the left one that come after the right one's first
 * item are put aside. */
static void merge(struct list *list, size_t from, size_t middle, size_t to)
{
    while (from < middle && list->compare(at(list, from), at(list, middle)) <= 0)
        from++;
    if (from == middle)
        return;
    if (list->room < middle - from) {
        list->room = middle - from;
        list->aside = sms__alloc(list->scratch, list->room, list->size);
    }
    memcpy(list->aside, at(list, from), (middle - from) * list->size);
    const char *left = list->aside, *end = left + (middle - from) * list->size;
    for (size_t right = middle; left < end; from++)
        if (right < to && list->compare(left, at(list, right)) > 0) {
            memcpy(at(list, from), at(list, right++), list->size);
        } else {
            memcpy(at(list, from), left, list->size);
            left += list->size;
        }
}

void sms__sort(struct sms__arena *scratch, void *items, size_t count, size_t size,
               int (*compare)(const void *left, const void *right))
{
    struct list list = {items, count, size, compare, scratch, NULL, 0};
    /* Each pass halves the runs; the bound is for an order that contradicts itself. */
    for (size_t runs = count; runs > 0 && run_end(&list, 0) < count; runs /= 2)
        for (size_t from = 0, to; from < count; from = to) {
            const size_t middle = run_end(&list, from);
            to = run_end(&list, middle);
            if (middle < to)
                merge(&list, from, middle, to);
        }
}

int sms__by_double(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    const bool no_a = isnan(a), no_b = isnan(b);
    return no_a || no_b ? no_a - no_b : (a > b) - (a < b);
}
