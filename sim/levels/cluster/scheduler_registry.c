/* Chooses who schedules and who observes a run: a guest, or else the queue of pods that wait. */
#include "cluster_run.h"
#include "observer.h"
#include "wait_queue.h"

void sms__choose_scheduler(struct sms__cluster_run *run)
{
    run->scheduler = &sms__wait_queue_scheduler;
    for (const struct sms__guest *const *guest = sms__guests; *guest; guest++) {
        const struct sms__scheduler *scheduler = (*guest)->scheduler;
        const struct sms__observer *observer = (*guest)->observer;
        if (scheduler && scheduler->is_wanted(run) && run->scheduler == &sms__wait_queue_scheduler)
            run->scheduler = scheduler;
        if (observer && observer->is_wanted(run))
            run->observer = observer;
    }
}
