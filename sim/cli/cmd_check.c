/* `smsched check`: runs scenarios and checks their expectations, or the values of a baseline. */
#include "cli.h"
#include "run_scenarios.h"

#include "../base/escape.h"
#include "../base/intern.h"

#include <string.h>

struct options {
    struct run_options run; /* first: its tables have offset 0 */
    const char *baseline, *junit;
    double tolerance; /* -1: not given */
    bool verbose;
};

#define AT(member) offsetof(struct options, member)

static const struct cli_format junit_format = {
    "a JUnit file of smsched", {"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"smsched check\""}};

static const struct cli_option own_options[] = {
    {"baseline", "FILE", "check every value of this file, which 'run --format csv' wrote", CLI_TEXT, AT(baseline),
     .file = CLI_INPUT},
    {"tolerance", "RATIO", "allow this relative difference from a value of the baseline; default 1 %", CLI_RATIO,
     AT(tolerance), .otherwise = -1, .percentage = true},
    {"junit", "FILE", "write the checks as JUnit XML; - is stdout, without the table", CLI_TEXT, AT(junit),
     .file = CLI_OUTPUT, .format = &junit_format, .to_stdout = true},
    {"verbose", NULL, "also print what was met", CLI_FLAG, AT(verbose), .letter = 'v'},
    {0},
};

static void print(const struct sms__set *set, const struct sms__checks *checks, bool quiet, bool verbose)
{
    for (size_t i = 0; i < set->count && !quiet; i++)
        sms__print_answer(set->results[i], 0, set->trust, "answer ", stdout);
    for (size_t i = 0; i < checks->count; i++) {
        const struct sms__check *check = &checks->item[i];
        if (check->passed && !check->reserved && !verbose)
            continue;
        printf("%s %s: ", check->passed ? "ok    " : "MISSED", check->scenario);
        sms__print_visible(stdout, check->name); /* it may come from a baseline, as part of the message may */
        fputs(": ", stdout);
        sms__print_visible(stdout, check->message);
        putchar('\n');
    }
    printf("%zu checked, %zu missed", checks->count, checks->failed);
    if (checks->unlisted)
        printf("; the baseline has no row for %zu %s of the results", checks->unlisted,
               checks->unlisted == 1 ? "value" : "values");
    putchar('\n');
}

static const double TOLERANCE = 0.01;

static int check_all(const struct session *session, const struct options *given, struct sms__checks *checks)
{
    struct sms_errors errors = {0};
    int code = 0;
    for (size_t i = 0; i < session->set.count && !code; i++)
        code = sms__check_expectations(session->set.results[i], checks);
    if (!code && given->baseline)
        code = sms__check_baseline(&session->set, given->baseline, given->tolerance < 0 ? TOLERANCE : given->tolerance,
                                   checks, &errors);
    sms_errors_print(&errors, stderr);
    if (code || errors.count)
        return errors.count ? cli_exit_code(errors.item[0].code) : cli_no_memory();
    return EXIT_OK;
}

struct timing {
    const struct session *session;
    struct sms__checks *checks;
    struct sms__arena arena;
};

/* For sms__guard. The time that a scenario took is shared by its checks, so that their sum is the time of all. */
static int add_times(void *user)
{
    struct timing *timing = user;
    struct sms__checks *checks = timing->checks;
    struct sms__string_pool names = {.arena = &timing->arena};
    for (size_t s = 0; s < timing->session->set.count; s++) {
        const char *name = sms_scenario_name(timing->session->scenario[s]);
        sms__intern(&names, name, strlen(name))->fixed = &timing->session->seconds[s];
    }
    for (size_t i = 0; i < checks->count; i++)
        sms__intern(&names, checks->item[i].scenario, strlen(checks->item[i].scenario))->value++;
    for (size_t i = 0; i < checks->count; i++) {
        const struct sms__pooled_string *own = sms__interned(&names, checks->item[i].scenario);
        const double *seconds = own->fixed; /* NULL: only a baseline has the scenario */
        checks->item[i].seconds = seconds ? *seconds / (double)own->value : 0;
    }
    return SMS_OK;
}

