/* Writes the linear program of docs/bound.md over one device. Counts are those of a
 * window, or per second in steady state; times are divided by it. */
#include "bound_program.h"

#include <math.h>

/* Jobs that wait when the window begins, at most; as in sim/levels/tenant.h. */
#define BACKLOG_MAX 65536.0

/* ---- rows and columns ---- */

static int add_column(struct sms__program *p, double most)
{
    if (!(most > 0))
        return 0;
    int column = glp_add_cols(p->lp, 1);
    glp_set_col_bnds(p->lp, column, isfinite(most) ? GLP_DB : GLP_LO, 0, isfinite(most) ? most : 0);
    return column;
}

static void add_term(struct sms__program *p, int column, double value)
{
    if (column == 0 || value == 0)
        return;
    p->terms++;
    p->index[p->terms] = column;
    p->value[p->terms] = value;
}

/* The terms added since the last row are at most, or at least, `value`. */
static int add_row(struct sms__program *p, int kind, double value, const char *name)
{
    if (p->terms == 0)
        return 0;
    int row = glp_add_rows(p->lp, 1);
    glp_set_mat_row(p->lp, row, p->terms, p->index, p->value);
    glp_set_row_bnds(p->lp, row, kind, value, value);
    p->row_name[row] = name;
    p->terms = 0;
    return row;
}

static const char *of(const struct sms__program *p, const char *what, const struct sms__bound_vm *vm)
{
    return sms__print(p->arena, "%s of %s", what, vm->vm->name);
}

/* ---- random work ---- */

static double max(double a, double b) { return a > b ? a : b; }

/* The line z cv (n / sqrt(N) + sqrt(N)) / 2, a tangent of z cv sqrt(n) at N: a sum
 * of n independent works is below its mean by more at no n at all, but with
 * probability exp(-z^2 / 2). */
static struct sms__allowance allow(double cv, double about)
{
    double n = max(about, SMS__BOUND_Z * cv * SMS__BOUND_Z * cv);
    if (cv <= 0)
        return (struct sms__allowance){0, 0};
    return (struct sms__allowance){SMS__BOUND_Z * cv / (2 * sqrt(n)), SMS__BOUND_Z * cv * sqrt(n) / 2};
}

/* How many blocks to expect of a kernel: any number is right, a near one is tight. */
static double expect_blocks(const struct sms__program *p, size_t k)
{
    const struct sms__bound_kernel *kernel = &p->device->kernel[k];
    double alone = INFINITY, random = 0;
    for (size_t j = 0; j < p->device->rows; j++)
        if (p->device->row[j].use[k] > 0) {
            double most = p->device->row[j].capacity * p->time_ps / (p->device->row[j].use[k] * kernel->work_ps);
            alone = most < alone ? most : alone;
        }
    for (size_t i = 0; i < p->device->kernels; i++)
        random += p->device->kernel[i].cv > 0;
    return max(p->window->blocks[k], alone / max(1, random));
}

static void allow_for_chance(struct sms__program *p)
{
    for (size_t k = 0; k < p->device->kernels && !p->window->steady; k++) {
        const struct sms__bound_kernel *kernel = &p->device->kernel[k];
        double blocks = kernel->cv > 0 ? expect_blocks(p, k) : 0;
        p->of_blocks[k] = allow(kernel->cv, blocks);
        p->of_launches[k] = allow(kernel->cv, blocks / kernel->blocks);
    }
}

/* Work left of a block that stays when the window ends, over the mean that it was
 * charged: uniform work is longer by at most sqrt(3) cv, exponential work is not. */
static double excess(const struct sms__bound_kernel *kernel, struct sms__allowance a)
{
    return kernel->cv > 0 && kernel->bounded ? sqrt(3) * kernel->cv + a.share : 0;
}

/* The engine's clock ends what has less than half a picosecond to go. */
static double tick(const struct sms__program *p, double work_ps)
{
    return p->window->steady ? 1 : max(work_ps - 0.5, work_ps / 2) / work_ps;
}

/* ---- the program ---- */

