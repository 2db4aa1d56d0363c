/* Writes a list of pods as a scenario, or their times of arrival for a tenant. */
#include "pods_list.h"

#include "text.h"

#include "../base/intern.h"
#include "../model/limits.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The least that a node has, and a GPU. */
enum { NODE_GPUS = 8, NODE_CPUS = 64, NODE_GIB = 256, GPU_GIB = 80 };

/* Prints without trailing zeros. */
static void print_seconds(uint64_t ns, FILE *to)
{
    int digits = 9;
    fprintf(to, "%llu", (unsigned long long)(ns / 1000000000));
    for (ns %= 1000000000; ns && ns % 10 == 0; ns /= 10)
        digits--;
    if (ns)
        fprintf(to, ".%0*llu", digits, (unsigned long long)ns);
    fputs(" s", to);
}

static void print_bytes(double bytes, FILE *to)
{
    bool whole = fmod(bytes, 1 << 20) == 0;
    fprintf(to, ", %.0f %s", whole ? bytes / (1 << 20) : bytes, whole ? "MiB" : "B");
}

/* Since the first arrival; a pod without a date was there before. */
static uint64_t arrival_of(const struct sms__pod_list *list, const struct sms__listed_pod *pod)
{
    return pod->arrival_ns > list->first_ns ? (uint64_t)(pod->arrival_ns - list->first_ns) : 0;
}

/* More than one GPU is as many whole ones, or as many equal parts. */
static uint64_t gpus_of(const struct sms__listed_pod *pod) { return (uint64_t)ceil(pod->gpus - 1e-9); }

static void write_pod(const struct sms__pod_list *list, const struct sms__listed_pod *pod, FILE *to)
{
    uint64_t gpus = gpus_of(pod);
    fprintf(to, "        - [%s, ", pod->name);
    print_seconds(arrival_of(list, pod), to);
    fputs(pod->duration_ns ? ", " : ", ~", to);
    if (pod->duration_ns)
        print_seconds((uint64_t)pod->duration_ns, to);
    if (list->gpus) {
        fprintf(to, ", %llu, ", (unsigned long long)gpus);
        fprintf(to, gpus ? "%.10g %%" : "~", gpus ? fmax(nearbyint(1000 * pod->gpus / (double)gpus) / 10, 0.1) : 0.0);
    }
    if (list->cpus)
        fprintf(to, ", %.10g", nearbyint(1000 * pod->cpus) / 1000);
    if (list->memory)
        print_bytes(pod->memory, to);
    if (list->gpu_memory && gpus)
        print_bytes(pod->gpu_memory, to);
    else if (list->gpu_memory)
        fputs(", ~", to);
    if (list->replicas)
        fprintf(to, ", %llu", (unsigned long long)pod->replicas);
    fputs("]\n", to);
}

/* Whether the name is that of a replica of some pod: "a-2" of "a-". Values of names are numbers of pods, from 1. */
static bool is_replica(const struct sms__pod_list *list, const struct sms__string_pool *names, const char *name)
{
    size_t end = strlen(name);
    while (end > 0 && isdigit((unsigned char)name[end - 1]))
        end--;
    const struct sms__pooled_string *entry = sms__interned(names, sms__copy(list->arena, name, end));
    const uint64_t replicas = entry ? list->pod[entry->value - 1].replicas : 1;
    return replicas > 1 && isdigit((unsigned char)name[end]) && name[end] != '0' &&
           atof(name + end) <= (double)replicas;
}

/* Names a pod after its number, as no other is named. */
static void number_pod(struct sms__pod_list *list, struct sms__string_pool *names, size_t i)
{
    struct sms__listed_pod *pod = &list->pod[i];
    struct sms__pooled_string *entry;
    const char *more = "";
    do {
        pod->name = sms__print(list->arena, "pod%zu%s%s", i + 1, more, pod->replicas > 1 ? "-" : "");
        entry = sms__intern(names, pod->name, strlen(pod->name));
        more = sms__print(list->arena, "%s_", more);
    } while (entry->value);
    entry->value = i + 1;
}

/* Lets the first pod of a name keep it, unless it is that of a replica. */
static void name_pods(struct sms__pod_list *list)
{
    struct sms__string_pool names = {.arena = list->arena};
    for (size_t i = 0; i < list->pods; i++) {
        struct sms__listed_pod *pod = &list->pod[i];
        struct sms__pooled_string *entry = pod->name ? sms__intern(&names, pod->name, strlen(pod->name)) : NULL;
        if (entry && entry->value)
            pod->name = NULL;
        else if (entry)
            entry->value = i + 1;
    }
    for (size_t i = 0; i < list->pods; i++)
        if (list->pod[i].name && is_replica(list, &names, list->pod[i].name))
            list->pod[i].name = NULL;
    for (size_t i = 0; i < list->pods; i++)
        if (!list->pod[i].name)
            number_pod(list, &names, i);
}

