/* Collecting errors and warnings (smsched/error.h has the structures). */
#ifndef SMS_BASE_ERRORS_H
#define SMS_BASE_ERRORS_H

#include <smsched/error.h>

#include <stdarg.h>
#include <stdbool.h>

/* A position in a file. Lines and columns count from 1; line 0 means that there is no position. */
struct sms__mark {
    const char *file;
    const char *text; /* the whole file, terminated, to quote the line from; or NULL */
    unsigned line, column;
};

/* Bytes of the line break at `text`, which is terminated, or 0. Breaks are those of YAML 1.1, because libyaml counts
 * lines by them. */
size_t sms__break_length(const char *text);

/* Returns where a line of a text begins, counted from 1 as libyaml does, or the end of a text with fewer lines. */
const char *sms__text_line(const char *text, size_t line);

void sms__error(struct sms_errors *errors, enum sms_code code, struct sms__mark mark, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same, for functions that take a format themselves. */
void sms__verror(struct sms_errors *errors, enum sms_code code, struct sms__mark mark, const char *format, va_list args)
    __attribute__((format(printf, 4, 0)));

/* A problem without a place, about a file or about nothing (file NULL). Returns code. */
int sms__fail(struct sms_errors *errors, enum sms_code code, const char *file, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Sorts the stored errors by file, line and column. The file `first` comes first, the others in the order in which
 * they were found. Errors without a line come first in their file. The sort is stable. Of equal errors at one place,
 * one is kept, unless there are more than are stored. */
void sms__errors_sort(struct sms_errors *errors, const char *first);

/* Whether there is an error at the mark, with the message; NULL: at any, with any. */
bool sms__has_error(const struct sms_errors *errors, const struct sms__mark *mark, const char *message);

/* Returns the one of `count` names that is nearest to `word` by edit distance, whatever the case, and of equally near
 * ones that which begins most alike, then the shortest; or NULL. A name that begins with the word is nearer than one
 * with two edits, one that contains it nearer than one with three. name(user, i) returns the i-th name, or NULL to skip
 * it. */
const char *sms__nearest(const char *word, size_t count, const char *(*name)(const void *user, size_t i),
                         const void *user);

/* "; did you mean 'NEAR'?", or "" for NULL, to be printed within the statement. */
struct sms__suggestion {
    char text[160];
};
struct sms__suggestion sms__did_you_mean(const char *near);

/* Copies a caller's options, a struct that begins with its size_t size, over the defaults in `own`, a struct of so many
 * bytes. Size 0 means as many. Returns NULL, or what is wrong with the options. `given` may be NULL. */
const char *sms__take_options(void *own, size_t bytes, const void *given);

#endif
