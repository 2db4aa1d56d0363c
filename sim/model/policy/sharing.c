/* Policies of scenarios with processes: a share policy, a mode and a block policy, of which an entry names one or
 * more; with pods, a place policy as well. */
#include "../file.h"
#include "../scenario.h"
#include "registry.h"

#include <stdio.h>
#include <string.h>

/* reader->user is the file while a scenario is read. */
static const struct sms_load_options *options_of(struct sms__reader *reader)
{
    return ((const struct sms_file *)reader->user)->options;
}

enum kind { PLACE, SHARE, MODE, BLOCK, KINDS };

static const char *const keys[KINDS] = {"place", "share", "mode", "block"};
static const char *const words[KINDS] = {"place policy", "share policy", "mode", "block policy"};

/* An entry while it is read. */
struct entry {
    struct sms__reader *reader;
    enum kind first; /* of those that it may name; a plain name is one of these */
    struct sms__policy_use *use;
};

/* The i-th name of a kind, or NULL beyond. */
static const char *name_of_kind(const struct sms_load_options *options, enum kind kind, size_t i)
{
    const struct sms_place_policy *place = kind == PLACE ? sms__place_at(options, i) : NULL;
    const struct sms_share_policy *share = kind == SHARE ? sms__share_at(options, i) : NULL;
    const struct sms__mode_form *mode = kind == MODE ? sms__mode_at(i) : NULL;
    const struct sms_block_policy *block = kind == BLOCK ? sms__policy_at(options, i) : NULL;
    return place ? place->name : share ? share->name : mode ? mode->name : block ? block->name : NULL;
}

static size_t count_kind(const struct sms_load_options *options, enum kind kind)
{
    size_t count = 0;
    while (name_of_kind(options, kind, count))
        count++;
    return count;
}

/* Names to suggest: those of one kind, or of all one after another. */
struct names {
    const struct sms_load_options *options;
    enum kind first, end;
};

static const char *name_at(const void *user, size_t i)
{
    const struct names *names = user;
    enum kind kind = names->first;
    for (size_t count; kind + 1 < names->end && i >= (count = count_kind(names->options, kind)); kind++)
        i -= count;
    return name_of_kind(names->options, kind, i);
}

static bool is_name(const struct sms_load_options *options, enum kind kind, const char *name)
{
    const char *known;
    for (size_t i = 0; (known = name_of_kind(options, kind, i)); i++)
        if (!strcmp(known, name))
            return true;
    return false;
}

static bool is_key(const struct sms__node *node, enum kind first)
{
    bool found = false;
    for (enum kind k = first; k < KINDS; k++)
        found |= node->kind == SMS__SCALAR && !strcmp(node->text, keys[k]);
    return found;
}

/* `named`: the entry is a name alone, so that the writer may have meant another kind. */
static void complain_of(const struct entry *entry, const struct sms__node *name, enum kind kind, bool named)
{
    struct sms__reader *reader = entry->reader;
    const struct sms_load_options *options = options_of(reader);
    named &= kind == SHARE; /* most entries of pods name a place policy */
    for (enum kind other = entry->first; other < KINDS; other++) {
        if (other == kind || !is_name(options, other, name->text))
            continue;
        sms__complain(reader, name, "'%.60s' is a %s, not a %s: write {%s: %.60s}", name->text, words[other],
                      words[kind], keys[other], name->text);
        return;
    }
    struct names names = {options, named ? entry->first : kind, named ? KINDS : kind + 1};
    size_t count = 0;
    for (enum kind k = names.first; k < names.end; k++)
        count += count_kind(options, k);
    sms__complain_unknown(reader, name, named ? "policy" : words[kind], count, name_at, &names);
}

/* Its label, or NULL if it is none. */
static const char *read_share(struct sms__reader *reader, const struct sms__node *name, const struct sms__node *params,
                              struct sms__policy_use *use)
{
    use->share = sms__find_share(options_of(reader), name->text);
    sms__default_params(use->share->params, use->share_param);
    if (params)
        sms__read_params(reader, params, use->share->params, use->share_param);
    return sms__param_label(reader->arena, use->share->name, use->share->params, use->share_param);
}

static const char *read_place(struct sms__reader *reader, const struct sms__node *name, const struct sms__node *params,
                              struct sms__policy_use *use)
{
    use->place = sms__find_place(options_of(reader), name->text);
    sms__default_params(use->place->params, use->place_param);
    if (params)
        sms__read_params(reader, params, use->place->params, use->place_param);
    return sms__param_label(reader->arena, use->place->name, use->place->params, use->place_param);
}

static const char *read_part(const struct entry *entry, const struct sms__node *node, enum kind kind, bool named)
{
    struct sms__reader *reader = entry->reader;
    struct sms__policy_use *use = entry->use;
    const struct sms__node *name, *params;
    if (!sms__split_use(reader, node, &name, &params))
        return NULL;
    if (!is_name(options_of(reader), kind, name->text)) {
        complain_of(entry, name, kind, named);
        return NULL;
    }
    use->below |= kind != PLACE;
    if (kind == PLACE)
        return read_place(reader, name, params, use);
    if (kind == SHARE)
        return read_share(reader, name, params, use);
    if (kind == BLOCK)
        return sms__read_block_use(reader, name, params, use);
    sms__read_mode(reader, name, sms__find_mode(name->text), params, &use->mode);
    return use->mode.label;
}

