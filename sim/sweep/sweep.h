/* Sweeps: a plan varies scenarios, its points are run and their records kept in journals, which are merged.
 *
 * A point is one scenario with some of its document's nodes replaced, run with all its policies and replications.
 * Points are numbered from 0: the base slowest, then the axes in their order, the last fastest. */
#ifndef SMS_SWEEP_SWEEP_H
#define SMS_SWEEP_SWEEP_H

#include "../base/write.h"
#include "../model/file.h"
#include "../model/scenario.h"

#include <time.h>

enum { SMS__COLUMNS_MAX = 64, SMS__POINTS_MAX = 10000000, SMS__KEY_BYTES = 32, SMS__KEEP_BOUND = 1 << SMS_SUBJECTS };

/* Numbers between two ends, "50 %" to "200 %". */
struct sms__range {
    double from, to;
    const char *unit; /* with the blank before it */
    bool log, whole;
};

/* One field that an axis varies: over the entries of a list or over a range. */
struct sms__column {
    const struct sms__node *path;   /* a scalar: "contention.slope" */
    const struct sms__node *values; /* a list, or NULL: of the range */
    const struct sms__node *spec;   /* where the range stands */
    struct sms__range range;
    bool wrong;     /* while the plan is tried: it is left out */
    bool valueless; /* its values are wrong, and nothing is told of its path yet */
    bool used;      /* of a workload that some point tried has */
};

struct sms__axis {
    const struct sms__node *node;
    size_t first, columns; /* in the plan's list */
    uint64_t count;        /* of positions */
    uint32_t *pick;        /* NULL, or [count][columns]: entries of the lists */
    double *at;            /* NULL, or [count][columns]: 0..1 along lists and ranges */
};

struct sms__base {
    const char *path;             /* of the file */
    const struct sms__node *node; /* that names it in the plan; NULL: the plan's own scenarios */
    size_t scenarios;
    const struct sms__node **scenario; /* [scenarios]: documents */
    const char **name;                 /* [scenarios] */
    struct sms_file *library;
};

/* What a plan says once for all its points. */
enum sms__fixed { SMS__PLAN_POLICIES, SMS__PLAN_REPLICATIONS, SMS__PLAN_UNTIL, SMS__PLAN_SEED, SMS__FIXED };

struct sms__plan {
    struct sms__arena arena;
    const char *path, *name, *question;
    const struct sms__node *node;
    const struct sms_load_options *options;
    const struct sms__node *bases_node, *axes_node, *keep_node;
    const struct sms__node *fixed[SMS__FIXED]; /* or NULL */
    bool fixed_wrong[SMS__FIXED];              /* while the plan is tried: it is left out */
    uint64_t seed;
    struct sms__base *base;
    size_t bases;
    size_t scenarios; /* of all bases */
    struct sms__axis *axis;
    size_t axes;
    struct sms__column *column;
    size_t columns;
    double cells;  /* of all axes that are drawn or mixed */
    unsigned keep; /* bit s: results of enum sms_subject s; SMS__KEEP_BOUND */
    uint64_t points;
};

/* plan.c: reads the plan in the file at `path` and its bases, and tries every axis. The plan is the caller's.
 * `options` must outlive it. */
int sms__plan_load(const char *path, const struct sms_load_options *options, struct sms__plan **out,
                   struct sms_errors *errors);
void sms__plan_free(struct sms__plan *plan);
extern const struct sms__table sms__plan_tables[]; /* ends with a title of NULL */

/* look.c: whether the file at `path` can be read as YAML and has a plan in it. */
bool sms__has_plan(const char *path);

/* trial.c: every value of every axis, the others at their first that is right; what is wrong alone is left out then, so
 * that it hides nothing else. */
void sms__plan_try(struct sms__plan *plan, struct sms_errors *errors);

/* axes.c: a custom field; reader->user is the plan. */
void sms__read_axes(struct sms__reader *reader, struct sms__plan *plan);
extern const struct sms__field sms__range_fields[], sms__spread_fields[], sms__mix_fields[];

/* values.c: the node that a column has at a position of its axis. */
const struct sms__node *sms__column_value(struct sms__arena *arena, const struct sms__plan *plan,
                                          const struct sms__axis *axis, uint64_t position, size_t column);
