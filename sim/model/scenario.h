/* A scenario: devices and the tenants on them, or a cluster; policies; how long and how often it runs; what is expected
 * of it. It is read, resolved, and then never changed. Times are picoseconds, sizes bytes. */
#ifndef SMS_MODEL_SCENARIO_H
#define SMS_MODEL_SCENARIO_H

#include <smsched/smsched.h>

#include "../yaml/fields.h"
#include "cluster/cluster.h"
#include "device_model.h"
#include "expect.h"
#include "limits.h"
#include "policy/contention_use.h"
#include "policy/policies.h"
#include "tenant.h"
#include "unknowns.h"

/* Whether each device of a host is simulated, or one that counts for all. */
enum sms__equal_devices { SMS__SIMULATE_EACH, SMS__SIMULATE_ONE };

/* The host of the devices. 0: no limit, no power. */
struct sms__host {
    uint64_t cores;           /* processes that compute at once */
    double link_in, link_out; /* bytes/s of all copies of all devices */
    double power_w;
    double context_bytes, context_ps; /* of a process on a device; time to create it */
    int equal_devices;                /* enum sms__equal_devices */
};

/* Runs of a policy by which a warm-up is found. */
enum { SMS__PILOTS = 5 };

/* Most entries of a list of devices, tenants or expectations, and most limits. */
enum { SMS__LISTED_MAX = 10000 };

/* Complaint about the key `workload` of a scenario. */
#define SMS__WORKLOAD_APART                                                                                            \
    "a workload is a document of its own, which a line of '---' ends; --set changes one as workloads.NAME"

/* The classes of tenants, in the order of their first ones. */
struct sms__classes {
    const char **name; /* [count] */
    size_t count;
};

struct sms_scenario {
    const char *name, *question;
    const struct sms__node *node;
    const struct sms_file *file;       /* from which it was read */
    const struct sms__device **device; /* [devices]; equal ones share one struct and are neighbours */
    size_t devices;
    const char **resource; /* [resources]: the names of those that any device has (lacking.h) */
    size_t resources;
    struct sms__contention_use contention;
    const struct sms_queue_discipline *queue;
    struct sms__policy_use *policy;
    size_t policies;
    struct sms__policy_use *alone; /* of the stand-alone runs */
    struct sms__tenant *vm;
    size_t vms;
    struct sms__classes cls;
    bool shares; /* its tenants are processes on shared devices */
    bool drawn;  /* some process draws its workload */
    struct sms__host host;
    struct sms__cluster *cluster;  /* NULL, or of a scenario with nodes */
    int fidelity;                  /* enum sms__fidelity, of pods with workloads */
    double warmup_ps, duration_ps; /* duration 0: until all tenants have ended */
    bool find_warmup;              /* warmup: auto */
    uint64_t seed, replications;   /* with `until`, at least so many */
    struct sms__until until;
    struct sms__unknowns_ask unknowns;
    struct sms__answer answer;
    struct sms__expects expect;
};

/* The word for a tenant of the scenario. */
static inline const char *sms__tenant_word(const struct sms_scenario *scenario)
{
    return scenario->shares ? "process" : scenario->cluster ? "pod" : "VM";
}

/* For how many devices one that is simulated counts: 1, or that of all devices, which then are equal. */
static inline size_t sms__devices_for_one(const struct sms_scenario *scenario)
{
    return scenario->host.equal_devices == SMS__SIMULATE_ONE && scenario->devices > 1 ? scenario->devices : 1;
}

/* tenants.c: how many of the tenants `from`, ..., `before` - 1 may be there. With `from` 0 it is the number that tenant
 * `before` has there, for block policies. */
size_t sms__tenants_at(const struct sms_scenario *scenario, const struct sms__site *site, size_t from, size_t before);

/* The dispatch queue under a policy: its own, or the scenario's. */
static inline const struct sms_queue_discipline *sms__queue_of(const struct sms_scenario *scenario,
                                                               const struct sms__policy_use *use)
{
    return use->policy->queue ? use->policy->queue : scenario->queue;
}

/* scenario.c: reads one document; reader->user is the file. In a guard; problems go to reader->errors. */
void sms__read_scenario(struct sms__reader *reader, const struct sms__node *node, struct sms_scenario *scenario);
/* For `smsched list fields`; ends with a title of NULL. */
const struct sms__table *sms__scenario_tables(void);

/* read_run.c: `run:`; `at` is the scenario. */
void sms__read_run(struct sms__reader *reader, const struct sms__node *node, void *at);
extern const struct sms__field sms__run_fields[];
/* For the key `queue`: stores the discipline of that name. */
void sms__read_queue(struct sms__reader *reader, const struct sms__node *node, void *at);

/* resolve.c: checks the parts of a scenario against each other, fills in what runs need, and warns. */
void sms__resolve_scenario(struct sms__reader *reader, struct sms_file *file, struct sms_scenario *scenario);

/* equal_devices.c: complains where one device cannot stand for all. */
void sms__check_equal_devices(struct sms__reader *reader, const struct sms_scenario *scenario);

/* check_policies.c: complains of kernels given by time that may be on a device with a background; then of policies
 * under which a block would never be placed or kernels cannot be together. */
void sms__check_backgrounds(struct sms__reader *reader, const struct sms_scenario *scenario);
void sms__check_modes(struct sms__reader *reader, const struct sms_scenario *scenario);
void sms__check_policies(struct sms__reader *reader, const struct sms_scenario *scenario);

/* instances.c: makes the instances that a policy's mode asks for. */
void sms__make_instances(struct sms__reader *reader, const struct sms_scenario *scenario, struct sms__policy_use *use);

/* warnings.c: legal input that is probably a mistake. */
void sms__warn(struct sms_file *file, const struct sms_scenario *scenario);
/* library.c: warns of profiles of MIG that have more SMs than the device, as it may inherit them. */
void sms__warn_of_instances(struct sms_file *file, const struct sms__device *device);

#endif
