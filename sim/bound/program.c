/* Writes the linear program of docs/explanation/bound.md over one device. Counts are those of a
 * window, or per second in steady state; times are divided by it. */
#include "program.h"
#include "../model/limits.h"
#include "../record/record.h"

#include <math.h>

/* ---- rows and columns ---- */

static int add_column(struct sms__linear_program *p, double most)
{
    if (!(most > 0))
        return 0;
    int column = glp_add_cols(p->lp, 1);
    glp_set_col_bnds(p->lp, column, isfinite(most) ? GLP_DB : GLP_LO, 0, isfinite(most) ? most : 0);
    return column;
}

static void add_term(struct sms__linear_program *p, int column, double value)
{
    if (column == 0 || value == 0)
        return;
    if (p->place[column] == 0) {
        p->place[column] = ++p->terms;
        p->index[p->terms] = column;
        p->value[p->terms] = 0;
    }
    p->value[p->place[column]] += value;
}

static void clear_terms(struct sms__linear_program *p)
{
    for (; p->terms > 0; p->terms--)
        p->place[p->index[p->terms]] = 0;
}

/* The terms added since the last row are at most, or at least, `value`. */
static int add_row(struct sms__linear_program *p, int kind, double value, const char *name)
{
    if (p->terms == 0)
        return 0;
    int row = glp_add_rows(p->lp, 1);
    glp_set_mat_row(p->lp, row, p->terms, p->index, p->value);
    glp_set_row_bnds(p->lp, row, kind, value, value);
    p->row_name[row] = name;
    clear_terms(p);
    return row;
}

static const char *of(const struct sms__linear_program *p, const char *what, const struct sms__bound_vm *vm)
{
    if (vm->alike > 1)
        return sms__print(p->arena, "%s of %.60s and %.0f alike", what, vm->vm->name, vm->alike - 1);
    return sms__print(p->arena, "%s of %s", what, vm->vm->name);
}

/* ---- random work ---- */

/* The line z cv (n / sqrt(N) + sqrt(N)) / 2, a tangent of z cv sqrt(n) at N: a sum
 * of n independent works is below its mean by more at no n at all, but with
 * probability exp(-z^2 / 2). */
static struct sms__allowance allow(double cv, double about)
{
    double n = fmax(about, SMS__BOUND_Z * cv * SMS__BOUND_Z * cv);
    if (cv <= 0)
        return (struct sms__allowance){0, 0};
    return (struct sms__allowance){SMS__BOUND_Z * cv / (2 * sqrt(n)), SMS__BOUND_Z * cv * sqrt(n) / 2};
}

/* How many blocks to expect of a kernel, beside so many of random work: any number is right, a near one is tight. */
static double expect_blocks(const struct sms__linear_program *p, size_t k, double random)
{
    const struct sms__bound_kernel *kernel = &p->device->kernel[k];
    double alone = INFINITY;
    for (size_t j = 0; j < p->device->rows; j++)
        if (p->device->row[j].use[k] > 0) {
            double most = p->device->row[j].capacity * p->time_ps / (p->device->row[j].use[k] * kernel->work_ps);
            alone = most < alone ? most : alone;
        }
    return fmax(p->window->blocks[k], alone / fmax(1, random));
}

static void allow_for_chance(struct sms__linear_program *p)
{
    double random = 0;
    for (size_t v = 0; v < p->device->vms; v++)
        for (size_t k = p->device->vm[v].first; k < p->device->vm[v].first + p->device->vm[v].kernels; k++)
            random += p->device->kernel[k].cv > 0 ? p->device->vm[v].alike : 0;
    for (size_t k = 0; k < p->device->kernels && !p->window->steady; k++) {
        const struct sms__bound_kernel *kernel = &p->device->kernel[k];
        double blocks = kernel->cv > 0 ? expect_blocks(p, k, random) : 0;
        p->of_blocks[k] = allow(kernel->cv, blocks);
        p->of_launches[k] = allow(kernel->cv, blocks / kernel->blocks);
    }
}

/* Returns by how much a block that is resident when the window ends may count beyond its work there, in blocks. The
 * allowance for exponential blocks is of those that ended, so one that did not may count in full. The allowance for
 * uniform blocks is of those that began, and one that did not end may have sqrt(3) cv more work than the mean. */
