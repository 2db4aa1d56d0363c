/* The command line: a table of options, a table of commands, one file a command.
 * Help, man page and shell completion are printed from the same tables. */
#ifndef SMS_CLI_CLI_H
#define SMS_CLI_CLI_H

#include "../report/folder.h"
#include "../report/output.h"
#include "../report/trace.h"

enum {
    EXIT_OK = 0,
    EXIT_MISSED = 1,
    EXIT_USAGE = 2,
    EXIT_INPUT = 3,
    EXIT_IO = 4,
    EXIT_BUG = 70,
    EXIT_INTERRUPTED = 130
};

enum { CLI_LIST_MAX = 64 };

struct cli {
    const char *program;
    char **args; /* what is left after the options */
    size_t n_args;
    const char *out, *baseline, *junit, *models, *terminals, *trace, *profiled, *device, *name, *title, *source, *shard,
        *metric, *point, *plan;
    const char *policies[CLI_LIST_MAX + 1]; /* ends with NULL */
    int format;                             /* index in cli_formats */
    int engine;                             /* enum sms_engine */
    double seed, replications, jobs, tasks, at_once, from_ps, to_ps, tolerance, trace_events, trace_from_ps,
        trace_to_ps, inflate, events;
    bool quiet, help, check, sane, fixed, dump, iteration, brief, slurm, dry_run;
    const char *share; /* folder with models/ and plots/ */
    const char *command_line;
};

extern const char *const cli_formats[];
enum { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON, FORMAT_SIMTBS };

enum cli_option_kind { CLI_FLAG, CLI_TEXT, CLI_LIST, CLI_COUNT, CLI_TIME, CLI_RATIO, CLI_CHOICE };

struct cli_option {
    char letter;       /* also its bit's name in a command's list */
    const char *name;  /* long */
    const char *value; /* placeholder; NULL: a flag */
    const char *help;
    enum cli_option_kind kind;
    size_t offset;              /* in struct cli */
    const char *const *choices; /* CLI_CHOICE: what it may be, NULL last; the index is stored */
};

struct cli_command {
    const char *name;
    const char *args; /* "SCENARIO..." */
    const char *summary;
    const char *text;    /* paragraphs for help and man page */
    const char *options; /* the letters of those it takes */
    int (*run)(struct cli *cli);
};

extern const struct cli_option cli_options[];   /* ends with a name of NULL */
extern const struct cli_command cli_commands[]; /* ends with a name of NULL */

/* options.c: parses what follows the command's name into `cli`. 0 or EXIT_USAGE, having said why. */
int cli_parse(struct cli *cli, const struct cli_command *command, int argc, char **argv);

/* help.c */
void cli_print_usage(FILE *to);
void cli_print_help(const struct cli_command *command, FILE *to);
void cli_print_man(FILE *to);
void cli_print_completion(FILE *to);

/* session.c: files loaded and scenarios run for a command. */
struct session {
    struct cli *cli;
    struct sms_file **file;
    size_t files;
    const struct sms_scenario **scenario;
    size_t scenarios;
    struct sms__set set;
    FILE *timeline;
    size_t timeline_rows;        /* of this policy */
    const char *timeline_policy; /* whose rows are being written; NULL before the first */
    const char *running;
    struct sms__trace *trace;            /* or NULL */
    FILE *spans;                         /* of processes, or NULL */
    FILE *placements;                    /* of pods, or NULL */
    FILE *beginnings;                    /* their rows of the policy at hand, which lack their ends */
    struct placement_end *placement_end; /* [placement_rows]: of these */
    size_t placement_rows;
    uint32_t *placed_at; /* [placed_room]: of each pod, by number, its row at hand + 1; 0: none */
    size_t placed_room;
    FILE *gpus;           /* that pods share, or NULL */
    struct sms__cut *cut; /* [cuts]: a policy each */
    size_t cuts;
    bool spans_lost; /* without memory */
};

