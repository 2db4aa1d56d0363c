/* What the files say, checked and then never changed: devices, workloads, VMs,
 * scenarios. Everything lives in the arena of the struct sms_file it was read
 * for. Times are picoseconds, sizes bytes, ratios 1.0 for 100 %. */
#ifndef SMS_MODEL_MODEL_H
#define SMS_MODEL_MODEL_H

#include <smsched/share.h>
#include <smsched/smsched.h>

#include "../base/quantity.h"
#include "../yaml/fields.h"
#include "gpushare.h"

enum { SMS__PARAMS_MAX = 16 };

/* The clock's range: 2^64 ps are 213 days; a duration may take half of it. */
#define SMS__TIME_MAX_PS 9.0e18

/* Of one scenario; jobs of a tenant; numbers of devices. */
enum { SMS__POLICIES_MAX = 1000, SMS__INDEX_MAX = 1000000, SMS__REPLICATIONS_MAX = 100000 };
/* Of contention: classes of pairs and the slowdown of one, usage and overhead of a curve. Of mig: instances. */
enum { SMS__CLASSES_MAX = 64, SMS__INSTANCES_MAX = 8 };
#define SMS__SLOWDOWN_MAX 1000.0
#define SMS__CURVE_MAX 1e6
/* A count of units that can be exact. */
#define SMS__UNITS_MAX 9007199254740992.0
#define SMS__REPEAT_MAX 1e15
#define SMS__CPUS_MAX 1e6

/* A demand above this many SMs is a mistake, not a measurement. */
#define SMS__DEMAND_MAX 16.0

/* Written as a share of an SM, or, of a resource with a capacity, as a count of its units. */
struct sms__demand {
    const char *resource;
    double ratio;
    bool bare; /* a number without %: a count where the resource has a capacity */
    const struct sms__node *node, *value;
};

/* Load that is always there, on one SM (worked examples, other tenants). */
struct sms__background {
    uint64_t sm;
    struct sms__demand *demand;
    size_t demands;
    const struct sms__node *node;
};

struct sms__resource {
    const char *name;
    int cls, scope;    /* enum sms_class, enum sms_scope */
    int hard;          /* never used beyond 100 %, whatever the policy */
    uint64_t capacity; /* in units of its own: of one SM, or of the device for scope device; 0: it has none */
    double lanes;      /* results per cycle and SM; 0: not known */
    double bandwidth;  /* bytes/s; 0: not known */
};

struct sms__sm {
    uint64_t threads, warps, blocks, registers, shared_memory;
    uint64_t threads_per_block, registers_per_thread, register_unit, register_partitions;
    uint64_t shared_memory_unit, shared_memory_reserved, shared_memory_per_block;
};

/* One kind of instance that a device can be split into. */
struct sms__mig_profile {
    const char *name;
    uint64_t sms, memory; /* SMs, bytes */
    uint64_t slices;      /* of memory and bandwidth, out of those of the device */
    uint64_t start;       /* bit s: an instance may begin at slice s */
};

struct sms__mig {
    uint64_t slices; /* of memory */
    struct sms__mig_profile *profile;
    size_t profiles;
};

struct sms__device {
    const char *name, *title, *source;
    const char *capability; /* "7.0"; "" */
    const struct sms__node *node;
    double clock_hz;
    uint64_t sms, memory;
    double link_bandwidth;  /* of each direction; 0: copies take no time */
    double copy_in_most;    /* bytes/s of one copy; 0: as much as the link has */
    double copy_out_most;   /* the same, device to host */
    double copy_out_spread; /* by which part each further copy out under way lengthens all of them */
    double idle_w, busy_w;
    double shared_w;      /* while two or more processes are on it; 0: as busy_w says */
    struct sms__mig *mig; /* NULL: it has no instances */
    struct sms__sm sm;
    struct sms__resource resource[SMS_RESOURCES_MAX];
    size_t resources;
    struct sms__background *background;
    size_t backgrounds;
    struct sms_device_view view; /* what policies see */
    struct sms_resource_view resource_view[SMS_RESOURCES_MAX];
};

enum sms__spread { SMS__UNIFORM, SMS__EXPONENTIAL };

struct sms__kernel {
    const char *name;
    const struct sms__node *node;
    uint64_t blocks, threads, registers, shared_memory;
    struct sms__quantity block_time;
    bool whole;    /* given by `time:`: one block that stands for all, its demand is of the device */
    bool made;     /* a whole that was made of blocks, and is to take their time */
    double jitter; /* coefficient of variation, spread uniform */
    int spread;    /* enum sms__spread */
    struct sms__demand *demand;
    size_t demands;
};

