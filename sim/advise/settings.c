/* How to set a way up on a machine: what nvidia-smi, the environment of MPS, the device plugin of Kubernetes and its
 * driver for dynamic resource allocation (DRA) are told. Words as in NVIDIA's documents of MIG, MPS, k8s-device-plugin
 * and k8s-dra-driver-gpu. */
#include "advise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void say_plugin(const char *kind, uint64_t replicas, FILE *to)
{
    fprintf(to,
            "\n# Kubernetes, the configuration of the device plugin:\n"
            "# version: v1\n"
            "# sharing:\n"
            "#   %s:\n"
            "#     resources:\n"
            "#     - {name: nvidia.com/gpu, replicas: %llu}\n",
            kind, (unsigned long long)replicas);
}

static void say_claim(const char *name, const char *device_class, const char *selector, const char *sharing, FILE *to)
{
    fprintf(to,
            "\n# Kubernetes, a claim of the DRA driver, which the pods share:\n"
            "# apiVersion: resource.k8s.io/v1\n"
            "# kind: ResourceClaim\n"
            "# metadata: {name: %s}\n"
            "# spec:\n"
            "#   devices:\n"
            "#     requests:\n"
            "#     - name: gpu\n"
            "#       exactly:\n"
            "#         deviceClassName: %s\n%s%s",
            name, device_class, selector, sharing);
}

static void say_gpu_claim(const char *sharing, FILE *to)
{
    say_claim("shared", "gpu.nvidia.com", "",
              "#     config:\n"
              "#     - requests: [gpu]\n"
              "#       opaque:\n"
              "#         driver: gpu.nvidia.com\n"
              "#         parameters:\n"
              "#           apiVersion: resource.nvidia.com/v1beta1\n"
              "#           kind: GpuConfig\n",
              to);
    fprintf(to, "#           sharing: {%s}\n", sharing);
}

static void say_slices(uint64_t processes, FILE *to)
{
    fputs("# Time slices are what a GPU does by itself: MPS is off, and the compute mode is the default.\n"
          "nvidia-smi -c DEFAULT\n",
          to);
    say_plugin("timeSlicing", processes, to);
    say_gpu_claim("strategy: TimeSlicing, timeSlicingConfig: {interval: Default}", to);
}

/* The SMs of a green context of about so many, in the device's steps. */
static double green_sms(const struct sms__device *device, double sms)
{
    const double step = fmax((double)device->mps.green_step, 1);
    return fmax(floor(sms / step) * step, (double)device->mps.green_least);
}

/* The cap of all copies alike, per cent; 0: there is none, or they differ. */
static double equal_cap(const struct sms__way *way, const struct sms__programs *programs)
{
    double cap = way->cap ? way->cap[0] : 0;
    for (size_t p = 1; way->cap && p < programs->count; p++)
        cap = way->cap[p] < cap || way->cap[p] > cap ? 0 : cap;
    return nearbyint(100 * cap);
}

static void say_caps(const struct sms__way *way, const struct sms__programs *programs, const struct sms__device *device,
                     FILE *to)
{
    for (size_t p = 0; way->cap && p < programs->count; p++)
        fprintf(
            to,
            "# start %s%s by: env CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=%.0f COMMAND   (as a green context: %.0f SMs)\n",
            way->copies[p] > 1 ? "each copy of " : "", programs->program[p].name, 100 * way->cap[p],
            green_sms(device, way->cap[p] * (double)device->sms));
}

/* 0 is normal and 1 below, and what no variable says is normal. */
static void say_priorities(const struct sms__way *way, const struct sms__programs *programs, FILE *to)
{
    for (size_t p = 0; way->above && p < programs->count; p++)
        if (way->above != p + 1)
            fprintf(to, "# start %s%s by: env CUDA_MPS_CLIENT_PRIORITY=1 COMMAND   (below the priority of %s)\n",
                    way->copies[p] > 1 ? "each copy of " : "", programs->program[p].name,
                    programs->program[way->above - 1].name);
}

static void say_partitions(const struct sms__way *way, const struct sms__programs *programs,
                           const struct sms__device *device, FILE *to)
{
    fputs("nvidia-smi -c EXCLUSIVE_PROCESS\nnvidia-cuda-mps-control -d -S   # static partitions\n", to);
    for (size_t p = 0; p < programs->count; p++)
        for (uint64_t copy = 0; copy < way->copies[p]; copy++)
            fprintf(to, "echo \"sm_partition add $GPU_UUID %llu\" | nvidia-cuda-mps-control   # of %s: %llu SMs\n",
                    (unsigned long long)way->chunks[p], programs->program[p].name,
                    (unsigned long long)way->chunks[p] * device->mps.chunk);
    fputs("# It prints the name of each partition; start its process by: env CUDA_MPS_SM_PARTITION=NAME COMMAND\n"
          "# Kubernetes: neither the device plugin nor the DRA driver sets static partitions; they are made on the "
          "node.\n",
          to);
}

