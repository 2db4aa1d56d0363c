/* Reads mappings by tables of fields. Every problem is reported at its node; reading then goes on to find the next. */
#include "fields.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

void sms__complain(struct sms__reader *reader, const struct sms__node *node, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    sms__verror(reader->errors, SMS_EINPUT, node->mark, format, args);
    va_end(args);
}

bool sms__is_wrong(const struct sms__reader *reader, const struct sms__node *map, const char *key)
{
    const struct sms__node *value = sms__node_get(map, key);
    bool wrong = value && sms__has_error(reader->errors, &value->mark, NULL);
    for (size_t i = 0; map->kind == SMS__MAP && !value && !wrong && i + 1 < map->items; i += 2)
        wrong = map->item[i]->kind == SMS__SCALAR && sms__has_error(reader->errors, &map->item[i]->mark, NULL) &&
                sms__nearest(map->item[i]->text, 1, sms__text_at, &key);
    return wrong;
}

static const char *kind_name(enum sms__node_kind kind)
{
    return kind == SMS__SCALAR ? "a single value" : kind == SMS__LIST ? "a list" : "a mapping";
}

bool sms__expect_kind(struct sms__reader *reader, const struct sms__node *node, enum sms__node_kind kind)
{
    if (node->kind == kind)
        return true;
    sms__complain(reader, node, "expected %s, found %s", kind_name(kind), kind_name(node->kind));
    return false;
}

static bool expect_entries(struct sms__reader *reader, const struct sms__node *node, size_t entries, size_t most)
{
    if (entries > most)
        sms__complain(reader, node, "more than %zu entries", most);
    return entries <= most;
}

bool sms__expect_list(struct sms__reader *reader, const struct sms__node *node, size_t most)
{
    return sms__expect_kind(reader, node, SMS__LIST) && expect_entries(reader, node, node->items, most);
}

bool sms__expect_map(struct sms__reader *reader, const struct sms__node *node, size_t most)
{
    return sms__expect_kind(reader, node, SMS__MAP) && expect_entries(reader, node, node->items / 2, most);
}

void sms__complain_unknown(struct sms__reader *reader, const struct sms__node *node, const char *what, size_t count,
                           const char *(*name)(const void *user, size_t i), const void *user)
{
    const char *near = sms__nearest(node->text, count, name, user);
    for (size_t i = 0; reader->errors->count && i < count; i++) {
        const char *known = name(user, i);
        if (known && !*known) /* it was refused, and may be the one that is meant */
            return;
    }
    if (near)
        sms__complain(reader, node, "unknown %s '%.60s'; did you mean '%s'?", what, node->text, near);
    else if (count == 0)
        sms__complain(reader, node, "unknown %s '%.60s'", what, node->text);
    else {
        char list[220] = "";
        size_t used = 0;
        for (size_t i = 0; i < count && used < sizeof list - 40; i++)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%.36s", i ? ", " : "", name(user, i));
        const char *more = used >= sizeof list - 40 ? ", ..." : "";
        sms__complain(reader, node, "unknown %s '%.60s'; known: %s%s", what, node->text, list, more);
    }
}

const char *const sms__truths[] = {"false", "true", NULL};

void sms__keep(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    (void)reader;
    *(const struct sms__node **)at = node;
}

void sms__skip(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    (void)reader, (void)node, (void)at;
}

/* Prints a time in the largest unit in which it is at least 1. */
static void print_time(char *out, size_t size, double ps)
{
    static const struct {
        const char *name;
        double ps;
    } unit[] = {{"h", 3.6e15}, {"s", 1e12}, {"ms", 1e9}, {"us", 1e6}, {"ns", 1e3}, {"ps", 0}};
    size_t u = 0;
    while (ps < unit[u].ps)
        u++;
    snprintf(out, size, "%.6g %s", unit[u].ps > 0 ? ps / unit[u].ps : ps, unit[u].name);
}

struct sms__bound_text sms__bound(enum sms__dimension dimension, double bound)
{
    struct sms__bound_text out;
    if (dimension == SMS__RATIO)
        snprintf(out.text, sizeof out.text, "%.6g %%", bound * 100);
    else if (dimension == SMS__TIME || dimension == SMS__CYCLES)
        print_time(out.text, sizeof out.text, bound);
    else if (SMS__BYTES <= dimension && dimension <= SMS__ENERGY)
        sms__quantity_print(out.text, sizeof out.text, bound, dimension);
    else
        snprintf(out.text, sizeof out.text, "%.10g", bound);
    return out;
}