/* GiB of each GPU, so that it holds each pod. */
static double gpu_gib(const struct sms__pod_list *list)
{
    double most = GPU_GIB;
    for (size_t i = 0; i < list->pods; i++)
        most = fmax(most, ceil(list->pod[i].gpu_memory / (1 << 30)));
    return most;
}

struct change {
    int64_t at_ns;
    double by[3];
};

static int compare_changes(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    return (x->by[0] + x->by[1] + x->by[2] > 0) - (y->by[0] + y->by[1] + y->by[2] > 0);
}

/* GPUs, CPUs and memory: what a node has, and how many nodes hold all pods if each starts when it arrives. */
static double size_nodes(const struct sms__pod_list *list, double capacity[3])
{
    struct change *change = SMS__NEW(list->arena, struct change, 2 * list->pods);
    double now[3] = {0}, nodes = 1;
    size_t changes = 0;
    for (size_t i = 0; i < list->pods; i++) {
        const struct sms__listed_pod *pod = &list->pod[i];
        const double each[3] = {(double)gpus_of(pod), pod->cpus, pod->memory}, many = (double)pod->replicas;
        for (int r = 0; r < 3; r++)
            capacity[r] = fmax(capacity[r], ceil(each[r]));
        const int64_t arrival_ns = (int64_t)arrival_of(list, pod);
        change[changes++] = (struct change){arrival_ns, {each[0] * many, each[1] * many, each[2] * many}};
        if (pod->duration_ns)
            change[changes++] =
                (struct change){arrival_ns + pod->duration_ns, {-each[0] * many, -each[1] * many, -each[2] * many}};
    }
    qsort(change, changes, sizeof *change, compare_changes);
    for (size_t i = 0; i < changes; i++)
        for (int r = 0; r < 3; r++) {
            now[r] += change[i].by[r];
            nodes = fmax(nodes, ceil(now[r] / capacity[r] - 1e-6));
        }
    return nodes;
}

const char *sms__write_pod_scenario(struct sms__pod_list *list, const char *name, FILE *notes, FILE *to)
{
    double capacity[3] = {NODE_GPUS, NODE_CPUS, (double)NODE_GIB * (1 << 30)};
    const double nodes = size_nodes(list, capacity);
    if (nodes > SMS__CLUSTER_NODES_MAX)
        return sms__print(list->arena,
                          "its pods need %.0f nodes if none waits, and a cluster has at most %d: cut the file", nodes,
                          SMS__CLUSTER_NODES_MAX);
    name_pods(list);
    fprintf(to, "# Pods of a cluster, written by 'smsched import pods'.\nscenario: %s\n", name);
    fputs("question: Which policy makes pods wait the least?\n"
          "# The list does not say which nodes there are. These are about as many as hold all pods if none waits.\n",
          to);
    fprintf(to, "nodes: [{name: node, count: %.0f, gpus: %.0f, cpu: %.0f, memory: %.0f MiB", nodes, capacity[0],
            capacity[1], ceil(capacity[2] / (1 << 20)));
    fprintf(to, list->gpu_memory ? ", gpu_memory: %.0f GiB}]\n" : "}]\n", gpu_gib(list));
    fputs("policies: [first_fit, best_fit, fgd]\npods:\n  - table:\n      columns: [name, start, duration", to);
    fprintf(to, "%s%s%s%s%s]\n      rows:\n", list->gpus ? ", gpus, gpu" : "", list->cpus ? ", cpu" : "",
            list->memory ? ", memory" : "", list->gpu_memory ? ", gpu_memory" : "", list->replicas ? ", replicas" : "");
    for (size_t i = 0; i < list->pods; i++)
        write_pod(list, &list->pod[i], to);
    fputs("answer: {metric: wait_mean_ns}\nrun: {seed: 1}\n", to);
    if (notes)
        fprintf(notes, "pods: %zu; nodes: %.0f of %.0f GPUs, which are assumed: replace them with the real ones\n",
                list->pods, nodes, capacity[0]);
    return NULL;
}

static int compare_arrivals(const void *a, const void *b)
{
    const struct sms__listed_pod *x = a, *y = b;
    return (x->arrival_ns > y->arrival_ns) - (x->arrival_ns < y->arrival_ns);
}

void sms__write_pod_times(struct sms__pod_list *list, FILE *notes, FILE *to)
{
    qsort(list->pod, list->pods, sizeof *list->pod, compare_arrivals);
    fputs("# When requests come. Give these lines to an entry of vms: or processes:\narrivals:\n  times: [", to);
    for (size_t i = 0; i < list->pods; i++) {
        fputs(i ? ",\n          " : "", to);
        print_seconds(arrival_of(list, &list->pod[i]), to);
    }
    fputs("]\n", to);
    if (notes)
        fprintf(notes, "%zu arrivals\n", list->pods);
}
