/* The programs over groups and over what the kernels demand, which GLPK solves. */
#include "pack.h"

#include "../bound/solver.h"

#include <glpk.h>
#include <math.h>

/* So many vertices of the search are visited at most, because time must not decide what comes out. */
enum { NODES_MOST = 20000 };
/* What the solver's tolerances may hide. */
static const double SLACK = 1e-6;

struct solving {
    struct sms__arena arena;
    glp_prob *lp;
    const struct sms__pack *pack;
    enum sms__goal goal;
    uint64_t placed;
    bool whole;
    uint64_t *times;
    double *price;
    int *index; /* of the row at hand, from 1 */
    double *value;
    int terms, nodes;
    int *copy, *work, *gpu; /* columns of the bound: [kinds * programs] twice, [kinds] */
};

/* ---- rows and columns ---- */

static int add_column(struct solving *s, double most, double worth)
{
    const int column = glp_add_cols(s->lp, 1);
    glp_set_col_bnds(s->lp, column, most > 0 ? GLP_DB : GLP_FX, 0, most);
    glp_set_obj_coef(s->lp, column, worth);
    return column;
}

static void add_term(struct solving *s, int column, double value)
{
    s->index[++s->terms] = column;
    s->value[s->terms] = value;
}

static void add_row(struct solving *s, int kind, double value)
{
    const int row = glp_add_rows(s->lp, 1);
    glp_set_mat_row(s->lp, row, s->terms, s->index, s->value);
    glp_set_row_bnds(s->lp, row, kind, value, value);
    s->terms = 0;
}

static void begin(struct solving *s, size_t columns, int direction)
{
    s->lp = glp_create_prob();
    glp_set_obj_dir(s->lp, direction);
    s->index = SMS__NEW(&s->arena, int, columns + 1);
    s->value = SMS__NEW(&s->arena, double, columns + 1);
}

static int relax(struct solving *s)
{
    glp_smcp options;
    glp_init_smcp(&options);
    options.msg_lev = GLP_MSG_OFF;
    return glp_simplex(s->lp, &options) ? SMS_ENOMEM : SMS_OK;
}

/* ---- groups ---- */

static void count_node(glp_tree *tree, void *user)
{
    struct solving *s = user;
    if (glp_ios_reason(tree) == GLP_ISELECT && ++s->nodes > NODES_MOST)
        glp_ios_terminate(tree);
}

static void add_groups(struct solving *s)
{
    const struct sms__pack *pack = s->pack;
    for (size_t g = 0; g < pack->groups; g++) {
        const struct sms__group *group = pack->group[g];
        const bool usable = group->works && (!s->whole || group->whole);
        add_column(s, 0, sms__pack_value(pack, s->goal, group->size, group->worth));
        if (usable) /* the rows say how often, so that prices are theirs alone */
            glp_set_col_bnds(s->lp, (int)g + 1, GLP_LO, 0, 0);
        glp_set_col_kind(s->lp, (int)g + 1, s->times ? GLP_IV : GLP_CV);
    }
}

static void add_limits(struct solving *s)
{
    const struct sms__pack *pack = s->pack;
    for (size_t p = 0; p < pack->programs->count; p++) {
        for (size_t g = 0; g < pack->groups; g++)
            if (pack->group[g]->copies[p])
                add_term(s, (int)g + 1, (double)pack->group[g]->copies[p]);
        add_row(s, GLP_UP, (double)pack->programs->program[p].least);
    }
    for (size_t k = 0; k < pack->kinds; k++) {
        for (size_t g = 0; g < pack->groups; g++)
            if (pack->group[g]->kind == k)
                add_term(s, (int)g + 1, 1);
        add_row(s, GLP_UP, (double)pack->kind[k].gpus);
    }
    for (size_t g = 0; g < pack->groups; g++)
        add_term(s, (int)g + 1, (double)pack->group[g]->size);
    add_row(s, GLP_LO, (double)s->placed);
}

static int solve_groups(void *user)
{
    struct solving *s = user;
    const size_t rows = s->pack->programs->count + s->pack->kinds + 1;
    begin(s, s->pack->groups, GLP_MAX);
    add_groups(s);
    add_limits(s);
    if (!s->times) {
        const int code = relax(s);
        for (size_t i = 0; i < rows && code == SMS_OK; i++)
            s->price[i] = glp_get_row_dual(s->lp, (int)i + 1);
        return code;
    }
    glp_iocp options;
    glp_init_iocp(&options);
    options.msg_lev = GLP_MSG_OFF;
    options.presolve = GLP_ON;
    options.cb_func = count_node;
    options.cb_info = s;
    const int code = glp_intopt(s->lp, &options);
    if (code && code != GLP_ESTOP)
        return SMS_ENOMEM;
    for (size_t g = 0; g < s->pack->groups; g++)
        s->times[g] = (uint64_t)nearbyint(glp_mip_col_val(s->lp, (int)g + 1));
    return SMS_OK;
}

