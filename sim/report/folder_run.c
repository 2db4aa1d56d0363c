/* The files of a folder of results that `run --out` writes. The same command writes the same bytes, so nothing in them
 * is dated. */
#include "folder.h"
#include "json_write.h"
#include "output.h"

#include "../base/escape.h"
#include "../base/sources.h"
#include "../model/policy/plugins.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>

struct writing {
    struct sms__folder *folder;
    const struct sms__set *set;
    struct sms_errors *errors;
};

static bool has_any(const struct sms__set *set, enum sms_subject subject)
{
    for (size_t i = 0; i < set->count; i++)
        if (sms_results_subjects(set->results[i], subject))
            return true;
    return false;
}

/* What `compare --format json` prints, over the first policy: its intervals of changes are paired, which those of the
 * means are not. */
static int print_comparison(const struct sms__set *set, FILE *to)
{
    size_t *baseline = calloc(set->count + 1, sizeof *baseline);
    int failed = baseline ? sms__print_json_ratios(set, baseline, to) : -1;
    free(baseline);
    return failed;
}

static void print_bins_of(const struct sms_results *results, size_t policy, size_t device, size_t sm, const float *bins,
                          FILE *to)
{
    const struct sms_scenario *scenario = sms_results_scenario(results);
    double bin_ns = (double)sms_results_bin_ps(results, policy) / 1e3;
    for (size_t b = 0; (double)b * bin_ns < scenario->duration_ps / 1e3 && !isnan(bins[b]); b++) {
        SMS__PRINT_CSV(to, scenario->name, sms_results_policy(results, policy));
        fprintf(to, "%zu,%zu,%.3f,%.3f,%.4f\n", device, sm, (double)b * bin_ns, bin_ns, (double)bins[b]);
    }
}

static void print_bins(const struct sms_results *results, size_t policy, FILE *to)
{
    const struct sms_scenario *scenario = sms_results_scenario(results);
    size_t sm_of_all = 0;
    for (size_t d = 0; d < scenario->devices && !scenario->cluster; d++)
        for (size_t s = 0; s < scenario->device[d]->sms; s++, sm_of_all++) {
            const float *bins = sms_results_bins(results, policy, sm_of_all);
            if (bins)
                print_bins_of(results, policy, d, s, bins, to);
        }
}

/* By content, because a path says nothing of what was built there. */
static json_t *describe_plugins(const struct sms_file *file)
{
    json_t *list = json_array();
    char hash[SHA256_DIGEST_STRING_LENGTH];
    for (size_t i = 0; i < file->plugins; i++) {
        json_t *object = json_object();
        SHA256Data((const uint8_t *)file->plugin[i].bytes, file->plugin[i].size, hash);
        json_object_set_new(object, "file", sms__json_path(file->plugin[i].given));
        json_object_set_new(object, "sha256", json_string(hash));
        json_array_append_new(list, object);
    }
    return list;
}

/* The text of the scenario before, because a file may hold many. */
struct described {
    const char *text;
    char hash[SHA256_DIGEST_STRING_LENGTH];
};

static json_t *describe(const struct sms_results *results, struct described *last)
{
    const struct sms_scenario *scenario = sms_results_scenario(results);
    json_t *object = json_object();
    const char *text = scenario->node->mark.text;
    const bool same = text == last->text;
    last->text = text;
    if (!same)
        SHA256Data((const uint8_t *)text, strlen(text), last->hash);
    json_object_set_new(object, "scenario", json_string(scenario->name));
    json_object_set_new(object, "file", sms__json_path(scenario->node->mark.file));
    json_object_set_new(object, "sha256", json_string(last->hash));
    if (!same)
        json_object_set_new(object, "text", sms__json_text(text));
    if (scenario->file->plugins)
        json_object_set_new(object, "plugins", describe_plugins(scenario->file));
    json_object_set_new(object, "seed", json_integer((json_int_t)sms_results_seed(results)));
    json_object_set_new(object, "replications", json_integer((json_int_t)sms_results_replications(results)));
    sms__json_stopping(results, object);
    return object;
}

/* NULL if there are none. */
static json_t *describe_cuts(const struct sms__set *set, enum sms__cut_kind kind)
{
    json_t *list = NULL;
    for (size_t i = 0; i < set->cuts; i++) {
        if (set->cut[i].kind != kind)
            continue;
        list = list ? list : json_array();
        json_array_append_new(list, json_pack("{ss ss sI sI}", "scenario", set->cut[i].scenario, "policy",
                                              set->cut[i].policy, "rows", (json_int_t)set->cut[i].rows, "left_out",
                                              (json_int_t)set->cut[i].left_out));
    }
    return list;
}

static const char *const cut_key[SMS__CUT_KINDS] = {"spans_cut", "placements_cut", "timeline_cut", "waits_cut"};

