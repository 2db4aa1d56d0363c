#include "cli.h"

#include "../base/escape.h"

#include <getopt.h>
#include <stdarg.h>
#include <string.h>

const char *const cli_formats[] = {"table", "csv", "json", "simtbs", NULL};
static const char *const engines[] = {"fast", "reference", NULL};

#define AT(member) offsetof(struct cli, member)

const struct cli_option cli_options[] = {
    {'o', "out", "PATH", "run: write a results folder (a new one); import, report: write this file; sweep: its folder",
     CLI_TEXT, AT(out), NULL},
    {'f', "format", "FORMAT", "table, csv or json on stdout; run: simtbs, under compat: simtbs", CLI_CHOICE, AT(format),
     cli_formats},
    {'p', "policy", "POLICY", "this policy only; may stand several times", CLI_LIST, AT(policies), NULL},
    {'s', "seed", "N", "instead of the scenario's", CLI_COUNT, AT(seed), NULL},
    {'r', "replications", "N", "instead of the scenario's", CLI_COUNT, AT(replications), NULL},
    {'j', "jobs", "N", "threads; the results do not depend on it; sweep: default all cores", CLI_COUNT, AT(jobs), NULL},
    {'K', "shard", "K/N", "sweep: of N parts the K-th, from 1", CLI_TEXT, AT(shard), NULL},
    {'L', "slurm", NULL, "sweep: submit it as a Slurm job array; options for sbatch stand behind --", CLI_FLAG,
     AT(slurm), NULL},
    {'a', "tasks", "N", "of the array; default 64, and at most one a point", CLI_COUNT, AT(tasks), NULL},
    {'A', "at-once", "N", "of the array's tasks run at most so many at a time; default: what Slurm lets", CLI_COUNT,
     AT(at_once), NULL},
    {'U', "dry-run", NULL, "print what --slurm would submit, for a shell", CLI_FLAG, AT(dry_run), NULL},
    {'m', "models", "DIR", "look here for devices/ and workloads/ first", CLI_TEXT, AT(models), NULL},
    {'b', "baseline", "NAME", "compare: the policy to compare with; check: a CSV file from run --format csv", CLI_TEXT,
     AT(baseline), NULL},
    {'t', "tolerance", "RATIO", "by how much a baseline's value may be missed, relatively; default 1 %", CLI_RATIO,
     AT(tolerance), NULL},
    {'u', "junit", "FILE", "write the checks as JUnit XML", CLI_TEXT, AT(junit), NULL},
    {'F', "from", "TIME", "first instant, as 0 ms; default 0, or see above", CLI_TIME, AT(from_ps), NULL},
    {'T', "to", "TIME", "last instant, as 1 ms; default: the same as --from", CLI_TIME, AT(to_ps), NULL},
    {'x', "figures", "LIST", "of svg, pdf, png, with commas; default svg,png", CLI_TEXT, AT(terminals), NULL},
    {'M', "metric", "METRIC", "report: that the page begins with, as stp_ratio", CLI_TEXT, AT(metric), NULL},
    {'Z', "point", "N", "report: of a sweep, simulate this point again and show its timeline; they count from 0",
     CLI_TEXT, AT(point), NULL},
    {'Y', "plan", "PLAN", "report --point: where the sweep's plan is now", CLI_TEXT, AT(plan), NULL},
    {'e', "trace", "FILE", "write what ran where as Chrome trace events, for Perfetto", CLI_TEXT, AT(trace), NULL},
    {'N', "trace-events", "N", "of them at most so many; default 500000", CLI_COUNT, AT(trace_events), NULL},
    {'B', "trace-from", "TIME", "of them those of this instant and later; default 0", CLI_TIME, AT(trace_from_ps),
     NULL},
    {'E', "trace-to", "TIME", "of them those before this instant; default: the run's end", CLI_TIME, AT(trace_to_ps),
     NULL},
    {'V', "events", "COUNT",
     "exit 4 from a run of a policy with more events than that, with nothing written; default: no limit", CLI_COUNT,
     AT(events), NULL},
    {'g', "engine", "ENGINE", "fast, or reference: the plain way, to compare; the same results", CLI_CHOICE, AT(engine),
     engines},
    {'c', "check", NULL, "check the engine's invariants at every event", CLI_FLAG, AT(check), NULL},
    {'q', "quiet", NULL, "no progress, and nothing on stdout but what was asked for", CLI_FLAG, AT(quiet), NULL},
    {'y', "brief", NULL, "run --out: without rows in timeline.csv and heatmap.csv", CLI_FLAG, AT(brief), NULL},
    {'S', "sane", NULL, "import: leave out compat: simtbs, and sort kernels by start", CLI_FLAG, AT(sane), NULL},
    {'X', "fixed", NULL, "import: memory demands as written, not as simtbs misreads them", CLI_FLAG, AT(fixed), NULL},
    {'D', "dump", NULL, "import ncu, nvprof: print what was read, and make no workloads of it", CLI_FLAG, AT(dump),
     NULL},
    {'P', "profiled", "DEVICE", "import: the device file of the profiled GPU, if its name does not tell", CLI_TEXT,
     AT(profiled), NULL},
    {'d', "device", "DEVICE", "import: write for this device instead of the profiled one", CLI_TEXT, AT(device), NULL},
    {'n', "name", "NAME", "import: of the workload or scenario, instead of the file's", CLI_TEXT, AT(name), NULL},
    {'i', "title", "TEXT", "import ncu, nvprof: of the workload", CLI_TEXT, AT(title), NULL},
    {'w', "source", "TEXT", "import ncu, nvprof: where the profile is from; default: tool and version", CLI_TEXT,
     AT(source), NULL},
    {'I', "iteration", NULL,
     "import ncu, nvprof: the launches of one iteration, without copies, host time and a scenario", CLI_FLAG,
     AT(iteration), NULL},
    {'l', "inflate", "RATIO", "import openb: draw pods until they ask for so much of the GPUs, as 130 %; all stay",
     CLI_RATIO, AT(inflate), NULL},
    {'h', "help", NULL, "print this and exit", CLI_FLAG, AT(help), NULL},
    {0}};

