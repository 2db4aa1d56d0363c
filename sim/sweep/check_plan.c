/* Finds what is wrong with a plan by loading some of its points. It starts from coordinates at which nothing is wrong,
 * then varies one axis at a time. A value that is wrong by itself is skipped, so that its error hides no other. */
#include "sweep.h"

#include <math.h>
#include <string.h>

enum { TRIES = 2000, MOVES = 64 };

/* Budget of nodes that are read, for some seconds of work. It lowers the number of tries in large scenarios. */
#define NODES_MAX 2e7

struct check {
    struct sms__plan *plan;
    struct sms__worker_context context;
    struct sms__coordinates coordinates; /* start, from which one axis is varied */
    bool is_exhaustive;                  /* every value of every axis is tried */
    unsigned last_line;                  /* last line of the plan's document */
    uint64_t tries_per_axis;             /* maximum number of values that are tried on an axis */
    double searches_left;                /* budget of points loaded by find_valid_elsewhere */
    struct sms_errors *errors, found;
    const struct sms__axis *axis; /* that is varied, or NULL */
    struct sms_errors warned;     /* warnings of points, where the scenario has them */
};

static bool is_at(const struct sms_error *error, const struct sms__node *node)
{
    return error->line == node->mark.line && error->column == node->mark.column &&
           !strncmp(error->file, node->mark.file, sizeof error->file - 1);
}

/* Whether the error is at a node or at one below it. */
static bool is_in(const struct sms_error *error, const struct sms__node *node)
{
    if (is_at(error, node))
        return true;
    for (size_t i = 0; i < node->items; i++)
        if (is_in(error, node->item[i]))
            return true;
    return false;
}

static bool any_in(const struct sms_errors *errors, const struct sms__node *node)
{
    for (size_t i = 0; i < errors->count && i < SMS_ERRORS_MAX; i++)
        if (is_in(&errors->item[i], node))
            return true;
    return false;
}

static bool is_full(const struct check *check) { return check->errors->count > SMS_ERRORS_MAX; }

/* All values of a range share one location. Only the first error at a range is kept. */
static bool is_repeated(const struct check *check, const struct sms_error *error)
{
    bool repeated = false;
    for (size_t c = 0; c < check->plan->columns; c++) {
        const struct sms__column *column = &check->plan->column[c];
        repeated |= !column->values && column->spec && is_at(error, column->spec) &&
                    any_in(check->errors, &(struct sms__node){.kind = SMS__SCALAR, .mark = column->spec->mark});
    }
    return repeated;
}

static void mark_use(struct check *check, const struct sms__workload *workload)
{
    struct sms__plan *plan = check->plan;
    for (size_t c = 0; c < plan->columns; c++) {
        const char *rest = sms__workload_path(plan->column[c].path);
        plan->column[c].used |= rest && sms__path_after(rest, workload->name);
    }
}

static void mark_uses(struct check *check, const struct sms_scenario *scenario)
{
    for (size_t v = 0; v < scenario->vms; v++) {
        for (size_t i = 0; i < scenario->vm[v].choices; i++)
            mark_use(check, scenario->vm[v].choice[i].workload);
        if (scenario->vm[v].workload)
            mark_use(check, scenario->vm[v].workload);
    }
}

static unsigned last_line(const struct sms__node *node)
{
    unsigned last = node->mark.line;
    for (size_t i = 0; i < node->items; i++) {
        unsigned line = last_line(node->item[i]);
        last = line > last ? line : last;
    }
    return last;
}

static bool is_in_plan(const struct check *check, const struct sms_error *error)
{
    const struct sms__mark *mark = &check->plan->node->mark;
    return error->line >= mark->line && error->line <= check->last_line &&
           !strncmp(error->file, mark->file, sizeof error->file - 1);
}

static bool any_in_plan(const struct check *check)
{
    for (size_t i = 0; i < check->found.count && i < SMS_ERRORS_MAX; i++)
        if (is_in_plan(check, &check->found.item[i]))
            return true;
    return false;
}

static void add_error(struct sms_errors *errors, const struct sms_error *error)
{
    if (errors->count < SMS_ERRORS_MAX)
        errors->item[errors->count] = *error;
    errors->count++;
}

/* Keeps what a point is warned of and its base is not. One place is told once, because the next values of its axis have
 * the same warning with other numbers. */
