/* The lists of schedulers and observers; no other file of the cluster level names them. */
#include "gpushare/gpushare_run.h"
#include "realtime/realtime.h"
#include "cluster_run.h"
#include "wait_queue.h"

/* The first that is wanted schedules the run, and the last one does if no other is. */
static const struct sms__scheduler *const schedulers[] = {&sms__gpushare_scheduler, &sms__master_scheduler,
                                                          &sms__wait_queue_scheduler};

void sms__choose_scheduler(struct sms__cluster_run *run)
{
    const size_t last = sizeof schedulers / sizeof *schedulers - 1;
    size_t i = 0;
    while (i < last && !schedulers[i]->is_wanted(run))
        i++;
    run->scheduler = schedulers[i];
    if (run->cluster->monitor)
        run->observer = &sms__monitor_observer;
}
