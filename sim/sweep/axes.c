/* Reads `axes:` of a plan. Random draws depend on the plan alone. A wrong axis keeps its columns, so
 * that the other axes can be checked. */
#include "sweep.h"

#include "../base/rng.h"

#include <gsl/gsl_qrng.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define F(struct_, member) offsetof(struct struct_, member)

enum { CELLS_MAX = 20000000, PATH_BYTES_MAX = 200, SOBOL_MAX = 40, LIST_MAX = 100000 };

struct spread_fields {
    uint64_t points;
    const struct sms__node *of;
};

struct mix_fields {
    const struct sms__node *of, *into;
    uint64_t draws;
    int repeat;
};

static void keep_list(struct sms__reader *reader, const struct sms__node *node, void *field)
{
    if (sms__expect_list(reader, node, LIST_MAX))
        *(const struct sms__node **)field = node;
}

void sms__keep_map(struct sms__reader *reader, const struct sms__node *node, void *field)
{
    if (sms__expect_kind(reader, node, SMS__MAP))
        *(const struct sms__node **)field = node;
}

const struct sms__field sms__spread_fields[] = {
    {"points", SMS__INTEGER, SMS__COUNT, F(spread_fields, points), 1, SMS__POINTS_MAX, .required = true,
     .help = "sets the number of points"},
    {"of", SMS__CUSTOM, 0, F(spread_fields, of), .required = true, .read = sms__keep_map, .form = SMS__FORM_SPREAD,
     .help = "gives a dimension each, PATH: range or list"},
    {0}};

const struct sms__field sms__mix_fields[] = {
    {"of", SMS__CUSTOM, 0, F(mix_fields, of), .required = true, .read = keep_list, .form = SMS__FORM_POOL, .least = 1,
     .most = LIST_MAX, .help = "lists the pool of values"},
    {"into", SMS__CUSTOM, 0, F(mix_fields, into), .required = true, .read = keep_list, .form = SMS__FORM_PATHS,
     .least = 1, .most = SMS__COLUMNS_MAX,
     .help = "lists paths, each of which gets an entry of the pool; order does not matter"},
    {"draws", SMS__INTEGER, SMS__COUNT, F(mix_fields, draws), 1, SMS__POINTS_MAX,
     .help = "sets the number of random draws; default: every combination"},
    {"repeat", SMS__CHOICE, 0, F(mix_fields, repeat), .choices = sms__truths,
     .help = "says whether an entry may come twice; default false"},
    {0}};

const char *const sms__drawn_axes[] = {"sobol", "random", "mixes", NULL};

struct axes {
    struct sms__reader *reader;
    struct sms__plan *plan;
};

/* Checks that a path can be varied. Case is ignored because a database has a column for each path. */
static bool check_path(struct axes *axes, const struct sms__node *path)
{
    const struct sms__plan *plan = axes->plan;
    if (!sms__expect_kind(axes->reader, path, SMS__SCALAR))
        return false;
    size_t length = strlen(path->text);
    if (length == 0 || length > PATH_BYTES_MAX) {
        sms__complain(axes->reader, path, "a path has 1 to %d characters", PATH_BYTES_MAX);
        return false;
    }
    if (path->text[0] == '.' || path->text[length - 1] == '.' || strstr(path->text, "..")) {
        sms__complain(axes->reader, path, "a part of the path '%.60s' is missing", path->text);
        return false;
    }
    for (size_t i = 0; i < plan->columns; i++)
        if (!strcasecmp(plan->column[i].path->text, path->text)) {
            sms__complain(axes->reader, path, "'%.60s' is already varied in line %u (case is ignored)", path->text,
                          plan->column[i].path->mark.line);
            return false;
        }
    if (!strcmp(path->text, "scenario"))
        sms__complain(axes->reader, path, "the scenario's name cannot be varied");
    return strcmp(path->text, "scenario") != 0;
}

static struct sms__column *add_column(struct axes *axes, const struct sms__node *path)
{
    struct sms__plan *plan = axes->plan;
    if (!check_path(axes, path))
        return NULL;
    if (plan->columns == SMS__COLUMNS_MAX) {
        sms__complain(axes->reader, path, "more than %d fields are varied", SMS__COLUMNS_MAX);
        return NULL;
    }
    struct sms__column *column = &plan->column[plan->columns++];
    *column = (struct sms__column){.path = path};
    return column;
}

/* Reports once, where an error for each field would take long. */
static bool are_too_many(struct axes *axes, const struct sms__node *node, size_t fields)
{
    if (fields > SMS__COLUMNS_MAX)
        sms__complain(axes->reader, node, "more than %d fields are varied", SMS__COLUMNS_MAX);
    return fields > SMS__COLUMNS_MAX;
}

/* Reads a list or a range. Returns the number of its values, 0 if it is wrong. */
static uint64_t read_values(struct axes *axes, struct sms__column *column, const struct sms__node *node, bool sampled)
{
    column->spec = node;
    if (node->kind == SMS__MAP)
        return sms__read_range(axes->reader, node, sampled, &column->range);
    if (!sms__expect_list(axes->reader, node, SMS__POINTS_MAX))
        return 0;
    column->values = node;
    if (node->items == 0)
        sms__complain(axes->reader, node, "the list of values is empty");
    return node->items;
}

