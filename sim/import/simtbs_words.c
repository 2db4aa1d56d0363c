/* Splits lines of a configuration of simtbs into words and numbers, with their places in the text. */
#include "simtbs_words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX 4294967295u

struct sms__mark sms__conf_mark(const struct sms__conf_reader *reader, const char *line, unsigned number,
                                const char *at)
{
    unsigned column = 1;
    for (const char *c = line; c < at; c++)
        column += ((unsigned char)*c & 0xc0) != 0x80;
    return (struct sms__mark){reader->path, reader->text, number, column};
}

struct sms__mark sms__conf_here(const struct sms__conf_reader *reader, const char *at)
{
    return sms__conf_mark(reader, reader->line, reader->line_number, at);
}

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

size_t sms__conf_word(const struct sms__conf_reader *reader, const char **at)
{
    while (*at < reader->end && is_blank(**at))
        (*at)++;
    const char *from = *at;
    size_t length = 0;
    while (from + length < reader->end && !is_blank(from[length]))
        length++;
    return length;
}

static bool read_number(const struct sms__conf_reader *reader, const char *at, size_t length, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < length; i++) {
        if (!isdigit((unsigned char)at[i])) {
            SMS__CONF_COMPLAIN(reader, at, "'%.*s' is not a whole number", length < 40 ? (int)length : 40, at);
            return false;
        }
        *value = *value * 10 + (uint64_t)(at[i] - '0');
        if (*value > NUMBER_MAX) {
            SMS__CONF_COMPLAIN(reader, at, "'%.*s' is too large; the largest number is %u",
                               length < 40 ? (int)length : 40, at, NUMBER_MAX);
            return false;
        }
    }
    return true;
}

bool sms__conf_numbers(const struct sms__conf_reader *reader, size_t least, size_t most, const char *what,
                       struct sms__conf_numbers *out)
{
    const char *at = reader->chunk;
    bool valid = true;
    size_t found = 0;
    *out = (struct sms__conf_numbers){0};
    for (size_t length = sms__conf_word(reader, &at); length;
         at += length, length = sms__conf_word(reader, &at), found++) {
        if (found >= SMS__CONF_NUMBERS)
            continue;
        out->at[found] = at;
        valid = read_number(reader, at, length, &out->value[found]) && valid;
    }
    out->count = found;
    if (valid && (found < least || found > most)) {
        SMS__CONF_COMPLAIN(reader, reader->chunk, "expected %s; found %zu%s", what, found,
                           found ? "" : SMS__CONF_BLANK);
        valid = false;
    }
    return valid;
}

bool sms__conf_float(const struct sms__conf_reader *reader, const char *at, size_t length, float most, float *value)
{
    char word[64], *rest = word;
    bool decimal = length < sizeof word && strspn(at, "0123456789.eE+-") >= length &&
                   (isdigit((unsigned char)at[0]) || at[0] == '.');
    if (decimal) {
        memcpy(word, at, length);
        word[length] = '\0';
        *value = strtof(word, &rest);
    }
    if (!decimal || *rest || rest == word)
        SMS__CONF_COMPLAIN(reader, at, "'%.*s' is not a number of 0 or more", length < 40 ? (int)length : 40, at);
    else if (!(*value <= most))
        SMS__CONF_COMPLAIN(reader, at, "'%.*s' is out of range; it must be from 0 to %g",
                           length < 40 ? (int)length : 40, at, (double)most);
    else
        return true;
    return false;
}
