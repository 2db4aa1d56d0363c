/* `smsched sweep`: what its files share. */
#ifndef SMS_CLI_SWEEP_COMMAND_H
#define SMS_CLI_SWEEP_COMMAND_H

#include "cli.h"

struct sweep_options {
    const char *out, *shard;
    uint64_t jobs; /* 0: not given */
    int engine;    /* enum sms_engine */
    int format;    /* 0: text, 1: JSON */
    bool check;
};

/* cmd_sweep.c: checks the plan in a file, and prints how many points it has. Returns an exit code. */
int sweep_validate(const struct cli *cli, const char *path);

#endif
