/* A list of pods that came from a file of another program. */
#ifndef SMS_IMPORT_PODS_LIST_H
#define SMS_IMPORT_PODS_LIST_H

#include "../base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct sms__listed_pod {
    const char *name;                      /* "-" at its end: of replicas, which get numbers; NULL: none */
    int64_t arrival_ns, duration_ns;       /* duration 0: for ever */
    double gpus, cpus, memory, gpu_memory; /* of each replica; bytes */
    uint64_t replicas;
};

struct sms__pod_list {
    struct sms__arena *arena;
    struct sms__listed_pod *pod; /* [pods] */
    size_t pods;
    int64_t first_ns;                              /* the first arrival: time 0 */
    bool gpus, cpus, memory, gpu_memory, replicas; /* which of them the file has */
};

/* Writes a scenario of that name, with as many nodes as the pods need. Pods get names that differ. How many that is
 * goes to `notes`, which may be NULL. Returns NULL, or why a scenario cannot have them. */
const char *sms__write_pod_scenario(struct sms__pod_list *list, const char *name, FILE *notes, FILE *to);
/* Sorts the pods by arrival and writes these times, in seconds, one a line. How many they are goes to `notes`. */
void sms__write_pod_times(struct sms__pod_list *list, FILE *notes, FILE *to);

#endif
