/* Reads `policies:` and `alone:`. With VMs an entry names a block policy. With processes it names one or more of a
 * share policy, a mode and a block policy, and with pods a place policy as well. What it does not name has a default,
 * so a use that could be read is complete. */
#include "../file.h"
#include "../scenario.h"
#include "registry.h"

#include <string.h>

static const char *const keys[] = {"place", "share", "mode", "block"};
static const char *const words[] = {"place policy", "share policy", "mode", "block policy"};

static const enum sms__known_kind ENTRY_KINDS = SMS__BLOCK + 1; /* in an entry */

/* An entry while it is read. */
struct entry {
    struct sms__reader *reader;
    enum sms__known_kind first; /* of those that it may name; a bare name is one of these */
    struct sms__policy_use *use;
};

static bool is_key(const struct sms__node *node, enum sms__known_kind first)
{
    bool found = false;
    for (enum sms__known_kind k = first; k < ENTRY_KINDS; k++)
        found |= node->kind == SMS__SCALAR && !strcmp(node->text, keys[k]);
    return found;
}

/* Whether it is a key or a name that policies of processes have, and those of VMs have not. */
static bool is_of_processes(const struct sms_load_options *options, const struct sms__node *name)
{
    return is_key(name, SMS__SHARE) || sms__find_known(options, SMS__SHARE, name->text).name ||
           sms__find_known(options, SMS__MODE, name->text).name;
}

/* `bare`: the entry is a name alone, so the writer may have meant another kind. */
static void complain_unknown(const struct entry *entry, const struct sms__node *name, enum sms__known_kind kind,
                             bool bare)
{
    struct sms__reader *reader = entry->reader;
    const struct sms_load_options *options = sms__load_options(reader);
    bool any = bare && kind == SMS__SHARE; /* most entries of pods name a place policy */
    if (entry->first == SMS__BLOCK && is_of_processes(options, name)) {
        sms__complain(reader, name, "'%.60s' is for processes; without them a policy is a block policy by its name",
                      name->text);
        return;
    }
    for (enum sms__known_kind other = entry->first; other < ENTRY_KINDS; other++) {
        const struct sms__known known = sms__find_known(options, other, name->text);
        if (other == kind || !known.name)
            continue;
        const struct sms_sharing_mode *mode = other == SMS__MODE ? known.item : NULL;
        const bool splits = mode && mode->instances; /* nothing can stand in for these */
        sms__complain(reader, name, "'%.60s' is a %s, not a %s: write {%s: %s%.60s%s}", name->text, words[other],
                      words[kind], keys[other], splits ? "{" : "", name->text,
                      splits ? ": {instances: [PROFILE, ...]}}" : "");
        return;
    }
    if (sms__find_known(options, SMS__QUEUE, name->text).name) {
        sms__complain(reader, name,
                      "'%.60s' is a queue discipline, not a policy: write queue: %.60s (--set queue=%.60s)", name->text,
                      name->text, name->text);
        return;
    }
    if (entry->first != SMS__PLACE && sms__find_known(options, SMS__PLACE, name->text).name) {
        sms__complain(reader, name,
                      "'%.60s' is a place policy, and only pods are placed: a scenario of them has 'nodes:'",
                      name->text);
        return;
    }
    const char *plain =
        sms__copy(reader->arena, name->text, strcspn(name->text, "(")); /* of a label, as results have */
    if (strcmp(plain, name->text) != 0 && sms__find_known(options, kind, plain).name) {
        sms__complain(reader, name, "'%.60s' has its parameters in parentheses: write {%s: {PARAMETER: VALUE, ...}}",
                      name->text, plain);
        return;
    }
    sms__complain_unknown_kind(reader, name, any ? "policy" : words[kind], any ? entry->first : kind,
                               any ? ENTRY_KINDS : kind + 1);
}

