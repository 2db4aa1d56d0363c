#define _XOPEN_SOURCE 700
#include "output.h"
#include "../model/scenario.h"

#include "../base/sources.h"

#include <errno.h>
#include <ftw.h>
#include <jansson.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int sms__folder_begin(const char *dir, char *temporary, size_t size, struct sms_errors *errors)
{
    struct stat st;
    size_t length = strlen(dir);
    while (length > 1 && dir[length - 1] == '/')
        length--;
    if (stat(dir, &st) == 0)
        return sms__fail(errors, SMS_EIO, dir, "exists already; results never overwrite");
    if ((size_t)snprintf(temporary, size, "%.*s.partial-XXXXXX", (int)length, dir) >= size)
        return sms__fail(errors, SMS_EIO, dir, "the name is too long");
    if (!mkdtemp(temporary))
        return sms__fail(errors, SMS_EIO, dir, "cannot be made: %s", strerror(errno));
    if (chmod(temporary, 0755))
        return sms__fail(errors, SMS_EIO, dir, "%s", strerror(errno));
    return SMS_OK;
}

static FILE *open_in(const char *folder, const char *name)
{
    char path[4400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return fopen(path, "we");
}

/* Whether all that was written is on its way to the disk. */
static bool close_whole(FILE *file)
{
    bool whole = !ferror(file) && fflush(file) == 0 && fsync(fileno(file)) == 0;
    return fclose(file) == 0 && whole;
}

static bool has_any(const struct sms__set *set, enum sms_subject subject)
{
    for (size_t i = 0; i < set->count; i++)
        if (sms_results_subjects(set->results[i], subject))
            return true;
    return false;
}

/* No file where no scenario has such a subject. */
static bool write_wide(const char *folder, const struct sms__set *set, enum sms_subject subject, const char *name)
{
    if (!has_any(set, subject))
        return true;
    FILE *file = open_in(folder, name);
    if (!file)
        return false;
    sms__print_wide(set, subject, file);
    return close_whole(file);
}

static bool write_summary(const char *folder, const struct sms__set *set)
{
    FILE *file = open_in(folder, "summary.json");
    if (!file)
        return false;
    bool whole = sms__print_json(set, file) == 0;
    return close_whole(file) && whole;
}

/* What `compare --format json` prints: the report's intervals of changes are paired, which those of the means are not.
 */
static bool write_comparison(const char *folder, const struct sms__set *set)
{
    FILE *file = open_in(folder, "comparison.json");
    size_t *baseline = calloc(set->count + 1, sizeof *baseline);
    bool whole = file && baseline && sms__print_json_ratios(set, baseline, file) == 0;
    free(baseline);
    return file && close_whole(file) && whole;
}

static void print_bins(const struct sms_results *results, size_t policy, FILE *to)
{
    const struct sms_scenario *scenario = sms_results_scenario(results);
    double bin_ns = (double)sms_results_bin_ps(results, policy) / 1e3;
    size_t sm_of_all = 0;
    for (size_t d = 0; d < scenario->devices && !scenario->cluster; d++)
        for (size_t s = 0; s < scenario->device[d]->sms; s++, sm_of_all++) {
            const float *bins = sms_results_bins(results, policy, sm_of_all);
            for (size_t b = 0; bins && (double)b * bin_ns < scenario->duration_ps / 1e3; b++)
                fprintf(to, "%s,%s,%zu,%zu,%.3f,%.3f,%.4f\n", scenario->name, sms_results_policy(results, policy), d, s,
                        (double)b * bin_ns, bin_ns, (double)bins[b]);
        }
}

/* Of SMs, which a cluster has none of. */
static bool write_bins(const char *folder, const struct sms__set *set)
{
    if (!has_any(set, SMS_HOST))
        return true;
    FILE *file = open_in(folder, "heatmap.csv");
    if (!file)
        return false;
    fprintf(file, "scenario,policy,device,sm,time_ns,width_ns,occupancy_ratio\n");
    for (size_t i = 0; i < set->count; i++)
        for (size_t p = 0; p < sms_results_policies(set->results[i]); p++)
            print_bins(set->results[i], p, file);
    return close_whole(file);
}

static json_t *describe(const struct sms_results *results)
{
    const struct sms_scenario *scenario = sms_results_scenario(results);
    json_t *object = json_object();
    char hash[SHA256_DIGEST_STRING_LENGTH];
    SHA256Data((const uint8_t *)scenario->text, strlen(scenario->text), hash);
    json_object_set_new(object, "scenario", json_string(scenario->name));
    json_object_set_new(object, "file", json_string(scenario->path));
    json_object_set_new(object, "sha256", json_string(hash));
    json_object_set_new(object, "text", json_string(scenario->text));
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
static bool write_manifest(const char *folder, const struct sms__set *set, const char *command)
{
    FILE *file = open_in(folder, "manifest.json");
    json_t *object = json_object(), *list = json_array();
    if (!file)
        return false;
    json_object_set_new(object, "format", json_integer(1));
    json_object_set_new(object, "version", json_string(SMSCHED_VERSION));
    json_object_set_new(object, "sources", json_string(sms__sources()));
    json_object_set_new(object, "command", json_string(command));
    for (size_t i = 0; i < set->count; i++)
        json_array_append_new(list, describe(set->results[i]));
    json_object_set_new(object, "scenarios", list);
    json_t *spans = describe_cuts(set, false), *placements = describe_cuts(set, true);
    if (spans)
        json_object_set_new(object, "spans_cut", spans);
    if (placements)
        json_object_set_new(object, "placements_cut", placements);
    bool whole = json_dumpf(object, file, JSON_INDENT(2)) == 0;
    fputc('\n', file);
    json_decref(object);
    return close_whole(file) && whole;
}

/* Files of processes are there only if a scenario has some. */
static bool write_shares(const char *folder, const struct sms__set *set)
{
    bool shares = false;
    for (size_t i = 0; i < set->count; i++)
        shares |= sms_results_scenario(set->results[i])->shares;
    return !shares || (write_wide(folder, set, SMS_PROCESS, "processes.csv") &&
                       write_wide(folder, set, SMS_DEVICE, "devices.csv"));
}

static void print_allocation(const struct sms_results *results, size_t policy, FILE *to)
{
    struct sms_allocation point;
    for (size_t i = 0; sms_results_allocation(results, policy, i, &point); i++)
        fprintf(to, "%s,%s,%.6f,%.6f,%.6f\n", sms_scenario_name(sms_results_scenario(results)),
                sms_results_policy(results, policy), point.arrived, point.allocated, point.fragments);
}

static bool write_allocation(const char *folder, const struct sms__set *set)
{
    FILE *file = open_in(folder, "allocation.csv");
    if (!file)
        return false;
    fprintf(file, "scenario,policy,arrived_ratio,allocated_ratio,fragment_ratio\n");
    for (size_t i = 0; i < set->count; i++)
        for (size_t p = 0; p < sms_results_policies(set->results[i]); p++)
            print_allocation(set->results[i], p, file);
    return close_whole(file);
}

/* Files of clusters, the same. */
static bool write_clusters(const char *folder, const struct sms__set *set)
{
    bool clusters = false;
    for (size_t i = 0; i < set->count; i++)
        clusters |= sms_results_scenario(set->results[i])->cluster != NULL;
    return !clusters || (write_wide(folder, set, SMS_CLUSTER, "cluster.csv") &&
                         write_wide(folder, set, SMS_NODE, "nodes.csv") && write_allocation(folder, set));
}

int sms__folder_write(const char *temporary, const struct sms__set *set, const char *command, struct sms_errors *errors)
{
    bool whole = write_wide(temporary, set, SMS_HOST, "hosts.csv") && write_wide(temporary, set, SMS_VM, "vms.csv") &&
                 write_wide(temporary, set, SMS_RESOURCE, "resources.csv") &&
                 write_wide(temporary, set, SMS_KERNEL, "kernels.csv") && write_shares(temporary, set) &&
                 write_clusters(temporary, set) && write_bins(temporary, set) && write_summary(temporary, set) &&
                 write_comparison(temporary, set) && write_manifest(temporary, set, command);
    if (!whole)
        return sms__fail(errors, SMS_EIO, temporary, "cannot be written: %s", strerror(errno));
    return SMS_OK;
}

int sms__folder_end(const char *temporary, const char *dir, struct sms_errors *errors)
{
    if (rename(temporary, dir))
        return sms__fail(errors, SMS_EIO, dir, "cannot be made: %s", strerror(errno));
    return SMS_OK;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *walk)
{
    (void)st, (void)type, (void)walk;
    return remove(path);
}

void sms__folder_abandon(const char *temporary) { nftw(temporary, remove_one, 8, FTW_DEPTH | FTW_PHYS); }
