/* smsched simulates how GPUs are shared. This is the header for embedding: load a file, run its scenarios, read the
 * results.
 *
 *     struct sms_errors errors = {0};
 *     struct sms_file *file = NULL;
 *     struct sms_results *results = NULL;
 *     if (sms_file_load("s1.yaml", NULL, &file, &errors) ||
 *         sms_run(sms_file_scenario(file, 0), NULL, &results, &errors))
 *         sms_errors_print(&errors, stderr);
 *     else
 *         printf("%g ns\n", sms_results_value_named(results, "round_robin", 0, "vm", "server", "job_latency_p99_ns"));
 *     sms_results_free(results);
 *     sms_file_free(file);
 *
 * A file may have no scenario. Then sms_file_scenario returns NULL, and sms_run refuses it as it refuses all misuse
 * (error.h).
 *
 * The library has no global state, so threads may run at the same time. A loaded file never changes, so threads may
 * share it. The caller owns every object that it gets, and releases it with the matching _free, which accepts NULL.
 * Returned strings belong to the object from which they came. */
#ifndef SMSCHED_SMSCHED_H
#define SMSCHED_SMSCHED_H

#include <smsched/contention.h>
#include <smsched/error.h>
#include <smsched/mode.h>
#include <smsched/place.h>
#include <smsched/policy.h>
#include <smsched/share.h>
#include <smsched/version.h>

#include <string.h>

