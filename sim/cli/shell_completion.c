/* Completion of commands, options and their values for bash, zsh and fish, from the tables of the commands. */
#include "cli.h"

#include "../model/policy/registry.h"

#include <string.h>

/* The words that an option takes, each followed by a blank; nothing if they are not known. */
static void put_values(const struct cli_option *option, FILE *to)
{
    const struct sms_block_policy *block;
    const struct sms_share_policy *share;
    const struct sms_place_policy *place;
    for (size_t i = 0; option->choices && option->choices[i]; i++)
        fprintf(to, "%s ", option->choices[i]);
    if (!option->value || strcmp(option->value, "POLICY") != 0)
        return;
    for (size_t i = 0; (block = sms__policy_at(NULL, i)); i++)
        fprintf(to, "%s ", block->name);
    for (size_t i = 0; (share = sms__share_at(NULL, i)); i++)
        fprintf(to, "%s ", share->name);
    for (size_t i = 0; (place = sms__place_at(NULL, i)); i++)
        fprintf(to, "%s ", place->name);
}

enum values { NO_VALUE, WORDS, FOLDERS, ANYTHING, FILES };

static enum values values_of(const struct cli_option *option)
{
    if (!option->value)
        return NO_VALUE;
    if (option->choices || !strcmp(option->value, "POLICY"))
        return WORDS;
    return !strcmp(option->value, "DIR") ? FOLDERS : !strcmp(option->value, "FILE") ? FILES : ANYTHING;
}

/* Prints text with a backslash before some characters, and as single quotes are written within single quotes. */
static void put_quoted(const char *text, const char *special, FILE *to)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", to);
        else
            fprintf(to, "%s%c", strchr(special, *text) ? "\\" : "", *text);
    }
}

/* ---- bash ---- */

static void put_bash_option(const struct cli_option *option, FILE *to)
{
    static const char *const found[] = {[FOLDERS] = "-d", [ANYTHING] = "-W ''", [FILES] = "-f"};
    enum values values = values_of(option);
    if (values == NO_VALUE)
        return;
    fprintf(to, "            --%s) ", option->name);
    if (values == WORDS) {
        fputs("found=(-W '", to);
        put_values(option, to);
        fputs("') ;;\n", to);
    } else
        fprintf(to, "found=(%s) ;;\n", found[values]);
}

static void put_bash(const struct cli_command *const *commands, FILE *to)
{
    fprintf(to, "# bash completion for smsched; written by 'smsched help completion bash'\n_smsched()\n{\n"
                "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} found=()\n"
                "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        found=(-W '");
    for (size_t i = 0; commands[i]; i++)
        fprintf(to, "%s ", commands[i]->name);
    fprintf(to, "--help --version')\n    else\n        case ${COMP_WORDS[1]} in\n");
    for (; *commands; commands++) {
        struct cli_entry entry[CLI_OPTIONS_MAX + 1];
        cli_list_options(*commands, entry);
        fprintf(to, "        %s)\n            found=(-W '", (*commands)->name);
        for (size_t i = 0; entry[i].option; i++)
            fprintf(to, "--%s ", entry[i].option->name);
        fprintf(to, "%s')\n            case $before in\n", (*commands)->words ? (*commands)->words : "");
        for (size_t i = 0; entry[i].option; i++)
            put_bash_option(entry[i].option, to);
        fprintf(to, "            esac ;;\n");
    }
    fprintf(to, "        esac\n    fi\n    mapfile -t COMPREPLY < <(compgen \"${found[@]}\" -- \"$word\")\n}\n"
                "complete -o default -F _smsched smsched\n");
}

/* ---- zsh ---- */