/* `{from:, to:, ...}`; returns its number of steps, 0 if it is none. `sampled`: it has no steps of its own. */
uint64_t sms__read_range(struct sms__reader *reader, const struct sms__node *node, bool sampled,
                         struct sms__range *range);
/* base^exponent, 0 <= exponent <= 1, by square roots: the same on every machine. */
double sms__root_power(double base, double exponent);

/* path.c: one node of a tree to be replaced or added. */
struct sms__change {
    const struct sms__plan *plan;
    const struct sms__node *path;  /* where it stands in the plan */
    const char *rest;              /* of its text, from `root` on */
    const struct sms__node *value; /* that is put there */
    int by;                        /* which of the plan's paths it is: enum sms__fixed, or SMS__FIXED and a column */
};
/* What is not on the way is shared. `root` as it was, having complained at the path, if there is no such place, or if
 * another of the plan's paths has put something there. */
const struct sms__node *sms__node_replace(struct sms__reader *reader, const struct sms__node *root,
                                          const struct sms__change *change);
/* What follows `name` in the path, or NULL if that does not begin with it. */
const char *sms__path_behind(const char *rest, const char *name);
/* `root` without its key. */
const struct sms__node *sms__node_without(struct sms__arena *arena, const struct sms__node *root, const char *key);

/* flow.c: a node as YAML in one line, always the same for the same content. */
char *sms__node_flow(struct sms__arena *arena, const struct sms__node *node);

/* point.c: which base and which positions a point has. */
struct sms__place {
    const struct sms__base *base;
    size_t scenario;                     /* of the base */
    uint64_t position[SMS__COLUMNS_MAX]; /* [axes] */
};
void sms__point_place(const struct sms__plan *plan, uint64_t point, struct sms__place *place);

/* What follows `workloads.` in a path, or NULL. */
const char *sms__path_of_workload(const struct sms__node *path);

/* blame.c: all of `more` that `errors` has not yet. */
void sms__add_errors(struct sms_errors *errors, const struct sms_errors *more);
/* Turns an error that stands elsewhere into one of the values of the plan with which it came: those of an
 * axis, or of all (NULL). */
struct sms__blame {
    struct sms__plan *plan;
    const struct sms__place *place;
    const struct sms__axis *axis;
};
void sms__blame_values(const struct sms__blame *blame, struct sms_error *error);

/* One thread's way to points: libraries of its own. */
struct sms__reach {
    const struct sms__plan *plan;
    struct sms_file **library; /* [bases] */
    struct sms__hashes *hashes;
};
int sms__reach_open(const struct sms__plan *plan, struct sms__reach *reach, struct sms_errors *errors);
void sms__reach_close(struct sms__reach *reach);
/* The scenario of a point, in a file that is the caller's and lives no longer than the reach. `models`: NULL, or it
 * gets those that it uses, also of a point that cannot be: the caller's to free, NULL without memory. */
int sms__place_load(struct sms__reach *reach, const struct sms__place *place, struct sms_file **out, char **models,
                    struct sms_errors *errors);
int sms__point_load(struct sms__reach *reach, uint64_t point, struct sms_file **out, char **models,
                    struct sms_errors *errors);

/* key.c: SHA-256 of all that determines a point's results: the program's version and sources, the scenario's document,
 * what the plan replaces in it, what is kept, and the documents of the devices and workloads that it uses. `models`
 * lists those, as sms__point_models tells them of a loaded point (the caller frees it; NULL without memory). False: one
 * of them is gone, or there is no memory. */
char *sms__point_models(const struct sms_file *file);
bool sms__point_key(struct sms__reach *reach, uint64_t point, const char *models, unsigned char key[SMS__KEY_BYTES]);
struct sms__hashes *sms__hashes_new(size_t scenarios);
void sms__hashes_free(struct sms__hashes *hashes);

/* record.c: what is kept of a point, as bytes of a journal; integers and doubles little-endian. Behind the head stands
 * the message of a point that failed, or the warnings of its run and its results. */
