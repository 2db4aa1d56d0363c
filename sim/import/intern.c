#include "names.h"

#include <string.h>

enum { SLOTS_FIRST = 256, BLOCK_BYTES = 64 * 1024 };

/* FNV-1a. */
static uint64_t hash_of(const char *text, size_t length)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    return hash;
}

static struct sms__name *find(const struct sms__names *names, const char *text, size_t length, uint64_t hash)
{
    size_t i = (size_t)(hash ^ hash >> 32) & (names->slots - 1);
    for (;; i = (i + 1) & (names->slots - 1)) {
        struct sms__name *name = &names->slot[i];
        if (!name->text || (name->hash == hash && name->length == length && !memcmp(name->text, text, length)))
            return name;
    }
}

static void grow(struct sms__names *names)
{
    struct sms__names old = *names;
    names->slots = old.slots ? 2 * old.slots : SLOTS_FIRST;
    names->slot = SMS__NEW(names->arena, struct sms__name, names->slots);
    for (size_t i = 0; i < old.slots; i++)
        if (old.slot[i].text)
            *find(names, old.slot[i].text, old.slot[i].length, old.slot[i].hash) = old.slot[i];
}

/* The arena rounds up each allocation, so that small texts share one. */
static const char *keep(struct sms__names *names, const char *text, size_t length)
{
    if (names->left <= length) {
        names->left = length < BLOCK_BYTES / 4 ? BLOCK_BYTES : length + 1;
        names->room = SMS__NEW(names->arena, char, names->left);
    }
    char *copy = names->room;
    memcpy(copy, text, length);
    copy[length] = '\0';
    names->room += length + 1;
    names->left -= length + 1;
    return copy;
}

struct sms__name *sms__names_get(struct sms__names *names, const char *text, size_t length)
{
    uint64_t hash = hash_of(text, length);
    if (names->used >= names->slots / 2)
        grow(names);
    struct sms__name *name = find(names, text, length, hash);
    if (!name->text) {
        *name = (struct sms__name){keep(names, text, length), length, hash, 0};
        names->used++;
    }
    return name;
}

const char *sms__names_text(struct sms__names *names, const char *text)
{
    return sms__names_get(names, text, strlen(text))->text;
}
