/* The list of schedulers and observers; no other file of the cluster level names them. */
#include "gpushare/gpushare.h"
#include "realtime/realtime.h"
#include "run.h"
#include "wait_queue.h"

void sms__choose_scheduler(struct sms__cluster_run *run)
{
    run->scheduler = &sms__wait_queue_scheduler;
    if (run->policy->pace)
        run->scheduler = &sms__master_scheduler;
    if (run->cluster->gpushare)
        run->scheduler = &sms__gpushare_scheduler;
    if (run->cluster->monitor)
        run->observer = &sms__monitor_observer;
}
