/* `smsched import`: writes a scenario from the files of another program. */
#include "cli.h"
#include "session.h"

#include "../base/buffer.h"
#include "../base/write.h"
#include "../import/import.h"
#include "../sweep/sweep.h"
#include "../yaml/fields.h"

#include <stdlib.h>
#include <string.h>

struct options {
    const char *out;
    struct sms__import_options import;
};

#define AT(member) offsetof(struct options, import.member)

static const struct cli_format own_format = {"a scenario, a profile or times that import wrote",
                                             {"# found: ", "# Derived from a profile", "# Pods of a cluster, written",
                                              "# A cluster and its pods, written", "# When requests come.",
                                              "profile kineto ", "profile ncu ", "profile nsys ", "profile nvprof "}};

static const struct cli_option own_options[] = {
    {"out", "FILE", "write this file, completely or not at all; default: stdout", CLI_TEXT,
     offsetof(struct options, out), .file = CLI_OUTPUT, .format = &own_format, .letter = 'o'},
    {"name", "NAME", "name the workload or scenario; default: from the file's name", CLI_TEXT, AT(name)},
    {"dump", NULL, "profilers: print the profile as it was read, and derive no workloads", CLI_FLAG, AT(dump)},
    {"profiled", "DEVICE", "profilers: name the device file of the profiled GPU, if the profile does not identify it",
     CLI_TEXT, AT(profiled)},
    {"device", "DEVICE", "profilers: write for this device instead of the profiled one", CLI_TEXT, AT(device)},
    {"clock", "FREQUENCY", "profilers: convert times to this SM clock, such as '1380 MHz'; default: as profiled",
     CLI_FREQUENCY, AT(clock_hz), .min = 1e6, .max = 1e11},
    {"title", "TEXT", "profilers: give the workload this title", CLI_TEXT, AT(title)},
    {"source", "TEXT", "profilers: write where the profile comes from; default: tool and version", CLI_TEXT,
     AT(source)},
    {"iteration", NULL, "profilers: write the launches of one iteration, without copies, host time and scenario",
     CLI_FLAG, AT(iteration)},
    {"with", "FILE", "kineto, nsys: take demands from this report of Nsight Compute", CLI_TEXT, AT(with),
     .file = CLI_INPUT},
    {"alone", "TIME",
     "kineto, nsys: shorten host time until a job alone takes this time, its time without the profiler, such as '4.7 "
     "ms'",
     CLI_TIME, AT(alone_ps)},
    {"most", "SIZE", "read at most this much text of a file, decompressed, such as '1 GiB'; default 256 MiB", CLI_BYTES,
     AT(most), .min = 1, .max = 1e12},
    {"columns", "KEY=COLUMN[:UNIT],...",
     "pods: name the columns, or give philly, helios, pai2020, alibaba2025 or azure (docs/how-to/cluster-traces.md)",
     CLI_TEXT, AT(columns)},
    {"times", NULL, "pods: write their arrival times, as arrivals: of a tenant, instead of a scenario", CLI_FLAG,
     AT(times)},
    {0},
};

static const char *importer_name(const void *user, size_t i)
{
    return ((const struct sms__importer *const *)user)[i]->name;
}

/* The importer of the format, or NULL with the problem reported. */
static const struct sms__importer *find_importer(const struct cli *cli)
{
    char list[200] = "";
    size_t count = 0;
    const struct sms__importer *found = sms__importer_called(cli->args[0]);
    if (found)
        return found;
    for (; sms__importers[count]; count++)
        sms__append(list, sizeof list, "%s%s", count ? ", " : "; known: ", sms__importers[count]->name);
    const char *near = sms__nearest(cli->args[0], count, importer_name, sms__importers);
    cli_usage(cli, "unknown format '%s'%s", cli->args[0], near ? sms__did_you_mean(near).text : list);
    return NULL;
}

static int write_file(const char *path, const char *text, size_t size, struct sms_errors *errors)
{
    struct sms__write write = {0};
    int code = sms__write_begin(&write, path, errors);
    if (code)
        return code;
    fwrite(text, 1, size, write.to); /* sms__write_end reports a failure */
    return sms__write_end(&write, errors);
}

/* In MiB, because that is how users know the sizes of traces. */
static void show_progress(void *user, uint64_t done, uint64_t total)
{
    sms__progress_show(user, done >> 20, total >> 20, 0);
}

