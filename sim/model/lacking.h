/* Devices of one scenario need not have the same resources. The resources of a scenario are those that any of its
 * devices has, each once; a device has capacity 0 of those that it lacks. So a kernel that demands one of these cannot
 * run there, and a tenant that may choose goes to the other devices. */
#ifndef SMS_MODEL_LACKING_H
#define SMS_MODEL_LACKING_H

#include "scenario.h"

/* What keeps a workload off a device. */
struct sms__lacking {
    const struct sms__kernel *kernel; /* NULL: nothing does */
    const struct sms__demand *demand;
};

/* Finds the first demand of the workload for a resource that the device lacks. */
struct sms__lacking sms__find_lacking(const struct sms__workload *workload, const struct sms__device *device);

/* "kernel 'k' demands 30 % of tensor, and p100 has none". */
const char *sms__print_lacking(struct sms__arena *arena, const struct sms__lacking *lacking,
                               const struct sms__device *device);

/* Lists the resources of the scenario, in the order in which its devices name them. Adds those of new devices if it is
 * called again. */
void sms__unite_resources(struct sms__arena *arena, struct sms_scenario *scenario);

/* The number of a resource in that list, or -1. */
int sms__united_index(const struct sms_scenario *scenario, const char *name);

/* Complains of a resource that the node names, which no device has. */
void sms__complain_unknown_resource(struct sms__reader *reader, const struct sms__node *node,
                                    const struct sms_scenario *scenario);

/* Whether each has all resources of the other, in any order. */
bool sms__have_same_resources(const struct sms__device *a, const struct sms__device *b);

/* Complains of demands for resources that no device has, once each. */
void sms__check_demands(struct sms__reader *reader, const struct sms_scenario *scenario,
                        const struct sms__workload *workload);

/* Complains of a tenant, whose footprints are known, that would have to run on a device that lacks a resource. */
void sms__check_lacking(struct sms__reader *reader, const struct sms_scenario *scenario, const struct sms__tenant *vm);

#endif
