#include "cli.h"

#include <string.h>

static const char *const exit_codes[] = {"0 all is well",
                                         "1 an expectation or a baseline was missed",
                                         "2 usage",
                                         "3 bad input: nothing was written",
                                         "4 a file could not be read or written",
                                         "70 a bug",
                                         "130 interrupted",
                                         NULL};

static bool takes(const struct cli_command *command, const struct cli_option *option)
{
    return strchr(command->options, option->letter) || option->letter == 'h';
}

void cli_print_usage(FILE *to)
{
    fprintf(to, "smsched simulates how GPUs are shared.\n\nusage: smsched COMMAND [OPTION]... [ARGUMENT]...\n\n");
    for (const struct cli_command *command = cli_commands; command->name; command++)
        fprintf(to, "  %-9s %-12s %s\n", command->name, command->args, command->summary);
    fprintf(to, "\n'smsched COMMAND --help' tells more; 'smsched --version' the version.\n");
}

static void print_option(const struct cli_option *option, FILE *to)
{
    char left[64];
    snprintf(left, sizeof left, "--%s%s%s", option->name, option->value ? " " : "", option->value ? option->value : "");
    fprintf(to, "  %-20s %s\n", left, option->help);
}

void cli_print_help(const struct cli_command *command, FILE *to)
{
    fprintf(to, "usage: smsched %s [OPTION]... %s\n\n%s%s\n", command->name, command->args, command->summary,
            command->text[0] ? "." : "");
    if (command->text[0])
        fprintf(to, "%s\n", command->text);
    fprintf(to, "\n");
    for (const struct cli_option *option = cli_options; option->name; option++)
        if (takes(command, option))
            print_option(option, to);
    fprintf(to, "\nexit codes:\n");
    for (int i = 0; exit_codes[i]; i++)
        fprintf(to, "  %s\n", exit_codes[i]);
}

/* roff takes a leading point or quote for a request, and '-' for a hyphen. */
static void print_roff(const char *text, FILE *to)
{
    for (; *text; text++) {
        if (*text == '-' || *text == '\\')
            fputc('\\', to);
        fputc(*text, to);
    }
}

void cli_print_man(FILE *to)
{
    fprintf(to,
            ".TH SMSCHED 1 \"\" \"smsched %s\" \"User Commands\"\n.SH NAME\nsmsched \\- simulates how GPUs are "
            "shared\n.SH SYNOPSIS\n.B smsched\n.I COMMAND\n[\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...\n.SH COMMANDS\n",
            SMSCHED_VERSION);
    for (const struct cli_command *command = cli_commands; command->name; command++) {
        fprintf(to, ".SS \"smsched %s %s\"\n", command->name, command->args);
        print_roff(command->summary, to);
        fprintf(to, ".\n");
        print_roff(command->text, to);
        fprintf(to, "%s.RS\n", command->text[0] ? "\n" : "");
        for (const struct cli_option *option = cli_options; option->name; option++) {
            if (!takes(command, option) || option->letter == 'h')
                continue;
            fprintf(to, ".TP\n\\fB\\-\\-%s\\fR %s\n", option->name, option->value ? option->value : "");
            print_roff(option->help, to);
            fputc('\n', to);
        }
        fprintf(to, ".RE\n");
    }
    fprintf(to, ".SH EXIT STATUS\n");
    for (int i = 0; exit_codes[i]; i++)
        fprintf(to, "%s\n.br\n", exit_codes[i]);
}

void cli_print_completion(FILE *to)
{
    fprintf(to, "# bash completion for smsched; written by 'smsched help completion'\n_smsched()\n{\n"
                "    local word=${COMP_WORDS[COMP_CWORD]} words=\n    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                "        words='");
    for (const struct cli_command *command = cli_commands; command->name; command++)
        fprintf(to, "%s%s", command == cli_commands ? "" : " ", command->name);
    fprintf(to, " --help --version'\n    else\n        case ${COMP_WORDS[1]} in\n");
    for (const struct cli_command *command = cli_commands; command->name; command++) {
        fprintf(to, "        %s) words='", command->name);
        for (const struct cli_option *option = cli_options; option->name; option++)
            if (takes(command, option))
                fprintf(to, "--%s ", option->name);
        fprintf(to, "%s' ;;\n",
                strcmp(command->name, "list") ? "" : "devices workloads policies contention metrics fields schema");
    }
    fprintf(to, "        esac\n    fi\n    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n}\n"
                "complete -o default -F _smsched smsched\n");
}

int cmd_help(struct cli *cli)
{
    if (cli->n_args && !strcmp(cli->args[0], "man")) {
        cli_print_man(stdout);
        return EXIT_OK;
    }
    if (cli->n_args && !strcmp(cli->args[0], "completion")) {
        cli_print_completion(stdout);
        return EXIT_OK;
    }
    for (const struct cli_command *command = cli_commands; cli->n_args && command->name; command++)
        if (!strcmp(command->name, cli->args[0])) {
            cli_print_help(command, stdout);
            return EXIT_OK;
        }
    if (cli->n_args)
        return cli_usage(cli, "unknown command '%s'", cli->args[0]);
    cli_print_usage(stdout);
    return EXIT_OK;
}