int sms__pack_solve(const struct sms__pack *pack, enum sms__goal goal, uint64_t placed, bool whole, uint64_t *times,
                    double *price)
{
    struct solving s = {.pack = pack, .goal = goal, .placed = placed, .whole = whole, .times = times, .price = price};
    int code = sms__with_solver(&s.arena, &s.lp, solve_groups, &s);
    sms__arena_release(&s.arena);
    return code;
}

/* ---- the bound ---- */

enum sought { MOST_WORTH, MOST_COPIES, FEWEST };

struct bounding {
    struct solving solving;
    enum sought sought;
    double found;
};

/* Copies that are placed on the kind, those of them that do all they can, and GPUs of the kind. */
static void add_kind(struct bounding *b, size_t k)
{
    struct solving *s = &b->solving;
    const size_t programs = s->pack->programs->count;
    const struct sms__kind *kind = &s->pack->kind[k];
    s->gpu[k] = add_column(s, (double)kind->gpus, b->sought == FEWEST);
    if (b->sought != FEWEST)
        glp_set_col_bnds(s->lp, s->gpu[k], GLP_FX, (double)kind->gpus, (double)kind->gpus);
    for (size_t p = 0; p < programs; p++) {
        const struct sms__group *alone = sms__pack_alone(s->pack, k, p);
        const double most = alone->works ? (double)s->pack->programs->program[p].least : 0;
        s->copy[k * programs + p] = add_column(s, most, b->sought == MOST_COPIES);
        s->work[k * programs + p] = add_column(s, most, b->sought == MOST_WORTH ? alone->worth : 0);
    }
}

static void limit_kind(struct solving *s, size_t k)
{
    const size_t programs = s->pack->programs->count, first = k * programs;
    const struct sms__device *device = s->pack->kind[k].device;
    for (size_t p = 0; p < programs; p++)
        add_term(s, s->copy[first + p], sms__pack_alone(s->pack, k, p)->memory);
    add_term(s, s->gpu[k], -(double)device->memory);
    add_row(s, GLP_UP, 0);
    for (size_t r = 0; r < device->resources; r++) {
        for (size_t p = 0; p < programs; p++)
            add_term(s, s->work[first + p], s->pack->use[(first + p) * SMS_RESOURCES_MAX + r]);
        add_term(s, s->gpu[k], -1);
        add_row(s, GLP_UP, 0);
    }
    for (size_t p = 0; p < programs; p++) { /* jobs that arrive are done, others may wait */
        add_term(s, s->work[first + p], 1);
        add_term(s, s->copy[first + p], -1);
        add_row(s, s->pack->programs->program[p].per_s > 0 ? GLP_FX : GLP_UP, 0);
    }
}

static int bound(void *user)
{
    struct bounding *b = user;
    struct solving *s = &b->solving;
    const struct sms__pack *pack = s->pack;
    const size_t programs = pack->programs->count, all = pack->kinds * programs;
    begin(s, 2 * all + pack->kinds, b->sought == FEWEST ? GLP_MIN : GLP_MAX);
    s->copy = SMS__NEW(&s->arena, int, all);
    s->work = SMS__NEW(&s->arena, int, all);
    s->gpu = SMS__NEW(&s->arena, int, pack->kinds);
    for (size_t k = 0; k < pack->kinds; k++)
        add_kind(b, k);
    for (size_t k = 0; k < pack->kinds; k++)
        limit_kind(s, k);
    for (size_t p = 0; p < programs; p++) {
        for (size_t k = 0; k < pack->kinds; k++)
            add_term(s, s->copy[k * programs + p], 1);
        add_row(s, GLP_UP, (double)pack->programs->program[p].least);
    }
    for (size_t i = 0; i < all; i++)
        add_term(s, s->copy[i], 1);
    add_row(s, GLP_LO, b->sought == FEWEST ? (double)pack->all_placed : 0);
    const int code = relax(s);
    b->found = glp_get_obj_val(s->lp);
    return code;
}

static int seek(const struct sms__pack *pack, enum sought sought, double *found)
{
    struct bounding b = {.solving = {.pack = pack}, .sought = sought};
    int code = sms__with_solver(&b.solving.arena, &b.solving.lp, bound, &b);
    sms__arena_release(&b.solving.arena);
    *found = b.found;
    return code;
}

int sms__pack_bound(struct sms__pack *pack)
{
    double worth = 0, copies = 0, gpus = 0;
    int code = seek(pack, MOST_WORTH, &worth);
    code = code ? code : seek(pack, MOST_COPIES, &copies);
    code = code ? code : seek(pack, FEWEST, &gpus);
    pack->bound = fmax(worth * (1 + SLACK), pack->worth);
    pack->bound_placed = (uint64_t)floor(copies + SLACK);
    pack->least_gpus = (uint64_t)ceil(gpus - SLACK);
    return code;
}
