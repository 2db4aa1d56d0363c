/* Parses the options of a command by its tables. */
#include "cli.h"

#include "../base/member.h"
#include "../base/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const cli_formats[] = {"table", "csv", "json", NULL};
const char *const cli_table_or_json[] = {"table", "json", NULL};
const char *const cli_engines[] = {"fast", "reference", NULL};

static const char *const colors[] = {"auto", "always", "never", NULL};

/* In the order of enum cli_common; then those of all commands. */
static const struct cli_option common_options[] = {
    {"force", NULL, "also replace an existing file of another kind", CLI_FLAG, offsetof(struct cli, force),
     .letter = 'f'},
    {"strict", NULL,
     "refuse kernels that demand more than 100 % of a resource when they run alone, except synthetic ones", CLI_FLAG,
     offsetof(struct cli, strict)},
    {"memory", "SIZE",
     "exit with 4 and write nothing if runs need more memory, such as '16 GiB'; default: half of the machine's",
     CLI_BYTES, offsetof(struct cli, memory), .min = 1},
    {"notes", NULL, "print the notes of each scenario even on a terminal, which otherwise shows only their number",
     CLI_FLAG, offsetof(struct cli, notes)},
    {"models", "DIR", "search devices/ and workloads/ of this folder first", CLI_TEXT, offsetof(struct cli, models)},
    {"plugin", "FILE", "open this plug-in, a shared object with policies or models (repeatable)", CLI_LIST,
     offsetof(struct cli, plugins)},
    {"quiet", NULL, "print no progress, and only the results on stdout", CLI_FLAG, offsetof(struct cli, quiet),
     .letter = 'q'},
    {"color", "WHEN", "use colors: auto, always or never; auto: on a terminal, unless NO_COLOR is set", CLI_CHOICE,
     offsetof(struct cli, color), .choices = colors},
    {"help", NULL, "print this help and exit", CLI_FLAG, offsetof(struct cli, help), .letter = 'h'},
    {0},
};
static const struct cli_table common_table = {common_options, 0};

/* Adds the options of a table whose bits are set. */
static size_t add_table(const struct cli_table *table, unsigned bits, size_t used, struct cli_entry *out)
{
    for (const struct cli_option *option = table->option; option->name && used < CLI_OPTIONS_MAX; option++, bits >>= 1)
        if (bits & 1)
            out[used++] = (struct cli_entry){option, table, option->help};
    return used;
}

size_t cli_list_options(const struct cli_command *command, struct cli_entry out[CLI_OPTIONS_MAX + 1])
{
    size_t used = 0;
    for (size_t i = 0; i < CLI_TABLES_MAX && command->options[i].option; i++)
        used = add_table(&command->options[i], ~0U, used, out);
    used = add_table(&common_table, command->common | CLI_ALL, used, out);
    for (size_t t = 0; t < CLI_TEXTS_MAX && command->texts[t].option; t++)
        for (size_t i = 0; i < used; i++)
            if (!strcmp(out[i].option->name, command->texts[t].option))
                out[i].help = command->texts[t].help;
    out[used] = (struct cli_entry){0};
    return used;
}

static void *place_of(struct cli *cli, const struct cli_entry *entry)
{
    char *base = entry->table == &common_table ? (char *)cli : (char *)cli->options + entry->table->offset;
    return base + entry->option->offset;
}

void *cli_value(struct cli *cli, const char *name)
{
    struct cli_entry entry[CLI_OPTIONS_MAX + 1];
    size_t count = cli_list_options(cli->command, entry);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(entry[i].option->name, name))
            return place_of(cli, &entry[i]);
    return NULL;
}

/* A count beyond it would not be exact. */
static const double COUNT_MAX = 9007199254740992.0;

static const enum sms__dimension dimensions[] = {[CLI_COUNT] = SMS__COUNT,
                                                 [CLI_TIME] = SMS__TIME,
                                                 [CLI_RATIO] = SMS__RATIO,
                                                 [CLI_FREQUENCY] = SMS__FREQUENCY,
                                                 [CLI_BYTES] = SMS__BYTES};

