/* Builds the scenario of a point: the base's document with the plan's changes, and changed copies of the workloads that
 * the plan varies. The base's files stay unchanged. */
#include "sweep.h"
#include "../base/buffer.h"
#include "../base/sources.h"
#include "../model/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sms__point_coordinates(const struct sms__plan *plan, uint64_t point, struct sms__coordinates *coordinates)
{
    uint64_t each = plan->points / plan->scenarios, scenario = point / each, offset = point % each;
    coordinates->stage = offset % plan->search.stages;
    offset /= plan->search.stages;
    for (size_t i = plan->axes; i-- > 0; offset /= plan->axis[i].count)
        coordinates->position[i] = offset % plan->axis[i].count;
    coordinates->base = plan->base;
    for (; scenario >= coordinates->base->scenarios; coordinates->base++)
        scenario -= coordinates->base->scenarios;
    coordinates->scenario = (size_t)scenario;
}

/* A workload of the library with the point's changes. */
struct changed_workload {
    const char *name;
    const struct sms__node *node;
};

struct point_builder {
    struct sms__worker_context *context;
    const struct sms__coordinates *coordinates;
    struct changed_workload workload[SMS__COLUMNS_MAX];
    size_t workloads;
    char **models; /* NULL, or receives the list of models, even if the point fails */
};

static void change_workload(struct point_builder *builder, struct sms__reader *reader, struct sms__change *change)
{
    struct sms_file *library = builder->context->library[builder->coordinates->base - builder->context->plan->base];
    const char *name = "";
    size_t i = 0;
    const struct sms__node *node = sms__take_workload(reader, library, builder->context->plan->options, change, &name);
    if (!node)
        return;
    while (i < builder->workloads && strcmp(builder->workload[i].name, name) != 0)
        i++;
    if (i == builder->workloads)
        builder->workload[builder->workloads++] = (struct changed_workload){name, node};
    builder->workload[i].node = sms__node_replace(reader, builder->workload[i].node, change);
}

static struct sms__told_path told_path(const void *user, int source)
{
    static const char *const keys[SMS__FIXED] = {"policies", "answer", "replications", "until", "seed"};
    const struct sms__plan *plan = user;
    const struct sms__node *path = source < SMS__FIXED ? plan->fixed[source] : plan->column[source - SMS__FIXED].path;
    return (struct sms__told_path){source < SMS__FIXED ? keys[source] : path->text, path->mark.line};
}

const struct sms__node *sms__point_fixed(const struct sms__plan *plan, const struct sms__coordinates *coordinates,
                                         int key)
{
    return key == SMS__PLAN_REPLICATIONS && plan->search.stages > 1 ? plan->search.stage[coordinates->stage]
                                                                    : plan->fixed[key];
}

static const struct sms__node *change_fixed(const struct point_builder *builder, struct sms__reader *reader,
                                            const struct sms__node *root)
{
    static const char *const target[SMS__FIXED] = {"policies", "answer", "run.replications", "run.until", "run.seed"};
    const struct sms__plan *plan = builder->context->plan;
    for (int i = 0; i < SMS__FIXED; i++) {
        const struct sms__node *value = sms__point_fixed(plan, builder->coordinates, i);
        if (value && !plan->fixed_wrong[i])
            root = sms__node_replace(reader, root, &(struct sms__change){value, target[i], value, told_path, plan, i});
    }
    return root;
}

static const struct sms__node *change_column(struct point_builder *builder, struct sms__reader *reader,
                                             const struct sms__node *root, size_t c)
{
    const struct sms__plan *plan = builder->context->plan;
    const struct sms__node *path = plan->column[c].path;
    const struct sms__node *value = sms__point_value(reader->arena, plan, builder->coordinates, c);
    struct sms__change change = {path, path->text, value, told_path, plan, SMS__FIXED + (int)c};
    const char *rest = sms__workload_path(path);
    if (!rest)
        return sms__node_replace(reader, root, &change);
    change.rest = rest;
    change_workload(builder, reader, &change);
    return root;
}

/* Checks the paths of columns that have no valid values. */
static void check_valueless(struct sms__reader *reader, const struct sms__plan *plan, const struct sms__node *root)
{
    for (size_t c = 0; c < plan->columns; c++) {
        const struct sms__node *path = plan->column[c].path;
        if (plan->column[c].valueless && !sms__workload_path(path))
            root = sms__node_replace(
                reader, root, &(struct sms__change){path, path->text, path, told_path, plan, SMS__FIXED + (int)c});
    }
}

/* Leaves out `expect:`, which holds for the unchanged scenario only, and from a race `run: {until:}`, because its
 * stages say how many replications there are. */
static const struct sms__node *leave_out(struct sms__arena *arena, const struct sms__node *root, bool race)
{
    struct sms__node *rest = sms__node_pick(arena, root, (const char *const[]){"expect", NULL}, false);
    for (size_t i = 0; race && i < rest->items; i += 2)
        if (rest->item[i + 1] == sms__node_get(root, "run") && rest->item[i + 1]->kind == SMS__MAP)
            rest->item[i + 1] = sms__node_pick(arena, rest->item[i + 1], (const char *const[]){"until", NULL}, false);
    return rest;
}

