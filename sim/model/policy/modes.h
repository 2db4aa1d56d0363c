/* The modes in which processes share a device (docs/explanation/sharing.md). A mode is a table of operations in a file
 * of its own, mode_NAME.c, which defines sms__mode_form_NAME and which the build finds. An operation sees the mode, the
 * device and one process, not who else is there: what depends on that is a share policy. */
#ifndef SMS_MODEL_POLICY_MODES_H
#define SMS_MODEL_POLICY_MODES_H

#include <smsched/policy.h>

#include "../device_model.h"

struct sms__mode_form;
struct sms__tenant;

/* A mode as a policy uses it. */
struct sms__mode {
    const struct sms__mode_form *form;
    const double *param;     /* the values of its parameters */
    uint32_t given;          /* bit i: the scenario gives parameter i */
    struct sms__turns turns; /* as far as the scenario gives them; the rest is the device's */
    int drain;               /* blocks that run when a slice ends are waited for */
    uint64_t ahead;          /* kernels that end before a process is stopped early */
    double stop_ps;          /* cost of that, besides the switch */
    uint64_t clients;        /* processes on a device at most; 0: as device and driver say */
    uint64_t replicas;       /* a process has at most one of so many parts of memory and SMs; 0: no cap */
    int driver;              /* 0: of today; 1: before */
    bool one_queue;          /* blocks of all processes wait in one dispatch queue, not in one of each */
    uint64_t granule;        /* a process's SMs are a multiple of it; 0 is 1 */
    double launch_wait_ps;   /* by which each other process lengthens a launch of a coarse kernel */
    const char *label;       /* as a policy's */
    const char *word;        /* its name; in an instance "mig", or "mig/mps" */
    /* A mode that splits has a mode for each part: the instances of a device (it has `instances`), or the devices of
     * the scenario (its form is NULL). */
    const struct sms__mode *part;      /* [parts] */
    size_t parts;                      /* 0: it splits nothing */
    const struct sms__node *instances; /* the list of their profiles' names; or NULL */
};

/* What a mode is. */
struct sms__mode_form {
    const char *name, *help;
    const struct sms_param *params; /* or NULL */
    /* Fills in the mode from the values of its parameters; or NULL. */
    void (*read)(const double *values, struct sms__mode *mode);
    bool instances; /* takes `instances: [PROFILE, ...]` and `inside: MODE`; each instance is a device of its own */
    bool exclusive; /* a device has one process at a time */
    bool slices;    /* each process has a context of its own, and these take turns; else kernels run at once */
    /* The processes on a device at most; NULL: no limit. Further ones wait unplaced. */
    uint64_t (*most_processes)(const struct sms__mode *mode, const struct sms__device *device);
    /* The number of the device's SMs on which this process may run; 0 counts as 1, and more than it has, or NULL, as
     * all. sm_part.c picks the SMs. It is asked when a run begins, and must not change. */
    uint64_t (*sms)(const struct sms__mode *mode, const struct sms__device *device, const struct sms__tenant *process);
    bool reserves;     /* these SMs are the process's alone, and it waits unplaced until as many are free */
    const char *needs; /* key of a process, without which none can start; or NULL */
    /* The slice of a process with this weight, ps, where `slice_ps` is that of the device; NULL: the same for all. */
    double (*slice_ps)(double slice_ps, double weight);
};

const struct sms__mode_form *sms__mode_at(size_t idx); /* NULL beyond the last */
/* `params` as of sms__split_use. */
void sms__read_mode(struct sms__reader *reader, const struct sms__node *node, const struct sms__mode_form *form,
                    const struct sms__node *params, struct sms__mode *mode);
/* Reads a list of modes, one for each device of the scenario. Returns whether it could be read. */
bool sms__read_modes(struct sms__reader *reader, const struct sms__node *list, struct sms__mode *mode);

