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

static bool is_known(const struct sms_errors *errors, const struct sms_error *error)
{
    for (size_t i = 0; i < errors->count && i < SMS_ERRORS_MAX; i++)
        if (errors->item[i].line == error->line && errors->item[i].column == error->column &&
            !strcmp(errors->item[i].file, error->file) && !strcmp(errors->item[i].message, error->message))
            return true;
    return false;
}

void sms__add_errors(struct sms_errors *errors, const struct sms_errors *more)
{
    for (size_t i = 0; i < more->count; i++) {
        if (i < SMS_ERRORS_MAX && is_known(errors, &more->item[i]))
            continue;
        if (i < SMS_ERRORS_MAX && errors->count < SMS_ERRORS_MAX)
            errors->item[errors->count] = more->item[i];
        errors->count++;
    }
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
    struct sms_errors told = trial->own;
    drop_ranges(trial, &told);
    sms__add_errors(trial->errors, &told);
    return code == SMS_OK;
}

/* Leaves out what is wrong whatever its value. */
static bool leave_out(struct trial *trial)
{
    struct sms__plan *plan = trial->plan;
    bool left = false;
    for (int i = 0; i < SMS__FIXED; i++)
        if (plan->fixed[i] && !plan->fixed_wrong[i] && any_in(&trial->own, plan->fixed[i]))
            left = plan->fixed_wrong[i] = true;
    for (size_t c = 0; c < plan->columns; c++)
        if (!plan->column[c].wrong && any_in(&trial->own, plan->column[c].path))
            left = plan->column[c].wrong = true;
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

/* Until the axes rest where nothing is wrong, or nothing can be told of it. */
static void settle(struct trial *trial)
{
    for (int moves = 0; moves < MOVES && !is_full(trial) && !load(trial); moves++) {
        bool moved = leave_out(trial);
        for (size_t i = 0; i < trial->plan->axes && !moved; i++)
            moved = move_on(trial, &trial->plan->axis[i], &trial->place.position[i]);
        if (!moved)
            return;
    }
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

/* All of it, or, of many, some from the first to the last. */
static void try_axis(struct trial *trial, size_t i, uint64_t most)
{
    const struct sms__axis *axis = &trial->plan->axis[i];
    trial->whole &= axis->count <= most;
    uint64_t tries = axis->count < most ? axis->count : most, rest = trial->place.position[i];
    for (uint64_t t = 0; t < tries && !is_full(trial); t++) {
        trial->place.position[i] = tries > 1 ? t * (axis->count - 1) / (tries - 1) : 0;
        if (!load(trial))
            leave_out(trial);
    }
    trial->place.position[i] = rest;
}

static void try_scenario(struct trial *trial)
{
    struct sms__plan *plan = trial->plan;
    double axes = (double)plan->scenarios * (double)(plan->axes + 1), most = TRIES / axes;
    most = most < NODES_MAX / cost(trial) / axes ? most : NODES_MAX / cost(trial) / axes;
    settle(trial);
    for (size_t i = 0; i < plan->axes && !is_full(trial); i++)
        try_axis(trial, i, most < 2 ? 2 : (uint64_t)most);
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
    *trial = (struct trial){.plan = plan, .whole = true, .errors = errors};
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
