/* `smsched report`: writes a page about a results folder or a sweep. A point of a sweep can be simulated again for its
 * timeline, if its key shows that it would give the results of the sweep. */
#include "cli.h"
#include "origin.h"
#include "run_scenarios.h"

#include "../base/escape.h"
#include "../page/page.h"
#include "../report/json_write.h"
#include "../sweep/sweep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char *out, *metric, *point, *plan;
    int format;
    bool trust;
};

enum { HTML, JSON };
static const char *const formats[] = {"html", "json", NULL};

#define AT(member) offsetof(struct options, member)

static const struct cli_format page_format = {"a page or its data", {"<!doctype html", "{"}};

static const struct cli_option own_options[] = {
    {"out", "FILE", "write this file, - for stdout; default: report.html, or stdout for json", CLI_TEXT, AT(out),
     .file = CLI_OUTPUT, .format = &page_format, .letter = 'o'},
    {"metric", "METRIC", "show this metric first, such as stp_ratio", CLI_TEXT, AT(metric)},
    {"point", "N", "simulate this point of the sweep again and show its timeline; points count from 0", CLI_TEXT,
     AT(point)},
    {"plan", "PLAN", "with --point: where the plan of the sweep is now", CLI_TEXT, AT(plan), .file = CLI_INPUT},
    {"format", "FORMAT", "html, or json: the data of the page", CLI_CHOICE, AT(format), .choices = formats},
    {"trust", NULL, "of a results folder: note which measurements cover each scenario, and how well they were met",
     CLI_FLAG, AT(trust)},
    {0},
};

static const struct options *options_of(const struct cli *cli) { return cli->options; }

static const char *out_of(const struct cli *cli)
{
    const struct options *given = cli->options;
    return given->out ? given->out : given->format == JSON ? "-" : "report.html";
}

/* A point that is simulated again. */
struct again {
    const struct cli *cli;
    struct sms__page_rerun *page;
    struct origin origin;
    struct sms__plan *plan;
    struct sms_load_options options; /* the plan's */
    struct sms__worker_context context;
    struct sms_file *file; /* of the point */
    struct session session;
    struct sms__folder folder; /* of its results; scratch */
    int exit_code;             /* of the run */
};

/* The folder of the sweep is the parent of the database's folder. */
static void find_origin(struct again *again, const char *database)
{
    char folder[4400];
    const char *slash = strrchr(database, '/');
    snprintf(folder, sizeof folder, "%.*s..", slash ? (int)(slash + 1 - database) : 0, database);
    origin_read(folder, &again->origin);
}

static int load_plan(struct again *again, const struct sms__page_point *point, struct sms_errors *errors)
{
    struct sms_errors found;
    find_origin(again, point->database);
    const char *given = options_of(again->cli)->plan, *path = given ? given : again->origin.plan;
    if (!path)
        return sms__fail(errors, SMS_EINPUT, point->database,
                         "no origin.json in the folder above says where its plan is; --plan does");
    again->options = session_options(again->cli);
    if (!again->options.models)
        again->options.models = again->origin.models;
    int code = sms__plan_load(path, &again->options, &again->plan, &found);
    if (code == SMS_OK)
        return SMS_OK;
    sms__add_errors(errors, &found);
    sms__fail(errors, code, point->database, "its plan cannot be read as it was%s",
              given ? "" : "; --plan says where it is now");
    return code;
}

/* Says what has changed: the plan, or something else on which the point's key depends. */
static int fail_changed(const struct again *again, const struct sms__page_point *point, const char *scenario,
                        struct sms_errors *errors)
{
    const struct sms__plan *plan = again->plan;
    const unsigned long long number = point->point;
    if (strcmp(plan->node->mark.text, point->text) != 0)
        return sms__fail(
            errors, SMS_EINPUT, plan->path,
            "the plan has changed, and point %llu is another one than that in %.200s; 'smsched sweep' runs "
            "what has changed",
            number, point->database);
    return sms__fail(
        errors, SMS_EINPUT, plan->path,
        "point %llu is no longer what it was in %.200s: the scenario '%.60s', or a device or workload that it "
        "uses, has changed; 'smsched sweep' runs what has changed",
        number, point->database, scenario);
}

