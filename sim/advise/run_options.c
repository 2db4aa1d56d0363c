/* How the scenarios that advice makes run. */
#include "advise.h"

struct sms_run_options sms__advise_run_options(const struct sms__advise_settings *settings)
{
    struct sms_run_options run = sms_run_defaults();
    run.alone = false;
    run.jobs = settings->jobs;
    run.cancel = settings->cancel;
    run.max_events = settings->max_events;
    run.max_memory = settings->load->max_memory;
    return run;
}
