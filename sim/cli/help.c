/* Help, man page and shell completion, printed from the tables of the commands; and the command `help`. */
#include "cli.h"

#include "../base/escape.h"

#include <string.h>

static const char *const exit_codes[] = {
    "0 success",
    "1 an expectation or a baseline was missed, or points of a sweep failed or are missing",
    "2 wrong usage",
    "3 bad input, or an input that is not there: nothing was written",
    "4 a file could not be read or written, or memory or a limit was exceeded",
    "70 a bug",
    "130 interrupted",
    NULL};

void cli_print_usage(const struct cli_command *const *commands, FILE *to)
{
    fprintf(to, "smsched simulates how GPUs are shared.\n\nusage: smsched COMMAND [OPTION]... [ARGUMENT]...\n\n");
    for (; *commands; commands++)
        fprintf(to, "  %-9s %-20s %s\n", (*commands)->name, (*commands)->args, (*commands)->summary);
    fprintf(to, "\n'smsched COMMAND --help' prints more about a command, 'smsched --version' the version.\n");
}

static void print_option(const struct cli_entry *entry, FILE *to)
{
    const struct cli_option *option = entry->option;
    const char letter[] = {'-', option->letter, ',', ' ', '\0'};
    char left[64];
    snprintf(left, sizeof left, "%s--%s%s%s", option->letter ? letter : "", option->name, option->value ? " " : "",
             option->value ? option->value : "");
    const bool apart = strlen(left) > 20; /* its help then begins below it */
    fprintf(to, "  %-20s%s%s\n", left, apart ? "\n                       " : " ", entry->help);
}

/* Each line is an example. */
static void print_examples(const char *examples, const char *before, FILE *to)
{
    for (const char *line = examples; *line; line += strcspn(line, "\n") + 1)
        fprintf(to, "%s%.*s\n", before, (int)strcspn(line, "\n"), line);
}

static void print_formats(const struct cli_command *command, FILE *to)
{
    fprintf(to, "formats:\n");
    for (size_t i = 0; command->format(i).option; i++)
        fprintf(to, "  %-20s %s\n", command->format(i).option, command->format(i).help);
    fprintf(to, "\noptions:\n");
}

void cli_print_help(const struct cli_command *command, FILE *to)
{
    struct cli_entry entry[CLI_OPTIONS_MAX + 1];
    cli_list_options(command, entry);
    fprintf(to, "usage: smsched %s [OPTION]... %s\n\n%s%s\n", command->name, command->args, command->summary,
            command->text[0] ? "." : "");
    if (command->text[0])
        fprintf(to, "%s\n", command->text);
    fprintf(to, "\n");
    if (command->format)
        print_formats(command, to);
    for (size_t i = 0; entry[i].option; i++)
        print_option(&entry[i], to);
    if (command->examples) {
        fprintf(to, "\nexamples:\n");
        print_examples(command->examples, "  ", to);
    }
    fprintf(to, "\nexit codes:\n");
    for (int i = 0; exit_codes[i]; i++)
        fprintf(to, "  %s\n", exit_codes[i]);
}

/* Escapes '-', which roff takes for a hyphen, '\', and a point or a quote that begins a line, which is a request. */
static void print_roff(const char *text, FILE *to)
{
    for (const char *first = text; *text; text++) {
        if ((*text == '.' || *text == '\'') && (text == first || text[-1] == '\n'))
            fputs("\\&", to);
        if (*text == '-' || *text == '\\')
            fputc('\\', to);
        fputc(*text, to);
    }
}

static void print_man_formats(const struct cli_command *command, FILE *to)
{
    fprintf(to, "Formats:\n");
    for (size_t i = 0; command->format(i).option; i++) {
        fprintf(to, ".TP\n\\fB%s\\fR\n", command->format(i).option);
        print_roff(command->format(i).help, to);
        fputc('\n', to);
    }
    fprintf(to, ".PP\nOptions:\n");
}