enum { SMS__RECORD_HEADER = 16 };
struct sms__bytes {
    unsigned char *at;
    size_t size, capacity;
    bool failed; /* without memory, or read beyond the end */
};
struct sms__point_head {
    uint64_t point;
    unsigned char key[SMS__KEY_BYTES];
    bool failed;
    const char *models;
};
void sms__record_put_u32(struct sms__bytes *bytes, uint32_t value);
void sms__record_put_double(struct sms__bytes *bytes, double value);
void sms__record_put_string(struct sms__bytes *bytes, const char *text);
void sms__record_begin(struct sms__bytes *bytes, const struct sms__point_head *head);
void sms__record_results(struct sms__bytes *bytes, const struct sms_results *results, unsigned keep);
/* record.c, too: what no policy could exceed, of each metric that is bounded. SMS_OK or a code, having said why. */
struct sms__record_bound {
    double steady_per_s, run_per_s; /* NAN: there is none */
    const char *binds;              /* what holds it down most; "" if that is not known */
    double share;                   /* of it, 0..1; NAN */
    const char *reason;             /* why there is none, or "" */
};
int sms__record_bounds(struct sms__bytes *bytes, const struct sms_scenario *scenario, struct sms_errors *errors);
void sms__record_end(struct sms__bytes *bytes);
/* The bytes of the record at `at`; 0 if there is none that is whole. `hashed`: NULL, or how many bytes were hashed to
 * know it; untouched if none. */
size_t sms__record_length(const unsigned char *at, size_t size, uint64_t *hashed);
/* Reading a whole record: `capacity` is its length, `size` how far it has been read. Strings lie in it. */
void sms__record_head(struct sms__bytes *bytes, struct sms__point_head *head);
uint32_t sms__record_get_u32(struct sms__bytes *bytes);
double sms__record_get_double(struct sms__bytes *bytes);
const char *sms__record_get_string(struct sms__bytes *bytes);
void sms__record_get_bound(struct sms__bytes *bytes, struct sms__record_bound *bound);

struct sms__shard {
    unsigned idx, count; /* from 1 */
};

/* index.c: what the journals in the folder of a sweep hold. */
struct sms__journal {
    char name[280];
    int fd;                /* -1: it is opened for each record */
    uint64_t records, end; /* of the last whole record */
    bool running;          /* a process of this machine holds it, or one of another gave a sign of life */
};
enum sms__point_state { SMS__POINT_MISSING, SMS__POINT_DONE, SMS__POINT_FAILED };
enum { SMS__KEY_BEGIN = 8 };
struct sms__where {
    uint64_t offset;
    uint32_t length;
    uint16_t journal;
    uint8_t state; /* enum sms__point_state */
    bool taken;    /* of a stale record: a point has it */
    unsigned char key[SMS__KEY_BEGIN];
};
struct sms__index {
    const struct sms__plan *plan;
    const char *folder;
    struct sms__journal *journal;
    size_t journals, kept;    /* kept: the first so many may stay open */
    struct sms__where *where; /* [points] */
    uint64_t done, failed;
    uint64_t stale; /* records whose key is that of no point */
};
/* There may be no folder. Journals that cannot have points of the shard, by their names, are not read: 1/1 reads all.
 */
int sms__index_open(struct sms__reach *reach, const char *folder, struct sms__shard shard, struct sms__index *index,
                    struct sms_errors *errors);
void sms__index_close(struct sms__index *index);
/* The point is done or failed, as the record there; what it had before is forgotten. */
void sms__index_take(struct sms__index *index, uint64_t point, const struct sms__where *where);
/* Which journal has a point that is done or failed. Its record, the head read; false if it cannot be read. bytes->at is
 * realloc'ed. */
const char *sms__index_journal(const struct sms__index *index, uint64_t point);
bool sms__index_record(const struct sms__index *index, uint64_t point, struct sms__bytes *bytes,
                       struct sms__point_head *head);

