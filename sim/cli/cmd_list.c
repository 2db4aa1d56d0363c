/* `smsched list`: prints models, policies, metrics, and the fields of files. */
#include "list.h"
#include "cli.h"
#include "session.h"

#include "../base/member.h"
#include "../base/buffer.h"
#include "../base/escape.h"
#include "../report/json_write.h"
#include "../report/memory.h"
#include "../sweep/sweep.h"
#include "../model/file.h"
#include "../model/policy/plugins.h"
#include "../model/policy/registry.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct options {
    int json;
    bool sheet;
};

#define AT(member) offsetof(struct options, member)

static const struct cli_option own_options[] = {
    {"format", "FORMAT", "print a table or json", CLI_CHOICE, AT(json), .choices = cli_table_or_json},
    {"sheet", NULL, "print for each device which values are known, their sources, and what is used for the others",
     CLI_FLAG, AT(sheet)},
    {0},
};

static bool wants_sheets(const struct cli *cli) { return ((const struct options *)cli->options)->sheet; }

static bool wants_json(const struct cli *cli) { return ((const struct options *)cli->options)->json; }

/* ---- what is listed, as JSON: an array of objects, which may have a list of parts ---- */

static json_t *params_of(const struct sms_param *params)
{
    json_t *list = json_array();
    for (; params && params->name; params++) {
        char min[64], max[64], fallback[64], range[400] = "";
        sms__print_param(fallback, sizeof fallback, params, params->fallback);
        for (size_t i = 0; params->unit == SMS_UNIT_CHOICE && params->choices[i]; i++)
            sms__append(range, sizeof range, "%s%s", i ? " | " : "", params->choices[i]);
        if (params->unit != SMS_UNIT_CHOICE) {
            sms__print_param(min, sizeof min, params, params->min);
            sms__print_param(max, sizeof max, params, params->max);
            snprintf(range, sizeof range, "%s to %s", min, max);
        }
        json_array_append_new(list, json_pack("{ss ss ss ss}", "name", params->name, "range", range, "default",
                                              fallback, "help", params->help ? params->help : ""));
    }
    return list;
}

static void add(json_t *list, const char *kind, const char *name, const char *help, const struct sms_param *params)
{
    json_array_append_new(list, json_pack("{ss ss ss so}", "kind", kind, "name", name, "help", help ? help : "",
                                          "parameters", params_of(params)));
}

/* Another parameter of the last entry, of a form of its own. */
static void add_form(json_t *list, const char *name, const char *form)
{
    json_t *last = json_array_get(list, json_array_size(list) - 1);
    json_array_append_new(json_object_get(last, "parameters"),
                          json_pack("{ss ss ss ss}", "name", name, "range", form, "default", "", "help", ""));
}

static void add_split(json_t *list)
{
    add_form(list, "instances", "[PROFILE, {PROFILE: MODE}, ...], of the device's mig (smsched list devices)");
    add_form(list, "inside", "the MODE of instances without a mode of their own; default time_slice");
}

/* The keys of a kind that are no parameters. */
static void add_forms(json_t *list, enum sms__known_kind kind, const struct sms__known *known)
{
    const struct sms_sharing_mode *mode = kind == SMS__MODE ? known->item : NULL;
    const struct sms_contention *model = kind == SMS__CONTENTION ? known->item : NULL;
    if (mode && mode->instances)
        add_split(list);
    if (mode && mode->caps)
        add_form(list, "caps", "{PROCESS: SHARE, ...}, in place of the active_threads of these processes");
    if (model && model->curves)
        add_form(list, "curves", "{RESOURCE: [[usage, overhead], ...]}, rising");
    if (model && model->pairs)
        add_form(list, "slowdown",
                 "{CLASS: {CLASS: FACTOR, ...}, ...}, by how much each class is slowed by each, at least 1");
}

static void add_kind(json_t *list, const struct sms_load_options *options, enum sms__known_kind kind, const char *what)
{
    struct sms__known known;
    for (size_t i = 0; (known = sms__known_at(options, kind, i)).name; i++) {
        const struct sms_block_policy *block = kind == SMS__BLOCK ? known.item : NULL;
        const char *queue = block && block->queue ? block->queue->name : NULL;
        char words[100];
        snprintf(words, sizeof words, "%s%s%s", what, queue ? ", queue " : "", queue ? queue : "");
        add(list, words, known.name, known.help, known.params);
        add_forms(list, kind, &known);
    }
}

