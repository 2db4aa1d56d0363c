/* Copies and host steps, as flows. A flow stands still while its process is paused. */
#include "host.h"
#include "stream.h"

static void start(struct sms__stream *stream, struct sms__fluid *fluid, double amount, uint64_t now)
{
    sms__flow_start(fluid, &stream->transfer.flow, amount, now);
    if (stream->process->paused)
        sms__flow_set_stopped(&stream->transfer.flow, true, now);
}

void sms__stream_copy(struct sms__stream *stream, bool in, double bytes, void (*done)(void *stream, uint64_t now),
                      uint64_t now)
{
    const struct sms__instance *instance = stream->process->instance;
    struct sms__host_flows *host = &stream->process->share->flows;
    double most = in ? instance->type->copy_in_most : instance->type->copy_out_most;
    stream->transfer = (struct sms__pooled_flow){
        .flow = {.done = done, .subject = stream},
        .most = most / 1e12,
        .pool = {in ? &instance->gpu->in : &instance->gpu->out, in ? &host->in : &host->out},
    };
    start(stream, &host->copies, bytes, now);
}

void sms__stream_compute(struct sms__stream *stream, double ps, void (*done)(void *stream, uint64_t now), uint64_t now)
{
    struct sms_share *share = stream->process->share;
    if (share->policy.policy->intercepts)
        ps *= 1 + stream->workload->overhead;
    stream->transfer =
        (struct sms__pooled_flow){.flow = {.done = done, .subject = stream}, .most = 1, .pool = {&share->flows.cores}};
    start(stream, &share->flows.compute, ps, now);
}
