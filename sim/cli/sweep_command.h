/* `smsched sweep`: what its files share. */
#ifndef SMS_CLI_SWEEP_H
#define SMS_CLI_SWEEP_H

#include "cli.h"

struct sweep_options {
    const char *out, *shard;
    uint64_t jobs, tasks, at_once; /* 0: not given */
    int engine;                    /* enum sms_engine */
    bool slurm, dry_run, check;
};

/* cmd_sweep.c: checks the plan in a file, and prints how many points it has and how long they take. Returns an exit
 * code. */
int sweep_validate(const struct cli *cli, const char *path);

/* slurm.c: a sweep as a job array. */
struct slurm_sweep {
    const struct cli *cli;
    const struct sweep_options *given;
    const char *plan, *folder; /* paths */
    const char *name;          /* of the plan */
    const char *array;         /* "1-3,7": the shards that lack points */
    unsigned tasks;            /* number of shards */
    char **option;             /* [options]: for sbatch */
    size_t options;
};
/* Submits it, or with --dry-run prints how a shell would. Returns an exit code. */
int slurm_submit(const struct slurm_sweep *sweep);
/* Prints a line about the array that was submitted last, if Slurm still has it. */
void slurm_print_queue(const char *folder);

#endif