static const struct sms__node *build_document(struct sms__reader *reader, void *user)
{
    struct point_builder *builder = user;
    const struct sms__plan *plan = builder->context->plan;
    const struct sms__coordinates *coordinates = builder->coordinates;
    const struct sms__node *root = leave_out(reader->arena, coordinates->base->scenario[coordinates->scenario],
                                             plan->search.find == SMS__FIND_BEST);
    root = change_fixed(builder, reader, root);
    for (size_t c = 0; c < plan->columns; c++)
        if (!plan->column[c].wrong)
            root = change_column(builder, reader, root, c);
    check_valueless(reader, plan, root);
    for (size_t i = 0; i < builder->workloads; i++)
        sms__file_define(reader->user, SMS__DOCUMENT_WORKLOAD, builder->workload[i].node);
    return root;
}

const char sms__all_plugins[] = "*";

/* Puts the file of a policy or model that this program has. What a plug-in has instead is in all keys (key.c). */
static void put_source(FILE *to, const char *folder, const char *name)
{
    char file[2 * SMS__NAME_MAX + 8];
    snprintf(file, sizeof file, "%s/%s.c", folder, name);
    for (const struct sms__plugin_source *source = sms__plugin_sources; source->file; source++)
        if (!strcmp(source->file, file))
            fprintf(to, "p %s\n", file);
}

/* A mode of a device or instance, and what splits these. */
static void put_modes(FILE *to, const struct sms__mode *mode)
{
    if (mode->form)
        put_source(to, "policies/mode", mode->form->name);
    for (size_t i = 0; i < mode->parts; i++)
        put_modes(to, &mode->part[i]);
    for (size_t i = 0; mode->of_nodes && i < mode->of_nodes->count; i++)
        put_modes(to, mode->of_nodes->mode[i]);
}

static void put_policy(FILE *to, const struct sms__policy_use *use)
{
    if (use->policy)
        put_source(to, "policies/block", use->policy->name);
    if (use->policy && use->policy->queue)
        put_source(to, "policies/queue", use->policy->queue->name);
    if (use->share)
        put_source(to, "policies/share", use->share->name);
    if (use->place)
        put_source(to, "policies/place", use->place->name);
    put_modes(to, &use->mode);
}

static void put_plugins(FILE *to, const struct sms_scenario *scenario)
{
    for (size_t p = 0; p < scenario->policies; p++)
        put_policy(to, &scenario->policy[p]);
    if (scenario->alone)
        put_policy(to, scenario->alone);
    if (scenario->queue)
        put_source(to, "policies/queue", scenario->queue->name);
    if (scenario->contention.model)
        put_source(to, "models/contention", scenario->contention.model->name);
}

static char *list_models(const struct sms_file *file, bool loaded)
{
    struct sms__buffer text = {0};
    FILE *to = sms__buffer_open(&text);
    for (size_t i = 0; to && i < file->devices; i++)
        fprintf(to, "d %s\n", file->device[i]->name);
    for (size_t i = 0; to && i < file->workloads; i++)
        fprintf(to, "w %s\n", file->workload[i]->name);
    if (to && loaded)
        put_plugins(to, file->scenario[0]);
    else if (to)
        fprintf(to, "p %s\n", sms__all_plugins);
    if (to && sms__buffer_close(&text, to))
        return text.bytes;
    free(text.bytes);
    return NULL;
}

static void note_models(const struct sms_file *file, void *user)
{
    *((struct point_builder *)user)->models = list_models(file, false);
}

int sms__coordinates_load(struct sms__worker_context *context, const struct sms__coordinates *coordinates,
                          struct sms_file **out, char **models, struct sms_errors *errors)
{
    struct point_builder builder = {.context = context, .coordinates = coordinates, .models = models};
    struct sms__variation variation = {context->library[coordinates->base - context->plan->base],
                                       context->plan->options, build_document, models ? note_models : NULL, &builder};
    int code = sms__file_vary(&variation, out, errors);
    if (models && code == SMS_OK)
        *models = list_models(*out, true);
    return code;
}

int sms__point_load(struct sms__worker_context *context, uint64_t point, struct sms_file **out, char **models,
                    struct sms_errors *errors)
{
    struct sms__coordinates coordinates;
    sms__point_coordinates(context->plan, point, &coordinates);
    return sms__coordinates_load(context, &coordinates, out, models, errors);
}

const char *sms__point_beside(struct sms__arena *arena, const struct sms__plan *plan, uint64_t point)
{
    struct sms__coordinates coordinates;
    sms__point_coordinates(plan, point, &coordinates);
    const char *text = sms__print(arena, "%zu", (size_t)(coordinates.base - plan->base));
    for (size_t c = 0; c < plan->columns; c++)
        if (sms__workload_path(plan->column[c].path))
            text = sms__print(arena, "%s\n%s: %s", text, plan->column[c].path->text,
                              sms__node_flow(arena, sms__point_value(arena, plan, &coordinates, c)));
    return text;
}