static bool is_stdout(const char *path) { return path && !strcmp(path, "-"); }

/* The file is opened before the runs, so that a bad path is reported before they take time. */
static int begin_junit(struct sms__write *write, const char *path)
{
    struct sms_errors errors = {0};
    return is_stdout(path) ? EXIT_OK : cli_print_errors(sms__write_begin(write, path, &errors), &errors);
}

static int end_junit(struct sms__write *write, const struct sms__checks *checks)
{
    struct sms_errors errors = {0};
    if (sms__print_junit(checks, write->to ? write->to : stdout))
        return cli_no_memory();
    return write->to ? cli_print_errors(sms__write_end(write, &errors), &errors) : EXIT_OK;
}

static int expect_any(const struct session *session, const char *baseline)
{
    bool any = baseline != NULL;
    for (size_t i = 0; i < session->scenarios; i++)
        any |= session->scenario[i]->expect.count > 0;
    return any ? EXIT_OK
               : cli_fail(EXIT_INPUT, NULL, "nothing to check: no scenario has 'expect:', and no --baseline was given");
}

static int check(struct cli *cli)
{
    struct options *given = cli->options;
    struct session session;
    struct sms__checks checks = {0};
    struct sms__write junit = {0};
    if (given->tolerance >= 0 && !given->baseline)
        return cli_usage(cli, "--tolerance is for --baseline: expectations have a tolerance of their own");
    given->run.alone_each = !cli->quiet; /* what the answer says, which a quiet check leaves out */
    int code = session_load(&session, cli, &given->run.changes);
    if (code == EXIT_OK)
        code = expect_any(&session, given->baseline);
    if (code == EXIT_OK && given->baseline)
        code = cli_check_file(given->baseline, "a file that 'smsched run --format csv' wrote");
    if (code == EXIT_OK)
        code = session_load_trust(&session, false, FORMAT_TABLE);
    if (code == EXIT_OK && given->junit)
        code = begin_junit(&junit, given->junit);
    if (code == EXIT_OK)
        code = run_scenarios(&session, &given->run, NULL, NULL);
    if (code == EXIT_OK)
        code = check_all(&session, given, &checks);
    struct timing timing = {.session = &session, .checks = &checks};
    if (code == EXIT_OK && sms__guard(&timing.arena, add_times, &timing))
        code = cli_no_memory();
    sms__arena_release(&timing.arena);
    if (code == EXIT_OK && !is_stdout(given->junit))
        print(&session.set, &checks, cli->quiet, given->verbose);
    if (code == EXIT_OK && given->junit)
        code = end_junit(&junit, &checks);
    if (code == EXIT_OK && checks.failed)
        code = EXIT_MISSED;
    sms__write_abandon(&junit);
    sms__checks_free(&checks);
    session_free(&session);
    return code;
}

const struct cli_command cmd_check = {
    .name = "check",
    .args = "SCENARIO...",
    .summary = "run the scenarios and check their expectations, or a baseline",
    .text = "Checks the 'expect:' list of each scenario, and with --baseline every value of a CSV file that 'run "
            "--format csv' wrote. Prints the values that missed, and exits with 1 if there are any.",
    .examples = "smsched check scenarios/03-expectations.yaml --junit checks.xml\n"
                "smsched run scenarios/03-expectations.yaml --format csv >baseline.csv\n"
                "smsched check scenarios/03-expectations.yaml --baseline baseline.csv --tolerance '1 %'\n",
    .options = {{own_options}, {session_set}, {run_seed}, {run_effort}},
    .common = CLI_FORCE | CLI_STRICT | CLI_MEMORY | CLI_MODELS | CLI_PLUGINS | CLI_QUIET,
    .texts = {{"quiet", "print no progress, only what was missed and the number of checks"}},
    .size = sizeof(struct options),
    .run = check};
