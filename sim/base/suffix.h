/* Ends of texts. */
#ifndef SMS_BASE_SUFFIX_H
#define SMS_BASE_SUFFIX_H

#include <stdbool.h>
#include <string.h>

static inline bool sms__ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), of = strlen(end);
    return length >= of && !strcmp(text + length - of, end);
}

#endif
