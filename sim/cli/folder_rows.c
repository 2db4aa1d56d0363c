/* Writes the rows of a results folder while the scenarios run. Policies come one after another, because jobs is 1. */
#define _XOPEN_SOURCE 700
#include "folder_rows.h"

#include "../base/escape.h"
#include "../base/room.h"
#include "../model/scenario.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The most of a policy. */
enum { TIMELINE_ROWS = 20000, SPAN_ROWS = 200000 };
static const uint64_t most_rows[SMS__CUT_KINDS] = {SPAN_ROWS, SPAN_ROWS, TIMELINE_ROWS, TIMELINE_ROWS};

/* What scenarios must have for a file of rows to be there. */
enum { BLOCKS = 1, WHOLE = 2 /* not --brief */, SHARES = 4, PODS = 8, GUEST = 16 };

static const struct {
    const char *name, *header;
    unsigned needs;
} files[ROWS_FILES] = {
    [ROWS_TIMELINE] = {"timeline.csv", "scenario,policy,device,sm,vm,kernel,start_ns,end_ns,blocks", BLOCKS},
    [ROWS_WAITS] = {"waits.csv", "scenario,policy,device,vm,kernel,launch_ns,end_ns,waited_ns,sms,reason",
                    BLOCKS | WHOLE},
    [ROWS_SPANS] = {"spans.csv", "scenario,policy,process,device,sms,state,start_ns,end_ns", SHARES},
    [ROWS_PARTS] = {"parts.csv", "scenario,policy,process,device,ranges,at_ns", SHARES},
    [ROWS_PLACEMENTS] = {"placements.csv",
                         "scenario,policy,time_ns,wait_ns,pod,node,gpus,arrived_ratio,allocated_ratio,fragment_ratio,"
                         "end_ns,ended",
                         PODS},
    [ROWS_GPUS] = {"gpus.csv", "scenario,policy,node,gpu,memory_bytes,allocated_bytes,used_bytes,pods_count", GUEST}};

struct placement_end {
    uint64_t end_ps;
    const char *ended; /* "": unknown */
};

/* Stores the pod's current row + 1, or 0. Returns false when out of memory. */
static bool set_row(struct placements *placements, size_t pod, uint32_t row)
{
    if (pod >= placements->pods) {
        size_t pods = 2 * pod + 1024;
        uint32_t *grown = row ? realloc(placements->row_of, pods * sizeof *grown) : NULL;
        if (!grown)
            return row == 0;
        memset(grown + placements->pods, 0, (pods - placements->pods) * sizeof *grown);
        placements->row_of = grown;
        placements->pods = pods;
    }
    placements->row_of[pod] = row;
    return true;
}

static bool add_row(struct placements *placements, size_t pod)
{
    if (!placements->end)
        placements->end = calloc(SPAN_ROWS, sizeof *placements->end);
    if (!placements->end || !set_row(placements, pod, (uint32_t)placements->rows + 1))
        return false;
    placements->end[placements->rows++] = (struct placement_end){.ended = ""};
    return true;
}

static void write_beginning(struct placements *placements, const char *scenario, const char *policy,
                            const struct sms_placement *placement)
{
    FILE *to = placements->beginnings;
    if (!add_row(placements, placement->number)) {
        placements->failed = true;
        return;
    }
    SMS__PRINT_CSV(to, scenario, policy);
    fprintf(to, "%.3f,%.3f,", (double)placement->time_ps / 1e3, (double)placement->wait_ps / 1e3);
    SMS__PRINT_CSV(to, placement->pod, placement->node);
    for (unsigned i = 0, n = 0; i < 64; i++)
        if (placement->gpus >> i & 1)
            fprintf(to, "%s%u", n++ ? " " : "", i);
    if (placement->profile)
        fprintf(to, ":%s@%u-%u", placement->profile, placement->slice, placement->last_slice);
    fprintf(to, ",%.6f,%.6f,%.6f\n", placement->arrived, placement->allocated, placement->fragments);
}

/* Writes the rows of a policy that has ended. */
static void flush_placements(struct placements *placements, FILE *to)
{
    char *line = NULL;
    size_t size = 0;
    rewind(placements->beginnings);
    for (size_t i = 0; i < placements->rows; i++) {
        const struct placement_end *end = &placements->end[i];
        ssize_t length = getline(&line, &size, placements->beginnings);
        placements->failed |= length < 1;
        if (length < 1)
            break;
        fprintf(to, "%.*s,%.3f,%s\n", (int)length - 1, line, (double)end->end_ps / 1e3, end->ended);
    }
    free(line);
    rewind(placements->beginnings);
    placements->rows = 0;
    if (placements->row_of)
        memset(placements->row_of, 0, placements->pods * sizeof *placements->row_of);
}

/* Returns whether all rows of placements were kept. */
static bool end_placements(struct placements *placements)
{
    bool failed = placements->failed || (placements->beginnings && ferror(placements->beginnings));
    if (placements->beginnings)
        fclose(placements->beginnings);
    free(placements->end);
    free(placements->row_of);
    *placements = (struct placements){0};
    return !failed;
}