/* Loads the scenario of the point, if it is still the one that was run. */
static int load_point(struct again *again, const struct sms__page_point *point, struct sms_errors *errors)
{
    unsigned char key[SMS__KEY_BYTES];
    char *models = NULL;
    struct sms__coordinates coordinates;
    struct sms_errors found = {0};
    if (point->point >= again->plan->points)
        return fail_changed(again, point, "", errors);
    sms__point_coordinates(again->plan, point->point, &coordinates);
    const char *scenario = coordinates.base->name[coordinates.scenario];
    int code = sms__point_load(&again->context, point->point, &again->file, &models, &found);
    if (code)
        sms__add_errors(errors, &found);
    bool known = models && sms__point_key(&again->context, point->point, models, NULL, key);
    free(models);
    if (code == SMS_ENOMEM || code == SMS_EIO)
        return code;
    if (code || !known || memcmp(key, point->key, sizeof key) != 0)
        return fail_changed(again, point, scenario, errors);
    return SMS_OK;
}

/* Runs the point as `run --out` does, into a folder that is removed when the page is complete. */
static int run_point(struct again *again, struct sms_errors *errors)
{
    const char *temporary = getenv("TMPDIR");
    struct session *session = &again->session;
    char path[SMS__PATH_BYTES];
    if ((size_t)snprintf(path, sizeof path, "%s/smsched-point", temporary && *temporary ? temporary : "/tmp") >=
        sizeof path)
        return sms__fail(errors, SMS_EIO, temporary, "the name is too long");
    int code = sms__folder_begin(&again->folder, path, SMS__FOLDER_SCRATCH, errors);
    if (code)
        return code;
    *session = (struct session){.cli = again->cli, .scenarios = 1, .scenario = malloc(sizeof *session->scenario)};
    if (!session->scenario)
        return sms__fail(errors, SMS_ENOMEM, NULL, "out of memory");
    session->scenario[0] = sms_file_scenario(again->file, 0);
    const struct run_options options = {0};
    const struct run_folder into = {&again->folder, "", false};
    again->exit_code = run_into_folder(session, &options, NULL, &into, errors);
    if (again->exit_code)
        return errors->count ? errors->item[0].code : SMS_ECANCELED; /* the run has printed its errors */
    again->page->folder = again->folder.partial.name;
    again->page->results = session->set.results[0];
    return SMS_OK;
}

/* The `run` of struct sms__page_rerun; `user` is a struct again. */
static int rerun(void *user, const struct sms__page_point *point, struct sms_errors *errors)
{
    struct again *again = user;
    int code = load_plan(again, point, errors);
    if (code == SMS_OK)
        code = sms__worker_context_open(again->plan, true, &again->context, errors);
    if (code == SMS_OK)
        code = load_point(again, point, errors);
    if (code == SMS_OK)
        code = run_point(again, errors);
    return code;
}

/* Frees everything and removes the folder, from which the page reads until it is complete. */
static void end_rerun(struct again *again)
{
    sms__folder_abandon(&again->folder);
    session_free(&again->session);
    sms_file_free(again->file);
    if (again->context.plan)
        sms__worker_context_close(&again->context);
    sms__plan_free(again->plan);
    free(again->origin.plan);
    free(again->origin.models);
}

static int print(const struct cli *cli, struct sms__page *page, FILE *to)
{
    if (options_of(cli)->format == HTML)
        return sms__page_write(page, to);
    if (sms__json_write(json_incref(page->data), to, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) == 0)
        return SMS_OK;
    return sms__fail(&page->errors, SMS_EIO, out_of(cli), "cannot be written: %s", strerror(errno));
}

static int write_file(const struct cli *cli, struct sms__page *page)
{
    struct sms__write write = {0};
    int code = sms__write_begin(&write, out_of(cli), &page->errors);
    if (code)
        return code;
    code = print(cli, page, write.to);
    if (code == SMS_OK)
        code = sms__write_end(&write, &page->errors);
    if (code == SMS_OK && !cli->quiet) {
        sms__print_visible(stdout, out_of(cli));
        putchar('\n');
    }
    sms__write_abandon(&write);
    return code;
}

