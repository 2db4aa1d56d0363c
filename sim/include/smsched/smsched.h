/* smsched: simulates how GPUs are shared. This is the header for embedding:
 * load a file, run its scenarios, read the results.
 *
 *     struct sms_errors errors = {0};
 *     struct sms_file *file;
 *     struct sms_results *results;
 *     if (sms_file_load("s1.yaml", NULL, &file, &errors) ||
 *         sms_run(sms_file_scenario(file, 0), NULL, &results, &errors))
 *         sms_errors_print(&errors, stderr);
 *
 * A file may have no scenario: sms_file_scenario is NULL then, and sms_run
 * refuses it as all misuse is refused (error.h).
 *
 * Nothing here is global: two runs in two threads do not know of each other,
 * and a loaded file is never changed, so threads may share it. Every object is
 * owned by the caller that got it and released by the matching _free, which
 * takes NULL. Strings returned belong to the object they came from. */
#ifndef SMSCHED_H
#define SMSCHED_H

#include <smsched/contention.h>
#include <smsched/error.h>
#include <smsched/place.h>
#include <smsched/policy.h>
#include <smsched/share.h>

#include <string.h>

#ifdef __cplusplus
#include <atomic>
using std::atomic_bool;
extern "C" {
#else
#include <stdatomic.h>
#endif
#pragma GCC visibility push(default)

/* CMakeLists.txt reads the version from here. */
#define SMSCHED_VERSION_MAJOR 0
#define SMSCHED_VERSION_MINOR 1
#define SMSCHED_VERSION_PATCH 0
#define SMSCHED_VERSION "0.1.0"

/* The version of the library that runs, which may be newer than this header: "0.1.0". Versions with the same major and
 * minor number have the same binary interface, and the same name of the shared library. */
const char *sms_version(void);

struct sms_file;
struct sms_scenario;
struct sms_results;

/* `models` is a folder with devices/ and workloads/ in it, searched before the
 * installed one; NULL for none. `policies` and `contentions` are added to
 * those that the library has; they must outlive the file. */
struct sms_load_options {
    size_t
        size; /* sizeof this struct, so that a library with more options knows what is missing; 0: as the library's */
    const char *models;
    const char *installed_models; /* instead of ../share/smsched/models beside the library; NULL: that one */
    const struct sms_block_policy *const *policies;
    size_t n_policies;
    const struct sms_contention *const *contentions;
    size_t n_contentions;
    const struct sms_share_policy *const *shares;
    size_t n_shares;
    const struct sms_place_policy *const *places;
    size_t n_places;
};

/* Reads and checks every document of a YAML file and what it refers to.
 * `options` may be NULL. On success *out is the file. On failure *out is NULL
 * and `errors` says why: SMS_EINPUT, SMS_EIO or SMS_ENOMEM. */
int sms_file_load(const char *path, const struct sms_load_options *options, struct sms_file **out,
                  struct sms_errors *errors);
/* The same of `size` bytes of text in memory, which need not be terminated and
 * are copied. `name` stands where messages name the file; no file of that name
 * is read. Devices and workloads are looked up as for a file. */
int sms_file_load_text(const char *text, size_t size, const char *name, const struct sms_load_options *options,
                       struct sms_file **out, struct sms_errors *errors);
void sms_file_free(struct sms_file *file);

/* What its scenarios can be run with, and hardly mean: of code SMS_OK. Live as long as the file. */
const struct sms_errors *sms_file_warnings(const struct sms_file *file);

/* How many scenarios the file holds (it may hold devices or workloads only),
 * and the one at `idx`, which lives as long as the file; NULL beyond the last. */
size_t sms_file_scenarios(const struct sms_file *file);
const struct sms_scenario *sms_file_scenario(const struct sms_file *file, size_t idx);

const char *sms_scenario_name(const struct sms_scenario *scenario);
const char *sms_scenario_question(const struct sms_scenario *scenario); /* "" if there is none */

/* The block policies the scenario names, in its order, as written there. */
size_t sms_scenario_policies(const struct sms_scenario *scenario);
const char *sms_scenario_policy(const struct sms_scenario *scenario, size_t idx);

/* About how many events its runs have, of all policies and replications, and for how many seconds they keep a processor
 * busy. Worked out from the file without simulating anything: contention and what policies hold back are left out, and
 * of pods that wait every retry is counted; of replications that a precision asks for, those that there are at least.
 */
struct sms_effort {
    double events, seconds;
};
struct sms_effort sms_scenario_effort(const struct sms_scenario *scenario);

/* Decisions, as `smsched explain` prints them. */
struct sms_decision {
    uint64_t time_ps;
    size_t device;
    long sm; /* -1: the block waits */
    const char *vm, *kernel;
    uint64_t block;      /* of the launch, from 1 */
    size_t passed;       /* SMs looked at before */
    const char *reasons; /* why those were passed over, as text */
};

/* One block's stay on an SM. */
struct sms_stay {
    size_t device, sm;
    const char *vm, *kernel;
    uint64_t start_ps, end_ps;
    uint32_t blocks; /* equal blocks that came and went together */
};

/* How a run is computed. Both give the same results to the last bit; the plain
 * one looks at every SM and every block at each event and remembers nothing, so it
 * is what the other is tested against. */
enum sms_engine { SMS_ENGINE_FAST, SMS_ENGINE_REFERENCE };
#define SMS_HAS_REFERENCE 1

/* A kernel on a device, from its launch to the end of its last block. A stream
 * has one kernel at a time; `stream` counts those of the VM on the device, from 0. */
struct sms_kernel_run {
    size_t device, stream;
    const char *vm, *kernel;
    uint64_t launch_ps, end_ps, blocks;
};

/* A process in one state on one device (-1: on none), as the timeline shows it. */
struct sms_span {
    size_t process;
    const char *name, *state; /* "kernel", "copy_in", "paused", ... (docs/sharing.md) */
    long device;
    uint64_t start_ps, end_ps;
    size_t stream; /* of the process, from 0; where it has several, `name` ends with /1, /2, ... */
};

/* What a share policy decided, and why. */
struct sms_saying {
    uint64_t time_ps;
    const char *process, *text;
};

/* A pod that found its node. Ratios are of all GPUs of the cluster, but `fragments`: of those that are left. */
struct sms_placement {
    size_t number; /* of the pod, in the order in which pods come, from 0 */
    uint64_t time_ps, wait_ps;
    const char *pod, *node;
    uint64_t gpus;    /* bit i: it takes GPU i of the node */
    double arrived;   /* GPUs asked for by all pods so far */
    double allocated; /* GPUs given to pods, this one included */
    double fragments; /* of no use to the pods of the scenario, on average (FGD, ATC'23, section 3.2) */
};

/* A pod left its place, or has it when the run ends. */
struct sms_departure {
    size_t number; /* as in its placement, which it follows */
    uint64_t start_ps, end_ps;
    const char *pod, *node;
    size_t node_idx; /* in the cluster, from 0 */
    uint64_t gpus;
    /* "done"; "failed"; cut off by a failure: "restarted", if it waits again, else "lost"; "timed_out": gpushare did
     * not assign it in time, and it is queued again; "running": the run ended. Of static storage. */
    const char *ended;
};

/* A GPU that pods share by memory, at the end of a run under `scheduler: {kind: gpushare}`. */
struct sms_shared_gpu {
    const char *node;
    unsigned gpu;
    uint64_t memory_bytes;    /* as it is counted: whole units */
    uint64_t allocated_bytes; /* to pods that are bound to it */
    uint64_t used_bytes;      /* by the containers that run on it, which may be others, and by others */
    unsigned pods;            /* bound to it */
};

struct sms_run_options {
    size_t size;                 /* as in sms_load_options */
    const char *const *policies; /* run these only, by label or name; ends with NULL. NULL or none: all */
    uint64_t seed;               /* 0: the scenario's */
    unsigned replications;       /* 0: the scenario's, be it a number or until a precision is reached */
    unsigned jobs;               /* threads, as far as their runs fit into 4 GiB together; 0: 1 */
    uint64_t max_events;         /* of one run; 0: no limit */
    bool alone;                  /* false: no stand-alone runs, so no normalized progress */
    enum sms_engine engine;
    bool whole_window;         /* what is measured begins and ends where `run:` says, not at random near it */
    bool check;                /* check the engine's invariants at each event; a broken one ends in SMS_EBUG */
    unsigned bins;             /* > 0: record each SM's occupancy in so many equal intervals of the run */
    const atomic_bool *cancel; /* NULL, or stops the run soon after it becomes true */

    /* NULL, or called for the first replication only, from its thread. */
    void (*on_decision)(void *user, const char *policy, const struct sms_decision *decision);
    uint64_t explain_from_ps, explain_to_ps;
    void (*on_stay)(void *user, const char *policy, const struct sms_stay *stay);
    void (*on_kernel)(void *user, const char *policy, const struct sms_kernel_run *run);
    void (*on_span)(void *user, const char *policy, const struct sms_span *span);
    void (*on_saying)(void *user, const char *policy, const struct sms_saying *saying);
    void (*on_placement)(void *user, const char *policy, const struct sms_placement *placement);
    void (*on_departure)(void *user, const char *policy, const struct sms_departure *departure);
    void (*on_shared_gpu)(void *user, const char *policy, const struct sms_shared_gpu *gpu);
    /* NULL, or called after each of the `total` runs, from any thread, never from two at once. */
    void (*on_progress)(void *user, size_t done, size_t total);
    void *user;
};

/* The defaults: everything the scenario says, stand-alone runs included. */
static inline struct sms_run_options sms_run_defaults(void)
{
    struct sms_run_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.alone = true;
    options.explain_to_ps = UINT64_MAX;
    return options;
}

/* Runs every policy, each with every replication, and the stand-alone runs.
 * `options` may be NULL. The results keep a reference to `scenario`, whose file
 * must outlive them. The same scenario and seed give the same results on any
 * number of threads. */
int sms_run(const struct sms_scenario *scenario, const struct sms_run_options *options, struct sms_results **out,
            struct sms_errors *errors);
void sms_results_free(struct sms_results *results);

/* What a metric describes. Processes and devices have metrics of their own in scenarios with
 * `processes:` only, and after them one more subject, "all" of them. A scenario with `nodes:` has
 * the cluster, and its nodes; of more than 2000 nodes the entries of `nodes:`, of more entries none. */
enum sms_subject {
    SMS_HOST,
    SMS_VM,
    SMS_RESOURCE,
    SMS_KERNEL,
    SMS_PROCESS,
    SMS_DEVICE,
    SMS_CLUSTER,
    SMS_NODE,
    SMS_SUBJECTS
};

/* A metric: its name ends in its unit; `formula` says how it is computed
 * (docs/metrics.md has the symbols). `better` is +1 if more is better, -1 if
 * less is, 0 if neither. */
struct sms_metric {
    const char *name;
    int better;
    const char *formula;
};

/* The metrics of a subject, and their number. */
const struct sms_metric *sms_metrics(enum sms_subject subject, size_t *count);
/* The index of the subject's metric of that name; -1 if there is none. */
long sms_metric_index(enum sms_subject subject, const char *name);

/* The scenario that was run; under `warmup: auto` a copy of it, with the warm-up that was found. */
const struct sms_scenario *sms_results_scenario(const struct sms_results *results);
uint64_t sms_results_seed(const struct sms_results *results);
size_t sms_results_replications(const struct sms_results *results);
size_t sms_results_policies(const struct sms_results *results);
const char *sms_results_policy(const struct sms_results *results, size_t policy);
size_t sms_results_subjects(const struct sms_results *results, enum sms_subject subject);
/* The name of a VM, process or resource; of a kernel "VM/KERNEL"; of a device its model's with its
 * number, "DEVICE/0"; of the host "host". */
const char *sms_results_subject(const struct sms_results *results, enum sms_subject subject, size_t idx);

/* A metric over the replications: mean, standard deviation of the sample, and
 * half of the 95 % confidence interval of the mean (Student's t; both NAN for
 * fewer than two values, which say nothing of how far they are off). `ci95` is
 * NAN as well where all values are the same: either nothing is drawn and they are
 * exact (sms_results_exact), or too little is known to give an interval. NAN where
 * the metric has no value, as a latency percentile of a kernel that never ended. */
struct sms_estimate {
    size_t n;
    double mean, sd, ci95;
};

struct sms_estimate sms_results_estimate(const struct sms_results *results, size_t policy, enum sms_subject subject,
                                         size_t idx, size_t metric);

/* The same of the ratio of a policy's value to a baseline's, paired by
 * replication: both saw the same random numbers. Where the baseline's is not
 * above 0 in some replication, there is none (n 0, mean NAN): a mean over the
 * other replications would be another quantity. */
struct sms_estimate sms_results_ratio(const struct sms_results *results, size_t policy, size_t baseline,
                                      enum sms_subject subject, size_t idx, size_t metric);

/* The same of the difference, a policy's value less the baseline's. */
struct sms_estimate sms_results_difference(const struct sms_results *results, size_t policy, size_t baseline,
                                           enum sms_subject subject, size_t idx, size_t metric);

/* How likely a mean as far from `expected` as this one, or farther, is by chance where that is the truth: Student's t
 * test, two-sided, of the ratio to a baseline (expected 1) or the difference (expected 0) the paired one. Below 0.05
 * where the 95 % interval leaves `expected` out. NAN of fewer than two values, and of values without a spread. */
double sms_p_value(struct sms_estimate estimate, double expected);

/* Whether nothing in the runs is drawn, so that another seed would give the same: results are exact and have no
 * intervals. */
bool sms_results_exact(const struct sms_results *results);

/* What the scenario asks: by which metric of what one policy is better than another. `better` is +1 if a higher value
 * is, -1 if a lower one is. It is what `answer:` says (`declared`), or by rule: of a cluster
 * gpu_allocation_mean_ratio; of VMs whose jobs have a deadline, or else arrive by themselves, the first one's
 * job_latency_p99_ns; else the host's stp_ratio. */
struct sms_question {
    enum sms_subject subject;
    size_t idx, metric;
    int better;
    bool declared;
};

/* False: the results have no such subject. */
bool sms_results_question(const struct sms_results *results, struct sms_question *out);

/* How far `run: {until: ...}` of the scenario got; the ratios are halves of 95 % intervals over means. */
struct sms_until {
    enum sms_subject subject; /* of which metric of what */
    size_t idx, metric;
    double wanted, reached; /* reached: of the policy that is known least; INFINITY: nothing is known */
    size_t most;            /* replications there might have been */
};

/* False: the scenario asks for no precision, or the options for a number of replications. */
bool sms_results_until(const struct sms_results *results, struct sms_until *out);

/* The end of the warm-up, as the scenario gives it or as `warmup: auto` found it. */
double sms_results_warmup_ps(const struct sms_results *results);

/* What should be known before the results are believed, of code SMS_OK: a precision that was not reached, a warm-up
 * that is too short. They live as long as the results. */
const struct sms_errors *sms_results_warnings(const struct sms_results *results);

/* What is uncertain besides the seed, which is all that intervals are about: few kernels in the time measured, a
 * workload profiled on another device, the default contention and the like. They live as long as the results. */
const char *const *sms_results_notes(const struct sms_results *results, size_t *count);

/* Of one replication. */
double sms_results_value(const struct sms_results *results, size_t policy, size_t replication, enum sms_subject subject,
                         size_t idx, size_t metric);

/* Occupancy (resident threads over the SM's, 0..1) of an SM in each of the
 * options' `bins`, in the first replication; NULL if bins was 0. The
 * SMs of all devices follow one another. */
const float *sms_results_bins(const struct sms_results *results, size_t policy, size_t sm_of_all);
size_t sms_results_sms(const struct sms_results *results);
uint64_t sms_results_bin_ps(const struct sms_results *results, size_t policy);

/* How full a cluster is when pods that ask for so many of its GPUs have come, as a mean over the
 * replications that got so far. Ratios as in struct sms_placement. */
struct sms_allocation {
    double arrived, allocated, fragments;
};

/* Point `idx` of a fixed grid, whose last one is all that the scenario asks for; false: of a scenario
 * without nodes, beyond the grid, or no replication got so far. */
bool sms_results_allocation(const struct sms_results *results, size_t policy, size_t idx, struct sms_allocation *out);

/* What sms_bound bounds: the throughputs of the host, each with the metric of that name. */
enum sms_bounded { SMS_BOUND_KERNELS, SMS_BOUND_BLOCKS, SMS_BOUND_JOBS, SMS_BOUNDED };

enum { SMS_BOUND_PARTS = 8 };

/* A limit that holds the throughput down, "dram" or "streams of vm1", and its
 * share of the bound: were it r times as wide for a small r - 1, the bound
 * would rise by share x (r - 1). Shares of all limits add up to 1. */
struct sms_bound_part {
    char name[128];
    double share;
};

/* No block policy and no queue discipline exceeds it (docs/bound.md has the
 * linear program and why). `steady_per_s`: what can last. `run_per_s`: what the
 * scenario's run can count, that is with jobs that were under way when the
 * measured time began, and random work that happens to be small (by more with a
 * probability of about 1e-8). Both are INFINITY where `reason` is not NULL; it
 * says why there is no bound. `part` names what binds in steady state, the
 * greatest share first. */
struct sms_bound {
    double steady_per_s, run_per_s;
    const char *reason;
    size_t parts;
    struct sms_bound_part part[SMS_BOUND_PARTS];
};

/* The host's metric that is bounded: "kernels_per_s". */
const char *sms_bound_metric(enum sms_bounded metric);

/* Computes it, by GLPK; the same on every run and in any thread. SMS_OK,
 * SMS_ENOMEM, or SMS_EBUG if the solver gives up; then `errors` says so and
 * *out is not to be read. A caller that uses GLPK in the same thread loses its
 * hooks, and without memory all its problems. */
int sms_bound(const struct sms_scenario *scenario, enum sms_bounded metric, struct sms_bound *out,
              struct sms_errors *errors);

/* How far `per_s`, counted by the scenario's run, is below what such a run can
 * count, 0..1: 1 - per_s / run_per_s. Negative beyond run_per_s, which cannot be.
 * NAN without a bound. */
double sms_bound_gap(const struct sms_bound *bound, double per_s);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
