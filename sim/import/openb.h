/* The cluster trace of 2023 (alibaba/clusterdata, openb): a list of nodes and a list of pods, as CSV. */
#ifndef SMS_IMPORT_OPENB_H
#define SMS_IMPORT_OPENB_H

#include <smsched/place.h>

#include "import.h"

enum {
    SMS__OPENB_NODES = 1000000,
    SMS__OPENB_PODS = 10000000,
    SMS__OPENB_GPUS = SMS_NODE_GPUS_MAX,
    SMS__OPENB_MODELS = 14
};

/* A GPU model and the memory that pods can use on it. */
struct sms__openb_model {
    const char *name;
    uint64_t mib;
};

extern const struct sms__openb_model sms__openb_models[SMS__OPENB_MODELS];

/* The capacity of a node, or the request of a pod. */
struct sms__openb_resources {
    const char *name;
    unsigned line, column; /* of the name, in its list */
    uint64_t cpu_milli, memory_mib, gpus;
};

struct sms__openb_node {
    struct sms__openb_resources capacity;
    const struct sms__openb_model *model; /* NULL: the node has no GPUs */
};

struct sms__openb_pod {
    struct sms__openb_resources request;
    uint64_t gpu_milli; /* of each of its GPUs */
    uint32_t models;    /* bit m: it may run on GPUs of model m; 0: on any. Only models that some node has */
    uint64_t created_s, deleted_s;
    bool deleted;
};

struct sms__openb {
    struct sms__openb_node *node;
    struct sms__openb_pod *pod;
    size_t nodes, pods;
    uint32_t models;  /* bit m: some node has GPUs of model m */
    bool times, ends; /* the list has creation times; deletion times */
};

int sms__import_openb(struct sms__arena *arena, const char *const *paths, size_t n_paths,
                      const struct sms__import_options *options, FILE *to, struct sms_errors *errors);

/* openb_read.c: reads both lists and reports every problem. Returns SMS_OK, or why a file could not be read. */
int sms__openb_read(struct sms__arena *arena, const char *nodes, const char *pods, struct sms__openb *openb,
                    struct sms_errors *errors);

#endif
