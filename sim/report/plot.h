/* Figures of a results folder. Its CSV files are read; each figure becomes a data
 * file NAME.dat, a file NAME.var of gnuplot variables, and a script in the
 * installed folder plots/ that draws the one as the other says. */
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
    struct sms__name_branch *branch; /* a tree to find them by */
    size_t branches, root;
};

/* Rows of one scenario and policy, which stand one after the other. */
struct sms__group_of {
    size_t scenario, policy, from, count;
};

/* In the order of scenarios, and in a scenario in that of policies. */
struct sms__groups {
    struct sms__group_of *item;
    size_t count;
};

/* A mean with its error bar; `ci95` is NAN without one. `host` sets it apart: it is of all. */
struct sms__bar {
    size_t scenario, policy;
    const char *group;
    bool host;
    double mean, ci95;
};

struct sms__bars {
    struct sms__bar *bar;
    size_t count;
    struct sms__groups scenarios;
};

struct sms__heat {
    size_t scenario, policy;
    double sm, time_ns, width_ns, occupancy;
};

/* Blocks of a VM that stayed on an SM of the first device from start to end. */
struct sms__box {
    size_t scenario, policy, vm, sm, blocks;
    double start_ns, end_ns;
};

/* A process in a state from start to end; of what shares a row, a lane of so many. */
struct sms__stretch {
    size_t scenario, policy, process, state;
    double start_ns, end_ns;
    size_t lane, lanes;
};

/* A pod had those GPUs of a node from start to end, having waited before; `ended` is the number of an ending. */
struct sms__tenure {
    size_t scenario, policy, ended;
    const char *pod, *node;
    uint64_t gpus;
    double wait_ns, start_ns, end_ns, allocated;
};

/* How full a cluster is when so much has come; ratios. */
struct sms__point {
    size_t scenario, policy;
    double arrived, allocated, fragments;
};

enum { SMS__ASKED_LINES = 3 };

/* The question of a scenario: a metric of one subject. */
struct sms__asked {
    const char *metric; /* NULL: unknown */
    enum sms_subject subject;
    const char *name;                   /* of the subject */
    const char *line[SMS__ASKED_LINES]; /* [lines]: the question in words */
    size_t lines;
    double bound; /* of the run, which no policy can exceed; NAN without one */
    bool unlike;  /* tenants run different kernels, so their sum has no meaning */
};

struct sms__figure {
    const char *name, *script;
};

/* The rows once more, each scenario and policy together. */
struct sms__grouped {
    const struct sms__heat *heat;
    const struct sms__box *box;
    const struct sms__stretch *stretch;
    const struct sms__tenure *tenure;
    const struct sms__point *point;
    struct sms__groups heat_groups, box_groups, stretch_groups, tenure_groups, point_groups;
};

enum { SMS__FIGURES_MAX = 3000 };

/* Everything lives in the arena. The sms__write functions and sms__read are
 * called inside a guard; they return SMS_OK or a code, having said why. */
struct sms__plot {
    struct sms__arena arena;
    struct sms_errors errors;
    const char *folder;    /* the results */
    const char *temporary; /* where the figures are made */
    const char *scripts;
    atomic_bool *cancel;
    struct sms__names scenario, policy, vm;
    struct sms__bars answer, throughput, usage, turnaround, slowdown, stp;
    struct sms__asked *asked; /* [asked_count], by scenario */
    size_t asked_count;
    struct sms__heat *heat;
    size_t heats;
    struct sms__box *box;
    size_t boxes;
    struct sms__names process, state;
    struct sms__stretch *stretch;
    size_t stretches;
    struct sms__names ending;
    struct sms__tenure *tenure;
    size_t tenures;
    struct sms__point *point;
    size_t points;
    struct sms__grouped grouped;
    struct sms__figure *figure;
    size_t figures;
    struct sms__names left_out; /* figures that the results hold nothing for */
};

/* plot_csv.c: a CSV file, row by row, of each row the columns named. */
enum { SMS__CSV_COLUMNS = 10, SMS__CSV_FIELD = SMS__FIELD_BYTES };

