/* What people read in place of the path of a varied field. */
#include "sweep.h"

#include "../base/escape.h"

#include <ctype.h>
#include <string.h>

/* The field that the path leads to among these; NULL if they do not say. */
static const struct sms__field *find_field(const struct sms__field *fields, const char *path)
{
    const size_t length = strcspn(path, ".");
    for (; fields && fields->name; fields++)
        if (strlen(fields->name) == length && !strncmp(fields->name, path, length))
            return path[length] ? find_field(fields->fields, path + length + 1) : fields;
    return NULL;
}

/* Keys of entries that have names: what is behind the name is a field of that entry. */
static const struct {
    const char *key;
    const struct sms__field *fields;
} named[] = {
    {"vms", sms__vm_fields}, {"processes", sms__process_fields}, {"pods", NULL}, {"policies", NULL}, {"devices", NULL}};

/* "slope of contention"; the path itself if it has no second part, or one that is a number. */
static const char *words_of_map(struct sms__arena *arena, const char *path)
{
    const char *last = strrchr(path, '.');
    if (!last || isdigit((unsigned char)last[1]) || strchr(path, '*') || strchr(path, '.') != last)
        return path;
    char *words = sms__print(arena, "%s of %.*s", last + 1, (int)(last - path), path);
    for (char *at = words; *at; at++)
        *at = *at == '_' ? ' ' : *at;
    return words;
}

/* What people read in place of a path, or the path itself where that says no more. */
static const char *path_words(struct sms__arena *arena, const char *path)
{
    const char *rest = NULL;
    const struct sms__field *field = NULL;
    for (size_t i = 0; i < sizeof named / sizeof *named && !rest; i++) {
        rest = sms__path_after(path, named[i].key);
        const char *dot = rest ? strchr(rest, '.') : NULL;
        field = dot ? find_field(named[i].fields, dot + 1) : NULL;
    }
    const size_t name = rest ? strcspn(rest, ".") : 0;
    if (!rest)
        return words_of_map(arena, path);
    if (name == 0 || !rest[name] || rest[0] == '*' || isdigit((unsigned char)rest[0]))
        return path;
    char *what = sms__print(arena, "%s", field && field->words ? field->words : rest + name + 1);
    for (char *at = what; *at; at++)
        *at = *at == '.' || *at == '_' ? ' ' : *at;
    return sms__print(arena, "%s of %.*s", what, (int)name, rest);
}

const char *sms__column_words(struct sms__arena *arena, const struct sms__plan *plan, const struct sms__column *column)
{
    const struct sms__node *label = plan->labels ? sms__node_get(plan->labels, column->path->text) : NULL;
    return label ? label->text : path_words(arena, column->path->text);
}

static const char *path_of(const void *user, size_t i)
{
    return ((const struct sms__plan *)user)->column[i].path->text;
}

void sms__check_labels(struct sms__reader *reader, const struct sms__plan *plan)
{
    for (size_t i = 0; plan->labels && plan->labels->kind == SMS__MAP && i < plan->labels->items; i += 2) {
        const struct sms__node *path = plan->labels->item[i], *text = plan->labels->item[i + 1];
        const size_t c = sms__find_name(path->text, plan->columns, path_of, plan);
        if (c == plan->columns)
            sms__complain_unknown(reader, path, "varied field", plan->columns, path_of, plan);
        else if (sms__expect_kind(reader, text, SMS__SCALAR) && (!*text->text || strlen(text->text) > SMS__LABEL_MAX))
            sms__complain(reader, text, "a label has 1 to %d characters", SMS__LABEL_MAX);
    }
}