static void print_man_command(const struct cli_command *command, FILE *to)
{
    struct cli_entry entry[CLI_OPTIONS_MAX + 1];
    cli_list_options(command, entry);
    fprintf(to, ".SS \"smsched %s %s\"\n", command->name, command->args);
    print_roff(command->summary, to);
    fprintf(to, ".\n");
    print_roff(command->text, to);
    fprintf(to, "%s.RS\n", command->text[0] ? "\n" : "");
    if (command->format)
        print_man_formats(command, to);
    for (size_t i = 0; entry[i].option && entry[i + 1].option; i++) { /* all but --help, which is last */
        const struct cli_option *option = entry[i].option;
        fprintf(to, ".TP\n");
        if (option->letter)
            fprintf(to, "\\fB\\-%c\\fR, ", option->letter);
        fprintf(to, "\\fB\\-\\-%s\\fR %s\n", option->name, option->value ? option->value : "");
        print_roff(entry[i].help, to);
        fputc('\n', to);
    }
    if (command->examples) {
        fprintf(to, ".PP\nExamples:\n.nf\n");
        print_roff(command->examples, to);
        fprintf(to, ".fi\n");
    }
    fprintf(to, ".RE\n");
}

static void print_man(const struct cli_command *const *commands, FILE *to)
{
    fprintf(to,
            ".TH SMSCHED 1 \"\" \"smsched %s\" \"User Commands\"\n.SH NAME\nsmsched \\- simulates how GPUs are "
            "shared\n.SH SYNOPSIS\n.B smsched\n.I COMMAND\n[\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...\n.SH COMMANDS\n"
            "\\fB\\-h\\fR or \\fB\\-\\-help\\fR prints the help of a command and exits.\n",
            SMSCHED_VERSION);
    for (; *commands; commands++)
        print_man_command(*commands, to);
    fprintf(to, ".SH EXIT STATUS\n");
    for (int i = 0; exit_codes[i]; i++)
        fprintf(to, "%s\n.br\n", exit_codes[i]);
}

static const char *command_name(const void *user, size_t i)
{
    return ((const struct cli_command *const *)user)[i]->name;
}

const struct cli_command *cli_find(const struct cli_command *const *commands, const char *name)
{
    size_t count = 0;
    for (; commands[count]; count++)
        if (!strcmp(commands[count]->name, name))
            return commands[count];
    const char *near = sms__nearest(name, count, command_name, commands);
    fputs("smsched: unknown command '", stderr);
    sms__print_visible(stderr, name);
    fprintf(stderr, "'%s%s 'smsched help'\n", sms__did_you_mean(near).text, near ? " See" : "; see");
    return NULL;
}

static int help(struct cli *cli)
{
    const char *topic = cli->n_args ? cli->args[0] : NULL;
    const bool completion = topic && !strcmp(topic, "completion");
    if (completion && cli->n_args > 1)
        return cli_usage(cli, "completion is for bash; zsh can use it after 'autoload -U bashcompinit && "
                              "bashcompinit', and fish makes its own from the man page");
    if (cli->n_args > 1)
        return cli_usage(cli, "unexpected argument '%s': name one command", cli->args[1]);
    if (!topic)
        cli_print_usage(cli->commands, stdout);
    else if (!strcmp(topic, "man"))
        print_man(cli->commands, stdout);
    else if (completion)
        cli_print_completion(cli->commands, stdout);
    else {
        const struct cli_command *command = cli_find(cli->commands, topic);
        if (!command)
            return EXIT_USAGE;
        cli_print_help(command, stdout);
    }
    return EXIT_OK;
}

const struct cli_command cmd_help = {
    .name = "help",
    .args = "[COMMAND]",
    .summary = "print help, a man page or completion for bash",
    .text = "",
    .words = "man completion",
    .examples = "smsched help run\n"
                "smsched help man >smsched.1\n"
                "source <(smsched help completion)   # zsh: autoload -U bashcompinit && bashcompinit, before\n",
    .run = help};
