/* Writes the rows of a results folder while the scenarios run. Policies come one after another, because jobs is 1. */
#include "rows.h"

#include "../base/escape.h"
#include "../model/scenario.h"

#include <stdlib.h>
#include <string.h>

enum { TIMELINE_ROWS = 20000, SPAN_ROWS = 200000 }; /* of a policy */

static const char timeline_name[] = "timeline.csv", spans_name[] = "spans.csv", gpus_name[] = "gpus.csv";

static bool open_rows(FILE **file, const char *name, const char *header, struct sms__folder *folder,
                      struct sms_errors *errors)
{
    *file = sms__folder_open(folder, name, errors);
    if (*file)
        fprintf(*file, "%s\n", header);
    return *file;
}

int rows_begin(struct rows *rows, const struct session *session, bool brief, struct sms__folder *folder,
               struct sms_errors *errors)
{
    bool blocks = session->scenarios == 0, shares = false, pods = false, gpus = false;
    for (size_t i = 0; i < session->scenarios; i++) {
        const struct sms_scenario *scenario = session->scenario[i];
        blocks |= !scenario->cluster;
        shares |= scenario->shares;
        pods |= scenario->cluster != NULL;
        gpus |= scenario->cluster && scenario->cluster->gpushare;
    }
    rows->brief = brief;
    if (blocks && !open_rows(&rows->timeline, timeline_name,
                             "scenario,policy,device,sm,vm,kernel,start_ns,end_ns,blocks", folder, errors))
        return SMS_EIO;
    if (shares &&
        !open_rows(&rows->spans, spans_name, "scenario,policy,process,device,state,start_ns,end_ns", folder, errors))
        return SMS_EIO;
    if (pods && placements_begin(&rows->placements, SPAN_ROWS, folder, errors))
        return SMS_EIO;
    if (gpus &&
        !open_rows(&rows->gpus, gpus_name,
                   "scenario,policy,node,gpu,memory_bytes,allocated_bytes,used_bytes,pods_count", folder, errors))
        return SMS_EIO;
    return SMS_OK;
}

void rows_start_scenario(struct rows *rows, const char *scenario)
{
    rows->scenario = scenario;
    rows->timeline_policy = NULL;
}

void rows_end_scenario(struct rows *rows)
{
    if (rows->placements.to)
        placements_flush(&rows->placements);
}

void rows_add_stay(struct rows *rows, const char *policy, const struct sms_stay *stay)
{
    if (rows->timeline_policy != policy)
        rows->timeline_rows = 0;
    rows->timeline_policy = policy;
    if (rows->timeline_rows++ >= TIMELINE_ROWS)
        return;
    SMS__PRINT_CSV(rows->timeline, rows->scenario, policy);
    fprintf(rows->timeline, "%zu,%zu,", stay->device, stay->sm);
    SMS__PRINT_CSV(rows->timeline, stay->vm, stay->kernel);
    fprintf(rows->timeline, "%.3f,%.3f,%u\n", (double)stay->start_ps / 1e3, (double)stay->end_ps / 1e3, stay->blocks);
}

static struct sms__cut *last_cut(const struct rows *rows) { return rows->cuts ? &rows->cut[rows->cuts - 1] : NULL; }

/* The counters of the policy; NULL when out of memory. */
static struct sms__cut *cut_of(struct rows *rows, const char *policy)
{
    struct sms__cut *last = last_cut(rows);
    if (last && !strcmp(last->policy, policy) && !strcmp(last->scenario, rows->scenario))
        return last;
    struct sms__cut *grown = realloc(rows->cut, (rows->cuts + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    rows->cut = grown;
    last = &grown[rows->cuts++];
    *last = (struct sms__cut){.scenario = rows->scenario, .policy = policy};
    return last;
}

/* Counts a row of the policy. Returns whether it may be written. */
static bool count_row(struct rows *rows, const char *policy, bool is_placement)
{
    struct sms__cut *cut = cut_of(rows, policy);
    if (!cut) {
        rows->failed = true;
        return false;
    }
    cut->placements = is_placement;
    bool room = cut->rows < SPAN_ROWS;
    cut->rows += room;
    cut->left_out += !room;
    return room;
}

/* The device's field is empty if there is none (-1). */
void rows_add_span(struct rows *rows, const char *policy, const struct sms_span *span)
{
    if (!count_row(rows, policy, false))
        return;
    SMS__PRINT_CSV(rows->spans, rows->scenario, policy, span->name);
    if (span->device >= 0)
        fprintf(rows->spans, "%ld", span->device);
    fputc(',', rows->spans);
    sms__print_csv(rows->spans, span->state);
    fprintf(rows->spans, ",%.3f,%.3f\n", (double)span->start_ps / 1e3, (double)span->end_ps / 1e3);
}

void rows_add_placement(struct rows *rows, const char *policy, const struct sms_placement *placement)
{
    const struct sms__cut *last = last_cut(rows);
    if (last && strcmp(last->policy, policy) != 0)
        placements_flush(&rows->placements);
    if (count_row(rows, policy, true))
        placements_add(&rows->placements, rows->scenario, policy, placement);
    else
        placements_leave_out(&rows->placements, placement);
}

void rows_add_gpu(struct rows *rows, const char *policy, const struct sms_shared_gpu *gpu)
{
    SMS__PRINT_CSV(rows->gpus, rows->scenario, policy, gpu->node);
    fprintf(rows->gpus, "%u,%llu,%llu,%llu,%u\n", gpu->gpu, (unsigned long long)gpu->memory_bytes,
            (unsigned long long)gpu->allocated_bytes, (unsigned long long)gpu->used_bytes, gpu->pods);
}

static void keep_incomplete(struct rows *rows)
{
    size_t kept = 0;
    for (size_t i = 0; i < rows->cuts; i++)
        if (rows->cut[i].left_out)
            rows->cut[kept++] = rows->cut[i];
    rows->cuts = kept;
}

int rows_end(struct rows *rows, struct sms__folder *folder, struct sms_errors *errors)
{
    const char *const name[] = {timeline_name, spans_name, gpus_name};
    FILE *const file[] = {rows->timeline, rows->spans, rows->gpus};
    int first = placements_end(&rows->placements, folder, errors);
    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        int code = file[i] ? sms__folder_close(folder, name[i], file[i], errors) : SMS_OK;
        first = first ? first : code;
    }
    if (rows->failed && !first)
        first = sms__fail(errors, SMS_ENOMEM, NULL, "no room for the rows of a timeline");
    keep_incomplete(rows);
    return first;
}
