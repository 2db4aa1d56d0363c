/* GLPK, as a library that neither prints nor ends the process. */
#ifndef SMS_BOUND_SOLVER_H
#define SMS_BOUND_SOLVER_H

#include "../base/arena.h"

struct glp_prob;

/* Calls body(user) in a guard of `arena` and in an environment of GLPK, and returns its result; SMS_ENOMEM where either
 * has no memory. `problem` is what body works at, or NULL: it is deleted afterwards, because body may not reach its
 * end. In threads, each with its own arena. */
int sms__with_solver(struct sms__arena *arena, struct glp_prob **problem, int (*body)(void *user), void *user);

#endif