/* Loads all files named on the command line; every problem of every file is printed. An exit code. */
int session_load(struct session *session, struct cli *cli);
/* Says so if there is no scenario in the files; an exit code. */
int session_expect_some(const struct session *session);
/* Runs them all; an exit code. */
int session_run(struct session *session);
void session_free(struct session *session);
struct sms_load_options session_options(const struct cli *cli);
/* The run options that the command line gives. */
struct sms_run_options session_run_options(const struct cli *cli);

/* spans.c: the spans of processes and the placements of pods, into files of the folder if a scenario has some: so many
 * rows of a policy; of what comes after, only the number is kept. SMS_OK or a code, having said why; spans_end follows
 * spans_begin in any case. */
enum { SPAN_ROWS = 200000 };
int spans_begin(struct session *session, struct sms__folder *folder, struct sms_errors *errors);
void spans_write(struct session *session, const char *policy, const struct sms_span *span);
/* Whether the policy has room for one more row. */
bool spans_have_room(struct session *session, const char *policy, bool placements);
/* placements.c. A policy's are written out when it is through. */
void placements_write(struct session *session, const char *policy, const struct sms_placement *placement);
void placements_write_end(struct session *session, const struct sms_departure *departure);
void placements_flush(struct session *session);
void spans_write_gpu(struct session *session, const char *policy, const struct sms_shared_gpu *gpu);
int spans_end(struct session *session, struct sms__folder *folder, struct sms_errors *errors);

/* tracing.c: session_run, with --trace. */
int session_run_traced(struct session *session);

/* cmd_sweep.c: checks the plan in a file, and says how many points it has and how long they take. An exit code. */
int sweep_validate(struct cli *cli, const char *path);

/* cmd_run.c: runs, with the rows of timelines and spans into files of the folder. An exit code. */
int session_run_observed(struct session *session, struct sms__folder *folder, struct sms_errors *errors);

/* origin.c: where the plan of the sweep in a folder is, and the models that it was run with: a file of the folder,
 * beside the results, whose bytes do not depend on it. SMS_OK or a code. */
int origin_write(const char *folder, const char *plan, const char *models, struct sms_errors *errors);
/* The strings are the caller's to free; NULL: not known. */
struct origin {
    char *plan, *models;
};
void origin_read(const char *folder, struct origin *origin);

/* slurm.c: a sweep as a job array. Exit codes. */
struct slurm_sweep {
    const struct cli *cli;
    const char *plan, *folder; /* as paths */
    const char *name;          /* of the plan */
    const char *array;         /* "1-3,7": the shards that lack points */
    unsigned tasks;            /* of how many shards */
    char **option;             /* [options]: for sbatch */
    size_t options;
};
/* Submits it, or with --dry-run prints how a shell would. */
int slurm_submit(const struct slurm_sweep *sweep);
/* A line about the array that was submitted last, if Slurm still has it. */
void slurm_print_queue(const char *folder);

/* The exit code for a code of the library. */
int cli_exit_code(int code);
/* Flushes stdout; EXIT_IO, having said why, if something could not be written. */
int cli_finish(int exit_code);
/* Says that a scenario or file is missing; EXIT_USAGE. */
int cli_usage(const struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* complain.c: "WHERE: error: TEXT" on stderr, WHERE being a path or NULL; returns the exit code. */
int cli_fail(int exit_code, const char *where, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same without memory. */
int cli_no_memory(void);

/* Set by SIGINT, SIGTERM and SIGHUP. */
extern atomic_bool cli_interrupted;

int cmd_run(struct cli *cli);
int cmd_compare(struct cli *cli);
int cmd_validate(struct cli *cli);
int cmd_check(struct cli *cli);
int cmd_explain(struct cli *cli);
int cmd_list(struct cli *cli);
int cmd_plot(struct cli *cli);
int cmd_report(struct cli *cli);
int cmd_sweep(struct cli *cli);
int cmd_import(struct cli *cli);
int cmd_help(struct cli *cli);

#endif
