/* Scenarios with changes of a caller or from the command line: fields set as a plan would, and policies that are added.
 */
#include "change.h"
#include "policy/policies.h"
#include "policy/registry.h"
#include "scenario.h"

#include <string.h>

struct settings {
    struct sms_file *library;
    const struct sms_load_options *options;
    size_t scenario;
    const struct sms_settings *changes;
};

/* Lets the marks of a tree quote the option as it was typed. */
static void quote(struct sms__node *node, const char *option, const char *typed)
{
    node->mark.file = option;
    node->mark.text = typed;
    for (size_t i = 0; i < node->items; i++)
        quote(node->item[i], option, typed);
}

/* Parses what follows the first `from` bytes of an option's text as YAML. Returns NULL after an error. */
static struct sms__node *parse(struct sms__reader *reader, const char *option, const char *typed, size_t from)
{
    size_t length = strlen(typed), blanks = strspn(typed + from, " ");
    struct sms__doc doc = {0};
    char *blanked = SMS__NEW(reader->arena, char, length + 1);
    memcpy(blanked, typed, length + 1);
    memset(blanked, ' ', from);
    if (from + blanks < length && sms__doc_load_text(reader->arena, option, blanked, length, &doc, reader->errors))
        return NULL;
    if (doc.roots == 1) {
        quote(doc.root[0], option, typed);
        return doc.root[0];
    }
    sms__error(reader->errors, SMS_EINPUT, (struct sms__mark){option, typed, 1, (unsigned)from + 1},
               "there is no value here");
    return NULL;
}

static const struct sms__node *document_of(const struct settings *settings)
{
    const struct sms__doc *doc = settings->library->doc;
    size_t i = 0;
    for (size_t left = settings->scenario; i + 1 < doc->roots; i++) {
        bool is_scenario = sms__document_kind(doc->root[i]) == SMS__DOCUMENT_SCENARIO;
        if (is_scenario && left == 0)
            break;
        left -= is_scenario;
    }
    return doc->root[i];
}

/* Changes a workload; `rest` of the change begins with its name. For one change of each workload. */
static void set_workload(struct sms__reader *reader, const struct settings *settings, struct sms__change *change)
{
    const char *name = "";
    const struct sms__node *node = sms__take_workload(reader, settings->library, settings->options, change, &name);
    if (node)
        sms__file_define(reader->user, SMS__DOCUMENT_WORKLOAD, sms__node_replace(reader, node, change));
}

static const struct sms__node *set_field(struct sms__reader *reader, const struct settings *settings,
                                         const struct sms__node *root, const char *given)
{
    static const char option[] = "--set";
    const char *typed = sms__copy(reader->arena, given, strlen(given)), *sign = strchr(typed, '=');
    struct sms__node path = {.kind = SMS__SCALAR, .mark = {option, typed, 1, 1}};
    if (!sign || sign == typed) {
        sms__error(reader->errors, SMS_EINPUT, path.mark, "this is not PATH=VALUE, as in run.seed=7");
        return root;
    }
    const struct sms__node *value = parse(reader, option, typed, (size_t)(sign + 1 - typed));
    path.text = sms__copy(reader->arena, typed, (size_t)(sign - typed));
    struct sms__change change = {.path = &path, .rest = sms__workload_path(&path), .value = value};
    if (value && change.rest)
        set_workload(reader, settings, &change);
    if (!value || change.rest)
        return root;
    change.rest = path.text;
    return sms__node_replace(reader, root, &change);
}

/* Adds the policies that the scenario does not have. */
static const struct sms__node *add_policies(struct sms__reader *reader, const struct settings *settings,
                                            const struct sms__node *root)
{
    const struct sms_scenario *scenario = settings->library->scenario[settings->scenario];
    const struct sms__node *had = sms__node_get(root, "policies");
    struct sms__node *list = SMS__NEW(reader->arena, struct sms__node, 1), path = {.text = "policies"};
    size_t given = 0;
    while (settings->changes->policies && settings->changes->policies[given])
        given++;
    *list = (struct sms__node){.kind = SMS__LIST, .mark = had ? had->mark : root->mark, .expanded = 1};
    list->item = SMS__NEW(reader->arena, struct sms__node *, given + (had ? had->items : 0) + 1);
    for (size_t i = 0; had && i < had->items; i++)
        list->item[list->items++] = had->item[i];
    const size_t before = list->items;
    for (size_t i = 0; i < given; i++) {
        bool known = false;
        for (size_t p = 0; p < scenario->policies; p++)
            known |= sms__is_called(&scenario->policy[p], settings->changes->policies[i]);
        const char *typed =
            sms__copy(reader->arena, settings->changes->policies[i], strlen(settings->changes->policies[i]));
        struct sms__node *added = known && had ? NULL : parse(reader, sms__policy_option, typed, 0);
        if (added)
            list->item[list->items++] = added;
    }
    path.mark = list->mark;
    const struct sms__change change = {.path = &path, .rest = path.text, .value = list};
    return list->items > before ? sms__node_replace(reader, root, &change) : root;
}

static const struct sms__node *make(struct sms__reader *reader, void *user)
{
    const struct settings *settings = user;
    const struct sms__node *root = document_of(settings);
    root = add_policies(reader, settings, root);
    for (size_t i = 0; settings->changes->set && settings->changes->set[i]; i++)
        root = set_field(reader, settings, root, settings->changes->set[i]);
    return root;
}

/* Returns the problem with the arguments, or NULL. */
static const char *misuse(const struct sms_file *file, const struct sms_load_options *options, size_t scenario,
                          struct sms_file **out)
{
    if (!out)
        return "a scenario is changed to nowhere: out is NULL";
    if (file && !file->doc)
        return "the file comes from sms_file_set; change the scenario of the file that was loaded";
    return scenario < sms_file_scenarios(file) ? sms__options_misuse(options) : "there is no scenario to change";
}

int sms_file_set(struct sms_file *file, const struct sms_load_options *options, size_t scenario,
                 const struct sms_settings *changes, struct sms_file **out, struct sms_errors *errors)
{
    struct sms_load_options own = {.size = sizeof own};
    struct sms_settings own_settings = {.size = sizeof own_settings};
    struct sms_errors own_errors;
    errors = errors ? errors : &own_errors;
    *errors = (struct sms_errors){0};
    if (out)
        *out = NULL;
    const char *wrong = sms__take_options(&own, sizeof own, options);
    wrong = wrong ? wrong : sms__take_options(&own_settings, sizeof own_settings, changes);
    wrong = wrong ? wrong : misuse(file, &own, scenario, out);
    if (wrong)
        return sms__fail(errors, SMS_EUSAGE, NULL, "%s", wrong);
    struct settings settings = {file, &own, scenario, &own_settings};
    struct sms__variation variation = {file, &own, make, NULL, &settings};
    return sms__file_vary(&variation, out, errors);
}