bool sms__expect_range(struct sms__reader *reader, const struct sms__node *node, enum sms__dimension dimension,
                       double min, double max, const struct sms__quantity *number)
{
    double value = number->value;
    if (number->cycles ? value >= 0 && value <= SMS__CYCLES_MAX : value >= min && value <= max)
        return true;
    bool bare = dimension == SMS__RATIO && value > max && !strchr(node->text, '%');
    sms__complain(reader, node, "'%.40s' is out of range; it must be from %s to %s%s", node->text,
                  sms__bound(dimension, min).text, sms__bound(dimension, max).text,
                  bare ? "; without % it is a ratio, so 1 means 100 %" : "");
    return false;
}

bool sms__read_number(struct sms__reader *reader, const struct sms__node *node, enum sms__dimension dimension,
                      double min, double max, struct sms__quantity *out)
{
    char why[160];
    if (!sms__expect_kind(reader, node, SMS__SCALAR))
        return false;
    const char *problem = sms__quantity_parse(node->text, dimension, out, why, sizeof why);
    if (problem) {
        sms__complain(reader, node, "'%.40s' %s", node->text, problem);
        return false;
    }
    return sms__expect_range(reader, node, dimension, min, max, out);
}

bool sms__is_bare_percentage(struct sms__reader *reader, const struct sms__node *node, double ratio)
{
    if (ratio <= 1 || strchr(node->text, '%'))
        return false;
    sms__complain(reader, node, "'%.40s' without %% is %.6g %%: write '%.40s %%', or '%.6g %%' if that is meant",
                  node->text, ratio * 100, node->text, ratio * 100);
    return true;
}

const char *sms__read_text(struct sms__reader *reader, const struct sms__node *node)
{
    return sms__expect_kind(reader, node, SMS__SCALAR) ? node->text : NULL;
}

bool sms__is_name(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";
    size_t length = strlen(text);
    return length > 0 && length <= SMS__NAME_MAX && strspn(text, letters) == length && text[0] != '/' &&
           !strstr(text, "..");
}

const char *sms__read_name(struct sms__reader *reader, const struct sms__node *node)
{
    const char *name = sms__read_text(reader, node);
    if (!name)
        return NULL;
    bool is_name = sms__is_name(name);
    if (!is_name)
        sms__complain(reader, node, "'%.40s' is not a name: 1 to %d letters, digits, '_', '-', '.' or '/'%s", name,
                      SMS__NAME_MAX, name[0] == '/' || strstr(name, "..") ? ", no '/' in front and no '..'" : "");
    return is_name ? name : NULL;
}

int sms__read_choice(struct sms__reader *reader, const struct sms__node *node, const char *what,
                     const char *const *choices)
{
    if (!sms__expect_kind(reader, node, SMS__SCALAR))
        return -1;
    size_t count = 0;
    for (; choices[count]; count++)
        if (!strcmp(choices[count], node->text))
            return (int)count;
    sms__complain_unknown(reader, node, what, count, sms__text_at, choices);
    return -1;
}

/* Reads a number, or the word that stands for 0. */
static bool read_number(struct sms__reader *reader, const struct sms__node *node, const struct sms__field *field,
                        struct sms__quantity *out)
{
    bool scalar = node->kind == SMS__SCALAR;
    if (field->word && scalar && !strcmp(node->text, field->word)) {
        *out = (struct sms__quantity){0};
        return true;
    }
    if (field->word && scalar && strspn(node->text, "+-.0123456789") == 0) {
        sms__complain(reader, node, "'%.40s' is neither %s nor '%s'", node->text, field->otherwise, field->word);
        return false;
    }
    return sms__read_number(reader, node, field->dimension, field->min, field->max, out);
}

/* Rounds to the nearest thousandth. A positive value below one thousandth would become 0 and is reported. */
static void read_milli(struct sms__reader *reader, const struct sms__node *node, const struct sms__field *field,
                       double value, uint64_t *out)
{
    *out = (uint64_t)(value * 1000 + 0.5);
    if (value <= 0 || value >= 0.001)
        return;
    sms__complain(reader, node, "'%.40s' is out of range; it must be 0, or from %s to %s", node->text,
                  sms__bound(field->dimension, 0.001).text, sms__bound(field->dimension, field->max).text);
}

