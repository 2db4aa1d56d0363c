#include "list.h"

#include "../base/escape.h"
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

static int list_policies(const struct cli *cli)
{
    static const char *const queues[] = {
        "", ", queue leftover", ", queue interleave", ", queue fifo", ", queue kernel_fifo", ", queue rr_fifo"};
    const struct sms_block_policy *policy;
    const struct sms_place_policy *place;
    (void)cli;
    for (size_t i = 0; (policy = sms__policy_at(NULL, i)); i++) {
        printf("%-18s block policy%s: %s\n", policy->name, queues[policy->queue], policy->help);
        print_params(policy->params);
    }
    list_sharing();
    for (size_t i = 0; (place = sms__place_at(NULL, i)); i++) {
        printf("%-18s place policy: %s\n", place->name, place->help);
        print_params(place->params);
    }
    return EXIT_OK;
}

static int list_contention(const struct cli *cli)
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
    return EXIT_OK;
}

static int list_metrics(const struct cli *cli)
{
    for (int s = 0; s < SMS_SUBJECTS; s++) {
        size_t count;
        const struct sms_metric *metric = sms_metrics((enum sms_subject)s, &count);
        if (cli->format != FORMAT_CSV)
            printf("%sof a %s\n", s ? "\n" : "", sms__subject_word((enum sms_subject)s));
        for (size_t m = 0; m < count; m++)
            if (cli->format == FORMAT_CSV)
                printf("%s,%s,\"%s\"\n", sms__subject_word((enum sms_subject)s), metric[m].name, metric[m].formula);
            else
                printf("  %-28s %s\n", metric[m].name, metric[m].formula);
    }
    return EXIT_OK;
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

static int list_fields(const struct cli *cli)
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
    return EXIT_OK;
}

/* One model file, read as a scenario would; NULL and a message if it is not whole. */
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

/* A folder of models: of which files are shown, and for workloads as JSON where to. */
struct listing {
    const struct cli *cli;
    json_t *workloads;
};

static void print_model(const struct listing *listing, const char *path)
{
    struct sms_file *file = open_model(listing->cli, path);
    for (size_t i = 0; file && i < file->devices; i++)
        print_device(file->device[i]);
    for (size_t i = 0; file && i < file->workloads; i++)
        list_workload(listing->cli, file->workload[i], listing->workloads);
    sms_file_free(file);
}

static bool is_yaml(const char *name)
{
    size_t length = strlen(name);
    return length > 5 && !strcmp(name + length - 5, ".yaml");
}

enum { FOLDERS_DEEP = 3 }; /* so that links in a circle end */

static void print_folder(const struct listing *listing, const char *folder, int deep)
{
    struct dirent **entry;
    struct stat st;
    char path[4400];
    int count = scandir(folder, &entry, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        bool fits = snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name) < (int)sizeof path;
        bool is_folder = fits && entry[i]->d_name[0] != '.' && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
        if (is_folder && deep > 1)
            print_folder(listing, path, deep - 1);
        else if (fits && !is_folder && is_yaml(entry[i]->d_name))
            print_model(listing, path);
        free(entry[i]);
    }
    if (count >= 0)
        free(entry);
    else if (errno == ENOMEM)
        sms__note_memory(NULL);
}

static int list_models(const struct listing *listing, const char *kind)
{
    char folder[4200];
    const struct cli *cli = listing->cli;
    const char *installed = session_options(cli).installed_models;
    if (cli->models) {
        snprintf(folder, sizeof folder, "%s/%s", cli->models, kind);
        print_folder(listing, folder, FOLDERS_DEEP);
    }
    snprintf(folder, sizeof folder, "%s/%s", installed, kind);
    print_folder(listing, folder, FOLDERS_DEEP);
    return EXIT_OK;
}

static int list_devices(const struct cli *cli) { return list_models(&(struct listing){cli, NULL}, "devices"); }

static int list_workloads(const struct cli *cli)
{
    struct listing listing = {cli, NULL};
    list_workloads_begin(cli, &listing.workloads);
    list_models(&listing, "workloads");
    list_workloads_end(listing.workloads);
    return EXIT_OK;
}

static const struct {
    const char *name;
    int (*list)(const struct cli *cli);
} lists[] = {{"devices", list_devices},       {"workloads", list_workloads}, {"policies", list_policies},
             {"contention", list_contention}, {"metrics", list_metrics},     {"fields", list_fields},
             {"schema", list_schema}};

enum { LISTS = sizeof lists / sizeof *lists, SHOWN = LISTS - 2 }; /* fields and the schema only when named */

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

int cmd_list(struct cli *cli)
{
    for (size_t i = 0; i < LISTS && cli->n_args; i++)
        if (!strcmp(lists[i].name, cli->args[0]))
            return lists[i].list(cli);
    if (cli->n_args)
        return unknown_list(cli);
    for (size_t i = 0; i < SHOWN; i++) {
        printf("%s== %s\n", i ? "\n" : "", lists[i].name);
        lists[i].list(cli);
    }
    return EXIT_OK;
}