/* Free: 0 bytes stand for all that is allocated. */
enum sms__step_kind { SMS__HOST, SMS__COPY_IN, SMS__COPY_OUT, SMS__LAUNCH, SMS__ALLOCATE, SMS__FREE };

struct sms__step {
    enum sms__step_kind kind;
    double amount; /* ps of host time, bytes of a copy or of device memory */
    size_t kernel; /* of a launch */
    uint64_t times;
};

struct sms__workload {
    const char *name, *title, *source, *device;
    const struct sms__node *node;
    struct sms__kernel *kernel;
    size_t kernels;
    struct sms__step *step;
    size_t steps;
    const char *cls;   /* for contention by pairs; "" */
    double overhead;   /* by which part policies that intercept calls lengthen it */
    double statics;    /* bytes of static device variables, which are part of its context */
    int exclusive;     /* its process must have the device for itself */
    uint64_t declared; /* bytes that its steps hold at most, without a context */
};

/* A kernel on a kind of device: all that the engine needs of it. */
struct sms__fit {
    double demand[SMS_RESOURCES_MAX]; /* parts of SMS_FULL */
    double adds[SMS_RESOURCES_MAX];
    uint64_t count[SMS_RESOURCES_MAX]; /* of resources with a capacity: the demand in their units */
    uint64_t needs[SMS_LIMITS];
    double work_ps;   /* block_time */
    uint64_t work;    /* the same, in whole ps */
    size_t per_sm;    /* blocks that an empty SM holds */
    bool device_wide; /* demands a resource of scope device */
    uint32_t own;     /* bit r: demands resource r, of scope sm */
    uint32_t wide;    /* bit r: demands resource r, of scope device */
    bool hard;        /* demands a resource that is hard */
    int cls;          /* of its workload, in the contention model's pairs; -1: none */
};

enum sms__arrivals { SMS__CLOSED, SMS__POISSON, SMS__REGULAR };

/* A tenant of the block level. */
struct sms__vm {
    const char *name;
    const char *workload_name;
    const struct sms__node *node, *workload_node;
    const struct sms__workload *workload;
    double start_ps, deadline_ps;       /* deadline 0: none */
    uint64_t type;                      /* by which --format simtbs groups VMs */
    uint64_t repeat;                    /* jobs; 0: for ever */
    uint64_t streams;                   /* jobs at once, per device */
    int arrivals;                       /* enum sms__arrivals */
    double interval_ps;                 /* mean time between arrivals, per device */
    const struct sms__fit **fit;        /* [devices] -> [kernels] */
    const struct sms__process *process; /* what is said of it as a process; NULL where the scenario has `vms:` */
};

/* One workload of several that may be drawn for a process. `first` is its first kernel's number
 * among those of the VM's workload, which is the union of all. */
struct sms__choice {
    const struct sms__workload *workload;
    size_t first;
};

/* One of the streams of a process: its jobs come one after another. */
struct sms__process_stream {
    double priority; /* among those of the process: pending blocks of a higher one go first */
    uint64_t repeat; /* jobs; 0: for ever */
};

struct sms__process {
    double priority, weight;
    double active_threads;      /* under mps: share of the SMs, 0..1 */
    long device;                /* the only one on which it may run; -1: any */
    struct sms__choice *choice; /* [choices], choices >= 1; with 1 nothing is drawn */
    size_t choices;
    uint64_t memory_most; /* of a pod: device memory that it may hold; 0: all that is free */
    double period_ps;     /* of a pod: from the start of a job to that of the next; 0: when it has ended */
    const struct sms__process_stream *stream; /* [the VM's streams] */
    bool own; /* stream i does choice i; else all do the same, and several are drawn from */
};

/* How the contexts on a device share it. Together: kernels of all at once, as under MPS, without its limits. */
enum sms__mode_kind { SMS__MODE_EXCLUSIVE, SMS__MODE_TIME_SLICE, SMS__MODE_TOGETHER, SMS__MODE_MPS, SMS__MODE_MIG };

struct sms__mode {
    int kind; /* enum sms__mode_kind */
    double slice_ps, switch_ps;
    int drain;                         /* blocks that run when a slice ends are waited for */
    uint64_t clients;                  /* mps: contexts at most */
    uint64_t granule;                  /* mps: SMs of active_threads are multiples of it */
    const char *label;                 /* as a policy's */
    const struct sms__node *instances; /* mig: the list of names; else NULL */
};

/* Instances of the scenario's devices, under mig: each as a device of its own. */
struct sms__instances {
    const struct sms__device **device;       /* [count] */
    size_t *board;                           /* [count]: the scenario's device of which it is a part */
    const struct sms__mig_profile **profile; /* [count] */
    size_t count;
    const struct sms__fit ***fit; /* [vms] -> [count] -> [kernels] */
};

