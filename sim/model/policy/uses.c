/* Reads what a scenario says of policies and contention: a name, with parameters
 * that the named thing's own table describes. */
#include "../file.h"
#include "../scenario.h"
#include "registry.h"

#include <string.h>

/* reader->user is the file while a scenario is read. */
static const struct sms_load_options *options_of(struct sms__reader *reader)
{
    return ((const struct sms_file *)reader->user)->options;
}

static const char *policy_name(const void *user, size_t i)
{
    const struct sms_block_policy *policy = sms__policy_at(user, i);
    return policy ? policy->name : NULL;
}

static size_t count_policies(const struct sms_load_options *options)
{
    size_t count = 0;
    while (sms__policy_at(options, count))
        count++;
    return count;
}

const char *sms__read_block_use(struct sms__reader *reader, const struct sms__node *name,
                                const struct sms__node *params, struct sms__policy_use *use)
{
    const struct sms_load_options *options = options_of(reader);
    use->policy = sms__find_policy(options, name->text);
    if (!use->policy) {
        sms__complain_unknown(reader, name, "block policy", count_policies(options), policy_name, options);
        return NULL;
    }
    sms__default_params(use->policy->params, use->param);
    if (params)
        sms__read_params(reader, params, use->policy->params, use->param);
    return sms__param_label(reader->arena, use->policy->name, use->policy->params, use->param);
}

/* `round_robin`, or `{fine_grained: {limit: 150 %}}`. */
static bool read_policy_use(struct sms__reader *reader, const struct sms__node *node, struct sms__policy_use *use)
{
    const struct sms__node *name, *params;
    use->node = node;
    use->written = sms__split_use(reader, node, &name, &params) ? sms__read_block_use(reader, name, params, use) : NULL;
    return use->written != NULL;
}

static bool read_use(struct sms__reader *reader, const struct sms__node *node, const struct sms_scenario *scenario,
                     struct sms__policy_use *use)
{
    bool pods = scenario->cluster != NULL, parts = pods || scenario->shares;
    bool read = parts ? sms__read_sharing(reader, node, pods, use) : read_policy_use(reader, node, use);
    use->label = read ? sms__bounded_label(reader->arena, use->written) : NULL;
    return read;
}

void sms__read_policies(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms_scenario *scenario = at;
    if (!sms__expect_list(reader, node, SMS__POLICIES_MAX))
        return;
    scenario->policy = SMS__NEW(reader->arena, struct sms__policy_use, node->items);
    for (size_t i = 0; i < node->items && reader->errors->count <= SMS_ERRORS_MAX; i++) {
        struct sms__policy_use *use = &scenario->policy[scenario->policies];
        if (!read_use(reader, node->item[i], scenario, use))
            continue;
        for (size_t j = 0; j < scenario->policies; j++)
            if (!strcmp(scenario->policy[j].label, use->label))
                sms__complain(reader, node->item[i], "policy '%.60s' is given twice", use->label);
        scenario->policies++;
    }
}

void sms__read_alone(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms_scenario *scenario = at;
    scenario->alone = SMS__NEW(reader->arena, struct sms__policy_use, 1);
    if (read_policy_use(reader, node, scenario->alone))
        scenario->alone->label = sms__bounded_label(reader->arena, scenario->alone->written);
}

static const char *contention_name(const void *user, size_t i)
{
    const struct sms_contention *model = sms__contention_at(user, i);
    return model ? model->name : NULL;
}

static void unknown_contention(struct sms__reader *reader, const struct sms__node *node)
{
    const struct sms_load_options *options = options_of(reader);
    size_t count = 0;
    while (sms__contention_at(options, count))
        count++;
    sms__complain_unknown(reader, node, "contention model", count, contention_name, options);
}

#define USAGE_STEP 1e-6 /* between two points of a curve, so that no slope is beyond number */

