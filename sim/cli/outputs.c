/* Refuses outputs that would replace what the command reads, or a file of another kind. */
#include "cli.h"

#include "../base/buffer.h"
#include "../report/folder.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* Where a path leads: to a file or folder, or to a new name in a folder. */
struct place {
    dev_t device;
    ino_t inode;
    char name[SMS__TARGET_BYTES]; /* "" if something has it */
};

static bool is_same(const struct place *a, const struct place *b)
{
    return a->device == b->device && a->inode == b->inode && !strcmp(a->name, b->name);
}

static bool put_place(const struct stat *st, struct place *place)
{
    *place = (struct place){.device = st->st_dev, .inode = st->st_ino};
    return S_ISREG(st->st_mode) || S_ISDIR(st->st_mode);
}

static bool find_folder(const char *path, struct place *place)
{
    char folder[SMS__PATH_BYTES];
    struct stat st;
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s.", slash ? (int)(slash + 1 - path) : 0, path);
    return stat(folder, &st) == 0 && put_place(&st, place);
}

/* False if the path leads nowhere, or to a pipe or device. */
static bool find_output(const char *path, struct place *place)
{
    char target[SMS__TARGET_BYTES];
    struct stat st;
    if (!sms__target_of(path, target))
        return false;
    if (stat(target, &st) == 0)
        return put_place(&st, place);
    if (!find_folder(target, place))
        return false;
    const char *slash = strrchr(target, '/');
    strcpy(place->name, slash ? slash + 1 : target);
    return true;
}

static bool find_input(const char *path, struct place *place)
{
    struct stat st;
    return (strcmp(path, "-") ? stat(path, &st) : fstat(STDIN_FILENO, &st)) == 0 && put_place(&st, place);
}

/* An output folder replaces also its files that its manifest lists. */
static bool replaces(const struct cli_output *output, const char *input)
{
    struct place to, from;
    if (!find_output(output->path, &to) || !find_input(input, &from))
        return false;
    return is_same(&to, &from) ||
           (output->is_folder && find_folder(input, &from) && is_same(&to, &from) && sms__folder_lists(input));
}

bool cli_is_same_file(const char *one, const char *other)
{
    struct place a, b;
    return !strcmp(one, other) || (find_input(one, &a) && find_input(other, &b) && is_same(&a, &b));
}

int cli_check_input(const struct cli *cli, const char *path)
{
    for (size_t i = 0; i < cli->n_outputs; i++)
        if (replaces(&cli->output[i], path))
            return cli_usage(cli, "--%s: '%s' is what this command reads; name another %s", cli->output[i].option,
                             cli->output[i].path, cli->output[i].is_folder ? "folder" : "file");
    return EXIT_OK;
}

int cli_check_file(const char *path, const char *what)
{
    char manifest[2][SMS__PATH_BYTES];
    struct stat st;
    if (stat(path, &st) || !S_ISDIR(st.st_mode))
        return EXIT_OK;
    snprintf(manifest[0], SMS__PATH_BYTES, "%s/manifest.json", path);
    snprintf(manifest[1], SMS__PATH_BYTES, "%s/results/manifest.json", path);
    if (sms__folder_lists(manifest[0]) || sms__folder_lists(manifest[1]))
        return cli_fail(EXIT_INPUT, path, "is a folder; name %s; 'smsched report %s' shows the results in it", what,
                        path);
    return cli_fail(EXIT_INPUT, path, "is a folder; name %s", what);
}

/* An argument may be a folder of results or of a sweep. */
static int check_arguments(const struct cli *cli)
{
    char results[SMS__PATH_BYTES];
    int code = EXIT_OK;
    for (size_t i = cli->command->verb && cli->n_args > 1 ? 1 : 0; i < cli->n_args && code == EXIT_OK; i++) {
        snprintf(results, sizeof results, "%s/results", cli->args[i]);
        code = cli_check_input(cli, cli->args[i]);
        if (code == EXIT_OK)
            code = cli_check_input(cli, results);
    }
    return code;
}

/* Whether the path leads to a file that does not begin as those of the format do, as far as it can be read. An empty
 * file has no kind. */
static bool is_another_kind(const char *path, const struct cli_format *format)
{
    char head[256] = "";
    struct stat st;
    bool other = lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
    const gzFile file = other ? gzopen(path, "rbe") : NULL;
    if (file)
        gzread(file, head, sizeof head - 1);
    for (size_t i = 0; format->start[i]; i++)
        other &= strncmp(head, format->start[i], strlen(format->start[i])) != 0;
    if (file)
        gzclose(file);
    return other;
}

static int check_output(struct cli *cli, size_t n)
{
    const struct cli_output *output = &cli->output[n];
    struct place place, other;
    if (!output->is_folder && sms__folder_lists(output->path))
        return cli_usage(cli, "--%s: '%s' is one of the results in its folder; name another file", output->option,
                         output->path);
    const bool *force = cli_value(cli, "force");
    if (output->format && !(force && *force) && is_another_kind(output->path, output->format))
        return cli_usage(cli, "--%s: '%s' exists and is not %s; name another file, or replace it with --force",
                         output->option, output->path, output->format->name);
    for (size_t i = 0; i < n; i++)
        if (find_output(output->path, &place) && find_output(cli->output[i].path, &other) && is_same(&place, &other))
            return cli_usage(cli, "--%s and --%s both name '%s'", cli->output[i].option, output->option, output->path);
    return EXIT_OK;
}

static void add_output(struct cli *cli, const struct cli_option *option)
{
    const char *const *path = cli_value(cli, option->name);
    if (*path && strcmp(*path, "-") != 0 && cli->n_outputs < CLI_OUTPUTS_MAX)
        cli->output[cli->n_outputs++] =
            (struct cli_output){option->name, *path, option->file == CLI_OUTPUT_FOLDER, option->format};
}

/* --force of a command that writes to stdout unless an option names a file. */
static int check_force(struct cli *cli, const struct cli_entry *entry, size_t count)
{
    const bool *force = cli_value(cli, "force");
    char names[64] = "";
    for (size_t i = 0; i < count; i++)
        if (entry[i].option->file >= CLI_OUTPUT)
            sms__append(names, sizeof names, "%s--%s", *names ? " and " : "", entry[i].option->name);
    return cli->n_outputs || !force || !*force ? EXIT_OK : cli_usage(cli, "--force is for %s", names);
}

int cli_check_outputs(struct cli *cli)
{
    struct cli_entry entry[CLI_OPTIONS_MAX + 1];
    const size_t count = cli_list_options(cli->command, entry);
    for (size_t i = 0; i < count; i++)
        if (entry[i].option->file >= CLI_OUTPUT)
            add_output(cli, entry[i].option);
    int code = check_force(cli, entry, count);
    code = code ? code : check_arguments(cli);
    for (size_t i = 0; i < count && code == EXIT_OK; i++) {
        const char *const *input = entry[i].option->file == CLI_INPUT ? cli_value(cli, entry[i].option->name) : NULL;
        code = input && *input ? cli_check_input(cli, *input) : EXIT_OK;
    }
    for (size_t i = 0; i < cli->n_outputs && code == EXIT_OK; i++)
        code = check_output(cli, i);
    return code;
}