static void add_kernel_columns(struct sms__program *p, const struct sms__bound_vm *vm, size_t k, double most_jobs)
{
    const struct sms__bound_kernel *kernel = &p->device->kernel[k];
    double ends = p->window->steady ? 0 : vm->streams;
    double begins = p->window->from_ps > vm->vm->start_ps ? ends : 0;
    struct sms__kernel_columns *column = &p->kernel[k]; /* one after another: an initialiser has no order */
    column->more = add_column(p, ends * kernel->times);
    column->done = add_column(p, p->window->steady ? INFINITY : kernel->times * most_jobs);
    column->begun = add_column(p, begins);
    column->carried = add_column(p, begins * kernel->blocks);
    column->open = p->metric == SMS_BOUND_BLOCKS ? add_column(p, ends) : 0;
    column->staying = kernel->cv > 0 && kernel->bounded ? add_column(p, ends * kernel->blocks) : 0;
}

/* Jobs that can have arrived and end in the window, or per second. */
static double most_jobs(const struct sms__program *p, const struct sms__bound_vm *vm)
{
    const struct sms__bound_window *window = p->window;
    double length = (window->to_ps - window->from_ps) / SMS__PS_PER_S;
    if (window->steady)
        return vm->jobs_per_s < vm->most_jobs / length ? vm->jobs_per_s : vm->most_jobs / length;
    if (!isfinite(vm->jobs_per_s))
        return vm->most_jobs;
    double since_start = max(0, window->to_ps - (window->may_end_early ? 0 : vm->vm->start_ps)) / SMS__PS_PER_S;
    double all = vm->jobs_per_s * since_start, late = vm->jobs_per_s * length + BACKLOG_MAX + vm->streams;
    double arrived = (all < late ? all : late) * (1 + 1e-9);
    if (vm->vm->arrivals == SMS__POISSON) /* Bernstein */
        arrived += SMS__BOUND_Z * SMS__BOUND_Z / 6 + SMS__BOUND_Z * sqrt(SMS__BOUND_Z * SMS__BOUND_Z / 36 + arrived);
    return arrived < vm->most_jobs ? arrived : vm->most_jobs;
}

static void add_vm_columns(struct sms__program *p, size_t v)
{
    const struct sms__bound_vm *vm = &p->device->vm[v];
    double ends = p->window->steady ? 0 : vm->streams, most = most_jobs(p, vm);
    double begins = p->window->from_ps > vm->vm->start_ps ? ends : 0;
    p->vm[v].jobs = add_column(p, most);
    p->vm[v].more = p->metric == SMS_BOUND_JOBS ? add_column(p, ends) : 0;
    p->vm[v].begun = vm->other_ps > 0 ? add_column(p, begins) : 0;
    bool arrive = isfinite(vm->jobs_per_s);
    if (p->vm[v].jobs && isfinite(most))
        p->column_name[p->vm[v].jobs] = of(p, arrive ? "arrivals" : "number of jobs", vm);
    for (size_t k = vm->first; k < vm->first + vm->kernels; k++)
        add_kernel_columns(p, vm, k, most);
}

/* A limit of the SMs or a resource, over the window. */
static void add_capacity(struct sms__program *p, const struct sms__bound_row *row)
{
    double capacity = row->capacity;
    for (size_t k = 0; k < p->device->kernels; k++) {
        const struct sms__bound_kernel *kernel = &p->device->kernel[k];
        struct sms__allowance a = p->of_blocks[k];
        double work = row->use[k] * kernel->work_ps / p->time_ps;
        double charge = work * (1 - a.share) * tick(p, kernel->work_ps);
        add_term(p, p->kernel[k].done, charge * kernel->blocks);
        add_term(p, p->kernel[k].carried, -charge);
        add_term(p, p->kernel[k].staying, -work * excess(kernel, a));
        capacity += work * a.fixed;
    }
    add_row(p, GLP_UP, capacity, row->name);
}