static double excess(const struct sms__bound_kernel *kernel, struct sms__allowance a)
{
    return kernel->bounded ? sqrt(3) * kernel->cv + a.share : 1;
}

/* The engine's clock ends what has less than half a picosecond to go. */
static double tick(const struct sms__linear_program *p, double work_ps)
{
    return p->window->steady ? 1 : fmax(work_ps - 0.5, work_ps / 2) / work_ps;
}

/* ---- the program ---- */

static bool begins_before(const struct sms__linear_program *p, const struct sms__bound_vm *vm)
{
    return !p->window->steady && (vm->vm->draws_phase || p->window->from_ps + p->window->slack_ps > vm->vm->start_ps);
}

/* Jobs that can have a part in the window, or per second. */
static double most_jobs(const struct sms__linear_program *p, const struct sms__bound_vm *vm)
{
    const struct sms__bound_window *window = p->window;
    double length = (window->to_ps - window->from_ps) / SMS__PS_PER_S;
    if (window->steady)
        return fmin(vm->jobs_per_s, vm->most_jobs / length);
    if (!isfinite(vm->jobs_per_s) || window->may_end_early)
        return vm->most_jobs;
    return fmin(vm->most_jobs, fmin(vm->arrived[0], vm->arrived[1] + SMS__BACKLOG_MAX + vm->streams));
}

static void add_kernel_columns(struct sms__linear_program *p, const struct sms__bound_vm *vm, size_t k)
{
    const struct sms__bound_kernel *kernel = &p->device->kernel[k];
    struct sms__kernel_columns *column = &p->kernel[k]; /* assigned one by one, to keep the order of columns */
    if (p->window->steady)
        return;
    column->more = add_column(p, vm->streams * kernel->times);
    column->parts = kernel->part_ps < kernel->least_ps ? add_column(p, INFINITY) : 0;
    column->staying = kernel->cv > 0 ? add_column(p, vm->streams * kernel->blocks) : 0;
}

static void add_vm_columns(struct sms__linear_program *p, size_t v)
{
    const struct sms__bound_vm *vm = &p->device->vm[v];
    double most = most_jobs(p, vm);
    p->vm[v].jobs = add_column(p, most);
    p->vm[v].others = p->window->steady ? 0 : add_column(p, vm->streams * vm->others);
    if (p->vm[v].jobs && isfinite(most))
        p->column_name[p->vm[v].jobs] = of(p, isfinite(vm->jobs_per_s) ? "arrivals" : "number of jobs", vm);
    for (size_t k = vm->first; k < vm->first + vm->kernels; k++)
        add_kernel_columns(p, vm, k);
}

/* Launches of a kernel, each counted by its part in the window. */
static void add_launches(struct sms__linear_program *p, size_t v, size_t k, double each)
{
    add_term(p, p->vm[v].jobs, each * p->device->kernel[k].times);
    add_term(p, p->kernel[k].more, each);
}

/* Adds the use of a limit of the SMs or a resource by one kernel. Returns how much chance may add to the row's
 * capacity. Blocks that were resident when the window began are allowed for as whole ones. */
static double add_use(struct sms__linear_program *p, size_t v, size_t k, double use)
{
    const struct sms__bound_kernel *kernel = &p->device->kernel[k];
    const struct sms__bound_vm *vm = &p->device->vm[v];
    struct sms__allowance a = p->of_blocks[k];
    double work = use * kernel->work_ps / p->time_ps;
    double resident = fmin(vm->streams * kernel->blocks, (double)p->device->model->sms * (double)kernel->fit->per_sm);
    double charge = work * (1 - a.share) * tick(p, kernel->work_ps);
    add_launches(p, v, k, charge * kernel->blocks);
    add_term(p, p->kernel[k].staying, -fmin(charge, work * excess(kernel, a)));
    return work * (a.fixed + (begins_before(p, vm) ? a.share * resident : 0));
}

/* A limit of the SMs or a resource, over the window. */
static void add_capacity(struct sms__linear_program *p, const struct sms__bound_row *row)
{
    double capacity = row->capacity;
    for (size_t v = 0; v < p->device->vms; v++)
        for (size_t k = p->device->vm[v].first; k < p->device->vm[v].first + p->device->vm[v].kernels; k++)
            capacity += add_use(p, v, k, p->device->vm[v].alike * row->use[k]);
    add_row(p, GLP_UP, capacity, row->name);
}

