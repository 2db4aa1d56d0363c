/* Builds the tree of a YAML file from the events of libyaml. Depth, nodes and anchors are limited, and aliases cannot
 * form cycles, so every walk of the tree ends. */
#include "doc.h"

#include "../base/escape.h"
#include "../base/intern.h"
#include "../base/read.h"

#include <stdbool.h>
#include <string.h>
#include <yaml.h>

struct loader {
    struct sms__arena *arena;
    struct sms_errors *errors;
    struct sms__doc *doc;
    yaml_parser_t parser;
    yaml_event_t event;
    struct sms__string_pool anchors;    /* of the document, with their nodes */
    uint64_t nodes, anchored, expanded; /* of the file */
    size_t capacity;                    /* capacity of doc->root */
};

static int fail_at(struct loader *l, yaml_mark_t mark, const char *what)
{
    struct sms__mark place = {l->doc->path, l->doc->text, (unsigned)mark.line + 1, (unsigned)mark.column + 1};
    sms__error(l->errors, SMS_EINPUT, place, "%s", what);
    return SMS_EINPUT;
}

/* Where parsing failed. For bytes that are not valid characters, libyaml gives only an offset. */
static yaml_mark_t problem_place(const struct loader *l)
{
    if (l->parser.error != YAML_READER_ERROR)
        return l->parser.problem_mark;
    struct sms__mark mark = sms__text_mark(NULL, l->doc->text, strnlen(l->doc->text, l->parser.problem_offset));
    return (yaml_mark_t){.line = mark.line - 1, .column = mark.column - 1};
}

/* Finds a tab in the indentation of the line where parsing failed. */
static bool find_tab(const struct loader *l, yaml_mark_t *place)
{
    const char *line = sms__text_line(l->doc->text, place->line + 1);
    size_t column = strspn(line, " -?");
    place->column = line[column] == '\t' ? column : place->column;
    return line[column] == '\t';
}

static int next_event(struct loader *l)
{
    yaml_event_delete(&l->event);
    if (yaml_parser_parse(&l->parser, &l->event))
        return SMS_OK;
    if (l->parser.error == YAML_MEMORY_ERROR)
        return SMS_ENOMEM;
    char what[200], begun[40] = "";
    yaml_mark_t place = problem_place(l);
    if (find_tab(l, &place))
        return fail_at(l, place, "not YAML: a tab, and YAML is indented with spaces");
    if (l->parser.problem && !strcmp(l->parser.problem, "mapping values are not allowed in this context"))
        return fail_at(l, place,
                       "not YAML: a ':' where no key can be; keys that belong together are indented alike, and a text "
                       "with ': ' in it stands in quotes");
    if (l->parser.context && l->parser.context_mark.line < place.line)
        snprintf(begun, sizeof begun, " begun in line %zu", l->parser.context_mark.line + 1);
    snprintf(what, sizeof what, "not YAML: %s%s%s%s", l->parser.context ? l->parser.context : "", begun,
             l->parser.context ? ", " : "", l->parser.problem ? l->parser.problem : "unknown problem");
    return fail_at(l, place, what);
}

static struct sms__node *new_node(struct loader *l, enum sms__node_kind kind, const yaml_char_t *anchor)
{
    struct sms__node *node = SMS__NEW(l->arena, struct sms__node, 1);
    yaml_mark_t at = l->event.start_mark;
    node->kind = kind;
    node->mark = (struct sms__mark){l->doc->path, l->doc->text, (unsigned)at.line + 1, (unsigned)at.column + 1};
    node->expanded = 1;
    l->nodes++;
    l->anchored += anchor != NULL;
    if (anchor)
        sms__intern(&l->anchors, (const char *)anchor, strlen((const char *)anchor))->data = node;
    return node;
}

static int read_node(struct loader *l, int depth, struct sms__node **out);

static void append(struct loader *l, struct sms__node *to, size_t *capacity, struct sms__node *child)
{
    if (to->items == *capacity) {
        *capacity = *capacity ? *capacity * 2 : 8;
        to->item = sms__enlarge(l->arena, (void *)to->item, to->items, *capacity, sizeof *to->item);
    }
    to->item[to->items++] = child;
    to->expanded += child->expanded;
}

