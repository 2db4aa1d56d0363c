/* Pairs of programs. If the scenarios are called A/B and are most pairs of some names, the figure has a square for each
 * policy: the system throughput of each pair under the first policy, and the gain over it under each other one. */
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PROGRAMS_MIN = 3, CELLS_A_ROW = 64 }; /* with fewer than one row for so many cells, most cells would be empty */

struct pairs {
    struct sms__plot *plot;
    struct sms__names program;
    size_t (*of)[2]; /* [scenarios]: two indices of programs */
    double *stp;     /* [policies][scenarios], system throughput; NAN: no value */
    struct sms__figure_files files;
};

/* Splits a scenario's name into two programs. Returns false if it is not A/B. */
static bool split(struct pairs *pairs, size_t scenario)
{
    struct sms__arena *arena = &pairs->plot->arena;
    const char *name = pairs->plot->scenario.name[scenario], *slash = strchr(name, '/');
    if (!slash || slash == name || !slash[1] || strchr(slash + 1, '/'))
        return false;
    pairs->of[scenario][0] = sms__name_index(arena, &pairs->program, sms__copy(arena, name, (size_t)(slash - name)));
    pairs->of[scenario][1] = sms__name_index(arena, &pairs->program, slash + 1);
    return true;
}

static bool find_programs(struct pairs *pairs)
{
    size_t scenarios = pairs->plot->scenario.count;
    pairs->of = sms__alloc(&pairs->plot->arena, scenarios + 1, sizeof *pairs->of);
    for (size_t s = 0; s < scenarios; s++)
        if (!split(pairs, s))
            return false;
    size_t n = pairs->program.count, cells = pairs->plot->policy.count * scenarios;
    return n >= PROGRAMS_MIN && scenarios >= n * (n - 1) / 2 && cells / CELLS_A_ROW <= pairs->plot->stp.count;
}

bool sms__are_pairs(struct sms__plot *plot)
{
    struct pairs pairs = {.plot = plot};
    return find_programs(&pairs);
}

static double *stp_of(const struct pairs *pairs, size_t policy, size_t scenario)
{
    return &pairs->stp[policy * pairs->plot->scenario.count + scenario];
}

static void collect(struct pairs *pairs)
{
    const struct sms__plot *plot = pairs->plot;
    size_t cells = plot->policy.count * plot->scenario.count;
    pairs->stp = sms__alloc(&pairs->plot->arena, cells + 1, sizeof *pairs->stp);
    for (size_t i = 0; i < cells; i++)
        pairs->stp[i] = NAN;
    const struct sms__bar *bar = plot->stp.row;
    for (size_t i = 0; i < plot->stp.count; i++)
        *stp_of(pairs, bar[i].row.policy, bar[i].row.scenario) = bar[i].mean;
}

/* The throughput under the first policy, or the gain over it. */
static double value_of(const struct pairs *pairs, size_t policy, size_t scenario)
{
    double value = *stp_of(pairs, policy, scenario);
    return policy == 0 ? value : value / *stp_of(pairs, 0, scenario) - 1;
}

/* The scenario of each pair of programs, by rows; SIZE_MAX: no scenario. */
static size_t *square_of(const struct pairs *pairs)
{
    size_t n = pairs->program.count;
    size_t *square = sms__alloc(&pairs->plot->arena, n * n, sizeof *square);
    for (size_t i = 0; i < n * n; i++)
        square[i] = SIZE_MAX;
    for (size_t s = 0; s < pairs->plot->scenario.count; s++) {
        size_t a = pairs->of[s][0], b = pairs->of[s][1];
        square[a * n + b] = square[b * n + a] = s;
    }
    return square;
}

static void write_panel(const struct pairs *pairs, const size_t *square, size_t policy)
{
    FILE *to = pairs->files.data;
    size_t n = pairs->program.count;
    fprintf(to, "# policy %s\n# program program %s\n", pairs->plot->policy.name[policy],
            policy ? "gain_ratio" : "stp_ratio");
    for (size_t i = 0; i < n * n; i++) {
        double value = square[i] == SIZE_MAX ? NAN : value_of(pairs, policy, square[i]);
        fprintf(to, "%zu %zu ", i % n, i / n);
        fprintf(to, isnan(value) ? "nan\n" : "%.5f\n", value);
    }
    fprintf(to, "\n\n");
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The end of the colour scale of gains: a multiple of 5 % that nineteen of twenty gains are within. Few large gains
 * would bleach the others. */
static double end_of_gains(struct pairs *pairs)
{
    const struct sms__plot *plot = pairs->plot;
    size_t count = 0;
    double *size = sms__alloc(&pairs->plot->arena, plot->policy.count * plot->scenario.count + 1, sizeof *size);
    for (size_t p = 1; p < plot->policy.count; p++)
        for (size_t s = 0; s < plot->scenario.count; s++) {
            double value = fabs(value_of(pairs, p, s));
            if (isfinite(value))
                size[count++] = value;
        }
    qsort(size, count, sizeof *size, by_size);
    double end = count ? ceil(size[count * 19 / 20] * 20) / 20 : 0;
    return end > 0.05 ? end : 0.05;
}

/* The ends of the colour scale of throughput, in tenths. They differ. */
static void ends_of_throughput(const struct pairs *pairs, double *least, double *most)
{
    *least = INFINITY;
    *most = 0;
    for (size_t s = 0; s < pairs->plot->scenario.count; s++) {
        double value = value_of(pairs, 0, s);
        *least = value < *least ? value : *least;
        *most = value > *most ? value : *most;
    }
    *least = isfinite(*least) ? floor(*least * 10) / 10 : 0;
    *most = ceil(*most * 10) / 10;
    *most = *most > *least ? *most : *least + 0.1;
}

static void write_variables(struct pairs *pairs)
{
    const struct sms__plot *plot = pairs->plot;
    FILE *to = pairs->files.variables;
    double least, most;
    ends_of_throughput(pairs, &least, &most);
    fprintf(to, "array panel_title[%zu]\narray program[%zu]\n", plot->policy.count, pairs->program.count);
    for (size_t p = 0; p < plot->policy.count; p++)
        sms__print_text(to, "panel_title", p + 1, plot->policy.name[p], 40);
    for (size_t i = 0; i < pairs->program.count; i++)
        sms__print_text(to, "program", i + 1, pairs->program.name[i], 24);
    fprintf(to, "panels = %zu\nprograms = %zu\nleast = %g\nmost = %g\ngain = %g\n", plot->policy.count,
            pairs->program.count, least, most, end_of_gains(pairs));
}

int sms__write_pairs(struct sms__plot *plot)
{
    struct pairs pairs = {.plot = plot};
    find_programs(&pairs);
    collect(&pairs);
    int code = sms__figure_open(plot, "pairs.gp", "pairs", &pairs.files);
    if (code)
        return code;
    const size_t *square = square_of(&pairs);
    for (size_t p = 0; p < plot->policy.count; p++)
        write_panel(&pairs, square, p);
    write_variables(&pairs);
    return sms__figure_close(plot, &pairs.files);
}
