/* Reads a configuration as simtbs does. A section starts with '*' and is recognized by the beginning of its name, '#'
 * in the first column is a comment, and an empty line ends a section. A line is read in chunks of 1023 bytes, each of
 * which counts as a line. */
#include "simtbs.h"

#include "text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 4 + SMS__CONF_SM + SMS__CONF_MEM };

struct section;

struct reader {
    struct sms__arena *arena;
    const char *path, *text;
    const struct sms__import_options *options;
    struct sms__conf *conf;
    struct sms_errors *errors;
    const struct section *section;  /* NULL: outside of sections */
    const char *line, *chunk, *end; /* start of the line; start and end of the chunk of it that is being read */
    unsigned line_number;
    bool sm_failed, mem_failed, sm_given, mem_given, opened; /* which sections had a line; opened: any section began */
    struct sms__mark mem_mark;                               /* of the line of *mem */
};

struct numbers {
    size_t count;
    uint64_t value[NUMBERS];
    const char *at[NUMBERS];
};

#define NUMBER_MAX 4294967295u

static struct sms__mark mark_of(const struct reader *reader, const char *at)
{
    return (struct sms__mark){reader->path, reader->text, reader->line_number, sms__text_column(reader->line, at)};
}

#define BLANK_LINE ": a line of blanks is not empty, so it does not end the section"

#define COMPLAIN(reader, at, ...) sms__error((reader)->errors, SMS_EINPUT, mark_of((reader), (at)), __VA_ARGS__)

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Moves *at to the next word of the chunk. Returns its length, 0 at the end. */
static size_t next_word(const struct reader *reader, const char **at)
{
    while (*at < reader->end && is_blank(**at))
        (*at)++;
    const char *from = *at;
    size_t length = 0;
    while (from + length < reader->end && !is_blank(from[length]))
        length++;
    return length;
}

static uint64_t read_number(const struct reader *reader, const char *at, size_t length)
{
    uint64_t value = 0;
    size_t digits = 0;
    for (; digits < length && isdigit((unsigned char)at[digits]) && value <= NUMBER_MAX; digits++)
        value = value * 10 + (uint64_t)(at[digits] - '0');
    if (value > NUMBER_MAX)
        COMPLAIN(reader, at, "'%.*s' is too large; the largest number is %u", length < 40 ? (int)length : 40, at,
                 NUMBER_MAX);
    else if (digits < length)
        COMPLAIN(reader, at, "'%.*s' is not a whole number", length < 40 ? (int)length : 40, at);
    return value;
}

/* Reads the chunk as `least` to `most` numbers. Returns whether it could, and reports otherwise. */
static bool read_numbers(const struct reader *reader, size_t least, size_t most, const char *what, struct numbers *out)
{
    const char *at = reader->chunk;
    const size_t problems = reader->errors->count;
    *out = (struct numbers){0};
    for (size_t length = next_word(reader, &at); length; at += length, length = next_word(reader, &at), out->count++) {
        if (out->count >= NUMBERS)
            continue;
        out->at[out->count] = at;
        out->value[out->count] = read_number(reader, at, length);
    }
    if (reader->errors->count == problems && (out->count < least || out->count > most))
        COMPLAIN(reader, reader->chunk, "expected %s; found %zu%s", what, out->count, out->count ? "" : BLANK_LINE);
    return reader->errors->count == problems;
}

/* Reads a word as a number of 0 to `most`. Its length is given because strtof would read beyond the chunk. Returns
 * whether it could, and reports otherwise. */
static bool read_float(const struct reader *reader, const char *at, size_t length, float most, float *value)
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
        COMPLAIN(reader, at, "'%.*s' is not a number of 0 or more", length < 40 ? (int)length : 40, at);
    else if (!(*value <= most))
        COMPLAIN(reader, at, "'%.*s' is out of range; it must be from 0 to %g", length < 40 ? (int)length : 40, at,
                 (double)most);
    else
        return true;
    return false;
}

enum { CHUNK_BYTES = 1023, OVERHEAD_MAX = 1000000, SMS_MAX = 1000000 };

struct section {
    const char *name;
    void (*read)(struct reader *reader);
};

static bool is_positive(const struct reader *reader, const struct numbers *numbers, size_t i, const char *what)
{
    if (numbers->value[i] == 0)
        COMPLAIN(reader, numbers->at[i], "%s is 0", what);
    return numbers->value[i] != 0;
}

static void read_general(struct reader *reader)
{
    struct numbers numbers;
    if (read_numbers(reader, 1, 1, "max_simtime alone", &numbers))
        reader->conf->max = numbers.value[0];
}

