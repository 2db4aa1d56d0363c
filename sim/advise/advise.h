/* Advice on which programs share a GPU, and how. Programs come from traces, profiles, workloads or the library. Their
 * kernels are made coarse by what each takes alone on the device, block by block; then the programs run in each way to
 * share, and the ways are ranked. A way is a scenario like any other, so that each answer can be run again. */
#ifndef SMS_ADVISE_ADVISE_H
#define SMS_ADVISE_ADVISE_H

#include "../base/buffer.h"
#include "../import/import.h"
#include "../model/file.h"
#include "../model/scenario.h"
#include "../report/output.h"
#include "../report/trust.h"
#include "../results/results.h"

#include <pthread.h>

/* Programs on one GPU, at most. */
enum { SMS__SHARING_MAX = 16 };

/* Jobs/s that may arrive. The time between requests of up to 64 copies must be one that a scenario takes, of at most
 * 2500 h. A launch takes microseconds, so more requests than these would only make a queue that grows, and take hours
 * to simulate. */
#define SMS__LOAD_LEAST 1e-5
#define SMS__LOAD_MOST 1e7

/* A bound on a latency of a program's jobs, as 'serve:p99<50ms'. */
struct sms__target {
    const char *metric; /* of a VM: "job_latency_p99_ns"; NULL: there is none */
    const char *word;   /* "p99" */
    double beyond;      /* share of the jobs that may take longer, 0..1; 0: the mean is meant */
    double ns;
};

/* Launches of a kernel of a program alone, block by block: mean latency, and how often in a second. */
struct sms__lone {
    double ns, per_s;
};

/* What a program does with a GPU to itself. */
struct sms__with_gpu {
    double per_s, mean_ns; /* jobs/s; mean latency */
};

/* A program: one tenant of a file. */
struct sms__program {
    const char *name; /* of the tenant, and of its workloads */
    const char *path;
    size_t number;         /* among all that were read */
    struct sms_file *file; /* which has the tenant and its workloads */
    const struct sms__tenant *tenant;
    const struct sms__node *written; /* the file's scenario, if a person wrote it; or NULL */
    struct sms__target target;
    uint64_t least, most;             /* copies */
    double per_s;                     /* rate at which jobs arrive, of all copies together; 0: the next when one ends */
    double memory;                    /* bytes that each copy holds, beside what its steps allocate */
    double job_ps;                    /* time of a job alone, as the sum of its steps */
    double host_ps;                   /* that part of it which the host takes */
    double launches;                  /* of a job, as it is simulated */
    double fold;                      /* launches for which one is simulated, because there are too many; 1: each is,
                                         as is each of a kernel by its time */
    double least_fold;                /* which it is at least; 0: 1 */
    const struct sms__buffer *coarse; /* [SMS__TEXTS]: its workloads, if they are known with all that is below; NULL */
    double coarse_fold;               /* the least fold that they were written with */
    struct sms__kernel_runs *runs; /* [workloads]: of its kernels alone, kept until its texts are as they should be */
    size_t workloads;
    double mix_ps;                     /* time alone of its launches side by side with others, block by block */
    double mix_blocks;                 /* and their blocks */
    const struct sms__lone *lone;      /* [kernels]: these launches; NULL: not known */
    double unknown;                    /* share of its kernels' time without counters, 0..1 */
    double least_per_s;                /* jobs/s that all copies must do; 0: what they can */
    double use_ps[SMS_RESOURCES_MAX];  /* of a job: time by share of each of the device's resources */
    const struct sms__with_gpu *alone; /* [alone_runs]: by replication */
    size_t alone_runs;
    double alone_mean_ns; /* mean of these latencies */
};

struct sms__programs {
    struct sms__program *program; /* [count] */
    size_t count;
    const char *with; /* where traces among them took demands from, as of import; NULL: nowhere, or there is none */
    bool imported;    /* one of them is a trace or a profile */
};

/* Whether a workload of the program is `exclusive`: it shares a GPU with no other process. */
bool sms__program_is_exclusive(const struct sms__program *program);
/* The first such program; NULL: there is none. */
const struct sms__program *sms__find_exclusive(const struct sms__programs *programs);

struct sms__advice;

enum { SMS__ONLY = 3 }; /* ways that are chosen for longer runs */

