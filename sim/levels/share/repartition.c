/* A policy may be told of an event while a device looks for room for blocks of the process. So the SMs of a process
 * with a kernel under way change at the end of the instant. */
#include "repartition.h"
#include "context.h"
#include "sm_part.h"
#include "time_slice.h"

#include <string.h>

static void change(struct sms__process *process, const uint64_t *sms, uint64_t now)
{
    sms__part_change(process, sms);
    sms__process_show(process, now);
    sms__context_offer(sms__context_of(process->instance, process), now);
    sms__slicer_wake(process->instance, now);
    sms__changed(process->share);
}

static void change_later(void *subject, uint64_t now)
{
    struct sms__process *process = subject;
    if (process->parts.changes && process->instance) /* it may have left meanwhile */
        change(process, process->parts.next, now);
    process->parts.changes = false;
}

void sms__repartition(struct sms__process *process, const uint64_t *sms)
{
    struct sms_share *share = process->share;
    process->parts.changes = process->kernels > 0;
    if (!process->parts.changes) {
        change(process, sms, share->engine->now);
        return;
    }
    memcpy(process->parts.next, sms, (process->instance->type->sms + 63) / 64 * sizeof *sms);
    process->parts.change.act = change_later;
    process->parts.change.subject = process;
    sms__engine_defer(share->engine, &process->parts.change);
}
