/* Launch, block, knee of DRAM and clock, from kernels of which the user says what they do.
 *
 * Blocks of an empty kernel end at once, so its time is that of a launch and, once they are more than the SMs hold,
 * that of the start of each block: a + b n. A kernel whose n blocks each read as much takes t (1 + (n / m)^p)^(1/p),
 * which is the contention model `knee` where m blocks would fill DRAM if none was slowed. Every second grid is held
 * back, and those that remain are fitted with equal weight, as ratios. */
#include "calibration.h"

#include "../base/sort.h"
#include "../import/text.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <string.h>

/* Of times, as logarithms: those that all but agree show no knee, and leave nothing to tell one from another. */
static const double RISE_LEAST = 0.01;
enum { LINE_LEAST = 3, KNEE_LEAST = 4, STEPS_MOST = 200, CLOCKS_LEAST = 2 };

static int by_blocks(const void *left, const void *right)
{
    const struct sms__grid *a = left, *b = right;
    return a->blocks < b->blocks ? -1 : a->blocks > b->blocks;
}

static void add_launch(struct sms__arena *arena, const struct sms__profile_launch *launch, struct sms__grids *grids)
{
    const uint64_t blocks = (uint64_t)sms__derive_volume(launch->shape->grid);
    const uint64_t threads = (uint64_t)sms__derive_volume(launch->shape->block);
    size_t i = 0;
    while (i < grids->count && (grids->grid[i].blocks != blocks || grids->grid[i].threads != threads))
        i++;
    if (i == grids->count)
        *SMS__APPEND(arena, grids->grid, grids->count) = (struct sms__grid){.blocks = blocks, .threads = threads};
    sms__estimate_add(&grids->grid[i].seconds, launch->duration_s);
}

static void collect(struct sms__calibration *calibration, enum sms__probe probe, struct sms__grids *grids)
{
    const char *kernel = calibration->settings->probe[probe];
    size_t found = 0;
    for (size_t r = 0; r < calibration->runs; r++)
        for (size_t l = 0; l < calibration->run[r].profile.launches; l++) {
            const struct sms__profile_launch *launch = &calibration->run[r].profile.launch[l];
            if (!sms__is_probe(launch, kernel))
                continue;
            found++;
            if (!sms__derive_reject(launch, launch->duration_s))
                add_launch(calibration->arena, launch, grids);
        }
    grids->kernel = kernel;
    grids->name = kernel ? sms__import_name(calibration->arena, kernel) : NULL;
    if (kernel && !found)
        sms__fail(calibration->errors, SMS_EINPUT, NULL, "no run has a kernel '%.60s'", kernel);
    for (size_t i = 1; i < grids->count; i++)
        if (grids->grid[i].threads != grids->grid[0].threads)
            sms__fail(calibration->errors, SMS_EINPUT, NULL,
                      "kernel '%.60s' has blocks of %llu and of %llu threads: a probe differs by its grid only", kernel,
                      (unsigned long long)grids->grid[0].threads, (unsigned long long)grids->grid[i].threads);
    sms__sort(calibration->arena, grids->grid, grids->count, sizeof *grids->grid, by_blocks);
}

static void set(struct sms__calibration *calibration, enum sms__sheet_value value, double number, double half,
                const char *from)
{
    calibration->fitted[value] = (struct sms__fitted_value){number, half, from};
}

/* ---- the empty kernel: a line ---- */

static void fit_line(struct sms__calibration *calibration)
{
    const struct sms__grids *empty = &calibration->empty;
    const struct sms__device *device = calibration->device;
    double *n = SMS__NEW(calibration->arena, double, 3 * empty->count + 1), *ps = n + empty->count,
           *weight = ps + empty->count, launch, block, of[3], off;
    size_t count = 0;
    for (size_t i = 0; i < empty->count; i += 2)
        if (empty->grid[i].blocks >= device->sms * device->sm.blocks) {
            n[count] = (double)empty->grid[i].blocks;
            ps[count] = empty->grid[i].seconds.mean * 1e12;
            weight[count] = 1 / (ps[count] * ps[count]);
            count++;
        }
    if (count < LINE_LEAST)
        return;
    gsl_fit_wlinear(n, 1, weight, 1, ps, 1, count, &launch, &block, &of[0], &of[1], &of[2], &off);
    const double factor = sms__student95(count - 1) * sqrt(off / (double)(count - 2)), half = factor * sqrt(of[2]);
    if (block + half < 0) { /* by more than chance */
        calibration->fitted[SMS__SHEET_LAUNCH].from = calibration->fitted[SMS__SHEET_BLOCK].from =
            sms__print(calibration->arena, "the times of %s fall as its grid grows, so they show no cost of dispatch",
                       empty->kernel);
        return;
    }
    const char *from = sms__print(calibration->arena, "%s at %zu grids", empty->kernel, count);
    set(calibration, SMS__SHEET_LAUNCH, fmax(launch, 0), factor * sqrt(of[0]), from);
    set(calibration, SMS__SHEET_BLOCK, fmax(block, 0), half, from);
}

/* ---- the kernel that reads: a knee ---- */

/* Logarithms, so that all stays positive: of the blocks and of the time. */
struct curve {
    double *blocks, *seconds;
    size_t count;
};

static double knee_log(double blocks, const gsl_vector *x)
{
    const double p = exp(gsl_vector_get(x, 2)), load = exp(p * (blocks - gsl_vector_get(x, 1)));
    return gsl_vector_get(x, 0) + (load > 1e15 ? log(load) : log1p(load)) / p;
}

static int residuals(const gsl_vector *x, void *user, gsl_vector *out)
{
    const struct curve *curve = user;
    for (size_t i = 0; i < curve->count; i++)
        gsl_vector_set(out, i, knee_log(curve->blocks[i], x) - curve->seconds[i]);
    return GSL_SUCCESS;
}

