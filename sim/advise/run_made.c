/* Runs the scenarios that advice makes. */
#include "advise.h"

#include <stdlib.h>

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

FILE *sms__made_begin(struct sms__buffer *text, const struct sms__buffer *workloads)
{
    FILE *to = sms__buffer_open(text);
    if (to)
        fwrite(workloads->bytes, 1, workloads->length, to);
    return to;
}

int sms__made_run(const char *name, struct sms__buffer *text, FILE *to, const struct sms__advise_settings *settings,
                  struct sms_file **file, struct sms_results **results, struct sms_errors *errors)
{
    const struct sms_run_options run = sms__advise_run_options(settings);
    int code = to && sms__buffer_close(text, to)
                   ? sms_file_load_text(text->bytes, text->length, name, settings->load, file, errors)
                   : sms__fail(errors, SMS_ENOMEM, name, "no memory");
    free(text->bytes);
    return code ? code : sms_run(sms_file_scenario(*file, 0), &run, results, errors);
}
