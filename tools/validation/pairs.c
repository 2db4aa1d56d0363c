/* Experiment 5: slowdown of pairs of programs under MPS on a V100. */
#include "tools/calibrate/pairs.h"

#include <math.h>

#define WHOSE "icloud-ecnu/igniter (V100, MPS)"

/* Errors on the rows held back, and the means by pair for the table. */
struct tried {
    struct sample sample;
    double sum[PAIRS][2], count[PAIRS][2];
};

static bool has_contention(enum model model) { return model == PROPORTIONAL || model == MAXMIN || model == CURVE; }

/* By simulation where the model is one of the simulator's; the formula must say the same. */
static double predict(const struct fit *fit, const struct row *row, int i)
{
    double formula = slowdown_by_formula(fit, row, i);
    if (!has_contention(fit->model))
        return formula;
    double ours = slowdown_simulated(fit, row, i);
    if (!(fabs(ours - formula) <= 1e-4))
        die("a slowdown is %g simulated, %g by the formula", ours, formula);
    return ours;
}

static void try_row(const struct fit *fit, const struct row *row, struct tried *tried)
{
    for (int i = 0; i < 2; i++) {
        double ours = predict(fit, row, i), measured = slowdown_measured(row, i);
        if (isnan(ours))
            continue;
        sample_add(&tried->sample, off_percent(ours, measured));
        tried->sum[row->pair][i] += ours;
        tried->count[row->pair][i]++;
    }
}

static void try_model(const struct fit *fit, const struct rows *rows, struct tried *tried)
{
    for (size_t r = 0; r < rows->n; r++)
        if (is_in_half(&rows->row[r], 1))
            try_row(fit, &rows->row[r], tried);
}

static void write_pairs(FILE *to, const struct rows *rows, const struct tried *tried)
{
    struct tried measured = {0};
    for (size_t r = 0; r < rows->n; r++) {
        const struct row *row = &rows->row[r];
        for (int i = 0; i < 2; i++) {
            measured.sum[row->pair][i] += slowdown_measured(row, i);
            measured.count[row->pair][i]++;
        }
    }
    fprintf(to, "\n| pair | mean slowdown measured | `proportional` | `maxmin` | `curve` |\n|---|--:|--:|--:|--:|\n");
    for (int p = 0; p < rows->pairs; p++) {
        fprintf(to, "| %s | %.3f / %.3f", rows->name[p], measured.sum[p][0] / measured.count[p][0],
                measured.sum[p][1] / measured.count[p][1]);
        for (int m = PROPORTIONAL; m <= CURVE; m++)
            if (tried[m].count[p][0] > 0)
                fprintf(to, " | %.3f / %.3f", tried[m].sum[p][0] / tried[m].count[p][0],
                        tried[m].sum[p][1] / tried[m].count[p][1]);
            else
                fprintf(to, " | fitted");
        fprintf(to, " |\n");
    }
}

/* One model's errors from the least to the greatest, with the share of values up to each. */
static void write_points(FILE *points, const struct sample *sample)
{
    for (size_t i = 0; i < sample->n; i++)
        fprintf(points, "%g %g\n", sample->value[i], 100 * (double)(i + 1) / (double)sample->n);
    fprintf(points, "\n\n");
}

static void report_all(struct site *site, struct tried *tried)
{
    report(site,
           &(struct outcome){"Pairs under MPS, `curve`", WHOSE, "latency beside another",
                             "no better than a constant slowdown", 2.8, 11.5},
           &tried[CURVE].sample);
    report(site,
           &(struct outcome){"Pairs under MPS, `proportional`", WHOSE, "latency beside another",
                             "no better than a constant slowdown", 2.6, 11.5},
           &tried[PROPORTIONAL].sample);
    report(site,
           &(struct outcome){"Pairs under MPS, `maxmin`", WHOSE, "latency beside another",
                             "worse than a constant slowdown", 6.2, 32},
           &tried[MAXMIN].sample);
}

/* By the formulas, which say what the simulations do: each half is tested with what the other was fitted to. */
static void write_swapped(FILE *to, const struct rows *rows)
{
    fprintf(to,
            "\n| fitted to the other half, tested on this one | fitted | values held back | median error | maximum |\n"
            "|---|---|--:|--:|--:|\n");
    for (int m = 0; m < MODELS; m++) {
        struct fit fit = fit_model((enum model)m, rows, 1);
        struct sample sample = {0};
        char fitted[128];
        errors_of_half(&fit, rows, 0, &sample);
        fit_describe(fitted, sizeof fitted, &fit);
        fprintf(to, "| %s | %s | %zu | %.1f %% | %.1f %% |\n", model_titles[m], fitted, sample.n,
                sample_median(&sample), sample_max(&sample));
        sample_release(&sample);
    }
}

void pairs(struct site *site)
{
    struct rows *rows = rows_read(site);
    struct tried tried[MODELS] = {{{0}, {{0}}, {{0}}}};
    char fitted[128];
    FILE *to = open_out(site, "pairs.md"), *points = open_out(site, "pairs.dat");
    fprintf(to, "| model | fitted | values held back | median error | maximum |\n|---|---|--:|--:|--:|\n");
    for (int m = 0; m < MODELS; m++) {
        struct fit fit = fit_model((enum model)m, rows, 0);
        fit_describe(fitted, sizeof fitted, &fit);
        try_model(&fit, rows, &tried[m]);
        double median = sample_median(&tried[m].sample);
        fprintf(to, "| %s | %s | %zu | %.1f %% | %.1f %% |\n", model_titles[m], fitted, tried[m].sample.n, median,
                sample_max(&tried[m].sample));
        write_points(points, &tried[m].sample);
    }
    double middle = sample_median(&rows->noise);
    fprintf(to, "| for comparison: standard deviation of repeated measurements | | %zu | %.1f %% | %.1f %% |\n",
            rows->noise.n, middle, sample_max(&rows->noise));
    write_swapped(to, rows);
    write_pairs(to, rows, tried);
    fclose(to);
    fclose(points);
    report_all(site, tried);
    for (int m = 0; m < MODELS; m++)
        sample_release(&tried[m].sample);
    rows_release(rows);
}
