/* Picks groups of programs, one for each GPU, by GLPK. */
#include "pack.h"

#include "../bound/solver.h"

#include <glpk.h>
#include <math.h>

/* So many vertices of the search are visited at most, because time must not decide what comes out. */
enum { NODES_MOST = 20000 };
struct solving {
    struct sms__arena arena;
    glp_prob *lp;
    const struct sms__pack *pack;
    const struct sms__pack_choice *choice;
    size_t count;
    uint64_t placed, *times;
    double *price;
    int *index; /* of the row at hand, from 1 */
    double *value;
    int terms, nodes;
};

static void add_term(struct solving *s, size_t choice, double value)
{
    s->index[++s->terms] = (int)choice + 1;
    s->value[s->terms] = value;
}

static void add_row(struct solving *s, int kind, double value)
{
    const int row = glp_add_rows(s->lp, 1);
    glp_set_mat_row(s->lp, row, s->terms, s->index, s->value);
    glp_set_row_bnds(s->lp, row, kind, value, value);
    s->terms = 0;
}

static void add_choices(struct solving *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const int column = glp_add_cols(s->lp, 1);
        glp_set_obj_coef(s->lp, column, s->choice[i].value);
        /* the rows say how often, so that prices are theirs alone */
        glp_set_col_bnds(s->lp, column, s->choice[i].usable ? GLP_LO : GLP_FX, 0, 0);
        glp_set_col_kind(s->lp, column, s->times ? GLP_IV : GLP_CV);
    }
}

static void add_limits(struct solving *s)
{
    for (size_t p = 0; p < s->pack->programs->count; p++) {
        for (size_t i = 0; i < s->count; i++)
            if (s->choice[i].copies[p])
                add_term(s, i, (double)s->choice[i].copies[p]);
        add_row(s, GLP_UP, (double)s->pack->programs->program[p].least);
    }
    for (size_t k = 0; k < s->pack->kinds; k++) {
        for (size_t i = 0; i < s->count; i++)
            if (s->choice[i].kind == k)
                add_term(s, i, 1);
        add_row(s, GLP_UP, (double)s->pack->kind[k].gpus);
    }
    for (size_t i = 0; i < s->count; i++)
        add_term(s, i, (double)s->choice[i].size);
    add_row(s, GLP_LO, (double)s->placed);
}

/* A program that is not solved is an error of ours, or one of GLPK's: idle GPUs are always a packing. */
static int relax(struct solving *s)
{
    glp_smcp options;
    glp_init_smcp(&options);
    options.msg_lev = GLP_MSG_OFF;
    if (glp_simplex(s->lp, &options) || glp_get_status(s->lp) != GLP_OPT)
        return SMS_EBUG;
    for (size_t i = 0; i < s->pack->programs->count + s->pack->kinds + 1; i++)
        s->price[i] = glp_get_row_dual(s->lp, (int)i + 1);
    return SMS_OK;
}

static void count_node(glp_tree *tree, void *user)
{
    struct solving *s = user;
    if (glp_ios_reason(tree) == GLP_ISELECT && ++s->nodes > NODES_MOST)
        glp_ios_terminate(tree);
}

static int pick(struct solving *s)
{
    glp_iocp options;
    glp_init_iocp(&options);
    options.msg_lev = GLP_MSG_OFF;
    options.presolve = GLP_ON;
    options.cb_func = count_node;
    options.cb_info = s;
    const int code = glp_intopt(s->lp, &options);
    if (code && code != GLP_ESTOP)
        return SMS_EBUG;
    for (size_t i = 0; i < s->count; i++)
        s->times[i] = (uint64_t)nearbyint(glp_mip_col_val(s->lp, (int)i + 1));
    return SMS_OK;
}

static int solve(void *user)
{
    struct solving *s = user;
    s->lp = glp_create_prob();
    glp_set_obj_dir(s->lp, GLP_MAX);
    s->index = SMS__NEW(&s->arena, int, s->count + 1);
    s->value = SMS__NEW(&s->arena, double, s->count + 1);
    add_choices(s);
    add_limits(s);
    return s->times ? pick(s) : relax(s);
}

int sms__pack_solve(const struct sms__pack *pack, const struct sms__pack_choice *choice, size_t count, uint64_t placed,
                    uint64_t *times, double *price)
{
    struct solving s = {
        .pack = pack, .choice = choice, .count = count, .placed = placed, .times = times, .price = price};
    int code = sms__with_solver(&s.arena, &s.lp, solve, &s);
    sms__arena_release(&s.arena);
    return code;
}
