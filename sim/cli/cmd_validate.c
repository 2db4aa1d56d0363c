#include "cli.h"

#include "../sweep/sweep.h"

/* Plans first, which tell of their own file besides; what is wrong with one is told once. */
static int check_plans(struct cli *cli)
{
    int first = EXIT_OK;
    size_t kept = 0;
    for (size_t i = 0; i < cli->n_args; i++) {
        int code = sms__has_plan(cli->args[i]) ? sweep_validate(cli, cli->args[i]) : EXIT_OK;
        if (code == EXIT_OK)
            cli->args[kept++] = cli->args[i];
        first = first ? first : code;
    }
    cli->n_args = kept;
    return first;
}

int cmd_validate(struct cli *cli)
{
    struct session session = {0};
    int first = check_plans(cli);
    int code = first && !cli->n_args ? first : session_load(&session, cli);
    if (first == EXIT_OK && code == EXIT_OK && !cli->quiet)
        printf("%zu file%s checked, %zu scenario%s\n", session.files, session.files == 1 ? "" : "s", session.scenarios,
               session.scenarios == 1 ? "" : "s");
    session_free(&session);
    return first ? first : code;
}