/* Imports into memory, so that nothing is written unless all of it is right. */
static int import(const struct cli *cli, const struct sms__importer *importer, struct sms_errors *errors)
{
    const struct options *given = cli->options;
    const struct sms_load_options load = session_options(cli);
    struct sms__import_options settings = given->import;
    const char *const *paths = (const char *const *)(cli->args + 1);
    struct sms__buffer text = {0}, notes = {0};
    struct sms__progress progress;
    const struct sms__import_watch watch = {show_progress, &progress};
    FILE *to = sms__buffer_open(&text);
    settings.load = &load;
    settings.watch = &watch;
    sms__progress_begin(&progress, "", "MiB read", cli->quiet);
    cli_catch_signals(true);
    settings.notes = sms__buffer_open(&notes);
    int code = to && settings.notes ? sms__import(importer, paths, cli->n_args - 1, &settings, to, errors) : SMS_OK;
    sms__progress_end(&progress);
    bool whole = to && sms__buffer_close(&text, to);
    whole &= settings.notes && sms__buffer_close(&notes, settings.notes);
    if (!whole && code == SMS_OK)
        code = sms__fail(errors, SMS_ENOMEM, cli->args[1], "no memory");
    if (code == SMS_OK && !settings.dump && !settings.times)
        code = sms__import_check(cli->n_args == 2 ? cli->args[1] : NULL, text.bytes, text.length, &settings, errors);
    cli_catch_signals(false);
    if (code == SMS_OK && given->out)
        code = write_file(given->out, text.bytes, text.length, errors);
    if (code == SMS_OK && given->out) /* otherwise the document shows them */
        fwrite(notes.bytes, 1, notes.length, stderr);
    else if (code == SMS_OK)
        fwrite(text.bytes, 1, text.length, stdout); /* cli_finish reports a failure */
    free(text.bytes);
    free(notes.bytes);
    return code;
}

/* The first option that only workloads of profiles have a use for; or NULL. */
static const char *given_for_workloads(const struct sms__import_options *given)
{
    const struct {
        const char *option;
        bool given;
    } all[] = {{"profiled", given->profiled}, {"device", given->device}, {"clock", given->clock_hz > 0},
               {"title", given->title},       {"source", given->source}, {"iteration", given->iteration},
               {"alone", given->alone_ps > 0}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].given)
            return all[i].option;
    return NULL;
}

static const char *given_for_profiles(const struct sms__import_options *given)
{
    return given->dump ? "dump" : given->with ? "with" : given_for_workloads(given);
}

/* Each workload of several processes has its number behind the name: "-1234". */
enum { NAME_MOST = SMS__NAME_MAX - 5 };

static int check_usage(const struct cli *cli, const struct sms__importer *importer)
{
    const struct options *given = cli->options;
    const char *name = given->import.name;
    const size_t files = cli->n_args - 1;
    if (files == 0 || (importer->n_files && files != importer->n_files))
        return cli_usage(cli, "name %s to import", importer->files);
    if (name && (!sms__is_name(name) || *name == '-' || strlen(name) > NAME_MOST)) /* YAML lists begin with '-' */
        return cli_usage(cli,
                         "--name: '%.40s' is not a name: 1 to %d letters, digits, '_', '-', '.' or '/', no '-' or "
                         "'/' in front and no '..'",
                         name, NAME_MOST);
    const char *for_profiles = importer->read ? NULL : given_for_profiles(&given->import);
    if (for_profiles)
        return cli_usage(cli, "--%s is for profiles", for_profiles);
    const char *for_workloads = name ? "name" : given_for_workloads(&given->import);
    if (given->import.dump && for_workloads)
        return cli_usage(cli, "--%s is for workloads, and --dump derives none", for_workloads);
    if (!strcmp(importer->name, "pods") != (given->import.columns != NULL))
        return cli_usage(cli, given->import.columns ? "--columns is for pods"
                                                    : "say with --columns which column is what: KEY=COLUMN[:UNIT],...");
    if (given->import.times && !given->import.columns)
        return cli_usage(cli, "--times is for pods");
    if (given->import.times && name)
        return cli_usage(cli, "--name is for a scenario, and --times writes none");
    return EXIT_OK;
}

static int import_files(struct cli *cli)
{
    struct sms_errors errors = {0};
    if (cli->n_args == 0)
        return cli_usage(cli, "name a format and a file");
    const struct sms__importer *importer = find_importer(cli);
    int code = importer ? check_usage(cli, importer) : EXIT_USAGE;
    return code ? code : cli_print_errors(import(cli, importer, &errors), &errors);
}

static struct cli_text format_at(size_t i)
{
    const struct sms__importer *importer = sms__importers[i];
    return importer ? (struct cli_text){importer->name, importer->help} : (struct cli_text){0};
}

const struct cli_command cmd_import = {.name = "import",
                                       .args = "FORMAT FILE...",
                                       .summary = "write a scenario from another program's file",
                                       .text = "The scenario goes to stdout, or with --out into a file. Several "
                                               "profiles can describe one program together (docs/how-to/profiles.md).",
                                       .verb = true,
                                       .format = format_at,
                                       .examples = "smsched import --help   # lists the formats\n",
                                       .options = {{own_options}},
                                       .common = CLI_FORCE | CLI_MODELS | CLI_QUIET,
                                       .size = sizeof(struct options),
                                       .run = import_files};
