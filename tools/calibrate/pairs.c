/* Contention models fitted to half of the measured pairs, tested on the other half, and the other way round.
 *
 *     build/bin/calibrate pairs [DATA]
 *
 * docs/validation.md, section 5, says what the pairs are and how a pair becomes a simulation. */
#include "pairs.h"

#include "calibrate.h"

#include <unistd.h>

/* What a scenario would have to say; capacities are for its device's resources. */
static void print_contention(const struct fit *fit)
{
    const double *p = fit->param;
    if (fit->model == PROPORTIONAL)
        printf("    contention: {model: proportional, slope: %.4f}   # demands of l2 over %.4f, of dram over %.4f\n",
               p[2], p[L2], p[DRAM]);
    if (fit->model == MAXMIN)
        printf("    contention: maxmin   # demands of l2 over %.4f, of dram over %.4f\n", p[L2], p[DRAM]);
    if (fit->model == CURVE)
        printf("    contention: {model: curve, curves: {l2: [[100 %%, %.2f %%]], dram: [[100 %%, %.2f %%]]}}\n",
               100 * p[L2], 100 * p[DRAM]);
}

static void print_errors(const char *what, const struct fit *fit, const struct rows *rows, int half)
{
    struct sample sample = {0};
    errors_of_half(fit, rows, half, &sample);
    printf("    %-12s %4zu values, median error %5.2f %%, maximum %6.2f %%\n", what, sample.n, sample_median(&sample),
           sample_max(&sample));
    sample_release(&sample);
}

static void fit_half(const struct rows *rows, int half)
{
    printf("Fitted to:");
    for (int p = 0; p < rows->pairs; p++)
        if (p % 2 == half)
            printf(" %s", rows->name[p]);
    printf("\n");
    for (int m = 0; m < MODELS; m++) {
        struct fit fit = fit_model((enum model)m, rows, half);
        printf("  %s\n", model_titles[m]);
        print_contention(&fit);
        print_errors("fitted to", &fit, rows, half);
        print_errors("held back", &fit, rows, 1 - half);
    }
}

int calibrate_pairs(const char *data)
{
    const struct site site = {.data = data ? data : SOURCE_DIR "/../shared/data"};
    if (access(site.data, R_OK)) {
        fprintf(stderr, "calibrate: no measured data in %s\n", site.data);
        return 77;
    }
    struct rows *rows = rows_read(&site);
    for (int half = 0; half < 2; half++)
        fit_half(rows, half);
    rows_release(rows);
    return 0;
}
