/* Escaping for each kind of output. Invariant: no loop here steps past a terminator, whatever bytes come before it. */
#include "escape.h"

#include "buffer.h"

#include <stdlib.h>
#include <string.h>

static const char hex[] = "0123456789abcdef";
static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

/* Well-formed byte sequences: Unicode 15, table 3-7. The limits of the second byte exclude overlong forms, surrogates
 * and code points beyond U+10FFFF. */
size_t sms__utf8_length(const char *at)
{
    const unsigned char *c = (const unsigned char *)at;
    if (c[0] < 0x80)
        return c[0] > 0;
    size_t length = c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : c[0] < 0xf5 ? 4 : 0;
    unsigned char least = c[0] == 0xe0 ? 0xa0 : c[0] == 0xf0 ? 0x90 : 0x80;
    unsigned char most = c[0] == 0xed ? 0x9f : c[0] == 0xf4 ? 0x8f : 0xbf;
    for (size_t i = 1; i < length; i++) {
        if (c[i] < least || c[i] > most)
            return 0;
        least = 0x80;
        most = 0xbf;
    }
    return length;
}

size_t sms__char_length(const char *at)
{
    const unsigned char *c = (const unsigned char *)at;
    bool control = c[0] < ' ' || c[0] == 127 || (c[0] == 0xc2 && c[1] < 0xa0);
    return control ? 0 : sms__utf8_length(at);
}

bool sms__is_printable(const char *text, size_t length)
{
    size_t n = 1;
    for (size_t i = 0; i < length && n; i += n)
        n = sms__char_length(text + i);
    return n > 0;
}

/* Marks and controls of the direction of text, and separators of lines and paragraphs: a terminal that obeys them shows
 * other words than the text has. */
static bool is_obeyed(const char *at)
{
    const unsigned char *c = (const unsigned char *)at;
    if (c[0] == 0xd8)
        return c[1] == 0x9c; /* U+061C */
    if (c[0] != 0xe2 || (c[1] != 0x80 && c[1] != 0x81))
        return false;
    return c[1] == 0x80 ? c[2] == 0x8e || c[2] == 0x8f || (c[2] >= 0xa8 && c[2] <= 0xae) /* U+200E, F, U+2028 to E */
                        : c[2] >= 0xa6 && c[2] <= 0xa9;                                  /* U+2066 to U+2069 */
}

void sms__clean(char *text)
{
    while (*text) {
        size_t length = sms__char_length(text);
        if (!length)
            *text = (unsigned char)*text < ' ' || *text == 127 ? ' ' : '?';
        else if (is_obeyed(text))
            memcpy(text, length == 3 ? replacement : "??", length); /* no longer, so that columns stay */
        text += length ? length : 1;
    }
}

void sms__print_visible(FILE *to, const char *text)
{
    while (*text) {
        size_t length = is_obeyed(text) ? 0 : sms__char_length(text);
        if (length)
            fwrite(text, 1, length, to);
        else
            fprintf(to, "\\x%02x", (unsigned char)*text);
        text += length ? length : 1;
    }
}

void sms__print_csv_quoted(FILE *to, const char *text)
{
    fputc('"', to);
    while (*text) {
        size_t length = sms__char_length(text);
        if (*text == '"')
            fputc('"', to);
        if (length || strchr("\n\r\t", *text))
            fwrite(text, 1, length ? length : 1, to);
        else
            fputs(replacement, to);
        text += length ? length : 1;
    }
    fputc('"', to);
}

void sms__print_csv(FILE *to, const char *text)
{
    if (!strpbrk(text, ",\"") && sms__is_printable(text, strlen(text)))
        fputs(text, to);
    else
        sms__print_csv_quoted(to, text);
}

void sms__print_csv_fields(FILE *to, size_t count, const char *const *text)
{
    for (size_t i = 0; i < count; i++) {
        sms__print_csv(to, text[i]);
        fputc(',', to);
    }
}

/* Prints a word so that a shell reads it as one. */
static void print_shell(FILE *to, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,:+@";
    if (word[0] && !word[strspn(word, plain)]) {
        fputs(word, to);
        return;
    }
    fputc('\'', to);
    for (; *word; word++)
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, to);
    fputc('\'', to);
}

char *sms__shell_line(size_t count, const char *const *word)
{
    struct sms__buffer line = {0};
    FILE *to = sms__buffer_open(&line);
    for (size_t i = 0; to && i < count; i++) {
        fputs(i ? " " : "", to);
        print_shell(to, word[i]);
    }
    if (to && sms__buffer_close(&line, to))
        return line.bytes;
    free(line.bytes);
    return NULL;
}

void sms__print_markup(FILE *to, const char *text)
{
    while (*text) {
        bool none = !strncmp(text, "\xef\xbf\xbe", 3) || !strncmp(text, "\xef\xbf\xbf", 3); /* U+FFFE, U+FFFF */
        size_t length = none ? 0 : sms__char_length(text);
        if (strchr("<>&\"'", *text))
            fprintf(to, "&#%d;", *text);
        else if (length)
            fwrite(text, 1, length, to);
        else
            fputs(*text == '\n' || *text == '\t' ? " " : replacement, to);
        text += length ? length : none ? 3 : 1;
    }
}

const char *sms__json_piece(const char **at, char out[8])
{
    const char *text = *at;
    size_t length = sms__utf8_length(text), used = 0;
    *at += length ? length : 1;
    if (!length)
        return replacement;
    if ((unsigned char)*text < ' ' || *text == 127) {
        snprintf(out, 8, "\\u00%c%c", hex[*text / 16], hex[*text % 16]);
        return out;
    }
    if (*text == '"' || *text == '\\')
        out[used++] = '\\';
    memcpy(out + used, text, length);
    out[used + length] = '\0';
    return out;
}

char *sms__path_text(const char *path)
{
    char *text = malloc(4 * strlen(path) + 1), *to = text;
    while (text && *path) {
        const size_t length = sms__utf8_length(path);
        if (length)
            memcpy(to, path, length);
        else
            memcpy(to, (const char[]){'\\', 'x', hex[(unsigned char)*path / 16], hex[(unsigned char)*path % 16]}, 4);
        to += length ? length : 4;
        path += length ? length : 1;
    }
    if (text)
        *to = '\0';
    return text;
}
