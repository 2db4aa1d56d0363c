/* The modes in which processes share a device (docs/explanation/sharing.md), as policies of a scenario use them.
 * smsched/mode.h says what a mode is. */
#ifndef SMS_MODEL_POLICY_MODES_H
#define SMS_MODEL_POLICY_MODES_H

#include <smsched/mode.h>

#include "../device_model.h"

struct sms__tenant;
struct sms_scenario;

/* Of `caps:` of a mode. */
struct sms__cap {
    const struct sms__node *name; /* of a process, or of the entry of several */
    double share;                 /* of the SMs, in place of active_threads, 0..1 */
};

/* A mode as a policy uses it. */
struct sms__mode {
    const struct sms_sharing_mode *form;
    const double *param;        /* the values of its parameters */
    uint32_t given;             /* bit i: the scenario gives parameter i */
    struct sms__turns turns;    /* as far as the scenario gives them; the rest is the device's */
    bool drain;                 /* blocks that run when a slice ends are waited for */
    uint64_t ahead;             /* kernels that end before a process is stopped early */
    double stop_ps;             /* how long it runs on before that */
    uint16_t replicas;          /* pods that an instance of a cluster takes; 0: one */
    double launch_wait_ps;      /* by which each other process lengthens a launch of a coarse kernel */
    const struct sms__cap *cap; /* [caps] */
    size_t caps;
    const char *label; /* as a policy's */
    const char *word;  /* its name; in an instance "mig", or "mig/mps" */
    /* A mode that splits has a mode for each part: the instances of a device (it has `instances`), or the devices of
     * the scenario (its form is NULL). */
    const struct sms__mode *part;      /* [parts] */
    size_t parts;                      /* 0: it splits nothing */
    const struct sms__mode *inside;    /* of a mode with instances: what those have that have no mode of their own */
    const struct sms__node *instances; /* the list of their profiles' names; or NULL */
    const struct sms__modes *of_nodes; /* of a cluster: those that nodes give their GPUs and instances; or NULL */
};

struct sms__modes {
    const struct sms__mode **mode; /* [count] */
    size_t count;
};

/* read_modes.c: `params` as of sms__split_use. */
void sms__read_mode(struct sms__reader *reader, const struct sms__node *node, const struct sms_sharing_mode *form,
                    const struct sms__node *params, struct sms__mode *mode);
/* Reads a list of modes, one for each device of the scenario. Returns whether it could be read. */
bool sms__read_modes(struct sms__reader *reader, const struct sms__node *list, struct sms__mode *mode);

/* Reads MODE or {MODE: PARAMETERS} of one device or instance; `refusal`: the complaint of a mode with instances.
 * Returns whether it could be read. */
bool sms__read_shared(struct sms__reader *reader, const struct sms__node *node, const char *refusal,
                      struct sms__mode *shared);
/* Reads a list of at most SMS__INSTANCES_MAX `PROFILE` or `{PROFILE: MODE}`: sets parts, which are `usual` where they
 * have no mode of their own, the names, and their label. Returns whether it could be read. */
bool sms__read_instances(struct sms__reader *reader, const struct sms__node *list, const struct sms__mode *usual,
                         struct sms__mode *mode);

/* The mode of the scenario's device d: its own, where a list has one for each. */
const struct sms__mode *sms__mode_of_device(const struct sms__mode *mode, size_t d);
/* The i-th of the modes in which processes share one device or instance: the mode itself, or those of its parts, and
 * those of nodes; NULL beyond the last. The functions below with `shared` want one of these. */
const struct sms__mode *sms__mode_shared(const struct sms__mode *mode, size_t i);
/* True if kernels of different processes run beside each other on some device or instance. */
bool sms__mode_runs_beside(const struct sms__mode *mode);
/* The processes on a device at most; UINT64_MAX: no limit. */
uint64_t sms__mode_most_processes(const struct sms__mode *shared, const struct sms__device *device);
/* The turns on a device: as the scenario says, else the device, else the defaults of the parameters. `shared` may be
 * NULL: then the scenario says nothing. */
struct sms__turns sms__mode_turns(const struct sms__mode *shared, const struct sms__device *device);
/* What neither the mode nor the device tells about turns, so that defaults stand in. */
struct sms__unsaid_turns {
    bool slice, change;
};
struct sms__unsaid_turns sms__mode_unsaid(const struct sms__mode *shared, const struct sms__device *device);
/* The slice of the process, ps, where that of the device is `slice_ps`. The mode's answer may be no number, or
 * not positive. */
double sms__mode_slice_ps(const struct sms__mode *shared, const struct sms__device *device,
                          const struct sms__tenant *process, double slice_ps);

/* True if the cap names the process, or the entry of several processes that it is one of. */
bool sms__cap_names(const struct sms__cap *cap, const struct sms__tenant *process);
/* The active_threads of the process under the mode. */
double sms__mode_threads(const struct sms__mode *shared, const struct sms__tenant *process);

/* mode_caps.c: reads `caps:`. Sets none if there is a problem. */
void sms__read_caps(struct sms__reader *reader, const struct sms__node *map, struct sms__mode *mode);
/* The label of a mode's parameters with its caps. */
const char *sms__caps_label(struct sms__arena *arena, const struct sms__mode *mode, const char *label);
/* Complains of caps of processes that the scenario lacks, and of those of pods. */
void sms__check_caps(struct sms__reader *reader, const struct sms_scenario *scenario);

/* The SMs of the device on which the process may run, 1 to all. */
uint64_t sms__mode_sms(const struct sms__mode *shared, const struct sms__device *device,
                       const struct sms__tenant *process);
/* The memory of the device that a process may hold, context included, bytes; UINT64_MAX: no such limit. */
uint64_t sms__mode_bytes(const struct sms__mode *shared, const struct sms__device *device,
                         const struct sms__tenant *process);
/* The SMs that the mode asks for, which may be none, or more than there are. */
uint64_t sms__mode_asks(const struct sms__mode *shared, const struct sms__device *device,
                        const struct sms__tenant *process);
/* True unless the mode would reserve no SM for the process, or more than there are. */
bool sms__mode_takes(const struct sms__mode *shared, const struct sms__device *device,
                     const struct sms__tenant *process);

/* The mode with the defaults of its parameters. */
struct sms__mode sms__bare_mode(struct sms__arena *arena, const struct sms_sharing_mode *form);

/* The default, that of runs of one tenant alone, and that of VMs. */
extern const struct sms_sharing_mode sms_sharing_mode_time_slice, sms_sharing_mode_exclusive, sms_sharing_mode_together,
    sms_sharing_mode_mig;

/* mode_params.c: sets what the engine does by this parameter; `given`: the scenario gives it. */
void sms__act_on_param(const struct sms_param *param, double value, bool given, struct sms__mode *mode);
/* True if one of them is the engine's by its name, and not as mode.h has it. */
bool sms__is_mode_param_wrong(const struct sms_param *params);
/* The turns of a device of which nothing is known. */
struct sms__turns sms__usual_turns(void);

#endif
