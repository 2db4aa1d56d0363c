/* The trace of a cluster: pods on GPUs, and those that wait. A node is a "process" of the viewer, a GPU a thread with
 * as many lanes as pods ever shared it at once. Kept is what ended first. */
#include "trace_writer.h"

#include <stdlib.h>
#include <string.h>

/* What there is at once and shown: of pods that wait, and on a GPU. */
enum { WAITING_MOST = 100, LANES = 64 };

/* The name lies in `names` at `blocks` of the record. */
static bool keep_name(struct sms__trace_part *part, const char *name)
{
    size_t length = strlen(name) + 1;
    if (part->names_size - part->names_used < length) {
        size_t size = 2 * part->names_size + length + 4096;
        char *grown = realloc(part->names, size);
        if (!grown)
            return false;
        part->names = grown;
        part->names_size = size;
    }
    memcpy(part->names + part->names_used, name, length);
    part->names_used += length;
    return true;
}

static void keep(struct sms__trace_part *part, const char *pod, struct sms__trace_record record)
{
    part->spans++;
    if (part->records == part->budget)
        return;
    record.blocks = part->names_used;
    if (sms__trace_room(part) && keep_name(part, pod))
        part->record[part->records++] = record;
    else
        part->out_of_memory = true;
}

/* As many tracks as nodes could have GPUs; the last is that of the pods that wait. */
static uint32_t waiting_track(const struct sms__trace *trace)
{
    return (uint32_t)(trace->scenario->cluster->nodes * SMS_NODE_GPUS_MAX);
}

uint64_t sms__trace_pod_tids(const struct sms__trace *trace)
{
    return (uint64_t)waiting_track(trace) * LANES + WAITING_MOST;
}

void sms__trace_placement(struct sms__trace *trace, const char *policy, const struct sms_placement *placement)
{
    struct sms__trace_part *part = sms__trace_part_of(trace, policy);
    uint64_t start = placement->time_ps - placement->wait_ps, end = placement->time_ps;
    struct sms__trace_record record = {start, end, 0, waiting_track(trace), 0};
    if (part && !part->out_of_memory && placement->wait_ps > 0 && sms__trace_clip(trace, &start, &end))
        keep(part, placement->pod, record);
}

void sms__trace_departure(struct sms__trace *trace, const char *policy, const struct sms_departure *departure)
{
    struct sms__trace_part *part = sms__trace_part_of(trace, policy);
    uint64_t start = departure->start_ps, end = departure->end_ps;
    if (!part || !sms__trace_clip(trace, &start, &end))
        return;
    uint32_t track = (uint32_t)departure->node_idx * SMS_NODE_GPUS_MAX;
    uint32_t ended = sms__trace_state(part, departure->ended);
    for (uint32_t i = 0; i < SMS_NODE_GPUS_MAX && !part->out_of_memory; i++)
        if (departure->gpus >> i & 1)
            keep(part, departure->pod,
                 (struct sms__trace_record){departure->start_ps, departure->end_ps, 0, track + i, ended});
}

/* What the writer knows of the tracks. */
struct board {
    struct sms__trace_writer *writer;
    const struct sms__cluster *cluster;
    bool *named;      /* [nodes + 1]: the node's "process"; the last is that of the waiting */
    uint32_t waiting; /* track */
};

static void name_process(const struct board *board, size_t node, uint64_t pid, uint64_t tid)
{
    char name[256] = "waiting";
    if (node < board->cluster->nodes)
        sms__node_name(board->cluster, node, name, sizeof name);
    sms__trace_name(board->writer, "process_name", pid, tid);
    sms__put(&board->writer->text, "\"name\":\"");
    sms__put_escaped(&board->writer->text, board->writer->part->label);
    sms__put(&board->writer->text, ", ");
    sms__put_escaped(&board->writer->text, name);
    sms__put(&board->writer->text, "\"}}");
    sms__trace_sort_index(board->writer, "process_sort_index", pid, tid, pid);
}

