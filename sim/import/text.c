/* Makes texts of imported files safe for YAML, and counts columns in them. */
#include "text.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { NAME_MAX_CHARS = 60 };

const char *sms__import_name(struct sms__arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = sms__copy(arena, slash ? slash + 1 : path, strlen(slash ? slash + 1 : path));
    for (bool again = true; again;) { /* "a.json.gz" is "a" */
        char *dot = strrchr(*name ? name + 1 : name, '.');
        again = dot && !strcmp(dot, ".gz");
        if (dot)
            *dot = '\0';
    }
    if (strlen(name) > NAME_MAX_CHARS)
        name[NAME_MAX_CHARS] = '\0';
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && (*c != '-' || c == name)) /* YAML and options begin with '-' */
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
