/* libFuzzer: whatever stands on a command line, it is taken or said to be wrong, and nothing runs. An input has an
 * argument a line, the first the command. Built and started by run.sh. */
#define _DEFAULT_SOURCE /* strsep */
#include "sim/cli/cli.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ARGS_MAX = 200 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), *args[ARGS_MAX + 1] = {NULL};
    int count = 0;
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *at = text; at && count < ARGS_MAX;)
        args[count++] = strsep(&at, "\n");
    const struct cli_command *command = cli_find(cli_commands, args[0]);
    struct cli cli = {.command = command, .options = calloc(1, command ? command->size + 1 : 1)};
    int code = command ? cli_parse(&cli, count, args) : EXIT_USAGE;
    free(cli.options);
    if (code != EXIT_OK && code != EXIT_USAGE)
        abort();
    if (code == EXIT_OK && (cli.n_args > (size_t)count || (cli.n_args && !cli.args[0])))
        abort();
    free(text);
    return 0;
}
