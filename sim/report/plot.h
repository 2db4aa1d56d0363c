/* The rows of a results folder from which pages make their pictures. */
#ifndef SMS_REPORT_PLOT_H
#define SMS_REPORT_PLOT_H

#include "../base/arena.h"
#include "../base/errors.h"
#include "../yaml/fields.h"

#include <smsched/smsched.h>

#include <stdbool.h>
#include <stdint.h>

/* Names in the order of their first appearance. */
struct sms__names {
    const char **name;
    size_t count;
    struct sms__name_branch *branch; /* a tree over the names */
    size_t branches, root;
};

/* How every row begins. */
struct sms__row {
    size_t scenario, policy;
    size_t number; /* in the order of reading */
};

/* Consecutive rows of one scenario, or of one scenario and policy. */
struct sms__group_of {
    size_t scenario, policy, from, count;
    size_t number; /* of the first row */
};

/* By scenario and then by policy. */
struct sms__groups {
    struct sms__group_of *item;
    size_t count;
};

/* Rows of one type, sorted by group. */
struct sms__rows {
    void *row; /* [count] */
    size_t count;
    struct sms__groups groups;
};

/* A name in a row of a subject. */
struct sms__named {
    struct sms__row row;
    const char *name;
    double value; /* NAN if empty */
};

/* An SM's occupancy in an interval. */
struct sms__heat {
    struct sms__row row;
    double sm, time_ns, width_ns, occupancy;
};

/* Equal blocks of a VM on an SM of the first device. */
struct sms__block_span {
    struct sms__row row;
    size_t vm, sm, blocks;
    double start_ns, end_ns;
};

/* A process in a state. */
struct sms__state_span {
    struct sms__row row;
    size_t process, state;
    double start_ns, end_ns;
};

/* A pod on GPUs of a node, after it waited. */
struct sms__pod_span {
    struct sms__row row;
    size_t ended; /* index of an ending */
    const char *pod, *node;
    uint64_t gpus; /* bit i: GPU i */
    double wait_ns, start_ns, end_ns, allocated;
};

/* How full a cluster is when pods have asked for `arrived` of its GPUs. All are ratios. */
struct sms__point {
    struct sms__row row;
    double arrived, allocated, fragments;
};

enum {
    SMS__PLOT_GPUS = 64,    /* of a node */
    SMS__STATES_MAX = 32,   /* states with a number of their own; those beyond have the last one */
    SMS__ENDED_WAITING = 6, /* the ending that stands for waiting pods; those before are of placements.csv */
};

/* Everything lives in the arena. The functions are called inside a guard. They return SMS_OK or the code of the error
 * that they reported. */
struct sms__plot {
    struct sms__arena arena;
    struct sms_errors errors;
    const char *folder; /* the results */
    struct sms__names scenario, policy, vm, process, state, ending;
    struct sms__rows host, named, heat, block_span, state_span, pod_span, point;
};

/* plot_read.c: reads all files. */
int sms__plot_read(struct sms__plot *plot);

/* plot_names.c: the index of a name, which is added if it is new. */
size_t sms__name_index(struct sms__arena *arena, struct sms__names *names, const char *name);
/* Sorts rows of `size` bytes into groups: by scenario, and with `policies` also by policy. */
void sms__group_rows(struct sms__arena *arena, struct sms__rows *rows, size_t size, bool policies);
/* The groups of a scenario; and among these the group of a policy, or NULL. */
struct sms__groups sms__groups_of(const struct sms__groups *groups, size_t scenario);
const struct sms__group_of *sms__group_of(const struct sms__groups *groups, size_t policy);

/* plot_pods.c */
/* A pod on one GPU, or waiting. Sorted by row and start. */
struct sms__gpu_span {
    const struct sms__pod_span *pod;
    unsigned gpu; /* its index + 1; 0 for a pod that waits */
    size_t row;
    double start_ns, end_ns;
    size_t state; /* index of an ending */
};
struct sms__pods_drawn {
    struct sms__gpu_span *span;
    size_t spans;
    struct sms__names row; /* "NODE/GPU", "waiting" */
};
struct sms__pods_drawn sms__draw_pods(struct sms__plot *plot, const struct sms__group_of *group);
#endif
