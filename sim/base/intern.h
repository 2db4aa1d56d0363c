/* Interned strings: a profile repeats the names of its kernels and metrics millions of times, and each is stored once.
 */
#ifndef SMS_BASE_INTERN_H
#define SMS_BASE_INTERN_H

#include "arena.h"

#include <stdint.h>

struct sms__pooled_string {
    const char *text; /* terminated by NUL */
    size_t length;
    uint64_t hash;
    size_t value; /* these are for the caller; initially 0 and NULL */
    union {
        void *data;
        const void *fixed; /* data that does not change */
    };
};

struct sms__string_pool {
    struct sms__arena *arena;
    struct sms__pooled_string *slot;
    size_t slots, used;
    char *free_bytes; /* of the block to which texts are copied */
    size_t left;
};

/* The entry of this text, which is added if it is new. The entry is valid until the next one is added, its text as long
 * as the arena. */
struct sms__pooled_string *sms__intern(struct sms__string_pool *pool, const char *text, size_t length);

/* The entry of this text, or NULL. */
const struct sms__pooled_string *sms__interned(const struct sms__string_pool *pool, const char *text);

/* The interned copy of a text; equal texts have equal pointers. */
const char *sms__intern_text(struct sms__string_pool *pool, const char *text);

#endif