/* The first point may lie at 0. */
static bool read_point(struct sms__reader *reader, const struct sms__node *node, bool first, double *usage,
                       double *overhead)
{
    struct sms__quantity x, y;
    if (!sms__expect_kind(reader, node, SMS__LIST))
        return false;
    if (node->items != 2) {
        sms__complain(reader, node, "a point is [usage, overhead]");
        return false;
    }
    if (!sms__read_number(reader, node->item[0], SMS__RATIO, 0, SMS__CURVE_MAX, &x) ||
        !sms__read_number(reader, node->item[1], SMS__RATIO, 0, SMS__CURVE_MAX, &y))
        return false;
    if ((x.value < *usage + USAGE_STEP && !(first && x.value == 0)) || y.value < *overhead) {
        sms__complain(reader, node, "the points of a curve rise, by at least 0.0001 %% of usage");
        return false;
    }
    *usage = x.value;
    *overhead = y.value;
    return true;
}

static void read_curve(struct sms__reader *reader, const struct sms__node *node, struct sms_curve *curve)
{
    if (!sms__expect_kind(reader, node, SMS__LIST))
        return;
    if (node->items == 0)
        sms__complain(reader, node, "a curve has at least one point, [usage, overhead]");
    double *usage = SMS__NEW(reader->arena, double, node->items);
    double *overhead = SMS__NEW(reader->arena, double, node->items);
    double last_usage = 0, last_overhead = 0;
    for (size_t i = 0; i < node->items; i++) {
        if (!read_point(reader, node->item[i], i == 0, &last_usage, &last_overhead))
            return;
        usage[i] = last_usage;
        overhead[i] = last_overhead;
    }
    *curve = (struct sms_curve){node->items, usage, overhead};
}

static void read_curves(struct sms__reader *reader, const struct sms__node *node, struct sms_scenario *scenario)
{
    if (!sms__expect_kind(reader, node, SMS__MAP))
        return;
    if (node->items / 2 > SMS_RESOURCES_MAX) {
        sms__complain(reader, node, "more than %d resources", SMS_RESOURCES_MAX);
        return;
    }
    struct sms__curves *curves = SMS__NEW(reader->arena, struct sms__curves, 1);
    for (size_t i = 0; i + 1 < node->items; i += 2) {
        if (!sms__is_first(reader, node, i))
            continue;
        curves->node[curves->count] = node->item[i];
        curves->resource[curves->count] = sms__read_name(reader, node->item[i]);
        read_curve(reader, node->item[i + 1], &curves->curve[curves->count]);
        curves->count += curves->resource[curves->count] != NULL;
    }
    scenario->curves = curves;
}

static void read_contention_params(struct sms__reader *reader, const struct sms__node *node,
                                   struct sms_scenario *scenario)
{
    for (size_t i = 0; i + 1 < node->items && reader->errors->count <= SMS_ERRORS_MAX; i += 2) {
        const struct sms__node *key = node->item[i];
        if (!sms__is_first(reader, node, i) || (key->kind == SMS__SCALAR && !strcmp(key->text, "model")))
            continue;
        if (key->kind == SMS__SCALAR && !strcmp(key->text, "curves") && scenario->contention->curves)
            read_curves(reader, node->item[i + 1], scenario);
        else if (key->kind == SMS__SCALAR && !strcmp(key->text, "slowdown") && scenario->contention->pairs)
            sms__read_pairs(reader, node->item[i + 1], scenario);
        else
            sms__read_param(reader, key, node->item[i + 1], scenario->contention->params, scenario->contention_param);
    }
}

/* `proportional`, or `{model: proportional, slope: 2.55}`. */
void sms__read_contention(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms_scenario *scenario = at;
    const struct sms__node *name = node->kind == SMS__MAP ? sms__node_get(node, "model") : node;
    if (!name) {
        sms__complain(reader, node, "key 'model' is missing");
        return;
    }
    if (!sms__expect_kind(reader, name, SMS__SCALAR))
        return;
    const struct sms_contention *model = sms__find_contention(options_of(reader), name->text);
    if (!model) {
        unknown_contention(reader, name);
        return;
    }
    scenario->contention = model;
    sms__default_params(model->params, scenario->contention_param);
    if (node->kind == SMS__MAP)
        read_contention_params(reader, node, scenario);
    if (model->pairs && !(node->kind == SMS__MAP && sms__node_get(node, "slowdown")))
        sms__complain(reader, node, "contention %s needs slowdown: {CLASS: {CLASS: FACTOR, ...}, ...}", model->name);
    const char *label = sms__param_label(reader->arena, model->name, model->params, scenario->contention_param);
    scenario->contention_label = sms__bounded_label(reader->arena, label);
}
