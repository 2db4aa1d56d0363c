/* `smsched new`: writes a plug-in to begin with, from the templates that are installed beside the program. */
#include "cli.h"

#include "../base/arena.h"
#include "../base/buffer.h"
#include "../base/read.h"
#include "../model/policy/registry.h"
#include "../yaml/fields.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4400, TEMPLATE_BYTES_MAX = 1 << 20 };

static const char *const kinds[] = {"policy", "share", "mode", "place", "queue", "contention", NULL};
static const enum sms__known_kind registered[] = {SMS__BLOCK, SMS__SHARE, SMS__MODE,
                                                  SMS__PLACE, SMS__QUEUE, SMS__CONTENTION};

/* The file of each template below share/smsched/new, and what it becomes in the folder; '@' stands for the kind, and
 * for the name. */
static const struct {
    const char *from, *to;
} files[] = {{"@.c", "@.c"}, {"@.yaml", "scenario.yaml"}, {"Makefile", "Makefile"}, {"test", "test"}};

enum { FILES = sizeof files / sizeof *files };

struct writing {
    const struct cli *cli;
    const char *kind, *name, *program;
    struct sms__arena arena;
};

static void put_path(char out[PATH_BYTES], const char *folder, const char *pattern, const char *word)
{
    const bool is_named = pattern[0] == '@';
    snprintf(out, PATH_BYTES, "%s/%s%s", folder, is_named ? word : "", pattern + is_named);
}

/* Adds the template with the name and the program in the place of NAME@ and PROGRAM@. */
static void fill_in(struct sms__buffer *text, const struct writing *writing, const char *from)
{
    const struct {
        const char *mark, *value;
    } words[] = {{"@NAME@", writing->name}, {"@PROGRAM@", writing->program}};
    while (*from) {
        size_t w = 0, skip = strcspn(from + 1, "@") + 1;
        while (w < 2 && strncmp(from, words[w].mark, strlen(words[w].mark)) != 0)
            w++;
        if (w < 2)
            sms__buffer_add(text, words[w].value, strlen(words[w].value));
        else
            sms__buffer_add(text, from, skip);
        from += w < 2 ? strlen(words[w].mark) : skip;
    }
}

static int write_file(const struct sms__buffer *text, const char *path)
{
    FILE *to = text->failed ? NULL : fopen(path, "wx");
    if (text->failed)
        return cli_no_memory();
    bool whole = to && fwrite(text->bytes, 1, text->length, to) == text->length;
    whole = to && fclose(to) == 0 && whole;
    return whole ? EXIT_OK : cli_fail(EXIT_IO, path, "cannot be written: %s", strerror(errno));
}

static int write_one(struct writing *writing, size_t which)
{
    char templates[PATH_BYTES - 200], from[PATH_BYTES], to[PATH_BYTES];
    struct sms_errors errors = {0};
    struct sms__buffer text = {0};
    const char *given;
    snprintf(templates, sizeof templates, "%s/new", writing->cli->share);
    put_path(from, templates, files[which].from, writing->kind);
    put_path(to, writing->name, files[which].to, writing->name);
    int code = sms__file_text(&writing->arena, from, &given, &errors);
    if (code)
        return cli_print_errors(code, &errors);
    fill_in(&text, writing, given);
    code = write_file(&text, to);
    free(text.bytes);
    return code;
}

/* Prints the files of the folder, or removes them and the folder, which was made for them. */
static void conclude(const struct writing *writing, int code)
{
    char path[PATH_BYTES];
    for (size_t i = 0; i < FILES; i++) {
        put_path(path, writing->name, files[i].to, writing->name);
        if (code)
            unlink(path);
        else if (!writing->cli->quiet)
            printf("%s\n", path);
    }
    if (code)
        rmdir(writing->name);
}

/* A name is a C identifier, too. */
static bool is_identifier(const char *name)
{
    bool right = islower((unsigned char)name[0]) && strlen(name) <= SMS__NAME_MAX / 2;
    for (; *name && right; name++)
        right = islower((unsigned char)*name) || isdigit((unsigned char)*name) || *name == '_';
    return right;
}

static int check_args(const struct cli *cli, const char **kind)
{
    size_t k = 0;
    if (cli->n_args != 2)
        return cli_usage(cli, "name a kind and a name, as in 'new policy most_threads'");
    while (kinds[k] && strcmp(kinds[k], cli->args[0]) != 0)
        k++;
    const char *near = kinds[k] ? NULL : sms__nearest(cli->args[0], k, sms__text_at, kinds);
    if (!kinds[k])
        return cli_usage(cli, "there is no kind '%s'%s", cli->args[0],
                         near ? sms__did_you_mean(near).text
                              : "; kinds are policy, share, mode, place, queue, contention");
    if (!is_identifier(cli->args[1]))
        return cli_usage(
            cli, "'%s' cannot be a name: it is of a-z, 0-9 and _, begins with a letter, and has at most %d characters",
            cli->args[1], SMS__NAME_MAX / 2);
    if (sms__find_known(NULL, registered[k], cli->args[1]).name)
        return cli_usage(cli, "smsched has a %s '%s'; a plug-in of that name would not load", cli->args[0],
                         cli->args[1]);
    if (!cli->share)
        return cli_fail(EXIT_IO, NULL, "the templates, share/smsched/new beside bin/, are not installed");
    *kind = kinds[k];
    return EXIT_OK;
}

static int new_plugin(struct cli *cli)
{
    char program[PATH_BYTES];
    struct writing writing = {.cli = cli, .program = program};
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    int code = check_args(cli, &writing.kind);
    if (code)
        return code;
    writing.name = cli->args[1];
    if (mkdir(writing.name, 0777) != 0)
        return cli_fail(EXIT_IO, writing.name, "the folder cannot be made: %s", strerror(errno));
    for (size_t i = 0; i < FILES && code == EXIT_OK; i++)
        code = write_one(&writing, i);
    conclude(&writing, code);
    sms__arena_release(&writing.arena);
    return code;
}

const struct cli_command cmd_new = {
    .name = "new",
    .args = "KIND NAME",
    .summary = "write a starter plug-in for your own policy, mode or model",
    .text = "Makes a folder NAME with a policy, a scenario that uses it, a Makefile and a test. KIND is policy (a "
            "block policy), share, mode, place, queue or contention. In that folder 'make' builds the plug-in, and "
            "'make test' checks its promises (docs/how-to/plugins.md).",
    .words = "policy share mode place queue contention",
    .examples = "smsched new policy most_threads && make -C most_threads test\n"
                "smsched new contention mine\n",
    .common = CLI_QUIET,
    .texts = {{"quiet", "do not print the names of the files"}},
    .verb = true,
    .run = new_plugin};