static json_t *list_policies(const struct sms_load_options *options)
{
    json_t *list = json_array();
    add_kind(list, options, SMS__BLOCK, "block policy");
    add_kind(list, options, SMS__QUEUE, "queue discipline");
    add_kind(list, options, SMS__SHARE, "share policy");
    add_kind(list, options, SMS__MODE, "mode");
    add_kind(list, options, SMS__PLACE, "place policy");
    return list;
}

static json_t *list_contention(const struct sms_load_options *options)
{
    json_t *list = json_array();
    add_kind(list, options, SMS__CONTENTION, "contention model");
    return list;
}

static json_t *list_metrics(const struct sms_load_options *options)
{
    (void)options;
    json_t *list = json_array();
    for (int s = 0; s < SMS_SUBJECTS; s++) {
        size_t count;
        const struct sms_metric *metric = sms_metrics((enum sms_subject)s, &count);
        for (size_t m = 0; m < count; m++)
            json_array_append_new(list, json_pack("{ss ss ss}", "subject", sms__subject_word((enum sms_subject)s),
                                                  "name", metric[m].name, "formula", metric[m].formula));
    }
    return list;
}

static void add_fields(json_t *list, const struct sms__table *tables)
{
    for (; tables->title; tables++) {
        json_t *fields = json_array();
        for (const struct sms__field *field = tables->fields; field->name && !field->refuse; field++)
            json_array_append_new(fields, json_pack("{ss ss ss}", "name", field->name, "required",
                                                    field->required ? "required" : "", "help", field->help));
        json_array_append_new(list, json_pack("{ss so}", "table", tables->title, "fields", fields));
    }
}

static json_t *list_fields(const struct sms_load_options *options)
{
    (void)options;
    json_t *list = json_array();
    const struct sms__table *const tables[] = {sms__device_tables(),   sms__mig_tables,     sms__workload_tables(),
                                               sms__scenario_tables(), sms__process_tables, sms__stream_tables,
                                               sms__cluster_tables,    sms__pod_tables,     sms__arrival_tables};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        add_fields(list, tables[i]);
    for (const struct sms__guest *const *guest = sms__guests; *guest; guest++)
        if ((*guest)->tables)
            add_fields(list, (*guest)->tables);
    add_fields(list, sms__plan_tables);
    return list;
}

/* ---- the entries of one name ---- */

struct chosen {
    const char *name; /* NULL: all */
    json_t *names;    /* of all entries */
    bool found;
    bool nowhere; /* no folder has models of the kind */
    int code;     /* EXIT_OK, or of the first file or folder that is wrong */
};

/* Whether an entry of that name is wanted. */
static bool choose(struct chosen *chosen, const char *name)
{
    const bool wanted = !chosen->name || !strcmp(name, chosen->name);
    json_array_append_new(chosen->names, json_string(name));
    chosen->found |= wanted;
    return wanted;
}

/* A table of fields is wanted for any of its fields, too. */
static bool choose_table(struct chosen *chosen, const json_t *entry)
{
    const json_t *fields = json_object_get(entry, "fields");
    bool wanted = choose(chosen, list_text(entry, "table"));
    for (size_t f = 0; f < json_array_size(fields); f++)
        wanted |= choose(chosen, list_text(json_array_get(fields, f), "name"));
    return wanted;
}

static void choose_from(struct chosen *chosen, json_t *list)
{
    for (size_t i = json_array_size(list); i > 0; i--) {
        const json_t *entry = json_array_get(list, i - 1);
        if (!(json_object_get(entry, "table") ? choose_table(chosen, entry) : choose(chosen, list_text(entry, "name"))))
            json_array_remove(list, i - 1);
    }
}

static const char *chosen_name(const void *user, size_t i) { return json_string_value(json_array_get(user, i)); }

static int unknown_name(const struct cli *cli, const struct chosen *chosen)
{
    const char *near = sms__nearest(chosen->name, json_array_size(chosen->names), chosen_name, chosen->names);
    return cli_usage(cli, "none of the %s is '%s'%s", cli->args[0], chosen->name, sms__did_you_mean(near).text);
}

/* ---- printing it ---- */