int rows_begin(struct rows *rows, const struct session *session, bool brief, struct sms__folder *folder,
               struct sms_errors *errors)
{
    unsigned has = (session->scenarios ? 0 : BLOCKS) | (brief ? 0 : WHOLE);
    for (size_t i = 0; i < session->scenarios; i++) {
        const struct sms_scenario *scenario = session->scenario[i];
        has |= scenario->cluster ? PODS : BLOCKS;
        has |= (scenario->shares ? SHARES : 0U) | (scenario->cluster && scenario->cluster->guest ? GUEST : 0U);
    }
    rows->brief = brief;
    for (size_t i = 0; i < ROWS_FILES; i++) {
        if (files[i].needs & ~has)
            continue;
        rows->file[i] = sms__folder_open(folder, files[i].name, errors);
        if (!rows->file[i])
            return SMS_EIO;
        fprintf(rows->file[i], "%s\n", files[i].header);
    }
    rows->placements.beginnings = rows->file[ROWS_PLACEMENTS] ? tmpfile() : NULL;
    if (rows->file[ROWS_PLACEMENTS] && !rows->placements.beginnings)
        return sms__fail(errors, SMS_EIO, NULL, "a temporary file cannot be made: %s", strerror(errno));
    return SMS_OK;
}

void rows_start_scenario(struct rows *rows, const struct sms_scenario *scenario) { rows->scenario = scenario; }

void rows_end_scenario(struct rows *rows)
{
    if (rows->file[ROWS_PLACEMENTS])
        flush_placements(&rows->placements, rows->file[ROWS_PLACEMENTS]);
}

/* Whether rows of another policy came last. */
static bool is_another(const struct rows *rows, const char *policy)
{
    return rows->cuts > 0 && strcmp(rows->cut[rows->cuts - 1].policy, policy) != 0;
}

/* The counters of the policy's rows of this kind; NULL when out of memory. The policy that runs has the last ones. */
static struct sms__cut *cut_of(struct rows *rows, const char *policy, enum sms__cut_kind kind)
{
    for (size_t i = rows->cuts; i > 0; i--) {
        struct sms__cut *cut = &rows->cut[i - 1];
        if (strcmp(cut->policy, policy) != 0 || strcmp(cut->scenario, rows->scenario->name) != 0)
            break;
        if (cut->kind == kind)
            return cut;
    }
    struct sms__cut *grown = sms__room(rows->cut, rows->cuts, sizeof *grown);
    if (!grown)
        return NULL;
    rows->cut = grown;
    grown[rows->cuts] = (struct sms__cut){.scenario = rows->scenario->name, .policy = policy, .kind = kind};
    return &grown[rows->cuts++];
}

/* Counts a row of the policy. Returns whether it may be written. */
static bool count_row(struct rows *rows, const char *policy, enum sms__cut_kind kind)
{
    struct sms__cut *cut = cut_of(rows, policy, kind);
    if (!cut) {
        rows->failed = true;
        return false;
    }
    bool room = cut->rows < most_rows[kind];
    cut->rows += room;
    cut->left_out += !room;
    return room;
}

static void add_stay(struct rows *rows, const char *policy, const struct sms_stay *stay)
{
    FILE *to = rows->file[ROWS_TIMELINE];
    if (!count_row(rows, policy, SMS__CUT_TIMELINE))
        return;
    SMS__PRINT_CSV(to, rows->scenario->name, policy);
    fprintf(to, "%zu,%zu,", stay->device, stay->sm);
    SMS__PRINT_CSV(to, stay->vm, stay->kernel);
    fprintf(to, "%.3f,%.3f,%u\n", (double)stay->start_ps / 1e3, (double)stay->end_ps / 1e3, stay->blocks);
}

static void add_wait(struct rows *rows, const char *policy, const struct sms_wait *wait)
{
    FILE *to = rows->file[ROWS_WAITS];
    if (!count_row(rows, policy, SMS__CUT_WAITS))
        return;
    SMS__PRINT_CSV(to, rows->scenario->name, policy);
    fprintf(to, "%zu,", wait->device);
    SMS__PRINT_CSV(to, wait->vm, wait->kernel);
    fprintf(to, "%.3f,%.3f,%.3f,%zu,", (double)wait->launch_ps / 1e3, (double)wait->end_ps / 1e3,
            (double)wait->waited_ps / 1e3, wait->sms);
    sms__print_csv(to, wait->reason);
    fputc('\n', to);
}

/* A device by its number, an instance as "0:2g.10gb#1": of which device, its profile and its number. */
static void print_device(const struct rows *rows, const char *policy, long device, FILE *to)
{
    const struct sms__site site = sms__site_under(rows->scenario, policy, (size_t)device);
    if (site.device && site.device->mig.board)
        fprintf(to, "%zu:%s#%zu", site.board, site.device->mig.profile->name, site.number);
    else
        fprintf(to, "%ld", device);
}