/* The mode of the scenario's device d: its own, where a list has one for each. */
const struct sms__mode *sms__mode_of_device(const struct sms__mode *mode, size_t d);
/* The i-th of the modes in which processes share one device or instance: the mode itself, or those of its parts; NULL
 * beyond the last. The functions below with `shared` want one of these. */
const struct sms__mode *sms__mode_shared(const struct sms__mode *mode, size_t i);
/* True if kernels of different processes run beside each other on some device or instance. */
bool sms__mode_runs_beside(const struct sms__mode *mode);
/* The processes on a device at most; UINT64_MAX: no limit. */
uint64_t sms__mode_most_processes(const struct sms__mode *shared, const struct sms__device *device);
/* The turns on a device: as the scenario says, else the device, else the defaults of the parameters. */
struct sms__turns sms__mode_turns(const struct sms__mode *shared, const struct sms__device *device);
/* What neither the mode nor the device tells about turns, so that defaults stand in. */
struct sms__unsaid_turns {
    bool slice, change;
};
struct sms__unsaid_turns sms__mode_unsaid(const struct sms__mode *shared, const struct sms__device *device);
/* The slice of a process with this weight, ps. */
double sms__mode_slice_ps(const struct sms__mode *shared, double slice_ps, double weight);

/* The SMs of the device on which the process may run, 1 to all. */
uint64_t sms__mode_sms(const struct sms__mode *shared, const struct sms__device *device,
                       const struct sms__tenant *process);
/* The memory of the device that a process may hold, context included, bytes; UINT64_MAX: no such limit. */
uint64_t sms__mode_bytes(const struct sms__mode *shared, const struct sms__device *device);
/* True unless the process lacks what the mode reserves SMs for. */
bool sms__mode_takes(const struct sms__mode *shared, const struct sms__device *device,
                     const struct sms__tenant *process);

/* The mode without parameters. */
struct sms__mode sms__bare_mode(const struct sms__mode_form *form);

/* The default, that of runs of one tenant alone, and that of VMs. */
extern const struct sms__mode_form sms__mode_form_time_slice, sms__mode_form_exclusive, sms__mode_form_together;

/* The parameter `launch_wait`, for modes in which kernels of several processes run at once. */
#define SMS__LAUNCH_WAIT                                                                                               \
    {                                                                                                                  \
        "launch_wait", SMS_UNIT_TIME, 0, 1e12, 0,                                                                      \
            "time by which each other process with a kernel under way lengthens a launch of a coarse kernel"           \
    }

/* mode_mps.c: the parameters of modes of MPS, and its choices. */
#define SMS__CLIENTS                                                                                                   \
    {                                                                                                                  \
        "clients", SMS_UNIT_COUNT, 0, 1024, 0, "processes on a device at most; 0: as the device says, else 48"         \
    }
#define SMS__DRIVER                                                                                                    \
    {                                                                                                                  \
        "driver", SMS_UNIT_CHOICE, 0, 1, 0, "the clients that a device takes depend on it", sms__drivers               \
    }
#define SMS__QUEUES                                                                                                    \
    {                                                                                                                  \
        "queues", SMS_UNIT_CHOICE, 0, 1, 0,                                                                            \
            "whether each process has a dispatch queue, and these take turns of one block, or all share one",          \
            sms__queues_of_mps                                                                                         \
    }
extern const char *const sms__drivers[], *const sms__queues_of_mps[];
extern const struct sms_param sms__mps_params[];
void sms__read_mps(const double *values, struct sms__mode *mode);
uint64_t sms__most_clients(const struct sms__mode *mode, const struct sms__device *device);
uint64_t sms__active_threads(const struct sms__mode *mode, const struct sms__device *device,
                             const struct sms__tenant *process);

/* mode_time_slice.c: the parameters of modes that take turns. */
extern const struct sms_param sms__slice_params[];
void sms__read_slices(const double *values, struct sms__mode *mode);
uint64_t sms__most_replicas(const struct sms__mode *mode, const struct sms__device *device);

#endif