/* The section is for simtbs's generator of workloads. Its first lines set resources that *sm and *mem then overwrite.
 */
static void read_workload(struct reader *reader)
{
    if (reader->sm_given || reader->mem_given)
        COMPLAIN(reader, reader->chunk,
                 "*workload must come before *sm and *mem: simtbs would take resources from here");
}

static bool is_too_late(struct reader *reader, const char *name)
{
    const struct sms__conf *conf = reader->conf;
    bool late = conf->overhead_sm.rows || conf->overhead_mem.rows || conf->kernels;
    if (late)
        COMPLAIN(reader, reader->chunk, "a second *%s, after sections that use the first", name);
    return late;
}

static bool check_sm(const struct reader *reader, const struct numbers *numbers, size_t n_sm)
{
    const size_t problems = reader->errors->count;
    is_positive(reader, numbers, 0, "n_sms");
    is_positive(reader, numbers, 1, "n_sched");
    if (numbers->value[0] > SMS_MAX)
        COMPLAIN(reader, numbers->at[0], "more than %d SMs", SMS_MAX);
    for (size_t i = 1; i <= 2; i++)
        if (numbers->value[i] > n_sm)
            COMPLAIN(reader, numbers->at[i], "%s is %llu, but there are only %zu resources",
                     i == 1 ? "n_sched" : "n_compute", (unsigned long long)numbers->value[i], n_sm);
    for (size_t i = 0; i < n_sm; i++)
        is_positive(reader, numbers, 3 + i, "the maximum of a resource");
    return reader->errors->count == problems;
}

static void read_sm(struct reader *reader)
{
    struct numbers numbers;
    struct sms__conf *conf = reader->conf;
    reader->sm_given = true;
    reader->sm_failed = true;
    if (is_too_late(reader, "sm") ||
        !read_numbers(reader, 4, 3 + SMS__CONF_SM, "n_sms n_sched n_compute and 1 to 12 maxima", &numbers))
        return;
    if (!check_sm(reader, &numbers, numbers.count - 3))
        return;
    conf->sms = numbers.value[0];
    conf->n_sched = numbers.value[1];
    conf->n_compute = numbers.value[2];
    conf->n_sm = numbers.count - 3;
    memcpy(conf->sm_max, numbers.value + 3, conf->n_sm * sizeof *conf->sm_max);
    reader->sm_failed = false;
}

static void read_mem(struct reader *reader)
{
    struct numbers numbers;
    struct sms__conf *conf = reader->conf;
    reader->mem_given = true;
    reader->mem_failed = true;
    reader->mem_mark = mark_of(reader, reader->chunk);
    if (is_too_late(reader, "mem") || !read_numbers(reader, 1, SMS__CONF_MEM, "1 or 2 maxima", &numbers))
        return;
    for (size_t i = 0; i < numbers.count; i++)
        if (!is_positive(reader, &numbers, i, "the maximum of a memory"))
            return;
    conf->n_mem = numbers.count;
    memcpy(conf->mem_max, numbers.value, conf->n_mem * sizeof *conf->mem_max);
    reader->mem_failed = false;
}

/* Whether the section has been read. Reports if it is missing, but not if it had errors, which are reported already. */
static bool require_section(const struct reader *reader, const char *name, bool given, bool failed)
{
    if (!given)
        COMPLAIN(reader, reader->chunk, "*%s must come first", name);
    return given && !failed;
}

static bool require_both(const struct reader *reader)
{
    bool sm = require_section(reader, "sm", reader->sm_given, reader->sm_failed);
    return require_section(reader, "mem", reader->mem_given, reader->mem_failed) && sm;
}

/* Ratios closer to each other than this give slopes that overflow. */
#define RATIO_STEP 1.5e-6F

static void check_row(const struct reader *reader, const struct sms__conf_table *table, const struct sms__conf_row *row,
                      size_t columns, const char *const *at)
{
    const struct sms__conf_row *last = table->rows ? &table->row[table->rows - 1] : NULL;
    float from = last ? last->value[0] : 0;
    if (last && row->value[0] <= from)
        COMPLAIN(reader, at[0], "non-increasing ratio: the row above has %g", (double)from);
    else if (row->value[0] - from < RATIO_STEP && !(row->value[0] == 0))
        COMPLAIN(reader, at[0], "the ratio is less than %g above the one before", (double)RATIO_STEP);
    for (size_t i = 1; last && i <= columns; i++)
        if (row->value[i] <= last->value[i])
            COMPLAIN(reader, at[i], "non-increasing overhead: the row above has %g", (double)last->value[i]);
}

