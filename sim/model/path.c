/* Replaces one node of a tree. Its path has names and numbers separated by dots, as in "vms.server.arrivals.poisson".
 * An entry of a list is chosen by its index from 0, by its `name:`, or by its policy; '*' chooses all entries. A scalar
 * on the path is read as `{VALUE: {}}`, or under `contention` as `{model: VALUE}`. The original tree stays unchanged.
 */
#include "change.h"

#include <stdarg.h>
#include <string.h>

struct cursor {
    struct sms__reader *reader;
    const struct sms__change *change;
    bool is_new; /* the current node did not exist before */
    int source;  /* which path of the plan set the current node or one above it, from 1; 0: none */
    bool failed;
};

static struct sms__node *descend(struct cursor *cursor, const struct sms__node *node, const char *rest);

static struct sms__node *new_node(struct cursor *cursor, enum sms__node_kind kind, const char *text, size_t length)
{
    struct sms__node *node = SMS__NEW(cursor->reader->arena, struct sms__node, 1);
    *node = (struct sms__node){.kind = kind, .mark = cursor->change->path->mark, .expanded = 1};
    if (kind == SMS__SCALAR)
        node->text = sms__copy(cursor->reader->arena, text, length);
    return node;
}

__attribute__((format(printf, 2, 3))) static void report(struct cursor *cursor, const char *format, ...)
{
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!cursor->failed)
        sms__complain(cursor->reader, cursor->change->path, "%s", text);
    cursor->failed = true;
}

/* Two paths of the plan lead to the same node, perhaps spelt differently, so one value would be lost. */
static void report_conflict(struct cursor *cursor, int source)
{
    const struct sms__told_path first = cursor->change->told(cursor->change->plan, source);
    report(cursor, "this would override '%.60s' in line %u", first.text, first.line);
}

const char *sms__path_after(const char *rest, const char *name)
{
    size_t length = strlen(name);
    if (strncmp(rest, name, length) || (rest[length] && rest[length] != '.'))
        return NULL;
    return rest + length + (rest[length] == '.');
}

const char *sms__workload_path(const struct sms__node *path) { return sms__path_after(path->text, "workloads"); }

static struct sms__node *make_pair(struct cursor *cursor, const char *key, size_t length, struct sms__node *value)
{
    struct sms__node *map = new_node(cursor, SMS__MAP, NULL, 0);
    map->item = SMS__NEW(cursor->reader->arena, struct sms__node *, 2);
    map->items = 2;
    map->item[0] = new_node(cursor, SMS__SCALAR, key, length);
    map->item[1] = value;
    return map;
}

/* Makes `{KEY: {}}` and descends into it. */
static struct sms__node *wrap_key(struct cursor *cursor, const char *key, size_t length, const char *rest)
{
    cursor->is_new = true;
    return make_pair(cursor, key, length, descend(cursor, new_node(cursor, SMS__MAP, NULL, 0), rest));
}

static struct sms__node *descend_map(struct cursor *cursor, const struct sms__node *node, const char *rest)
{
    for (size_t i = 0; i + 1 < node->items; i += 2) {
        const char *next = node->item[i]->kind == SMS__SCALAR ? sms__path_after(rest, node->item[i]->text) : NULL;
        if (!next)
            continue;
        const struct sms__node *child = node->item[i + 1];
        struct sms__node *map = sms__node_copy(cursor->reader->arena, node, 0);
        bool model = *next && child->kind == SMS__SCALAR && !strcmp(node->item[i]->text, "contention");
        map->item[i + 1] = descend(cursor, model ? make_pair(cursor, "model", 5, node->item[i + 1]) : child, next);
        return map;
    }
    size_t length = strcspn(rest, ".");
    struct sms__node *added = wrap_key(cursor, rest, length, rest + length + (rest[length] == '.'));
    struct sms__node *map = sms__node_copy(cursor->reader->arena, node, 2);
    map->item[map->items++] = added->item[0];
    map->item[map->items++] = added->item[1];
    return map;
}

/* The text that chooses an entry of a list: its name, a device's model, or a policy. */
static const char *entry_key(const struct sms__node *item)
{
    if (item->kind == SMS__SCALAR)
        return item->text;
    const struct sms__node *name = sms__node_get(item, "name");
    name = name ? name : sms__node_get(item, "model");
    name = name || item->kind != SMS__MAP || !item->items ? name : item->item[0];
    return name && name->kind == SMS__SCALAR ? name->text : NULL;
}

/* Names the entries that have a name, or tells how many there are: numbers, and first keys of mappings, name nothing.
 */
