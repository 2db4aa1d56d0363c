/* Parameters of a model from half of the pairs: gsl's simplex of Nelder and Mead, on the mean error in percent. */
#include "pairs.h"

#include <gsl/gsl_multimin.h>
#include <math.h>

enum { STEPS = 400, STARTS = 27 };

static const double least_param = 0.05, most_param = 20;

bool is_in_half(const struct row *row, int half) { return row->pair % 2 == half; }

double slowdown_measured(const struct row *row, int i) { return row->together_ms[i] / row->solo_ms[i]; }

struct task {
    enum model model;
    const struct rows *rows;
    int half;
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
    for (size_t r = 0; r < task->rows->n; r++) {
        const struct row *row = &task->rows->row[r];
        if (!is_in_half(row, task->half))
            continue;
        for (int i = 0; i < 2; i++, n++)
            sum += off_percent(slowdown_by_formula(&fit, row, i), slowdown_measured(row, i));
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

struct fit fit_model(enum model model, const struct rows *rows, int half)
{
    struct task task = {model, rows, half};
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

const char *const model_titles[MODELS] = {"none: as fast as alone",
                                          "constant: one slowdown for all",
                                          "time sharing: all SMs for a share of the time",
                                          "`proportional`",
                                          "`maxmin`",
                                          "`curve`"};

void fit_describe(char *to, size_t room, const struct fit *fit)
{
    const double *p = fit->param;
    to[0] = '\0';
    if (fit->model == CONSTANT)
        snprintf(to, room, "slowdown %.3f", p[0]);
    if (fit->model == PROPORTIONAL)
        snprintf(to, room, "capacity of L2 %.2f, of DRAM %.2f of nominal; slope %.2f", p[L2], p[DRAM], p[2]);
    if (fit->model == MAXMIN)
        snprintf(to, room, "capacity of L2 %.2f, of DRAM %.2f of nominal", p[L2], p[DRAM]);
    if (fit->model == CURVE)
        snprintf(to, room, "overhead %.2f at full L2, %.2f at full DRAM", p[L2], p[DRAM]);
}

void errors_of_half(const struct fit *fit, const struct rows *rows, int half, struct sample *sample)
{
    for (size_t r = 0; r < rows->n; r++)
        for (int i = 0; i < 2; i++) {
            double ours = slowdown_by_formula(fit, &rows->row[r], i);
            if (is_in_half(&rows->row[r], half) && !isnan(ours))
                sample_add(sample, off_percent(ours, slowdown_measured(&rows->row[r], i)));
        }
}
