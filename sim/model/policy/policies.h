/* `policies:` and `alone:` of a scenario. */
#ifndef SMS_MODEL_POLICY_POLICIES_H
#define SMS_MODEL_POLICY_POLICIES_H

#include <smsched/place.h>
#include <smsched/share.h>
#include <smsched/smsched.h>

#include "modes.h"
#include "params.h"

struct sms_scenario;
struct sms__device;
struct sms__footprint;

/* Most entries of a scenario. */
enum { SMS__POLICIES_MAX = 1000 };

/* Where processes are under a mode that splits: instances of the scenario's devices, each of which is a device of its
 * own, and whole devices. */
struct sms__instances {
    const struct sms__device **device; /* [count] */
    const struct sms__mode **mode;     /* [count] */
    size_t *board;                     /* [count], rising: the scenario's device, or of which it is a part */
    size_t *number;                    /* [count]: among the instances of its device */
    size_t count;
    const struct sms__footprint ***fit; /* [vms] -> [count] -> [kernels] */
};

struct sms__policy_use {
    const struct sms_block_policy *policy;
    double param[SMS__PARAMS_MAX];
    const char *label;   /* in all outputs: its name with the parameters that differ from the defaults, bounded */
    const char *written; /* the same without the bound, to look the policy up */
    const struct sms__node *node;
    const struct sms_share_policy *share; /* NULL in a scenario with `vms:` */
    double share_param[SMS__PARAMS_MAX];
    struct sms__mode mode;
    struct sms__instances *instances;     /* NULL: the mode splits nothing, or it is a cluster */
    struct sms__split *split;             /* of a cluster: [kinds of nodes], whose GPUs the mode splits; or NULL */
    const struct sms_place_policy *place; /* of a cluster */
    double place_param[SMS__PARAMS_MAX];
    bool below;        /* of a cluster: the entry names more than the place policy */
    const char *typed; /* the option --policy that asks for it; NULL: none, or the option is a name of it */
};

/* A device or instance on which processes of the scenario are under a policy. */
struct sms__site {
    const struct sms__device *device;
    const struct sms__mode *mode;
    size_t board;  /* the scenario's device, or of which it is a part */
    size_t number; /* among the instances of that device; 0 if it is whole */
};

/* instances.c: the i-th of them; its device is NULL beyond the last. */
struct sms__site sms__site_of(const struct sms_scenario *scenario, const struct sms__policy_use *use, size_t i);
/* The same under the policy of this label; none if nothing of the scenario shares devices. */
struct sms__site sms__site_under(const struct sms_scenario *scenario, const char *label, size_t i);
/* Whether `device:` and `instance:` of the process let it be there; and its mode lets it, too. */
bool sms__may_be_at(const struct sms__tenant *process, const struct sms__site *site);
bool sms__site_takes(const struct sms__site *site, const struct sms__tenant *process);

extern const char sms__policy_option[]; /* the file of marks in that option */

/* policies.c: `policies:` and `alone:`. `at` is the scenario, reader->user its file. */
void sms__read_policies(struct sms__reader *reader, const struct sms__node *node, void *at);
void sms__read_alone(struct sms__reader *reader, const struct sms__node *node, void *at);
/* Completes `policies:` and `alone:`: leftover by default, as hardware does; processes run under share policy plain,
 * one at a time on a device. */
void sms__default_policies(struct sms__reader *reader, struct sms_scenario *scenario);

/* labels.c: whether this is the use's label, bounded or as written, or the option that asks for it. */
bool sms__is_labelled(const struct sms__policy_use *use, const char *label);
/* Whether `--policy NAME` means it: by its label, or by a name in it, without the parameters. */
bool sms__is_called(const struct sms__policy_use *use, const char *name);
/* Whether one of the names, the last of which is NULL, means the scenario's policy p. A name that is a label means no
 * other policy. NULL, or no names, mean all. */
bool sms__is_chosen(const struct sms_scenario *scenario, size_t p, const char *const *names);
/* "scenario 's' has no policy 'x'; ...", with the nearest of those it has, and all of them. */
void sms__say_no_policy(char *out, size_t size, const struct sms_scenario *scenario, const char *name);

#endif