/* The blocks that are resident when the window ends fit on the SMs. */
static void add_residents(struct sms__linear_program *p, const struct sms__bound_row *row)
{
    for (size_t v = 0; row->limit && v < p->device->vms; v++)
        for (size_t k = p->device->vm[v].first; k < p->device->vm[v].first + p->device->vm[v].kernels; k++)
            add_term(p, p->kernel[k].staying, p->device->vm[v].alike * row->use[k]);
    add_row(p, GLP_UP, row->capacity, NULL);
}

/* The window cuts a launch of each stream at each of its ends. */
static void couple_parts(struct sms__linear_program *p, size_t v)
{
    const struct sms__bound_vm *vm = &p->device->vm[v];
    for (size_t k = vm->first; k < vm->first + vm->kernels; k++)
        if (p->kernel[k].parts) {
            add_launches(p, v, k, 1);
            add_term(p, p->kernel[k].parts, -1);
            add_row(p, GLP_LO, 0, NULL);
        }
    for (size_t k = vm->first; k < vm->first + vm->kernels; k++)
        add_term(p, p->kernel[k].parts, 1);
    add_row(p, GLP_UP, vm->streams * (begins_before(p, vm) ? 2 : 1), NULL);
}

/* Adds the jobs of a VM, `each` for one, as jobs_per_s counts them: by their operations. */
static void add_jobs(struct sms__linear_program *p, size_t v, double each)
{
    const struct sms__bound_vm *vm = &p->device->vm[v];
    add_term(p, p->vm[v].jobs, each);
    add_term(p, p->vm[v].others, each / vm->operations);
    for (size_t k = vm->first; k < vm->first + vm->kernels; k++)
        add_term(p, p->kernel[k].more, each / vm->operations);
}

/* Only jobs that arrived count. */
static void couple_jobs(struct sms__linear_program *p, size_t v)
{
    const struct sms__bound_vm *vm = &p->device->vm[v];
    double most = most_jobs(p, vm);
    if (p->window->steady || !isfinite(most))
        return;
    for (size_t k = vm->first; k < vm->first + vm->kernels; k++) {
        add_launches(p, v, k, 1);
        add_row(p, GLP_UP, p->device->kernel[k].times * most, NULL);
    }
    add_jobs(p, v, 1);
    add_row(p, GLP_UP, most, NULL);
}

/* The time for which a VM is there: its part of the window, which is largest if that begins and ends late. */
static double active(const struct sms__linear_program *p, const struct sms__bound_vm *vm)
{
    const struct sms__bound_window *window = p->window;
    const double from_ps = window->from_ps + window->slack_ps, to_ps = window->to_ps + 2 * window->slack_ps;
    bool whole = window->steady || window->may_end_early || vm->vm->start_ps <= from_ps;
    return whole ? 1 : fmax(0, to_ps - vm->vm->start_ps) / (to_ps - from_ps);
}

/* The time of the streams: launches that begin and end in the window take their least time. */
static void add_stream_time(struct sms__linear_program *p, size_t v)
{
    const struct sms__bound_vm *vm = &p->device->vm[v];
    double capacity = vm->streams * active(p, vm), longest = 0;
    add_term(p, p->vm[v].jobs, vm->other_ps / p->time_ps);
    for (size_t k = vm->first; k < vm->first + vm->kernels; k++) {
        const struct sms__bound_kernel *kernel = &p->device->kernel[k];
        struct sms__allowance a = p->of_launches[k];
        double least = kernel->least_ps / p->time_ps, ticks = tick(p, kernel->work_ps);
        double charge = least * (1 - a.share) * ticks;
        add_launches(p, v, k, charge);
        add_term(p, p->kernel[k].parts, -fmax(0, charge - kernel->part_ps / p->time_ps * ticks));
        capacity += least * a.fixed;
        longest = fmax(longest, kernel->cv > 0 && kernel->bounded ? least * excess(kernel, a) : 0);
    }
    add_row(p, GLP_UP, capacity + vm->streams * longest, of(p, "streams", vm));
}

