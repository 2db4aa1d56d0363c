/* Text that others chose, on its way out: names, paths, messages that quote them. Each kind of output has a function
 * that makes any bytes harmless there. Text that is clean UTF-8 without control characters and without what the target
 * gives a meaning to goes out as it is.
 *
 * A byte that is neither part of a UTF-8 character nor printable (C0, DEL, C1) is written as \xNN where people read it,
 * and as U+FFFD or '?' where programs do. */
#ifndef SMS_BASE_ESCAPE_H
#define SMS_BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The bytes of the UTF-8 character at `at`, whatever it means; 0 if there is none, and at the end. */
size_t sms__utf8_length(const char *at);

/* The same; but a control character counts as none. */
size_t sms__char_length(const char *at);

/* Whether `length` bytes are UTF-8 without control characters. */
bool sms__is_printable(const char *text, size_t length);

/* In place, for text that is cut to a fixed size: control characters become blanks, other bytes '?'. */
void sms__clean(char *text);

/* For a terminal, where control characters are commands: "a\x1b[2J". */
void sms__print_visible(FILE *to, const char *text);

/* One field of CSV (RFC 4180), quoted if it has to be; line breaks and tabs stay, other control characters become
 * U+FFFD. */
void sms__print_csv(FILE *to, const char *text);
void sms__print_csv_quoted(FILE *to, const char *text);

/* Several, with a comma behind each. */
void sms__print_csv_fields(FILE *to, size_t count, const char *const *text);
#define SMS__PRINT_CSV(to, ...)                                                                                        \
    sms__print_csv_fields((to), sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *),                     \
                          (const char *const[]){__VA_ARGS__})

/* Between the tags of HTML. */
void sms__print_html(FILE *to, const char *text);

/* In place: what XML 1.0 cannot say at all, escaped or not, becomes '?'. Its writer escapes the rest. */
void sms__clean_xml(char *text);

/* The next piece of a string in JSON written by hand: returns what stands for the character at *at, in at most 7 bytes
 * of `out`, terminated, and moves *at behind it. Bytes that are not UTF-8 become U+FFFD. */
const char *sms__json_piece(const char **at, char out[8]);

/* A path as UTF-8 text that names it again: itself; or, if bytes of it are not UTF-8 or it looks like such a text, with
 * \xNN for those bytes and two backslashes for one. Control characters stay: this is for JSON, which escapes them. The
 * caller frees it; NULL without memory. */
char *sms__path_text(const char *path);
/* The path of such a text, in place. */
void sms__text_path(char *text);

#endif