/* What is resident at one instant, when the window begins or when it ends. */
static void add_residents(struct sms__program *p, const struct sms__bound_row *row, bool at_end)
{
    for (size_t k = 0; row->limit && k < p->device->kernels; k++)
        add_term(p, at_end ? p->kernel[k].staying : p->kernel[k].carried, row->use[k]);
    add_row(p, GLP_UP, row->capacity, NULL);
}

/* Launches of a kernel that ended: those of whole jobs and `more`. */
static void add_launches(struct sms__program *p, const struct sms__bound_kernel *kernel, int jobs,
                         const struct sms__kernel_columns *c, double sign)
{
    add_term(p, jobs, sign * kernel->times);
    add_term(p, c->more, sign);
}

static void couple_kernel(struct sms__program *p, size_t v, size_t k)
{
    const struct sms__bound_kernel *kernel = &p->device->kernel[k];
    const struct sms__kernel_columns *c = &p->kernel[k];
    double most = most_jobs(p, &p->device->vm[v]);
    int jobs = p->vm[v].jobs;
    add_launches(p, kernel, jobs, c, -1); /* all their blocks ended, here or before */
    add_term(p, c->done, 1);
    add_term(p, c->begun, 1);
    add_row(p, GLP_LO, 0, NULL);
    if (p->metric == SMS_BOUND_BLOCKS) {
        add_launches(p, kernel, jobs, c, -1); /* no other blocks did */
        add_term(p, c->done, 1);
        add_term(p, c->open, -1);
        add_row(p, GLP_UP, 0, NULL);
    }
    if (c->more && isfinite(most)) {
        add_launches(p, kernel, jobs, c, 1);
        add_row(p, GLP_UP, kernel->times * most, NULL);
    }
    if (!c->begun)
        return;
    add_launches(p, kernel, jobs, c, 1); /* those under way at the beginning are among those that end */
    add_term(p, c->begun, -1);
    add_row(p, GLP_LO, 0, NULL);
    add_term(p, c->done, kernel->blocks);
    add_term(p, c->carried, -1);
    add_row(p, GLP_LO, 0, NULL);
    add_term(p, c->begun, kernel->blocks);
    add_term(p, c->carried, -1);
    add_row(p, GLP_LO, 0, NULL);
}

/* Each stream has one step under way at a time. */
static void couple_streams(struct sms__program *p, size_t v)
{
    const struct sms__bound_vm *vm = &p->device->vm[v];
    double most = most_jobs(p, vm);
    for (size_t k = vm->first; k < vm->first + vm->kernels; k++)
        add_term(p, p->kernel[k].begun, 1);
    add_term(p, p->vm[v].begun, 1);
    add_row(p, GLP_UP, vm->streams, NULL);
    for (size_t k = vm->first; k < vm->first + vm->kernels; k++)
        add_term(p, p->kernel[k].open, 1);
    add_row(p, GLP_UP, vm->streams, NULL);
    if (p->vm[v].begun) {
        add_term(p, p->vm[v].jobs, 1);
        add_term(p, p->vm[v].begun, -1);
        add_row(p, GLP_LO, 0, NULL);
    }
    if (p->vm[v].more && isfinite(most)) {
        add_term(p, p->vm[v].jobs, 1);
        add_term(p, p->vm[v].more, 1);
        add_row(p, GLP_UP, most, NULL);
    }
}

/* The time for which a VM is there: its part of the window. */
static double active(const struct sms__program *p, const struct sms__bound_vm *vm)
{
    const struct sms__bound_window *window = p->window;
    bool whole = window->steady || window->may_end_early || vm->vm->start_ps <= window->from_ps;
    return whole ? 1 : max(0, window->to_ps - vm->vm->start_ps) / p->time_ps;
}