static void read_overhead(struct reader *reader, struct sms__conf_table *table, size_t columns, float most)
{
    struct sms__conf_row row = {0};
    const char *at = reader->chunk, *position[1 + SMS__CONF_SM] = {0};
    size_t found = 0;
    for (size_t length = next_word(reader, &at); length; at += length, length = next_word(reader, &at), found++) {
        if (found > columns)
            continue;
        position[found] = at;
        if (!read_float(reader, at, length, found ? OVERHEAD_MAX : most, &row.value[found]))
            return;
    }
    if (found != columns + 1) {
        COMPLAIN(reader, reader->chunk, "expected a ratio and an overhead of each of %zu resources; found %zu%s",
                 columns, found, found ? "" : BLANK_LINE);
        return;
    }
    check_row(reader, table, &row, columns, position);
    *SMS__APPEND(reader->arena, table->row, table->rows) = row;
}

static void read_overhead_sm(struct reader *reader)
{
    if (require_section(reader, "sm", reader->sm_given, reader->sm_failed))
        read_overhead(reader, &reader->conf->overhead_sm, reader->conf->n_sm, OVERHEAD_MAX);
}

static void read_overhead_mem(struct reader *reader)
{
    if (require_both(reader))
        read_overhead(reader, &reader->conf->overhead_mem, reader->conf->n_mem, 1);
}

/* Reproduces a fault of simtbs. It keeps the first 12 demands in one array and the rest in another, and then takes
 * memory demands from the wrong places. They are right only if an SM has 12 resources, or as many as there are
 * memories. */
static void misread_memory(const struct sms__conf *conf, const uint64_t *demand, uint64_t *mem)
{
    uint64_t first[SMS__CONF_SM + SMS__CONF_MEM] = {0};
    size_t n = conf->n_sm + conf->n_mem, kept = n < SMS__CONF_SM ? n : SMS__CONF_SM;
    memcpy(first, demand, kept * sizeof *first);
    mem[0] = n > SMS__CONF_SM ? demand[SMS__CONF_SM] : 0;
    mem[1] = n > SMS__CONF_SM + 1 ? demand[SMS__CONF_SM + 1] : 0;
    if (conf->n_sm == SMS__CONF_SM)
        return;
    if (n > SMS__CONF_SM)
        mem[1] = mem[0]; /* n is 13: one demand is moved */
    size_t moved = SMS__CONF_SM - conf->n_sm < conf->n_mem ? SMS__CONF_SM - conf->n_sm : conf->n_mem;
    for (size_t i = 0; i < moved; i++)
        mem[i] = first[moved + i];
}

static void take_demands(const struct reader *reader, const uint64_t *demand, struct sms__conf_shape *shape)
{
    const struct sms__conf *conf = reader->conf;
    memcpy(shape->sm, demand, conf->n_sm * sizeof *shape->sm);
    if (reader->options->fixed)
        memcpy(shape->mem, demand + conf->n_sm, conf->n_mem * sizeof *shape->mem);
    else
        misread_memory(conf, demand, shape->mem);
    for (size_t i = conf->n_mem; i < SMS__CONF_MEM; i++)
        shape->mem[i] = 0;
}

static bool check_kernel(const struct reader *reader, const struct numbers *numbers)
{
    const struct sms__conf *conf = reader->conf;
    static const char *const names[] = {"type", "start_ts", "n_tb", "tb_duration"};
    const size_t problems = reader->errors->count;
    for (size_t i = 1; i < 4; i++)
        is_positive(reader, numbers, i, names[i]);
    for (size_t i = 0; i < conf->n_sched; i++)
        if (numbers->value[4 + i] == 0)
            COMPLAIN(reader, numbers->at[4 + i], "the request of a scheduling resource is 0: simtbs divides by it");
    if (reader->errors->count == problems && !reader->options->sane && conf->kernels &&
        numbers->value[1] < conf->kernel[conf->kernels - 1].start)
        COMPLAIN(reader, numbers->at[1],
                 "the kernel starts before the one above it: simtbs would never end; import it with --sane");
    return reader->errors->count == problems;
}

