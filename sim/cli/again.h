/* A point of a sweep that is simulated again, for the timeline in a report. */
#ifndef SMS_CLI_AGAIN_H
#define SMS_CLI_AGAIN_H

#include "../page/page.h"
#include "../sweep/sweep.h"
#include "origin.h"
#include "run.h"

struct again {
    const struct cli *cli;
    const char *plan_path; /* from the command line, or NULL */
    struct sms__page_rerun *page;
    struct origin origin;
    struct sms__plan *plan;
    struct sms_load_options options; /* the plan's */
    struct sms__worker_context context;
    struct sms_file *file; /* of the point */
    struct session session;
    struct sms__folder folder; /* of its results; scratch */
    int exit_code;             /* of the run */
};

/* The `run` of struct sms__page_rerun; `user` is a struct again. */
int again_run(void *user, const struct sms__page_point *point, struct sms_errors *errors);
/* Frees everything and removes the folder, from which the page reads until it is complete. */
void again_end(struct again *again);

#endif
