/* Builds the document of a draw: the scenario's own with some numbers replaced, and copies of its workloads. Numbers
 * have nine digits, so that the last bits of a library function decide nothing. */
#include "sweep.h"
#include "draw_unknowns.h"

#include <math.h>
#include <string.h>

struct draw {
    const struct sms__unknown_list *list;
    const double *logarithm; /* [parameters] */
};

/* The number of a scalar times a factor. */
static struct sms__node *scaled(struct sms__arena *arena, const struct sms__node *node, enum sms__dimension dimension,
                                double factor)
{
    struct sms__quantity number = {0};
    char why[160];
    sms__quantity_parse(node->text, dimension, &number, why, sizeof why); /* it was read before */
    const bool ratio = dimension == SMS__RATIO;
    return sms__new_scalar(arena, node,
                           sms__print(arena, "%.9g%s", number.value * factor * (ratio ? 100 : 1),
                                      ratio           ? " %"
                                      : number.cycles ? " cycles"
                                                      : " ps"));
}

/* The factor that is nearest to this one with which a number stays between `least` and `most`, or cycles possible. */
static double bounded(const struct sms__node *node, enum sms__dimension dimension, double least, double most,
                      double factor)
{
    struct sms__quantity number = {0};
    char why[160];
    sms__quantity_parse(node->text, dimension, &number, why, sizeof why); /* it was read before */
    if (number.cycles)
        return fmin(factor, SMS__CYCLES_MAX / number.value);
    return fmax(fmin(factor, most / number.value), least / number.value);
}

/* The item of the copy that is the value of the key, or NULL. */
static struct sms__node **value_in(struct sms__node *map, const char *key)
{
    for (size_t i = 0; i + 1 < map->items; i += 2)
        if (map->item[i]->kind == SMS__SCALAR && !strcmp(map->item[i]->text, key))
            return &map->item[i + 1];
    return NULL;
}

/* ---- workloads ---- */

/* The logarithm of the factor of a workload's demands of a resource, or of its times; 0 if they are known. */
static double logarithm_of(const struct draw *draw, const struct sms__drawn_workload *drawn, const char *resource)
{
    for (size_t i = drawn->first; i < drawn->first + drawn->parameters; i++) {
        const char *of = draw->list->parameter[i].resource;
        if (of && resource ? !strcmp(of, resource) : of == resource)
            return draw->logarithm[i];
    }
    return 0;
}

/* The kernel's demands are in the order of the document. */
static struct sms__node *draw_demands(struct sms__arena *arena, const struct draw *draw,
                                      const struct sms__drawn_workload *drawn, size_t k, const struct sms__node *node)
{
    const struct sms__kernel *kernel = &drawn->workload->kernel[k];
    struct sms__node *map = sms__node_copy(arena, node, 0);
    for (size_t d = 0; d < kernel->demands; d++) {
        const double logarithm = logarithm_of(draw, drawn, kernel->demand[d].resource);
        const double factor = fmin(exp(logarithm), drawn->most[k * SMS_RESOURCES_MAX + d]);
        if (logarithm != 0 && sms__draws_demand(draw->list->scenario, &kernel->demand[d]))
            *value_in(map, kernel->demand[d].resource) = scaled(arena, kernel->demand[d].value, SMS__RATIO, factor);
    }
    return map;
}

/* A time, or times at shares of the SMs, whose ratios stay. */
static struct sms__node *draw_times(struct sms__arena *arena, const struct sms__node *node, double factor)
{
    for (size_t i = 1; i < node->items; i += 2)
        factor = bounded(node->item[i], SMS__CYCLES, 1, SMS__TIME_MAX_PS, factor);
    if (node->kind == SMS__SCALAR)
        return scaled(arena, node, SMS__CYCLES, bounded(node, SMS__CYCLES, 1, SMS__TIME_MAX_PS, factor));
    struct sms__node *map = sms__node_copy(arena, node, 0);
    for (size_t i = 1; i < map->items; i += 2)
        map->item[i] = scaled(arena, node->item[i], SMS__CYCLES, factor);
    return map;
}

static struct sms__node *draw_kernel(struct sms__arena *arena, const struct draw *draw,
                                     const struct sms__drawn_workload *drawn, size_t k)
{
    static const char *const times[] = {"block_time", "time"};
    const double logarithm = logarithm_of(draw, drawn, NULL);
    struct sms__node *kernel = sms__node_copy(arena, drawn->workload->kernel[k].node, 0);
    struct sms__node **demand = value_in(kernel, "demand");
    if (demand)
        *demand = draw_demands(arena, draw, drawn, k, *demand);
    for (int i = 0; i < 2 && logarithm != 0; i++) {
        struct sms__node **time = value_in(kernel, times[i]);
        if (time)
            *time = draw_times(arena, *time, exp(logarithm));
    }
    return kernel;
}

