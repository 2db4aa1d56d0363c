/* Replaces one node of a tree by its path: names and numbers with points between them, "vms.server.arrivals.poisson".
 * An entry of a list is called by its number from 0, by its `name:`, by the policy that it is, or, all of them, by '*'.
 * A single value on the way is what `{VALUE: {}}`, or under `contention` `{model: VALUE}`, would be. */
#include "sweep.h"
#include <stdarg.h>
#include <string.h>

struct way {
    struct sms__reader *reader;
    const struct sms__change *change;
    bool made; /* what is at hand was not there before */
    int by;    /* the path of the plan that has put there what is at hand or something above it; 0: none */
    bool lost;
};

static struct sms__node *descend(struct way *way, const struct sms__node *at, const char *rest);

static struct sms__node *new_node(struct way *way, enum sms__node_kind kind, const char *text, size_t length)
{
    struct sms__node *node = SMS__NEW(way->reader->arena, struct sms__node, 1);
    *node = (struct sms__node){.kind = kind, .mark = way->change->path->mark, .expanded = 1};
    if (kind == SMS__SCALAR)
        node->text = sms__copy(way->reader->arena, text, length);
    return node;
}

__attribute__((format(printf, 2, 3))) static void complain(struct way *way, const char *format, ...)
{
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!way->lost)
        sms__complain(way->reader, way->change->path, "%s", text);
    way->lost = true;
}

/* Two paths of a plan have one place in the scenario, however they are spelt: of one the value would be lost. */
static void complain_hidden(struct way *way, int by)
{
    static const char *const keys[SMS__FIXED] = {"policies", "replications", "until", "seed"};
    const struct sms__plan *plan = way->change->plan;
    const struct sms__node *first = by < SMS__FIXED ? plan->fixed[by] : plan->column[by - SMS__FIXED].path;
    complain(way, "it would hide what '%.60s' in line %u says", by < SMS__FIXED ? keys[by] : first->text,
             first->mark.line);
}

/* The same items, with room for so many more. */
static struct sms__node *copy(struct way *way, const struct sms__node *node, size_t more)
{
    struct sms__node *same = SMS__NEW(way->reader->arena, struct sms__node, 1);
    *same = *node;
    same->item = SMS__NEW(way->reader->arena, struct sms__node *, node->items + more);
    if (node->items)
        memcpy(same->item, node->item, node->items * sizeof *node->item);
    return same;
}

const char *sms__path_behind(const char *rest, const char *name)
{
    size_t length = strlen(name);
    if (strncmp(rest, name, length) || (rest[length] && rest[length] != '.'))
        return NULL;
    return rest + length + (rest[length] == '.');
}

static struct sms__node *pair(struct way *way, const char *key, size_t length, struct sms__node *value)
{
    struct sms__node *map = new_node(way, SMS__MAP, NULL, 0);
    map->item = SMS__NEW(way->reader->arena, struct sms__node *, 2);
    map->items = 2;
    map->item[0] = new_node(way, SMS__SCALAR, key, length);
    map->item[1] = value;
    return map;
}

/* `{KEY: {}}`, and then on. */
static struct sms__node *wrap(struct way *way, const char *key, size_t length, const char *rest)
{
    way->made = true;
    return pair(way, key, length, descend(way, new_node(way, SMS__MAP, NULL, 0), rest));
}

static struct sms__node *into_map(struct way *way, const struct sms__node *at, const char *rest)
{
    for (size_t i = 0; i + 1 < at->items; i += 2) {
        const char *next = at->item[i]->kind == SMS__SCALAR ? sms__path_behind(rest, at->item[i]->text) : NULL;
        if (!next)
            continue;
        const struct sms__node *under = at->item[i + 1];
        struct sms__node *map = copy(way, at, 0);
        bool model = *next && under->kind == SMS__SCALAR && !strcmp(at->item[i]->text, "contention");
        map->item[i + 1] = descend(way, model ? pair(way, "model", 5, at->item[i + 1]) : under, next);
        return map;
    }
    size_t length = strcspn(rest, ".");
    struct sms__node *added = wrap(way, rest, length, rest + length + (rest[length] == '.'));
    struct sms__node *map = copy(way, at, 2);
    map->item[map->items++] = added->item[0];
    map->item[map->items++] = added->item[1];
    return map;
}

/* What an entry of a list is called; of devices, the model. */
static const char *called(const struct sms__node *item)
{
    if (item->kind == SMS__SCALAR)
        return item->text;
    const struct sms__node *name = sms__node_get(item, "name");
    name = name ? name : sms__node_get(item, "model");
    name = name || item->kind != SMS__MAP || !item->items ? name : item->item[0];
    return name && name->kind == SMS__SCALAR ? name->text : NULL;
}

