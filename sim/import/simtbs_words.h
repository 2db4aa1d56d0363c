/* Words and numbers of a line of a configuration of simtbs, between simtbs_words.c and simtbs_read.c. */
#ifndef SMS_IMPORT_SIMTBS_WORDS_H
#define SMS_IMPORT_SIMTBS_WORDS_H

#include "simtbs.h"

enum { SMS__CONF_NUMBERS = 4 + SMS__CONF_SM + SMS__CONF_MEM };

struct sms__conf_section;

struct sms__conf_reader {
    struct sms__arena *arena;
    const char *path, *text;
    const struct sms__import_options *options;
    struct sms__conf *conf;
    struct sms_errors *errors;
    const struct sms__conf_section *section; /* NULL: in none */
    const char *line, *piece, *end;          /* the line's start; the piece of it that is read */
    unsigned line_number;
    bool sm_failed, mem_failed, sm_given, mem_given, opened; /* sections that were there; opened: any */
    const char *mem_at;
    unsigned mem_line;
    const char *mem_line_start;
};

struct sms__conf_numbers {
    size_t count;
    uint64_t value[SMS__CONF_NUMBERS];
    const char *at[SMS__CONF_NUMBERS];
};

/* At `at` in the line that starts at `line`. Columns count characters. */
struct sms__mark sms__conf_mark(const struct sms__conf_reader *reader, const char *line, unsigned number,
                                const char *at);
struct sms__mark sms__conf_here(const struct sms__conf_reader *reader, const char *at);
/* The next word of the piece from *at on; its length, 0 at the end. */
size_t sms__conf_word(const struct sms__conf_reader *reader, const char **at);
/* All numbers of the piece; whether they are, and no fewer than `least` and no more than `most`. */
bool sms__conf_numbers(const struct sms__conf_reader *reader, size_t least, size_t most, const char *what,
                       struct sms__conf_numbers *out);
/* A word of the text as a number; strtof would read on beyond the piece. */
bool sms__conf_float(const struct sms__conf_reader *reader, const char *at, size_t length, float most, float *value);

#define SMS__CONF_BLANK ": a line of blanks is not empty, and ends no section"

#define SMS__CONF_COMPLAIN(reader, at, ...)                                                                            \
    sms__error((reader)->errors, SMS_EINPUT, sms__conf_here((reader), (at)), __VA_ARGS__)

#endif