static void keep_warnings(struct check *check, const struct sms_file *file)
{
    const struct sms__error_origin origin = {check->plan, &check->coordinates, check->axis};
    const struct sms_errors *found = sms_file_warnings(file);
    const struct sms_errors *base = sms_file_warnings(check->coordinates.base->library);
    for (size_t i = 0; i < found->count && i < SMS_ERRORS_MAX; i++) {
        struct sms_error warning = found->item[i];
        const struct sms__mark at = {warning.file, NULL, warning.line, warning.column};
        if (sms__has_error(base, &at, NULL) || sms__has_error(&check->warned, &at, NULL))
            continue;
        add_error(&check->warned, &warning);
        if (!is_in_plan(check, &warning))
            sms__locate_error(&origin, &warning);
        add_error(&check->plan->warnings, &warning);
    }
}

static bool load_point(struct check *check)
{
    struct sms_file *file;
    int code = sms__coordinates_load(&check->context, &check->coordinates, &file, NULL, &check->found);
    if (file) {
        mark_uses(check, sms_file_scenario(file, 0));
        keep_warnings(check, file);
    }
    sms_file_free(file);
    return code == SMS_OK;
}

/* Reports the errors located in the plan. `any_origin`: reports the others too, at the values of `axis`, or of all axes
 * if that is NULL. */
static void report(struct check *check, const struct sms__axis *axis, bool any_origin)
{
    const struct sms__error_origin origin = {check->plan, &check->coordinates, axis};
    struct sms_errors reported = {0};
    for (size_t i = 0; i < check->found.count && i < SMS_ERRORS_MAX; i++) {
        struct sms_error error = check->found.item[i];
        const bool in_plan = is_in_plan(check, &error);
        if (!in_plan && !any_origin)
            continue;
        if (!in_plan)
            sms__locate_error(&origin, &error);
        if (!is_repeated(check, &error))
            reported.item[reported.count++] = error;
    }
    if (reported.count == SMS_ERRORS_MAX)
        reported.count = check->found.count;
    sms__add_errors(check->errors, &reported);
}

/* Skips keys and paths of the plan that have an error of their own. Returns whether it skipped any. */
static bool skip_wrong(struct check *check)
{
    struct sms__plan *plan = check->plan;
    bool skipped = false;
    for (int i = 0; i < SMS__FIXED; i++)
        if (plan->fixed[i] && !plan->fixed_wrong[i] && any_in(&check->found, plan->fixed[i]))
            skipped = plan->fixed_wrong[i] = true;
    for (size_t c = 0; c < plan->columns; c++) {
        struct sms__column *column = &plan->column[c];
        if ((column->wrong && !column->valueless) || !any_in(&check->found, column->path))
            continue;
        skipped = column->wrong = true;
        column->valueless = false;
    }
    return skipped;
}

/* Moves an axis from a wrong value to the next. Skips the column if there is none. Returns whether it did either. */
static bool move_axis(struct check *check, const struct sms__axis *axis, uint64_t *position)
{
    struct sms__plan *plan = check->plan;
    for (size_t c = 0; c < axis->columns; c++) {
        struct sms__column *column = &plan->column[axis->first + c];
        if (column->wrong)
            continue;
        const struct sms__node *value = sms__column_value(&plan->arena, plan, axis, *position, c);
        if (!any_in(&check->found, value))
            continue;
        column->wrong = *position + 1 == axis->count;
        *position += !column->wrong;
        return true;
    }
    return false;
}

/* Number of values that are tried on an axis. */
static uint64_t count_tries(const struct check *check, const struct sms__axis *axis)
{
    return axis->count < check->tries_per_axis ? axis->count : check->tries_per_axis;
}

/* Position of the t-th try. The tries are spread evenly from the first value to the last. */
static uint64_t tried_position(const struct check *check, const struct sms__axis *axis, uint64_t t)
{
    uint64_t tries = count_tries(check, axis);
    return tries > 1 ? t * (axis->count - 1) / (tries - 1) : 0;
}

/* Looks for another value of another axis at which nothing is wrong, and moves there. When the budget is spent it also
 * returns true; the points then fail one by one when they run. */
static bool find_valid_elsewhere(struct check *check, const struct sms__axis *except)
{
    struct sms__plan *plan = check->plan;
    for (size_t i = 0; i < plan->axes; i++) {
        const uint64_t start = check->coordinates.position[i];
        for (uint64_t t = 0; t < count_tries(check, &plan->axis[i]) && &plan->axis[i] != except; t++) {
            check->coordinates.position[i] = tried_position(check, &plan->axis[i], t);
            if (check->searches_left-- <= 0 || load_point(check))
                return true;
        }
        check->coordinates.position[i] = start;
    }
    return false;
}

static bool is_valid_elsewhere(struct check *check, const struct sms__axis *axis)
{
    const struct sms__coordinates coordinates = check->coordinates;
    const struct sms_errors found = check->found;
    bool right = find_valid_elsewhere(check, axis);
    check->coordinates = coordinates;
    check->found = found;
    return right;
}

