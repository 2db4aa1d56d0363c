/* A scenario: devices, the tenants on them or a cluster, policies, how long and how often it runs, and what is expected
 * of it. It is read, linked, and then never changed. */
#ifndef SMS_MODEL_SCENARIO_H
#define SMS_MODEL_SCENARIO_H

#include <smsched/smsched.h>

#include "../yaml/fields.h"
#include "cluster/cluster.h"
#include "compat.h"
#include "device.h"
#include "limits.h"
#include "policy/contention.h"
#include "policy/use.h"
#include "tenant.h"

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

/* What the scenario asks: the metric by which one policy is better than another (answer.c). */
struct sms__answer {
    const struct sms__node *node; /* NULL: it is not said, and chosen by rule */
    const char *name;             /* as `of` has it, or NULL */
    struct sms__expect of;        /* metric and subject */
    int better;                   /* as given */
    int sign;                     /* +1: a higher value is better; -1: a lower one */
};

/* Runs of a policy by which a warm-up is found. */
enum { SMS__PILOTS = 5 };

/* How precisely the mean of a metric is to be known. */
struct sms__until {
    const struct sms__node *node;
    double precision; /* 0: it is not said */
    struct sms__expect of;
    uint64_t most; /* replications */
};

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
    bool find_warmup;               /* warmup: auto */
    uint64_t seed, replications;    /* with `until`, at least so many */
    struct sms__until until;
    struct sms__answer answer;
    struct sms__expect *expect;
    size_t expects;
    double read_bytes;    /* about what its file has in memory for it and the scenarios before it */
    double cluster_bytes; /* the same of a run for nodes and pods */
};

/* scenario.c: reads one document. In a guard; problems go to reader->errors. */
void sms__read_scenario(struct sms__reader *reader, const struct sms__node *node, struct sms_file *file,
                        struct sms_scenario *scenario);
/* For `smsched list fields`; ends with a title of NULL. */
const struct sms__table *sms__scenario_tables(void);
/* The fields that all scenarios have; `at` is the scenario. */
void sms__read_expects(struct sms__reader *reader, const struct sms__node *node, void *at);
extern const struct sms__field sms__expect_fields[];
/* One entry of `devices:`. */
void sms__read_device_use(struct sms__reader *reader, const struct sms__node *node, struct sms_scenario *scenario);
extern const struct sms__field sms__device_use_fields[];
/* What the stand-alone runs do if the scenario does not say. */
void sms__default_alone(struct sms__reader *reader, const struct sms_file *file, const struct sms__node *node,
                        struct sms_scenario *scenario);
extern const char *const sms__queue_names[];

/* run.c: `run:`; `at` is the scenario. How many replications it may take. */
void sms__read_run(struct sms__reader *reader, const struct sms__node *node, void *at);
uint64_t sms__most_replications(const struct sms_scenario *scenario);
extern const struct sms__field sms__run_fields[], sms__until_fields[];

/* process.c: `host:`; `at` is the scenario. */
void sms__read_host(struct sms__reader *reader, const struct sms__node *node, void *at);
extern const struct sms__field sms__host_fields[];

/* answer.c: `answer:`; `at` is a struct sms__answer. Linked, it has a metric and a subject in any case. */
void sms__read_answer(struct sms__reader *reader, const struct sms__node *node, void *at);
void sms__link_answer(struct sms__reader *reader, struct sms_scenario *scenario);
extern const struct sms__field sms__answer_fields[];

/* link.c: checks the parts of a scenario against each other and fills in what runs need. */
void sms__link_scenario(struct sms__reader *reader, struct sms_file *file, struct sms_scenario *scenario);
void sms__check_expects(struct sms__reader *reader, struct sms_scenario *scenario); /* and `until` and `answer` */
/* Whether there is such a metric of such a subject; not its policies. */
void sms__check_expect(struct sms__reader *reader, const struct sms_scenario *scenario, const struct sms__expect *e);
/* Devices and tenants against each other and the policies; what kernels are on devices. */
void sms__link_tenants(struct sms__reader *reader, struct sms_scenario *scenario);
/* elsewhere.c: warns of workloads that run on another device than they were profiled on, once of each. */
void sms__warn_of_devices(struct sms_file *file, const struct sms_scenario *scenario);
/* alike.c: complains of processes that results would call as they call streams of others. */
void sms__check_alike(struct sms__reader *reader, const struct sms_scenario *scenario);
/* The subject's metric of that name, or NULL. */
const struct sms_metric *sms__find_metric(enum sms_subject subject, const char *name);
/* What an expectation is of. */
enum sms_subject sms__expect_subject(const struct sms__expect *expect);

/* estimate.c: about what the runs of a scenario take of memory, bytes: never less than they do by more than a few
 * percent, and seldom more than twice as much (docs/performance.md). */
/* What a run needs grows with the scenario, not with time; one that needs more is refused, not begun. */
#define SMS__MEMORY_MAX (4.0 * 1024 * 1024 * 1024) /* bytes */
#define SMS__CLUSTER_RUN_BYTES 6000.0              /* of the results of one replication of a policy */
struct sms__memory_ask {
    double replications;
    size_t jobs; /* runs at once, at least 1 */
    double bins; /* as of the options of a run */
};
double sms__memory_of(const struct sms_scenario *scenario, const struct sms__memory_ask *ask);
/* How many of the jobs may run at once so that it is within reason, at least 1. */
size_t sms__jobs_that_fit(const struct sms_scenario *scenario, const struct sms__memory_ask *ask);
/* Whether it is within reason, and how much it is. */
bool sms__replications_fit(const struct sms_scenario *scenario, const struct sms__memory_ask *ask, double *gib);
/* The same of one job with what the scenario says; reports it otherwise. */
bool sms__fits_in_memory(struct sms__reader *reader, struct sms_file *file, struct sms_scenario *scenario);

#endif
