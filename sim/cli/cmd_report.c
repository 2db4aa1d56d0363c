#include "again.h"

#include "../base/escape.h"
#include "../report/json_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int print(const struct cli *cli, struct sms__page *page, FILE *to)
{
    if (cli->format != FORMAT_JSON)
        return sms__page_write(page, cli->share ? cli->share : "share/smsched", to, &page->errors);
    if (sms__json_write(json_incref(page->data), to, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) == 0)
        return SMS_OK;
    return sms__fail(&page->errors, SMS_EIO, cli->out, "cannot be written: %s", strerror(errno));
}

static int write_file(const struct cli *cli, struct sms__page *page)
{
    struct sms__write write = {0};
    int code = sms__write_begin(&write, cli->out, &page->errors);
    if (code)
        return code;
    code = print(cli, page, write.to);
    if (code == SMS_OK)
        code = sms__write_end(&write, &page->errors);
    if (code == SMS_OK && !cli->quiet) {
        sms__print_visible(stdout, cli->out);
        putchar('\n');
    }
    sms__write_abandon(&write);
    return code;
}

/* What the page says how it was made by: where it was written to does not matter. */
static void describe(const struct cli *cli, char *command, size_t size)
{
    snprintf(command, size, "smsched report %s --point %s%s%s%s%s", cli->args[0], cli->point,
             cli->plan ? " --plan " : "", cli->plan ? cli->plan : "", cli->models ? " --models " : "",
             cli->models ? cli->models : "");
}

static int read_point(const struct cli *cli, uint64_t *point)
{
    size_t digits = strspn(cli->point, "0123456789");
    if (digits == 0 || digits > 18 || cli->point[digits])
        return cli_usage(cli, "--point: '%s' is not the number of a point", cli->point);
    *point = strtoull(cli->point, NULL, 10);
    return EXIT_OK;
}

static int make_page(struct cli *cli, struct sms__page *page)
{
    int code = sms__page_gather(page);
    if (code == SMS_OK)
        code = strcmp(cli->out, "-") ? write_file(cli, page) : print(cli, page, stdout);
    sms_errors_print(&page->errors, stderr);
    sms__page_release(page);
    return cli_exit_code(code);
}

/* With a point simulated again: what it leaves on the disk is gone in any case. */
static int make_page_again(struct cli *cli, struct sms__page *page)
{
    char command[8192];
    struct again again = {.cli = cli};
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

int cmd_report(struct cli *cli)
{
    struct sms__page page = {.source = cli->args[0], .metric = cli->metric, .cancel = &cli_interrupted};
    if (cli->n_args != 1)
        return cli_usage(cli, "name one results folder or one database of a sweep");
    if (!cli->point && (cli->plan || cli->models))
        return cli_usage(cli, "--%s is for --point", cli->plan ? "plan" : "models");
    if (cli->format != FORMAT_TABLE && cli->format != FORMAT_JSON)
        return cli_usage(cli, "--format: the page is HTML; json prints what it is made of");
    if (!cli->out)
        cli->out = cli->format == FORMAT_JSON ? "-" : "report.html";
    return cli->point ? make_page_again(cli, &page) : make_page(cli, &page);
}
