/* Lists of names, to find one in, and for sms__nearest and what complains of unknown names. */
#ifndef SMS_BASE_MEMBER_H
#define SMS_BASE_MEMBER_H

#include <stddef.h>
#include <string.h>

struct sms__members {
    const void *list;
    size_t size, offset; /* of an item, and of the name in it */
};

/* Returns the name in item i. */
static inline const char *sms__member_at(const void *user, size_t i)
{
    const struct sms__members *members = user;
    const char *name;
    memcpy(&name, (const char *)members->list + i * members->size + members->offset, sizeof name);
    return name;
}

/* Returns text i of a list of texts. */
static inline const char *sms__text_at(const void *user, size_t i) { return ((const char *const *)user)[i]; }

/* Returns the number of the first of `count` items with this name; `count`: none has it. */
static inline size_t sms__find_name(const char *wanted, size_t count, const char *(*name)(const void *user, size_t i),
                                    const void *user)
{
    size_t i = 0;
    while (i < count && strcmp(name(user, i), wanted) != 0)
        i++;
    return i;
}

/* Two arguments: a function that names item i, and what it takes, which ends with the block. The compiler refuses a
 * member that is no pointer. */
#define SMS__NAMES(array, member)                                                                                      \
    sms__member_at, &(const struct sms__members)                                                                       \
    {                                                                                                                  \
        (array), sizeof *(array), _Generic((array)->member, const char * : offsetof(__typeof__(*(array)), member))     \
    }

#endif