struct sms__policy_use {
    const struct sms_block_policy *policy;
    double param[SMS__PARAMS_MAX];
    const char *label; /* its name, with the parameters that differ from the defaults */
    const struct sms__node *node;
    const struct sms_share_policy *share; /* NULL where the scenario has `vms:` */
    double share_param[SMS__PARAMS_MAX];
    struct sms__mode mode;
    struct sms__instances *instances;     /* NULL: the devices are whole */
    const struct sms_place_policy *place; /* of a cluster */
    double place_param[SMS__PARAMS_MAX];
    bool below; /* of a cluster: the entry names more than the place policy */
};

/* How pods come. 0: not said; then, if all is 0, all at the start. */
struct sms__arriving {
    double poisson_ps, every_ps; /* from one to the next, mean or exact */
    double burst_ps, burst_after_ps,
        burst_lasts_ps; /* the mean in bursts; of the times to the next, and that it lasts */
    uint64_t batch;     /* so many come each time */
};

/* Nodes of a cluster that are alike, from `first` on. */
struct sms__nodes {
    const char *name; /* of several NAME1, NAME2, ... */
    const struct sms__node *node;
    size_t first;
    uint64_t count, gpus;
    int model; /* in the cluster's list; -1: it has no GPUs */
    uint64_t gpu_memory, cpu_milli, memory;
    uint64_t labels;                /* bit i: it has the cluster's label i */
    long device;                    /* of the scenario: its GPUs can run workloads; -1: they are numbers */
    struct sms__share_node *shared; /* under gpushare; else NULL */
};

/* Pods of one entry or of one row of a table. `pool`: they are only drawn from, by samples. */
struct sms__pods {
    const char *name;
    const struct sms__node *node;
    size_t shape;
    uint64_t count;
    double start_ps; /* of the first */
    struct sms__arriving arriving;
    double duration_ps;     /* 0: for ever */
    int spread;             /* enum sms__pod_spread, of the duration */
    double deadline_ps;     /* from arrival to end; 0: none */
    double job_deadline_ps; /* of each job, from its first use of the GPU to its end; 0: none */
    bool pool;
    size_t rows, first_row; /* of a sample: the pods that it draws from; rows 0: it is none */
    double until;           /* of a sample: GPUs asked for at the end, as a share of the cluster's; 0: `count` pods */
    bool lasts;             /* of a sample: its duration stands in the place of the rows' */
    int on_failure;         /* enum sms__on_failure */
    uint64_t restarts;      /* so many at most; then it is lost */
    uint16_t tenant;        /* the scenario's VM that each of them runs, plus 1; 0: they last their duration */
    /* Of gpushare alone. Delays of its first start; -1: the scheduler's. */
    double allocate_delay_ps, start_delay_ps;
    struct sms__request request;
};

enum sms__on_failure { SMS__RESTART, SMS__LOST };

/* One entry of `failures:`. */
struct sms__failure {
    size_t first, nodes;     /* of them */
    long gpu;                /* its number, or one of these: */
    double at_ps, for_ps;    /* for 0: it does not return */
    double mtbf_ps, mttr_ps; /* mtbf 0: it is at the given time */
};
enum { SMS__NO_GPU = -1, SMS__EACH_GPU = -2 };

enum { SMS__LABELS_MAX = 64 };

enum sms__pod_spread { SMS__POD_FIXED, SMS__POD_EXPONENTIAL };

/* calibrated: what happens is seen and stamped a random time later; cycle: by samples, one after another. */
enum sms__monitor_model { SMS__MONITOR_CALIBRATED, SMS__MONITOR_CYCLE };

/* How the nodes' monitors look at their GPUs' tasks (docs/realtime.md). */
struct sms__monitor_rules {
    int model;                            /* enum sms__monitor_model */
    double query_ps, list_ps, top_ps;     /* cycle: of the device, of the containers, of one's processes */
    double start_least_ps, start_most_ps; /* calibrated: from what happens to when it is seen */
    double end_least_ps, end_most_ps;
    int eager;   /* a task that runs beyond its deadline is a miss at once */
    double full; /* from this use of the cores or of the memory on a node is full */
};

/* What pods with workloads are simulated as: the time that they take alone; steps, with each kernel as a whole;
 * kernels block by block. */
enum sms__fidelity { SMS__AS_DURATION, SMS__AS_PROCESSES, SMS__AS_BLOCKS };

/* A cluster, in the place of devices and tenants. Its scenario's devices and VMs are what pods with workloads run on
 * and are; there may be none. */
