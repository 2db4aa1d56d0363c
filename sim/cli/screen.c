/* The terminal: its width, its colours, and standard output with lines that fit. Nothing is folded or coloured on the
 * way to a file or pipe, unless $COLUMNS or --color says so. */
#define _GNU_SOURCE /* fopencookie */
#include "cli.h"

#include "../base/buffer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { NARROWEST = 40, WIDEST = 10000 };

/* $COLUMNS counts, too, because a shell that exports it means it. */
static size_t find_width(void)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    long width = columns ? strtol(columns, NULL, 10) : 0;
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        width = size.ws_col;
    else if (width <= 0 && isatty(STDOUT_FILENO))
        width = 80;
    if (width <= 0 || width > WIDEST)
        return SIZE_MAX;
    return width < NARROWEST ? NARROWEST : (size_t)width;
}

static bool find_colour(int color)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    if (color != COLOR_AUTO)
        return color == COLOR_ALWAYS;
    return isatty(STDOUT_FILENO) && !(no_color && no_color[0]) && !(term && !strcmp(term, "dumb"));
}

struct sms__screen cli_screen(const struct cli *cli)
{
    return (struct sms__screen){.to = stdout,
                                .width = find_width(),
                                .colour = find_colour(cli->color),
                                .terminal = isatty(STDOUT_FILENO),
                                .brief = isatty(STDOUT_FILENO) && !cli->notes};
}

/* ---- folding ---- */

struct fold {
    FILE *to;
    size_t width;
    struct sms__buffer line;
};

/* Bytes of an escape sequence that sets a colour, or of one character. */
static size_t step(const char *at, size_t *columns)
{
    size_t length = 1;
    if (at[0] == '\033') {
        while (at[length] && at[length] != 'm')
            length++;
        return length + (at[length] == 'm');
    }
    while ((at[length] & 0xc0) == 0x80)
        length++;
    ++*columns;
    return length;
}

/* Bytes of the next line: all that fits, up to a blank if there is one behind the indentation. A % stays with its
 * number. */
static size_t line_of(const char *text, size_t width)
{
    size_t used = 0, columns = 0, blank = 0;
    bool inside = false;
    while (text[used]) {
        inside |= text[used] != ' ';
        if (inside && text[used] == ' ' && text[used + 1] != '%')
            blank = used;
        size_t length = step(text + used, &columns);
        if (columns > width)
            return blank ? blank : used;
        used += length;
    }
    return used;
}

static void print_folded(const struct fold *fold, const char *text)
{
    size_t indent = strspn(text, " "), used = line_of(text, fold->width);
    indent = indent + 2 < fold->width / 2 ? indent + 2 : 2;
    fwrite(text, 1, used, fold->to);
    while (text[used]) {
        text += used;
        text += strspn(text, " ");
        used = line_of(text, fold->width - indent);
        if (used)
            fprintf(fold->to, "\n%*s%.*s", (int)indent, "", (int)used, text);
    }
}

static ssize_t write_folded(void *cookie, const char *bytes, size_t size)
{
    struct fold *fold = cookie;
    size_t from = 0;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != '\n')
            continue;
        sms__buffer_add(&fold->line, bytes + from, i - from);
        if (fold->line.bytes)
            print_folded(fold, fold->line.bytes);
        fputc('\n', fold->to);
        free(fold->line.bytes);
        fold->line = (struct sms__buffer){0};
        from = i + 1;
    }
    sms__buffer_add(&fold->line, bytes + from, size - from);
    return fflush(fold->to) || fold->line.failed ? 0 : (ssize_t)size;
}

static int end_folding(void *cookie)
{
    struct fold *fold = cookie;
    if (fold->line.bytes)
        print_folded(fold, fold->line.bytes);
    free(fold->line.bytes);
    stdout = fold->to;
    free(fold);
    return 0;
}

/* glibc lets a program assign stdout, so that all that print text need not know of this. */
void cli_fold_lines(void)
{
    const size_t width = find_width();
    struct fold *fold = width == SIZE_MAX ? NULL : calloc(1, sizeof *fold);
    if (!fold)
        return;
    *fold = (struct fold){.to = stdout, .width = width};
    FILE *folded = fopencookie(fold, "w", (cookie_io_functions_t){.write = write_folded, .close = end_folding});
    if (!folded) {
        free(fold);
        return;
    }
    setvbuf(folded, NULL, _IOLBF, BUFSIZ);
    stdout = folded;
}
