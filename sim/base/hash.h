/* Hashes for tables and for names that are cut. They are the same everywhere, and no secrets. */
#ifndef SMS_BASE_HASH_H
#define SMS_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Returns the hash of what `hash` is of, and of the word behind it. The first one is 0 or any number. */
static inline uint64_t sms__hash(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u; /* 2^64 over the golden ratio, as Knuth multiplies */
    return hash ^ hash >> 32;
}

/* The same for the length and bytes of a text, which may be of anything. */
static inline uint64_t sms__hash_text(uint64_t hash, const char *text, size_t length)
{
    uint64_t word = 0;
    hash = sms__hash(hash, length);
    for (; length >= sizeof word; text += sizeof word, length -= sizeof word) {
        memcpy(&word, text, sizeof word);
        hash = sms__hash(hash, word);
    }
    word = 0;
    memcpy(&word, text, length);
    return sms__hash(hash, word);
}

#endif
