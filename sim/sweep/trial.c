/* What is wrong with a plan that can only be seen by reading its points. */
#include "sweep.h"

#include <string.h>

enum { TRIES = 2000, MOVES = 64 };

/* About how many nodes are read by all trials, some seconds: large scenarios are tried less often. */
#define NODES_MAX 2e7

struct trial {
    struct sms__plan *plan;
    struct sms__reach reach;
    struct sms__place place; /* where the axes rest */
    bool whole;              /* every value was tried */
    unsigned last_line;      /* of the plan's document */
    uint64_t most;           /* values of an axis that are tried */
    double searches;         /* that are left, for values with which others are right */
    struct sms_errors *errors, own;
};

static bool is_at(const struct sms_error *error, const struct sms__node *node)
{
    return error->line == node->mark.line && error->column == node->mark.column &&
           !strncmp(error->file, node->mark.file, sizeof error->file - 1);
}

/* Whether it stands in a node or below. */
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

static bool is_full(const struct trial *trial) { return trial->errors->count > SMS_ERRORS_MAX; }

/* Values of a range have one place, and one of them is enough to tell of. */
static void drop_ranges(const struct trial *trial, struct sms_errors *own)
{
    size_t kept = 0, count = own->count < SMS_ERRORS_MAX ? own->count : SMS_ERRORS_MAX;
    for (size_t i = 0; i < count; i++) {
        bool told = false;
        for (size_t c = 0; c < trial->plan->columns; c++) {
            const struct sms__column *column = &trial->plan->column[c];
            told |= !column->values && column->spec && is_at(&own->item[i], column->spec) &&
                    any_in(trial->errors, &(struct sms__node){.kind = SMS__SCALAR, .mark = column->spec->mark});
        }
        if (!told)
            own->item[kept++] = own->item[i];
    }
    own->count -= count - kept;
}

static void note_use(struct trial *trial, const struct sms__workload *workload)
{
    struct sms__plan *plan = trial->plan;
    for (size_t c = 0; c < plan->columns; c++) {
        const char *rest = sms__path_of_workload(plan->column[c].path);
        plan->column[c].used |= rest && sms__path_behind(rest, workload->name);
    }
}

static void note_uses(struct trial *trial, const struct sms_scenario *scenario)
{
    for (size_t v = 0; v < scenario->vms; v++) {
        const struct sms__process *process = scenario->vm[v].process;
        for (size_t i = 0; process && i < process->choices; i++)
            note_use(trial, process->choice[i].workload);
        if (scenario->vm[v].workload)
            note_use(trial, scenario->vm[v].workload);
    }
}

