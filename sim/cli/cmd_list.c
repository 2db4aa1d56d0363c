/* `smsched list`: prints models, policies, metrics, and the fields of files. */
#include "list.h"
#include "commands.h"
#include "session.h"

#include "../base/escape.h"
#include "../report/json_write.h"
#include "../report/memory.h"
#include "../sweep/sweep.h"
#include "../model/file.h"
#include "../model/policy/registry.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct options {
    int format;
};

#define AT(member) offsetof(struct options, member)

static const struct cli_option own_options[] = {
    {"format", "FORMAT", "table, csv or json, of workloads; table or csv, of metrics", CLI_CHOICE, AT(format),
     .choices = cli_formats},
    {0},
};

static int format_of(const struct cli *cli) { return ((const struct options *)cli->options)->format; }

static void print_params(const struct sms_param *params)
{
    for (; params && params->name; params++) {
        char min[64], max[64], fallback[64];
        sms__print_param(min, sizeof min, params, params->min);
        sms__print_param(max, sizeof max, params, params->max);
        sms__print_param(fallback, sizeof fallback, params, params->fallback);
        printf("    %s: ", params->name);
        if (params->unit == SMS_UNIT_CHOICE)
            for (const char *const *choice = params->choices; *choice; choice++)
                printf("%s%s", choice == params->choices ? "" : " | ", *choice);
        else
            printf("%s to %s", min, max);
        printf(", default %s; %s\n", fallback, params->help);
    }
}

static void list_sharing(void)
{
    const struct sms_share_policy *share;
    const struct sms__mode_form *mode;
    for (size_t i = 0; (share = sms__share_at(NULL, i)); i++) {
        printf("%-18s share policy: %s\n", share->name, share->help);
        print_params(share->params);
    }
    for (size_t i = 0; (mode = sms__mode_at(i)); i++) {
        printf("%-18s mode: %s\n", mode->name, mode->help);
        if (mode->instances)
            printf("    instances: [PROFILE, ...], of the device's mig\n");
        print_params(mode->params);
    }
}

static void list_policies(const struct cli *cli)
{
    const struct sms_block_policy *policy;
    const struct sms_queue_discipline *queue;
    const struct sms_place_policy *place;
    (void)cli;
    for (size_t i = 0; (policy = sms__policy_at(NULL, i)); i++) {
        printf("%-18s block policy%s%s: %s\n", policy->name, policy->queue ? ", queue " : "",
               policy->queue ? policy->queue->name : "", policy->help);
        print_params(policy->params);
    }
    for (size_t i = 0; (queue = sms__queue_at(NULL, i)); i++)
        printf("%-18s queue discipline: %s\n", queue->name, queue->help);
    list_sharing();
    for (size_t i = 0; (place = sms__place_at(NULL, i)); i++) {
        printf("%-18s place policy: %s\n", place->name, place->help);
        print_params(place->params);
    }
}

static void list_contention(const struct cli *cli)
{
    const struct sms_contention *model;
    (void)cli;
    for (size_t i = 0; (model = sms__contention_at(NULL, i)); i++) {
        printf("%-14s %s\n", model->name, model->help);
        print_params(model->params);
        if (model->curves)
            printf("    curves: {RESOURCE: [[usage, overhead], ...]}, rising\n");
        if (model->pairs)
            printf("    slowdown: {CLASS: {CLASS: FACTOR, ...}, ...}, of each class beside each, at least 1\n");
    }
}

static void list_metrics(const struct cli *cli)
{
    for (int s = 0; s < SMS_SUBJECTS; s++) {
        size_t count;
        const struct sms_metric *metric = sms_metrics((enum sms_subject)s, &count);
        if (format_of(cli) != FORMAT_CSV)
            printf("%sof a %s\n", s ? "\n" : "", sms__subject_word((enum sms_subject)s));
        for (size_t m = 0; m < count; m++)
            if (format_of(cli) == FORMAT_CSV)
                printf("%s,%s,\"%s\"\n", sms__subject_word((enum sms_subject)s), metric[m].name, metric[m].formula);
            else
                printf("  %-28s %s\n", metric[m].name, metric[m].formula);
    }
}

static void print_fields(const struct sms__table *tables)
{
    for (; tables->title; tables++) {
        printf("%s\n", tables->title);
        for (const struct sms__field *field = tables->fields; field->name && !field->refuse; field++)
            printf("  %-24s %s%s\n", field->name, field->required ? "(required) " : "", field->help);
        printf("\n");
    }
}

static void list_fields(const struct cli *cli)
{
    (void)cli;
    print_fields(sms__device_tables());
    print_fields(sms__mig_tables);
    print_fields(sms__workload_tables());
    print_fields(sms__scenario_tables());
    print_fields(sms__process_tables);
    print_fields(sms__stream_tables);
    print_fields(sms__cluster_tables);
    print_fields(sms__pod_tables);
    print_fields(sms__arrival_tables);
    print_fields(sms__failure_tables);
    print_fields(sms__gpushare_tables);
    print_fields(sms__plan_tables);
}

/* Loads a file of models as a scenario would. Returns NULL with the errors printed if it is invalid. */
static struct sms_file *open_model(const struct cli *cli, const char *path)
{
    struct sms_load_options options = session_options(cli);
    struct sms_errors errors;
    struct sms_file *file;
    int code = sms_file_load(path, &options, &file, &errors);
    if (code == SMS_ENOMEM)
        sms__note_memory(NULL);
    if (code)
        sms_errors_print(&errors, stderr);
    return file;
}