struct sms__advise_settings {
    const struct sms_load_options *load;
    const char *device;   /* name of its file */
    const char *with;     /* where traces take demands from, as of import; or NULL */
    const char *profiled; /* the device of profiles that do not say; or NULL */
    uint64_t cores;       /* of the host; 0: no limit */
    uint64_t seed;
    uint64_t max_events;  /* of a run; 0: no limit */
    unsigned jobs;        /* threads */
    size_t programs_most; /* that are read */
    uint64_t draws;       /* of what is not known; 0: none */
    double part;          /* of the length of runs, 0..1; 0: whole, after an estimate */
    const size_t *only;   /* [SMS__ONLY], or NULL: numbers of ways beside that of each alone; SIZE_MAX: none */
    bool packed;          /* the programs must share: draws tell whether the way is right, not whether sharing pays */
    bool known; /* what the programs take alone, so that they do not run so; and of `only` it is enough to know one that
                   meets the targets, the first if it does */
    pthread_mutex_t *lock; /* NULL, or held while the programs' files are read, which no two threads may */
    const sms_atomic_bool *cancel;
    FILE *notes; /* is told what traces hold, a line each; or NULL */
    /* NULL, or told of ways that have run, of all; and of estimates from runs of a part of the length, each longer than
     * the last, before those that count. */
    void (*on_progress)(void *user, size_t done, size_t total);
    void (*on_estimate)(void *user, double part, const struct sms__advice *advice);
    void *user;
};

/* run_made.c: how each scenario of the advice runs. */
struct sms_run_options sms__advise_run_options(const struct sms__advise_settings *settings);
/* Opens the text of a scenario behind these documents of workloads; NULL when out of memory. */
FILE *sms__made_begin(struct sms__buffer *text, const struct sms__buffer *workloads);
/* Closes the text, and runs the scenario that was written to it. `to`: NULL if there was no memory for it. Frees the
 * text; the file and the results are the caller's in any case. */
int sms__made_run(const char *name, struct sms__buffer *text, FILE *to, const struct sms__advise_settings *settings,
                  struct sms_file **file, struct sms_results **results, struct sms_errors *errors);

/* programs.c: reads a file, or a workload of the library by its name, and appends its tenants to `out`. Runs in a guard
 * of `arena`. Returns SMS_OK; or a code with `errors` filled. */
int sms__programs_read(struct sms__arena *arena, const char *path, const struct sms__advise_settings *settings,
                       struct sms__programs *out, struct sms_errors *errors);
void sms__programs_free(struct sms__programs *programs);

/* The workloads of all programs, as text of documents. */
enum sms__text_kind {
    SMS__FREE_TEXT,   /* kernels without counters press on nothing */
    SMS__TAKEN_TEXT,  /* they take all the room there is, and are as slow as they have fewer SMs */
    SMS__PAIRED_TEXT, /* they slow each other as they do block by block */
    SMS__BLOCK_TEXT,  /* block by block: a few launches of each kernel, as often as a job has them */
    SMS__TEXTS
};

/* Between what ends the answer may be. */
enum sms__end {
    SMS__KNOWN_END, /* kernels without counters press on nothing */
    SMS__TAKEN_END  /* they take turns with others */
};

/* coarse_workload.c: writes the workloads of a program to `to`, [SMS__TEXTS], as documents that end with "---". Each
 * kernel is simulated alone on the device, on all of its SMs and on parts, unless the program has such texts.
 * Sets what the program takes alone. In a guard of `arena`. */
int sms__write_coarse(struct sms__arena *arena, struct sms__program *program,
                      const struct sms__advise_settings *settings, FILE *const *to, struct sms_errors *errors);

/* Frees the runs that it keeps, so that the texts may be written anew with other folds at little cost. */
void sms__free_kernel_runs(struct sms__program *program);

/* ways.c: a way to share. */
struct sms__way {
    const char *label;      /* "mps, caps 70 % 30 %" */
    const char *name;       /* of its scenario and files: "mps-70-30" */
    const char *policy;     /* as `policies:` has it */
    size_t number;          /* among all that can be */
    uint64_t *copies;       /* [programs] */
    double *cap;            /* [programs]: active_threads of each copy, 0..1; NULL: all */
    uint64_t *chunks;       /* [programs]: of a static partition of each copy; NULL: there are none */
    bool sliced;            /* contexts take turns */
    bool paired;            /* kernels slow each other as they do block by block: */
    double *slow;           /* [programs]: times by which all other processes slow those of a copy */
    size_t above;           /* the program, from 1, whose blocks go before those of all others; 0: none */
    bool alone;             /* each program has a GPU of its own */
    const size_t *instance; /* [processes]: number of the instance of MIG that each has; or NULL */
};