static int complain_range(struct cli *cli, const struct cli_option *option, const char *text, double min, double max,
                          double value)
{
    const enum sms__dimension dimension = dimensions[option->kind];
    const struct sms__bound_text low = sms__bound(dimension, min), high = sms__bound(dimension, max);
    if (max >= COUNT_MAX && value < min)
        return cli_usage(cli, "--%s: '%s' is out of range; it must be at least %s", option->name, text, low.text);
    return cli_usage(cli, "--%s: '%s' is out of range; it must be from %s to %s", option->name, text, low.text,
                     high.text);
}

static int set_number(struct cli *cli, const struct cli_entry *entry, const char *text)
{
    const struct cli_option *option = entry->option;
    struct sms__quantity number;
    char why[160];
    const char *problem = sms__quantity_parse(text, dimensions[option->kind], &number, why, sizeof why);
    if (problem)
        return cli_usage(cli, "--%s: '%s' %s", option->name, text, problem);
    bool count = option->kind == CLI_COUNT;
    double min = fmax(option->min, count ? 1 : 0), max = option->max > 0 ? option->max : count ? COUNT_MAX : 9e18;
    if (number.value < min || number.value > max)
        return complain_range(cli, option, text, min, max, number.value);
    if (option->percentage && number.value >= 1 && !strchr(text, '%'))
        return cli_usage(cli, "--%s: '%s' without %% is %.6g %%: write '%s %%', or '%.6g %%' if that is meant",
                         option->name, text, 100 * number.value, text, 100 * number.value);
    if (count || option->kind == CLI_BYTES)
        *(uint64_t *)place_of(cli, entry) = (uint64_t)number.value;
    else
        *(double *)place_of(cli, entry) = number.value;
    return 0;
}

static int set_choice(struct cli *cli, const struct cli_entry *entry, const char *text)
{
    char all[128] = "";
    for (int i = 0; entry->option->choices[i]; i++) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", entry->option->choices[i]);
        if (strcmp(entry->option->choices[i], text) != 0)
            continue;
        *(int *)place_of(cli, entry) = i;
        return 0;
    }
    return cli_usage(cli, "--%s: '%s' is not one of %s", entry->option->name, text, all);
}

static int add_to_list(struct cli *cli, const struct cli_entry *entry, const char *value)
{
    const char **list = place_of(cli, entry);
    size_t n = 0;
    while (list[n])
        n++;
    if (n == CLI_LIST_MAX)
        return cli_usage(cli, "--%s: at most %d are allowed", entry->option->name, CLI_LIST_MAX);
    list[n] = value;
    return 0;
}

/* Of two files the first would not be read, or not written. */
static int set_text(struct cli *cli, const struct cli_entry *entry, const char *value)
{
    const char **text = place_of(cli, entry);
    if (*text && entry->option->file)
        return cli_usage(cli, "--%s is given twice: '%s' and '%s'", entry->option->name, *text, value);
    if (entry->option->file >= CLI_OUTPUT && !entry->option->to_stdout && !strcmp(value, "-"))
        return cli_usage(cli, "--%s: '-' is not the name of a file; this option does not write to stdout",
                         entry->option->name);
    *text = value;
    return 0;
}

/* Without a value it is a flag. */
static int set_option(struct cli *cli, const struct cli_entry *entry, const char *value)
{
    if (!value) {
        *(bool *)place_of(cli, entry) = true;
        return 0;
    }
    if (!*value && (!strcmp(entry->option->value, "DIR") || !strcmp(entry->option->value, "FILE")))
        return cli_usage(cli, "--%s: the name is empty", entry->option->name);
    switch (entry->option->kind) {
    case CLI_TEXT:
        return set_text(cli, entry, value);
    case CLI_LIST:
        return add_to_list(cli, entry, value);
    case CLI_CHOICE:
        return set_choice(cli, entry, value);
    default:
        return set_number(cli, entry, value);
    }
}

