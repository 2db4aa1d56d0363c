/* Draws of what is not known of a scenario: its demands, times, and the parameters of its contention model. A draw is a
 * scenario of its own, whose document has some numbers replaced, so that it passes the same checks. */
#ifndef SMS_SWEEP_DRAW_UNKNOWNS_H
#define SMS_SWEEP_DRAW_UNKNOWNS_H

#include "../model/file.h"
#include "../model/scenario.h"
#include "../results/unknown_effects.h"

/* A number of the scenario's document. */
struct sms__drawn_place {
    const char *path; /* "contention.slope" */
    double value, least, most;
    const char *unit; /* behind the number, " ps"; NULL: none */
};

/* A parameter is one factor of all numbers that it stands for. */
struct sms__parameter {
    const char *name; /* "demand of dram of gather" */
    double spread;
    const char *resource;           /* of a demand or a curve; NULL: of times, or of the places */
    bool curve;                     /* the overheads of the contention's curve of the resource */
    struct sms__drawn_place *place; /* [places] */
    size_t places;
};

struct sms__drawn_workload {
    const struct sms__workload *workload;
    double *most; /* [kernels][SMS_RESOURCES_MAX]: of the factor of each demand, so that its field takes it, and no full
                   * wave wants more than 100 %, unless it did so before */
    size_t first, parameters; /* the workload's, among those of the scenario */
};

struct sms__unknown_list {
    const struct sms_scenario *scenario; /* with the warm-up that was found */
    struct sms__parameter *parameter;    /* [parameters] */
    size_t parameters;
    struct sms__drawn_workload *workload; /* [workloads]: each that a tenant may do */
    size_t workloads;
};

/* unknown_list.c: lists what is not known of a scenario that was read. For a guard of the arena. */
void sms__list_unknowns(struct sms__arena *arena, const struct sms_scenario *scenario, struct sms__unknown_list *list);

/* The same file: whether a demand is drawn: it is a share of a resource, and no count of its units. */
bool sms__draws_demand(const struct sms_scenario *scenario, const struct sms__demand *demand);

/* unknown_draw.c: loads a draw. `logarithm` is [parameters], of the factors. Devices are looked up in `library`, which
 * no two threads may share. The caller frees the file, which lives no longer than the library and the list. */
int sms__load_draw(const struct sms__unknown_list *list, struct sms_file *library,
                   const struct sms_load_options *options, const double *logarithm, struct sms_file **out,
                   struct sms_errors *errors);

/* draw_unknowns.c: draws, and runs all policies in each draw, in threads. */
struct sms__unknowns_run {
    struct sms_file *library;               /* has the scenario's devices */
    const struct sms_load_options *options; /* of the library */
    const struct sms_run_options *run;      /* of the results; on_progress counts draws */
    size_t draws;                           /* 0: as the scenario says */
    /* What counts of a draw, in place of the mean that the scenario asks for; or NULL. */
    double (*value)(const void *user, const struct sms_results *results);
    const void *user;
};
/* Gives the draws to the results, which are of the scenario as it is. Draw d begins where replication d of these began,
 * so that draws without a spread are the replications. Returns SMS_OK, or a code with an error. */
int sms__unknowns_run(const struct sms__unknowns_run *run, struct sms_results *results, struct sms_errors *errors);

#endif
