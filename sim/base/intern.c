/* A hash table with open addressing that stores each text once. It is never more than half full, so searches end. */
#include "intern.h"

#include "hash.h"

#include <string.h>

enum { SLOTS_FIRST = 256, BLOCK_BYTES = 64 * 1024 };

static struct sms__pooled_string *find(const struct sms__string_pool *pool, const char *text, size_t length,
                                       uint64_t hash)
{
    size_t i = (size_t)hash & (pool->slots - 1);
    for (;; i = (i + 1) & (pool->slots - 1)) {
        struct sms__pooled_string *string = &pool->slot[i];
        if (!string->text || (string->hash == hash && string->length == length && !memcmp(string->text, text, length)))
            return string;
    }
}

static void grow(struct sms__string_pool *pool)
{
    struct sms__string_pool old = *pool;
    const size_t slots = old.slots ? 2 * old.slots : SLOTS_FIRST;
    pool->slot = SMS__NEW(pool->arena, struct sms__pooled_string, slots); /* if it fails, the pool is as it was */
    pool->slots = slots;
    for (size_t i = 0; i < old.slots; i++)
        if (old.slot[i].text)
            *find(pool, old.slot[i].text, old.slot[i].length, old.slot[i].hash) = old.slot[i];
}

/* Short texts share a block, because the arena rounds up each allocation. */
static const char *keep(struct sms__string_pool *pool, const char *text, size_t length)
{
    if (pool->left <= length) {
        pool->left = length < BLOCK_BYTES / 4 ? BLOCK_BYTES : length + 1;
        pool->free_bytes = SMS__NEW(pool->arena, char, pool->left);
    }
    char *copy = pool->free_bytes;
    memcpy(copy, text, length);
    copy[length] = '\0';
    pool->free_bytes += length + 1;
    pool->left -= length + 1;
    return copy;
}

struct sms__pooled_string *sms__intern(struct sms__string_pool *pool, const char *text, size_t length)
{
    uint64_t hash = sms__hash_text(0, text, length);
    if (pool->used >= pool->slots / 2)
        grow(pool);
    struct sms__pooled_string *string = find(pool, text, length, hash);
    if (!string->text) {
        *string = (struct sms__pooled_string){keep(pool, text, length), length, hash, 0, {NULL}};
        pool->used++;
    }
    return string;
}

const struct sms__pooled_string *sms__interned(const struct sms__string_pool *pool, const char *text)
{
    const size_t length = strlen(text);
    const struct sms__pooled_string *string =
        pool->slots ? find(pool, text, length, sms__hash_text(0, text, length)) : NULL;
    return string && string->text ? string : NULL;
}

const char *sms__intern_text(struct sms__string_pool *pool, const char *text)
{
    return sms__intern(pool, text, strlen(text))->text;
}
