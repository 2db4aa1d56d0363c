#include "cli.h"

struct explanation {
    const struct cli *cli;
    const char *policy; /* the one printed last */
    uint64_t from_ps, to_ps;
};

static void print_csv(const char *policy, const struct sms_decision *decision)
{
    printf("%s,%.3f,%s,%s,%llu,%zu,", policy, (double)decision->time_ps / 1e3, decision->vm, decision->kernel,
           (unsigned long long)decision->block, decision->device);
    if (decision->sm >= 0)
        printf("%ld", decision->sm);
    printf(",%zu,\"%s\"\n", decision->passed, decision->reasons);
}

static void print_line(const struct sms_decision *decision)
{
    printf("  %.6f ms  %s/%s block %llu ", (double)decision->time_ps / 1e9, decision->vm, decision->kernel,
           (unsigned long long)decision->block);
    if (decision->sm >= 0)
        printf("-> device %zu SM %ld", decision->device, decision->sm);
    else
        printf("waits on device %zu", decision->device);
    if (decision->passed)
        printf("; passed over %zu: %s", decision->passed, decision->reasons);
    printf("\n");
}

/* Below the policy's name, once. */
static void print_policy(struct explanation *explanation, const char *policy)
{
    if (explanation->policy != policy)
        printf("%s%s\n", explanation->policy ? "\n" : "", policy);
    explanation->policy = policy;
}

static void print_decision(void *user, const char *policy, const struct sms_decision *decision)
{
    struct explanation *explanation = user;
    if (explanation->cli->format == FORMAT_CSV) {
        print_csv(policy, decision);
        return;
    }
    print_policy(explanation, policy);
    print_line(decision);
}

/* A quote within a field is doubled. */
static void print_quoted(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"')
            putchar('"');
        putchar(*text);
    }
    putchar('"');
}

/* What a share policy says of a process stands in the columns of its VM and of the reasons. */
static void print_saying(void *user, const char *policy, const struct sms_saying *saying)
{
    struct explanation *explanation = user;
    if (saying->time_ps < explanation->from_ps || saying->time_ps > explanation->to_ps)
        return;
    if (explanation->cli->format == FORMAT_CSV) {
        printf("%s,%.3f,%s,,,,,,", policy, (double)saying->time_ps / 1e3, saying->process);
        print_quoted(saying->text);
        putchar('\n');
        return;
    }
    print_policy(explanation, policy);
    printf("  %.6f ms  %s: %s\n", (double)saying->time_ps / 1e9, saying->process, saying->text);
}

/* The same for a pod and where it went. */
static void print_placement(void *user, const char *policy, const struct sms_placement *placement)
{
    char text[512];
    int used = snprintf(text, sizeof text, "on %s", placement->node);
    for (unsigned i = 0, n = 0; i < 64; i++)
        if (placement->gpus >> i & 1)
            used += snprintf(text + used, sizeof text - (size_t)used, "%s%u", n++ ? ", " : ", GPU ", i);
    if (placement->wait_ps)
        snprintf(text + used, sizeof text - (size_t)used, ", after %.6g s", (double)placement->wait_ps / 1e12);
    const struct sms_saying saying = {placement->time_ps, placement->pod, text};
    print_saying(user, policy, &saying);
}

int cmd_explain(struct cli *cli)
{
    struct session session;
    struct explanation explanation = {.cli = cli};
    struct sms_run_options options = session_run_options(cli);
    int code = session_load(&session, cli);
    options.alone = false;
    options.jobs = 1;
    options.replications = 1;
    options.on_decision = print_decision;
    options.on_saying = print_saying;
    options.on_placement = print_placement;
    options.explain_from_ps = explanation.from_ps = (uint64_t)cli->from_ps;
    options.explain_to_ps = explanation.to_ps = (uint64_t)(cli->to_ps < 0 ? cli->from_ps : cli->to_ps);
    options.user = &explanation;
    if (code == EXIT_OK && cli->format == FORMAT_CSV)
        printf("policy,time_ns,vm,kernel,block,device,sm,passed,reasons\n");
    for (size_t i = 0; i < session.scenarios && code == EXIT_OK; i++) {
        struct sms_errors errors;
        struct sms_results *results;
        code = sms_run(session.scenario[i], &options, &results, &errors);
        sms_errors_print(&errors, stderr);
        sms_results_free(results);
        code = cli_exit_code(code);
    }
    session_free(&session);
    return code;
}
