/* Lists in memory of malloc that grow by one item at a time. Lists of an arena grow by SMS__APPEND. */
#ifndef SMS_BASE_ROOM_H
#define SMS_BASE_ROOM_H

#include <stdlib.h>

/* Makes room for one more item behind `count` items of `size` bytes, and returns the list, which may have moved. The
 * capacity follows from `count`: it doubles at each power of two. So use this only for lists that it alone has
 * enlarged. NULL when out of memory; the list is then what it was. */
static inline void *sms__room(void *list, size_t count, size_t size)
{
    return count & (count - 1) ? list : realloc(list, (count ? 2 * count : 1) * size);
}

#endif
