/* The parts of sms_bound: bound_device.c describes a device and its load, program.c and solve.c write and
 * solve the linear program over them, bound.c adds up the devices. docs/explanation/bound.md has the program, with the
 * same letters. */
#ifndef SMS_BOUND_BOUND_H
#define SMS_BOUND_BOUND_H

#include "../model/scenario.h"

/* Deviations are allowed for up to exp(-z^2 / 2) for each kernel: 1.5e-8. */
#define SMS__BOUND_Z 6.0

enum { SMS__BOUND_NAME = 128 };

/* A kernel of a VM, if its jobs launch it. */
struct sms__bound_kernel {
    const struct sms__footprint *fit;
    double times;  /* launches of a job */
    double blocks; /* of a launch */
    double work_ps;
    double cv;       /* of a block's work */
    bool bounded;    /* the work's spread is uniform, not exponential */
    double least_ps; /* that a launch takes, alone on the device */
    double part_ps;  /* the least time of a part of a launch, over that part */
};

/* The share of one of `alike` VMs of the device: `kernels` from `first` on. VMs that differ in their names alone are
 * one, because equal shares of them are an optimum, too. */
struct sms__bound_vm {
    const struct sms__tenant *vm; /* the first of them */
    double alike;
    size_t first, kernels;
    double streams;
    double worth;              /* of a block, for SMS_BOUND_STP: over the blocks per second alone; the greatest */
    double other_ps;           /* host time and copies of a job */
    double bytes[2];           /* of a job, in and out */
    double hairs[2];           /* copies of a job that may end half a picosecond early */
    double jobs_per_s;         /* that arrive; INFINITY: closed */
    double most_jobs;          /* that a run may end; INFINITY: no end */
    double operations, others; /* of a job: launches and other steps; other steps */
    double arrived[2];         /* jobs of a run, their mean: before the window ends, and within the window */
};

/* A capacity that all blocks together cannot exceed: a limit of the SMs, or a resource. */
struct sms__bound_row {
    char name[SMS__BOUND_NAME];
    const double *use; /* [kernels]: of one block, in SMs */
    double capacity;   /* in SMs */
    bool limit;        /* holds at every instant, not only for what is delivered */
};

struct sms__bound_device {
    const struct sms__device *model;
    struct sms__bound_kernel *kernel;
    size_t kernels;
    struct sms__bound_vm *vm;
    size_t vms;
    size_t *of; /* [VMs of the scenario]: which of `vm` it is; SIZE_MAX: not on this device */
    struct sms__bound_row *row;
    size_t rows;
};

/* The solver takes a square of the VMs that are not alike: a second for so many. */
enum { SMS__BOUND_VMS = 2000 };

/* bound_device.c: fills it from the scenario's device `idx`; in a guard of the arena. Returns NULL, or why there is
 * no bound, such as for more than SMS__BOUND_VMS VMs that are not alike. */
const char *sms__bound_describe(struct sms__arena *arena, const struct sms_scenario *scenario, size_t idx,
                                struct sms__bound_device *out);

/* Returns the least time from the run's start in which the jobs of VMs with an end can be done. Writes to `name` which
 * row or stream makes it so long. */
double sms__bound_makespan_ps(const struct sms__bound_device *device, char name[SMS__BOUND_NAME]);

/* The measured time: of a rate that can last, or of a run. */
struct sms__bound_window {
    bool steady;
    bool may_end_early;    /* the run may end as early as to_ps, or later */
    double from_ps, to_ps; /* the shortest may be this long */
    double slack_ps;       /* it may begin by as much later, and then end by as much later again */
    double *blocks; /* [kernels]: of the steady optimum over the window, which writes it; deviations of random work
                     * are allowed for about it */
};

/* Names what binds, with its share of the optimum. */
struct sms__bound_found {
    double value;                /* steady: per second; else a count. INFINITY: no bound */
    struct sms_bound_part *part; /* in the order of the program; without the device's name */
    size_t parts;
};

struct glp_prob;

/* solve.c: SMS_OK, or SMS_EBUG if the solver gives up. In a guard of the
 * arena, to which errors of GLPK lead, too (solver.c); *problem is the caller's to
 * delete in either case. */
int sms__bound_solve(struct sms__arena *arena, const struct sms__bound_device *device,
                     const struct sms__bound_window *window, enum sms_bounded metric, struct glp_prob **problem,
                     struct sms__bound_found *out);

#endif