/* adopt.c: records whose key is not that of the point that they name ("stale") may be those of others. */
enum { SMS__ADOPT_LISTS = 8, SMS__ADOPT_LIST_BYTES = 65536 };
struct sms__stale {
    unsigned char key[SMS__KEY_BYTES];
    struct sms__where where;
};
struct sms__adopt {
    struct sms__reach *reach;
    struct sms__index *index;
    struct sms__stale *record;
    size_t records, capacity;
    char *models[SMS__ADOPT_LISTS]; /* different ones that the records have */
    unsigned lists;
    bool many; /* they have more than these */
};
/* In the order of the journals. False: there is no memory. */
bool sms__adopt_keep(struct sms__adopt *adopt, const struct sms__point_head *head, const struct sms__where *where);
/* Missing points of the shard take the last record with their key. */
void sms__adopt_missing(struct sms__adopt *adopt, struct sms__shard shard);
void sms__adopt_free(struct sms__adopt *adopt);

/* journal.c: the journal of a shard and a machine, for appending, by one process at a time. What stands behind `end`,
 * where the caller lets it begin, is written over. Machines have journals of their own because locks do not hold
 * between all of them, nor end with a machine that dies. */
enum { SMS__SILENCE_S = 60 };
struct sms__log {
    int fd;
    uint64_t end;
    bool dirty;    /* not yet on the disk */
    time_t life_s; /* when it last got a sign of life, by a clock of its own */
    char name[160], path[4400];
};
/* What a journal's name says; false if it is none of sms__log_open. `machine` points into it. */
bool sms__journal_parse(const char *name, struct sms__shard *shard, const char **machine);
/* As flock; a file system without locks has nobody who holds one. */
bool sms__lock(int fd, int operation);
int sms__log_open(const char *folder, struct sms__shard shard, struct sms__log *log, struct sms_errors *errors);
/* One record, whole or not at all. */
int sms__log_append(struct sms__log *log, const struct sms__bytes *bytes, struct sms_errors *errors);
/* Every second or so: onto the disk; or, if nothing has been written for long, a sign of life: the time of the file. */
int sms__log_sync(struct sms__log *log, bool dirty, struct sms_errors *errors);
void sms__log_close(struct sms__log *log);

/* runner.c: runs the points of the shard that the folder lacks. What has ended is synchronized every second. */
struct sms__sweep_options {
    struct sms__shard shard;
    unsigned jobs;
    bool quiet;
    enum sms_engine engine;
    bool check;
    const atomic_bool *cancel;
};
struct sms__sweep_count {
    uint64_t points, before, run, failed; /* of the shard; before: had been run already */
};
int sms__sweep_run(const struct sms__plan *plan, const char *folder, const struct sms__sweep_options *options,
                   struct sms__sweep_count *count, struct sms_errors *errors);

/* progress.c: on stderr, a line that is rewritten on a terminal, else one every half a minute. */
struct sms__progress {
    bool quiet, terminal;
    uint64_t total;
    double started_s, shown_s;
};
void sms__progress_begin(struct sms__progress *progress, bool quiet, uint64_t total);
void sms__progress_show(struct sms__progress *progress, uint64_t done, uint64_t failed);
void sms__progress_end(const struct sms__progress *progress);
/* "3 h 20 min", about. */
void sms__print_duration(char *out, size_t size, double seconds);

/* estimate.c: about how many seconds of one core a point takes, by running `tried` of them, one replication each.
 * `least`: it may be more, for some were cut short. */
struct sms__sweep_estimate {
    double seconds;
    unsigned tried;
    bool least;
};
int sms__sweep_estimate(const struct sms__plan *plan, struct sms__sweep_estimate *estimate, struct sms_errors *errors);

/* journal.c: only one process writes FOLDER/results: waits until no other does. Close what it returns; -1: an error, or
 * `cancel`. */
int sms__merge_lock(const char *folder, const atomic_bool *cancel, struct sms_errors *errors);
/* merge.c: writes FOLDER/results from the journals, under the lock; how many points were done with warnings. The older
 * results stay until the new ones are whole, and what somebody else has put beside them stays for good. */
int sms__sweep_merge(const struct sms__index *index, const atomic_bool *cancel, uint64_t *warned,
                     struct sms_errors *errors);
/* Whether FOLDER/results would be refused, being none that a merge wrote: to know it before the points are run. */
int sms__sweep_check_results(const char *folder, struct sms_errors *errors);

#endif
