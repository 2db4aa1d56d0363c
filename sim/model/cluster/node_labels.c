/* Labels of nodes and what pods ask of them: pairs NAME: VALUE, each of which is a bit. */
#include "cluster.h"

#include <string.h>

/* "NAME: VALUE", or NULL with the problem reported. */
static const char *text_of(struct sms__reader *reader, const struct sms__node *name, const struct sms__node *value)
{
    const struct sms__node *const part[] = {name, value};
    for (int i = 0; i < 2; i++) {
        if (!sms__expect_kind(reader, part[i], SMS__SCALAR))
            return NULL;
        if (strlen(part[i]->text) <= SMS__NAME_MAX)
            continue;
        sms__complain(reader, part[i], "'%.40s...' has more than %d characters", part[i]->text, SMS__NAME_MAX);
        return NULL;
    }
    return sms__print(reader->arena, "%s: %s", name->text, value->text);
}

static uint64_t bit_of(struct sms__reader *reader, struct sms__cluster *cluster, const struct sms__node *at,
                       const char *text, bool is_new)
{
    for (size_t i = 0; i < cluster->labels.count; i++)
        if (!strcmp(cluster->labels.text[i], text))
            return (uint64_t)1 << i;
    struct sms__node named = {.kind = SMS__SCALAR, .mark = at->mark, .text = text};
    if (!is_new)
        sms__complain_unknown(reader, &named, "label", cluster->labels.count, sms__text_at, cluster->labels.text);
    else if (cluster->labels.count == SMS__LABELS_MAX)
        sms__complain(reader, at, "more than %d different labels", SMS__LABELS_MAX);
    else {
        cluster->labels.text[cluster->labels.count] = text;
        return (uint64_t)1 << cluster->labels.count++;
    }
    return 0;
}

uint64_t sms__read_labels(struct sms__reader *reader, const struct sms__node *map, struct sms__cluster *cluster,
                          bool of_node)
{
    uint64_t bits = 0;
    if (!map || !sms__expect_kind(reader, map, SMS__MAP))
        return 0;
    for (size_t i = 0; i + 1 < map->items && reader->errors->count <= SMS_ERRORS_MAX; i += 2) {
        const char *text = text_of(reader, map->item[i], map->item[i + 1]);
        if (text && sms__is_first(reader, map, i))
            bits |= bit_of(reader, cluster, map->item[i], text, of_node);
    }
    return bits;
}