static const char *entry_name(const void *user, size_t i) { return called(((const struct sms__node *)user)->item[i]); }

/* An entry called by its name is left by that; a policy is a map's key, or becomes one, and the name stands before what
 * is said of it. */
static struct sms__node *into_named(struct way *way, const struct sms__node *item, const char *rest, const char *next)
{
    bool keyed = item->kind == SMS__MAP && !sms__node_get(item, "name") && !sms__node_get(item, "model");
    return descend(way, item, keyed || (item->kind == SMS__SCALAR && *next) ? rest : next);
}

/* Each of them as if it were the only one. */
static void into_all(struct way *way, struct sms__node *list, const char *rest)
{
    const struct way before = *way;
    if (list->items == 0)
        complain(way, "'*' stands for no entry: there is none");
    for (size_t i = 0; i < list->items && !way->lost; i++) {
        list->item[i] = descend(way, list->item[i], rest);
        way->made = before.made;
        way->by = before.by;
    }
}

static struct sms__node *into_list(struct way *way, const struct sms__node *at, const char *rest)
{
    struct sms__node *list = copy(way, at, 0);
    size_t length = strcspn(rest, "."), idx = 0;
    const char *next = rest + length + (rest[length] == '.');
    const bool all = length == 1 && rest[0] == '*';
    for (size_t i = 0; i < length && length < 8; i++)
        idx = idx * 10 + (size_t)(rest[i] - '0');
    if (all) {
        into_all(way, list, next);
        return list;
    }
    if (length > 0 && length < 8 && strspn(rest, "0123456789") == length && idx < at->items) {
        list->item[idx] = descend(way, at->item[idx], next);
        return list;
    }
    for (size_t i = 0; i < at->items; i++) {
        const char *name = called(at->item[i]);
        next = name ? sms__path_behind(rest, name) : NULL;
        if (!next)
            continue;
        list->item[i] = into_named(way, at->item[i], rest, next);
        return list;
    }
    way->lost = true;
    sms__complain_unknown(way->reader, new_node(way, SMS__SCALAR, rest, length), "entry", at->items, entry_name, at);
    return list;
}

/* The path of the plan that has put there a node or something below it; 0: none. */
static int put_by(const struct sms__node *node)
{
    int by = node->by;
    for (size_t i = 0; i < node->items && !by; i++)
        by = put_by(node->item[i]);
    return by;
}

static struct sms__node *put(struct way *way, const struct sms__node *at)
{
    struct sms__node *value = SMS__NEW(way->reader->arena, struct sms__node, 1);
    int by = way->made ? 0 : put_by(at);
    by = by || way->made ? by : way->by;
    *value = *way->change->value;
    value->by = way->change->by + 1;
    if (by)
        complain_hidden(way, by - 1);
    return value;
}

static struct sms__node *descend(struct way *way, const struct sms__node *at, const char *rest)
{
    if (!*rest)
        return put(way, at);
    way->by = at->by ? at->by : way->by;
    if (at->kind == SMS__MAP)
        return into_map(way, at, rest);
    if (at->kind == SMS__LIST)
        return into_list(way, at, rest);
    const char *next = sms__path_behind(rest, at->text);
    if (next)
        return wrap(way, at->text, strlen(at->text), next);
    complain(way, "'%.60s' of the path has no meaning: '%.60s' is a single value", rest, at->text);
    return new_node(way, SMS__MAP, NULL, 0);
}

const struct sms__node *sms__node_replace(struct sms__reader *reader, const struct sms__node *root,
                                          const struct sms__change *change)
{
    struct way way = {.reader = reader, .change = change};
    struct sms__node *changed = descend(&way, root, change->rest);
    return way.lost ? root : changed;
}

const struct sms__node *sms__node_without(struct sms__arena *arena, const struct sms__node *root, const char *key)
{
    struct sms__node *map = SMS__NEW(arena, struct sms__node, 1);
    *map = *root;
    map->items = 0;
    map->item = SMS__NEW(arena, struct sms__node *, root->items);
    for (size_t i = 0; i + 1 < root->items; i += 2) {
        if (root->item[i]->kind == SMS__SCALAR && !strcmp(root->item[i]->text, key))
            continue;
        map->item[map->items++] = root->item[i];
        map->item[map->items++] = root->item[i + 1];
    }
    return map;
}
