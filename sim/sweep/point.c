#include "sweep.h"
#include "../model/file.h"

#include <stdlib.h>

void sms__point_place(const struct sms__plan *plan, uint64_t point, struct sms__place *place)
{
    uint64_t each = plan->points / plan->scenarios, of_all = point / each, at = point % each;
    for (size_t i = plan->axes; i-- > 0; at /= plan->axis[i].count)
        place->position[i] = at % plan->axis[i].count;
    place->base = plan->base;
    for (; of_all >= place->base->scenarios; place->base++)
        of_all -= place->base->scenarios;
    place->scenario = (size_t)of_all;
}

int sms__reach_open(const struct sms__plan *plan, struct sms__reach *reach, struct sms_errors *errors)
{
    int code = SMS_OK;
    *reach = (struct sms__reach){.plan = plan, .hashes = sms__hashes_new(plan->scenarios)};
    reach->library = calloc(plan->bases, sizeof *reach->library);
    if (!reach->library || !reach->hashes)
        code = sms__fail(errors, SMS_ENOMEM, plan->path, "no memory");
    for (size_t i = 0; i < plan->bases && code == SMS_OK; i++)
        code = sms_file_load(plan->base[i].path, plan->options, &reach->library[i], errors);
    if (code)
        sms__reach_close(reach);
    return code;
}

void sms__reach_close(struct sms__reach *reach)
{
    for (size_t i = 0; reach->library && i < reach->plan->bases; i++)
        sms_file_free(reach->library[i]);
    free(reach->library);
    sms__hashes_free(reach->hashes);
    *reach = (struct sms__reach){0};
}

struct make {
    const struct sms__plan *plan;
    struct sms__place place;
};

static const struct sms__node *change(struct sms__reader *reader, const struct sms__node *root, const char *path,
                                      const struct sms__node *value)
{
    struct sms__node at = {.kind = SMS__SCALAR, .text = path};
    if (!value)
        return root;
    at.mark = value->mark;
    return sms__node_replace(reader, root, &at, value);
}

/* What scenarios expect of themselves is no matter of their variations. */
static const struct sms__node *make(struct sms__reader *reader, void *user)
{
    const struct make *make = user;
    const struct sms__plan *plan = make->plan;
    const struct sms__node *root =
        sms__node_without(reader->arena, make->place.base->scenario[make->place.scenario], "expect");
    root = change(reader, root, "policies", plan->policies);
    root = change(reader, root, "run.replications", plan->replications_node);
    root = change(reader, root, "run.seed", plan->seed_node);
    for (size_t i = 0; i < plan->axes; i++) {
        const struct sms__axis *axis = &plan->axis[i];
        for (size_t c = 0; c < axis->columns; c++)
            root = sms__node_replace(reader, root, plan->column[axis->first + c].path,
                                     sms__column_value(reader->arena, plan, axis, make->place.position[i], c));
    }
    return root;
}

int sms__point_load(struct sms__reach *reach, uint64_t point, struct sms_file **out, struct sms_errors *errors)
{
    struct make making = {.plan = reach->plan};
    sms__point_place(reach->plan, point, &making.place);
    struct sms__variation variation = {reach->library[making.place.base - reach->plan->base], reach->plan->options,
                                       make, &making};
    return sms__file_vary(&variation, out, errors);
}
