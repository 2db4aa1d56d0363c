/* Texts kept once: a profile says the same kernel and metric a million times. */
#ifndef SMS_IMPORT_NAMES_H
#define SMS_IMPORT_NAMES_H

#include "../base/arena.h"

#include <stdint.h>

struct sms__name {
    const char *text; /* terminated */
    size_t length;
    uint64_t hash;
    size_t value; /* the user's; 0 at first */
};

struct sms__names {
    struct sms__arena *arena;
    struct sms__name *slot;
    size_t slots, used;
    char *room; /* of the block that texts are copied to */
    size_t left;
};

/* The name with this text, made if there is none. Valid until the next one is made; its text as long as the arena. */
struct sms__name *sms__names_get(struct sms__names *names, const char *text, size_t length);

/* Its text. */
const char *sms__names_text(struct sms__names *names, const char *text);

#endif