/* Fits the three numbers of a knee. Sets them and the half-width of the exponent. Returns GSL's code, which is not
 * GSL_SUCCESS either if a number does not depend on the data. Its own function for the variances crashes without
 * memory.
 */
static int fit_curve(struct curve *curve, double at[3], double *half)
{
    gsl_multifit_nlinear_parameters how = gsl_multifit_nlinear_default_parameters();
    gsl_multifit_nlinear_fdf function = {.f = residuals, .n = curve->count, .p = 3, .params = curve};
    gsl_multifit_nlinear_workspace *fit = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &how, curve->count, 3);
    gsl_vector_view start = gsl_vector_view_array(at, 3);
    double variance[9], off;
    gsl_matrix_view spread = gsl_matrix_view_array(variance, 3, 3);
    int info;
    if (!fit)
        return GSL_ENOMEM;
    gsl_multifit_nlinear_init(&start.vector, &function, fit);
    int code = gsl_multifit_nlinear_driver(STEPS_MOST, 1e-10, 1e-10, 0, NULL, NULL, &info, fit);
    gsl_blas_dsyrk(CblasLower, CblasTrans, 1, gsl_multifit_nlinear_jac(fit), 0, &spread.matrix);
    code = code ? code : gsl_linalg_cholesky_decomp(&spread.matrix);
    code = code ? code : gsl_linalg_cholesky_invert(&spread.matrix);
    gsl_blas_ddot(gsl_multifit_nlinear_residual(fit), gsl_multifit_nlinear_residual(fit), &off);
    for (size_t i = 0; i < 3; i++)
        at[i] = exp(gsl_vector_get(gsl_multifit_nlinear_position(fit), i));
    *half = at[2] * sms__student95(curve->count - 2) * sqrt(variance[8] * off / (double)(curve->count - 3));
    gsl_multifit_nlinear_free(fit);
    return code;
}

static void fit_knee(struct sms__calibration *calibration)
{
    const struct sms__grids *reads = &calibration->reads;
    const struct sms__fitted_value *fitted = &calibration->fitted[SMS__SHEET_LAUNCH];
    const double launch_s = (isnan(fitted->value) ? calibration->device->dispatch.launch_ps : fitted->value) * 1e-12;
    struct curve curve = {SMS__NEW(calibration->arena, double, reads->count + 1),
                          SMS__NEW(calibration->arena, double, reads->count + 1), 0};
    double half = NAN, at[3];
    for (size_t i = 0; i < reads->count; i += 2)
        if (reads->grid[i].seconds.mean > launch_s) {
            curve.blocks[curve.count] = log((double)reads->grid[i].blocks);
            curve.seconds[curve.count++] = log(reads->grid[i].seconds.mean - launch_s);
        }
    if (curve.count < KNEE_LEAST)
        return;
    const size_t last = curve.count - 1;
    at[0] = curve.seconds[0];
    at[1] = curve.blocks[last] - fmax(curve.seconds[last] - curve.seconds[0], 0); /* where flat and rising meet */
    at[2] = log(2);
    const bool rises = curve.seconds[last] - curve.seconds[0] > RISE_LEAST;
    const int code = rises ? fit_curve(&curve, at, &half) : GSL_EDOM;
    const bool fits = code == GSL_SUCCESS && isfinite(at[0] + at[1] + at[2]) && at[1] > exp(curve.blocks[0]);
    if (code == GSL_ENOMEM)
        sms__fail(calibration->errors, SMS_ENOMEM, NULL, "no memory");
    if (!fits || at[2] < 1 || at[2] > SMS_KNEE_MAX || half > at[2]) {
        calibration->fitted[SMS__SHEET_KNEE].from =
            sms__print(calibration->arena, "the times of %s over its grids show no knee between 1 and %d",
                       reads->kernel, SMS_KNEE_MAX);
        return;
    }
    calibration->read_s = at[0];
    calibration->read_full = at[1];
    set(calibration, SMS__SHEET_KNEE, at[2], half,
        sms__print(calibration->arena, "%s at %zu grids", reads->kernel, curve.count));
}

/* ---- the kernel that computes: its clock ---- */

static void find_clock(struct sms__calibration *calibration)
{
    const char *kernel = calibration->settings->probe[SMS__COMPUTES_PROBE];
    struct sms__moments clocks = {0};
    size_t found = 0;
    for (size_t r = 0; r < calibration->runs; r++)
        for (size_t l = 0; l < calibration->run[r].profile.launches; l++) {
            const struct sms__profile_launch *launch = &calibration->run[r].profile.launch[l];
            if (!sms__is_probe(launch, kernel))
                continue;
            const double hz = sms__derive_clock(calibration->arena, launch, calibration->device);
            found++;
            if (hz > 0)
                sms__estimate_add(&clocks, hz);
        }
    if (kernel && !found)
        sms__fail(calibration->errors, SMS_EINPUT, NULL, "no run has a kernel '%.60s'", kernel);
    const struct sms_estimate clock = sms__estimate_close(clocks);
    if (clocks.n >= CLOCKS_LEAST)
        set(calibration, SMS__SHEET_CLOCK, clock.mean, clock.ci95,
            sms__print(calibration->arena, "%zu launches of %s", clocks.n, kernel));
}

int sms__fit_probes(struct sms__calibration *calibration)
{
    collect(calibration, SMS__EMPTY_PROBE, &calibration->empty);
    collect(calibration, SMS__READS_PROBE, &calibration->reads);
    find_clock(calibration);
    if (calibration->errors->count)
        return calibration->errors->item[0].code;
    fit_line(calibration);
    fit_knee(calibration);
    return calibration->errors->count ? calibration->errors->item[0].code : SMS_OK;
}
