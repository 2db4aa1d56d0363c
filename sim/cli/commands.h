/* The commands, each in a file of its name. main.c lists them in the order of the help. */
#ifndef SMS_CLI_COMMANDS_H
#define SMS_CLI_COMMANDS_H

#include "cli.h"

extern const struct cli_command cmd_run, cmd_compare, cmd_validate, cmd_check, cmd_explain, cmd_plot, cmd_report,
    cmd_sweep, cmd_import, cmd_list, cmd_help;
extern const struct cli_command *const cli_commands[]; /* main.c: all, NULL last */

#endif
