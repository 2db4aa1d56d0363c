/* Makes texts of imported files safe for YAML. */
#include "text.h"

#include "../base/escape.h"

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

/* The bytes of the text's first characters, at most so many. A byte that is no UTF-8 counts as a character. */
static size_t length_of(const char *text, size_t most)
{
    size_t length = 0, bytes = sms__utf8_length(text);
    while (text[length] && length + (bytes ? bytes : 1) <= most) {
        length += bytes ? bytes : 1;
        bytes = sms__utf8_length(text + length);
    }
    return length;
}

const char *sms__derive_text(struct sms__arena *arena, const char *text, size_t most)
{
    char *copy = sms__copy(arena, text ? text : "", length_of(text ? text : "", most));
    sms__clean(copy);
    for (char *c = copy; *c; c++)
        if (*c == '"' || *c == '\\')
            *c = '?';
        else if (!strncmp(c, "\xef\xbf\xbe", 3) || !strncmp(c, "\xef\xbf\xbf", 3))
            c[2] = '\xbd'; /* U+FFFE and U+FFFF, which YAML cannot hold, become U+FFFD */
    return copy;
}
