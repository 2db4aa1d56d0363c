/* A natural merge sort: each pass merges neighbouring runs in place, until there is one. The smaller run of two is put
 * aside, so that a few items between many take little memory. */
#include "sort.h"

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

static void put_aside(struct list *list, size_t from, size_t count)
{
    if (list->room < count) {
        list->room = count;
        list->aside = sms__alloc(list->scratch, count, list->size);
    }
    memcpy(list->aside, at(list, from), count * list->size);
}

/* Merges the runs [from, middle) and [middle, to), of which the left one is aside, from the left. */
static void merge_left(const struct list *list, size_t from, size_t middle, size_t to)
{
    const char *left = list->aside, *end = left + (middle - from) * list->size;
    for (size_t right = middle; left < end; from++)
        if (right < to && list->compare(left, at(list, right)) > 0) {
            memcpy(at(list, from), at(list, right++), list->size);
        } else {
            memcpy(at(list, from), left, list->size);
            left += list->size;
        }
}

/* The same, of which the right one is aside, from the right. */
static void merge_right(const struct list *list, size_t from, size_t middle, size_t to)
{
    const char *right = list->aside + (to - middle) * list->size;
    for (size_t left = middle; right > list->aside; to--)
        if (left > from && list->compare(at(list, left - 1), right - list->size) > 0) {
            memcpy(at(list, to - 1), at(list, --left), list->size);
        } else {
            right -= list->size;
            memcpy(at(list, to - 1), right, list->size);
        }
}

static void merge(struct list *list, size_t from, size_t middle, size_t to)
{
    if (middle - from <= to - middle) {
        put_aside(list, from, middle - from);
        merge_left(list, from, middle, to);
    } else if (middle < to) {
        put_aside(list, middle, to - middle);
        merge_right(list, from, middle, to);
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
            merge(&list, from, middle, to);
        }
}