struct sms__cluster {
    struct sms__nodes *node; /* [kinds] */
    size_t kinds, nodes;
    size_t rows;           /* of metrics of nodes: nodes, or if these are too many kinds, or if these are 0 */
    struct sms__pods *pod; /* [groups] */
    size_t groups;
    struct sms_pod_view *shape; /* [shapes], in the order of their first pods */
    size_t shapes;
    struct sms_typical_pod *typical; /* [typicals], most frequent first */
    size_t typicals;
    uint64_t typical_pods; /* of all of them */
    const char *model[SMS_GPU_MODELS_MAX];
    size_t models;
    const char *label[SMS__LABELS_MAX]; /* "NAME: VALUE" */
    size_t labels;
    bool priorities;                /* of pods: some have another than 0 */
    double retry_ps, retry_most_ps; /* 0: at once when something is freed */
    double start_delay_ps;          /* from placement to the start of what takes the duration */
    struct sms__failure *failure;   /* [failures] */
    size_t failures;
    double failing;                     /* how many nodes and GPUs that lets fail, each entry by itself */
    uint64_t gpu_milli, cpu_milli;      /* of all nodes */
    double pods, load;                  /* about how many come, and how many GPUs they ask for as a share of all */
    size_t slots;                       /* pods with workloads that one GPU may have at once, at most */
    struct sms__monitor_rules *monitor; /* NULL: nobody looks */
    struct sms__gpushare *gpushare;     /* the scheduler of that kind, or NULL */
};

/* The host of the devices. 0: no limit, no power. */
struct sms__host {
    uint64_t cores;           /* processes that compute at once */
    double link_in, link_out; /* bytes/s of all copies of all devices */
    double power_w;
    double context_bytes, context_ps; /* of a process on a device; time to create it */
};

struct sms__expect {
    const struct sms__node *node;
    const char *metric, *policy, *over, *vm, *resource, *process, *of_node;
    long device;  /* its number, or -1: not of a device */
    bool cluster; /* of a cluster */
    struct sms__quantity value, tolerance, min, max;
    bool has_value, has_min, has_max;
};

/* Another simulator, digit for digit, its faults included (docs/simtbs.md). */
enum sms__compat { SMS__COMPAT_OFF, SMS__COMPAT_SIMTBS };

/* Under compat simtbs a tick is a microsecond. */
#define SMS__TICK_PS 1000000

struct sms_scenario {
    const char *name, *question;
    const struct sms__node *node;
    const char *path, *text;
    const struct sms__device **device; /* [devices]; equal ones share one struct */
    size_t devices;
    const struct sms_contention *contention;
    double contention_param[SMS__PARAMS_MAX];
    const char *contention_label;
    struct sms__curves *curves;
    int queue;  /* enum sms_queue */
    int compat; /* enum sms__compat */
    struct sms__policy_use *policy;
    size_t policies;
    struct sms__policy_use *alone; /* of the stand-alone runs */
    struct sms__vm *vm;
    size_t vms;
    bool shares; /* its tenants are processes on shared devices */
    bool drawn;  /* some process draws its workload */
    struct sms__host host;
    struct sms__cluster *cluster;   /* NULL, or of a scenario with nodes */
    int fidelity;                   /* enum sms__fidelity, of pods with workloads */
    struct sms__pairs_given *pairs; /* NULL, or of the contention model */
    double warmup_ps, duration_ps;  /* duration 0: until all VMs have ended */
    uint64_t seed, replications;
    struct sms__expect *expect;
    size_t expects;
};

/* Slowdowns of pairs of classes, as the scenario gives them. */
struct sms__pairs_given {
    struct sms_pairs pairs;
    const struct sms__node **node; /* [classes] */
};

/* Curves by resource name, as the scenario gives them; matched to a device by sms__curves_for. */
struct sms__curves {
    size_t count;
    const char *resource[SMS_RESOURCES_MAX];
    const struct sms__node *node[SMS_RESOURCES_MAX];
    struct sms_curve curve[SMS_RESOURCES_MAX];
};

struct sms_file {
    struct sms__arena arena;
    const struct sms_load_options *options;
    struct sms_errors *errors; /* only while loading */
    struct sms_errors warnings;
    struct sms__doc *doc; /* the first is the file itself, others were looked up */
    size_t docs, docs_capacity;
    const struct sms__device **device;
    size_t devices;
    const struct sms__workload **workload;
    size_t workloads;
    struct sms_scenario **scenario;
    size_t scenarios;
    size_t drawn_kernels;     /* of the workloads that processes may draw */
    struct sms_file *library; /* NULL, or where devices and workloads are looked up instead of in folders */
    double bytes;             /* about what its scenarios have allocated for every device and VM */
};

/* The folder of models fixed at build time. */
const char *sms__installed_models(void);

