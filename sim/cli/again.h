/* A point of a sweep simulated again, for the timeline in a report. */
#ifndef SMS_CLI_AGAIN_H
#define SMS_CLI_AGAIN_H

#include "../page/page.h"
#include "cli.h"

struct again {
    struct cli *cli;
    struct sms__page_rerun *page;
    struct origin origin;
    struct sms__plan *plan;
    struct sms_load_options options; /* the plan's */
    struct sms__worker_context context;
    struct sms_file *file; /* of the point */
    struct session session;
    struct sms__folder folder; /* of its results */
    int exit_code;             /* of the run, which has said why; 0: see the code */
};

/* As struct sms__page_rerun has it; `user` is a struct again. */
int again_run(void *user, const struct sms__page_point *point, struct sms_errors *errors);
/* Frees what it holds, and removes what it wrote; not before the page is whole. */
void again_end(struct again *again);

#endif
