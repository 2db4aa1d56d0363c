/* `smsched report`: writes a page about a results folder or a sweep. */
#include "again.h"
#include "commands.h"

#include "../base/escape.h"
#include "../report/json_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char *out, *metric, *point, *plan;
    int format;
};

enum { HTML, JSON };
static const char *const formats[] = {"html", "json", NULL};

static const struct cli_option own_options[] = {
    {"out", "FILE", "write this file, - for stdout; default: report.html, or stdout for json", CLI_TEXT,
     offsetof(struct options, out), .letter = 'o'},
    {"metric", "METRIC", "show this metric first, such as stp_ratio", CLI_TEXT, offsetof(struct options, metric)},
    {"point", "N", "simulate this point of the sweep again and show its timeline; points count from 0", CLI_TEXT,
     offsetof(struct options, point)},
    {"plan", "PLAN", "with --point: where the plan of the sweep is now", CLI_TEXT, offsetof(struct options, plan)},
    {"format", "FORMAT", "html, or json: the data of the page", CLI_CHOICE, offsetof(struct options, format),
     .choices = formats},
    {0}};

static const struct options *options_of(const struct cli *cli) { return cli->options; }

static const char *out_of(const struct cli *cli)
{
    const struct options *given = cli->options;
    return given->out ? given->out : given->format == JSON ? "-" : "report.html";
}

static int print(const struct cli *cli, struct sms__page *page, FILE *to)
{
    if (options_of(cli)->format == HTML)
        return sms__page_write(page, cli->share ? cli->share : "share/smsched", to, &page->errors);
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
static void describe(const struct cli *cli, char *command, size_t size)
{
    const char *plan = options_of(cli)->plan;
    snprintf(command, size, "smsched report %s --point %s%s%s%s%s", cli->args[0], options_of(cli)->point,
             plan ? " --plan " : "", plan ? plan : "", cli->models ? " --models " : "", cli->models ? cli->models : "");
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
    int code = sms__page_gather(page);
    if (code == SMS_OK)
        code = strcmp(out_of(cli), "-") ? write_file(cli, page) : print(cli, page, stdout);
    sms_errors_print(&page->errors, stderr);
    sms__page_release(page);
    return cli_exit_code(code);
}

/* Makes the page with a point that is simulated again. Nothing of the run is left on the disk, whatever happens. */
static int make_page_again(struct cli *cli, struct sms__page *page)
{
    char command[8192];
    struct again again = {.cli = cli, .plan_path = options_of(cli)->plan};
    struct sms__page_rerun point = {.command = command, .run = again_run, .user = &again};
    int code = read_point(cli, &point.point);
    if (code)
        return code;
    describe(cli, command, sizeof command);
    again.page = page->rerun = &point;
    code = make_page(cli, page);
    again_end(&again);
    return again.exit_code ? again.exit_code : code;
}

static int report(struct cli *cli)
{
    const struct options *given = cli->options;
    struct sms__page page = {.source = cli->args[0], .metric = given->metric, .cancel = &cli_interrupted};
    if (cli->n_args != 1)
        return cli_usage(cli, "name one results folder or one database of a sweep");
    if (!given->point && (given->plan || cli->models))
        return cli_usage(cli, "--%s is for --point", given->plan ? "plan" : "models");
    return given->point ? make_page_again(cli, &page) : make_page(cli, &page);
}

const struct cli_command cmd_report = {
    .name = "report",
    .args = "DIR|DB",
    .summary = "write a page about a results folder or a sweep, for browsers",
    .text =
        "The page is one file that needs nothing else. It has the answer, gains with intervals, the gap to the bound, "
        "curves and heat maps of a sweep, and the timeline of a run. DIR is a folder of 'run --out' or of a sweep, DB "
        "the sweep.db of a sweep. docs/report.md describes the JSON.\n"
        "--point simulates a point of the sweep again and shows its timeline under each policy. The plan must be "
        "unchanged, and where it was or where --plan says.",
    .options = {{own_options}, {cli_models, CLI_COMMON}, {cli_quiet, CLI_COMMON}},
    .size = sizeof(struct options),
    .run = report};
