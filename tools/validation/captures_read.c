/* Reading the CSV of a capture: every field is checked where it stands. */
#include "captures.h"

#include "sim/import/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *const capture_kernel_names[CAPTURE_KERNELS] = {"fp32",   "fp64", "int", "imad", "sfu",
                                                           "shared", "l1",   "l2",  "dram"};
static const char *const kind_names[CAPTURE_KINDS] = {"single", "alone", "full", "pair"};

enum {
    LAUNCH,
    RUN,
    KIND,
    SLOT,
    REPETITION,
    KERNEL,
    INTENSITY,
    BLOCKS,
    THREADS,
    REGISTERS,
    SHARED_BYTES,
    RESIDENT,
    ROUNDS,
    IDLE_CYCLES,
    OPERATIONS,
    INSTRUCTIONS,
    LAUNCH_COLUMNS
};
static const char *const launch_columns[LAUNCH_COLUMNS] = {"launch",
                                                           "run",
                                                           "kind",
                                                           "slot",
                                                           "repetition",
                                                           "kernel",
                                                           "intensity_percent",
                                                           "blocks",
                                                           "threads_per_block",
                                                           "registers_per_thread",
                                                           "shared_memory_bytes",
                                                           "resident_blocks_per_sm",
                                                           "rounds",
                                                           "idle_cycles",
                                                           "operations_per_block",
                                                           "warp_instructions_per_block"};

enum { OF_LAUNCH, BLOCK, SM, START, END, CYCLES, BLOCK_COLUMNS };
static const char *const block_columns[BLOCK_COLUMNS] = {"launch", "block", "sm", "start_ns", "end_ns", "cycles"};

/* Least and most of what a column may hold. */
static const uint64_t least_of[LAUNCH_COLUMNS] = {[INTENSITY] = 1, [BLOCKS] = 1,     [THREADS] = 1,     [REGISTERS] = 1,
                                                  [RESIDENT] = 1,  [OPERATIONS] = 1, [INSTRUCTIONS] = 1};
static const uint64_t most_of[LAUNCH_COLUMNS] = {
    [LAUNCH] = 1u << 24,       [RUN] = 1u << 24,           [SLOT] = 1,          [REPETITION] = 1u << 20,
    [INTENSITY] = 100,         [BLOCKS] = 1u << 20,        [THREADS] = 1024,    [REGISTERS] = 255,
    [SHARED_BYTES] = 1u << 20, [RESIDENT] = 1024,          [ROUNDS] = 1u << 31, [IDLE_CYCLES] = 1u << 31,
    [OPERATIONS] = 1ull << 50, [INSTRUCTIONS] = 1ull << 50};

enum { MOST_LAUNCHES = 1 << 20 };

struct reader {
    struct sms__arena *arena;
    struct capture *capture;
    struct sms_errors *errors;
    struct sms__rows *rows;
    size_t launch, block; /* the block expected next */
    size_t wrong;
};

static void complain(struct reader *r, size_t field, const char *format, const char *what)
{
    sms__error(r->errors, SMS_EINPUT, sms__rows_field_mark(r->rows, field), format, what);
    r->wrong++;
}

static uint64_t number(struct reader *r, size_t field, uint64_t least, uint64_t most)
{
    const char *text = sms__rows_field(r->rows, field);
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno) {
        complain(r, field, "'%s' is no whole number", text);
        return least;
    }
    if (value < least || value > most) {
        sms__error(r->errors, SMS_EINPUT, sms__rows_field_mark(r->rows, field), "%llu is not between %llu and %llu",
                   value, (unsigned long long)least, (unsigned long long)most);
        r->wrong++;
        return least;
    }
    return value;
}

static const char *name_at(const void *user, size_t i) { return ((const char *const *)user)[i]; }

static uint64_t word(struct reader *r, size_t field, const char *const *names, size_t count)
{
    const char *text = sms__rows_field(r->rows, field);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(text, names[i]))
            return i;
    const char *near = sms__nearest(text, count, name_at, names);
    if (near)
        sms__error(r->errors, SMS_EINPUT, sms__rows_field_mark(r->rows, field), "unknown word '%s'; did you mean '%s'?",
                   text, near);
    else
        sms__error(r->errors, SMS_EINPUT, sms__rows_field_mark(r->rows, field), "unknown word '%s'", text);
    r->wrong++;
    return 0;
}

/* Takes the line as a row of so many fields. */
static bool take(struct reader *r, size_t fields)
{
    if (sms__rows_parse(r->rows, r->rows->line) == SMS__ROW_OK && r->rows->fields == fields)
        return true;
    sms__error(r->errors, SMS_EINPUT, sms__rows_mark(r->rows, r->rows->line), "a row of %zu fields instead of %zu",
               r->rows->fields, fields);
    r->wrong++;
    return false;
}