/* The command that makes the page again. Where the page is written does not matter. */
static char *describe(const struct cli *cli)
{
    const char *word[9] = {"smsched", "report", cli->args[0], "--point", options_of(cli)->point};
    const char *const more[][2] = {{"--plan", options_of(cli)->plan}, {"--models", cli->models}};
    size_t count = 5;
    for (size_t i = 0; i < 2; i++)
        if (more[i][1]) {
            word[count++] = more[i][0];
            word[count++] = more[i][1];
        }
    return sms__shell_line(count, word);
}

static int read_point(const struct cli *cli, uint64_t *point)
{
    const char *text = options_of(cli)->point;
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 18 || text[digits])
        return cli_usage(cli, "--point: '%s' is not the number of a point", text);
    *point = strtoull(text, NULL, 10);
    return EXIT_OK;
}

static int make_page(struct cli *cli, struct sms__page *page)
{
    struct sms__progress progress;
    sms__progress_begin(&progress, "", "steps", cli->quiet);
    page->progress = &progress;
    int code = sms__page_gather(page);
    sms__progress_end(&progress);
    if (code == SMS_OK)
        code = strcmp(out_of(cli), "-") ? write_file(cli, page) : print(cli, page, stdout);
    sms_errors_print(&page->errors, stderr);
    sms__page_release(page);
    return cli_exit_code(code);
}

/* Makes the page with a point that is simulated again. Nothing of the run is left on the disk, whatever happens. */
static int make_page_again(struct cli *cli, struct sms__page *page)
{
    struct again again = {.cli = cli};
    struct sms__page_rerun point = {.run = rerun, .user = &again};
    int code = read_point(cli, &point.point);
    if (code)
        return code;
    char *command = describe(cli);
    if (!command)
        return cli_no_memory();
    point.command = command;
    again.page = page->rerun = &point;
    code = make_page(cli, page);
    end_rerun(&again);
    free(command);
    return again.exit_code ? again.exit_code : code;
}

static int report(struct cli *cli)
{
    const struct options *given = cli->options;
    struct sms__page page = {.source = cli->args[0], .metric = given->metric, .cancel = &cli_interrupted};
    page.share = cli->share ? cli->share : "share/smsched";
    if (cli->n_args != 1)
        return cli_usage(cli, "name one results folder or one database of a sweep");
    if (!given->point && (given->plan || (cli->models && !given->trust)))
        return cli_usage(cli, "--%s is for --point", given->plan ? "plan" : "models");
    if (given->trust && given->point)
        return cli_usage(cli, "--trust is for results folders");
    struct sms_load_options models = session_options(cli);
    page.trust = given->trust ? &models : NULL;
    return given->point ? make_page_again(cli, &page) : make_page(cli, &page);
}

const struct cli_command cmd_report = {
    .name = "report",
    .args = "DIR|DB",
    .summary = "write a page about a results folder or a sweep, for browsers",
    .text =
        "The page is one file that needs nothing else. It has the answer, gains with intervals, the gap to the bound, "
        "curves and heat maps of a sweep, and the timeline of a run. DIR is a folder of 'run --out' or of a sweep, DB "
        "the sweep.db of a sweep. docs/reference/report.md describes the JSON.\n"
        "--point simulates a point of the sweep again and shows its timeline under each policy. The plan must be "
        "unchanged, and where it was or where --plan says.",
    .examples = "smsched run scenarios/01-two-tenants.yaml --out pair\n"
                "smsched report pair -o pair.html\n"
                "smsched sweep scenarios/sweeps/load.yaml --out load\n"
                "smsched report load -o load.html --point 7\n",
    .options = {{own_options}, {cli_force}, {cli_models}, {cli_plugins}, {cli_quiet}},
    .texts = {{"models", "with --point or --trust: search this folder for devices/ and workloads/ first"},
              {"quiet", "print no progress and no name of the page"}},
    .size = sizeof(struct options),
    .run = report};
