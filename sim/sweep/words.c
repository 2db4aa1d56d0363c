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

/* Keys of entries: what is behind the name or number of one is a field of it. */
static const struct {
    const char *key, *one;
    const struct sms__field *fields;
} entries[] = {{"vms", "vm", sms__vm_fields},   {"processes", "process", sms__process_fields},
               {"pods", "pod", NULL},           {"nodes", "node", NULL},
               {"policies", "policy", NULL},    {"devices", "device", NULL},
               {"workloads", "workload", NULL}, {"kernels", "kernel", NULL}};

/* Its name, "vm 0" or "all vms". */
static const char *entry_words(struct sms__arena *arena, size_t kind, const char *name, size_t length)
{
    if (isdigit((unsigned char)*name))
        return sms__print(arena, "%s %.*s", entries[kind].one, (int)length, name);
    return *name == '*' ? sms__print(arena, "all %s", entries[kind].key) : sms__copy(arena, name, length);
}

/* The last part first: "slope of contention", "start of vm 0". */
static const char *path_words(struct sms__arena *arena, const char *path)
{
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        const char *name = sms__path_after(path, entries[i].key), *dot = name ? strchr(name, '.') : NULL;
        if (!dot)
            continue;
        const struct sms__field *field = find_field(entries[i].fields, dot + 1);
        return sms__print(arena, "%s of %s", field && field->words ? field->words : path_words(arena, dot + 1),
                          entry_words(arena, i, name, (size_t)(dot - name)));
    }
    const size_t length = strcspn(path, ".");
    char *words = sms__copy(arena, path, length);
    for (char *at = words; *at; at++)
        *at = *at == '_' ? ' ' : *at;
    return path[length] ? sms__print(arena, "%s of %s", path_words(arena, path + length + 1), words) : words;
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
