/* Errors: what went wrong, and where in the input.
 *
 * Functions of this library return SMS_OK or a negative code. They never print and never exit. They collect the errors
 * of the input, all of a file at once, in a struct sms_errors that the caller owns.
 *
 * Misuse is refused, not undefined. If an object is NULL or an index is out of range, functions that return a code
 * return SMS_EUSAGE; the others return NULL, 0, false or NAN, as their type allows. `errors` may always be NULL; then
 * the caller gets only the code. */
#ifndef SMSCHED_ERROR_H
#define SMSCHED_ERROR_H

#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Return codes. A program should exit with 3 for SMS_EINPUT, and with 4 for SMS_EIO, SMS_ENOMEM, SMS_ELIMIT and
 * SMS_EMEMORY, where the input is not at fault. */
enum sms_code {
    SMS_OK = 0,
    SMS_EUSAGE = -2,    /* the caller passed NULL, an invalid index or options that are wrong */
    SMS_EINPUT = -3,    /* an input file is invalid, or is not there */
    SMS_EIO = -4,       /* a file could not be read or written */
    SMS_ENOMEM = -5,    /* out of memory */
    SMS_ECANCELED = -6, /* the caller asked to stop */
    SMS_ELIMIT = -7,    /* sms_run_options.max_events was reached */
    SMS_EMEMORY = -8,   /* more than max_memory of sms_run_options or sms_load_options was needed */
    SMS_EBUG = -70      /* a policy or this library broke its contract */
};

enum { SMS_ERRORS_MAX = 20 };

/* One error, or a warning if `code` is SMS_OK. `line` and `column` count from 1; 0 means that it has no position.
 * `source` is the line, cut to fit, or empty without a position. The caret belongs under the character `caret` (from 0)
 * of `source`. */
struct sms_error {
    enum sms_code code;
    unsigned line;
    unsigned column;
    unsigned caret;
    char file[256];
    char message[512];
    char source[160];
};

/* The errors of a file in the order of its lines, then those of other files that it names. Errors without a file come
 * in the order in which they were found. Only the first SMS_ERRORS_MAX that were found are stored; `count` is greater
 * where there were more, however many. The caller owns the struct and zeroes it before first use (`struct sms_errors
 * errors = {0};`). A function that takes it empties it first. */
struct sms_errors {
    size_t count;
    struct sms_error item[SMS_ERRORS_MAX];
};

/* Returns what a code means, in a few words of English without a full stop: "bad input". The text is static, never
 * NULL. */
const char *sms_strerror(int code);

/* Prints each stored error as `file:line:column: error: message` with its source line and a caret, and then whether
 * there are more. */
void sms_errors_print(const struct sms_errors *errors, FILE *to);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
