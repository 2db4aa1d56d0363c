/* The files of a folder of results that `run --out` writes. */
#include "folder.h"
#include "json_write.h"
#include "output.h"

#include "../base/escape.h"
#include "../base/sources.h"

#include <jansson.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>

/* What every file is written from. */
struct writing {
    struct sms__folder *folder;
    const struct sms__set *set;
    struct sms_errors *errors;
};

static FILE *open_in(const struct writing *writing, const char *name)
{
    return sms__folder_open(writing->folder, name, writing->errors);
}

static int close_in(const struct writing *writing, const char *name, FILE *file)
{
    return sms__folder_close(writing->folder, name, file, writing->errors);
}

static bool has_any(const struct sms__set *set, enum sms_subject subject)
{
    for (size_t i = 0; i < set->count; i++)
        if (sms_results_subjects(set->results[i], subject))
            return true;
    return false;
}

/* No file where no scenario has such a subject. */
static int write_wide(const struct writing *writing, enum sms_subject subject)
{
    const char *name = sms__subject_file(subject);
    if (!has_any(writing->set, subject))
        return SMS_OK;
    FILE *file = open_in(writing, name);
    if (!file)
        return SMS_EIO;
    sms__print_wide(writing->set, subject, file);
    return close_in(writing, name, file);
}

/* JSON that could not be made for want of memory. */
static int close_json(const struct writing *writing, const char *name, FILE *file, bool whole)
{
    int code = close_in(writing, name, file);
    return code == SMS_OK && !whole ? sms__fail(writing->errors, SMS_ENOMEM, name, "out of memory") : code;
}

static int write_summary(const struct writing *writing)
{
    FILE *file = open_in(writing, "summary.json");
    if (!file)
        return SMS_EIO;
    bool whole = sms__print_json(writing->set, file) == 0;
    return close_json(writing, "summary.json", file, whole);
}

/* What `compare --format json` prints: the report's intervals of changes are paired, which those of the means are not.
 */
static int write_comparison(const struct writing *writing)
{
    FILE *file = open_in(writing, "comparison.json");
    if (!file)
        return SMS_EIO;
    size_t *baseline = calloc(writing->set->count + 1, sizeof *baseline);
    bool whole = baseline && sms__print_json_ratios(writing->set, baseline, file) == 0;
    free(baseline);
    return close_json(writing, "comparison.json", file, whole);
}

