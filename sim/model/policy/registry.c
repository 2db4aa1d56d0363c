/* Policies and contention models by name. The tables are written by the build
 * from the files it finds (sim/model/policy/registry_table.c.in). */
#include "registry.h"
#include "params.h"

#include <string.h>

extern const struct sms_block_policy *const sms__block_policies[];
extern const struct sms_contention *const sms__contentions[];

const struct sms_block_policy *sms__policy_at(const struct sms_load_options *options, size_t idx)
{
    size_t own = options ? options->n_policies : 0;
    if (idx < own)
        return options->policies[idx];
    for (size_t i = 0; sms__block_policies[i]; i++)
        if (i == idx - own)
            return sms__block_policies[i];
    return NULL;
}

const struct sms_contention *sms__contention_at(const struct sms_load_options *options, size_t idx)
{
    size_t own = options ? options->n_contentions : 0;
    if (idx < own)
        return options->contentions[idx];
    for (size_t i = 0; sms__contentions[i]; i++)
        if (i == idx - own)
            return sms__contentions[i];
    return NULL;
}

const struct sms_block_policy *sms__find_policy(const struct sms_load_options *options, const char *name)
{
    const struct sms_block_policy *policy;
    for (size_t i = 0; (policy = sms__policy_at(options, i)); i++)
        if (!strcmp(policy->name, name))
            return policy;
    return NULL;
}

const struct sms_contention *sms__find_contention(const struct sms_load_options *options, const char *name)
{
    const struct sms_contention *model;
    for (size_t i = 0; (model = sms__contention_at(options, i)); i++)
        if (!strcmp(model->name, name))
            return model;
    return NULL;
}

extern const struct sms_share_policy *const sms__share_policies[];

const struct sms_share_policy *sms__share_at(const struct sms_load_options *options, size_t idx)
{
    size_t own = options ? options->n_shares : 0;
    if (idx < own)
        return options->shares[idx];
    for (size_t i = 0; sms__share_policies[i]; i++)
        if (i == idx - own)
            return sms__share_policies[i];
    return NULL;
}

const struct sms_share_policy *sms__find_share(const struct sms_load_options *options, const char *name)
{
    const struct sms_share_policy *policy;
    for (size_t i = 0; (policy = sms__share_at(options, i)); i++)
        if (!strcmp(policy->name, name))
            return policy;
    return NULL;
}

extern const struct sms_place_policy *const sms__place_policies[];

const struct sms_place_policy *sms__place_at(const struct sms_load_options *options, size_t idx)
{
    size_t own = options ? options->n_places : 0;
    if (idx < own)
        return options->places[idx];
    for (size_t i = 0; sms__place_policies[i]; i++)
        if (i == idx - own)
            return sms__place_policies[i];
    return NULL;
}

const struct sms_place_policy *sms__find_place(const struct sms_load_options *options, const char *name)
{
    const struct sms_place_policy *policy;
    for (size_t i = 0; (policy = sms__place_at(options, i)); i++)
        if (!strcmp(policy->name, name))
            return policy;
    return NULL;
}

/* Names go into labels and files, as those of the scenario do. */
static const char *entry_misuse(const char *name, const struct sms_param *params)
{
    if (!name || !sms__is_name(name))
        return "a policy or model that is added has no name, or one that no file could say";
    if (sms__count_params(params) > SMS__PARAMS_MAX)
        return "a policy or model that is added has more than 16 parameters";
    for (size_t i = 0; i < sms__count_params(params); i++)
        if ((unsigned)params[i].unit > SMS_UNIT_CHOICE ||
            (params[i].unit == SMS_UNIT_CHOICE && (!params[i].choices || !params[i].choices[0])))
            return "a policy or model that is added has a parameter of no unit, or a choice between nothing";
    return NULL;
}

static const char *list_misuse(const struct sms_load_options *options)
{
    if ((options->n_policies && !options->policies) || (options->n_contentions && !options->contentions) ||
        (options->n_shares && !options->shares) || (options->n_places && !options->places))
        return "options have a number of policies or models and no list of them";
    for (size_t i = 0; i < options->n_policies; i++)
        if (!options->policies[i])
            return "a block policy that is added is NULL";
    for (size_t i = 0; i < options->n_contentions; i++)
        if (!options->contentions[i])
            return "a contention model that is added is NULL";
    for (size_t i = 0; i < options->n_shares; i++)
        if (!options->shares[i])
            return "a share policy that is added is NULL";
    for (size_t i = 0; i < options->n_places; i++)
        if (!options->places[i])
            return "a place policy that is added is NULL";
    return NULL;
}

static bool is_other_size(size_t size, size_t expected) { return size && size != expected; }

static const char *size_misuse(const struct sms_load_options *options)
{
    bool other = false;
    for (size_t i = 0; i < options->n_policies; i++)
        other |= is_other_size(options->policies[i]->size, sizeof(struct sms_block_policy));
    for (size_t i = 0; i < options->n_contentions; i++)
        other |= is_other_size(options->contentions[i]->size, sizeof(struct sms_contention));
    for (size_t i = 0; i < options->n_shares; i++)
        other |= is_other_size(options->shares[i]->size, sizeof(struct sms_share_policy));
    for (size_t i = 0; i < options->n_places; i++)
        other |= is_other_size(options->places[i]->size, sizeof(struct sms_place_policy));
    return other ? "a policy or model that is added was compiled with another version of the header" : NULL;
}

static const char *function_misuse(const struct sms_load_options *options)
{
    for (size_t i = 0; i < options->n_policies; i++)
        if (options->policies[i]->search == SMS_SEARCH_BEST && !options->policies[i]->score)
            return "a block policy that is added looks for the best SM and has no score";
    for (size_t i = 0; i < options->n_contentions; i++)
        if (!options->contentions[i]->slowdown && !options->contentions[i]->rate)
            return "a contention model that is added has neither slowdown nor rate";
    for (size_t i = 0; i < options->n_places; i++)
        if (options->places[i]->search == SMS_PLACE_BEST && !options->places[i]->score)
            return "a place policy that is added looks for the best node and has no score";
    return NULL;
}

const char *sms__options_misuse(const struct sms_load_options *options)
{
    const char *wrong = options ? list_misuse(options) : NULL;
    wrong = wrong || !options ? wrong : size_misuse(options);
    if (wrong || !options)
        return wrong;
    for (size_t i = 0; i < options->n_policies && !wrong; i++)
        wrong = entry_misuse(options->policies[i]->name, options->policies[i]->params);
    for (size_t i = 0; i < options->n_contentions && !wrong; i++)
        wrong = entry_misuse(options->contentions[i]->name, options->contentions[i]->params);
    for (size_t i = 0; i < options->n_shares && !wrong; i++)
        wrong = entry_misuse(options->shares[i]->name, options->shares[i]->params);
    for (size_t i = 0; i < options->n_places && !wrong; i++)
        wrong = entry_misuse(options->places[i]->name, options->places[i]->params);
    return wrong ? wrong : function_misuse(options);
}