static void add_link(struct sms__linear_program *p, int way)
{
    double bytes_per_ps = p->device->model->link_bandwidth / 1e12, capacity = bytes_per_ps * p->time_ps;
    for (size_t v = 0; capacity > 0 && v < p->device->vms; v++) {
        const struct sms__bound_vm *vm = &p->device->vm[v];
        double hair = p->window->steady ? 0 : 0.5 * bytes_per_ps * vm->hairs[way];
        add_term(p, p->vm[v].jobs, vm->alike * fmax(0, vm->bytes[way] - hair) / capacity);
    }
    add_row(p, GLP_UP, 1, way ? "copies out" : "copies in");
}

/* What a launch adds to the metric. Jobs are counted otherwise. */
static double launch_value(const struct sms__linear_program *p, const struct sms__bound_vm *vm, size_t k)
{
    double blocks = p->device->kernel[k].blocks;
    if (p->metric == SMS_BOUND_STP)
        return blocks * vm->worth;
    return p->metric == SMS_BOUND_BLOCKS ? blocks : 1;
}

/* Returns how much the rounding to parts (record.h) may add to a count: less than three parts for each block or step
 * under way. */
static double rounding(const struct sms__linear_program *p)
{
    double parts = 0;
    for (size_t v = 0; v < p->device->vms && !p->window->steady; v++) {
        const struct sms__bound_vm *vm = &p->device->vm[v];
        double things = p->metric == SMS_BOUND_STP ? 0 : 1;
        for (size_t k = vm->first; k < vm->first + vm->kernels; k++)
            things = fmax(things, launch_value(p, vm, k));
        parts += 3 * vm->alike * vm->streams * things;
    }
    return parts / (double)SMS__PARTS;
}

/* The objective is the sum of the terms added, and `rounding`. */
static void set_objective(struct sms__linear_program *p)
{
    for (size_t v = 0; v < p->device->vms; v++) {
        const struct sms__bound_vm *vm = &p->device->vm[v];
        for (size_t k = vm->first; k < vm->first + vm->kernels && p->metric != SMS_BOUND_JOBS; k++)
            add_launches(p, v, k, vm->alike * launch_value(p, vm, k));
        if (p->metric == SMS_BOUND_JOBS)
            add_jobs(p, v, vm->alike);
    }
    glp_set_obj_dir(p->lp, GLP_MAX);
    glp_set_obj_coef(p->lp, 0, rounding(p));
    for (int i = 1; i <= p->terms; i++)
        glp_set_obj_coef(p->lp, p->index[i], p->value[i]);
    clear_terms(p);
}

static void make_room(struct sms__linear_program *p)
{
    size_t kernels = p->device->kernels, vms = p->device->vms;
    size_t columns = 3 * kernels + 2 * vms + 1, rows = 2 * p->device->rows + 2 * kernels + 3 * vms + 3;
    p->kernel = SMS__NEW(p->arena, struct sms__kernel_columns, kernels);
    p->vm = SMS__NEW(p->arena, struct sms__vm_columns, vms);
    p->of_blocks = SMS__NEW(p->arena, struct sms__allowance, kernels);
    p->of_launches = SMS__NEW(p->arena, struct sms__allowance, kernels);
    p->row_name = SMS__NEW(p->arena, const char *, rows);
    p->column_name = SMS__NEW(p->arena, const char *, columns);
    p->index = SMS__NEW(p->arena, int, columns);
    p->place = SMS__NEW(p->arena, int, columns);
    p->value = SMS__NEW(p->arena, double, columns);
}

void sms__bound_write(struct sms__linear_program *p)
{
    make_room(p);
    allow_for_chance(p);
    for (size_t v = 0; v < p->device->vms; v++)
        add_vm_columns(p, v);
    for (size_t j = 0; j < p->device->rows; j++) {
        add_capacity(p, &p->device->row[j]);
        add_residents(p, &p->device->row[j]);
    }
    for (size_t v = 0; v < p->device->vms; v++) {
        couple_parts(p, v);
        couple_jobs(p, v);
        add_stream_time(p, v);
    }
    for (int way = 0; way < 2; way++)
        add_link(p, way);
    set_objective(p);
}
