/* Sweeps: a plan varies scenarios, its points are run, and their results are kept in stores that are later merged.
 *
 * A point is one scenario whose document has some nodes replaced. It runs with all its policies and replications.
 * Points are numbered from 0. The base varies slowest, then the axes in their order; the last axis varies fastest. */
#ifndef SMS_SWEEP_SWEEP_H
#define SMS_SWEEP_SWEEP_H

#include "../base/write.h"
#include "../model/change.h"
#include "../model/scenario.h"

#include <time.h>

enum { SMS__COLUMNS_MAX = 64, SMS__POINTS_MAX = 10000000, SMS__KEY_BYTES = 32, SMS__KEEP_BOUND = 1 << SMS_SUBJECTS };
enum { SMS__KEEP_VALUES = 2 * SMS__KEEP_BOUND, SMS__STAGES_MAX = 20 };

/* A range of numbers with a unit, such as "50 %" to "200 %". */
struct sms__range {
    double from, to;
    const char *unit; /* includes the blank before it */
    bool log, whole;
};

/* One field that an axis varies, over the entries of a list or over a range. */
struct sms__column {
    size_t axis;                    /* index of its axis in the plan */
    const struct sms__node *path;   /* a scalar: "contention.slope" */
    const struct sms__node *values; /* a list; NULL: the values come from the range */
    const struct sms__node *spec;   /* node of the list or range, for error locations */
    struct sms__range range;
    bool wrong;     /* while the plan is checked: skip this column */
    bool valueless; /* its values are wrong, and its path has not been checked yet */
    bool used;      /* a checked point runs the workload that the path names */
};

struct sms__axis {
    const struct sms__node *node;
    size_t first, columns; /* first: index in the plan's list of columns */
    uint64_t count;        /* number of positions */
    uint32_t *entry;       /* [count][columns], index into each column's list; or NULL */
    double *fraction;      /* [count][columns], position along each list or range, in [0, 1); or NULL */
};

struct sms__base {
    const char *path;             /* file name */
    const struct sms__node *node; /* names the file in the plan; NULL: the scenarios are in the plan's own file */
    size_t scenarios;
    const struct sms__node **scenario; /* [scenarios], documents */
    const char **name;                 /* [scenarios] */
    struct sms_file *library;
};

/* Keys of a plan that hold for all of its points. */
enum sms__fixed {
    SMS__PLAN_POLICIES,
    SMS__PLAN_ANSWER,
    SMS__PLAN_REPLICATIONS,
    SMS__PLAN_UNTIL,
    SMS__PLAN_SEED,
    SMS__FIXED
};

enum sms__find { SMS__FIND_LARGEST, SMS__FIND_LEAST, SMS__FIND_BEST };

/* What a plan searches along its last axis: where metrics stop meeting limits, or which values are best by the plan's
 * answer. search_plan.c reads it. */
struct sms__search_asked {
    const struct sms__node *node, *vary, *where, *of, *most;
    int find;                   /* enum sms__find */
    double confidence;          /* that both ends of an answer hold, or that the best is in it */
    struct sms__node *of_point; /* the confidence of each run; NULL: wrong */
    bool first_good; /* the value at position 0 is the one that is not searched for: the limit is met there first */
    const struct sms__node *stage[SMS__STAGES_MAX]; /* [stages], numbers of replications of a race */
    size_t stages;                                  /* 1 without a race */
};

struct sms__plan {
    struct sms__arena arena;
    const char *path, *name, *question;
    const struct sms__node *node;
    const struct sms_load_options *options;
    const struct sms__node *bases_node, *axes_node, *keep_node, *labels;
    const struct sms__node *search_node;       /* or NULL */
    struct sms__search_asked search;           /* if search_node */
    const struct sms__node *fixed[SMS__FIXED]; /* or NULL */
    bool fixed_wrong[SMS__FIXED];              /* while the plan is checked: skip this key */
    uint64_t seed;
    struct sms__base *base;
    size_t bases;
    size_t scenarios; /* in all bases */
    struct sms__axis *axis;
    size_t axes;
    struct sms__column *column;
    size_t columns;
    double cells;  /* positions times columns, summed over the axes that are drawn or mixed */
    unsigned keep; /* bit s: results of enum sms_subject s; or SMS__KEEP_BOUND, SMS__KEEP_VALUES (of the answer) */
    uint64_t points;
    struct sms_errors warnings; /* of points, where their bases have none: at the values of the plan */
    struct sms__trust *trust;   /* NULL: the models have none */
};