/* The value of a line "# key: value", or NULL if it is of another key. */
static const char *head_value(struct reader *r, const char *key)
{
    const struct sms__rows *rows = r->rows;
    size_t length = strlen(key);
    if (rows->length < length + 4 || strncmp(rows->line + 2, key, length) || strncmp(rows->line + 2 + length, ": ", 2))
        return NULL;
    return sms__copy(r->arena, rows->line + length + 4, rows->length - length - 4);
}

static void head_number(struct reader *r, const char *key, uint64_t *to)
{
    const char *text = head_value(r, key);
    if (!text)
        return;
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] >= '0' && text[0] <= '9' && !*end && !errno && value < 1ull << 50) {
        *to = value;
        return;
    }
    const struct sms__mark mark = sms__rows_mark(r->rows, r->rows->line + strlen(key) + 4);
    sms__error(r->errors, SMS_EINPUT, mark, "'%s' is no whole number", text);
    r->wrong++;
}

static void head_text(struct reader *r, const char *key, const char **to)
{
    const char *text = head_value(r, key);
    if (text)
        *to = text;
}

/* A line of the head; lines of other keys are for people. */
static void take_head(struct reader *r)
{
    struct capture *c = r->capture;
    head_text(r, "device", &c->device);
    head_text(r, "date", &c->date);
    head_text(r, "sharing", &c->sharing);
    head_text(r, "origin", &c->origin);
    head_text(r, "driver", &c->driver);
    head_number(r, "sms", &c->sms);
    head_number(r, "clock_khz", &c->clock_khz);
    head_number(r, "threads_per_sm", &c->threads_per_sm);
    head_number(r, "blocks_per_sm", &c->blocks_per_sm);
    head_number(r, "registers_per_sm", &c->registers_per_sm);
    head_number(r, "shared_memory_per_sm_bytes", &c->shared_per_sm);
    head_number(r, "shared_memory_reserved_bytes", &c->shared_reserved);
    head_number(r, "shared_memory_per_block_bytes", &c->shared_per_block);
}

static const char *missing_of(const struct capture *c)
{
    return !c->device             ? "device"
           : !c->date             ? "date"
           : !c->sharing          ? "sharing"
           : !c->origin           ? "origin"
           : !c->sms              ? "sms"
           : !c->clock_khz        ? "clock_khz"
           : !c->threads_per_sm   ? "threads_per_sm"
           : !c->blocks_per_sm    ? "blocks_per_sm"
           : !c->registers_per_sm ? "registers_per_sm"
           : !c->shared_per_sm    ? "shared_memory_per_sm_bytes"
                                  : NULL;
}

/* The head and the names of the columns; false if what follows cannot be read. */
static bool open_table(struct reader *r, const char *const *columns, size_t count)
{
    bool more = sms__rows_next_line(r->rows);
    for (; more && sms__rows_starts_with(r->rows, "# "); more = sms__rows_next_line(r->rows))
        take_head(r);
    const char *missing = missing_of(r->capture);
    if (missing) {
        sms__error(r->errors, SMS_EINPUT, sms__rows_mark(r->rows, r->rows->line),
                   "no line '# %s: ...' stands before this", missing);
        r->wrong++;
    }
    if (!more) {
        sms__error(r->errors, SMS_EINPUT, sms__rows_mark(r->rows, r->rows->line), "no names of columns");
        r->wrong++;
        return false;
    }
    if (!take(r, count))
        return false;
    size_t before = r->wrong;
    for (size_t i = 0; i < count; i++)
        if (strcmp(sms__rows_field(r->rows, i), columns[i]))
            complain(r, i, "this column is to be '%s'", columns[i]);
    return r->wrong == before;
}

static void take_launch(struct reader *r)
{
    uint64_t value[LAUNCH_COLUMNS] = {0};
    for (size_t i = 0; i < LAUNCH_COLUMNS; i++)
        if (i != KIND && i != KERNEL)
            value[i] = number(r, i, least_of[i], most_of[i]);
    if (value[LAUNCH] != r->capture->n)
        complain(r, LAUNCH, "launch %s: they are to be numbered from 0", sms__rows_field(r->rows, LAUNCH));
    value[KIND] = word(r, KIND, kind_names, CAPTURE_KINDS);
    value[KERNEL] = word(r, KERNEL, capture_kernel_names, CAPTURE_KERNELS);
    struct capture_launch *launch = SMS__APPEND(r->arena, r->capture->launch, r->capture->n);
    *launch = (struct capture_launch){.run = value[RUN],
                                      .kind = value[KIND],
                                      .slot = value[SLOT],
                                      .repetition = value[REPETITION],
                                      .kernel = value[KERNEL],
                                      .intensity_percent = value[INTENSITY],
                                      .blocks = value[BLOCKS],
                                      .threads = value[THREADS],
                                      .registers = value[REGISTERS],
                                      .shared_bytes = value[SHARED_BYTES],
                                      .resident = value[RESIDENT],
                                      .operations = value[OPERATIONS],
                                      .warp_instructions = value[INSTRUCTIONS]};
    launch->block = SMS__NEW(r->arena, struct capture_block, launch->blocks);
}

