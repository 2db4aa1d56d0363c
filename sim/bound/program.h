/* The linear program of one device, between program.c, which writes it, and solve.c. */
#ifndef SMS_BOUND_PROGRAM_H
#define SMS_BOUND_PROGRAM_H

#include "bound.h"

#include <glpk.h>

#define SMS__PS_PER_S 1e12

/* The columns of a kernel. 0: not in the program. */
struct sms__kernel_columns {
    int more;    /* launches beyond those of whole jobs */
    int parts;   /* of them all, those that the ends of the window cut, by their part in the window */
    int staying; /* blocks of random work resident when the window ends */
};

struct sms__vm_columns {
    int jobs;   /* whole jobs */
    int others; /* steps beyond those of whole jobs that are no launches */
};

/* Random work, by how much it may fall short of its mean (docs/explanation/bound.md): of n
 * blocks by `share` x n + `fixed` blocks' work at most. */
struct sms__allowance {
    double share, fixed;
};

struct sms__linear_program {
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
    int *index, terms;                              /* of the row being written, from 1 */
    double *value;
    int *place; /* of a column in that row; 0: not in it */
};

/* Into `lp`; what the program is of is filled in, the rest is not. */
void sms__bound_write(struct sms__linear_program *program);

#endif
