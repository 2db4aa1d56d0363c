#include "sweep.h"
#include "../model/file.h"

#include <stdlib.h>
#include <string.h>

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

/* A workload of the library that the point changes. */
struct varied {
    const char *name;
    const struct sms__node *node;
};

struct make {
    struct sms__reach *reach;
    const struct sms__place *place;
    struct varied workload[SMS__COLUMNS_MAX];
    size_t workloads;
    char **models; /* NULL, or where what is wanted of a point that failed */
};

const char *sms__path_of_workload(const struct sms__node *path) { return sms__path_behind(path->text, "workloads"); }

/* Names may have points in them. */
static const struct sms__node *find_workload(const struct make *make, struct sms__reader *reader, const char *rest,
                                             const char **name)
{
    struct sms_file *library = make->reach->library[make->place->base - make->reach->plan->base];
    const struct sms__node *node = NULL;
    for (const char *end = rest; *end && !node; end++) {
        end += strcspn(end, ".");
        *name = sms__copy(reader->arena, rest, (size_t)(end - rest));
        node = sms__library_document(library, make->reach->plan->options, false, *name);
        if (!*end)
            break;
    }
    return node;
}

static void change_workload(struct make *make, struct sms__reader *reader, struct sms__change *change)
{
    const char *name = "";
    const struct sms__node *node = find_workload(make, reader, change->rest, &name);
    const char missing[] = "a path into a workload is like 'workloads.NAME.FIELD'";
    struct sms__node named = *change->path;
    size_t i = 0;
    named.text = sms__copy(reader->arena, change->rest, strcspn(change->rest, "."));
    if (!*change->rest) {
        sms__complain(reader, change->path, "%s", missing);
        return;
    }
    if (!node) {
        sms__find_workload(reader->user, named.text, &named); /* which complains */
        return;
    }
    while (i < make->workloads && strcmp(make->workload[i].name, name) != 0)
        i++;
    if (i == make->workloads)
        make->workload[make->workloads++] = (struct varied){name, node};
    change->rest += strlen(name);
    change->rest += *change->rest == '.';
    if (!*change->rest || sms__path_behind(change->rest, "workload"))
        sms__complain(reader, change->path, "%s", missing);
    else
        make->workload[i].node = sms__node_replace(reader, make->workload[i].node, change);
}

static const struct sms__node *change_fixed(const struct make *make, struct sms__reader *reader,
                                            const struct sms__node *root)
{
    static const char *const at[SMS__FIXED] = {"policies", "run.replications", "run.until", "run.seed"};
    const struct sms__plan *plan = make->reach->plan;
    for (int i = 0; i < SMS__FIXED; i++) {
        const struct sms__node *value = plan->fixed[i];
        if (value && !plan->fixed_wrong[i])
            root = sms__node_replace(reader, root, &(struct sms__change){plan, value, at[i], value, i});
    }
    return root;
}

static const struct sms__node *change_column(struct make *make, struct sms__reader *reader,
                                             const struct sms__node *root, const struct sms__axis *axis, size_t c)
{
    const struct sms__plan *plan = make->reach->plan;
    const struct sms__node *path = plan->column[axis->first + c].path;
    uint64_t position = make->place->position[axis - plan->axis];
    struct sms__change change = {plan, path, path->text, sms__column_value(reader->arena, plan, axis, position, c),
                                 SMS__FIXED + (int)(axis->first + c)};
    const char *rest = sms__path_of_workload(path);
    if (!rest)
        return sms__node_replace(reader, root, &change);
    change.rest = rest;
    change_workload(make, reader, &change);
    return root;
}

/* Where there are no values the path may be wrong all the same. */
static void check_valueless(struct sms__reader *reader, const struct sms__plan *plan, const struct sms__node *root)
{
    for (size_t c = 0; c < plan->columns; c++) {
        const struct sms__node *path = plan->column[c].path;
        if (plan->column[c].valueless && !sms__path_of_workload(path))
            root = sms__node_replace(reader, root,
                                     &(struct sms__change){plan, path, path->text, path, SMS__FIXED + (int)c});
    }
}

/* What scenarios expect of themselves is no matter of their variations. */
static const struct sms__node *make(struct sms__reader *reader, void *user)
{
    struct make *make = user;
    const struct sms__plan *plan = make->reach->plan;
    const struct sms__place *place = make->place;
    const struct sms__node *root = sms__node_without(reader->arena, place->base->scenario[place->scenario], "expect");
    root = change_fixed(make, reader, root);
    for (size_t i = 0; i < plan->axes; i++)
        for (size_t c = 0; c < plan->axis[i].columns; c++)
            if (!plan->column[plan->axis[i].first + c].wrong)
                root = change_column(make, reader, root, &plan->axis[i], c);
    check_valueless(reader, plan, root);
    for (size_t i = 0; i < make->workloads; i++)
        sms__file_add_workload(reader->user, make->workload[i].node);
    return root;
}

static void note_models(const struct sms_file *file, void *user)
{
    *((struct make *)user)->models = sms__point_models(file);
}

int sms__place_load(struct sms__reach *reach, const struct sms__place *place, struct sms_file **out, char **models,
                    struct sms_errors *errors)
{
    struct make making = {.reach = reach, .place = place, .models = models};
    struct sms__variation variation = {reach->library[place->base - reach->plan->base], reach->plan->options, make,
                                       models ? note_models : NULL, &making};
    int code = sms__file_vary(&variation, out, errors);
    if (models && code == SMS_OK)
        note_models(*out, &making);
    return code;
}

int sms__point_load(struct sms__reach *reach, uint64_t point, struct sms_file **out, char **models,
                    struct sms_errors *errors)
{
    struct sms__place place;
    sms__point_place(reach->plan, point, &place);
    return sms__place_load(reach, &place, out, models, errors);
}