/* A pair's launches follow one another, the first in slot 0. */
static void check_pair(struct reader *r)
{
    const struct capture *c = r->capture;
    const struct capture_launch *last = &c->launch[c->n - 1], *before = c->n > 1 ? last - 1 : NULL;
    if (last->slot == 0)
        return;
    if (last->kind != PAIR || !before || before->kind != PAIR || before->slot != 0 || before->run != last->run)
        complain(r, SLOT, "slot 1, but the row before is not slot 0 of the same pair%s", "");
}

static int read_launches(struct sms__rows *rows, void *user)
{
    struct reader *r = user;
    r->rows = rows;
    if (!open_table(r, launch_columns, LAUNCH_COLUMNS))
        return SMS_EINPUT;
    while (sms__rows_next_line(rows) && r->capture->n < MOST_LAUNCHES)
        if (take(r, LAUNCH_COLUMNS)) {
            take_launch(r);
            check_pair(r);
        }
    return r->wrong ? SMS_EINPUT : SMS_OK;
}

static void end_launch(struct capture_launch *launch)
{
    launch->begin_ns = UINT64_MAX;
    for (size_t i = 0; i < launch->blocks; i++) {
        const struct capture_block *block = &launch->block[i];
        launch->begin_ns = block->start_ns < launch->begin_ns ? block->start_ns : launch->begin_ns;
        launch->end_ns = block->end_ns > launch->end_ns ? block->end_ns : launch->end_ns;
    }
}

static void take_block(struct reader *r)
{
    const struct capture *c = r->capture;
    if (r->launch == c->n) {
        complain(r, OF_LAUNCH, "a block of launch %s, but launches.csv has no more",
                 sms__rows_field(r->rows, OF_LAUNCH));
        return;
    }
    struct capture_launch *launch = &c->launch[r->launch];
    uint64_t of = number(r, OF_LAUNCH, 0, UINT64_MAX), at = number(r, BLOCK, 0, UINT64_MAX);
    if (of != r->launch || at != r->block) {
        sms__error(r->errors, SMS_EINPUT, sms__rows_field_mark(r->rows, of != r->launch ? OF_LAUNCH : BLOCK),
                   "expected here: block %zu of launch %zu", r->block, r->launch);
        r->wrong++;
    }
    struct capture_block *block = &launch->block[r->block];
    size_t before = r->wrong;
    block->sm = number(r, SM, 0, c->sms - 1);
    block->start_ns = number(r, START, 0, INT64_MAX);
    block->end_ns = number(r, END, 0, INT64_MAX);
    block->cycles = number(r, CYCLES, 1, INT64_MAX);
    if (r->wrong == before && block->end_ns < block->start_ns)
        complain(r, END, "the block ends before it starts%s", "");
    if (++r->block == launch->blocks) {
        end_launch(launch);
        r->launch++;
        r->block = 0;
    }
}

static int read_blocks(struct sms__rows *rows, void *user)
{
    struct reader *r = user;
    r->rows = rows;
    if (!open_table(r, block_columns, BLOCK_COLUMNS))
        return SMS_EINPUT;
    while (r->wrong < SMS_ERRORS_MAX && sms__rows_next_line(rows))
        if (take(r, BLOCK_COLUMNS))
            take_block(r);
    if (!r->wrong && r->launch < r->capture->n)
        return sms__fail(r->errors, SMS_EINPUT, rows->path, "ends before block %zu of launch %zu", r->block, r->launch);
    return r->wrong ? SMS_EINPUT : SMS_OK;
}

int capture_read(struct sms__arena *arena, const char *folder, struct capture *out, struct sms_errors *errors)
{
    char path[4096];
    struct reader r = {.arena = arena, .capture = out, .errors = errors};
    *out = (struct capture){.folder = folder};
    snprintf(path, sizeof path, "%s/launches.csv", folder);
    int code = sms__rows_read(arena, path, read_launches, &r, errors);
    if (code)
        return code;
    if (out->n == 0)
        return sms__fail(errors, SMS_EINPUT, path, "has no launches");
    snprintf(path, sizeof path, "%s/blocks.csv", folder);
    return sms__rows_read(arena, path, read_blocks, &r, errors);
}
