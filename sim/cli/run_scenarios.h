/* Runs the scenarios of a session, with --trace, and into a results folder. */
#ifndef SMS_CLI_RUN_SCENARIOS_H
#define SMS_CLI_RUN_SCENARIOS_H

#include "../report/folder.h"
#include "session.h"

struct rows;

/* Options of commands that run scenarios; 0: as the scenario says. */
struct run_options {
    struct session_changes changes; /* first: its tables have offset 0 */
    uint64_t seed, events, replications, jobs;
    int engine; /* enum sms_engine */
    bool check;
    bool alone_each; /* set by commands that say what policies gain */
};

/* Options of --trace, which writes a run of one scenario for Perfetto. */
struct trace_options {
    const char *path;      /* NULL: no trace */
    uint64_t events;       /* 0: SMS__TRACE_EVENTS */
    double from_ps, to_ps; /* to_ps -1: the end of the run */
};
extern const struct cli_option run_trace[];

/* Tables of struct run_options: --seed and --events; --replications, --jobs, --engine and --check. */
extern const struct cli_option run_seed[], run_effort[];

/* The options for the library. */
struct sms_run_options run_settings(const struct cli *cli, const struct run_options *options);

/* Runs all scenarios; `trace`: NULL, or writes a trace if it has a path; `rows`: NULL, or gets those of a folder.
 * Returns an exit code. */
int run_scenarios(struct session *session, const struct run_options *options, const struct trace_options *trace,
                  struct rows *rows);

/* compare_unknowns.c: draws what is not known of the scenarios that were run, so often, or as often as they say (0).
 * Returns an exit code. */
int draw_unknowns(struct session *session, const struct sms_run_options *settings, uint64_t draws);

/* Runs all scenarios and writes their results into a folder that was begun, and ends it; `brief`: without the rows of
 * timelines. Errors of the run are printed, those of the folder are added to `errors`. Returns an exit code. */
int run_into_folder(struct session *session, const struct run_options *options, const struct trace_options *trace,
                    struct sms__folder *folder, bool brief, struct sms_errors *errors);

#endif
