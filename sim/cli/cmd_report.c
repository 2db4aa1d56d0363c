/* `smsched report`: writes a page about a results folder or a sweep. */
#include "cli.h"

#include "../base/escape.h"
#include "../page/page.h"
#include "../report/json_write.h"

#include <errno.h>
#include <string.h>

struct options {
    const char *out;
    int format;
};

enum { HTML, JSON };
static const char *const formats[] = {"html", "json", NULL};

#define AT(member) offsetof(struct options, member)

static const struct cli_format page_format = {
    "a page of smsched or its data",
    {"<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
     "http-equiv=\"Content-Security-Policy\" "
     "content=\"default-src 'none'; base-uri 'none'; form-action 'none'; script-src 'sha256-",
     "{\n \"format\": 1,\n \"notes\": ["}};

static const struct cli_option own_options[] = {
    {"out", "FILE", "write this file, - for stdout; default: report.html, or stdout for json", CLI_TEXT, AT(out),
     .file = CLI_OUTPUT, .format = &page_format, .to_stdout = true, .letter = 'o'},
    {"format", "FORMAT", "write html, or json: the data of the page", CLI_CHOICE, AT(format), .choices = formats},
    {0},
};

static const struct options *options_of(const struct cli *cli) { return cli->options; }

static void choose_out(struct cli *cli)
{
    struct options *given = cli->options;
    if (!given->out)
        given->out = given->format == JSON ? "-" : "report.html";
}

static int print(const struct cli *cli, struct sms__page *page, FILE *to)
{
    if (options_of(cli)->format == HTML)
        return sms__page_write(page, to, options_of(cli)->out);
    if (sms__json_write(json_incref(page->data), to, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) == 0)
        return SMS_OK;
    return sms__fail(&page->errors, SMS_EIO, options_of(cli)->out, "cannot be written: %s", strerror(errno));
}

/* cli_finish reports a failure of stdout, unless the reader of a pipe has stopped. */
static int print_out(const struct cli *cli, struct sms__page *page)
{
    const int code = print(cli, page, stdout);
    if (!ferror(stdout))
        return code;
    page->errors.count = 0;
    return SMS_OK;
}

static int write_file(const struct cli *cli, struct sms__page *page)
{
    struct sms__write write = {0};
    int code = sms__write_begin(&write, options_of(cli)->out, &page->errors);
    if (code)
        return code;
    code = print(cli, page, write.to);
    if (code == SMS_OK)
        code = sms__write_end(&write, &page->errors);
    if (code == SMS_OK && !cli->quiet) {
        sms__print_visible(stdout, options_of(cli)->out);
        putchar('\n');
    }
    sms__write_abandon(&write);
    return code;
}

static int make_page(struct cli *cli, struct sms__page *page)
{
    struct sms__progress progress;
    sms__progress_begin(&progress, "", "steps", cli->quiet);
    page->progress = &progress;
    int code = sms__page_gather(page);
    sms__progress_end(&progress);
    if (code == SMS_OK)
        code = strcmp(options_of(cli)->out, "-") ? write_file(cli, page) : print_out(cli, page);
    sms_errors_print(&page->errors, stderr);
    sms__page_release(page);
    return cli_exit_code(code);
}

static int report(struct cli *cli)
{
    struct sms__page page = {.source = cli->args[0], .cancel = &cli_interrupted};
    page.share = cli->share ? cli->share : "share/smsched";
    if (cli->n_args != 1)
        return cli_usage(cli, "name one folder of results or of advice, or one database of a sweep");
    return make_page(cli, &page);
}

const struct cli_command cmd_report = {
    .name = "report",
    .args = "DIR|DB",
    .summary = "write a web page about a results folder, a sweep or advice",
    .text = "The page is one file that needs no other. It shows the answer, gains with intervals, the gap to the "
            "bound, curves and heat maps of a sweep, and the timeline of a run. DIR is a folder of 'run --out', of a "
            "sweep or of 'advise --out'. DB is the sweep.db of a sweep.",
    .examples = "smsched run scenarios/02-a-server.yaml --out served\n"
                "smsched report served -o served.html\n"
                "smsched sweep scenarios/sweeps/load.yaml --out load\n"
                "smsched report load -o load.html\n",
    .options = {{own_options}},
    .common = CLI_FORCE | CLI_QUIET,
    .texts = {{"quiet", "print no progress and no name of the page"}},
    .hints = {{"metric", "the page begins with the metric of answer: in the scenario or plan, and its address keeps "
                         "another"},
              {"point", "'smsched run PLAN --point N --out DIR', then 'smsched report DIR' shows its timeline"}},
    .size = sizeof(struct options),
    .choose = choose_out,
    .run = report};