static const char *key_at(const void *user, size_t i) { return ((const char *const *)user)[i]; }

static void complain_of_keys(const struct entry *entry, const struct sms__node *map)
{
    struct sms__reader *reader = entry->reader;
    for (size_t i = 0; i + 1 < map->items; i += 2)
        if (sms__is_first(reader, map, i) && sms__expect_kind(reader, map->item[i], SMS__SCALAR) &&
            !is_key(map->item[i], entry->first))
            sms__complain_unknown(reader, map->item[i], "key", KINDS - entry->first, key_at, keys + entry->first);
}

/* A map with any of the keys; its label, or NULL. */
static const char *read_parts(const struct entry *entry, const struct sms__node *map)
{
    struct sms__reader *reader = entry->reader;
    const char *label = "";
    size_t before = reader->errors->count;
    complain_of_keys(entry, map);
    if (map->items == 0)
        sms__complain(reader, map, "a policy names at least one of %sshare, mode, block",
                      entry->first == PLACE ? "place, " : "");
    for (enum kind kind = entry->first; kind < KINDS; kind++) {
        const struct sms__node *part = sms__node_get(map, keys[kind]);
        const char *own = part ? read_part(entry, part, kind, false) : NULL;
        if (own)
            label = sms__print(reader->arena, "%s%s%s", label, *label ? "+" : "", own);
    }
    return reader->errors->count == before ? label : NULL;
}

/* What an entry does not name. */
static void plain_parts(const struct sms_load_options *options, struct sms__policy_use *use)
{
    struct sms__mode *mode = &use->mode;
    double values[SMS__PARAMS_MAX];
    const struct sms__mode_form *form = sms__mode_at(SMS__MODE_TIME_SLICE);
    sms__default_params(form->params, values);
    use->share = sms__find_share(options, "plain");
    sms__default_params(use->share->params, use->share_param);
    use->policy = sms__find_policy(options, "round_robin");
    sms__default_params(use->policy->params, use->param);
    *mode = (struct sms__mode){.kind = SMS__MODE_TIME_SLICE, .slice_ps = values[0], .switch_ps = values[1]};
    mode->label = form->name;
}

bool sms__read_sharing(struct sms__reader *reader, const struct sms__node *node, bool pods, struct sms__policy_use *use)
{
    const struct entry entry = {reader, pods ? PLACE : SHARE, use};
    plain_parts(options_of(reader), use);
    if (pods) {
        use->place = sms__find_place(options_of(reader), "first_fit");
        sms__default_params(use->place->params, use->place_param);
    }
    use->node = node;
    bool parts = node->kind == SMS__MAP && (node->items != 2 || is_key(node->item[0], entry.first));
    use->written = parts ? read_parts(&entry, node) : read_part(&entry, node, entry.first, true);
    return use->written != NULL;
}

void sms__share_alone(const struct sms_load_options *options, struct sms__policy_use *use)
{
    use->share = sms__find_share(options, "plain");
    sms__default_params(use->share->params, use->share_param);
    use->mode = (struct sms__mode){.kind = SMS__MODE_EXCLUSIVE, .label = sms__mode_at(SMS__MODE_EXCLUSIVE)->name};
}

static const char *label_at(const void *user, size_t i) { return ((const struct sms_scenario *)user)->policy[i].label; }

void sms__say_no_policy(char *out, size_t size, const struct sms_scenario *scenario, const char *name)
{
    const char *near = sms__nearest(name, scenario->policies, label_at, scenario);
    int used = snprintf(out, size, "scenario '%.60s' has no policy '%.60s'; %s%.60s%sit has: ", scenario->name, name,
                        near ? "did you mean '" : "", near ? near : "", near ? "'? " : "");
    for (size_t i = 0; i < scenario->policies && used >= 0 && (size_t)used < size - 1; i++)
        used += snprintf(out + used, size - (size_t)used, "%s%s", i ? ", " : "", scenario->policy[i].label);
    if ((size_t)used >= size && size > 3)
        memcpy(out + size - 4, "...", 4);
}

bool sms__is_labelled(const struct sms__policy_use *use, const char *label)
{
    return !strcmp(use->label, label) || !strcmp(use->written, label);
}

bool sms__is_called(const struct sms__policy_use *use, const char *name)
{
    if (sms__is_labelled(use, name))
        return true;
    if (!use->share)
        return !strcmp(use->policy->name, name);
    for (const char *at = use->written; *name && (at = strstr(at, name)); at++) {
        char before = at == use->written ? '+' : at[-1], after = at[strlen(name)];
        if (before == '+' && (after == '+' || after == '(' || !after))
            return true;
    }
    return false;
}

bool sms__is_chosen(const struct sms__policy_use *use, const char *const *names)
{
    for (size_t i = 0; names && names[i]; i++)
        if (sms__is_called(use, names[i]))
            return true;
    return !names || !names[0];
}
