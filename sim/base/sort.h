/* Sorts lists that are almost in order, as those of traces are. */
#ifndef SMS_BASE_SORT_H
#define SMS_BASE_SORT_H

#include "arena.h"

/* Sorts `count` items of `size` bytes; equal ones keep their order. Time is proportional to count * log(runs), where a
 * run is a part that is in order already: a sorted list costs one look at each item. Takes memory of `scratch` for what
 * two runs that are merged have out of order, at most that of the list. */
void sms__sort(struct sms__arena *scratch, void *items, size_t count, size_t size,
               int (*compare)(const void *left, const void *right));

/* Compares items that begin with a double, such as a time, by that. NAN comes last. */
int sms__by_double(const void *left, const void *right);

#endif