/* Returns how many columns names take. */
static int width_of_names(const json_t *list)
{
    size_t width = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        size_t own = strlen(list_text(json_array_get(list, i), "name"));
        width = own > width ? own : width;
    }
    return (int)width;
}

static void print_uses(const json_t *list)
{
    int width = width_of_names(list);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i), *params = json_object_get(entry, "parameters");
        printf("%-*s %s: %s\n", width, list_text(entry, "name"), list_text(entry, "kind"), list_text(entry, "help"));
        for (size_t p = 0; p < json_array_size(params); p++) {
            const json_t *param = json_array_get(params, p);
            const char *fallback = list_text(param, "default");
            printf("    %s: %s%s%s%s%s\n", list_text(param, "name"), list_text(param, "range"),
                   *fallback ? ", default " : "", fallback, *fallback ? "; " : "", list_text(param, "help"));
        }
    }
}

static void print_metrics(const json_t *list)
{
    const char *subject = "";
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        if (strcmp(subject, list_text(entry, "subject")) != 0)
            printf("%sof a %s\n", i ? "\n" : "", list_text(entry, "subject"));
        subject = list_text(entry, "subject");
        printf("  %-28s %s\n", list_text(entry, "name"), list_text(entry, "formula"));
    }
}

static void print_fields(const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i), *fields = json_object_get(entry, "fields");
        printf("%s\n", list_text(entry, "table"));
        for (size_t f = 0; f < json_array_size(fields); f++) {
            const json_t *field = json_array_get(fields, f);
            printf("  %-24s %s%s\n", list_text(field, "name"), *list_text(field, "required") ? "(required) " : "",
                   list_text(field, "help"));
        }
        printf("\n");
    }
}

static void keep_code(struct chosen *chosen, int code) { chosen->code = chosen->code ? chosen->code : code; }

/* Loads a file of models as a scenario would. Returns NULL with the errors printed if it is invalid. */
static struct sms_file *open_model(const struct cli *cli, const char *path, struct chosen *chosen)
{
    struct sms_load_options options = session_options(cli);
    struct sms_errors errors;
    struct sms_file *file;
    int code = sms_file_load(path, &options, &file, &errors);
    if (code == SMS_ENOMEM)
        sms__note_memory(NULL);
    if (code)
        keep_code(chosen, cli_print_errors(code, &errors));
    return file;
}

static json_t *device_of(const struct sms__device *device)
{
    char resources[1000] = "", profiles[1000] = "";
    for (size_t r = 0; r < device->resources; r++)
        sms__append(resources, sizeof resources, "%s%s%s", r ? " " : "", device->resource[r].name,
                    device->resource[r].scope == SMS_SCOPE_DEVICE ? "*" : "");
    for (size_t p = 0; device->mig.sheet && p < device->mig.sheet->profiles; p++)
        sms__append(profiles, sizeof profiles, "%s%s", p ? " " : "", device->mig.sheet->profile[p].name);
    return json_pack("{ss ss sI sf sI ss ss}", "name", device->name, "title", device->title, "sms",
                     (json_int_t)device->sms, "clock_hz", device->clock_hz, "memory_bytes", (json_int_t)device->memory,
                     "resources", resources, "mig", profiles);
}

static void print_devices(const json_t *list)
{
    int width = width_of_names(list);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *device = json_array_get(list, i);
        printf("%-*s ", width, list_text(device, "name"));
        sms__print_visible(stdout, list_text(device, "title"));
        printf(": %.0f SMs, %.0f MHz, %.4g GiB; %s%s%s\n", json_number_value(json_object_get(device, "sms")),
               json_number_value(json_object_get(device, "clock_hz")) / 1e6,
               json_number_value(json_object_get(device, "memory_bytes")) / 1073741824.0,
               list_text(device, "resources"), *list_text(device, "mig") ? "; mig " : "", list_text(device, "mig"));
    }
}

/* Where the models of files go: into a list of devices, or to workloads, which may be printed at once. */
struct models {
    json_t *devices; /* or NULL */
    bool sheets;     /* of these, in place of what they are */
    struct workload_list *workloads;
    struct chosen *chosen; /* picks the workloads */
};

