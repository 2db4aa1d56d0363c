/* Memory that is released all at once. Each load and each run has an arena. Nothing in it is freed on its own, so no
 * path out of a function leaks, not even one that runs out of memory. */
#ifndef SMS_BASE_ARENA_H
#define SMS_BASE_ARENA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct sms__arena {
    struct sms__chunk *chunks;
    struct sms__chunk *spare; /* what sms__arena_reset has kept, in the order in which it was taken */
    jmp_buf *out_of_memory;   /* where sms__alloc jumps when memory runs out; NULL outside a guard */
    size_t used, most;        /* bytes of its chunks without spare ones; what they may be, or 0: as much as there is */
};

/* Calls body(user) and returns its result. If an allocation from `arena` fails inside body, the guard abandons body at
 * once and returns SMS_ENOMEM; or SMS_EMEMORY, if the arena would have more than `most`. Guards nest. A body must own
 * nothing outside the arena, because it may not reach its end. */
int sms__guard(struct sms__arena *arena, int (*body)(void *user), void *user);

/* Returns zeroed memory, aligned for any type; never NULL. Call it only inside a guard. An overflow of count * size
 * counts as running out of memory. */
void *sms__alloc(struct sms__arena *arena, size_t count, size_t size);

/* Leaves the innermost guard as sms__alloc does if `bytes` more would exceed `most`; called before any is taken. */
void sms__arena_expect(const struct sms__arena *arena, size_t bytes);

/* Leaves the innermost guard with SMS_ENOMEM. For code that learns of a failed allocation elsewhere. */
void sms__arena_give_up(struct sms__arena *arena) __attribute__((noreturn));

/* Returns a terminated copy of the first `length` bytes of `text`. */
char *sms__copy(struct sms__arena *arena, const char *text, size_t length);
/* Returns formatted text, in memory of the arena. */
char *sms__print(struct sms__arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *sms__vprint(struct sms__arena *arena, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

/* Returns a copy of `count` items in a new array of `room` >= count items. The rest of the array is zero. */
void *sms__enlarge(struct sms__arena *arena, const void *items, size_t count, size_t room, size_t size);

/* Makes room for one more item and returns the list, which may have moved. The capacity follows from `count`: it
 * doubles at each power of two. So use this only for lists that sms__grow alone has enlarged. */
void *sms__grow(struct sms__arena *arena, void *items, size_t count, size_t size);

/* Returns the most that an arena of a run or a file may have: `given`, or half of what this machine or its control
 * group has if that is 0. */
size_t sms__memory_most(uint64_t given);

void sms__arena_release(struct sms__arena *arena);

/* The same, but keeps up to 4 MiB for what is allocated next, because the system takes longer to give memory than a
 * short run to use it. */
void sms__arena_reset(struct sms__arena *arena);

/* Calls body(user, scratch) with an arena that is released when body ends, and returns its result. Call it in a guard
 * of `arena`. If memory runs out in either arena, body is abandoned and the result is SMS_ENOMEM. In a guard of `arena`
 * inside body, `scratch` must not be used, because body would be abandoned past that guard. */
int sms__scratch(struct sms__arena *arena, int (*body)(void *user, struct sms__arena *scratch), void *user);

#define SMS__NEW(arena, type, count) ((type *)sms__alloc((arena), (count), sizeof(type)))

/* Appends an item to a list that sms__grow enlarges, and yields a pointer to it. The item is zero if the list was never
 * shortened. */
#define SMS__APPEND(arena, list, count)                                                                                \
    ((list) = sms__grow((arena), (void *)(list), (count), sizeof *(list)), &(list)[(count)++])

#endif
