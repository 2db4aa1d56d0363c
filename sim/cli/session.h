/* The files that a command loads, their scenarios and, after a run, their results. */
#ifndef SMS_CLI_SESSION_H
#define SMS_CLI_SESSION_H

#include "../report/output.h"
#include "../report/trust.h"
#include "../sweep/sweep.h"
#include "cli.h"

struct session {
    const struct cli *cli;
    struct sms_file **file; /* [files]: those that were named, and changed copies of their scenarios */
    size_t files;
    const struct sms_scenario **scenario; /* [scenarios]: of all files */
    size_t scenarios;
    double *seconds;     /* [scenarios]: time that each run took */
    struct sms__set set; /* results of the first scenarios */
    /* of a point: its plan, with the options and files from which it was made */
    struct sms_load_options plan_options;
    struct sms__plan *plan;
    struct sms__worker_context context;
    struct sms__trust *trust; /* the set's; NULL: there is no file of them */
};

/* Changes to the scenarios that are loaded; both end with NULL. */
struct session_changes {
    const char *set[CLI_LIST_MAX + 1];      /* PATH=VALUE */
    const char *policies[CLI_LIST_MAX + 1]; /* added unless the scenario has them */
};
extern const struct cli_option session_set[], session_policy[]; /* their tables */

/* A run of a policy ends with so many events at the latest, a day or more, so that no input runs for ever. */
#define CLI_EVENTS_MOST UINT64_C(1000000000000)

/* Where files are searched for models. */
struct sms_load_options session_options(const struct cli *cli);
/* Loads all files named on the command line, "-" from standard input, and prints every problem of every file. `changes`
 * may be NULL. Returns an exit code; session_free follows in any case.
 */
int session_load(struct session *session, const struct cli *cli, const struct session_changes *changes);
/* The same for point `number`, text of the command line, of the one plan that is named. A point is what the plan says,
 * so `changes` can only pick policies that it has. */
int session_load_point(struct session *session, const struct cli *cli, const char *number,
                       const struct session_changes *changes);
/* Whether the argument, which the session has loaded, contains a plan. */
bool session_is_plan(const struct session *session, const char *path);
/* Reports if the files contain no scenario. Returns an exit code. */
int session_expect_some(const struct session *session);
/* Loads the data sets that smsched was held against, for the line below an answer; they must be there if --trust asked
 * for them. session_print_trust prints which of them bear on what each scenario asks. Both return an exit code. */
int session_load_trust(struct session *session, bool asked, int format);
int session_print_trust(struct session *session, FILE *to);
extern const struct cli_option session_trust[]; /* of one `bool` */
void session_free(struct session *session);

#endif
