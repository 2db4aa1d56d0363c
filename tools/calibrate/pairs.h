/* Pairs of programs under MPS: rows of measured latency, models of slowdown, and their fit. */
#ifndef TOOLS_CALIBRATE_PAIRS_H
#define TOOLS_CALIBRATE_PAIRS_H

#include "tools/validation/validate.h"

enum { L2, DRAM, RESOURCES };
enum { ROWS = 1024, PAIRS = 16 };

/* Two programs, 0 and 1, side by side, each on its share of the SMs. */
struct row {
    int pair;                 /* which of the pairs of programs */
    int share[2];             /* percent of the SMs */
    double use[2][RESOURCES]; /* of the device's capacity, 0..1, measured alone at that share */
    double solo_ms[2], together_ms[2];
    double whole_ms[2]; /* alone on all SMs; 0: not measured at this batch */
};

struct rows {
    size_t n;
    int pairs;
    struct row row[ROWS];
    char name[PAIRS][48]; /* of the pairs of programs, in the file's order */
    struct sample noise;  /* of repeated measurements, in percent of latency: what no model can get below */
};

/* corun/igniter_v100.jsonl and igniter_v100_pairs.txt of the data. */
struct rows *rows_read(const struct site *site);
void rows_release(struct rows *rows);

enum model { NONE, CONSTANT, TIME_SHARING, PROPORTIONAL, MAXMIN, CURVE, MODELS };
enum { PARAMS = 3 };

/* PROPORTIONAL: capacity of l2 and dram beside the nominal one, slope. MAXMIN: the two capacities.
 * CURVE: overhead at full l2 and at full dram. CONSTANT: the slowdown. All above 0. */
struct fit {
    enum model model;
    double param[PARAMS];
};

/* How much longer program `i` takes than alone on its share, by the model's formula; NAN: it cannot say. */
double slowdown_by_formula(const struct fit *fit, const struct row *row, int i);

/* The same, by simulating the pair and each program alone. */
double slowdown_simulated(const struct fit *fit, const struct row *row, int i);

double slowdown_measured(const struct row *row, int i);

/* Pairs of programs in turn are of half 0 (the first, third, fifth) and of half 1. */
bool is_in_half(const struct row *row, int half);

/* The parameters with the least mean error over the rows of a half. */
struct fit fit_model(enum model model, const struct rows *rows, int half);

/* Adds the errors of the formula in percent, of the rows of a half that it can say something of. */
void errors_of_half(const struct fit *fit, const struct rows *rows, int half, struct sample *sample);

extern const char *const model_titles[MODELS];
/* The parameters in words; "" if there are none. */
void fit_describe(char *to, size_t room, const struct fit *fit);

#endif
