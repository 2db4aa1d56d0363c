/* Policies and contention models by name. The tables are written by the build
 * from the files it finds (sim/model/policy/registry_table.c.in). */
#include "registry.h"

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