/* Reads one field of an axis. A wrong one is kept, so that the others are checked. Returns the number of its values. */
static uint64_t read_column(struct axes *axes, const struct sms__node *path, const struct sms__node *node, bool sampled,
                            struct sms__axis *axis)
{
    struct sms__column unnamed = {0}, *column = add_column(axes, path);
    uint64_t count = read_values(axes, column ? column : &unnamed, node, sampled);
    axis->columns += column != NULL;
    if (column)
        column->wrong = count == 0;
    return count;
}

/* Adds the cells of an axis to the plan's total. Returns false if that exceeds the limit. */
static bool reserve_cells(struct axes *axes, const struct sms__node *node, double positions, size_t columns)
{
    double cells = positions * (double)columns;
    if (axes->plan->cells + cells <= CELLS_MAX) {
        axes->plan->cells += cells;
        return true;
    }
    sms__complain(axes->reader, node, "too many values: %.3g of each of %zu fields%s", positions, columns,
                  cells <= CELLS_MAX ? ", in addition to the axes above" : "");
    return false;
}

/* Reads an entry of several paths, which vary together. */
static void read_together(struct axes *axes, const struct sms__node *node, struct sms__axis *axis)
{
    if (are_too_many(axes, node, node->items / 2))
        return;
    for (size_t i = 0; i + 1 < node->items; i += 2) {
        if (!sms__is_first(axes->reader, node, i))
            continue;
        uint64_t count = read_column(axes, node->item[i], node->item[i + 1], false, axis);
        if (count && !axis->count)
            axis->count = count;
        if (!count || count == axis->count)
            continue;
        sms__complain(axes->reader, node->item[i],
                      "%llu and %llu values; fields of one entry vary together and need the same number",
                      (unsigned long long)count, (unsigned long long)axis->count);
        struct sms__column *column = &axes->plan->column[axes->plan->columns - 1];
        column->wrong = column->valueless = true;
    }
}

static void fill_random(struct axes *axes, struct sms__axis *axis)
{
    struct sms__plan *plan = axes->plan;
    for (size_t c = 0; c < axis->columns; c++) {
        gsl_rng *stream = sms__stream(&plan->arena, plan->seed, plan->column[axis->first + c].path->text, 0);
        for (uint64_t i = 0; i < axis->count; i++)
            axis->fraction[i * axis->columns + c] = gsl_rng_uniform(stream);
    }
}

static void fill_sobol(struct axes *axes, struct sms__axis *axis)
{
    if (axis->columns > SOBOL_MAX) {
        sms__complain(axes->reader, axis->node, "more than %d dimensions", SOBOL_MAX);
        return;
    }
    /* Not by gsl_qrng_alloc, which ends the program where there is no memory. */
    gsl_qrng sobol = {.type = gsl_qrng_sobol, .dimension = (unsigned)axis->columns};
    sobol.state_size = gsl_qrng_sobol->state_size(sobol.dimension);
    sobol.state = SMS__NEW(&axes->plan->arena, char, sobol.state_size);
    gsl_qrng_init(&sobol);
    for (uint64_t i = 0; i < axis->count; i++)
        gsl_qrng_get(&sobol, &axis->fraction[i * axis->columns]);
}

static void read_spread(struct axes *axes, const struct sms__node *node, struct sms__axis *axis,
                        void (*fill)(struct axes *axes, struct sms__axis *axis))
{
    struct spread_fields fields = {0};
    sms__read_fields(axes->reader, node, sms__spread_fields, &fields);
    if (!fields.of || are_too_many(axes, fields.of, fields.of->items / 2))
        return;
    for (size_t i = 0; i + 1 < fields.of->items; i += 2)
        read_column(axes, fields.of->item[i], fields.of->item[i + 1], true, axis);
    if (axis->columns == 0) {
        if (fields.of->items == 0)
            sms__complain(axes->reader, fields.of, "it names no field");
        return;
    }
    if (!fields.points || !reserve_cells(axes, node, (double)fields.points, axis->columns))
        return;
    axis->count = fields.points;
    axis->fraction = SMS__NEW(&axes->plan->arena, double, axis->count * axis->columns);
    fill(axes, axis);
}

/* Number of combinations of k out of n. */
static double combinations(size_t n, size_t k, bool repeat)
{
    double count = 1;
    if (!repeat && k > n)
        return 0;
    for (size_t i = 0; i < k; i++)
        count = count * (double)(repeat ? n + i : n - i) / (double)(i + 1);
    return count;
}

