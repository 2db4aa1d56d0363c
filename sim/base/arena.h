/* Memory that is given back all at once. What one load or one run allocates
 * comes from its arena, so that nothing is freed piece by piece and every way
 * out of a function, the unexpected ones too, leaks nothing. */
#ifndef SMS_BASE_ARENA_H
#define SMS_BASE_ARENA_H

#include <setjmp.h>
#include <stddef.h>

struct sms__arena {
    struct sms__chunk *chunks;
    jmp_buf *out_of_memory; /* where sms__alloc goes when there is none */
};

/* Calls body(user). If an allocation from `arena` fails in it, it is left at
 * once and SMS_ENOMEM returned; else what body returned. Guards nest. A body
 * owns nothing that is not in the arena. */
int sms__guard(struct sms__arena *arena, int (*body)(void *user), void *user);

/* Zeroed memory for any type; never NULL; only inside a guard. Also fails, as
 * out of memory, when count * size overflows. */
void *sms__alloc(struct sms__arena *arena, size_t count, size_t size);

/* Leaves the guard as an allocation that failed does: for memory that others have run out of. */
void sms__arena_give_up(struct sms__arena *arena) __attribute__((noreturn));

/* A copy of the first `length` bytes of `text`, terminated. */
char *sms__copy(struct sms__arena *arena, const char *text, size_t length);
char *sms__print(struct sms__arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A copy of the `count` items, with room for `room`: no fewer. What is beyond them is zeroed. */
void *sms__enlarge(struct sms__arena *arena, const void *items, size_t count, size_t room, size_t size);

/* The items with room for one more. They move whenever there is a power of two of them, so that no capacity is kept:
 * for lists that are made by sms__grow alone. */
void *sms__grow(struct sms__arena *arena, void *items, size_t count, size_t size);

void sms__arena_release(struct sms__arena *arena);

#define SMS__NEW(arena, type, count) ((type *)sms__alloc((arena), (count), sizeof(type)))

/* Counts one more item of a list that sms__grow makes: a pointer to it, zeroed if the list has never been shortened. */
#define SMS__APPEND(arena, list, count)                                                                                \
    ((list) = sms__grow((arena), (void *)(list), (count), sizeof *(list)), &(list)[(count)++])

#endif