/* Readers of one document each. In a guard; problems go to reader->errors. */
void sms__read_device(struct sms__reader *reader, const struct sms__node *node, struct sms__device *device);
void sms__finish_device(struct sms__reader *reader, struct sms__device *device);
void sms__read_workload(struct sms__reader *reader, const struct sms__node *node, struct sms__workload *workload);
void sms__read_scenario(struct sms__reader *reader, const struct sms__node *node, struct sms_file *file,
                        struct sms_scenario *scenario);
void sms__read_demand(struct sms__reader *reader, const struct sms__node *node, struct sms__demand **demand,
                      size_t *count);

/* Checks the parts of a scenario against each other and fills in what runs need. */
void sms__link_scenario(struct sms__reader *reader, struct sms_file *file, struct sms_scenario *scenario);

/* compat.c: whether the other simulator has what the scenario asks for. */
void sms__check_compat(struct sms__reader *reader, const struct sms_scenario *scenario);

/* What compat simtbs knows of a device's resources, in their order: hard ones from 0, those of class compute,
 * those of class memory from `compute` to `sm`, then `device` of scope device. */
struct sms__simtbs_shape {
    size_t hard, compute, sm, device;
};
/* NULL, or why the device has no such shape. */
const char *sms__simtbs_shape(const struct sms__device *device, struct sms__simtbs_shape *shape);

/* demand.c: what a demand on resource `r` of the device is in parts, and in units if it is a count of them.
 * Returns whether it can be; reports it otherwise. `unbounded`: a count has no ceiling. */
bool sms__demand_parts(struct sms__reader *reader, const struct sms__device *device, size_t r,
                       const struct sms__demand *demand, bool unbounded, double *parts, uint64_t *count);

/* The hard resource of which the block would take an SM beyond its capacity, or -1.
 * `usage` is the SM's, as policies see it. */
int sms__hard_refuses(const struct sms__device *device, const struct sms__fit *fit, const double *usage);

/* monitor.c: `monitor:` of a cluster; and one as it is unless told, where a policy asks. */
void sms__read_monitor(struct sms__reader *reader, const struct sms__node *node, void *at);
void sms__complete_monitor(struct sms__reader *reader, struct sms_scenario *scenario);
extern const struct sms__field sms__monitor_fields[];
/* Tables of fields that stand in tables of other files. */
extern const struct sms__field sms__device_fields[], sms__mig_fields[], sms__host_fields[], sms__process_fields[],
    sms__run_fields[], sms__expect_fields[], sms__arrival_fields[], sms__pod_fields[], sms__table_fields[],
    sms__device_use_fields[];

/* Tables of fields, for `smsched list fields`. */
struct sms__table {
    const char *title;
    const struct sms__field *fields;
};

/* params.c: parameters by the table of the policy, mode or model that they belong to. */
size_t sms__count_params(const struct sms_param *params);
void sms__default_params(const struct sms_param *params, double *values);
void sms__read_param(struct sms__reader *reader, const struct sms__node *key, const struct sms__node *value,
                     const struct sms_param *params, double *values);
void sms__read_params(struct sms__reader *reader, const struct sms__node *map, const struct sms_param *params,
                      double *values);
/* "name", or "name(limit=150% slice=4 ms)" with the parameters that differ from their defaults. */
const char *sms__param_label(struct sms__arena *arena, const char *name, const struct sms_param *params,
                             const double *values);
/* Of a unit that is no choice. */
enum sms__dimension sms__param_dimension(enum sms_unit unit);
/* A value in the parameter's unit: "150 %", "4 ms", "add". */
void sms__print_param(char *out, size_t size, const struct sms_param *param, double value);

/* Takes `NAME` or `{NAME: {PARAMETER: VALUE, ...}}` apart; the parameters may be NULL. Returns whether it is one. */
bool sms__split_use(struct sms__reader *reader, const struct sms__node *node, const struct sms__node **name,
                    const struct sms__node **params);

/* modes.c: how contexts share a device. */
struct sms__mode_form {
    const char *name, *help;
    const struct sms_param *params; /* or NULL */
    bool instances;                 /* takes `instances: [PROFILE, ...]` */
};
const struct sms__mode_form *sms__mode_at(size_t idx); /* by enum sms__mode_kind; NULL beyond */
const struct sms__mode_form *sms__find_mode(const char *name);
/* `params` as of sms__split_use. */
void sms__read_mode(struct sms__reader *reader, const struct sms__node *node, const struct sms__mode_form *form,
                    const struct sms__node *params, struct sms__mode *mode);

/* sharing.c: one entry of `policies:` where tenants are processes, or pods. Returns whether it could be read. */
bool sms__read_sharing(struct sms__reader *reader, const struct sms__node *node, bool pods,
                       struct sms__policy_use *use);
