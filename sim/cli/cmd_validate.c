#include "cli.h"

#include "../model/effort.h"
#include "../model/job.h"
#include "../sweep/sweep.h"

/* Plans first, which tell of their own file besides; what is wrong with one is told once. */
static int check_plans(struct cli *cli, size_t *plans)
{
    int first = EXIT_OK;
    size_t kept = 0;
    for (size_t i = 0; i < cli->n_args; i++) {
        bool plan = sms__is_plan(cli->args[i]);
        int code = plan ? sweep_validate(cli, cli->args[i]) : EXIT_OK;
        *plans += plan;
        if (code == EXIT_OK)
            cli->args[kept++] = cli->args[i];
        first = first ? first : code;
    }
    cli->n_args = kept;
    return first;
}

#define MEMORY_SAID (1024.0 * 1024 * 1024)

/* Of those that take a while, or much memory. */
static void print_effort(const struct session *session)
{
    char text[64];
    for (size_t i = 0; i < session->scenarios; i++) {
        struct sms_effort effort = sms_scenario_effort(session->scenario[i]);
        if (effort.seconds >= SMS__EFFORT_SAID_S)
            printf("scenario %s: %s %.2g events, %s of CPU time\n", sms_scenario_name(session->scenario[i]),
                   session->scenario[i]->until.precision > 0 ? "at least" : "about", effort.events,
                   sms__say_time(text, sizeof text, effort.seconds * 1e12));
        const struct sms__memory_ask ask = {(double)sms__most_replications(session->scenario[i]), .jobs = 1};
        double bytes = sms__memory_of(session->scenario[i], &ask);
        if (bytes >= MEMORY_SAID)
            printf("scenario %s: about %.2g GiB of memory\n", sms_scenario_name(session->scenario[i]),
                   bytes / MEMORY_SAID);
    }
}

static void print_counts(const struct session *session, size_t plans)
{
    size_t files = session->files, scenarios = session->scenarios;
    printf("%zu file%s checked, ", files, files == 1 ? "" : "s");
    if (plans)
        printf("%zu plan%s, ", plans, plans == 1 ? "" : "s");
    printf("%zu scenario%s\n", scenarios, scenarios == 1 ? "" : "s");
}

int cmd_validate(struct cli *cli)
{
    struct session session = {0};
    size_t plans = 0;
    int first = check_plans(cli, &plans);
    int code = first && !cli->n_args ? first : session_load(&session, cli);
    if (code == EXIT_OK && !cli->quiet)
        print_effort(&session);
    if (first == EXIT_OK && code == EXIT_OK && !cli->quiet)
        print_counts(&session, plans);
    session_free(&session);
    return first ? first : code;
}