static void add_models(const struct cli *cli, const char *path, const struct models *models)
{
    struct sms_file *file = open_model(cli, path, models->chosen);
    for (size_t i = 0; file && models->devices && i < file->devices; i++)
        json_array_append_new(models->devices,
                              models->sheets ? sheet_list_entry(file->device[i]) : device_of(file->device[i]));
    for (size_t i = 0; file && models->workloads && i < file->workloads; i++)
        if (choose(models->chosen, file->workload[i]->name))
            workload_list_add(models->workloads, file->workload[i]);
    sms_file_free(file);
}

enum { FOLDERS_DEEP = 3 }; /* limit of nested folders, because links can form a circle */

static void add_folder(const struct cli *cli, const char *folder, int deep, const struct models *models)
{
    struct dirent **entry;
    struct stat st;
    char path[4400];
    int count = scandir(folder, &entry, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        bool fits = snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name) < (int)sizeof path;
        bool is_folder = fits && entry[i]->d_name[0] != '.' && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
        if (is_folder && deep > 1)
            add_folder(cli, path, deep - 1, models);
        else if (fits && !is_folder && !fnmatch("?*.yaml", entry[i]->d_name, 0))
            add_models(cli, path, models);
        free(entry[i]);
    }
    if (count >= 0)
        free(entry);
    else if (errno == ENOMEM)
        sms__note_memory(NULL);
    else if (errno != ENOENT)
        keep_code(models->chosen, cli_fail(EXIT_IO, folder, "cannot be read: %s", strerror(errno)));
}

/* Adds the models of the user's folder and of the installed one. Returns whether there is one. */
static bool add_library(const struct cli *cli, const char *kind, const struct models *models)
{
    const char *const folders[] = {cli->models, cli->installed_models};
    char folder[4200];
    bool any = false;
    for (size_t i = 0; i < 2; i++) {
        snprintf(folder, sizeof folder, "%s/%s", folders[i] ? folders[i] : "", kind);
        any |= folders[i] && access(folder, F_OK) == 0;
        if (folders[i])
            add_folder(cli, folder, FOLDERS_DEEP, models);
    }
    return any;
}

/* ---- the command ---- */

static const struct {
    const char *name;
    json_t *(*list)(const struct sms_load_options *options); /* NULL: from files */
    void (*print)(const json_t *list); /* as a table; NULL: always JSON, or printed as it is read */
} lists[] = {{"devices", NULL, print_devices},         {"workloads", NULL, NULL},
             {"policies", list_policies, print_uses},  {"contention", list_contention, print_uses},
             {"metrics", list_metrics, print_metrics}, {"fields", list_fields, print_fields},
             {"schema", schema_of_files, NULL}};

enum { LISTS = sizeof lists / sizeof *lists, SHOWN = LISTS - 2 }; /* fields and schema are printed only by name */
enum { DEVICES, WORKLOADS, SCHEMA = LISTS - 1 };

/* What the program has and what its plug-ins add to it. */
struct opened {
    struct sms_file file; /* holds the plug-ins */
    struct sms_load_options options;
};

static int open_plugins(void *user)
{
    static const struct sms__doc none;
    struct opened *opened = user;
    sms__plugins_open(&opened->file, &opened->options, &none);
    return SMS_OK;
}

/* Returns the list as JSON, or NULL if it was printed or could not be made. */
static json_t *make_list(const struct cli *cli, const struct sms_load_options *options, size_t which,
                         struct chosen *chosen)
{
    struct workload_list workloads = {options, which == WORKLOADS && wants_json(cli) ? json_array() : NULL};
    struct models models = {which == DEVICES ? json_array() : NULL, wants_sheets(cli),
                            which == WORKLOADS ? &workloads : NULL, chosen};
    if (lists[which].list)
        return lists[which].list(options);
    chosen->nowhere = !add_library(cli, lists[which].name, &models);
    return which == WORKLOADS ? workloads.json : models.devices;
}

static void print_list(const struct cli *cli, const struct sms_load_options *options, size_t which,
                       struct chosen *chosen)
{
    json_t *list = make_list(cli, options, which, chosen);
    if (chosen->name && list && which != WORKLOADS)
        choose_from(chosen, list);
    if (!list || chosen->nowhere || (chosen->name && !chosen->found)) {
        json_decref(list);
        return;
    }
    if (which == SCHEMA || wants_json(cli)) {
        const size_t numbers =
            which == SCHEMA ? JSON_INDENT(1) | JSON_REAL_PRECISION(12) : JSON_INDENT(2) | JSON_REAL_PRECISION(10);
        sms__json_write(list, stdout, numbers); /* cli_finish reports a failure */
        return;
    }
    if (wants_sheets(cli))
        sheet_list_print(list, chosen->name != NULL);
    else
        lists[which].print(list);
    json_decref(list);
}