/* Moves the axes until nothing is wrong, and reports what was wrong before. Returns false if it finds no such start. */
static bool find_valid_start(struct check *check)
{
    bool moved = true;
    for (int moves = 0; moves < MOVES && !is_full(check) && moved; moves++) {
        if (load_point(check))
            return true;
        report(check, NULL, false);
        moved = skip_wrong(check);
        for (size_t i = 0; i < check->plan->axes && !moved; i++)
            moved = move_axis(check, &check->plan->axis[i], &check->coordinates.position[i]);
    }
    const struct sms_errors found = check->found;
    if (!any_in_plan(check) && find_valid_elsewhere(check, NULL))
        return true;
    check->found = found;
    report(check, NULL, true);
    return false;
}

/* About how many nodes the load of a point reads. */
static double count_nodes(const struct check *check)
{
    const struct sms__plan *plan = check->plan;
    double nodes = 100 + (double)check->coordinates.base->scenario[check->coordinates.scenario]->expanded;
    for (size_t c = 0; c < plan->columns; c++)
        nodes += plan->column[c].spec ? (double)plan->column[c].spec->expanded : 0;
    return nodes;
}

/* Tries the values of one axis. An error outside the plan counts if no value of another axis avoids it. */
static void check_axis(struct check *check, size_t i, bool has_start)
{
    const struct sms__axis *axis = &check->plan->axis[i];
    uint64_t start = check->coordinates.position[i];
    check->axis = axis;
    check->is_exhaustive &= axis->count <= check->tries_per_axis;
    for (uint64_t t = 0; t < count_tries(check, axis) && !is_full(check); t++) {
        check->coordinates.position[i] = tried_position(check, axis, t);
        if (load_point(check))
            continue;
        bool any_origin = has_start && !any_in_plan(check) && !is_valid_elsewhere(check, axis);
        report(check, axis, any_origin);
        skip_wrong(check);
    }
    check->coordinates.position[i] = start;
    check->axis = NULL;
}

static void check_scenario(struct check *check)
{
    struct sms__plan *plan = check->plan;
    const double axes = (double)plan->scenarios * (double)(plan->axes + 1);
    const double tries_per_axis = fmin(TRIES, NODES_MAX / count_nodes(check)) / axes;
    check->tries_per_axis = (uint64_t)fmax(tries_per_axis, 2);
    check->searches_left = tries_per_axis * (double)(plan->axes + 1);
    bool has_start = find_valid_start(check);
    for (size_t i = 0; i < plan->axes && !is_full(check); i++)
        check_axis(check, i, has_start);
}

static void begin_scenario(struct check *check, const bool *wrong)
{
    struct sms__plan *plan = check->plan;
    memset(check->coordinates.position, 0, sizeof check->coordinates.position);
    memset(plan->fixed_wrong, 0, sizeof plan->fixed_wrong);
    for (size_t c = 0; c < plan->columns; c++)
        plan->column[c].wrong = wrong[c];
}

/* Reports workloads that are varied but never run. Unless every value was tried, some point may run them. */
static void check_uses(const struct check *check)
{
    struct sms__reader reader = {.arena = &check->plan->arena, .errors = check->errors};
    bool is_exhaustive = check->is_exhaustive && check->errors->count == 0;
    for (size_t c = 0; c < check->plan->columns && is_exhaustive; c++) {
        const struct sms__column *column = &check->plan->column[c];
        if (sms__workload_path(column->path) && !column->used)
            sms__complain(&reader, column->path, "no scenario of the plan runs this workload");
    }
}

void sms__plan_check(struct sms__plan *plan, struct sms_errors *errors)
{
    struct check *check = SMS__NEW(&plan->arena, struct check, 1);
    bool wrong[SMS__COLUMNS_MAX] = {false};
    struct sms_errors failed = {0};
    *check = (struct check){.plan = plan, .is_exhaustive = true, .last_line = last_line(plan->node), .errors = errors};
    for (size_t c = 0; c < plan->columns; c++)
        wrong[c] = plan->column[c].wrong;
    if (plan->scenarios == 0 || errors->count > SMS_ERRORS_MAX)
        return;
    if (sms__worker_context_open(plan, true, &check->context, &failed)) {
        sms__add_errors(errors, &failed);
        return;
    }
    for (size_t b = 0; b < plan->bases; b++)
        for (size_t s = 0; s < plan->base[b].scenarios && !is_full(check); s++) {
            begin_scenario(check, wrong);
            check->coordinates.base = &plan->base[b];
            check->coordinates.scenario = s;
            check_scenario(check);
        }
    sms__worker_context_close(&check->context);
    check_uses(check);
}