int cli_usage(const struct cli *cli, const char *format, ...)
{
    char text[1000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "smsched %s: ", cli->program);
    sms__print_visible(stderr, text);
    fprintf(stderr, "; see 'smsched %s --help'\n", cli->program);
    return EXIT_USAGE;
}

static int set_number(struct cli *cli, const struct cli_option *option, const char *text)
{
    static const enum sms__dimension dimensions[] = {
        [CLI_COUNT] = SMS__COUNT, [CLI_TIME] = SMS__TIME, [CLI_RATIO] = SMS__RATIO};
    struct sms__quantity number;
    char why[160];
    const char *problem = sms__quantity_parse(text, dimensions[option->kind], &number, why, sizeof why);
    if (problem)
        return cli_usage(cli, "--%s: '%s' %s", option->name, text, problem);
    double least = option->kind == CLI_COUNT ? 1 : 0, most = option->kind == CLI_COUNT ? 9007199254740992.0 : 9e18;
    if (!strcmp(option->name, "replications") || !strcmp(option->name, "jobs"))
        most = 100000;
    if (!strcmp(option->name, "inflate"))
        least = 1e-6; /* as `until` of a scenario */
    if (!strcmp(option->name, "tolerance") && number.value > 1 && !strchr(text, '%'))
        return cli_usage(cli, "--%s: '%s' without %% is %.6g %%: write '%s %%', or '%.6g %%' if that is meant",
                         option->name, text, 100 * number.value, text, 100 * number.value);
    if (number.value < least || number.value > most)
        return cli_usage(cli, "--%s: '%s' is out of range", option->name, text);
    *(double *)((char *)cli + option->offset) = number.value;
    return 0;
}