static bool load(struct trial *trial)
{
    struct sms_file *file;
    int code = sms__place_load(&trial->reach, &trial->place, &file, NULL, &trial->own);
    if (file)
        note_uses(trial, sms_file_scenario(file, 0));
    sms_file_free(file);
    return code == SMS_OK;
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

static bool is_of_plan(const struct trial *trial, const struct sms_error *error)
{
    const struct sms__mark *mark = &trial->plan->node->mark;
    return error->line >= mark->line && error->line <= trial->last_line &&
           !strncmp(error->file, mark->file, sizeof error->file - 1);
}

static bool any_of_plan(const struct trial *trial)
{
    for (size_t i = 0; i < trial->own.count && i < SMS_ERRORS_MAX; i++)
        if (is_of_plan(trial, &trial->own.item[i]))
            return true;
    return false;
}

/* Of what stands in the plan; with `all` of the rest too, as of the values of the axis, or of all axes. */
static void tell(struct trial *trial, const struct sms__axis *axis, bool all)
{
    const struct sms__blame blame = {trial->plan, &trial->place, axis};
    struct sms_errors told = {0};
    for (size_t i = 0; i < trial->own.count && i < SMS_ERRORS_MAX; i++) {
        const struct sms_error *error = &trial->own.item[i];
        bool of_plan = is_of_plan(trial, error);
        if (!of_plan && !all)
            continue;
        told.item[told.count++] = *error;
        if (!of_plan)
            sms__blame_values(&blame, &told.item[told.count - 1]);
    }
    if (told.count == SMS_ERRORS_MAX)
        told.count = trial->own.count;
    drop_ranges(trial, &told);
    sms__add_errors(trial->errors, &told);
}

/* Leaves out what is wrong whatever its value. */
static bool leave_out(struct trial *trial)
{
    struct sms__plan *plan = trial->plan;
    bool left = false;
    for (int i = 0; i < SMS__FIXED; i++)
        if (plan->fixed[i] && !plan->fixed_wrong[i] && any_in(&trial->own, plan->fixed[i]))
            left = plan->fixed_wrong[i] = true;
    for (size_t c = 0; c < plan->columns; c++) {
        struct sms__column *column = &plan->column[c];
        if ((column->wrong && !column->valueless) || !any_in(&trial->own, column->path))
            continue;
        left = column->wrong = true;
        column->valueless = false;
    }
    return left;
}

/* Of an axis whose value is wrong the next one, behind the last none. */
static bool move_on(struct trial *trial, const struct sms__axis *axis, uint64_t *position)
{
    struct sms__plan *plan = trial->plan;
    for (size_t c = 0; c < axis->columns; c++) {
        struct sms__column *column = &plan->column[axis->first + c];
        if (column->wrong)
            continue;
        const struct sms__node *value = sms__column_value(&plan->arena, plan, axis, *position, c);
        if (!any_in(&trial->own, value))
            continue;
        column->wrong = *position + 1 == axis->count;
        *position += !column->wrong;
        return true;
    }
    return false;
}

/* The t-th that is tried: all of it, or, of many, some from the first to the last. */
static uint64_t tries_of(const struct trial *trial, const struct sms__axis *axis)
{
    return axis->count < trial->most ? axis->count : trial->most;
}

static uint64_t try_at(const struct trial *trial, const struct sms__axis *axis, uint64_t t)
{
    uint64_t tries = tries_of(trial, axis);
    return tries > 1 ? t * (axis->count - 1) / (tries - 1) : 0;
}

/* Whether nothing is wrong with another value of another axis, which then stays. Where that would take too long it is
 * left to the points. */
static bool move_another(struct trial *trial, const struct sms__axis *but)
{
    struct sms__plan *plan = trial->plan;
    for (size_t i = 0; i < plan->axes; i++) {
        const uint64_t rest = trial->place.position[i];
        for (uint64_t t = 0; t < tries_of(trial, &plan->axis[i]) && &plan->axis[i] != but; t++) {
            trial->place.position[i] = try_at(trial, &plan->axis[i], t);
            if (trial->searches-- <= 0 || load(trial))
                return true;
        }
        trial->place.position[i] = rest;
    }
    return false;
}

static bool is_right_elsewhere(struct trial *trial, const struct sms__axis *axis)
{
    const struct sms__place place = trial->place;
    const struct sms_errors own = trial->own;
    bool right = move_another(trial, axis);
    trial->place = place;
    trial->own = own;
    return right;
}

/* Until the axes rest where nothing is wrong. False: that cannot be, for what is wrong is no value's alone. */
static bool settle(struct trial *trial)
{
    bool moved = true;
    for (int moves = 0; moves < MOVES && !is_full(trial) && moved; moves++) {
        if (load(trial))
            return true;
        tell(trial, NULL, false);
        moved = leave_out(trial);
        for (size_t i = 0; i < trial->plan->axes && !moved; i++)
            moved = move_on(trial, &trial->plan->axis[i], &trial->place.position[i]);
    }
    const struct sms_errors own = trial->own;
    if (!any_of_plan(trial) && move_another(trial, NULL))
        return true;
    trial->own = own;
    tell(trial, NULL, true);
    return false;
}

/* The nodes of a point. */
static double cost(const struct trial *trial)
{
    const struct sms__plan *plan = trial->plan;
    double nodes = 100 + (double)trial->place.base->scenario[trial->place.scenario]->expanded;
    for (size_t c = 0; c < plan->columns; c++)
        nodes += plan->column[c].spec ? (double)plan->column[c].spec->expanded : 0;
    return nodes;
}

/* What its values are wrong for with others of the other axes as well. */
static void try_axis(struct trial *trial, size_t i, bool settled)
{
    const struct sms__axis *axis = &trial->plan->axis[i];
    uint64_t rest = trial->place.position[i];
    trial->whole &= axis->count <= trial->most;
    for (uint64_t t = 0; t < tries_of(trial, axis) && !is_full(trial); t++) {
        trial->place.position[i] = try_at(trial, axis, t);
        if (load(trial))
            continue;
        bool all = settled && !any_of_plan(trial) && !is_right_elsewhere(trial, axis);
        tell(trial, axis, all);
        leave_out(trial);
    }
    trial->place.position[i] = rest;
}

static void try_scenario(struct trial *trial)
{
    struct sms__plan *plan = trial->plan;
    double axes = (double)plan->scenarios * (double)(plan->axes + 1), most = TRIES / axes;
    most = most < NODES_MAX / cost(trial) / axes ? most : NODES_MAX / cost(trial) / axes;
    trial->most = most < 2 ? 2 : (uint64_t)most;
    trial->searches = most * (double)(plan->axes + 1);
    bool settled = settle(trial);
    for (size_t i = 0; i < plan->axes && !is_full(trial); i++)
        try_axis(trial, i, settled);
}

static void begin(struct trial *trial, const bool *wrong)
{
    struct sms__plan *plan = trial->plan;
    memset(trial->place.position, 0, sizeof trial->place.position);
    memset(plan->fixed_wrong, 0, sizeof plan->fixed_wrong);
    for (size_t c = 0; c < plan->columns; c++)
        plan->column[c].wrong = wrong[c];
}

/* A workload that is varied and that nobody runs is a mistake; where not all has been tried somebody may. */
static void check_uses(const struct trial *trial)
{
    struct sms__reader reader = {.arena = &trial->plan->arena, .errors = trial->errors};
    bool whole = trial->whole && trial->errors->count == 0;
    for (size_t c = 0; c < trial->plan->columns && whole; c++) {
        const struct sms__column *column = &trial->plan->column[c];
        if (sms__path_of_workload(column->path) && !column->used)
            sms__complain(&reader, column->path, "no scenario of the plan runs this workload");
    }
}

void sms__plan_try(struct sms__plan *plan, struct sms_errors *errors)
{
    struct trial *trial = SMS__NEW(&plan->arena, struct trial, 1);
    bool wrong[SMS__COLUMNS_MAX] = {false};
    struct sms_errors failed = {0};
    *trial = (struct trial){.plan = plan, .whole = true, .last_line = last_line(plan->node), .errors = errors};
    for (size_t c = 0; c < plan->columns; c++)
        wrong[c] = plan->column[c].wrong;
    if (plan->scenarios == 0 || errors->count > SMS_ERRORS_MAX)
        return;
    if (sms__reach_open(plan, &trial->reach, &failed)) {
        sms__add_errors(errors, &failed);
        return;
    }
    for (size_t b = 0; b < plan->bases; b++)
        for (size_t s = 0; s < plan->base[b].scenarios && !is_full(trial); s++) {
            begin(trial, wrong);
            trial->place.base = &plan->base[b];
            trial->place.scenario = s;
            try_scenario(trial);
        }
    sms__reach_close(&trial->reach);
    check_uses(trial);
}
