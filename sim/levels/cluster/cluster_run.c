/* What all files of the level ask of a run and of its pods. */
#include "../../model/cluster/node_mig.h"
#include "cluster_run.h"
#include "scheduler.h"

#include <stdarg.h>
#include <stdio.h>

void sms__cluster_stop(struct sms__cluster_run *run, const char *why)
{
    snprintf(run->spec->record->why, sizeof run->spec->record->why, "place policy %s %s", run->policy->name, why);
    run->engine.stopped = true;
}

void sms__pod_name(const struct sms__cluster_run *run, uint32_t p, char *out, size_t size)
{
    const struct sms__pod *pod = &run->pod[p];
    const struct sms__pods *group = &run->cluster->pod[pod->group];
    if (group->rows || group->count > 1 || sms__pod_shape(run, p)->replicas > 1)
        snprintf(out, size, "%s%u", group->name, pod->number + 1);
    else
        snprintf(out, size, "%s", group->name);
}

void sms__explain_pod(const struct sms__cluster_run *run, uint32_t p, uint64_t now, const char *format, ...)
{
    char name[256], text[SMS__MESSAGE_BYTES];
    va_list args;
    if (!sms__explains(run->spec->observer, SMS_RUN_MESSAGE, now))
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    sms__pod_name(run, p, name, sizeof name);
    const struct sms_message message = {now, name, text};
    sms__observe(run->spec->observer, (struct sms_run_event){SMS_RUN_MESSAGE, .message = &message});
}

uint64_t sms__pod_delay(const struct sms__cluster_run *run, uint32_t p)
{
    const struct sms__pod *pod = &run->pod[p];
    double delay_ps = run->cluster->waits.start_delay_ps;
    uint64_t ready_ps = 0;
    if (sms__pod_shape(run, p)->profile && run->ledger.node[pod->node].layout)
        ready_ps = *sms__ready_ps(&run->ledger, pod->node, &pod->seat);
    return (uint64_t)delay_ps + (ready_ps > pod->since_ps ? ready_ps - pod->since_ps : 0);
}

uint16_t sms__container_gpus(const struct sms__cluster_run *run, uint32_t p, size_t c)
{
    if (run->scheduler->container_gpus)
        return run->scheduler->container_gpus(run, p, c);
    return c == 0 ? run->pod[p].seat.gpus : 0;
}

double sms__pod_deadline(const struct sms__cluster_run *run, const struct sms__pod *pod)
{
    return run->cluster->pod[pod->group].deadline_ps;
}

uint64_t sms__job_deadline_ps(const struct sms__cluster_run *run, const struct sms__pod *pod)
{
    return (uint64_t)(run->cluster->pod[pod->group].job_deadline_ps + 0.5);
}
