/* Slowdowns of pairs of classes: `slowdown: {a: {a: 1.94, b: 1.17}, b: {a: 1.63, b: 1.88}}`. */
#include "../scenario.h"

#include <string.h>

static const char *class_name(const void *user, size_t i)
{
    return ((const struct sms__pairs_given *)user)->pairs.name[i];
}

static int class_index(const struct sms__pairs_given *given, const char *name)
{
    for (size_t c = 0; c < given->pairs.classes; c++)
        if (!strcmp(given->pairs.name[c], name))
            return (int)c;
    return -1;
}

static void read_entry(struct sms__reader *reader, const struct sms__node *key, const struct sms__node *value,
                       const struct sms__pairs_given *given, double *row)
{
    struct sms__quantity factor;
    if (!sms__expect_kind(reader, key, SMS__SCALAR))
        return;
    int c = class_index(given, key->text);
    if (c < 0)
        sms__complain_unknown(reader, key, "class", given->pairs.classes, class_name, given);
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
            read_entry(reader, node->item[i], node->item[i + 1], given, slowdown);
    for (size_t c = 0; c < given->pairs.classes; c++)
        if (!sms__node_get(node, given->pairs.name[c]))
            sms__complain(reader, node, "the slowdown of '%.60s' beside '%.60s' is missing", given->pairs.name[row],
                          given->pairs.name[c]);
}

/* The keys of the outer map. Returns whether all are names. */
static bool read_names(struct sms__reader *reader, const struct sms__node *node, struct sms__pairs_given *given,
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

void sms__read_pairs(struct sms__reader *reader, const struct sms__node *node, struct sms_scenario *scenario)
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
    if (!read_names(reader, node, given, names))
        return;
    for (size_t c = 0; c < classes; c++)
        read_row(reader, node->item[2 * c + 1], given, c, slowdown + c * classes);
    scenario->pairs = given;
}

int sms__pair_class(const struct sms_scenario *scenario, const char *cls)
{
    return scenario->pairs && *cls ? class_index(scenario->pairs, cls) : -1;
}

/* One workload is complained of once, whoever does it. */
struct told {
    const struct sms__workload *workload[SMS_ERRORS_MAX + 2];
    size_t count;
};

static void check_class(struct sms__reader *reader, const struct sms_scenario *scenario,
                        const struct sms__workload *workload, struct told *told)
{
    if (!*workload->cls || sms__pair_class(scenario, workload->cls) >= 0)
        return;
    for (size_t i = 0; i < told->count; i++)
        if (told->workload[i] == workload)
            return;
    if (reader->errors->count > SMS_ERRORS_MAX)
        return;
    told->workload[told->count++] = workload;
    sms__complain_unknown(reader, sms__node_get(workload->node, "corun_class"), "class", scenario->pairs->pairs.classes,
                          class_name, scenario->pairs);
}

void sms__check_classes(struct sms__reader *reader, const struct sms_scenario *scenario)
{
    size_t first;
    struct told told = {.count = 0};
    const struct sms__workload *workload;
    for (size_t v = 0; scenario->pairs && v < scenario->vms; v++)
        for (size_t i = 0;
             !sms__is_like_last(scenario, v) && (workload = sms__workload_of(&scenario->vm[v], i, &first)); i++)
            check_class(reader, scenario, workload, &told);
}
