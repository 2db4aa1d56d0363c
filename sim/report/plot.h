/* Figures of a results folder. Its CSV files are read. Each figure becomes a data file `NAME.dat` and a file `NAME.var`
 * of gnuplot variables, which a script in the installed folder plots/ draws. */
#ifndef SMS_REPORT_PLOT_H
#define SMS_REPORT_PLOT_H

#include "../base/arena.h"
#include "../base/errors.h"
#include "../yaml/fields.h"

#include <smsched/smsched.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

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

/* A mean with its error bar. */
struct sms__bar {
    struct sms__row row;
    const char *group;
    bool host;         /* covers all that the others are part of */
    double mean, ci95; /* ci95: NAN without replications */
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

/* A process in a state. Spans that share a row of the figure have lanes. */
struct sms__state_span {
    struct sms__row row;
    size_t process, state;
    double start_ns, end_ns;
    size_t lane, lanes;
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

enum { SMS__ASKED_LINES = 3 };

/* The question of a scenario, about a metric of one subject. */
struct sms__asked {
    const char *metric; /* NULL: unknown */
    enum sms_subject subject;
    const char *name;                   /* of the subject's row */
    const char *line[SMS__ASKED_LINES]; /* [lines]: the question in words */
    size_t lines;
    double bound; /* no policy can exceed it; NAN without one */
    bool unlike;  /* tenants run different kernels, so their sum has no meaning */
};

struct sms__figure {
    const char *name, *script;
};

enum {
    SMS__FIGURES_MAX = 3000,
    SMS__PLOT_GPUS = 64,    /* of a node */
    SMS__STATES_MAX = 32,   /* states with a number of their own; those beyond have the last one */
    SMS__ENDED_WAITING = 6, /* the ending that stands for waiting pods; those before are of placements.csv */
};

/* Everything lives in the arena. The sms__write functions and sms__plot_read are called inside a guard. They return
 * SMS_OK or the code of the error that they reported. */
struct sms__plot {
    struct sms__arena arena;
    struct sms_errors errors;
    const char *folder;    /* the results */
    const char *temporary; /* where the figures are made */
    const char *scripts;
    atomic_bool *cancel;
    struct sms__names scenario, policy, vm;
    struct sms__rows answer, throughput, usage, turnaround, slowdown, stp;
    struct sms__asked *asked; /* [asked_count], by scenario */
    size_t asked_count;
    struct sms__rows heat, block_span, state_span, pod_span, point;
    struct sms__names process, state, ending;
    struct sms__figure *figure;
    size_t figures;
    struct sms__names left_out; /* figures for which the results have nothing */
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

/* plot_bars.c, plot_heatmap.c, plot_timeline.c, plot_processes.c: write the data and the variables of figures. */
int sms__write_answer(struct sms__plot *plot);
int sms__write_throughput(struct sms__plot *plot);
int sms__write_usage(struct sms__plot *plot);
int sms__write_turnaround(struct sms__plot *plot);
int sms__write_slowdown(struct sms__plot *plot);
int sms__write_heatmaps(struct sms__plot *plot);
int sms__write_timelines(struct sms__plot *plot);
int sms__write_processes(struct sms__plot *plot);
/* plot_allocation.c */
int sms__write_allocation(struct sms__plot *plot);
/* A figure KIND-SCENARIO-POLICY of spans, with a row for each name in `row` and a colour for each state. */
struct sms__chart_spec {
    const char *kind;
    size_t scenario, policy;
    const struct sms__state_span *span;
    size_t spans;
    const struct sms__names *row, *state;
};
int sms__write_chart(struct sms__plot *plot, const struct sms__chart_spec *spec);
/* plot_pods.c: figures of pods. */
int sms__write_pods(struct sms__plot *plot);
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
/* plot_pairs.c: whether the scenarios are pairs of programs, called A/B; and their figure. */
bool sms__are_pairs(struct sms__plot *plot);
int sms__write_pairs(struct sms__plot *plot);

/* plot_files.c: the two files of a figure. They are opened and closed together. */
struct sms__figure_files {
    FILE *data, *variables;
};

/* Fails if `more` figures would be too many. */
int sms__figures_check(struct sms__plot *plot, size_t more);
int sms__figure_open(struct sms__plot *plot, const char *script, const char *name, struct sms__figure_files *files);
int sms__figure_close(struct sms__plot *plot, struct sms__figure_files *files);
/* Prints `name[idx] = 'text'`. Text of more than `most` characters loses its middle. */
void sms__print_text(FILE *to, const char *name, size_t idx, const char *text, size_t most);
/* Prints a figure's legend: the first 200 names that are used (NULL: all), each with the number of its colour and at
 * most `most` characters. */
void sms__print_legend(FILE *to, const struct sms__names *names, const bool *used, size_t most);
/* A name for files, such as heatmap-a+b for "heatmap" and "a/b". No scenario's name has a '+'. */
const char *sms__figure_name(struct sms__plot *plot, const char *kind, const char *scenario);

struct sms__unit {
    const char *name;
    double size;
};
/* The unit of time in which `most_ns` is 1 or more. */
struct sms__unit sms__time_unit(double most_ns);

/* plot_gnuplot.c: draws one figure in one format: svg, pdf or png. */
int sms__gnuplot(struct sms__plot *plot, const struct sms__figure *figure, const char *format);

#endif
