/* The linear program of one device, between bound_program.c, which writes it, and bound_solve.c. */
#ifndef SMS_REPORT_BOUND_PROGRAM_H
#define SMS_REPORT_BOUND_PROGRAM_H

#include "bound.h"

#include <glpk.h>

#define SMS__PS_PER_S 1e12

/* The columns of a kernel. 0: not in the program, in steady state or with nothing carried. */
struct sms__kernel_columns {
    int more;    /* launches beyond those of whole jobs */
    int done;    /* blocks that ended / blocks of a launch */
    int begun;   /* launches under way when the window began, that end in it */
    int carried; /* blocks resident then */
    int open;    /* launches under way when it ends, of which blocks have ended */
    int staying; /* blocks resident then, whose work may be longer than the mean */
};

struct sms__vm_columns {
    int jobs;  /* whole jobs */
    int more;  /* the last of a job whose first steps were before the window */
    int begun; /* other steps than launches under way when the window began */
};

/* Random work, by how much it may fall short of its mean (docs/bound.md): of n
 * blocks by `share` x n + `fixed` blocks' work at most. */
struct sms__allowance {
    double share, fixed;
};

struct sms__program {
    struct sms__arena *arena;
    const struct sms__bound_device *device;
    const struct sms__bound_window *window;
    enum sms_bounded metric;
    glp_prob *lp;
    double time_ps; /* of the window, or a second */
    struct sms__kernel_columns *kernel;
    struct sms__vm_columns *vm;
    struct sms__allowance *of_blocks, *of_launches; /* [kernels] */
    const char **row_name, **column_name;           /* of those that can bind; [limit + 1] */
    int *index;                                     /* of the row being written, from 1 */
    double *value;
    int terms;
};

/* Into `lp`; what the program is of is filled in, the rest is not. */
void sms__bound_write(struct sms__program *program);

#endif