/* Whether `--policy NAME` means it: by its label, or by a name in it, without the parameters. */
bool sms__is_called(const struct sms__policy_use *use, const char *name);
/* "scenario 's' has no policy 'x'; ...", with the nearest of those it has, and all of them. */
void sms__say_no_policy(char *out, size_t size, const struct sms_scenario *scenario, const char *name);
/* The policy of the stand-alone runs: a block policy, the plain share policy, one process on a device. */
void sms__share_alone(const struct sms_load_options *options, struct sms__policy_use *use);

/* pairs.c: `slowdown:` of a contention model that takes pairs. */
void sms__read_pairs(struct sms__reader *reader, const struct sms__node *node, struct sms_scenario *scenario);
/* The number of a class in the scenario's pairs, or -1. */
int sms__pair_class(const struct sms_scenario *scenario, const char *cls);
/* Complains of workloads of classes that the pairs lack. */
void sms__check_classes(struct sms__reader *reader, const struct sms_scenario *scenario);

/* process.c: the fields of a scenario that only one with processes has; `at` is the scenario. */
void sms__read_host(struct sms__reader *reader, const struct sms__node *node, void *at);
void sms__read_processes(struct sms__reader *reader, const struct sms__node *node, void *at);
extern const struct sms__table sms__process_tables[3];

/* streams.c: `streams:` of a process. */
struct sms__streams {
    struct sms__process_stream *stream; /* [count] */
    const struct sms__node **workload;  /* [count], or NULL: all do the workload of the process */
    const struct sms__node **node;      /* [count]: where each is given */
    size_t count;
};
/* `node`: NULL for one stream; `repeat`: of those that do not say. */
struct sms__streams sms__read_streams(struct sms__reader *reader, const struct sms__node *node, uint64_t repeat);
/* Complains of streams that cannot run beside each other; `process` has its choices. */
void sms__check_streams(struct sms__reader *reader, const struct sms__streams *streams,
                        const struct sms__process *process);
/* Streams of a process at most: as many as kernels run at once in one context. */
enum { SMS__STREAMS_MAX = 128 };
extern const struct sms__field sms__stream_fields[];
extern const struct sms__table sms__stream_tables[2];

/* cluster.c: all of a scenario with `nodes:` and `pods:`. */
void sms__read_cluster(struct sms__reader *reader, const struct sms__node *node, struct sms_scenario *scenario);
void sms__link_cluster(struct sms__reader *reader, struct sms_file *file, struct sms_scenario *scenario);
/* The entry that a node is of, by its number. */
const struct sms__nodes *sms__node_kind(const struct sms__cluster *cluster, size_t node);
/* The name of a node, by its number. */
void sms__node_name(const struct sms__cluster *cluster, size_t node, char *out, size_t size);
/* The name of a row of metrics of nodes. */
void sms__row_name(const struct sms__cluster *cluster, size_t row, char *out, size_t size);
/* {columns: [KEY, ...], rows: [[VALUE, ...], ...]}: a row stands for the map of its values, of which `~` is none. */
enum { SMS__TABLE_COLUMNS_MAX = 32 };
struct sms__tabled {
    struct sms__node *column[SMS__TABLE_COLUMNS_MAX]; /* [columns]: its key, or NULL: it is wrong and left out */
    struct sms__node **row;                           /* [rows] */
    size_t columns, rows;
    bool nameless; /* the column with the names may be one that is left out */
};
/* Complains of what is wrong with the table but for its rows; of one that is none there are no rows. */
void sms__read_table(struct sms__reader *reader, const struct sms__node *node, const struct sms__field *fields,
                     struct sms__tabled *table);
/* NULL: it is none, which is complained of, or has no name for the reason above. */
const struct sms__node *sms__table_row(struct sms__reader *reader, const struct sms__tabled *table, size_t row);
/* An upper bound of the entries of a list, each row of its tables one. */
size_t sms__count_entries(const struct sms__node *list);
extern const struct sms__table sms__cluster_tables[6]; /* ends with a title of NULL */

/* failures.c: `failures:` of a cluster, whose nodes are read; `at` is the scenario. */
void sms__read_failures(struct sms__reader *reader, const struct sms__node *node, void *at);
/* What the entry lets fail on a node of the kind: bit i: GPU i; SMS_NODE_GPUS_MAX: the node. */
uint32_t sms__units_of(const struct sms__nodes *kind, const struct sms__failure *failure);
extern const struct sms__field sms__failure_fields[];
extern const struct sms__table sms__failure_tables[2];

/* labels.c: bits of a map of labels, or 0 where there is none. Those of a pod must be of some node. */
uint64_t sms__read_labels(struct sms__reader *reader, const struct sms__node *map, struct sms__cluster *cluster,
                          bool of_node);

