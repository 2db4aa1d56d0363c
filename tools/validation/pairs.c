/* Experiment 5: slowdown of pairs of programs under MPS on a V100. */
#include "pairs.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

enum { ROWS = 1024 };

#define WHOSE "icloud-ecnu/igniter (V100, MPS)"

struct rows {
    size_t n;
    struct row row[ROWS];
};

/* Merges the lines of a file, each an object of objects, into one: {"alexnet": {"latency": ...}}. */
static void read_lines(const struct site *site, const char *name, json_t *into)
{
    FILE *file = open_data(site, name);
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, file) > 1) {
        json_error_t error;
        json_t *object = json_loads(line, 0, &error);
        if (!object)
            die("%s: %s", name, error.text);
        json_object_update_recursive(into, object);
        json_decref(object);
    }
    free(line);
    fclose(file);
}

/* A program's figure at a batch and a share. */
static double figure(const json_t *all, const char *program, const char *what, int batch, int share)
{
    char b[16], s[16];
    snprintf(b, sizeof b, "%d", batch);
    snprintf(s, sizeof s, "%d", share);
    const json_t *of = json_object_get(json_object_get(all, program), what);
    const json_t *value = json_object_get(json_object_get(of, b), s);
    if (!json_is_number(value))
        die("no %s of %s at batch %d, share %d", what, program, batch, share);
    return json_number_value(value);
}

/* Time on all SMs: measured on the GPU alone at batches 1, 16 and 32 and shares 10, 50 and 100 %; the time at
 * 50 % carries it over to whole latency. */
static double whole_ms(const json_t *all, const char *program, int batch)
{
    size_t at = batch == 16 ? 1 : 2;
    if (batch != 16 && batch != 32)
        return 0;
    const json_t *times = json_array_get(json_object_get(json_object_get(all, program), "gpulatency"), at);
    double half = json_number_value(json_array_get(times, 1)), whole = json_number_value(json_array_get(times, 2));
    return figure(all, program, "latency", batch, 50) * whole / half;
}

/* [program, program, batch, batch, share of the first, latency, latency] */
static struct row row_of(const json_t *all, const json_t *entry)
{
    struct row row = {0};
    row.share[0] = (int)json_integer_value(json_array_get(entry, 4));
    row.share[1] = 100 - row.share[0];
    for (size_t i = 0; i < 2; i++) {
        const char *program = json_string_value(json_array_get(entry, i));
        int batch = (int)json_integer_value(json_array_get(entry, 2 + i));
        row.together_ms[i] = json_number_value(json_array_get(entry, 5 + i));
        row.solo_ms[i] = figure(all, program, "latency", batch, row.share[i]);
        row.use[i][L2] = figure(all, program, "l2cache", batch, row.share[i]) / 100;
        row.use[i][DRAM] = figure(all, program, "dram", batch, row.share[i]) / 100;
        row.whole_ms[i] = whole_ms(all, program, batch);
    }
    return row;
}

/* The spread of repeated measurements, in percent of the latency: what no model can get below. */
static void spread(const json_t *all, struct sample *sample)
{
    const json_t *interference = json_object_get(all, "interference"), *deviation;
    const json_t *latency = json_object_get(interference, "latency");
    size_t i;
    json_array_foreach(json_object_get(interference, "std"), i, deviation)
    {
        for (size_t column = 5; column < 7; column++)
            sample_add(sample, 100 * json_number_value(json_array_get(deviation, column)) /
                                   json_number_value(json_array_get(json_array_get(latency, i), column)));
    }
}

/* `names`: the pairs of programs in the file's order. */
static void read_rows(const struct site *site, struct rows *rows, char names[16][48], struct sample *noise)
{
    json_t *all = json_object(), *entry;
    size_t i;
    int pair = -1;
    read_lines(site, "corun/igniter_v100.jsonl", all);
    read_lines(site, "corun/igniter_v100_pairs.txt", all);
    json_array_foreach(json_object_get(json_object_get(all, "interference"), "latency"), i, entry)
    {
        char name[48];
        snprintf(name, sizeof name, "%.20s-%.20s", json_string_value(json_array_get(entry, 0)),
                 json_string_value(json_array_get(entry, 1)));
        if (pair < 0 || strcmp(name, names[pair]))
            strcpy(names[++pair], name);
        if (rows->n == ROWS || pair == 15)
            die("more rows than %d", ROWS);
        rows->row[rows->n] = row_of(all, entry);
        rows->row[rows->n++].pair = pair;
    }
    spread(all, noise);
    json_decref(all);
}

/* Errors on the rows held back, and the means by pair for the table. */
struct tried {
    struct sample sample;
    double sum[16][2], count[16][2];
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
        double ours = predict(fit, row, i), measured = row->together_ms[i] / row->solo_ms[i];
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
        if (!is_fitted(&rows->row[r]))
            try_row(fit, &rows->row[r], tried);
}

static const char *const titles[MODELS] = {"none: as fast as alone",
                                           "constant: the mean slowdown of the fitted half",
                                           "time sharing: all SMs for a share of the time",
                                           "`proportional`",
                                           "`maxmin`",
                                           "`curve`"};

static void describe(char *to, size_t room, const struct fit *fit)
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

static void write_pairs(FILE *to, const struct rows *rows, char names[16][48], const struct tried *tried)
{
    struct tried measured = {0};
    int pairs = 0;
    for (size_t r = 0; r < rows->n; r++) {
        const struct row *row = &rows->row[r];
        for (int i = 0; i < 2; i++) {
            measured.sum[row->pair][i] += row->together_ms[i] / row->solo_ms[i];
            measured.count[row->pair][i]++;
        }
        pairs = row->pair + 1;
    }
    fprintf(to, "\n| pair | mean slowdown measured | `proportional` | `maxmin` | `curve` |\n|---|--:|--:|--:|--:|\n");
    for (int p = 0; p < pairs; p++) {
        fprintf(to, "| %s | %.3f / %.3f", names[p], measured.sum[p][0] / measured.count[p][0],
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

void pairs(struct site *site)
{
    struct rows *rows = grow(NULL, sizeof *rows);
    struct tried tried[MODELS] = {{{0}, {{0}}, {{0}}}};
    struct sample noise = {0};
    char names[16][48] = {{0}}, fitted[128];
    FILE *to = open_out(site, "pairs.md"), *points = open_out(site, "pairs.dat");
    rows->n = 0;
    read_rows(site, rows, names, &noise);
    fprintf(to, "| model | fitted | values held back | median error | maximum |\n|---|---|--:|--:|--:|\n");
    for (int m = 0; m < MODELS; m++) {
        struct fit fit = fit_model((enum model)m, rows->row, rows->n);
        describe(fitted, sizeof fitted, &fit);
        try_model(&fit, rows, &tried[m]);
        double median = sample_median(&tried[m].sample);
        fprintf(to, "| %s | %s | %zu | %.1f %% | %.1f %% |\n", titles[m], fitted, tried[m].sample.n, median,
                sample_max(&tried[m].sample));
        write_points(points, &tried[m].sample);
    }
    double middle = sample_median(&noise);
    fprintf(to, "| for comparison: standard deviation of repeated measurements | | %zu | %.1f %% | %.1f %% |\n",
            noise.n, middle, sample_max(&noise));
    write_pairs(to, rows, names, tried);
    fclose(to);
    fclose(points);
    report_all(site, tried);
    for (int m = 0; m < MODELS; m++)
        sample_release(&tried[m].sample);
    sample_release(&noise);
    free(rows);
}
