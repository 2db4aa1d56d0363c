/* The program: the list of commands. */
#include "cli.h"

#include "../base/sources.h"
#include "../report/memory.h"

#include <gsl/gsl_errno.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

const struct cli_command *const cli_commands[] = {&cmd_advise, &cmd_calibrate, &cmd_run,  &cmd_compare, &cmd_validate,
                                                  &cmd_check,  &cmd_explain,   &cmd_plot, &cmd_report,  &cmd_sweep,
                                                  &cmd_import, &cmd_list,      &cmd_new,  &cmd_help,    NULL};

/* Keeps the memory of a run for the next one. glibc gives it back to the system, which then has to clear it again, and
 * that took four fifths of the time of a sweep of short runs. */
static void keep_memory(void)
{
#ifdef __GLIBC__
    const int kept = 64 << 20, large = 4 << 20; /* bytes; what is large comes from the system, and goes back at once */
    (void)mallopt(M_TRIM_THRESHOLD, kept);
    (void)mallopt(M_MMAP_THRESHOLD, large);
#endif
}

int main(int argc, char **argv)
{
    keep_memory();
    gsl_set_error_handler_off(); /* else GSL ends the program where it has no memory */
    cli_catch_signals(false);
    sms__watch_memory();
    if (argc < 2) {
        cli_print_usage(cli_commands, stderr);
        return EXIT_USAGE;
    }
    if (!strcmp(argv[1], "--version")) {
        printf("smsched %s (sources %s)\n", SMSCHED_VERSION, sms__sources());
        return cli_finish(EXIT_OK);
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        cli_print_usage(cli_commands, stdout);
        return cli_finish(EXIT_OK);
    }
    const struct cli_command *command = cli_find(cli_commands, argv[1]);
    return command ? cli_run(cli_commands, command, argc - 1, argv + 1) : EXIT_USAGE;
}