/* arrivals.c: into a struct sms__arriving; the mean time between its pods. */
void sms__read_pod_arrivals(struct sms__reader *reader, const struct sms__node *node, void *at);
double sms__mean_interval(const struct sms__arriving *arriving);
extern const struct sms__field sms__pod_arrival_fields[];
extern const struct sms__table sms__arrival_tables[2];
/* What a sample takes from its table, and so does not give itself; ends with NULL. */
extern const char *const sms__sampled_keys[];

/* warn.c: pods that no node could ever hold. */
void sms__warn_of_pods(struct sms_file *file, const struct sms__cluster *cluster);

/* pods.c: `pods:` of a cluster, whose nodes are read; `at` is the scenario. */
void sms__read_pods(struct sms__reader *reader, const struct sms__node *node, void *at);
extern const struct sms__table sms__pod_tables[2];
extern const struct sms__table sms__gpushare_tables[4]; /* the same; gpushare.c */
/* What entries of nodes and of pods have under that scheduler alone; the keys end with NULL. */
extern const struct sms__field sms__gpushare_node_fields[];
extern const char *const sms__gpushare_pod_keys[];

/* podwork.c: pods that run workloads. `devices:` of a kind of nodes: the number of the scenario's device, or -1. */
long sms__read_node_devices(struct sms__reader *reader, const struct sms__node *node, struct sms_scenario *scenario,
                            uint64_t *count);
/* What is said of pods of an entry as processes. */
struct sms__podwork {
    const struct sms__node *workload; /* or NULL */
    uint64_t repeat;
    double priority, weight, active_threads, period_ps;
};
/* The scenario's VM of pods with a workload that ask for this, plus 1; 0 if they have none. What they ask for is
 * brought in line with it. */
uint16_t sms__read_podwork(struct sms__reader *reader, const struct sms__node *node, const char *name,
                           const struct sms__podwork *work, struct sms_scenario *scenario, struct sms_pod_view *view);
void sms__link_podwork(struct sms__reader *reader, struct sms_file *file, struct sms_scenario *scenario);

/* Complains of names that come twice, with numbers or without; sorts them. Empty ones are none. */
struct sms__named {
    const char *name;
    const struct sms__node *node;
    uint64_t several; /* it stands for NAME1 to NAME with that number; 0: for NAME alone */
    bool apart;       /* it is in no results: only its equals are its namesakes */
};
void sms__check_names(struct sms__reader *reader, struct sms__named *named, size_t count, const char *what);

/* scenario.c: the fields that all scenarios have; `at` is the scenario. */
void sms__read_run(struct sms__reader *reader, const struct sms__node *node, void *at);
void sms__read_expects(struct sms__reader *reader, const struct sms__node *node, void *at);
void sms__read_arrivals(struct sms__reader *reader, const struct sms__node *node, void *at); /* a struct sms__vm */
/* scenario.c: one entry of `devices:`. */
void sms__read_device_use(struct sms__reader *reader, const struct sms__node *node, struct sms_scenario *scenario);
/* What the stand-alone runs do if the scenario does not say. */
void sms__default_alone(struct sms__reader *reader, const struct sms_file *file, const struct sms__node *node,
                        struct sms_scenario *scenario);
/* link.c */
void sms__check_expects(struct sms__reader *reader, const struct sms_scenario *scenario);
/* Devices and tenants against each other and the policies; what kernels are on devices. */
void sms__link_tenants(struct sms__reader *reader, struct sms_scenario *scenario);

/* The i-th of the workloads of which a tenant may be doing one; `first` is its first kernel's number. NULL beyond. */
const struct sms__workload *sms__workload_of(const struct sms__vm *vm, size_t i, size_t *first);

/* Whether a process is of the same entry as the one before it, and so the same in all but name and start. */
bool sms__is_like_last(const struct sms_scenario *scenario, size_t v);

/* What a scenario calls its tenants: "VM" or "process". */
const char *sms__tenant_word(const struct sms_scenario *scenario);

/* Of which device another is an instance, and with which share of its device-wide resources. */
struct sms__part {
    const struct sms__device *board;
    double share;
};

/* fit.c: what the kernels of a tenant are on a device. `part`: NULL where the device is whole. */
struct sms__fit *sms__fit_tenant(struct sms__reader *reader, const struct sms_scenario *scenario,
                                 const struct sms__vm *vm, const struct sms__device *device,
                                 const struct sms__part *part);

/* estimate.c: whether what a run of the scenario allocates is within reason; reports it otherwise. */
#define SMS__CLUSTER_RUN_BYTES 6000.0 /* of one replication of a policy */
/* The same of a run with so many replications, and how much it takes; nothing is reported. */
bool sms__replications_fit(const struct sms_scenario *scenario, uint64_t replications, double *gib);
bool sms__fits_in_memory(struct sms__reader *reader, struct sms_file *file, const struct sms_scenario *scenario);