static void put_zsh_option(const struct cli_entry *entry, FILE *to)
{
    const struct cli_option *option = entry->option;
    static const char *const actions[] = {[FOLDERS] = "_files -/", [ANYTHING] = " ", [FILES] = "_files"};
    enum values values = values_of(option);
    fprintf(to, " \\\n            '%s--%s[", option->kind == CLI_LIST ? "*" : "", option->name);
    put_quoted(entry->help, "[]\\", to);
    fputc(']', to);
    if (values == WORDS) {
        fprintf(to, ":%s:(", option->value);
        put_values(option, to);
        fputc(')', to);
    } else if (values != NO_VALUE)
        fprintf(to, ":%s:%s", option->value, actions[values]);
    fputc('\'', to);
}

static void put_zsh(const struct cli_command *const *commands, FILE *to)
{
    fprintf(to, "#compdef smsched\n# zsh completion for smsched; written by 'smsched help completion zsh'\n"
                "_smsched()\n{\n    local -a commands=(");
    for (size_t i = 0; commands[i]; i++) {
        fprintf(to, "\n        '%s:", commands[i]->name);
        put_quoted(commands[i]->summary, ":\\", to);
        fputc('\'', to);
    }
    fprintf(to, ")\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n"
                "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $command in\n");
    for (; *commands; commands++) {
        struct cli_entry entry[CLI_OPTIONS_MAX + 1];
        cli_list_options(*commands, entry);
        fprintf(to, "        %s) _arguments", (*commands)->name);
        for (size_t i = 0; entry[i].option; i++)
            put_zsh_option(&entry[i], to);
        if ((*commands)->words)
            fprintf(to, " \\\n            '1:what:(%s)' '*:file:_files' ;;\n", (*commands)->words);
        else
            fprintf(to, " \\\n            '*:file:_files' ;;\n");
    }
    fprintf(to, "    esac\n}\nif [ \"$funcstack[1]\" = _smsched ]; then\n    _smsched \"$@\"\nelse\n"
                "    compdef _smsched smsched\nfi\n");
}

/* ---- fish ---- */

static void put_fish_option(const char *command, const struct cli_entry *entry, FILE *to)
{
    const struct cli_option *option = entry->option;
    enum values values = values_of(option);
    fprintf(to, "complete -c smsched -n '__fish_seen_subcommand_from %s' -l %s", command, option->name);
    if (option->letter)
        fprintf(to, " -s %c", option->letter);
    if (values == WORDS) {
        fputs(" -x -a '", to);
        put_values(option, to);
        fputc('\'', to);
    } else if (values != NO_VALUE)
        fputs(values == FILES ? " -r -F" : values == FOLDERS ? " -x -a '(__fish_complete_directories)'" : " -x", to);
    fputs(" -d '", to);
    for (const char *c = entry->help; *c; c++)
        fprintf(to, "%s%c", *c == '\'' || *c == '\\' ? "\\" : "", *c);
    fputs("'\n", to);
}

static void put_fish(const struct cli_command *const *commands, FILE *to)
{
    fprintf(to, "# fish completion for smsched; written by 'smsched help completion fish'\n");
    for (size_t c = 0; commands[c]; c++)
        fprintf(to, "complete -c smsched -n __fish_use_subcommand -f -a %s -d \"%s\"\n", commands[c]->name,
                commands[c]->summary);
    for (; *commands; commands++) {
        struct cli_entry entry[CLI_OPTIONS_MAX + 1];
        cli_list_options(*commands, entry);
        for (size_t i = 0; entry[i].option; i++)
            put_fish_option((*commands)->name, &entry[i], to);
        if ((*commands)->words)
            fprintf(to, "complete -c smsched -n '__fish_seen_subcommand_from %s' -a '%s'\n", (*commands)->name,
                    (*commands)->words);
    }
}

bool cli_print_completion(const struct cli_command *const *commands, const char *shell, FILE *to)
{
    static const struct {
        const char *name;
        void (*put)(const struct cli_command *const *commands, FILE *to);
    } shells[] = {{"bash", put_bash}, {"zsh", put_zsh}, {"fish", put_fish}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (strcmp(shells[i].name, shell) != 0)
            continue;
        shells[i].put(commands, to);
        return true;
    }
    return false;
}
