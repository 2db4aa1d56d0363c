/* Runs a command: finds what is installed beside the program, parses the options, and checks that output arrived. */
#include "cli.h"

#include "../base/escape.h"
#include "../model/file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SHARE_BYTES = 4096 };

/* share/smsched beside bin/, in the build tree as when installed; NULL if it is not there. */
static const char *find_share(char path[SHARE_BYTES])
{
    ssize_t length = readlink("/proc/self/exe", path, SHARE_BYTES - 1);
    if (length <= 0)
        return NULL;
    path[length] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(path, '/');
        if (!slash)
            return NULL;
        *slash = '\0';
    }
    size_t used = strlen(path);
    snprintf(path + used, SHARE_BYTES - used, "/share/smsched");
    return access(path, F_OK) == 0 ? path : NULL;
}

/* As a shell would run it again. */
static char *command_line(int argc, char **argv)
{
    const char **word = malloc(((size_t)argc + 1) * sizeof *word);
    if (!word)
        return NULL;
    word[0] = "smsched";
    for (int i = 0; i < argc; i++)
        word[i + 1] = argv[i];
    char *line = sms__shell_line((size_t)argc + 1, word);
    free(word);
    return line;
}

/* Without this check, names that are looked up in the folder would be reported as unknown. */
static int check_models(const char *models)
{
    struct stat st;
    if (!models || (stat(models, &st) == 0 && S_ISDIR(st.st_mode)))
        return EXIT_OK;
    return cli_fail(EXIT_INPUT, models, "--models: is no folder");
}

/* Whether a person reads what is printed, and not a shell, an editor or another program. */
static bool prints_prose(struct cli *cli)
{
    static const struct {
        const struct cli_command *command;
        const char *word; /* its first argument; NULL: any */
    } raw[] = {
        {&cmd_import, NULL}, {&cmd_report, NULL}, {&cmd_help, "man"}, {&cmd_help, "completion"}, {&cmd_list, "schema"}};
    const int *format = cli_value(cli, "format");
    bool prose = !format || *format == FORMAT_TABLE;
    for (size_t i = 0; i < sizeof raw / sizeof *raw; i++)
        prose &= cli->command != raw[i].command || (raw[i].word && (!cli->n_args || strcmp(cli->args[0], raw[i].word)));
    return cli->help || prose;
}

static int parse_and_run(struct cli *cli, int argc, char **argv)
{
    int code = cli_parse(cli, argc, argv);
    if (prints_prose(cli))
        cli_fold_lines();
    if (code == 0 && cli->help) {
        cli_print_help(cli->command, stdout);
        return EXIT_OK;
    }
    if (code == 0)
        code = check_models(cli->models);
    if (code == 0 && cli->command->choose)
        cli->command->choose(cli);
    if (code == 0)
        code = cli_check_outputs(cli);
    return code ? code : cli->command->run(cli);
}

int cli_run(const struct cli_command *const *commands, const struct cli_command *command, int argc, char **argv)
{
    char share[SHARE_BYTES], models[SHARE_BYTES + SMS__MODELS_BYTES], *line = command_line(argc, argv);
    struct cli cli = {.command = command,
                      .commands = commands,
                      .options = calloc(1, command->size + 1),
                      .command_line = line,
                      .share = find_share(share),
                      .installed_models = models};
    if (cli.share)
        snprintf(models, sizeof models, "%s/models", share);
    else
        sms__installed_models(models);
    int code = line && cli.options ? parse_and_run(&cli, argc, argv) : cli_no_memory();
    free(line);
    free(cli.options);
    return cli_finish(code);
}
