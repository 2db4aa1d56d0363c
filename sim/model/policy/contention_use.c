/* Reads `contention:`: a model with parameters, curves of resources, and slowdowns of pairs of classes such as
 * `slowdown: {a: {a: 1.94, b: 1.17}, b: {a: 1.63, b: 1.88}}`. */
#include "contention_use.h"
#include "../file.h"
#include "registry.h"

#include <string.h>

#define USAGE_STEP 1e-6 /* between two points of a curve, so that slopes are finite */

int sms__pair_class(const struct sms__pairs_given *given, const char *name)
{
    for (size_t c = 0; given && *name && c < given->pairs.classes; c++)
        if (!strcmp(given->pairs.name[c], name))
            return (int)c;
    return -1;
}

void sms__complain_unknown_class(struct sms__reader *reader, const struct sms__node *node,
                                 const struct sms__pairs_given *given)
{
    sms__complain_unknown(reader, node, "class", given->pairs.classes, sms__text_at, given->pairs.name);
}

static void read_slowdown(struct sms__reader *reader, const struct sms__node *key, const struct sms__node *value,
                          const struct sms__pairs_given *given, double *row)
{
    struct sms__quantity factor;
    if (!sms__expect_kind(reader, key, SMS__SCALAR))
        return;
    int c = sms__pair_class(given, key->text);
    if (c < 0)
        sms__complain_unknown_class(reader, key, given);
    else if (sms__read_number(reader, value, SMS__RATIO, 1, SMS__SLOWDOWN_MAX, &factor))
        row[c] = factor.value;
}

static void read_row(struct sms__reader *reader, const struct sms__node *node, const struct sms__pairs_given *given,
                     size_t row, double *slowdown)
{
    if (!sms__expect_kind(reader, node, SMS__MAP))
        return;
    for (size_t i = 0; i + 1 < node->items && reader->errors->count <= SMS_ERRORS_MAX; i += 2)
        if (sms__is_first(reader, node, i))
            read_slowdown(reader, node->item[i], node->item[i + 1], given, slowdown);
    for (size_t c = 0; c < given->pairs.classes; c++)
        if (!sms__node_get(node, given->pairs.name[c]))
            sms__complain(reader, node, "the slowdown of '%.60s' beside '%.60s' is missing", given->pairs.name[row],
                          given->pairs.name[c]);
}

/* Reads the keys of the outer map. Returns whether all are names. */
static bool read_classes(struct sms__reader *reader, const struct sms__node *node, struct sms__pairs_given *given,
                         const char **names)
{
    size_t before = reader->errors->count;
    for (size_t i = 0; i + 1 < node->items; i += 2) {
        const char *name = sms__is_first(reader, node, i) ? sms__read_name(reader, node->item[i]) : NULL;
        if (!name)
            continue;
        given->node[given->pairs.classes] = node->item[i];
        names[given->pairs.classes++] = name;
    }
    return reader->errors->count == before;
}

static void read_pairs(struct sms__reader *reader, const struct sms__node *node, struct sms__contention_use *use)
{
    if (!sms__expect_kind(reader, node, SMS__MAP))
        return;
    size_t classes = node->items / 2;
    if (classes < 1 || classes > SMS__CLASSES_MAX) {
        sms__complain(reader, node, classes ? "more than %d classes" : "slowdown: there are no classes",
                      SMS__CLASSES_MAX);
        return;
    }
    struct sms__pairs_given *given = SMS__NEW(reader->arena, struct sms__pairs_given, 1);
    const char **names = SMS__NEW(reader->arena, const char *, classes);
    double *slowdown = SMS__NEW(reader->arena, double, classes *classes);
    given->node = SMS__NEW(reader->arena, const struct sms__node *, classes);
    given->pairs = (struct sms_pairs){0, names, slowdown};
    if (!read_classes(reader, node, given, names))
        return;
    for (size_t c = 0; c < classes; c++)
        read_row(reader, node->item[2 * c + 1], given, c, slowdown + c * classes);
    use->pairs = given;
}

/* Reads the next point of a curve. The first may lie at usage 0. */
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

static void read_curves(struct sms__reader *reader, const struct sms__node *node, struct sms__contention_use *use)
{
    if (!sms__expect_kind(reader, node, SMS__MAP))
        return;
    if (node->items / 2 > SMS_RESOURCES_MAX) {
        sms__complain(reader, node, "more than %d resources", SMS_RESOURCES_MAX);
        return;
    }
    struct sms__curves *curves = use->curves = SMS__NEW(reader->arena, struct sms__curves, 1);
    for (size_t i = 0; i + 1 < node->items; i += 2) {
        if (!sms__is_first(reader, node, i))
            continue;
        curves->node[curves->count] = node->item[i];
        curves->resource[curves->count] = sms__read_name(reader, node->item[i]);
        read_curve(reader, node->item[i + 1], &curves->curve[curves->count]);
        curves->count += curves->resource[curves->count] != NULL;
    }
}

