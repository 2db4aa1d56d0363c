/* Scenarios made at random, as text. C leaves open in which order a call's arguments are evaluated, so numbers are
 * drawn where they stand in the text, from left to right, and are the same with every compiler. */
#ifndef TESTS_LAWS_RANDOM_TEXT_H
#define TESTS_LAWS_RANDOM_TEXT_H

#include "statistics.h"

#include <stdio.h>

enum { TEXT = 16384 };

struct text {
    uint64_t chance;
    size_t length;
    char chars[TEXT];
};

/* Below a number; splitmix64. */
static inline uint64_t draw(struct text *text, uint64_t below)
{
    uint64_t x = text->chance += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (x ^ (x >> 31)) % below;
}

/* One time in so many. */
static inline bool toss(struct text *text, uint64_t times) { return draw(text, times) == 0; }

static inline void append(struct text *text, const char *chars, size_t count)
{
    assert_true(text->length + count < TEXT);
    memcpy(text->chars + text->length, chars, count);
    text->length += count;
    text->chars[text->length] = '\0';
}

static inline void append_choice(struct text *text, const char *choice)
{
    long from, to, step = 1;
    if (sscanf(choice, "%ld..%ld/%ld", &from, &to, &step) >= 2) {
        char number[32];
        snprintf(number, sizeof number, "%ld", from + step * (long)draw(text, (uint64_t)((to - from) / step + 1)));
        append(text, number, strlen(number));
        return;
    }
    size_t words = 1;
    for (const char *at = choice; *at != '>'; at++)
        words += *at == '|';
    for (size_t skipped = draw(text, words); skipped > 0; skipped--)
        choice = strchr(choice, '|') + 1;
    append(text, choice, strcspn(choice, "|>"));
}

/* In what is printed so, <1..9> and <0..90/10> stand for one of these numbers, <this|that> for one of these words. */
static inline void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline void add(struct text *text, const char *format, ...)
{
    char printed[TEXT];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(printed, sizeof printed, format, args);
    assert_true(length >= 0 && length < TEXT);
    va_end(args);
    for (const char *at = printed; *at; at += *at != '\0') {
        size_t plain = strcspn(at, "<");
        append(text, at, plain);
        at += plain;
        if (*at) {
            append_choice(text, at + 1);
            at = strchr(at, '>');
        }
    }
}

#endif
