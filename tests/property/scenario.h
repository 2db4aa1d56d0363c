/* Random scenarios as plain structs, so that they can be shrunk. All numbers are uint64_t, the struct has no pointers
 * and no padding. 0 is always the simplest value, a default that need not be written. */
#ifndef TESTS_PROPERTY_SCENARIO_H
#define TESTS_PROPERTY_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Properties add one resource and one VM, so there is room for one more than are generated. */
enum {
    DEVICES = 2,
    RESOURCES = 9,
    BACKGROUNDS = 3,
    WORKLOADS = 6,
    KERNELS = 3,
    STEPS = 6,
    VMS = 9,
    POLICIES = 3,
    POINTS = 3
};

/* Keys of `sm:`. 0 omits the key. */
enum limit {
    LIMIT_BLOCKS,
    LIMIT_THREADS,
    LIMIT_WARPS,
    LIMIT_REGISTERS,
    LIMIT_SHARED,
    LIMIT_BLOCK_THREADS,
    LIMIT_THREAD_REGISTERS,
    LIMIT_REGISTER_UNIT,
    LIMIT_PARTITIONS,
    LIMIT_SHARED_UNIT,
    LIMIT_SHARED_RESERVED,
    LIMIT_BLOCK_SHARED,
    LIMITS
};

struct device {
    uint64_t sms, limit[LIMITS];
    uint64_t own; /* it has a resource that the other lacks, and no kernel demands */
};

/* Ratios are in thousandths: 1000 is 100 %. */
struct resource {
    uint64_t memory, wide; /* class; scope */
    uint64_t knee;         /* thousandths; 0: not given */
    uint64_t points, usage[POINTS], overhead[POINTS];
};

struct background {
    uint64_t sm, demand[RESOURCES];
};

struct kernel {
    uint64_t blocks, threads, registers, shared;
    uint64_t time, cycles; /* ps; cycles instead of ps if 1 */
    uint64_t jitter, exponential;
    uint64_t launch; /* 1 + ps; 0: as the device says */
    uint64_t demand[RESOURCES];
};

enum step_kind { STEP_LAUNCH, STEP_HOST, STEP_COPY_IN, STEP_COPY_OUT, STEP_KINDS };

struct step {
    uint64_t kind, amount; /* ps or bytes */
    uint64_t kernel, times, graph;
};

struct workload {
    uint64_t kernels, steps; /* steps 0: each kernel is launched once */
    uint64_t cls;            /* of contention by pairs; 0: none, and nothing slows it */
    struct kernel kernel[KERNELS];
    struct step step[STEPS];
};

enum arrivals { ARRIVE_CLOSED, ARRIVE_EVERY, ARRIVE_POISSON };

struct vm {
    uint64_t name; /* number that ends the name */
    uint64_t workload, start, streams, priority;
    uint64_t repeat; /* 0: forever */
    uint64_t phased; /* its phase is drawn if it repeats for ever: no start is given */
    uint64_t arrivals, interval, deadline;
};

enum policy_kind {
    ROUND_ROBIN,
    ROUND_ROBIN_FULL,
    BREADTH_FIRST,
    DEPTH_FIRST,
    MOST_ROOM,
    LEFTOVER,
    FINE_GRAINED,
    UTILIZATION_AWARE,
    FINE_GRAINED_CAPPED, /* this and the following decide at launch, too, and are not replayed */
    SM_QUOTA,
    ELASTIC_KERNELS,
    TENANT_FAIR,
    WARPED_SLICER,
    AFFINITY,
    POLICY_KINDS
};

struct policy {
    uint64_t kind, limit, patience; /* ps; 0: for ever */
};

enum contention { NONE, PROPORTIONAL, CURVE, MAXMIN, PRESSURE, KNEE, PAIRWISE, PIPES, CONTENTIONS };

enum { CLASSES = 2 };

struct scenario {
    uint64_t clock_mhz, link, idle_w, busy_w; /* link: B/s */
    uint64_t devices, resources, backgrounds, workloads, vms, policies;
    uint64_t launch, interval;     /* ps: of the devices' dispatch */
    struct device device[DEVICES]; /* the others override the first */
    struct resource resource[RESOURCES];
    struct background background[BACKGROUNDS];
    struct workload workload[WORKLOADS];
    struct vm vm[VMS];
    struct policy policy[POLICIES], alone;
    uint64_t queue; /* 0: the key is omitted; else 1 + index in sms__queue_names */
    uint64_t contention, slope;
    uint64_t pair[CLASSES][CLASSES];               /* slowdowns beyond 1, thousandths */
    uint64_t warmup, duration, seed, replications; /* ps; duration 0: until all jobs end */
    uint64_t one;                                  /* of equal devices one is simulated, and counts for all */
    uint64_t wordy;                                /* adds titles, sources and other things that change nothing */
    uint64_t renamed;                              /* VMs, workloads and kernels have other names */
};

/* Generates the scenario of a seed (generate.c). */
void generate(struct scenario *scenario, uint64_t seed);

/* Writes the scenario as YAML (print.c). */
void print_scenario(const struct scenario *scenario, FILE *to);
uint64_t limit_of(const struct device *device, enum limit limit); /* the default if the key is omitted */
extern const char *const policy_names[POLICY_KINDS];

/* What a block takes from an SM according to docs/explanation/model.md, in the order of enum sms_limit. Registers are
 * in units of 2^-20. */
struct needs {
    uint64_t of[5];
};

/* False if the block fits no SM. */
bool block_needs(const struct device *device, const struct kernel *kernel, struct needs *needs);
struct needs sm_capacity(const struct device *device);

/* Full-speed time of a block in ps. */
double work_ps(const struct scenario *scenario, const struct kernel *kernel);

/* What the `nth` launch of a step costs, from 0. */
uint64_t launch_cost(const struct scenario *scenario, const struct workload *workload, size_t step, uint64_t nth);

/* The steps of a job. A workload without steps has one launch for each kernel. */
size_t count_steps(const struct workload *workload);
struct step step_at(const struct workload *workload, size_t idx);

/* The kernel of a VM, by index. */
const struct kernel *kernel_of(const struct scenario *scenario, uint64_t vm, uint64_t kernel);

/* Whether every VM has a finite number of jobs. */
bool is_finite(const struct scenario *scenario);

#endif