struct sms__ways {
    struct sms__way *way; /* [count] */
    size_t count;
    size_t left_out;       /* layouts of MIG beyond the most that are tried */
    bool drops_priorities; /* ways in which a program goes first are left out, because nothing tells what that does */
};

/* Lists the ways in which so many copies of the programs can share one device: that of each alone, and of the others
 * those whose numbers are in `only`, in that order, unless it is NULL. In a guard of the arena. */
void sms__ways_list(struct sms__arena *arena, const struct sms__programs *programs, const struct sms__device *device,
                    const size_t *only, struct sms__ways *out);
/* together.c: sets `slow` of the ways that are `paired`, from launches of all kernels block by block, which `text` has
 * (SMS__BLOCK_TEXT), and `lone` of the programs that have none. A way of which it is not known, because kernels have no
 * blocks or end too late, is paired no more, and one with a program `above` is taken from the list. In a guard of
 * `arena`. */
int sms__measure_together(struct sms__arena *arena, const struct sms__programs *programs, struct sms__ways *ways,
                          const struct sms__buffer *text, const struct sms__advise_settings *settings,
                          struct sms_errors *errors);
/* The first process of program p, as its index among all processes; that of the number of programs is how many there
 * are. */
size_t sms__way_first(const struct sms__way *way, size_t p);
/* How long runs are. */
struct sms__span {
    double warmup_ps, duration_ps; /* duration: of what is measured */
    unsigned replications;
};
/* Runs in which every program does 500 jobs alone, and contexts have 200 slices, unless that takes too many launches;
 * or `part` of that, 0..1. Each program begins and ends a job in them, even where all take turns. */
struct sms__span sms__span_for(const struct sms__programs *programs, const struct sms__device *device, double part);
/* The program whose jobs are so long that the least length of a run is more than a scenario takes; NULL: there is none.
 */
const struct sms__program *sms__find_too_long(const struct sms__programs *programs);
/* The launches in a run of the least length, as a multiple of the most that a first estimate should have. */
double sms__programs_crowd(const struct sms__programs *programs);
/* Writes the scenario of a way. */
void sms__way_write(const struct sms__way *way, const struct sms__programs *programs,
                    const struct sms__advise_settings *settings, struct sms__span span, enum sms__end end, FILE *to);
/* Writes what the processes of a program run: "workload: NAME", or its streams. */
void sms__write_work(const struct sms__program *program, FILE *to);
/* settings.c: writes the commands and files that set the way up on a machine, as a commented text. */
void sms__way_settings(const struct sms__way *way, const struct sms__programs *programs,
                       const struct sms__device *device, FILE *to);

/* A tenant of a way, over all copies of a program: means over replications. */
struct sms__tenancy {
    struct sms_estimate slowdown;                  /* mean latency over that alone */
    struct sms_estimate per_s;                     /* jobs of all copies */
    struct sms_estimate p50_ns, p99_ns, target_ns; /* of the worst copy */
    double worst_ns, worst_missed;                 /* target_ns and missed at the worst end of what is not known */
    size_t maximum_of;                             /* jobs of which p99 is the maximum; 0: it is none */
    double missed;                                 /* jobs beyond the target, 0..1; NAN without one */
    double memory;                                 /* bytes of one copy, its context included */
};

/* What came of a way. */
struct sms__outlook {
    const struct sms__way *way;
    struct sms__span span; /* of its runs */
    bool again;            /* it has run with more replications */
    size_t programs;
    struct sms_file *file; /* NULL: the way does not work, as `why` says */
    struct sms_results *results;
    const char *why;
    struct sms_estimate gain;   /* sum over programs of jobs/s over jobs/s with the GPU to itself */
    double worst_gain;          /* the same at the worst end of what is not known; gain.mean if all is known */
    struct sms__tenancy *share; /* [programs] */
    double *worst_slowdown;     /* [programs]: as worst_gain */
    double *worst_per_s;        /* [programs]: jobs of all copies */
    bool meets;                 /* all targets, at the worst end */
    bool may_meet;              /* or intervals leave it open */
    double misses_by;           /* the greatest latency over its target, or jobs that must be done over those done */
    const char *binds;          /* what is busiest */
};

/* outlook.c: why the way does not work: a process failed, or never got to run. NULL: it works. */
const char *sms__why_fails(struct sms__arena *arena, const struct sms_results *results);
/* Sets what follows from the outlook's results. `cores` of the host; 0: no limit. That of each program alone comes
 * first, and is kept in the programs. */
