/* Collecting problems (smsched/error.h has the structures). */
#ifndef SMS_BASE_ERRORS_H
#define SMS_BASE_ERRORS_H

#include <smsched/error.h>

/* Where something stands in a file. Lines and columns count from 1; line 0: no place. */
struct sms__mark {
    const char *file;
    const char *text; /* the whole file, terminated; or NULL */
    unsigned line, column;
};

void sms__error(struct sms_errors *errors, enum sms_code code, struct sms__mark mark, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A problem without a place, about a file or about nothing (file NULL). Returns code. */
int sms__fail(struct sms_errors *errors, enum sms_code code, const char *file, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Puts those that were kept in the order of lines and columns: those of the file `first`, then of the others one after
 * another, in each what has no place before the rest. Of one place, what was found first is first. */
void sms__errors_sort(struct sms_errors *errors, const char *first);

/* The one of `count` names nearest to `word` by edits, or NULL if none is near.
 * name(user, i) gives the i-th. */
const char *sms__nearest(const char *word, size_t count, const char *(*name)(const void *user, size_t i),
                         const void *user);

#endif