/* The fields of device and SMs are empty if there is none (-1). */
static void add_span(struct rows *rows, const char *policy, const struct sms_span *span)
{
    FILE *to = rows->file[ROWS_SPANS];
    if (!count_row(rows, policy, SMS__CUT_SPANS))
        return;
    SMS__PRINT_CSV(to, rows->scenario->name, policy, span->name);
    if (span->device >= 0) {
        print_device(rows, policy, span->device, to);
        fprintf(to, ",%zu", span->sms);
    }
    fputs(span->device >= 0 ? "," : ",,", to);
    sms__print_csv(to, span->state);
    fprintf(to, ",%.3f,%.3f\n", (double)span->start_ps / 1e3, (double)span->end_ps / 1e3);
}

/* SMs as "0-31 40". */
static void add_part(struct rows *rows, const char *policy, const struct sms_part *part)
{
    FILE *to = rows->file[ROWS_PARTS];
    const char *blank = "";
    if (!count_row(rows, policy, SMS__CUT_SPANS))
        return;
    SMS__PRINT_CSV(to, rows->scenario->name, policy, part->name);
    print_device(rows, policy, part->device, to);
    fputc(',', to);
    for (size_t s = 0, end; s < part->of; s = end + 1) {
        for (end = s; end < part->of && (part->set[end / 64] >> (end % 64) & 1);)
            end++;
        if (end > s)
            fprintf(to, end > s + 1 ? "%s%zu-%zu" : "%s%zu", blank, s, end - 1);
        blank = end > s ? " " : blank;
    }
    fprintf(to, ",%.3f\n", (double)part->at_ps / 1e3);
}

static void add_placement(struct rows *rows, const char *policy, const struct sms_placement *placement)
{
    if (is_another(rows, policy))
        flush_placements(&rows->placements, rows->file[ROWS_PLACEMENTS]);
    if (count_row(rows, policy, SMS__CUT_PLACEMENTS))
        write_beginning(&rows->placements, rows->scenario->name, policy, placement);
    else
        set_row(&rows->placements, placement->number, 0); /* an earlier row of the pod is not its current one */
}

static void add_departure(struct rows *rows, const struct sms_departure *departure)
{
    struct placements *placements = &rows->placements;
    uint32_t row = departure->number < placements->pods ? placements->row_of[departure->number] : 0;
    if (row == 0)
        return;
    placements->end[row - 1] = (struct placement_end){departure->end_ps, departure->ended};
    placements->row_of[departure->number] = 0;
}

static void add_gpu(struct rows *rows, const char *policy, const struct sms_shared_gpu *gpu)
{
    SMS__PRINT_CSV(rows->file[ROWS_GPUS], rows->scenario->name, policy, gpu->node);
    fprintf(rows->file[ROWS_GPUS], "%u,%llu,%llu,%llu,%u\n", gpu->gpu, (unsigned long long)gpu->memory_bytes,
            (unsigned long long)gpu->allocated_bytes, (unsigned long long)gpu->used_bytes, gpu->pods);
}

unsigned rows_events(const struct rows *rows)
{
    return (rows->file[ROWS_TIMELINE] && !rows->brief ? SMS_RUN_STAY | SMS_RUN_WAIT : 0U) |
           (rows->file[ROWS_SPANS] ? SMS_RUN_SPAN | SMS_RUN_PART : 0U) |
           (rows->file[ROWS_PLACEMENTS] ? SMS_RUN_PLACEMENT | SMS_RUN_DEPARTURE : 0U) |
           (rows->file[ROWS_GPUS] ? SMS_RUN_SHARED_GPU : 0U);
}

void rows_add(struct rows *rows, const struct sms_run_event *event)
{
    switch (event->kind) {
    case SMS_RUN_STAY:
        add_stay(rows, event->policy, event->stay);
        break;
    case SMS_RUN_WAIT:
        add_wait(rows, event->policy, event->wait);
        break;
    case SMS_RUN_SPAN:
        add_span(rows, event->policy, event->span);
        break;
    case SMS_RUN_PART:
        add_part(rows, event->policy, event->part);
        break;
    case SMS_RUN_PLACEMENT:
        add_placement(rows, event->policy, event->placement);
        break;
    case SMS_RUN_DEPARTURE:
        add_departure(rows, event->departure);
        break;
    case SMS_RUN_SHARED_GPU:
        add_gpu(rows, event->policy, event->shared_gpu);
        break;
    default:
        break;
    }
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
    int first = SMS_OK;
    rows->failed |= !end_placements(&rows->placements);
    for (size_t i = 0; i < ROWS_FILES; i++) {
        int code = rows->file[i] ? sms__folder_close(folder, files[i].name, rows->file[i], errors) : SMS_OK;
        first = first ? first : code;
    }
    if (rows->failed && !first)
        first = sms__fail(errors, SMS_ENOMEM, NULL, "no room for the rows of a timeline");
    keep_incomplete(rows);
    return first;
}