/* Sets the use's policy of a kind, with default parameters. Returns where its parameters are. */
static double *set_policy(struct sms__policy_use *use, enum sms__known_kind kind, const struct sms__known *known)
{
    double *values = kind == SMS__PLACE ? use->place_param : kind == SMS__SHARE ? use->share_param : use->param;
    if (kind == SMS__PLACE)
        use->place = known->item;
    else if (kind == SMS__SHARE)
        use->share = known->item;
    else
        use->policy = known->item;
    sms__default_params(known->params, values);
    return values;
}

/* Returns the label of what the node names, or NULL. */
static const char *read_part(const struct entry *entry, const struct sms__node *node, enum sms__known_kind kind,
                             bool bare)
{
    struct sms__reader *reader = entry->reader;
    struct sms__policy_use *use = entry->use;
    const struct sms__node *name, *params;
    if (kind == SMS__MODE && node->kind == SMS__LIST) {
        use->below = true;
        return sms__read_modes(reader, node, &use->mode) ? use->mode.label : NULL;
    }
    if (!sms__split_use(reader, node, &name, &params))
        return NULL;
    const struct sms__known known = sms__find_known(sms__load_options(reader), kind, name->text);
    if (!known.name) {
        complain_unknown(entry, name, kind, bare);
        return NULL;
    }
    use->below |= kind != SMS__PLACE;
    if (kind == SMS__MODE) {
        sms__read_mode(reader, name, known.item, params, &use->mode);
        return use->mode.label;
    }
    double *values = set_policy(use, kind, &known);
    if (params)
        sms__read_params(reader, params, known.params, values);
    return sms__param_label(reader->arena, known.name, known.params, values);
}

static void check_keys(const struct entry *entry, const struct sms__node *map)
{
    struct sms__reader *reader = entry->reader;
    for (size_t i = 0; i + 1 < map->items; i += 2)
        if (sms__is_first(reader, map, i) && sms__expect_kind(reader, map->item[i], SMS__SCALAR) &&
            !is_key(map->item[i], entry->first))
            sms__complain_unknown(reader, map->item[i], "key", ENTRY_KINDS - entry->first, sms__text_at,
                                  keys + entry->first);
}

/* Reads a map with any of the keys. Returns its label, of the parts that could be read. */
static const char *read_parts(const struct entry *entry, const struct sms__node *map)
{
    struct sms__reader *reader = entry->reader;
    const char *label = "";
    check_keys(entry, map);
    if (map->items == 0)
        sms__complain(reader, map, "a policy names at least one of %sshare, mode, block",
                      entry->first == SMS__PLACE ? "place, " : "");
    for (enum sms__known_kind kind = entry->first; kind < ENTRY_KINDS; kind++) {
        const struct sms__node *part = sms__node_get(map, keys[kind]);
        const char *own = part ? read_part(entry, part, kind, false) : NULL;
        if (own)
            label = sms__print(reader->arena, "%s%s%s", label, *label ? "+" : "", own);
    }
    return label;
}

static void set_default(const struct sms_load_options *options, enum sms__known_kind kind, const char *name,
                        struct sms__policy_use *use)
{
    const struct sms__known known = sms__find_known(options, kind, name);
    set_policy(use, kind, &known);
}

/* Sets what the entry may name to the defaults. What places blocks is the hardware: the SM with the most room, kernels
 * in launch order (Gilman et al., PER 2020). A VM and a tenant alone get both from the policy, whatever `queue:` says.
 * Below a mode or a place policy it is the SM only, because `queue:`, leftover by default, is of such an entry as well.
 */
static void set_defaults(const struct sms__reader *reader, enum sms__known_kind first, struct sms__policy_use *use)
{
    const struct sms_load_options *options = sms__load_options(reader);
    set_default(options, SMS__BLOCK, first == SMS__BLOCK ? "leftover" : "most_room", use);
    use->mode =
        sms__bare_mode(reader->arena, first == SMS__BLOCK ? &sms_sharing_mode_exclusive : &sms_sharing_mode_time_slice);
    if (first == SMS__BLOCK)
        return;
    set_default(options, SMS__SHARE, "plain", use);
    if (first == SMS__PLACE)
        set_default(options, SMS__PLACE, "first_fit", use);
}

