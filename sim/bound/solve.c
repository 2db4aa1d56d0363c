/* Solves the program by GLPK, and keeps its optimum and what binds. */
#include "program.h"

#include <math.h>
#include <stdio.h>

static void keep_part(struct sms__bound_found *out, const char *name, double share)
{
    if (!name || !(share > 1e-6))
        return;
    struct sms_bound_part *part = &out->part[out->parts++];
    snprintf(part->name, sizeof part->name, "%s", name);
    part->share = share;
}

/* By duality the optimum is the sum over what binds of its width times what a unit of width is worth. */
static void keep_parts(const struct sms__linear_program *p, struct sms__bound_found *out)
{
    int rows = glp_get_num_rows(p->lp), columns = glp_get_num_cols(p->lp);
    out->part = SMS__NEW(p->arena, struct sms_bound_part, (size_t)(rows + columns));
    for (int i = 1; i <= rows; i++)
        keep_part(out, p->row_name[i], glp_get_row_dual(p->lp, i) * glp_get_row_ub(p->lp, i) / out->value);
    for (int i = 1; i <= columns; i++)
        if (glp_get_col_stat(p->lp, i) == GLP_NU)
            keep_part(out, p->column_name[i], glp_get_col_dual(p->lp, i) * glp_get_col_ub(p->lp, i) / out->value);
}

static void keep_blocks(const struct sms__linear_program *p)
{
    double windows = (p->window->to_ps - p->window->from_ps) / SMS__PS_PER_S;
    for (size_t v = 0; v < p->device->vms; v++)
        for (size_t i = 0; i < p->device->vm[v].kernels; i++) {
            const struct sms__bound_kernel *kernel = &p->device->kernel[p->device->vm[v].first + i];
            double jobs = p->vm[v].jobs ? glp_get_col_prim(p->lp, p->vm[v].jobs) * windows : 0;
            p->window->blocks[kernel - p->device->kernel] = jobs * kernel->times * kernel->blocks;
        }
}

/* From the basis of slacks, which is feasible: everything idle. */
static int solve(glp_prob *lp)
{
    glp_smcp options;
    glp_init_smcp(&options);
    options.msg_lev = GLP_MSG_OFF;
    options.tol_bnd = 1e-9;
    options.tol_dj = 1e-9;
    glp_scale_prob(lp, GLP_SF_EQ | GLP_SF_2N);
    glp_std_basis(lp);
    return glp_simplex(lp, &options);
}

int sms__bound_solve(struct sms__arena *arena, const struct sms__bound_device *device,
                     const struct sms__bound_window *window, enum sms_bounded metric, struct glp_prob **problem,
                     struct sms__bound_found *out)
{
    struct sms__linear_program program = {.arena = arena, .device = device, .window = window, .metric = metric};
    *out = (struct sms__bound_found){.value = INFINITY};
    program.lp = *problem = glp_create_prob();
    program.time_ps = window->steady ? SMS__PS_PER_S : window->to_ps - window->from_ps;
    sms__bound_write(&program);
    int code = solve(program.lp), status = glp_get_status(program.lp);
    if (status == GLP_UNBND)
        return SMS_OK;
    if (code || status != GLP_OPT)
        return SMS_EBUG;
    out->value = glp_get_obj_val(program.lp);
    if (window->steady) {
        keep_parts(&program, out);
        keep_blocks(&program);
    }
    return SMS_OK;
}