static int set_choice(struct cli *cli, const struct cli_option *option, const char *text)
{
    char all[128] = "";
    if (option->choices == cli_formats && !strcmp(text, cli_formats[FORMAT_SIMTBS]) && strcmp(cli->program, "run") != 0)
        return cli_usage(cli, "--format simtbs is for 'run'");
    for (int i = 0; option->choices[i]; i++) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", option->choices[i]);
        if (strcmp(option->choices[i], text))
            continue;
        *(int *)((char *)cli + option->offset) = i;
        return 0;
    }
    return cli_usage(cli, "--%s: '%s' is none of %s", option->name, text, all);
}

static int add_to_list(struct cli *cli, const struct cli_option *option, const char *value)
{
    const char **list = (const char **)((char *)cli + option->offset);
    size_t n = 0;
    while (list[n])
        n++;
    if (n == CLI_LIST_MAX)
        return cli_usage(cli, "--%s: more than %d of them", option->name, CLI_LIST_MAX);
    list[n] = value;
    return 0;
}

static int set_option(struct cli *cli, const struct cli_option *option, const char *value)
{
    switch (option->kind) {
    case CLI_FLAG:
        *(bool *)((char *)cli + option->offset) = true;
        return 0;
    case CLI_TEXT:
        *(const char **)((char *)cli + option->offset) = value;
        return 0;
    case CLI_LIST:
        return add_to_list(cli, option, value);
    case CLI_CHOICE:
        return set_choice(cli, option, value);
    default:
        return set_number(cli, option, value);
    }
}

enum { OPTIONS_MAX = 32 };

/* The options of a command, for getopt_long; their numbers are indices in cli_options. */
static void list_options(const struct cli_command *command, struct option *list)
{
    size_t n = 0;
    for (int i = 0; cli_options[i].name; i++)
        if (strchr(command->options, cli_options[i].letter) || cli_options[i].letter == 'h')
            list[n++] = (struct option){cli_options[i].name, cli_options[i].value ? required_argument : no_argument,
                                        NULL, 256 + i};
    list[n] = (struct option){0};
}

static const char *long_name(const void *user, size_t i) { return ((const struct option *)user)[i].name; }

static int bad_option(const struct cli *cli, const struct option *list, char **argv)
{
    const char *word = argv[optind - 1];
    size_t count = 0;
    while (list[count].name)
        count++;
    const char *near = !strncmp(word, "--", 2) ? sms__nearest(word + 2, count, long_name, list) : NULL;
    if (near && strcmp(near, word + 2))
        return cli_usage(cli, "unknown option '%s'; did you mean '--%s'?", word, near);
    if (!near && cli->slurm)
        return cli_usage(cli, "unknown option '%s'; options for sbatch stand behind --", word);
    return cli_usage(cli, near ? "option '%s' needs a value" : "unknown option '%s'", word);
}

int cli_parse(struct cli *cli, const struct cli_command *command, int argc, char **argv)
{
    struct option list[OPTIONS_MAX];
    list_options(command, list);
    opterr = 0;
    for (int id = getopt_long(argc, argv, "ho:q", list, NULL); id != -1;
         id = getopt_long(argc, argv, "ho:q", list, NULL)) {
        if (id < 256) {
            const struct cli_option *short_one = cli_options;
            while (short_one->name && short_one->letter != id)
                short_one++;
            id = short_one->name && (id == 'h' || strchr(command->options, id)) ? 256 + (int)(short_one - cli_options)
                                                                                : '?';
        }
        int code = id == '?' ? bad_option(cli, list, argv) : set_option(cli, &cli_options[id - 256], optarg);
        if (code)
            return code;
    }
    cli->args = argv + optind;
    cli->n_args = (size_t)(argc - optind);
    return 0;
}