#ifdef __cplusplus
#include <atomic>
typedef std::atomic_bool sms_atomic_bool;
extern "C" {
#else
#include <stdatomic.h>
typedef atomic_bool sms_atomic_bool;
#endif
#pragma GCC visibility push(default)

struct sms_file;
struct sms_scenario;
struct sms_results;

/* How to load a file. `policies`, `contentions`, `shares`, `places`, `queues` and `modes` are added to those of the
 * library, and must outlive the file. One with the name of another of the list or of the library hides the other if it
 * stands before it; those of the library come last. */
struct sms_load_options {
    size_t size; /* sizeof this struct, so that a newer library knows which options are missing; 0: as the library's */
    const char *models; /* a folder with devices/ and workloads/, searched before the installed one; or NULL */
    const char *installed_models; /* replaces ../share/smsched/models beside the library; NULL keeps it */
    const struct sms_block_policy *const *policies;
    size_t n_policies;
    const struct sms_contention *const *contentions;
    size_t n_contentions;
    const struct sms_share_policy *const *shares;
    size_t n_shares;
    const struct sms_place_policy *const *places;
    size_t n_places;
    const struct sms_queue_discipline *const *queues;
    size_t n_queues;
    uint64_t max_memory; /* bytes that a file and its scenarios may take; 0: half of the machine's memory. What needs
                          * more returns SMS_EMEMORY */
    bool strict; /* refuse kernels that alone want more than 100 % of a resource, which is a warning otherwise */
    /* NULL, or paths of plug-ins, the last of them NULL: shared objects with policies and models (plugin.h). They are
     * open until the file is freed. Opening one runs its code. */
    const char *const *plugins;
    const struct sms_sharing_mode *const *modes;
    size_t n_modes;
};

/* Reads and checks every document of a YAML file, and the files to which they refer. `options` may be NULL. On success
 * *out is the file. On failure *out is NULL, `errors` says why, and the code is SMS_EINPUT, SMS_EIO, SMS_ENOMEM,
 * SMS_EMEMORY or, of wrong arguments and options, SMS_EUSAGE. */
int sms_file_load(const char *path, const struct sms_load_options *options, struct sms_file **out,
                  struct sms_errors *errors);
/* Like sms_file_load, for `size` bytes of text in memory. The text is copied and need not be terminated. Messages use
 * `name` as the file's name; no file of that name is read. Devices and workloads are looked up as for a file. */
int sms_file_load_text(const char *text, size_t size, const char *name, const struct sms_load_options *options,
                       struct sms_file **out, struct sms_errors *errors);
void sms_file_free(struct sms_file *file);

/* Warnings: legal input that is probably a mistake. Their code is SMS_OK. They live as long as the file. */
const struct sms_errors *sms_file_warnings(const struct sms_file *file);

/* The number of scenarios in the file, which is 0 if it has only devices or workloads; and the scenario at `idx`, which
 * lives as long as the file, or NULL beyond the last. */
size_t sms_file_scenarios(const struct sms_file *file);
const struct sms_scenario *sms_file_scenario(const struct sms_file *file, size_t idx);

/* Changes of a scenario, as `--set` and `--policy` of the program make them. Messages name the options so. */
struct sms_settings {
    size_t size; /* as in sms_load_options */
    /* NULL, or "PATH=VALUE" as in "vms.server.arrivals.poisson=2 ms", the last of them NULL: fields with their new
     * values, in YAML. Paths are those of a plan (docs/how-to/sweeps.md); the last one of a field holds. */
    const char *const *set;
    /* NULL, or policies to add unless the scenario has them, by name or in YAML, then NULL. */
    const char *const *policies;
};

/* Makes a file of its own from the scenario at `idx` of a loaded file, with changes. `options` are those with which
 * `file` was loaded. *out has one scenario, is freed by the caller, and before `file`. Other threads must not use
 * `file` during the call, because it reads devices and workloads that it lacks. `given` may be NULL. Errors as of
 * sms_file_load. */
int sms_file_set(struct sms_file *file, const struct sms_load_options *options, size_t idx,
                 const struct sms_settings *given, struct sms_file **out, struct sms_errors *errors);

const char *sms_scenario_name(const struct sms_scenario *scenario);
const char *sms_scenario_question(const struct sms_scenario *scenario); /* "" if there is none */

/* The block policies that the scenario names, in its order and spelling. */
size_t sms_scenario_policies(const struct sms_scenario *scenario);
const char *sms_scenario_policy(const struct sms_scenario *scenario, size_t idx);

/* A decision of a block policy, as `smsched explain` prints it: one for each block that is placed, and one with `sm` -1
 * each time a block is offered and waits. */
struct sms_decision {
    uint64_t time_ps;
    size_t device;
    long sm; /* -1 if the block waits */
    const char *vm, *kernel;
    uint64_t block;      /* number within the launch, from 1 */
    size_t passed;       /* SMs that refused the block */
    const char *reasons; /* why they refused it, or what else the block waits for, as text */
    const char *cause;   /* what kept it from most of them in a few words, as "too few free registers"; "" for none */
    double score; /* of the SM, the highest of all that admit the block; NAN: the policy gives none, or it waits */
};

/* The time that blocks spend on an SM. */
struct sms_stay {
    size_t device, sm;
    const char *vm, *kernel;
    uint64_t start_ps, end_ps;
    uint32_t blocks; /* equal blocks that were placed and left together */
};

/* What a launch's blocks waited for: the launches of a kernel have one for each reason. The times of a launch's reasons
 * add up to the time for which it had blocks that had not started. */
struct sms_wait {
    size_t device;
    const char *vm, *kernel;
    uint64_t launch_ps, end_ps; /* end: of the wait of the last block, or of the run */
    uint64_t waited_ps;         /* for this reason */
    size_t sms;                 /* the most SMs that refused a block for it; 0: SMs are not the reason */
    const char *reason;         /* in the words of struct sms_decision's cause */
};

/* The engine that computes a run. Both give the same results to the last bit. The reference engine looks at every SM
 * and every block at each event and caches nothing; the fast engine is tested against it. The
 * installed library is without it. */
enum sms_engine { SMS_ENGINE_FAST, SMS_ENGINE_REFERENCE };
#define SMS_HAS_REFERENCE 1

/* A kernel on a device, from its launch to the end of its last block. `stream` counts the streams of the VM on the
 * device, from 0; a stream has one kernel at a time. */
struct sms_kernel_run {
    size_t device, stream;
    const char *vm, *kernel;
    uint64_t launch_ps, end_ps, blocks;
};

/* The time that a process spends in one state on one device (-1 if on none), as the timeline shows it. */
struct sms_span {
    size_t process;
    const char *name, *state; /* "kernel", "copy_in", "paused", ... (docs/explanation/sharing.md) */
    long device;
    uint64_t start_ps, end_ps;
    size_t stream; /* of the process, from 0; if it has several, `name` ends with /1, /2, ... */
    size_t sms;    /* of the device that it may use, 0 on none; when that changes, another span begins */
};

/* The SMs of a device that a process, or a stream of it, may use from then on, while it is there: told when it comes
 * and whenever they change, where a mode, a share policy or a green context limits them. */
struct sms_part {
    size_t process;
    const char *name; /* as of its spans */
    long device;
    uint64_t at_ps;
    const uint64_t *set; /* [(of + 63) / 64]: bit s % 64 of set[s / 64] is SM s */
    size_t of;           /* SMs of the device */
};

/* A job of a VM or process ended after its deadline. */
struct sms_miss {
    size_t vm; /* in order of the scenario, from 0 */
    const char *name;
    size_t device; /* of a VM; 0 with `processes:` */
    uint64_t arrived_ps, end_ps;
    double allowed_ps; /* time from arrival to deadline */
};

/* A log message of a share policy: what it decided, and why. */
struct sms_message {
    uint64_t time_ps;
    const char *process, *text;
};

/* A pod was placed on a node. Ratios are relative to all GPUs of the cluster, except `fragments`, which is relative to
 * the GPUs that are left. */
struct sms_placement {
    size_t number; /* of the pod, in order of arrival, from 0 */
    uint64_t time_ps, wait_ps;
    const char *pod, *node;
    uint64_t gpus;              /* bit i is set if the pod uses GPU i of the node */
    const char *profile;        /* of the instance of that GPU that it has; NULL: it has GPUs */
    unsigned slice, last_slice; /* of the GPU's memory: the first and the last that the instance takes */
    double arrived;             /* GPUs that all pods so far have asked for */
    double allocated;           /* GPUs allocated to pods, this one included */
    double fragments;           /* GPUs that typical pods cannot use, on average (FGD, ATC'23, section 3.2) */
};

/* A pod left its node, or is still there when the run ends. */
struct sms_departure {
    size_t number; /* as in its placement, which it follows */
    uint64_t start_ps, end_ps;
    const char *pod, *node;
    size_t node_idx; /* in the cluster, from 0 */
    uint64_t gpus;
    /* "done"; "failed"; "timed_out" if gpushare did not assign it in time and it is queued again; "moved" if the place
     * policy gave it another instance of its GPU; "running" at the end of the run. The string is static. */
    const char *ended;
    uint64_t late_ps; /* time since its deadline; 0: that is to come, or it has none */
};

/* A GPU that pods share by memory, at the end of a run under `scheduler: {kind: gpushare}`. */
struct sms_shared_gpu {
    const char *node;
    unsigned gpu;
    uint64_t memory_bytes;    /* in whole units, as gpushare counts it */
    uint64_t allocated_bytes; /* to the pods that are bound to it */
    uint64_t used_bytes;      /* by the containers that run on it, bound to it or not, and by other users */
    unsigned pods;            /* bound to it */
};

/* What an observer can be told of a run. Runs of clusters tell of decisions, messages, placements, departures and
 * shared GPUs; other runs of all but the last three. Texts of an event last until the observer returns. */
enum sms_run_event_kind {
    SMS_RUN_DECISION = 1 << 0,
    SMS_RUN_STAY = 1 << 1,
    SMS_RUN_KERNEL = 1 << 2,
    SMS_RUN_WAIT = 1 << 3, /* not from the reference engine */
    SMS_RUN_SPAN = 1 << 4,
    SMS_RUN_MISS = 1 << 5,
    SMS_RUN_MESSAGE = 1 << 6,
    SMS_RUN_PLACEMENT = 1 << 7,
    SMS_RUN_DEPARTURE = 1 << 8,
    SMS_RUN_SHARED_GPU = 1 << 9,
    SMS_RUN_PART = 1 << 10,
};

/* An event of a run, of one kind, with the member that belongs to it. All that it points to ends with the call. */
struct sms_run_event {
    enum sms_run_event_kind kind;
    const char *policy; /* the label of the policy that runs */
    union {
        const struct sms_decision *decision;
        const struct sms_stay *stay;
        const struct sms_kernel_run *kernel;
        const struct sms_wait *wait;
        const struct sms_span *span;
        const struct sms_miss *miss;
        const struct sms_message *message;
        const struct sms_placement *placement;
        const struct sms_departure *departure;
        const struct sms_shared_gpu *shared_gpu;
        const struct sms_part *part;
    };
};

/* How to run. Begin with sms_run_defaults(): zeros would leave out the stand-alone runs and explain nothing. */
struct sms_run_options {
    size_t size;                 /* as in sms_load_options */
    const char *const *policies; /* run only these, by label, or by a name in it; ends with NULL. NULL or empty: all */
    uint64_t seed;               /* 0: the scenario's */
    unsigned replications;       /* 0: as the scenario says, a number or until a precision is reached */
    unsigned jobs;               /* threads; 0: 1 */
    uint64_t max_events;         /* in one run; 0: no limit */
    bool alone;                  /* false: no stand-alone runs, so no normalized progress */
    enum sms_engine engine;
    bool whole_window; /* the measured time begins and ends exactly where `run:` says, not at random nearby */
    bool check;        /* check invariants at each event; a violation returns SMS_EBUG. Not in the installed library */
    unsigned bins;     /* > 0: record each SM's occupancy in this many equal intervals of the run */
    const sms_atomic_bool *cancel; /* NULL, or stops the run soon after it becomes true */

    /* The observer: NULL, or called for each event whose kind is in `events`, in the first replication only, from its
     * thread, one policy after another, and not in stand-alone runs. After another return than 0 it is not called
     * again, and sms_run returns SMS_ECANCELED without results, once the runs of other threads have ended. */
    int (*observe)(void *user, const struct sms_run_event *event);
    unsigned events;                         /* the sum of some enum sms_run_event_kind */
    uint64_t explain_from_ps, explain_to_ps; /* decisions and messages outside of this span are not reported */
    /* NULL, or called after each of the `total` runs, from any thread, never from two at once. */
    void (*on_progress)(void *user, size_t done, size_t total);
    void *user;      /* of observe, on_progress and on_share */
    bool alone_each; /* with `alone`: run each tenant alone under each policy, too */
    /* NULL, or called when a further per cent of a run that has a duration is over, and after each run, with the share
     * of all runs that is done, from 0 to 1; from any thread, never from two at once. */
    void (*on_share)(void *user, double share);
    /* Bytes that the runs of all threads may take, and their results as many; 0: half of the machine's memory. A run
     * that needs more than its thread's part waits until it is the only one. Results do not depend on it: if a run
     * needs more, sms_run returns SMS_EMEMORY without results. */
    uint64_t max_memory;
    bool latencies;  /* keep the latencies of jobs for sms_results_latencies, 59 KB for each policy and tenant */
    uint64_t end_ps; /* 0, or ends all runs here at the latest, for observers who need no more */
};

/* Returns the defaults: run as the scenario says, stand-alone runs included. */
static inline struct sms_run_options sms_run_defaults(void)
{
    struct sms_run_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.alone = true;
    options.explain_to_ps = UINT64_MAX;
    return options;
}

/* Runs all replications of every policy, and the stand-alone runs. `options` may be NULL. The results refer to
 * `scenario`, whose file must outlive them. The same scenario and seed give the same results on any number of
 * threads. Returns a negative code, sets `*out` to NULL and says why in `errors` if a run failed or was ended. */
int sms_run(const struct sms_scenario *scenario, const struct sms_run_options *options, struct sms_results **out,
            struct sms_errors *errors);
void sms_results_free(struct sms_results *results);

/* What a metric describes. Only scenarios with `processes:` have metrics of processes and devices; the last process and
 * the last device is "all". Jobs, their latencies and the progress of processes are metrics of SMS_VM there, too. Only
 * scenarios with `nodes:` have metrics of the cluster and of nodes. If there are more than 2000 nodes, the entries of
 * `nodes:` stand for them; if there are more than 2000 entries, there are none. Only tenants with the key `class:` have
 * metrics of classes. */
enum sms_subject {
    SMS_HOST,
    SMS_VM,
    SMS_RESOURCE,
    SMS_KERNEL,
    SMS_PROCESS,
    SMS_DEVICE,
    SMS_CLUSTER,
    SMS_NODE,
    SMS_CLASS,
    SMS_SUBJECTS
};

/* A metric. Its name ends with its unit. `formula` says how it is computed (docs/reference/metrics.md explains the
 * symbols). `better` is +1 if more is better, -1 if less is better, and 0 if neither. */
struct sms_metric {
    const char *name;
    int better;
    const char *formula;
    const char *words; /* the name for people, without the unit: "mean latency" */
};

/* Returns the metrics of a subject and their number. */
const struct sms_metric *sms_metrics(enum sms_subject subject, size_t *count);
/* The index of the subject's metric of that name; -1 if there is none. */
long sms_metric_index(enum sms_subject subject, const char *name);
/* Whether the subject's metric of that name is a part of a whole, 0..1; false if there is none. Other ratios say how
 * many times, and have no greatest value. */
bool sms_metric_is_share(enum sms_subject subject, const char *name);

/* Returns the scenario that was run; under `warmup: auto` a copy with the warm-up that was found. */
const struct sms_scenario *sms_results_scenario(const struct sms_results *results);
uint64_t sms_results_seed(const struct sms_results *results);
size_t sms_results_replications(const struct sms_results *results);
size_t sms_results_policies(const struct sms_results *results);
const char *sms_results_policy(const struct sms_results *results, size_t policy);
size_t sms_results_subjects(const struct sms_results *results, enum sms_subject subject);
/* Returns the name of a subject: of a VM, process or resource its own, of a kernel "VM/KERNEL", of a device the model
 * and a number, "DEVICE/0", of the host "host". */
const char *sms_results_subject(const struct sms_results *results, enum sms_subject subject, size_t idx);

/* A metric over the replications: mean, sample standard deviation, and half-width of the 95 % confidence interval of
 * the mean (Student's t). The last two are NAN for fewer than two values, which do not show a spread. `ci95` is also
 * NAN if all values are equal: either nothing is random and they are exact (sms_results_exact), or too little is known
 * for an interval. So it is for a percentile that is the maximum of few jobs, or the same in most replications. All are
 * NAN if the metric has no value, such as a latency percentile of a kernel that never ended.
 */
struct sms_estimate {
    size_t n;
    double mean, sd, ci95;
};

struct sms_estimate sms_results_estimate(const struct sms_results *results, size_t policy, enum sms_subject subject,
                                         size_t idx, size_t metric);

/* Returns whether the replications fall into two regimes under a policy, as the answer of `smsched compare` tells it:
 * two groups of at least two values each, more than 10 of their standard deviations and 1 % of the mean of all apart
 * (docs/explanation/statistics.md). Sets `mean`, which the caller owns, to the mean of the lower group and that of the
 * higher one, in the metric's unit. Returns false and sets both to NAN if there is one regime: also for fewer than 5
 * replications, if one of them has no value or stands apart alone, if there is no such metric, or if memory runs out.
 * An estimate's `ci95` is of the mean of all, while that of `smsched run` covers both regimes. */
bool sms_results_regimes(const struct sms_results *results, size_t policy, enum sms_subject subject, size_t idx,
                         size_t metric, double mean[2]);

/* Returns the ratio of a policy's mean to a baseline's, over the replications in which both have a value. Its interval
 * is paired by replication, because both saw the same random numbers (delta method). If the baseline's value is not
 * above 0 in some replication, there is no ratio (n 0, mean NAN): the interval needs a base well above 0. */
struct sms_estimate sms_results_ratio(const struct sms_results *results, size_t policy, size_t baseline,
                                      enum sms_subject subject, size_t idx, size_t metric);

/* Returns the estimate of the difference, a policy's value minus the baseline's, paired by replication. */
struct sms_estimate sms_results_difference(const struct sms_results *results, size_t policy, size_t baseline,
                                           enum sms_subject subject, size_t idx, size_t metric);

/* Returns the p-value of Student's two-sided t test that the true mean is `expected`. For a ratio to a baseline
 * (expected 1) or a difference (expected 0) this is the paired test. The value is below 0.05 if the 95 % interval
 * excludes `expected`. NAN for fewer than two values, and for values without a spread. */
double sms_p_value(struct sms_estimate estimate, double expected);

/* A metric under a policy compared with a baseline, as `smsched compare` does it. */
struct sms_comparison {
    struct sms_estimate ratio; /* where the replications' ratios fall into two regimes, the interval covers both */
    struct sms_estimate difference;
    double p; /* of the ratio, or of the difference where there is no ratio; NAN: not compared */
    /* The ratio allows a verdict. A percentile that is the maximum of few jobs does not, because it grows with the
     * run's length, nor one that is 0 in most replications. Where nothing is random, all do. */
    bool judged;
    size_t maximum_of; /* jobs or pods, if a percentile is the maximum of so few; otherwise 0 */
};

/* Compares a policy with a baseline. All numbers are NAN if memory runs out, or there is no such value. */
struct sms_comparison sms_results_compare(const struct sms_results *results, size_t policy, size_t baseline,
                                          enum sms_subject subject, size_t idx, size_t metric);

/* Adjusts the p-values of n comparisons for making all of them (Holm 1979, Scandinavian Journal of Statistics 6): the
 * probability that any adjusted value below a is due to chance is at most a. NAN stands for no comparison and stays.
 * `smsched compare` adjusts all comparisons of one metric together. Returns false when out of memory. */
bool sms_holm(const double *p, double *adjusted, size_t n);

/* True if nothing in the runs is random. Then the results are exact, every seed gives the same, and there are no
 * intervals. */
bool sms_results_exact(const struct sms_results *results);

/* The metric by which the scenario compares policies. `better` is +1 if a higher value is better, -1 if a lower one is.
 * The scenario may declare it with `answer:` (`declared`). Otherwise a cluster has turnaround_mean_ns if pods run
 * workloads, and else gpu_allocation_mean_ratio. VMs whose jobs have a deadline, or else arrive by themselves, have
 * job_latency_p99_ns of the first such VM. Everything else has stp_ratio of the host. */
struct sms_question {
    enum sms_subject subject;
    size_t idx, metric;
    int better;
    bool declared;
};

/* Returns false if the results have no such subject. */
bool sms_results_question(const struct sms_results *results, struct sms_question *out);

/* How precise the results of `run: {until: ...}` are. A precision is the half-width of the 95 % interval divided by the
 * mean. */
struct sms_until {
    enum sms_subject subject; /* with `idx` and `metric`: the metric that `until:` names */
    size_t idx, metric;
    double wanted, reached; /* reached: by the least precise policy; INFINITY if there is no interval */
    size_t most;            /* the most replications that were allowed */
};

/* Returns false if the scenario asks for no precision, or the options ask for a number of replications. */
bool sms_results_until(const struct sms_results *results, struct sms_until *out);

/* Returns the end of the warm-up, as the scenario sets it or as `warmup: auto` found it. */
double sms_results_warmup_ps(const struct sms_results *results);

/* Warnings about the results, with code SMS_OK: a precision that was not reached, a warm-up that is too short. They
 * live as long as the results. */
const struct sms_errors *sms_results_warnings(const struct sms_results *results);

/* Returns notes on uncertainty that the intervals do not cover, because they cover the seed only: few kernels in the
 * measured time, a workload profiled on another device, the default contention model and the like. The notes live as
 * long as the results. */
const char *const *sms_results_notes(const struct sms_results *results, size_t *count);

/* Returns the value of a metric in one replication. */
double sms_results_value(const struct sms_results *results, size_t policy, size_t replication, enum sms_subject subject,
                         size_t idx, size_t metric);

/* Returns the values of all subjects of a kind in one replication, [subjects][metrics], in the order of
 * sms_results_subject and sms_metrics; NULL if there are none. They live as long as the results. */
const double *sms_results_values(const struct sms_results *results, size_t policy, size_t replication,
                                 enum sms_subject subject);

/* The same as sms_results_value by names: of a policy, its label or a name in it, of a kind of subject as in `smsched
 * list metrics` ("vm", "process", "host"), of a subject as in sms_results_subject, and of a metric. The unit is the end
 * of the metric's name. Returns NAN if there is no such thing. Of subjects with one name the first counts. */
double sms_results_value_named(const struct sms_results *results, const char *policy, size_t replication,
                               const char *kind, const char *subject, const char *metric);

/* Returns the occupancy of an SM (resident threads over its maximum, 0..1) in each of the options' `bins`, in the first
 * replication, NAN from the end of the run on; NULL if `bins` was 0. `sm_of_all` counts the SMs of all devices, one
 * device after another, and their bins follow one another. */
const float *sms_results_bins(const struct sms_results *results, size_t policy, size_t sm_of_all);
size_t sms_results_sms(const struct sms_results *results);
uint64_t sms_results_bin_ps(const struct sms_results *results, size_t policy);

/* `jobs` of a tenant's jobs, a `share` of all that ended, took `latency_ns` or less from arrival to end. */
struct sms_latency {
    double latency_ns, share;
    uint64_t jobs;
};

enum { SMS_LATENCIES = 219, SMS_LATENCY_TENANTS = 100 };

/* Reads how the latencies of a tenant's jobs are distributed, over all replications together, to within 0.4 %. `out` is
 * [SMS_LATENCIES], in ascending order: from the least latency, with a share of 0, to the greatest, in steps of 0.5 % of
 * the jobs, the last 1 % in steps of 0.05 %. Returns the number of points. It is 0 if no job ended, the options did not
 * ask for `latencies`, or the scenario has more than SMS_LATENCY_TENANTS tenants. */
size_t sms_results_latencies(const struct sms_results *results, size_t policy, size_t tenant, struct sms_latency *out);

/* How full a cluster is when the arrived pods have asked for a given part of its GPUs, as a mean over the replications
 * that got so far. Ratios as in struct sms_placement. */
struct sms_allocation {
    double arrived, allocated, fragments;
};

/* Reads point `idx` of a fixed grid. Its last point is everything that the scenario asks for. Returns false if the
 * scenario has no nodes, `idx` is beyond the grid, or no replication got so far. */
bool sms_results_allocation(const struct sms_results *results, size_t policy, size_t idx, struct sms_allocation *out);

/* The throughput of the host that sms_bound bounds. STP needs results with stand-alone runs. */
enum sms_bounded { SMS_BOUND_KERNELS, SMS_BOUND_BLOCKS, SMS_BOUND_JOBS, SMS_BOUND_STP, SMS_BOUNDED };

enum { SMS_BOUND_PARTS = 8 };

/* A limit that binds, such as "dram" or "streams of vm1", and its share of the bound. If the limit were r times as
 * wide, with r - 1 small, the bound would rise by share x (r - 1). The shares of all limits add up to 1. */
struct sms_bound_part {
    char name[128];
    double share;
};

/* An upper bound on throughput that no block policy and no queue discipline can exceed (docs/explanation/bound.md has
 * the linear program and the proof). `steady_per_s` bounds what can last. `run_per_s` bounds what a run can count in
 * the time that is measured, on the mean over its replications: their arrivals are known, and random work may happen to
 * be small. A run exceeds it with a probability of about 1e-8. Of SMS_BOUND_STP both are ratios. If there is no bound,
 * both are INFINITY, and `reason` says why; otherwise `reason` is NULL. `part` names the limits that bind in steady
 * state, the greatest share first. */
struct sms_bound {
    double steady_per_s, run_per_s;
    const char *reason;
    size_t parts;
    struct sms_bound_part part[SMS_BOUND_PARTS];
};

/* Returns the name of the bounded metric: "kernels_per_s". */
const char *sms_bound_metric(enum sms_bounded metric);

/* Computes the bound with GLPK, for the seed and replications that the scenario says. The result is the same on every
 * run and in any thread. Returns SMS_OK; SMS_ENOMEM; or SMS_EBUG if the solver fails, with an error in `errors`. Do not
 * read *out after a failure. A caller that uses GLPK in the same thread loses its GLPK hooks, and when memory runs out
 * also its GLPK problems. */
int sms_bound(const struct sms_scenario *scenario, enum sms_bounded metric, struct sms_bound *out,
              struct sms_errors *errors);

/* Does the same for the seed and replications of the results. SMS_BOUND_STP has a bound only here: blocks of a VM are
 * weighed by its rate alone, and all VMs must repeat for ever. */
int sms_results_bound(const struct sms_results *results, enum sms_bounded metric, struct sms_bound *out,
                      struct sms_errors *errors);

/* Returns how far `per_s`, counted by the scenario's run, is below what such a run can count: 1 - per_s / run_per_s, in
 * 0..1. A result below 0 would mean that the bound is wrong. NAN if there is no bound. */
double sms_bound_gap(const struct sms_bound *bound, double per_s);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