/* plan.c: reads the plan in the file at `path` with its bases, and checks every axis. The caller frees the plan.
 * `path` and `options` must outlive it. Errors: SMS_EINPUT, SMS_EIO, SMS_ENOMEM. */
int sms__plan_load(const char *path, const struct sms_load_options *options, struct sms__plan **out,
                   struct sms_errors *errors);
void sms__plan_free(struct sms__plan *plan);
/* The value of a key of the plan's `answer`, or NULL without that key or without an answer. */
const char *sms__plan_asks(const struct sms__plan *plan, const char *key);
extern const struct sms__table sms__plan_tables[]; /* ends with a title of NULL */

/* is_plan.c: whether the file at `path` can be read as YAML and contains a plan. */
bool sms__is_plan(const char *path);

/* check_plan.c: loads points until each value of each axis was part of one, within a budget. A value that is wrong by
 * itself is then skipped, so that its error hides no other. */
void sms__plan_check(struct sms__plan *plan, struct sms_errors *errors);

/* axes.c: reads plan->axes_node. */
void sms__read_axes(struct sms__reader *reader, struct sms__plan *plan);
void sms__keep_map(struct sms__reader *reader, const struct sms__node *node, void *field); /* which must be a mapping */
extern const struct sms__field sms__range_fields[], sms__spread_fields[], sms__mix_fields[];
extern const char *const sms__drawn_axes[]; /* keys of entries whose points are drawn or mixed; ends with NULL */

/* search_plan.c: reads plan->search_node, before the axes; its `vary` becomes the last one. It sets the plan's answer
 * and the limit of each run. The second checks the values of that axis. */
void sms__read_search(struct sms__reader *reader, struct sms__plan *plan);
void sms__check_search(struct sms__reader *reader, struct sms__plan *plan);
extern const struct sms__field sms__search_fields[];
/* The most points on the way to one answer, whose errors all together stay below that of the answer. */
uint64_t sms__search_most(const struct sms__plan *plan);
/* The position at step `i` of the values that a search first looks at, SMS__SEARCH_SCAN of them at most, in order; or
 * `values` past the last. */
enum { SMS__SEARCH_SCAN = 5 };
uint64_t sms__search_scan(uint64_t values, unsigned i);

/* values.c: the node that a column has at a position of its axis. */
const struct sms__node *sms__column_value(struct sms__arena *arena, const struct sms__plan *plan,
                                          const struct sms__axis *axis, uint64_t position, size_t column);
/* Reads `{from:, to:, ...}`. Returns its number of steps, or 0 after an error. `sampled`: the axis draws its points, so
 * the range must not have steps; returns 1. */
uint64_t sms__read_range(struct sms__reader *reader, const struct sms__node *node, bool sampled,
                         struct sms__range *range);

/* words.c: the plan's label of a column; or what people read in place of its path, such as "mean time between arrivals
 * of serve"; or the path itself where that says no more. */
const char *sms__column_words(struct sms__arena *arena, const struct sms__plan *plan, const struct sms__column *column);
/* Checks the plan's labels, once its columns are known. */
void sms__check_labels(struct sms__reader *reader, const struct sms__plan *plan);

/* point.c: the base, the scenario and the position on each axis that make up a point. */
struct sms__coordinates {
    const struct sms__base *base;
    size_t scenario;                     /* index in the base */
    uint64_t position[SMS__COLUMNS_MAX]; /* [axes] */
    size_t stage;                        /* of a race; it varies fastest */
};
void sms__point_coordinates(const struct sms__plan *plan, uint64_t point, struct sms__coordinates *coordinates);
/* point.c: the value of a key of the plan that holds for all points, but for the stages of a race; NULL: none. */
const struct sms__node *sms__point_fixed(const struct sms__plan *plan, const struct sms__coordinates *coordinates,
                                         int key);
/* values.c: the value of the plan's `column`-th column there, as a node, and as text: of a scalar as it is written. */
const struct sms__node *sms__point_value(struct sms__arena *arena, const struct sms__plan *plan,
                                         const struct sms__coordinates *coordinates, size_t column);
const char *sms__point_text(struct sms__arena *arena, const struct sms__plan *plan,
                            const struct sms__coordinates *coordinates, size_t column);

