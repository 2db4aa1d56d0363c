/* Scenarios made at random, as text. */
#ifndef TESTS_LAWS_RANDOM_TEXT_H
#define TESTS_LAWS_RANDOM_TEXT_H

#include "statistics.h"

#include <stdio.h>

enum { TEXT = 16384 };

/* Below a number; splitmix64. */
static inline uint64_t draw(uint64_t *state, uint64_t below)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (x ^ (x >> 31)) % below;
}

/* At the end of a text with room for TEXT characters. */
static inline void add(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline void add(char *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(text + strlen(text), TEXT - strlen(text), format, args);
    va_end(args);
}

#endif