static int read_items(struct loader *l, int depth, struct sms__node *node, yaml_event_type_t end)
{
    size_t capacity = 0;
    node->open = 1;
    for (;;) {
        int code = next_event(l);
        if (code)
            return code;
        if (l->event.type == end)
            break;
        struct sms__node *child = NULL;
        code = read_node(l, depth + 1, &child);
        if (code)
            return code;
        append(l, node, &capacity, child);
        if (l->expanded + node->expanded > SMS__NODES_MAX)
            return fail_at(l, l->event.start_mark, "the file has more than 2000000 nodes with its aliases expanded");
    }
    node->open = 0;
    return SMS_OK;
}

static int read_alias(struct loader *l, struct sms__node **out)
{
    const struct sms__pooled_string *anchor = sms__interned(&l->anchors, (const char *)l->event.data.alias.anchor);
    if (!anchor)
        return fail_at(l, l->event.start_mark, "the anchor of this alias is not defined above it");
    *out = anchor->data;
    return (*out)->open ? fail_at(l, l->event.start_mark,
                                  "this alias is inside the node that it refers to, so it would be endless")
                        : SMS_OK;
}

/* Whether a text has control characters, which could command a terminal. Escapes such as "\e" produce them. */
static bool has_controls(const char *text, size_t length)
{
    size_t n = 1;
    for (size_t i = 0; i < length && n; i += n)
        n = text[i] == '\n' || text[i] == '\t' ? 1 : sms__char_length(text + i);
    return n == 0;
}

static int read_scalar(struct loader *l, struct sms__node **out)
{
    const char *value = (const char *)l->event.data.scalar.value;
    size_t length = l->event.data.scalar.length;
    if (has_controls(value, length))
        return fail_at(l, l->event.start_mark, "the text has control characters");
    *out = new_node(l, SMS__SCALAR, l->event.data.scalar.anchor);
    (*out)->text = sms__copy(l->arena, value, length);
    return SMS_OK;
}

static const yaml_char_t *tag_of(const yaml_event_t *event)
{
    return event->type == YAML_SCALAR_EVENT           ? event->data.scalar.tag
           : event->type == YAML_SEQUENCE_START_EVENT ? event->data.sequence_start.tag
           : event->type == YAML_MAPPING_START_EVENT  ? event->data.mapping_start.tag
                                                      : NULL;
}

/* Reads the node that starts with the current event. */
static int read_node(struct loader *l, int depth, struct sms__node **out)
{
    if (depth > SMS__DEPTH_MAX)
        return fail_at(l, l->event.start_mark, "nested more than 32 levels deep");
    if (tag_of(&l->event))
        return fail_at(l, l->event.start_mark, "tags (!...) are not supported");
    if (l->nodes > SMS__NODES_MAX)
        return fail_at(l, l->event.start_mark, "the file has more than 2000000 nodes");
    if (l->anchored > SMS__ANCHORS_MAX)
        return fail_at(l, l->event.start_mark, "the file has more than 1000 anchors");
    switch (l->event.type) {
    case YAML_ALIAS_EVENT:
        return read_alias(l, out);
    case YAML_SCALAR_EVENT:
        return read_scalar(l, out);
    case YAML_SEQUENCE_START_EVENT:
        *out = new_node(l, SMS__LIST, l->event.data.sequence_start.anchor);
        return read_items(l, depth, *out, YAML_SEQUENCE_END_EVENT);
    case YAML_MAPPING_START_EVENT:
        *out = new_node(l, SMS__MAP, l->event.data.mapping_start.anchor);
        return read_items(l, depth, *out, YAML_MAPPING_END_EVENT);
    default:
        return fail_at(l, l->event.start_mark, "not YAML: unexpected event");
    }
}

static void add_root(struct loader *l, struct sms__node *root)
{
    struct sms__node list = {.item = l->doc->root, .items = l->doc->roots};
    append(l, &list, &l->capacity, root);
    l->expanded += root->expanded;
    l->doc->root = list.item;
    l->doc->roots = list.items;
}

