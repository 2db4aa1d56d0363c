#include "cli.h"

#include "../base/buffer.h"
#include "../import/import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { INFLATE_MOST = 100 }; /* as far as `until` of a scenario goes */

static const char *importer_name(const void *user, size_t i) { return ((const struct sms__importer *)user)[i].name; }

static const struct sms__importer *find_importer(const struct cli *cli, int *code)
{
    char list[200] = "";
    size_t count = 0;
    for (; sms__importers[count].name; count++) {
        if (!strcmp(sms__importers[count].name, cli->args[0]))
            return &sms__importers[count];
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", sms__importers[count].name);
    }
    const char *near = sms__nearest(cli->args[0], count, importer_name, sms__importers);
    if (near)
        *code = cli_usage(cli, "unknown format '%s'; did you mean '%s'?", cli->args[0], near);
    else
        *code = cli_usage(cli, "unknown format '%s'; known: %s", cli->args[0], list);
    return NULL;
}

static int write_file(const char *path, const char *text, size_t size, struct sms_errors *errors)
{
    struct sms__write write = {0};
    int code = sms__write_begin(&write, path, errors);
    if (code)
        return code;
    fwrite(text, 1, size, write.to); /* whether all went out, the end tells */
    return sms__write_end(&write, errors);
}

/* Imports into memory: nothing is written unless all of it is right. */
static int import(const struct cli *cli, const struct sms__importer *importer, struct sms_errors *errors)
{
    const struct sms_load_options load = session_options(cli);
    const struct sms__import_options options = {.sane = cli->sane,
                                                .fixed = cli->fixed,
                                                .dump = cli->dump,
                                                .profiled = cli->profiled,
                                                .device = cli->device,
                                                .name = cli->name,
                                                .title = cli->title,
                                                .source = cli->source,
                                                .iteration = cli->iteration,
                                                .inflate = cli->inflate,
                                                .load = &load};
    const char *const *paths = (const char *const *)(cli->args + 1);
    struct sms__buffer text = {0};
    FILE *to = sms__buffer_open(&text);
    if (!to)
        return sms__fail(errors, SMS_ENOMEM, cli->args[1], "no memory");
    int code = sms__import(importer, paths, cli->n_args - 1, &options, to, errors);
    if (!sms__buffer_close(&text, to) && code == SMS_OK)
        code = sms__fail(errors, SMS_ENOMEM, cli->args[1], "no memory");
    if (code == SMS_OK && !cli->dump)
        code = sms__import_check(cli->n_args == 2 ? cli->args[1] : NULL, text.bytes, text.length, &options, errors);
    if (code == SMS_OK && cli->out)
        code = write_file(cli->out, text.bytes, text.length, errors);
    else if (code == SMS_OK)
        fwrite(text.bytes, 1, text.length, stdout); /* whether all went out, cli_finish tells */
    free(text.bytes);
    return code;
}

int cmd_import(struct cli *cli)
{
    struct sms_errors errors = {0};
    int code = EXIT_USAGE;
    if (cli->n_args == 0)
        return cli_usage(cli, "name a format and a file");
    const struct sms__importer *importer = find_importer(cli, &code);
    if (!importer)
        return code;
    if (importer->files == 0 && cli->n_args < 2)
        return cli_usage(cli, "name the files to import");
    if (importer->files == 1 && cli->n_args != 2)
        return cli_usage(cli, "name one file to import");
    if (importer->files == 2 && cli->n_args != 3)
        return cli_usage(cli, "name two files to import: nodes and pods");
    if (cli->dump && importer->files)
        return cli_usage(cli, "--dump is for profiles");
    if (cli->inflate > INFLATE_MOST)
        return cli_usage(cli, "--inflate is a share of all GPUs, as '130 %%', of at most %d %%", 100 * INFLATE_MOST);
    code = import(cli, importer, &errors);
    sms_errors_print(&errors, stderr);
    return cli_exit_code(code);
}
