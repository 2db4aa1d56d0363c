/* What can go wrong, and where in the input it went wrong.
 *
 * Functions of this library return SMS_OK or a negative code. They never print
 * and never exit. Problems of the input are collected, all of a file at once,
 * in a struct sms_errors that the caller owns.
 *
 * Misuse is refused, not undefined: where an object is NULL or an index out of
 * range, functions that return a code return SMS_EUSAGE, the others NULL, 0,
 * false or NAN, whichever their type has. `errors` may be NULL everywhere; then
 * the code is all that is told. */
#ifndef SMSCHED_ERROR_H
#define SMSCHED_ERROR_H

#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Return codes. A program that exits with one turns SMS_EINPUT into 3,
 * SMS_EIO into 4 and SMS_ENOMEM and SMS_ELIMIT into 4 as well: not the input failed. */
enum sms_code {
    SMS_OK = 0,
    SMS_EUSAGE = -2,    /* the caller passed NULL or an index where the function takes none */
    SMS_EINPUT = -3,    /* a file says something that cannot be */
    SMS_EIO = -4,       /* a file could not be read or written */
    SMS_ENOMEM = -5,    /* no memory */
    SMS_ECANCELED = -6, /* the caller asked to stop */
    SMS_ELIMIT = -7,    /* sms_run_options.max_events was reached */
    SMS_EBUG = -70      /* a policy or this library broke its contract */
};

enum { SMS_ERRORS_MAX = 20 };

/* One problem. `line` and `column` count from 1; 0 means that the problem has
 * no place. `source` is the line it stands on, cut to fit, empty without a
 * place; of code SMS_OK it is a warning. The caret belongs under the character `caret` (from 0) of `source`. */
struct sms_error {
    enum sms_code code;
    unsigned line;
    unsigned column;
    unsigned caret;
    char file[256];
    char message[320];
    char source[160];
};

/* Problems of a file in the order of its lines, those of other files that it
 * names after them; others as they were found. `count` includes those beyond
 * SMS_ERRORS_MAX, which are counted and not kept: kept is what was found first.
 * Owned by the caller; zero it before first use (`struct sms_errors errors = {0};`). */
struct sms_errors {
    size_t count;
    struct sms_error item[SMS_ERRORS_MAX];
};

/* What a code means, in a few words of English without a full stop: "bad input". Of static storage, never NULL. */
const char *sms_strerror(int code);

/* Writes every problem kept as `file:line:column: error: message`, its source
 * line and a caret, then a line that counts those not kept. */
void sms_errors_print(const struct sms_errors *errors, FILE *to);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
