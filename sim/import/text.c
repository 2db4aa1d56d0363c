/* Makes texts of imported files safe for YAML, and counts columns in them. */
#include "text.h"

#include <ctype.h>
#include <string.h>

enum { NAME_MAX_CHARS = 60 };

const char *sms__import_name(struct sms__arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path, *dot = strrchr(last, '.');
    size_t length = dot && dot > last ? (size_t)(dot - last) : strlen(last);
    char *name = sms__copy(arena, last, length < NAME_MAX_CHARS ? length : NAME_MAX_CHARS);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '-')
            *c = '_';
    return *name ? name : "imported";
}

const char *sms__derive_text(struct sms__arena *arena, const char *text, size_t most)
{
    size_t length = text ? strlen(text) : 0;
    char *copy = sms__copy(arena, text ? text : "", length < most ? length : most);
    for (char *c = copy; *c; c++)
        if (*c < ' ' || *c > '~' || *c == '"' || *c == '\\')
            *c = '?';
    return copy;
}

unsigned sms__text_column(const char *line, const char *at)
{
    unsigned column = 1;
    for (const char *c = line; c < at; c++)
        column += ((unsigned char)*c & 0xc0) != 0x80;
    return column;
}