/* Computes the combination after `last`, in lexicographic order. */
static void next_combination(const uint32_t *last, uint32_t *mix, size_t n, size_t k, bool repeat)
{
    size_t last_free = k - 1;
    memcpy(mix, last, k * sizeof *mix);
    while (last_free > 0 && mix[last_free] == (repeat ? n - 1 : n - k + last_free))
        last_free--;
    mix[last_free]++;
    for (size_t i = last_free + 1; i < k; i++)
        mix[i] = mix[i - 1] + !repeat;
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool has_entry(const uint32_t *mix, size_t count, uint32_t entry)
{
    for (size_t i = 0; i < count; i++)
        if (mix[i] == entry)
            return true;
    return false;
}

static void draw_mix(gsl_rng *stream, uint32_t *mix, size_t n, size_t k, bool repeat)
{
    for (size_t i = 0; i < k; i++)
        do
            mix[i] = (uint32_t)gsl_rng_uniform_int(stream, n);
        while (!repeat && has_entry(mix, i, mix[i]));
    qsort(mix, k, sizeof *mix, compare_numbers);
}

static void fill_mixes(struct axes *axes, struct sms__axis *axis, const struct mix_fields *fields)
{
    size_t n = fields->of->items, k = axis->columns;
    gsl_rng *stream = sms__stream(&axes->plan->arena, axes->plan->seed, "mixes", axis->first);
    axis->entry = SMS__NEW(&axes->plan->arena, uint32_t, axis->count * k);
    for (uint64_t i = 0; i < axis->count; i++) {
        uint32_t *mix = &axis->entry[i * k];
        if (fields->draws)
            draw_mix(stream, mix, n, k, fields->repeat);
        else if (i > 0)
            next_combination(mix - k, mix, n, k, fields->repeat);
        for (size_t c = 0; !fields->draws && i == 0 && c < k; c++)
            mix[c] = fields->repeat ? 0 : (uint32_t)c;
    }
}

static void read_mixes(struct axes *axes, const struct sms__node *node, struct sms__axis *axis)
{
    struct mix_fields fields = {0};
    sms__read_fields(axes->reader, node, sms__mix_fields, &fields);
    if (!fields.of || !fields.into || are_too_many(axes, fields.into, fields.into->items))
        return;
    for (size_t i = 0; i < fields.into->items; i++) {
        struct sms__column *column = add_column(axes, fields.into->item[i]);
        if (!column)
            continue;
        column->values = column->spec = fields.of;
        axis->columns++;
    }
    if (axis->columns < fields.into->items)
        return;
    double count = combinations(fields.of->items, axis->columns, fields.repeat);
    if (count < 1 || axis->columns == 0)
        sms__complain(axes->reader, node, "cannot choose %zu entries from a pool of %zu", axis->columns,
                      fields.of->items);
    else if (reserve_cells(axes, node, fields.draws ? (double)fields.draws : count, axis->columns)) {
        axis->count = fields.draws ? fields.draws : (uint64_t)(count + 0.5);
        fill_mixes(axes, axis, &fields);
    }
}

/* An axis without valid values counts as one position, at which nothing is changed. */
static void finish_axis(struct sms__plan *plan, struct sms__axis *axis)
{
    axis->columns = plan->columns - axis->first;
    for (size_t c = axis->first; c < plan->columns; c++) {
        plan->column[c].axis = (size_t)(axis - plan->axis);
        plan->column[c].wrong |= axis->count == 0;
        plan->column[c].valueless |= axis->count == 0;
    }
    axis->count += axis->count == 0;
}

static void read_axis(struct axes *axes, const struct sms__node *node, struct sms__axis *axis)
{
    *axis = (struct sms__axis){.node = node, .first = axes->plan->columns};
    if (!sms__expect_kind(axes->reader, node, SMS__MAP))
        return;
    const struct sms__node *drawn = sms__find_key(node, sms__drawn_axes);
    if (drawn && node->items != 2)
        sms__complain(axes->reader, node, "sobol, random and mixes must be separate entries");
    else if (drawn && !strcmp(drawn->text, "mixes"))
        read_mixes(axes, node->item[1], axis);
    else if (drawn)
        read_spread(axes, node->item[1], axis, !strcmp(drawn->text, "sobol") ? fill_sobol : fill_random);
    else if (node->items == 0)
        sms__complain(axes->reader, node, "it names no field");
    else if (node->item[0]->kind == SMS__SCALAR && sms__node_get(node->item[1], "of")) /* no range has this key */
        sms__complain_unknown(axes->reader, node->item[0], "key", 3, sms__text_at, sms__drawn_axes);
    else
        read_together(axes, node, axis);
}

void sms__read_axes(struct sms__reader *reader, struct sms__plan *plan)
{
    struct axes axes = {reader, plan};
    const struct sms__node *list = plan->axes_node, *vary = plan->search.vary;
    if (list && !sms__expect_list(reader, list, SMS__COLUMNS_MAX))
        return;
    const size_t listed = list ? list->items : 0, count = listed + (vary != NULL);
    plan->axis = SMS__NEW(&plan->arena, struct sms__axis, count);
    plan->column = SMS__NEW(&plan->arena, struct sms__column, SMS__COLUMNS_MAX);
    for (size_t i = 0; i < count && reader->errors->count <= SMS_ERRORS_MAX; i++) {
        struct sms__axis *axis = &plan->axis[plan->axes++];
        read_axis(&axes, i < listed ? list->item[i] : vary, axis);
        finish_axis(plan, axis);
    }
}
