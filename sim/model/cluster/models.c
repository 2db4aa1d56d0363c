/* GPU models of nodes, and those on which pods may run: each is a bit. */
#include "cluster.h"
#include "../../base/buffer.h"

#include <stdio.h>
#include <string.h>

int sms__intern_model(struct sms__reader *reader, const struct sms__node *node, const char *name,
                      struct sms__cluster *cluster)
{
    const size_t i = sms__find_name(name, cluster->models, sms__text_at, cluster->model);
    if (i < cluster->models)
        return (int)i;
    if (cluster->models == SMS_GPU_MODELS_MAX) {
        sms__complain(reader, node, "more than %d models of GPUs", SMS_GPU_MODELS_MAX);
        return 0;
    }
    cluster->model[cluster->models] = name;
    return (int)cluster->models++;
}

bool sms__has_wrong_model(const struct sms__reader *reader, const struct sms__cluster *cluster)
{
    bool wrong = false;
    for (size_t k = 0; k < cluster->kinds && !wrong && reader->errors->count; k++) {
        const struct sms__nodes *kind = &cluster->node[k];
        wrong = (kind->device < 0 && sms__node_get(kind->node, "devices")) ||
                sms__is_wrong(reader, kind->node, "model") || sms__is_wrong(reader, kind->node, "devices");
    }
    return wrong;
}

static void complain_of_model(struct sms__reader *reader, const struct sms__cluster *cluster,
                              const struct sms__node *name)
{
    const char *near = sms__nearest(name->text, cluster->models, sms__text_at, cluster->model);
    char all[160] = "";
    for (size_t m = 0; m < cluster->models; m++)
        sms__append(all, sizeof all, "%s%.36s", m ? ", " : "", cluster->model[m]);
    if (!cluster->models)
        sms__complain(reader, name, "no node has a GPU of model '%.60s': none has a GPU", name->text);
    else
        sms__complain(reader, name, "no node has a GPU of model '%.60s', only of %s%s", name->text, all,
                      sms__did_you_mean(near).text);
}

static uint64_t bit_of_model(struct sms__reader *reader, const struct sms__cluster *cluster,
                             const struct sms__node *name)
{
    if (!sms__expect_kind(reader, name, SMS__SCALAR))
        return 0;
    uint64_t models = 0; /* shared and whole GPUs may be of one name */
    for (size_t m = 0; m < cluster->models; m++)
        if (!strcmp(cluster->model[m], name->text))
            models |= (uint64_t)1 << m;
    if (!models && !sms__has_wrong_model(reader, cluster))
        complain_of_model(reader, cluster, name);
    return models;
}

uint64_t sms__read_models(struct sms__reader *reader, const struct sms__node *node, const struct sms__cluster *cluster)
{
    uint64_t models = 0;
    if (!node)
        return UINT64_MAX;
    if (node->kind == SMS__SCALAR)
        return bit_of_model(reader, cluster, node);
    if (!sms__expect_list(reader, node, SMS_GPU_MODELS_MAX))
        return 0;
    if (node->items == 0)
        sms__complain(reader, node, "models: the list is empty");
    for (size_t i = 0; i < node->items; i++)
        models |= bit_of_model(reader, cluster, node->item[i]);
    return models;
}