static void print_device(const struct sms__device *device)
{
    printf("%-12s ", device->name);
    sms__print_visible(stdout, device->title);
    printf(": %llu SMs, %.0f MHz, %.4g GiB;", (unsigned long long)device->sms, device->clock_hz / 1e6,
           (double)device->memory / 1073741824.0);
    for (size_t r = 0; r < device->resources; r++)
        printf(" %s%s", device->resource[r].name, device->resource[r].scope == SMS_SCOPE_DEVICE ? "*" : "");
    printf("\n");
}

/* Prints the models of a file: devices, and workloads if there is a list of them. */
static void print_models(const struct cli *cli, const char *path, struct workload_list *workloads)
{
    struct sms_file *file = open_model(cli, path);
    for (size_t i = 0; file && !workloads && i < file->devices; i++)
        print_device(file->device[i]);
    for (size_t i = 0; file && workloads && i < file->workloads; i++)
        workload_list_add(workloads, file->workload[i]);
    sms_file_free(file);
}

static bool is_yaml(const char *name)
{
    size_t length = strlen(name);
    return length > 5 && !strcmp(name + length - 5, ".yaml");
}

enum { FOLDERS_DEEP = 3 }; /* limit of nested folders, because links can form a circle */

static void print_folder(const struct cli *cli, const char *folder, int deep, struct workload_list *workloads)
{
    struct dirent **entry;
    struct stat st;
    char path[4400];
    int count = scandir(folder, &entry, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        bool fits = snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name) < (int)sizeof path;
        bool is_folder = fits && entry[i]->d_name[0] != '.' && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
        if (is_folder && deep > 1)
            print_folder(cli, path, deep - 1, workloads);
        else if (fits && !is_folder && is_yaml(entry[i]->d_name))
            print_models(cli, path, workloads);
        free(entry[i]);
    }
    if (count >= 0)
        free(entry);
    else if (errno == ENOMEM)
        sms__note_memory(NULL);
}

/* Prints the models of the user's folder and of the installed one. */
static void print_library(const struct cli *cli, const char *kind, struct workload_list *workloads)
{
    const char *const folders[] = {cli->models, cli->installed_models};
    char folder[4200];
    for (size_t i = 0; i < 2; i++) {
        snprintf(folder, sizeof folder, "%s/%s", folders[i] ? folders[i] : "", kind);
        if (folders[i])
            print_folder(cli, folder, FOLDERS_DEEP, workloads);
    }
}

static void list_devices(const struct cli *cli) { print_library(cli, "devices", NULL); }

static void list_workloads(const struct cli *cli)
{
    const struct sms_load_options load = session_options(cli);
    struct workload_list workloads = {.load = &load, .format = format_of(cli)};
    workload_list_begin(&workloads);
    print_library(cli, "workloads", &workloads);
    workload_list_end(&workloads);
}

static void list_schema(const struct cli *cli)
{
    (void)cli;
    sms__json_write(schema_of_files(), stdout,
                    JSON_INDENT(1) | JSON_REAL_PRECISION(12)); /* cli_finish reports a failure */
}

static const struct {
    const char *name;
    void (*list)(const struct cli *cli);
} lists[] = {{"devices", list_devices},       {"workloads", list_workloads}, {"policies", list_policies},
             {"contention", list_contention}, {"metrics", list_metrics},     {"fields", list_fields},
             {"schema", list_schema}};

enum { LISTS = sizeof lists / sizeof *lists, SHOWN = LISTS - 2 }; /* fields and schema are printed only by name */

static const char *list_name(const void *user, size_t i)
{
    (void)user;
    return lists[i].name;
}

static int unknown_list(const struct cli *cli)
{
    char all[128] = "";
    const char *near = sms__nearest(cli->args[0], LISTS, list_name, NULL);
    for (size_t i = 0, used = 0; i < LISTS; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", lists[i].name);
    if (near)
        return cli_usage(cli, "cannot list '%s'; did you mean '%s'?", cli->args[0], near);
    return cli_usage(cli, "cannot list '%s'; it lists %s; modes are among the policies", cli->args[0], all);
}

static int list(struct cli *cli)
{
    size_t named = 0;
    while (cli->n_args && named < LISTS && strcmp(lists[named].name, cli->args[0]) != 0)
        named++;
    if (named == LISTS)
        return unknown_list(cli);
    if (cli->n_args)
        lists[named].list(cli);
    for (size_t i = 0; i < SHOWN && !cli->n_args; i++) {
        printf("%s== %s\n", i ? "\n" : "", lists[i].name);
        lists[i].list(cli);
    }
    return EXIT_OK;
}

const struct cli_command cmd_list = {
    .name = "list",
    .args = "[WHAT]",
    .summary = "print the known devices, workloads, policies, contention models, metrics, fields or schema",
    .text = "Parameters are printed with their units, ranges and defaults. Fields are the keys of files. The schema "
            "holds the same as JSON, for editors (docs/editors.md).",
    .words = "devices workloads policies contention metrics fields schema",
    .options = {{own_options}, {cli_models}},
    .size = sizeof(struct options),
    .run = list};
