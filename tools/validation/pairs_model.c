/* Slowdown of a pair by each model: as a formula, which is fast enough to fit, and by simulation. */
#include "pairs.h"

#include <gsl/gsl_multimin.h>
#include <math.h>

enum { GROUPS = 10, STEPS = 400, STARTS = 27 };

static const double least_param = 0.05, most_param = 20;

bool is_fitted(const struct row *row) { return row->pair % 2 == 0; }

/* What the programs present make of each resource: `only` is -1 for both. */
static double slowdown_with(const struct fit *fit, const struct row *row, int only)
{
    double fullest = 0, overhead = 0;
    for (int r = 0; r < RESOURCES; r++) {
        double use = only >= 0 ? row->use[only][r] : row->use[0][r] + row->use[1][r];
        fullest = fmax(fullest, use / fit->param[r]);
        overhead += use * fit->param[r];
    }
    if (fit->model == CURVE)
        return 1 + overhead;
    double slope = fit->model == PROPORTIONAL ? fit->param[2] : 1;
    return fullest > 1 ? 1 + slope * (fullest - 1) : 1;
}

double slowdown_by_formula(const struct fit *fit, const struct row *row, int i)
{
    if (fit->model == NONE)
        return 1;
    if (fit->model == CONSTANT)
        return fit->param[0];
    if (fit->model == TIME_SHARING) /* all SMs for a share of the time */
        return row->whole_ms[i] > 0 ? row->whole_ms[i] / (row->share[i] / 100.0) / row->solo_ms[i] : NAN;
    return slowdown_with(fit, row, -1) / slowdown_with(fit, row, i);
}

static void write_contention(FILE *to, const struct fit *fit)
{
    if (fit->model == PROPORTIONAL)
        fprintf(to, "contention: {model: proportional, slope: %.9f}\n", fit->param[2]);
    if (fit->model == MAXMIN)
        fprintf(to, "contention: maxmin\n");
    if (fit->model == CURVE)
        fprintf(to, "contention: {model: curve, curves: {l2: [[100 %%, %.7f %%]], dram: [[100 %%, %.7f %%]]}}\n",
                100 * fit->param[L2], 100 * fit->param[DRAM]);
}

/* A program is a block on each SM of its share, which asks for an equal part of the program's use. */
static void write_program(FILE *to, const struct fit *fit, const struct row *row, int i)
{
    int blocks = row->share[i] * GROUPS / 100;
    double demand[RESOURCES];
    for (int r = 0; r < RESOURCES; r++)
        demand[r] = 100 * row->use[i][r] * GROUPS / blocks / (fit->model == CURVE ? 1 : fit->param[r]);
    fprintf(to, "workload: w%d\nkernels: [{name: k, blocks: %d, threads: 1024, block_time: 100 us, ", i, blocks);
    fprintf(to, "demand: {l2: %.7f %%, dram: %.7f %%}}]\n---\n", demand[L2], demand[DRAM]);
}

/* Only resources of the whole device are shared, so ten groups of SMs, each as one SM, do for the 80. */
static double block_slowdown(const struct fit *fit, const struct row *row, int i, bool together)
{
    char text[4096];
    FILE *to = fmemopen(text, sizeof text, "w");
    if (!to)
        die("out of memory");
    fprintf(to, "device: ten\nclock: 1530 MHz\nsms: %d\n", GROUPS);
    fprintf(to, "sm: {threads: 1024, warps: 32, blocks: 1, registers: 65536, shared_memory: 96 KiB, "
                "threads_per_block: 1024}\nresources:\n  l2: {class: memory, scope: device}\n"
                "  dram: {class: memory, scope: device}\n---\n");
    for (int p = 0; p < 2; p++)
        write_program(to, fit, row, p);
    fprintf(to, "scenario: s\ndevices: [{model: ten}]\npolicies: [round_robin]\n");
    write_contention(to, fit);
    fprintf(to, "vms:\n");
    for (int p = 0; p < 2; p++)
        if (together || p == i)
            fprintf(to, "  - {name: v%d, workload: w%d, repeat: forever}\n", p, p);
    fprintf(to, "run: {duration: 1 ms}\n");
    fclose(to);
    struct ran ran = run_text(text, 0, NULL);
    double slowdown = metric_of(&ran, 0, SMS_VM, i ? "v1" : "v0", "block_slowdown_ratio");
    ran_release(&ran);
    return slowdown;
}

double slowdown_simulated(const struct fit *fit, const struct row *row, int i)
{
    return block_slowdown(fit, row, i, true) / block_slowdown(fit, row, i, false);
}

struct task {
    enum model model;
    const struct row *row;
    size_t rows;
};

static int params_of(enum model model) { return model == CONSTANT ? 1 : model == PROPORTIONAL ? 3 : 2; }

/* The minimizer moves logarithms, so that parameters stay above 0. */
static struct fit fit_at(enum model model, const gsl_vector *x)
{
    struct fit fit = {.model = model};
    for (int p = 0; p < params_of(model); p++)
        fit.param[p] = fmin(fmax(exp(gsl_vector_get(x, (size_t)p)), least_param), most_param);
    return fit;
}

static double mean_error(const gsl_vector *x, void *user)
{
    const struct task *task = user;
    struct fit fit = fit_at(task->model, x);
    double sum = 0;
    size_t n = 0;
    for (size_t r = 0; r < task->rows; r++) {
        if (!is_fitted(&task->row[r]))
            continue;
        for (int i = 0; i < 2; i++, n++) {
            double measured = task->row[r].together_ms[i] / task->row[r].solo_ms[i];
            sum += off_percent(slowdown_by_formula(&fit, &task->row[r], i), measured);
        }
    }
    return sum / (double)n;
}

/* Nelder and Mead's simplex from one start; the error reached. */
static double descend(gsl_multimin_function *f, gsl_vector *x, const gsl_vector *step)
{
    gsl_multimin_fminimizer *minimizer = gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, f->n);
    gsl_multimin_fminimizer_set(minimizer, f, x, step);
    for (int i = 0; i < STEPS; i++)
        if (gsl_multimin_fminimizer_iterate(minimizer) || gsl_multimin_fminimizer_size(minimizer) < 1e-7)
            break;
    double error = gsl_multimin_fminimizer_minimum(minimizer);
    gsl_vector_memcpy(x, gsl_multimin_fminimizer_x(minimizer));
    gsl_multimin_fminimizer_free(minimizer);
    return error;
}

struct fit fit_model(enum model model, const struct row *row, size_t rows)
{
    struct task task = {model, row, rows};
    struct fit best = {.model = model};
    if (model == NONE || model == TIME_SHARING)
        return best;
    static const double from[3] = {0.2, 0.5, 1.1};
    size_t n = (size_t)params_of(model);
    gsl_multimin_function f = {mean_error, n, &task};
    gsl_vector *x = gsl_vector_alloc(n), *step = gsl_vector_alloc(n);
    double least = INFINITY;
    gsl_vector_set_all(step, 0.3);
    for (int s = 0; s < STARTS; s++) {
        for (size_t p = 0, digit = (size_t)s; p < n; p++, digit /= 3)
            gsl_vector_set(x, p, log(from[digit % 3]));
        double error = descend(&f, x, step);
        if (error < least) {
            least = error;
            best = fit_at(model, x);
        }
    }
    gsl_vector_free(x);
    gsl_vector_free(step);
    return best;
}