/* The plugin caps each of n replicas at 1/n of the threads and of the memory, whole per cent. */
static void say_mps_in_kubernetes(const struct sms__way *way, const struct sms__programs *programs, FILE *to)
{
    const uint64_t processes = sms__way_first(way, programs->count), part = 100 / processes;
    const double cap = equal_cap(way, programs);
    char sharing[100] = "strategy: MPS";
    if ((uint64_t)cap == part)
        say_plugin("mps", processes, to);
    else
        fprintf(to,
                "\n# Kubernetes: not the device plugin, which caps each of %llu replicas at %llu %% of threads and "
                "memory.\n",
                (unsigned long long)processes, (unsigned long long)part);
    if (cap > 0)
        snprintf(sharing, sizeof sharing, "strategy: MPS, mpsConfig: {defaultActiveThreadPercentage: %.0f}", cap);
    say_gpu_claim(sharing, to);
}

static void say_mps(const struct sms__way *way, const struct sms__programs *programs, const struct sms__device *device,
                    FILE *to)
{
    fputs("nvidia-smi -c EXCLUSIVE_PROCESS\n"
          "# MPS and all programs need these two:\n"
          "export CUDA_MPS_PIPE_DIRECTORY=/tmp/nvidia-mps CUDA_MPS_LOG_DIRECTORY=/var/log/nvidia-mps\n"
          "nvidia-cuda-mps-control -d\n",
          to);
    say_caps(way, programs, device, to);
    say_priorities(way, programs, to);
    say_mps_in_kubernetes(way, programs, to);
}

/* The next of the policy's profiles, which it lists in brackets, each with its clients or without; advances `at`.
 * Returns its length; 0: no more. */
static size_t next_profile(const char **at)
{
    *at += **at == ':' ? strcspn(*at, ",]") : 0;
    *at += strspn(*at, "[{, ");
    return **at == ']' ? 0 : strcspn(*at, ":,]");
}

static void say_profiles(const char *list, FILE *to)
{
    const char *before = "nvidia-smi mig -cgi ";
    for (size_t length; (length = next_profile(&list)); list += length, before = ",")
        fprintf(to, "%s%.*s", before, (int)length, list);
    fputs(" -C\nnvidia-smi -L   # prints the names of the instances; start each program by: env "
          "CUDA_VISIBLE_DEVICES=NAME COMMAND\n",
          to);
}

static void say_mig(const struct sms__way *way, const struct sms__programs *programs, FILE *to)
{
    const char *list = strchr(way->policy, '[');
    fputs("nvidia-smi -mig 1\n", to);
    say_profiles(list, to);
    fprintf(to, "# %s, in the order of", way->label);
    for (size_t p = 0; p < programs->count; p++)
        fprintf(to, "%s %s", p ? "," : "", programs->program[p].name);
    fputs("\n", to);
    if (strstr(way->policy, "mps"))
        fputs("# Then an MPS server for each instance, with its own CUDA_MPS_PIPE_DIRECTORY.\n", to);
    fputs("\n# Kubernetes, the device plugin with MIG_STRATEGY=mixed, and in each pod one of:\n", to);
    for (size_t length; (length = next_profile(&list)); list += length)
        fprintf(to, "# nvidia.com/mig-%.*s: 1\n", (int)length, list);
    list = strchr(way->policy, '[');
    for (size_t length, i = 1; (length = next_profile(&list)); list += length, i++) {
        char selector[200], name[40];
        snprintf(name, sizeof name, "instance-%zu", i);
        snprintf(selector, sizeof selector,
                 "#         selectors:\n"
                 "#         - cel: {expression: \"device.attributes['gpu.nvidia.com'].profile == '%.*s'\"}\n",
                 (int)length, list);
        say_claim(name, "mig.nvidia.com", selector, "", to);
    }
}

void sms__way_settings(const struct sms__way *way, const struct sms__programs *programs,
                       const struct sms__device *device, FILE *to)
{
    fprintf(
        to,
        "# %s, on %s. Written by smsched advise. Try it on one machine first, in the shell that starts the programs.\n",
        way->label, device->name);
    if (way->alone)
        fputs("# One GPU for each program: nvidia.com/gpu: 1 in each pod, or CUDA_VISIBLE_DEVICES.\n", to);
    else if (strstr(way->policy, "time_slice"))
        say_slices(sms__way_first(way, programs->count), to);
    else if (strstr(way->policy, "mig"))
        say_mig(way, programs, to);
    else if (way->chunks)
        say_partitions(way, programs, device, to);
    else
        say_mps(way, programs, device, to);
}