/* Whether --set or an axis replaced the model alone, which does not have this parameter of the model before. */
static bool is_left_over(const struct sms__node *map, const struct sms__node *key, const struct sms_contention *model)
{
    bool left = sms__node_get(map, "model")->mark.text != map->mark.text && key->mark.text == map->mark.text;
    for (size_t i = 0; left && i < sms__count_params(model->params); i++)
        left = strcmp(model->params[i].name, key->text) != 0;
    return left;
}

static void read_params(struct sms__reader *reader, const struct sms__node *node, struct sms__contention_use *use)
{
    for (size_t i = 0; i + 1 < node->items && reader->errors->count <= SMS_ERRORS_MAX; i += 2) {
        const struct sms__node *key = node->item[i], *value = node->item[i + 1];
        const char *name = key->kind == SMS__SCALAR ? key->text : "";
        if (!sms__is_first(reader, node, i) || !strcmp(name, "model"))
            continue;
        if (!strcmp(name, "curves") && use->model->curves)
            read_curves(reader, value, use);
        else if (!strcmp(name, "slowdown") && use->model->pairs)
            read_pairs(reader, value, use);
        else if (*name && is_left_over(node, key, use->model))
            sms__complain(reader, key,
                          "contention %s has no '%.60s'; to replace the model with its parameters set all of it, as in "
                          "contention=%s",
                          use->model->name, name, use->model->name);
        else
            sms__read_param(reader, key, value, use->model->params, use->param);
    }
}

/* Sets the model that is named, or complains. */
static bool find_model(struct sms__reader *reader, const struct sms__node *name, struct sms__contention_use *use)
{
    const struct sms__known known = sms__find_known(sms__load_options(reader), SMS__CONTENTION, name->text);
    if (!known.name) {
        sms__complain_unknown_kind(reader, name, "contention model", SMS__CONTENTION, SMS__CONTENTION + 1);
        return false;
    }
    *use = (struct sms__contention_use){.model = known.item};
    sms__default_params(known.params, use->param);
    return true;
}

/* A policy would be written {NAME: {PARAMETER: VALUE}}, and a key that is near is meant. */
static void complain_no_model(struct sms__reader *reader, const struct sms__node *node)
{
    const char *first = node->items && node->item[0]->kind == SMS__SCALAR ? node->item[0]->text : "";
    const char *known = sms__find_known(sms__load_options(reader), SMS__CONTENTION, first).name;
    for (size_t i = 0; i + 1 < node->items && !known; i += 2) {
        const struct sms__node *key = node->item[i];
        if (key->kind != SMS__SCALAR || !sms__nearest(key->text, 1, sms__text_at, (const char *const[]){"model"}))
            continue;
        sms__complain(reader, key, "unknown key '%.60s'; did you mean 'model'?", key->text);
        return;
    }
    sms__complain(reader, node, "key 'model' is missing%s%s%s", known ? "; write {model: " : "", known ? known : "",
                  known ? ", PARAMETER: VALUE, ...}" : "");
}

void sms__read_contention(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__contention_use *use = at;
    const struct sms__node *name = node->kind == SMS__MAP ? sms__node_get(node, "model") : node;
    if (!name) {
        complain_no_model(reader, node);
        return;
    }
    if (!sms__expect_kind(reader, name, SMS__SCALAR) || !find_model(reader, name, use))
        return;
    if (node->kind == SMS__MAP)
        read_params(reader, node, use);
    if (use->model->pairs && !sms__node_get(node, "slowdown"))
        sms__complain(reader, node, "contention %s needs slowdown: {CLASS: {CLASS: FACTOR, ...}, ...}",
                      use->model->name);
    const char *label = sms__param_label(reader->arena, use->model->name, use->model->params, use->param);
    use->label = sms__bounded_label(reader->arena, label);
}

struct sms__contention_use sms__default_contention(struct sms__reader *reader)
{
    const struct sms__known known = sms__find_known(sms__load_options(reader), SMS__CONTENTION, "knee");
    struct sms__contention_use use = {.model = known.item, .label = known.name};
    sms__default_params(known.params, use.param);
    return use;
}