/* Whether the one key of an entry names nothing that is known, and is like a key. */
static bool is_key_misspelt(struct sms__reader *reader, const struct sms__node *key, enum sms__known_kind first)
{
    bool known = key->kind != SMS__SCALAR;
    for (enum sms__known_kind kind = first; kind < ENTRY_KINDS && !known; kind++)
        known = sms__find_known(sms__load_options(reader), kind, key->text).name;
    return !known && sms__nearest(key->text, ENTRY_KINDS - first, sms__text_at, keys + first);
}

/* Reads one entry. Returns whether it could be read. */
static bool read_use(struct sms__reader *reader, const struct sms__node *node, enum sms__known_kind first,
                     struct sms__policy_use *use)
{
    const struct entry entry = {reader, first, use};
    bool parts = first != SMS__BLOCK && node->kind == SMS__MAP &&
                 (node->items != 2 || is_key(node->item[0], first) || is_key_misspelt(reader, node->item[0], first));
    size_t before = reader->errors->count;
    use->node = node;
    set_defaults(reader, first, use);
    use->written = parts ? read_parts(&entry, node) : read_part(&entry, node, first, true);
    use->label = use->written ? sms__bounded_label(reader->arena, use->written) : NULL;
    use->typed = node->mark.file == sms__policy_option ? node->mark.text : NULL;
    return use->label && reader->errors->count == before;
}

/* The policy before this one that has its label, or NULL. */
static struct sms__policy_use *find_same(const struct sms_scenario *scenario, const struct sms__policy_use *use)
{
    const size_t p = sms__find_name(use->label, scenario->policies, SMS__NAMES(scenario->policy, label));
    return p < scenario->policies ? &scenario->policy[p] : NULL;
}

static enum sms__known_kind first_kind(const struct sms_scenario *scenario)
{
    return scenario->cluster ? SMS__PLACE : scenario->shares ? SMS__SHARE : SMS__BLOCK;
}

void sms__read_policies(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms_scenario *scenario = at;
    enum sms__known_kind first = first_kind(scenario);
    scenario->policy = SMS__NEW(reader->arena, struct sms__policy_use, node->items);
    for (size_t i = 0; i < node->items && reader->errors->count <= SMS_ERRORS_MAX; i++) {
        struct sms__policy_use *use = &scenario->policy[scenario->policies];
        if (!read_use(reader, node->item[i], first, use))
            continue;
        struct sms__policy_use *same = find_same(scenario, use);
        if (same && use->typed && !same->typed) { /* the option asks for one that the file has */
            same->typed = use->typed;
            continue;
        }
        if (same)
            sms__complain(reader, node->item[i], "policy '%.60s' is given twice", use->label);
        scenario->policies++;
    }
}

void sms__read_alone(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms_scenario *scenario = at;
    scenario->alone = SMS__NEW(reader->arena, struct sms__policy_use, 1);
    read_use(reader, node, SMS__BLOCK, scenario->alone);
}

/* An entry that names nothing, called by what a bare name would be. */
static struct sms__policy_use *default_use(struct sms__reader *reader, const struct sms_scenario *scenario,
                                           enum sms__known_kind first)
{
    struct sms__policy_use *use = SMS__NEW(reader->arena, struct sms__policy_use, 1);
    set_defaults(reader, first, use);
    use->label = first == SMS__PLACE ? use->place->name : first == SMS__SHARE ? use->share->name : use->policy->name;
    use->written = use->label;
    use->node = scenario->node;
    return use;
}

void sms__default_policies(struct sms__reader *reader, struct sms_scenario *scenario)
{
    if (!sms__node_get(scenario->node, "policies")) {
        scenario->policy = default_use(reader, scenario, first_kind(scenario));
        scenario->policies = 1;
    }
    if (!scenario->alone)
        scenario->alone = default_use(reader, scenario, SMS__BLOCK);
    if (scenario->shares || scenario->cluster)
        set_default(sms__load_options(reader), SMS__SHARE, "plain", scenario->alone);
}