/* Returns what to do without an option that the command lacks; NULL if nothing is known. */
static const char *hint_about(const struct cli *cli, const char *word)
{
    const struct cli_text *hint = cli->command->hints, *end = hint + CLI_HINTS_MAX;
    for (; hint < end && hint->option; hint++)
        if (!strncmp(word, "--", 2) && strcspn(word + 2, "=") == strlen(hint->option) &&
            !strncmp(word + 2, hint->option, strlen(hint->option)))
            return hint->help;
    return NULL;
}

static const char *name_at(const void *user, size_t i) { return ((const struct cli_entry *)user)[i].option->name; }

static int unknown_option(const struct cli *cli, const struct cli_entry *entry, size_t count, const char *word)
{
    char name[64];
    const char *hint = hint_about(cli, word), *start = word + strspn(word, "-");
    snprintf(name, sizeof name, "%.*s", (int)fmin(strcspn(start, "="), sizeof name), start);
    const char *near = sms__nearest(name, count, name_at, entry);
    if (hint)
        return cli_usage(cli, "unknown option '%s'; %s", word, hint);
    if (near)
        return cli_usage(cli, "unknown option '%s'; did you mean '--%s'?", word, near);
    return cli_usage(cli, "unknown option '%s'", word);
}

/* Sets an option from what follows its name in a word, or else from the next word. */
static int set_value(struct cli *cli, const struct cli_entry *entry, const char *inside, char ***next)
{
    const char *value = inside || !**next ? inside : *(*next)++;
    return value ? set_option(cli, entry, value) : cli_usage(cli, "--%s needs a value", entry->option->name);
}

/* Names are written in full: a part of one might become a part of two. */
static int read_name(struct cli *cli, const struct cli_entry *entry, size_t count, const char *word, char ***next)
{
    const char *name = word + 2, *equals = strchr(name, '=');
    const size_t length = strcspn(name, "=");
    size_t n = 0;
    while (n < count && (strncmp(entry[n].option->name, name, length) || entry[n].option->name[length]))
        n++;
    if (n == count)
        return unknown_option(cli, entry, count, word);
    if (equals && !entry[n].option->value)
        return cli_usage(cli, "--%s takes no value", entry[n].option->name);
    return entry[n].option->value ? set_value(cli, &entry[n], equals ? equals + 1 : NULL, next)
                                  : set_option(cli, &entry[n], NULL);
}

static int read_letters(struct cli *cli, const struct cli_entry *entry, size_t count, const char *word, char ***next)
{
    int code = 0;
    for (const char *letter = word + 1; *letter; letter++) {
        size_t n = 0;
        while (n < count && entry[n].option->letter != *letter)
            n++;
        if (n == count)
            return unknown_option(cli, entry, count, word);
        if (entry[n].option->value)
            return code | set_value(cli, &entry[n], letter[1] ? letter + 1 : NULL, next);
        code |= set_option(cli, &entry[n], NULL);
    }
    return code;
}

int cli_parse(struct cli *cli, int argc, char **argv)
{
    struct cli_entry entry[CLI_OPTIONS_MAX + 1];
    const size_t count = cli_list_options(cli->command, entry);
    for (size_t n = 0; n < count; n++)
        if (entry[n].option->otherwise != 0)
            *(double *)place_of(cli, &entry[n]) = entry[n].option->otherwise;
    int code = 0;
    bool ended = false; /* by --, after which nothing is an option */
    char **next = argv + (argc > 0);
    cli->args = next;
    while (*next) {
        char *word = *next++;
        if (ended || word[0] != '-' || !word[1])
            cli->args[cli->n_args++] = word;
        else if (!strcmp(word, "--"))
            ended = true;
        else
            code |= (word[1] == '-' ? read_name : read_letters)(cli, entry, count, word, &next);
    }
    cli->args[cli->n_args] = NULL;
    return code;
}