void sms__describe(struct sms__arena *arena, const struct sms__programs *programs, double cores,
                   struct sms__outlook *outlook);
/* Makes the outlook worse where results of another end are. */
void sms__judge(const struct sms__programs *programs, struct sms__outlook *outlook, const struct sms_results *results);
/* As misses_by of an outlook, but by the means, without their intervals; 1 at most: nothing is missed. */
double sms__misses_by(const struct sms__programs *programs, const struct sms__way *way,
                      const struct sms_results *results);

struct sms__advice {
    struct sms__programs *programs;
    struct sms_file *device_file;
    const struct sms__device *device;
    struct sms__outlook *outlook; /* [count], the best first; of ways that do not work last */
    size_t count, left_out;
    bool drops_priorities;
    bool ranged;         /* kernels without counters take part, so contention is a range */
    size_t draws, held;  /* draws of what is not known, and those in which the answer held */
    const char *decides; /* the parameter that moves the answer most; or NULL */
    struct sms__buffer text[SMS__TEXTS];
};

/* advise.c: runs all ways and ranks them. Runs in a guard of `arena`. Returns SMS_OK; or a code with `errors`.
 * sms__advice_free follows in any case. */
int sms__advise(struct sms__arena *arena, struct sms__programs *programs, const struct sms__advise_settings *settings,
                struct sms__advice *out, struct sms_errors *errors);
void sms__advice_free(struct sms__advice *advice);
/* ways.c: the workloads that a way's scenario follows. */
const struct sms__buffer *sms__way_text(const struct sms__advice *advice, const struct sms__way *way,
                                        enum sms__end end);

/* advice_text.c: the ranked table and what it says, for people; the first lines by themselves, as an estimate. */
void sms__advice_print(const struct sms__advice *advice, struct sms__trust *trust, const struct sms__screen *screen);
void sms__advice_print_answer(const struct sms__advice *advice, FILE *to);
/* The lines above the table: what is not known, the answer, the notes. */
void sms__advice_print_head(const struct sms__advice *advice, struct sms__trust *trust, FILE *to);
/* What binds, what stands for what, and how sure the best way is, a line each. */
void sms__advice_print_notes(const struct sms__advice *advice, struct sms__trust *trust, FILE *to);
/* ignored.c: what does not count of the scenarios that the programs come from, because no option says it; keys with
 * their places in one line. */
void sms__print_ignored(const struct sms__programs *programs, FILE *to);
/* The rates at which jobs arrive, in a line, because those that a run has differ by chance; without any, nothing. */
void sms__print_loads(const struct sms__programs *programs, FILE *to);
/* Whether jobs of a program arrive at a rate; and what the table means by slowdown, a line. */
bool sms__has_loads(const struct sms__programs *programs);
void sms__print_slowdown(const struct sms__programs *programs, FILE *to);
/* What a table of outlooks has. Zero it, let each outlook widen it, then begin the table and add them. */
struct sms__columns {
    bool targets, memory, intervals;
    double largest_ns, least_ns; /* of the p50 */
};
void sms__columns_widen(struct sms__columns *columns, const struct sms__advice *advice,
                        const struct sms__outlook *outlook);
struct sms__table_out *sms__columns_begin(const struct sms__columns *columns, const char *first);
void sms__columns_add(const struct sms__columns *columns, struct sms__table_out *table,
                      const struct sms__advice *advice, const struct sms__outlook *outlook, const char *label);
/* advice_json.c: the same for programs. NULL when out of memory. */
struct json_t *sms__advice_json(const struct sms__advice *advice, struct sms__trust *trust);
/* The lines that were printed to `to`, which the buffer has opened, or NULL, as a list. Closes it, and frees the text.
 */
struct json_t *sms__lines_json(struct sms__buffer *text, FILE *to);
/* The i-th outlook. */
struct json_t *sms__outlook_json(const struct sms__advice *advice, size_t i);

/* Each program on a GPU of its own, which is among the ways of all advice. */
struct sms__outlook *sms__advice_alone(const struct sms__advice *advice);
/* The best way that shares, after `rank` better ones; NULL: there is none. */
struct sms__outlook *sms__advice_best(const struct sms__advice *advice, size_t rank);
/* The metric that decides: a latency that has a target, or else jobs_per_s. */
const char *sms__advice_metric(const struct sms__advice *advice);
/* Whether it pays to share: the best way does more work than one GPU, and meets all targets. */
bool sms__advice_shares(const struct sms__advice *advice);

#endif