static void print_bins_of(const struct sms_results *results, size_t policy, size_t device, size_t sm, const float *bins,
                          FILE *to)
{
    const struct sms_scenario *scenario = sms_results_scenario(results);
    double bin_ns = (double)sms_results_bin_ps(results, policy) / 1e3;
    for (size_t b = 0; (double)b * bin_ns < scenario->duration_ps / 1e3; b++) {
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

/* Of SMs, which a cluster has none of. */
static int write_bins(const struct writing *writing)
{
    const struct sms__set *set = writing->set;
    if (!has_any(set, SMS_HOST))
        return SMS_OK;
    FILE *file = open_in(writing, "heatmap.csv");
    if (!file)
        return SMS_EIO;
    fprintf(file, "scenario,policy,device,sm,time_ns,width_ns,occupancy_ratio\n");
    for (size_t i = 0; i < set->count; i++)
        for (size_t p = 0; p < sms_results_policies(set->results[i]); p++)
            print_bins(set->results[i], p, file);
    return close_in(writing, "heatmap.csv", file);
}

static json_t *describe(const struct sms_results *results)
{
    const struct sms_scenario *scenario = sms_results_scenario(results);
    json_t *object = json_object();
    char hash[SHA256_DIGEST_STRING_LENGTH];
    SHA256Data((const uint8_t *)scenario->text, strlen(scenario->text), hash);
    json_object_set_new(object, "scenario", json_string(scenario->name));
    json_object_set_new(object, "file", sms__json_path(scenario->path));
    json_object_set_new(object, "sha256", json_string(hash));
    json_object_set_new(object, "text", sms__json_text(scenario->text));
    json_object_set_new(object, "seed", json_integer((json_int_t)sms_results_seed(results)));
    json_object_set_new(object, "replications", json_integer((json_int_t)sms_results_replications(results)));
    sms__json_stopping(results, object);
    return object;
}

/* NULL if there are none. */
static json_t *describe_cuts(const struct sms__set *set, bool placements)
{
    json_t *list = NULL;
    for (size_t i = 0; i < set->cuts; i++) {
        if (set->cut[i].placements != placements)
            continue;
        list = list ? list : json_array();
        json_t *object = json_object();
        json_object_set_new(object, "scenario", json_string(set->cut[i].scenario));
        json_object_set_new(object, "policy", json_string(set->cut[i].policy));
        json_object_set_new(object, "rows", json_integer((json_int_t)set->cut[i].rows));
        json_object_set_new(object, "left_out", json_integer((json_int_t)set->cut[i].left_out));
        json_array_append_new(list, object);
    }
    return list;
}

/* No date: the same command gives the same bytes. */
static json_t *make_manifest(const struct sms__set *set, const char *command)
{
    json_t *object = json_object(), *list = json_array();
    json_object_set_new(object, "format", json_integer(1));
    json_object_set_new(object, "version", json_string(SMSCHED_VERSION));
    json_object_set_new(object, "sources", json_string(sms__sources()));
    json_object_set_new(object, "command", sms__json_path(command));
    for (size_t i = 0; i < set->count; i++)
        json_array_append_new(list, describe(set->results[i]));
    json_object_set_new(object, "scenarios", list);
    json_t *spans = describe_cuts(set, false), *placements = describe_cuts(set, true);
    if (spans)
        json_object_set_new(object, "spans_cut", spans);
    if (placements)
        json_object_set_new(object, "placements_cut", placements);
    return object;
}

/* Files of processes are there only if a scenario has some. */
static int write_shares(const struct writing *writing)
{
    bool shares = false;
    for (size_t i = 0; i < writing->set->count; i++)
        shares |= sms_results_scenario(writing->set->results[i])->shares;
    int code = shares ? write_wide(writing, SMS_PROCESS) : SMS_OK;
    return shares && code == SMS_OK ? write_wide(writing, SMS_DEVICE) : code;
}

static void print_allocation(const struct sms_results *results, size_t policy, FILE *to)
{
    struct sms_allocation point;
    for (size_t i = 0; sms_results_allocation(results, policy, i, &point); i++) {
        SMS__PRINT_CSV(to, sms_scenario_name(sms_results_scenario(results)), sms_results_policy(results, policy));
        fprintf(to, "%.6f,%.6f,%.6f\n", point.arrived, point.allocated, point.fragments);
    }
}

static int write_allocation(const struct writing *writing)
{
    const struct sms__set *set = writing->set;
    FILE *file = open_in(writing, "allocation.csv");
    if (!file)
        return SMS_EIO;
    fprintf(file, "scenario,policy,arrived_ratio,allocated_ratio,fragment_ratio\n");
    for (size_t i = 0; i < set->count; i++)
        for (size_t p = 0; p < sms_results_policies(set->results[i]); p++)
            print_allocation(set->results[i], p, file);
    return close_in(writing, "allocation.csv", file);
}

/* Files of clusters, the same. */
static int write_clusters(const struct writing *writing)
{
    bool clusters = false;
    for (size_t i = 0; i < writing->set->count; i++)
        clusters |= sms_results_scenario(writing->set->results[i])->cluster != NULL;
    int code = clusters ? write_wide(writing, SMS_CLUSTER) : SMS_OK;
    if (clusters && code == SMS_OK)
        code = write_wide(writing, SMS_NODE);
    return clusters && code == SMS_OK ? write_allocation(writing) : code;
}

int sms__run_folder_end(struct sms__folder *folder, const struct sms__set *set, const char *command,
                        struct sms_errors *errors)
{
    static const enum sms_subject wide[] = {SMS_HOST, SMS_VM, SMS_RESOURCE, SMS_KERNEL};
    static int (*const others[])(const struct writing *) = {write_shares, write_clusters, write_bins, write_summary,
                                                            write_comparison};
    const struct writing writing = {folder, set, errors};
    int code = SMS_OK;
    for (size_t i = 0; i < sizeof wide / sizeof *wide && code == SMS_OK; i++)
        code = write_wide(&writing, wide[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others && code == SMS_OK; i++)
        code = others[i](&writing);
    return code == SMS_OK ? sms__folder_end(folder, make_manifest(set, command), errors) : code;
}
