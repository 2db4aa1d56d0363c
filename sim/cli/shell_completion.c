/* Completion of commands, options and their values for bash, which zsh takes as well, from the tables of the commands.
 */
#include "cli.h"

#include "../model/policy/registry.h"

#include <string.h>

/* The words that an option takes, each followed by a blank; nothing if they are not known. */
static void put_values(const struct cli_option *option, FILE *to)
{
    static const enum sms__known_kind kinds[] = {SMS__BLOCK, SMS__SHARE, SMS__PLACE};
    for (size_t i = 0; option->choices && option->choices[i]; i++)
        fprintf(to, "%s ", option->choices[i]);
    if (!option->value || strcmp(option->value, "POLICY") != 0)
        return;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t i = 0; i < sms__count_known(NULL, kinds[k]); i++)
            fprintf(to, "%s ", sms__known_at(NULL, kinds[k], i).name);
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

static void put_option(const struct cli_option *option, FILE *to)
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

void cli_print_completion(const struct cli_command *const *commands, FILE *to)
{
    fprintf(to, "# completion for smsched; written by 'smsched help completion'\n_smsched()\n{\n"
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
            put_option(entry[i].option, to);
        fprintf(to, "            esac ;;\n");
    }
    fprintf(to, "        esac\n    fi\n    mapfile -t COMPREPLY < <(compgen \"${found[@]}\" -- \"$word\")\n}\n"
                "complete -o default -F _smsched smsched\n");
}
