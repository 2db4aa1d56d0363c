/* Collects, sorts and prints errors. Invariant: the texts of an error are clean UTF-8 without control characters,
 * whatever bytes the input held. */
#define _XOPEN_SOURCE 700 /* widths of characters */
#include "errors.h"

#include "escape.h"

#include <ctype.h>
#include <locale.h>
#include <stdbool.h>
#include <string.h>
#include <wchar.h>

size_t sms__break_length(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] == '\r' && c[1] == '\n')
        return 2;
    if (c[0] == '\n' || c[0] == '\r')
        return 1;
    if (c[0] == 0xc2 && c[1] == 0x85)
        return 2;
    return c[0] == 0xe2 && c[1] == 0x80 && (c[2] == 0xa8 || c[2] == 0xa9) ? 3 : 0;
}

static const char *line_end(const char *line)
{
    while (*line && !sms__break_length(line))
        line++;
    return line;
}

const char *sms__text_line(const char *text, size_t line)
{
    for (; line > 1; line--) {
        text = line_end(text);
        text += sms__break_length(text);
    }
    return text;
}

/* The position `chars` characters after `from`, at most `end`. */
static const char *skip_chars(const char *from, const char *end, size_t chars)
{
    for (; chars > 0 && from < end; chars--) {
        size_t length = sms__char_length(from);
        from += length ? length : 1;
    }
    return from < end ? from : end;
}

/* Stores the part of the line around the column, so that a caret can point into it. */
static void keep_source(struct sms_error *error, const char *text)
{
    const char *line = sms__text_line(text, error->line), *end = line_end(line);
    size_t capacity = sizeof error->source - 1, column = error->column ? error->column - 1 : 0;
    const char *marked = skip_chars(line, end, column), *from = line;
    while ((size_t)(marked - from) >= capacity)
        from = skip_chars(from, end, capacity / 4);
    size_t keep = (size_t)(end - from) < capacity ? (size_t)(end - from) : capacity;
    memcpy(error->source, from, keep);
    error->source[keep] = '\0';
    sms__clean(error->source);
    error->caret = 0;
    for (const char *c = from; c < marked; c = skip_chars(c, marked, 1))
        error->caret++;
}

void sms__verror(struct sms_errors *errors, enum sms_code code, struct sms__mark mark, const char *format, va_list args)
{
    size_t idx = errors->count++;
    if (idx >= SMS_ERRORS_MAX)
        return;
    struct sms_error *error = &errors->item[idx];
    *error = (struct sms_error){.code = code, .line = mark.line, .column = mark.column};
    snprintf(error->file, sizeof error->file, "%s", mark.file ? mark.file : "");
    vsnprintf(error->message, sizeof error->message, format, args);
    sms__clean(error->message);
    if (mark.line && mark.text)
        keep_source(error, mark.text);
}

void sms__error(struct sms_errors *errors, enum sms_code code, struct sms__mark mark, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    sms__verror(errors, code, mark, format, args);
    va_end(args);
}

int sms__fail(struct sms_errors *errors, enum sms_code code, const char *file, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    sms__verror(errors, code, (struct sms__mark){.file = file}, format, args);
    va_end(args);
    return code;
}

/* Rank of the error's file: `first` has 0, the others follow in the order in which their first errors were found. */
static size_t rank_of(const struct sms_errors *errors, const struct sms_error *error, const char *first)
{
    size_t rank = 0;
    if (!strncmp(error->file, first, sizeof error->file - 1))
        return 0;
    while (strcmp(errors->item[rank].file, error->file) != 0)
        rank++;
    return rank + 1;
}

static bool is_before(const struct sms_error *a, const struct sms_error *b)
{
    return a->line != b->line ? a->line < b->line : a->column < b->column;
}

bool sms__has_error(const struct sms_errors *errors, const struct sms__mark *mark, const char *message)
{
    for (size_t i = 0; i < errors->count && i < SMS_ERRORS_MAX; i++) {
        const struct sms_error *error = &errors->item[i];
        if ((!message || !strcmp(error->message, message)) &&
            (!mark || (error->line == mark->line && error->column == mark->column && !strcmp(error->file, mark->file))))
            return true;
    }
    return false;
}

/* What an alias names is read once for each alias. */
static void drop_repeated(struct sms_errors *errors)
{
    const size_t count = errors->count;
    errors->count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct sms_error *error = &errors->item[i];
        const struct sms__mark mark = {error->file, NULL, error->line, error->column};
        if (!error->line || !sms__has_error(errors, &mark, error->message))
            errors->item[errors->count++] = *error;
    }
}

void sms__errors_sort(struct sms_errors *errors, const char *first)
{
    size_t count = errors->count < SMS_ERRORS_MAX ? errors->count : SMS_ERRORS_MAX;
    size_t rank[SMS_ERRORS_MAX];
    for (size_t i = 0; i < count; i++)
        rank[i] = rank_of(errors, &errors->item[i], first);
    for (size_t i = 1; i < count; i++) {
        const struct sms_error moved = errors->item[i];
        const size_t moved_rank = rank[i];
        size_t to = i;
        for (; to > 0 &&
               (rank[to - 1] != moved_rank ? rank[to - 1] > moved_rank : is_before(&moved, &errors->item[to - 1]));
             to--) {
            errors->item[to] = errors->item[to - 1];
            rank[to] = rank[to - 1];
        }
        errors->item[to] = moved;
        rank[to] = moved_rank;
    }
    if (errors->count <= SMS_ERRORS_MAX)
        drop_repeated(errors);
}

