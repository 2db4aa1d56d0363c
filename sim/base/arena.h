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

/* A copy of the first `length` bytes of `text`, terminated. */
char *sms__copy(struct sms__arena *arena, const char *text, size_t length);
char *sms__print(struct sms__arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

void sms__arena_release(struct sms__arena *arena);

#define SMS__NEW(arena, type, count) ((type *)sms__alloc((arena), (count), sizeof(type)))

#endif