static const struct sms__node *draw_workload(struct sms__arena *arena, const struct draw *draw,
                                             const struct sms__drawn_workload *drawn)
{
    struct sms__node *root = sms__node_copy(arena, drawn->workload->node, 0);
    struct sms__node **kernels = value_in(root, "kernels");
    *kernels = sms__node_copy(arena, *kernels, 0);
    for (size_t k = 0; k < drawn->workload->kernels; k++)
        (*kernels)->item[k] = draw_kernel(arena, draw, drawn, k);
    return root;
}

/* ---- the scenario ---- */

static const struct sms__node *replace(struct sms__reader *reader, const struct sms__node *root, const char *path,
                                       struct sms__node *value)
{
    const struct sms__node *at = sms__new_scalar(reader->arena, value, path);
    const struct sms__change change = {.path = at, .rest = path, .value = value};
    return sms__node_replace(reader, root, &change);
}

/* The node of the document's top to which a path belongs, for the places of errors. */
static const struct sms__node *top_of(const struct sms__node *root, const char *path)
{
    for (size_t i = 0; i + 1 < root->items; i += 2)
        if (root->item[i]->kind == SMS__SCALAR && sms__path_after(path, root->item[i]->text))
            return root->item[i + 1];
    return root;
}

static const struct sms__node *draw_curve(struct sms__reader *reader, const struct sms__node *root,
                                          const char *resource, double factor)
{
    const struct sms__node *curves = sms__node_get(sms__node_get(root, "contention"), "curves");
    struct sms__node *curve = sms__node_copy(reader->arena, sms__node_get(curves, resource), 0);
    if (curve->items) /* the last overhead is the greatest */
        factor = bounded(curve->item[curve->items - 1]->item[1], SMS__RATIO, 0, SMS__CURVE_MAX, factor);
    for (size_t i = 0; i < curve->items; i++) {
        curve->item[i] = sms__node_copy(reader->arena, curve->item[i], 0);
        curve->item[i]->item[1] = scaled(reader->arena, curve->item[i]->item[1], SMS__RATIO, factor);
    }
    return replace(reader, root, sms__print(reader->arena, "contention.curves.%s", resource), curve);
}

static const struct sms__node *draw_parameter(struct sms__reader *reader, const struct sms__node *root,
                                              const struct sms__parameter *parameter, double factor)
{
    if (parameter->curve)
        return draw_curve(reader, root, parameter->resource, factor);
    for (size_t i = 0; i < parameter->places; i++) {
        const struct sms__drawn_place *place = &parameter->place[i];
        const double value = fmax(fmin(place->value * factor, place->most), place->least);
        const char *text = sms__print(reader->arena, "%.9g%s", value, place->unit ? place->unit : "");
        root = replace(reader, root, place->path, sms__new_scalar(reader->arena, top_of(root, place->path), text));
    }
    return root;
}

/* The warm-up that was found for the scenario holds for its draws. `expect:` is of the scenario as it is. */
static const struct sms__node *make(struct sms__reader *reader, void *user)
{
    const struct draw *draw = user;
    const struct sms_scenario *scenario = draw->list->scenario;
    const struct sms__node *root =
        sms__node_pick(reader->arena, scenario->node, (const char *[]){"expect", NULL}, false);
    if (scenario->find_warmup)
        root = replace(reader, root, "run.warmup",
                       sms__new_scalar(reader->arena, top_of(root, "run"),
                                       sms__print(reader->arena, "%.17g ps", scenario->warmup_ps)));
    for (size_t i = 0; i < draw->list->parameters; i++)
        root = draw_parameter(reader, root, &draw->list->parameter[i], exp(draw->logarithm[i]));
    for (size_t w = 0; w < draw->list->workloads; w++)
        sms__file_define(reader->user, SMS__DOCUMENT_WORKLOAD,
                         draw_workload(reader->arena, draw, &draw->list->workload[w]));
    return root;
}

int sms__load_draw(const struct sms__unknown_list *list, struct sms_file *library,
                   const struct sms_load_options *options, const double *logarithm, struct sms_file **out,
                   struct sms_errors *errors)
{
    struct draw draw = {list, logarithm};
    struct sms__variation variation = {library, options, make, NULL, &draw};
    return sms__file_vary(&variation, out, errors);
}