static void report_unknown(struct cursor *cursor, const struct sms__node *list, const char *rest, size_t length)
{
    static const char digits[] = "0123456789";
    const char **name = SMS__NEW(cursor->reader->arena, const char *, list->items + 1);
    size_t names = 0;
    for (size_t i = 0; i < list->items && strspn(rest, digits) < length; i++) {
        const struct sms__node *item = list->item[i];
        const bool is_named = !item->items || sms__node_get(item, "name") || sms__node_get(item, "model");
        const char *key = is_named ? entry_key(item) : NULL;
        if (key && !strchr(digits, *key))
            name[names++] = key;
    }
    if (!names && list->items)
        report(cursor, "unknown entry '%.*s'; known: %s%zu", (int)(length < 60 ? length : 60), rest,
               list->items > 1 ? "0 to " : "", list->items - 1);
    else
        sms__complain_unknown(cursor->reader, new_node(cursor, SMS__SCALAR, rest, length), "entry", names, sms__text_at,
                              name);
    cursor->failed = true;
}

/* A name in the path is used up by choosing the entry. A policy's name is not: it is also the key of the entry's
 * mapping, which a scalar entry becomes. */
static struct sms__node *descend_entry(struct cursor *cursor, const struct sms__node *item, const char *rest,
                                       const char *next)
{
    bool keyed = item->kind == SMS__MAP && !sms__node_get(item, "name") && !sms__node_get(item, "model");
    return descend(cursor, item, keyed || (item->kind == SMS__SCALAR && *next) ? rest : next);
}

/* Changes each entry as if it were the only one. */
static void descend_all(struct cursor *cursor, struct sms__node *list, const char *rest)
{
    const struct cursor before = *cursor;
    if (list->items == 0)
        report(cursor, "'*' matches nothing: the list is empty");
    for (size_t i = 0; i < list->items && !cursor->failed; i++) {
        list->item[i] = descend(cursor, list->item[i], rest);
        cursor->is_new = before.is_new;
        cursor->source = before.source;
    }
}

static struct sms__node *descend_list(struct cursor *cursor, const struct sms__node *node, const char *rest)
{
    struct sms__node *list = sms__node_copy(cursor->reader->arena, node, 0);
    size_t length = strcspn(rest, "."), idx = 0;
    const char *next = rest + length + (rest[length] == '.');
    const bool is_all = length == 1 && rest[0] == '*';
    for (size_t i = 0; i < length && length < 8; i++)
        idx = idx * 10 + (size_t)(rest[i] - '0');
    if (is_all) {
        descend_all(cursor, list, next);
        return list;
    }
    if (length > 0 && length < 8 && strspn(rest, "0123456789") == length && idx < node->items) {
        list->item[idx] = descend(cursor, node->item[idx], next);
        return list;
    }
    for (size_t i = 0; i < node->items; i++) {
        const char *name = entry_key(node->item[i]);
        next = name ? sms__path_after(rest, name) : NULL;
        if (!next)
            continue;
        list->item[i] = descend_entry(cursor, node->item[i], rest, next);
        return list;
    }
    report_unknown(cursor, node, rest, length);
    return list;
}

/* Which path of the plan set a node or one below it, from 1; 0: none. */
static int find_source(const struct sms__node *node)
{
    int source = node->by;
    for (size_t i = 0; i < node->items && !source; i++)
        source = find_source(node->item[i]);
    return source;
}

static struct sms__node *put_value(struct cursor *cursor, const struct sms__node *node)
{
    struct sms__node *value = SMS__NEW(cursor->reader->arena, struct sms__node, 1);
    int source = cursor->is_new ? 0 : find_source(node);
    source = source || cursor->is_new ? source : cursor->source;
    *value = *cursor->change->value;
    if (!cursor->change->told) /* what is given later holds */
        return value;
    value->by = cursor->change->source + 1;
    if (source)
        report_conflict(cursor, source - 1);
    return value;
}

static struct sms__node *descend(struct cursor *cursor, const struct sms__node *node, const char *rest)
{
    if (!*rest)
        return put_value(cursor, node);
    cursor->source = node->by ? node->by : cursor->source;
    if (node->kind == SMS__MAP)
        return descend_map(cursor, node, rest);
    if (node->kind == SMS__LIST)
        return descend_list(cursor, node, rest);
    const char *next = sms__path_after(rest, node->text);
    if (next)
        return wrap_key(cursor, node->text, strlen(node->text), next);
    report(cursor, "the path cannot go on to '%.60s': '%.60s' is a single value", rest, node->text);
    return new_node(cursor, SMS__MAP, NULL, 0);
}

const struct sms__node *sms__node_replace(struct sms__reader *reader, const struct sms__node *root,
                                          const struct sms__change *change)
{
    struct cursor cursor = {.reader = reader, .change = change};
    const size_t length = strlen(change->rest);
    if (length && change->rest[length - 1] == '.')
        report(&cursor, "the path ends with a dot: a key is missing");
    struct sms__node *changed = descend(&cursor, root, change->rest);
    return cursor.failed ? root : changed;
}