/* No date: the same command gives the same bytes. */
static json_t *make_manifest(const struct sms__set *set, const char *command)
{
    json_t *object = json_object(), *list = json_array();
    struct described last = {NULL, ""};
    json_object_set_new(object, "format", json_integer(1));
    json_object_set_new(object, "version", json_string(SMSCHED_VERSION));
    json_object_set_new(object, "sources", json_string(sms__sources()));
    json_object_set_new(object, "command", sms__json_path(command));
    for (size_t i = 0; i < set->count; i++)
        json_array_append_new(list, describe(set->results[i], &last));
    json_object_set_new(object, "scenarios", list);
    for (int k = 0; k < SMS__CUT_KINDS; k++) {
        json_t *cuts = describe_cuts(set, (enum sms__cut_kind)k);
        if (cuts)
            json_object_set_new(object, cut_key[k], cuts);
    }
    return object;
}

static void print_allocation(const struct sms_results *results, size_t policy, FILE *to)
{
    struct sms_allocation point;
    for (size_t i = 0; sms_results_allocation(results, policy, i, &point); i++) {
        SMS__PRINT_CSV(to, sms_scenario_name(sms_results_scenario(results)), sms_results_policy(results, policy));
        fprintf(to, "%.6f,%.6f,%.6f\n", point.arrived, point.allocated, point.fragments);
    }
}

static void print_latencies_of(const struct sms_results *results, size_t policy, size_t v, FILE *to)
{
    const struct sms_scenario *scenario = sms_results_scenario(results);
    struct sms_latency point[SMS_LATENCIES];
    const size_t points = sms_results_latencies(results, policy, v, point);
    for (size_t i = 0; i < points; i++) {
        SMS__PRINT_CSV(to, scenario->name, sms_results_policy(results, policy),
                       sms_results_subject(results, SMS_VM, v));
        fprintf(to, "%.3f,%" PRIu64 ",%.6f,", point[i].latency_ns, point[i].jobs, point[i].share);
        if (scenario->vm[v].deadline_ps > 0)
            fprintf(to, "%.3f", scenario->vm[v].deadline_ps / 1e3);
        fputc('\n', to);
    }
}

static void print_latencies(const struct sms_results *results, size_t policy, FILE *to)
{
    for (size_t v = 0; v < sms_results_subjects(results, SMS_VM); v++)
        print_latencies_of(results, policy, v, to);
}

/* Files that are not those of subjects. `of`: they are there if a scenario has this subject, or always. */
struct file {
    const char *name;
    enum sms_subject of;
    int (*print)(const struct sms__set *set, FILE *to); /* 0; or -1, out of memory */
    /* or, of CSV, the first line, and what prints the others of a policy */
    const char *head;
    void (*print_policy)(const struct sms_results *results, size_t policy, FILE *to);
};

static const struct file files[] = {
    {"heatmap.csv", SMS_HOST, NULL, "scenario,policy,device,sm,time_ns,width_ns,occupancy_ratio\n", print_bins},
    {"latencies.csv", SMS_VM, NULL, "scenario,policy,vm,latency_ns,jobs_count,share_ratio,deadline_ns\n",
     print_latencies},
    {"allocation.csv", SMS_CLUSTER, NULL, "scenario,policy,arrived_ratio,allocated_ratio,fragment_ratio\n",
     print_allocation},
    {"summary.json", SMS_SUBJECTS, sms__print_json},
    {"comparison.json", SMS_SUBJECTS, print_comparison}};

static void print_policies(const struct file *file, const struct sms__set *set, FILE *to)
{
    fputs(file->head, to);
    for (size_t i = 0; i < set->count; i++)
        for (size_t p = 0; p < sms_results_policies(set->results[i]); p++)
            file->print_policy(set->results[i], p, to);
}

/* No file where no scenario has such a subject; `of` SMS_SUBJECTS: always. A file that only has a name and a subject is
 * the table of the subject. */
static int write_file(const struct writing *writing, const struct file *file)
{
    bool whole = true;
    if (file->of != SMS_SUBJECTS && !has_any(writing->set, file->of))
        return SMS_OK;
    FILE *to = sms__folder_open(writing->folder, file->name, writing->errors);
    if (!to)
        return SMS_EIO;
    if (file->print)
        whole = file->print(writing->set, to) == 0;
    else if (file->head)
        print_policies(file, writing->set, to);
    else
        sms__print_wide(writing->set, file->of, to);
    int code = sms__folder_close(writing->folder, file->name, to, writing->errors);
    return code == SMS_OK && !whole ? sms__fail(writing->errors, SMS_ENOMEM, file->name, "out of memory") : code;
}

int sms__run_folder_end(struct sms__folder *folder, const struct sms__set *set, const char *command,
                        struct sms_errors *errors)
{
    const struct writing writing = {folder, set, errors};
    int code = SMS_OK;
    for (int s = 0; s < SMS_SUBJECTS && code == SMS_OK; s++)
        code = write_file(&writing, &(struct file){sms__subject_file((enum sms_subject)s), (enum sms_subject)s});
    for (size_t i = 0; i < sizeof files / sizeof *files && code == SMS_OK; i++)
        code = write_file(&writing, &files[i]);
    return code == SMS_OK ? sms__folder_end(folder, make_manifest(set, command), errors) : code;
}