static int read_stream(void *user)
{
    struct loader *l = user;
    for (;;) {
        int code = next_event(l);
        if (code)
            return code;
        if (l->event.type == YAML_STREAM_END_EVENT)
            return SMS_OK;
        if (l->event.type == YAML_DOCUMENT_START_EVENT) {
            l->anchors = (struct sms__string_pool){.arena = l->arena}; /* visible in their own document only */
            continue;
        }
        if (l->event.type == YAML_DOCUMENT_END_EVENT || l->event.type == YAML_STREAM_START_EVENT)
            continue;
        struct sms__node *root = NULL;
        code = read_node(l, 0, &root);
        if (code)
            return code;
        add_root(l, root);
    }
}

/* Parses doc->text. */
static int parse(struct sms__arena *arena, struct sms__doc *doc, struct sms_errors *errors)
{
    struct loader l = {.arena = arena, .errors = errors, .doc = doc};
    if (!yaml_parser_initialize(&l.parser))
        return SMS_ENOMEM;
    yaml_parser_set_input_string(&l.parser, (const unsigned char *)doc->text, strlen(doc->text));
    int code = sms__guard(arena, read_stream, &l);
    yaml_event_delete(&l.event);
    yaml_parser_delete(&l.parser);
    if (code == SMS_OK && !doc->roots)
        code = sms__fail(errors, SMS_EINPUT, doc->path, "is empty");
    return code;
}

int sms__doc_load(struct sms__arena *arena, const char *path, struct sms__doc *doc, struct sms_errors *errors)
{
    doc->path = sms__copy(arena, path, strlen(path));
    int code = sms__file_text(arena, doc->path, &doc->text, errors);
    return code ? code : parse(arena, doc, errors);
}

int sms__doc_load_text(struct sms__arena *arena, const char *path, const char *text, size_t size, struct sms__doc *doc,
                       struct sms_errors *errors)
{
    doc->path = sms__copy(arena, path, strlen(path));
    if (size > SMS__TEXT_BYTES_MAX)
        return sms__fail(errors, SMS_EINPUT, path, "is larger than %d MiB", SMS__TEXT_BYTES_MAX >> 20);
    doc->text = sms__copy(arena, text, size);
    int code = sms__check_text(doc->path, doc->text, size, errors);
    return code ? code : parse(arena, doc, errors);
}

const struct sms__node *sms__node_get(const struct sms__node *map, const char *key)
{
    for (size_t i = 0; map->kind == SMS__MAP && i + 1 < map->items; i += 2)
        if (map->item[i]->kind == SMS__SCALAR && !strcmp(map->item[i]->text, key))
            return map->item[i + 1];
    return NULL;
}

const struct sms__node *sms__at_key(const struct sms__node *map, const char *key)
{
    const struct sms__node *value = sms__node_get(map, key);
    return value ? value : map;
}

struct sms__node *sms__new_scalar(struct sms__arena *arena, const struct sms__node *at, const char *text)
{
    struct sms__node *node = SMS__NEW(arena, struct sms__node, 1);
    *node = (struct sms__node){.kind = SMS__SCALAR, .mark = at->mark, .text = text, .expanded = 1};
    return node;
}

static bool is_among(const struct sms__node *key, const char *const *keys)
{
    while (*keys && (key->kind != SMS__SCALAR || strcmp(key->text, *keys) != 0))
        keys++;
    return *keys;
}

const struct sms__node *sms__find_key(const struct sms__node *map, const char *const *keys)
{
    for (size_t i = 0; i + 1 < map->items; i += 2)
        if (is_among(map->item[i], keys))
            return map->item[i];
    return NULL;
}

struct sms__node *sms__node_copy(struct sms__arena *arena, const struct sms__node *node, size_t more)
{
    struct sms__node *copy = SMS__NEW(arena, struct sms__node, 1);
    *copy = *node;
    copy->item = sms__enlarge(arena, node->item, node->items, node->items + more, sizeof *copy->item);
    return copy;
}

struct sms__node *sms__node_pick(struct sms__arena *arena, const struct sms__node *map, const char *const *keys,
                                 bool among)
{
    struct sms__node *picked = sms__node_copy(arena, map, 0);
    picked->items = 0;
    for (size_t i = 0; i + 1 < map->items; i += 2) {
        if (is_among(map->item[i], keys) != among)
            continue;
        picked->item[picked->items++] = map->item[i];
        picked->item[picked->items++] = map->item[i + 1];
    }
    return picked;
}
