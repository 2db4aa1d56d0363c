/* Pairs of programs under MPS: rows of measured latency, models of slowdown, and their fit. */
#ifndef TOOLS_VALIDATE_PAIRS_H
#define TOOLS_VALIDATE_PAIRS_H

#include "validate.h"

enum { L2, DRAM, RESOURCES };

/* Two programs, 0 and 1, side by side, each on its share of the SMs. */
struct row {
    int pair;                 /* which of the pairs of programs */
    int share[2];             /* percent of the SMs */
    double use[2][RESOURCES]; /* of the device's capacity, 0..1, measured alone at that share */
    double solo_ms[2], together_ms[2];
    double whole_ms[2]; /* alone on all SMs; 0: not measured at this batch */
};

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

/* The parameters with the least mean error over those of the rows that are of the half to fit. */
struct fit fit_model(enum model model, const struct row *row, size_t rows);

/* Whether the row's pair of programs is fitted to; else it is held back. */
bool is_fitted(const struct row *row);

#endif
