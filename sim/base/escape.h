/* Printing of text that comes from outside: names, paths, and messages that quote them. Each output format has a
 * function that makes any bytes harmless there. Clean UTF-8 without control characters, and without characters that
 * are special in the format, is printed unchanged.
 *
 * Invalid UTF-8 and control characters (C0, DEL, C1) become \xNN where people read the output, and U+FFFD or '?' where
 * programs do. */
#ifndef SMS_BASE_ESCAPE_H
#define SMS_BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Returns the length in bytes of the UTF-8 character at `at`; 0 if it is invalid, and at the terminator. */
size_t sms__utf8_length(const char *at);

/* Like sms__utf8_length, but returns 0 for control characters too. */
size_t sms__char_length(const char *at);

/* True if the `length` bytes are UTF-8 without control characters. */
bool sms__is_printable(const char *text, size_t length);

/* Cleans in place text that was cut to a fixed size: control characters become spaces, invalid bytes '?',
 * and what sms__print_visible escapes U+FFFD or '?'. */
void sms__clean(char *text);

/* Prints for a terminal, where control characters are commands: "a\x1b[2J". So are those that change the direction of
 * text or end a line, such as U+202E and U+2028. */
void sms__print_visible(FILE *to, const char *text);

/* Prints one CSV field (RFC 4180), quoted if it must be. Line breaks and tabs stay; other control characters become
 * U+FFFD. */
void sms__print_csv(FILE *to, const char *text);
/* Like sms__print_csv, but always quotes. */
void sms__print_csv_quoted(FILE *to, const char *text);

/* Prints several CSV fields, each followed by a comma. */
void sms__print_csv_fields(FILE *to, size_t count, const char *const *text);
#define SMS__PRINT_CSV(to, ...)                                                                                        \
    sms__print_csv_fields((to), sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *),                     \
                          (const char *const[]){__VA_ARGS__})

/* Returns a command of these words as a shell reads it. The caller frees it; NULL when out of memory. */
char *sms__shell_line(size_t count, const char *const *word);

/* Prints text between tags of HTML or XML, or in a quoted attribute. What neither of them can hold becomes U+FFFD. */
void sms__print_markup(FILE *to, const char *text);

/* Returns the JSON form of the character at *at, terminated, and advances *at past the character. The result lies in
 * `out` or in static storage. Invalid UTF-8 becomes U+FFFD. */
const char *sms__json_piece(const char **at, char out[8]);

/* Returns a path as UTF-8 text, in which \xNN stands for a byte of no character. Control characters stay, because JSON
 * escapes them. The caller frees the text; NULL when out of memory. */
char *sms__path_text(const char *path);

#endif