static void read_of_number(struct sms__reader *reader, const struct sms__node *node, const struct sms__field *field,
                           void *at)
{
    struct sms__quantity number;
    if (!read_number(reader, node, field, &number))
        return;
    if (field->type == SMS__QUANTITY)
        *(double *)at = number.value;
    else if (field->type == SMS__INTEGER)
        *(uint64_t *)at = (uint64_t)(number.value + 0.5);
    else if (field->type == SMS__MILLI)
        read_milli(reader, node, field, number.value, at);
    else if (field->type == SMS__INDEX)
        *(long *)at = (long)number.value;
    else
        *(struct sms__quantity *)at = number;
    if (field->type == SMS__SPAN && number.cycles && number.value <= 0)
        sms__complain(reader, node, "'%.40s' is out of range; it must be more than 0", node->text);
}

static void read_value(struct sms__reader *reader, const struct sms__node *node, const struct sms__field *field,
                       void *at)
{
    const char *text = NULL;
    int choice;
    switch (field->type) {
    case SMS__TEXT:
    case SMS__NAME:
        text = field->type == SMS__TEXT ? sms__read_text(reader, node) : sms__read_name(reader, node);
        if (text)
            *(const char **)at = text;
        return;
    case SMS__REFERENCE:
        if (sms__expect_kind(reader, node, SMS__SCALAR))
            *(const struct sms__node **)at = node;
        return;
    case SMS__CHOICE:
        choice = sms__read_choice(reader, node, field->name, field->choices);
        if (choice >= 0)
            *(int *)at = choice;
        return;
    case SMS__FIELDS:
        sms__read_fields(reader, node, field->fields, at);
        return;
    case SMS__CUSTOM:
        return;
    default:
        read_of_number(reader, node, field, at);
    }
}

/* Counts the keys that are allowed. They come before the refused ones. */
static size_t count_fields(const struct sms__field *fields)
{
    size_t count = 0;
    while (fields[count].name && !fields[count].refuse)
        count++;
    return count;
}

static const struct sms__field *find_field(const struct sms__field *fields, const char *name)
{
    for (; fields->name; fields++)
        if (!strcmp(fields->name, name))
            return fields;
    return NULL;
}

/* The mapping among the fields that has the key, because a key is often written one level too high. */
static const struct sms__field *find_outer(const struct sms__field *fields, const char *key)
{
    for (; fields->name; fields++) {
        const bool is_mapping = fields->type == SMS__FIELDS && fields->holds == SMS__ONE && fields->fields;
        const struct sms__field *inner = is_mapping && !fields->refuse ? find_field(fields->fields, key) : NULL;
        if (inner && !inner->refuse)
            return fields;
    }
    return NULL;
}

bool sms__is_first(struct sms__reader *reader, const struct sms__node *map, size_t i)
{
    const struct sms__node *key = map->item[i];
    for (size_t j = 0; j < i && key->kind == SMS__SCALAR; j += 2) {
        if (map->item[j]->kind != SMS__SCALAR || strcmp(map->item[j]->text, key->text))
            continue;
        sms__complain(reader, key, "key '%.60s' is given twice", key->text);
        return false;
    }
    return true;
}

const struct sms__field *sms__expect_key(struct sms__reader *reader, const struct sms__node *key,
                                         const struct sms__field *fields)
{
    if (!sms__expect_kind(reader, key, SMS__SCALAR))
        return NULL;
    const struct sms__field *field = find_field(fields, key->text);
    const struct sms__field *outer = field ? NULL : find_outer(fields, key->text);
    if (outer)
        sms__complain(reader, key, "unknown key '%s'; it is a key of '%s', as in %s.%s", key->text, outer->name,
                      outer->name, key->text);
    else if (!field)
        sms__complain_unknown(reader, key, "key", count_fields(fields), SMS__NAMES(fields, name));
    else if (field->refuse)
        sms__complain(reader, key, "%s", field->refuse);
    return field && !field->refuse ? field : NULL;
}

/* Whether the value of a field that holds many is a list as long as the table says, unless others read it later. */
static bool expect_values(struct sms__reader *reader, const struct sms__node *value, const struct sms__field *field)
{
    if (field->holds != SMS__MANY || field->read == sms__skip)
        return true;
    if (value->kind == SMS__MAP && field->fields) {
        sms__complain(reader, value, "expected a list such as [{%s: ...}], found a mapping", field->fields->name);
        return false;
    }
    if (!sms__expect_list(reader, value, field->most ? field->most : SIZE_MAX))
        return false;
    if (value->items < field->least)
        sms__complain(reader, value, "%s: the list is empty", field->name);
    return value->items >= field->least;
}