struct sms__csv {
    const char *file;
    const char *column[SMS__CSV_COLUMNS + 1]; /* ends with NULL */
    void (*row)(struct sms__plot *plot, struct sms__csv *csv);
    struct sms__plot *plot;
    char field[SMS__CSV_COLUMNS][SMS__CSV_FIELD]; /* of the row at hand */
    size_t place[SMS__CSV_COLUMNS];               /* of each column in the file, from 1; 0: not seen */
    size_t width, cell, line;
};

int sms__csv_read(struct sms__plot *plot, struct sms__csv *csv);
/* The number in a field; NAN if that is empty; else complains. */
double sms__csv_number(struct sms__csv *csv, size_t i);
/* The same for numbers that must be there and not below 0. */
double sms__csv_amount(struct sms__csv *csv, size_t i);

/* plot_read.c */
int sms__plot_read(struct sms__plot *plot);

/* plot_answer.c: reads the questions of the scenarios, whose names must be known by then, and the values that answer
 * them. */
int sms__read_answers(struct sms__plot *plot);

/* plot_names.c: the number of a name, which is new if need be. */
size_t sms__name_index(struct sms__arena *arena, struct sms__names *names, const char *name);
/* Puts rows that begin with numbers of a scenario and a policy into groups, without `policies` a scenario each. In a
 * group they have the order that they had. Returns them. */
void *sms__group_rows(struct sms__arena *arena, void *rows, size_t count, size_t size, bool policies,
                      struct sms__groups *groups);
/* Those of a scenario; of these, that of a policy, or NULL. */
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
/* What lasted under one policy, as a figure of KIND-SCENARIO-POLICY: a row a name of `row`, a colour a state. */
struct sms__chart_of {
    const char *kind;
    size_t scenario, policy;
    const struct sms__stretch *stretch;
    size_t stretches;
    const struct sms__names *row, *state;
};
int sms__write_chart(struct sms__plot *plot, const struct sms__chart_of *of);
/* plot_pods.c: reads placements.csv, if there is one; figures of it. */
int sms__read_tenures(struct sms__plot *plot);
int sms__write_pods(struct sms__plot *plot);
/* A pod on one GPU, or waiting; sorted by row and start. */
struct sms__pod_stay {
    const struct sms__tenure *tenure;
    unsigned gpu; /* its number + 1; 0: it waits */
    size_t row;
    double start_ns, end_ns;
    size_t state; /* the number of an ending, or of waiting */
};
struct sms__pods_drawn {
    struct sms__pod_stay *stay;
    size_t stays;
    struct sms__names row; /* "NODE/GPU", "waiting" */
};
struct sms__pods_drawn sms__draw_pods(struct sms__plot *plot, const struct sms__group_of *group);
/* Begins the list of states with those that are known, in their order. */
void sms__name_states(struct sms__plot *plot);
size_t sms__state_index(struct sms__plot *plot, const char *state);

/* plot_pairs.c: whether the scenarios are pairs of programs, called A/B; the figure of them. */
bool sms__are_pairs(struct sms__plot *plot);
int sms__write_pairs(struct sms__plot *plot);

/* plot_files.c: the two files of a figure, which begin and end together. */
struct sms__figure_files {
    FILE *data, *variables;
};

/* Whether so many more may be drawn; if not, says so. */
int sms__figures_check(struct sms__plot *plot, size_t more);
int sms__figure_open(struct sms__plot *plot, const char *script, const char *name, struct sms__figure_files *files);
int sms__figure_close(struct sms__plot *plot, struct sms__figure_files *files);
/* Prints `name[idx] = 'text'`, the text with no more than `most` characters. */
void sms__print_text(FILE *to, const char *name, size_t idx, const char *text, size_t most);
/* Prints a figure's legend: of the names the first 200 that are used (NULL: all), each with the number of its colour
 * and no more than `most` characters. */
void sms__print_legend(FILE *to, const struct sms__names *names, const bool *used, size_t most);
/* A name for files: of "heatmap" and "a/b" heatmap-a+b ('+' is in no scenario's name). */
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