/* What an expectation is of. */
enum sms_subject sms__expect_subject(const struct sms__expect *expect);

/* mig.c: a device's `mig:`, and the instances that a policy's mode asks for. */
void sms__read_mig(struct sms__reader *reader, const struct sms__node *node, void *at);
extern const struct sms__table sms__mig_tables[3]; /* ends with a title of NULL */
void sms__build_instances(struct sms__reader *reader, const struct sms_scenario *scenario, struct sms__policy_use *use);

/* uses.c: the fields of a scenario that name policies and a contention model; `at` is the scenario. */
void sms__read_policies(struct sms__reader *reader, const struct sms__node *node, void *at);
void sms__read_alone(struct sms__reader *reader, const struct sms__node *node, void *at);
void sms__read_contention(struct sms__reader *reader, const struct sms__node *node, void *at);
/* A block policy by its name's node and parameters; returns its label, or NULL. */
const char *sms__read_block_use(struct sms__reader *reader, const struct sms__node *name,
                                const struct sms__node *params, struct sms__policy_use *use);

/* For `smsched list fields`. */
const struct sms__table *sms__device_tables(void); /* ends with a title of NULL */
const struct sms__table *sms__workload_tables(void);
const struct sms__table *sms__scenario_tables(void);

/* A named device or workload: in the file, then in the folders; NULL and a complaint at `node` if nowhere. */
const struct sms__device *sms__find_device(struct sms_file *file, const char *name, const struct sms__node *node);
const struct sms__workload *sms__find_workload(struct sms_file *file, const char *name, const struct sms__node *node);

/* One scenario document, of a plan say, as a file of its own. What it names is looked up in `library`, a loaded file
 * that takes in what it has not; those that the scenario uses are then the devices and workloads of *out. `options` are
 * those of the library. `make` returns the document, in the reader's arena, or NULL having complained; reader->user is
 * what becomes *out. That lives no longer than the library; two threads may not share that. Else as sms_file_load. */
struct sms__variation {
    struct sms_file *library;
    const struct sms_load_options *options;
    const struct sms__node *(*make)(struct sms__reader *reader, void *user);
    void (*failed)(const struct sms_file *file, void *user); /* NULL, or told of a file that is given up */
    void *user;
};
int sms__file_vary(const struct sms__variation *variation, struct sms_file **out, struct sms_errors *errors);

/* A workload that stands before that of the library with its name. While loading, in its guard. */
void sms__file_add_workload(struct sms_file *file, const struct sms__node *node);

/* The document of a device or workload as sms__file_vary would find it; NULL if there is none. */
const struct sms__node *sms__library_document(struct sms_file *library, const struct sms_load_options *options,
                                              bool device, const char *name);

/* suggest.c: complains of a name that is in no file and no folder, with the nearest that is. */
void sms__complain_unknown_device(struct sms_file *file, const struct sms__node *node);
void sms__complain_unknown_workload(struct sms_file *file, const struct sms__node *node);

/* Policies and contention models by name: those of the options, then the library's. */
const struct sms_block_policy *sms__find_policy(const struct sms_load_options *options, const char *name);
const struct sms_contention *sms__find_contention(const struct sms_load_options *options, const char *name);
const struct sms_block_policy *sms__policy_at(const struct sms_load_options *options, size_t idx); /* NULL beyond */
const struct sms_contention *sms__contention_at(const struct sms_load_options *options, size_t idx);
const struct sms_share_policy *sms__find_share(const struct sms_load_options *options, const char *name);
const struct sms_share_policy *sms__share_at(const struct sms_load_options *options, size_t idx);
const struct sms_place_policy *sms__find_place(const struct sms_load_options *options, const char *name);
const struct sms_place_policy *sms__place_at(const struct sms_load_options *options, size_t idx);

/* What a block takes of an SM, with the hardware's allocation granularity.
 * Returns NULL, or what makes the block fit no SM of the device. */
const char *sms__block_needs(const struct sms__sm *sm, const struct sms__kernel *kernel, uint64_t needs[SMS_LIMITS]);

/* Blocks of `needs` that an empty SM holds, and the limit that binds. */
size_t sms__blocks_per_sm(const uint64_t capacity[SMS_LIMITS], const uint64_t needs[SMS_LIMITS], enum sms_limit *binds);

/* The capacity of an SM in the units of `needs`. */
void sms__sm_capacity(const struct sms__sm *sm, uint64_t capacity[SMS_LIMITS]);

/* The index of a resource on a device, or -1. */
int sms__resource_index(const struct sms__device *device, const char *name);

extern const char *const sms__queue_names[];
extern const char *const sms__limit_names[SMS_LIMITS];

#endif