static void read_pair(struct sms__reader *reader, const struct sms__node *map, size_t i,
                      const struct sms__field *fields, void *into)
{
    const struct sms__node *value = map->item[i + 1];
    const struct sms__field *field = sms__expect_key(reader, map->item[i], fields);
    if (!field || !sms__is_first(reader, map, i))
        return;
    if (field->read && expect_values(reader, value, field))
        field->read(reader, value, (char *)into + field->offset);
    else if (!field->read)
        read_value(reader, value, field, (char *)into + field->offset);
}

static bool same(const char *a, const char *b) { return a && b && !strcmp(a, b); }

/* Whether an earlier field has the same one_of or needs, so that one problem is reported once. */
static bool is_reported(const struct sms__field *fields, const struct sms__field *field, const char *one_of,
                        const char *needs, const struct sms__node *map)
{
    for (const struct sms__field *before = fields; before < field; before++)
        if (same(before->one_of, one_of) || (same(before->needs, needs) && sms__node_get(map, before->name)))
            return true;
    return false;
}

/* Whether a key of the map is none of the fields. It has been reported, and may be meant for one that is missing. */
static bool has_unknown_key(const struct sms__reader *reader, const struct sms__node *map,
                            const struct sms__field *fields)
{
    bool unknown = false;
    for (size_t i = 0; reader->errors->count && i + 1 < map->items && !unknown; i += 2)
        unknown = map->item[i]->kind == SMS__SCALAR && !find_field(fields, map->item[i]->text);
    return unknown;
}

/* Whether a key of the map is none of the fields, and its message proposes this one. */
static bool is_meant(const struct sms__node *map, const struct sms__field *fields, const char *name)
{
    bool meant = false;
    for (size_t i = 0; i + 1 < map->items && !meant; i += 2) {
        const char *key = map->item[i]->kind == SMS__SCALAR ? map->item[i]->text : NULL;
        if (key && !find_field(fields, key) && !find_outer(fields, key)) {
            const char *near = sms__nearest(key, count_fields(fields), SMS__NAMES(fields, name));
            meant = near && !strcmp(near, name);
        }
    }
    return meant;
}

/* Reports, at the last of them, unless exactly one of the fields with these words is given. */
static void check_one_of(struct sms__reader *reader, const struct sms__node *map, const struct sms__field *fields,
                         const char *words)
{
    size_t given = 0;
    const struct sms__node *last = map;
    for (const struct sms__field *field = fields; field->name; field++) {
        const struct sms__node *value = sms__node_get(map, field->name);
        if (!value || !same(field->one_of, words))
            continue;
        given++;
        last = value;
    }
    if (given > 1 || (given == 0 && !has_unknown_key(reader, map, fields)))
        sms__complain(reader, last, "%s", words);
}

static void check_needs(struct sms__reader *reader, const struct sms__node *map, const struct sms__field *fields,
                        const struct sms__field *field)
{
    const struct sms__node *value = sms__node_get(map, field->name);
    if (value && !sms__node_get(map, field->needs) && !is_reported(fields, field, NULL, field->needs, map))
        sms__complain(reader, value, "'%s' needs '%s', which is missing", field->name, field->needs);
}

/* Checks `needs` only if every choice between fields is made, because a missing choice is the real problem. */
static void check_presence(struct sms__reader *reader, const struct sms__node *map, const struct sms__field *fields)
{
    for (const struct sms__field *field = fields; field->name; field++)
        if (field->required && !sms__node_get(map, field->name) && !is_meant(map, fields, field->name))
            sms__complain(reader, map, "key '%s' is missing", field->name);
    size_t before = reader->errors->count;
    for (const struct sms__field *field = fields; field->name; field++)
        if (field->one_of && !is_reported(fields, field, field->one_of, NULL, map))
            check_one_of(reader, map, fields, field->one_of);
    if (reader->errors->count > before || has_unknown_key(reader, map, fields))
        return;
    for (const struct sms__field *field = fields; field->name; field++)
        if (field->needs)
            check_needs(reader, map, fields, field);
}

void sms__read_fields(struct sms__reader *reader, const struct sms__node *node, const struct sms__field *fields,
                      void *into)
{
    if (node->kind != SMS__MAP) {
        sms__complain(reader, node, "expected a mapping such as {%s: ...}, found %s", fields->name,
                      kind_name(node->kind));
        return;
    }
    for (size_t i = 0; i + 1 < node->items && reader->errors->count <= SMS_ERRORS_MAX; i += 2)
        read_pair(reader, node, i, fields, into);
    if (reader->errors->count <= SMS_ERRORS_MAX) /* else no more are told */
        check_presence(reader, node, fields);
}