/* The columns of a terminal that the character at `text` takes: two of a wide one, none of a combining one. */
static unsigned cells(const char *text, locale_t unicode)
{
    const locale_t before = uselocale(unicode);
    wchar_t wide = 0;
    const size_t length = sms__char_length(text);
    const bool known = length > 0 && mbrtowc(&wide, text, length, &(mbstate_t){0}) == length;
    const int width = known ? wcwidth(wide) : -1;
    uselocale(before);
    return width < 0 ? 1 : (unsigned)width;
}

/* The columns that so many characters take, whatever the program's own locale is. */
static unsigned width_of(const char *text, unsigned chars)
{
    const locale_t unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    const char *end = skip_chars(text, text + strlen(text), chars);
    unsigned width = 0;
    for (const char *c = text; c < end; c = skip_chars(c, end, 1))
        width += unicode ? cells(c, unicode) : 1;
    if (unicode)
        freelocale(unicode);
    return width;
}

static void print_one(const struct sms_error *error, FILE *to)
{
    sms__print_visible(to, error->file);
    if (error->file[0] && error->line)
        fprintf(to, ":%u:%u", error->line, error->column);
    if (error->file[0])
        fputs(": ", to);
    fprintf(to, "%s: %s\n", error->code == SMS_OK ? "warning" : "error", error->message);
    if (error->line && error->source[0])
        fprintf(to, "    %s\n    %*s^\n", error->source, (int)width_of(error->source, error->caret), "");
}

void sms_errors_print(const struct sms_errors *errors, FILE *to)
{
    if (!errors || !to)
        return;
    for (size_t i = 0; i < errors->count && i < SMS_ERRORS_MAX; i++)
        print_one(&errors->item[i], to);
    if (errors->count > SMS_ERRORS_MAX)
        fputs("and more\n", to); /* how many is not known, because readers stop there */
}

const char *sms_strerror(int code)
{
    switch (code) {
    case SMS_OK:
        return "success";
    case SMS_EUSAGE:
        return "misuse of the library";
    case SMS_EINPUT:
        return "bad input";
    case SMS_EIO:
        return "a file cannot be read or written";
    case SMS_ENOMEM:
        return "out of memory";
    case SMS_ECANCELED:
        return "canceled";
    case SMS_ELIMIT:
        return "the limit of events was reached";
    case SMS_EMEMORY:
        return "the limit of memory was reached";
    case SMS_EBUG:
        return "a policy or the library broke its contract";
    default:
        return "unknown code";
    }
}

enum { WORD_MAX = 63 };

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

static bool same(char a, char b) { return tolower((unsigned char)a) == tolower((unsigned char)b); }

/* The fewest edits (insert, delete, replace, swap of two letters side by side) that turn `a` into `b`, whatever their
 * case: optimal string alignment, Damerau 1964. Of the matrix only the last three rows are kept. */
static unsigned edits(const char *a, const char *b)
{
    unsigned rows[3][WORD_MAX + 1];
    const size_t n = strlen(b);
    size_t i = 0;
    for (size_t j = 0; j <= n; j++)
        rows[0][j] = (unsigned)j;
    for (i = 1; a[i - 1]; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *above = rows[(i - 1) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= n; j++) {
            row[j] = least(above[j - 1] + !same(a[i - 1], b[j - 1]), 1 + least(above[j], row[j - 1]));
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                row[j] = least(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[(i - 1) % 3][n];
}

/* How far a name is like the beginning of a word. One that is its beginning is more so than one that goes on. */
static size_t count_alike(const char *word, const char *name)
{
    size_t n = 0;
    while (word[n] && tolower((unsigned char)word[n]) == tolower((unsigned char)name[n]))
        n++;
    return 2 * n + !name[n];
}

/* Twice the edits, but at most 1.5 edits for a name that goes on after a word of three letters or more, and 2.5 for one
 * that contains a word of four. */
static unsigned distance_of(const char *word, size_t length, const char *name)
{
    const char *at = strstr(name, word);
    const unsigned distance = 2 * edits(word, name);
    if (at == name && length >= 3)
        return least(distance, 3);
    return at && length >= 4 ? least(distance, 5) : distance;
}

/* Of two equally near names: the one that begins more like the word, or the shorter one. */
static bool is_more_alike(const char *word, const char *name, const char *than)
{
    const size_t own = count_alike(word, name), other = count_alike(word, than);
    return own > other || (own == other && strlen(name) < strlen(than));
}

const char *sms__nearest(const char *word, size_t count, const char *(*name)(const void *user, size_t i),
                         const void *user)
{
    const char *best = NULL;
    size_t length = strlen(word);
    unsigned fewest = 2 * (unsigned)(length / 3 + 2);
    if (length > WORD_MAX)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        const char *candidate = name(user, i);
        if (!candidate || strlen(candidate) > WORD_MAX)
            continue;
        const unsigned distance = distance_of(word, length, candidate);
        if (distance < fewest || (best && distance == fewest && is_more_alike(word, candidate, best))) {
            fewest = distance;
            best = candidate;
        }
    }
    return best;
}

struct sms__suggestion sms__did_you_mean(const char *near)
{
    struct sms__suggestion suggestion = {""};
    if (near)
        snprintf(suggestion.text, sizeof suggestion.text, "; did you mean '%.140s'?", near);
    return suggestion;
}

const char *sms__take_options(void *own, size_t bytes, const void *given)
{
    size_t size = 0;
    if (given)
        memcpy(&size, given, sizeof size);
    if (size > bytes)
        return "the options are larger than this library's: they were compiled with a newer header";
    if (given)
        memcpy(own, given, size ? size : bytes);
    return NULL;
}
