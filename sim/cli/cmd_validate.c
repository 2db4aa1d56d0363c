/* `smsched validate`: checks files without running them. */
#include "cli.h"
#include "session.h"

#include "../sweep/sweep.h"

#include <string.h>

/* Checks the plans and removes those with errors from the arguments, so that the errors are printed once. */
static int check_plans(struct cli *cli, size_t *plans)
{
    int first = EXIT_OK;
    size_t kept = 0;
    for (size_t i = 0; i < cli->n_args; i++) {
        bool plan = strcmp(cli->args[i], "-") && sms__is_plan(cli->args[i]);
        int code = plan ? sweep_validate(cli, cli->args[i]) : EXIT_OK;
        *plans += plan;
        if (code == EXIT_OK)
            cli->args[kept++] = cli->args[i];
        first = first ? first : code;
    }
    cli->n_args = kept;
    return first;
}

static void print_counts(const struct session *session, size_t plans)
{
    size_t files = session->cli->n_args, scenarios = session->scenarios;
    printf("%zu file%s checked, ", files, files == 1 ? "" : "s");
    if (plans)
        printf("%zu plan%s, ", plans, plans == 1 ? "" : "s");
    printf("%zu scenario%s\n", scenarios, scenarios == 1 ? "" : "s");
}

static int validate(struct cli *cli)
{
    struct session session = {0};
    size_t plans = 0;
    cli_catch_signals(true);
    int first = check_plans(cli, &plans);
    int code = first && !cli->n_args ? first : session_load(&session, cli, cli->options);
    for (size_t i = 0; i < cli->n_args && code == EXIT_OK; i++)
        if (!strcmp(cli->args[i], "-") && session_is_plan(&session, "-"))
            code = sweep_validate(cli, "-");
    if (first == EXIT_OK && code == EXIT_OK && !cli->quiet)
        print_counts(&session, plans);
    session_free(&session);
    return first ? first : code;
}

const struct cli_command cmd_validate = {
    .name = "validate",
    .args = "FILE...",
    .summary = "check scenario, workload, device and plan files",
    .text =
        "Prints the problems of every file, at most 20 of each, as file:line:column, with the line, a caret and the "
        "nearest valid name. Exits with 3 if there is one.",
    .examples = "smsched validate scenarios/*.yaml\n"
                "smsched validate scenarios/sweeps/load.yaml   # also says how many points the sweep has\n",
    .options = {{session_set}},
    .common = CLI_STRICT | CLI_MEMORY | CLI_MODELS | CLI_PLUGINS | CLI_QUIET,
    .texts = {{"set", "check the scenarios with this field set, as in --set run.seed=7 (repeatable)"},
              {"quiet", "print only problems and warnings"}},
    .size = sizeof(struct session_changes),
    .run = validate};
