/* Words and numbers in a line of a configuration of simtbs; shared by simtbs_words.c and simtbs_read.c. */
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
    const struct sms__conf_section *section; /* NULL: outside of sections */
    const char *line, *chunk, *end; /* start of the line; start and end of the chunk of it that is being read */
    unsigned line_number;
    bool sm_failed, mem_failed, sm_given, mem_given, opened; /* which sections had a line; opened: any section began */
    const char *mem_at;
    unsigned mem_line;
    const char *mem_line_start;
};

struct sms__conf_numbers {
    size_t count;
    uint64_t value[SMS__CONF_NUMBERS];
    const char *at[SMS__CONF_NUMBERS];
};

/* The place of `at` in the line that starts at `line`. Columns count characters. */
struct sms__mark sms__conf_mark(const struct sms__conf_reader *reader, const char *line, unsigned number,
                                const char *at);
struct sms__mark sms__conf_here(const struct sms__conf_reader *reader, const char *at);
/* Moves *at to the next word of the chunk. Returns its length, 0 at the end. */
size_t sms__conf_word(const struct sms__conf_reader *reader, const char **at);
/* Reads the chunk as `least` to `most` numbers. Returns whether it could, and reports otherwise. */
bool sms__conf_numbers(const struct sms__conf_reader *reader, size_t least, size_t most, const char *what,
                       struct sms__conf_numbers *out);
/* Reads a word as a number of 0 to `most`, with its length given because strtof would read beyond the chunk. Returns
 * whether it could, and reports otherwise. */
bool sms__conf_float(const struct sms__conf_reader *reader, const char *at, size_t length, float most, float *value);

#define SMS__CONF_BLANK ": a line of blanks is not empty, so it does not end the section"

#define SMS__CONF_COMPLAIN(reader, at, ...)                                                                            \
    sms__error((reader)->errors, SMS_EINPUT, sms__conf_here((reader), (at)), __VA_ARGS__)

#endif
