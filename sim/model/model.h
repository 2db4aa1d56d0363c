/* What the files say, checked and then never changed: devices, workloads, VMs,
 * scenarios. Everything lives in the arena of the struct sms_file it was read
 * for. Times are picoseconds, sizes bytes, ratios 1.0 for 100 %. */
#ifndef SMS_MODEL_MODEL_H
#define SMS_MODEL_MODEL_H

#include <smsched/share.h>
#include <smsched/smsched.h>

#include "../base/quantity.h"
#include "../yaml/fields.h"

enum { SMS__PARAMS_MAX = 16 };

/* The clock's range: 2^64 ps are 213 days; a duration may take half of it. */
#define SMS__TIME_MAX_PS 9.0e18

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
    double start_ps, deadline_ps; /* deadline 0: none */
    uint64_t type;                /* by which --format simtbs groups VMs */
    uint64_t repeat;              /* jobs; 0: for ever */
    uint64_t streams;             /* jobs at once, per device */
    int arrivals;                 /* enum sms__arrivals */
    double interval_ps;           /* mean time between arrivals, per device */
    const struct sms__fit **fit;  /* [devices] -> [kernels] */
    struct sms__process *process; /* what is said of it as a process; NULL where the scenario has `vms:` */
};

/* One workload of several that may be drawn for a process. `first` is its first kernel's number
 * among those of the VM's workload, which is the union of all. */
struct sms__choice {
    const struct sms__workload *workload;
    size_t first;
};

struct sms__process {
    double priority, weight;
    double active_threads;      /* under mps: share of the SMs, 0..1 */
    long device;                /* the only one on which it may run; -1: any */
    struct sms__choice *choice; /* [choices], choices >= 1; with 1 nothing is drawn */
    size_t choices;
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
    const struct sms_place_policy *place; /* of a cluster; then it has no other */
    double place_param[SMS__PARAMS_MAX];
};

/* Nodes of a cluster that are alike, from `first` on. */
struct sms__nodes {
    const char *name; /* of several NAME1, NAME2, ... */
    const struct sms__node *node;
    size_t first;
    uint64_t count, gpus;
    int model; /* in the cluster's list; -1: it has no GPUs */
    uint64_t gpu_memory, cpu_milli, memory;
};

/* Pods of one entry or of one row of a table. `pool`: they are only drawn from, by samples. */
struct sms__pods {
    const char *name;
    const struct sms__node *node;
    size_t shape;
    uint64_t count;
    double start_ps, interval_ps; /* of the first; from one to the next */
    int arrivals;                 /* enum sms__arrivals; SMS__CLOSED: all at the start */
    double duration_ps;           /* 0: for ever */
    int spread;                   /* enum sms__pod_spread, of the duration */
    double deadline_ps;           /* from arrival to end; 0: none */
    bool pool;
    size_t rows, first_row; /* of a sample: the pods that it draws from; rows 0: it is none */
    double until;           /* of a sample: GPUs asked for at the end, as a share of the cluster's; 0: `count` pods */
    bool lasts;             /* of a sample: its duration stands in the place of the rows' */
};

enum sms__pod_spread { SMS__POD_FIXED, SMS__POD_EXPONENTIAL };

/* A cluster, in the place of devices and tenants. */
struct sms__cluster {
    struct sms__nodes *node; /* [kinds] */
    size_t kinds, nodes;
    struct sms__pods *pod; /* [groups] */
    size_t groups;
    struct sms_pod_view *shape; /* [shapes], in the order of their first pods */
    size_t shapes;
    struct sms_typical_pod *typical; /* [typicals], most frequent first */
    size_t typicals;
    uint64_t typical_pods; /* of all of them */
    const char *model[SMS_GPU_MODELS_MAX];
    size_t models;
    double retry_ps, retry_most_ps; /* 0: at once when something is freed */
    double start_delay_ps;          /* from placement to the start of what takes the duration */
    uint64_t gpu_milli, cpu_milli;  /* of all nodes */
    double pods, load;              /* about how many come, and how many GPUs they ask for as a share of all */
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
    const char *metric, *policy, *over, *vm, *resource, *process;
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
    struct sms__cluster *cluster;   /* NULL; else there are no devices and no tenants */
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
    struct sms__doc *doc;      /* the first is the file itself, others were looked up */
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

/* sharing.c: one entry of `policies:` where tenants are processes. Returns whether it could be read. */
bool sms__read_sharing(struct sms__reader *reader, const struct sms__node *node, struct sms__policy_use *use);
/* Whether `--policy NAME` means it: by its label, or by a name in it, without the parameters. */
bool sms__is_called(const struct sms__policy_use *use, const char *name);
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
/* A count from 0 into a long. */
void sms__read_index(struct sms__reader *reader, const struct sms__node *node, void *at);
extern const struct sms__table sms__process_tables[3];

/* cluster.c: all of a scenario with `nodes:` and `pods:`. */
void sms__read_cluster(struct sms__reader *reader, const struct sms__node *node, struct sms_scenario *scenario);
void sms__link_cluster(struct sms__reader *reader, struct sms_file *file, struct sms_scenario *scenario);
/* The name of a node, by its number. */
void sms__node_name(const struct sms__cluster *cluster, size_t node, char *out, size_t size);
/* A table's row as the map it stands for: {columns: [KEY, ...], rows: [[VALUE, ...], ...]}, where `~` is no value.
 */
const struct sms__node *sms__table_row(struct sms__reader *reader, const struct sms__node *table, size_t row);
/* The number of rows of a table; complains of one that is none. */
size_t sms__table_rows(struct sms__reader *reader, const struct sms__node *table);
/* An upper bound of the entries of a list, each row of its tables one. */
size_t sms__count_entries(const struct sms__node *list);
extern const struct sms__table sms__cluster_tables[4]; /* ends with a title of NULL */

/* pods.c: `pods:` of a cluster, whose nodes are read; `at` is the scenario. */
void sms__read_pods(struct sms__reader *reader, const struct sms__node *node, void *at);
extern const struct sms__table sms__pod_tables[2];

/* A field that takes CPUs or GPUs, into a uint64_t of thousandths. */
void sms__read_milli(struct sms__reader *reader, const struct sms__node *node, void *at);
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
/* link.c */
void sms__check_expects(struct sms__reader *reader, const struct sms_scenario *scenario);

/* scenario.c: a number of jobs, or forever, which is 0. */
void sms__read_repeat(struct sms__reader *reader, const struct sms__node *node, void *at);

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
 * those of the library. `make` returns the document, in the reader's arena, or NULL having complained. *out lives no
 * longer than the library; two threads may not share that. Else as sms_file_load. */
struct sms__variation {
    struct sms_file *library;
    const struct sms_load_options *options;
    const struct sms__node *(*make)(struct sms__reader *reader, void *user);
    void *user;
};
int sms__file_vary(const struct sms__variation *variation, struct sms_file **out, struct sms_errors *errors);

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
