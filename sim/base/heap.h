/* Heaps: arrays whose first item is before all others, if `is_before` orders them. Items have a size and an order that
 * the compiler knows, so that it makes of each use what would be written for its struct. */
#ifndef SMS_BASE_HEAP_H
#define SMS_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* So many small items lie in one line of memory, for which a heap of many waits at each level. */
enum { SMS__HEAP_CHILDREN = 4 };

typedef bool sms__is_before(const void *a, const void *b);

/* Adds an item to a heap of `count`, which has room for it. */
static inline void sms__heap_add(void *heap, size_t count, const void *item, size_t size, sms__is_before *is_before)
{
    char *items = heap;
    size_t i = count;
    for (size_t parent; i > 0; i = parent) {
        parent = (i - 1) / SMS__HEAP_CHILDREN;
        if (!is_before(item, items + parent * size))
            break;
        memcpy(items + i * size, items + parent * size, size);
    }
    memcpy(items + i * size, item, size);
}

/* Takes the first item out of a heap that has `count` others: the last one goes from the top to where it belongs. */
static inline void sms__heap_pop(void *heap, size_t count, size_t size, sms__is_before *is_before)
{
    char *items = heap;
    const char *last = items + count * size;
    size_t i = 0;
    for (size_t child; (child = SMS__HEAP_CHILDREN * i + 1) < count; i = child) {
        const size_t left = count - child, next = child + (left < SMS__HEAP_CHILDREN ? left : SMS__HEAP_CHILDREN);
        for (size_t other = child + 1; other < next; other++)
            child = is_before(items + other * size, items + child * size) ? other : child;
        if (!is_before(items + child * size, last))
            break;
        memcpy(items + i * size, items + child * size, size);
    }
    memmove(items + i * size, last, size);
}

#endif