/* The time of the streams: what is done in the window from beginning to end takes its least time. */
static void add_stream_time(struct sms__program *p, size_t v)
{
    const struct sms__bound_vm *vm = &p->device->vm[v];
    double capacity = vm->streams * active(p, vm), longest = 0, job = vm->other_ps / p->time_ps;
    add_term(p, p->vm[v].begun, -vm->other_ps / p->time_ps);
    for (size_t k = vm->first; k < vm->first + vm->kernels; k++) {
        const struct sms__bound_kernel *kernel = &p->device->kernel[k];
        struct sms__allowance a = p->of_launches[k];
        double least = kernel->least_ps / p->time_ps;
        double charge = least * (1 - a.share) * tick(p, kernel->work_ps);
        job += kernel->times * charge;
        add_term(p, p->kernel[k].more, charge);
        add_term(p, p->kernel[k].begun, -charge);
        capacity += least * a.fixed;
        longest = max(longest, least * excess(kernel, a));
    }
    add_term(p, p->vm[v].jobs, job);
    add_row(p, GLP_UP, capacity + vm->streams * longest, of(p, "streams", vm));
}

static void add_link(struct sms__program *p, int way)
{
    double bytes_per_ps = p->device->model->link_bandwidth / 1e12, capacity = bytes_per_ps * p->time_ps;
    for (size_t v = 0; capacity > 0 && v < p->device->vms; v++) {
        const struct sms__bound_vm *vm = &p->device->vm[v];
        double hair = p->window->steady ? 0 : 0.5 * bytes_per_ps * vm->hairs[way];
        add_term(p, p->vm[v].jobs, max(0, vm->bytes[way] - hair) / capacity);
        add_term(p, p->vm[v].begun, -max(0, vm->bytes[way] - hair) / capacity);
    }
    add_row(p, GLP_UP, 1, way ? "copies out" : "copies in");
}

static void add_objective(struct sms__program *p, int column, double value)
{
    if (column)
        glp_set_obj_coef(p->lp, column, glp_get_obj_coef(p->lp, column) + value);
}

static void set_objective(struct sms__program *p)
{
    glp_set_obj_dir(p->lp, GLP_MAX);
    for (size_t v = 0; v < p->device->vms; v++) {
        const struct sms__bound_vm *vm = &p->device->vm[v];
        for (size_t k = vm->first; k < vm->first + vm->kernels; k++) {
            if (p->metric == SMS_BOUND_KERNELS) {
                add_objective(p, p->vm[v].jobs, p->device->kernel[k].times);
                add_objective(p, p->kernel[k].more, 1);
            }
            if (p->metric == SMS_BOUND_BLOCKS)
                add_objective(p, p->kernel[k].done, p->device->kernel[k].blocks);
        }
        add_objective(p, p->metric == SMS_BOUND_JOBS ? p->vm[v].jobs : 0, 1);
        add_objective(p, p->vm[v].more, 1);
    }
}

static void make_room(struct sms__program *p)
{
    size_t kernels = p->device->kernels, vms = p->device->vms;
    size_t columns = 6 * kernels + 3 * vms + 1, rows = 3 * p->device->rows + 6 * kernels + 5 * vms + 3;
    p->kernel = SMS__NEW(p->arena, struct sms__kernel_columns, kernels);
    p->vm = SMS__NEW(p->arena, struct sms__vm_columns, vms);
    p->of_blocks = SMS__NEW(p->arena, struct sms__allowance, kernels);
    p->of_launches = SMS__NEW(p->arena, struct sms__allowance, kernels);
    p->row_name = SMS__NEW(p->arena, const char *, rows);
    p->column_name = SMS__NEW(p->arena, const char *, columns);
    p->index = SMS__NEW(p->arena, int, columns);
    p->value = SMS__NEW(p->arena, double, columns);
}

void sms__bound_write(struct sms__program *p)
{
    make_room(p);
    allow_for_chance(p);
    for (size_t v = 0; v < p->device->vms; v++)
        add_vm_columns(p, v);
    for (size_t j = 0; j < p->device->rows; j++) {
        add_capacity(p, &p->device->row[j]);
        add_residents(p, &p->device->row[j], false);
        add_residents(p, &p->device->row[j], true);
    }
    for (size_t v = 0; v < p->device->vms; v++) {
        for (size_t i = 0; i < p->device->vm[v].kernels; i++)
            couple_kernel(p, v, p->device->vm[v].first + i);
        couple_streams(p, v);
        add_stream_time(p, v);
    }
    for (int way = 0; way < 2; way++)
        add_link(p, way);
    set_objective(p);
}