static void name_lane(const struct board *board, uint32_t track, size_t lane, uint64_t pid, uint64_t tid)
{
    struct sms__text *text = &board->writer->text;
    sms__trace_name(board->writer, "thread_name", pid, tid);
    if (track == board->waiting)
        sms__put(text, "\"name\":\"waiting");
    else
        sms__put_field(text, "\"name\":\"GPU ", track % SMS_NODE_GPUS_MAX);
    if (lane)
        sms__put_field(text, " +", lane);
    sms__put(text, "\"}}");
    sms__trace_sort_index(board->writer, "thread_sort_index", pid, tid, tid);
}

/* By how a stay ended, as chrome://tracing knows them. */
static const char *colour_of(const char *ended)
{
    static const char *const colours[][2] = {{"done", "good"},     {"failed", "terrible"}, {"running", "rail_response"},
                                             {"restarted", "bad"}, {"lost", "terrible"},   {"timed_out", "yellow"}};
    for (size_t i = 0; i < sizeof colours / sizeof *colours; i++)
        if (!strcmp(colours[i][0], ended))
            return colours[i][1];
    return "grey";
}

static void put_event(const struct board *board, const struct sms__trace_record *record, uint64_t pid, uint64_t tid)
{
    const struct sms__trace_part *part = board->writer->part;
    struct sms__text *text = &board->writer->text;
    bool waits = record->track == board->waiting;
    sms__trace_event(board->writer, "X");
    sms__put_string(text,
                    waits ? ",\"cat\":\"wait\",\"name\":" : ",\"cat\":\"pod\",\"name\":", part->names + record->blocks);
    sms__put_string(text, ",\"cname\":", waits ? "grey" : colour_of(part->state[record->kind]));
    sms__put_field(text, ",\"pid\":", pid);
    sms__put_field(text, ",\"tid\":", tid);
    sms__put(text, ",\"ts\":");
    sms__put_us(text, record->start_ps);
    sms__put(text, ",\"dur\":");
    sms__put_us(text, record->end_ps - record->start_ps);
    sms__put(text, ",\"args\":{");
    if (!waits)
        sms__put_string(text, "\"ended\":", part->state[record->kind]);
    sms__put_field(text, waits ? "\"start_ps\":" : ",\"start_ps\":", record->start_ps);
    sms__put_field(text, ",\"end_ps\":", record->end_ps);
    sms__put(text, "}}");
}

static int put_record(struct board *board, const struct sms__trace_record *record)
{
    struct sms__trace_writer *writer = board->writer;
    size_t node = record->track / SMS_NODE_GPUS_MAX;
    uint64_t pid = writer->first_pid + node;
    bool waits = record->track == board->waiting, is_new;
    struct sms__lanes *lanes = &writer->lanes[record->track];
    size_t most = waits ? WAITING_MOST : LANES;
    long lane = sms__trace_lane(lanes, record, most, &is_new);
    if (lane < 0)
        return lanes->count == most ? SMS_OK : SMS_ENOMEM;
    uint64_t tid = writer->first_tid + (uint64_t)record->track * LANES + (uint64_t)lane;
    if (!board->named[node])
        name_process(board, node, pid, tid);
    board->named[node] = true;
    if (is_new)
        name_lane(board, record->track, (size_t)lane, pid, tid);
    put_event(board, record, pid, tid);
    return SMS_OK;
}

int sms__trace_put_pods(struct sms__trace_writer *writer)
{
    struct board board = {writer, writer->trace->scenario->cluster, NULL, 0};
    int code = SMS_OK;
    board.waiting = waiting_track(writer->trace);
    board.named = calloc(board.cluster->nodes + 1, sizeof *board.named);
    if (!board.named)
        return SMS_ENOMEM;
    for (size_t i = 0; i < writer->part->records && code == SMS_OK; i++)
        code = put_record(&board, &writer->part->record[i]);
    free(board.named);
    return code;
}