static void read_kernel(struct reader *reader)
{
    struct sms__conf *conf = reader->conf;
    struct numbers numbers;
    char what[120];
    size_t count = 4 + conf->n_sm + conf->n_mem;
    if (!require_both(reader))
        return;
    snprintf(what, sizeof what, "%zu numbers: type start_ts n_tb tb_duration, %zu of the SM, %zu of memory", count,
             conf->n_sm, conf->n_mem);
    if (!read_numbers(reader, count, count, what, &numbers) || !check_kernel(reader, &numbers))
        return;
    if (conf->kernels == SMS__CONF_KERNELS) {
        COMPLAIN(reader, reader->chunk, "more than %d kernels", SMS__CONF_KERNELS);
        return;
    }
    struct sms__conf_kernel *kernel = SMS__APPEND(reader->arena, conf->kernel, conf->kernels);
    kernel->row = kernel->workload = conf->kernels;
    kernel->type = numbers.value[0];
    kernel->start = numbers.value[1];
    kernel->shape.blocks = numbers.value[2];
    kernel->shape.work = numbers.value[3];
    take_demands(reader, numbers.value + 4, &kernel->shape);
}

/* In the order in which simtbs compares them, so *smx is taken for *sm. */
static const struct section sections[] = {
    {"general", read_general},         {"workload", read_workload},         {"sm", read_sm},        {"mem", read_mem},
    {"overhead_sm", read_overhead_sm}, {"overhead_mem", read_overhead_mem}, {"kernel", read_kernel}};

enum { SECTIONS = sizeof sections / sizeof *sections };

static const struct section ignored = {"", NULL}; /* a section whose lines are not read */

static const char *section_name(const void *user, size_t i) { return ((const struct section *)user)[i].name; }

static void open_section(struct reader *reader)
{
    const char *name = reader->chunk + 1;
    char word[32];
    reader->opened = true;
    reader->section = NULL;
    for (size_t i = 0; i < SECTIONS && !reader->section; i++)
        if (!strncmp(name, sections[i].name, strlen(sections[i].name)))
            reader->section = &sections[i];
    if (reader->section)
        return;
    const char *at = name;
    size_t length = next_word(reader, &at);
    snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : (int)sizeof word - 1, at);
    const char *near = sms__nearest(word, SECTIONS, section_name, sections);
    if (near)
        COMPLAIN(reader, reader->chunk, "unknown section '*%s'; did you mean '*%s'?", word, near);
    else
        COMPLAIN(reader, reader->chunk,
                 "unknown section '*%s'; known: general, workload, sm, mem, overhead_sm, overhead_mem, kernel", word);
    reader->section = &ignored;
}

static void read_chunk(struct reader *reader)
{
    if (*reader->chunk == '#')
        return;
    if (*reader->chunk == '\n')
        reader->section = NULL;
    else if (*reader->chunk == '*')
        open_section(reader);
    else if (!reader->section) {
        COMPLAIN(reader, reader->chunk, "a line outside of all sections%s",
                 reader->opened ? ": an empty line ended the last one" : "");
        reader->section = &ignored; /* only the first such line is reported */
    } else if (reader->section->read)
        reader->section->read(reader);
}

/* Checks what is known only at the end of the file. */
static void check_file(struct reader *reader)
{
    struct sms__conf *conf = reader->conf;
    if (!reader->sm_given)
        sms__fail(reader->errors, SMS_EINPUT, reader->path, "section *sm is missing");
    if (!reader->mem_given)
        sms__fail(reader->errors, SMS_EINPUT, reader->path, "section *mem is missing");
    if (reader->errors->count)
        return;
    if (conf->n_mem > conf->n_sm)
        sms__error(reader->errors, SMS_EINPUT, reader->mem_mark,
                   "more memories than resources of an SM: simtbs would read uninitialized memory");
    if (conf->overhead_mem.rows == 0)
        sms__fail(reader->errors, SMS_EINPUT, reader->path, "section *overhead_mem is missing or empty");
}

void sms__conf_read(struct sms__arena *arena, const char *path, const char *text,
                    const struct sms__import_options *options, struct sms__conf *conf, struct sms_errors *errors)
{
    struct reader reader = {.arena = arena,
                            .path = path,
                            .text = text,
                            .options = options,
                            .conf = conf,
                            .errors = errors,
                            .line = text,
                            .line_number = 1};
    for (reader.chunk = text; *reader.chunk; reader.chunk = reader.end) {
        const char *newline = memchr(reader.chunk, '\n', strnlen(reader.chunk, CHUNK_BYTES));
        reader.end = newline ? newline + 1 : reader.chunk + strnlen(reader.chunk, CHUNK_BYTES);
        read_chunk(&reader);
        reader.line_number += newline != NULL;
        reader.line = newline ? reader.end : reader.line;
    }
    check_file(&reader);
}
