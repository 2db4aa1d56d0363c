/* Names that are a member of the structs of an array, for sms__nearest and what complains of unknown names. */
#ifndef SMS_BASE_MEMBER_H
#define SMS_BASE_MEMBER_H

#include <stddef.h>

struct sms__members {
    const void *list;
    size_t size, offset; /* of an item, and of the name in it */
};

/* Returns the name in item i. */
static inline const char *sms__member_at(const void *user, size_t i)
{
    const struct sms__members *members = user;
    return *(const char *const *)((const char *)members->list + i * members->size + members->offset);
}

/* Two arguments: a function that names item i, and what it takes, which ends with the block. The compiler refuses a
 * member that is no pointer. */
#define SMS__NAMES(array, member)                                                                                      \
    sms__member_at, &(const struct sms__members)                                                                       \
    {                                                                                                                  \
        (array), sizeof *(array), _Generic((array)->member, const char * : offsetof(__typeof__(*(array)), member))     \
    }

#endif
