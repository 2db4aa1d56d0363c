#include "errors.h"

#include <stdarg.h>
#include <string.h>

/* The length of the line that starts at `line`. */
static size_t line_length(const char *line) { return strcspn(line, "\r\n"); }

static const char *line_start(const char *text, unsigned line)
{
    for (; line > 1; line--) {
        const char *end = strchr(text, '\n');
        if (!end)
            return text + strlen(text);
        text = end + 1;
    }
    return text;
}

/* Keeps the part of the line around the column, so that a caret can point at it;
 * control characters would move the caret and are blanked. */
static void keep_source(struct sms_error *error, const char *text)
{
    const char *line = line_start(text, error->line);
    size_t length = line_length(line), room = sizeof error->source - 1;
    size_t at = error->column ? error->column - 1 : 0, from = 0;
    if (at > length)
        at = length;
    if (at >= room)
        from = at - room / 2;
    size_t keep = length - from < room ? length - from : room;
    memcpy(error->source, line + from, keep);
    for (size_t i = 0; i < keep; i++)
        if ((unsigned char)error->source[i] < ' ' || error->source[i] == 127)
            error->source[i] = ' ';
    error->source[keep] = '\0';
    error->caret = (unsigned)(at - from);
}

static struct sms_error *next_error(struct sms_errors *errors)
{
    static const struct sms_error none;
    size_t idx = errors->count++;
    if (idx >= SMS_ERRORS_MAX)
        return NULL;
    errors->item[idx] = none;
    return &errors->item[idx];
}

static void fill(struct sms_error *error, enum sms_code code, struct sms__mark mark, const char *format, va_list args)
{
    error->code = code;
    error->line = mark.line;
    error->column = mark.column;
    snprintf(error->file, sizeof error->file, "%s", mark.file ? mark.file : "");
    vsnprintf(error->message, sizeof error->message, format, args);
    if (mark.line && mark.text)
        keep_source(error, mark.text);
}

void sms__error(struct sms_errors *errors, enum sms_code code, struct sms__mark mark, const char *format, ...)
{
    struct sms_error *error = next_error(errors);
    if (!error)
        return;
    va_list args;
    va_start(args, format);
    fill(error, code, mark, format, args);
    va_end(args);
}

int sms__fail(struct sms_errors *errors, enum sms_code code, const char *file, const char *format, ...)
{
    struct sms_error *error = next_error(errors);
    if (!error)
        return code;
    va_list args;
    va_start(args, format);
    fill(error, code, (struct sms__mark){.file = file}, format, args);
    va_end(args);
    return code;
}

static void print_one(const struct sms_error *error, FILE *to)
{
    if (error->file[0] && error->line)
        fprintf(to, "%s:%u:%u: ", error->file, error->line, error->column);
    else if (error->file[0])
        fprintf(to, "%s: ", error->file);
    fprintf(to, "error: %s\n", error->message);
    if (error->line && error->source[0])
        fprintf(to, "    %s\n    %*s^\n", error->source, (int)error->caret, "");
}

void sms_errors_print(const struct sms_errors *errors, FILE *to)
{
    for (size_t i = 0; i < errors->count && i < SMS_ERRORS_MAX; i++)
        print_one(&errors->item[i], to);
    if (errors->count > SMS_ERRORS_MAX)
        fprintf(to, "and %zu more\n", errors->count - SMS_ERRORS_MAX);
}

enum { WORD_MAX = 63 };

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

/* Edits (insert, delete, replace) that turn a into b; Wagner and Fischer 1974. */
static unsigned edits(const char *a, const char *b)
{
    unsigned row[WORD_MAX + 1];
    size_t n = strlen(b);
    for (size_t j = 0; j <= n; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; a[i - 1]; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= n; j++) {
            unsigned replace = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = least(replace, 1 + least(row[j], row[j - 1]));
        }
    }
    return row[n];
}

const char *sms__nearest(const char *word, size_t count, const char *(*name)(const void *user, size_t i),
                         const void *user)
{
    const char *best = NULL;
    size_t length = strlen(word);
    unsigned fewest = (unsigned)(length / 3 + 2);
    if (length > WORD_MAX)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        const char *candidate = name(user, i);
        if (!candidate || strlen(candidate) > WORD_MAX)
            continue;
        unsigned distance = edits(word, candidate);
        if (distance < fewest) {
            fewest = distance;
            best = candidate;
        }
    }
    return best;
}
