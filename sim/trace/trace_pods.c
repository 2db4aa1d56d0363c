/* The trace of a cluster: pods on GPUs, and pods that wait. A node is a "process" of the viewer, and a GPU is a track.
 * The last "process" has one track, for the pods that wait. */
#include "parts.h"

#include <string.h>

/* Most events that are shown at the same time: waiting pods, and pods on a GPU. */
enum { WAITING_MAX = 100, LANES_MAX = 64 };

static size_t waiting_track(const struct sms__trace *trace)
{
    return trace->scenario->cluster->nodes * SMS_NODE_GPUS_MAX;
}

static void name_gpu(const struct sms__trace *trace, size_t track, char name[SMS__TRACE_NAME_BYTES])
{
    if (track == waiting_track(trace))
        snprintf(name, SMS__TRACE_NAME_BYTES, "waiting");
    else
        snprintf(name, SMS__TRACE_NAME_BYTES, "GPU %zu", track % SMS_NODE_GPUS_MAX);
}

static void put_pod(struct sms__trace *trace, const char *pod, enum sms__trace_class class,
                    struct sms__trace_slice slice)
{
    const struct sms__cluster *cluster = trace->scenario->cluster;
    char node[256] = "waiting";
    slice.name = pod;
    slice.pid = slice.track / SMS_NODE_GPUS_MAX;
    slice.name_track = name_gpu;
    slice.sort_index = slice.track * LANES_MAX;
    if (trace->left && !trace->named[slice.pid]) {
        if (slice.pid < cluster->nodes)
            sms__node_name(cluster, slice.pid, node, sizeof node);
        sms__trace_name_pid(trace, slice.pid, node);
    }
    sms__trace_put(trace, class, &slice);
}

void sms__trace_placement(struct sms__trace *trace, const char *policy, const struct sms_placement *placement)
{
    if (placement->wait_ps > 0 &&
        sms__trace_observe(trace, policy, placement->time_ps - placement->wait_ps, placement->time_ps))
        put_pod(trace, placement->pod, SMS__TRACE_PODS,
                (struct sms__trace_slice){.category = "wait",
                                          .track = waiting_track(trace),
                                          .lanes_max = WAITING_MAX,
                                          .start_ps = placement->time_ps - placement->wait_ps,
                                          .end_ps = placement->time_ps});
}

/* A pod that is queued again, or moves, is late once, when it ends. */
static bool ends_late(const struct sms_departure *departure)
{
    return departure->late_ps > 0 && strcmp(departure->ended, "timed_out") != 0 &&
           strcmp(departure->ended, "moved") != 0;
}

static void put_miss(struct sms__trace *trace, const struct sms_departure *departure, struct sms__trace_slice slice)
{
    slice.category = "miss";
    slice.start_ps = slice.end_ps;
    slice.instant = true;
    slice.detail.name = "late_ps";
    slice.detail.text = NULL;
    slice.detail.number = departure->late_ps;
    put_pod(trace, departure->pod, SMS__TRACE_INSTANTS, slice);
}

void sms__trace_departure(struct sms__trace *trace, const char *policy, const struct sms_departure *departure)
{
    struct sms__trace_slice slice = {.category = "pod",
                                     .lanes_max = LANES_MAX,
                                     .start_ps = departure->start_ps,
                                     .end_ps = departure->end_ps,
                                     .detail = {"ended", departure->ended, 0}};
    if (!sms__trace_observe(trace, policy, departure->start_ps, departure->end_ps))
        return;
    for (size_t gpu = 0; gpu < SMS_NODE_GPUS_MAX; gpu++)
        if (departure->gpus >> gpu & 1) {
            slice.track = departure->node_idx * SMS_NODE_GPUS_MAX + gpu;
            put_pod(trace, departure->pod, SMS__TRACE_PODS, slice);
            if (ends_late(departure))
                put_miss(trace, departure, slice);
        }
}