static int unknown_list(const struct cli *cli)
{
    char all[160] = "";
    const char *near = sms__nearest(cli->args[0], LISTS, SMS__NAMES(lists, name));
    for (size_t i = 0; i < LISTS; i++)
        sms__append(all, sizeof all, "%s%s", i ? ", " : "; it lists ", lists[i].name);
    sms__append(all, sizeof all, "; modes are among the policies");
    return cli_usage(cli, "cannot list '%s'%s", cli->args[0], near ? sms__did_you_mean(near).text : all);
}

/* Prints one list, or its entries of the name that is the second argument. */
static int print_chosen(const struct cli *cli, const struct sms_load_options *options, size_t which)
{
    struct chosen chosen = {.name = cli->n_args > 1 ? cli->args[1] : NULL, .names = json_array()};
    print_list(cli, options, which, &chosen);
    const bool nowhere = chosen.nowhere && cli->n_args; /* else the other lists follow */
    const int code = nowhere ? cli_fail(EXIT_INPUT, NULL, "no models are installed: name a folder with %s/ by --models",
                                        lists[which].name)
                     : chosen.code                  ? chosen.code /* the name may be that of a file that is wrong */
                     : chosen.name && !chosen.found ? unknown_name(cli, &chosen)
                                                    : EXIT_OK;
    json_decref(chosen.names);
    return code;
}

/* Prints one list, or all that are shown without a name. */
static int print_lists(const struct cli *cli, const struct sms_load_options *options, size_t named)
{
    int code = EXIT_OK;
    if (cli->n_args)
        return print_chosen(cli, options, named);
    for (size_t i = 0; i < SHOWN; i++) {
        printf("%s== %s\n", i ? "\n" : "", lists[i].name);
        const int one = print_chosen(cli, options, i);
        code = code ? code : one;
    }
    return code;
}

static int list(struct cli *cli)
{
    struct sms_errors errors = {0};
    struct opened opened = {.file = {.errors = &errors, .arena.most = sms__memory_most(0)},
                            .options = session_options(cli)};
    const size_t named = cli->n_args ? sms__find_name(cli->args[0], LISTS, SMS__NAMES(lists, name)) : 0;
    if (named == LISTS)
        return unknown_list(cli);
    if (!cli->n_args && wants_json(cli))
        return cli_usage(cli, "--format json prints one list: name it, as in 'list policies'");
    if (wants_sheets(cli) && (!cli->n_args || named != DEVICES))
        return cli_usage(cli, "--sheet prints devices only: smsched list devices --sheet [NAME]");
    if (cli->n_args > (named == SCHEMA ? 1U : 2U))
        return cli_usage(cli, "unexpected argument '%s': give one list and at most one name",
                         cli->args[cli->n_args - 1]);
    int code = sms__guard(&opened.file.arena, open_plugins, &opened);
    if (code)
        sms__note_memory(NULL);
    else if (errors.count)
        code = errors.item[0].code;
    code = cli_print_errors(code, &errors); /* of plug-ins, before anything is printed */
    code = code ? code : print_lists(cli, &opened.options, named);
    sms__plugins_close(&opened.file);
    sms__arena_release(&opened.file.arena);
    return code;
}

const struct cli_command cmd_list = {
    .name = "list",
    .args = "[WHAT [NAME]]",
    .summary = "print the known devices, workloads, policies, contention models, metrics, fields or schema",
    .text = "With a NAME, prints only the entries of that name. Parameters are printed with their units, ranges and "
            "defaults. In the list of devices, * marks resources that all SMs share. Fields are the keys of files. The "
            "schema has the fields as JSON, for editors (docs/how-to/editors.md).",
    .words = "devices workloads policies contention metrics fields schema",
    .examples = "smsched list\n"
                "smsched list policies fine_grained\n"
                "smsched list devices --sheet v100\n"
                "smsched list policies --format json\n",
    .options = {{own_options}},
    .common = CLI_MODELS | CLI_PLUGINS,
    .size = sizeof(struct options),
    .run = list};