/* locate_error.c: adds the errors of `more` that `errors` does not have yet. */
void sms__add_errors(struct sms_errors *errors, const struct sms_errors *more);
/* The values of a plan that caused an error in a scenario's file. */
struct sms__error_origin {
    struct sms__plan *plan;
    const struct sms__coordinates *coordinates;
    const struct sms__axis *axis; /* NULL: any of the axes */
};
/* Moves an error from the scenario's file to the plan, at the values that caused it. */
void sms__locate_error(const struct sms__error_origin *origin, struct sms_error *error);

/* What a thread makes points from. Loading a point adds to the files, so no two threads may use the same ones. */
struct sms__worker_context {
    const struct sms__plan *plan;
    struct sms_file **library; /* [bases] */
    bool shared;               /* the files are the plan's */
    struct sms__hashes *hashes;
};
/* key.c: `shared`: uses the plan's files instead of loading them again. */
int sms__worker_context_open(const struct sms__plan *plan, bool shared, struct sms__worker_context *context,
                             struct sms_errors *errors);
void sms__worker_context_close(struct sms__worker_context *context);
/* point.c: loads the scenario of a point. The caller frees the file, before the context is closed. `models`: NULL, or
 * receives a list of the devices, workloads, policies and contention models that the point uses. The caller frees it;
 * it is NULL without memory. If the point could not be loaded, the list stands for any policies and contention models.
 */
int sms__coordinates_load(struct sms__worker_context *context, const struct sms__coordinates *coordinates,
                          struct sms_file **out, char **models, struct sms_errors *errors);
int sms__point_load(struct sms__worker_context *context, uint64_t point, struct sms_file **out, char **models,
                    struct sms_errors *errors);

/* point.c: writes what determines a point's runs beside its scenario's document: the file of the base, and the values
 * of paths into workloads. It lives in the arena; call it in its guard. */
const char *sms__point_beside(struct sms__arena *arena, const struct sms__plan *plan, uint64_t point);

/* key.c: SHA-256 of everything that determines a point's results. That is the program's version and sources, the
 * scenario's document, the plan's changes to it, what is kept, the documents of its devices and workloads, and the
 * sources of its policies and contention model. */
/* `models` is such a list. False: one of the models no longer exists, or there is no memory. `name`: NULL, or receives
 * the beginning of a hash of the same without the models, by which a point is found again after it got another number.
 * With `models` NULL there is a name only. */
bool sms__point_key(struct sms__worker_context *context, uint64_t point, const char *models, uint64_t *name,
                    unsigned char key[SMS__KEY_BYTES]);

/* In a list of models, instead of the name of a policy's file: all policies and contention models. */
extern const char sms__all_plugins[];

struct sms__shard {
    unsigned idx, count; /* `idx`: from 1 to `count` */
};

/* runner.c: runs the points of the shard that the folder lacks. Finished points are in the shard's store within a
 * second. */
struct sms__sweep_options {
    struct sms__shard shard;
    unsigned jobs;
    uint64_t memory; /* as max_memory in sms_run_options, of all threads together */
    bool quiet;
    enum sms_engine engine;
    bool check;
    const atomic_bool *cancel;
};
struct sms__sweep_count {
    uint64_t points, before, run, failed; /* points of the shard; before: already in the stores */
    uint64_t simulated, shared;           /* runs of these points; shared: taken over from equal ones */
};
int sms__sweep_run(const struct sms__plan *plan, const char *folder, const struct sms__sweep_options *options,
                   struct sms__sweep_count *count, struct sms_errors *errors);

/* progress.c: progress on stderr. On a terminal one line is rewritten; otherwise a line is added every 30 s. */
struct sms__progress {
    const char *label; /* printed first: "", or "SCENARIO: " */
    const char *what;  /* "points" */
    bool quiet, terminal;
    double started_s, shown_s;
};
void sms__progress_begin(struct sms__progress *progress, const char *label, const char *what, bool quiet);
void sms__progress_show(struct sms__progress *progress, uint64_t done, uint64_t total, uint64_t failed);
/* Like sms__progress_show, from the first per cent on, for work of which `share`, from 0 to 1, is done. */
void sms__progress_share(struct sms__progress *progress, double share);
void sms__progress_end(const struct sms__progress *progress);
/* Seconds of a clock that never goes back. */
double sms__monotonic_s(void);

#endif
